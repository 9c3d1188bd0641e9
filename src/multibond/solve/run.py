"""A run: a compiled system from its start to an end time, in one stretch or from instant to instant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from multibond.equations.instants import has_instants
from multibond.errors import Interrupted, SimulationError
from multibond.lower.system import System
from multibond.solve.course import Course
from multibond.solve.gathered import is_gathered_well
from multibond.solve.interrupting import interrupted
from multibond.solve.solution import Solution
from multibond.solve.start_in_turn import in_turn
from multibond.solve.stretch import Options, Rebuild, solver_for
from multibond.solve.travel import travel
from multibond.solve.way import Way


def run(system: System, until: float, options: Options, rebuild: Rebuild) -> Solution:
    """Run a system; `rebuild` compiles it once more where it changes its modes or velocities."""
    turned = in_turn(system)
    levels = {name: level for name, (level, _) in options.events.items()}
    more: dict[str, Any] = {"levels": levels, "began": None if turned is system else system}
    try:
        return replace(_sound(turned, until, options, rebuild), **more)
    except (SimulationError, Interrupted) as error:
        if isinstance(error.run, Solution):
            error.run = replace(error.run, **more)
        raise


def _sound(system: System, until: float, options: Options, rebuild: Rebuild) -> Solution:
    """A run with sensors that gather well.

    Sensors that nothing reads have no say in the steps. Where they would then gather something wrong, as beside a
    machine at rest, the run is done once more with them, and what they gather is read there.
    """
    solution = _run(system, until, options, rebuild)
    if not system.silent.any() or solution.status.failed or options.step is not None:
        return solution
    if is_gathered_well(solution, options.rtol, options.atol):
        return solution
    return replace(solution, closer=_run(system, until, replace(options, sensors=True, progress=None), rebuild))


def _run(system: System, until: float, options: Options, rebuild: Rebuild) -> Solution:
    if has_instants(system.dae):
        own = replace(system, parameters=system.parameters.copy()) if system.dae.clocked else system
        return Course(own, until, options, rebuild).run()
    watched = tuple(options.events)
    choice = solver_for(system, until, options)
    way = Way(until, choice.solver, choice.longest, options, rebuild)
    try:
        pieces, changes = travel(system, way)
    except KeyboardInterrupt as stop:
        raise interrupted(stop, way.behind, lambda so_far: Solution(so_far, watched, choice.reason)) from None
    return Solution(pieces, watched, choice.reason, changes)
