"""Model → Graph: open every part, level by level, until only elements, bonds and signals remain.

Ports of parts are terminals; joined terminals become one junction (a 1-junction where flows are common, a 0-junction
where efforts are) or one equality signal. Names come from paths alone, so the order of adding parts does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from multibond.border import public
from multibond.errors import Finding, ModelError, WiringError, with_article
from multibond.expr import SX
from multibond.graph.component import Component, Element, Part
from multibond.graph.compound import changed
from multibond.graph.edge import At, Connection, PowerBond
from multibond.graph.exposed import bonded_to_itself, drawn_ports, element_end, plain_port, require_joinable
from multibond.graph.frames import FrameTerminals, PlanarTerminals, Terminal, frame_aliases, frames_of, planes_of
from multibond.graph.graph import Bond, End, Graph, Reader, Signal
from multibond.graph.junctions import junction_for
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.natural import natural
from multibond.graph.opened_frames import Returned, in_order
from multibond.graph.origin import Form, Origin
from multibond.graph.port import FramePort, PlanarFramePort, Port, PortRef, PowerPort, SignalPort
from multibond.graph.sizes import settle_sizes
from multibond.graph.start import Sought
from multibond.graph.twin import sought_of, symbolic_twin
from multibond.units import ANY, Domain

Kind = TypeVar("Kind", bound=Component)


@dataclass
class Draft:
    """What has been collected so far; turned into a `Graph` at the end."""

    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[tuple[Any, Any, int | None]] = field(default_factory=list)
    links: list[list[Any]] = field(default_factory=list)
    joined: dict[str, str] = field(default_factory=dict)
    terminals: dict[str, Terminal] = field(default_factory=dict)
    frames: dict[str, FramePort] = field(default_factory=dict)
    parameters: dict[str, tuple[SX, np.ndarray]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    starts: dict[str, dict[str, Any]] = field(default_factory=dict)
    surroundings: dict[str, Any] = field(default_factory=dict)
    oversights: list[str] = field(default_factory=list)
    origins: dict[str, Origin] = field(default_factory=dict)
    returned: Returned = field(default_factory=Returned)
    sizes: dict[str, int] = field(default_factory=dict)  # by prefix of paths, for bonds that nothing else fixes

    sought: dict[str, Sought] = field(default_factory=dict)

    def twin(self, item: Kind, path: str) -> Kind:
        """A component with symbols for its numbers, the same ones whenever it is asked for."""
        twin, table = symbolic_twin(item, path)
        self.parameters.update({name: entry for name, entry in table.items() if name not in self.parameters})
        self.sought.update(sought_of(item, path))
        for name in table:
            object.__setattr__(twin, name.rsplit(".", 1)[1], self.parameters[name][0])
        return twin

    def root(self, path: str) -> str:
        """The representative of a set of joined terminals: the smallest path."""
        while self.joined.setdefault(path, path) != path:
            path = self.joined[path]
        return path

    def join(self, a: str, b: str) -> None:
        """Join two terminals."""
        low, high = sorted((self.root(a), self.root(b)))
        self.joined[high] = low


@public
class Inside:
    """What a part's `build` works with: add elements, bond them, lead signals, reach the part's own ports."""

    def __init__(self, draft: Draft, path: str, kind: str = "") -> None:
        self._draft = draft
        self._path = path
        self._kind = kind

    def add(self, item: Element, role: str = "", form: Form | None = None) -> Element:
        """Add an element under the part's path; role, form: what it is there and how it looks, see `Origin`."""
        path = f"{self._path}.{item.name}"
        self._draft.elements[path] = item
        self._draft.origins[path] = Origin(self._path, self._kind, role, form)
        return item

    def bond(self, tail: Any, head: Any) -> None:
        """Bond elements, element ports or own ports; the half-arrow points to the head."""
        self._draft.bonds.append((self._end(tail), self._end(head), None))

    def signal(self, *ends: Any) -> None:
        """Make the signal ports one signal."""
        self._draft.links.append([self._end(end) for end in ends])

    def own(self, port: str) -> Terminal:
        """The part's own port, from inside."""
        return self._draft.terminals[f"{self._path}.{port}"]

    def frame(self, port: str) -> FrameTerminals:
        """The members of the part's own frame port."""
        return FrameTerminals(*self._members(port))

    def plane(self, port: str) -> PlanarTerminals:
        """The members of the part's own planar frame port."""
        return PlanarTerminals(*self._members(port))

    def is_planar(self, port: str) -> bool:
        """Whether the part's own frame port is a planar one."""
        return isinstance(self._draft.frames[f"{self._path}.{port}"], PlanarFramePort)

    def _members(self, port: str) -> list[Terminal]:
        return [self.own(member.name) for member in self._draft.frames[f"{self._path}.{port}"].members]

    def start(self, item: Element, **values: Any) -> None:
        """Give start values to an inner element's states or flow."""
        self._draft.starts[f"{self._path}.{item.name}"] = values

    def surrounding(self, name: str, default: Any) -> Any:
        """What the world says of the surroundings, such as gravity."""
        return self._draft.surroundings.get(name, default)

    def _end(self, end: Any) -> Any:
        if isinstance(end, Terminal):
            return end
        if isinstance(end, PortRef):
            return End(f"{self._path}.{end.component}", end.port)
        return End(f"{self._path}.{end.name}", "")


