"""Which end computes each signal: an output, or for an equality the side that the tree chose."""

from __future__ import annotations

from multibond.errors import Finding, WiringError
from multibond.graph.graph import Graph, Reader, Signal
from multibond.graph.port import SignalPort
from multibond.structure.tree import Tree


def gives(graph: Graph, tree: Tree, end: Reader) -> bool:
    """Whether this end computes the signal."""
    port = next(p for p in graph.elements[end.element].ports() if isinstance(p, SignalPort) and p.name == end.port)
    if port.direction != "either":
        return port.direction == "out"
    role = tree.role.get(end.element, "cut")
    return (role == "outward" and end.port.endswith("_b")) or (role == "inward" and end.port.endswith("_a"))


def signal_givers(graph: Graph, tree: Tree) -> dict[str, Reader]:
    """The end that computes each signal; every signal that is read needs exactly one."""
    found: dict[str, Reader] = {}
    findings: list[Finding] = []
    for signal in graph.signals:
        givers = [end for end in signal.ends if gives(graph, tree, end)]
        if len(givers) == 1:
            found[signal.name] = givers[0]
        elif givers or any(not gives(graph, tree, end) for end in signal.ends):
            findings.append(_fault(signal, givers))
    if findings:
        raise WiringError(*findings)
    return found


def _fault(signal: Signal, givers: list[Reader]) -> Finding:
    names = [f"{end.element}.{end.port}" for end in (givers or signal.ends)]
    listed = ", ".join(repr(n) for n in names)
    if givers:
        return Finding(
            f"the signal {signal.name!r} is computed more than once.",
            f"{listed} all give it.",
            "Lead only one output to it; a closed chain of rods needs a joint somewhere.",
            tuple(end.element for end in givers),
        )
    return Finding(
        f"nothing computes the signal {signal.name!r}.",
        f"It is read by {listed}.",
        "Connect an output to it.",
        tuple(end.element for end in signal.ends),
    )
