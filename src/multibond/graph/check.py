"""All faults of a model at once: what is unconnected, doubled, or of the wrong kind, before anything is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import networkx as nx

from multibond.errors import TOLD, Finding, ModelError, raise_findings
from multibond.graph.component import Element
from multibond.graph.edge import Connection, PowerBond, ends_of
from multibond.graph.exposed import at_frame, bonded_to_itself, waiting_ports
from multibond.graph.inert import Inert, inert_finding
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import FramePort, PowerPort, SignalPort


def faults(model: Model) -> list[Finding]:
    """Every fault found, without raising."""
    return _sheet_faults(model.sheet, model.name, "") + inert_faults(model.sheet)


def check(model: Model) -> None:
    """Raise all faults as one error."""
    raise_findings(ModelError, faults(model))


def inert_faults(sheet: Sheet) -> list[Finding]:
    """Every inert box, also in models within: nobody knows its law. Nearest names are looked for where it is told."""
    return [inert_finding(item, path, near=k < TOLD) for k, (path, item) in enumerate(_inert(sheet, ""))]


def _inert(sheet: Sheet, prefix: str) -> Iterator[tuple[str, Inert]]:
    for item in sheet.components.values():
        if isinstance(item, Inert):
            yield f"{prefix}{item.name}", item
        elif isinstance(item, Submodel):
            yield from _inert(item.sheet, f"{prefix}{item.name}.")


def _sheet_faults(sheet: Sheet, name: str, prefix: str) -> list[Finding]:
    findings: list[Finding] = []
    if not sheet.components:
        findings.append(Finding(f"{name!r} is empty.", "It has no component.", "Add parts or elements."))
    used: dict[int, list[str]] = {}
    for edge in sheet.edges:
        for at in ends_of(edge):
            used.setdefault(at.component, []).append(at.port)
    exposed = {(at.component, at.port) for at in sheet.exposed.values()}
    bonded = Counter(at.component for e in sheet.edges if isinstance(e, PowerBond) for at in ends_of(e))
    if prefix:
        _count_exposed(sheet, used, bonded)
    for number, item in sheet.components.items():
        path = f"{prefix}{item.name}"
        if isinstance(item, Submodel):
            findings += _sheet_faults(item.sheet, item.name, f"{path}.")
            findings += _waiting(item, number, path, used.get(number, []), exposed)
        if isinstance(item, Inert):
            continue
        findings += _loose(sheet, number, path, used.get(number, []), bonded[number], exposed)
    findings += _doubled_bonds(sheet, prefix) + _at_frames(sheet, prefix) + _on_one_frame(sheet, prefix)
    return findings


def _count_exposed(sheet: Sheet, used: dict[int, list[str]], bonded: Counter[int]) -> None:
    """Ports that a sub-model exposes count as taken: what they need is asked for outside."""
    for at in sheet.exposed.values():
        used.setdefault(at.component, []).append(at.port)
        ports = sheet.components[at.component].ports()
        bonded[at.component] += any(isinstance(p, PowerPort) and p.name == at.port for p in ports)


def _waiting(item: Submodel, number: int, path: str, used: list[str], exposed: set[tuple[int, str]]) -> list[Finding]:
    """Ports of a sub-model's elements that nothing is led to."""
    taken = {port.partition("[")[0] for port in used}
    loose = [p for p in waiting_ports(item, path) if p not in taken and (number, p) not in exposed]
    fact = "Inside it is the port of an element, which waits for it."
    return [
        Finding(f"nothing is led to port {port!r} of {path!r}.", fact, "Bond it, or lead a signal to it.", (path,))
        for port in loose
    ]


def _loose(
    sheet: Sheet, number: int, path: str, used: list[str], bonds: int, exposed: set[tuple[int, str]]
) -> list[Finding]:
    item = sheet.components[number]
    ports = item.ports()
    if isinstance(item, Element):
        power = [p for p in ports if isinstance(p, PowerPort)]
        wanted = 1 if power and power[0].name == "any" else len(power)
        missing = [
            p.name
            for p in ports
            if isinstance(p, SignalPort) and p.direction == "in" and not p.optional and p.name not in used
        ]
        found = []
        if bonds < wanted:
            found.append(
                Finding(
                    f"{type(item).__name__} {path!r} is not fully bonded.",
                    f"It has {bonds} of {wanted} bond{'s' if wanted > 1 else ''}.",
                    "Bond it to a junction.",
                    (path,),
                )
            )
        if missing:
            found.append(
                Finding(
                    f"{type(item).__name__} {path!r} waits for the signal {missing[0]!r}.",
                    "Nothing is led to it.",
                    "Lead a sensor's value or another signal to it.",
                    (path,),
                )
            )
        return found
    frames = [p for p in ports if isinstance(p, FramePort)]
    loose = [p.name for p in frames if p.name not in used and (number, p.name) not in exposed]
    alone = all(p.optional for p in frames) and type(item).__name__ != "Rod"
    if frames and len(loose) == len(frames) and len(sheet.components) > 1 and not alone:
        return [
            Finding(
                f"{type(item).__name__} {path!r} is not connected.",
                f"Its frames {', '.join(loose)} lead nowhere.",
                "Connect it, or remove it.",
                (path,),
            )
        ]
    needed = [p.name for p in frames if p.name in loose and not p.optional]
    return _loose_side(item, path, needed) if needed else []


def _loose_side(item: object, path: str, loose: list[str]) -> list[Finding]:
    return [
        Finding(
            f"{type(item).__name__} {path!r} has a loose side.",
            f"Its {loose[0]} is not connected.",
            "Connect both frames.",
            (path,),
        )
    ]


def _at_frames(sheet: Sheet, prefix: str) -> list[Finding]:
    findings = []
    for at in (at for edge in sheet.edges if not isinstance(edge, Connection) for at in ends_of(edge)):
        item = sheet.components[at.component]
        if any(isinstance(p, FramePort) and p.name == at.port for p in item.ports()):
            path = f"{prefix}{item.name}"
            findings.append(at_frame(f"{path}.{at.port}", path))
    return findings


def _on_one_frame(sheet: Sheet, prefix: str) -> list[Finding]:
    """Parts between frame_a and frame_b whose two sides are connected to one another."""
    joined = nx.Graph()
    for edge in (e for e in sheet.edges if isinstance(e, Connection)):
        ends = [(at.component, at.port) for at in ends_of(edge)]
        joined.add_edges_from((ends[0], end) for end in ends)
    place = {end: k for k, met in enumerate(nx.connected_components(joined)) for end in met}
    findings = []
    for number, item in sheet.components.items():
        sides = [place.get((number, side)) for side in ("frame_a", "frame_b")]
        if sides[0] is not None and sides[0] == sides[1] and not isinstance(item, Submodel | Inert):
            path = f"{prefix}{item.name}"
            problem = f"{type(item).__name__} {path!r} is connected to itself."
            fact = "Its frame_a and its frame_b are one frame, so that it joins nothing."
            findings.append(Finding(problem, fact, "Connect its frames to two different parts.", (path,)))
    return findings


def _doubled_bonds(sheet: Sheet, prefix: str) -> list[Finding]:
    findings = []
    for edge in sheet.edges:
        if isinstance(edge, PowerBond) and edge.tail.component == edge.head.component:
            path = f"{prefix}{sheet.components[edge.tail.component].name}"
            findings.append(bonded_to_itself(path))
    return findings
