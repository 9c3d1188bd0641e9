"""LaTeX, plain data and words, and what comes of them when they are read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond.errors import UnknownName
from multibond.examples import euler_top, sliding_swing

from .agreement import space_of
from .models import disc_with_constraint, mixed, motor_arm, pendulum, through_damper

MAKERS = [mixed, through_damper, pendulum, sliding_swing, motor_arm, euler_top]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_the_document_is_whole(make: Callable[[], Any]) -> None:
    """Environments and brackets close, and each row of the junction structure and each displacement is there."""
    space = space_of(make)
    text = space.latex()
    begun, ended = re.findall(r"\\begin\{(\w+\*?)\}", text), re.findall(r"\\end\{(\w+\*?)\}", text)
    assert sorted(begun) == sorted(ended) and text.startswith(r"\documentclass") and text.endswith(r"\end{document}")
    assert text.count(r"\left(") == text.count(r"\right)")
    assert text.count("{") == text.count("}")
    assert len(re.findall(r"\\dot\{[pq]\}_\{", text)) == len(space.state_names)
    assert len(re.findall(r"^0 &=", text, re.M)) == space.rows["u2"].size
    assert ("H_1 X" in text) == (space.case in ("15", "mixed"))
    assert ("T_{C u_1} U_1" in text) == (space.case in ("14", "mixed"))


def test_rows_are_written_in_the_models_names() -> None:
    text = space_of(mixed).latex()
    for line in (
        r"\dot{p}_{\mathrm{m1}} &= e_{\mathrm{push}} - e_{\mathrm{rigid}}",
        r"0 &= f_{\mathrm{m2}} - f_{\mathrm{oil}}",
        r"f_{\mathrm{oil}} &= \frac{e_{\mathrm{oil}}}{R_{\mathrm{oil}}}",
        r"e_{\mathrm{push}} &= 3 \, \cos\left(t\right)",
        r"\item \texttt{m2}: stores momentum in integral causality: gives flow; dependent motion",
    ):
        assert line in text


def test_blocks_as_matrices() -> None:
    space = mb.statespace(disc_with_constraint(scalar=False))
    assert space.latex("J_Cu2") == "J_{C u_2} = \\begin{pmatrix}\n0\n\\end{pmatrix}"
    row = space.latex("J_Ci2") + space.latex("J_Ci1")
    assert r"\cos\left(q_{\mathrm{angle}}\right)" in row and r"\sin\left(q_{\mathrm{angle}}\right)" in row
    assert r"q_{\mathrm{place},0}" in row
    with pytest.raises(UnknownName, match="J_XY"):
        space.latex("J_XY")


def test_plain_data_is_json_and_holds_the_numbers() -> None:
    space = space_of(mixed)
    data = json.loads(json.dumps(space.to_dict()))
    assert data["case"] == "mixed" and data["states"] == list(space.state_names)
    assert {entry["field"] for entry in data["fields"]} == {"X_i1", "X_i2", "R", "U1", "U2"}
    assert all(condition["holds"] for condition in data["conditions"])
    found = space.matrices()
    assert set(data["matrices"]) == set(found)
    for name, value in found.items():
        np.testing.assert_array_equal(np.array(data["matrices"][name]).reshape(value.shape), value)


def test_it_says_what_it_is() -> None:
    said = str(space_of(pendulum))
    assert said.splitlines()[0] == "state space of 'pendulum': case (15)"
    assert "H4 regular: rank 5 of 5: no constraint repeats another" in said
    assert "independent motion 1, dependent motion 5" in said
    assert str(space_of(euler_top)).startswith("state space of 'euler_top': unconstrained")
