"""A compiled system that can be stepped from outside: for controllers, real time and co-simulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from multibond.arguments import Numbers
from multibond.border import public
from multibond.equations.instants import has_instants
from multibond.errors import Finding, ModelError, SimulationError
from multibond.lower.given import state_of
from multibond.solve.contract import METHODS, NativeModel, Steps, Watch, integrate
from multibond.solve.guards import Guards, guards_for
from multibond.solve.mechanics import Mechanics
from multibond.solve.methods import STIFF
from multibond.solve.options import require_step
from multibond.solve.poles import pole_reached
from multibond.solve.stretch import native


@public
@dataclass(frozen=True, repr=False)
class Plant(Mechanics):
    """What `compile` gives: a system with `derivative`, `step` and the calls of `Mechanics`."""

    def step(
        self, x: Numbers, u: Numbers = None, dt: float = 1e-3, *, t: float = 0.0, solver: str = "rk4", substeps: int = 1
    ) -> np.ndarray:
        """The state a time dt later, with the inputs u held: fixed steps of order 4, or another solver's own steps.

        >>> x = system.step(x, {"motor": 12.0}, 1e-3)
        """
        if has_instants(self.dae):
            raise ModelError(
                Finding(
                    "a system with modes, kinks or samples cannot be stepped from outside.",
                    "What happens at instants is part of a run, and a state alone does not say the modes.",
                    "Use mb.stepper(system), which remembers the modes, or simulate().",
                )
            )
        require_step(dt, solver, substeps)
        fixed = dt / substeps if METHODS[solver].fixed else None
        x = state_of(self.state_names, x)
        steps, guards = Steps(solver, step=fixed, dense=False), self._guards
        watch = Watch(guards.directions, guards.terminal) if guards else Watch()
        run = integrate(self._native(METHODS[solver].implicit), t, t + dt, x, self.with_inputs(u), steps, watch)
        pole = guards.pole_met(run) if guards else None
        if pole is not None:
            raise pole_reached(pole, float(run.t[-1]), run.x[-1])
        if run.status.failed:
            raise SimulationError(
                Finding(
                    f"the step from {t:.6g} s failed.",
                    run.status.sentence,
                    f"Take a shorter step, or solver={STIFF!r}.",
                )
            )
        return run.x[-1]

    def _native(self, stiff: bool) -> NativeModel:
        return self._stiff_native if stiff else self._plain_native

    @cached_property
    def _guards(self) -> Guards | None:
        return guards_for(self, {})

    @cached_property
    def _plain_native(self) -> NativeModel:
        return native(self, guards=self._guards)

    @cached_property
    def _stiff_native(self) -> NativeModel:
        return native(self, stiff=True, guards=self._guards)
