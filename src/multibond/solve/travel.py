"""From the start to the end of a run without instants."""

from __future__ import annotations

from multibond.errors import SimulationError
from multibond.lower.system import System
from multibond.solve.crossing import require_regular
from multibond.solve.guards import guards_for
from multibond.solve.rechoice import Choices, chooses, guards_of
from multibond.solve.solution import Piece, Solution
from multibond.solve.status import Status
from multibond.solve.way import Journey, Way


def travel(system: System, way: Way) -> Journey:
    """From the start to the end: in one stretch, or in minimal coordinates with one choice of them after another."""
    if chooses(system):
        return _by_choices(system, way)
    require_regular(system)
    guards = guards_for(system, way.options.events)
    return way.whole(system, guards, way.go(system, guards, 0.0, system.x0))


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
