"""A run: a compiled system from its start to an end time, in one stretch or from instant to instant."""

from __future__ import annotations

from multibond.equations.instants import has_instants
from multibond.lower.system import System
from multibond.solve.course import Course, InMode
from multibond.solve.guards import compile_guards
from multibond.solve.solution import Piece, Solution
from multibond.solve.stretch import Options, solver_for, stretch


def run(system: System, until: float, options: Options, in_mode: InMode) -> Solution:
    """Run a system; `in_mode` compiles it in other modes where it changes them."""
    if has_instants(system.dae):
        return Course(system, until, options, in_mode).run()
    choice = solver_for(system, until, options)
    guards = compile_guards(system, options.events) if options.events else None
    trajectory = stretch(system, guards, 0.0, until, system.x0, choice.solver, options, max_step=choice.longest)
    return Solution((Piece(system, trajectory),), tuple(options.events), choice.reason)
