"""The laws by which a run of a mechanism is judged. Each tells the largest error that it finds, and its limit.

A run is looked at in windows that begin and end at its instants. Within each, velocities are the integral of the
accelerations that Newton and Euler give at the states seen, and places that of velocities: so a jump, a creep or a
wrong branch cannot pass, however long the run, and nothing has to be integrated twice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forces import acceleration_errors, thick_at
from .instants import instant_errors
from .looking import Error, Limits, Look, ends_of, looks
from .machine import TURN, Vector, place, start_of
from .newton import Judge, accelerations
from .reading import Reading

__all__ = ["Error", "Limits", "judge"]


def judge(reading: Reading, limits: Limits = Limits()) -> list[Error]:
    """All laws of mechanics on a run of a mechanism, in windows of about two steps."""
    windows = int(np.clip(reading.run.t.size // 2, 16, 100))
    found = [*_start(reading, limits), *instant_errors(reading, limits)]
    for look in looks(reading, windows):
        found += _judged(look, limits)
    return _worst(found)


def _worst(errors: list[Error]) -> list[Error]:
    """The worst of each law and place."""
    kept: dict[tuple[str, str], Error] = {}
    for error in errors:
        key = error.law, error.where
        if key not in kept or not error.size <= kept[key].size:
            kept[key] = error
    return list(kept.values())


def _start(reading: Reading, limits: Limits) -> Iterator[Error]:
    """A start that closes is not moved, and speeds that are given hold."""
    zero, machine = np.zeros(1), reading.machine
    seen = reading.seen(zero)
    for bar in machine.bars:
        where, angle = place(machine, bar.name)
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        off = max(
            np.abs(seen.place[bar.name][0, :2] - where).max(), np.abs(seen.attitude[bar.name][0, :2, :2] - R).max()
        )
        if not any(joint.path for joint in machine.joints):
            yield Error("start", bar.name, float(off), limits.start)
    judge = Judge(machine, seen)
    for joint in machine.joints:
        if joint.single and joint.speed is not None and joint.path is None:
            yield Error("start speed", joint.name, abs(float(judge.speed(joint)[0]) - joint.speed), limits.start)
        if not any(other.path for other in machine.joints):
            told = reading.values(f"{joint.name}.coordinates", zero)[0]
            off = np.abs(told - np.array(start_of(machine, joint)))
            yield Error("start coordinate", joint.name, float(off.max()), limits.start * max(1.0, abs(joint.turned)))


def _judged(look: Look, limits: Limits) -> Iterator[Error]:
    judge = look.judge
    yield from _rows(look, limits)
    yield from _coordinates(look, limits)
    a, forces = accelerations(judge, look.extra, look.force)
    thick = thick_at(judge, look.extra)
    yield from acceleration_errors(look, a, thick, limits)
    yield from _sums(look, a, forces, thick, limits)
    yield from _signs(look, forces, limits)
    yield from _circuit(look, limits)


def _rows(look: Look, limits: Limits) -> Iterator[Error]:
    """Every row: no gap, and no speed."""
    v = look.judge.velocities()
    size = max(1.0, float(np.abs(v).max()))
    for row in look.judge.held():
        assert row.gap is not None
        yield Error("gap of a row", row.name, float(np.abs(row.gap).max()), limits.gap)
        speed = np.einsum("tk,tk->t", row.coefficients, v)
        yield Error("speed of a row", row.name, float(np.abs(speed).max()), limits.rate * size)
    for row, _ in look.extra:
        joint = look.reading.machine.joint(row.name)
        wanted = joint.path.rate(look.t) if joint.path else 0.0
        off = np.abs(look.judge.speed(joint) - wanted).max()
        yield Error("speed of what is led or held", row.name, float(off), limits.rate * size)


def _coordinates(look: Look, limits: Limits) -> Iterator[Error]:
    """What the run calls the coordinate and the speed of a joint is what is seen; led ones follow their path."""
    for joint in look.reading.machine.joints:
        if not joint.single:
            continue
        told = look.reading.number(f"{joint.name}.coordinates", look.t)
        off = told - look.judge.coordinate(joint)
        off = off - TURN * np.round(off / TURN) if joint.turns else off
        limit = limits.gap * max(1.0, 1e-4 * abs(joint.turned))
        yield Error("coordinate", joint.name, float(np.abs(off).max()), limit)
        speed, seen = look.reading.number(f"{joint.name}.speeds", look.t), look.judge.speed(joint)
        size = max(1.0, float(np.abs(seen).max()))
        yield Error("speed", joint.name, float(np.abs(speed - seen).max()), limits.rate * size)
        if joint.path is not None:
            off = told - joint.path.value(look.t)
            yield Error("path", joint.name, float(np.abs(off).max()), max(limit, limits.path))
        for sign, border in ((-1.0, joint.lower), (1.0, joint.upper)):
            if border is not None:
                yield Error("beyond a stop", joint.name, float(np.max(sign * (told - border))), limits.sign)


def _sums(look: Look, a: Vector, forces: Vector, thick: Vector, limits: Limits) -> Iterator[Error]:
    """Velocities are the sum of accelerations, places of velocities, energies of powers."""
    early, late = ends_of(look)
    first, last = (Judge(look.reading.machine, look.reading.seen(t)) for t in (early, late))
    v, span = look.judge.velocities(), look.end - look.begin
    gained = last.velocities() - first.velocities()
    whole = thick.reshape(look.begin.size, -1).all(1)
    size = max(1.0, float(np.abs(v).max()))
    off = np.abs(gained - look.sums(a)).max(1) / size
    yield Error("velocity over a window", "all bars", float(off[whole].max(initial=0.0)), limits.window)
    usual = np.abs(a[thick]).max(initial=1.0)
    jump = np.abs(gained).max(1) - 30 * usual * span
    yield Error("velocity over a thin window", "all bars", float(jump[~whole].max(initial=0.0)) / size, limits.window)
    moved = np.hstack([last.sides[bar].centre - first.sides[bar].centre for bar in look.judge.sides])
    along = np.hstack([side.centre_velocity for side in look.judge.sides.values()])
    yield Error("place over a window", "all bars", float(np.abs(moved - look.sums(along)).max()), limits.window)
    yield from _turns(look, first, last, limits)
    for k, (row, _) in enumerate(look.extra):
        look.power += forces[:, len(look.judge.held()) + k] * look.judge.speed(look.reading.machine.joint(row.name))
    lost = np.abs(last.energy() - first.energy() - look.sums(look.power))
    known = whole if any(joint.path for joint in look.reading.machine.joints) else np.ones(span.size, bool)
    scale = max(1.0, float(np.abs(first.energy()).max()))
    yield Error("energy over a window", "all bars", float(lost[known].max(initial=0.0)) / scale, limits.window)


def _turns(look: Look, first: Judge, last: Judge, limits: Limits) -> Iterator[Error]:
    """Attitudes turn with the angular velocity, angles of joints count every turn."""
    for bar, side in look.judge.sides.items():
        rate = np.cross(side.turning[:, None, :], np.swapaxes(side.attitude, 1, 2)).swapaxes(1, 2)
        off = last.sides[bar].attitude - first.sides[bar].attitude - look.sums(rate)
        yield Error("attitude over a window", bar, float(np.abs(off).max()), limits.window)
    for joint in look.reading.machine.joints:
        if joint.single:
            told = [look.reading.number(f"{joint.name}.coordinates", judge.seen.t) for judge in (first, last)]
            off = told[1] - told[0] - look.sums(look.judge.speed(joint))
            limit = limits.window * max(1.0, 1e-4 * abs(joint.turned))
            yield Error("coordinate over a window", joint.name, float(np.abs(off).max()), limit)


def _signs(look: Look, forces: Vector, limits: Limits) -> Iterator[Error]:
    """What slips goes the way that its mode says, what sticks needs no more than it has, what presses does not pull."""
    held = len(look.judge.held())
    effort = {row.name: forces[:, held + k] for k, (row, _) in enumerate(look.extra)}
    for joint in look.reading.machine.joints:
        friction, stop = look.modes.get(f"{joint.name}.friction", ""), look.modes.get(f"{joint.name}.stop", "free")
        if friction in ("forward", "backward"):
            against = look.judge.speed(joint) * (-1.0 if friction == "forward" else 1.0)
            yield Error("way of slipping", joint.name, float(against.max()), limits.sign)
        if friction == "stick" and stop == "free" and joint.path is None:
            limit = joint.friction if joint.static is None else joint.static
            beyond = np.abs(effort[joint.name]).max() - limit
            yield Error("sticks beyond its limit", joint.name, float(beyond), limits.sign * max(1.0, limit))
        if stop in ("lower", "upper") and friction != "stick":
            pull = effort[joint.name] * (1.0 if stop == "upper" else -1.0)
            yield Error("a stop that pulls", joint.name, float(pull.max()), limits.sign)


def _circuit(look: Look, limits: Limits) -> Iterator[Error]:
    """Kirchhoff over each window, and the diode's signs."""
    supply, reading = look.reading.machine.supply, look.reading
    if supply is None:
        return
    t, joint = look.t, reading.machine.joint(supply.joint)
    i = reading.number("motor.current", t)
    closed = reading.mode("relay.switch", 0.0) and look.modes.get("relay.switch") == "closed"
    if supply.bridged:
        wrong = supply.closed(0.5 * (look.begin + look.end)) != closed
        yield Error("switch", "relay", float(wrong.sum()), 0.0)
    resistance = supply.resistance + (supply.bridged if supply.bridged and not closed else 0.0)
    drop = supply.voltage(t) - resistance * i - supply.constant * look.judge.speed(joint)
    if look.modes.get("valve.diode", "on") == "off":
        yield Error("current of a diode that blocks", "valve", float(np.abs(i).max()), limits.sign)
        yield Error("voltage of a diode that blocks", "valve", float(drop.max()), 1e3 * limits.sign)
        return
    early, late = ends_of(look)
    gained = reading.number("motor.current", late) - reading.number("motor.current", early)
    off = np.abs(gained - look.sums(drop) / supply.inductance).max()
    yield Error("current over a window", "motor", float(off), limits.window * max(1.0, float(np.abs(i).max())))
    if supply.diode:
        yield Error("current back through a diode", "valve", float((-i).max()), limits.sign)
