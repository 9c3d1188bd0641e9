"""A machine that is stepped from outside and remembers where it is: for controllers, real time and games.

Unlike `system.step` it goes through modes, kinks and samples, because it knows the modes beside the state.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from multibond.arguments import Numbers
from multibond.border import public
from multibond.errors import Finding, ModelError, MultibondError, SimulationError
from multibond.lower.system import System
from multibond.solve.course import Course
from multibond.solve.exact import exact
from multibond.solve.hits import Hit
from multibond.solve.hybrid import explain
from multibond.solve.joined import crossings
from multibond.solve.methods import STIFF
from multibond.solve.reading import evaluate
from multibond.solve.solution import Change, Solution
from multibond.solve.start_in_turn import in_turn, total
from multibond.solve.stretch import Options, Rebuild


@public
class Stepper:
    """A system at an instant, with inputs held from step to step.

    until: about how long it will go on; much shorter times count as one instant  [s].

    >>> cart = mb.stepper(model)
    >>> cart.step(0.01, {"motor": 12.0})
    >>> cart["cart.position"]
    """

    def __init__(self, system: System, rebuild: Rebuild, options: Options, until: float) -> None:
        # The array is this stepper's own and shared by the system in all its modes, so that inputs reach each of them.
        own = replace(system, parameters=system.parameters.copy())
        self._system = in_turn(own)
        self._began = None if self._system is own else own
        self._course = Course(self._system, until, options, rebuild)
        self._functions: dict[tuple[int, str], Any] = {}
        self._time = Fraction(0)
        self._pause(system.stored, samples=False)

    @property
    def t(self) -> float:
        """The time  [s]."""
        return self._course.t

    @property
    def x(self) -> np.ndarray:
        """The state, in the order of the system in its present modes."""
        return total(self._course.mode.system, self._course.x)

    @property
    def modes(self) -> dict[str, str]:
        """The mode of each element that has modes."""
        return dict(self._course.mode.modes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes of mode and the singular positions passed during the last step."""
        found = (*self._course.changes, *crossings(self._course.pieces))
        return tuple(sorted(found, key=lambda change: change.time))

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits on stops during the last step."""
        return tuple(self._course.machine.hits)

    def step(self, dt: float, u: Numbers = None) -> float:
        """Go on for a time dt with the inputs u, by name or in their order; returns the time reached  [s]."""
        if not (np.isfinite(dt) and dt > 0):
            fact = f"dt is {dt!r}."
            raise ModelError(Finding("a step must be longer than nothing.", fact, "Give a positive time in seconds."))
        before, given = self._system.parameters.copy(), self._system.with_inputs(u)
        self._course.pieces.clear()
        self._course.changes.clear()
        self._course.machine.hits.clear()
        self._system.parameters[:] = given
        if (given != before).any():
            self._course.renumber(given != before)
            self._pause({})
        self._time += exact(dt)
        self._go(float(self._time))
        return self.t

    def run(self) -> Solution:
        """The last step as a solution, for plots and every variable between its ends."""
        course = self._course
        if not course.pieces:
            fact = "It stands at its start."
            raise ModelError(Finding("the stepper has made no step yet.", fact, "Call step(dt) first."))
        return Solution(tuple(course.pieces), (), course.reason, self.changes, hits=self.hits, began=self._began)

    def __getitem__(self, name: str) -> Any:
        """A variable at the present instant: a number, or an array where it has several components."""
        system = self._course.mode.system
        key = (id(system), name)
        if key not in self._functions:
            self._functions[key] = system.observer.function([name])
        value = evaluate(system, self._functions[key], np.array([self.t]), self._course.x[None, :])[0]
        return float(value[0]) if value.size == 1 else value

    def _pause(self, stored: dict[tuple[str, str], np.ndarray], *, samples: bool = True) -> None:
        try:
            self._course.pause(stored, samples=samples)
        except MultibondError as fault:
            raise self._explained(fault) from None

    def _go(self, end: float) -> None:
        try:
            self._course.go(end)
        except MultibondError as fault:
            raise self._explained(fault) from None
        finally:
            self._course.release()
        status = self._course.pieces[-1].trajectory.status
        if status.failed:
            what = f"the step from {self.t:.6g} s failed."
            raise SimulationError(Finding(what, status.sentence, f"Take a shorter step, or solver={STIFF!r}."))

    def _explained(self, fault: MultibondError) -> SimulationError:
        return fault if isinstance(fault, SimulationError) else explain(fault, self.modes, self.t)

    def __repr__(self) -> str:
        told = ", ".join(f"{path} {mode}" for path, mode in self.modes.items())
        return f"Stepper at {self.t:.6g} s" + (f" ({told})" if told else "")
