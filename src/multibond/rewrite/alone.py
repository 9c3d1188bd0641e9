"""One piece at a time: a part or sub-model as a machine of its own, its open ports closed in the plainest way.

Frames float (or stand in a world of their own, for gravity), flanges are free, pins are open with one of them grounded,
signals that are waited for are zero.
"""

from __future__ import annotations

from multibond.elements import Anchor
from multibond.elements.blocks import Constant
from multibond.graph.check import check
from multibond.graph.component import Component, Element
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model, Submodel
from multibond.graph.port import FramePort, Port, PowerPort, SignalPort
from multibond.library.electrical import Ground
from multibond.library.spatial import World
from multibond.units import ELECTRICAL


def alone(item: Component) -> Model:
    """A model of one part, named as in the whole, with its open ports closed.

    >>> simulate(alone(robot["wrist"]), 1.0)
    """
    model = Model(item.name)
    model.add(item)
    ports = item.ports() if not isinstance(item, Element) else ()
    if any(isinstance(port, FramePort) for port in ports) and not _has_world(item):
        model.add(World(_free(item, "world")))
    _ground(model, item, ports)
    for port in ports:
        if isinstance(port, SignalPort) and port.direction == "in" and not port.optional:
            zero = model.add(Constant(_free(item, f"zero_{port.name}"), (0.0,) * port.size if port.size > 1 else 0.0))
            model.signal(zero.y, f"{item.name}.{port.name}")
    return model


def graph_alone(item: Component) -> Graph:
    """The graph of one part with its open ports closed."""
    if isinstance(item, Submodel):
        inside = Model(item.name, size=item.size)
        inside.sheet = item.sheet
        check(inside)
    return expand(alone(item))


def _has_world(item: Component) -> bool:
    model = Model(item.name)
    model.add(item)
    return any(True for _ in expand(model).of_type(Anchor))


def _ground(model: Model, item: Component, ports: tuple[Port, ...]) -> None:
    """One pin is the reference of all voltages; the others carry no current."""
    pins = [port for port in ports if isinstance(port, PowerPort) and port.domain is ELECTRICAL]
    if len(pins) > 1:
        ground = model.add(Ground(_free(item, "ground")))
        model.connect(f"{item.name}.{pins[-1].name}", ground.pin)


def _free(item: Component, name: str) -> str:
    return name if item.name != name else f"{name}_2"
