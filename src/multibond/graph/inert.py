"""Inert boxes: what stands in a model for a component whose type is not known.

A box keeps its type name and its parameters as they stood in the file, and has the ports that the file names. It can be
listed, drawn, moved and saved back without loss; a check, and all that needs a law, names it and the cure.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from multibond.errors import Finding, ModelError
from multibond.graph.component import Part, component
from multibond.graph.port import Port, PowerPort


@dataclass(frozen=True)
class Socket(PowerPort):
    """A port of an inert box: nobody knows its kind, so that everything can be connected to it."""


@component
class Inert(Part):
    """A component of an unknown type, kept as it is; it has no law.

    type_name: the type as the file calls it. given: its parameters as plain data, None where the file has no entry.
    sockets: names of the ports that something is connected to. known: the type names that were looked through.

    >>> Inert("drive", "my_parts.Motor", {"gain": 2.0}, ("flange",))
    """

    type_name: str
    given: dict[str, Any] | None = None
    sockets: tuple[str, ...] = ()
    known: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "given", deepcopy(self.given))

    def ports(self) -> tuple[Port, ...]:
        return tuple(Socket(name) for name in self.sockets)

    def build(self, inside: Any) -> None:
        raise ModelError(inert_finding(self, getattr(inside, "_path", self.name)))

    def __repr__(self) -> str:
        return f"Inert({self.name!r}, type_name={self.type_name!r})"


def _meant(box: Inert) -> list[str]:
    """Known types that may be meant."""
    near = get_close_matches(box.type_name, box.known, n=3, cutoff=0.85)
    near += [name for name in box.known if name.rpartition(".")[2] == box.type_name and name not in near]
    # The catalogue stands above this room: it is looked up when it is needed.
    meant = import_module("multibond.catalogue").elsewhere(box.type_name)
    return [*meant, *(name for name in near if name not in meant)]


def inert_finding(box: Inert, path: str, *, near: bool = True) -> Finding:
    """The fault of a box that should have had a law; near: with the nearest names, which take a while to find."""
    meant = _meant(box) if near else []
    apart = import_module("multibond.catalogue").apart(box.type_name) if near else ""
    module = box.type_name.rpartition(".")[0]
    hint = f" Nearest: {', '.join(map(repr, meant))}." if meant else ""
    plain = module.replace(".", "_").isidentifier()
    given = f": types={module}, or --with {module}" if plain else ", with types= or --with"
    return Finding(
        f"component {path!r} is of an unknown type {box.type_name!r}.",
        f"It is an inert box: kept as it is, but without a law.{hint}",
        apart or "Correct the name of the type." if meant else f"Give the module that defines it{given}.",
        (path,),
    )
