"""Small files that once exhausted the machine: each is answered, or its limit named, within 10 s and 1 GB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import multibond

SECONDS, BYTES = 10, 1 << 30
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from multibond.cli import main
sys.argv = ["multibond", *{arguments!r}]
try:
    main()
finally:
    (peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print("peak", int(peak) * 1024)
"""


def axle(size: int | None = None, effort: Any = 1.0) -> dict[str, Any]:
    kinds = {"o": ("One", {}), "i": ("I", {"inertia": 1.0}), "s": ("Se", {"effort": effort}), "r": ("R", {})}
    kinds["r"] = ("R", {"resistance": 1.0})
    components = [{"name": name, "type": kind, "parameters": given} for name, (kind, given) in kinds.items()]
    bonds = [{"from": "s", "to": "o"}, {"from": "o", "to": "i"}, {"from": "o", "to": "r"}]
    return {"format": "multibond", "version": 1, "name": "it", "size": size, "components": components, "bonds": bonds}


def boxes(count: int, *, joined: bool = False) -> dict[str, Any]:
    made = [{"name": f"c{k}", "type": f"nobody.Knows{k}", "parameters": {}} for k in range(count)]
    joints = [[f"c{k}.p", f"c{k + 1}.q"] for k in range(count - 1 if joined else 0)]
    return {"format": "multibond", "version": 1, "name": "it", "components": made, "connections": joints}


def loose(count: int) -> dict[str, Any]:
    made = [{"name": f"r{k}", "type": "R", "parameters": {"resistance": 1.0}} for k in range(count)]
    return {"format": "multibond", "version": 1, "name": "it", "components": made}


def bodies(count: int, *, world: bool) -> dict[str, Any]:
    made = [{"name": f"b{k}", "type": "spatial.Body", "parameters": {"mass": 1.0 + k}} for k in range(count)]
    home = [{"name": "world", "type": "spatial.World"}] if world else []
    return {"format": "multibond", "version": 1, "name": "it", "components": [*home, *made]}


def table(count: int) -> dict[str, str]:
    lists = (",".join(str(k) for k in range(count)), ",".join(str(k * 7919 % 13) for k in range(count)))
    return {"formula": f"table(t, [{lists[0]}], [{lists[1]}], smooth)"}


CASES = {
    "boxes": (boxes(20_000), ["check"], "19980 more faults are not told here."),
    "joined boxes": (boxes(20_000, joined=True), ["check"], "19980 more faults are not told here."),
    "loose elements": (loose(20_000), ["check"], "19980 more faults are not told here."),
    "free bodies": (bodies(100, world=True), ["check"], "it: no fault. 101 components, 1300 states."),
    "bodies in no world": (bodies(500, world=False), ["check"], "the mechanism is not in any world."),
    "size": (axle(size=1000), ["check"], "it: no fault. 4 components, 1000 states."),
    "too large a size": (axle(size=10**9), ["check"], "It should be less than or equal to 1000."),
    "table": (axle(effort=table(100_000)), ["check"], "it: no fault."),
    "largest table": (axle(effort=table(1_000_000)), ["check"], "a table may have 200000"),
    "instants": (axle(effort={"formula": "floor(1e9*t)"}), ["run", "--until", "1"], "meets an instant every 1.0e-09 s"),
    "many instants": (
        axle(effort={"formula": "floor(1e6*t)"}),
        ["run", "--until", "1"],
        "meets an instant every 1.0e-06 s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_it_answers_in_time_and_space(name: str, tmp_path: Path) -> None:
    data, (command, *options), expected = CASES[name]
    path = tmp_path / "it.mbg"
    path.write_text(json.dumps(data))
    program = PROGRAM.format(seconds=SECONDS, arguments=[command, str(path), *options])
    here = {**os.environ, "PYTHONPATH": str(Path(multibond.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=here)
    told = done.stdout + done.stderr
    assert done.returncode in (0, 1), f"{name} ended with {done.returncode}"
    assert expected in told, told[-500:]
    assert "Traceback" not in told
    assert int(done.stdout.rsplit("peak ", 1)[1]) < BYTES
