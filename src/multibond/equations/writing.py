"""From an element and its causality to explicit assignments for the variables it gives.

Every bond has an effort and a flow, every signal a value. Each of their components is given by exactly one element:
by its law solved for what it gives (`write_element`), or by a junction (`write_junction`, `write_wires`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.equations.eliminate import factor
from multibond.errors import CausalityError, Finding
from multibond.expr import SX, Function, column, nonzeros, section, solve_linear
from multibond.graph.component import Element
from multibond.graph.graph import Bond
from multibond.graph.junctions import Wires
from multibond.graph.port import PowerPort, SignalPort


@dataclass(frozen=True)
class Implicit:
    """Unknowns that no assignment gives, the relations that must vanish instead, whose they are and their name."""

    path: str
    name: str
    unknown: SX
    relation: SX


@dataclass
class Sheet:
    """Symbols of a cell and the assignments written for them."""

    effort: dict[str, SX]
    flow: dict[str, SX]
    signal: dict[str, SX]
    giver: dict[str, list[str]]
    """By bond name: for each component the element that gives the flow."""
    doubled: dict[tuple[str, int], str] = field(default_factory=dict)
    """Components that both ends give, and what: "flow" or "effort"."""
    at_head: dict[str, tuple[SX, SX]] = field(default_factory=dict)
    """Effort and flow of bonds with such components, as their head sees them."""

    numbers: dict[str, float] = field(default_factory=dict)
    """Parameters by the names of their symbols, to see where a matrix cannot be inverted."""
    variables: list[SX] = field(default_factory=list)
    definitions: list[SX] = field(default_factory=list)
    implicit: list[Implicit] = field(default_factory=list)
    """Laws that are not linear in what the element gives, and bonds that both ends drive."""
    energy: dict[str, SX] = field(default_factory=dict)
    unread: dict[str, SX] = field(default_factory=dict)
    """Signals that an element could give and nobody reads."""

    def assign(self, variable: SX, definition: SX) -> None:
        """Say what gives a variable."""
        self.variables.append(variable)
        self.definitions.append(ca.densify(definition))

    def gives_flow(self, bond: Bond, element: str, k: int) -> bool:
        """Whether the element gives the flow on component k."""
        if (bond.name, k) in self.doubled:
            return self.doubled[bond.name, k] == "flow"
        return self.giver[bond.name][k] == element

    def e(self, bond: Bond, element: str) -> SX:
        """The effort of a bond at one of its ends."""
        own = bond.name in self.at_head and bond.head.element == element
        return self.at_head[bond.name][0] if own else self.effort[bond.name]

    def f(self, bond: Bond, element: str) -> SX:
        """The flow of a bond at one of its ends."""
        own = bond.name in self.at_head and bond.head.element == element
        return self.at_head[bond.name][1] if own else self.flow[bond.name]

    def double(self, bond: Bond, k: int, what: str) -> None:
        """Let both ends give the effort or flow of a component: the other one is unknown, that they agree a law."""
        self.doubled[bond.name, k] = what
        e, f = self.effort[bond.name], self.flow[bond.name]
        seen = [SX(v) for v in self.at_head.get(bond.name, (e, f))]
        twin = SX.sym(f"{what}@{bond.name}#{k}")
        seen[what == "flow"][k] = twin
        self.at_head[bond.name] = (seen[0], seen[1])
        unknown, given = (e, f) if what == "flow" else (f, e)
        self.implicit.append(Implicit(bond.tail.element, "twice", unknown[k], given[k] - twin))


def port_sign(element: str, item: Element, bond: Bond) -> int:
    """+1 where the half-arrow agrees with the port's own direction."""
    port = next(p for p in item.ports() if isinstance(p, PowerPort) and p.name == bond.end(element).port)
    return 1 if bond.into(element) == port.inward else -1


def write_junction(sheet: Sheet, path: str, one: bool, bonds: list[Bond]) -> None:
    """One: common flow, efforts balance. Zero: common effort, flows balance. Component by component."""
    common, balanced = (sheet.f, sheet.e) if one else (sheet.e, sheet.f)
    for k in range(bonds[0].size):
        strong = next(b for b in bonds if sheet.gives_flow(b, path, k) != one)
        total = SX(0)
        for bond in bonds:
            if bond is not strong:
                sheet.assign(common(bond, path)[k], common(strong, path)[k])
                total += (1 if bond.into(path) else -1) * balanced(bond, path)[k]
        sheet.assign(balanced(strong, path)[k], -total if strong.into(path) else total)


