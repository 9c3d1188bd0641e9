"""Planar loops in space: the four-bar against its stored trajectory, the sprung loop against its checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import four_bar, planar_loop

from .table import Check, Reading, angle_of, compare, force_of, largest, speed_of, table


def four_bar_checks(data: dict[str, np.ndarray]) -> list[Check]:
    """Motion to 1e-8, reactions in the plane to 1e-6 of the largest."""
    bars = {1: "O.frame_b", 2: "B.frame_b", 3: "D.frame_b"}
    motion = [Check(f"theta{k}", angle_of(frame), 1e-8) for k, frame in bars.items()]
    motion += [Check(f"w{k}", speed_of(frame), 1e-8) for k, frame in bars.items()]
    motion += [Check("xC", "C.frame_b.position[0]", 1e-8), Check("yC", "C.frame_b.position[1]", 1e-8)]
    on = {"O": "crank", "D": "rocker", "B": "coupler", "C": "coupler"}
    names = {(joint, k): f"F{joint}{a}_on_{bar}" for joint, bar in on.items() for k, a in enumerate("xy")}
    scale = largest(data, *names.values())
    return [*motion, *(Check(c, force_of(joint, k), 1e-6, scale) for (joint, k), c in names.items())]


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_four_bar(method: str) -> None:
    """A05g; origin: Lagrange with one coordinate; absolute coordinates with a planar cut joint.

    Errors grow a hundredfold in 5 s, hence the finer tolerance.
    """
    data = table("A05g_planar_fourbar")
    run = mb.simulate(four_bar(), 5.0, rtol=1e-12, method=method)
    compare(run, data, four_bar_checks(data))


def test_four_bar_is_redundant_by_three() -> None:
    system = mb.compile(four_bar())
    assert len(system.reduced.redundancy.dropped) == 3
    assert set(mb.simulate(system, 0.1).ambiguous) == {"O", "B", "C", "D"}


PLANAR_LOOP = """
0.5  1.80921  0.567568  -1.51151     1.94171
1    1.375    1.76281   -0.632875    2.35243
2    1.40863  2.2523    -0.800816   -1.54345
5    1.54419  2.43807   -0.401715   -0.683172
10   1.72558  0.515224   0.00496108  1.61193
"""
"""Time, slider, pendulum angle (clockwise, against the slider's bar) and their rates; origin: index-1 multipliers,
DOP853, rtol 1e-11, of MultiBondLib's example PlanarLoop; trustworthy to five digits."""


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("spring", ["parts", "guide"])
def test_planar_loop(spring: str, method: str) -> None:
    rows = np.array([[float(cell) for cell in line.split()] for line in PLANAR_LOOP.split("\n") if line])
    data = dict(zip(("t", "s", "psi", "v", "psi_dot"), rows.T, strict=True))
    run = mb.simulate(planar_loop(spring=spring), 10.0, rtol=1e-11, method=method)
    checks = [
        Check("s", "guide.position", 1e-5),
        Check("psi", Reading(("swing.angle",), lambda q: -q[:, 0]), 1e-5),
        Check("v", "guide.speed", 1e-5),
        Check("psi_dot", Reading(("swing.speed",), lambda u: -u[:, 0]), 1e-5),
    ]
    compare(run, data, checks)


def test_both_springs_of_the_planar_loop_agree() -> None:
    t = np.linspace(0.0, 10.0, 101)
    first, second = (mb.simulate(planar_loop(spring=s), 10.0, rtol=1e-11) for s in ("parts", "guide"))
    for name in ("guide.position", "swing.angle", "apex.reaction_force"):
        np.testing.assert_allclose(first[name](t), second[name](t), atol=1e-6)


def test_planar_loop_is_redundant_by_three() -> None:
    redundancy = mb.compile(planar_loop()).reduced.redundancy
    assert len(redundancy.dropped) == 3
    assert {name.split()[0] for name in redundancy.names} == {"apex"}
