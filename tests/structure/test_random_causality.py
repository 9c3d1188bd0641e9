"""Strokes of random graphs: complete, by the rules, the same in any order of drawing, with the right number of states.

Which number of storages is independent is computed a second time without causality: all laws as one linear system
M w = N x (`descriptor`), whose left null space tells the conditions that bind the storages x.

On every graph that is not singular no stroke is given from both ends, and the number of storage components in integral
causality is the rank, whatever the moduli of the couplers: numbers, diagonals, full, not square, of too low a rank. A
matrix coupler gives a base of its modulus, which the test sees in the determinant of the block that is inverted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.laws.descriptor import Laws, rank_of, solve, split
from tests.laws.random_graphs import Plan, Spec, model_of, one_way, random_plan

import multibond as mb
from multibond.graph.graph import Bond
from multibond.view.causality_report import CausalReport

from .drawn import pencil_index

FEW, MANY = range(25), range(1000, 1500)


def numeric_rank(plan: Plan) -> int:
    """Storage components less the independent conditions on them, from the numbers alone."""
    laws = Laws(plan)
    conditions = (split(laws.M)[2].T @ laws.N)[:, : len(laws.names)]
    bound = rank_of(np.linalg.svd(conditions, compute_uv=False)) if conditions.size else 0
    return len(laws.names) - bound


def by_component(plan: Plan) -> Plan:
    """The same graph with diagonal couplers in the place of square matrices; others keep their matrix."""
    specs = []
    for spec in plan.specs:
        square = spec.kind in ("TF", "GY") and spec.form == "full" and len(set(np.shape(spec.value))) == 1
        specs.append(replace(spec, value=np.sign(np.diag(spec.value)) + np.diag(spec.value)) if square else spec)
    return Plan(specs, plan.wires)


def whole(spec: Spec) -> bool:
    """Whether the modulus of a coupler is a matrix of more than one entry."""
    return spec.kind in ("TF", "GY") and spec.form == "full" and np.size(spec.value) > 1


def is_a_base(spec: Spec, given: dict[tuple[str, int], bool]) -> bool:
    """Whether a matrix coupler can be solved for what it gives: the block of its modulus in between is regular.

    TF: rows at b whose flow comes in, columns at a whose flow goes out. GY: rows at a and columns at b whose flow goes
    out, as they take efforts.
    """
    B = spec.matrix()
    row, column = ("b", "a") if spec.kind == "TF" else ("a", "b")
    rows = [k for k in range(B.shape[0]) if given[row, k] == (spec.kind == "GY")]
    columns = [k for k in range(B.shape[1]) if given[column, k]]
    return len(rows) == len(columns) and abs(np.linalg.det(B[np.ix_(rows, columns)])) > 1e-9


# -- every stroke keeps the rules --------------------------------------------------------------------------------------


def flows(report: CausalReport, path: str) -> dict[tuple[str, int], tuple[Bond, bool]]:
    """By port (at junctions: bond) and component of an element: the bond, and whether the element gives the flow."""
    found = {}
    for bond in report.graph.bonds_of(path):
        port = bond.end(path).port
        for k in range(bond.size):
            key = (bond.name if port == "any" else port, k)
            found[key] = (bond, report.strokes.gives_flow(bond, path, k))
    return found


def keeps_the_rule(report: CausalReport, spec: Spec) -> bool:
    """The golden table, element by element. A component given from both ends keeps it at either."""
    given = {key: gives for key, (_, gives) in flows(report, spec.name).items()}
    lanes = range(spec.size)
    if spec.kind == "One":
        return all(sum(not g for (_, k), g in given.items() if k == lane) == 1 for lane in lanes)
    if spec.kind == "Zero":
        return all(sum(g for (_, k), g in given.items() if k == lane) == 1 for lane in lanes)
    if spec.kind in ("Se", "Sf"):
        return all(g == (spec.kind == "Sf") for g in given.values())
    if whole(spec):
        return is_a_base(spec, given)
    if spec.kind in ("TF", "GY"):
        return all((given["a", k] == given["b", k]) == (spec.kind == "GY") for k in lanes)
    if spec.kind == "Sum":
        parts = [given[f"part_{i + 1}", k] for i, n in enumerate(spec.parts) for k in range(n)]
        return all(part != given["whole", k] for k, part in enumerate(parts))
    return set(given.values()) <= {True, False}


def complete(report: CausalReport) -> bool:
    """Whether every component of every bond has its stroke at one of the two ends."""
    sizes = {b.name: b.size for b in report.graph.bonds}
    strokes = report.strokes.flow_from
    return strokes.keys() == sizes.keys() and all(
        len(sides) == sizes[name] and set(sides) <= {1, 2} for name, sides in strokes.items()
    )


# -- the order of drawing ----------------------------------------------------------------------------------------------


def shuffled(plan: Plan, seed: int) -> Plan:
    """The same graph drawn in another order."""
    rng = np.random.default_rng(seed)
    specs = [plan.specs[int(k)] for k in rng.permutation(len(plan.specs))]
    return Plan(specs, [plan.wires[int(k)] for k in rng.permutation(len(plan.wires))])


def picture(report: CausalReport) -> Counter[tuple]:
    """All strokes, by what stands at the ends of each bond (parallel bonds have no names of their own)."""
    doubled = report.strokes.doubled
    found: Counter[tuple] = Counter()
    for b in report.graph.bonds:
        twice = tuple(doubled.get((b.name, k), "") for k in range(b.size))
        found[b.tail, b.head, report.strokes.flow_from[b.name], twice] += 1
    return found


# -- all together ------------------------------------------------------------------------------------------------------


def check(plan: Plan, seed: int, tally: Counter[str]) -> None:
    """One graph: complete, by the rules, the same in another order, and the right number of states."""
    print("seed", seed)
    report = mb.causality(model_of(plan))
    assert complete(report)
    for spec in plan.specs:
        assert keeps_the_rule(report, spec), spec.name
    again = mb.causality(model_of(shuffled(plan, seed)))
    assert picture(again) == picture(report) and again.dependent == report.dependent
    tally["graphs"] += 1
    if solve(plan) is None:
        tally["singular"] += 1
        return
    rank, components = numeric_rank(plan), len(Laws(plan).names)
    integral = components - sum(len(lanes) for _, lanes in report.dependent)
    assert integral == rank and not report.strokes.doubled
    assert report.independent == rank
    tally["with matrix couplers"] += any(whole(spec) for spec in plan.specs)
    tally["flow against a matrix"] += any(whole(spec) and against(report, spec) for spec in plan.specs)
    tally["dependent storages"] += rank < components
    tally["with class 4"] += bool(report.of_class(4))


def against(report: CausalReport, spec: Spec) -> bool:
    """Whether some component of a matrix coupler is not driven as its law is written."""
    given = {key: gives for key, (_, gives) in flows(report, spec.name).items()}
    return any(g != (spec.kind == "TF" and port == "b") for (port, _), g in given.items())


@pytest.mark.parametrize("seed", FEW)
def test_random_graph(seed: int) -> None:
    check(random_plan(seed, most=40), seed, Counter())


@pytest.mark.parametrize("seed", FEW)
def test_random_graph_with_couplers_by_component(seed: int) -> None:
    check(by_component(random_plan(seed, most=40)), seed, Counter())


@pytest.mark.parametrize("seed", FEW)
def test_random_graph_with_one_way_transformers(seed: int) -> None:
    """Declared so, they may force strokes from both ends and storages into derivative causality that are states yet.

    The rank is then the number of integral components, less the doubled ones, plus the number of disjoint algebraic
    paths from what these leave free back to what they need (`structure.independent`).
    """
    plan = one_way(random_plan(seed, most=40))
    report = mb.causality(model_of(plan))
    assert complete(report)
    for spec in plan.specs:
        if spec.one_way:
            assert all(gives == (port == "b") for (port, _), (_, gives) in flows(report, spec.name).items())
        else:
            assert keeps_the_rule(report, spec), spec.name
    if solve(plan) is not None:
        assert report.independent == numeric_rank(plan)


@pytest.mark.parametrize("seed", FEW)
def test_index_is_that_of_the_pencil(seed: int) -> None:
    """Index 2 where storages bind one another, else 1 or 0, against the matrix pencil of all laws."""
    plan = random_plan(seed, most=25)
    if solve(plan) is None:
        return
    report = mb.causality(model_of(plan))
    assert max(report.index[0].index, 1) == pencil_index(plan)
    assert (report.index[0].index == 2) == (report.independent < len(Laws(plan).names))


@pytest.mark.slow
def test_five_hundred_random_graphs() -> None:
    tally: Counter[str] = Counter()
    for seed in MANY:
        check(random_plan(seed) if seed % 2 else by_component(random_plan(seed)), seed, tally)
    for name, number in sorted(tally.items()):
        print(f"{number:6d} {name}")
    assert tally["graphs"] == len(MANY)
    assert tally["singular"] < 0.25 * len(MANY)
    for name, share in (("with matrix couplers", 0.5), ("flow against a matrix", 0.4), ("dependent storages", 0.4)):
        assert tally[name] > share * len(MANY), name
