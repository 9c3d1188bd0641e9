"""`multibond assemble`, `equilibrium`, `sweep`, `robot` and `linearise`: what they print and how they fail."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond.examples import EXAMPLES

from .typed import command


@pytest.fixture
def four_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "four_bar.mbg"
    mb.save(EXAMPLES["four_bar"](), path)
    return path


def answer(*words: object) -> dict:
    result = command(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["ok"] and found["findings"] == []
    return found


def test_assemble(four_bar: Path) -> None:
    text = command("assemble", four_bar).stdout
    assert "D.angle = 1.66148" in text and "moved: B.angle set to -0.539797" in text and "mobility 1" in text
    found = answer("assemble", four_bar, "--method", "relax")
    assert found["values"]["D.angle"] == pytest.approx(mb.assemble(EXAMPLES["four_bar"]())["D.angle"], abs=1e-12)
    assert found["mobility"] == 1 and found["undecided"] == 0


def test_equilibrium(four_bar: Path) -> None:
    assert command("equilibrium", four_bar).stdout.startswith("equilibrium (undamped): B.angle = 2.82312")
    found = answer("equilibrium", four_bar, "--set", "O.damping=0.1")
    assert found["stability"] == "stable" and found["positions"]["O.angle"] == pytest.approx(-1.90593, abs=1e-5)
    assert all(real < 0 for real, _ in found["eigenvalues"])


def test_sweep(four_bar: Path) -> None:
    words = ("sweep", four_bar, "O.angle", "--from", 0, "--to", 6.28, "--steps", 100)
    text = command(*words, "-o", "it.csv", "--figure", "it.png").stdout
    assert "D.angle stands still at O.angle = 0.622368489, 3.90135459" in text and "wrote it.csv" in text
    with open("it.csv") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 102 and rows[0][0] == "O.angle" and float(rows[-1][0]) == 6.28
    assert Path("it.png").exists()
    found = answer(*words, "-v", "D.angle")
    assert found["columns"] == ["O.angle", "D.angle"] and len(found["rows"]) == 101


def test_sweep_tells_its_limits(four_bar: Path) -> None:
    found = answer("sweep", four_bar, "D.angle", "--from", 1.7, "--to", 3.0, "--steps", 13)
    assert found["limits"][0].startswith("D.angle cannot be led beyond 2.51009") and len(found["rows"]) == 9


def test_robot(four_bar: Path) -> None:
    words = ("robot", four_bar, "--at", "O.angle=1", "--at", "O.speed=2", "--acceleration", "O=3", "--actuated", "D")
    found = answer(*words, "--frame", "rocker_rod.frame_b", "--reactions")
    system = mb.compile(EXAMPLES["four_bar"]())
    x = system.state({"O.angle": 1.0, "O.speed": 2.0})
    assert found["mass_matrix"] == {"O": {"O": pytest.approx(float(system.mass_matrix(x)[0, 0]))}}
    expected = system.inverse_dynamics(x, {"O": 3.0}, actuated=["D"])["D"]
    assert found["inverse_dynamics"] == {"D": pytest.approx(float(expected))}
    J = system.jacobian(x, "rocker_rod.frame_b")
    assert found["jacobian rocker_rod.frame_b"]["linear x"]["O"] == pytest.approx(float(J["linear x"][0]))
    assert found["reactions"]["O"]["force"] == pytest.approx(system.reactions(x)["O"].force.tolist())
    assert not found["reactions"]["O"]["unique"]
    text = command(*words, "--reactions", "--tree").stdout
    assert "inverse_dynamics:" in text and "reaction O: force (" in text
    assert text.splitlines()[1].split() == ["O", "D", "B"]


def test_linearise(pendulum: Path) -> None:
    found = answer("linearise", pendulum, "--at", "hinge.angle=0", "--output", "hinge.angle")
    assert found["states"] == ["hinge.motion.q", "hinge.motion.u"] and np.shape(found["A"]) == (2, 2)
    assert found["C"] == [[1.0, 0.0]]
    text = command("linearise", pendulum).stdout
    assert text.startswith("A:") and "eigenvalues: " in text.splitlines()[-1]


def test_faults_are_told(four_bar: Path) -> None:
    result = command("robot", four_bar, "--at", "O.angel=1")
    assert result.exit_code == 1 and "has no 'O.angel'" in result.stderr
    assert command("sweep", four_bar, "O.angle", "--steps", 0).exit_code == 2
    assert command("robot", four_bar, "--at", "O.angle").exit_code == 2
    result = command("sweep", four_bar, "D.angle", "--from", math.pi, "--to", 4, "--json")
    assert result.exit_code == 1 and not json.loads(result.stdout)["ok"]
