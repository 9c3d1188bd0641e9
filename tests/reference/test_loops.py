"""Planar loops in space: the four-bar against its stored trajectory, the sprung loop (more in `test_table3.py`)."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import four_bar, planar_loop

from .table import Check, angle_of, compare, force_of, largest, speed_of, table


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


def test_both_springs_of_the_planar_loop_agree() -> None:
    t = np.linspace(0.0, 10.0, 101)
    first, second = (mb.simulate(planar_loop(spring=s), 10.0, rtol=1e-11) for s in ("parts", "guide"))
    for name in ("guide.position", "swing.angle", "apex.reaction_force"):
        np.testing.assert_allclose(first[name](t), second[name](t), atol=1e-6)


def test_planar_loop_is_redundant_by_three() -> None:
    redundancy = mb.compile(planar_loop()).reduced.redundancy
    assert len(redundancy.dropped) == 3
    assert {name.split()[0] for name in redundancy.names} == {"apex"}
