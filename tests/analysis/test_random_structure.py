"""Fifty random linear graphs: what their structure tells equals numeric ranks at random parameters, found in two ways.

One way are all laws as one dense system without causality (`numeric.Driven`), the other the linearised compiled system
with run-time inputs. Generic means here: for almost all parameters, each number of an element independent of all
others; that is what random parameters show. The shortest causal path is only a bound, since paths may cancel.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.laws.descriptor import singular
from tests.laws.random_graphs import model_of

import multibond as mb
from multibond.errors import StructureError

from .numeric import Driven, linearised, markov_order, staircase
from .plans import Case, random_case, steered

GRAPHS = 50
NEAR, FAR = 1e3 + 3e3j, 1.7e3 + 5.1e3j
"""Two high frequencies, between which the gain falls by its relative order."""


def cases() -> list[Case]:
    """The first fifty graphs that determine their motion."""
    found: list[Case] = []
    seed = 0
    while len(found) < GRAPHS:
        case = random_case(seed)
        found += [] if singular(case.plan) else [case]
        seed += 1
    return found


CASES = cases()


def rows_of(laws: Driven, case: Case) -> np.ndarray:
    """The rows that read the outputs, one for each component."""
    sizes = {spec.name: spec.size for spec in case.plan.specs}
    return np.array([laws.reading(name, what, k) for name, what in case.outputs for k in range(sizes[name])])


def slopes(laws: Driven, rows: np.ndarray) -> list[float | None]:
    """For every output and input how fast the gain falls at high frequencies; None where there is no gain at all."""
    near, far, middle = (np.abs(laws.transfer(rows, s)) for s in (NEAR, FAR, 1.3 + 0.4j))
    silent = (middle < 1e-11) & (near < 1e-11)
    fall = -np.log(np.where(silent, 1.0, far / np.where(near == 0, 1, near))) / np.log(abs(FAR / NEAR))
    return [None if quiet else float(f) for quiet, f in zip(silent.ravel(), fall.ravel(), strict=True)]


def same(order: int | None, slope: float | None) -> bool:
    """Whether a relative order is the numeric one."""
    return order is None if slope is None else order is not None and abs(order - slope) < 0.05


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"seed{case.seed}")
def test_structure_equals_numeric_ranks(case: Case) -> None:
    print("seed", case.seed)
    told = mb.analyse(model_of(case.plan), inputs=case.inputs, outputs=case.output_names)
    laws = Driven(case.plan, case.inputs)
    rows = rows_of(laws, case)
    A, B, C = laws.finite(rows)
    assert told.order == len(A)
    assert told.reachable == staircase(A, B)
    assert told.visible == staircase(A.conj().T, C.conj().T)
    assert told.rank == rank(A)
    assert told.rank_with_inputs == rank(np.hstack([A, B]))
    assert told.rank_with_outputs == rank(np.vstack([A, C]))
    assert all(same(p.order, slope) for p, slope in zip(told.pairs, slopes(laws, rows), strict=True))


def rank(matrix: np.ndarray) -> int:
    """The numeric rank."""
    return int(np.linalg.matrix_rank(matrix, tol=1e-8)) if matrix.size else 0


@pytest.mark.slow
def test_structure_equals_the_compiled_system() -> None:
    """Where no input has to be differentiated, the compiled system is x' = A x + B u, y = C x + D u."""
    tally: Counter[str] = Counter()
    for case in CASES:
        print("seed", case.seed)
        told = mb.analyse(model_of(case.plan), inputs=case.inputs, outputs=case.output_names)
        try:
            A, B, C, D = linearised(steered(case), [f"{name}-in" for name in case.inputs], case.output_names)
        except StructureError as refused:
            assert "rate" in str(refused) or "derivative" in str(refused)
            tally["an input would have to be differentiated"] += 1
            continue
        assert (told.order, told.reachable, told.visible) == (len(A), staircase(A, B), staircase(A.T, C.T))
        assert [p.order for p in told.pairs] == [k for row in markov_order(A, B, C, D) for k in row]
        tally["compared"] += 1
    print(dict(tally))
    assert tally["compared"] >= 25


def test_the_fifty_graphs_are_various() -> None:
    tally: Counter[str] = Counter()
    for case in CASES:
        told = mb.analyse(model_of(case.plan), inputs=case.inputs, outputs=case.output_names)
        tally["controllable"] += told.controllable
        tally["observable"] += told.observable
        tally["storages that stay integral"] += told.rank < told.order
        tally["vectors"] += any(spec.size > 1 for spec in case.plan.specs)
        for p in told.pairs:
            tally[f"relative order {p.order}"] += 1
            tally["pairs whose shortest path has the relative order"] += p.order == p.path_order
    print(dict(sorted(tally.items())))
    for name in ("controllable", "observable", "storages that stay integral"):
        assert 10 <= tally[name] <= 40, name
    assert tally["vectors"] > 25
    assert all(tally[f"relative order {k}"] for k in (None, 0, 1, 2))
