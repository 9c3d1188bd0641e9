"""Serial mechanisms by recursive Newton-Euler on plain arrays, in world axes; only the tables are the library's.

Velocities and accelerations run outwards, forces and moments inwards (Luh, Walker and Paul 1980). The mass matrix
is found column by column from unit accelerations, and the accelerations from one linear solve.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibond.examples.links import Link

AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
GRAVITY = np.array([0.0, 0.0, -9.81])


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about a unit axis."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product; quicker than numpy's for single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def poses(links: Sequence[Link], q: np.ndarray) -> list[tuple]:
    """For each link, in world axes: hinge axis, step from the hinge before, centre from the hinge, inertia, place."""
    out, R, p = [], np.eye(3), np.zeros(3)
    for link, angle in zip(links, q, strict=True):
        step = R @ np.array(link.at)
        axis = R @ AXES[link.axis]
        R, p = R @ rotation(AXES[link.axis], angle), p + step
        J = np.diag(link.inertia) if np.ndim(link.inertia) == 1 else np.array(link.inertia)
        out.append((axis, step, R @ np.array(link.centre), R @ J @ R.T, p))
    return out


def loads(
    links: Sequence[Link], pose: list[tuple], u: np.ndarray, du: np.ndarray, gravity: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What each hinge passes on to its link, at the hinge and in world axes: force and torque, drive included."""
    w, dw, a, before = np.zeros(3), np.zeros(3), -gravity, []
    for (axis, step, centre, J, _), link, speed, rate in zip(pose, links, u, du, strict=True):
        a = a + cross(dw, step) + cross(w, cross(w, step))
        dw = dw + axis * rate + cross(w, axis) * speed
        w = w + axis * speed
        force = link.mass * (a + cross(dw, centre) + cross(w, cross(w, centre)))
        before.append((force, J @ dw + cross(w, J @ w) + cross(centre, force)))
    out, F, T = [(np.zeros(3), np.zeros(3))] * len(links), np.zeros(3), np.zeros(3)
    for k in range(len(links) - 1, -1, -1):
        F, T = F + before[k][0], T + before[k][1]
        out[k] = (F, T)
        T = T + cross(pose[k][1], F)
    return out


def torques(links: Sequence[Link], pose: list[tuple], u: np.ndarray, du: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Inverse dynamics: the hinge torques for given speeds and accelerations."""
    return np.array([place[0] @ T for place, (_, T) in zip(pose, loads(links, pose, u, du, gravity), strict=True)])


def mass_matrix(links: Sequence[Link], pose: list[tuple]) -> np.ndarray:
    """Column by column from unit accelerations."""
    nothing = np.zeros(len(links))
    return np.column_stack([torques(links, pose, nothing, unit, np.zeros(3)) for unit in np.eye(len(links))])


def attitudes(links: Sequence[Link], q: np.ndarray) -> list[np.ndarray]:
    """For each link the axes of the one before it, in which the reaction of its hinge is told."""
    out, R = [], np.eye(3)
    for link, angle in zip(links, q, strict=True):
        out.append(R)
        R = R @ rotation(AXES[link.axis], angle)
    return out


def with_load(link: Link, mass: float, centre: Sequence[float], inertia: Sequence[float]) -> Link:
    """A link with a further body fixed to it (Steiner's theorem for both)."""
    total = link.mass + mass
    common = (link.mass * np.array(link.centre) + mass * np.array(centre)) / total
    J = np.zeros((3, 3))
    for m, c, own in ((link.mass, link.centre, link.inertia), (mass, centre, inertia)):
        d = np.array(c) - common
        J += (np.diag(own) if np.ndim(own) == 1 else np.array(own)) + m * (d @ d * np.eye(3) - np.outer(d, d))
    return Link(link.axis, link.at, total, tuple(common), tuple(map(tuple, J)))


def accelerations(links: Sequence[Link], q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Forward dynamics without drive: solve M(q) du = -h(q, u)."""
    pose, nothing = poses(links, q), np.zeros(len(links))
    M = mass_matrix(links, pose)
    return np.linalg.solve((M + M.T) / 2, -torques(links, pose, u, nothing, GRAVITY))


def energy(links: Sequence[Link], q: np.ndarray, u: np.ndarray) -> float:
    """Kinetic and potential energy."""
    total, w, v = 0.0, np.zeros(3), np.zeros(3)
    for (axis, step, centre, J, p), link, speed in zip(poses(links, q), links, u, strict=True):
        v = v + cross(w, step)
        w = w + axis * speed
        at_centre = v + cross(w, centre)
        total += 0.5 * link.mass * at_centre @ at_centre + 0.5 * w @ J @ w - link.mass * GRAVITY @ (p + centre)
    return total
