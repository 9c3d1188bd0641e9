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
from multibond.equations.mechanism import lane_names, reacting
from multibond.errors import Finding, ModelError
from multibond.solve.balances import Balances
from multibond.solve.linearise import Linear, linearise
from multibond.solve.named import Named, numbers
from multibond.solve.reactions import ambiguous_joints
from multibond.solve.solution import Reaction
from multibond.solve.states import state_of

AXES = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")


@public
@dataclass(frozen=True, repr=False)
class Mechanics(Balances):
    """A system with the calls that robotics people know. x: an array, a mapping by name, or None for the start.

    of: "independent" for the independent speeds (all, where there is no loop), "tree" for all joints of the tree.
    u: run-time inputs as in `derivative`; t: time  [s].
    """

    def state(self, x: Numbers = None, *, t: float = 0.0) -> np.ndarray:
        """The state vector for an array or a mapping by name; what is not given is as at the start, loops are closed.

        >>> system.state({"O.angle": 1.0})
        """
        return state_of(self, x, t=t)

    def mass_matrix(self, x: Numbers = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """M of M u' + h = τ, symmetric; what moves with the joints (rotors behind gears) counts.

        >>> system.mass_matrix({"hip.angle": 0.3})
        """
        at = self._at(x, None, t)
        M = self._mass(at)
        return self._square(M if self._tree(of) else self._onto(self._loops(at).N, M), of)

    def bias(self, x: Numbers = None, u: Numbers = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """h of M u' + h = τ: Coriolis and gravity, springs and dampers, all but the joints' own drives."""
        at = self._at(x, u, t)
        M, h = self._balance(at)
        if self._tree(of):
            return Named(h, self.mechanism.names)
        loops = self._loops(at)
        return Named(loops.N.T @ (h + M @ loops.g), self.independent)

    def drives(self, x: Numbers = None, u: Numbers = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """τ of M u' + h = τ as the model has it: what the joints' own drives (`torque`, `force`) give."""
        at = self._at(x, u, t)
        tau = np.asarray(self.mechanism.drives(at.t, at.x, np.zeros(self.dae.ny), at.p))[:, 0]
        if self._tree(of):
            return Named(tau, self.mechanism.names)
        return Named(self._loops(at).N.T @ tau, self.independent)

    def accelerations(self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0) -> Named:
        """Forward dynamics: rates of the speeds of all joints, those at cuts of loops included, by joint."""
        at = self._at(x, u, t)
        function = self._function("a", self.mechanism.accelerations)
        sizes = [self.mechanism.speed(j).numel() for j in self.mechanism.joints]
        names = [n for j, s in zip(self.mechanism.joints, sizes, strict=True) for n in lane_names(j, s)]
        return Named(self._evaluate(at, function), names)

    forward = accelerations

    def inverse_dynamics(
        self, x: Numbers, acceleration: Numbers, u: Numbers = None, *, actuated: Numbers = None, t: float = 0.0
    ) -> Named:
        """Efforts that the drives of joints must give for wanted accelerations of the independent motions.

        acceleration: in the order of `independent`, or a mapping by joint (zero where left out). actuated: the joints
        with drives, the independent ones where left out; of more than are needed the smallest efforts are taken.

        >>> system.inverse_dynamics(x, {"O": 2.0}, actuated=["D"])
        """
        at = self._at(x, u, t)
        loops = self._loops(at)
        rates = loops.N @ numbers(acceleration, self.independent, "accelerations") + loops.g
        needed = loops.N.T @ self._efforts(at, rates)
        if actuated is None:
            return Named(needed, self.independent)
        names, S = self._actuation(at, (actuated,) if isinstance(actuated, str) else tuple(actuated))
        reach = (S @ loops.N).T
        if np.linalg.matrix_rank(reach, 1e-9 * max(1.0, float(np.abs(reach).max(initial=0.0)))) < needed.size:
            raise ModelError(self._not_driven(names, needed.size))
        return Named(np.linalg.lstsq(reach, needed, rcond=None)[0], names)

    def jacobian(self, x: Numbers, frame: str, *, of: str = "independent", t: float = 0.0) -> Named:
        """Angular and linear velocity of a frame's origin, world axes, for unit speeds: V = J v; 6 rows.

        >>> system.jacobian(x, "tool.frame")
        """
        at = self._at(x, None, t)
        J = self._frame(at, frame)[1]
        if self._tree(of):
            return Named(J, AXES, self.mechanism.names)
        return Named(J @ self._loops(at).N, AXES, self.independent)

    def jacobian_rate(self, x: Numbers, frame: str, *, t: float = 0.0) -> Named:
        """What the frame's acceleration is where the independent accelerations are zero: V' = J v' + (dJ/dt) v."""
        at = self._at(x, None, t)
        _, J, still = self._frame(at, frame)
        return Named(still[:, 0] + J @ self._loops(at).g, AXES)

    def velocity(self, x: Numbers, frame: str, *, t: float = 0.0) -> Named:
        """Angular and linear velocity of a frame's origin, world axes  [rad/s, m/s]."""
        return Named(self._frame(self._at(x, None, t), frame)[0][:, 0], AXES)

    def reactions(self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0) -> dict[str, Reaction]:
        """What each joint's side a exerts on its side b: force and torque at b's origin, in a's axes.

        Where the constraints do not determine them, they follow the rule of equal stiffness.
        """
        at = self._at(x, u, t)
        joints = reacting(self.dae)
        if not joints:
            return {}
        names = [f"{j}.{what}" for j in joints for what in ("reaction_force", "reaction_torque")]
        values = self._evaluate(at, self._function("reactions", lambda: self.observer.function(names)))
        ends = np.cumsum([self.observer.expression(name).numel() for name in names])
        parts, vague = np.split(values, ends[:-1]), ambiguous_joints(self, at.x)
        pairs = zip(joints, parts[::2], parts[1::2], strict=True)
        return {j: Reaction(force, torque, j not in vague) for j, force, torque in pairs}

    def jacobians(self, x: Numbers = None, u: Numbers = None, *, t: float = 0.0, **names: Any) -> Linear:
        """Linearisation δx' = A δx + B δu, δy = C δx + D δu about a state; `inputs`, `outputs` by name.

        inputs: parameters such as "motor.voltage"; the model's `Input` blocks where left out. outputs: any variables;
        none where left out.

        >>> system.jacobians(x, outputs=["hip.angle"]).A
        """
        at = self._at(x, u, t)
        return linearise(self._with(at.p), self.slopes, at.x, t, **names)

    linearise = jacobians

    def _tree(self, of: str) -> bool:
        if of not in ("independent", "tree"):
            fact = 'Speeds are those of the "tree" or "independent" ones.'
            raise ModelError(Finding(f"there are no {of!r} speeds.", fact, "Choose one of these."))
        return of == "tree"

    def _square(self, M: np.ndarray, of: str) -> Named:
        names = self.mechanism.names if of == "tree" else self.independent
        return Named(M, names, names)

    @staticmethod
    def _onto(N: np.ndarray, M: np.ndarray) -> np.ndarray:
        return N.T @ M @ N

    def _not_driven(self, names: list[str], needed: int) -> Finding:
        fact = (
            f"The mechanism has {needed} independent motion{'s' if needed != 1 else ''}: {', '.join(self.independent)}."
        )
        problem = f"drives at {', '.join(names) or 'no joint'} cannot bring about every acceleration."
        return Finding(problem, fact, "Name at least as many joints, which move independently.", tuple(names))


__all__ = ["AXES", "Linear", "Mechanics", "Named"]
