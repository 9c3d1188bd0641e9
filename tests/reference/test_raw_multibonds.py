"""Planar machines from bare 3-bonds (v_x, v_y, ω): no parts but partial junctions, sensors as holonomic links.

Zimmer and Cellier's first examples of MultiBondLib. Their planar angle counts clockwise. Checkpoints to all printed
digits; whole trajectories against Lagrange's equations, integrated independently.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks
from multibond.library.wiring import PartialZero

HUB = 0.0
"""Inertia at the hinge  [kg.m²]: the flow of a bare 1-junction needs an I that gives it, and it may be zero."""
ROD = (1.0, -3.0)
G = 9.81


def lever(model: mb.Model, name: str, angle: mb.Dq) -> mb.MTF:
    """A rod turned clockwise by an angle: f_b = f_a + ω · dr/dφ, r = (c x + s y, -s x + c y)."""
    x, y = ROD
    across, down = f"{-x}*sin(u) + {y}*cos(u)", f"{-x}*cos(u) - {y}*sin(u)"
    turn = model.add(blocks.Function(f"{name}_modulus", ["1", "0", across, "0", "1", down, "0", "0", "1"]))
    rod = model.add(mb.MTF(name, 3, 3))
    model.signal(angle.value, turn.u)
    model.signal(turn.y, rod.modulus)
    return rod


def hang(model: mb.Model, rod: mb.MTF) -> None:
    """A bob of 1 kg without rotational inertia at the end of a rod, and its weight."""
    bob = model.add(mb.One("bob"))
    model.bond(rod, bob)
    model.bond(bob, mb.I("mass", (1.0, 1.0, 0.0)))
    model.bond(mb.Se("weight", (0.0, -G, 0.0)), bob)


def hinge(model: mb.Model, turn: mb.One) -> mb.Dq:
    """Inertia and angle of a scalar rotation."""
    angle = model.add(mb.Dq("angle", size=1))
    model.bond(turn, mb.I("hub", HUB, size=1))
    model.bond(turn, angle)
    return angle


def pendulum() -> mb.Model:
    """A wall of two components and a free turn make the 3-bond of the pivot."""
    model = mb.Model("pendulum", size=3)
    turn, pivot = model.add(mb.One("turn", size=1)), model.add(mb.One("pivot"))
    both = model.add(mb.DirectSum("both", 2, 1))
    model.bond(mb.Sf("wall", (0.0, 0.0)), both.part_1)
    model.bond(turn, both.part_2)
    model.bond(both.whole, pivot)
    rod = lever(model, "rod", hinge(model, turn))
    model.bond(pivot, rod)
    hang(model, rod)
    return model


def crane_crab() -> mb.Model:
    """A cart that a slide leaves free along x, and a hinge on it that leaves ω free, each a partial 0-junction."""
    model = mb.Model("crane_crab", size=3)
    cart, hook = model.add(mb.One("cart")), model.add(mb.One("hook"))
    slide, joint = model.add(PartialZero("slide", (0, 1))), model.add(PartialZero("joint", (2,)))
    along, turn = model.add(mb.One("along", size=1)), model.add(mb.One("turn", size=1))
    model.bond(mb.Sf("wall", (0.0, 0.0, 0.0)), slide.whole)
    model.bond(slide.whole, cart)
    guide, direction = model.add(mb.MTF("guide", 2, 1)), model.add(blocks.Constant("direction", (1.0, 0.0)))
    model.signal(direction.y, guide.modulus)
    model.bond(along, guide)
    model.bond(guide, slide.part)
    model.bond(along, mb.Dq("position", size=1))
    model.bond(along, mb.I("trolley", HUB, size=1))
    model.bond(cart, mb.I("frame", (1.0, 1.0, 1.0)))
    model.bond(cart, joint.whole)
    model.bond(joint.whole, hook)
    model.bond(turn, joint.part)
    rod = lever(model, "rod", hinge(model, turn))
    model.bond(hook, rod)
    hang(model, rod)
    return model


def swing(t: np.ndarray) -> np.ndarray:
    """φ and ω of the pendulum: (10 + HUB) φ'' = -dV/dφ with V = g (-s x + c y)."""

    def rate(_: float, z: np.ndarray) -> list[float]:
        x, y = ROD
        return [z[1], G * (x * np.cos(z[0]) + y * np.sin(z[0])) / (10.0 + HUB)]

    return solve_ivp(rate, (0.0, t[-1]), [0.0, 0.0], "DOP853", t, rtol=1e-13, atol=1e-13).y.T


def crab(t: np.ndarray) -> np.ndarray:
    """s, φ, v, ω of cart and bob by Lagrange: both masses along x, the bob also around the hinge."""

    def rate(_: float, z: np.ndarray) -> list[float]:
        x, y = ROD
        c, s = np.cos(z[1]), np.sin(z[1])
        across, down = -x * s + y * c, -x * c - y * s
        matrix = np.array([[2.0 + HUB, across], [across, 10.0 + HUB]])
        force = np.array([-down * z[3] ** 2, -G * down])
        return [z[2], z[3], *np.linalg.solve(matrix, force)]

    return solve_ivp(rate, (0.0, t[-1]), [0.0] * 4, "DOP853", t, rtol=1e-13, atol=1e-13).y.T


CASES: dict[str, tuple[Callable[[], mb.Model], list[str], Callable[[np.ndarray], np.ndarray], list[list[float]]]] = {
    "pendulum": (
        pendulum,
        ["angle.q", "hub.f"],
        swing,
        [
            [0.115235, 0.431919],
            [0.379195, 0.555117],
            [0.623155, -0.196716],
            [0.573115, 0.351296],
            [0.251268, -0.55044],
        ],
    ),
    "crane crab": (
        crane_crab,
        ["position.q", "angle.q", "trolley.f", "hub.f"],
        crab,
        [
            [0.315397, 0.204731, 1.15874, 0.737897],
            [0.880738, 0.56494, 0.77761, 0.506714],
            [0.438847, 0.283065, -1.25062, -0.791553],
            [0.0551603, 0.0365589, -0.537758, -0.354424],
            [0.214699, 0.140317, -1.00721, -0.647644],
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_planar_machines(name: str) -> None:
    """Checkpoints at 0.5, 1, 2, 5 and 10 s, and 10 s as a whole."""
    build, names, lagrange, checkpoints = CASES[name]
    run = mb.simulate(build(), 10.0, rtol=1e-12, atol=1e-20)
    found = run.values(names, np.array([0.5, 1.0, 2.0, 5.0, 10.0]))
    assert [[f"{value:.6g}" for value in row] for row in found] == [
        [f"{value:.6g}" for value in row] for row in checkpoints
    ]
    t = np.linspace(0.0, 10.0, 201)
    np.testing.assert_allclose(run.values(names, t), lagrange(t), atol=1e-8)
    assert run.energy().residual < 1e-9
