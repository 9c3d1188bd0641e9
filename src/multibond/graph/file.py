"""Model files: `.mbg` (JSON) or `.yaml`, data that is opened without running any code.

    >>> save(arm, "arm.mbg")
    >>> arm = load("arm.mbg")

A file holds for each component its name, its type in the catalogue and the parameters that differ from the default,
then who is connected to whom; numbers come back to the last digit. One line a component makes changes easy to compare.
An element of an opened graph has an `origin` besides: the part that drew it, its type, and what the element is there.
`schema()` is the JSON Schema. What a file gives wrong is raised as one `FileError` with all its faults.

Types: the catalogue, and what `types` offers besides: a module, classes, or a mapping from names to classes. What is of
another type becomes an inert box, which is kept as it is and saved back unchanged.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding, raise_findings
from multibond.graph import data as _data
from multibond.graph import json_text
from multibond.graph.check import inert_faults
from multibond.graph.collect import collect
from multibond.graph.disk import SUFFIX, write_data
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.graph.naming import Types
from multibond.graph.shelf import Shelf, library_of

__all__ = ["SUFFIX", "from_data", "load", "save", "schema", "to_data", "to_text"]


def load(path: str | os.PathLike[str], types: Any = None, *, strict: bool = False) -> Model:
    """The model in a file.

    types: what is known besides the catalogue: a module, a class, a mapping from names to classes, or a list of these.
    strict: refuse unknown types, instead of keeping their components as inert boxes.

    >>> load("robot.yaml", types=my_parts)
    """
    if not os.fspath(path):
        raise FileError(Finding("the name of the file is empty.", "It was given ''.", "Name a model file."))
    model = Shelf(_folder(Path(path)), _known(types)).model(Path(path))
    raise_findings(FileError, inert_faults(model.sheet) if strict else [])
    return model


def save(model: Model | Graph, path: str | os.PathLike[str], types: Any = None) -> None:
    """Write a model to a file, JSON or by its suffix (.yaml, .yml) YAML; the old file stays until the new one is whole.

    A graph (opened or rewritten) is written as a model of its elements, called as the file.
    Classes of one's own are written by their module's name and their own ("my_parts.Motor"), or as `types` calls them.
    Models opened from files in the same folder or below stay uses of these files; others are written out.
    """
    target = _real(Path(path))
    model = collect(model, target.stem) if isinstance(model, Graph) else model
    write_data(_data.to_data(model, _known(types), target), target)
    if model.library is not None and model.library.path == target:
        model.library = library_of(model, target)


def to_data(model: Model, types: Any = None) -> dict[str, Any]:
    """The model as plain data, ready for JSON; all of it, whatever file parts of it come from."""
    return _data.to_data(model, _known(types))


def from_data(data: Any, types: Any = None, *, folder: str | os.PathLike[str] | None = None) -> Model:
    """The model that plain data describe. folder: where its library parts are."""
    known = _known(types)
    if folder is None:
        return _data.from_data(data, known)
    root = _real(Path(folder))
    return _data.from_data(data, known, Shelf(root, known).opener(root))


def schema(types: Any = None) -> dict[str, Any]:
    """The JSON Schema of model files, every type with its parameters."""
    from multibond.graph.schema import json_schema

    return json_schema(_known(types))


def to_text(data: dict[str, Any]) -> str:
    """Data as the text of a `.mbg` file."""
    return json_text.to_text(data)


def _known(types: Any) -> Types:
    # The catalogue stands above this room, which knows no type by itself: it is looked up when it is needed.
    return import_module("multibond.catalogue").with_types(types)


def _folder(path: Path) -> Path:
    return _real(path).parent


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as fault:
        cure = "Check the name."
        raise FileError(Finding(f"{path.name!r} is no file name.", f"{str(fault)[:80]}.", cure)) from None
