"""Events to watch for: variables crossing a level, modes to leave, kinks; compiled as guards for the integrators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from multibond.equations.instants import Instants
from multibond.expr import SX, column
from multibond.lower.system import Code, System, compile_functions


@dataclass(frozen=True)
class Guards:
    """Compiled guards, with the directions that count and whether they end a stretch."""

    code: Code
    directions: tuple[int, ...]
    terminal: tuple[bool, ...]


def compile_guards(
    system: System, events: Mapping[str, tuple[float, int]], instants: Instants | None = None, border: SX | None = None
) -> Guards:
    """Guards for {variable: (level, direction)}, then those of modes (rising) and kinks, which end a stretch.

    border: an expression of states whose rise through zero ends a stretch as well.
    """
    r = system.reduced
    y = ca.substitute(r.y, r.z, SX.zeros(r.z.numel())) if r.z.numel() else r.y
    watched = [system.observer.expression(name) - level for name, (level, _) in events.items()]
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
    values = column(watched)
    if r.whole.y.numel():
        values = ca.substitute(values, r.whole.y, y)
    return Guards(compile_functions(r, {"guards": values}), tuple(directions), tuple(terminal))
