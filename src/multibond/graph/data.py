"""Model → plain data → Model. Reading gathers every fault of the data before it raises, and leaves no half a model."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding, FormulaError, raise_findings
from multibond.graph.component import Component
from multibond.graph.edge import At, Connection, PowerBond, SignalLink
from multibond.graph.ends import title_faults
from multibond.graph.inert import Inert
from multibond.graph.model import Library, Model, Sheet, Submodel
from multibond.graph.naming import MODEL, Types, type_name
from multibond.graph.origin import Form, Origin
from multibond.graph.overrides import differences, value_at
from multibond.graph.place import DEEPEST, LONGEST_NAME, Faults, is_deep, short, too_deep
from multibond.graph.reading import Opener, Reader, bad_value
from multibond.graph.values import declared, expression_to_json, is_default, to_json

FORMAT, VERSION = "multibond", 1


# -- writing -----------------------------------------------------------------------------------------------------------


def to_data(model: Model, types: Types, target: Path | None = None) -> dict[str, Any]:
    """The model as plain data: dicts, lists, numbers, text.

    target: the file it is meant for. Models opened from files in its folder or below stay uses of these files; without
    it, or from elsewhere, they are written out.
    """
    writer = _Writer(types, {kind: name for name, kind in reversed([*types.items()])}, target, Faults())
    contents = writer.contents(model.sheet, "")
    raise_findings(FileError, writer.faults)
    return {"format": FORMAT, "version": VERSION, "name": model.name, "size": _size(model.size), **contents}


@dataclass
class _Writer:
    types: Types
    names: dict[type[Component], str]
    target: Path | None
    faults: Faults

    def contents(self, sheet: Sheet, prefix: str) -> dict[str, Any]:
        """The components of a sheet and what joins them."""
        if prefix.count(".") > DEEPEST:
            self.faults.take(too_deep())
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
            "frames": {name: _members(sheet, m) for name, m in sheet.frames.items() if "plane" not in m},
            "planes": {name: _members(sheet, m) for name, m in sheet.frames.items() if "plane" in m},
        }
        parameters = {name: expression_to_json(value) for name, value in sheet.shared.items()}
        shared = {"parameters": parameters, "units": dict(sheet.units)} if parameters else {}
        shared = {key: table for key, table in shared.items() if table}
        components = [
            self._component(item, prefix) | _origin(sheet.origins.get(k)) for k, item in sheet.components.items()
        ]
        return {**shared, "components": components, **{key: value for key, value in edges.items() if value}}

    def _component(self, item: Component, prefix: str) -> dict[str, Any]:
        path = f"{prefix}{item.name}"
        if len(item.name) > LONGEST_NAME:
            fact = f"Its name has {len(item.name)} letters; {LONGEST_NAME} are allowed."
            self.faults.tell(f"component {short(path)} cannot be written.", fact, "Shorten the name.", path)
        if isinstance(item, Submodel):
            return self._use_of_file(item) or {
                "name": item.name,
                "type": MODEL,
                "size": _size(item.size),
                **self.contents(item.sheet, f"{path}."),
                **({"given": _given(item)} if item.given else {}),
            }
        if isinstance(item, Inert):
            kept = {} if item.given is None else {"parameters": deepcopy(item.given)}
            return {"name": item.name, "type": item.type_name, **kept}
        name = self._type_name(type(item), path)
        values = self._values(item, path)
        return {"name": item.name, "type": name, **({"parameters": values} if values else {})}

    def _type_name(self, kind: type[Component], path: str) -> str:
        """The name of a type, given or its own; a fault where another type has it or where it cannot be written."""
        name = self.names.setdefault(kind, type_name(kind))
        taken = next((other for other, given in self.names.items() if given == name and other is not kind), None)
        if taken is not None or self.types.get(name, kind) is not kind:
            problem = f"component {path!r} is of a type whose name is taken."
            cure = 'Give it a name of its own: types={"my.Name": MyClass}.'
            self.faults.tell(problem, f"There is another {name!r}.", cure, path)
        loose = [f.name for f in fields(kind) if f.init and f.name != "name" and f.name not in kind.parameters()]
        if loose:
            fact = f"{', '.join(loose)} of {kind.__name__} is no parameter, and a file would lose it."
            cure = f"Declare it in the class: {loose[0]} = parameter(...)."
            self.faults.tell(f"component {path!r} cannot be written.", fact, cure, path)
        return name

    def _values(self, item: Component, path: str) -> dict[str, Any]:
        """The parameters that differ from their default."""
        values: dict[str, Any] = {}
        for name, (about, default) in declared(type(item)).items():
            value = item.expressions.get(name, getattr(item, name))
            try:
                if name in item.expressions or not is_default(value, default, about):
                    values[name] = to_json(value, about)
            except FormulaError as fault:
                who = f"component {path!r}, {name}"
                self.faults.take(*(replace(f, problem=f"{who}: {f.problem}", paths=(path,)) for f in fault.findings))
            except ValueError as fault:
                self.faults.take(bad_value(path, name, value, str(fault)))
        return values

    def _use_of_file(self, item: Submodel) -> dict[str, Any] | None:
        """A model as a use of the file it comes from; None where it has to be written out."""
        library = item.library
        if library is None or self.target is None or self.target in _files(library) or library.size != item.size:
            return None
        changes = differences(library.sheet, item.sheet)
        if changes is None or not library.path.is_relative_to(self.target.parent):
            return None
        given = {path: value_at(item.sheet, path) for path in library.pinned} | changes | _given(item)
        file = library.path.relative_to(self.target.parent).as_posix()
        return {"name": item.name, "type": MODEL, "file": file, **({"parameters": given} if given else {})}


def _files(library: Library) -> set[Path]:
    """A file and all that it uses."""
    found, sheets = {library.path}, [library.sheet]
    while sheets:
        for item in sheets.pop().components.values():
            if isinstance(item, Submodel) and (item.library is None or item.library.path not in found):
                found |= {item.library.path} if item.library is not None else set()
                sheets.append(item.sheet)
    return found


def _origin(origin: Origin | None) -> dict[str, Any]:
    """Where an element of an opened graph comes from; nothing for what users placed themselves."""
    if origin is None:
        return {}
    told = {"part": origin.part, "type": origin.kind, "role": origin.role}
    form = {} if origin.form is None else {"form": _form(origin.form)}
    return {"origin": {key: word for key, word in told.items() if word} | form}


def _form(form: Form) -> dict[str, Any]:
    """The form of a solid, for pictures."""
    across = {"across": list(form.across)} if any(form.across) else {}
    return {"kind": form.kind, "along": list(form.along), "sizes": list(form.sizes), **across}


def _given(item: Submodel) -> dict[str, Any]:
    """What the model around a part says of its shared parameters."""
    return {name: expression_to_json(value) for name, value in item.given.items()}


def _bond(sheet: Sheet, bond: PowerBond) -> dict[str, Any]:
    size = {} if bond.size is None else {"size": int(bond.size)}
    return {"from": _end(sheet, bond.tail), "to": _end(sheet, bond.head), **size}


def _ends(sheet: Sheet, ends: tuple[At, ...]) -> list[str]:
    return [_end(sheet, at) for at in ends]


def _members(sheet: Sheet, members: dict[str, At]) -> dict[str, str]:
    """Where the members of an opened graph's frame are."""
    return {word: _end(sheet, at) for word, at in members.items()}


