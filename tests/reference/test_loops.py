"""Loops against stored trajectories, planar and in space; the sprung loop against its checkpoints.

Every column of A05g, A05h and A05i by every exact method: 1e-8 of the size of each variable at a relative tolerance of
1e-11. The tables' own two solutions agree to 1.4e-11.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import four_bar, planar_loop

from . import machines
from .table import Check, Read, alone, angle_of, compare, force_of, sized, speed_of, table, vector

EXACT = ["auto", "multiplier", "zcp", "minimal"]


def four_bar_checks(data: dict[str, np.ndarray]) -> list[Check]:
    """Angles, speeds, the coupler's end, and the reactions in the plane, each relative to its size."""
    bars = {1: "O.frame_b", 2: "B.frame_b", 3: "D.frame_b"}
    motion: dict[str, Read] = {f"theta{k}": angle_of(frame) for k, frame in bars.items()}
    motion |= {f"w{k}": speed_of(frame) for k, frame in bars.items()}
    on = {"O": "crank", "D": "rocker", "B": "coupler", "C": "coupler"}
    forces = [{f"F{joint}{a}_on_{bar}": force_of(joint, k) for k, a in enumerate("xy")} for joint, bar in on.items()]
    return sized(data, *alone(**motion), vector("C.frame_b.position", "xC", "yC"), *forces)


@pytest.mark.parametrize("method", EXACT)
def test_four_bar(method: str) -> None:
    """A05g; origin: Lagrange with one coordinate; absolute coordinates with a planar cut joint."""
    data = table("A05g_planar_fourbar")
    run = mb.simulate(four_bar(), 5.0, rtol=1e-11, method=method)
    compare(run, data, four_bar_checks(data))


@pytest.mark.parametrize(("ball", "method"), [*(("ball", method) for method in EXACT), ("hinges", "auto")])
def test_four_bar_in_space(ball: str, method: str) -> None:
    """A05h; origin: Lagrange with one coordinate; absolute coordinates with 17 constraints."""
    data = table("A05h_spatial_fourbar_MSL_Fourbar1")
    run = mb.simulate(machines.four_bar_in_space(ball), 5.0, rtol=1e-11, method=method)
    columns: dict[str, Read] = {"j1_phi": "j1.angle", "j1_w": "j1.speed", "j2_s": "j2.position", "j2_v": "j2.speed"}
    compare(run, data, sized(data, *alone(**columns, rev_phi="rev.angle", rev1_phi="rev1.angle")))


TIPS = vector("crank.frame_1.position", "Bx", "By", "Bz"), vector("rocker.frame_1.position", "Cx", "Cy", "Cz")


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("coupler", ["body", "rod"])
def test_rssr(coupler: str, method: str) -> None:
    """A05i; origin: Lagrange with one coordinate; absolute coordinates with 16 constraints on 18 velocities.

    The forces on the coupler are those of both balls; a rod that is one constraint has only the part along itself.
    """
    data = table("A05i_RSSR")
    run = mb.simulate(machines.rssr(coupler), 5.0, rtol=1e-11, method=method)
    angles = alone(theta="crank_joint.angle", w="crank_joint.speed", beta="rocker_joint.angle")
    balls = {} if coupler == "rod" else {joint: [force_of(joint, k) for k in range(3)] for joint in "BC"}
    forces = [{f"F{joint}{a}": read for a, read in zip("xyz", reads, strict=True)} for joint, reads in balls.items()]
    compare(run, data, sized(data, *angles, *alone(beta_d="rocker_joint.speed"), *TIPS, *forces))


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
