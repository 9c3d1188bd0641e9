"""What a port of a sub-model stands for inside: the port of a part, or through all levels that of an element."""

from __future__ import annotations

from multibond.errors import Finding, WiringError
from multibond.graph.component import Component, Element
from multibond.graph.graph import End
from multibond.graph.junctions import Junction
from multibond.graph.model import Submodel
from multibond.graph.port import FramePort, Port, PowerPort, SignalPort


def element_end(item: Component, path: str, port: str) -> End | None:
    """The element's port behind a component's port, through all levels; None where a part draws the port itself."""
    name, bracket, lane = port.partition("[")
    while isinstance(item, Submodel):
        at = item.sheet.exposed[name]
        item = item.sheet.components[at.component]
        path, name = f"{path}.{item.name}", at.port
    return End(path, f"{name}{bracket}{lane}") if isinstance(item, Element) else None


def drawn_ports(item: Component, path: str) -> tuple[Port, ...]:
    """The ports of a part that are no element's own: those that others are joined to."""
    return tuple(port for port in item.ports() if element_end(item, path, port.name) is None)


def require_joinable(item: Component, path: str, port: str) -> None:
    """Ports of parts are connected; an element's port that a sub-model exposes takes a bond or a signal."""
    if isinstance(item, Submodel) and element_end(item, path, port) is not None:
        problem = f"'{path}.{port}' cannot be connected."
        fact = "It is the port of an element, which takes a bond or a signal."
        raise WiringError(Finding(problem, fact, "Use bond() for power and signal() for signals.", (path,)))


def plain_port(item: Component, path: str, port: str) -> str:
    """The path of a part's port that a bond or a signal ends at; a frame takes neither."""
    if any(p.name == port for p in item.ports() if isinstance(p, FramePort)):
        raise WiringError(at_frame(f"{path}.{port}", path))
    return f"{path}.{port}"


def at_frame(end: str, path: str) -> Finding:
    """The fault of a bond or signal that ends at a frame."""
    fact = "A frame is two bonds and a pose in one, which only another frame fits."
    return Finding(f"a bond or signal cannot end at {end!r}.", fact, "Use connect() for frames.", (path,))


def bonded_to_itself(path: str) -> Finding:
    """The fault of a bond from a component to itself."""
    return Finding(f"{path!r} is bonded to itself.", "A bond has two different ends.", "Remove the bond.", (path,))


def waiting_ports(item: Submodel, path: str) -> list[str]:
    """Ports that must be led on outside: power ports of elements other than junctions, and signals that they need."""
    found = []
    for port in item.ports():
        if element_end(item, path, port.name) is None or _ends_at_junction(item, port.name):
            continue
        needed = isinstance(port, SignalPort) and port.direction == "in" and not port.optional
        if needed or isinstance(port, PowerPort):
            found.append(port.name)
    return found


def _ends_at_junction(item: Component, port: str) -> bool:
    while isinstance(item, Submodel):
        at = item.sheet.exposed[port]
        item, port = item.sheet.components[at.component], at.port
    return isinstance(item, Junction)
