"""Events to watch for: variables crossing a level, modes to leave, kinks; compiled as guards for the integrators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from multibond.equations.instants import Instants
from multibond.errors import Finding, ParameterError
from multibond.expr import SX, column
from multibond.lower.system import Code, System, compile_functions, filled
from multibond.solve.contract import Trajectory
from multibond.solve.poles import NEAR, Pole, poles
from multibond.solve.turns import crossed, side_of


@dataclass(frozen=True)
class Guards:
    """Compiled guards, with the directions that count and whether they end a stretch.

    poles: the last guards, two for each pole of the angles of joints (one for each side), which end the run.
    """

    code: Code
    directions: tuple[int, ...]
    terminal: tuple[bool, ...]
    poles: tuple[Pole, ...] = ()

    def pole_met(self, run: Trajectory) -> Pole | None:
        """The pole that ended a stretch, if one did."""
        first = len(self.directions) - 2 * len(self.poles)
        met = [e.guard - first for e in run.events if e.guard >= first and e.time >= run.t[-1]]
        return self.poles[met[0] // 2] if met else None


def guards_for(system: System, events: Mapping[str, tuple[float, int]]) -> Guards | None:
    """Guards of a system without instants, kept for all its numbers; None where there is nothing to watch."""
    if not events and not system.kept.get("poles", lambda: poles(system.dae)):
        return None
    mark = (tuple(events.items()), *(side_of(system, name).tobytes() for name in events))
    return system.kept.latest("guards", mark, lambda: compile_guards(system, events))


def compile_guards(
    system: System, events: Mapping[str, tuple[float, int]], instants: Instants | None = None, border: SX | None = None
) -> Guards:
    """Guards for {variable: (level, direction)}, then those of modes (rising) and kinks, which end a stretch.

    border: an expression of states whose rise through zero ends a stretch as well. Poles of angles come last.
    """
    r = system.reduced
    watched = [crossed(system, name, level) for name, (level, _) in events.items()]
    directions = [direction for _, direction in events.values()]
    terminal = [False] * len(watched)
    if instants is not None:
        watched += [instants.switch_when, instants.edge_where]
        directions += [1] * len(instants.switches) + [0] * len(instants.edges)
        terminal += [True] * (len(instants.switches) + len(instants.edges))
    if border is not None:
        watched.append(border)
        directions.append(1)
        terminal.append(True)
    ends = poles(system.dae)
    watched += [side * pole.away(r.whole.x) - NEAR for pole in ends for side in (1, -1)]
    directions += [-1, -1] * len(ends)
    terminal += [True, True] * len(ends)
    values = column(watched)
    if r.solver is None:
        _require_states(system, events)
    else:
        values = filled(r, values)
    return Guards(compile_functions(r, {"guards": values}), tuple(directions), tuple(terminal), ends)


def _require_states(system: System, events: Mapping[str, tuple[float, int]]) -> None:
    """Refuse events of forces and accelerations where loops of code find these, without an expression for them."""
    y = system.reduced.whole.y
    forces = [name for name in events if ca.depends_on(system.observer.expression(name), y)]
    if forces:
        fact = "The tree is long, so its forces and accelerations are computed in loops that guards cannot read."
        cure = 'Compile it in one line with mb.compile(model, form="line"), and simulate that.'
        problem = f"crossings of {', '.join(map(repr, forces))} cannot be found."
        raise ParameterError(Finding(problem, fact, cure, tuple(name.partition(".")[0] for name in forces)))