def expand(model: Model) -> Graph:
    """Open the model down to elements, bonds and signals."""
    return _finish(_opened(model))


def port_roots(model: Model) -> dict[str, str]:
    """By the path of every port of a part (of a frame, each member) the junction or signal that it has become."""
    draft = _opened(model)
    return {path: draft.root(path) for path in draft.terminals}


def _opened(model: Model) -> Draft:
    draft = Draft(sizes={"": model.size or 1})
    _announce(model.sheet, "", draft)
    _open_sheet(model.sheet, "", draft)
    return draft


def _announce(sheet: Sheet, prefix: str, draft: Draft) -> None:
    """Let parts tell their surroundings (gravity) before any part is opened."""
    for item in sheet.components.values():
        path = f"{prefix}{item.name}"
        if isinstance(item, Submodel):
            _announce(item.sheet, f"{path}.", draft)
        if isinstance(item, Part) and item.surroundings():
            if draft.surroundings.keys() & item.surroundings().keys():
                raise ModelError(_two_worlds(item, path))
            draft.surroundings.update(draft.twin(item, path).surroundings())


def _two_worlds(item: Part, path: str) -> Finding:
    kind = type(item).__name__
    return Finding(
        f"the model has a second {kind}, {path!r}.",
        "All bodies take their gravity from it, and there can be only one.",
        f"Keep one {kind}; connect as many joints to its frame as you like.",
        (path,),
    )


def _open_sheet(sheet: Sheet, prefix: str, draft: Draft) -> None:
    for number, item in sheet.components.items():
        path = f"{prefix}{item.name}"
        draft.oversights += [f"{path}.{said}" for said in item.oversights()]
        if isinstance(item, Element):
            if number in sheet.origins:
                draft.origins[path] = sheet.origins[number].within(prefix)
            draft.elements[path] = draft.twin(item, path)
            if item.start_values():
                draft.starts[path] = item.start_values()
        elif isinstance(item, Part):
            open_part(item, path, draft)
    for edge in sheet.edges:
        _draw_edge(edge, sheet, prefix, draft)
    draft.returned.take(sheet.frames, {k: f"{prefix}{item.name}" for k, item in sheet.components.items()}, prefix)
    for alias, target in sheet.names.items():
        draft.aliases[f"{prefix}{alias}"] = changed(target, lambda name: f"{prefix}{name}")


def open_part(item: Part, path: str, draft: Draft) -> None:
    """Open one part: declare its ports, let it draw its inside, take its household names."""
    for port in drawn_ports(item, path):
        _declare(port, path, draft)
    if isinstance(item, Submodel):
        draft.sizes |= {} if item.size is None else {f"{path}.": int(item.size)}
        _open_sheet(item.sheet, f"{path}.", draft)
        for port in drawn_ports(item, path):
            at = item.sheet.exposed[port.name]
            inner = f"{path}.{item.sheet.components[at.component].name}"
            for outer_path, inner_path in zip(_members(port, path), _members(port, inner, at.port), strict=True):
                draft.join(outer_path, inner_path)
        return
    twin = draft.twin(item, path)
    twin.build(Inside(draft, path, type(item).__name__))
    for alias, inner in twin.observables().items():
        draft.aliases[f"{path}.{alias}"] = f"{path}.{inner}"


def _members(port: Port, path: str, name: str | None = None) -> list[str]:
    renamed = replace(port, name=name or port.name)
    members = renamed.members if isinstance(renamed, FramePort) else (renamed,)
    return [f"{path}.{member.name}" for member in members]


