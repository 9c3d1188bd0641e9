"""Wang's spatial mechanism against our own reference A04: motion, and forces and torques at all three joints.

The tables come from Lagrange's equations with three coordinates and from absolute coordinates, which agree to 5e-13.
They hold no reactions but one magnitude. So these come from Newton's and Euler's laws below, written by hand for the
states in the tables; accelerations are solved for, none is taken from the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import multibond as mb
from multibond.examples import sliding_swing

from .table import Reading, alone, compare, sized, table, vector, within

VARIANTS: dict[str, dict] = {
    "reference": {"swing": 0.0, "turn_speed": 0.0},
    "reference_swing_lively": {},
    "reference_furuta_lively": {"swing_axis": "x"},
}
EXACT = ["auto", "multiplier", "zcp", "minimal"]
MASS, MOMENT, TORQUE, STIFFNESS = 1.0, 4.167e-4, 0.1, 500.0
ARM, LEVER, REST, DOWN = 0.3, 0.1, 0.15, np.array([0.0, 0.0, -9.8])


@cache
def simulated(name: str, method: str) -> mb.Run:
    """Five seconds of a variant."""
    return mb.simulate(sliding_swing(**VARIANTS[name]), 5.0, rtol=1e-11, method=method)


def transverse() -> Reading:
    """The part of J3's reaction across the slide."""
    return Reading(("J3.reaction_force",), lambda F: np.hypot(F[:, 0], F[:, 1]))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("name", VARIANTS)
def test_motion(name: str, method: str) -> None:
    """Every column to 1e-8 of its size."""
    data = table("A04_wang_spatial", name)
    run = simulated(name, method)
    motion = alone(psi="J1.angle", phi="J2.angle", s="J3.position", psi_d="J1.speed", phi_d="J2.speed", s_d="J3.speed")
    places = [vector(f"m{k}.position", *(f"{a}{k}" for a in "xyz")) for k in (1, 2)]
    compare(run, data, sized(data, *motion, *places, {"J3_resultant_transverse_force": transverse()}))


# -- Newton and Euler --------------------------------------------------------------------------------------------------


def turn(axis: str, angle: float) -> np.ndarray:
    """Rotation matrix about a coordinate axis."""
    k, (c, s) = "xyz".index(axis), (np.cos(angle), np.sin(angle))
    i, j = (k + 1) % 3, (k + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def unit(axis: str) -> np.ndarray:
    return np.eye(3)["xyz".index(axis)]


@dataclass(frozen=True)
class Instant:
    """The machine at one row of a table: coordinates (ψ, φ, s), their rates, and the axis of the swing."""

    q: np.ndarray
    u: np.ndarray
    axis: str

    @property
    def attitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the arm, and of both masses, in the world."""
        arm = turn("z", self.q[0])
        return arm, arm @ turn(self.axis, self.q[1])

    def wrenches(self, rate: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Force and torque, about the joint's own point, that carry accelerations (ψ'', φ'', s''); in world axes."""
        arm, swung = self.attitudes
        p, n, k = arm @ [ARM, 0.0, 0.0], arm @ unit(self.axis), -swung[:, 2]
        w1, dw1 = self.u[0] * unit("z"), rate[0] * unit("z")
        w, dw = w1 + self.u[1] * n, dw1 + rate[1] * n + np.cross(w1, self.u[1] * n)
        hinge = np.cross(dw1, p) + np.cross(w1, np.cross(w1, p))
        d1, d2 = LEVER * k, (LEVER + self.q[2]) * k
        a1, a2 = (hinge + np.cross(dw, d) + np.cross(w, np.cross(w, d)) for d in (d1, d2))
        a2 = a2 + 2 * np.cross(w, self.u[2] * k) + rate[2] * k
        F1, F2, T = MASS * (a1 - DOWN), MASS * (a2 - DOWN), MOMENT * dw
        at_hinge = 2 * T + np.cross(d1, F1) + np.cross(d2, F2)
        return {"J1": (F1 + F2, at_hinge + np.cross(p, F1 + F2)), "J2": (F1 + F2, at_hinge), "J3": (F2, T)}

    def unbalanced(self, rate: np.ndarray) -> np.ndarray:
        """Along each freedom: what accelerations need, less what torque, nothing and the spring give."""
        arm, swung = self.attitudes
        found = self.wrenches(rate)
        about = found["J1"][1][2] - (TORQUE - MOMENT * rate[0])
        swing = found["J2"][1] @ (arm @ unit(self.axis))
        return np.array([about, swing, -found["J3"][0] @ swung[:, 2] + STIFFNESS * (self.q[2] - REST)])

    def reactions(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Force and torque of side a on side b of each joint, at b's origin, in a's axes."""
        none = self.unbalanced(np.zeros(3))
        slopes = np.column_stack([self.unbalanced(e) - none for e in np.eye(3)])
        found = self.wrenches(np.linalg.solve(slopes, -none))
        axes = dict(zip(("J1", "J2", "J3"), (np.eye(3), *self.attitudes), strict=True))
        return {joint: (axes[joint].T @ F, axes[joint].T @ T) for joint, (F, T) in found.items()}


def by_hand(name: str) -> dict[str, np.ndarray]:
    """Six components for each joint, one row for each row of the table."""
    data, axis = table("A04_wang_spatial", name), VARIANTS[name].get("swing_axis", "y")
    q = np.column_stack([data[c] for c in ("psi", "phi", "s")])
    u = np.column_stack([data[c] for c in ("psi_d", "phi_d", "s_d")])
    rows = [Instant(*pair, axis).reactions() for pair in zip(q, u, strict=True)]
    return {joint: np.array([np.concatenate(row[joint]) for row in rows]) for joint in ("J1", "J2", "J3")}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_laws_by_hand_give_the_magnitude_in_the_table(name: str) -> None:
    force = by_hand(name)["J3"][:, :3]
    wanted = table("A04_wang_spatial", name)["J3_resultant_transverse_force"]
    within("transverse force of J3", np.hypot(force[:, 0], force[:, 1]), wanted, 1e-10 * max(1.0, wanted.max()))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("name", VARIANTS)
def test_forces_and_torques(name: str, method: str) -> None:
    """At J1, J2 and J3, component by component over 5 s, to 1e-8 of the largest force or torque of the joint."""
    t = table("A04_wang_spatial", name)["t"]
    run = simulated(name, method)
    for joint, wanted in by_hand(name).items():
        for what, columns in (("force", slice(0, 3)), ("torque", slice(3, 6))):
            exact = wanted[:, columns]
            size = float(np.abs(exact).max())
            found = run[f"{joint}.reaction_{what}"](t)
            for k, axis in enumerate("xyz"):
                within(f"{joint} {what} {axis} (largest {size:.3g})", found[:, k], exact[:, k], 1e-8 * size)
