"""Newton and Euler in maximal coordinates with multipliers, on plain arrays, for many instants at once.

Every bar has six velocities (of its centre and its turning, in world axes), every joint a row for each motion that it
holds; what sticks, presses on a stop or is led adds a row. Least squares serve redundant rows and links without mass.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .machine import GROUND, Joint, Mechanism, Vector

NORMAL = np.array([0.0, 0.0, 1.0])
CUT = 1e-11
"""Singular values below this part of the largest are none."""


def rotate(R: Vector, v: Vector) -> Vector:
    """Vectors turned, one instant a row."""
    return np.einsum("tij,...j->ti", R, v) if np.ndim(v) == 1 else np.einsum("tij,tj->ti", R, v)


@dataclass(frozen=True)
class Seen:
    """What is seen of a machine at some instants: position, attitude, velocity and turning of each bar's frame."""

    t: Vector
    place: dict[str, Vector]
    attitude: dict[str, Vector]
    velocity: dict[str, Vector]
    turning: dict[str, Vector]


@dataclass(frozen=True)
class Side:
    """One side of a joint: its bar, place, attitude, velocity and turning, and the lever from the bar's centre."""

    bar: str
    point: Vector
    attitude: Vector
    turning: Vector
    centre: Vector
    centre_velocity: Vector

    def velocity(self, point: Vector) -> Vector:
        """Velocity of the bar's own matter at a place."""
        return self.centre_velocity + np.cross(self.turning, point - self.centre)

    def centripetal(self, point: Vector) -> Vector:
        return np.cross(self.turning, np.cross(self.turning, point - self.centre))


@dataclass(frozen=True)
class Row:
    """A motion between two bars: coefficients of velocities, rate without acceleration, gap where it is held."""

    name: str
    coefficients: Vector
    rate: Vector
    gap: Vector | None = None
    along: Vector = field(default_factory=lambda: np.zeros(0))
    about: Vector = field(default_factory=lambda: np.zeros(0))


