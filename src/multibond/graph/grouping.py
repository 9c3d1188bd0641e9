"""A selection of a model becomes a part: grouped in place, with exposed ports, or wrapped as a part for many uses.

    >>> group(arm, ["hip", "thigh"], "leg")
    >>> leg = wrap(arm, "leg", "parts/leg.mbg")
    >>> robot.add(leg, name="left")

What ran across the border of the selection ends at ports of the new part; behaviour is the same. Both are commands of
the model and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from multibond.errors import Finding, ModelError, WiringError, raise_findings, unknown_name
from multibond.graph.component import Element
from multibond.graph.compound import owners
from multibond.graph.edge import At, Connection, Edge, PowerBond, SignalLink, ends_of
from multibond.graph.ends import is_name
from multibond.graph.junctions import Junction
from multibond.graph.model import Model
from multibond.graph.opened_frames import frames_among
from multibond.graph.port import PowerPort
from multibond.graph.sharing import used_by
from multibond.graph.sheet import Library, Sheet, Submodel

AnyModel = TypeVar("AnyModel", bound=Model)


def group(model: Model, names: Iterable[str], name: str, *, ports: Mapping[str, str] | None = None) -> Submodel:
    """Turn components of a model into one sub-model of this name, and return it.

    names: the components. ports: names for its ports where others are wanted than `component_port` (or the name of the
    junction): port of the part -> "component.port" inside, as in `expose`. Paths get the part's name in front:
    `hip.angle` is `leg.hip.angle` afterwards.

    >>> group(arm, ["hip", "thigh"], "leg", ports={"top": "hip.frame_a"})
    """
    chosen = _selection(model, list(names), name)
    sheet = replace(model.sheet, edges=_settled(model.sheet, chosen))
    border = _Border(sheet, chosen, sheet.next_id, _given(model, chosen, ports or {}))
    pairs = [border.split(edge) for edge in sheet.edges]
    exposed = {k: border.outer(at) if at.component in chosen else at for k, at in sheet.exposed.items()}
    used = _used(model, chosen)
    inside = replace(_inside(sheet, chosen, pairs, border.exposed), shared=used, units=_units(sheet, used))
    part = Submodel(name, sheet=inside, size=model.size, given={k: model.shared(k) for k in used})
    model._do("group", _outside(sheet, chosen, part, pairs, exposed))
    return part


def wrap(model: AnyModel, name: str, path: str | PathLike[str] | None = None) -> AnyModel:
    """A sub-model as a library part: a model of its own, to be added to others as often as one likes.

    path: a file (.mbg, .yaml) to save it in; the model then uses that file, as every model does that adds the part.

    >>> leg = wrap(arm, "leg", "parts/leg.mbg")
    """
    number = model.sheet.number_of(name)
    if number is None:
        raise unknown_name(f"Model {model.name!r}", name, (c.name for c in model.components))
    item = model.sheet.components[number]
    if not isinstance(item, Submodel):
        fact = f"It is one {type(item).__name__}, which can be added to any model as it is."
        raise ModelError(Finding(f"{name!r} is no sub-model.", fact, "Group components first: group().", (name,)))
    part = type(model)(name, size=item.size)
    part.sheet, part.library = item.sheet, item.library
    if path is not None:
        part.library = _shelve(part, Path(path))
        used = replace(item, library=part.library)
        model._do("wrap", replace(model.sheet, components={**model.sheet.components, number: used}))
    return part


def _shelve(part: Model, path: Path) -> Library:
    from multibond.graph.file import save
    from multibond.graph.shelf import library_of

    save(part, path)
    return library_of(part, path.resolve())


# -- what is chosen ----------------------------------------------------------------------------------------------------


def _selection(model: Model, names: list[str], name: str) -> set[int]:
    """The numbers of the chosen components; all faults of the command at once."""
    taken = model.sheet.number_of(name)
    findings: list[Finding] = []
    if not names:
        cure = "Name the components that make up the part."
        findings.append(Finding(f"{name!r} would be empty.", "No component is chosen.", cure))
    if not is_name(name):
        fact = "Names are made of letters, digits, '_' and '-'; the dot separates levels."
        findings.append(Finding(f"{name!r} cannot be the name of a part.", fact, "Choose another name."))
    chosen = {model._number(n) for n in names}
    if taken is not None and taken not in chosen:
        fact = f"{model.sheet.components[taken]!r} is called so and is not among the chosen components."
        findings.append(Finding(f"{name!r} is taken in {model.name!r}.", fact, "Choose another name.", (name,)))
    raise_findings(ModelError, findings)
    return chosen


def _used(model: Model, chosen: set[int]) -> dict[str, Any]:
    """The shared parameters that the chosen components use, with their values: they become parameters of the part."""
    names = frozenset[str]().union(*(used_by(model.sheet.components[k]) for k in chosen))
    return {name: value for name, value in model.parameters.items() if name in names}


def _units(sheet: Sheet, used: Iterable[str]) -> dict[str, str]:
    return {name: sheet.units[name] for name in used if name in sheet.units}


def _given(model: Model, chosen: set[int], ports: Mapping[str, str]) -> dict[At, str]:
    """Names for ports by what they are inside."""
    given = {model._at(text): name for name, text in ports.items()}
    findings = [
        Finding(
            f"{name!r} cannot be the name of a port of {model.sheet.components[at.component].name!r}.",
            "A port of the part is the port of a chosen component, and its name has letters, digits, '_' and '-'.",
            "Name it so: ports={'top': 'hip.frame_a'}.",
            (model.sheet.components[at.component].name,),
        )
        for at, name in given.items()
        if at.component not in chosen or not at.port or not is_name(name)
    ]
    raise_findings(ModelError, findings)
    return given


def _settled(sheet: Sheet, chosen: set[int]) -> tuple[Edge, ...]:
    """The edges with every bond's port named at chosen elements: which one fits was said by all bonds together."""
    busy: dict[int, set[str]] = {}
    return tuple(_with_ports(sheet, e, chosen, busy) if isinstance(e, PowerBond) else e for e in sheet.edges)


