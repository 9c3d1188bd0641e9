"""Vector bonds into scalar bonds (Boudon et al., procedure of Fig. 11): the same graph, one component at a time.

A vector element becomes one scalar element a component where its law couples none; a field stays one element with
scalar ports. A coupler becomes a scalar one for each entry of its modulus, between junctions that follow from its
causality; the Euler gyrator becomes a ring of three modulated gyrators. Causality is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from multibond.elements import GY, MGY, MTF, TF, EulerGyrator, FreeMotion, One, Zero
from multibond.elements.sensors import Sensor
from multibond.errors import Finding, WiringError, raise_findings
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph, Signal
from multibond.graph.junctions import Junction, PowerSensor, Wires
from multibond.graph.natural import natural
from multibond.graph.port import PowerPort, SignalPort
from multibond.rewrite.components import component, separable
from multibond.rewrite.junctions import CANCEL, MERGE, THROUGH
from multibond.rewrite.rule import everywhere
from multibond.rewrite.trivial import TRIVIAL
from multibond.rewrite.unfold_couplers import unfold_gyrator, unfold_ring, unfold_transformer
from multibond.rewrite.unfold_draft import Draft
from multibond.rewrite.unfold_names import LaneNames
from multibond.structure.causality import Causality


def unfold(graph: Graph, causality: Causality, *, simple: bool = False) -> Graph:
    """The graph with every vector bond unfolded.

    simple: transformers that do nothing and junctions that only lead through go, those that meet are merged, as one
    would draw it by hand.
    """
    plain = _unfolded(graph, causality)
    for rule in (TRIVIAL, MERGE, THROUGH, CANCEL) if simple else ():
        plain = everywhere(rule, plain).after
    return plain


def _require_complete(graph: Graph) -> None:
    """What has vector ports can be unfolded only where each has its bond, and a law where it has its signals."""
    findings = []
    for path, item in graph.elements.items():
        wanted = {p.name for p in item.ports() if isinstance(p, PowerPort)} - {"any"}
        lost = sorted(wanted - {b.end(path).port for b in graph.bonds_of(path)})
        if lost:
            problem = f"{type(item).__name__} {path!r} is not fully bonded."
            fact = f"Its port {lost[0]!r} has no bond, so that its components cannot be told."
            findings.append(Finding(problem, fact, "Bond it to a junction.", (path,)))
        inputs = [p for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in" and not p.optional]
        waiting = [p.name for p in inputs if graph.signal_at(path, p.name) is None]
        if waiting:
            problem = f"{type(item).__name__} {path!r} waits for the signal {waiting[0]!r}."
            cure = "Lead a sensor's value or another signal to it."
            findings.append(Finding(problem, "Nothing is led to it.", cure, (path,)))
    raise_findings(WiringError, findings)


def _unfolded(graph: Graph, causality: Causality) -> Graph:
    _require_complete(graph)
    draft = Draft(graph, causality)
    for path, item in graph.elements.items():
        _unfold_element(draft, path, item)
    for bond in graph.bonds:
        for k in range(bond.size):
            tail, head = (_lane_end(draft, end, k, bond.size) for end in (bond.tail, bond.head))
            draft.lanes[bond.name, k] = draft.bond(tail, head, bond)
    signals = [_signal(draft, s) for s in graph.signals]
    return Graph(
        {path: draft.elements[path] for path in sorted(draft.elements, key=natural)},
        tuple(_unique(draft.bonds)),
        tuple(s for s in (*signals, *draft.signals) if s.ends),
        (),
        graph.parameters,
        LaneNames(draft).all(),
        _starts(graph, draft),
        sought=graph.sought,
        origins=graph.origins,
        surroundings=graph.surroundings,
        opened=graph.opened,
    )


def _unique(bonds: list[Bond]) -> list[Bond]:
    seen: dict[str, int] = {}
    out = []
    for bond in sorted(bonds, key=lambda b: b.name):
        seen[bond.name] = seen.get(bond.name, 0) + 1
        out.append(bond if seen[bond.name] == 1 else replace(bond, name=f"{bond.name}#{seen[bond.name]}"))
    return out


def _lane_path(path: str, k: int, size: int) -> str:
    return path if size == 1 else f"{path}.{k + 1}"


def _lane_end(draft: Draft, end: End, k: int, size: int) -> End:
    """Where component k of an old bond ends now."""
    return draft.lane[end.element, end.port, k] if end.port != "any" else End(_lane_path(end.element, k, size), "any")


def _starts(graph: Graph, draft: Draft) -> dict[str, dict[str, Any]]:
    """Start values go to the components; those of joints stay whole."""
    starts: dict[str, dict[str, Any]] = {}
    for path, values in graph.starts.items():
        if path in draft.elements:
            starts[path] = values
            continue
        size = graph.bonds_of(path)[0].size
        for k in range(size):
            starts[f"{path}.{k + 1}"] = {name: value.spread(size).take([k]) for name, value in values.items()}
    return starts


def _signal(draft: Draft, old: Signal) -> Signal:
    kept = [e for e in old.ends if e.element in draft.elements and _has_port(draft.elements[e.element], e.port)]
    extra = [
        r for r in draft.readers.get(old.name, []) if (r.element, r.port) not in {(e.element, e.port) for e in kept}
    ]
    return replace(old, ends=(*kept, *extra))


def _has_port(item: Element, port: str) -> bool:
    return any(p.name == port for p in item.ports())


# -- elements --------------------------------------------------------------------------------------------------------


def _unfold_element(draft: Draft, path: str, item: Element) -> None:
    bonds = draft.old.bonds_of(path)
    if isinstance(item, Junction):
        for k in range(bonds[0].size if bonds else 0):
            draft.add(_lane_path(path, k, bonds[0].size), type(item)(item.name, size=1))
    elif isinstance(item, PowerSensor):
        _keep_whole(draft, path, item, bonds)
    elif isinstance(item, Wires):
        _unfold_wires(draft, path, item)
    elif isinstance(item, TF | MTF | GY | MGY) and all(bond.size == 1 for bond in bonds):
        draft.add(path, item)
        draft.lane |= {(path, bond.end(path).port, 0): End(path, bond.end(path).port) for bond in bonds}
    elif isinstance(item, TF | MTF):
        unfold_transformer(draft, path, item)
    elif isinstance(item, GY | MGY):
        unfold_gyrator(draft, path, item)
    elif isinstance(item, EulerGyrator):
        unfold_ring(draft, path, item)
    elif not bonds:
        draft.add(path, item)
    elif len(bonds) == 1 and (bonds[0].size == 1 or _falls_apart(draft, path, item, bonds[0])):
        _split_components(draft, path, item, bonds[0])
    else:
        _keep_whole(draft, path, item, bonds)


def _falls_apart(draft: Draft, path: str, item: Element, bond: Bond) -> bool:
    """Whether a vector element is the same as several scalar ones; joints and sensors stay what they are."""
    read = {port: hit for port in _inlets(item) if (hit := draft.old.signal_at(path, port)) is not None}
    sizes = {port: len(reader.select or range(signal.size)) for port, (signal, reader) in read.items()}
    takes_flow = not draft.causality.gives_flow(bond, path)
    return not isinstance(item, FreeMotion | Sensor) and separable(item, bond.size, sizes, takes_flow)


def _inlets(item: Element) -> list[str]:
    return [p.name for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in"]


def _keep_whole(draft: Draft, path: str, item: Element, bonds: Sequence[Bond]) -> None:
    """The element stays one, with scalar ports where its bonds were vectors."""
    twin = copy.copy(item)
    vector = max(b.size for b in bonds)
    object.__setattr__(twin, "split", vector > 1)
    if vector > 1 and item.size is None:
        object.__setattr__(twin, "size", vector)
    draft.add(path, twin)
    drawn = {p.name for p in twin.ports()}
    for bond in bonds:
        port = bond.end(path).port
        if bond.size > 1 and port in drawn:
            raise WiringError(_no_lanes(path, item, port))
        for k in range(bond.size):
            draft.lane[path, port, k] = End(path, port if port in drawn else f"{port}_{k + 1}")


def _no_lanes(path: str, item: Element, port: str) -> Finding:
    return Finding(
        f"{type(item).__name__} {path!r} cannot be unfolded.",
        f"Its port {port!r} has several components and is never drawn as scalar ports.",
        "Let the class return self.lanes(...) of its power ports from ports().",
        (path,),
    )


def _split_components(draft: Draft, path: str, item: Element, bond: Bond) -> None:
    for k in range(bond.size):
        name = _lane_path(path, k, bond.size)
        draft.add(name, component(item, k, bond.size))
        draft.lane[path, bond.end(path).port, k] = End(name, bond.end(path).port)
        for port in _inlets(item) if bond.size > 1 else []:
            draft.read(draft.old.signal_at(path, port), name, port, k)


def _unfold_wires(draft: Draft, path: str, item: Wires) -> None:
    """A junction of two bonds for each pair of lanes: 1 where the half-arrows go through, 0 where they meet."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    for k, ((x, i), (y, j)) in enumerate(item.wires({name: bond.size for name, bond in at.items()})):
        agree = at[x].into(path) != at[y].into(path)
        name = draft.add(f"{path}.{k + 1}", (One if agree else Zero)(item.name, size=1))
        draft.lane[path, x, i] = draft.lane[path, y, j] = End(name, "any")
