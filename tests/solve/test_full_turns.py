"""Whole turns of a start change nothing but the angles that are told: in joints, loops, gears, modes and samples.

The start of one machine is many turns ahead of that of another; both go the same way, to a few roundings of a number of
the size of an angle within one turn. Angles themselves are told to a rounding of the total.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.rotation import TURN, without_turns

FAR = [1e6, 1e9]
T = np.linspace(0.0, 2.0, 41)
METHODS = ["auto", "multiplier", "zcp", "minimal"]


def within(angle: float) -> float:
    """The same place within half a turn."""
    return without_turns(angle, round(angle / TURN))


def ulps(angle: float, count: float = 4.0) -> float:
    """What a double of this size can tell."""
    return count * float(np.spacing(abs(angle)))


def bar(model: mb.Model, name: str, length: float) -> tuple:
    """A bar along x with its mass in the middle; returns the frames at its ends."""
    body = model.add(sp.Body(name, 1.0, (0.02, 0.03, 0.04), centre=(0.5 * length, 0.0, 0.0)))
    rod = model.add(sp.Rod(f"{name}_rod", (length, 0.0, 0.0)))
    model.connect(rod.frame_a, body.frame)
    return rod.frame_a, rod.frame_b


def pendulum(angle: float, **more: object) -> mb.Model:
    """A bar that turns about a hinge under gravity, fast enough to go round."""
    model = mb.Model("pendulum")
    world = model.add(sp.World())
    hip = model.add(sp.Revolute("hip", angle=angle, speed=9.0, **more))  # type: ignore[arg-type]
    root, tip = bar(model, "leg", 0.8)
    foot = model.add(sp.Body("foot", 0.3, (0.001, 0.001, 0.001)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, root)
    model.connect(tip, foot.frame)
    return model


def four_bar(angle: float, **more: object) -> mb.Model:
    """A crank that goes round in a loop of four hinges."""
    model = mb.Model("four_bar")
    world, base = model.add(sp.World()), model.add(sp.Rod("base", (1.0, 0.0, 0.0)))
    O = model.add(sp.Revolute("O", angle=angle, speed=9.0, **more))  # type: ignore[arg-type]
    B, C, D = model.add(sp.Revolute("B")), model.add(sp.Revolute("C")), model.add(sp.Revolute("D", angle=mb.Guess(1.7)))
    crank, coupler, rocker = (bar(model, n, s) for n, s in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)))
    model.connect(world.frame, O.frame_a, base.frame_a)
    model.connect(base.frame_b, D.frame_a)
    model.connect(O.frame_b, crank[0])
    model.connect(crank[1], B.frame_a)
    model.connect(B.frame_b, coupler[0])
    model.connect(coupler[1], C.frame_a)
    model.connect(C.frame_b, rocker[1])
    model.connect(rocker[0], D.frame_b)
    return model


def rotor(angle: float, **more: object) -> mb.Model:
    """A weight that goes round in the plane."""
    model = mb.Model("rotor")
    world, arm = model.add(pl.World()), model.add(pl.Rod("arm", (0.3, 0.0)))
    hip = model.add(pl.Revolute("hip", angle=angle, speed=9.0, **more))  # type: ignore[arg-type]
    foot = model.add(pl.Body("foot", 1.0, 0.05))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, arm.frame_a)
    model.connect(arm.frame_b, foot.frame)
    return model


def pair(make: object, far: float, **how: object) -> tuple[mb.Run, mb.Run]:
    """The runs from an angle and from the same place within half a turn."""
    runs = [mb.simulate(make(a), 2.0, rtol=1e-11, **how) for a in (far, within(far))]  # type: ignore[operator, arg-type]
    return runs[0], runs[1]


@pytest.mark.parametrize("far", [1.0 + TURN, -1e6, 1e9])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [pendulum, rotor])
def test_a_pendulum_goes_as_from_turns_before(make: object, method: str, far: float) -> None:
    run, near = pair(make, far, method=method)
    for name in ("hip.speed", "foot.position", "foot.velocity", "hip.reaction_force"):
        np.testing.assert_allclose(run[name](T), near[name](T), rtol=0, atol=1e-9, err_msg=name)
    moved, other = run["hip.angle"](T) - far, near["hip.angle"](T) - within(far)
    np.testing.assert_allclose(moved, other, rtol=0, atol=1e-9 + ulps(far))
    assert np.ptp(other) > 2 * TURN


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("method", METHODS)
def test_a_loop_goes_as_from_turns_before(method: str, far: float) -> None:
    run, near = pair(four_bar, far, method=method)
    for name in ("O.speed", "D.angle", "D.speed", "coupler.position", "C.reaction_force"):
        np.testing.assert_allclose(run[name](T), near[name](T), rtol=0, atol=3e-8, err_msg=name)
    np.testing.assert_allclose(run["O.angle"](T) - far, near["O.angle"](T) - within(far), rtol=0, atol=1e-8 + ulps(far))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("solver", ["dop853", "dopri5", "rodas5p", "rk4"])
def test_solvers_and_depths_keep_whole_turns_apart(solver: str, depth: int) -> None:
    """From within half a turn, at three depths, by every kind of solver: the same steps lead the same way."""
    far, step = 1e9, {"step": 2e-3} if solver == "rk4" else {"rtol": 1e-8}
    models = [pendulum(a) for a in (far, within(far))]
    made = [model if depth == 1 else mb.compile(model, depth=depth) for model in models]
    runs = [mb.simulate(each, 2.0, solver=solver, **step) for each in made]  # type: ignore[arg-type]
    np.testing.assert_allclose(runs[0]["foot.position"](T), runs[1]["foot.position"](T), rtol=0, atol=1e-9)
    assert runs[0].statistics.accepted == runs[1].statistics.accepted


@pytest.mark.parametrize("method", METHODS)
def test_friction_stops_and_samples_at_angles_far_away(method: str) -> None:
    """A dry hinge beside a controller that reads its total angle each 10 ms: many pieces, one motion."""

    def machine(angle: float) -> mb.Model:
        model = rotor(angle, friction=0.4, damping=0.1)
        goal = model.add(blocks.Constant("goal", angle + 40.0))
        pid = model.add(blocks.DiscretePID("pid", 0.8, period=0.01))
        torque = model.add(ro.Torque("torque"))
        model.signal(goal.y, pid.setpoint)
        model.signal(model["hip"].coordinate, pid.measured)
        model.signal(pid.y, torque.input)
        model.connect(model["hip"].flange, torque.flange)
        return model

    far = 1e6
    run, near = pair(machine, far, method=method)
    assert len(run.pieces) > 100
    np.testing.assert_allclose(run["hip.speed"](T), near["hip.speed"](T), rtol=0, atol=1e-6)
    np.testing.assert_allclose(run["hip.angle"](T) - far, near["hip.angle"](T) - within(far), rtol=0, atol=1e-6)