def _with_ports(sheet: Sheet, bond: PowerBond, chosen: set[int], busy: dict[int, set[str]]) -> PowerBond:
    ends = []
    for at, into in ((bond.tail, False), (bond.head, True)):
        item = sheet.components[at.component]
        if isinstance(item, Element):
            port = at.port or _fitting(item, into, busy.setdefault(at.component, set()))
            busy.setdefault(at.component, set()).add(port)
            at = At(at.component, port) if at.component in chosen else at
        ends.append(at)
    return PowerBond(ends[0], ends[1], bond.size)


def _fitting(item: Element, into: bool, busy: set[str]) -> str:
    """The port that a bond ends at where none is named: inlets first for arrows in; "" where none is left."""
    ports = [p for p in item.ports() if isinstance(p, PowerPort)]
    if isinstance(item, Junction):
        return ports[0].name
    free = [p for p in ports if p.name not in busy]
    return next((p.name for p in free if p.inward == into), next((p.name for p in free), ""))


# -- the border --------------------------------------------------------------------------------------------------------


@dataclass
class _Border:
    """The ports of a part in the making: what was inside and is now reached from outside."""

    sheet: Sheet
    chosen: set[int]
    part: int
    given: dict[At, str]
    exposed: dict[str, At] = field(default_factory=dict)

    def outer(self, at: At) -> At:
        """The part's port that stands for a port inside, made where there is none yet."""
        port, bracket, lane = at.port.partition("[")
        if not port:
            raise WiringError(_nameless(self.sheet.components[at.component].name))
        inner = At(at.component, port)
        name = next((k for k, v in self.exposed.items() if v == inner), None)
        if name is None:
            name = self._name(inner)
            self.exposed[name] = inner
        return At(self.part, f"{name}{bracket}{lane}")

    def _name(self, at: At) -> str:
        owner = self.sheet.components[at.component]
        plain = owner.name if at.port == "any" else f"{owner.name}_{at.port}"
        taken = {*self.exposed, *self.given.values()}
        again = (f"{plain}_{k}" for k in range(2, len(taken) + 3))
        return self.given.get(at) or next(n for n in (plain, *again) if n not in taken)

    def split(self, edge: Edge) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        """What is left of an edge inside and outside."""
        inner = [at.component in self.chosen for at in ends_of(edge)]
        if all(inner):
            return (edge,), ()
        if not any(inner):
            return (), (edge,)
        if isinstance(edge, PowerBond):
            ends = [self.outer(at) if within else at for at, within in zip(ends_of(edge), inner, strict=True)]
            return (), (PowerBond(ends[0], ends[1], edge.size),)
        return self._shared(edge) if isinstance(edge, Connection) or edge.equality else self._led(edge, inner)

    def _shared(self, edge: Connection | SignalLink) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        """Joined ports: those inside stay joined, and one of them stands for all outside."""
        own = tuple(at for at in edge.ends if at.component in self.chosen)
        rest = tuple(at for at in edge.ends if at.component not in self.chosen)
        port = self.outer(own[0])
        ends = (port, *rest) if edge.ends[0] == own[0] else (*rest, port)
        within = (replace(edge, ends=own),) if len(own) > 1 else ()
        return within, (replace(edge, ends=ends),)

    def _led(self, edge: SignalLink, inner: list[bool]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        """A signal across the border: its source is exposed, or each of its targets inside."""
        source, targets = edge.ends[0], edge.ends[1:]
        if not inner[0]:
            ends = [self.outer(at) if k else at for at, k in zip(targets, inner[1:], strict=True)]
            return (), (SignalLink((source, *ends)),)
        own = tuple(at for at, k in zip(targets, inner[1:], strict=True) if k)
        rest = tuple(at for at, k in zip(targets, inner[1:], strict=True) if not k)
        return ((SignalLink((source, *own)),) if own else ()), (SignalLink((self.outer(source), *rest)),)


def _nameless(name: str) -> Finding:
    fact = "What ends at it across the border of the part names no port, and none is left that fits."
    cure = "Name its port in the connection, or choose it together with its neighbours."
    return Finding(f"{name!r} cannot go into the part.", fact, cure, (name,))


# -- the two sheets ----------------------------------------------------------------------------------------------------

Pairs = list[tuple[tuple[Edge, ...], tuple[Edge, ...]]]


def _members(sheet: Sheet, chosen: set[int]) -> set[str]:
    return {sheet.components[k].name for k in chosen}


def _inside(sheet: Sheet, chosen: set[int], pairs: Pairs, exposed: dict[str, At]) -> Sheet:
    names = _members(sheet, chosen)
    return Sheet(
        {k: c for k, c in sheet.components.items() if k in chosen},
        tuple(edge for inner, _ in pairs for edge in inner),
        exposed,
        {n: place for n, place in sheet.layout.items() if n in names},
        sheet.next_id,
        {alias: target for alias, target in sheet.names.items() if owners(target) <= set(names)},
        {k: origin for k, origin in sheet.origins.items() if k in chosen},
        frames=frames_among(sheet.frames, sheet.edges, chosen),
    )


def _outside(sheet: Sheet, chosen: set[int], part: Submodel, pairs: Pairs, exposed: dict[str, At]) -> Sheet:
    names = _members(sheet, chosen)
    inner = [place for n, place in sheet.layout.items() if n in names]
    layout = {n: place for n, place in sheet.layout.items() if n not in names}
    if inner:
        layout[part.name] = (sum(x for x, _ in inner) / len(inner), sum(y for _, y in inner) / len(inner))
    return Sheet(
        {**{k: c for k, c in sheet.components.items() if k not in chosen}, sheet.next_id: part},
        tuple(edge for _, outer in pairs for edge in outer),
        exposed,
        layout,
        sheet.next_id + 1,
        {alias: target for alias, target in sheet.names.items() if not owners(target) & set(names)},
        {k: origin for k, origin in sheet.origins.items() if k not in chosen},
        sheet.shared,
        frames_among(sheet.frames, sheet.edges, sheet.components.keys() - chosen),
        sheet.units,
    )
