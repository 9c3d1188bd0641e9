"""The pins of circuits, and the base of what has two of them."""

from __future__ import annotations

from multibond.elements import Se
from multibond.graph.component import Element, Part, component
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort
from multibond.library.drawing import through
from multibond.units import ELECTRICAL


def pin(name: str) -> PowerPort:
    """An electrical pin: all that is joined here has one voltage."""
    return PowerPort(name, 1, ELECTRICAL, common="effort")


@component
class TwoPin(Part):
    """Base of parts with a positive and a negative pin; current counts from pin_p to pin_n, voltage p above n."""

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin_p"), pin("pin_n"))

    def path(self, inside: Inside) -> Element:
        """Draw the path of the current; returns its 1-junction."""
        return through(inside, "pin_p", "pin_n", "current")


@component
class FourPin(Part):
    """Base of parts with two pairs of pins, pin_p1 and pin_n1, pin_p2 and pin_n2."""

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin_p1"), pin("pin_n1"), pin("pin_p2"), pin("pin_n2"))


@component
class Ground(Part):
    """A pin at zero volts.

    >>> Ground()
    """

    name: str = "ground"

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Se("earth", 0.0, size=1)), inside.own("pin"))


ALL = (Ground,)
