"""What a user wants of the strokes: which wishes can be meant, what they ask for, what to say where one is missed."""

from __future__ import annotations

from collections.abc import Mapping

from multibond.errors import Finding, ModelError, unknown_name
from multibond.graph.graph import Bond, Graph

WISHES = ("integral", "derivative", "gives effort", "gives flow")


def require_possible(graph: Graph, wishes: Mapping[str, str]) -> None:
    """Refuse wishes for elements that are not there, and words that mean nothing."""
    for name, word in wishes.items():
        path = name.partition("[")[0]
        if path not in graph.elements:
            raise unknown_name("the graph", path, graph.elements, offer="Name elements.")
        storage = any(w.startswith("prefers") for w in _words(graph, path))
        if word not in (WISHES if storage else WISHES[2:]):
            known = ", ".join(WISHES if storage else WISHES[2:])
            raise ModelError(
                Finding(f"{path!r} cannot be preferred {word!r}.", f"It may be one of {known}.", "Choose one.", (path,))
            )


def _words(graph: Graph, path: str) -> list[str]:
    return [graph.elements[path].causality_at(b.end(path).port, k) for b in graph.bonds_of(path) for k in range(b.size)]


def wanted(graph: Graph, wishes: Mapping[str, str]) -> list[tuple[Bond, str, int, bool]]:
    """Components with a wish: bond, element, component, and whether the element is to give the flow."""
    found = []
    for name, word in sorted(wishes.items()):
        path, bracket, lane = name.partition("[")
        lanes = [(b, k) for b in graph.bonds_of(path) for k in range(b.size)]
        for i, (bond, k) in enumerate(lanes):
            if not bracket or i == int(lane.rstrip("]")):
                usual = graph.elements[path].causality_at(bond.end(path).port, k) == "prefers flow"
                flow = {"integral": usual, "derivative": not usual, "gives flow": True, "gives effort": False}[word]
                found.append((bond, path, k, flow))
    return found


def not_to_be_had(bond: Bond, path: str, k: int, cause: str) -> Finding:
    """A wish that was missed, and what stands against it."""
    component = f" (component {k})" if bond.size > 1 else ""
    return Finding(
        f"{path!r} cannot be given the causality asked for{component}.",
        f"{cause!r} decides the bond between them already.",
        f"Change {cause!r}, or put a C, an I or an R between them.",
        tuple(dict.fromkeys((path, cause))),
    )
