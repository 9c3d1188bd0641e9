"""Joints whose flanges are joined, directly or by gears and racks: they share speed, each has a position of its own.

What is not given follows a joint that is; an offset between two that are given stays in a run, and is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np

from multibond.elements import TF, FreeMotion, One, Zero
from multibond.equations.dae import Dae, Whole
from multibond.equations.household import state_names
from multibond.equations.observe import Observer, observer_of
from multibond.equations.writing import port_sign
from multibond.expr import SX, Function, column, matrix
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Wires
from multibond.solve.given import household_name

TOGETHER = "; the offset of "
SAME = 1e-9


class Coordinate(NamedTuple):
    """One of the coordinates of a motion."""

    path: str
    lane: int


class Lane(NamedTuple):
    """One component of a bond."""

    bond: Bond
    component: int


@dataclass(frozen=True)
class Pair:
    """Two coordinates on a common flow: d(other)/dt is `ratio` times d(first)/dt. free: whether a start follows."""

    first: Coordinate
    other: Coordinate
    ratio: SX
    free: bool


def pairs(dae: Dae, whole: Whole) -> list[Pair]:
    """Every coordinate of a joint with the one that it turns together with: the surest given of its group."""
    graph, found = dae.graph, []
    for group in whole.kept.get("turning together", lambda: _groups(graph)):
        sure = {one: _sureness(graph, one) for one in sorted(group)}
        first = max(sure, key=lambda one: sure[one])
        others = [one for one in sure if one != first]
        found += [Pair(first, one, group[one] / group[first], sure[one] == 0) for one in others]
    return found


def _groups(graph: Graph) -> list[dict[Coordinate, SX]]:
    """Coordinates that turn together, where there are several."""
    found, seen = [], set[Coordinate]()
    for start in _coordinates(graph):
        if start not in seen:
            group = _group(graph, start)
            seen |= set(group)
            found += [group] if len(group) > 1 else []
    return found


def apart(pair: Pair, observer: Observer) -> SX:
    """How far the second joint is from where the first has it, angles at cuts without full turns."""
    dae = observer.dae
    first, other = (observer.expression(f"{one.path}.q")[one.lane] for one in (pair.first, pair.other))
    offset = other - with_parameters(pair.ratio, observer) * first
    cut = any(dae.place_of_state(one.path, "q") is None for one in (pair.first, pair.other))
    item = dae.graph.elements[pair.other.path]
    angle = isinstance(item, FreeMotion) and pair.other.lane < item.motion.angle_count
    return ca.atan2(ca.sin(offset), ca.cos(offset)) if cut and angle else offset


def follow(dae: Dae, whole: Whole) -> SX:
    """What vanishes where joints that are not given stand where their flanges have them."""
    observer = observer_of(dae, whole)
    return column([apart(pair, observer) for pair in pairs(dae, whole) if pair.free])


def offsets(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> tuple[str, ...]:
    """A line for each two joints that turn together and do not stand alike."""
    observer, lines = observer_of(dae, whole), []
    for pair in pairs(dae, whole):
        q = [observer.expression(f"{one.path}.q")[one.lane] for one in (pair.first, pair.other)]
        values = column([*q, apart(pair, observer), with_parameters(pair.ratio, observer)])
        first, other, offset, ratio = np.asarray(
            Function("q", [whole.t, whole.x, whole.p], [ca.densify(values)])(0.0, x, p)
        ).ravel()
        if abs(offset) > SAME * max(1.0, abs(other)):
            a, b = (_named(dae, *one) for one in (pair.first, pair.other))
            geared = "" if abs(ratio - 1.0) < SAME else f" at a ratio of {ratio:.6g}"
            alike = f"{a!r} starts at {first:.6g} and {b!r} at {other:.6g} though their flanges turn together{geared}"
            lines.append(f"{alike}{TOGETHER}{abs(offset):.6g} stays")
    return tuple(lines)


def _named(dae: Dae, path: str, lane: int) -> str:
    whole = state_names(dae).get((path, "q")) or household_name(dae, path, "q")
    if _count(dae.graph.elements[path]) == 1:
        return whole
    own = [name for name, target in dae.graph.aliases.items() if target == f"{path}.q[{lane}]"]
    return min(own, default=f"{whole}[{lane}]")


def with_parameters(ratio: SX, observer: Observer) -> SX:
    """A ratio, with the system's symbols of its parameters."""
    return observer.dae.with_parameters(ratio, observer.whole.p)


