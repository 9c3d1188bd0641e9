"""The shape of a model file: which entries there are, and of what kind. Published as a JSON Schema.

The shape says nothing of types, parameters and ports; `graph.data` looks those up. Faults come out as findings that
name the component and the place in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from multibond.errors import Finding
from multibond.graph.component import Component, Parameter
from multibond.graph.naming import MODEL
from multibond.graph.place import DEEPEST, LONGEST_NAME, Faults, Loc, place, short, shown
from multibond.graph.values import LETTERS, MOST, declared, is_whole

Size = Annotated[int, Field(ge=1, le=MOST)] | None
Word = Annotated[str, Field(max_length=LONGEST_NAME)]
Joined = Annotated[list[str], Field(min_length=2, max_length=100_000)]
Linked = Annotated[list[str], Field(min_length=1, max_length=100_000)]
Point = Annotated[list[float], Field(min_length=2, max_length=2)]


STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Shape(BaseModel):
    """Base: nothing unknown, nothing converted, nothing infinite."""

    model_config = STRICT


class BondEntry(Shape):
    """A bond with its half-arrow from `from` to `to`; ends are components or their ports."""

    tail: str = Field(alias="from")
    head: str = Field(alias="to")
    size: Size = None


Path = Annotated[str, Field(pattern=r"^[\w-]+(\.[\w-]+)*$", max_length=(LONGEST_NAME + 1) * DEEPEST)]


Three = Annotated[list[float], Field(min_length=3, max_length=3)]


class FormEntry(Shape):
    """The form of a solid for pictures: from end to end, the diameter or width and height, direction of the width."""

    kind: Literal["box", "cylinder", "sphere"]
    along: Three
    sizes: Annotated[list[float], Field(min_length=1, max_length=2)]
    across: Three = [0.0, 0.0, 0.0]

    @model_validator(mode="after")
    def complete(self) -> FormEntry:
        """A box has width and height, and a direction of its width; the others have a diameter."""
        box = self.kind == "box"
        if (
            len(self.sizes) != (2 if box else 1)
            or box != any(self.across)
            or not (self.kind == "sphere" or any(self.along))
        ):
            raise ValueError(f"it does not describe a {self.kind}")
        return self


class OriginEntry(Shape):
    """Where an element of an opened graph comes from: the part that drew it, its type, what the element is there."""

    part: Path
    type: Word = ""
    role: Word = ""
    form: FormEntry | None = None


Place = Annotated[str, Field(min_length=1)]


class FrameEntry(Shape):
    """A spatial frame of an opened graph: the junctions of its bonds, and for each signal a port that has it."""

    rotation: Place = ""
    translation: Place = ""
    attitude: Place = ""
    position: Place = ""


class PlaneEntry(Shape):
    """A planar frame of an opened graph: the junction of its bond, and for each signal a port that has it."""

    plane: Place
    position: Place = ""
    angle: Place = ""


class PartEntry(Shape):
    """A component: its name, its type in the catalogue, and the parameters that differ from the type's defaults."""

    name: Word
    type: Word
    parameters: dict[str, Any] = {}
    origin: OriginEntry | None = None


class LibraryEntry(Shape):
    """A model that stands in a file of its own, by its path from here; parameters inside it by dotted path."""

    name: Word
    type: Literal["Model"]
    file: Annotated[str, Field(min_length=1)]
    parameters: dict[str, Any] = {}


def _kind(entry: Any) -> str:
    if not isinstance(entry, dict) or entry.get("type") != MODEL:
        return "part"
    return "library" if "file" in entry else "model"


Entry = Annotated[
    Annotated[PartEntry, Tag("part")] | Annotated["ModelEntry", Tag("model")] | Annotated[LibraryEntry, Tag("library")],
    Discriminator(_kind),
]


class Contents(Shape):
    """What a model holds. Ports are written "component.port"."""

    name: Word
    size: Size = None
    components: list[Entry]
    connections: list[Joined] = []
    bonds: list[BondEntry] = []
    signals: list[Linked] = []
    equalities: list[Linked] = []
    exposed: dict[Annotated[str, Field(min_length=1)], str] = {}
    layout: dict[str, Point] = {}
    names: dict[str, str] = {}
    frames: dict[Path, FrameEntry] = {}
    planes: dict[Path, PlaneEntry] = {}
    parameters: dict[Word, Any] = {}
    units: dict[Word, str] = {}


class ModelEntry(Contents):
    """A model used as a component of another; its exposed ports are its ports.

    given: values of its shared parameters, also as expressions of those of the model around it.
    """

    type: Literal["Model"]
    given: dict[Word, Any] = {}


class ModelFile(Contents):
    """A multibond model."""

    format: Literal["multibond"]
    version: Literal[1]


