"""Put a part into a graph that is open already: how floating bodies get their joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibond.graph.component import Element, Part
from multibond.graph.expand import Draft, bonds_of, open_part, signal_port
from multibond.graph.frames import Terminal
from multibond.graph.graph import End, Frame, Graph, PlanarFrame, Reader, Signal
from multibond.graph.junctions import junction_for
from multibond.graph.port import PowerPort
from multibond.graph.sizes import settle_sizes


def insert_part(graph: Graph, part: Part, path: str, frames: Mapping[str, Frame | PlanarFrame]) -> Graph:
    """The graph with one more part whose frame ports are joined to existing frames."""
    draft = Draft()
    open_part(part, path, draft)
    place: dict[str, str] = {}
    for port, frame in frames.items():
        place |= {f"{path}.{port}.{member}": name for member, name in frame.members.items()}
    elements: dict[str, Element] = dict(draft.elements)
    used = {t.path for tail, head, _ in draft.bonds for t in (tail, head) if isinstance(t, Terminal)}
    for terminal in (draft.terminals[path] for path in used if path not in place):
        if isinstance(terminal.port, PowerPort):
            elements[terminal.path] = junction_for(terminal.port)
    for frame in frames.values():
        for junction in frame.junctions:
            elements[junction] = graph.elements.get(junction) or junction_for(PowerPort("any", 3))
    draft.bonds = [(_moved(tail, place), _moved(head, place), size) for tail, head, size in draft.bonds]
    bonds = bonds_of(draft, elements)
    elements, bonds = settle_sizes(elements, bonds, {"": 1})
    signals = _merge_signals(graph, draft, place)
    return graph.with_(
        elements=dict(sorted({**graph.elements, **elements}.items())),
        bonds=tuple(sorted((*graph.bonds, *bonds), key=lambda b: b.name)),
        signals=signals,
        parameters={**graph.parameters, **draft.parameters},
        aliases={**graph.aliases, **draft.aliases},
        starts={**graph.starts, **draft.starts},
        sought={**graph.sought, **draft.sought},
        origins={**graph.origins, **draft.origins},
    )


def _moved(end: Any, place: dict[str, str]) -> Any:
    return Terminal(place[end.path], end.port) if isinstance(end, Terminal) and end.path in place else end


def _merge_signals(graph: Graph, draft: Draft, place: dict[str, str]) -> tuple[Signal, ...]:
    table = {s.name: s for s in graph.signals}
    for link in draft.links:
        terminal = next((e for e in link if isinstance(e, Terminal)), None)
        readers = tuple(Reader(e.element, e.port) for e in link if isinstance(e, End))
        if terminal is None:
            name = f"{readers[0].element}.{readers[0].port}"
            size = signal_port(draft.elements, readers[0], []).size
        else:
            name = place.get(terminal.path, terminal.path)
            size = terminal.port.size or 1
        old = table.get(name)
        table[name] = Signal(name, size, (*(old.ends if old else ()), *readers))
    return tuple(table[name] for name in sorted(table))
