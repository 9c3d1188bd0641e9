"""Model → StateSpace: release the bodies, sort the fields, follow the junction structure, check the conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibond.equations.consistent import manifold, sample_states
from multibond.errors import StructureError, raise_findings
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.graph.opening import with_closed_formulas
from multibond.lower.system import System
from multibond.pipeline import as_graph, compile
from multibond.rewrite.floating import join_floating
from multibond.statespace.checks import check, split_motion
from multibond.statespace.convert import at_states
from multibond.statespace.release import release
from multibond.statespace.space import Condition, Entry, StateSpace
from multibond.statespace.structure import Ground, Structure, arrange, lay_ground
from multibond.structure.tree import span

NAMES = {"L": "R", "u1": "U1", "u2": "U2", "E": "EJS", "read": "reading"}


def statespace(model: Model | Graph, *, keep: Sequence[str] = ()) -> StateSpace:
    """State space equations and constraint forces of a model, in fields and junction structure (Wang, Tao & Liu).

    Bodies with mass and inertia move freely; the joints between them are held by unknown constraint efforts.
    keep: joints that keep their own coordinate instead; their motion needs an inertia at the flange.
    A condition of the formulae that fails is refused with its name and the elements concerned.

    >>> space = mb.statespace(crank); space.case; space.constraint_forces(space.x0)
    """
    plain = _compiled(model, keep)
    ground = lay_ground(release(with_closed_formulas(plain.dae.graph), plain.dae.tree, keep))
    points = _points(ground, plain)
    structure = arrange(ground, points)
    verdict = check(structure, points)
    raise_findings(StructureError, verdict.findings)
    order, independent, why = split_motion(structure, verdict, points)
    x0 = np.concatenate([points[0][1][order], points[0][2]])
    passed = tuple(Condition(name, True, fact) for name, fact in verdict.passed)
    entries = _entries(structure, order, independent, why)
    name = model.name if isinstance(model, Model) else "graph"
    return StateSpace(structure, order, independent, verdict.rank, verdict.case, entries, passed, x0, name)


def _compiled(model: Model | Graph, keep: Sequence[str]) -> System:
    """The compiled system, for start values; what it cannot do is told in the terms of the formulae where possible."""
    try:
        return compile(model, form="line")
    except StructureError as error:
        raise _own_fault(model, keep) or error from None


def _own_fault(model: Model | Graph, keep: Sequence[str]) -> StructureError | None:
    """The condition that fails, seen at a state of random numbers (positions need not fit together for that)."""
    graph = join_floating(as_graph(model))
    if graph.frames:
        return None
    rng = np.random.default_rng(12)
    try:
        ground = lay_ground(release(graph, span(graph), keep))
        sizes = (ground.X.numel(), ground.q.numel())
        points = [[0.3, *(rng.uniform(0.5, 1.5, n) for n in sizes), ground.p_values] for _ in range(4)]
        raise_findings(StructureError, check(arrange(ground, points), points).findings)
    except StructureError as found:
        return found
    return None


def _points(ground: Ground, plain: System) -> list[list]:
    """(t, X, q, p) at the start and at some other assembled states."""
    r = plain.reduced
    shape = manifold(plain.dae, r.whole, r.hidden_positions, r.hidden_flows)
    states = [plain.x0, *sample_states(plain.dae, shape, plain.x0, plain.parameters, 5)]
    found = at_states(ground, plain, np.zeros(len(states)), np.array(states))
    return [[0.0, X, q, ground.p_values] for X, q in found]


def _entries(structure: Structure, order: np.ndarray, independent: int, why: dict[int, str]) -> tuple[Entry, ...]:
    ground = structure.ground
    stored = [(m, name, k) for m in ground.of("i") for name, s in m.law.states.items() for k in range(s.numel())]
    found = []
    for place, number in enumerate(order):
        member, name, k = stored[number]
        field = "X_i1" if place < independent else "X_i2"
        reason = why.get(int(number), "independent motion: no constraint fixes its flow, given the others")
        found.append(Entry(field, member.path, k, name, f"{member.why}; {reason}"))
    for field, title in NAMES.items():
        for index in structure.index(field):
            member, k = structure.ports[index]
            gives = structure.gives[index]
            found.append(Entry(title, member.path, k, gives, member.why))
    return tuple(found)
