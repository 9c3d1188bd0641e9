"""Whatever is wired up: energy balances, powers balance at every junction, every depth agrees."""

from dataclasses import replace

import numpy as np
import pytest

import multibond as mb
from multibond.errors import CausalityError, StructureError

from .random_graphs import random_graph

SEEDS = range(40)
MANY = range(40, 300)


def run_or_refused(seed: int, depth: int = 2) -> mb.Run | None:
    """The run of a random graph from a random state; None where its wiring is refused, which is told by name."""
    print("seed", seed)
    model = random_graph(seed)
    try:
        system = mb.compile(model if depth == 2 else model.open(depth=depth))
    except (CausalityError, StructureError) as error:
        assert error.paths
        return None
    reduced = system.reduced
    if not (reduced.hidden_positions.numel() or reduced.hidden_flows.numel()):
        system = replace(system, x0=np.random.default_rng(seed).standard_normal(system.n))
    return mb.simulate(system, 1.0)


def balances(run: mb.Run) -> None:
    audit = run.energy()
    assert audit.residual < 1e-8 or abs(audit.imbalance) < 1e-12
    t = np.linspace(0, 1, 5)
    for bond_list in _junctions(run):
        total = sum(sign * _power(run, bond, t) for sign, bond in bond_list)
        scale = max(1.0, max(float(np.abs(_power(run, bond, t)).max()) for _, bond in bond_list))
        assert np.abs(total).max() < 1e-9 * scale


def _junctions(run: mb.Run) -> list:
    graph = run.system.dae.graph
    names = [path for path, item in graph.elements.items() if item.causality in ("one", "zero")]
    return [[(1 if b.into(j) else -1, b) for b in graph.bonds_of(j)] for j in names]


def _power(run: mb.Run, bond: object, t: np.ndarray) -> np.ndarray:
    """Power along a bond, read at whichever end has both effort and flow."""
    known = set(run.names)
    for end in (bond.tail, bond.head):  # type: ignore[attr-defined]
        base = end.element if end.port == "port" else f"{end.element}.{end.port}"
        if f"{base}.e" in known and f"{base}.f" in known:
            e, f = run[f"{base}.e"](t), run[f"{base}.f"](t)
            return (e * f).reshape(t.size, -1).sum(axis=1)
    e = run[f"{_of(run, bond, 'zero')}.e"](t) if _of(run, bond, "zero") else None
    f = run[f"{_of(run, bond, 'one')}.f"](t) if _of(run, bond, "one") else None
    return np.zeros(t.size) if e is None or f is None else (e * f).reshape(t.size, -1).sum(axis=1)


def _of(run: mb.Run, bond: object, kind: str) -> str | None:
    elements = run.system.dae.graph.elements
    ends = (bond.tail.element, bond.head.element)  # type: ignore[attr-defined]
    return next((e for e in ends if elements[e].causality == kind), None)


def _readable(run: mb.Run) -> bool:
    """Bonds between two junctions of one kind show only one of their variables; such graphs are left to the audit."""
    graph = run.system.dae.graph
    kinds = [(graph.elements[b.tail.element].causality, graph.elements[b.head.element].causality) for b in graph.bonds]
    return all(pair not in (("one", "one"), ("zero", "zero")) for pair in kinds)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graph_balances(seed: int) -> None:
    run = run_or_refused(seed)
    if run is not None and _readable(run):
        balances(run)
    elif run is not None:
        audit = run.energy()
        assert audit.residual < 1e-8 or abs(audit.imbalance) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graph_unfolds(seed: int) -> None:
    run = run_or_refused(seed)
    if run is None:
        return
    scalar = run_or_refused(seed, depth=3)
    assert scalar is not None
    assert scalar.system.n == run.system.n
    assert scalar.energy().residual < 1e-8 or abs(scalar.energy().imbalance) < 1e-12
    plain, unfolded = (mb.simulate(m, 1.0).energy() for m in (random_graph(seed), random_graph(seed).open(depth=3)))
    for name in ("kinetic", "elastic", "supplied", "dissipated"):
        assert abs(getattr(unfolded, name) - getattr(plain, name)) < 1e-7


@pytest.mark.slow
def test_many_random_graphs_balance() -> None:
    runs = [run for run in map(run_or_refused, MANY) if run is not None]
    assert len(runs) > 0.9 * len(MANY)
    audits = [run.energy() for run in runs]
    print("worst residual", max(audit.residual for audit in audits if audit.turnover > 1e-9))
    assert sum(audit.turnover > 1e-3 for audit in audits) > 0.9 * len(audits)
    for audit in audits:
        assert audit.residual < 1e-8 or abs(audit.imbalance) < 1e-12
