"""Model → plain data → Model. Reading gathers every fault of the data before it raises, and leaves no half a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, replace
from difflib import get_close_matches
from typing import Any

from multibond.errors import FileError, Finding, MultibondError, raise_findings
from multibond.graph.component import Component, Element
from multibond.graph.edge import At, Connection, Edge, PowerBond, SignalLink
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.values import declared, exact, from_json, is_default, to_json

Types = Mapping[str, type[Component]]
Loc = tuple[str | int, ...]

FORMAT, VERSION, MODEL = "multibond", 1, "Model"

DEEPEST = 50
"""How deep models may stand within models."""

MANY = 50
"""Findings after which nearest names are not looked for: that takes long in a large file."""


def place(loc: Loc) -> str:
    """A place in the data in words: components[3].parameters.mass."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return text.removeprefix(".") or "the top level"


def short(value: Any) -> str:
    """A value as text that fits into a message."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:38]} …"


# -- writing -----------------------------------------------------------------------------------------------------------


Names = Mapping[type[Component], str]


def to_data(model: Model, types: Types) -> dict[str, Any]:
    """The model as plain data: dicts, lists, numbers, text."""
    names = {kind: name for name, kind in types.items()}
    findings: list[Finding] = []
    contents = _contents(model.sheet, "", names, findings)
    raise_findings(FileError, findings)
    return {"format": FORMAT, "version": VERSION, "name": model.name, "size": _size(model.size), **contents}


def _contents(sheet: Sheet, prefix: str, names: Names, findings: list[Finding]) -> dict[str, Any]:
    if prefix.count(".") > DEEPEST:
        findings.append(too_deep())
        return {}
    there = {item.name for item in sheet.components.values()}
    edges = {
        "connections": [_ends(sheet, e.ends) for e in sheet.edges if isinstance(e, Connection)],
        "bonds": [_bond(sheet, e) for e in sheet.edges if isinstance(e, PowerBond)],
        "signals": [_ends(sheet, e.ends) for e in sheet.edges if isinstance(e, SignalLink) and not e.equality],
        "equalities": [_ends(sheet, e.ends) for e in sheet.edges if isinstance(e, SignalLink) and e.equality],
        "exposed": {name: _end(sheet, at) for name, at in sheet.exposed.items()},
        "layout": {name: [float(v) for v in xy] for name, xy in sheet.layout.items() if name in there},
        "names": dict(sheet.names),
    }
    components = [_component(item, prefix, names, findings) for item in sheet.components.values()]
    return {"components": components, **{key: value for key, value in edges.items() if value}}


def _component(item: Component, prefix: str, names: Names, findings: list[Finding]) -> dict[str, Any]:
    path = f"{prefix}{item.name}"
    if isinstance(item, Submodel):
        inner = _contents(item.sheet, f"{path}.", names, findings)
        return {"name": item.name, "type": MODEL, "size": _size(item.size), **inner}
    if type(item) not in names:
        findings.append(
            Finding(
                f"component {path!r} has a type that no file knows.",
                f"{type(item).__name__} is not in the catalogue.",
                "Enter the type into the list ALL of its library.",
                (path,),
            )
        )
        return {}
    values: dict[str, Any] = {}
    for name, (about, default) in declared(type(item)).items():
        value = getattr(item, name)
        try:
            if not is_default(value, default, about):
                values[name] = to_json(value, about)
        except ValueError as fault:
            findings.append(_bad_value(path, name, value, str(fault)))
    return {"name": item.name, "type": names[type(item)], **({"parameters": values} if values else {})}


def _bond(sheet: Sheet, bond: PowerBond) -> dict[str, Any]:
    size = {} if bond.size is None else {"size": int(bond.size)}
    return {"from": _end(sheet, bond.tail), "to": _end(sheet, bond.head), **size}


def _ends(sheet: Sheet, ends: tuple[At, ...]) -> list[str]:
    return [_end(sheet, at) for at in ends]


def _end(sheet: Sheet, at: At) -> str:
    name = sheet.components[at.component].name
    return f"{name}.{at.port}" if at.port else name


def _size(size: Any) -> int | None:
    return None if size is None else int(size)


# -- reading -----------------------------------------------------------------------------------------------------------


def from_data(data: Any, types: Types) -> Model:
    """The model that plain data describe; raises one `FileError` with every fault."""
    raise_findings(FileError, head_faults(data))
    if _depth_above(data, 2 * DEEPEST + 6):
        raise FileError(too_deep())
    from multibond.graph.schema import shape_faults

    findings, touched = shape_faults(data)
    reader = _Reader(types, touched, findings)
    sheet = reader.sheet(data, (), "", 1)
    raise_findings(FileError, findings)
    model = Model(data["name"], size=data.get("size"))
    model.sheet = sheet
    return model


def head_faults(data: Any) -> list[Finding]:
    """Whether this is a model file at all, of a version that can be read."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        fact = 'It does not say "format": "multibond" at the top level.'
        return [Finding("this is no multibond model.", fact, "Open a file written by multibond, or add the entry.")]
    version = data.get("version")
    if isinstance(version, bool) or version != VERSION:
        given = f"It says version {version!r}" if "version" in data else "It says no version"
        newer = isinstance(version, int) and version > VERSION
        cure = "Install a newer multibond." if newer else f'Write "version": {VERSION}.'
        fact = f"{given}; this multibond reads {VERSION}."
        return [Finding("this version of the file format is not known.", fact, cure)]
    return []