def _coordinates(graph: Graph) -> Iterator[Coordinate]:
    """The coordinates of all motions whose speeds are their rates."""
    return (Coordinate(path, lane) for path, item in graph.of_type(FreeMotion) for lane in range(_count(item)))


def _count(item: object) -> int:
    """The number of coordinates whose rates are the speeds of a motion; none of a ball, whose are not."""
    if not isinstance(item, FreeMotion) or item.motion.mixed or item.motion.quaternion:
        return 0
    return item.motion.coordinates if item.motion.coordinates == item.motion.freedoms else 0


def _sureness(graph: Graph, one: Coordinate) -> int:
    """2 where a coordinate is fixed, 1 where it is guessed, 0 where it is free."""
    item, given = graph.elements[one.path], graph.starts.get(one.path, {}).get("q")
    if isinstance(item, FreeMotion) and one.lane in item.led_lanes:
        return 2
    return 0 if given is None else int(given.spread(_count(item)).kinds[one.lane])


def _lane(graph: Graph, path: str, bond: Bond, component: int) -> int:
    """Which coordinate of a motion a component of its bond belongs to; scalar bonds are numbered by their ports."""
    if bond.size == _count(graph.elements[path]):
        return component
    return int(bond.end(path).port.rpartition("_")[2]) - 1


def _group(graph: Graph, start: Coordinate) -> dict[Coordinate, SX]:
    """Coordinates on the flow of one, itself among them: the rate of each as a multiple of the flow of its bond."""
    bonds = graph.bonds_of(start.path)
    begin = next((b for b in bonds for k in range(b.size) if _lane(graph, start.path, b, k) == start.lane), None)
    if begin is None:
        return {start: SX(1.0)}
    first = Lane(begin, start.lane if begin.size > 1 else 0)
    ahead: list[tuple[Lane, SX]] = [(first, SX(1.0))]
    seen, found = {(begin.name, first.component)}, dict[Coordinate, SX]()
    while ahead:
        (bond, component), ratio = ahead.pop()
        for end in (bond.tail.element, bond.head.element):
            item = graph.elements[end]
            if _count(item):
                found[Coordinate(end, _lane(graph, end, bond, component))] = ratio * port_sign(end, item, bond)
            for other, factor in _beyond(graph, end, Lane(bond, component)):
                if (other.bond.name, other.component) not in seen:
                    seen.add((other.bond.name, other.component))
                    ahead.append((other, ratio * factor))
    return found


def _beyond(graph: Graph, path: str, lane: Lane) -> list[tuple[Lane, SX]]:
    """The lanes beyond an element whose flows are multiples of that of one lane, and the factors."""
    bond, component = lane
    item, bonds = graph.elements[path], [b for b in graph.bonds_of(path) if b.name != bond.name]
    if isinstance(item, Wires):
        return _wired(item, path, lane, bonds)
    if any(other.size != bond.size for other in bonds):
        return []
    if isinstance(item, One):
        return [(Lane(other, component), SX(1.0)) for other in bonds]
    if isinstance(item, Zero) and len(bonds) == 1:
        return [(Lane(bonds[0], component), SX(-1.0 if bonds[0].into(path) == bond.into(path) else 1.0))]
    if isinstance(item, TF) and item.modulus is not None and len(bonds) == 1 == bond.size:
        modulus = matrix(item.modulus, 1)
        sign = port_sign(path, item, bond) * port_sign(path, item, bonds[0])
        forward = bond.end(path).port.startswith("a")
        return [(Lane(bonds[0], 0), sign * (modulus if forward else 1 / modulus))]
    return []


def _wired(item: Wires, path: str, lane: Lane, bonds: list[Bond]) -> list[tuple[Lane, SX]]:
    """The lane at which comes out what enters at one: of a sensor in a shaft, a direct sum, a permutation."""
    at = {b.end(path).port: b for b in (lane.bond, *bonds)}
    here, found = (lane.bond.end(path).port, lane.component), []
    for pair in item.wires({port: b.size for port, b in at.items()}):
        if here in pair:
            port, k = pair[1 - pair.index(here)]
            sign = port_sign(path, item, lane.bond) * port_sign(path, item, at[port]) if port in at else 0
            found += [(Lane(at[port], k), SX(float(sign)))] if sign else []
    return found
