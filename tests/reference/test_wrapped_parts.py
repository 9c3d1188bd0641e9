"""Tiernego and Bos' two examples from parts, against our own references A03a and A03b; the first also tilted in space.

The parts are the library's, or bodies drawn as multibond graphs and wrapped: bonds inside, frames outside. Tilted about
two axes, the disc feels the part of gravity in its plane, and its bearings carry what is left: motion by Lagrange's
equations with SciPy, forces and torques by Newton's and Euler's laws in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from tests.planar.wrapped import casing, own_body

import multibond as mb
from multibond import spatial as sp
from multibond.examples.disc import FRICTION, GRAVITY, INERTIA, MASS, PLACE, RATE, REST
from multibond.examples.rate_gyro import DAMPING, GIMBAL, ROTOR, SPIN, STIFFNESS

from .table import Reading, alone, compare, sized, table, vector, within

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
PARTS = ["library", "two 3-bonds", "one 6-bond"]
FORMS = [*((parts, "auto") for parts in PARTS), *((PARTS[1], method) for method in ("multiplier", "zcp", "minimal"))]
ACROSS, WEIGHT = 0.03, 0.7
"""Moment of the disc about its diameters [kg.m²] and its mass [kg]: they load the bearing and move nothing."""
TILTS = {"one axis": (0.6, 0.0), "two axes": (0.6, -0.9), "upside down": (2.5, 0.4)}
"""Turns of the disc's bearing about the world's x and then about its own y  [rad]."""


def body(parts: str, name: str, mass: float, inertia: tuple[float, float, float] | None = None) -> object:
    """A body of the library, or drawn and wrapped; without inertia a point mass."""
    if parts == "library":
        return sp.PointMass(name, mass) if inertia is None else sp.Body(name, mass, inertia)
    return own_body(name, inertia, mass, six=parts == "one 6-bond", spin=inertia is not None)


def disc_of_parts(parts: str, stiffness: float = 0.0, tilt: tuple[float, float] = (0.0, 0.0)) -> mb.Model:
    """The disc on a hinge in a bearing, and the mass in its hole, on a slider."""
    model = mb.Model("disc")
    model.add(sp.World())
    bearing = model.add(sp.Fixed("bearing", axes="xy", angles=tilt))
    hub = model.add(sp.Revolute("hub", "z", 0.0, RATE))
    hole = model.add(sp.Prismatic("hole", "x", PLACE, 0.0, damping=FRICTION, stiffness=stiffness, rest=REST))
    plate = model.add(body(parts, "plate", WEIGHT, (ACROSS, ACROSS, INERTIA)))
    mass = model.add(body(parts, "mass", MASS))
    model.connect(bearing.frame, hub.frame_a)
    model.connect(hub.frame_b, plate.frame, hole.frame_a)
    model.connect(hole.frame_b, mass.frame)
    return model


@pytest.mark.parametrize(("parts", "method"), FORMS)
@pytest.mark.parametrize(("name", "stiffness", "until"), [("reference", 0.0, 1.0), ("reference_spring", 40.0, 5.0)])
def test_disc(name: str, stiffness: float, until: float, parts: str, method: str) -> None:
    """A03a: every column to 1e-8 of its size."""
    data = table("A03a_disc_sliding_mass", name)
    run = mb.simulate(disc_of_parts(parts, stiffness), until, method=method, **TIGHT)
    columns = alone(
        gamma="hub.angle", x="hole.position", gamma_d="hub.speed", x_d="hole.speed",
        slot_force_on_mass_y1="hole.reaction_force[1]",
    )  # fmt: skip
    compare(run, data, sized(data, *columns, vector("hole.frame_b.position", "X0", "Y0")))


# -- tilted in space ---------------------------------------------------------------------------------------------------


def gravity_in(tilt: tuple[float, float]) -> np.ndarray:
    """Gravity in the bearing's axes."""
    return Rotation.from_euler("XY", tilt).as_matrix().T @ [0.0, -GRAVITY, 0.0]