def too_deep() -> Finding:
    """The fault of a bottomless file."""
    return Finding(
        "the model is nested too deep.",
        f"Models stand within models (or lists within lists) more than {DEEPEST} deep.",
        "Put fewer levels inside one another.",
    )


def _depth_above(data: Any, limit: int) -> bool:
    level = [data]
    for _ in range(limit):
        level = [
            child
            for holder in level
            for child in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


@dataclass
class _Reader:
    """Builds sheets from data and collects findings; `touched` are places whose shape is wrong already."""

    types: Types
    touched: set[Loc]
    findings: list[Finding]

    def sheet(self, data: Mapping[str, Any], loc: Loc, prefix: str, depth: int) -> Sheet:
        """One model's contents."""
        if depth > DEEPEST + 1:
            self.findings.append(too_deep())
            return Sheet()
        entries = self.entries(data, "components")
        built = {k: self._entry(entry, (*loc, "components", k), prefix, depth) for k, entry in entries}
        inside = _Inside(self, data, loc, prefix, self._names(entries, prefix), built)
        components = {k: item for k, item in built.items() if item is not None}
        bare = Sheet(components, next_id=len(entries))
        names = {alias: str(target) for alias, target in inside._dict("names").items()}
        return replace(bare, edges=inside.edges(bare), exposed=inside.exposed(), layout=inside.layout(), names=names)

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """The names that may be meant; not looked for any more in a file that is wrong throughout."""
        return _nearest(name, known) if len(self.findings) < MANY else "It is not known."

    def entries(self, data: Mapping[str, Any], key: str) -> list[tuple[int, Any]]:
        """The entries of a list with their numbers; none where it is no list."""
        entries = data.get(key, [])
        return list(enumerate(entries)) if isinstance(entries, list) else []

    def _names(self, entries: list[tuple[int, Any]], prefix: str) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for k, entry in entries:
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str) and numbers.setdefault(name, k) != k:
                fact = f"They are components[{numbers[name]}] and components[{k}]."
                path = f"{prefix}{name}"
                problem = f"two components are named {path!r}."
                self.findings.append(Finding(problem, fact, "Give each its own name.", (path,)))
        return numbers

    def _entry(self, entry: Any, loc: Loc, prefix: str, depth: int) -> Component | None:
        """One component, or None where it has a fault."""
        if not isinstance(entry, dict):
            return None
        path = f"{prefix}{entry.get('name')}"
        before = len(self.findings)
        if entry.get("type") == MODEL:
            sheet = self.sheet(entry, loc, f"{path}.", depth + 1)
            if len(self.findings) > before or loc in self.touched:
                return None
            return self._make(Submodel, {"name": entry["name"], "sheet": sheet, "size": entry.get("size")}, path)
        if loc in self.touched:
            return None
        kind = self.types.get(entry["type"])
        if kind is None:
            fact = f"{self.nearest(entry['type'], self.types)} It stands at {place((*loc, 'type'))}."
            problem = f"component {path!r} has an unknown type {entry['type']!r}."
            self.findings.append(Finding(problem, fact, "Use a type of the catalogue.", (path,)))
            return None
        values = self._values(kind, entry.get("parameters", {}), (*loc, "parameters"), path)
        if len(self.findings) > before:
            return None
        return self._make(kind, {"name": entry["name"], **values}, path)

    def _values(self, kind: type[Component], given: Mapping[str, Any], loc: Loc, path: str) -> dict[str, Any]:
        table, values = declared(kind), {}
        for name, value in given.items():
            if name not in table:
                problem = f"component {path!r}: {kind.__name__} has no parameter {name!r}."
                fact = f"{self.nearest(name, table)} It stands at {place(loc)}."
                self.findings.append(Finding(problem, fact, "Correct or remove it.", (path,)))
                continue
            try:
                values[name] = from_json(value, table[name][0])
            except ValueError as fault:
                self.findings.append(_bad_value(path, name, value, f"{fault}, at {place((*loc, name))}"))
        missing = [name for name, (_, default) in table.items() if default is MISSING and name not in given]
        if missing:
            problem = f"component {path!r}: {kind.__name__} needs {', '.join(missing)}."
            fact = f"There is no such entry in {place(loc)}."
            self.findings.append(Finding(problem, fact, "Add it; there is no default.", (path,)))
        return values

    def _make(self, kind: type[Component], values: dict[str, Any], path: str) -> Component | None:
        try:
            return exact(kind(**values), values)
        except MultibondError as error:
            self.findings += [replace(f, paths=(path,)) for f in error.findings]
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as fault:
            problem = f"component {path!r}: no {kind.__name__} can have these values."
            self.findings.append(Finding(problem, f"{str(fault).rstrip('.')}.", "Correct its parameters.", (path,)))
        return None


