"""System → Solution: a run from the start to an end, or a machine that is stepped from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from multibond.graph.component import Component
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System
from multibond.pipeline.compiling import compile, rebuilt
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.options import require_possible
from multibond.solve.run import run
from multibond.solve.solution import Solution
from multibond.solve.stepper import Stepper
from multibond.solve.stretch import Options


def simulate(
    model: Model | Graph | System | Component,
    until: float,
    *,
    method: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    step: float | None = None,
    events: Mapping[str, tuple[float, int]] | None = None,
    parasitic: Parasitic | None = None,
    progress: Callable[[float], None] | None = None,
) -> Solution:
    """Run a model from its start to `until` seconds.

    method: how constraints are treated ("auto", "zcp", "rc", "multiplier", "minimal"); solver: "auto", "dop853",
    "dopri5", "rodas5p" or "rodas4p" (stiff), or "rk4" with a fixed `step`. events: by variable name level and direction
    (-1, 0, +1) of crossings to record. progress: is told the time now and then.
    """
    require_possible(until, solver, rtol, atol, step)
    system = model if isinstance(model, System) else compile(model, method, parasitic=parasitic)
    options = Options(solver, rtol, atol, step, events or {}, progress)
    return run(system, float(until), options, rebuilt)


def stepper(
    model: Model | Graph | System,
    *,
    method: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    until: float = 10.0,
) -> Stepper:
    """A machine that is stepped from outside, with modes, kinks and samples; arguments as in `simulate`.

    until: about how long it will go on; much shorter times count as one instant  [s].

    >>> cart = stepper(model)
    >>> cart.step(0.01, {"motor": 12.0})
    """
    require_possible(until, solver, rtol, atol, None)
    system = model if isinstance(model, System) else compile(model, method)
    return Stepper(system, rebuilt, Options(solver, rtol, atol), float(until))