def accelerations(z: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """γ'' and x'' of states (γ, x, γ', x'), columns of z, by Lagrange's equations."""
    angle, x, w, v = z
    along, across = g[0] * np.cos(angle) + g[1] * np.sin(angle), g[1] * np.cos(angle) - g[0] * np.sin(angle)
    turning = MASS * (x * across - 2 * x * v * w) / (INERTIA + MASS * x**2)
    return turning, x * w**2 + along - (FRICTION * v + 40.0 * (x - REST)) / MASS


@cache
def tilted(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, states (γ, x, γ', x') by SciPy, and gravity in the bearing's axes."""
    g, t = gravity_in(TILTS[name]), np.linspace(0.0, 3.0, 121)
    rate = lambda _, z: [z[2], z[3], *accelerations(z, g)]  # noqa: E731
    found = solve_ivp(rate, (0.0, 3.0), [0.0, PLACE, RATE, 0.0], "DOP853", t, rtol=1e-13, atol=1e-14)
    return t, found.y, g


def carried(z: np.ndarray, g: np.ndarray) -> dict[str, np.ndarray]:
    """What the hole exerts on the mass, in the disc's axes, and the bearing on the disc, in its own; one row a time."""
    angle, x, w, v = z
    turning, sliding = accelerations(z, g)
    c, s, none = np.cos(angle), np.sin(angle), np.zeros_like(x)
    weight = np.column_stack([g[0] * c + g[1] * s, g[1] * c - g[0] * s, g[2] + none])
    push = MASS * (np.column_stack([sliding - x * w**2, x * turning + 2 * v * w, none]) - weight)
    here = np.column_stack([c * push[:, 0] - s * push[:, 1], s * push[:, 0] + c * push[:, 1], push[:, 2]])
    arm = np.column_stack([x * c, x * s, none])
    torque = np.cross(arm, here) + np.column_stack([none, none, INERTIA * turning])
    return {
        "hole.reaction_force": push,
        "hole.reaction_torque": np.zeros((x.size, 3)),
        "hub.reaction_force": here - WEIGHT * g,
        "hub.reaction_torque": torque,
    }


@pytest.mark.parametrize(("parts", "method"), FORMS)
@pytest.mark.parametrize("name", TILTS)
def test_tilted_disc(name: str, parts: str, method: str) -> None:
    """Motion, and forces and torques of both joints, component by component, to 1e-8 of their size."""
    t, z, g = tilted(name)
    run = mb.simulate(disc_of_parts(parts, 40.0, TILTS[name]), 3.0, method=method, **TIGHT)
    assert np.abs(g[2]) > 1.0
    for path, exact in zip(("hub.angle", "hole.position", "hub.speed", "hole.speed"), z, strict=True):
        within(path, run[path](t), exact, 1e-8 * np.abs(exact).max())
    for path, exact in carried(z, g).items():
        size = max(float(np.abs(exact).max()), 1.0)
        for k in range(3):
            within(f"{path}[{k}]", run[path](t)[:, k], exact[:, k], 1e-8 * size)


def test_what_the_bearing_carries_across_the_plane() -> None:
    """In closed form: the weight of both along the axis, and the moment m g_z x of the mass about the diameters."""
    t, z, g = tilted("two axes")
    run, x = mb.simulate(disc_of_parts("two 3-bonds", 40.0, TILTS["two axes"]), 3.0, **TIGHT), z[1]
    within("hole z", run["hole.reaction_force[2]"](t), -MASS * g[2] * np.ones(t.size), 1e-9)
    within("hub z", run["hub.reaction_force[2]"](t), -(MASS + WEIGHT) * g[2] * np.ones(t.size), 1e-9)
    within("hub about x", run["hub.reaction_torque[0]"](t), -MASS * g[2] * x * np.sin(z[0]), 1e-8)
    within("hub about y", run["hub.reaction_torque[1]"](t), MASS * g[2] * x * np.cos(z[0]), 1e-8)
    within("hub about z, free", run["hub.reaction_torque[2]"](t), np.zeros(t.size), 1e-12)


# -- the rate gyro -----------------------------------------------------------------------------------------------------

RATES: dict[str, tuple[object, Callable, Callable]] = {
    "reference": (0.5, lambda t: 0.5 + 0 * t, lambda t: 0 * t),
    "reference_sine": (
        lambda t: 0.5 * mb.sin(4 * mb.pi * t),
        lambda t: 0.5 * np.sin(4 * np.pi * t),
        lambda t: 2 * np.pi * np.cos(4 * np.pi * t),
    ),
}
"""By table the casing's rate for the model, and as a function of time with its derivative  [rad/s, rad/s²]."""


def gyro_of_parts(rate: object, parts: str) -> mb.Model:
    """Casing, gimbal and rotor on hinges of the library; the casing is a graph of one's own that moves its frame."""
    model = mb.Model("gyro")
    model.add(sp.World())
    case = model.add(casing(rate))
    gimbal, rotor = model.add(body(parts, "gimbal", 0.1, GIMBAL)), model.add(body(parts, "rotor", 0.1, ROTOR))
    tilt = model.add(sp.Revolute("tilt", "x", 0.0, 0.0, stiffness=STIFFNESS, damping=DAMPING))
    spin = model.add(sp.Revolute("spin", "y", driven=SPIN * mb.t))
    model.connect(case.frame, tilt.frame_a)
    model.connect(tilt.frame_b, gimbal.frame, spin.frame_a)
    model.connect(spin.frame_b, rotor.frame)
    return model


def gyro_torque(data: dict[str, np.ndarray], rate: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Torque of the casing on the gimbal, in the casing's axes: d/dt of (J1 + J2) ω + J2y β' ĵ in the gimbal."""
    c, s, tilting = np.cos(data["alpha"]), np.sin(data["alpha"]), data["alpha_d"]
    w = np.column_stack([tilting, rate * s, rate * c])
    both = np.add(GIMBAL, ROTOR)
    momentum = both * w + ROTOR[1] * SPIN * np.array([0.0, 1.0, 0.0])
    gyroscopic = np.cross(w, momentum)
    about = -(STIFFNESS * data["alpha"] + DAMPING * tilting)
    turning = np.column_stack([tilting * 0, change * s + rate * tilting * c, change * c - rate * tilting * s])
    T = both * turning + gyroscopic
    return np.column_stack([about, c * T[:, 1] - s * T[:, 2], s * T[:, 1] + c * T[:, 2]])


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("name", RATES)
def test_rate_gyro(name: str, parts: str) -> None:
    """A03b: tilt and its rate to 1e-8 of their size, and what the hinge carries about all three axes."""
    data, (given, rate, change) = table("A03b_rate_gyro", name), RATES[name]
    run = mb.simulate(gyro_of_parts(given, parts), 1.0, rtol=1e-11, atol=1e-14)
    turned = Reading(("tilt.frame_a.rotation.f",), lambda w: w[:, 2])
    compare(run, data, sized(data, *alone(alpha="tilt.angle", alpha_d="tilt.speed", nu=turned)))
    t = data["t"]
    exact, found = gyro_torque(data, rate(t), change(t)), run["tilt.reaction_torque"](t)
    for k, axis in enumerate("xyz"):
        within(f"torque about {axis}", found[:, k], exact[:, k], 1e-8 * np.abs(exact).max())