KEYS = {
    "part": tuple(PartEntry.model_fields),
    "bond": ("from", "to", "size"),
    "frames": tuple(FrameEntry.model_fields),
    "planes": tuple(PlaneEntry.model_fields),
    "library": tuple(LibraryEntry.model_fields),
    "model": tuple(ModelEntry.model_fields),
    "file": tuple(ModelFile.model_fields),
}


# -- faults ------------------------------------------------------------------------------------------------------------


LISTS = ("connections", "bonds", "signals", "equalities")
TABLES = ("exposed", "layout", "names", "frames", "planes", "units")
_plain: dict[str, Any] = {key: Contents.model_fields[key].annotation for key in TABLES}
_plain |= {"connections": Joined, "signals": Linked, "equalities": Linked}
ITEMS: dict[str, TypeAdapter[Any]] = {key: TypeAdapter(kind, config=STRICT) for key, kind in _plain.items()}
ITEMS["bonds"] = TypeAdapter(BondEntry)
ENTRIES = {"part": TypeAdapter(PartEntry), "library": TypeAdapter(LibraryEntry)}
WHOLE = {"model": TypeAdapter(ModelEntry), "file": TypeAdapter(ModelFile)}


def shape_faults(data: Any, faults: Faults) -> set[Loc]:
    """Tell every fault of the shape; returns the places (with all that contain them) where there is one.

    Entry by entry, not all in one: a large file that is wrong throughout is left early, before memory runs out.
    """
    touched: set[Loc] = set()
    for loc, fault in _model_faults(data, (), "file"):
        faults.take(_finding(data, loc, fault))
        touched |= {loc[:k] for k in range(len(loc) + 1)}
    return touched


def _model_faults(data: Any, loc: Loc, kind: str) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    """The faults of a model's own entries, then of its lists and tables."""
    lists = {key: data[key] for key in ("components", *LISTS) if isinstance(data.get(key), list)}
    tables = {key: data[key] for key in TABLES if isinstance(data.get(key), dict)}
    yield from _faults(WHOLE[kind], {**data, **{key: type(data[key])() for key in (*lists, *tables)}}, loc)
    for k, entry in enumerate(lists.get("components", ())):
        here = (*loc, "components", k)
        sort = _kind(entry)
        yield from _model_faults(entry, here, sort) if sort == "model" else _faults(ENTRIES[sort], entry, here)
    for key in LISTS:
        for k, entry in enumerate(lists.get(key, ())):
            yield from _faults(ITEMS[key], entry, (*loc, key, k))
    for key, table in tables.items():
        for name, value in table.items():
            yield from _faults(ITEMS[key], {name: value}, (*loc, key))


def _faults(adapter: TypeAdapter[Any], value: Any, loc: Loc) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            inner = fault["loc"][:-1] if fault["loc"][-1:] == ("[key]",) else fault["loc"]
            yield (*loc, *inner), fault


def owner(data: Any, loc: Loc) -> tuple[str, str]:
    """The component that a place belongs to: in words, and as a dotted path."""
    words, names, at = "the model", [], data
    for k in range(0, len(loc) - 1, 2):
        if loc[k] != "components":
            break
        at = at["components"][loc[k + 1]]
        name = at.get("name") if isinstance(at, dict) else None
        if not isinstance(name, str):
            return place(loc[: k + 2]), ".".join(names)
        names.append(name)
        words = f"component {shown('.'.join(names))}"
    return words, ".".join(names)


def _finding(data: Any, loc: Loc, fault: Mapping[str, Any]) -> Finding:
    who, path = owner(data, loc)
    paths = (path,) if path else ()
    key, where = str(loc[-1]) if loc else "", place(loc[:-1])
    if fault["type"] == "missing":
        return Finding(f"{who} has no entry {key!r}.", f"It must stand at {where}.", f"Add {key!r}.", paths)
    if fault["type"] == "extra_forbidden":
        known = _keys_at(data, loc)
        near = get_close_matches(key[:80], known, n=1, cutoff=0.5)
        fact = f"Nearest: {near[0]!r}." if near else f"Known: {', '.join(known)}."
        problem = f"{who} has an unknown entry {short(key)}."
        return Finding(problem, f"{fact} It stands at {where}.", "Correct or remove it.", paths)
    reason = fault["msg"].replace("Input should", "It should").replace("Input", "It")
    reason = reason.replace("dictionary or instance of PartEntry", "object").replace("dictionary", "object")
    reason = reason.replace("String should", "It should").replace("List should", "It should")
    problem = f"{who} cannot have {short(fault['input'])} at {place(loc)}."
    return Finding(problem, f"{reason}.", "Correct the value.", paths)


