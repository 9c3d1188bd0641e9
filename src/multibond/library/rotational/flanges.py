"""The ports of rotation about one axis, and the base of what sits between two of them."""

from __future__ import annotations

from multibond.graph.component import Part, component
from multibond.graph.port import Port, PowerPort
from multibond.units import ROTATION


def flange(name: str) -> PowerPort:
    """A rotational flange."""
    return PowerPort(name, 1, ROTATION)


@component
class TwoFlanges(Part):
    """Base of parts between flange_a and flange_b; twist and speed count b against a, torque pulls b back to a."""

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange_a"), flange("flange_b"))
