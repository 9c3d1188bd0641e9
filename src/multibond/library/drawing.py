"""How parts of one bond are drawn inside: what flows through, what moves between, losses with their heat, and values
that a number, a formula of time or a signal gives.
"""

from __future__ import annotations

from typing import Any

from multibond.elements import RS, C, De, Df, Dq, MSe, MSf, One, R, Se, Sf, Zero, blocks
from multibond.formula import Formula
from multibond.graph.component import Element, Number
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PortRef, PowerPort, SignalPort
from multibond.units import THERMAL


def between_flanges(inside: Inside, name: str = "relative") -> Element:
    """Draw the motion of flange_b against flange_a; returns its 1-junction. Effort in it pulls the flanges together."""
    difference = inside.add(Zero("difference", size=1))
    path = inside.add(One(name, size=1))
    inside.bond(inside.own("flange_b"), difference)
    inside.bond(difference, inside.own("flange_a"))
    inside.bond(difference, path)
    return path


def spring_and_damper(inside: Inside, stiffness: Number, damping: Number, stretch: Number) -> None:
    """Draw a spring between the flanges, stretched so at the start, and a damper beside it."""
    path = between_flanges(inside)
    spring = inside.add(C("spring", 1 / stiffness, size=1))
    inside.bond(path, spring)
    loss(inside, path, "damper", False, resistance=damping)
    inside.start(spring, state=stretch)


def through(inside: Inside, inlet: str, outlet: str, name: str) -> Element:
    """Draw the flow from one port to another; returns its 1-junction."""
    path = inside.add(One(name, size=1))
    inside.bond(inside.own(inlet), path)
    inside.bond(path, inside.own(outlet))
    return path


def input_port(*values: Number) -> tuple[Port, ...]:
    """The signal port `input` where a value is left out."""
    return (SignalPort("input", 1, "in"),) if any(value is None for value in values) else ()


def effort_source(inside: Inside, name: str, value: Number) -> Element:
    """A source of effort: a number or formula of time, or what arrives at `input`."""
    if value is not None:
        return inside.add(Se(name, value, size=1))
    source = inside.add(MSe(name, size=1))
    inside.signal(inside.own("input"), source.effort)
    return source


def flow_source(inside: Inside, name: str, value: Number) -> Element:
    """A source of flow: a number or formula of time, or what arrives at `input`."""
    if value is not None:
        return inside.add(Sf(name, value, size=1))
    source = inside.add(MSf(name, size=1))
    inside.signal(inside.own("input"), source.flow)
    return source


def lead(inside: Inside, value: Number, name: str, target: PortRef) -> None:
    """Lead a number, a formula of time, or what arrives at `input` to an inner signal port."""
    if value is None:
        inside.signal(inside.own("input"), target)
        return
    block = blocks.Function(name, value) if isinstance(value, Formula) else blocks.Constant(name, value)
    inside.signal(inside.add(block).y, target)


def heat_port(wanted: bool) -> tuple[Port, ...]:
    """The thermal port `heat`, where a part has one."""
    return (PowerPort("heat", 1, THERMAL, common="effort"),) if wanted else ()


def loss(inside: Inside, path: Element, name: str, heat: bool, **law: Any) -> None:
    """Hang a resistance on a 1-junction; with `heat` the lost power leaves at the port `heat`."""
    if not heat:
        inside.bond(path, inside.add(R(name, size=1, **law)))
        return
    warm = inside.add(RS(name, size=1, **law))
    inside.bond(path, warm.a)
    inside.bond(warm.heat, inside.own("heat"))


def loss_names(name: str, heat: bool, effort: str, flow: str) -> dict[str, str]:
    """Household names of a loss: its effort, its flow, and the entropy that leaves at `heat`."""
    if not heat:
        return {effort: f"{name}.e", flow: f"{name}.f"}
    return {effort: f"{name}.a.e", flow: f"{name}.a.f", "entropy_flow": f"{name}.heat.f"}


def sense(inside: Inside, sensor: De | Df | Dq, where: Any, signal: str) -> None:
    """Attach a sensor and lead its value out."""
    inside.add(sensor)
    inside.bond(where, sensor)
    inside.signal(sensor.value, inside.own(signal))
