"""The command `causality`: findings, steps, reasons and paths, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from multibond.examples import EXAMPLES
from multibond.graph.file import save

from .typed import command


def test_findings_as_text(pendulum: Path) -> None:
    made = command("causality", str(pendulum))
    assert made.exit_code == 0
    for word in ("derivative causality", "bar.mass", "2 of class 1", "index of the equations", "advised: auto"):
        assert word in made.stdout


def test_findings_as_json(pendulum: Path) -> None:
    made = command("causality", str(pendulum), "--json", "--method", "multiplier")
    facts = json.loads(made.stdout)
    assert facts["ok"] and facts["method"] == "multiplier"
    assert [form["index"] for form in facts["index"]] == [3, 2, 1]
    assert facts["zero_order_paths"] == [] and facts["derivative"] == {"bar.inertia": [0]}


def test_depth(pendulum: Path) -> None:
    facts = json.loads(command("causality", str(pendulum), "--json", "--depth", "3").stdout)
    assert all(len(sides) == 1 for sides in facts["strokes"].values())


def test_steps_and_reasons(pendulum: Path) -> None:
    steps = command("causality", str(pendulum), "--steps").stdout.splitlines()
    assert steps[0].startswith("1. bond ") and len(steps) > 20
    why = json.loads(command("causality", str(pendulum), "--why", "hinge.damper", "--json").stdout)["steps"]
    assert why[-1].endswith("because 1-junction 'hinge.free' has its flow from 'hinge.motion'.")


def test_paths(pendulum: Path) -> None:
    made = command("causality", str(pendulum), "--from", "bar.weight", "--to", "hinge.motion.f")
    assert made.exit_code == 0 and made.stdout.startswith("1 integration: bar.v")
    idle = command("causality", str(pendulum), "--to", "hinge.motion.f").stdout
    assert "world.translation: no causal path" not in idle and "hinge.damper: no causal path" not in idle
    lone = command("causality", str(pendulum), "--from", "bar.weight")
    assert lone.exit_code == 1 and "needs an end" in lone.stderr


def test_unknown_name(pendulum: Path) -> None:
    made = command("causality", str(pendulum), "--why", "hinge.dampr", "--json")
    assert made.exit_code == 1 and "hinge.damper" in json.loads(made.stdout)["findings"][0]["fact"]


def test_wishes(tmp_path: Path) -> None:
    save(EXAMPLES["rlc"](), tmp_path / "rlc.mbg")
    wish = ("--prefer", "coil=derivative")
    steps = command("causality", tmp_path / "rlc.mbg", "--steps", *wish).stdout
    assert "I 'coil' is in derivative causality, as asked for" in steps
    assert command("causality", tmp_path / "rlc.mbg", "--prefer", "coil").exit_code == 2
    assert command("causality", tmp_path / "rlc.mbg", "--prefer", "coil=left").exit_code == 1
