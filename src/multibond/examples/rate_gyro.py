"""A rate gyro: a spinning rotor in a gimbal, held by spring and damper, tells how fast its casing turns.

The casing turns about z at the rate to be measured, ν; the gimbal may tilt by α about x, and the rotor spins at β'
about the gimbal's y. Carried over to the gimbal (`carried`), the symmetric rotor only adds to its inertia, and the ring
of gyrators of the two bodies as one has a single modulus that differs: the one about y, by J2y β'. Where nothing but
that one matters, α = C cos α J2y β' ν at rest. (Tiernego and Bos 1985, second example, Figs 18 to 21, eqs 12 and 13.)
Figures: our own reference A03b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import multibond as mb
from multibond import blocks
from multibond.graph.port import PortRef

Rate = float | str | Callable | mb.Formula

GIMBAL, ROTOR = (2.0e-5, 2.2e-5, 2.6e-5), (2.5e-5, 4.0e-5, 2.5e-5)
"""Moments of inertia in the gimbal's axes  [kg.m²]."""
STIFFNESS, DAMPING, SPIN = 0.2, 0.002, 500.0
"""Of the gimbal's spring  [N.m/rad] and damper  [N.m.s/rad]; of the rotor relative to the gimbal  [rad/s]."""
TILTED = ["1", "0", "0", "0", "cos(u)", "sin(u)", "0", "-sin(u)", "cos(u)"]
SPUN = ["cos(u)", "0", "-sin(u)", "0", "1", "0", "sin(u)", "0", "cos(u)"]
"""A(α) and A(β), row after row: components in the outer frame to those in the frame turned about x, or about y."""
AXES = "xyz"


def rate_gyro(
    rate: Rate = 0.5, *, spin: float = SPIN, cross: tuple[float, float] = (0.0, 0.0), carried: bool = False
) -> mb.Model:
    """The gyro, its gimbal at rest in a casing that turns already; the gimbal's tilt is `tilt.q`.

    rate: of the casing about z, a number or a formula of the time t  [rad/s]; cross: about x and y  [rad/s].
    spin: of the rotor in the gimbal  [rad/s]. carried: with scalar bonds, the rotor carried over to the gimbal.
    """
    return _carried((*cross, rate), spin) if carried else _bodies((*cross, rate), spin)


def _bodies(rates: tuple[Rate, ...], spin: float) -> mb.Model:
    """Casing, gimbal and rotor one after the other, each relative to the one before, with 3-bonds."""
    model = mb.Model("rate_gyro", size=3)
    tilting = model.add(mb.One("tilting", size=1))
    tilt = _hold(model, tilting)
    axes = model.add(mb.DirectSum("axes", 1, 2))
    model.bond(tilting, axes.part_1)
    model.bond(mb.Sf("hinges", 0.0, size=2), axes.part_2)
    gimbal = _body(model, "gimbal", GIMBAL, TILTED, tilt.value)
    model.bond(mb.Sf("casing", rates), "A_gimbal")
    model.bond(axes.whole, "joint_gimbal")
    spinning, angles = model.add(mb.One("spinning")), model.add(mb.Dq("angles"))
    model.bond(mb.Sf("drive", (0.0, spin, 0.0)), spinning)
    model.bond(spinning, angles)
    _body(model, "rotor", ROTOR, SPUN, "angles.value[1]")
    model.bond(gimbal, "A_rotor")
    model.bond(spinning, "joint_rotor")
    return model


def _hold(model: mb.Model, tilting: mb.One) -> mb.Dq:
    """Spring and damper of the gimbal, and its tilt."""
    tilt = model.add(mb.Dq("tilt", size=1))
    model.bond(tilting, mb.C("spring", 1 / STIFFNESS, size=1))
    model.bond(tilting, mb.R("damper", DAMPING, size=1))
    model.bond(tilting, tilt)
    return tilt


def _body(model: mb.Model, name: str, inertia: Sequence[float], formulas: list[str], angle: PortRef | str) -> mb.One:
    """A body in its own axes: what the one before brings, turned by A, and the relative rate meet at a 0-junction."""
    turned, joint = model.add(mb.MTF(f"A_{name}", 3, 3)), model.add(mb.Zero(f"joint_{name}"))
    law, body = model.add(blocks.Function(f"A_{name}_modulus", formulas)), model.add(mb.One(name))
    model.signal(angle, law.u)
    model.signal(law.y, turned.modulus)
    model.bond(turned, joint)
    model.bond(joint, body)
    model.bond(body, mb.I(f"inertia_{name}", inertia))
    model.bond(body, mb.EulerGyrator(f"gyroscopic_{name}", inertia))
    return body


def _carried(rates: tuple[Rate, ...], spin: float) -> mb.Model:
    """One body of both, each axis with its inertia, and the ring of gyrators with the modulus that differs."""
    model = mb.Model("rate_gyro")
    tilting = model.add(mb.One("tilting"))
    tilt = _hold(model, tilting)
    body = [model.add(mb.One(f"gimbal_{axis}")) for axis in AXES]
    joint = [model.add(mb.Zero(f"joint_{axis}")) for axis in AXES]
    casing = [model.add(mb.One(f"casing_{axis}")) for axis in AXES]
    for k, axis in enumerate(AXES):
        model.bond(mb.Sf(f"rate_{axis}", rates[k]), casing[k])
        model.bond(joint[k], body[k])
        model.bond(body[k], mb.I(f"inertia_{axis}", GIMBAL[k] + ROTOR[k]))
    model.bond(casing[0], joint[0])
    model.bond(tilting, joint[0])
    for row, column, formula in ((1, 1, "cos(u)"), (1, 2, "sin(u)"), (2, 1, "-sin(u)"), (2, 2, "cos(u)")):
        entry = model.add(mb.MTF(f"A_{AXES[row]}{AXES[column]}"))
        law = model.add(blocks.Function(f"{entry.name}_modulus", formula))
        model.signal(tilt.value, law.u)
        model.signal(law.y, entry.modulus)
        model.bond(casing[column], entry)
        model.bond(entry, joint[row])
    _ring(model, body, spin)
    return model


def _ring(model: mb.Model, body: list[mb.One], spin: float) -> None:
    """e = ω × h: a gyrator across each axis with the momentum about it, to which the spin adds J2y β' about y."""
    momenta = []
    for k, axis in enumerate(AXES):
        speed = model.add(mb.Df(f"speed_{axis}"))
        momentum = model.add(blocks.Gain(f"momentum_{axis}", GIMBAL[k] + ROTOR[k]))
        model.bond(body[k], speed)
        model.signal(speed.value, momentum.u)
        momenta.append(momentum.y)
    spun = model.add(blocks.Constant("spin_momentum", ROTOR[1] * spin))
    both = model.add(blocks.Sum("momentum_with_spin"))
    model.signal(momenta[1], both.u_1)
    model.signal(spun.y, both.u_2)
    momenta[1] = both.y
    for k, axis in enumerate(AXES):
        ring = model.add(mb.MGY(f"ring_{axis}"))
        model.bond(body[(k + 1) % 3], ring)
        model.bond(ring, body[(k + 2) % 3])
        model.signal(momenta[k], ring.modulus)
