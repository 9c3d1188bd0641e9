"""Stops and dry friction in mechanisms: impulses go through joints and loops, and both methods agree."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import spatial as sp
from multibond.examples import slider_crank


def double_pendulum(restitution: float) -> mb.Model:
    """Two hinged bodies, the upper hinge with a stop at -0.2 rad."""
    model = mb.Model("double_pendulum")
    world = model.add(sp.World())
    upper = model.add(sp.Revolute("upper", angle=1.0))
    body = model.add(sp.Body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0, -0.5, 0)))
    rod = model.add(sp.Rod("rod", (0, -1, 0)))
    lower = model.add(sp.Revolute("lower", angle=0.3))
    bob = model.add(sp.Body("bob", mass=0.5, inertia=(0.05, 0.05, 0.05), centre=(0, -0.4, 0)))
    model.connect(world.frame, upper.frame_a)
    model.connect(upper.frame_b, body.frame, rod.frame_a)
    model.connect(rod.frame_b, lower.frame_a)
    model.connect(lower.frame_b, bob.frame)
    model.bond(upper.flange, mb.Stop("stop", lower=-0.2, restitution=restitution, start=1.0))
    return model


def mass_matrix(a: float, b: float) -> np.ndarray:
    """Of the double pendulum in the relative angles a and b."""
    coupling = 0.5 * 1.0 * 0.4 * np.cos(b)
    low = 0.05 + 0.5 * 0.16
    return np.array([[0.1 + 0.25 + 0.5 + low + 2 * coupling, low + coupling], [low + coupling, low]])


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_a_stop_in_a_double_pendulum(method: str, restitution: float) -> None:
    """Across the first hit: speeds by the mass matrix with an impulse on the upper hinge alone, energy accounted."""
    run = mb.simulate(double_pendulum(restitution), 2.0, method=method, rtol=1e-11, atol=1e-13)
    hit = next(piece.trajectory.t[-1] for piece in run.pieces)
    before = np.array([run[f"{j}.speed"](hit - 1e-9) for j in ("upper", "lower")])
    after = np.array([run[f"{j}.speed"](hit + 1e-9) for j in ("upper", "lower")])
    M = mass_matrix(run["upper.angle"](hit), run["lower.angle"](hit))
    impulse = -(1 + restitution) * before[0] / np.linalg.inv(M)[0, 0]
    np.testing.assert_allclose(after, before + np.linalg.inv(M)[:, 0] * impulse, atol=1e-6)
    assert run["upper.angle"](run.t).min() > -0.2 - 1e-10
    assert run.energy().residual < 1e-9
    assert run.energy().jumps > 0.1


def test_methods_agree_across_hits() -> None:
    runs = [mb.simulate(double_pendulum(0.7), 3.0, method=m, rtol=1e-11, atol=1e-13) for m in ("auto", "multiplier")]
    times = np.linspace(0.0, 3.0, 101)
    for name in ("upper.angle", "lower.angle"):
        worst = np.abs(runs[0][name](times) - runs[1][name](times)).max()
        print(name, worst)
        assert worst < 1e-8


def crank_equation():
    """The slider crank in its crank angle: J, dJ/dangle, dx/dangle and the rod's rate over the crank's, by geometry."""
    a = ca.SX.sym("a")
    r, l = 0.2, 1.0
    x = r * ca.cos(a) + ca.sqrt(l**2 - (r * ca.sin(a)) ** 2)
    rod = -ca.asin(r * ca.sin(a) / l)
    centre = ca.vertcat(r * ca.cos(a) + 0.5 * l * ca.cos(rod), r * ca.sin(a) + 0.5 * l * ca.sin(rod))
    slopes = [ca.jacobian(v, a) for v in (x, rod, centre)]
    J = 1 + 0.25 * r**2 + slopes[0] ** 2 + slopes[1] ** 2 + ca.sumsqr(slopes[2])
    return ca.Function("crank", [a], [J, ca.jacobian(J, a), slopes[0], slopes[1]])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_dry_friction_in_the_guide_of_a_slider_crank(method: str) -> None:
    """Through dead points, where friction cannot hold, against the equation of one freedom, integrated from point to
    point where the piston turns."""
    model = slider_crank()
    model.set("O.angle", 0.4)
    model.bond(model["guide"].flange, mb.Friction("shoe", coulomb=3.0, static=5.0))
    run = mb.simulate(model, 3.0, method=method, rtol=1e-10, atol=1e-13)
    equation = crank_equation()

    def motion(t, z, sign):
        J, slope, x, rod = (float(v) for v in equation(z[0]))
        force = 10.0 - x * (5.0 * x * z[1] + 3.0 * sign) - 2.0 * rod**2 * z[1] - 0.5 * slope * z[1] ** 2
        return [z[1], force / J]

    def turns(t, z, sign):
        return z[0] - goal

    turns.terminal = True
    t, z, sign, goal, times, turned = 0.0, [0.4, 0.0], -1.0, np.pi, np.linspace(0.0, 3.0, 61), []
    wanted = np.empty(times.size)
    while t < 3.0:
        found = solve_ivp(motion, (t, 3.0), z, "DOP853", args=(sign,), events=turns, rtol=1e-12, atol=1e-13,
                          dense_output=True)  # fmt: skip
        inside = (times >= t) & (times <= found.t[-1])
        wanted[inside] = found.sol(times[inside])[0]
        t, z, sign, goal = found.t[-1], found.y[:, -1], -sign, goal + np.pi
        turned.append(t)
    worst = np.abs(run["O.angle"](times) - wanted).max()
    print(method, worst)
    assert worst < 1e-8
    changes = [c.time for c in run.changes if c.time > 0]
    np.testing.assert_allclose(changes, turned[: len(changes)], atol=1e-7)
    assert run.energy().residual < 1e-8


def test_two_stops_that_one_body_hits_in_turn() -> None:
    """Each hit throws the body off the other stop, lower and lower; in the end it rests at both, with its weight."""
    model = mb.Model("corner")
    world, joint = model.add(sp.World()), model.add(sp.Universal("joint"))
    body = model.add(sp.Body("body", 2.0, (0.1, 0.2, 0.15), centre=(0.3, -0.4, 0.1)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    free = mb.compile(model)
    stop = model.add(mb.Stop("stop", -0.1, 0.1, size=2))
    model.bond("joint.flange", stop)
    model.signal("joint.coordinate", "stop.displacement")
    run = mb.simulate(model, 2.0)
    angles = run["joint.angles"](np.linspace(0.0, 2.0, 4001))
    assert np.abs(angles).max() < 0.1 + 1e-12
    np.testing.assert_allclose(angles[-1], (0.1, -0.1), atol=1e-12)
    weight = free.bias({"joint.angles": (0.1, -0.1), "joint.speeds": (0.0, 0.0)})
    np.testing.assert_allclose(run["stop.e"](2.0), -np.asarray(weight), rtol=1e-9)
    assert run.changes[-1].mode == "upper lower"
