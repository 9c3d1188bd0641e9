"""The flat system: classes of equations, and tables that say which cell reads and writes where.

`Dae` is data: a list of classes, a table of cells, a layout of states, unknowns and parameters. `inline` writes all of
it as one expression (small systems); `equations.links` turns the same tables into sweeps (long trees).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.equations.assemble import assemble
from multibond.equations.cellclass import Angle, CellClass, Slot
from multibond.equations.cells import Cell, partition
from multibond.equations.writing import sizes_at
from multibond.errors import Finding, StructureError
from multibond.expr import SX, Function, column, entries, nonzeros, section
from multibond.graph.component import Component, Element
from multibond.graph.graph import Graph
from multibond.graph.opening import closed
from multibond.structure.causality import Causality
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree

Kind = TypeVar("Kind", bound=Component)


@dataclass(frozen=True)
class Place:
    """A stretch of the whole state or unknown vector: whose it is, where it lies, of what kind."""

    path: str
    name: str
    start: int
    size: int
    kind: str
    lanes: tuple[int, ...] = ()
    """Which components of the element's state these are, where they are not all."""

    @property
    def stop(self) -> int:
        """One past its last index."""
        return self.start + self.size

    @property
    def range(self) -> range:
        """Its indices."""
        return range(self.start, self.stop)


@dataclass(frozen=True)
class Row:
    """One cell: its class, and where its states, unknowns, parameters and frames are."""

    cell: Cell
    kind: int
    x: int
    y: int
    d: int
    p: np.ndarray
    frames: tuple[int, ...]


@dataclass(frozen=True)
class Turning:
    """An angle in turn: its place among the states, and that of its whole turns behind the parameters."""

    state: int
    turns: int


