"""A graph with sensors where an output is to be read as a signal; attaching them changes nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from multibond.analysis.ends import resolved, split_index
from multibond.elements import De, Df
from multibond.errors import UnknownName, unknown_name
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph, Reader, Signal
from multibond.graph.junctions import PowerSensor
from multibond.graph.port import PowerPort, SignalPort


@dataclass(frozen=True)
class Reading:
    """One component of an output: its name, and the signal port and component where it can be read."""

    name: str
    element: str
    port: str
    size: int
    component: int


def measured(graph: Graph, name: str) -> tuple[Graph, tuple[Reading, ...]]:
    """The graph with what it takes to read an output: an effort or flow, or a signal that an element gives."""
    base, index = split_index(name)
    target = resolved(graph, base)
    graph, element, port, size = _found(graph, target, base)
    if index is not None and index >= size:
        raise unknown_name(f"{base!r}", name, [f"{base}[{k}]" for k in range(size)])
    places = range(size) if index is None else [index]
    return graph, tuple(Reading(f"{base}[{k}]" if size > 1 else base, element, port, size, k) for k in places)


def lead(graph: Graph, reading: Reading, element: str, port: str) -> Graph:
    """Lead a reading to a signal port."""
    reader = Reader(element, port, (reading.component,) if reading.size > 1 else None)
    hit = graph.signal_at(reading.element, reading.port)
    if hit is None:
        name = f"{reading.element}.{reading.port}"
        signal = Signal(name, reading.size, (Reader(reading.element, reading.port), reader))
        return graph.with_(signals=(*graph.signals, signal))
    longer = replace(hit[0], ends=(*hit[0].ends, reader))
    return graph.with_(signals=tuple(longer if s is hit[0] else s for s in graph.signals))


def unread(graph: Graph, element: str) -> Graph:
    """The graph in which an element reads no signal."""
    kept = [replace(s, ends=tuple(e for e in s.ends if e.element != element)) for s in graph.signals]
    return graph.with_(signals=tuple(s for s in kept if s.ends))


def _found(graph: Graph, target: str, name: str) -> tuple[Graph, str, str, int]:
    owner, _, word = target.rpartition(".")
    item = graph.elements.get(owner)
    for port in item.ports() if item is not None else ():
        if isinstance(port, SignalPort) and port.name == word and port.direction == "out":
            return graph, owner, word, port.size
    if word in ("e", "f"):
        bond = _bond(graph, owner, word)
        if bond is not None:
            return _attached(graph, bond, owner, word)
    if target in graph.elements:
        return _found(graph, f"{target}.value", name) if _gives(graph.elements[target], "value") else _lost(graph, name)
    return _lost(graph, name)


def _gives(item: Element, port: str) -> bool:
    return any(isinstance(p, SignalPort) and p.name == port for p in item.ports())


def _lost(graph: Graph, name: str) -> tuple[Graph, str, str, int]:
    raise _unknown(graph, name)


def _unknown(graph: Graph, name: str) -> UnknownName:
    known = list(graph.aliases)
    for path, item in graph.elements.items():
        known += [f"{path}.{p.name}" for p in item.ports() if isinstance(p, SignalPort) and p.direction == "out"]
        if any(isinstance(p, PowerPort) for p in item.ports()):
            known += [f"{path}.e", f"{path}.f"]
    offer = "Prescribe an effort, a flow, a joint's coordinate or a sensor's signal; a Dq reads a displacement."
    return unknown_name("the model", name, known, offer=offer)


def _bond(graph: Graph, owner: str, word: str) -> Bond | None:
    """The bond whose effort or flow a name means: an element's, a port's, or any at a junction that shares it."""
    bonds = graph.bonds_of(owner)
    if bonds:
        kind = graph.elements[owner].causality
        shared = (kind == "one" and word == "f") or (kind == "zero" and word == "e")
        return bonds[0] if shared or len(bonds) == 1 else None
    element, _, port = owner.rpartition(".")
    return next((b for b in graph.bonds_of(element) if b.end(element).port == port), None)


def _attached(graph: Graph, bond: Bond, owner: str, word: str) -> tuple[Graph, str, str, int]:
    """A sensor on the junction that shares the variable, or else one in the bond."""
    kind, junctions = ("one", Df) if word == "f" else ("zero", De)
    frames = {name for f in (*graph.frames, *graph.planes) for name in f.junctions}
    path = f"{owner}.read_{word}"
    for end in (bond.tail.element, bond.head.element):
        if graph.elements[end].causality == kind and end not in frames:
            sensor = junctions(f"read_{word}", size=bond.size)
            link = Bond(f"{end}->{path}", End(end, "any"), End(path, "port"), bond.size, bond.domain)
            return (
                graph.with_(elements=graph.elements | {path: sensor}, bonds=(*graph.bonds, link)),
                path,
                "value",
                bond.size,
            )
    sensor = PowerSensor(f"read_{word}", size=bond.size)
    first = replace(bond, head=End(path, "a"))
    second = Bond(f"{path}->{bond.head.element}", End(path, "b"), bond.head, bond.size, bond.domain)
    bonds = tuple(first if b is bond else b for b in graph.bonds)
    grown = graph.with_(elements=graph.elements | {path: sensor}, bonds=(*bonds, second))
    return grown, path, "effort" if word == "e" else "flow", bond.size
