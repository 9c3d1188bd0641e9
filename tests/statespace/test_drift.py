"""The literal formula lets the joints come apart; the projected run does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from multibond.examples import sliding_swing
from multibond.statespace.drift import drift, integrate


@pytest.mark.slow
def test_drift_of_the_literal_formula_beside_the_projected_run(tmp_path: Path) -> None:
    found = drift(sliding_swing(), 2.0, rtol=1e-4, atol=1e-7)
    assert found.literal_gap[0] < 1e-14 and found.projected_gap[0] < 1e-14
    assert found.literal_gap[-1] > 1e-7 and found.literal_flow.max() > 1e-7
    assert found.projected_gap.max() < 1e-10 and found.projected_flow.max() < 1e-10
    third = found.t.size // 3
    assert found.literal_gap[2 * third :].max() > 2 * found.literal_gap[:third].max()
    picture = tmp_path / "drift.png"
    figure = found.plot(picture)
    assert picture.stat().st_size > 10_000
    above = figure.axes[0]
    assert [line.get_label() for line in above.lines] == ["equation (15) as it stands", "projected after each step"]
    np.testing.assert_array_equal(above.lines[0].get_ydata()[1:], found.literal_gap[1:])


@pytest.mark.parametrize("rtol", [1e-5, 1e-8])
def test_the_steps_keep_their_tolerance(rtol: float) -> None:
    """x'' = -x, whose solution is known."""
    t, x = integrate(lambda x, u, t: np.array([x[1], -x[0]]), np.array([1.0, 0.0]), 10.0, rtol=rtol, atol=rtol)
    assert t[-1] == pytest.approx(10.0)
    error = np.abs(x[-1] - [np.cos(10.0), -np.sin(10.0)]).max()
    assert rtol * 1e-3 < error < 30 * rtol
