"""Joints whose flanges are joined, directly or by gears and racks: they share speed, each has a position of its own.

What is not given follows a joint that is; an offset between two that are given stays in a run, and is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.elements import TF, FreeMotion, One, Zero
from multibond.equations.dae import Dae, Whole
from multibond.equations.household import state_names
from multibond.equations.observe import Observer
from multibond.equations.writing import port_sign
from multibond.expr import SX, Function, column, matrix
from multibond.graph.graph import Bond, Graph
from multibond.solve.given import household_name

TOGETHER = "; the offset of "
SAME = 1e-9


@dataclass(frozen=True)
class Pair:
    """Two joints on a common flow: dq/dt of `other` is `ratio` times that of `first`. free: whether a start follows."""

    first: str
    other: str
    ratio: SX
    free: bool


def pairs(graph: Graph) -> list[Pair]:
    """Every joint of one freedom with the one that it turns together with: the surest given of its group."""
    found, seen = [], set[str]()
    for path, _ in _single(graph):
        if path not in seen:
            group = _group(graph, path)
            seen |= set(group)
            first = max(sorted(group), key=lambda p: _sureness(graph, p))
            others = [p for p in sorted(group) if p != first]
            found += [Pair(first, p, group[p] / group[first], _sureness(graph, p) == 0) for p in others]
    return found


def apart(pair: Pair, observer: Observer) -> SX:
    """How far the second joint is from where the first has it, angles at cuts without full turns."""
    dae = observer.dae
    first, other = (observer.expression(f"{path}.q") for path in (pair.first, pair.other))
    offset = other - _with_parameters(pair.ratio, observer) * first
    cut = any(dae.place_of_state(path, "q") is None for path in (pair.first, pair.other))
    item = dae.graph.elements[pair.other]
    angle = isinstance(item, FreeMotion) and item.motion.angle_count
    return ca.atan2(ca.sin(offset), ca.cos(offset)) if cut and angle else offset


def follow(dae: Dae, whole: Whole) -> SX:
    """What vanishes where joints that are not given stand where their flanges have them."""
    observer = Observer(dae, whole)
    return column([apart(pair, observer) for pair in pairs(dae.graph) if pair.free])


def offsets(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> tuple[str, ...]:
    """A line for each two joints that turn together and do not stand alike."""
    observer, lines = Observer(dae, whole), []
    for pair in pairs(dae.graph):
        q = [observer.expression(f"{path}.q") for path in (pair.first, pair.other)]
        values = column([*q, apart(pair, observer), _with_parameters(pair.ratio, observer)])
        first, other, offset, ratio = np.asarray(
            Function("q", [whole.t, whole.x, whole.p], [ca.densify(values)])(0.0, x, p)
        ).ravel()
        if abs(offset) > SAME * max(1.0, abs(other)):
            a, b = (_named(dae, path) for path in (pair.first, pair.other))
            geared = "" if abs(ratio - 1.0) < SAME else f" at a ratio of {ratio:.6g}"
            alike = f"{a!r} starts at {first:.6g} and {b!r} at {other:.6g} though their flanges turn together{geared}"
            lines.append(f"{alike}{TOGETHER}{abs(offset):.6g} stays")
    return tuple(lines)


def _named(dae: Dae, path: str) -> str:
    return state_names(dae).get((path, "q")) or household_name(dae, path, "q")


def _with_parameters(ratio: SX, observer: Observer) -> SX:
    return observer.dae.with_parameters(ratio, observer.whole.p)


def _single(graph: Graph) -> Iterator[tuple[str, FreeMotion]]:
    """Motions with one coordinate."""
    kinds = ((p, item) for p, item in graph.of_type(FreeMotion) if isinstance(item, FreeMotion))
    return ((p, item) for p, item in kinds if item.motion.freedoms == 1 == item.motion.coordinates)


def _sureness(graph: Graph, path: str) -> int:
    """2 where a coordinate is fixed, 1 where it is guessed, 0 where it is free."""
    item, given = graph.elements[path], graph.starts.get(path, {}).get("q")
    led = isinstance(item, FreeMotion) and bool(item.led_lanes)
    return 2 if led else 0 if given is None else int(given.kinds.max(initial=0))


def _group(graph: Graph, path: str) -> dict[str, SX]:
    """Motions on the flow of one motion, itself among them: dq/dt of each as a multiple of the flow of its bond."""
    (start,) = graph.bonds_of(path)
    ahead: list[tuple[Bond, SX]] = [(start, SX(1.0))]
    seen, found = {start.name}, dict[str, SX]()
    while ahead:
        bond, ratio = ahead.pop()
        for end in (bond.tail.element, bond.head.element):
            item = graph.elements[end]
            if isinstance(item, FreeMotion) and item.motion.freedoms == 1 == item.motion.coordinates:
                found[end] = ratio * port_sign(end, item, bond)
            for other, factor in _beyond(graph, end, bond):
                if other.name not in seen:
                    seen.add(other.name)
                    ahead.append((other, ratio * factor))
    return found


def _beyond(graph: Graph, path: str, bond: Bond) -> list[tuple[Bond, SX]]:
    """The other bonds of an element whose flows are multiples of that of one bond, and the factors."""
    item, bonds = graph.elements[path], [b for b in graph.bonds_of(path) if b.name != bond.name]
    if bond.size != 1 or any(other.size != 1 for other in bonds):
        return []
    if isinstance(item, One):
        return [(other, SX(1.0)) for other in bonds]
    if isinstance(item, Zero) and len(bonds) == 1:
        return [(bonds[0], SX(-1.0 if bonds[0].into(path) == bond.into(path) else 1.0))]
    if isinstance(item, TF) and item.modulus is not None and len(bonds) == 1:
        modulus = matrix(item.modulus, 1)
        sign = port_sign(path, item, bond) * port_sign(path, item, bonds[0])
        forward = bond.end(path).port.startswith("a")
        return [(bonds[0], sign * (modulus if forward else 1 / modulus))]
    return []
