"""Friction, stops, dampers and driven motion at joints, in trees and at cuts: against one equation of the slider crank.

The crank (0.2 m) has one freedom, its angle a. All bodies have 1 kg and 1 kg.m²; the equation M(a) a'' + M'(a) a'²/2 =
Σ effort · dq/da comes from the kinetic energy by automatic differentiation.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import spatial as sp
from multibond.examples import slider_crank

METHODS = ["auto", "multiplier"]
CRANK, ROD = 0.2, 1.0


class Reduced:
    """The slider crank in its one coordinate."""

    def __init__(self) -> None:
        a = ca.SX.sym("a")
        tilt = ca.asin(-CRANK / ROD * ca.sin(a))
        tip = ca.vertcat(CRANK * ca.cos(a), CRANK * ca.sin(a))
        middles = (tip / 2, tip + ROD / 2 * ca.vertcat(ca.cos(tilt), ca.sin(tilt)))
        piston = CRANK * ca.cos(a) + ROD * ca.cos(tilt)
        inertia = 1 + ca.jacobian(tilt, a) ** 2 + ca.jacobian(piston, a) ** 2
        for middle in middles:
            inertia += ca.sumsqr(ca.jacobian(middle, a))
        slopes = ca.jacobian(piston, a), ca.jacobian(tilt, a)
        self.of = ca.Function("of", [a], [inertia, ca.jacobian(inertia, a), *slopes, piston, tilt])

    def __call__(self, a: float) -> list[float]:
        """Inertia, its slope, slopes of piston and tilt of the rod, piston, tilt."""
        return [float(v) for v in self.of(a)]

    def rate(self, a: float, w: float, effort: float) -> float:
        """Angular acceleration of the crank for a generalised effort."""
        inertia, slope, *_ = self(a)
        return (effort - 0.5 * slope * w**2) / inertia


REDUCED = Reduced()


def crank(**values: Any) -> mb.Model:
    """The slider crank without losses, at 1 rad; names with a double underscore are parameters of joints."""
    model = slider_crank(torque=0.0)
    for name, value in {"guide__damping": 0.0, "C__damping": 0.0, "O__angle": 1.0, **values}.items():
        model.set(name.replace("__", "."), value)
    return model


@pytest.mark.parametrize("method", METHODS)
def test_dampers_in_a_loop(method: str) -> None:
    """One on each joint, 0.3, 0.4 and 0.5 N.m.s/rad and 6 N.s/m; the joint C turns by the tilt of the rod alone."""
    dampers = {"O__damping": 0.3, "B__damping": 0.4, "C__damping": 0.5, "guide__damping": 6.0}
    run = mb.simulate(crank(O__speed=5.0, **dampers), 1.5, rtol=1e-11, method=method).check()

    def motion(_: float, z: np.ndarray) -> list[float]:
        _, _, dx, dt, *_ = REDUCED(z[0])
        loss = 0.3 + 0.4 * (dt - 1) ** 2 + 0.5 * dt**2 + 6.0 * dx**2
        return [z[1], REDUCED.rate(z[0], z[1], -loss * z[1])]

    times = np.linspace(0.0, 1.5, 16)
    wanted = solve_ivp(motion, (0, 1.5), [1.0, 5.0], "DOP853", times, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(run["O.angle"](times), wanted[0], atol=1e-8)
    np.testing.assert_allclose(run["O.speed"](times), wanted[1], atol=1e-8)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize(("joint", "method"), [("O", "auto"), ("guide", "auto"), ("O", "multiplier")])
def test_friction_sticks_in_a_loop_until_it_breaks(joint: str, method: str) -> None:
    """A torque of 10 t on the crank against 3 (N.m or N) that hold and 2 that slide: breaks where the work says."""
    values = {f"{joint}__friction": 2.0, f"{joint}__static": 3.0, "O__torque": "10*t", "O__speed": 0.0}
    run = mb.simulate(crank(**values), 1.2, rtol=1e-10, method=method).check()
    lever = 1.0 if joint == "O" else abs(REDUCED(1.0)[2])
    breaks = 3.0 * lever / 10
    assert run["O.speed"](0.98 * breaks) == pytest.approx(0.0, abs=1e-9)
    assert run["O.angle"](0.98 * breaks) == pytest.approx(1.0, abs=1e-9)
    held = run[f"{joint}.friction.e"](0.5 * breaks)
    assert abs(held) == pytest.approx(1.5, abs=1e-7)

    def motion(t: float, z: np.ndarray) -> list[float]:
        slip = 1.0 if joint == "O" else abs(REDUCED(z[0])[2])
        return [z[1], REDUCED.rate(z[0], z[1], 10 * t - 2.0 * slip)]

    wanted = solve_ivp(motion, (breaks, 1.2), [1.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert run["O.angle"](1.2) == pytest.approx(wanted[0], abs=1e-7)
    assert run["O.speed"](1.2) == pytest.approx(wanted[1], abs=1e-7)
    assert run.energy().residual < 1e-8


def test_friction_brings_a_loop_to_rest() -> None:
    """4 N.m on the crank: all of the energy is lost, and then nothing moves."""
    run = mb.simulate(crank(O__speed=2.0, O__friction=4.0), 3.0, rtol=1e-10).check()
    energy = 0.5 * REDUCED(1.0)[0] * 4.0
    assert run["O.speed"](3.0) == pytest.approx(0.0, abs=1e-9)
    assert run["O.angle"](3.0) == pytest.approx(1.0 + energy / 4.0, abs=1e-7)
    assert run.energy().dissipated == pytest.approx(energy, rel=1e-8)


@pytest.mark.parametrize(("restitution", "method"), [(0.0, "auto"), (0.6, "auto"), (1.0, "auto"), (0.6, "multiplier")])
def test_a_stop_in_a_loop(restitution: float, method: str) -> None:
    """The piston hits at 0.95 m: the crank's speed turns round by the restitution, and the loss is accounted for."""
    values = {"O__speed": 3.0, "guide__lower": 0.95, "guide__restitution": restitution}
    run = mb.simulate(crank(**values), 1.0, rtol=1e-11, method=method).check()
    hit = run.pieces[0].trajectory.t[-1]
    before, after = run["O.speed"](hit - 1e-9), run["O.speed"](hit + 1e-9)
    assert run["guide.position"](hit) == pytest.approx(0.95, abs=1e-9)
    assert after == pytest.approx(-restitution * before, abs=1e-6)
    inertia = REDUCED(float(run["O.angle"](hit)))[0]
    lost = 0.5 * inertia * (before**2 - after**2)
    assert run.energy().jumps == pytest.approx(lost, abs=1e-6)
    assert run["guide.position"](run.t).min() > 0.95 - 1e-9
    assert run.energy().residual < 1e-9


