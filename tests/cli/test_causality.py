"""The command `causality`: findings, steps, reasons and paths, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import multibond
from multibond.examples import EXAMPLES
from multibond.graph.file import save
from multibond.view.palette import CONFLICT, DERIVATIVE, HIGHLIGHT

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


@pytest.fixture
def conflict(tmp_path: Path) -> Path:
    """Two sources of flow at one junction."""
    model = multibond.Model("two drives")
    slider = model.add(multibond.One("slider"))
    model.bond(multibond.Sf("drive", 1.0), slider)
    model.bond(multibond.Sf("wall", 0.0), slider)
    model.bond(slider, multibond.R("friction", 2.0))
    save(model, tmp_path / "two.mbg")
    return tmp_path / "two.mbg"


def test_a_conflict_is_a_fault_of_the_model(conflict: Path) -> None:
    made = command("causality", conflict)
    assert made.exit_code == 1 and "conflicts" in made.stdout and "parasitic" in made.stdout
    assert "the flow of 1-junction 'slider' is set twice" in made.stderr
    told = command("causality", conflict, "--json")
    facts = json.loads(told.stdout)
    assert told.exit_code == 1 and facts["ok"] is False and len(facts["findings"]) == 1
    assert facts["findings"][0]["error"] == "CausalityError" and facts["conflicts"]


def test_a_wish_that_cannot_be_had_is_a_fault(tmp_path: Path) -> None:
    save(EXAMPLES["disc"](), tmp_path / "disc.mbg")
    made = command("causality", tmp_path / "disc.mbg", "--prefer", "mass=integral", "--json")
    assert made.exit_code == 1 and "'mass' cannot be given" in json.loads(made.stdout)["findings"][0]["problem"]


def test_drawing_with_findings(conflict: Path, pendulum: Path, tmp_path: Path) -> None:
    """Conflicts red, and still exit code 1; derivative causality orange."""
    made = command("causality", conflict, "-o", tmp_path / "two.svg", "--json")
    facts = json.loads(made.stdout)
    assert made.exit_code == 1 and not facts["ok"] and facts["written"] == [str(tmp_path / "two.svg")]
    assert CONFLICT in (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert command("causality", pendulum, "-o", tmp_path / "p.tex").exit_code == 0
    assert "tikzpicture" in (tmp_path / "p.tex").read_text(encoding="utf-8")


def test_drawing_of_a_path(pendulum: Path, tmp_path: Path) -> None:
    words = ("--path", "bar.weight", "hinge.motion.f")
    made = command("causality", pendulum, "-o", tmp_path / "path.svg", *words)
    text = (tmp_path / "path.svg").read_text(encoding="utf-8")
    assert made.exit_code == 0 and HIGHLIGHT in text and DERIVATIVE in text and "1 integration: bar.v" in text
    assert command("causality", pendulum, *words).stdout.startswith("1 integration: bar.v")
    idle = ("--path", "bar.weight", "world.rotation.f")
    missing = command("causality", pendulum, "-o", tmp_path / "none.svg", *idle)
    assert missing.exit_code == 1 and not (tmp_path / "none.svg").exists()


def test_playing(pendulum: Path, tmp_path: Path) -> None:
    made = command("causality", pendulum, "--play", tmp_path / "steps.html")
    html = (tmp_path / "steps.html").read_text(encoding="utf-8")
    assert made.exit_code == 0 and "wrote" in made.stdout
    assert html.startswith("<!DOCTYPE html>") and "is in derivative causality" not in html.partition("<footer>")[0]
