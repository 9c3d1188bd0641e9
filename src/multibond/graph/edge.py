"""Edges as the user draws them. They refer to components by number, so that renaming keeps them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class At:
    """A component's port; an empty port means "the one that fits"."""

    component: int
    port: str = ""


@dataclass(frozen=True)
class Connection:
    """Ports joined to one: frames, flanges, pins."""

    ends: tuple[At, ...]


@dataclass(frozen=True)
class PowerBond:
    """A bond with its half-arrow from tail to head."""

    tail: At
    head: At
    size: int | None = None


@dataclass(frozen=True)
class SignalLink:
    """A signal from the first end to the others, or an equality of all ends."""

    ends: tuple[At, ...]
    equality: bool = False


Edge = Connection | PowerBond | SignalLink
EDGE_ENDS = {Connection: "ends", SignalLink: "ends"}


def ends_of(edge: Edge) -> tuple[At, ...]:
    """Every end of an edge."""
    return (edge.tail, edge.head) if isinstance(edge, PowerBond) else edge.ends
