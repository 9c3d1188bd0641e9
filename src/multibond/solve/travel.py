"""From the start to the end of a run without instants: as it is, or with other equations where the first ones fail."""

from __future__ import annotations

from multibond.equations.undetermined import singular_start
from multibond.errors import SimulationError
from multibond.lower.system import System
from multibond.solve.guards import guards_for
from multibond.solve.passage import MOST_SYSTEMS, Careful, Guarded
from multibond.solve.rechoice import Choices, chooses, guards_of
from multibond.solve.serving import is_rough
from multibond.solve.singular import THIN, Pivots
from multibond.solve.solution import Piece, Solution
from multibond.solve.status import Status
from multibond.solve.way import Journey, Way

FIRST_TRY = 20_000
"""Steps after which a closed loop is looked at for creeping."""


def travel(system: System, way: Way) -> Journey:
    """From the start to the end: in one stretch, or with care where constraints lose their hold on the way."""
    if chooses(system):
        return _by_choices(system, way)
    pivots = Pivots(system)
    guards = guards_for(system, way.options.events)
    if not pivots.active:
        return way.whole(system, guards, way.go(system, guards, 0.0, system.x0))
    if pivots.lost(0.0, system.x0):
        raise SimulationError(singular_start((pivots.thinnest(0.0, system.x0),)))
    run = way.go(system, guards, 0.0, system.x0, max_steps=FIRST_TRY)
    thin = run.status.failed and pivots.parts(run.t[-1:], run.x[-1:])[0] < THIN
    if thin or pivots.harmed(run.t, run.x):
        return Careful(way, [Guarded(pivots, way.options)], pieces=way.behind).travel()
    if run.status.failed and is_rough(system, float(run.t[-1]), run.x[-1]):
        return _renewing(way, Piece(system, run))
    if run.status == Status.TOO_MANY:
        run = way.go(system, guards, 0.0, system.x0)
    return way.whole(system, guards, run)


def _renewing(way: Way, first: Piece) -> Journey:
    """Go on from where pivots let a run down, with others that suit the place; and so on to the end."""
    pieces = way.behind
    pieces.append(first)
    while True:
        system, t, x = pieces[-1].system, float(pieces[-1].trajectory.t[-1]), pieces[-1].trajectory.x[-1]
        fresh = way.rebuild(system, {}, [system.dae.energy_variables(x)])
        guards = guards_for(fresh, way.options.events)
        run = way.go(fresh, guards, t, x, max_steps=FIRST_TRY)
        lost = run.status.failed and is_rough(fresh, float(run.t[-1]), run.x[-1])
        if run.status == Status.TOO_MANY and not lost:
            run = way.go(fresh, guards, t, x)
        pieces.append(Piece(fresh, run))
        way.require_no_pole(guards, run, tuple(pieces), ())
        if not lost or float(run.t[-1]) <= t or len(pieces) >= MOST_SYSTEMS:
            return tuple(pieces), ()


def _by_choices(system: System, way: Way) -> Journey:
    """In minimal coordinates: with other independent velocities wherever those in use no longer lead the motion."""
    choices, pieces, t, x = Choices(way.rebuild), way.behind, 0.0, system.x0
    while True:
        guards = guards_of(system, way.options.events, t, x)
        run = way.go(system, guards, t, x)
        pieces.append(Piece(system, run))
        way.require_no_pole(guards, run, tuple(pieces), ())
        t = float(run.t[-1])
        if run.status != Status.EVENT or t >= way.until:
            return tuple(pieces), ()
        try:
            system, x = choices.next(pieces[-1])
        except SimulationError as error:
            error.run = Solution(tuple(pieces), tuple(way.options.events), "")
            raise
