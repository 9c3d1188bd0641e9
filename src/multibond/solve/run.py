"""A run: a compiled system from its start to an end time, in one stretch or from instant to instant."""

from __future__ import annotations

from multibond.equations.instants import has_instants
from multibond.lower.system import System
from multibond.solve.course import Course
from multibond.solve.passage import Way, travel
from multibond.solve.solution import Solution
from multibond.solve.stretch import InMode, Options, solver_for


def run(system: System, until: float, options: Options, in_mode: InMode) -> Solution:
    """Run a system; `in_mode` compiles it in other modes where it changes them."""
    if has_instants(system.dae):
        return Course(system, until, options, in_mode).run()
    choice = solver_for(system, until, options)
    pieces, changes = travel(system, Way(until, choice.solver, choice.longest, options, in_mode))
    return Solution(pieces, tuple(options.events), choice.reason, changes)
