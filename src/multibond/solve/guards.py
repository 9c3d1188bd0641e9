"""Events to watch for: a named variable crossing a level, compiled as guards for the integrators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from multibond.expr import SX, column
from multibond.lower.system import Code, System, compile_functions


@dataclass(frozen=True)
class Guards:
    """Compiled guards: one for each watched variable."""

    code: Code
    names: tuple[str, ...]
    directions: tuple[int, ...]

    @property
    def fields(self) -> dict[str, int | None]:
        """What the native model is told."""
        return {"guards": self.code.address("guards"), "n_guards": len(self.names)}


def compile_guards(system: System, events: Mapping[str, tuple[float, int]]) -> Guards:
    """Guards for {variable: (level, direction)}."""
    r = system.reduced
    y = ca.substitute(r.y, r.z, SX.zeros(r.z.numel())) if r.z.numel() else r.y
    values = column([system.observer.expression(name) - level for name, (level, _) in events.items()])
    if r.whole.y.numel():
        values = ca.substitute(values, r.whole.y, y)
    return Guards(compile_functions(r, {"guards": values}), tuple(events), tuple(d for _, d in events.values()))
