"""One component of a vector element: when a law leaves its components alone, and what each of them is by itself.

Nothing is taken on trust: the law is written on symbols, and where one of its relations speaks of two components the
element stays whole. So a new element unfolds by itself, without a word in its class.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements.carried import Carried
from multibond.elements.law import LawWriter
from multibond.elements.switches import Moded
from multibond.expr import SX, column
from multibond.formula import Formula
from multibond.formula.tree import fold, node
from multibond.graph.component import Element
from multibond.graph.port import SignalPort


def separable(item: Element, size: int, signals: Mapping[str, int], takes_flow: bool) -> bool:
    """Whether a one-port of `size` components is the same as `size` scalar ones.

    signals: the sizes of the signals that it reads, by port.
    """
    gives = any(isinstance(p, SignalPort) and p.direction != "in" for p in item.ports())
    if gives or isinstance(item, Carried) or any(n != size for n in signals.values()):
        return False
    if any(_is_matrix(value) for value in _values(item)) or _other_length(item, size):
        return False
    formulas = [value for value in _values(item) if isinstance(value, Formula)]
    if any(lane_of(formula, k) is None for formula in formulas for k in range(size)):
        return False
    return not _couples(item, size, signals, takes_flow)


def component(item: Element, k: int, size: int) -> Element:
    """Component k of a separable one-port, as a scalar element."""
    twin = copy.copy(item)
    object.__setattr__(twin, "size", 1)
    if size == 1:
        return twin
    for name, about in item.parameters().items():
        value = getattr(item, name)
        if isinstance(value, Formula):
            object.__setattr__(twin, name, lane_of(value, k))
        elif about.shape is None and value is not None and value.shape not in ((), (1, 1)):
            object.__setattr__(twin, name, SX(value[k]) if isinstance(value, SX) else value[k])
    if isinstance(item, Moded) and item.mode:
        object.__setattr__(twin, "mode", item.mode_of(k))
    return twin


def lane_of(formula: Formula, k: int) -> Formula | None:
    """What a formula says of component k alone; None where it needs another component as well."""

    def combine(part: Formula, inputs: list[Formula | None]) -> Formula | None:
        if part.kind == "index":
            return part.arguments[0] if part.data == k and part.arguments[0].kind == "variable" else None
        if part.kind == "vector":
            return inputs[k] if k < len(inputs) else None
        if not part.arguments or None in inputs:
            return None if part.arguments else part
        return node(part.kind, *(given for given in inputs if given is not None), data=part.data)

    return fold(formula, combine)


def _values(item: Element) -> list[Any]:
    return [getattr(item, name) for name in item.parameters()]


def _is_matrix(value: Any) -> bool:
    return isinstance(value, SX | np.ndarray) and len(value.shape) == 2 and value.shape[1] > 1


def _other_length(item: Element, size: int) -> bool:
    """Whether a parameter has more or fewer numbers than there are components, so that none belongs to one of them."""
    free = [getattr(item, name) for name, about in item.parameters().items() if about.shape is None]
    lengths = [value.numel() if isinstance(value, SX) else value.size for value in free if _has_size(value)]
    return any(length not in (1, size) for length in lengths)


def _has_size(value: Any) -> bool:
    return isinstance(value, SX | np.ndarray)


def _couples(item: Element, size: int, signals: Mapping[str, int], takes_flow: bool) -> bool:
    """Whether some relation of the law, written on symbols, speaks of two components."""
    e, f = SX.sym("e", size), SX.sym("f", size)
    states = {name: SX.sym(name, n) for name, n in item.states({"port": size}).items()}
    read = {name: SX.sym(name, n) for name, n in signals.items()}
    law = LawWriter({"port": e}, {"port": f}, read, states, {"port": takes_flow}, time=SX.sym("t"))
    item.law(law)
    if any(state.numel() != size for state in states.values()):
        return True
    relations = [*law.relations, *law.rates.values(), *(when for _, when in law.switches), *(e for e, _ in law.edges)]
    relations += [] if law.energy is None else [ca.gradient(law.energy, v) for v in (e, f, *states.values())]
    rows = ca.vec(column([ca.vec(relation) for relation in relations]))
    lanes = [column([v[k] for v in (e, f, *states.values(), *read.values())]) for k in range(size)]
    touched = sum(np.asarray(ca.DM(_mentions(rows, lane)), float) for lane in lanes)
    return bool(np.any(touched > 1.0))


def _mentions(rows: SX, lane: SX) -> list[float]:
    """For each row, 1 where it depends on any of the symbols."""
    pattern = ca.jacobian(rows, lane).sparsity()
    found = [0.0] * rows.numel()
    for row in pattern.get_triplet()[0]:
        found[row] = 1.0
    return found