def path(t: Any) -> Any:
    return 1.0 + 2.0 * t + 0.5 * np.sin(3.0 * t)


@pytest.mark.parametrize("method", METHODS)
def test_a_driven_crank(method: str) -> None:
    """The piston follows the geometry; the torque is what the motion of the masses takes."""
    model = crank(O__driven="1 + 2*t + 0.5*sin(3*t)", O__angle=None)
    run = mb.simulate(model, 2.0, rtol=1e-11, method=method).check()
    for t in np.linspace(0.0, 2.0, 9):
        a, w, rate = path(t), 2.0 + 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)
        inertia, slope, dx, _, piston, tilt = REDUCED(a)
        assert run["O.angle"](t) == pytest.approx(a, abs=1e-9)
        assert run["guide.position"](t) == pytest.approx(piston, abs=1e-9)
        assert run["guide.speed"](t) == pytest.approx(dx * w, abs=1e-8)
        assert run["B.angle"](t) == pytest.approx(tilt - a, abs=1e-8)
        assert run["O.driver.e"](t) == pytest.approx(inertia * rate + 0.5 * slope * w**2, abs=1e-7)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_driven_piston(method: str) -> None:
    """Driven at the slider, x = 1.1 + 0.05 cos(t), the crank follows; the force works as the torque would."""
    model = crank(
        guide__driven="1.1 + 0.05*cos(t)", O__angle=mb.Guess(1.0), guide__position=None, B__angle=mb.Guess(-1.2)
    )
    run = mb.simulate(model, 2.0, rtol=1e-11, method=method).check()
    for t in np.linspace(0.2, 2.0, 7):
        x, v, rate = 1.1 + 0.05 * np.cos(t), -0.05 * np.sin(t), -0.05 * np.cos(t)
        a = np.arccos((x**2 + CRANK**2 - ROD**2) / (2 * CRANK * x))
        h = 1e-5
        inertia, slope, dx, *_ = REDUCED(a)
        bend = (REDUCED(a + h)[2] - REDUCED(a - h)[2]) / (2 * h)
        w = v / dx
        turn = (rate - bend * w**2) / dx
        assert run["O.angle"](t) == pytest.approx(a, abs=1e-8)
        assert run["guide.driver.e"](t) == pytest.approx((inertia * turn + 0.5 * slope * w**2) / dx, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_driven_joints_take_what_inverse_dynamics_says(method: str) -> None:
    """A double pendulum with both angles given, in space, against Newton and Euler by hand."""
    model = mb.Model("arm")
    world = model.add(sp.World())
    upper, lower = sp.Revolute("upper", "z", driven="sin(t)"), sp.Revolute("lower", "z", driven="0.3 + 0.5*t**2")
    upper, lower = model.add(upper), model.add(lower)
    near, far = model.add(sp.Box("near", (0.5, 0, 0), 0.05)), model.add(sp.Box("far", (0.4, 0, 0), 0.05))
    model.connect(world.frame, upper.frame_a)
    model.connect(upper.frame_b, near.frame_a)
    model.connect(near.frame_b, lower.frame_a)
    model.connect(lower.frame_b, far.frame_a)
    run = mb.simulate(model, 1.5, rtol=1e-11, method=method).check()
    m, n = near.mass, far.mass
    for t in (0.0, 0.4, 1.5):
        a, b = np.sin(t), np.sin(t) + 0.3 + 0.5 * t**2
        u, v, du, dv = np.cos(t), np.cos(t) + t, -np.sin(t), 1.0 - np.sin(t)

        def turned(angle: float, w: float, rate: float, length: float) -> np.ndarray:
            along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
            return length * (rate * across - w**2 * along)

        elbow, g = turned(a, u, du, 0.5), np.array([0.0, 9.81])
        first, second = m * (0.5 * elbow + g), n * (elbow + turned(b, v, dv, 0.2) + g)
        arm = 0.2 * np.array([np.cos(b), np.sin(b)])
        torque = far.inertia[2, 2] * dv + arm[0] * second[1] - arm[1] * second[0]
        reach = 0.5 * np.array([np.cos(a), np.sin(a)])
        whole = near.inertia[2, 2] * du + torque + reach[0] * second[1] - reach[1] * second[0]
        whole += 0.5 * (reach[0] * first[1] - reach[1] * first[0])
        assert run["lower.driver.e"](t) == pytest.approx(torque, abs=1e-7)
        assert run["upper.driver.e"](t) == pytest.approx(whole, abs=1e-7)
