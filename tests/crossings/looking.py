"""A run of a mechanism in windows with the same modes, and how an error that a law finds is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .machine import Joint, Mechanism, Vector
from .newton import Judge, Row
from .reading import Reading

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
SPAN = 0.1
"""Of a long run some stretches of this length are looked at  [s]."""


@dataclass(frozen=True)
class Error:
    """What a law finds: the error, and the most that is allowed."""

    law: str
    where: str
    size: float
    limit: float

    @property
    def wrong(self) -> bool:
        return not self.size <= self.limit

    def __str__(self) -> str:
        return f"{self.law}, {self.where}: {self.size:.2e} (limit {self.limit:.0e})"


@dataclass(frozen=True)
class Limits:
    """What is allowed: of gaps, of accelerations at a state, of what a window adds up to, of modes and signs."""

    gap: float = 1e-8
    state: float = 1e-6
    window: float = 1e-6
    sign: float = 1e-6
    start: float = 1e-9
    path: float = 0.0
    """Of a given motion between steps, where that is more than of a gap."""
    soft: bool = False

    @property
    def rate(self) -> float:
        """What is allowed of the speed of a row."""
        return np.inf if self.soft else 10 * self.gap


@dataclass
class Look:
    """All windows of a run that have the same modes, seen at Gauss' places."""

    reading: Reading
    modes: dict[str, str]
    begin: Vector
    end: Vector
    judge: Judge = field(init=False)
    extra: list[tuple[Row, Vector]] = field(init=False)
    force: Vector = field(init=False)
    power: Vector = field(init=False)

    def __post_init__(self) -> None:
        half = 0.5 * (self.end - self.begin)
        t = (0.5 * (self.begin + self.end)[:, None] + half[:, None] * NODES).ravel()
        self.judge = Judge(self.reading.machine, self.reading.seen(t))
        self.force = self.judge.weights()
        self.power = np.zeros(t.size)
        self.extra = list(self._along(t))

    @property
    def t(self) -> Vector:
        return self.judge.seen.t

    def _along(self, t: Vector) -> Iterator[tuple[Row, Vector]]:
        """Put in what acts along the joints; gives the rows of what sticks, presses or is led."""
        for joint in self.reading.machine.joints:
            if not joint.single:
                continue
            row, speed = self.judge.freedom(joint), self.judge.speed(joint)
            effort = self._effort(joint, t, speed)
            self.force = self.force + row.coefficients * effort[:, None]
            self.power = self.power + effort * speed
            if joint.path is not None:
                yield row, joint.path.slope(t)
            elif self._fast(joint):
                yield row, np.zeros(t.size)

    def _fast(self, joint: Joint) -> bool:
        return (
            self.modes.get(f"{joint.name}.friction") == "stick"
            or self.modes.get(f"{joint.name}.stop", "free") != "free"
        )

    def _effort(self, joint: Joint, t: Vector, speed: Vector) -> Vector:
        """Spring, damper, friction that slips, motor and controller."""
        reading, effort = self.reading, -joint.damping * speed
        if joint.stiffness:
            effort = effort - joint.stiffness * (self.coordinate(joint, t) - joint.rest)
        slip = {"forward": -1.0, "backward": 1.0}.get(self.modes.get(f"{joint.name}.friction", ""), 0.0)
        effort = effort + slip * joint.friction
        supply, controller = reading.machine.supply, reading.machine.controller
        if supply is not None and supply.joint == joint.name:
            effort = effort + supply.constant * reading.number("motor.current", t)
        if controller is not None and controller.joint == joint.name:
            sampled = controller.period * np.floor(t / controller.period * (1 + 1e-12))
            effort = effort + controller.gain * (controller.goal - self.coordinate(joint, sampled))
        return effort

    def coordinate(self, joint: Joint, t: Vector) -> Vector:
        """A joint's coordinate as the run tells it; that its seen part is right another law proves."""
        return self.reading.number(f"{joint.name}.coordinates", t)

    def sums(self, values: Vector) -> Vector:
        """Integrals over each window."""
        shaped = values.reshape(self.begin.size, NODES.size, *values.shape[1:])
        return np.einsum("wk...,k,w->w...", shaped, WEIGHTS, 0.5 * (self.end - self.begin))


def looks(reading: Reading, windows: int) -> Iterator[Look]:
    """The run in windows, those with the same modes together."""
    end, steps = float(reading.run.t[-1]), reading.run.t
    spans = [(0.0, end)] if end < 1.0 else [(begin, begin + SPAN) for begin in np.linspace(0.0, end - SPAN, 5)]
    grid = [reading.instants()]
    for begin, stop in spans:
        inside = steps[(steps >= begin) & (steps <= stop)]
        some = inside[np.linspace(0, inside.size - 1, windows).astype(int)] if inside.size else inside
        grid += [np.linspace(begin, stop, windows // len(spans) + 4), some]
    cuts = np.unique(np.concatenate(grid))
    longest = 1.001 * (spans[0][1] - spans[0][0]) / (windows // len(spans) + 3)
    groups: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    for begin, stop in pairwise(cuts):
        if not 2e-6 * min(end, 1.0) < stop - begin < longest:
            continue
        modes = {name: reading.mode(name, 0.5 * (begin + stop)) for name in moded(reading.machine)}
        groups.setdefault(tuple(sorted(modes.items())), []).append((begin, stop))
    for modes, spans in groups.items():
        yield Look(reading, dict(modes), *np.array(spans).T)


def moded(machine: Mechanism) -> list[str]:
    """Elements that have modes."""
    found = [f"{joint.name}.friction" for joint in machine.joints if joint.friction]
    found += [f"{joint.name}.stop" for joint in machine.joints if joint.lower is not None or joint.upper is not None]
    supply = machine.supply
    if supply is not None:
        found += (["relay.switch"] if supply.bridged else []) + (["valve.diode"] if supply.diode else [])
    return found


def ends_of(look: Look) -> tuple[Vector, Vector]:
    """Just after the beginnings of the windows, and just before their ends."""
    inside = 1e-9 * (look.end - look.begin)
    return look.begin + inside, look.end - inside


def spatial(values: Vector) -> Vector:
    """Vectors of the plane in space: a torque is about the normal, a force has no third component."""
    zero = np.zeros((values.shape[0], 1))
    if values.shape[1] == 3:
        return values
    return np.hstack([zero, zero, values]) if values.shape[1] == 1 else np.hstack([values, zero])
