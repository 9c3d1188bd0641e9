"""Opening the model of a command: from its file, with the types of --with and the changes of --set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from multibond.catalogue import import_types
from multibond.errors import FileError, Finding
from multibond.graph.component import Guess
from multibond.graph.expressions import guessed
from multibond.workbench import Model, load


def opened(file: Path, changes: Sequence[tuple[str, Any]] | Any = (), modules: Sequence[str] | None = None) -> Model:
    """The model in a file, parameters changed as asked for; modules: those of users' own types."""
    if file.suffix.lower() == ".py":
        fact = "Opening a model runs no code, and a Python file is code."
        raise FileError(Finding(f"{file.name!r} is no model file.", fact, f"Run it: python {file}"))
    model = load(file, types=[import_types(word) for word in modules or ()] or None)
    for path, value in changes or ():
        model.set(path, _meant(value, model))
    return model


def _meant(value: Any, model: Model) -> Any:
    """What {"guess": 1.2} and {"formula": "2*t"} stand for, also in a list; anything else stands for itself."""
    if isinstance(value, list):
        return [_meant(entry, model) for entry in value]
    if isinstance(value, dict) and set(value) == {"guess"}:
        return Guess(guessed(_meant(value["guess"], model), model.parameters))
    return value["formula"] if isinstance(value, dict) and set(value) == {"formula"} else value
