"""The scalar graph while it is drawn: elements, bonds, and where the components of the old ports have gone."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph, Reader, Signal
from multibond.structure.causality import Causality


@dataclass
class Draft:
    """The scalar graph under construction; `lane` says where component k of an old port now ends."""

    old: Graph
    causality: Causality
    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[Bond] = field(default_factory=list)
    lane: dict[tuple[str, str, int], End] = field(default_factory=dict)
    readers: dict[str, list[Reader]] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)
    lanes: dict[tuple[str, int], Bond] = field(default_factory=dict)
    """The scalar bond that component k of an old bond has become."""

    def add(self, path: str, item: Element) -> str:
        self.elements[path] = item
        return path

    def bond(self, tail: End, head: End, like: Bond) -> Bond:
        made = Bond(f"{tail}->{head}", tail, head, 1, like.domain)
        self.bonds.append(made)
        return made

    def through(self, one: End, inner: End, like: Bond, path: str) -> None:
        """Lead a bond of an old element on, through a 1-junction: the half-arrow keeps its direction."""
        self.bond(*((one, inner) if like.into(path) else (inner, one)), like)

    def read(self, signal: tuple[Signal, Reader] | None, element: str, port: str, k: int | None) -> None:
        """Let a new element read what an old one read, component k of it."""
        if signal is None:
            return
        old, reader = signal
        select = reader.select
        if k is not None and old.size > 1:
            select = (select[k],) if select else (k,)
        self.readers.setdefault(old.name, []).append(Reader(element, port, select))