def _end(sheet: Sheet, at: At) -> str:
    name = sheet.components[at.component].name
    return f"{name}.{at.port}" if at.port else name


def _size(size: Any) -> int | None:
    return None if size is None else int(size)


# -- reading -----------------------------------------------------------------------------------------------------------


def from_data(data: Any, types: Types, opener: Opener | None = None) -> Model:
    """The model that plain data describe; raises one `FileError` with every fault. opener: finds library parts."""
    raise_findings(FileError, head_faults(data))
    if is_deep(data):
        raise FileError(too_deep())
    from multibond.graph.schema import shape_faults

    faults = Faults()
    reader = Reader(types, shape_faults(data, faults), faults, opener)
    sheet = reader.sheet(data)
    faults.take(*title_faults(data["name"]) if isinstance(data.get("name"), str) else ())
    raise_findings(FileError, faults)
    model = Model(data["name"], size=data.get("size"))
    model.sheet = sheet
    return model


def head_faults(data: Any) -> list[Finding]:
    """Whether this is a model file at all, of a version that can be read."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        fact = 'It does not say "format": "multibond" at the top level.'
        return [Finding("this is no multibond model.", fact, "Open a file written by multibond, or add the entry.")]
    version = data.get("version")
    if type(version) is int and version == VERSION:
        return []
    if type(version) is not int:
        given = f"It says version {short(version)}" if "version" in data else "It says no version"
        problem, cure = "this version of the file format is not known.", f'Write "version": {VERSION}.'
        return [Finding(problem, f"{given}; this multibond reads {VERSION}.", cure)]
    age, cure = ("a newer", "Install a newer multibond.") if version > VERSION else ("an older", OLDER)
    fact = f"It says version {short(version)}; this multibond reads {VERSION}."
    return [Finding(f"this file is of {age} format.", fact, cure)]


OLDER = "Open it with the multibond that wrote it, and save it anew."
