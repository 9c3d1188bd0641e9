"""Sources that follow a formula, inside whole machines, against closed forms and independent integration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import multibond as mb

X = np.array([0.0, 0.4, 1.1, 1.7, 2.6, 3.0])
Y = np.array([0.0, 3.0, -1.0, 2.0, 2.5, -2.0])


def cart(effort: Any, *, sprung: bool = True) -> mb.Model:
    """A mass on a damper, and on a spring where wanted, pushed."""
    model = mb.Model("cart")
    speed = model.add(mb.One("speed"))
    model.bond(mb.Se("push", effort), speed)
    model.bond(speed, mb.I("mass", 2.0))
    model.bond(speed, mb.R("oil", 0.3))
    if sprung:
        model.bond(speed, mb.C("spring", 0.1))
    return model


def moved(flow: Any, inertia: Any = 2.0) -> mb.Model:
    """A mass whose speed is given: its effort is a derivative."""
    model = mb.Model("moved")
    model.bond(mb.Sf("drive", flow), mb.I("mass", inertia))
    return model


@pytest.mark.parametrize(
    "effort",
    [3 * mb.sin(2 * mb.t), "3*sin(2*t)", lambda t: 3 * mb.sin(2 * t), lambda time: 3 * np.sin(2 * time)],
    ids=["formula", "text", "function", "numpy"],
)
def test_a_source_of_effort_follows_its_formula(effort: Any) -> None:
    model = mb.Model("free")
    speed = model.add(mb.One("speed"))
    model.bond(mb.Se("push", effort), speed)
    model.bond(speed, mb.I("mass", 2.0))
    run = mb.simulate(model, 3.0)
    t = np.linspace(0, 3, 7)
    np.testing.assert_allclose(run["mass.p"](t), 1.5 * (1 - np.cos(2 * t)), rtol=0, atol=1e-8)
    np.testing.assert_allclose(run["push.e"](t), 3 * np.sin(2 * t), rtol=1e-14)
    np.testing.assert_allclose(run["push.power"](t), run["push.e"](t) * run["mass.f"](t), rtol=1e-12)


@pytest.mark.parametrize("form", ["formula", "table"])
def test_a_given_speed_needs_the_effort_of_its_derivative(form: str) -> None:
    t = np.linspace(0.05, 2.95, 9)
    spline = CubicSpline(X, Y, bc_type="natural")
    flow = mb.Table(X, Y, smooth=True) if form == "table" else lambda t: 3 * mb.sin(2 * t) + t**2
    rate = spline(t, 1) if form == "table" else 6 * np.cos(2 * t) + 2 * t
    run = mb.simulate(moved(flow), 3.0)
    np.testing.assert_allclose(run["mass.e"](t), 2.0 * rate, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run["mass.f"](t), spline(t) if form == "table" else 3 * np.sin(2 * t) + t**2, rtol=1e-12)


def test_given_velocities_of_a_field() -> None:
    inertia = np.array([[2.0, 0.5], [0.5, 3.0]])
    run = mb.simulate(moved(["sin(t)", mb.t**3], inertia), 1.0)
    rate = np.array([np.cos(0.7), 3 * 0.7**2])
    np.testing.assert_allclose(run["mass.e"](0.7), inertia @ rate, rtol=1e-12)


@pytest.mark.parametrize("solver", ["dop853", "rodas5p"])
@pytest.mark.parametrize("smooth", [False, True])
def test_a_machine_driven_by_a_table(solver: str, smooth: bool) -> None:
    run = mb.simulate(cart(mb.Table(X, Y, smooth)), 4.0, solver=solver)
    spline = CubicSpline(X, Y, bc_type="natural")

    def effort(t: float) -> float:
        return float(spline(t)) if smooth and t < X[-1] else float(np.interp(t, X, Y))

    state = np.zeros(2)
    for start, stop in zip(X, [*X[1:], 4.0], strict=True):
        part = solve_ivp(
            lambda t, s: [effort(t) - 0.3 * s[0] / 2.0 - s[1] / 0.1, s[0] / 2.0],
            (start, stop), state, rtol=1e-11, atol=1e-12, method="DOP853",
        )  # fmt: skip
        state = part.y[:, -1]
        np.testing.assert_allclose([run["mass.p"](stop), run["spring.q"](stop)], state, rtol=0, atol=3e-7)


def test_tables_of_two_arguments_in_a_machine() -> None:
    table = mb.Table2([0, 1, 3], [-1, 0.2, 1], np.arange(9.0).reshape(3, 3) ** 2, smooth=True)
    run = mb.simulate(cart(lambda t: table(t, mb.sin(t))), 3.0, solver="rodas5p")
    t = np.linspace(0, 3, 11)
    np.testing.assert_allclose(run["push.e"](t), table(t, np.sin(t)), rtol=1e-12)
    assert run.energy().residual < 1e-7


def test_a_step_comes_at_its_time() -> None:
    run = mb.simulate(cart(mb.where((mb.t > 1.2345) & (mb.t < 2), 5, 0), sprung=False), 3.0)
    k = 0.15
    wanted = 5 * (1 - np.exp(-k * (2 - 1.2345))) / k * np.exp(-k)
    assert run["mass.p"](3.0) == pytest.approx(wanted, rel=1e-8)


def test_a_vector_of_formulas_gives_the_same_at_every_depth() -> None:
    model = mb.Model("three", size=3)
    speed = model.add(mb.One("speed"))
    model.bond(mb.Se("push", [0, mb.sin(mb.t), "t**2"]), speed)
    model.bond(speed, mb.I("mass", (1.0, 2.0, 3.0)))
    model.bond(speed, mb.R("oil", 0.5))
    whole, scalar = mb.simulate(model, 1.0), mb.simulate(model.open(depth=3), 1.0)
    for k in range(3):
        assert scalar[f"mass-{k + 1}.p"](1.0) == pytest.approx(whole["mass.p"](1.0)[k], rel=1e-9, abs=1e-12)


def test_like_circuits_with_unlike_formulas_stay_apart() -> None:
    model = mb.Model("two")
    for name, effort in (("left", "t"), ("right", "2*t"), ("same", "t")):
        inner = mb.Model(name)
        speed = inner.add(mb.One("speed"))
        inner.bond(mb.Se("push", effort), speed)
        inner.bond(speed, mb.I("mass", 1.0))
        model.add(inner)
    run = mb.simulate(model, 2.0)
    found = [run[f"{name}.mass.p"](2.0) for name in ("left", "right", "same")]
    np.testing.assert_allclose(found, [2.0, 4.0, 2.0], rtol=1e-9)


@pytest.mark.parametrize(("before", "after", "wanted"), [(3.0, "t", 2.0), ("t", 3.0, 6.0), ("t", "2*t", 4.0)])
def test_a_changed_formula_is_compiled_anew(before: Any, after: Any, wanted: float) -> None:
    model = mb.Model("free")
    speed = model.add(mb.One("speed"))
    model.bond(mb.Se("push", before), speed)
    model.bond(speed, mb.I("mass", 2.0))
    changed = mb.with_parameters(mb.compile(model), {"push.effort": after})
    assert mb.simulate(changed, 2.0)["mass.p"](2.0) == pytest.approx(wanted, rel=1e-9)
