"""Works through what `make test` leaves out, oldest first, for as long as there is time.

    python -m tests.proof.run [--budget SECONDS] [--only PATTERN] [--list] [--state FILE]

What passed when is kept in `.proof.json` (what nobody has tried here, in `tests/proof/seed.json`); a later run goes on
from there. Prints a table; ends with 1 where an item fails that passed before. One that never passed is called open:
what it found is printed, and waits for its cure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.rotation import commit

from .items import ROOT, Item, items

STATE, SEED = ROOT / ".proof.json", Path(__file__).with_name("seed.json")
GUESS = 180.0
"""Seconds that an item is thought to take before it has been tried."""
SPARE = 1.3
"""An item begins only where there is so much more time than it took last."""


@dataclass(frozen=True)
class Record:
    """How an item did: when and at which commit it last passed, how long it took, how its last try ended."""

    passed: str = ""
    commit: str = ""
    seconds: float = GUESS
    last: str = "never tried"


State = dict[str, Record]


def read(state: Path, seed: Path = SEED) -> State:
    """What is known of the items."""
    found: State = {}
    for path in (seed, state):
        if path.exists():
            found |= {name: Record(**entry) for name, entry in json.loads(path.read_text()).items()}
    return found


def write(state: Path, known: State) -> None:
    """Keep what is known; a kill leaves the old file or the new one."""
    new = state.with_suffix(".new")
    new.write_text(json.dumps({name: asdict(entry) for name, entry in sorted(known.items())}, indent=1) + "\n")
    new.replace(state)


def queue(wanted: Iterable[Item], known: State, turn: str) -> list[Item]:
    """What failed first, then the oldest; the commit decides among those of one age."""

    def age(item: Item) -> tuple[bool, str, str]:
        entry = known.get(item.name, Record())
        lot = hashlib.sha256(f"{turn} {item.name}".encode()).hexdigest()
        return entry.last != "failed", entry.passed, lot

    return sorted(wanted, key=age)


def attempt(item: Item, seconds: float) -> tuple[str, float, str]:
    """Run an item in a session of its own: "passed", "failed" or "cut short", its time, and what it printed."""
    begun, environment = time.monotonic(), os.environ | {"PYTHONPATH": "src"} | item.environment
    process = subprocess.Popen(
        item.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        printed, _ = process.communicate(timeout=seconds)
        end = "passed" if process.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, _ = process.communicate()
        end = "cut short"
    return end, time.monotonic() - begun, printed


def work(wanted: Sequence[Item], known: State, budget: float, state: Path) -> list[tuple[Item, str]]:
    """Try items until the time is up; what is known is kept after each."""
    end, done = time.monotonic() + budget, []
    for item in queue(wanted, known, commit()):
        entry, left = known.get(item.name, Record()), end - time.monotonic()
        if left < SPARE * entry.seconds:
            continue
        outcome, seconds, printed = attempt(item, left)
        done.append((item, outcome))
        chance = " ".join(f"{k}={v}" for k, v in item.environment.items())
        print(f"{outcome:>9} {seconds:6.0f} s  {item.name}  {chance}", flush=True)
        if outcome == "failed":
            print(printed[-6000:], f"\nagain: {chance} {' '.join(item.command)}", flush=True)
        known[item.name] = judged(entry, outcome, seconds)
        write(state, known)
    return done


def judged(entry: Record, outcome: str, seconds: float) -> Record:
    """The record after one more try; one that was cut short takes longer than it had."""
    if outcome == "passed":
        now = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
        return Record(now, commit()[:12], round(seconds, 1), "passed")
    if outcome == "failed":
        return replace(entry, last="failed")
    return replace(entry, seconds=round(max(entry.seconds, SPARE * seconds), 1))


def table(wanted: Iterable[Item], known: State) -> str:
    """Every item with when and where it last passed."""
    rows = [(item.name, known.get(item.name, Record())) for item in wanted]
    width = max((len(name) for name, _ in rows), default=4)
    lines = [f"{'item':<{width}}  {'last passed':<16}  {'at':<12}  {'seconds':>7}  last try"]
    for name, r in rows:
        lines.append(f"{name:<{width}}  {r.passed or '-':<16}  {r.commit or '-':<12}  {r.seconds:>7.0f}  {r.last}")
    return "\n".join(lines)


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Command line; the budget may stand in the environment too."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--budget", type=float, default=float(os.environ.get("BUDGET") or 1200), help="seconds")
    parser.add_argument("--only", default="", help="a regular expression that the item's name contains")
    parser.add_argument("--list", action="store_true", help="print the table and stop")
    parser.add_argument("--state", type=Path, default=STATE, help="the file that keeps what passed when")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    wishes = options(words)
    wanted = [item for item in items() if re.search(wishes.only, item.name)]
    known = read(wishes.state)
    before = {name for name, entry in known.items() if entry.passed}
    done = [] if wishes.list else work(wanted, known, wishes.budget, wishes.state)
    print(table(wanted, known))
    bad = [item.name for item, outcome in done if outcome == "failed"]
    failed, open_ = [name for name in bad if name in before], [name for name in bad if name not in before]
    if not wishes.list:
        print(f"{len(done)} of {len(wanted)} items tried in {wishes.budget:.0f} s")
        print(f"passed before and failed now: {', '.join(failed) or 'none'}; open: {', '.join(open_) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
