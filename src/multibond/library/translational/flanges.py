"""The ports of motion along one line, and the base of what sits between two of them."""

from __future__ import annotations

from multibond.graph.component import Part, component
from multibond.graph.port import Port, PowerPort
from multibond.units import TRANSLATION


def flange(name: str) -> PowerPort:
    """A translational flange."""
    return PowerPort(name, 1, TRANSLATION)


@component
class TwoFlanges(Part):
    """Base of parts between flange_a and flange_b; stretch and velocity count b against a, force pulls b back to a."""

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange_a"), flange("flange_b"))
