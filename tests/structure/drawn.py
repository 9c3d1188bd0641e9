"""Small graphs in one line, with strokes that were derived by hand: `u>i:h` is a bond from u to i, stroke at its head.

After the colon stands one letter for each component: `h` for a stroke at the head, `t` for one at the tail.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.laws.descriptor import Laws
from tests.laws.random_graphs import Plan, Spec, Wire

import multibond as mb
from multibond.graph.graph import Bond, End
from multibond.view.causality_report import CausalReport


@dataclass(frozen=True)
class Drawn:
    """A model and the strokes expected of it."""

    model: mb.Model
    strokes: dict[tuple[str, str], str] = field(default_factory=dict)


def drawn(name: str, elements: list[Any], bonds: str) -> Drawn:
    """Put a model together: elements, and bonds such as "u>i:h i>gear.a:t"."""
    model, strokes = mb.Model(name), {}
    for item in elements:
        model.add(item)
    for word in bonds.split():
        ends, _, letters = word.partition(":")
        tail, head = ends.split(">")
        model.bond(tail, head, size=len(letters) or None)
        if letters:
            strokes[tail.partition(".")[0], head.partition(".")[0]] = letters
    return Drawn(model, strokes)


def strokes_of(report: CausalReport) -> dict[tuple[str, str], str]:
    """The strokes found, in the same letters; for graphs with one bond at most between two elements."""
    found = {}
    for bond in report.graph.bonds:
        sides = (report.stroke(bond.name, k) == bond.head.element for k in range(bond.size))
        found[bond.tail.element, bond.head.element] = "".join("h" if head else "t" for head in sides)
    return found


def check(
    graph: Drawn,
    *,
    late: dict[str, tuple[int, ...]] | None = None,
    classes: dict[int, int] | None = None,
    ends: dict[int, set[tuple[str, ...]]] | None = None,
    index: tuple[int, ...] | None = None,
    independent: int | None = None,
    **about: Any,
) -> CausalReport:
    """Compare everything found with what was derived by hand; classes without an entry must be empty."""
    report = mb.causality(graph.model, **about)
    print(report.report())
    found = strokes_of(report)
    assert {ends: found[ends] for ends in graph.strokes} == graph.strokes
    assert dict(report.dependent) == (late or {})
    assert dict(Counter(path.number for path in report.zero_order_paths)) == (classes or {})
    for number, wanted in (ends or {}).items():
        assert {path.ends for path in report.of_class(number)} == wanted
    if index is not None:
        assert tuple(form.index for form in report.index) == index
        assert not index or max(index[-2:][0], 1) == pencil_index(plan_of(graph.model))
    if independent is not None:
        assert report.independent == independent
    for path in report.zero_order_paths:
        closed(report, path)
    return report


def closed(report: CausalReport, path: Any) -> None:
    """A path is closed, its links are links of the causal graph, and no integration is left over."""
    known = set(report.signals.links)
    assert all(link in known for link in path.links)
    assert all(a.target == b.source for a, b in zip(path.links, (*path.links[1:], path.links[0]), strict=True))
    assert sum(link.order for link in path.links) == 0
    assert path.loop == {1: "flat", 2: "flat", 3: "open", 4: "closed"}[path.number] or report.graph.signals


# -- a second opinion on the index ---------------------------------------------------------------------------------


def plan_of(model: mb.Model) -> Plan:
    """A linear model as plain data, for the descriptor system of the random graphs."""
    graph = mb.expand(model)
    return Plan([_spec(path, model, graph.bonds_of(path)) for path in graph.elements], [_wire(b) for b in graph.bonds])


def _spec(path: str, model: mb.Model, bonds: tuple[Bond, ...]) -> Spec:
    item: Any = next(c for c in model.components if c.name == path)
    kind, size = type(item).__name__, max(b.size for b in bonds)
    if kind == "DirectSum":
        return Spec("Sum", path, size, parts=item.parts())
    if kind == "Constraint":
        return Spec("Sf", path, size)
    names = {"R": "resistance", "C": "compliance", "I": "inertia", "TF": "modulus", "GY": "modulus"}
    value = getattr(item, names[kind]) if kind in names else 1.0
    return Spec(kind, path, size, np.asarray(value), waves=kind in ("Se", "Sf"))


def _wire(bond: Bond) -> Wire:
    def port(end: End) -> str:
        return "" if end.port in ("any", "port") else end.port

    return Wire(bond.tail.element, port(bond.tail), bond.head.element, port(bond.head), bond.size)


def pencil_index(plan: Plan) -> int:
    """The index of nilpotency of the pencil of all laws together, without any causality: E z' = A z, z = (x, w).

    With a regular λE - A it is the least k at which the powers of (λE - A)⁻¹ E stop losing rank; never below 1 here, as
    efforts and flows are algebraic.
    """
    laws = Laws(plan)
    n, m = laws.nx, len(laws.M)
    E, A = np.zeros((n + m, n + m)), np.block([[laws.K, laws.S], [laws.N, -laws.M]])
    E[:n, :n] = np.eye(n)
    power = step = np.linalg.solve(0.7 * E - A, E)
    ranks = [n + m]
    while not ranks[1:] or ranks[-1] < ranks[-2]:
        ranks.append(int(np.linalg.matrix_rank(power, tol=1e-9 * np.abs(power).max())))
        power = power @ step
    return len(ranks) - 2