def _declare(port: Port, path: str, draft: Draft) -> None:
    members = port.members if isinstance(port, FramePort) else (port,)
    if isinstance(port, FramePort):
        draft.frames[f"{path}.{port.name}"] = port
    for member in members:
        full = f"{path}.{member.name}"
        draft.terminals[full] = Terminal(full, member)
        draft.root(full)


def _draw_edge(edge: Any, sheet: Sheet, prefix: str, draft: Draft) -> None:
    def where(at: At) -> Any:
        item = sheet.components[at.component]
        full = f"{prefix}{item.name}"
        name = at.port.partition("[")[0]
        own = element_end(item, full, at.port)
        return own or replace(draft.terminals[plain_port(item, full, name)], select=_selected(at.port))

    if isinstance(edge, PowerBond):
        draft.bonds.append((where(edge.tail), where(edge.head), edge.size))
    elif isinstance(edge, Connection):
        _join_ports(edge, sheet, prefix, draft)
    else:
        draft.links.append([where(at) for at in edge.ends])


def _join_ports(edge: Connection, sheet: Sheet, prefix: str, draft: Draft) -> None:
    paths = []
    for at in edge.ends:
        item = sheet.components[at.component]
        require_joinable(item, f"{prefix}{item.name}", at.port)
        port = next(p for p in item.ports() if p.name == at.port)
        paths.append(_members(port, f"{prefix}{item.name}"))
    for other in paths[1:]:
        for a, b in zip(paths[0], other, strict=True):
            draft.join(a, b)


# -- from draft to graph ---------------------------------------------------------------------------------------------


def _finish(draft: Draft) -> Graph:
    used = {t.path for tail, head, _ in draft.bonds for t in (tail, head) if isinstance(t, Terminal)}
    power = sorted({draft.root(path) for path in used})
    elements = dict(draft.elements)
    for root in power:
        port = draft.terminals[root].port
        if isinstance(port, PowerPort):
            elements[root] = junction_for(port)
    bonds = bonds_of(draft, elements)
    elements, bonds = settle_sizes(elements, bonds, draft.sizes)
    signals = _signals(draft, elements)
    frames, planes = frames_of(draft.frames, draft.root, elements), planes_of(draft.frames, draft.root, elements)
    back = draft.returned.meetings(elements, bonds, signals, {f.name for f in (*frames, *planes)})
    frames, planes = in_order((*frames, *back.frames)), in_order((*planes, *back.planes))
    aliases = back.aliases | draft.aliases | frame_aliases(draft.frames, draft.root)
    aliases = {alias: aliases[alias] for alias in sorted(aliases, key=natural)}
    ordered = {path: elements[path] for path in sorted(elements, key=natural)}
    return Graph(
        *(ordered, bonds, back.signals, frames, draft.parameters, aliases, draft.starts, planes),
        sought=draft.sought,
        origins=draft.origins,
        surroundings=draft.surroundings,
        oversights=tuple(sorted(draft.oversights, key=natural)),
    )


def bonds_of(draft: Draft, elements: dict[str, Element]) -> tuple[Bond, ...]:
    """The bonds drawn so far, each end with its port."""
    taken: dict[str, set[str]] = {}
    findings: list[Finding] = []
    rows: list[tuple[End, End, int | None, Domain]] = []
    for tail, head, size in draft.bonds:
        ends = []
        ports = [t.port for t in (tail, head) if isinstance(t, Terminal)]
        domain = next((p.domain for p in ports if isinstance(p, PowerPort)), ANY)
        for end, into in ((tail, False), (head, True)):
            if isinstance(end, Terminal):
                ends.append(End(draft.root(end.path), "any"))
            else:
                ends.append(_fit_port(end, into, elements[end.element], taken, findings))
        if ends[0].element == ends[1].element:
            findings.append(bonded_to_itself(ends[0].element))
        rows.append((ends[0], ends[1], size, domain))
    if findings:
        raise WiringError(*findings)
    rows.sort(key=lambda r: (str(r[0]), str(r[1])))
    count: dict[str, int] = {}
    bonds = []
    for tail, head, size, domain in rows:
        base = f"{tail.element}->{head.element}"
        count[base] = count.get(base, 0) + 1
        name = base if count[base] == 1 else f"{base}#{count[base]}"
        bonds.append(Bond(name, tail, head, size or 0, domain))
    return tuple(bonds)


