"""Plain data → Sheet: one component after the other, with every fault of the data gathered on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, replace
from functools import cached_property
from typing import Any

from multibond.errors import FileError, Finding, FormulaError, MultibondError
from multibond.graph.component import Component
from multibond.graph.expressions import bound, require_name, unit_typed, values_of
from multibond.graph.inert import Inert
from multibond.graph.naming import MODEL, Types
from multibond.graph.origin import Form, Origin
from multibond.graph.overrides import overridden, with_given
from multibond.graph.place import DEEPEST, Faults, Loc, brief, place, short, shown, too_deep
from multibond.graph.sheet import Library, Sheet, Submodel
from multibond.graph.values import declared, exact, from_json, shared_from_json, typed_from_json
from multibond.graph.wiring import Wiring, sockets
from multibond.unit_text import unit_of

Opener = Callable[[str, str], Library | None]
"""Opens a library part for a component by its path in the file; None where its faults have been told before."""


@dataclass
class Reader:
    """Builds sheets from data and collects faults; `touched` are places whose shape is wrong already."""

    types: Types
    touched: set[Loc]
    faults: Faults
    opener: Opener | None = None
    scope: Mapping[str, Any] = field(default_factory=dict)
    """Values of the shared parameters of the model whose entries are being read."""

    def sheet(self, data: Mapping[str, Any], loc: Loc = (), prefix: str = "", depth: int = 1) -> Sheet:
        """One model's contents."""
        if depth > DEEPEST + 1:
            self.faults.take(too_deep())
            return Sheet()
        listed = data.get("components")
        entries = listed if isinstance(listed, list) else []
        ports = sockets(data) if any(self._is_unknown(entry) for entry in entries) else {}
        shared = self._shared(data, (*loc, "parameters"), prefix)
        around, self.scope = self.scope, values_of(shared, prefix.rstrip(".") or "the model")
        built = {k: self._entry(e, (*loc, "components", k), prefix, depth, ports) for k, e in enumerate(entries)}
        self.scope = around
        numbers = self._numbers(entries, prefix)
        wiring = Wiring(data, loc, prefix, numbers, built, self.touched, self.faults)
        components = {k: item for k, item in built.items() if item is not None}
        edges, exposed, layout = wiring.edges(), wiring.exposed(), wiring.layout()
        origins = {k: o for k in components if (o := _origin(entries[k])) is not None}
        names, frames = wiring.names(), wiring.frames()
        units = self._units(data, shared, loc, prefix)
        return Sheet(components, edges, exposed, layout, len(entries), names, origins, shared, frames, units)

    def _shared(self, data: Mapping[str, Any], loc: Loc, prefix: str) -> dict[str, Any]:
        """The shared parameters of a model; none of them where one is wrong."""
        given, owner = data.get("parameters"), prefix.rstrip(".") or "the model"
        before = len(self.faults)
        if not isinstance(given, dict) or loc in self.touched:
            return {}
        names = dict.fromkeys(given, 1.0)
        table: dict[str, Any] = {}
        units = data.get("units")
        for name, value in given.items():
            unit = units.get(name) if isinstance(units, dict) else None
            told = (name, value, unit if isinstance(unit, str) else "", names, owner)
            made = self.faults.attempt(lambda told=told: _shared_value(*told), owner)
            table |= {} if made is None else {name: made}
        if len(self.faults) == before:
            values = self.faults.attempt(lambda: values_of(table, owner), owner)
            table = {} if values is None else {name: bound(value, values) for name, value in table.items()}
        return table if len(self.faults) == before else {}

    def _units(self, data: Mapping[str, Any], shared: Mapping[str, Any], loc: Loc, prefix: str) -> dict[str, str]:
        """The units of shared parameters: as the file tells, or as they stand behind numbers there."""
        told, path = data.get("units"), prefix.rstrip(".")
        told = told if isinstance(told, dict) and (*loc, "units") not in self.touched else {}
        for name, unit in told.items():
            problem = f"{shown(path) if path else 'the model'} cannot measure {short(name)} in {short(unit)}."
            if name not in (data.get("parameters") or {}):
                fact = f"{self.faults.nearest(name, shared)} It stands at {place((*loc, 'units'))}."
                self.faults.tell(problem, fact, "Name a shared parameter, or remove it.", path)
            elif unit_of(unit) is None:
                fact = f"The unit is not known, at {place((*loc, 'units', name))}."
                self.faults.tell(problem, fact, "Correct or remove it.", path)
        given = data["parameters"] if shared else {}
        typed = {name: unit_typed(typed_from_json(given[name])) for name in shared}
        return {name: told.get(name) or typed[name] for name in shared if told.get(name) or typed[name]}

    @cached_property
    def _known(self) -> tuple[str, ...]:
        return tuple(self.types)

    def _is_unknown(self, entry: Any) -> bool:
        kind = entry.get("type") if isinstance(entry, dict) else None
        return isinstance(kind, str) and kind != MODEL and kind not in self.types

    def _numbers(self, entries: list[Any], prefix: str) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for k, entry in enumerate(entries):
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str) and numbers.setdefault(name, k) != k:
                path = f"{prefix}{name}"
                fact = f"They are components[{numbers[name]}] and components[{k}]."
                self.faults.tell(f"two components are named {short(path)}.", fact, "Give each its own name.", path)
        return numbers

    # -- components -------------------------------------------------------------------------------------------------

    def _entry(
        self, entry: Any, loc: Loc, prefix: str, depth: int, ports: Mapping[str, tuple[str, ...]]
    ) -> Component | None:
        """One component, or None where it has a fault."""
        if not isinstance(entry, dict):
            return None
        path = f"{prefix}{entry.get('name')}"
        if entry.get("type") == MODEL and "file" not in entry:
            return self._model(entry, loc, path, depth)
        if loc in self.touched:
            return None
        if entry["type"] == MODEL:
            return self._library_part(entry, loc, path, depth)
        if entry["type"] not in self.types:
            return self._inert(entry, loc, path, ports.get(entry["name"], ()))
        kind, before, given = self.types[entry["type"]], len(self.faults), entry.get("parameters", {})
        values = self._values(kind, given, (*loc, "parameters"), path)
        self._tell_missing(kind, given, (*loc, "parameters"), path)
        return self._make(kind, {"name": entry["name"], **values}, path) if len(self.faults) == before else None

    def _model(self, entry: Mapping[str, Any], loc: Loc, path: str, depth: int) -> Component | None:
        before = len(self.faults)
        sheet = self.sheet(entry, loc, f"{path}.", depth + 1)
        if len(self.faults) > before or loc in self.touched:
            return None
        part = self._make(Submodel, {"name": entry["name"], "sheet": sheet, "size": entry.get("size")}, path)
        return self._with_given(part, entry.get("given", {}), path)

    def _with_given(self, part: Component | None, given: Mapping[str, Any], path: str) -> Component | None:
        """A model with what the model around it says of its shared parameters."""
        if not isinstance(part, Submodel) or not given:
            return part
        scope = self.scope
        return self.faults.attempt(lambda: with_given(part, given, scope), path)

    def _library_part(self, entry: Mapping[str, Any], loc: Loc, path: str, depth: int) -> Component | None:
        """A model that stands in a file of its own, with some of its inner parameters changed."""
        if self.opener is None:
            fact = f"It stands in {short(entry['file'])}, and nobody has said in which folder."
            self.faults.tell(f"component {shown(path)} cannot be opened.", fact, "Open the model from its file.", path)
            return None
        before, given = len(self.faults), entry.get("parameters", {})
        try:
            library = self.opener(entry["file"], path)
        except FileError as error:
            self.faults.take(*error.findings)
            return None
        if library is None:
            return None
        if depth + library.height > DEEPEST + 1:
            self.faults.take(replace(too_deep(), paths=(path,)))
            return None

        def change(item: Component, values: dict[str, Any], at: str) -> Component | None:
            return self._changed(item, values, (*loc, "parameters", at.removeprefix(f"{path}.")), at)

        own = {name: value for name, value in given.items() if name in library.sheet.shared}
        inner = {name: value for name, value in given.items() if name not in own}
        sheet = overridden(library.sheet, inner, change, self.faults, path)
        library = replace(library, pinned=tuple(inner))
        values = {"name": entry["name"], "sheet": sheet, "size": library.size, "library": library}
        return self._with_given(self._make(Submodel, values, path), own, path) if len(self.faults) == before else None

    def _changed(self, item: Component, given: dict[str, Any], loc: Loc, path: str) -> Component | None:
        """A component with other values for some parameters."""
        before = len(self.faults)
        if isinstance(item, Inert):
            self._tell_infinite(given, loc, path)
            return replace(item, given={**(item.given or {}), **given})
        values = self._values(type(item), given, loc, path)
        return self._attempt(lambda: exact(item.replace(**values), values), type(item), path, before)

    def _inert(self, entry: Mapping[str, Any], loc: Loc, path: str, ports: tuple[str, ...]) -> Component | None:
        """A box for a type that nobody knows."""
        before, given = len(self.faults), entry.get("parameters")
        self._tell_infinite(given, (*loc, "parameters"), path)
        values = {"type_name": entry["type"], "given": given, "sockets": ports, "known": self._known}
        return self._make(Inert, {"name": entry["name"], **values}, path) if len(self.faults) == before else None

    def _make(self, kind: type[Component], values: dict[str, Any], path: str) -> Component | None:
        return self._attempt(lambda: exact(kind(**values), values), kind, path, len(self.faults))

    def _attempt(self, make: Callable[[], Component], kind: type, path: str, before: int) -> Component | None:
        """What `make` gives, unless there is a fault already or now."""
        if len(self.faults) > before:
            return None
        try:
            return make()
        except MultibondError as error:
            self.faults.take(*(brief(replace(f, paths=(path,))) for f in error.findings))
        except Exception as fault:  # the law of any class, also of a user's own, may refuse its values in its own way
            problem = f"component {shown(path)}: no {kind.__name__} can have these values."
            self.faults.take(brief(Finding(problem, f"{str(fault).rstrip('.')}.", "Correct its parameters.", (path,))))
        return None

    # -- parameters -------------------------------------------------------------------------------------------------

    def _values(self, kind: type[Component], given: Mapping[str, Any], loc: Loc, path: str) -> dict[str, Any]:
        table, values = declared(kind), {}
        for name, value in kind.today(given).items():
            if name not in table:
                problem = f"component {shown(path)}: {kind.__name__} has no parameter {short(name)}."
                fact = f"{self.faults.nearest(name, table)} It stands at {place(loc)}."
                self.faults.tell(problem, fact, "Correct or remove it.", path)
                continue
            try:
                values[name] = from_json(value, table[name][0], self.scope)
            except FormulaError as fault:
                who = f"component {shown(path)}, {name} at {place((*loc, name))}"
                told = (replace(f, problem=f"{who}: {f.problem}", paths=(path,)) for f in fault.findings)
                self.faults.take(*map(brief, told))
            except ValueError as fault:
                self.faults.take(bad_value(path, name, value, f"{fault}, at {place((*loc, name))}"))
        return values

    def _tell_missing(self, kind: type[Component], given: Mapping[str, Any], loc: Loc, path: str) -> None:
        missing = [
            n
            for n, (_, default) in declared(kind).items()
            if default is MISSING and n not in {kind.former.get(name, name) for name in given}
        ]
        if missing:
            problem = f"component {shown(path)}: {kind.__name__} needs {', '.join(missing)}."
            fact = f"There is no such entry in {place(loc)}."
            self.faults.tell(problem, fact, "Add it; there is no default.", path)

    def _tell_infinite(self, value: Any, loc: Loc, path: str) -> None:
        """Numbers that no file can hold, in what is kept without being understood."""
        if isinstance(value, dict | list):
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                self._tell_infinite(item, (*loc, key), path)
        elif isinstance(value, float) and not math.isfinite(value):
            self.faults.take(bad_value(path, str(loc[-1]), value, f"it must be finite, at {place(loc)}"))


def _origin(entry: Mapping[str, Any]) -> Origin | None:
    """Where an element comes from; files of old do not tell, and it stands for itself."""
    told = entry.get("origin")
    if told is None:
        return None
    return Origin(told["part"], told.get("type", ""), told.get("role", ""), _form(told.get("form")))


def _form(told: Mapping[str, Any] | None) -> Form | None:
    """The form of a solid, for pictures."""
    if told is None:
        return None
    return Form(told["kind"], *(tuple(told.get(key, (0.0, 0.0, 0.0))) for key in ("along", "sizes", "across")))


def _shared_value(name: str, value: Any, unit: str, names: Mapping[str, Any], owner: str) -> Any:
    """The value of a shared parameter, with expressions of others whose values are not known yet."""
    require_name(name, owner)
    return shared_from_json(name, value, unit, names)


def bad_value(path: str, name: str, value: Any, reason: str) -> Finding:
    """The fault of a parameter."""
    problem = f"component {shown(path)}: {name} cannot be {short(value)}."
    return Finding(problem, f"{reason[:1].upper()}{reason[1:]}.", f"Give a possible value for {name}.", (path,))
