"""Couplers with a constant matrix take strokes component by component: by hand, against closed forms, unfolded."""

from __future__ import annotations

import numpy as np
import pytest
from tests.laws.descriptor import solve
from tests.laws.random_graphs import model_of, random_plan

import multibond as mb
from multibond.graph.graph import Graph
from multibond.pipeline import as_graph
from multibond.rewrite.floating import join_floating
from multibond.rewrite.unfold import unfold
from multibond.structure.causality import Causality, assign
from multibond.structure.pivots import Pivots
from multibond.structure.tree import span

from .drawn import check, drawn

# -- bases -------------------------------------------------------------------------------------------------------------

MODULI = {
    "square": np.array([[2.0, 1.0], [0.3, 1.0]]),
    "wide": np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]),
    "tall": np.array([[1.0], [2.0], [0.0]]),
    "of rank 1": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "in small units": np.array([[1e-12, 3.0], [2e-12, 5.0]]),
    "zero": np.zeros((2, 2)),
}


def subsets(things: tuple) -> list[tuple]:
    return [tuple(x for i, x in enumerate(things) if code >> i & 1) for code in range(2 ** len(things))]


@pytest.mark.parametrize("name", MODULI)
def test_bases_are_those_of_the_identity_beside_the_modulus(name: str) -> None:
    """Every subset of lanes against the determinant of the columns of [1, B], each column scaled to one."""
    B = MODULI[name]
    pivots = Pivots(B, "b", "a", "flow")
    size = np.abs(B).max(axis=0)
    columns = np.hstack([np.eye(len(B)), B / np.where(size > 0, size, 1.0)])
    for chosen in subsets(tuple(range(len(pivots.lanes)))):
        square = len(chosen) == len(B)
        regular = square and abs(np.linalg.det(columns[:, list(chosen)])) > 1e-9
        assert pivots.is_base([pivots.lanes[k] for k in chosen]) == regular


# -- by hand -----------------------------------------------------------------------------------------------------------


def test_one_row_with_flows_from_both_sides() -> None:
    """f_b = f_1 + 2 f_2 with f_b and f_2 given: the transformer is solved for f_1, so the resistor takes its flow.

    With the mass m behind component 2 and the resistor r before component 1: m v' = 2 r (f_b - 2 v), from rest.
    """
    elements = [mb.Sf("drive", 0.6), mb.One("w"), mb.TF("sum", [[1.0, 2.0]]), mb.DirectSum("lanes", 1, 1)]
    elements += [mb.One("v1"), mb.One("v2"), mb.R("r", 0.5), mb.I("mass", 2.0, start=0.0)]
    bonds = "drive>w:t sum.b>w:h lanes.whole>sum.a:ht v1>lanes.part_1:h v2>lanes.part_2:t v1>r:t v2>mass:h"
    graph = drawn("row", elements, bonds)
    report = check(graph, late={}, index=(0, 0), independent=1)
    assert report.mixed == ("lanes->sum",)
    run, t = mb.simulate(graph.model, 3.0), np.linspace(0.0, 3.0, 40)
    np.testing.assert_allclose(run["mass.f"](t), 0.3 * (1 - np.exp(-4 * 0.5 / 2.0 * t)), atol=1e-9)
    np.testing.assert_allclose(np.abs(run["r.f"](t)), 0.6 * np.exp(-4 * 0.5 / 2.0 * t), atol=1e-9)


def test_a_gyrator_of_two_columns() -> None:
    """e_a = 3 f_1 + 4 f_2 with e_a = 2 and f_2 = -0.25 given (its half-arrow points in): solved for f_1 = 1."""
    elements = [mb.Se("u", 2.0), mb.One("i"), mb.GY("turn", [[3.0, 4.0]]), mb.DirectSum("lanes", 1, 1), mb.Zero("n")]
    elements += [mb.C("spring", 0.5, start=0.0), mb.One("v"), mb.Sf("drive", 0.25)]
    bonds = "u>i:h i>turn.a:h turn.b>lanes.whole:th lanes.part_1>n:t v>lanes.part_2:t n>spring:t drive>v:t"
    graph = drawn("turned", elements, bonds)
    check(graph, late={}, independent=1)
    run = mb.simulate(graph.model, 1.0)
    assert run["spring.f"](0.7) == pytest.approx(1.0, abs=1e-12)
    assert run["spring.e"](0.7) == pytest.approx(0.7 / 0.5, abs=1e-9)
    assert run["u.f"](0.7) == pytest.approx(0.7 / 0.5 / 3.0, abs=1e-9)


