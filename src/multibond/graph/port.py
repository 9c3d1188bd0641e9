"""Where connections end: power ports, signal ports, and the bundles of them that mechanics needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from multibond.border import public
from multibond.units import ANY, ROTATION, TRANSLATION, Domain


@dataclass(frozen=True)
class PowerPort:
    """Where a bond ends.

    size: number of components; None when it follows from what is connected.
    inward: True when the law counts power into the element as positive, False for sources and outlets.
    common: which variable all ports share that are connected here ("flow": a 1-junction, "effort": a 0-junction).
    """

    name: str
    size: int | None = None
    domain: Domain = ANY
    inward: bool = True
    common: Literal["flow", "effort"] = "flow"


@dataclass(frozen=True)
class SignalPort:
    """Where a signal ends. `either` marks an equality: the element can give the value or take it.

    sign: what the signal must be for the element's law to hold, "positive" or "not negative"; a run is held to it.
    """

    name: str
    size: int = 1
    direction: Literal["in", "out", "either"] = "in"
    optional: bool = False
    sign: Literal["", "positive", "not negative"] = ""


@dataclass(frozen=True)
class FramePort:
    """A mechanical frame: rotation in body axes, translation in world axes, and the pose as two equality signals.

    optional: nothing needs to be connected to it.
    """

    name: str
    optional: bool = False

    @property
    def members(self) -> tuple[PowerPort | SignalPort, ...]:
        """The two bonds and two signals that make up the frame."""
        return (
            PowerPort(f"{self.name}.rotation", 3, ROTATION),
            PowerPort(f"{self.name}.translation", 3, TRANSLATION),
            SignalPort(f"{self.name}.attitude", 9, "either"),
            SignalPort(f"{self.name}.position", 3, "either"),
        )


@dataclass(frozen=True)
class PlanarFramePort(FramePort):
    """A frame in the plane: one bond (v_x, v_y, ω; f_x, f_y, torque) in world axes, and the pose as equality signals.

    Angles count counter-clockwise, about +z.
    """

    @property
    def members(self) -> tuple[PowerPort | SignalPort, ...]:
        """The bond and the two signals that make up the frame."""
        return (
            PowerPort(f"{self.name}.plane", 3),
            SignalPort(f"{self.name}.position", 2, "either"),
            SignalPort(f"{self.name}.angle", 1, "either"),
        )


Port = PowerPort | SignalPort | FramePort


@public
@dataclass(frozen=True)
class PortRef:
    """A port of a component, by the component's name; `origin` tells the component itself from its namesakes."""

    component: str
    port: str
    origin: object = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.component}.{self.port}"


def kind_of(port: Port) -> str:
    """The word for a port in messages."""
    if isinstance(port, FramePort):
        return "a planar frame" if isinstance(port, PlanarFramePort) else "a mechanical frame"
    if isinstance(port, SignalPort):
        return f"a signal{f' of {port.size}' if port.size > 1 else ''}"
    if port.domain is ANY:
        return f"a power port{f' of {port.size}' if port.size else ''}"
    article = "an" if port.domain.name[0] in "aeiou" else "a"
    return f"{article} {port.domain.name} port" + (f" of {port.size}" if port.size else "")
