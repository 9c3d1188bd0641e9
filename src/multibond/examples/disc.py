"""A disc that turns about its middle, with a mass that slides in a hole through it against friction.

Drawn twice. With 2-bonds, as the velocities of a point in a turning frame: what the disc's turning gives the mass, plus
what the mass moves in the disc, turned into the world's axes by A01. And with scalar bonds, where A01 is four
transformers: two velocities of three are independent, and with those of the mass as states the four transformers hold
an algebraic loop, of flows and of efforts; it is gone where A01 is drawn the other way round (`inverted`), as its
inverse is its transpose. (Tiernego and Bos 1985, first example, Figs 8 to 11.) Figures: our own reference A03a.
"""

from __future__ import annotations

import math
from typing import Any

import multibond as mb
from multibond import blocks

INERTIA, MASS, FRICTION, GRAVITY = 0.05, 0.2, 0.6, 9.81
"""Of the disc [kg.m²]; of the sliding mass [kg]; in the hole [N.s/m]; along -y [m/s²]."""
PLACE, RATE, REST = 0.1, 8.0, 0.15
"""Distance of the mass from the middle [m] and speed of the disc [rad/s] at the start; free place of the spring [m]."""
ROTATION = ["cos(u)", "-sin(u)", "sin(u)", "cos(u)"]
"""A01, row after row: the world's components from those in the disc's axes."""


def disc(
    *, scalar: bool = False, inverted: bool = False, stiffness: float = 0.0, tilt: float | None = None
) -> mb.Model:
    """The disc at 8 rad/s, its mass at rest in the hole 0.1 m from the middle; no rim.

    scalar: drawn with scalar bonds. inverted: A01 drawn from the world's axes to the disc's. stiffness: of a spring in
    the hole, free at 0.15 m  [N/m]. tilt: of the disc's axis about x, then drawn with 3-bonds in space  [rad].
    The disc's angle is `angle.q`; the place of the mass is `place.q`, its first component with vector bonds.
    """
    return _scalar(inverted, stiffness) if scalar else _vector(inverted, stiffness, tilt)


def _vector(inverted: bool, stiffness: float, tilt: float | None) -> mb.Model:
    size, c, s = (2, 1.0, 0.0) if tilt is None else (3, math.cos(tilt), math.sin(tilt))
    model = mb.Model("disc", size=size)
    _velocities(model, size, stiffness)
    rotation = mb.MTF("A10" if inverted else "A01", size, size, transposed=inverted, inverse="transpose")
    _modulated(model, rotation, ROTATION if tilt is None else _tilted(c, s), model["angle"])
    velocity = model.add(mb.One("velocity"))
    model.bond("point", rotation.b if inverted else rotation.a)
    model.bond(rotation.a if inverted else rotation.b, velocity)
    momentum = MASS * RATE * PLACE
    model.bond(velocity, mb.I("mass", MASS, start=(0.0, c * momentum, s * momentum)[:size], size=size))
    model.bond(mb.Se("weight", (0.0, -MASS * GRAVITY, 0.0)[:size], role="gravity"), velocity)
    return model


def _tilted(c: float, s: float) -> list[str]:
    """A01 in space, row after row: the turn about the disc's axis, then its tilt about x."""
    return ["cos(u)", "-sin(u)", "0", f"{c}*sin(u)", f"{c}*cos(u)", f"{-s}", f"{s}*sin(u)", f"{s}*cos(u)", f"{c}"]


def _velocities(model: mb.Model, size: int, stiffness: float) -> None:
    """In the disc's axes: what its turning gives the mass, and what the mass moves in the hole, meet at `point`.

    In space an inertia of zero makes the sliding velocity a state: with it no place on the way round is singular.
    """
    turn, along = model.add(mb.One("turn", size=1)), model.add(mb.One("along", size=1))
    relative, point = model.add(mb.One("relative")), model.add(mb.Zero("point"))
    angle, place = model.add(mb.Dq("angle", size=1)), model.add(mb.Dq("place", start=(PLACE, 0.0, 0.0)[:size]))
    model.bond(turn, mb.I("rotor", INERTIA, start=INERTIA * RATE, size=1))
    model.bond(turn, angle)
    _hole(model, along, stiffness)
    if size == 3:
        model.bond(along, mb.I("slider", 0.0, size=1))
    axes = model.add(mb.DirectSum("axes", 1, size - 1))
    model.bond(along, axes.part_1)
    model.bond(mb.Sf("hole", 0.0, size=size - 1), axes.part_2)
    model.bond(axes.whole, relative)
    model.bond(relative, place)
    model.bond(relative, point)
    lever = _modulated(model, mb.MTF("lever", size, 1), ["-u[1]", "u[0]", "0"][:size], place, size=size)
    model.bond(turn, lever)
    model.bond(lever, point)


