"""Multibond graphs of one's own as parts: bodies in space and in the plane, and a casing that moves a frame."""

from __future__ import annotations

from typing import Any

import multibond as mb
from multibond import blocks, wiring


def own_body(
    name: str, inertia: object, mass: float, *, six: bool = False, back: bool = False, spin: bool = True
) -> mb.Model:
    """Newton and Euler as a bare graph behind a wrapper, in gravity along -y.

    six: with one 6-bond. back: half-arrows to the wrapper. spin: without it a point mass, which resists no turning.
    """
    model = mb.Model(name, size=3)
    w, v = model.add(mb.One("w")), model.add(mb.One("v"))
    if six:
        plug, both = model.add(wiring.FrameBond("plug")), model.add(mb.DirectSum("both", 3, 3))
        pairs = [(plug.bond, both.whole), (both.part_1, w), (both.part_2, v)]
    else:
        plug = model.add(wiring.FrameBonds("plug"))
        pairs = [(plug.rotation, w), (plug.translation, v)]
    for tail, head in pairs:
        model.bond(*((head, tail) if back else (tail, head)))
    if spin:
        model.bond(w, mb.I("inertia", inertia))
        model.bond(w, mb.EulerGyrator("gyroscopic", inertia))
    model.bond(v, mb.I("mass", mass))
    model.bond(mb.Se("weight", (0.0, -9.81 * mass, 0.0)), v)
    model.expose("frame", plug.frame)
    return model


def casing(rate: Any) -> mb.Model:
    """What turns about z at a given rate, and tells its attitude: a graph of one's own that moves a frame."""
    model = mb.Model("casing", size=3)
    plug = model.add(wiring.FrameBonds("plug", given=True))
    turn, angle = model.add(mb.One("turn")), model.add(mb.Dq("angle"))
    law = ["cos(u[2])", "-sin(u[2])", "0", "sin(u[2])", "cos(u[2])", "0", "0", "0", "1"]
    attitude = model.add(blocks.Function("attitude", law, size=3))
    place = model.add(blocks.Constant("place", (0.0, 0.0, 0.0)))
    model.bond(mb.Sf("rates", (0.0, 0.0, rate)), turn)
    model.bond(turn, angle)
    model.bond(turn, plug.rotation)
    model.bond(mb.Sf("rest", (0.0, 0.0, 0.0)), plug.translation)
    model.signal(angle.value, attitude.u)
    model.signal(attitude.y, plug.attitude)
    model.signal(place.y, plug.position)
    model.expose("frame", plug.frame)
    return model


def planar_part(name: str, inertia: tuple[float, float, float], weight: float) -> mb.Model:
    """A body in the plane as a bare graph of one 3-bond behind a wrapper."""
    model = mb.Model(name, size=3)
    plug, v = model.add(wiring.PlanarFrameBond("plug")), model.add(mb.One("v"))
    model.bond(plug.bond, v)
    model.bond(v, mb.I("inertia", inertia))
    model.bond(mb.Se("weight", (0.0, -weight, 0.0)), v)
    model.expose("frame", plug.frame)
    return model
