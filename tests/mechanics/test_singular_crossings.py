"""Through positions in which constraints lose their hold, against the one equation of motion of each mechanism."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp

from .folding import common_angle, crank_angle, cranks, slider_crank
from .singular_rows import Row

T = np.linspace(0.0, 1.5, 151)
TOGETHER, APART, SPREAD = (0.0,) * 3, (0.0, 1e-6, 1e-3), (0.0, 0.1, 0.25)
LADDER = tuple(0.05 * k for k in range(7))


def crossings(run: mb.Run) -> list[float]:
    return [change.time for change in run.changes if "singular" in change.mode]


def compared(row: Row, library: ModuleType, tolerance: float, **given: Any) -> mb.Run:
    run = mb.simulate(row.model(library), float(T[-1]), **given).check()
    error = float(np.abs(run["A0.angle"](T) - row.reference(T)).max())
    print(f"error {error:.1e}, {len(crossings(run))} crossings, {run.statistics.evaluations} evaluations")
    assert error < tolerance
    assert crossings(run)
    return run


@pytest.mark.parametrize(
    ("offsets", "library", "rtol"),
    [
        ((0.0,), pl, 1e-6), ((0.0,), sp, 1e-9), (TOGETHER, pl, 1e-7), (TOGETHER, sp, 1e-10), (APART, pl, 1e-8),
        (APART, sp, 1e-12), (SPREAD, pl, 1e-11), (SPREAD, sp, 1e-6), ((0.0,) * 4, pl, 1e-9), ((0.0,) * 7, pl, 1e-10),
        (LADDER, pl, 1e-9), (LADDER, sp, 1e-8),
    ],
)  # fmt: skip
def test_rows_keep_their_branch(offsets: tuple[float, ...], library: ModuleType, rtol: float) -> None:
    """One, three, four and seven parallelograms that come into line together or after one another."""
    compared(Row(offsets, angle=0.6, speed=-5.0), library, max(1e-7, 1000 * rtol), rtol=rtol)


@pytest.mark.parametrize(("offsets", "hinges"), [((0.0,), 1), (TOGETHER, 1), (SPREAD, 1), ((0.0,), 4)])
def test_rows_with_dry_friction(offsets: tuple[float, ...], hinges: int) -> None:
    """In one hinge of several loops, and in all hinges of one."""
    compared(Row(offsets, angle=0.6, speed=-5.0, friction=(0.05,) * hinges), pl, 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("library", [pl, sp])
@pytest.mark.parametrize("offsets", [TOGETHER, SPREAD])
def test_rows_with_dry_friction_in_all_hinges(offsets: tuple[float, ...], library: ModuleType) -> None:
    compared(Row(offsets, angle=0.6, speed=-5.0, friction=(0.02,) * 10), library, 1e-7)


@pytest.mark.parametrize(
    ("given", "tolerance"),
    [
        ({"solver": "dopri5"}, 1e-6), ({"solver": "rodas5p"}, 1e-6), ({"solver": "rk4", "step": 2e-3}, 1e-7),
        ({"solver": "heun", "step": 2e-4}, 1e-5), ({"method": "zcp"}, 1e-6), ({"method": "multiplier"}, 1e-6),
    ],
)  # fmt: skip
def test_by_every_method(given: dict[str, Any], tolerance: float) -> None:
    compared(Row((0.0, 0.1), angle=0.6, speed=-5.0), pl, tolerance, **given)


def test_fixed_steps_keep_their_order_across() -> None:
    row, errors = Row((0.0,), angle=0.6, speed=-5.0), []
    for step in (2e-2, 1e-2):
        run = mb.simulate(row.model(pl), float(T[-1]), solver="rk4", step=step).check()
        errors.append(np.abs(run["A0.angle"](T) - row.reference(T)).max())
    assert errors[0] / errors[1] > 8.0


def test_a_stop_behind_the_position_in_line() -> None:
    """The crank passes 0, rebounds at -1 rad, and passes 0 once more."""
    row = Row((0.0,), angle=0.6, speed=-5.0, extra={"lower": -1.0, "restitution": 1.0})
    run = mb.simulate(row.model(pl), 0.6).check()
    plain = Row((0.0,), angle=0.6, speed=-5.0)
    down = plain.reference(np.linspace(0.0, 0.6, 60001))
    hit = int(np.argmax(down < -1.0)) * 1e-5
    assert run.hits[0].time == pytest.approx(hit, abs=2e-5)
    speed = float(run["A0.speed"](run.hits[0].time + 1e-9))
    back = Row((0.0,), angle=-1.0, speed=speed).reference(np.array([0.0, 0.6 - run.hits[0].time]))
    assert float(run["A0.angle"](0.6)) == pytest.approx(back[-1], abs=1e-6)
    assert len(crossings(run)) == 2


@pytest.mark.parametrize("period", [0.1, 0.01])
def test_a_sampled_controller_that_acts_within_the_way_across(period: float) -> None:
    """A torque of 0.3 N.m/rad times the angle at the last sample."""
    model = Row((0.0,), angle=0.6, speed=-5.0).model(pl)
    hold, gain = model.add(blocks.SampleHold("hold", period=period)), model.add(blocks.Gain("gain", 0.3))
    motor = model.add(ro.Torque("motor"))
    model.signal("A0.coordinate", hold.u)
    model.signal(hold.y, gain.u)
    model.signal(gain.y, motor.input)
    model.connect(motor.flange, "A0.flange")
    run = mb.simulate(model, float(T[-1])).check()
    y, expected = np.array([0.6, -5.0]), np.zeros(T.size)
    for k in range(round(float(T[-1]) / period)):
        torque, begin, end = 0.3 * y[0], k * period, (k + 1) * period

        def rate(_: float, y: np.ndarray, torque: float = torque) -> list[float]:
            return [y[1], (torque - 9.81 * 0.5 * np.cos(y[0])) / 0.45]

        part = solve_ivp(rate, (begin, end), y, "DOP853", rtol=1e-12, atol=1e-12, dense_output=True)
        inside = (begin - 1e-12 <= T) & (end + 1e-12 >= T)
        expected[inside], y = part.sol(T[inside])[0], part.y[:, -1]
    assert np.abs(run["A0.angle"](T) - expected).max() < 1e-7
    assert len(crossings(run)) == 4


@pytest.mark.parametrize("longer", [s * d for d in (1e-2, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10) for s in (1.0, -1.0)])
def test_lengths_that_do_not_match(longer: float) -> None:
    """The true motion is regular and fast near the position in line; a longer rocker makes it turn back."""
    row = Row((0.0,), angle=0.6, speed=-5.0, longer=longer, centre=0.0)
    run = mb.simulate(row.model(pl), float(T[-1])).check()
    error = np.abs(run["A0.angle"](T) - row.along_the_curve(T)).max()
    print(f"{longer:g}: {error:.1e}, {run.statistics.evaluations} evaluations")
    assert error < 1e-6
    assert not crossings(run)


@pytest.mark.parametrize("longer", [1e-12, -1e-12])
def test_a_mismatch_too_small_to_be_resolved_is_none_and_told(longer: float) -> None:
    row = Row((0.0,), angle=0.6, speed=-5.0, longer=longer, centre=0.0)
    run = mb.simulate(row.model(pl), float(T[-1])).check()
    assert np.abs(run["A0.angle"](T) - row.reference(T)).max() < 1e-7
    assert any("lengths miss one another" in change.mode for change in run.changes)


@pytest.mark.parametrize("library", [pl, sp])
@pytest.mark.parametrize("rod_mass", [0.7, 0.0])
@pytest.mark.parametrize("speed", [3.0, 6.0, 9.0])
def test_a_slider_crank_with_equal_lengths_folds(speed: float, rod_mass: float, library: ModuleType) -> None:
    """Folded it stands on the crank's pivot; also with a rod without mass."""
    t = np.linspace(0.0, 3.0, 151)
    run = mb.simulate(slider_crank(library, speed, rod_mass=rod_mass), 3.0).check()
    assert np.abs(run["crank.angle"](t) - crank_angle(t, speed, rod_mass=rod_mass)).max() < 1e-7
    assert len(crossings(run)) >= 3


@pytest.mark.parametrize("library", [pl, sp])
@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_cranks_on_one_coupler(count: int, library: ModuleType) -> None:
    """Three and more hold one another more than they must; all lose their hold together."""
    t = np.linspace(0.0, 3.0, 151)
    run = mb.simulate(cranks(library, count), 3.0).check()
    assert np.abs(run["A0.angle"](t) - common_angle(t, count)).max() < 1e-7
    assert len(crossings(run)) >= 5


def test_at_rest_in_line_it_is_refused() -> None:
    with pytest.raises(mb.errors.StructureError, match="starts in a singular position"):
        mb.simulate(Row((0.0,), angle=0.0).model(pl), 1.0)
