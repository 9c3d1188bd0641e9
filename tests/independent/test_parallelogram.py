"""A parallelogram by its one equation of motion, also through the positions where all its hinges are in line.

There the mechanism could fold into an antiparallelogram; the velocity with which it arrives says that it does not.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import spatial as sp
from multibond.errors import MultibondError

ARM, BASE, MOMENT, G = 0.5, 1.0, 1 / 12, 9.81


def parallelogram(angle: float) -> mb.Model:
    """Two arms on a fixed base along x, joined by a coupler; every bar has 1 kg and its centre at its middle."""
    model = mb.Model("parallelogram")
    world, base = model.add(sp.World()), model.add(sp.Rod("base", (BASE, 0.0, 0.0)))
    starts = {"A": angle, "B": mb.Guess(-angle), "C": None, "D": mb.Guess(angle)}
    A, B, C, D = (model.add(sp.Revolute(name, angle=start)) for name, start in starts.items())
    roots, tips = {}, {}
    for name, length in (("left", ARM), ("coupler", BASE), ("right", ARM)):
        body = sp.Body(name, mass=1.0, inertia=(0.0, MOMENT, MOMENT), centre=(length / 2, 0.0, 0.0))
        rod = model.add(sp.Rod(f"{name}_rod", (length, 0.0, 0.0)))
        roots[name], tips[name] = model.add(body).frame, rod.frame_b
        model.connect(body.frame, rod.frame_a)
    model.connect(world.frame, A.frame_a, base.frame_a)
    model.connect(base.frame_b, D.frame_a)
    model.connect(A.frame_b, roots["left"])
    model.connect(tips["left"], B.frame_a)
    model.connect(B.frame_b, roots["coupler"])
    model.connect(tips["coupler"], C.frame_a)
    model.connect(D.frame_b, roots["right"])
    model.connect(tips["right"], C.frame_b)
    return model


def swing(angle: float, t: np.ndarray) -> np.ndarray:
    """The arms' angle: (2 J + m a² / 2 + m a²) φ'' = -2 m g a cos φ, from rest."""
    inertia, weight = 2 * (MOMENT + ARM**2 / 4) + ARM**2, 2 * G * ARM
    run = solve_ivp(lambda _, y: [y[1], -weight * np.cos(y[0]) / inertia], (0, t[-1]), [angle, 0.0], "DOP853", t,
                    rtol=1e-12, atol=1e-12)  # fmt: skip
    return run.y[0]


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_between_two_positions_in_line(method: str) -> None:
    """Let go at -0.5 rad it swings to 0.5 rad from the other side and back."""
    t = np.linspace(0.0, 6.0, 121)
    run = mb.simulate(parallelogram(-0.5), 6.0, rtol=1e-11, method=method).check()
    error = np.abs(run["A.angle"](t) - swing(-0.5, t)).max()
    print(f"{method}: error {error:.1e} rad")
    assert error <= 1e-8


@pytest.mark.parametrize("rtol", [1e-9, 1e-11])
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_through_positions_in_line(method: str, rtol: float) -> None:
    """Let go at 0.3 rad it passes 0 and -π with 3 rad/s, thirteen times; each passage is told."""
    t = np.linspace(0.0, 6.0, 1201)
    run = mb.simulate(parallelogram(0.3), 6.0, rtol=rtol, method=method).check()
    expected = swing(0.3, t)
    error, balance = np.abs(run["A.angle"](t) - expected).max(), run.energy().residual
    print(f"{method}, rtol {rtol:g}: error {error:.1e} rad, energy {balance:.1e}, {len(run.changes)} passages told")
    assert error <= 1e-7 and balance <= 1e-8
    np.testing.assert_allclose(run["coupler.attitude"](t), np.tile(np.eye(3).ravel(), (t.size, 1)), atol=1e-7)
    gaps = run["left_rod.frame_b.position"](t) + np.array([BASE, 0.0, 0.0]) - run["right_rod.frame_b.position"](t)
    assert np.abs(gaps).max() <= 1e-9
    in_line = np.array([change.time for change in run.changes])
    assert all("singular" in change.mode for change in run.changes) and len(in_line)
    np.testing.assert_allclose(np.sin(run["A.angle"](in_line)), 0.0, atol=0.02)


def test_a_level_crossed_on_the_way_is_recorded() -> None:
    """The angle passes -π/1000 and -π just where the hinges are in line."""
    run = mb.simulate(parallelogram(0.3), 1.0, rtol=1e-11, events={"A.angle": (-np.pi, -1), "D.angle": (-1e-3, -1)})
    t = np.linspace(0.0, 1.0, 100001)
    expected = swing(0.3, t)
    for event, level in zip(sorted(run.events, key=lambda e: e.time), (-1e-3, -np.pi), strict=True):
        reference = np.interp(-level, -expected, t)
        assert event.time == pytest.approx(reference, abs=1e-8)


def test_a_start_in_line_is_refused_by_name() -> None:
    with pytest.raises(MultibondError, match="the loop through 'C' starts in a singular position") as caught:
        mb.simulate(parallelogram(0.0), 1.0)
    assert caught.value.paths == ("C",)
