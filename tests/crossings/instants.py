"""Laws of instants: what may jump, what an impulse does, when what sticks lets go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .looking import Error, Limits, Look, moded
from .machine import Vector
from .newton import Judge, accelerations
from .reading import Reading


def instant_errors(reading: Reading, limits: Limits) -> Iterator[Error]:
    """At an instant nothing jumps but what an impulse of a stop moves, and that follows momentum and restitution."""
    machine, end = reading.machine, float(reading.run.t[-1])
    inside = np.array([t for t in reading.instants() if 1e-9 * end < t < end * (1 - 1e-9)])
    if not inside.size:
        return
    before, after = (Judge(machine, reading.seen(inside + sign * 1e-9 * min(end, 1.0))) for sign in (-1, 1))
    jump = after.velocities() - before.velocities()
    hits: dict[float, list[str]] = {}
    for hit in reading.run.hits:
        hits.setdefault(float(inside[np.abs(inside - hit.time).argmin()]), []).append(hit.path)
    size = max(1.0, float(np.abs(before.velocities()).max()))
    for k, t in enumerate(inside):
        if float(t) not in hits:
            yield Error("jump without a hit", "all bars", float(np.abs(jump[k]).max()) / size, 100 * limits.window)
    single = {t: paths[0] for t, paths in hits.items() if len(paths) == 1 and not _sticks(reading, t)}
    for t, path in single.items():
        yield from _impact(reading, float(t), path, limits)
    yield from _loose(reading, inside, hits, limits)


def _loose(reading: Reading, inside: Vector, hits: dict[float, list[str]], limits: Limits) -> Iterator[Error]:
    """What sticks lets go at its limit, not before."""
    for change in reading.run.changes:
        joint = next(
            (j for j in reading.machine.joints if j.friction and reading.same(change.path, f"{j.name}.friction")), None
        )
        t = float(inside[np.abs(inside - change.time).argmin()])
        if joint is None or change.mode == "stick" or t in hits or change.time < 2e-6 or reading.machine.controller:
            continue
        modes = {name: reading.mode(name, t - 1e-6) for name in moded(reading.machine)}
        if modes[f"{joint.name}.friction"] == "stick" and reading.machine.supply is None:
            look = Look(reading, modes, np.array([t - 2e-6]), np.array([t - 1e-6]))
            _, forces = accelerations(look.judge, look.extra, look.force)
            at = len(look.judge.held()) + [row.name for row, _ in look.extra].index(joint.name)
            limit = joint.friction if joint.static is None else joint.static
            yield Error("lets go at its limit", joint.name, abs(abs(float(forces[-1, at])) - limit), 1e3 * limits.sign)


def _sticks(reading: Reading, t: float) -> bool:
    names = [name for name in moded(reading.machine) if name.endswith((".friction", ".stop"))]
    return any(reading.mode(name, t + s) in ("lower", "upper") for name in names for s in (-1e-7,))


def _impact(reading: Reading, t: float, path: str, limits: Limits) -> Iterator[Error]:
    """M Δv = Jᵀ Λ, with the rows held after as before, and the share of the speed given back; so is the hit told."""
    machine = reading.machine
    joint = next(j for j in machine.joints if reading.same(path, f"{j.name}.stop"))
    seen = [Judge(machine, reading.seen(np.array([t + s]))) for s in (-1e-9, 1e-9)]
    v, after = (judge.velocities() for judge in seen)
    led = [seen[0].freedom(j) for j in machine.joints if j.path is not None]
    rows = [*seen[0].held(), *led, seen[0].freedom(joint)]
    hit = next(hit for hit in reading.run.hits if abs(hit.time - t) < 1e-8)
    share, speed = 0.0 if hit.after == 0.0 else joint.restitution, float(seen[0].speed(joint)[0])
    right = np.zeros((1, len(rows)))
    right[0, -1] = -(1.0 + share) * speed
    jump, impulses = seen[0].solve(rows, right, np.zeros_like(v))
    size = max(1.0, float(np.abs(v).max()))
    yield Error("impulse", joint.name, float(np.abs(after - v - jump).max()) / size, 100 * limits.window)
    told = np.abs([hit.before - speed, hit.after + share * speed, hit.impulse + float(impulses[0, -1])]).max()
    yield Error("what is told of a hit", joint.name, float(told) / size, 100 * limits.window)