class Judge:
    """A mechanism at some instants."""

    def __init__(self, machine: Mechanism, seen: Seen) -> None:
        self.machine, self.seen, self.n = machine, seen, seen.t.size
        self.column = {bar.name: 6 * k for k, bar in enumerate(machine.bars)}
        self.sides = {bar.name: self._middle(bar.name) for bar in machine.bars}

    # -- places ----------------------------------------------------------------------------------------------------

    def _middle(self, name: str) -> Side:
        """A bar at its centre of mass."""
        seen, centre = self.seen, np.array([*self.machine.bar(name).centre, 0.0])
        R, w = seen.attitude[name], seen.turning[name]
        lever = rotate(R, centre)
        place = seen.place[name] + lever
        return Side(name, place, R, w, place, seen.velocity[name] + np.cross(w, lever))

    def side(self, bar: str, at: tuple[float, float]) -> Side:
        """A bar, or the ground, where a joint is."""
        if bar == GROUND:
            nothing = np.zeros((self.n, 3))
            point = np.tile([*at, 0.0], (self.n, 1))
            return Side(bar, point, np.tile(np.eye(3), (self.n, 1, 1)), nothing, point, nothing)
        own, R = self.sides[bar], self.seen.attitude[bar]
        point = self.seen.place[bar] + rotate(R, np.array([*at, 0.0]))
        return Side(bar, point, R, own.turning, own.centre, own.centre_velocity)

    # -- rows --------------------------------------------------------------------------------------------------------

    def _row(self, name: str, a: Side, b: Side, along: Vector, about: Vector, rate: Vector, gap: Vector | None) -> Row:
        """A row from a direction of sliding at b's place, and one of turning."""
        J = np.zeros((self.n, 6 * len(self.machine.bars)))
        for side, sign in ((a, -1.0), (b, 1.0)):
            if side.bar != GROUND:
                k = self.column[side.bar]
                J[:, k : k + 3] += sign * along
                J[:, k + 3 : k + 6] += sign * (np.cross(b.point - side.centre, along) + about)
        return Row(name, J, rate, gap, along, about)

    def slide(self, joint: Joint, direction: Vector, name: str) -> Row:
        """Sliding along a direction fixed in a."""
        a, b = self.side(joint.a, joint.at_a), self.side(joint.b, joint.at_b)
        along = rotate(a.attitude, direction)
        apart = b.velocity(b.point) - a.velocity(b.point)
        rate = b.centripetal(b.point) - a.centripetal(b.point) - 2 * np.cross(a.turning, apart)
        gap = np.einsum("ti,ti->t", along, b.point - a.point)
        return self._row(name, a, b, along, np.zeros((self.n, 3)), np.einsum("ti,ti->t", along, rate), gap)

    def turn(self, joint: Joint, direction: Vector, name: str) -> Row:
        """Turning about a direction fixed in a; the gap is that part of the turn of b against a."""
        a, b = self.side(joint.a, joint.at_a), self.side(joint.b, joint.at_b)
        about = rotate(a.attitude, direction)
        rate = np.einsum("ti,ti->t", np.cross(a.turning, about), b.turning - a.turning)
        R = np.einsum("tji,tjk->tik", a.attitude, b.attitude)
        gap = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) @ direction
        return self._row(name, a, b, np.zeros((self.n, 3)), about, rate, gap)

    def held(self) -> list[Row]:
        """A row for each motion that a joint holds."""
        return [row for joint in self.machine.joints for row in self.held_by(joint)]

    def held_by(self, joint: Joint) -> list[Row]:
        """The rows of one joint."""
        slides = np.array([[*slide, 0.0] for slide in joint.slides]).reshape(-1, 3)
        across = np.linalg.svd(np.vstack([slides, np.zeros((1, 3))]))[2][len(slides) :]
        turns = np.eye(3)[:2] if joint.turns else np.eye(3)
        found = [self.slide(joint, direction, f"{joint.name} slide {k}") for k, direction in enumerate(across)]
        return found + [self.turn(joint, direction, f"{joint.name} turn {k}") for k, direction in enumerate(turns)]

    def freedom(self, joint: Joint) -> Row:
        """The row of a joint's one freedom."""
        if joint.turns:
            return self.turn(joint, NORMAL, joint.name)
        return self.slide(joint, np.array([*joint.slides[0], 0.0]), joint.name)

    def velocities(self) -> Vector:
        """Velocities of all bars at their centres, one instant a row."""
        return np.hstack([np.hstack([side.centre_velocity, side.turning]) for side in self.sides.values()])

    def speed(self, joint: Joint) -> Vector:
        """Speed of a joint's one freedom."""
        return np.einsum("tk,tk->t", self.freedom(joint).coefficients, self.velocities())

    def coordinate(self, joint: Joint) -> Vector:
        """The coordinate of a joint's one freedom; an angle between -π and π."""
        if not joint.turns:
            gap = self.freedom(joint).gap
            assert gap is not None
            return gap
        a, b = self.side(joint.a, joint.at_a), self.side(joint.b, joint.at_b)
        R = np.einsum("tji,tjk->tik", a.attitude, b.attitude)
        return np.arctan2(R[:, 1, 0], R[:, 0, 0])

    # -- motion --------------------------------------------------------------------------------------------------------

    def masses(self) -> Vector:
        """The mass matrix, one instant a block."""
        M = np.zeros((self.n, 6 * len(self.machine.bars), 6 * len(self.machine.bars)))
        for bar in self.machine.bars:
            k = self.column[bar.name]
            M[:, k : k + 3, k : k + 3] = bar.mass * np.eye(3)
            M[:, k + 3 : k + 6, k + 3 : k + 6] = bar.inertia * np.eye(3)
        return M

    def weights(self) -> Vector:
        """Forces of weight."""
        F = np.zeros((self.n, 6 * len(self.machine.bars)))
        for bar in self.machine.bars:
            F[:, self.column[bar.name] + 1] = -bar.mass * self.machine.gravity
        return F

    def energy(self) -> Vector:
        """Kinetic and potential energy, that of springs at joints among it."""
        v = self.velocities()
        total = 0.5 * np.einsum("ti,tij,tj->t", v, self.masses(), v)
        for bar in self.machine.bars:
            total = total + bar.mass * self.machine.gravity * self.sides[bar.name].centre[:, 1]
        return total

    def solve(self, rows: list[Row], right: Vector, force: Vector) -> tuple[Vector, Vector]:
        """Accelerations and multipliers: M a = force + Jᵀ λ, J a = right; the least multipliers where they are many."""
        size, J = force.shape[1], np.stack([row.coefficients for row in rows], 1)
        whole = np.zeros((self.n, size + len(rows), size + len(rows)))
        whole[:, :size, :size] = self.masses()
        whole[:, :size, size:] = -np.swapaxes(J, 1, 2)
        whole[:, size:, :size] = -J
        found = np.linalg.pinv(whole, rcond=CUT, hermitian=True) @ np.hstack([force, -right])[:, :, None]
        return found[:, :size, 0], found[:, size:, 0]


def accelerations(judge: Judge, extra: list[tuple[Row, Vector]], force: Vector) -> tuple[Vector, Vector]:
    """Accelerations and multipliers; extra rows with the accelerations that they have."""
    held = judge.held()
    rows = held + [row for row, _ in extra]
    right = np.stack([-row.rate for row in held] + [wanted - row.rate for row, wanted in extra], 1)
    return judge.solve(rows, right, force)
