"""Edges as the user draws them. They refer to components by number, so that renaming keeps them."""

from __future__ import annotations

from dataclasses import dataclass, replace


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


def without(edge: Edge, component: int) -> Edge | None:
    """The edge without the ends at a component; None where fewer than two ends or no source of a signal are left."""
    ends = ends_of(edge)
    left = tuple(at for at in ends if at.component != component)
    if left == ends:
        return edge
    headless = isinstance(edge, SignalLink) and not edge.equality and left[:1] != ends[:1]
    if isinstance(edge, PowerBond) or headless or len(left) < 2:
        return None
    return replace(edge, ends=left)


def ends_of(edge: Edge) -> tuple[At, ...]:
    """Every end of an edge."""
    return (edge.tail, edge.head) if isinstance(edge, PowerBond) else edge.ends
