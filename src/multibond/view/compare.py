"""Methods side by side, as in Tables 1 and 5 of Boudon et al. (2017): cost, error, reactions, energy, cell by cell.

>>> print(compare(slider_crank, 2.0))
>>> compare(slider_crank, 2.0).plot("errors.svg")

The reference is a run by the method "auto" at a relative tolerance of 1e-12. Times are those of the machine at hand:
compare them within a table, not between tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import casadi as ca
import numpy as np

from multibond import pipeline
from multibond.errors import MultibondError
from multibond.expr import Function
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System, model_function, right_hand_side, slope
from multibond.rewrite.floating import join_floating
from multibond.rewrite.method import METHODS, require_method
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.reactions import ambiguous_components
from multibond.solve.solution import Solution
from multibond.view.comparison import Cell, Comparison, Mode
from multibond.view.cost import cost_of
from multibond.view.measure import comparable, constraint_forces, motion

POINTS = 201
"""Times at which runs are compared."""
SHARP = 1e-12
"""Relative tolerance of the reference."""


@dataclass(frozen=True)
class _Reference:
    """The reference run with what is compared, and which constraint forces are unique."""

    run: Solution
    graph: Graph
    times: np.ndarray
    motion: np.ndarray
    forces: np.ndarray
    unique: np.ndarray


def compare(
    model: Model | Graph,
    until: float,
    *,
    methods: Sequence[str] = METHODS,
    depths: Sequence[int] = (2, 3),
    rtol: float = 1e-9,
    parasitic: Parasitic | None = None,
) -> Comparison:
    """Run a model by every method, with vector and scalar bonds, and put the cells into a table.

    until: end of the runs  [s]; depths: 2 vector, 3 scalar bonds; rtol: of the runs that are compared; parasitic: of
    the method "rc". A form that is not possible is a row with its reason.
    """
    for method in methods:
        require_method(method)
    graph = join_floating(pipeline.with_found(model)[0])
    reference = _reference(graph, until)
    cells = [_cell(reference, m, d, rtol, parasitic) for d in depths for m in methods]
    name = getattr(model, "name", "graph")
    return Comparison(name, float(until), rtol, tuple(cells), reference.times, parasitic or Parasitic())


def _reference(graph: Graph, until: float) -> _Reference:
    run = pipeline.simulate(graph, until, rtol=SHARP, atol=1e-3 * SHARP)
    times = np.linspace(0.0, until, POINTS)
    unique = ~ambiguous_components(run.system, run.states(times[[0, POINTS // 3, -1]]))
    return _Reference(run, graph, times, motion(run, graph, times), constraint_forces(run, graph, times), unique)


def _cell(reference: _Reference, method: str, depth: int, rtol: float, parasitic: Parasitic | None) -> Cell:
    """Compile, run and measure one form."""
    begun = perf_counter()
    try:
        system = pipeline.compile(reference.graph, method, parasitic=parasitic, depth=depth)
        compiled = perf_counter()
        run = pipeline.simulate(system, reference.times[-1], rtol=rtol)
        done = perf_counter()
        run.check()
    except MultibondError as fault:
        return Cell(method, depth, reason=fault.findings[0].problem)
    cell = Cell(method, depth, compile_s=compiled - begun, run_s=done - compiled)
    return _measured(reference, replace(cell, **_cost(system, run)), run)


def _cost(system: System, run: Solution) -> dict[str, Any]:
    counted, statistics = cost_of(system), run.statistics
    function = model_function(system.reduced, right_hand_side(system.reduced))
    numbers = system.n + system.parameters.size + int(function.sz_w()) + system.work_size
    paths = [p for p, item in system.dae.graph.elements.items() if getattr(item, "role", "") == "parasitic"]
    return {
        "states": system.n,
        "unknowns": system.dae.ny,
        "steps": statistics.accepted,
        "evaluations": statistics.evaluations,
        "operations": counted.arithmetic + counted.functions,
        "memory": 8 * numbers,
        "energy": float(run.energy().residual),
        "parasitic": tuple(paths),
        "mode": _fastest(system) if paths else None,
    }


def _measured(reference: _Reference, cell: Cell, run: Solution) -> Cell:
    """Errors of the motion over time, and of the constraint forces, unique ones apart."""
    times, wanted = reference.times, reference.motion
    if comparable(run, reference.graph) != comparable(reference.run, reference.graph):
        return replace(cell, reason="not all variables of the reference are known in this form.")
    scale = np.maximum(1.0, np.abs(wanted).max(axis=0, initial=0.0))
    over_time = (np.abs(motion(run, reference.graph, times) - wanted) / scale).max(axis=1, initial=0.0)
    forces = np.abs(constraint_forces(run, reference.graph, times) - reference.forces)
    forces /= max(1.0, float(np.abs(reference.forces).max(initial=0.0)))
    return replace(
        cell,
        error=float(over_time.max()),
        reaction_error=float(forces[:, reference.unique].max(initial=0.0)),
        canonical_error=float(forces.max(initial=0.0)),
        errors=tuple(float(e) for e in over_time),
    )


def _fastest(system: System) -> Mode:
    """The fastest oscillation that springs in the place of constraints bring in, at the start."""
    r = system.reduced
    jacobian = Function("J", [r.whole.t, r.state, r.whole.p], [ca.densify(slope(r, r.whole.x))])
    values = np.linalg.eigvals(np.asarray(jacobian(0.0, system.x0, system.parameters)))
    swinging = values[np.abs(values.imag) > 1e-6 * np.abs(values).max(initial=1e-300)]
    if not swinging.size:
        return Mode(0.0, 0.0)
    top = swinging[np.argmax(np.abs(swinging.imag))]
    slowest = float(np.abs(swinging.real).min())
    return Mode(float(abs(top.imag) / (2 * np.pi)), 1.0 / slowest if slowest > 0 else float("inf"))
