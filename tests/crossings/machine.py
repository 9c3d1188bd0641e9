"""What a mechanism is, as data: bars between points, joints, what acts along them. No word of it is the library's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

Vector = np.ndarray
TURN = 2 * np.pi
GROUND = "ground"


@dataclass(frozen=True)
class Bar:
    """A rigid body; without mass it is a link only. place, angle: where its frame is at the start, in the plane."""

    name: str
    mass: float
    inertia: float
    centre: tuple[float, float]
    place: tuple[float, float]
    angle: float = 0.0


@dataclass(frozen=True)
class Path:
    """A given motion: the formula that the program reads, and the same with two derivatives for the judge."""

    formula: str
    value: Callable[[Vector], Vector]
    rate: Callable[[Vector], Vector]
    slope: Callable[[Vector], Vector]


@dataclass(frozen=True)
class Joint:
    """b against a: it turns, slides along directions fixed in a, or both; what acts along its one freedom.

    at_a, at_b: its place in each bar. For joints with two freedoms nothing acts along them.
    """

    name: str
    a: str
    b: str
    at_a: tuple[float, float] = (0.0, 0.0)
    at_b: tuple[float, float] = (0.0, 0.0)
    turns: bool = True
    slides: tuple[tuple[float, float], ...] = ()
    speed: float | None = None
    given: bool = False
    """Its start is given, not guessed."""
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    friction: float = 0.0
    static: float | None = None
    lower: float | None = None
    upper: float | None = None
    restitution: float = 0.0
    path: Path | None = None
    turned: float = 0.0
    """Full turns that its angle counts at the start, beyond what is seen  [rad]."""

    @property
    def single(self) -> bool:
        return self.turns + len(self.slides) == 1


@dataclass(frozen=True)
class Supply:
    """A motor at a joint, fed by a voltage through a resistor that a switch bridges, and a diode.

    Voltage: level + swing sin(rate t). constant: torque by current and voltage by speed.
    """

    joint: str
    level: float = 2.0
    swing: float = 0.0
    rate: float = 16.0
    resistance: float = 2.0
    inductance: float = 0.05
    constant: float = 0.3
    bridged: float = 0.0
    """Resistance in parallel with the switch; none without a switch  [ohm]."""
    diode: bool = False

    def voltage(self, t: Vector) -> Vector:
        return self.level + self.swing * np.sin(self.rate * t)

    def closed(self, t: Vector) -> Vector:
        """Whether the switch is closed: where a sine of the time is positive."""
        return np.sin(SWITCHING * t) > 0


SWITCHING = 13.0


@dataclass(frozen=True)
class Controller:
    """A sampled proportional controller of a joint's coordinate, which acts along it."""

    joint: str
    goal: float
    gain: float = 0.4
    period: float = 0.04


@dataclass(frozen=True)
class Mechanism:
    """Bars and joints in the plane, with weights along -y; the plane lies in space where `space` says so."""

    name: str
    bars: tuple[Bar, ...]
    joints: tuple[Joint, ...]
    gravity: float = 9.81
    space: bool = False
    supply: Supply | None = None
    controller: Controller | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    """At which joint, or on which bar, a feature is put: friction, stop, drive, given, double, massless."""
    until: float = 0.4

    def bar(self, name: str) -> Bar:
        return next(bar for bar in self.bars if bar.name == name)

    def joint(self, name: str) -> Joint:
        return next(joint for joint in self.joints if joint.name == name)


def turned(angle: float, vector: tuple[float, float]) -> Vector:
    """A vector of the plane, turned."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def start_of(machine: Mechanism, joint: Joint) -> list[float]:
    """Coordinates of a joint at the start, from the places of its bars: the turn first."""
    (pa, fa), (pb, fb) = (place(machine, name) for name in (joint.a, joint.b))
    apart = turned(-fa, tuple(pb + turned(fb, joint.at_b) - pa - turned(fa, joint.at_a)))
    slides = [float(np.dot(apart, slide)) for slide in joint.slides]
    return [float(fb - fa) + joint.turned, *slides] if joint.turns else slides


def place(machine: Mechanism, name: str) -> tuple[Vector, float]:
    """Where a bar's frame is at the start."""
    if name == GROUND:
        return np.zeros(2), 0.0
    bar = machine.bar(name)
    return np.array(bar.place), bar.angle
