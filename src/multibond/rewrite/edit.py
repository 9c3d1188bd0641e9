"""A graph under change: take elements out, put others in, lead bonds and signals elsewhere; then a graph again.

Every rewrite works on an `Edit` of its own, so the graph that it was given stays as it was.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from multibond.expr import SX, column
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.graph.frames import apart
from multibond.graph.graph import Bond, End, Frame, Graph, Reader, Signal
from multibond.graph.natural import natural

Kind = TypeVar("Kind", bound=Element)


class Edit:
    """Elements, bonds and signals of a graph, to be changed; `graph()` is the result."""

    def __init__(self, graph: Graph) -> None:
        self.old = graph
        self.elements = dict(graph.elements)
        self.bonds = {b.name: b for b in graph.bonds}
        self.signals = {s.name: s for s in graph.signals}
        self.starts: dict[str, dict[str, Any]] = {**graph.starts}
        self.aliases = dict(graph.aliases)
        self.origins = dict(graph.origins)

    # -- reading --

    def bonds_of(self, path: str) -> list[Bond]:
        """The bonds that end at an element now."""
        return [b for b in self.bonds.values() if path in (b.tail.element, b.head.element)]

    def free(self, path: str) -> str:
        """A path like this one that nothing has yet."""
        names = [path, *(f"{path}_{k}" for k in range(2, len(self.elements) + 3))]
        return next(name for name in names if name not in self.elements)

    # -- elements --

    def add(self, path: str, item: Element) -> str:
        """Put an element in."""
        self.elements[path] = item
        return path

    def drop(self, path: str) -> None:
        """Take an element out, with its bonds and its ends of signals."""
        del self.elements[path]
        self.starts.pop(path, None)
        for bond in self.bonds_of(path):
            del self.bonds[bond.name]
        for signal in list(self.signals.values()):
            self._keep(signal, tuple(e for e in signal.ends if e.element != path))

    def _keep(self, signal: Signal, ends: tuple[Reader, ...]) -> None:
        if len(ends) != len(signal.ends):
            self.signals[signal.name] = replace(signal, ends=ends)

    def move(self, path: str, new: str) -> None:
        """Give an element another path, because what it carries is no longer the same."""
        self.elements[new] = with_values(self.elements.pop(path), name=new.rsplit(".", 1)[-1])
        self.origins[new] = self.old.origin(path)
        for bond in self.bonds_of(path):
            self.lead(bond, path, End(new, bond.end(path).port))
        for name, signal in self.signals.items():
            ends = tuple(replace(e, element=new) if e.element == path else e for e in signal.ends)
            self.signals[name] = replace(signal, ends=ends)

    # -- bonds --

    def bond(self, tail: End, head: End, like: Bond, size: int | None = None) -> Bond:
        """Draw a bond from tail to head, of the size and domain of another."""
        name, k = f"{tail}->{head}", 1
        while name in self.bonds:
            k += 1
            name = f"{tail}->{head}#{k}"
        self.bonds[name] = Bond(name, tail, head, like.size if size is None else size, like.domain)
        return self.bonds[name]

    def unbond(self, bond: Bond) -> None:
        """Take a bond away."""
        del self.bonds[bond.name]

    def lead(self, bond: Bond, element: str, end: End) -> None:
        """Lead one end of a bond to another place; its half-arrow keeps its direction."""
        tail, head = (end, bond.head) if bond.tail.element == element else (bond.tail, end)
        del self.bonds[bond.name]
        self.bond(tail, head, bond)

    # -- signals --

    def read(self, signal: str, element: str, port: str, select: tuple[int, ...] | None = None) -> None:
        """Let an element's port read a signal."""
        old = self.signals[signal]
        self.signals[signal] = replace(old, ends=(*old.ends, Reader(element, port, select)))

    def give(self, element: str, port: str, size: int) -> str:
        """A new signal that an element's port gives; its name."""
        name = f"{element}.{port}"
        self.signals[name] = Signal(name, size, (Reader(element, port),))
        return name

    def rename(self, old: str, new: str) -> None:
        """Let household names of a variable, or of all variables below a path, stand for another."""
        for alias, target in self.aliases.items():
            if target == old or target.startswith(f"{old}."):
                self.aliases[alias] = new + target[len(old) :]

    # -- the result --

    def graph(self) -> Graph:
        """The changed graph. Frames whose junctions are gone, and names of what is gone, are left out."""
        frames = self._frames()
        planes = tuple(f for f in self.old.planes if f.plane in self.elements)
        poses = {v for f in frames for v in (f.attitude, f.position, f"{f.rotation}.f", f"{f.translation}.f")}
        poses |= {v for f in planes for v in (f.position, f.angle)}
        known = {a for a, t in self.aliases.items() if self._owner(t) or t in poses}
        aliases = {a: t for a, t in self.aliases.items() if a in known or t in known}
        return self.old.with_(
            elements={path: self.elements[path] for path in sorted(self.elements, key=natural)},
            bonds=tuple(sorted(self.bonds.values(), key=lambda b: b.name)),
            signals=tuple(s for s in self.signals.values() if s.ends),
            frames=frames,
            planes=planes,
            aliases=aliases,
            starts=self.starts,
            origins=self.origins,
        )

    def _frames(self) -> tuple[Frame, ...]:
        """Frames that still are boundaries: both junctions are there, and no bond joins one frame to another."""
        here = self.elements
        frames = [f for f in self.old.frames if f.rotation in here and f.translation in here]
        return apart(frames, self.bonds.values())

    def _owner(self, target: str) -> bool:
        """Whether the element to which a variable belongs is there, with that port."""
        parts = target.split(".")
        path = next((p for k in range(len(parts), 0, -1) if (p := ".".join(parts[:k])) in self.elements), None)
        if path is None:
            return False
        item, word = self.elements[path], target[len(path) + 1 :].split(".")[0]
        named = {port.name for port in item.ports()} | {"e", "f", "power", "p", "q", "u"}
        return word in named


def with_values(item: Kind, **values: Any) -> Kind:
    """The element with some values changed; symbols are taken as they are."""
    twin = copy.copy(item)
    for name, value in values.items():
        object.__setattr__(twin, name, value)
    return twin


def number_of(graph: Graph, value: Any) -> np.ndarray:
    """The number of a parameter, whose symbols have the graph's own values."""
    if not isinstance(value, SX):
        return np.asarray(value, float)
    symbols = ca.symvar(value)
    function = ca.Function("n", [column([SX(0, 1), *symbols])], [ca.densify(value)])
    return np.asarray(function(np.array([graph.numbers[symbol.element_hash()] for symbol in symbols])))


def is_zero(graph: Graph, value: Any) -> bool:
    """Whether a parameter is zero now; a formula is not."""
    return not isinstance(value, Formula) and not np.any(number_of(graph, value))