def _fit_port(end: End, into: bool, item: Element, taken: dict[str, set[str]], findings: list[Finding]) -> End:
    """Choose the port a bond ends at: junctions take any number, others one bond a port, inlets first for arrows in."""
    ports = [p for p in item.ports() if isinstance(p, PowerPort)]
    if ports and ports[0].name == "any":
        return End(end.element, "any")
    busy = taken.setdefault(end.element, set())
    if end.port:
        choice = [p.name for p in ports if p.name == end.port and p.name not in busy]
    else:
        free = [p for p in ports if p.name not in busy]
        choice = [p.name for p in free if p.inward == into] or [p.name for p in free]
    if not choice:
        findings.append(
            Finding(
                f"{end.element!r} has no port left for another bond.",
                f"As {with_article(type(item).__name__)} it takes {len(ports)} bond{'s' if len(ports) != 1 else ''}.",
                "Bond to a junction, and the junction to the element; two elements need two names.",
                (end.element,),
            )
        )
        return End(end.element, "?")
    busy.add(choice[0])
    return End(end.element, choice[0])


def _signals(draft: Draft, elements: dict[str, Element]) -> tuple[Signal, ...]:
    groups: dict[str, set[Reader]] = {}
    parent: dict[str, str] = {}
    picked: list[tuple[str, str, tuple[int, ...]]] = []

    def find(key: str) -> str:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    for link in draft.links:
        keys = []
        select = _selection(link[0])
        for k, end in enumerate(link):
            if k and select is not None and isinstance(end, Terminal):
                picked.append((keys[0], draft.root(end.path), select))
            elif isinstance(end, Terminal):
                keys.append(draft.root(end.path))
            elif k and select is not None:
                groups.setdefault(find(keys[0]), set()).add(Reader(end.element, end.port, select))
            else:
                port = end.port.partition("[")[0]
                key = f"{end.element}:{port}"
                groups.setdefault(find(key), set()).add(Reader(end.element, port))
                keys.append(key)
        for key in keys[1:]:
            low, high = sorted((find(keys[0]), find(key)), key=lambda k: (":" in k, k))  # parts name the signal
            if low != high:
                parent[high] = low
                groups.setdefault(low, set()).update(groups.pop(high, set()))
    for source, reading, select in picked:
        readers = groups.pop(find(reading), set())
        groups.setdefault(find(source), set()).update(replace(each, select=select) for each in readers)
    findings: list[Finding] = []
    signals = []
    for key, readers in sorted(groups.items()):
        ends = tuple(sorted(readers, key=lambda r: (r.element, r.port)))
        sizes = {signal_port(elements, end, findings).size for end in ends if end.select is None}
        signals.append(Signal(key.replace(":", "."), max(sizes, default=1), ends))
        findings += [_no_lane(signals[-1], end) for end in ends if end.select and max(end.select) >= signals[-1].size]
        if len(sizes) > 1:
            names = ", ".join(f"{e.element}.{e.port}" for e in ends)
            findings.append(
                Finding(
                    "a signal joins ports of different sizes.",
                    f"{names}: sizes {sorted(sizes)}.",
                    "Join signals of one size.",
                )
            )
    if findings:
        raise WiringError(*findings)
    return tuple(signals)


def _no_lane(signal: Signal, end: Reader) -> Finding:
    problem = f"the signal {signal.name!r} has no component {max(end.select or (0,))}."
    fact = f"'{end.element}.{end.port}' reads it; its components are 0 to {signal.size - 1}."
    return Finding(problem, fact, "Name one of them.", (end.element,))


def _selection(end: Any) -> tuple[int, ...] | None:
    """The component that a link leads on: `turn[4]`."""
    return end.select if isinstance(end, Terminal) else _selected(end.port)


def _selected(port: str) -> tuple[int, ...] | None:
    number = port.partition("[")[2].rstrip("]")
    return (int(number),) if number else None


def signal_port(elements: dict[str, Element], end: Reader, findings: list[Finding]) -> SignalPort:
    """The port at which an element meets a signal."""
    for port in elements[end.element].ports():
        if isinstance(port, SignalPort) and port.name == end.port:
            return port
    findings.append(
        Finding(
            f"{end.element!r} has no signal {end.port!r}.",
            "It is no signal port.",
            "Name a signal port.",
            (end.element,),
        )
    )
    return SignalPort(end.port)
