"""How a run goes on: to which end, with which solver; and what it has behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.errors import SimulationError
from multibond.lower.system import System
from multibond.solve.contract import Trajectory, Vector
from multibond.solve.guards import Guards
from multibond.solve.joined import crossings
from multibond.solve.poles import pole_reached
from multibond.solve.solution import Change, Piece, Solution
from multibond.solve.stretch import MANY, Options, Pace, Rebuild, stretch

Journey = tuple[tuple[Piece, ...], tuple[Change, ...]]


@dataclass(frozen=True)
class Way:
    """How a run goes on: to the end, with a solver and its longest step; `rebuild` compiles a system once more."""

    until: float
    solver: str
    longest: float
    options: Options
    rebuild: Rebuild
    behind: list[Piece] = field(default_factory=list)
    """Pieces that are behind it, for whoever ends the journey before its end."""

    def go(
        self, system: System, guards: Guards | None, t: float, x: Vector, *, resting: tuple[int, ...] = (),
        max_steps: int = MANY,
    ) -> Trajectory:  # fmt: skip
        """Integrate from a time and a state."""
        pace = Pace(self.solver, longest=self.longest, most=max_steps)
        try:
            return stretch(system, (t, self.until), x, pace, self.options, guards, resting)
        except SimulationError as error:
            if isinstance(error.run, Trajectory):
                pieces = (*self.behind, Piece(system, error.run))
                error.run = Solution(pieces, tuple(self.options.events), "", crossings(pieces))
            raise

    def whole(self, system: System, guards: Guards | None, run: Trajectory) -> Journey:
        """A journey of one stretch."""
        pieces = (Piece(system, run),)
        self.require_no_pole(guards, run, pieces, crossings(pieces))
        return pieces, crossings(pieces)

    def require_no_pole(
        self, guards: Guards | None, run: Trajectory, pieces: tuple[Piece, ...], changes: tuple[Change, ...]
    ) -> None:
        """Refuse a stretch that ended where the angles of a joint end."""
        pole = guards.pole_met(run) if guards is not None else None
        if pole is not None:
            error = pole_reached(pole, float(run.t[-1]), run.x[-1])
            error.run = Solution(pieces, tuple(self.options.events), "", changes)
            raise error
