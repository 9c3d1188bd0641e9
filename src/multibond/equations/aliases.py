"""Variables that are another one, or its negative: most bonds of a junction and all wires. They are filled in first.

What remains does not depend on how often a value is passed on, so a sensor in a bond changes nothing, to the last bit.
"""

from __future__ import annotations

import casadi as ca

from multibond.expr import SX, column


def without_aliases(variables: SX, definitions: SX, wanted: SX) -> tuple[SX, SX, SX]:
    """Variables and definitions that are left, and what is wanted, all without those that are mere names or numbers."""
    while True:
        symbols, formulas = ca.vertsplit(variables), ca.vertsplit(definitions)
        values = _values(symbols, formulas)
        if not values:
            return variables, definitions, wanted
        old, new = column([symbols[k] for k in values]), column(list(values.values()))
        left = [k for k in range(len(symbols)) if k not in values]
        variables = column([symbols[k] for k in left])
        definitions, wanted = ca.substitute([column([formulas[k] for k in left]), wanted], [old], [new])


def _values(symbols: list[SX], formulas: list[SX]) -> dict[int, SX]:
    """By its number what a variable is, where that is a number or, up to the sign, another variable that is none."""
    place = {symbol.element_hash(): k for k, symbol in enumerate(symbols)}
    ends = _ends([_target(formula, place) for formula in formulas])
    found = {k: formula for k, formula in enumerate(formulas) if formula.is_constant()}
    for k, (end, sign) in enumerate(ends):
        if end != k:
            value = found.get(end, symbols[end])
            found[k] = value if sign > 0 else -value
    return found


def _target(formula: SX, place: dict[int, int]) -> tuple[int, int] | None:
    """The variable that a formula is, and its sign."""
    sign = 1
    if formula.is_op(ca.OP_NEG):
        formula, sign = formula.dep(0), -1
    if not formula.is_symbolic() or formula.element_hash() not in place:
        return None
    return place[formula.element_hash()], sign


def _ends(target: list[tuple[int, int] | None]) -> list[tuple[int, int]]:
    """Where each chain of names ends, and with which sign. A ring of names ends at its lowest number."""
    ends: list[tuple[int, int] | None] = [None] * len(target)
    for start in range(len(target)):
        followed: dict[int, None] = {}
        k = start
        while ends[k] is None and k not in followed:
            followed[k] = None
            step = target[k]
            if step is None:
                break
            k = step[0]
        chain = list(followed)
        if ends[k] is None:
            ring = chain[chain.index(k) :]
            ends[min(ring)] = (min(ring), 1)
            chain = _turned(chain, ring)
        for link in reversed(chain):
            step = target[link]
            if ends[link] is None and step is not None:
                end, sign = ends[step[0]] or (link, 1)
                ends[link] = (end, sign * step[1])
    return [end or (k, 1) for k, end in enumerate(ends)]


def _turned(chain: list[int], ring: list[int]) -> list[int]:
    """A chain whose ring begins just after its lowest number, so that it can be followed back from there."""
    first = ring.index(min(ring)) + 1
    return chain[: len(chain) - len(ring)] + ring[first:] + ring[:first]
