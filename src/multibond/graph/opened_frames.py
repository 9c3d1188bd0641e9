"""Frames of an opened graph: a model of elements keeps where they are, and its graph has them again.

A sheet tells each member of a frame by a component: its junction, or a port that has its signal. A frame that has lost
its junction by an edit, or whose signal is out of reach, is left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeVar

from multibond.graph.component import Element
from multibond.graph.edge import At, Edge, SignalLink
from multibond.graph.frames import apart
from multibond.graph.graph import Bond, Frame, Graph, PlanarFrame, Reader, Signal
from multibond.graph.junctions import One
from multibond.graph.port import FramePort, PlanarFramePort, SignalPort

Kind = TypeVar("Kind", Frame, PlanarFrame)

Place = tuple[str, str]
"""The path of an element, and its port where a signal is meant."""
Members = dict[str, At]
"""Where each member of a frame is: a junction, without a port, or a port that has the signal."""

SIZES = tuple(
    {member.name.removeprefix("frame."): member.size for member in port("frame").members}
    for port in (FramePort, PlanarFramePort)
)
"""How many components the members of a spatial frame have, and those of a planar one."""


def frames_at(graph: Graph, number: Mapping[str, int]) -> dict[str, Members]:
    """The frames of a graph by name, as the sheet of its elements tells them. number: of each element."""
    junctions = {path: At(k) for path, k in number.items()}
    signals = {s.name: At(number[e.element], e.port) for s in graph.signals for e in s.ends[::-1] if e.select is None}
    found = {}
    for frame in (*graph.frames, *graph.planes):
        places = {name: junctions if path in frame.junctions else signals for name, path in frame.members.items()}
        found[frame.name] = {name: places[name][p] for name, p in frame.members.items() if p in places[name]}
    return found


def frames_among(
    frames: dict[str, Members], edges: Iterable[Edge], kept: Container[int], gone: Container[int] = ()
) -> dict[str, Members]:
    """The frames that are whole among the kept components.

    A signal is told at another of its ports if need be; it is forgotten where nothing but what is gone had it.
    """
    links = [edge.ends for edge in edges if isinstance(edge, SignalLink)]
    found = {}
    for name, members in frames.items():
        there = {word: _among(at, links, kept) for word, at in members.items()}
        lost = {word for word, at in there.items() if at is None}
        if not any(members[word].component not in gone or not members[word].port for word in lost):
            found[name] = {word: at for word, at in there.items() if at is not None}
    return found


def _among(at: At, links: list[tuple[At, ...]], kept: Container[int]) -> At | None:
    """A place among the kept components that has the same signal."""
    if at.component in kept:
        return at
    same = (end for ends in links if at in ends for end in ends if end.component in kept and "[" not in end.port)
    return next(same, None) if at.port else None


# -- in the graph again ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meetings:
    """Spatial and planar frames, and the signals under the names that frames give them."""

    frames: tuple[Frame, ...]
    planes: tuple[PlanarFrame, ...]
    signals: tuple[Signal, ...]

    @property
    def aliases(self) -> dict[str, str]:
        """The flows of frames by the frame's name, where the junctions have other ones."""
        junctions = [
            (f"{frame.name}.{word}.f", f"{path}.f")
            for frame in (*self.frames, *self.planes)
            for word, path in frame.members.items()
            if path in frame.junctions
        ]
        return {alias: target for alias, target in junctions if alias != target}


