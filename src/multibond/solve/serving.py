"""Whether a compiled elimination still serves a machine whose numbers have changed.

Pivots, and which constraints count as redundant, were chosen for the numbers it was compiled with. With others the
constraints may have another rank, or a pivot may be so small that the solution is mostly rounding: the steps of a run
would creep along that noise.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.equations.consistent import sample_states
from multibond.equations.redundancy import find_redundancy
from multibond.expr import SX, Function
from multibond.lower.system import System
from multibond.solve.singular import Pivots

ROUGH = 1e-13
"""What may be left of the equations where they are solved, as a part of their terms; rounding leaves about 1e-16."""
SAMPLES = 5


def serves(system: System) -> bool:
    """Whether rank and pivots suit the system's numbers as they are now, at its start and around it."""
    if not Pivots(system).active:
        return True
    around = sample_states(system.dae, system.reduced.shape, system.x0, system.parameters, SAMPLES)
    states = (system.x0, *around)
    return _rank(system, states) == system.reduced.redundancy.rank and _left_over(system, states) < ROUGH


def is_rough(system: System, t: float, x: np.ndarray) -> bool:
    """Whether pivots that once served leave mostly rounding at a state on the way."""
    return Pivots(system).active and _left_over(system, (x,), t) > ROUGH


def _rank(system: System, states: tuple[np.ndarray, ...]) -> int:
    """The rank of all constraints, redundant ones included."""
    r, p = system.reduced, system.parameters
    rows = [k for u in r.dae.unknowns if u.kind == "multiplier" for k in u.range]
    found = [np.asarray(r.shape.flow_conditions(0.0, x, p)[1])[:, r.shape.flows] for x in states]
    return find_redundancy(r.dae, found, rows).rank


def _left_over(system: System, states: tuple[np.ndarray, ...], t: float = 0.0) -> float:
    """The most that is left of any equation at its solution, as a part of the sizes of its terms.

    Where an unknown happens to vanish, the largest of its kind (rates, forces) says what size its terms have.
    """
    r, worst = system.reduced, 0.0
    forces = np.isin(r.kept, [k for u in r.dae.unknowns if u.kind == "multiplier" for k in u.range])
    function = _terms(system)
    for x in states:
        y, b, A = (np.asarray(each) for each in function(t, x, system.parameters))
        sizes = np.where(forces, *(np.abs(y[kind]).max(initial=0.0) for kind in (forces, ~forces)))
        terms = np.abs(A) @ sizes + np.abs(b[:, 0])
        left = np.abs(A @ y + b)[:, 0] / np.where(terms > 0, terms, 1.0)
        worst = max(worst, float(np.nan_to_num(left, nan=np.inf).max(initial=0.0)))
    return worst


def _terms(system: System) -> Function:
    """The unknowns as they are solved for, and the equations A y + b = 0 themselves."""
    r, keep = system.reduced, list(system.reduced.kept)
    y = ca.substitute(r.y[keep], r.z, SX.zeros(r.z.numel()))
    parts = [r.residual[keep], ca.jacobian(r.residual[keep], r.whole.y[keep])]
    b, A = (ca.substitute(part, r.whole.y, SX.zeros(r.whole.y.numel())) for part in parts)
    return Function("terms", [r.whole.t, r.whole.x, r.whole.p], [y, b, A])
