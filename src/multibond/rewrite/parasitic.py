"""Constraints replaced by stiff springs and dampers on their gaps: the method "rc" (Boudon et al., after Rideout)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from multibond.elements import C, Constraint, One, R
from multibond.errors import Finding, ParameterError
from multibond.graph.graph import Bond, End, Graph, Reader, Signal


@dataclass(frozen=True)
class Parasitic:
    """Stiffness and damping of what stands for a constraint.

    stiffness  [N/m], damping  [N.s/m]; turning_stiffness  [N.m/rad], turning_damping  [N.m.s/rad].
    assemble: False to begin where the start values stand, though joints may be apart there: the springs pull them
    together. A start that cannot be assembled begins apart in any case.
    """

    stiffness: float = 1e7
    damping: float = 200.0
    turning_stiffness: float = 1e7
    turning_damping: float = 200.0
    assemble: bool = True

    def __post_init__(self) -> None:
        stiff, damp = (self.stiffness, self.turning_stiffness), (self.damping, self.turning_damping)
        if all(value > 0 for value in stiff) and all(value >= 0 for value in damp):
            return
        told = ", ".join(f"{name} {value:g}" for name, value in vars(self).items() if name != "assemble")
        fact = "A spring holds a joint together only where it is positive, and a damper must take energy."
        raise ParameterError(Finding(f"Parasitic cannot have {told}.", fact, "Give positive numbers."))


def with_parasitics(graph: Graph, values: Parasitic, soft: Mapping[str, Constraint]) -> Graph:
    """Put a C and an R, marked parasitic, in the place of constraints that have a gap."""
    for path, item in soft.items():
        graph = _soften(graph, path, item, values)
    return graph


def _soften(graph: Graph, path: str, item: Constraint, values: Parasitic) -> Graph:
    turning = item.role == "rotation"
    stiffness = values.turning_stiffness if turning else values.stiffness
    damping = values.turning_damping if turning else values.damping
    size = graph.bonds_of(path)[0].size
    domain = graph.bonds_of(path)[0].domain
    spring, damper = f"{path}.parasitic_c", f"{path}.parasitic_r"
    elements = {k: e for k, e in graph.elements.items() if k != path}
    elements[path] = One(item.name, size=size)
    elements[spring] = C("parasitic_c", 1 / stiffness, size=size, role="parasitic")
    elements[damper] = R("parasitic_r", damping, size=size, role="parasitic")
    bonds = tuple(
        replace(b, tail=_end(b.tail, path), head=_end(b.head, path)) if path in (b.tail.element, b.head.element) else b
        for b in graph.bonds
    )
    new = tuple(
        Bond(f"{path}->{other}", End(path, "any"), End(other, "port"), size, domain) for other in (spring, damper)
    )
    signals = tuple(_lead_gap(s, path, spring) for s in graph.signals)
    return graph.with_(elements=dict(sorted(elements.items())), bonds=(*bonds, *new), signals=signals)


def _end(end: End, path: str) -> End:
    return End(path, "any") if end.element == path else end


def _lead_gap(signal: Signal, path: str, spring: str) -> Signal:
    ends = tuple(
        Reader(spring, "displacement", e.select) if (e.element, e.port) == (path, "gap") else e for e in signal.ends
    )
    return replace(signal, ends=ends)
