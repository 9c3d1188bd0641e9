"""Unfolding by Boudon's procedure (2017, Fig. 11): which junctions stand where, and that nothing changes by it."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import rewrite
from multibond.graph.graph import Graph
from multibond.rewrite.edit import number_of
from multibond.structure.causality import Causality, assign
from multibond.structure.tree import span

from .agreement import assert_same, assert_same_energies, run_of
from .machines import EXAMPLES, MACHINES, UNFOLDED, graph_of, reference

A = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def strokes_of(graph: Graph) -> Causality:
    return assign(graph, span(graph))


def turned(*, backwards: bool) -> Graph:
    """A rotation between a source of flow and a load, the source at its inlet or at its outlet."""
    model = mb.Model("turned", size=3)
    first, last = model.add(mb.One("first")), model.add(mb.One("last"))
    model.bond(first, model.add(mb.TF("A", A, "transpose")).a)
    model.bond("A.b", last)
    model.bond(mb.Sf("drive", (1.0, 2.0, -1.0)), last if backwards else first)
    model.bond(first if backwards else last, mb.R("loss", 0.5))
    return rewrite.unfolded(model)


@pytest.mark.parametrize("backwards", [False, True])
def test_junctions_of_both_forms(backwards: bool) -> None:
    """Flow-in: 1-junctions at the input, 0-junctions at the output. Effort-in: the other way round."""
    graph = turned(backwards=backwards)
    inputs = {type(graph.elements[f"A.in_{k}"]) for k in (1, 2, 3)}
    outputs = {type(graph.elements[f"A.out_{k}"]) for k in (1, 2, 3)}
    assert (inputs, outputs) == (({mb.Zero}, {mb.One}) if backwards else ({mb.One}, {mb.Zero}))
    assert sum(isinstance(item, mb.TF) for item in graph.elements.values()) == np.count_nonzero(A)


@pytest.mark.parametrize("backwards", [False, True])
def test_half_arrows_go_from_input_to_output(backwards: bool) -> None:
    graph = turned(backwards=backwards)
    heads = {b.head.element for k in (1, 2, 3) for b in graph.bonds_of(f"A.in_{k}") if b.tail.element == f"A.in_{k}"}
    tails = {b.tail.element for k in (1, 2, 3) for b in graph.bonds_of(f"A.out_{k}") if b.head.element == f"A.out_{k}"}
    assert heads == tails == {path for path, _ in graph.of_type(mb.TF)}


def test_moduli_of_the_effort_in_form_are_transposed() -> None:
    """Each scalar transformer is driven forwards; between input j and output i stands A[i, j], read from i to j."""
    graph = turned(backwards=True)
    strokes = strokes_of(graph)
    for path, item in graph.of_type(mb.TF):
        ends = {b.end(path).port: b.other(path).element for b in graph.bonds_of(path)}
        i, j = int(ends["a"].rpartition("_")[2]), int(ends["b"].rpartition("_")[2])
        assert (ends["a"], ends["b"]) == (f"A.out_{i}", f"A.in_{j}")
        assert float(number_of(graph, item.modulus).item()) == pytest.approx(A[i - 1, j - 1])
        inlet = next(b for b in graph.bonds_of(path) if b.end(path).port == "a")
        assert not strokes.gives_flow(inlet, path)


def test_a_diagonal_falls_apart() -> None:
    model = mb.Model("diagonal", size=2)
    one, two = model.add(mb.One("one")), model.add(mb.One("two"))
    model.bond(one, model.add(mb.TF("D", (2.0, -0.5))).a)
    model.bond("D.b", two)
    model.bond(one, mb.I("mass", 1.0, start=(1.0, 0.5)))
    model.bond(two, mb.R("loss", 0.5))
    graph = rewrite.unfolded(model)
    assert {path for path, _ in graph.of_type(mb.TF)} == {"D.11", "D.22"}
    assert not any(path.startswith("D.in") for path in graph.elements)


@pytest.mark.parametrize("inertia", [(0.3, 0.5, 0.9), [[0.5, 0.1, 0.0], [0.1, 0.4, -0.05], [0.0, -0.05, 0.3]]])
def test_ring_of_gyrators(inertia: object) -> None:
    """Moduli are the angular momenta h = J ω, also of a full tensor, whose inertia stays one field."""
    model = mb.Model("top", size=3)
    w = model.add(mb.One("w"))
    model.bond(w, mb.I("rotor", inertia, start=(0.3, -0.2, 0.5)))
    model.bond(w, mb.EulerGyrator("gyroscopic", inertia))
    graph = rewrite.unfolded(model)
    ring = [path for path, _ in graph.of_type(mb.MGY)]
    assert ring == ["gyroscopic.h_1", "gyroscopic.h_2", "gyroscopic.h_3"]
    run = mb.simulate(graph, 0.5)
    speed = np.array([run[f"gyroscopic.w_{k}.value"](0.3) for k in (1, 2, 3)])
    tensor = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
    momentum = [run[f"gyroscopic.momentum.out_{k}"](0.3) for k in (1, 2, 3)]
    np.testing.assert_allclose(momentum, tensor @ speed, rtol=1e-12)
    assert sum(isinstance(item, mb.I) for item in graph.elements.values()) == (3 if np.ndim(inertia) == 1 else 1)


@pytest.mark.parametrize("name", ["pendulum", "heavy top", "disc", "rate gyro", "slider crank"])
def test_causality_is_kept(name: str) -> None:
    """Every one-port has the same strokes, component by component, before and after."""
    whole, scalar = graph_of(name), graph_of(f"{name}, unfolded")
    before, after = strokes_of(whole), strokes_of(scalar)
    seen = 0
    for path in whole.elements:
        for bond in whole.bonds_of(path) if len(whole.bonds_of(path)) == 1 else ():
            for k in range(bond.size):
                lane = path if bond.size == 1 or path in scalar.elements else f"{path}.{k + 1}"
                bonds = sorted(scalar.bonds_of(lane), key=lambda b: b.end(lane).port)
                one = bonds[k] if path in scalar.elements and bond.size > 1 else bonds[0]
                if lane in scalar.elements and not isinstance(whole.elements[path], mb.EulerGyrator):
                    assert after.gives_flow(one, lane) == before.gives_flow(bond, path, k), lane
                    seen += 1
    assert seen >= 6


@pytest.mark.parametrize("name", [n for n in UNFOLDED if n not in ("slider crank", "four bar")])
def test_original_unfolded_and_rewritten_agree(name: str) -> None:
    """Energies of all; every variable of the unfolded graph and of what became of it by merging and dropping."""
    until = EXAMPLES[name][1]
    simple = rewrite.unfolded(graph_of(name), simple=True)
    assert len(simple.elements) < 0.9 * len(graph_of(f"{name}, unfolded").elements)
    run = run_of(simple, until)
    assert_same(reference(f"{name}, unfolded"), run, least=30)
    assert_same_energies(reference(name), run)
    assert_same_energies(reference(name), run_of(rewrite.simplify(graph_of(name)).after, until))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slider crank", "four bar"])
def test_unfolded_loops_agree(name: str) -> None:
    simple = rewrite.unfolded(graph_of(name), simple=True)
    assert_same(reference(f"{name}, unfolded"), run_of(simple, MACHINES[name][1]), least=100)
    assert_same_energies(reference(name), reference(f"{name}, unfolded"))