def write_wires(sheet: Sheet, path: str, item: Wires, bonds: list[Bond]) -> None:
    """Each component is led on from one lane to another."""
    at = {b.end(path).port: b for b in bonds}
    for one, other in item.wires({name: bond.size for name, bond in at.items()}):
        (a, i), (b, j) = (at[one[0]], one[1]), (at[other[0]], other[1])
        if sheet.gives_flow(a, path, i):
            (a, i), (b, j) = (b, j), (a, i)
        sign = port_sign(path, item, a) * port_sign(path, item, b)
        sheet.assign(sheet.f(b, path)[j], sign * sheet.f(a, path)[i])
        sheet.assign(sheet.e(a, path)[i], sheet.e(b, path)[j])


def law_of(
    sheet: Sheet, path: str, item: Element, bonds: list[Bond], signals: dict[str, SX], **context: Any
) -> LawWriter:
    """Let the element state its law on the cell's symbols, with the sign of its own directions."""
    writer = LawWriter(
        efforts={b.end(path).port: sheet.e(b, path) for b in bonds},
        flows={b.end(path).port: port_sign(path, item, b) * sheet.f(b, path) for b in bonds},
        signals=signals,
        states=context["states"],
        flow_given={b.end(path).port: not sheet.gives_flow(b, path, 0) for b in bonds},
        time=context["time"],
        role=context["role"],
        lanes_given={b.end(path).port: [not sheet.gives_flow(b, path, k) for k in range(b.size)] for b in bonds},
    )
    item.law(writer)
    return writer


def write_law(
    sheet: Sheet, path: str, law: LawWriter, bonds: list[Bond], free_states: SX, *, explicit: bool = True
) -> SX:
    """Solve the relations for what the element gives; returns the value of its dependent states.

    explicit: false where that would divide by what may vanish; the law is then solved together with all others.
    """
    unknown = []
    for bond in bonds:
        for k in range(bond.size):
            given = sheet.f if sheet.gives_flow(bond, path, k) else sheet.e
            unknown.append(given(bond, path)[k])
    return _solve(sheet, path, law, unknown, free_states, explicit)


def _solve(sheet: Sheet, path: str, law: LawWriter, given: list[SX], dependent: SX, explicit: bool) -> SX:
    relations = column(law.relations)
    used = set(ca.jacobian_sparsity(relations, column(given)).get_triplet()[1]) if given and relations.numel() else ()
    lanes = [v for k, v in enumerate(given) if k in used]
    fixed = relations.numel() - dependent.numel()
    if len(lanes) < fixed == len(given):
        lanes = given
    unknown = column([*lanes, dependent])
    if len(lanes) != fixed:
        raise CausalityError(
            Finding(
                f"{path!r} cannot work in the direction in which it is driven.",
                f"Its law fixes {relations.numel()} of the {unknown.numel()} values that it would have to give.",
                "Attach an element that gives the missing effort or flow.",
                (path,),
            )
        )
    if unknown.numel() == 0:
        return SX(0, 1)
    solution = _explicit(sheet, relations, unknown) if explicit else None
    if solution is None:
        solution = SX.sym(f"{path}.implicit", unknown.numel())
        sheet.implicit.append(Implicit(path, "loop", solution, ca.substitute(relations, unknown, solution)))
    if lanes:
        sheet.assign(column(lanes), section(solution, 0, len(lanes)))
    return section(solution, len(lanes), solution.numel())


def _explicit(sheet: Sheet, relations: SX, unknown: SX) -> SX | None:
    """A law solved for what it should give; None where it is not linear, or has a zero or too low a rank there."""
    slope = ca.jacobian(relations, unknown)
    n = unknown.numel()
    if ca.depends_on(slope, unknown) or ca.sprank(slope.sparsity()) < n:
        return None
    symbols = ca.symvar(slope) if slope.nnz() > n else []
    if not symbols or any(s.name() not in sheet.numbers for s in symbols):
        return solve_linear(relations, unknown)
    values = Function("slope", symbols, [nonzeros(slope)])(*(sheet.numbers[s.name()] for s in symbols))
    factors = factor(slope, np.asarray(values).T)
    return factors.solve(-ca.substitute(relations, unknown, SX.zeros(n))) if factors.complete else None


def signal_ports(item: Element) -> list[SignalPort]:
    """The element's signal ports."""
    return [p for p in item.ports() if isinstance(p, SignalPort)]


def sizes_at(path: str, bonds: Sequence[Bond]) -> dict[str, int]:
    """Sizes by port; "port" for all together, and a port that is split into lanes also has the size of the whole."""
    sizes: dict[str, int] = {}
    for bond in bonds:
        name = bond.end(path).port
        base, _, lane = name.rpartition("_")
        sizes[name] = bond.size
        if lane.isdigit():
            sizes[base] = sizes.get(base, 0) + bond.size
    return {"port": sum(b.size for b in bonds), **sizes}
