"""`multibond draw`: kinds, formats and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import multibond as mb
from multibond.cli import app

from .models import pendulum, rlc

RUN = CliRunner()


@pytest.fixture
def file(tmp_path: Path) -> str:
    mb.save(rlc(), tmp_path / "rlc.mbg")
    return str(tmp_path / "rlc.mbg")


@pytest.mark.parametrize("kind", ["word", "multibond", "scalar", "causal", "block"])
def test_every_kind(file: str, kind: str) -> None:
    told = RUN.invoke(app, ["draw", file, "--kind", kind])
    assert told.exit_code == 0 and told.stdout.startswith("<svg")


def test_formats_by_ending_and_by_name(file: str, tmp_path: Path) -> None:
    target = tmp_path / "rlc.tex"
    assert RUN.invoke(app, ["draw", file, "--kind", "causal", "-o", str(target)]).exit_code == 0
    assert r"\begin{tikzpicture}" in target.read_text(encoding="utf-8")
    told = RUN.invoke(app, ["draw", file, "--format", "tikz", "--json"])
    assert r"\begin{tikzpicture}" in json.loads(told.stdout)["tikz"]


def test_options_reach_the_drawing(tmp_path: Path) -> None:
    mb.save(pendulum(), tmp_path / "arm.mbg")
    file = str(tmp_path / "arm.mbg")
    assert "MSe λ" in RUN.invoke(app, ["draw", file, "--kind", "causal", "--method", "multiplier"]).stdout
    assert "#ffd84d" in RUN.invoke(app, ["draw", file, "--depth", "2", "--highlight", "foot"]).stdout
    assert ">τ<" in RUN.invoke(app, ["draw", file, "--depth", "2", "--variables"]).stdout


def test_wrong_words(file: str) -> None:
    assert RUN.invoke(app, ["draw", file, "--kind", "oil"]).exit_code == 2
    assert RUN.invoke(app, ["draw", file, "--format", "png"]).exit_code == 2
    assert RUN.invoke(app, ["draw", file, "--highlight", "nothing"]).exit_code == 1
    assert RUN.invoke(app, ["draw", file, "--method", "magic"]).exit_code == 1


def test_power_of_a_run(file: str, tmp_path: Path) -> None:
    page, still, mean = (tmp_path / name for name in ("flow.html", "flow.svg", "mean.svg"))
    told = RUN.invoke(app, ["draw", file, "--power", "--until", "0.02", "-o", str(page)])
    assert told.exit_code == 0 and page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (
        RUN.invoke(app, ["draw", file, "--power", "--until", "0.02", "--at", "0.001", "-o", str(still)]).exit_code == 0
    )
    assert ">power at 0.001 s<" in still.read_text(encoding="utf-8")
    options = ["--average", "--scale", "linear", "--full", "50", "--kind", "causal", "--set", "winding.resistance=2"]
    told = RUN.invoke(app, ["draw", file, "--power", "--until", "0.02", *options, "-o", str(mean), "--json"])
    assert json.loads(told.stdout)["written"] == [str(mean)]
    text = mean.read_text(encoding="utf-8")
    assert ">50 W<" in text and 'class="stroke"' in text and ">mean power from 0 s to 0.02 s<" in text
    assert RUN.invoke(app, ["draw", file, "--power", "--until", "0.02"]).stdout.startswith("<!DOCTYPE html>")


def test_power_needs_a_run_and_the_right_file(file: str, tmp_path: Path) -> None:
    told = RUN.invoke(app, ["draw", file, "--power"], env={"NO_COLOR": "1", "COLUMNS": "200"})
    assert told.exit_code == 2 and "--until SECONDS" in told.output
    told = RUN.invoke(app, ["draw", file, "--at", "0.1"], env={"NO_COLOR": "1", "COLUMNS": "200"})
    assert told.exit_code == 2 and "add --power" in told.output
    for wrong, code, words in (
        (["--until", "0.02", "-o", str(tmp_path / "a.png")], 2, ".html, .htm, .svg"),
        (["--until", "0.02", "-o", str(tmp_path / "a.svg")], 1, "a run is no svg picture."),
        (["--until", "0.02", "--at", "0.01", "-o", str(tmp_path / "a.html")], 1, "a still is no page."),
        (["--until", "0.02", "--at", "0.5", "-o", str(tmp_path / "a.svg")], 1, "the run is not known at 0.5 s."),
        (["--until", "0", "-o", str(tmp_path / "a.html")], 1, "the run has no length to draw power over."),
        (["--until", "0.02", "--kind", "block"], 1, "no power on a drawing of kind 'block'."),
        (["--until", "0.02", "-o", str(tmp_path / "no" / "a.html")], 1, "There is no folder"),
    ):
        told = RUN.invoke(app, ["draw", file, "--power", *wrong])
        assert told.exit_code == code and words in " ".join(told.output.split()), wrong
    assert [path.name for path in tmp_path.iterdir()] == ["rlc.mbg"]


def test_run_writes_the_page_of_power(file: str, tmp_path: Path) -> None:
    page = tmp_path / "flow.html"
    told = RUN.invoke(app, ["run", file, "--until", "0.02", "--power-flow", str(page), "--json"])
    assert json.loads(told.stdout)["written"] == [str(page)]
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert RUN.invoke(app, ["run", file, "--power-flow", str(tmp_path / "flow.svg")]).exit_code == 2


def test_simple_step_and_signals(tmp_path: Path) -> None:
    """The command draws what `mb.draw` draws with the same options."""
    model, path = pendulum(), str(tmp_path / "arm.mbg")
    mb.save(model, path)
    asked = {"--simple": {"simple": True}, "--no-signals": {"signals": False}, "--step=3": {"step": 3}}
    plain = mb.draw(model, kind="causal", depth=3)
    for word, option in asked.items():
        told = RUN.invoke(app, ["draw", path, "--kind", "causal", "--depth", "3", word])
        assert told.exit_code == 0 and told.stdout.strip() == mb.draw(model, kind="causal", depth=3, **option).strip()
        assert told.stdout.strip() != plain.strip()
