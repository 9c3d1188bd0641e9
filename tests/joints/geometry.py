"""Joints and loops by hand, in NumPy alone: poses, free directions, and the conditions that velocities obey.

Nothing here asks the engine. A twist of a body is (ω, v of its frame's origin), both in world axes; a relative twist of
a joint is ω of b against a in b's axes, and the velocity of b's frame against a's, as seen from a, in a's axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

NONE = np.zeros((0, 3))
X, Y, Z = np.eye(3)


def skew(v: np.ndarray) -> np.ndarray:
    """The matrix of the cross product."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    K = skew(axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def of_quaternion(q: np.ndarray) -> np.ndarray:
    """The rotation of a unit quaternion (w, x, y, z)."""
    w, v = q[0], q[1:]
    return np.eye(3) + 2 * w * skew(v) + 2 * skew(v) @ skew(v)


def xyz_angles(R: np.ndarray) -> np.ndarray:
    """Angles about x, y, z, each carried along by those before."""
    return np.array([np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])])


@dataclass(frozen=True)
class Pose:
    """Attitude and place of a frame in another."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    @property
    def back(self) -> Pose:
        """The other way round."""
        return Pose(self.R.T, -self.R.T @ self.p)


HOME = Pose(np.eye(3), np.zeros(3))


@dataclass(frozen=True)
class Kind:
    """Which motions of a joint are free: slides along axes of a, then turns in order; a lead makes it a screw.

    quaternion: three turns are given by a quaternion. Coordinates of the turns come first.
    """

    turns: np.ndarray = field(default_factory=lambda: NONE)
    slides: np.ndarray = field(default_factory=lambda: NONE)
    quaternion: bool = False
    lead: float | None = None

    @property
    def freedoms(self) -> int:
        """Number of free motions."""
        return 1 if self.lead is not None else len(self.turns) + len(self.slides)

    @property
    def count(self) -> int:
        """Number of coordinates of the turns."""
        return 4 if self.quaternion else len(self.turns)

    def pose(self, q: np.ndarray) -> Pose:
        """Pose of b in a."""
        if self.lead is not None:
            return Pose(turn(self.turns[0], q[0]), self.slides[0] * q[0] * self.lead)
        return Pose(self._attitude(q), self.slides.T @ q[self.count :])

    def _attitude(self, q: np.ndarray) -> np.ndarray:
        if self.quaternion:
            return of_quaternion(q[:4])
        R = np.eye(3)
        for axis, angle in zip(self.turns, q, strict=False):
            R = R @ turn(axis, angle)
        return R

    def directions(self, q: np.ndarray) -> np.ndarray:
        """Relative twists of unit free speeds, one a column; three turns have the angular velocity in b's axes."""
        if self.lead is not None:
            return np.concatenate([self.turns[0], self.lead * self.slides[0]])[:, None]
        about = np.eye(3) if len(self.turns) == 3 else self.turns.T
        if len(self.turns) == 2:
            about = np.column_stack([self._attitude(q).T @ self.turns[0], self.turns[1]])
        whole = np.zeros((6, self.freedoms))
        whole[:3, : len(self.turns)], whole[3:, len(self.turns) :] = about, self.slides.T
        return whole

    def held(self, q: np.ndarray) -> np.ndarray:
        """What vanishes: rows across the free directions."""
        left, _, _ = np.linalg.svd(self.directions(q))
        return left[:, self.freedoms :].T

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Random coordinates of moderate size."""
        q = rng.uniform(-0.8, 0.8, 1 if self.lead is not None else self.count + len(self.slides))
        if self.quaternion:
            q[0] = 1.0
            q[:4] /= np.linalg.norm(q[:4])
        return q


def point_rows(body: int, bodies: int, place: Pose, frame: Pose) -> np.ndarray:
    """Velocity of a frame (ω, v, in world axes) from the twists of all bodies; body 0 is the world."""
    rows = np.zeros((6, 6 * bodies))
    if body:
        own = rows[:, 6 * (body - 1) : 6 * body]
        own[:, :] = np.eye(6)
        own[3:, :3] = -skew(frame.p - place.p)
    return rows


def relative_rows(a: np.ndarray, b: np.ndarray, at_a: Pose, at_b: Pose) -> np.ndarray:
    """Relative twist of two frames from the twists of all bodies."""
    w = at_b.R.T @ (b[:3] - a[:3])
    v = at_a.R.T @ (b[3:] - a[3:] + skew(at_b.p - at_a.p) @ a[:3])
    return np.vstack([w, v])


def rank(rows: np.ndarray) -> tuple[int, float]:
    """Number of independent rows, and how far the smallest of their singular values stands above zero."""
    sizes = np.linalg.svd(rows, compute_uv=False) if rows.size else np.zeros(0)
    found = int((sizes > 1e-9 * sizes.max(initial=1.0)).sum())
    return found, float(sizes[found - 1] / sizes[0]) if found else 1.0
