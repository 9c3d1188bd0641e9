"""Fields that hold both kinds of energy, on whole trajectories: Hamilton's equations by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibond as mb

from .by_scipy import by_scipy, close

TIMES = np.linspace(0.0, 4.0, 81)


def exact(model: mb.Model) -> mb.Run:
    return mb.simulate(model, 4.0, rtol=1e-12, atol=1e-14)


def solenoid(resistance: float = 0.0, flux: float = 1.1) -> mb.Model:
    """A plunger of 0.5 on a spring of 8 that moves in a coil: H = p² / 2L(q), L = 1 / (1 + q²), a condenser on it."""
    model = mb.Model("solenoid")
    plunger, current = model.add(mb.One("plunger")), model.add(mb.One("current"))
    field = model.add(mb.IC("field", energy=lambda q, p: 0.5 * p**2 * (1 + q**2), start=(0.4, flux)))
    model.bond(plunger, field.c)
    model.bond(current, field.i)
    model.bond(plunger, mb.I("mass", 0.5))
    model.bond(plunger, mb.C("spring", 1 / 8.0, start=0.4))
    model.bond(current, mb.C("condenser", 2.0))
    if resistance:
        model.bond(current, mb.R("winding", resistance))
    return model


@pytest.mark.parametrize("resistance", [0.0, 0.3])
def test_solenoid(resistance: float) -> None:
    """Hamilton's equations: q' = v, p' = -u - R i, with the force ∂H/∂q on the plunger and the current ∂H/∂p."""

    def rate(t: float, s: np.ndarray) -> list[float]:
        q, p, v, charge = s
        current = p * (1 + q**2)
        return [v, -charge / 2.0 - resistance * current, -(8.0 * q + p**2 * q) / 0.5, current]

    run = exact(solenoid(resistance))
    expected = by_scipy(rate, [0.4, 1.1, 0.0, 0.0], TIMES)
    for k, name in enumerate(("field.q", "field.p", "mass.f", "condenser.q")):
        close(run[name](TIMES), expected[:, k])
    close(run["field.c.e"](TIMES), expected[:, 1] ** 2 * expected[:, 0])
    close(run["field.i.f"](TIMES), expected[:, 1] * (1 + expected[:, 0] ** 2))
    assert run.energy().residual < 1e-11
    if not resistance:
        held = sum(np.array([_held(s) for s in expected[[0, -1]]]) * [-1, 1])
        assert held == pytest.approx(0.0, abs=1e-9)


def _held(s: np.ndarray) -> float:
    q, p, v, charge = s
    return 0.5 * p**2 * (1 + q**2) + 0.25 * v**2 + 4.0 * q**2 + 0.25 * charge**2


def test_field_of_several_components() -> None:
    """Two displacements and two momenta in one energy: each port has the slope in its own variable."""
    model = mb.Model("field")
    c, i = model.add(mb.One("moved", size=2)), model.add(mb.One("driven", size=2))
    energy = "q[0]**2*(1 + p[1]**2) + 0.5*q[1]**2 + p[0]**2 + 0.5*p[1]**2 + 0.3*q[1]*p[0]"
    field = model.add(mb.IC("field", energy=energy, displacements=2, momenta=2, start=(0.5, -0.2, 0.3, 0.8)))
    model.bond(c, field.c)
    model.bond(i, field.i)
    model.bond(c, mb.I("masses", (1.0, 2.0)))
    model.bond(i, mb.R("losses", (0.1, 0.2)))
    run = exact(model)

    def rate(t: float, s: np.ndarray) -> list[float]:
        q, p, v = s[:2], s[2:4], s[4:]
        f = [2 * p[0] + 0.3 * q[1], 2 * q[0] ** 2 * p[1] + p[1]]
        force = [2 * q[0] * (1 + p[1] ** 2), q[1] + 0.3 * p[0]]
        return [*v, -0.1 * f[0], -0.2 * f[1], -force[0], -force[1] / 2.0]

    expected = by_scipy(rate, [0.5, -0.2, 0.3, 0.8, 0.0, 0.0], TIMES)
    close(run["field.q"](TIMES), expected[:, :2])
    close(run["field.p"](TIMES), expected[:, 2:4])
    close(run["masses.f"](TIMES), expected[:, 4:])
    assert run.energy().residual < 1e-11


def test_field_whose_momentum_is_given_by_a_current() -> None:
    """A current source drives the solenoid: p = i / (1 + q²) follows at once, the plunger by Hamilton's equation."""
    model = solenoid(flux=0.0)
    model.remove("condenser")
    model.bond(mb.Sf("source", "1 + 0.5*sin(t)"), "current")
    run = exact(model)

    def momentum(t: Any, q: Any) -> Any:
        return (1.0 + 0.5 * np.sin(t)) / (1.0 + q**2)

    expected = by_scipy(lambda t, s: [s[1], -(8.0 * s[0] + momentum(t, s[0]) ** 2 * s[0]) / 0.5], [0.4, 0.0], TIMES)
    close(run["field.q"](TIMES), expected[:, 0])
    close(run["field.p"](TIMES), momentum(TIMES, expected[:, 0]))
    assert run.energy().residual < 1e-11


def test_field_whose_displacement_is_given_by_a_voltage() -> None:
    """q + 0.3 p = sin t is given at port c; what is left is p' = -0.5 (p + 0.3 q)."""
    model = mb.Model("field")
    node, current = model.add(mb.Zero("node")), model.add(mb.One("current"))
    field = model.add(mb.IC("field", energy="0.5*q**2 + 0.5*p**2 + 0.3*q*p", start=(0.0, 0.7)))
    model.bond(node, field.c)
    model.bond(current, field.i)
    model.bond(mb.Se("source", "sin(t)"), node)
    model.bond(current, mb.R("loss", 0.5))
    run = exact(model)
    p = by_scipy(lambda t, s: [-0.5 * (s[0] + 0.3 * (np.sin(t) - 0.3 * s[0]))], [0.7], TIMES)[:, 0]
    close(run["field.p"](TIMES), p)
    close(run["field.q"](TIMES), np.sin(TIMES) - 0.3 * p)
    assert run.energy().residual < 1e-11
