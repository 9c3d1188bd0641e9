"""How many storages are independent: the dimension of the states that can be chosen freely, from strokes alone.

Every storage component in integral causality is a state. One in derivative causality is a state all the same where what
it gives acts on what it takes without an integration (a C behind a resistor, its stroke forced by a one-way coupler):
then its law is an equation for its rate. A component that is given from both ends takes a state away, unless the
variable that is free there acts back on what must agree. So, with the variables given by dependent storages and free at
doubled components as inputs, and what these take or agree on as outputs,

    independent = integral - doubled + rank of the gains from inputs to outputs.

The rank is taken at random gains that keep the power balance of every element: a path and its dual through a mesh
without loss cancel, whatever the numbers. Conditions that appear only when equations are differentiated (hidden ones)
take away further states; they are not seen here. Where conditions repeat one another (a singular graph, redundant
constraints) the number is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from multibond.graph.graph import Graph
from multibond.structure.causality import Causality
from multibond.structure.dependence import Node
from multibond.structure.signals import Link, SignalGraph, given_by

ZERO = 1e-9
"""Singular values below this part of the largest are rounding."""


def independent_storages(graph: Graph, causality: Causality, signals: SignalGraph) -> int:
    """The number of storage components that can be chosen freely, as far as structure tells; joints are not counted."""
    late = [node for path, lanes in causality.dependent for node in _lanes(graph, causality, path, lanes)]
    twice = [Node(name, k, what).dual for (name, k), what in causality.doubled.items()]
    free = [*twice, *_multipliers(graph, causality)]
    rank = _feedback_rank(graph, signals, [*late, *free], frozenset(twice))
    return max(0, storage_components(graph) - len(late) - len(free) + rank)


def storage_components(graph: Graph, *paths: str) -> int:
    """The number of components of all storages, or of given ones; one that follows a given displacement has none."""
    words = [
        graph.elements[path].causality_at(bond.end(path).port, k)
        for path in paths or graph.elements
        if graph.signal_at(path, "displacement") is None
        for bond in graph.bonds_of(path)
        for k in range(bond.size)
    ]
    return sum(word.startswith("prefers") for word in words)


def _lanes(graph: Graph, causality: Causality, path: str, lanes: tuple[int, ...]) -> list[Node]:
    given = given_by(graph, causality, path)
    return [given[k] for k in lanes]


def _multipliers(graph: Graph, causality: Causality) -> list[Node]:
    """Efforts of constraints that take a flow and hold it; those of closed loops of joints are not counted."""
    found = []
    for path in sorted(graph.elements):
        if graph.signal_at(path, "gap") is None:
            lanes = [(b, k) for b in graph.bonds_of(path) for k in range(b.size)]
            word = graph.elements[path].causality_at
            held = [(b, k) for b, k in lanes if word(b.end(path).port, k) == "constraint"]
            found += [Node(b.name, k, "effort") for b, k in held if not causality.gives_flow(b, path, k)]
    return found


# -- gains ---------------------------------------------------------------------------------------------------------


def _feedback_rank(graph: Graph, signals: SignalGraph, inputs: Sequence[Node], twice: frozenset[Node]) -> int:
    """The rank of the algebraic gains from given variables to their duals, at random gains."""
    outputs, free = [node.dual for node in inputs], frozenset(inputs)
    links = _between([x for x in signals.links if x.order == 0 and x.target not in free], inputs, outputs)
    if not links:
        return 0
    place = {node: k for k, node in enumerate(dict.fromkeys((*inputs, *outputs, *(x.target for x in links))))}
    gains = np.zeros((len(place), len(place)))
    for link, gain in zip(links, _random_gains(graph, links, twice), strict=True):
        gains[place[link.target], place[link.source]] += gain
    columns = np.eye(len(place))[:, [place[node] for node in inputs]]
    effect = np.linalg.solve(np.eye(len(place)) - gains, columns)[[place[node] for node in outputs]]
    sizes = np.linalg.svd(effect, compute_uv=False)
    return int((sizes > ZERO * max(sizes.max(initial=0.0), 1.0)).sum())


def _between(links: list[Link], inputs: Sequence[Node], outputs: Sequence[Node]) -> list[Link]:
    """The links on some path from inputs to outputs."""
    after = _reached([(link.source, link.target) for link in links], inputs)
    before = _reached([(link.target, link.source) for link in links], outputs)
    return [link for link in links if link.source in after and link.target in before]


def _reached(pairs: list[tuple[Node, Node]], start: Iterable[Node]) -> set[Node]:
    onward: dict[Node, list[Node]] = {}
    for source, target in pairs:
        onward.setdefault(source, []).append(target)
    found, queue = set(start), list(start)
    while queue:
        for node in onward.get(queue.pop(), ()):
            if node not in found:
                found.add(node)
                queue.append(node)
    return found


def _random_gains(graph: Graph, links: list[Link], twice: frozenset[Node]) -> list[float]:
    """A gain for each link: skew in every element, with a positive diagonal where it loses power.

    Power counts into each element, so a flow changes its sign from one element to the next. A component whose flow is
    free at both ends enters them with opposite signs, and their efforts are compared.
    """
    rng = np.random.default_rng(7)
    tail = {bond.name: bond.tail.element for bond in graph.bonds}
    values: dict[tuple[Node, Node, str], float] = {}
    found = []
    for link in links:
        dual = (link.target.dual, link.source.dual, link.element)
        value = -values[dual] if dual in values and link.source != link.target.dual else float(rng.uniform(0.5, 2.0))
        values[link.source, link.target, link.element] = value
        value *= -1.0 if link.source.what == "flow" else 1.0
        for node, free in ((link.source, link.source), (link.target, link.target.dual)):
            turned = free in twice and free.what == "flow" and tail[node.name] == link.element
            value *= -1.0 if turned else 1.0
        found.append(value)
    return found
