"""Every code cell of the page on elements runs, and what it makes is the same after a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import multibond as mb
from multibond.graph.component import Component
from multibond.graph.file import from_data, to_data

PAGE = (Path(__file__).parents[2] / "docs" / "elements.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "`mb." in line]
CELLS = [code for row in ROWS for code in re.findall(r"`(mb\..*?)`", row)]


@pytest.mark.parametrize("code", CELLS)
def test_a_cell_of_the_table_runs(code: str) -> None:
    item = eval(compile(code, "elements.md", "eval", dont_inherit=True), {"mb": mb})
    assert isinstance(item, Component)
    model = mb.Model("page")
    model.add(item)
    assert repr(from_data(to_data(model)).components[0]) == repr(item)


def test_every_row_has_code_and_every_element_a_row() -> None:
    """Elements that stand in opened mechanisms only are left out."""
    assert len(ROWS) > 40 and all(len(re.findall(r"`(mb\.[^`]*)`", row)) >= 1 for row in ROWS)
    words = ("TF2", "SGY", "D2", "TF_effort", "TF_flow", "leaking switch", "directional diode", "projective")
    assert all(word in PAGE for word in words)
    named = {word for code in CELLS for word in re.findall(r"^mb\.(\w+)\(", code)}
    missing = {kind.__name__ for kind in mb.elements.ALL} - named
    assert missing <= {"Radiation", "Solute", "HeatStore", "HeatFlow"} and len(CELLS) > 60
