"""Variables read from states: at many times in one call, or at one time quickly; functions are made once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.equations.buffered import Buffered
from multibond.errors import SimulationError
from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.reactions import ForceChoice, canonical_unknowns, undetermined
from multibond.solve.stopped import no_solution


def evaluate(
    system: System, function: Any, times: np.ndarray, x: np.ndarray, mapped: Function | None = None
) -> np.ndarray:
    """A function of (t, x, y, p) at states, one row a time, with the unknowns that it reads.

    mapped: the same function for so many times at once, where it is there already.
    """
    p = np.repeat(system.parameters[:, None], times.size, axis=1)
    y = _unknowns(system, times, x, *_needs(system, function))
    lost = np.isnan(y).any(axis=0) if system.reduced.implicit else np.zeros(0, bool)
    if lost.any():
        raise SimulationError(no_solution(system, float(times[np.argmax(lost)])))
    return np.asarray((mapped or function.map(times.size))(times[None, :], x.T, y, p)).T


def _needs(system: System, function: Any) -> tuple[bool, bool]:
    """Whether a function of (t, x, y, p) reads any unknown, and any constraint force."""
    read = {int(k) for k in function.jac_sparsity(0, 2).get_triplet()[1]}
    forces = {k for u in system.dae.unknowns if u.kind == "multiplier" for k in u.range}
    return bool(read), bool(read & forces)


def _unknowns(system: System, times: np.ndarray, x: np.ndarray, any_: bool, forces: bool) -> np.ndarray:
    """The unknowns at given states, with the canonical choice of forces in redundant constraints."""
    if not any_:
        return np.zeros((system.dae.ny, times.size))
    return canonical_unknowns(system, times, x) if forces else system.unknowns(times, x)


def reads_silent(system: System, name: str) -> bool:
    """Whether a variable shows what a sensor has gathered that has no say in the steps."""
    silent = [int(k) for k in np.flatnonzero(system.silent)]
    return bool(ca.depends_on(system.observer.expression(name), system.reduced.whole.x[silent]))


class Reader:
    """Variables of a system, one below the other, read from its states."""

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self.system = system
        self.names, self.function = tuple(names), system.observer.function(list(names))

    def along(self, times: np.ndarray, x: np.ndarray) -> np.ndarray:
        """At many times, one row each."""
        kept, count = self.system.kept, times.size
        mapped = kept.latest(("read", self.names), count, lambda: self.function.map(count))
        return evaluate(self.system, self.function, times, x, mapped)

    def at(self, time: float, x: np.ndarray) -> np.ndarray:
        """At one time: to the last bit what `along` gives."""
        y = self._unknowns_at(time, x)
        if self.system.reduced.implicit and np.isnan(y).any():
            raise SimulationError(no_solution(self.system, time))
        return self._quick(time, x, y, self.system.parameters)

    def _unknowns_at(self, time: float, x: np.ndarray) -> np.ndarray:
        any_, forces = self._needs
        if not any_:
            return self._nothing
        return self._choice.at(time, x) if forces and self._open else self.system.unknowns_at(time, x)

    @cached_property
    def _quick(self) -> Buffered:
        return Buffered(self.function)

    @cached_property
    def _needs(self) -> tuple[bool, bool]:
        return _needs(self.system, self.function)

    @cached_property
    def _nothing(self) -> np.ndarray:
        return np.zeros(self.system.dae.ny)

    @cached_property
    def _open(self) -> bool:
        return bool(undetermined(self.system))

    @cached_property
    def _choice(self) -> ForceChoice:
        return ForceChoice(self.system)
