"""Loops beyond the plane: mobility and redundancy as known, ten seconds of motion, what each linkage is famous for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.errors import MultibondError

from . import linkages

LINKAGES: dict[str, tuple[Callable[[], mb.Model], int, int]] = {
    "bennett": (linkages.bennett, 1, 3),
    "sarrus": (linkages.sarrus, 1, 1),
    "stewart 6-UPS": (linkages.stewart, 6, 0),
    "stewart 6-RSS": (linkages.rotary_stewart, 12, 0),
    "double cardan": (linkages.double_cardan, 1, 1),
    "scissor lift": (linkages.scissor_lift, 1, 30),
    "double wishbone": (linkages.double_wishbone, 1, 0),
}
"""Each with its freedoms (those of the 6-RSS with six rods that spin about themselves) and redundant constraints.

By counting: Bennett four hinges in space, 4 - 6 = -2 and yet one freedom; Sarrus six hinges, 6 - 6 = 0 and yet one; two
Cardan joints in parallel shafts 6 - 6 = 0 and yet one; ten planar loops in space, three conditions too many each."""

T = np.linspace(0.0, 10.0, 501)


def gaps(run: mb.Run) -> float:
    """The largest distance between the two sides of any held direction, also between steps, in the model's length."""
    held = [path.rpartition("hold_") for path, _ in run.system.dae.graph.of_type(mb.Constraint)]
    read = [f"{joint}motion.gap_{what}" for joint, _, what in held]
    return max(np.abs(run[name](T)).max() for name in read) / run.system.length


@pytest.mark.slow
@pytest.mark.parametrize("name", LINKAGES)
def test_ten_seconds(name: str) -> None:
    make, freedoms, redundant = LINKAGES[name]
    system = mb.compile(make())
    r = system.reduced
    assert sum(s.size for s in r.dae.states if s.kind == "flow") - r.redundancy.rank == freedoms
    assert len(r.redundancy.dropped) == redundant
    run = mb.simulate(system, 10.0)
    print(
        f"{name}: {freedoms} freedoms, {redundant} redundant, energy {run.energy().residual:.1e}, gaps {gaps(run):.1e}"
    )
    assert run.energy().residual <= 1e-8 and gaps(run) <= 1e-9


def test_bennett_angles_obey_his_relation() -> None:
    """tan(θ/2) tan(φ/2) is constant; the angles of the joints count from the position drawn."""
    run = mb.simulate(linkages.bennett(), 3.0, rtol=1e-11)
    t = np.linspace(0.0, 3.0, 301)
    alpha = np.deg2rad(35.0)
    beta = np.arcsin(1.6 * np.sin(alpha))
    constant = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    theta = 1.1 + run["A.angle"](t)
    phi = 2 * np.arctan(constant / np.tan(1.1 / 2)) + run["B.angle"](t)
    # Cross-multiplied, so that half turns do no harm.
    left, right = np.sin(theta / 2) * np.sin(phi / 2), constant * np.cos(theta / 2) * np.cos(phi / 2)
    np.testing.assert_allclose(left, right, atol=1e-9)


@pytest.mark.parametrize("error", [1e-6, -1e-6, 1e-4])
def test_a_bennett_linkage_slightly_wrong_is_rigid(error: float) -> None:
    with pytest.raises(MultibondError) as caught:
        mb.simulate(linkages.bennett(error), 1.0)
    assert {"A", "B", "C", "D"} & set(caught.value.paths)
    assert any(word in str(caught.value) for word in ("cannot move", "cannot be assembled"))


def test_sarrus_lifts_straight() -> None:
    run = mb.simulate(linkages.sarrus(), 5.0, rtol=1e-11)
    t = np.linspace(0.0, 5.0, 101)
    place = run["table.position"](t)
    np.testing.assert_allclose(run["table.attitude"](t), np.tile(np.eye(3).ravel(), (t.size, 1)), atol=1e-9)
    np.testing.assert_allclose(place[:, :2], np.tile(place[0, :2], (t.size, 1)), atol=1e-9)
    assert np.ptp(place[:, 2]) > 0.1


def test_two_cardan_joints_in_parallel_shafts_turn_alike() -> None:
    run = mb.simulate(linkages.double_cardan(), 3.0, rtol=1e-11)
    t = np.linspace(0.0, 3.0, 301)
    np.testing.assert_allclose(run["output.angle"](t), run["input.angle"](t), atol=1e-8)
    assert np.ptp(run["input.speed"](t)) > 1e-3  # the slanting shaft does not turn evenly


def test_every_stage_of_a_scissor_lift_rises_alike() -> None:
    run = mb.simulate(linkages.scissor_lift(4), 3.0, rtol=1e-11)
    t = np.linspace(0.0, 3.0, 61)
    heights = np.array([run[f"cross{k}.frame_a.position"](t)[:, 1] for k in range(1, 5)])
    np.testing.assert_allclose(heights, np.outer(2 * np.arange(4) + 1, heights[0]), atol=1e-9)
