"""Laws of forces: what accelerates each bar, and the reactions that the run tells of its joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .looking import NODES, Error, Limits, Look, spatial
from .machine import Vector
from .newton import Judge, Row

THIN = 3e-3
"""Below this part of its usual size the least singular value of all rows is thin: there energy and continuity judge."""


def thick_at(judge: Judge, extra: list[tuple[Row, Vector]]) -> Vector:
    """Whether rows determine what they hold as well as usual."""
    J = np.stack([row.coefficients for row in judge.held() + [row for row, _ in extra]], 1)
    values = np.linalg.svd(J, compute_uv=False)
    rank = int(np.median((values > 1e-7 * values[:, :1]).sum(1)))
    least = values[:, rank - 1]
    return least > THIN * np.median(least)


def acceleration_errors(look: Look, a: Vector, thick: Vector, limits: Limits) -> Iterator[Error]:
    """What accelerates each bar is what Newton and Euler say; and with the reactions told, forces balance."""
    judge, machine = look.judge, look.reading.machine
    for bar in machine.bars:
        k = judge.column[bar.name]
        if not bar.mass or not thick.any():
            continue
        expected = np.hstack([bar.mass * a[:, k : k + 3], bar.inertia * a[:, k + 3 : k + 6]])
        size = max(1.0, float(np.abs(expected[thick]).max()))
        off = np.abs(look.reading.inertial(bar.name, look.t) - expected)[thick].max() / size
        yield Error("acceleration", bar.name, float(off), limits.state)
    yield from _reactions(look, thick, limits)
    yield from _least(look, thick, limits)


def _reactions(look: Look, thick: Vector, limits: Limits) -> Iterator[Error]:
    """The reactions told, with weights and what is driven, accelerate each bar as seen: once in each window."""
    t, machine = look.t[3 :: NODES.size], look.reading.machine
    judge, thick = Judge(machine, look.reading.seen(t)), thick[3 :: NODES.size]
    total, size = judge.weights(), 1.0
    for joint in machine.joints:
        force = look.reading.values(f"{joint.name}.reaction_force", t)
        torque = look.reading.values(f"{joint.name}.reaction_torque", t)
        a, b = judge.side(joint.a, joint.at_a), judge.side(joint.b, joint.at_b)
        force = np.einsum("tij,tj->ti", a.attitude, spatial(force))
        torque = np.einsum("tij,tj->ti", a.attitude, spatial(torque))
        size = max(size, float(np.abs(force[thick]).max(initial=0.0)))
        for side, sign in ((a, -1.0), (b, 1.0)):
            if side.bar in judge.column:
                k = judge.column[side.bar]
                total[:, k : k + 3] += sign * force
                total[:, k + 3 : k + 6] += sign * (torque + np.cross(b.point - side.centre, force))
    for bar in machine.bars:
        k, needed = judge.column[bar.name], np.zeros((t.size, 6))
        if bar.mass:
            needed = look.reading.inertial(bar.name, t)
        off = np.abs(total[:, k : k + 6] - needed)[thick]
        yield Error("balance of reactions", bar.name, float(off.max(initial=0.0)) / size, limits.state)


def _least(look: Look, thick: Vector, limits: Limits) -> Iterator[Error]:
    """Reactions that rows do not determine are the least of all: across every combination of forces that does nothing.

    Of joints that only hold; torques count as forces at the length of the machine.
    """
    t, machine = look.t[3 :: NODES.size], look.reading.machine
    judge, length, told = Judge(machine, look.reading.seen(t)), look.reading.length, []
    rows = judge.held()
    for joint in machine.joints:
        a = judge.side(joint.a, joint.at_a).attitude
        for kind in ("force", "torque"):
            told.append(
                (
                    joint.name,
                    kind,
                    np.einsum("tij,tj->ti", a, spatial(look.reading.values(f"{joint.name}.reaction_{kind}", t))),
                )
            )
    by = {(name, kind): value for name, kind, value in told}
    weight = np.array([1.0 if " slide " in row.name else 1.0 / length for row in rows])
    along = [row.along if " slide " in row.name else row.about for row in rows]
    kinds = [(row.name.split(" ")[0], "force" if " slide " in row.name else "torque") for row in rows]
    force = np.stack([np.einsum("ti,ti->t", by[key], way) for key, way in zip(kinds, along, strict=True)], 1)
    J = np.stack([row.coefficients for row in rows], 2) / weight
    for k in np.flatnonzero(thick[3 :: NODES.size])[::4]:
        _, sizes, V = np.linalg.svd(J[k])
        free = V[int((sizes > 1e-7 * sizes[0]).sum()) :]
        off = np.abs(free @ (weight * force[k])).max(initial=0.0)
        yield Error("least reactions", "all joints", float(off) / max(1.0, float(np.abs(force[k]).max())), limits.state)
