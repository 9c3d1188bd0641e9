"""Moduli and sources that follow a sensor: what it reads is followed to momenta and sources, where that is possible."""

from __future__ import annotations

import casadi as ca

from multibond.errors import Finding, StructureError
from multibond.expr import SX, column


def resolved(parts: list[SX], readings: SX, value: SX, beside: SX, names: list[str]) -> list[SX]:
    """Expressions with readings replaced by their values.

    value: what each reader reads, from states and known sources. beside: its coefficients of all other outputs, which
    must vanish for a reading that is used. names: of the readers.
    """
    place = {s.element_hash(): k for k, s in enumerate(ca.vertsplit(readings) if readings.numel() else [])}
    needs = [_used(value[k], place) for k in range(readings.numel())]
    found: dict[int, SX] = {}
    for k in _ordered([k for part in parts for k in _used(part, place)], needs, names):
        if not beside[k, :].is_zero():
            raise StructureError(unknown_reading(names[k]))
        found[k] = _put(value[k], readings, found)
    return [_put(part, readings, found) for part in parts]


def _used(part: SX, place: dict[int, int]) -> list[int]:
    return sorted({place[s.element_hash()] for s in ca.symvar(part) if s.element_hash() in place})


def _ordered(wanted: list[int], needs: list[list[int]], names: list[str]) -> list[int]:
    """The readings that are needed, each after those it depends on."""
    order, state = list[int](), dict[int, str]()
    stack = [(k, False) for k in wanted]
    while stack:
        k, leaving = stack.pop()
        if leaving:
            state[k] = "done"
            order.append(k)
        elif k not in state:
            state[k] = "open"
            stack += [(k, True), *((other, False) for other in needs[k])]
        elif state[k] == "open":
            raise StructureError(unknown_reading(names[k]))
    return order


def _put(expression: SX, readings: SX, found: dict[int, SX]) -> SX:
    old = column([readings[k] for k in found])
    return ca.substitute(expression, old, ca.densify(column(list(found.values())))) if found else expression


def unknown_reading(sensor: str) -> Finding:
    """A modulus or a source that follows what states and sources alone do not give."""
    return Finding(
        f"a modulus or a source follows what {sensor!r} reads.",
        "It depends on a resistance or a constraint effort. Condition: moduli and sources known from states and time.",
        "Read a displacement (Dq, a joint's coordinate) or the flow of an inertia instead.",
        (sensor,),
    )
