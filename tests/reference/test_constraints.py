"""How well constraints are kept: exactly by default, and as well as the springs are stiff by the method "rc"."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond.examples import EXAMPLES, four_bar, planar_loop, slider_crank
from multibond.solve.solution import Solution

from .table import table

CHUNK = 100_000


def worst_gap(run: Solution, between: int) -> float:
    """The largest displacement at the cut joints, at so many points inside every step  [m or rad]."""
    system, whole = run.system, run.system.reduced.whole
    gap = ca.Function("gap", [whole.t, whole.x, whole.p], [ca.mmax(ca.fabs(whole.gap))])
    inside = np.linspace(0.0, 1.0, between, endpoint=False)
    times = (run.t[:-1, None] + np.diff(run.t)[:, None] * inside).ravel()
    worst = 0.0
    for first in range(0, times.size, CHUNK):
        t = times[first : first + CHUNK]
        p = np.repeat(system.parameters[:, None], t.size, axis=1)
        found = np.asarray(gap.map(t.size)(t[None, :], run.states(t).T, p))
        assert np.isfinite(found).all()
        worst = max(worst, float(found.max()))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("joints", ["hyperstatic", "isostatic"])
def test_slider_crank_stays_together_between_steps(joints: str) -> None:
    """100 s with default settings, 100 points in every step: below 1e-9 of the mechanism's length."""
    run = mb.simulate(slider_crank(joints=joints), 100.0).check()
    worst = worst_gap(run, 100) / run.system.length
    print(f"{len(run.t)} steps, worst gap {worst:.1e} of the length {run.system.length:.3g} m")
    assert worst <= 1e-9


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("machine", [slider_crank, four_bar, planar_loop])
def test_loops_stay_together(machine: Callable[[], mb.Model], method: str) -> None:
    run = mb.simulate(machine(), 2.0, method=method).check()
    worst = worst_gap(run, 20) / run.system.length
    print(f"{len(run.t)} steps, worst gap {worst:.1e} of the length")
    assert worst <= 1e-9


def softened(stiffness: float, damping: float) -> mb.Parasitic:
    """The same stiffness and damping for turns and slides."""
    return mb.Parasitic(stiffness, damping, turning_stiffness=stiffness, turning_damping=damping)


@pytest.mark.slow
def test_soft_joints_converge_with_their_stiffness() -> None:
    """The piston is wrong by an amount that falls as 1/k.

    The damping grows with √k, so that the shock of the start has died out long before 1 s; from there on we measure.
    """
    data = table("A02_slidercrank", "reference_main")
    late = data["t"] >= 1.0
    stiffness = np.array([1e5, 1e6, 1e7, 1e8, 1e9])
    errors = []
    for k in stiffness:
        run = mb.simulate(
            slider_crank(), 2.0, method="rc", parasitic=softened(k, 0.2 * np.sqrt(k)),
            solver="rodas5p", rtol=1e-9, atol=1e-11,
        ).check()  # fmt: skip
        errors.append(np.abs(run["guide.position"](data["t"][late]) - data["x_piston"][late]).max())
        print(f"k = {k:.0e}: error {errors[-1]:.4e} m, times k {errors[-1] * k:.1f} N, {len(run.t)} steps")
    slopes = -np.diff(np.log10(errors)) / np.diff(np.log10(stiffness))
    np.testing.assert_allclose(slopes, 1.0, atol=0.1)


def test_soft_joints_have_no_redundancy() -> None:
    """Springs share a load that rigid joints leave open, so every reaction is determined."""
    system = mb.compile(slider_crank(), "rc")
    assert not system.reduced.redundancy.dropped
    assert mb.simulate(system, 1e-3, solver="rodas5p").ambiguous == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_runs(name: str) -> None:
    run = mb.simulate(EXAMPLES[name](), 0.2).check()
    assert run.t[-1] == 0.2
    assert np.isfinite(run.states(run.t)).all()