@public
@dataclass(frozen=True)
class Dae:
    """Classes and tables of a whole model; see the module's text."""

    graph: Graph
    tree: Tree
    causality: Causality
    classes: tuple[CellClass, ...]
    rows: tuple[Row, ...]
    states: tuple[Place, ...]
    unknowns: tuple[Place, ...]
    parameter_places: dict[str, Place]
    parameter_values: np.ndarray
    """Numbers of all parameters; behind them, for each angle, the whole turns that its state leaves out."""
    angles: tuple[Turning, ...] = ()
    """The angles among the states that sines and cosines read."""

    @property
    def nx(self) -> int:
        """Number of states."""
        return self.states[-1].stop if self.states else 0

    @property
    def ny(self) -> int:
        """Number of unknowns solved for at every instant."""
        return self.unknowns[-1].stop if self.unknowns else 0

    @property
    def np_(self) -> int:
        """Number of run-time parameters."""
        return max((place.stop for place in self.parameter_places.values()), default=0)

    @property
    def nd(self) -> int:
        """Number of components of dependent storages."""
        return sum(self.classes[row.kind].jumps.impulse.numel() for row in self.rows)

    def place_of_state(self, path: str, name: str) -> Place | None:
        """Where a state lies."""
        return self._state_index.get((path, name))

    def energy_variables(self, x: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
        """A state by element and name; components of a storage that are no states are zero."""
        found = {}
        for place in self.states:
            found[place.path, place.name] = whole = np.zeros(max(place.lanes, default=place.size - 1) + 1)
            whole[list(place.lanes or range(place.size))] = x[place.start : place.stop]
        return found

    @cached_property
    def _state_index(self) -> dict[tuple[str, str], Place]:
        return {(s.path, s.name): s for s in self.states}

    def number(self, value: SX, p: np.ndarray) -> np.ndarray:
        """The value of an expression of parameters."""
        function = Function("m", [self._parameter_symbols], [ca.densify(SX(value))])
        return np.asarray(function(p))

    def plain(self, item: Kind, p: np.ndarray) -> Kind:
        """The element with its formulas as they are for given parameters."""
        return closed(item, lambda leaf: float(p[self.parameter_places[leaf.path].start + leaf.place]))

    def with_parameters(self, value: SX, p: SX) -> SX:
        """An expression of parameters with others in the place of its symbols."""
        return ca.substitute(value, self._parameter_symbols, p) if self.parameter_values.size else value

    @cached_property
    def _parameter_symbols(self) -> SX:
        symbols = [SX(self.graph.parameters[path][0]) for path in self.parameter_places]
        turns = SX.sym("turns", self.parameter_values.size - self.np_)
        return column([*(nonzeros(s) for s in symbols if s.nnz()), turns])

    def unknown_place(self, k: int) -> Place:
        """Where one component of the unknowns belongs."""
        return next(u for u in self.unknowns if k in u.range)

    def unknown_name(self, k: int) -> str:
        """The name of one component of the unknowns."""
        place = self.unknown_place(k)
        return f"{place.path}.{place.name}[{k - place.start}]" if place.size > 1 else f"{place.path}.{place.name}"

    def __repr__(self) -> str:
        return (
            f"Dae of {len(self.rows)} cells in {len(self.classes)} classes: {self.nx} states, {self.ny} unknowns, "
            f"{self.np_} parameters"
        )


def build(graph: Graph, tree: Tree, causality: Causality) -> Dae:
    """Cut the graph into cells, derive the equations of each class, lay out the tables."""
    givers = signal_givers(graph, tree)
    cells = partition(graph, tree, causality, givers)
    kinds: dict[tuple[object, ...], int] = {}
    first: list[Cell] = []
    for cell in cells:
        if cell.key not in kinds:
            kinds[cell.key] = len(first)
            first.append(cell)
    classes = assemble(graph, tree, causality, givers, first)
    places, values = _parameters(graph)
    turns, count = _turns(graph, values.size)
    rows, states, unknowns = _layout(graph, cells, [kinds[c.key] for c in cells], classes, Numbers(places, turns))
    values = np.concatenate([values, np.zeros(count)])
    angles = _angles(rows, classes, turns)
    return Dae(graph, tree, causality, tuple(classes), rows, states, unknowns, places, values, angles)


@dataclass(frozen=True)
class Numbers:
    """Where parameters lie, and by element where its turns do."""

    parameters: dict[str, Place]
    turns: dict[str, int]

    def of(self, cell: Cell, kind: CellClass) -> np.ndarray:
        """The places of all that a cell reads, in the order of its class."""
        index = [k for path in cell.parameters for k in self.parameters[path].range]
        return np.array(index + [self.turns[_full(cell, a)] + a.component for a in kind.angles], int)


def _turns(graph: Graph, start: int) -> tuple[dict[str, int], int]:
    """For each element with angles where its turns begin, and how many there are: the same in every mode."""
    found, end = dict[str, int](), start
    for path, item in sorted(graph.elements.items()):
        counts = item.turning_states(sizes_at(path, graph.bonds_of(path))) if isinstance(item, Element) else {}
        if any(counts.values()):
            found[path] = end
            end += max(counts.values())
    return found, end - start


def _angles(rows: tuple[Row, ...], classes: list[CellClass], turns: dict[str, int]) -> tuple[Turning, ...]:
    return tuple(
        Turning(row.x + angle.place, turns[_full(row.cell, angle)] + angle.component)
        for row in rows
        for angle in classes[row.kind].angles
        if angle.turns
    )


def _full(cell: Cell, angle: Angle) -> str:
    return cell.prefix + angle.element


def _parameters(graph: Graph) -> tuple[dict[str, Place], np.ndarray]:
    places: dict[str, Place] = {}
    numbers: list[float] = []
    for path in sorted(graph.parameters):
        symbols, value = graph.parameters[path]
        rows, columns = symbols.sparsity().get_triplet()
        places[path] = Place(path, "", len(numbers), len(rows), "parameter")
        numbers += [float(value[r, c]) for r, c in zip(rows, columns, strict=True)]
    return places, np.array(numbers)


def _layout(
    graph: Graph, cells: tuple[Cell, ...], kinds: list[int], classes: list[CellClass], numbers: Numbers
) -> tuple[tuple[Row, ...], tuple[Place, ...], tuple[Place, ...]]:
    number = {f.name: k for k, f in enumerate(graph.frames)}
    order = _order(cells, kinds, classes)
    rows, states, unknowns = [], [], []
    x = y = d = 0
    for k in order:
        cell, kind = cells[k], classes[kinds[k]]
        rows.append(
            Row(
                cell,
                kinds[k],
                x,
                y,
                d,
                numbers.of(cell, kind),
                tuple(number[f.name] for f in cell.frames),
            )
        )
        for slots, found, start in ((kind.states, states, x), (kind.unknowns, unknowns, y)):
            for slot in slots:
                found.append(Place(_path(cell, slot), slot.name, start, slot.size, slot.kind, slot.lanes))
                start += slot.size
        x += kind.x.numel()
        y += kind.y.numel()
        d += kind.jumps.impulse.numel()
    return tuple(rows), tuple(states), tuple(unknowns)


def _path(cell: Cell, slot: Slot) -> str:
    return cell.prefix + slot.element if slot.element else cell.prefix.rstrip(".")


def _order(cells: tuple[Cell, ...], kinds: list[int], classes: list[CellClass]) -> list[int]:
    """Cells from the world outwards: each after the cells that move its frames."""
    mover = {
        frame.name: k
        for k, cell in enumerate(cells)
        for frame, symbols in zip(cell.frames, classes[kinds[k]].frames, strict=True)
        if symbols.owns_anything
    }
    needs = [{mover[f.name] for f in cell.frames if f.name in mover} - {k} for k, cell in enumerate(cells)]
    order: list[int] = []
    waiting = range(len(cells))
    readers: dict[int, list[int]] = {}
    for k in waiting:
        for m in needs[k]:
            readers.setdefault(m, []).append(k)
    left = [len(n) for n in needs]
    ready = [k for k in waiting if left[k] == 0]
    while ready:
        k = ready.pop(0)
        order.append(k)
        for r in readers.get(k, ()):
            left[r] -= 1
            if left[r] == 0:
                ready.append(r)
    return order


# -- one expression --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """The whole system as expressions of time, states, unknowns and parameters."""

    t: SX
    x: SX
    y: SX
    p: SX
    xdot: SX
    residual: SX
    held_flow: SX
    gap: SX
    imposed_gap: SX
    frames: tuple[tuple[SX, SX, SX], ...]
    """For every frame: pose, flow, rate of flow."""
    efforts: tuple[SX, ...]
    """For every frame: total effort that the cells attached to it put on its mover."""


def forward_function(kind: CellClass) -> Function:
    """(t, x, p, y, pose.., flow.., rate..) → (pose.., flow.., rate.., held flow, gap, imposed gap) of a class."""
    pose, flow, rate = [f.pose for f in kind.frames], [f.flow for f in kind.frames], [f.rate for f in kind.frames]
    return Function(
        "forward",
        [kind.time, kind.x, kind.p, kind.y, *pose, *flow, *rate],
        [*kind.pose_out, *kind.flow_out, *kind.rate_out, kind.held_flow, kind.gap, kind.imposed_gap],
    )


def backward_function(kind: CellClass) -> Function:
    """(t, x, p, y, pose.., flow.., rate.., effort.., impulse) → (effort on frames.., rates of states, residuals)."""
    pose, flow, rate = [f.pose for f in kind.frames], [f.flow for f in kind.frames], [f.rate for f in kind.frames]
    effort = [f.effort for f in kind.frames]
    given = [kind.time, kind.x, kind.p, kind.y, *pose, *flow, *rate, *effort, kind.jumps.impulse]
    wanted = [*kind.effort_out, kind.xdot, kind.residual]
    _require_decided(given, wanted)
    return Function("backward", given, wanted)


def _require_decided(given: list[SX], wanted: list[SX]) -> None:
    """Every effort and flow that a law reads is given by another law, or solved for."""
    known = {symbol.element_hash() for symbol in ca.symvar(column([ca.vec(each) for each in given]))}
    read = ca.symvar(column([ca.vec(each) for each in wanted]))
    left = [symbol for symbol in read if symbol.element_hash() not in known]
    if left:
        names = sorted({symbol.name().partition("@")[2].rpartition("#")[0] for symbol in left})
        fact = "What is around it cancels: a source or a part whose two ends are one point decides nothing."
        cure = "Look for ports that are connected to each other twice, or put an R, a C or an I between them."
        told = "nothing decides the effort or flow of the bond"
        raise StructureError(*[Finding(f"{told} {name!r}.", fact, cure, (name,)) for name in names])


def inline(dae: Dae, impulse: SX | None = None, like: Whole | None = None) -> Whole:
    """Call the classes in the order of the tables, on symbols: the same tables as one expression.

    impulse: added to the rates of dependent storages, to see what a jump of them brings about.
    like: another whole of the same tables, whose symbols are used again.
    """
    t, x, y, p = SX.sym("t"), SX.sym("x", dae.nx), SX.sym("y", dae.ny), SX.sym("p", dae.parameter_values.size)
    if like is not None:
        t, x, y, p = like.t, like.x, like.y, like.p
    forward = [forward_function(k) for k in dae.classes]
    backward = [backward_function(k) for k in dae.classes]
    count = len(dae.graph.frames)
    pose = [SX(12, 1)] * count
    flow, rate, effort = [SX(6, 1)] * count, [SX(6, 1)] * count, [SX(6, 1)] * count
    held: list[SX] = []
    gaps: list[SX] = []
    imposed: list[SX] = []

    def own(row: Row) -> list[SX]:
        kind = dae.classes[row.kind]
        return [
            t,
            section(x, row.x, row.x + kind.x.numel()),
            entries(p, row.p),
            section(y, row.y, row.y + kind.y.numel()),
        ]

    for row in dae.rows:
        n = len(row.frames)
        out = forward[row.kind].call(
            [*own(row), *(pose[k] for k in row.frames), *(flow[k] for k in row.frames), *(rate[k] for k in row.frames)]
        )
        for i, (k, symbols) in enumerate(zip(row.frames, dae.classes[row.kind].frames, strict=True)):
            if symbols.owns_attitude or symbols.owns_position:
                pose[k] = out[i]
            if symbols.owns_rotation or symbols.owns_translation:
                flow[k], rate[k] = out[n + i], out[2 * n + i]
        held.append(out[3 * n])
        gaps.append(out[3 * n + 1])
        imposed.append(out[3 * n + 2])
    xdot = [SX(0)] * dae.nx
    residual = [SX(0)] * dae.ny
    impulse = SX(dae.nd, 1) if impulse is None else impulse
    for row in reversed(dae.rows):
        kind = dae.classes[row.kind]
        arguments = [
            *own(row),
            *(pose[k] for k in row.frames),
            *(flow[k] for k in row.frames),
            *(rate[k] for k in row.frames),
        ]
        jump = section(impulse, row.d, row.d + kind.jumps.impulse.numel())
        out = backward[row.kind].call([*arguments, *(effort[k] for k in row.frames), jump])
        for i, k in enumerate(row.frames):
            effort[k] = effort[k] + out[i]
        n = len(row.frames)
        xdot[row.x : row.x + kind.x.numel()] = ca.vertsplit(out[n]) if kind.x.numel() else []
        residual[row.y : row.y + kind.y.numel()] = ca.vertsplit(out[n + 1]) if kind.y.numel() else []
    frames = tuple(zip(pose, flow, rate, strict=True))
    conditions = column(held), column(gaps), column(imposed)
    return Whole(t, x, y, p, column(xdot), column(residual), *conditions, frames, tuple(effort))
