"""Where angles in turn lose their meaning: the first and the third axis fall together, and two rates have no value.

Only joints with three angles have such a place, and only where these angles are states: at a cut they are read from the
pose. A run is stopped a little before it. Up to there nothing is lost: the rates of the angles grow as 1/NEAR, but the
attitude that they make moves as fast as it turns, so that errors of the angles' steps add up and are not magnified.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.elements.motions import MotionKind
from multibond.equations.dae import Dae, Place
from multibond.errors import Finding, SimulationError, StartError
from multibond.expr import SX

NEAR = 1e-6
"""So near, as the sine of the angle between both axes, counts as there; rates still have ten digits."""
CURE = "Leave out `sequence` (`angles` of a Joint) for a quaternion, which turns freely, or take another order of axes"


@dataclass(frozen=True)
class Pole:
    """The place of a joint whose coordinates are three angles; `place` is that of its coordinates among the states."""

    joint: str
    kind: MotionKind
    place: Place

    def away(self, x: SX) -> SX:
        """How far the angles are from it: the sine of the angle between the first and the third axis, with a sign."""
        found = self.kind.singular(x[self.place.start : self.place.stop])
        assert found is not None
        return found

    def met(self, x: np.ndarray) -> bool:
        """Whether a state lies in it, or as good as in it."""
        return abs(float(ca.evalf(self.away(SX(x))))) <= NEAR

    def finding(self, x: np.ndarray, problem: str, cure: str) -> Finding:
        """The place in words."""
        angle = float(x[self.place.start + 1])
        fact = (
            f"Its second angle is {angle:.6g} rad ({np.rad2deg(angle):.4g}°): its first and third axis fall together "
            "there, and the rates of the angles about them have no value."
        )
        return Finding(problem, fact, f"{CURE}{cure}.", (self.joint,))


def poles(dae: Dae) -> tuple[Pole, ...]:
    """The poles of a system, one for each joint whose states are three angles."""
    found = []
    for place in dae.states:
        element = dae.graph.elements.get(place.path)
        if place.kind == "position" and isinstance(element, FreeMotion) and _has_pole(element.motion):
            found.append(Pole(dae.graph.joint(place.path), element.motion, place))
    return tuple(found)


def _has_pole(kind: MotionKind) -> bool:
    return kind.turns == 3 and not kind.quaternion


def require_no_pole(dae: Dae, x: np.ndarray) -> None:
    """Refuse a start at a pole."""
    found = [
        pole.finding(x, f"the angles of {pole.joint!r} cannot start here.", ", or give other start angles")
        for pole in poles(dae)
        if pole.met(x)
    ]
    if found:
        raise StartError(*found)


def pole_reached(pole: Pole, t: float, x: np.ndarray) -> SimulationError:
    """A run that has come to a pole."""
    problem = f"the run stopped at {t:.6g} s: the angles of {pole.joint!r} end there."
    return SimulationError(pole.finding(x, problem, "; the error's `run` is the run so far"))