@dataclass
class Returned:
    """What sheets tell of frames while a model is opened; by name, each member with the path and port where it is."""

    told: dict[str, dict[str, Place]] = field(default_factory=dict)

    def take(self, frames: Mapping[str, Members], path: Mapping[int, str], prefix: str) -> None:
        """Take what a sheet tells. path: of each of its components."""
        for name, members in frames.items():
            self.told[f"{prefix}{name}"] = {word: (path[at.component], at.port) for word, at in members.items()}

    def meetings(
        self,
        elements: Mapping[str, Element],
        bonds: tuple[Bond, ...],
        signals: tuple[Signal, ...],
        taken: Container[str],
    ) -> Meetings:
        """The frames that still are true. taken: names that frames of parts have."""
        there = _There(elements, bonds, {s.name: s for s in signals})
        frames = [there.frame(_unlike(name, taken), told) for name, told in self.told.items() if there.takes(told)]
        spatial, planar = [f for f in frames if isinstance(f, Frame)], [f for f in frames if isinstance(f, PlanarFrame)]
        ordered = tuple(there.signals[name] for name in sorted(there.signals)) if frames else signals
        return Meetings(apart(spatial, bonds), tuple(planar), ordered)


@dataclass
class _There:
    """What is there once a model is opened; signals get the names that frames give them."""

    elements: Mapping[str, Element]
    bonds: tuple[Bond, ...]
    signals: dict[str, Signal]
    named: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.at = {(e.element, e.port): s.name for s in self.signals.values() for e in s.ends if e.select is None}
        self.sizes: dict[str, set[int]] = {}
        for bond in self.bonds:
            for end in (bond.tail, bond.head):
                self.sizes.setdefault(end.element, set()).add(bond.size)

    def takes(self, told: Mapping[str, Place]) -> bool:
        """Whether a frame holds, at junctions that no other one has taken; then it takes them."""
        junctions = [path for path, port in told.values() if not port]
        free = len(set(junctions)) == len(junctions) and not self.met & set(junctions)
        if not free or not self.holds(told):
            return False
        self.met |= set(junctions)
        return True

    def holds(self, told: Mapping[str, Place]) -> bool:
        """Whether bonds of a frame meet in 1-junctions, and bonds and signals have the sizes of a frame's."""
        sizes = SIZES["plane" in told]
        fitting = (
            self._carries(path, port, sizes[word]) if port else self._meet(path, sizes[word])
            for word, (path, port) in told.items()
        )
        return all(fitting) and any(not port for _, port in told.values())

    def _meet(self, path: str, size: int | None) -> bool:
        return isinstance(self.elements.get(path), One) and self.sizes.get(path, set()) <= {size}

    def _carries(self, path: str, port: str, size: int | None) -> bool:
        ports = self.elements[path].ports()
        return any(isinstance(p, SignalPort) and (p.name, p.size) == (port, size) for p in ports)

    def frame(self, name: str, told: Mapping[str, Place]) -> Frame | PlanarFrame:
        """A frame; what nothing is joined to has a name of its own, as in every graph."""
        members = {word: f"{name}.{word}" for word in SIZES["plane" in told]}
        for word, (path, port) in told.items():
            members[word] = self._named(path, port, members[word]) if port else path
        return PlanarFrame(name, **members) if "plane" in members else Frame(name, **members)

    def _named(self, path: str, port: str, name: str) -> str:
        """The name of the signal at a port: this one, unless another frame has given it one."""
        old = self.at.get((path, port))
        if old is None:
            size = next(p.size for p in self.elements[path].ports() if isinstance(p, SignalPort) and p.name == port)
            old, self.signals[name] = name, Signal(name, size, (Reader(path, port),))
            self.at[path, port] = name
        if old in self.named:
            return old
        signal = replace(self.signals.pop(old), name=name)
        self.signals[name] = signal
        self.at |= {(e.element, e.port): name for e in signal.ends if e.select is None}
        self.named.add(name)
        return name


def _unlike(name: str, taken: Container[str]) -> str:
    """This name, or one like it that no frame of a part has."""
    return next(n for k in count(1) if (n := name if k == 1 else f"{name}_{k}") not in taken)


def in_order(frames: Iterable[Kind]) -> tuple[Kind, ...]:
    """Frames in the order of their names."""
    return tuple(sorted(frames, key=lambda frame: frame.name))
