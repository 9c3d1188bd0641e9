"""The flat graph: elements, bonds and signals, nothing hidden. What depths 2 and 3 are made of."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.expr import SX
from multibond.graph.component import Element
from multibond.graph.natural import natural
from multibond.graph.origin import Origin, upwards
from multibond.graph.start import Sought, StartVector, starts_by_element
from multibond.units import ANY, Domain

Kind = TypeVar("Kind", bound=Element)


@dataclass(frozen=True)
class End:
    """One end of a bond: the element's path and its port."""

    element: str
    port: str

    def __str__(self) -> str:
        return f"{self.element}.{self.port}"


@public
@dataclass(frozen=True)
class Bond:
    """A power bond. The half-arrow points from tail to head; e·f is the power along it."""

    name: str
    tail: End
    head: End
    size: int = 1
    domain: Domain = ANY

    def end(self, element: str) -> End:
        """The end at the given element."""
        return self.tail if self.tail.element == element else self.head

    def other(self, element: str) -> End:
        """The end away from the given element."""
        return self.head if self.tail.element == element else self.tail

    def into(self, element: str) -> bool:
        """Whether the half-arrow points to the element."""
        return self.head.element == element


@dataclass(frozen=True)
class Reader:
    """An element's signal port at a signal; `select` picks components of the signal."""

    element: str
    port: str
    select: tuple[int, ...] | None = None


@public
@dataclass(frozen=True)
class Signal:
    """A value shared by signal ports: directed when one end gives it, an equality when several could."""

    name: str
    size: int
    ends: tuple[Reader, ...]


@dataclass(frozen=True)
class Frame:
    """Where mechanical frames meet: the two junctions and the two pose signals."""

    name: str
    rotation: str
    translation: str
    attitude: str
    position: str

    @property
    def junctions(self) -> tuple[str, ...]:
        """Its junctions."""
        return (self.rotation, self.translation)

    @property
    def members(self) -> dict[str, str]:
        """What each member of a frame port has become."""
        return {name: value for name, value in vars(self).items() if name != "name"}


@dataclass(frozen=True)
class PlanarFrame:
    """Where planar frames meet: the junction of their bond and the two pose signals."""

    name: str
    plane: str
    position: str
    angle: str

    @property
    def junctions(self) -> tuple[str, ...]:
        """Its junction."""
        return (self.plane,)

    @property
    def members(self) -> dict[str, str]:
        """What each member of a frame port has become."""
        return {name: value for name, value in vars(self).items() if name != "name"}


@public
@dataclass(frozen=True)
class Graph:
    """Elements by path, bonds, signals, and the table of run-time parameters (symbols and their numbers).

    frames: where spatial frames meet, and the equations are cut into cells; planes: where planar frames meet.
    starts: by element and state, component by component. sought: parameters that are unknowns of the start.
    origins: which part drew an element, and what it is there. surroundings: what the world tells all parts.
    opened: parameters that are the numbers inside a formula, in their order there. oversights: what parts were given
    that does not count, a sentence each.
    """

    elements: dict[str, Element]
    bonds: tuple[Bond, ...]
    signals: tuple[Signal, ...] = ()
    frames: tuple[Frame, ...] = ()
    parameters: dict[str, tuple[SX, np.ndarray]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    starts: dict[str, dict[str, StartVector]] = field(default_factory=dict)
    planes: tuple[PlanarFrame, ...] = ()
    sought: dict[str, Sought] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    surroundings: dict[str, Any] = field(default_factory=dict)
    opened: frozenset[str] = frozenset()
    oversights: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", starts_by_element(self.starts))

    def origin(self, path: str) -> Origin:
        """Where an element comes from; what a rewrite makes of one, or within a part, comes from there too."""
        near = next((p for p in upwards(path) if p in self.origins or p in self._drawn), "")
        return self.origins.get(near) or Origin(near, self._drawn.get(near, ""))

    def owner(self, path: str) -> str:
        """The part that an element belongs to; one that belongs to none stands for itself."""
        return self.origin(path).part or path

    def joint(self, path: str) -> str:
        """The name of the joint whose motion an element is: the part's, unless it has several. Others keep theirs."""
        return self._joints.get(path, path)

    @property
    def _drawn(self) -> dict[str, str]:
        """Types of the parts by path."""
        cache = self.__dict__.get("_drawn_cache")
        if cache is None:
            cache = self.__dict__["_drawn_cache"] = {origin.part: origin.kind for origin in self.origins.values()}
        return cache

    @property
    def _joints(self) -> dict[str, str]:
        """Names of joints by the paths of their motions."""
        cache = self.__dict__.get("_joints_cache")
        if cache is None:
            owners = {path: self.owner(path) for path, item in self.elements.items() if item.causality == "motion"}
            count = Counter(owners.values())
            cache = {path: part if count[part] == 1 else path for path, part in owners.items()}
            self.__dict__["_joints_cache"] = cache
        return cache

    def __getstate__(self) -> dict[str, Any]:
        """The fields as bytes: symbols are the same in all of them, and only together can they be written."""
        with ca.global_pickle_context():
            return {"fields": pickle.dumps({item.name: getattr(self, item.name) for item in fields(self)})}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with ca.global_unpickle_context():
            self.__dict__.update(pickle.loads(state["fields"]))

    def bonds_of(self, element: str) -> tuple[Bond, ...]:
        """The bonds that end at an element, in the graph's order."""
        return self._incidence.get(element, ())

    @property
    def _incidence(self) -> dict[str, tuple[Bond, ...]]:
        cache = self.__dict__.get("_incidence_cache")
        if cache is None:
            lists: dict[str, list[Bond]] = {}
            for bond in self.bonds:
                lists.setdefault(bond.tail.element, []).append(bond)
                lists.setdefault(bond.head.element, []).append(bond)
            cache = {path: tuple(bonds) for path, bonds in lists.items()}
            self.__dict__["_incidence_cache"] = cache
        return cache

    def signal_at(self, element: str, port: str) -> tuple[Signal, Reader] | None:
        """The signal connected to an element's signal port, if any."""
        cache = self.__dict__.get("_signal_cache")
        if cache is None:
            cache = {(end.element, end.port): (s, end) for s in self.signals for end in s.ends}
            self.__dict__["_signal_cache"] = cache
        return cache.get((element, port))

    def of_type(self, kind: type[Kind] | tuple[type[Kind], ...]) -> Iterator[tuple[str, Kind]]:
        """Elements of a class, in natural order of path."""
        found = [(path, item) for path, item in self.elements.items() if isinstance(item, kind)]
        return iter(sorted(found, key=lambda pair: natural(pair[0])))

    @property
    def numbers(self) -> dict[int, float]:
        """The number of each scalar symbol of the parameters, by its hash."""
        cache = self.__dict__.get("_numbers_cache")
        if cache is None:
            cache = {}
            for symbol, known in self.parameters.values():
                for row, column in zip(*symbol.sparsity().get_triplet(), strict=True):
                    cache[symbol[row, column].element_hash()] = float(known[row, column])
            self.__dict__["_numbers_cache"] = cache
        return cache

    def with_(self, **changes: Any) -> Graph:
        """The same graph with some fields changed."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        vector = sum(1 for b in self.bonds if b.size > 1)
        return (
            f"Graph of {len(self.elements)} elements, {len(self.bonds)} bonds ({vector} of them vectors), "
            f"{len(self.signals)} signals, {len(self.parameters)} parameters"
        )
