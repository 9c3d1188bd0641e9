"""Cut the graph into cells at its mechanical frames, and find the cells that are alike.

A cell is what hangs together without crossing a frame: a joint with the motor on its flange, a rod, a body, a circuit.
Cells of one structure (elements, connections, causality, pattern of zeros) form a class; the equations are derived once
a class, whatever the number of cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca

from multibond.elements.sensors import Sensor
from multibond.equations.order import loops
from multibond.expr import SX
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Frame, Graph, Reader, Signal
from multibond.graph.junctions import PowerSensor
from multibond.graph.natural import natural
from multibond.graph.opening import shape_of
from multibond.structure.causality import Causality
from multibond.structure.tree import Tree


@dataclass(frozen=True)
class Cell:
    """One cell: its elements, bonds and signals, the frames it touches, and its parameters.

    prefix: what its paths have in common; names inside a class are relative to it.
    frames: in the class's own order. parameters: paths, in the class's own order.
    """

    prefix: str
    elements: tuple[str, ...]
    bonds: tuple[Bond, ...]
    signals: tuple[Signal, ...]
    frames: tuple[Frame, ...]
    parameters: tuple[str, ...]
    key: tuple[object, ...]

    def relative(self, path: str) -> str:
        """A path without the cell's prefix."""
        return path.removeprefix(self.prefix)


@dataclass(frozen=True)
class _Ground:
    """What cells are cut from, whose frame a junction or pose is, and whose parameter a symbol belongs to."""

    graph: Graph
    tree: Tree
    causality: Causality
    frame_of: dict[str, Frame]
    owner: dict[str, str]


def partition(graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader]) -> tuple[Cell, ...]:
    """All cells, in order of their first element. Whatever decides the motion of one frame is one cell."""
    boundary = {name for f in graph.frames for name in (f.rotation, f.translation)}
    shared = {name for f in graph.frames for name in (f.attitude, f.position)}
    parent = {path: path for path in graph.elements if path not in boundary}

    def find(path: str) -> str:
        while parent[path] != path:
            parent[path] = parent[parent[path]]
            path = parent[path]
        return path

    def join(paths: list[str]) -> None:
        for other in paths[1:]:
            low, high = sorted((find(paths[0]), find(other)))
            parent[high] = low

    for bond in graph.bonds:
        join([p for p in (bond.tail.element, bond.head.element) if p in parent])
    for signal in graph.signals:
        if signal.name not in shared:
            join([end.element for end in signal.ends])
    movers = {frame.name: _movers(graph, causality, givers, frame) for frame in graph.frames}
    for moving in movers.values():
        join(moving)
    for circle in _circles(graph, movers, find):
        join(circle)
    members: dict[str, list[str]] = {}
    for path in sorted(parent, key=_outwards(tree)):
        members.setdefault(find(path), []).append(path)
    return _finish(graph, tree, causality, members, find)


def _movers(graph: Graph, causality: Causality, givers: dict[str, Reader], frame: Frame) -> list[str]:
    """The elements that decide a frame's flows and pose."""
    found = [givers[name].element for name in (frame.attitude, frame.position) if name in givers]
    for junction in (frame.rotation, frame.translation):
        for b in graph.bonds_of(junction):
            if not all(causality.gives_flow(b, junction, k) for k in range(b.size)):
                found.append(b.other(junction).element)
    return found


def _circles(graph: Graph, movers: dict[str, list[str]], find: Callable[[str], str]) -> list[list[str]]:
    """Cells that move one another's frames, as joints of a chain do whose drives share a clock: these are one cell."""
    roots = sorted({find(path) for moving in movers.values() for path in moving})
    number = {root: k for k, root in enumerate(roots)}
    reads: list[list[int]] = [[] for _ in roots]
    poses = {signal.name: signal for signal in graph.signals}
    for frame in graph.frames:
        lead = [number[find(path)] for path in movers[frame.name][:1]]
        for path in _touching(graph, frame, poses):
            if find(path) in number and lead and number[find(path)] != lead[0]:
                reads[number[find(path)]] += lead
    return [[roots[k] for k in group] for group in loops(range(len(roots)), reads) if len(group) > 1]


def _touching(graph: Graph, frame: Frame, poses: dict[str, Signal]) -> list[str]:
    """The elements that are bonded to a frame or read its pose."""
    found = [b.other(j).element for j in (frame.rotation, frame.translation) for b in graph.bonds_of(j)]
    read = [poses[name] for name in (frame.attitude, frame.position) if name in poses]
    return found + [end.element for signal in read for end in signal.ends]


