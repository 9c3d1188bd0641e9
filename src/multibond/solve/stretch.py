"""One stretch of a run: a compiled system integrated between two instants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from multibond.lower.system import System
from multibond.solve.choose import Choice, choose_solver
from multibond.solve.contract import Integrated, NativeModel, integrate
from multibond.solve.guards import Guards

InMode = Callable[[System, Mapping[str, str], Sequence[dict[tuple[str, str], np.ndarray]]], System]
"""Compiles a system once more, in other modes or with other pivots, as seen from given energy variables."""

LOOKS = 256
"""Times at which the unknowns of a system without states are looked for."""


@dataclass(frozen=True)
class Options:
    """How to run: solver ("auto" to choose), tolerances, length of fixed steps, crossings to record.

    sensors: whether what Dq and Dp gather counts in the error of a step even where nothing reads it.
    """

    solver: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float | None = None
    events: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    progress: Callable[[float], None] | None = None
    sensors: bool = False


def solver_for(system: System, until: float, options: Options) -> Choice:
    """The solver for a run of this length, and why."""
    return choose_solver(system, until) if options.solver == "auto" else Choice(options.solver, "as asked for")


def stretch(
    system: System, guards: Guards | None, t0: float, t1: float, x: np.ndarray, solver: str, options: Options,
    *, resting: tuple[int, ...] = (), first_step: float | None = None, max_step: float = np.inf,
    max_steps: int = 10_000_000,
) -> Integrated:  # fmt: skip
    """Integrate; without states nothing limits the steps, so that unknowns found by iteration are looked for often."""
    if not system.n and system.reduced.implicit:
        max_step = min(max_step, (t1 - t0) / LOOKS)
    atol = options.atol * system.usual_sizes
    return integrate(
        native(system, stiff=solver == "rodas5p", guards=guards),
        t0,
        t1,
        x,
        system.parameters,
        method=solver,
        rtol=options.rtol,
        atol=atol if options.sensors else np.where(system.silent, np.inf, atol),
        step=options.step,
        first_step=first_step,
        max_step=max_step,
        max_steps=max_steps,
        directions=guards.directions if guards else None,
        terminal=guards.terminal if guards else None,
        resting=resting,
        progress=options.progress,
    )


def native(system: System, *, stiff: bool = False, guards: Guards | None = None) -> NativeModel:
    """The addresses that an integrator needs."""
    code = system.code
    rhs = code.address("rhs")
    assert rhs is not None
    slopes = system.stiff_code if stiff else None
    return NativeModel(
        n=system.n,
        rhs=rhs,
        work_size=system.work_size,
        work_start=system.code.work_start,
        position_step=code.address("position_step"),
        velocity_step=code.address("velocity_step"),
        keep=(system, guards),
        jacobian=slopes.address("jacobian") if slopes else None,
        partial_t=slopes.address("partial_t") if slopes else None,
        guards=guards.code.address("guards") if guards is not None else None,
        n_guards=len(guards.directions) if guards is not None else 0,
    )