def test_reasons_of_a_matrix() -> None:
    """A stroke that follows from others names the modulus; one that its zeros force comes from the modulus alone."""
    elements = [mb.Sf("drive", (1.0, 2.0)), mb.One("w"), mb.TF("mix", MODULI["square"]), mb.One("v"), mb.R("r", 1.0)]
    report = mb.causality(drawn("mixed", elements, "drive>w mix.b>w v>mix.a v>r").model)
    told = [str(step) for step in report.why("v->mix")]
    assert told[-1].endswith("TF 'mix' gives the flow, the only one that its modulus can be solved for besides.")
    assert [step.split()[2] for step in told] == ["'drive->w':", "'mix->w':", "'v->mix':"]
    zeros = [mb.TF("mix", [[0.0, 0.0], [0.0, 1.0]]), mb.One("v"), mb.R("r", 1.0), mb.One("w"), mb.R("load", 1.0)]
    loose = mb.causality(drawn("loose", zeros, "mix.b>w v>mix.a v>r w>load").model)
    assert any("the modulus of TF 'mix' leaves no other way" in str(step) for step in loose.steps)


# -- parameters that change --------------------------------------------------------------------------------------------


def loaded(modulus: object) -> mb.Model:
    """A mass behind a matrix with a resistor before it: the mass gives both flows at b."""
    elements = [mb.I("mass", 1.0, start=(1.0, 2.0)), mb.One("w"), mb.TF("mix", modulus), mb.One("v"), mb.R("r", 1.0)]
    return drawn("loaded", elements, "w>mass mix.b>w v>mix.a v>r").model


def test_a_block_that_becomes_singular_is_compiled_again() -> None:
    """v_b' = -(B Bᵀ)⁻¹ v_b as long as B is regular; with a B of rank 1 the mass is bound to its range."""
    system = mb.compile(loaded(MODULI["square"]))
    other = [[1.0, 2.0], [3.0, 1.0]]
    same = mb.with_parameters(system, {"mix.modulus": other})
    assert same.code is system.code
    for made, B in ((system, MODULI["square"]), (same, np.array(other))):
        rates, vectors = np.linalg.eigh(np.linalg.inv(B @ B.T))
        expected = vectors @ (np.exp(-rates * 0.8) * (vectors.T @ (1.0, 2.0)))
        np.testing.assert_allclose(mb.simulate(made, 0.8)["mass.f"](0.8), expected, atol=1e-9)
    singular = mb.with_parameters(system, {"mix.modulus": MODULI["of rank 1"]})
    assert singular.code is not system.code
    found = mb.simulate(singular, 0.8)["mass.f"](0.8)
    np.testing.assert_allclose(found, np.exp(-0.8 / 25.0) * np.array([1.0, 2.0]), atol=1e-9)


# -- unfolded ----------------------------------------------------------------------------------------------------------


def lane_of(graph: Graph, path: str, k: int, size: int) -> tuple:
    """The bond and element of a component after unfolding."""
    if path in graph.elements:
        return sorted(graph.bonds_of(path), key=lambda b: b.end(path).port)[k], path
    name = f"{path}.{k + 1}"
    return graph.bonds_of(name)[0], name


@pytest.mark.parametrize("seed", range(20))
def test_unfolding_keeps_the_strokes_of_random_graphs(seed: int) -> None:
    """Every component of every element that closes a bond has its stroke where it was, and none is given twice."""
    plan = random_plan(seed, most=40)
    if solve(plan) is None:
        return
    graph = join_floating(as_graph(model_of(plan)))
    before: Causality = assign(graph, span(graph))
    scalar = unfold(graph, before)
    after = assign(scalar, span(scalar))
    assert not after.doubled
    for path, item in graph.elements.items():
        bonds = graph.bonds_of(path)
        if len(bonds) == 1 and item.causality not in ("one", "zero"):
            for k in range(bonds[0].size):
                bond, name = lane_of(scalar, path, k, bonds[0].size)
                assert after.gives_flow(bond, name) == before.gives_flow(bonds[0], path, k), name
