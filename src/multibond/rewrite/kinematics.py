"""The kinematics of a graph: T of everything outside the junction structure, and which velocities are independent."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.elements import Constraint, FreeMotion, Motion
from multibond.elements.carried import Dependence
from multibond.elements.switches import Moded
from multibond.errors import Finding, StructureError, raise_findings
from multibond.expr import SX, constant
from multibond.graph.graph import Bond, Graph
from multibond.rewrite.assembly import assembled, choose
from multibond.rewrite.edit import Edit
from multibond.rewrite.flows import STRUCTURE, Flows, Term, givers
from multibond.rewrite.matrices import Matrix
from multibond.rewrite.matrix_latex import quotient
from multibond.rewrite.moduli import Modulus, as_signal
from multibond.rewrite.quotients import Fraction, solved
from multibond.rewrite.signals import Signals, signals_of, starts_of
from multibond.rewrite.trig import NotTrigonometric
from multibond.structure.causality import assign
from multibond.structure.tree import span


class Kinematics:
    """A graph under change with the blocks that compute T.

    ends: elements outside the junction structure with their bonds; T: by element and port. bases: where the velocities
    of each giver begin in q̇. cuts: constraints that close loops, whose effort is a multiplier.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.edit = graph, Edit(graph)
        self.strokes = assign(graph, span(graph))
        self.bases = givers(graph, self.strokes)
        switching = sorted({path for path, _ in self.bases if isinstance(graph.elements[path], Moded)})
        raise_findings(StructureError, [_switches(path) for path in switching])
        self.size = sum(b.size for p, b in _ends(graph) if (p, b.end(p).port) in self.bases)
        self.flows = Flows(graph, self.strokes, self.edit, self.bases, self.size)
        self.ends = _ends(graph)
        self.T = {(path, bond.end(path).port): self.flows(bond) for path, bond in self.ends}
        self.solved: list[list[Fraction]] | None = None
        self.cuts = [p for p, b in self.ends if isinstance(graph.elements[p], Constraint) and self.takes_flow(p, b)]

    def takes_flow(self, path: str, bond: Bond) -> bool:
        """Whether the flow of a bond is given to an element."""
        return not self.strokes.gives_flow(bond, path)

    def is_base(self, path: str, bond: Bond) -> bool:
        """Whether an element's flow on this bond is one of the velocities."""
        return (path, bond.end(path).port) in self.bases

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the components of q̇ are called."""
        found: list[str] = []
        for path, bond in self.ends:
            if self.is_base(path, bond):
                name, lane = self.graph.joint(path), bond.end(path).port.rpartition("_")[2]
                one = f"{name}[{int(lane) - 1}]" if lane.isdigit() else name
                found += [one] if bond.size == 1 else [f"{name}[{k}]" for k in range(bond.size)]
        return tuple(found)

    @cached_property
    def signals(self) -> Signals:
        """Signals of the graph with the blocks that have been put in."""
        return signals_of(self.edit.graph())

    @cached_property
    def positions(self) -> dict[str, np.ndarray]:
        """Coordinates of the joints at the start, with all loops closed."""
        return assembled(self.graph, self.signals, self.cuts)

    def start(self) -> dict[str, np.ndarray]:
        """The start of everything that signals depend on."""
        return starts_of(self.graph, self.signals) | self.positions

    def expression(self, T: Modulus, signals: Signals | None = None) -> SX:
        """T as an expression of positions and parameters; signals: others than those of the graph."""
        if T.value is not None:
            return T.value
        entries = (signals or self.signals)(T.signal)
        picked = entries if T.select is None else entries[list(T.select)]
        shape = (T.rows, T.columns)
        return ca.reshape(picked, *shape) if T.transposed else ca.reshape(picked, *shape[::-1]).T

    def matrix(self, name: str, T: SX, rows: tuple[str, ...], columns: tuple[str, ...]) -> Matrix:
        """An expression as a matrix with the start of all that it depends on."""
        return Matrix(name, T, rows, columns, dict(self.signals.symbols), self.start(), self.graph)

    def inward(self, path: str, port: str) -> SX:
        """The flow at a port, counted into the element, as a matrix times q̇."""
        bond = next(b for b in self.graph.bonds_of(path) if b.end(path).port == port)
        return (1 if bond.into(path) else -1) * self.expression(self.T[path, port])

    # -- independent velocities ----------------------------------------------------------------------------------------

    def dependence(self) -> tuple[Modulus, list[int]]:
        """M_b with q̇ = M_b q̇_i, and which velocities are the independent ones."""
        rows = [(path, bond) for path, bond in self.ends if path in self.cuts]
        count, every = sum(bond.size for _, bond in rows), list(range(self.size))
        if not rows:
            return Modulus(self.size, self.size, SX.eye(self.size)), every
        stacked = self.flows.combined(self.stack(rows), count, "loops")
        G = self.matrix("G", self.expression(stacked), (), ()).value
        kept, dependent = choose(G, self._wanted())
        whole = as_signal(self.edit, stacked, "loops")
        name = self.edit.free("loops_M")
        self.edit.add(name, Dependence(name, count, self.size, kept, dependent))
        self.edit.read(whole.signal, name, "input", whole.select)
        free = [k for k in every if k not in dependent]
        self.solved = self._solved(stacked, kept, free, dependent)
        self.__dict__.pop("signals")
        return Modulus(self.size, len(free), None, self.edit.give(name, "M", self.size * len(free))), free

    def _solved(self, G: Modulus, kept: list[int], free: list[int], bound: list[int]) -> list[list[Fraction]] | None:
        """The dependent velocities from the others as quotients, for closed loops; None where they are no such."""
        own = self.signals
        closed = replace(own, known={}, held=self._closed())
        try:
            return solved(SX(self.expression(G, closed)[kept, :]), free, bound)
        except NotTrigonometric:
            return None

    def _closed(self) -> dict[str, SX]:
        """Levers of joints at cuts that hold all translations: with the loop closed there is none."""
        found = {}
        for path, item in self.graph.of_type(Motion):
            hit = self.graph.signal_at(path, "lever")
            cut = self.signals.tree.role.get(path, "cut") == "cut"
            if cut and hit is not None and isinstance(item, Motion) and not item.motion.slides:
                found[hit[0].name] = SX(hit[0].size, 1)
        return found

    def shown(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """M_b in LaTeX, row by row, where the loops could be solved on paper; names: of the independent velocities."""
        if self.solved is None:
            return ()
        table, rows = iter(self.solved), []
        for name in self.names:
            if name in names:
                rows.append(tuple("1" if name == other else "0" for other in names))
            else:
                rows.append(tuple(quotient(part) for part in next(table)))
        return tuple(rows)

    def stack(self, ends: list[tuple[str, Bond]], over: list[Modulus] | None = None) -> list[Term]:
        """Matrices one below the other, as terms of a sum."""
        total, start, terms = sum(bond.size for _, bond in ends), 0, []
        for k, (path, bond) in enumerate(ends):
            E = np.zeros((total, bond.size))
            E[start : start + bond.size] = np.eye(bond.size)
            terms.append((constant(E), over[k] if over else self.T[path, bond.end(path).port]))
            start += bond.size
        return terms

    def _wanted(self) -> list[int]:
        """Velocities that should stay independent: of joints whose start is given, and of what is no joint."""
        found = []
        for path, bond in self.ends:
            given = self.graph.starts.get(path, {})
            told = any(word in given and given[word].fixed.any() for word in ("q", "u"))
            if self.is_base(path, bond) and (told or not isinstance(self.graph.elements[path], FreeMotion)):
                start = self.bases[path, bond.end(path).port]
                found += range(start, start + bond.size)
        return found


def _ends(graph: Graph) -> list[tuple[str, Bond]]:
    outside = [p for p, item in sorted(graph.elements.items()) if not isinstance(item, STRUCTURE)]
    return [(path, bond) for path in outside for bond in sorted(graph.bonds_of(path), key=lambda b: b.end(path).port)]


def _switches(path: str) -> Finding:
    return Finding(
        f"{path!r} gives its flow in the mode that it begins in.",
        "Minimal coordinates are chosen once, so it could not switch to a mode in which it takes it.",
        "Leave the graph as it is, or begin in another mode.",
        (path,),
    )
