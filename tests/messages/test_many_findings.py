"""Long lists of findings: the text tells the first, the error keeps all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import multibond as mb
from multibond.cli import app
from multibond.errors import TOLD, MultibondError

MANY = 50


def loose(count: int) -> mb.Model:
    model = mb.Model("loose")
    for k in range(count):
        model.add(mb.R(f"r{k}", 1.0))
    return model


def test_the_text_tells_the_first_and_how_many_there_are_besides() -> None:
    with pytest.raises(MultibondError) as caught:
        mb.check(loose(MANY))
    lines = str(caught.value).splitlines()
    assert len(caught.value.findings) == MANY and len(lines) == 3 * (TOLD + 1)
    assert lines[-3:] == [
        "30 more faults are not told here.",
        "  50 are found; the error has them all in .findings, the command line with --json.",
        "  Correct these first.",
    ]


@pytest.mark.parametrize("count", [1, TOLD, TOLD + 1])
def test_none_is_left_out_where_that_saves_nothing(count: int) -> None:
    with pytest.raises(MultibondError) as caught:
        mb.check(loose(count))
    assert len(str(caught.value).splitlines()) == 3 * count


def test_the_command_line_tells_as_much_and_json_has_all(tmp_path: Path) -> None:
    path = tmp_path / "loose.mbg"
    mb.save(loose(MANY), path)
    said = CliRunner().invoke(app, ["check", str(path)])
    assert said.exit_code == 1 and "30 more faults are not told here." in said.stderr
    assert len(said.stderr.splitlines()) == 3 * (TOLD + 1)
    assert len(json.loads(CliRunner().invoke(app, ["check", str(path), "--json"]).stdout)["findings"]) == MANY
