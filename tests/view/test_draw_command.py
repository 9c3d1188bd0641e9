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