@dataclass
class _Inside:
    """Edges, exposed ports and layout of one model's data; `built` holds None for a component with a fault."""

    reader: _Reader
    data: Mapping[str, Any]
    loc: Loc
    prefix: str
    numbers: dict[str, int]
    built: dict[int, Component | None]

    @property
    def nameless(self) -> bool:
        """Whether some component has no readable name, so that an unknown name may be its."""
        listed = self.data.get("components")
        return not isinstance(listed, list) or any(
            not isinstance(entry, dict) or not isinstance(entry.get("name"), str) for entry in listed
        )

    def edges(self, bare: Sheet) -> tuple[Edge, ...]:
        """All edges whose ends are there."""
        probe = Model()
        probe.sheet = bare
        found: list[Edge] = []
        for _, ends, _ in self._rows("connections"):
            if self._fits(probe, ends):
                found.append(Connection(ends))
        found += [PowerBond(ends[0], ends[1], entry.get("size")) for _, ends, entry in self._rows("bonds")]
        found += [SignalLink(ends) for _, ends, _ in self._rows("signals")]
        found += [SignalLink(ends, equality=True) for _, ends, _ in self._rows("equalities")]
        return tuple(found)

    def exposed(self) -> dict[str, At]:
        """Ports that the model shows to the outside."""
        entries = self._dict("exposed")
        found = {name: self._at(text, (*self.loc, "exposed", name), whole=False) for name, text in entries.items()}
        return {name: at for name, at in found.items() if at is not None}

    def layout(self) -> dict[str, tuple[float, float]]:
        """Where components are drawn."""
        found = {}
        for name, xy in self._dict("layout").items():
            if name in self.numbers:
                found[name] = (float(xy[0]), float(xy[1]))
            elif not self.nameless:
                problem = f"{place((*self.loc, 'layout'))} places {self.prefix + name!r}, which is not there."
                self._tell(problem, self.reader.nearest(name, self.numbers), "Correct or remove the entry.")
        return found

    def _rows(self, key: str) -> list[tuple[int, tuple[At, ...], Any]]:
        rows = []
        for k, entry in self.reader.entries(self.data, key):
            loc = (*self.loc, key, k)
            if loc in self.reader.touched:
                continue
            texts = [entry["from"], entry["to"]] if key == "bonds" else entry
            ends = [self._at(text, loc, whole=key != "connections") for text in texts]
            if all(end is not None for end in ends):
                rows.append((k, tuple(end for end in ends if end is not None), entry))
        return rows

    def _dict(self, key: str) -> dict[str, Any]:
        entries = self.data.get(key, {})
        if not isinstance(entries, dict):
            return {}
        return {name: value for name, value in entries.items() if (*self.loc, key, name) not in self.reader.touched}

    def _at(self, text: str, loc: Loc, *, whole: bool) -> At | None:
        """The end that a text such as "hip.frame_a" names; `whole`: an element may stand for its port."""
        name, _, port = text.partition(".")
        if name not in self.numbers:
            if self.nameless:
                return None
            problem = f"{place(loc)} ends at {self.prefix + text!r}, which is not there."
            return self._tell(problem, self.reader.nearest(name, self.numbers), "Name a component of this model.")
        item = self.built[self.numbers[name]]
        if item is None or (not port and whole and isinstance(item, Element)):
            return None if item is None else At(self.numbers[name])
        known = [p.name for p in item.ports()]
        if port.partition("[")[0] not in known:
            problem = f"{place(loc)} ends at {self.prefix + text!r}, which is not there."
            fact = f"{type(item).__name__} {item.name!r} has the ports {', '.join(known) or 'none'}."
            return self._tell(problem, fact, "Name one of its ports.", f"{self.prefix}{name}")
        return At(self.numbers[name], port)

    def _fits(self, probe: Model, ends: tuple[At, ...]) -> bool:
        try:
            probe._check_connection(ends)
        except MultibondError as error:
            for finding in error.findings:
                self._tell(finding.problem, finding.fact, finding.cure, *(self.prefix + p for p in finding.paths))
            return False
        return True

    def _tell(self, problem: str, fact: str, cure: str, *paths: str) -> None:
        self.reader.findings.append(Finding(problem, fact, cure, paths))


def _nearest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = get_close_matches(name, names, n=3, cutoff=0.85) or get_close_matches(name, names, n=3, cutoff=0.5)
    near += [n for n in names if n.rpartition(".")[2] == name and n not in near]
    if near:
        return f"Nearest: {', '.join(repr(n) for n in near)}."
    return f"Known: {', '.join(names[:12])}{' …' if len(names) > 12 else ''}." if names else "Nothing is known there."


def _bad_value(path: str, name: str, value: Any, reason: str) -> Finding:
    fact = f"{reason[:1].upper()}{reason[1:]}."
    return Finding(
        f"component {path!r}: {name} cannot be {short(value)}.", fact, f"Give a possible value for {name}.", (path,)
    )
