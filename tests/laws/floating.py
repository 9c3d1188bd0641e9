"""Two floating bodies with a part between them, and what Newton and Euler say of the forces on each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp
from multibond.graph.component import Part
from multibond.solve.solution import Solution

GRAVITY = np.array([0.5, -9.81, 0.3])
MASS = {"a": 2.0, "b": 1.5}
INERTIA = {"a": np.array([0.3, 0.4, 0.5]), "b": np.array([0.2, 0.25, 0.4])}
POSITION = {"a": np.array([0.1, 0.2, -0.3]), "b": np.array([0.9, -0.3, 0.4])}
TURN = {"a": Rotation.from_rotvec([0.4, -0.3, 0.6]), "b": Rotation.from_rotvec([0.1, 0.5, 0.2])}
SPIN = {"a": np.array([0.7, -0.5, 1.1]), "b": np.array([-0.4, 0.9, 0.6])}
SPEED = {"a": np.array([0.3, -0.2, 0.5]), "b": np.array([-0.6, 0.4, 0.2])}


def floating(part: Part, *, together: bool = False, gravity: np.ndarray = GRAVITY) -> mb.Model:
    """Both bodies in free fall, with the frames of a part on them (`frame` on b); together: at one distance."""
    model = mb.Model("floating")
    world, part = model.add(sp.World(gravity=gravity)), model.add(part)
    speed = dict(SPEED)
    if together:
        speed["b"] = SPEED["a"] + np.cross([0.3, -0.8, 0.4], POSITION["b"] - POSITION["a"])
    for side in "ab":
        x, y, z, w = TURN[side].as_quat()
        start = {"quaternion": (w, x, y, z), "velocity": speed[side]}
        space = model.add(sp.Free(f"space_{side}", POSITION[side], angular_velocity=SPIN[side], **start))
        body = model.add(sp.Body(side, MASS[side], INERTIA[side]))
        model.connect(world.frame, space.frame_a)
        model.connect(space.frame_b, body.frame)
    names = [port.name for port in part.ports()]
    for port, frame in (("frame_a", "a.frame"), ("frame_b", "b.frame"), ("frame", "b.frame")):
        if port in names:
            model.connect(getattr(part, port), frame)
    for port, frame in (("frame_1", "a.frame"), ("frame_2", "b.frame")):
        if port in names:
            model.connect(getattr(part, port), frame)
    return model


@dataclass(frozen=True)
class Moment:
    """Both bodies at one time: positions, attitudes, velocities, spins (in body axes), accelerations and their like."""

    p: dict[str, np.ndarray]
    R: dict[str, np.ndarray]
    v: dict[str, np.ndarray]
    w: dict[str, np.ndarray]
    acceleration: dict[str, np.ndarray]
    spin_rate: dict[str, np.ndarray]

    @property
    def line(self) -> np.ndarray:
        """From a to b."""
        return self.p["b"] - self.p["a"]

    @property
    def unit(self) -> np.ndarray:
        return self.line / np.linalg.norm(self.line)

    @property
    def stretching(self) -> float:
        """Rate of the distance."""
        return float(self.unit @ (self.v["b"] - self.v["a"]))

    @property
    def seen(self) -> np.ndarray:
        """Velocity of b as an observer in a sees it, in a's axes."""
        R = self.R["a"]
        return R.T @ (self.v["b"] - self.v["a"]) - np.cross(self.w["a"], R.T @ self.line)

    @property
    def turning(self) -> np.ndarray:
        """Angular velocity of b against a, in b's axes."""
        return self.w["b"] - self.R["b"].T @ self.R["a"] @ self.w["a"]

    def force(self, side: str, gravity: np.ndarray = GRAVITY) -> np.ndarray:
        """The force that is on a body besides its weight, by Newton, in world axes."""
        return MASS[side] * (self.acceleration[side] - gravity)

    def torque(self, side: str) -> np.ndarray:
        """The torque that is on a body, by Euler, in world axes."""
        J, w = np.diag(INERTIA[side]), self.w[side]
        return self.R[side] @ (J @ self.spin_rate[side] + np.cross(w, J @ w))


def rate(run: Solution, name: str, t: float, h: float = 1e-3) -> np.ndarray:
    """Rate of a variable along a run, by differences of fourth order."""
    before2, before, after, after2 = run[name](np.array([t - 2 * h, t - h, t + h, t + 2 * h]))
    return (before2 - 8 * before + 8 * after - after2) / (12 * h)


def moment(run: Solution, t: float) -> Moment:
    """Both bodies at one time of a run."""
    return Moment(
        {s: run[f"{s}.position"](t) for s in "ab"},
        {s: run[f"{s}.attitude"](t).reshape(3, 3) for s in "ab"},
        {s: run[f"{s}.velocity"](t) for s in "ab"},
        {s: run[f"{s}.angular_velocity"](t) for s in "ab"},
        {s: rate(run, f"{s}.velocity", t) for s in "ab"},
        {s: rate(run, f"{s}.angular_velocity", t) for s in "ab"},
    )
