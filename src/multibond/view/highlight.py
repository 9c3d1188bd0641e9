"""What is highlighted on a drawing: elements, whole bonds, single components, everything inside a part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from multibond.errors import Finding, ModelError, briefly, unknown_name
from multibond.graph.graph import Graph


@runtime_checkable
class Way(Protocol):
    """Anything that runs through bonds and elements, such as a causal path."""

    @property
    def bonds(self) -> tuple[tuple[str, int], ...]:
        """Bonds and components."""
        ...

    @property
    def elements(self) -> tuple[str, ...]:
        """Elements by path."""
        ...


Wanted = str | tuple | Way
"""The path of an element or part, the name of a bond, a bond with a component: ("hub->coil", 0); or a causal path."""


@dataclass(frozen=True)
class Lit:
    """Highlighted elements by path, and components of bonds."""

    elements: frozenset[str] = frozenset()
    components: frozenset[tuple[str, int]] = frozenset()


def lit(graph: Graph, wanted: Way | Iterable[Wanted]) -> Lit:
    """Find what is to be highlighted; a name that the graph does not know is an error.

    Of longer tuples the first two entries count, so that the steps of a causal path can be given as they are.
    """
    bonds = {b.name: b for b in graph.bonds}
    elements: set[str] = set()
    components: set[tuple[str, int]] = set()
    for item in _single(wanted):
        name, lanes = (item, None) if isinstance(item, str) else (item[0], item[1])
        inside = {p for p in graph.elements if p == name or p.startswith(f"{name}.")}
        if name in bonds:
            every = range(bonds[name].size) if lanes is None else [int(lanes)]
            components |= {(name, k) for k in every if 0 <= k < bonds[name].size}
        elif inside and lanes is None:
            elements |= inside
        else:
            raise unknown_name("the drawing", str(name), {*bonds, *graph.elements})
    return Lit(frozenset(elements), frozenset(components))


def lit_parts(parts: Collection[str], bonds: Mapping[str, int], wanted: Way | Iterable[Wanted]) -> Lit:
    """The same on a drawing of parts: what is inside a part lights it up. bonds: those drawn, with their sizes."""
    elements: set[str] = set()
    components: set[tuple[str, int]] = set()
    for item in _single(wanted):
        name, lanes = (item, None) if isinstance(item, str) else (item[0], item[1])
        owners = {end.partition(".")[0] for end in name.split("->")} & set(parts)
        if name in bonds:
            components |= {(name, k) for k in (range(bonds[name]) if lanes is None else [int(lanes)])}
        elif owners:
            elements |= owners
        else:
            raise unknown_name("the drawing", str(name), {*bonds, *parts})
    return Lit(frozenset(elements), frozenset(components))


def _single(wanted: Way | Iterable[Wanted]) -> list[str | tuple]:
    """Names and tuples, with those of causal paths among them."""
    if isinstance(wanted, Way):
        return [*wanted.bonds, *wanted.elements]
    found: list[str | tuple] = []
    for item in [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else wanted:
        if not isinstance(item, str | Way) and not (isinstance(item, tuple) and len(item) > 1):
            fact = "Elements, parts and bonds are highlighted by name, components of bonds as ('hub->coil', 0)."
            raise ModelError(Finding(f"{briefly(item)} cannot be highlighted.", fact, "Give names, or causal paths."))
        found += [*item.bonds, *item.elements] if isinstance(item, Way) else [item]
    return found
