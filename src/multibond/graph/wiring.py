"""The edges, exposed ports, layout and frames that a model's data describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from multibond.errors import Finding
from multibond.graph.component import Component, Element
from multibond.graph.compound import owners
from multibond.graph.edge import At, Connection, Edge, PowerBond, SignalLink
from multibond.graph.ends import bare_port, is_name, misfits, no_bonds, no_signals, unconnectable
from multibond.graph.inert import Inert
from multibond.graph.junctions import One
from multibond.graph.place import Faults, Loc, listed, place, short, shown
from multibond.graph.port import Port

INDEXED = ("signals", "equalities")
"""Lists whose first end may be one component of a signal: "sensor.value[2]"."""


FRAMES = ("frames", "planes")
"""Tables of frames: spatial ones, planar ones."""
JUNCTIONS = ("rotation", "translation", "plane")
"""Members of frames in which bonds meet; the others are signals."""


@dataclass
class Wiring:
    """Reads what joins the components of one model.

    numbers: components by name. built: components by number, None for one with a fault. touched: places whose shape is
    wrong already.
    """

    data: Mapping[str, Any]
    loc: Loc
    prefix: str
    numbers: dict[str, int]
    built: dict[int, Component | None]
    touched: set[Loc]
    faults: Faults
    known: dict[int, dict[str, Port]] = field(default_factory=dict)

    def edges(self) -> tuple[Edge, ...]:
        """All edges whose ends are there."""
        found: list[Edge] = [Connection(ends) for ends, _, loc in self._rows("connections") if self._fits(ends, loc)]
        rows = [(ends, entry) for ends, entry, loc in self._rows("bonds") if self._takes(no_bonds, ends, loc)]
        found += [PowerBond(ends[0], ends[1], entry.get("size")) for ends, entry in rows]
        for key in INDEXED:
            rows = [ends for ends, _, loc in self._rows(key) if self._takes(no_signals, ends, loc)]
            found += [SignalLink(ends, equality=key == "equalities") for ends in rows]
        return tuple(found)

    def exposed(self) -> dict[str, At]:
        """Ports that the model shows to the outside."""
        found = {}
        for name, text in self.table("exposed").items():
            loc = (*self.loc, "exposed", name)
            if not is_name(name):
                problem = f"{place((*self.loc, 'exposed'))} has a port {short(name)}."
                fact = "Names are made of letters, digits, '_' and '-'; the dot separates levels."
                self.faults.tell(problem, fact, "Choose another name.")
            at = self._at(text, loc)
            if at is not None:
                found[name] = at
        return found

    def layout(self) -> dict[str, tuple[float, float]]:
        """Where components are drawn."""
        found = {}
        for name, xy in self.table("layout").items():
            if name in self.numbers:
                found[name] = (float(xy[0]), float(xy[1]))
            elif not self._is_nameless():
                problem = f"{place((*self.loc, 'layout'))} places {short(self.prefix + name)}, which is not there."
                self.faults.tell(problem, self.faults.nearest(name, self.numbers), "Correct or remove the entry.")
        return found

    def names(self) -> dict[str, str]:
        """Household names of variables."""
        found = self.table("names")
        for alias, target in found.items():
            unknown = [name for name in sorted(owners(target)) if name not in self.numbers]
            if unknown and not self._is_nameless():
                problem = f"{place((*self.loc, 'names', alias))} stands for {short(target)}, which is not there."
                fact = self.faults.nearest(unknown[0], self.numbers)
                self.faults.tell(problem, fact, "Correct or remove the entry.")
        return found

    def frames(self) -> dict[str, dict[str, At]]:
        """Frames of an opened graph, spatial and planar, with the place of each member."""
        found: dict[str, dict[str, At]] = {}
        for key in FRAMES:
            for name, entry in self.table(key).items():
                loc = (*self.loc, key, name)
                members = {word: self._member(word, text, (*loc, word)) for word, text in entry.items()}
                found[name] = {word: at for word, at in members.items() if at is not None}
        return found

    def _member(self, word: str, text: str, loc: Loc) -> At | None:
        """A member of a frame: a 1-junction, or a port that has the signal."""
        at = self._at(text, loc, whole=word in JUNCTIONS)
        if at is None or word not in JUNCTIONS:
            return at if at is not None and self._takes(no_signals, (at,), loc) else None
        item = self.built[at.component]
        if isinstance(item, One) and not at.port:
            return at
        fact = f"It is no 1-junction. It stands at {place(loc)}."
        path = f"{self.prefix}{text}"
        self.faults.tell(f"bonds of a frame cannot meet in {shown(path)}.", fact, "Name the frame's junction.", path)
        return None

    def table(self, key: str) -> dict[str, Any]:
        """The entries of a table whose shape is right."""
        entries = self.data.get(key, {})
        if not isinstance(entries, dict):
            return {}
        return {name: value for name, value in entries.items() if (*self.loc, key, name) not in self.touched}

    def _is_nameless(self) -> bool:
        """Whether some component has no readable name, so that an unknown name may be its."""
        listed = self.data.get("components")
        return not isinstance(listed, list) or any(
            not isinstance(entry, dict) or not isinstance(entry.get("name"), str) for entry in listed
        )

    def _rows(self, key: str) -> Iterator[tuple[tuple[At, ...], Any, Loc]]:
        """The entries of a list whose ends are all there, with these ends and the place."""
        entries = self.data.get(key, [])
        for k, entry in enumerate(entries if isinstance(entries, list) else []):
            loc = (*self.loc, key, k)
            if loc in self.touched:
                continue
            texts = [entry["from"], entry["to"]] if key == "bonds" else entry
            whole = key != "connections"
            ends = [self._at(text, loc, whole=whole, indexed=key in INDEXED and n == 0) for n, text in enumerate(texts)]
            sure = tuple(end for end in ends if end is not None)
            if len(sure) == len(ends):
                yield sure, entry, loc

    def _at(self, text: str, loc: Loc, *, whole: bool = False, indexed: bool = False) -> At | None:
        """The end that a text such as "hip.frame_a" names; `whole`: an element may stand for its port."""
        name, _, port = text.partition(".")
        problem = f"{place(loc)} ends at {short(self.prefix + text)}, which is not there."
        if name not in self.numbers:
            if not self._is_nameless():
                self.faults.tell(problem, self.faults.nearest(name, self.numbers), "Name a component of this model.")
            return None
        number = self.numbers[name]
        item = self.built[number]
        if item is None or (not port and whole and isinstance(item, Element | Inert)):
            return None if item is None else At(number)
        if bare_port(port, indexed=indexed) not in self._ports(number, item):
            fact = f"{type(item).__name__} {short(item.name)} has the ports {listed([*self._ports(number, item)])}."
            self.faults.tell(problem, fact, "Name one of its ports.", f"{self.prefix}{name}")
            return None
        return At(number, port)

    def _ports(self, number: int, item: Component) -> dict[str, Port]:
        if number not in self.known:
            self.known[number] = {port.name: port for port in item.ports()}
        return self.known[number]

    def _takes(self, wrong: Callable[..., list[Finding]], ends: tuple[At, ...], loc: Loc) -> bool:
        """Whether all ends are of the kind that is meant; tells those that are wrong."""
        named = [(at, self.built[at.component], bare_port(at.port, indexed=True)) for at in ends if at.port]
        sure = [(self._ports(at.component, item)[port], f"{item.name}.{port}") for at, item, port in named if item]
        found = wrong([port for port, _ in sure], [path for _, path in sure])
        for finding in found:
            full = [f"{self.prefix}{path}" for path in finding.paths]
            self.faults.tell(finding.problem, f"{finding.fact} It stands at {place(loc)}.", finding.cure, *full)
        return not found

    def _fits(self, ends: tuple[At, ...], loc: Loc) -> bool:
        items = [self.built[at.component] for at in ends]
        paths = [f"{item.name}.{at.port}" for item, at in zip(items, ends, strict=True) if item is not None]
        ports = [self.known[at.component][at.port] for at in ends]
        found = unconnectable(ports, paths, [isinstance(item, Element) for item in items]) or misfits(ports, paths)
        for finding in found:
            full = [f"{self.prefix}{path}" for path in finding.paths]
            self.faults.tell(finding.problem, f"{finding.fact} It stands at {place(loc)}.", finding.cure, *full)
        return not found


def sockets(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The ports that edges and exposed entries name, by component: all that is known of an inert box."""
    found: dict[str, dict[str, None]] = {}
    for text, indexed in _mentioned(data):
        name, _, port = text.partition(".")
        bare = bare_port(port, indexed=indexed)
        if is_name(bare):
            found.setdefault(name, {})[bare] = None
    return {name: tuple(ports) for name, ports in found.items()}


def _mentioned(data: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    for key in ("connections", "signals", "equalities"):
        for row in _list(data.get(key)):
            yield from ((end, key in INDEXED and k == 0) for k, end in enumerate(_list(row)) if isinstance(end, str))
    for bond in _list(data.get("bonds")):
        ends = [bond.get("from"), bond.get("to")] if isinstance(bond, dict) else []
        yield from ((end, False) for end in ends if isinstance(end, str))
    exposed = data.get("exposed")
    if isinstance(exposed, dict):
        yield from ((end, False) for end in exposed.values() if isinstance(end, str))
    for entry in (entry for key in FRAMES for _, entry in _items(data.get(key))):
        yield from ((end, False) for word, end in _items(entry) if word not in JUNCTIONS and isinstance(end, str))


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
