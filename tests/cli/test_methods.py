"""The commands `compare`, `count` and `advise`, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from multibond.examples import slider_crank
from multibond.graph.file import save

from .typed import command


def crank(folder: Path) -> str:
    save(slider_crank(), folder / "crank.mbg")
    return str(folder / "crank.mbg")


def test_compare(pendulum: Path, tmp_path: Path) -> None:
    options = ("--until", "0.1", "--method", "auto", "--method", "multiplier", "--depth", "2")
    made = command("compare", str(pendulum), *options, "--plot", str(tmp_path / "e.svg"))
    assert made.exit_code == 0 and "multiplier" in made.stdout and (tmp_path / "e.svg").exists()
    facts = json.loads(command("compare", str(pendulum), *options, "--json").stdout)
    assert facts["ok"] and [c["method"] for c in facts["cells"]] == ["auto", "multiplier"]
    assert facts["cells"][1]["error"] < 1e-6


def test_wrong_words_are_wrong_usage(pendulum: Path) -> None:
    assert command("compare", str(pendulum), "--method", "magic").exit_code == 2
    assert command("compare", str(pendulum), "--stiffness", "-1").exit_code == 2


def test_count(tmp_path: Path) -> None:
    made = command("count", crank(tmp_path))
    assert made.exit_code == 0 and "plain count: 18 - 20 = -2" in made.stdout and "mobility by rank: 1" in made.stdout
    facts = json.loads(command("count", crank(tmp_path), "--json").stdout)
    assert facts["redundant"] == 3 and facts["stages"][3]["after"] == -2


def test_advise(tmp_path: Path) -> None:
    assert command("advise", crank(tmp_path)).stdout.startswith("auto (closed chain")
    assert json.loads(command("advise", crank(tmp_path), "--json").stdout)["paper"] == "rc"
