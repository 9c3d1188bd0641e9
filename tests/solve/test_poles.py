"""Runs with angles in turn: they end by name at the pole of the angles, and up to there agree with quaternions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp
from multibond.errors import SimulationError, StartError
from multibond.solve.poles import NEAR, poles

SEQUENCES = ["".join(axes) for axes in product("xyz", repeat=3) if axes[0] != axes[1] != axes[2]]
MOMENTS = np.array([1.0, 2.0, 2.5])
MEETING = 0.8
"""When a tumbling body meets its pole  [s]."""


def body(joint: Any, *more: Any) -> mb.Model:
    """A body without weight on a joint from the world."""
    model = mb.Model("tumbler")
    world, link = model.add(sp.World(gravity=(0, 0, 0))), model.add(joint)
    model.connect(world.frame, link.frame_a)
    model.connect(link.frame_b, model.add(sp.Body("body", 1.0, MOMENTS)).frame)
    for item in more:
        model.connect(model.add(item).flange, link.flange)
    return model


def quaternion(attitude: Rotation) -> np.ndarray:
    """With the real part first."""
    return attitude.as_quat()[[3, 0, 1, 2]]


def tumbling(sequence: str, off: float) -> tuple[Rotation, np.ndarray]:
    """Attitude and angular velocity from which Euler's equations lead past the pole at MEETING, `off` from it.

    They are followed backwards from there by SciPy, with an attitude of its own.
    """
    pole = np.pi if sequence[0] == sequence[2] else np.pi / 2
    end = Rotation.from_euler(sequence.upper(), (0.4, pole - off, -0.7))
    w = np.array([0.9, -1.3, 0.6])

    def rates(_: float, s: np.ndarray) -> np.ndarray:
        vector, real, spin = s[:3], s[3], s[4:]
        turn = 0.5 * np.append(real * spin + np.cross(vector, spin), -vector @ spin)
        return np.concatenate([turn, np.cross(MOMENTS * spin, spin) / MOMENTS])

    start = np.concatenate([end.as_quat(), w])
    back = solve_ivp(rates, (0.0, -MEETING), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return Rotation.from_quat(back[:4]), back[4:]


def by_angles(sequence: str, off: float, *, joint: type = sp.Free) -> mb.Model:
    attitude, w = tumbling(sequence, off)
    return body(joint("space", sequence=sequence, angles=attitude.as_euler(sequence.upper()), angular_velocity=w))


def by_quaternion(sequence: str, off: float) -> mb.Model:
    attitude, w = tumbling(sequence, off)
    return body(sp.Free("space", quaternion=quaternion(attitude), angular_velocity=w))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_tumbling_body_stops_by_name_where_its_angles_end(sequence: str) -> None:
    with pytest.raises(SimulationError) as caught:
        mb.simulate(by_angles(sequence, 0.0), 2.0)
    run = caught.value.run
    assert isinstance(run, mb.workbench.Run)
    end = float(run.t[-1])
    assert MEETING - 10 * NEAR < end <= MEETING  # it turns by about one radian a second
    text = str(caught.value)
    degrees = "180°" if sequence[0] == sequence[2] else "90°"
    for word in (f"{end:.6g} s", "'space'", degrees, "`sequence`", "quaternion", "`run`"):
        assert word in text
    assert caught.value.paths == ("space",)
    times = np.linspace(0.0, end, 400)
    true = mb.simulate(by_quaternion(sequence, 0.0), end)
    for name, atol in {"body.attitude": 5e-9, "body.angular_velocity": 1e-10}.items():
        np.testing.assert_allclose(run[name](times), true[name](times), rtol=0, atol=atol)


@pytest.mark.parametrize("sequence", ["xyz", "zxz"])
def test_body_that_passes_its_pole_at_a_distance_goes_on(sequence: str) -> None:
    run, true = (mb.simulate(make(sequence, 1e-4), 2.0) for make in (by_angles, by_quaternion))
    times = np.linspace(0.0, 2.0, 400)
    np.testing.assert_allclose(run["body.attitude"](times), true["body.attitude"](times), rtol=0, atol=5e-9)
    angles = Rotation.from_matrix(run["body.attitude"](times).reshape(-1, 3, 3))
    np.testing.assert_allclose(
        Rotation.from_euler(sequence.upper(), run["space.coordinates"](times)[:, :3]).as_matrix(),
        angles.as_matrix(), rtol=0, atol=1e-9,
    )  # fmt: skip


def test_a_long_step_does_not_leap_over_the_pole() -> None:
    """Turning about the second axis alone nothing but the guard sees the pole."""
    joint = sp.Spherical("ball", sequence="xyz", angles=(0.4, 0.2, 0.0), angular_velocity=(0.0, 3.0, 0.0))
    with pytest.raises(SimulationError, match="'ball'") as caught:
        mb.simulate(body(joint), 50.0)
    end = (np.pi / 2 - 0.2) / 3.0
    assert caught.value.run.t[-1] == pytest.approx(end, abs=2e-6)  # type: ignore[union-attr]
    with pytest.raises(SimulationError, match="'ball'"):
        mb.simulate(body(joint), 1.0, solver="rk4", step=0.1)


def test_angles_below_zero_end_at_the_other_side() -> None:
    joint = sp.Joint("ball", turns="zyx", angles=True, coordinates=(0.0, -2.0, 0.0), speeds=(0.0, 1.0, 0.0))
    with pytest.raises(SimulationError, match="-90°") as caught:
        mb.simulate(body(joint), 50.0)
    assert caught.value.run.t[-1] == pytest.approx(2.0 - np.pi / 2, abs=2e-6)  # type: ignore[union-attr]


@pytest.mark.parametrize("method", ["multiplier", "minimal", "zcp"])
@pytest.mark.parametrize("sequence", ["yzx"])
def test_every_method_ends_there_or_reads_the_angles_from_the_pose(method: str, sequence: str) -> None:
    model = by_angles(sequence, 0.0, joint=sp.Spherical)
    system = mb.compile(model, method)
    if not poles(system.dae):
        true = mb.simulate(by_quaternion(sequence, 0.0), 2.0)["body.attitude"](2.0)
        np.testing.assert_allclose(mb.simulate(system, 2.0)["body.attitude"](2.0), true, rtol=0, atol=1e-7)
        return
    with pytest.raises(SimulationError, match="'space'") as caught:
        mb.simulate(system, 2.0)
    assert caught.value.run.t[-1] == pytest.approx(MEETING, abs=10 * NEAR)  # type: ignore[union-attr]


def test_scalar_bonds_end_there_too() -> None:
    with pytest.raises(SimulationError, match="'space"):
        mb.simulate(by_angles("xzy", 0.0).open(depth=3), 2.0)


def test_machine_with_friction_keeps_its_pieces() -> None:
    attitude, w = tumbling("xyz", 0.0)
    angles = attitude.as_euler("XYZ")
    model = body(sp.Free("space", sequence="xyz", angles=angles, angular_velocity=w))
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("block", 1.0, start=1.0))
    model.bond(v, mb.Friction("shoe", 2.0))
    with pytest.raises(SimulationError, match="'space'") as caught:
        mb.simulate(model, 2.0)
    run = caught.value.run
    assert isinstance(run, mb.workbench.Run)
    assert [change.path for change in run.changes] == ["shoe"]
    assert run.t[-1] == pytest.approx(MEETING, abs=10 * NEAR)
    walker = mb.stepper(model)
    walker.step(0.7)
    with pytest.raises(SimulationError, match="'space'"):
        walker.step(0.7)


def test_loop_with_angles_ends_there() -> None:
    """A ball joint by angles at the end of a crank that a second arm holds: its constraints have pivots to watch."""
    model = mb.Model("loop")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    ball = model.add(sp.Spherical("ball", sequence="xyz", angles=(0.0, 0.3, 0.0)))
    hinge = model.add(sp.Revolute("hinge", axis="y", angle=0.3, speed=2.0))
    arm = model.add(sp.Body("arm", 1.0, MOMENTS))
    model.connect(world.frame, ball.frame_a, hinge.frame_a)
    model.connect(arm.frame, ball.frame_b, hinge.frame_b)
    system = mb.compile(model, cuts=("hinge",))
    with pytest.raises(SimulationError, match="'ball'") as caught:
        mb.simulate(system, 3.0)
    assert caught.value.run.t[-1] == pytest.approx((np.pi / 2 - 0.3) / 2.0, abs=2e-6)  # type: ignore[union-attr]
    mb.simulate(mb.compile(model, cuts=("ball",)), 3.0)  # at a cut the angles are read only


def test_long_chain_in_loops_ends_there() -> None:
    model = mb.Model("chain")
    last = model.add(sp.World(gravity=(0, 0, 0))).frame
    for k in range(6):
        turn = 1.0 if k == 4 else 0.0
        joint = model.add(sp.Spherical(f"ball{k}", sequence="zyx", angles=(0, 0.2, 0), angular_velocity=(0, turn, 0)))
        link = model.add(sp.Box(f"link{k}", (0.4, 0, 0), width=0.05, height=0.05))
        model.connect(last, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        last = link.frame_b
    system = mb.compile(model, form="loops")
    assert system.reduced.solver is None
    with pytest.raises(SimulationError, match="'ball"):
        mb.simulate(system, 50.0)


def test_steps_from_outside_end_there() -> None:
    joint = sp.Spherical("ball", sequence="xyz", angles=(0.0, 1.5, 0.0), angular_velocity=(0.0, 1.0, 0.0))
    system = mb.compile(body(joint))
    x = system.step(system.x0, dt=0.05)
    with pytest.raises(SimulationError, match="'ball'"):
        system.step(x, dt=0.05)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_start_at_the_pole_is_refused(sequence: str) -> None:
    pole = 0.0 if sequence[0] == sequence[2] else -np.pi / 2
    for joint in (sp.Spherical, sp.Free):
        with pytest.raises(StartError, match="'space'") as caught:
            mb.compile(body(joint("space", sequence=sequence, angles=(0.3, pole, 0.1))))
        assert "other start angles" in str(caught.value)
        mb.compile(body(joint("space", sequence=sequence, angles=(0.3, pole + 0.1, 0.1))))


def test_joints_without_such_a_place() -> None:
    for joint in (sp.Universal("cross", speeds=(1.0, 2.0)), sp.Spherical("ball"), sp.Free("space")):
        assert poles(mb.compile(body(joint)).dae) == ()
    cross = body(sp.Universal("cross", angles=(0.0, 0.3), speeds=(0.0, 2.0)))
    assert mb.simulate(cross, 4.0)["cross.angles"](4.0)[1] == pytest.approx(8.3, abs=1e-7)
