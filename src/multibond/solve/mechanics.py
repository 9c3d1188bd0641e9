"""For robotics: mass matrix, bias, inverse dynamics, frame Jacobians, reactions and linearisation of a system.

M u' + h = τ, in the speeds of the joints that carry the tree, or where there are loops in independent ones among them:
u = N v with C N = 0, u' = N v' + g, so that Nᵀ M N v' + Nᵀ (M g + h) = Nᵀ τ. All derivatives are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibond.elements import Motion
from multibond.equations.consistent import sample_states
from multibond.equations.mechanism import Mechanism, lane_names
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, ModelError, StructureError
from multibond.expr import Function
from multibond.graph.component import Guess
from multibond.lower.system import System
from multibond.solve.linearise import Linear, linearise
from multibond.solve.named import Named, numbers
from multibond.solve.reactions import ambiguous_joints
from multibond.solve.solution import Reaction, evaluate
from multibond.solve.states import state_of

AXES = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")


class _At(NamedTuple):
    """A point at which the mechanism is looked at: time, state, parameters."""

    t: float
    x: np.ndarray
    p: np.ndarray


class _Loops(NamedTuple):
    """How all speeds of the tree follow from the independent ones: u = N v, u' = N v' + g."""

    N: np.ndarray
    g: np.ndarray


@dataclass(frozen=True)
class Mechanics(System):
    """A system with the calls that robotics people know. x: an array, a mapping by name, or None for the start.

    of: "independent" for the independent speeds (all, where there is no loop), "tree" for all joints of the tree.
    u: run-time inputs as in `derivative`; t: time  [s].
    """

    @cached_property
    def mechanism(self) -> Mechanism:
        """The balances of the joints, as symbols."""
        return Mechanism(self.reduced)

    @cached_property
    def slopes(self) -> Slopes:
        """Unknowns and derivatives, as numbers."""
        return Slopes(self.reduced)

    @cached_property
    def _functions(self) -> dict[Any, Function]:
        return {}

    @property
    def independent(self) -> tuple[str, ...]:
        """Free motions whose speeds determine all others: all of the tree, or as many as the loops leave free."""
        return tuple(self.mechanism.names[k] for k in self._independent)

    def state(self, x: Any = None, *, t: float = 0.0) -> np.ndarray:
        """The state vector for an array or a mapping by name; what is not given is as at the start, loops are closed.

        >>> system.state({"O.angle": 1.0})
        """
        return state_of(self, x, t=t)

    def mass_matrix(self, x: Any = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """M of M u' + h = τ, symmetric; what moves with the joints (rotors behind gears) counts.

        >>> system.mass_matrix({"hip.angle": 0.3})
        """
        at = self._at(x, None, t)
        M, _ = self._balance(at)
        return self._square(M if self._tree(of) else self._onto(self._loops(at).N, M), of)

    def bias(self, x: Any = None, u: Any = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """h of M u' + h = τ: Coriolis and gravity, springs and dampers, all but the joints' own drives."""
        at = self._at(x, u, t)
        M, h = self._balance(at)
        if self._tree(of):
            return Named(h, self.mechanism.names)
        loops = self._loops(at)
        return Named(loops.N.T @ (h + M @ loops.g), self.independent)

    def drives(self, x: Any = None, u: Any = None, *, of: str = "independent", t: float = 0.0) -> Named:
        """τ of M u' + h = τ as the model has it: what the joints' own drives (`torque`, `force`) give."""
        at = self._at(x, u, t)
        tau = np.asarray(self.mechanism.drives(at.t, at.x, np.zeros(self.dae.ny), at.p))[:, 0]
        if self._tree(of):
            return Named(tau, self.mechanism.names)
        return Named(self._loops(at).N.T @ tau, self.independent)

    def accelerations(self, x: Any = None, u: Any = None, *, t: float = 0.0) -> Named:
        """Forward dynamics: rates of the speeds of all joints, those at cuts of loops included, by joint."""
        at = self._at(x, u, t)
        function = self._function("a", self.mechanism.accelerations)
        sizes = [self.mechanism.speed(j).numel() for j in self.mechanism.joints]
        names = [n for j, s in zip(self.mechanism.joints, sizes, strict=True) for n in lane_names(j, s)]
        return Named(self._evaluate(at, function), names)

    forward = accelerations

    def inverse_dynamics(
        self, x: Any, acceleration: Any, u: Any = None, *, actuated: Any = None, t: float = 0.0
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

    def jacobian(self, x: Any, frame: str, *, of: str = "independent", t: float = 0.0) -> Named:
        """Angular and linear velocity of a frame's origin, world axes, for unit speeds: V = J v; 6 rows.

        >>> system.jacobian(x, "tool.frame")
        """
        at = self._at(x, None, t)
        J = self._frame(at, frame)[1]
        if self._tree(of):
            return Named(J, AXES, self.mechanism.names)
        return Named(J @ self._loops(at).N, AXES, self.independent)

    def jacobian_rate(self, x: Any, frame: str, *, t: float = 0.0) -> Named:
        """What the frame's acceleration is where the independent accelerations are zero: V' = J v' + (dJ/dt) v."""
        at = self._at(x, None, t)
        _, J, still = self._frame(at, frame)
        return Named(still[:, 0] + J @ self._loops(at).g, AXES)

    def velocity(self, x: Any, frame: str, *, t: float = 0.0) -> Named:
        """Angular and linear velocity of a frame's origin, world axes  [rad/s, m/s]."""
        return Named(self._frame(self._at(x, None, t), frame)[0][:, 0], AXES)

    def reactions(self, x: Any = None, u: Any = None, *, t: float = 0.0) -> dict[str, Reaction]:
        """What each joint's side a exerts on its side b: force and torque at b's origin, in a's axes.

        Where the constraints do not determine them, they follow the rule of equal stiffness.
        """
        at = self._at(x, u, t)
        joints = [p.removesuffix(".motion") for p, _ in self.dae.graph.of_type(Motion) if p.endswith(".motion")]
        names = [f"{j}.{what}" for j in joints for what in ("reaction_force", "reaction_torque")]
        values = self._evaluate(at, self._function("reactions", lambda: self.observer.function(names)))
        vague = ambiguous_joints(self, at.x)
        return {j: Reaction(v[:3], v[3:], j not in vague) for j, v in zip(joints, values.reshape(-1, 6), strict=True)}

    def jacobians(self, x: Any = None, u: Any = None, *, t: float = 0.0, **names: Any) -> Linear:
        """Linearisation δx' = A δx + B δu, δy = C δx + D δu about a state; `inputs`, `outputs` by name.

        inputs: parameters such as "motor.voltage"; the model's `Input` blocks where left out. outputs: any variables;
        none where left out.

        >>> system.jacobians(x, outputs=["hip.angle"]).A
        """
        at = self._at(x, u, t)
        return linearise(replace(self, parameters=at.p), self.slopes, at.x, t, **names)

    linearise = jacobians

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _at(self, x: Any, u: Any, t: float) -> _At:
        return _At(float(t), state_of(self, x, t=t), self.with_inputs(u))

    def _function(self, key: Any, make: Any) -> Function:
        if key not in self._functions:
            self._functions[key] = make()
        return self._functions[key]

    def _evaluate(self, at: _At, function: Function) -> np.ndarray:
        return evaluate(replace(self, parameters=at.p), function, np.array([at.t]), at.x[None, :])[0]

    def _frame(self, at: _At, frame: str) -> list[np.ndarray]:
        function = self._function(("frame", frame), lambda: self.mechanism.frame(frame))
        return [np.asarray(v) for v in function(at.t, at.x, np.zeros(self.dae.ny), at.p)]

    def _actuation(self, at: _At, joints: tuple[str, ...]) -> tuple[list[str], np.ndarray]:
        S = self._function(("S", joints), lambda: self.mechanism.actuation(joints))
        names = [n for j in joints for n in lane_names(j, self.mechanism.speed(j).numel())]
        return names, np.asarray(S(at.t, at.x, np.zeros(self.dae.ny), at.p))

    def _efforts(self, at: _At, rates: np.ndarray) -> np.ndarray:
        """The balances of the tree's motions for given rates, without constraint forces."""
        m = self.mechanism
        y = np.zeros(self.dae.ny)
        y[m.rates] = rates
        R, A = (np.asarray(v) for v in m.balance(at.t, at.x, y, at.p))
        for _ in range(30 if m.others else 0):
            step = np.linalg.solve(A[np.ix_(m.others, m.others)], R[m.others, 0])
            y[m.others] -= step
            R, A = (np.asarray(v) for v in m.balance(at.t, at.x, y, at.p))
            if np.abs(step).max() <= 1e-14 * max(1.0, float(np.abs(y).max())):
                break
        return R[m.rates, 0]

    def _slopes_of_balance(self, at: _At) -> tuple[np.ndarray, np.ndarray]:
        R, A = (np.asarray(v) for v in self.mechanism.balance(at.t, at.x, np.zeros(self.dae.ny), at.p))
        return R[:, 0], A

    def _balance(self, at: _At) -> tuple[np.ndarray, np.ndarray]:
        """M and h in the speeds of the tree."""
        m = self.mechanism
        A = self._slopes_of_balance(at)[1]
        M = A[np.ix_(m.rates, m.rates)]
        if m.others:
            inner = np.linalg.solve(A[np.ix_(m.others, m.others)], A[np.ix_(m.others, m.rates)])
            M = M - A[np.ix_(m.rates, m.others)] @ inner
        return 0.5 * (M + M.T), self._efforts(at, np.zeros(len(m.rates)))

    def _loops(self, at: _At) -> _Loops:
        m, n = self.mechanism, len(self.mechanism.rates)
        if not m.forces:
            return _Loops(np.eye(n), np.zeros(n))
        R, A = self._slopes_of_balance(at)
        C, c = A[np.ix_(m.forces, m.rates)], R[m.forces]
        own = list(self._independent)
        rest = [k for k in range(n) if k not in own]
        inner = np.linalg.lstsq(C[:, rest], np.column_stack([C[:, own], c]), rcond=1e-11)
        if inner[2] < len(rest):
            raise StructureError(self._dead_point())
        N, g = np.zeros((n, len(own))), np.zeros(n)
        N[own], N[rest], g[rest] = np.eye(len(own)), -inner[0][:, :-1], -inner[0][:, -1]
        return _Loops(N, g)

    @cached_property
    def _independent(self) -> tuple[int, ...]:
        """Motions that determine the others, preferably those with given start values or drives."""
        m, p = self.mechanism, self.parameters
        order = sorted(range(len(m.rates)), key=lambda k: (not self._preferred(m.names[k]), k))
        if not m.forces:
            return tuple(range(len(m.rates)))
        points = [self.x0, *sample_states(self.dae, self.reduced.shape, self.x0, p, 3)]
        found = [self._dependent(x, order[::-1]) for x in points]
        rest = max(found, key=len)
        return tuple(k for k in sorted(order, key=order.index) if k not in rest)

    def _dependent(self, x: np.ndarray, order: list[int]) -> list[int]:
        """Motions that follow from others at a state, taken in an order; clear cases before doubtful ones."""
        m = self.mechanism
        C = self._slopes_of_balance(_At(0.0, x, self.parameters))[1][np.ix_(m.forces, m.rates)]
        size, rest, chosen = float(np.abs(C).max(initial=1e-300)), C.copy(), []
        for least in (0.05, 1e-3, 1e-8):
            for k in order:
                norm = float(np.linalg.norm(rest[:, k]))
                if k not in chosen and norm > least * size:
                    chosen.append(k)
                    way = rest[:, k] / norm
                    rest = rest - np.outer(way, way @ rest)
        return chosen

    def _preferred(self, name: str) -> bool:
        joint = name.partition("[")[0]
        path = self.mechanism.motion(joint)
        given = self.dae.graph.starts.get(path, {}).values()
        exact = any(value is not None and not isinstance(value, Guess) for value in given)
        return exact or f"{joint}.drive" in self.dae.graph.elements

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

    def _dead_point(self) -> Finding:
        names = ", ".join(self.independent)
        fact = f"The speed of {names} does not determine the others here (a dead point)."
        cure = "Look at a state beside it, or ask for of='tree'."
        return Finding("the loops have no independent speeds in this state.", fact, cure, self.independent)

    def _not_driven(self, names: list[str], needed: int) -> Finding:
        fact = (
            f"The mechanism has {needed} independent motion{'s' if needed != 1 else ''}: {', '.join(self.independent)}."
        )
        problem = f"drives at {', '.join(names) or 'no joint'} cannot bring about every acceleration."
        return Finding(problem, fact, "Name at least as many joints, which move independently.", tuple(names))


__all__ = ["AXES", "Linear", "Mechanics", "Named"]
