"""How each call of `Mechanics` is made: as a native function where formulas give it, else step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.equations.mechanism import lane_names, reacting
from multibond.errors import Finding, ModelError
from multibond.expr import SX, Function, flat
from multibond.lower.calls import Call, is_many
from multibond.solve.balances import Balances
from multibond.solve.calculated import At, Calculated
from multibond.solve.linearise import LinearCall, linear_call
from multibond.solve.named import Named, named
from multibond.solve.reactions import ambiguous_joints, undetermined
from multibond.solve.solution import Reaction
from multibond.solve.states import state_of

EXERTED = ("reaction_force", "reaction_torque")
VELOCITY, JACOBIAN, STILL = range(3)
"""What is known of a frame, in the order of `Mechanism.frame`."""


@public
@dataclass(frozen=True, repr=False)
class Answers(Balances):
    """A system that makes the calls of `Mechanics` when they are first asked for."""

    # -- names ---------------------------------------------------------------------------------------------------------

    def _tree(self, of: str) -> bool:
        if of not in ("independent", "tree"):
            fact = 'Speeds are those of the "tree" or "independent" ones.'
            raise ModelError(Finding(f"there are no {of!r} speeds.", fact, "Choose one of these."))
        return of == "tree"

    def _names(self, of: str) -> tuple[str, ...]:
        return self.mechanism.names if of == "tree" else self.independent

    @cached_property
    def _moving(self) -> tuple[str, ...]:
        """The free flows of all joints, those at cuts too."""
        joints = [(j, self.mechanism.speed(j).numel()) for j in self.mechanism.joints]
        return tuple(name for joint, size in joints for name in lane_names(joint, size))

    # -- balances ------------------------------------------------------------------------------------------------------

    def _mass_call(self, of: str) -> Call | Calculated:
        tree, motion = self._tree(of), self._motion
        if motion.is_tree:
            return self._code_call(("mass", of), lambda: motion.mass, (len(self.mechanism.rates),) * 2)
        return self._calculated(("mass", of), Answers._tree_mass_value if tree else Answers._mass_value)

    def _bias_call(self, of: str) -> Call | Calculated:
        tree, count = self._tree(of), len(self.mechanism.rates)
        if self._motion.is_tree:
            return self._code_call(("bias", of), lambda: self._motion.efforts(SX.zeros(count)), (count,))
        return self._calculated(("bias", of), Answers._tree_bias_value if tree else Answers._bias_value)

    def _drives_call(self, of: str) -> Calculated:
        return self._calculated(("drives", of), Answers._tree_drives_value if self._tree(of) else Answers._drives_value)

    def _inverse_call(self) -> Call | Calculated:
        if not self._motion.is_tree:
            return self._calculated("inverse", Answers._inverse_value)
        wanted = self.kept.get("wanted", lambda: SX.sym("wanted", len(self.mechanism.rates)))
        return self._code_call("inverse", lambda: self._motion.efforts(wanted), (wanted.numel(),), wanted)

    def _accelerations_call(self) -> Call | Calculated:
        rates = self.mechanism.accelerations
        if self._motion.serves:
            return self._code_call("accelerations", lambda: self._motion.filled(rates), (rates.numel(),))
        made = self.kept.get("a", lambda: Function("a", self.mechanism.arguments, [rates]))
        return self._calculated("accelerations", lambda s, at, _: s._evaluate(at, made))

    # -- step by step --------------------------------------------------------------------------------------------------

    def _mass_value(self, at: At, _: Any) -> np.ndarray:
        N = self._loops(at).N
        return N.T @ self._mass(at) @ N

    def _tree_mass_value(self, at: At, _: Any) -> np.ndarray:
        return self._mass(at)

    def _bias_value(self, at: At, _: Any) -> np.ndarray:
        (M, h), loops = self._balance(at), self._loops(at)
        return loops.N.T @ (h + M @ loops.g)

    def _tree_bias_value(self, at: At, _: Any) -> np.ndarray:
        return self._balance(at)[1]

    def _drives_value(self, at: At, _: Any) -> np.ndarray:
        return self._loops(at).N.T @ self._tree_drives_value(at, None)

    def _tree_drives_value(self, at: At, _: Any) -> np.ndarray:
        return self._at_rest(at, "drives", lambda: self.mechanism.drives)

    def _inverse_value(self, at: At, wanted: np.ndarray) -> np.ndarray:
        loops = self._loops(at)
        return loops.N.T @ self._efforts(at, loops.N @ wanted + loops.g)

    # -- drives at some joints -----------------------------------------------------------------------------------------

    def _driven(
        self, joints: tuple[str, ...], x: Any, wanted: np.ndarray, u: Any, t: float, out: np.ndarray | None
    ) -> Named:
        """Efforts of drives at given joints, the smallest ones."""
        names = self._actuated(joints)
        found: Any = Calculated(self, lambda s, at, more: s._smallest(at, joints, more))(x, u, t, out, wanted)
        return found if out is not None else named(found, names, (), found.ndim - 1)

    def _smallest(self, at: At, joints: tuple[str, ...], wanted: np.ndarray) -> np.ndarray:
        loops = self._loops(at)
        needed = self._inverse_value(at, wanted)
        reach = (self._actuation(at, joints) @ loops.N).T
        if np.linalg.matrix_rank(reach, 1e-9 * max(1.0, float(np.abs(reach).max(initial=0.0)))) < needed.size:
            raise ModelError(self._not_driven(self._actuated(joints), needed.size))
        return np.linalg.lstsq(reach, needed, rcond=None)[0]

    def _actuated(self, joints: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(n for j in joints for n in lane_names(j, self.mechanism.speed(j).numel()))

    def _not_driven(self, names: Sequence[str], needed: int) -> Finding:
        fact = (
            f"The mechanism has {needed} independent motion{'s' if needed != 1 else ''}: {', '.join(self.independent)}."
        )
        problem = f"drives at {', '.join(names) or 'no joint'} cannot bring about every acceleration."
        return Finding(problem, fact, "Name at least as many joints, which move independently.", tuple(names))

    # -- frames --------------------------------------------------------------------------------------------------------

    def _frame_call(self, key: Any, frame: str, part: int, shape: tuple[int, ...]) -> Call | Calculated:
        """One of the parts of what is known of a frame."""
        if self._motion.serves:
            return self._code_call(key, lambda: flat(self.mechanism.frame(frame)[part]), shape)
        return self._calculated(key, lambda s, at, _: s._frame_value(at, frame, part).reshape(shape))

    def _frame_value(self, at: At, frame: str, part: int) -> np.ndarray:
        return self._at_rest(at, ("frame", frame, part), lambda: flat(self.mechanism.frame(frame)[part]))

    def _jacobian_call(self, frame: str, of: str) -> Call | Calculated:
        shape = 6, len(self.mechanism.speeds)
        if self._tree(of) or not self.mechanism.forces:
            return self._frame_call(("jacobian", frame, of), frame, JACOBIAN, shape)
        tree = self._jacobian_call(frame, "tree")
        return self._calculated(("jacobian", frame, of), lambda s, at, _: _at_point(tree, at) @ s._loops(at).N)

    def _rate_call(self, frame: str) -> Call | Calculated:
        if not self.mechanism.forces:
            return self._frame_call(("rate", frame), frame, STILL, (6,))
        still = self._frame_call(("still", frame), frame, STILL, (6,))
        tree = self._jacobian_call(frame, "tree")
        return self._calculated(
            ("rate", frame), lambda s, at, _: _at_point(still, at) + _at_point(tree, at) @ s._loops(at).g
        )

    # -- forces --------------------------------------------------------------------------------------------------------

    @cached_property
    def _reacting(self) -> tuple[tuple[str, slice, slice], ...]:
        """Joints that have reactions, with where in a row of numbers force and torque are."""
        found, end = list[tuple[str, slice, slice]](), 0
        for joint in reacting(self.dae):
            force, torque = (self.observer.expression(f"{joint}.{what}").numel() for what in EXERTED)
            found.append((joint, slice(end, end + force), slice(end + force, end + force + torque)))
            end += force + torque
        return tuple(found)

    def _reactions_call(self) -> Call | Calculated:
        names = [f"{joint}.{what}" for joint, *_ in self._reacting for what in EXERTED]
        values = ca.vertcat(SX(0, 1), *(self.observer.expression(name) for name in names))
        if self._motion.serves and not undetermined(self):  # forces that rows share want a choice
            return self._code_call("reactions", lambda: self._motion.filled(values), (values.numel(),))
        made = self.observer.function(names)
        return self._calculated("reactions", lambda s, at, _: s._evaluate(at, made))

    def _by_joint(self, values: np.ndarray, x: Any, t: float) -> dict[str, Reaction]:
        """Numbers of all reactions, joint by joint."""
        if values.ndim == 1 and not self._shared:
            return {joint: Reaction(values[force], values[torque], True) for joint, force, torque in self._reacting}
        vague: tuple[str, ...] = ()
        if self._shared and self._reacting:
            states = x if is_many(x, self.n) else [state_of(self, x, t=t)]
            vague = tuple(joint for state in states for joint in ambiguous_joints(self, state))
        return {
            joint: Reaction(values[..., force], values[..., torque], joint not in vague)
            for joint, force, torque in self._reacting
        }

    @cached_property
    def _shared(self) -> bool:
        """Whether redundant constraints share forces."""
        return bool(self.reduced.redundancy.dropped)

    # -- slopes --------------------------------------------------------------------------------------------------------

    def _linear_call(self, key: Any, **names: Any) -> LinearCall:
        motion = self._motion if self._motion.serves else None
        found = self._linear_calls[key] = linear_call(self, motion, self.slopes, **names)
        return found

    @cached_property
    def _linear_calls(self) -> dict[Any, LinearCall]:
        """Linearisations made so far, by inputs and outputs."""
        return {}


def _at_point(made: Call | Calculated, at: At) -> np.ndarray:
    """A call at a point: inputs are among its parameters, and have no say in what is asked for here."""
    return made(at.x, None, at.t, None)
