"""The names that types have in files: those of users' own classes, and which classes a module offers.

A class is called after its module's last name and its own: class `Motor` of `plant.my_parts` is "my_parts.Motor". In a
script it is the script's name; for a class made within a function the same rule holds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import Any

from multibond.errors import Finding, ModelError, raise_findings
from multibond.graph.component import Component

Types = Mapping[str, type[Component]]

MODEL = "Model"
"""The type of a model within a model, which no class can take."""


def type_name(kind: type[Component]) -> str:
    """The name that a class of a user's own has in files.

    >>> type_name(Motor)
    'my_parts.Motor'
    """
    module = kind.__module__.rpartition(".")[2]
    script = Path(getattr(sys.modules.get("__main__"), "__file__", None) or "")
    word = script.stem if module == "__main__" and script.suffix == ".py" else module
    return f"{word}.{kind.__name__}"


def named(given: Any) -> dict[str, type[Component]]:
    """The types that a module, a class, a mapping from names to classes, or several of these offer, by name."""
    if given is None:
        return {}
    if isinstance(given, ModuleType):
        return _by_name((type_name(kind), kind) for kind in _classes(given))
    if isclass(given) and issubclass(given, Component):
        return {type_name(given): given}
    if isinstance(given, Mapping):
        return _by_name(given.items())
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return _by_name(pair for each in given for pair in named(each).items())
    fact = "It is no module, no class of components, no mapping and no list of these."
    raise ModelError(Finding(f"{given!r} offers no types.", fact, "Give types=my_module or types=[MyElement]."))


def merged(types: Types, more: Types) -> dict[str, type[Component]]:
    """Both mappings in one; raises where one name would mean two types."""
    return _by_name((*types.items(), *more.items()))


def _classes(module: ModuleType) -> list[type[Component]]:
    """The components that a module (or a package, in its modules) defines, and those of its list `ALL`."""
    own = [kind for kind in vars(module).values() if isclass(kind) and _is_inside(kind.__module__, module.__name__)]
    listed = getattr(module, "ALL", ())
    every = [*own, *(listed if isinstance(listed, list | tuple) else ())]
    return list(dict.fromkeys(kind for kind in every if isclass(kind) and issubclass(kind, Component)))


def _is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _by_name(pairs: Iterable[tuple[Any, Any]]) -> dict[str, type[Component]]:
    found: dict[str, type[Component]] = {}
    findings: list[Finding] = []
    for name, kind in pairs:
        if not isinstance(name, str) or not (isclass(kind) and issubclass(kind, Component)):
            fact = f"It stands for {kind!r}, which is no class of components."
            findings.append(Finding(f"{name!r} is no type.", fact, "Give a class derived from Element or Part."))
        elif name == MODEL:
            fact = "A model within a model is called so."
            findings.append(Finding(f"{name!r} cannot name {_place(kind)}.", fact, "Choose another name."))
        elif found.setdefault(name, kind) is not kind:
            fact = f"They are {_place(found[name])} and {_place(kind)}."
            cure = 'Give one of them a name of its own: types={"my.Name": MyClass}.'
            findings.append(Finding(f"two types are named {name!r}.", fact, cure))
    raise_findings(ModelError, findings)
    return found


def _place(kind: type[Component]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
