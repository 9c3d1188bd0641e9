"""For robotics: mass matrix, bias, inverse dynamics, frame Jacobians, reactions and linearisation of a system.

M u' + h = τ, in the speeds of the joints that carry the tree, or where there are loops in independent ones among them:
u = N v with C N = 0, u' = N v' + g, so that Nᵀ M N v' + Nᵀ (M g + h) = Nᵀ τ. All derivatives are exact.

Every named result stands in one order, that of the states: joints from the world outwards, and after those of the tree
the ones at cuts of loops. Names that nothing else puts in order follow as in a list of parts: j2 before j10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.arguments import Numbers
from multibond.border import public
from multibond.solve.answers import VELOCITY, Answers
from multibond.solve.linearise import Linear
from multibond.solve.named import Named, named, numbers
from multibond.solve.solution import Reaction
from multibond.solve.states import state_of

AXES = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")


@public
@dataclass(frozen=True, repr=False)
class Mechanics(Answers):
    """A system with the calls that robotics people know. x: an array, a mapping by name, or None for the start.

    x may also be several states, one row each: then every result has one more axis, before the others.
    of: "independent" for the independent speeds (all, where there is no loop), "tree" for all joints of the tree.
    u: run-time inputs as in `derivative`; t: time  [s]; out: an array that the result is written into, and which is
    then returned; without it the result is a new array with names.
    """

    def state(self, x: Numbers = None, *, t: float = 0.0) -> np.ndarray:
        """The state vector for an array or a mapping by name; what is not given is as at the start, loops are closed.

        >>> system.state({"O.angle": 1.0})
        """
        return state_of(self, x, t=t)

    def mass_matrix(
        self, x: Numbers = None, *, of: str = "independent", t: float = 0.0, out: np.ndarray | None = None
    ) -> Named:
        """M of M u' + h = τ, symmetric; what moves with the joints (rotors behind gears) counts.

        >>> system.mass_matrix({"hip.angle": 0.3})
        """
        call = self._calls.get(("mass", of)) or self._mass_call(of)
        found: Any = call(x, None, t, out)
        return found if out is not None else named(found, names := self._names(of), names, found.ndim - 2)

    def bias(
        self, x: Numbers = None, u: Numbers = None, *, of: str = "independent", t: float = 0.0,
        out: np.ndarray | None = None,
    ) -> Named:  # fmt: skip
        """h of M u' + h = τ: Coriolis and gravity, springs and dampers, all but the joints' own drives."""
        call = self._calls.get(("bias", of)) or self._bias_call(of)
        found: Any = call(x, u, t, out)
        return found if out is not None else named(found, self._names(of), (), found.ndim - 1)

    def drives(
        self, x: Numbers = None, u: Numbers = None, *, of: str = "independent", t: float = 0.0,
        out: np.ndarray | None = None,
    ) -> Named:  # fmt: skip
        """τ of M u' + h = τ as the model has it: what the joints' own drives (`torque`, `force`) give."""
        call = self._calls.get(("drives", of)) or self._drives_call(of)
        found: Any = call(x, u, t, out)
        return found if out is not None else named(found, self._names(of), (), found.ndim - 1)

    def accelerations(
        self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0, out: np.ndarray | None = None
    ) -> Named:
        """Forward dynamics: rates of the speeds of all joints, those at cuts of loops included, by joint."""
        call = self._calls.get("accelerations") or self._accelerations_call()
        found: Any = call(x, u, t, out)
        return found if out is not None else named(found, self._moving, (), found.ndim - 1)

    forward = accelerations

    def inverse_dynamics(
        self, x: Numbers, acceleration: Numbers, u: Numbers = None, *, actuated: Numbers = None, t: float = 0.0,
        out: np.ndarray | None = None,
    ) -> Named:  # fmt: skip
        """Efforts that the drives of joints must give for wanted accelerations of the independent motions.

        acceleration: in the order of `independent`, or a mapping by joint (zero where left out). actuated: the joints
        with drives, the independent ones where left out; of more than are needed the smallest efforts are taken.

        >>> system.inverse_dynamics(x, {"O": 2.0}, actuated=["D"])
        """
        names = self.independent
        if type(acceleration) is not np.ndarray or acceleration.shape != (len(names),):
            acceleration = wanted_of(acceleration, names)
        if actuated is not None:
            joints = (actuated,) if isinstance(actuated, str) else tuple(actuated)
            return self._driven(joints, x, acceleration, u, t, out)
        call = self._calls.get("inverse") or self._inverse_call()
        found: Any = call(x, u, t, out, acceleration)
        return found if out is not None else named(found, names, (), found.ndim - 1)

    def jacobian(
        self, x: Numbers, frame: str, *, of: str = "independent", t: float = 0.0, out: np.ndarray | None = None
    ) -> Named:
        """Angular and linear velocity of a frame's origin, world axes, for unit speeds: V = J v; 6 rows.

        >>> system.jacobian(x, "tool.frame")
        """
        call = self._calls.get(("jacobian", frame, of)) or self._jacobian_call(frame, of)
        found: Any = call(x, None, t, out)
        return found if out is not None else named(found, AXES, self._names(of), found.ndim - 2)

    def jacobian_rate(self, x: Numbers, frame: str, *, t: float = 0.0, out: np.ndarray | None = None) -> Named:
        """What the frame's acceleration is where the independent accelerations are zero: V' = J v' + (dJ/dt) v."""
        call = self._calls.get(("rate", frame)) or self._rate_call(frame)
        found: Any = call(x, None, t, out)
        return found if out is not None else named(found, AXES, (), found.ndim - 1)

    def velocity(self, x: Numbers, frame: str, *, t: float = 0.0, out: np.ndarray | None = None) -> Named:
        """Angular and linear velocity of a frame's origin, world axes  [rad/s, m/s]."""
        call = self._calls.get(("velocity", frame)) or self._frame_call(("velocity", frame), frame, VELOCITY, (6,))
        found: Any = call(x, None, t, out)
        return found if out is not None else named(found, AXES, (), found.ndim - 1)

    def reactions(
        self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0, out: np.ndarray | None = None
    ) -> dict[str, Reaction]:
        """What each joint's side a exerts on its side b: force and torque at b's origin, in a's axes.

        Where the constraints do not determine them, they follow the rule of equal stiffness. out: takes the numbers
        one after the other, force and torque of joint after joint, and is returned.
        """
        call = self._calls.get("reactions") or self._reactions_call()
        found: Any = call(x, u, t, out)
        return found if out is not None else self._by_joint(found, x, t)

    def jacobians(self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0, **names: Any) -> Linear:
        """Linearisation δx' = A δx + B δu, δy = C δx + D δu about a state; `inputs`, `outputs` by name.

        inputs: parameters such as "motor.voltage"; the model's `Input` blocks where left out. outputs: any variables;
        none where left out.

        >>> system.jacobians(x, outputs=["hip.angle"]).A
        """
        key = tuple((name, what if what is None else tuple(what)) for name, what in names.items())
        call = self._linear_calls.get(key) or self._linear_call(key, **dict(key))
        return call(x, u, t)

    linearise = jacobians


def wanted_of(given: Any, names: tuple[str, ...]) -> np.ndarray:
    """Wanted accelerations in the order of names; of several states, one row each."""
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == len(names):
        return np.asarray(given, float)
    return numbers(given, names, "accelerations")


__all__ = ["AXES", "Linear", "Mechanics", "Named"]