def _keys_at(data: Any, loc: Loc) -> tuple[str, ...]:
    if len(loc) == 1:
        return KEYS["file"]
    if len(loc) > 2 and loc[-3] == "bonds":
        return KEYS["bond"]
    if len(loc) > 2 and loc[-3] in ("frames", "planes"):
        return KEYS[str(loc[-3])]
    at = data
    for step in loc[:-1]:
        at = at[step]
    return KEYS[_kind(at)]


# -- JSON Schema -------------------------------------------------------------------------------------------------------


def json_schema(types: Mapping[str, type[Component]]) -> dict[str, Any]:
    """The JSON Schema of model files, with every type, its parameters, units and defaults."""
    schema = ModelFile.model_json_schema(by_alias=True)
    definitions = schema["$defs"]
    del definitions["PartEntry"]
    entry = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in (*types, "ModelEntry", "LibraryEntry")]}
    for holder in (schema, definitions["ModelEntry"]):
        holder["properties"]["components"]["items"] = entry
    definitions["Quantity"] = QUANTITY
    definitions.update({name: _type_schema(name, kind) for name, kind in types.items()})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


_WRITTEN = {"type": "string", "minLength": 1, "pattern": "[A-Za-z_°Ωµ]"}
_FORMULA = {
    "type": "object",
    "properties": {"formula": _WRITTEN},
    "required": ["formula"],
    "additionalProperties": False,
}
QUANTITY = {
    "description": "a number, a number with its unit (30 deg), or an expression of shared parameters",
    "anyOf": [{"type": "number"}, _WRITTEN, _FORMULA],
}

NAME = {"type": "string", "pattern": r"^[^.\s]+$", "maxLength": LONGEST_NAME}


def _type_schema(name: str, kind: type[Component]) -> dict[str, Any]:
    table = declared(kind)
    needed = [key for key, (_, default) in table.items() if default is MISSING]
    known = {key: _parameter_schema(about, default) for key, (about, default) in table.items()}
    old = {before: known[now] | {"deprecated": True} for before, now in kind.former.items()}
    parameters = {
        "type": "object",
        "properties": known | old,
        "additionalProperties": False,
        **({"required": needed} if needed else {}),
    }
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip(),
        "properties": {"name": NAME, "type": {"const": name}, "parameters": parameters},
        "required": ["name", "type", *(["parameters"] if needed else [])],
        "additionalProperties": False,
    }


def _parameter_schema(about: Parameter, default: Any) -> dict[str, Any]:
    schema = _value_schema(about)
    if about.formula:
        numbers = [] if about.shape in ("law", "laws") else schema.get("anyOf", [schema])
        law = _formula_schema(about)
        several = [{"type": "array", "items": {"anyOf": [law, {"type": "null"}]}}] if about.shape == "laws" else []
        schema = {"anyOf": [*numbers, law, *several]}
    if about.optional:
        schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
    unit = {"description": f"in {about.unit}"} if about.unit else {}
    plain = list(default) if isinstance(default, tuple) else default
    return schema | unit | ({} if default is MISSING else {"default": plain})


def _formula_schema(about: Parameter) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "description": f"a formula of {', '.join(about.formula)}"}
    return {"type": "object", "properties": {"formula": text}, "required": ["formula"], "additionalProperties": False}


def _value_schema(about: Parameter) -> dict[str, Any]:
    number: dict[str, Any] = {"$ref": "#/$defs/Quantity"}
    if about.shape == "word":
        return {"type": "string"}
    if about.shape == "flag":
        return {"type": "boolean"}
    if about.shape in ("axis", "axes"):
        number = {"type": "number"}
        vector = {"type": "array", "items": number, "minItems": 3, "maxItems": 3}
        axis = {"anyOf": [{"enum": [*LETTERS, *(f"+{k}" for k in LETTERS if len(k) == 1)]}, vector]}
        return axis if about.shape == "axis" else {"type": "array", "items": axis, "maxItems": 3}
    if is_whole(about):
        return {"type": "integer"}
    guesses = [_guess_schema(number)] if about.start or about.numeric else []
    left_out = [{"type": "null"}] if about.start or about.missing is not None else []
    entry = {"anyOf": [number, *guesses, *left_out]} if guesses else number
    vector: dict[str, Any] = {"type": "array", "items": entry}
    whole = [_guess_schema({"anyOf": [number, vector, {"type": "array", "items": vector}]})] if guesses else []
    if about.shape == () and not about.start:
        return {"anyOf": [number, *whole]} if whole else number
    if isinstance(about.shape, tuple) and about.shape:
        return {"anyOf": [vector | {"minItems": about.shape[0], "maxItems": about.shape[0]}, *whole]}
    return {"anyOf": [number, vector, {"type": "array", "items": vector}, *whole]}


def _guess_schema(value: dict[str, Any]) -> dict[str, Any]:
    guess = {"type": "object", "properties": {"guess": value}, "required": ["guess"]}
    return guess | {"additionalProperties": False}
