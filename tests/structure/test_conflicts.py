"""Components that both ends give: the culprits are named and the cures fit; and the findings as text and data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.laws.random_graphs import model_of, random_plan

import multibond as mb
from multibond.errors import StructureError
from multibond.examples import EXAMPLES
from multibond.view.causality_report import CausalReport

from .drawn import drawn


def cures(report: CausalReport) -> set[tuple[str, str]]:
    """Kinds of cures and what they act on."""
    return {(cure.kind, cure.element) for conflict in report.conflicts for cure in conflict.cures}


def test_two_flow_sources() -> None:
    """Both give the flow of v: a compliance between them. A multiplier is no cure, as nothing could give way to it."""
    model = drawn("pushed", [mb.Sf("drive", 1.0), mb.Sf("wall", 0.0), mb.One("v"), mb.R("r", 1.0)],
                  "drive>v wall>v v>r").model  # fmt: skip
    report = mb.causality(model)
    (conflict,) = report.conflicts
    assert conflict.what == "flow" and set(conflict.culprits) == {"drive", "wall"}
    assert {kind for kind, _ in cures(report)} == {"parasitic"}
    assert report.faults and not report.index


def test_two_effort_sources() -> None:
    """The dual: an inertia between them; no multiplier helps."""
    model = drawn("shorted", [mb.Se("one", 1.0), mb.Se("two", 2.0), mb.Zero("n"), mb.R("r", 1.0)],
                  "one>n two>n n>r").model  # fmt: skip
    report = mb.causality(model)
    (conflict,) = report.conflicts
    assert conflict.what == "effort" and set(conflict.culprits) == {"one", "two"}
    assert cures(report) == {("parasitic", conflict.bond)}
    assert "parasitic I and R" in conflict.cures[0].text


def backwards(modulus: object, inverse: str) -> mb.Model:
    """A source of flow at the outlet of a transformer, one of effort at its inlet."""
    elements = [mb.Sf("drive", (1.0, 0.0)), mb.One("v"), mb.TF("A01", modulus, inverse), mb.Zero("n")]
    return drawn("turned", [*elements, mb.Se("u", (1.0, 1.0))], "drive>v v>A01.b n>A01.a u>n").model


TURN = ((0.8, -0.6), (0.6, 0.8))


def test_a_transformer_that_should_be_turned() -> None:
    """Flow is said to pass from a to b only, and comes from b: invert it, which its numbers allow."""
    model = backwards(TURN, "none")
    report = mb.causality(model)
    assert ("invert", "A01") in cures(report)
    model.remove("A01")
    model.add(mb.TF("A10", np.transpose(TURN), "none"))
    model.bond("v", "A10.a")
    model.bond("A10.b", "n")
    assert not mb.causality(model).conflicts


@pytest.mark.parametrize("modulus", [TURN, ((2.0, 1.0), (0.3, 1.0))])
def test_a_regular_matrix_is_driven_from_either_side(modulus: object) -> None:
    """Nothing is said about its inverse: no conflict, and the flow at a is that of the inverse."""
    model = backwards(modulus, "auto")
    report = mb.causality(model)
    assert not report.conflicts and not report.faults
    run = mb.simulate(model, 1.0)
    found = [run["u.f"](1.0)[k] for k in range(2)] if np.size(run["u.f"](1.0)) == 2 else run["u.f"](1.0)
    np.testing.assert_allclose(np.abs(found), np.abs(np.linalg.solve(modulus, (1.0, 0.0))), atol=1e-12)


def test_an_inverse_that_is_not_there_is_not_offered() -> None:
    """The modulus is square but singular."""
    report = mb.causality(backwards(((1.0, 2.0), (2.0, 4.0)), "none"))
    assert report.conflicts and not any(kind == "invert" for kind, _ in cures(report))


def test_one_component_of_a_vector() -> None:
    """Only the first component is given twice: split the bond."""
    elements = [mb.DirectSum("sum", 1, 1), mb.One("v"), mb.Sf("drive", 1.0), mb.R("r", 1.0), mb.One("a"), mb.One("b")]
    elements += [mb.Sf("wall", 0.0), mb.DirectSum("parts", 1, 1), mb.I("free", 1.0), mb.One("c"), mb.One("d")]
    bonds = (
        "drive>a a>sum.part_1 b>sum.part_2 b>r sum.whole>v v>parts.whole parts.part_1>c wall>c parts.part_2>d d>free"
    )
    report = mb.causality(drawn("vectors", elements, bonds).model)
    twice = {(conflict.bond, conflict.component) for conflict in report.conflicts}
    assert twice and all(k == 0 for _, k in twice)
    vector = {name for name, _ in twice} & {b.name for b in report.graph.bonds if b.size == 2}
    assert {path for kind, path in cures(report) if kind == "split"} == vector


def test_a_cure_cures() -> None:
    """A parasitic C and R in the named bond, and the machine runs."""
    elements = [mb.Sf("drive", 1.0), mb.Sf("wall", 0.0), mb.One("v"), mb.R("r", 1.0), mb.Zero("soft"), mb.One("p")]
    elements += [mb.C("c", 1e-2), mb.One("w")]
    model = drawn("cured", elements, "drive>v v>r v>soft soft>w wall>w soft>p p>c").model
    report = mb.causality(model)
    assert not report.conflicts and not report.faults and report.independent == 1


@pytest.mark.parametrize("seed", range(40))
def test_cures_of_random_graphs(seed: int) -> None:
    """Every conflict has culprits that are there, a cure at least, and each cure acts on something that is there."""
    report = mb.causality(model_of(random_plan(seed, most=35)))
    known = {*report.graph.elements, *(bond.name for bond in report.graph.bonds)}
    assert len(report.conflicts) == len(report.strokes.doubled)
    for conflict in report.conflicts:
        assert conflict.cures[0].kind == "parasitic" and set(conflict.culprits) <= set(report.graph.elements)
        assert conflict.culprits or conflict.finding.paths
        for cure in conflict.cures:
            assert cure.element in known and cure.kind in ("parasitic", "multiplier", "flip", "split", "invert")
            assert cure.kind == "parasitic" or repr(cure.element) in cure.text or cure.kind == "split"


def test_report_and_data() -> None:
    """The text names what is found; the data is JSON and says the same."""
    report = mb.causality(EXAMPLES["pendulum"]())
    text, data = report.report(), json.loads(json.dumps(report.to_dict()))
    assert (
        str(report) == text
        and "bar.mass: follows hinge.motion" in text
        and "2 of class 1" in text
        and "advised: auto" in text
    )
    assert data["derivative"] == {"bar.inertia": [0, 1, 2], "bar.mass": [0, 1, 2]}
    assert [path["class"] for path in data["zero_order_paths"]] == [1, 1]
    assert [form["index"] for form in data["index"]] == [2, 1]
    assert data["steps"][0]["text"] == str(report.steps[0])
    assert set(data["strokes"]) == {bond.name for bond in report.graph.bonds}
    lit = {tuple(bond) for path in data["zero_order_paths"] for bond in path["bonds"]}
    assert lit <= {(bond.name, k) for bond in report.graph.bonds for k in range(bond.size)}


def test_dependent_storages_say_what_they_follow() -> None:
    """And how they could lead: the wish that is offered does it."""
    model = drawn("coils", [mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.I("l2", 2.0)], "u>i i>l1 i>l2").model
    assert "l2: follows l1; flip: prefer={'l2': 'integral'}" in mb.causality(model).report()
    assert "l1: follows l2" in mb.causality(model, prefer={"l2": "integral"}).report()
    driven = drawn("driven", [mb.Sf("s", 1.0), mb.One("v"), mb.I("mass", 1.0)], "s>v v>mass").model
    assert "mass: follows what is given" in mb.causality(driven).report()


def test_a_multiplier_that_holds_all_there_is_names_what_it_holds() -> None:
    model = mb.Model("held")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(mb.Se("push", 1.0), v)
    model.bond(mb.Constraint("lock", size=1), v)
    assert mb.simulate(model, 1.0)["lock.e"](1.0) == -1.0
    with pytest.raises(StructureError, match="hold the flow of 'mass'"):
        mb.compile(model, prefer={"lock": "gives effort"})
