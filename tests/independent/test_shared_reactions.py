"""Reactions that constraints do not determine, against the rule by hand: least squares on Newton and Euler.

Weight along z loads hinges and slider across the plane in which they move. Of twelve forces and torques nine are
determined; the smallest sum of F² + (T/length)² decides the rest.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import slider_crank

G = 9.81
EXACT = ("auto", "zcp", "multiplier", "minimal")
TIMES = np.linspace(0.05, 0.5, 6)


def by_hand(points: dict[str, np.ndarray], length: float) -> dict[str, np.ndarray]:
    """(F_z, T_x, T_y) of side a on side b in world axes, at each joint's place; all bodies have 1 kg.

    Equations: forces along z and torques in the plane about O for the crank, B for the rod, C for the piston.
    """
    O, B, C = points["O"], points["B"], points["C"]
    joints = ("O", "B", "C", "guide")
    at = {joint: 3 * k for k, joint in enumerate(joints)}
    A, b = np.zeros((9, 12)), np.zeros(9)
    loads = (("O", "B", O, B), ("B", "C", B, C), ("C", "guide", C, C))
    for k, (root, tip, start, end) in enumerate(loads):
        sign = 1.0 if tip == "guide" else -1.0  # the guide pushes on the piston, the others on the next bar
        for joint, weight, arm in ((root, 1.0, 0.0 * start), (tip, sign, end - start)):
            A[3 * k : 3 * k + 3, at[joint] : at[joint] + 3] += weight * np.eye(3)
            A[3 * k + 1 : 3 * k + 3, at[joint]] += weight * np.array([arm[1], -arm[0]])
        centre = 0.5 * (end - start)
        b[3 * k : 3 * k + 3] = G * np.array([1.0, centre[1], -centre[0]])
    scale = np.tile([1.0, 1.0 / length, 1.0 / length], 4)
    found = np.linalg.lstsq(A / scale, b, rcond=None)[0] / scale
    assert np.linalg.matrix_rank(A) == 9
    return {joint: found[at[joint] : at[joint] + 3] for joint in joints}


def turned(force: np.ndarray, torque: np.ndarray, angle: float) -> np.ndarray:
    """(F_z, T_x, T_y) in world axes, from the axes of a side that is turned about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([force[2], c * torque[0] - s * torque[1], s * torque[0] + c * torque[1]])


@pytest.mark.slow
@pytest.mark.parametrize("method", EXACT)
def test_shared_reactions_of_a_slider_crank(method: str) -> None:
    model = slider_crank()
    model.set("world.gravity", (0.0, 0.0, -G))
    run = mb.simulate(model, 0.5, method=method, rtol=1e-11)
    length = mb.compile(model).length
    for t in TIMES:
        angle, place = float(run["O.angle"](t)), float(run["guide.position"](t))
        bar = angle + float(run["B.angle"](t))
        points = {"O": np.zeros(2), "B": 0.2 * np.array([np.cos(angle), np.sin(angle)]), "C": np.array([place, 0.0])}
        wanted = by_hand(points, length)
        for joint, axes in {"O": 0.0, "B": angle, "C": bar, "guide": 0.0}.items():
            force, torque = run[f"{joint}.reaction_force"](t), run[f"{joint}.reaction_torque"](t)
            np.testing.assert_allclose(turned(force, torque, axes), wanted[joint], atol=1e-6, err_msg=f"{joint} {t}")
    assert abs(wanted["O"][0]) > 1.0 and abs(wanted["guide"][0]) > 1.0
