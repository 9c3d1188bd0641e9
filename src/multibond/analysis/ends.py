"""Inputs and outputs by name: which nodes of the causal graph an input drives, which expression an output is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.analysis.signals import Signals
from multibond.elements import MSe, MSf, Se, Sf
from multibond.elements.blocks import Input
from multibond.elements.blocks.block import Source
from multibond.elements.sensors import Sensor
from multibond.equations.writing import port_sign
from multibond.errors import UnknownName, offered, unknown_name
from multibond.expr import SX
from multibond.formula import Formula
from multibond.graph.graph import Graph

SOURCES = (Se, Sf, MSe, MSf, Source)


@dataclass(frozen=True)
class InputEnd:
    """One component of an input: its name, its element, the node it drives and the sign with which it does."""

    name: str
    path: str
    node: int
    sign: int

    def variable(self, signals: Signals) -> str:
        """The name of what it gives."""
        return signals.nodes[self.node].name


@dataclass(frozen=True)
class OutputEnd:
    """One component of an output: its name and what it is, as an expression of nodes."""

    name: str
    value: SX

    def nodes(self, signals: Signals) -> tuple[int, ...]:
        """The nodes that it is read from."""
        return tuple(
            signals.place[s.element_hash()] for s in ca.symvar(self.value) if s.element_hash() in signals.place
        )


def source_of(graph: Graph, name: str) -> str:
    """The source element that a name means: itself, or the only one inside a part of that name."""
    sources = [path for path, _ in graph.of_type(SOURCES)]
    if name in sources:
        return name
    inside = [path for path in sources if path.startswith(f"{name}.")]
    if len(inside) == 1:
        return inside[0]
    raise unknown_name("the model", name, inside or sources, offer="Name a source: Se, Sf, MSe, MSf or an Input.")


def input_ends(signals: Signals, names: Iterable[str] | None) -> tuple[InputEnd, ...]:
    """Every component of the named inputs; where none is named, of all sources that drive something."""
    found: list[InputEnd] = []
    for name in _default_inputs(signals.graph) if names is None else names:
        base, index = split_index(name)
        path = source_of(signals.graph, base)
        nodes = signals.given_by(path)
        if index is not None and index >= len(nodes):
            raise unknown_name(f"{base!r}", name, [f"{base}[{k}]" for k in range(len(nodes))])
        for k, node in enumerate(nodes):
            if index in (None, k):
                label = f"{base}[{k}]" if len(nodes) > 1 else base
                found.append(InputEnd(label, path, node, _sign(signals.graph, path)))
    return tuple(found)


def _default_inputs(graph: Graph) -> list[str]:
    """Power sources and run-time inputs; walls, weights and what a signal drives do not count."""
    found = [path for path, _ in graph.of_type((MSe, MSf, Input)) if _driven_from_outside(graph, path)]
    for path, item in graph.of_type((Se, Sf)):
        value = item.effort if isinstance(item, Se) else getattr(item, "flow", None)
        number = graph.parameters.get(f"{path}.{'effort' if isinstance(item, Se) else 'flow'}", (None, value))[1]
        zero = isinstance(item, Sf) and not isinstance(value, Formula) and not np.any(number)
        if not zero and getattr(item, "role", "") == "":
            found.append(path)
    return sorted(found)


def _driven_from_outside(graph: Graph, path: str) -> bool:
    """Whether nothing in the model computes what a source gives; an Input counts, the source behind it does not."""
    item = graph.elements[path]
    if isinstance(item, Input):
        return True
    return graph.signal_at(path, "effort" if isinstance(item, MSe) else "flow") is None


def _sign(graph: Graph, path: str) -> int:
    """Sources of flow count power out as positive, whatever the half-arrow."""
    item, bonds = graph.elements[path], graph.bonds_of(path)
    return port_sign(path, item, bonds[0]) if isinstance(item, Sf | MSf) else 1


def output_ends(signals: Signals, names: Iterable[str] | None) -> tuple[OutputEnd, ...]:
    """Every component of the named outputs; where none is named, of all sensors."""
    chosen = [f"{p}.value" for p, _ in signals.graph.of_type(Sensor)] if names is None else list(names)
    return tuple(end for name in chosen for end in _output(signals, name))


def _output(signals: Signals, name: str) -> list[OutputEnd]:
    base, index = split_index(name)
    target = resolved(signals.graph, base)
    target = target if target in signals.named else f"{target}.value"
    if target not in signals.named:
        raise _unknown(signals, base)
    value = signals.named[target]
    if index is not None and index >= value.numel():
        raise unknown_name(f"{base!r}", name, [f"{base}[{k}]" for k in range(value.numel())])
    entries = range(value.numel()) if index is None else [index]
    return [OutputEnd(f"{base}[{k}]" if value.numel() > 1 else base, value[k]) for k in entries]


def resolved(graph: Graph, name: str) -> str:
    """The variable that a household name stands for."""
    seen: set[str] = set()
    while name in graph.aliases and name not in seen:
        seen.add(name)
        name = graph.aliases[name]
    return name


def _unknown(signals: Signals, name: str) -> UnknownName:
    known = [*signals.graph.aliases, *signals.named]
    return unknown_name("the model", name, known, offer=offered(name, known))


def split_index(name: str) -> tuple[str, int | None]:
    """A name and the component that it picks: `hip.f[2]` is component 2 of `hip.f`."""
    match = re.fullmatch(r"(.*)\[(\d+)\]", name)
    return (match.group(1), int(match.group(2))) if match else (name, None)


def as_names(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """One name or several; None stays None."""
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: 'a', 'b' and 'c'."""
    quoted = [repr(n) for n in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