def _finish(
    graph: Graph, tree: Tree, causality: Causality, members: dict[str, list[str]], find: Callable[[str], str]
) -> tuple[Cell, ...]:
    owner = {s.name(): path for path, (symbols, _) in graph.parameters.items() for s in ca.symvar(symbols)}
    frame_of = {name: f for f in graph.frames for name in (f.rotation, f.translation, f.attitude, f.position)}
    ground = _Ground(graph, tree, causality, frame_of, owner)
    bonds: dict[str, list[Bond]] = {root: [] for root in members}
    for bond in graph.bonds:
        inner = next(p for p in (bond.tail.element, bond.head.element) if p not in frame_of)
        bonds[find(inner)].append(bond)
    signals: dict[str, list[Signal]] = {root: [] for root in members}
    for signal in graph.signals:
        for root in {find(end.element) for end in signal.ends}:
            signals[root].append(signal)
    place = _outwards(tree)
    order = sorted(members, key=lambda root: place(_first(graph, members[root])))
    return tuple(_cell(ground, members[root], bonds[root], signals[root]) for root in order)


def _first(graph: Graph, paths: list[str]) -> str:
    """The first path of a cell, whatever the names of sensors in it."""
    plain = [p for p in paths if not isinstance(graph.elements[p], Sensor | PowerSensor)]
    return (plain or paths)[0]


def _outwards(tree: Tree) -> Callable[[str], tuple[Any, ...]]:
    """Sort key, which makes the order of states: joints from the world outwards, then all else by natural order."""
    place = {path: k for k, path in enumerate((*tree.order, *tree.cuts))}
    return lambda path: (place.get(path, len(place)), natural(path))


def _cell(ground: _Ground, paths: list[str], bonds: list[Bond], signals: list[Signal]) -> Cell:
    graph, causality, frame_of = ground.graph, ground.causality, ground.frame_of
    prefix = _common_prefix(paths)
    frames = _frame_order(paths, bonds, signals, frame_of, prefix)
    number = {f.name: k for k, f in enumerate(frames)}
    parameters = tuple(
        sorted({ground.owner[s.name()] for path in paths for s in _symbols(graph.elements[path])}, key=prefixed(prefix))
    )
    own = set(paths)

    def place(element: str, port: str) -> tuple[object, ...]:
        if element in frame_of:
            frame = frame_of[element]
            return ("frame", number[frame.name], "r" if element == frame.rotation else "t")
        return (element.removeprefix(prefix), port)

    key = (
        tuple(
            (p.removeprefix(prefix), *shape_of(graph.elements[p], prefix), ground.tree.role.get(p, "")) for p in paths
        ),
        tuple(
            sorted(
                (
                    place(b.tail.element, b.tail.port),
                    place(b.head.element, b.head.port),
                    b.size,
                    causality.flow_from[b.name],
                    tuple(causality.doubled.get((b.name, k), "") for k in range(b.size)),
                )
                for b in bonds
            )
        ),
        tuple(sorted(_signal_key(s, own, frame_of, number, prefix) for s in signals)),
        tuple(p.removeprefix(prefix) for p in parameters),
    )
    return Cell(prefix, tuple(paths), tuple(bonds), tuple(signals), frames, parameters, key)


def _signal_key(
    signal: Signal, own: set[str], frame_of: dict[str, Frame], number: dict[str, int], prefix: str
) -> tuple[object, ...]:
    where = ""
    if signal.name in frame_of:
        frame = frame_of[signal.name]
        where = f"{number[frame.name]}:{'attitude' if signal.name == frame.attitude else 'position'}"
    ends = tuple(
        sorted((e.element.removeprefix(prefix), e.port, str(e.select)) for e in signal.ends if e.element in own)
    )
    return (where, ends)


def _common_prefix(paths: list[str]) -> str:
    parts = [p.split(".")[:-1] for p in paths]
    common = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return ".".join(common) + "." if common else ""


def _frame_order(
    paths: list[str], bonds: list[Bond], signals: list[Signal], frame_of: dict[str, Frame], prefix: str
) -> tuple[Frame, ...]:
    """Frames by where they are attached, not by their names, so that like cells order them alike."""
    places: dict[str, list[tuple[str, ...]]] = {}
    own = set(paths)
    for bond in bonds:
        for end, other in ((bond.tail, bond.head), (bond.head, bond.tail)):
            if end.element in frame_of:
                side = "r" if end.element == frame_of[end.element].rotation else "t"
                places.setdefault(frame_of[end.element].name, []).append(
                    (other.element.removeprefix(prefix), other.port, side)
                )
    for signal in signals:
        if signal.name in frame_of:
            for end in signal.ends:
                if end.element in own:
                    places.setdefault(frame_of[signal.name].name, []).append(
                        (end.element.removeprefix(prefix), end.port, "s")
                    )
    by_name = {f.name: f for f in frame_of.values()}
    return tuple(by_name[name] for name in sorted(places, key=lambda n: sorted(places[n])))


def prefixed(prefix: str) -> Callable[[str], tuple[bool, str]]:
    """Sort key: own parameters first, by relative name."""
    return lambda path: (not path.startswith(prefix), path.removeprefix(prefix))


def _symbols(element: Element) -> list[SX]:
    found: list[SX] = []
    for name, about in element.parameters().items():
        value = getattr(element, name)
        if isinstance(value, SX) and about.numeric:
            found += ca.symvar(value)
        elif isinstance(value, Formula):
            found += [number.symbol for number in value.live]
    return found


__all__ = ["Cell", "Reader", "partition"]