def _scalar(inverted: bool, stiffness: float) -> mb.Model:
    model = mb.Model("disc")
    turn, along = model.add(mb.One("turn")), model.add(mb.One("along"))
    point = [model.add(mb.Zero(f"point_{axis}")) for axis in "xy"]
    velocity = [model.add(mb.One(f"velocity_{axis}")) for axis in "xy"]
    angle, place = model.add(mb.Dq("angle")), model.add(mb.Dq("place", start=PLACE))
    model.bond(turn, mb.I("rotor", INERTIA))
    model.bond(turn, angle)
    _hole(model, along, stiffness)
    model.bond(along, place)
    model.bond(along, point[0])
    model.bond(mb.Sf("hole", 0.0), point[1])
    lever = model.add(mb.MTF("lever", inverse="divide"))
    model.signal(place.value, lever.modulus)
    model.bond(turn, lever)
    model.bond(lever, point[1])
    (_turned_back if inverted else _turned)(model, angle, point, velocity)
    model.bond(velocity[0], mb.I("mass_x", MASS))
    model.bond(velocity[1], mb.I("mass_y", MASS, start=MASS * RATE * PLACE))
    model.bond(mb.Se("weight", -MASS * GRAVITY, role="gravity"), velocity[1])
    return model


def _hole(model: mb.Model, along: mb.One, stiffness: float) -> None:
    """What acts along the hole."""
    model.bond(along, mb.R("friction", FRICTION, size=1))
    if stiffness:
        model.bond(along, mb.C("spring", 1 / stiffness, start=PLACE - REST, size=1))


def _modulated(model: mb.Model, item: mb.MTF, formulas: list[str], sensor: Any, size: int = 1) -> mb.MTF:
    """Add a transformer and the formulas of what a sensor reads that are its modulus."""
    law = model.add(blocks.Function(f"{item.name}_modulus", formulas, size=size))
    model.add(item)
    model.signal(sensor.value, law.u)
    model.signal(law.y, item.modulus)
    return item


def _entries(model: mb.Model, angle: mb.Dq) -> dict[tuple[int, int], mb.MTF]:
    """The four transformers of A01 by row and column: `straight_` on the diagonal, `across_` beside it.

    Ties of causality go by name: of the two ways through the loop the one that divides by cos γ is taken, which is one
    at the start, and not that by sin γ.
    """
    law = model.add(blocks.Function("A01_modulus", ROTATION))
    model.signal(angle.value, law.u)
    table = {}
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        name = f"{'straight' if row == column else 'across'}_{'xy'[row]}"
        table[row, column] = model.add(mb.MTF(name, inverse="divide"))
        model.signal(f"{law.name}.y[{2 * row + column}]", table[row, column].modulus)
    return table


def _turned(model: mb.Model, angle: mb.Dq, point: list[mb.Zero], velocity: list[mb.One]) -> None:
    """A01 with its flow drawn from the disc's axes to the world's: v0 = A01 v1, summed at 0-junctions before v0."""
    inlets = [model.add(mb.One(f"into_{axis}")) for axis in "xy"]
    outlets = [model.add(mb.Zero(f"out_of_{axis}")) for axis in "xy"]
    for k in range(2):
        model.bond(point[k], inlets[k])
        model.bond(outlets[k], velocity[k])
    for (row, column), entry in _entries(model, angle).items():
        model.bond(inlets[column], entry)
        model.bond(entry, outlets[row])


def _turned_back(model: mb.Model, angle: mb.Dq, point: list[mb.Zero], velocity: list[mb.One]) -> None:
    """A10 = A01ᵀ with its flow drawn from the world's axes to the disc's: v1 = A10 v0, summed at the points."""
    for (row, column), entry in _entries(model, angle).items():
        model.bond(point[column], entry.b)
        model.bond(entry.a, velocity[row])
