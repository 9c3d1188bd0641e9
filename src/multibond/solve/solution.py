"""Solution: a run, by name. Everything is computed when asked for, from the stored states.

>>> run["hip.angle"](3.2)
>>> run["hip.reaction_force[1]"].values
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibond.elements import Motion
from multibond.errors import Finding, SimulationError
from multibond.lower.system import System
from multibond.solve.contract import Status, Trajectory
from multibond.solve.reactions import ambiguous_joints, canonical_forces
from multibond.solve.turns import count_turns, turning


@dataclass(frozen=True)
class Variable:
    """One quantity over a run: call it with a time or an array of times."""

    name: str
    solution: Solution

    def __call__(self, time: Any) -> Any:
        times = np.atleast_1d(np.asarray(time, float))
        values = self.solution.values([self.name], times)
        flat = values[:, 0] if values.shape[1] == 1 else values
        return flat[0] if np.ndim(time) == 0 else flat

    @property
    def t(self) -> np.ndarray:
        """Ends of all steps  [s]."""
        return self.solution.t

    @property
    def values(self) -> np.ndarray:
        """At the ends of all steps."""
        return self(self.t)

    def __repr__(self) -> str:
        return f"Variable {self.name!r} from {self.solution.t[0]:g} s to {self.solution.t[-1]:g} s"


@dataclass(frozen=True)
class Crossing:
    """An event: which variable crossed its level, and when."""

    name: str
    time: float
    state: np.ndarray


@dataclass(frozen=True)
class Reaction:
    """Force  [N] and torque  [N.m] of a joint; `unique` where the constraints determine them."""

    force: np.ndarray
    torque: np.ndarray
    unique: bool


@dataclass(frozen=True)
class Solution:
    """A run of a system: states at the steps, dense between them, every variable by name."""

    system: System
    trajectory: Trajectory
    watched: tuple[str, ...] = ()
    reason: str = ""
    """Why the solver was chosen."""

    @property
    def t(self) -> np.ndarray:
        """Ends of the steps  [s]."""
        return self.trajectory.t

    @property
    def status(self) -> Status:
        """How the run ended."""
        return self.trajectory.status

    @property
    def events(self) -> tuple[Crossing, ...]:
        """Crossings of watched variables, in order of time."""
        return tuple(Crossing(self.watched[e.guard], e.time, e.state) for e in self.trajectory.events)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that can be asked for."""
        return self.system.observer.names

    def __getitem__(self, name: str) -> Variable:
        self.system.observer.expression(name)
        return Variable(name, self)

    def states(self, times: Any) -> np.ndarray:
        """States at times, one row each."""
        return self.trajectory.at(times)

    def values(self, names: list[str], times: Any) -> np.ndarray:
        """Values of several variables at several times, one row a time; angles count their full turns."""
        times = np.atleast_1d(np.asarray(times, float))
        columns, out = 0, self._raw(names, times)
        for name in names:
            size = self.system.observer.expression(name).numel()
            joint = turning(self.system, name.partition("[")[0])
            if joint is not None:
                index = self._index(name, size)
                out[:, columns : columns + size] = count_turns(
                    times, out[:, columns : columns + size], self.t, *(part[:, index] for part in self._steps_of(joint))
                )
            columns += size
        return out

    @staticmethod
    def _index(name: str, size: int) -> list[int]:
        return [int(name.partition("[")[2].rstrip("]"))] if "[" in name else list(range(size))

    def _steps_of(self, joint: str) -> tuple[np.ndarray, np.ndarray]:
        """Angles and speeds of a cut joint at the ends of the steps."""
        return self._raw([f"{joint}.q"], self.t), self._raw([f"{joint}.f"], self.t)

    def _raw(self, names: list[str], times: np.ndarray) -> np.ndarray:
        x = self.states(times)
        function = self.system.observer.function(names)
        y = self._unknowns(times, x, *self._needs(function))
        p = self.system.parameters
        out = function.map(times.size)(times[None, :], x.T, y, np.repeat(p[:, None], times.size, axis=1))
        return np.asarray(out).T

    def _needs(self, function: Any) -> tuple[bool, bool]:
        """Whether a function of (t, x, y, p) reads any unknown, and any constraint force."""
        read = {int(k) for k in function.jac_sparsity(0, 2).get_triplet()[1]}
        forces = {k for u in self.system.dae.unknowns if u.kind == "multiplier" for k in u.range}
        return bool(read), bool(read & forces)

    def _unknowns(self, times: np.ndarray, x: np.ndarray, any_: bool, forces: bool) -> np.ndarray:
        """The unknowns at given states, with the canonical choice of forces in redundant constraints."""
        system = self.system
        z = np.zeros((len(system.reduced.redundancy.dropped), times.size))
        if not any_:
            return np.zeros((system.dae.ny, times.size))
        if forces and z.size:
            z = canonical_forces(system, times, x)
        return system.unknowns(times, x, z)

    @cached_property
    def ambiguous(self) -> tuple[str, ...]:
        """Joints whose reactions the constraints do not determine; they follow the rule of equal stiffness."""
        return ambiguous_joints(self.system, self.states([self.t[-1]])[0])

    def reactions(self, time: float) -> dict[str, Reaction]:
        """What each joint's side a exerts on its side b at a time: force and torque at b's origin, in a's axes."""
        joints = [p.removesuffix(".motion") for p, _ in self.system.dae.graph.of_type(Motion) if p.endswith(".motion")]
        names = [f"{j}.{what}" for j in joints for what in ("reaction_force", "reaction_torque")]
        values = self.values(names, np.array([time], float)).reshape(-1, 6)
        return {j: Reaction(v[:3], v[3:], j not in self.ambiguous) for j, v in zip(joints, values, strict=True)}

    def energy(self) -> Any:
        """The energy audit: what was stored, supplied and lost, balanced by an independent quadrature."""
        from multibond.solve.audit import audit

        return audit(self)

    def check(self) -> Solution:
        """Raise if the run did not reach its end; the trajectory so far stays in this solution."""
        if self.status.failed:
            error = SimulationError(
                Finding(
                    f"the run stopped at {self.t[-1]:.6g} s.",
                    self.status.sentence,
                    "Look at the variables just before (the error's `run`), or try solver='rodas5p' for stiff models.",
                )
            )
            error.run = self
            raise error
        return self

    def __repr__(self) -> str:
        s = self.trajectory.statistics
        return f"Solution to {self.t[-1]:g} s: {s.accepted} steps, {s.rejected} rejected, {s.evaluations} evaluations"
