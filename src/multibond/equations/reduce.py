"""Dae → a solvable system: the few unknowns as functions of time, states and parameters.

Residuals that are linear in the unknowns are solved; others are left to Newton's method. Constraints are already
differentiated, and all are kept (`equations.core`); balances that contain no rate (massless freedoms) are
differentiated until they do, and kept as hidden conditions; freedoms that nothing moves rest. What is left is solved in
one way for rates and projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.elements import Constraint, Driver
from multibond.equations.consistent import Manifold, sample_states
from multibond.equations.core import Solver
from multibond.equations.dae import Dae, Whole
from multibond.equations.eliminate import Factors
from multibond.equations.mend import Work, mend
from multibond.equations.redundancy import Redundancy, find_redundancy, rank_of
from multibond.equations.settle import Samples, settle
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column

LOOSEST = 1e-2
"""A group that holds less than this everywhere only touches: its positions are singular."""
ENOUGH, AGAIN = 3, (40, 60, 80)
"""So many states tell what is usual; where fewer of those at hand do, others are drawn with these seeds."""


@public
@dataclass(frozen=True)
class Reduced:
    """The reduced system.

    solver: None where the unknowns are found by sweeps over the tree, without one expression for all.
    y: all unknowns as expressions of (t, x, p); of forces that redundant constraints share, some are zero.
    implicit: no formula gives the unknowns; y are symbols that Newton's method settles, beginning with y_start.
    kept, position_errors, flow_errors: rows of the solved system and the conditions they keep, for projection.
    """

    dae: Dae
    whole: Whole
    shape: Manifold
    redundancy: Redundancy
    solver: Solver | None
    kept: tuple[int, ...]
    y: SX
    position_errors: SX
    flow_errors: SX
    hidden_positions: SX
    hidden_flows: SX
    idle: tuple[str, ...]
    residual: SX
    implicit: bool = False
    y_start: np.ndarray = field(default_factory=lambda: np.zeros(0))
    mended: tuple[int, ...] = ()
    """Rows that are no longer balances of efforts but derivatives of hidden conditions."""
    hold: SX = field(default_factory=lambda: SX(0, 1))
    """For each group of loops a number that falls to zero, as the distance, where its constraints lose their hold."""
    usual_hold: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """How large these numbers usually are."""
    watched: tuple[tuple[int, ...], ...] = ()
    """The constraint forces of each of these groups."""

    @property
    def state(self) -> SX:
        """What the model functions depend on beside time and parameters: x, or (x, y) where y is implicit."""
        return column([self.whole.x, self.whole.y]) if self.implicit else self.whole.x

    @property
    def has_core(self) -> bool:
        """Whether constraint forces are found with pivots chosen at every evaluation."""
        return self.solver is not None and bool(self.solver.groups)

    @property
    def deficit(self) -> int:
        """How many constraint forces the equations leave open."""
        return sum(len(group.rows) - group.rank for group in self.solver.groups) if self.solver is not None else 0

    @property
    def newton_step(self) -> SX:
        """The change of all unknowns that brings the residual to zero, to first order."""
        assert self.solver is not None
        step: list[SX] = [SX(0)] * self.dae.ny
        solution = self.solver.solve(-self.residual[list(self.kept)])
        for k, value in zip(self.kept, ca.vertsplit(solution), strict=True):
            step[k] = value
        return column(step)


def reduce(dae: Dae, whole: Whole, shape: Manifold, x0: np.ndarray, *more: np.ndarray) -> Reduced:
    """Reduce the system; `x0` is an assembled state, around which others are sampled; `more` states count too."""
    p = dae.parameter_values
    points = [x0, *more, *sample_states(dae, shape, x0, p, 5)]
    multipliers = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    points = with_clear(dae, shape, points, p) if multipliers else points
    redundancy = find_redundancy(dae, [_flow_rows(shape, x, p) for x in points], multipliers)
    points = [x0, *usual_positions(dae, shape, x0, p, points[1:], redundancy.rank)]
    _require_mobility(dae, redundancy)
    work = _start(dae, whole, multipliers)
    samples = Samples(whole, points, [np.zeros(dae.ny)] * len(points), p)
    kept = _kept(whole, multipliers)
    silent = [k for k in range(dae.ny) if k not in kept]
    work.residual = ca.substitute(work.residual, whole.y[silent], SX.zeros(len(silent))) if silent else work.residual
    implicit = _is_implicit(whole, work, kept)
    if implicit:
        samples = settle(dae, whole, kept, samples)
    return _solved(dae, whole, shape, redundancy, work, samples, kept, implicit)


def with_clear(dae: Dae, shape: Manifold, points: list[np.ndarray], p: np.ndarray) -> list[np.ndarray]:
    """States, the start first, with others beside them where at none but the start the rank of constraints is clear."""
    found = list(points)
    for seed in AGAIN:
        if any(rank_of(_flow_rows(shape, x, p))[1] for x in found[1:]):
            break
        found += sample_states(dae, shape, points[0], p, 2 * ENOUGH, seed)
    return found


def usual_positions(
    dae: Dae, shape: Manifold, x0: np.ndarray, p: np.ndarray, points: Sequence[np.ndarray], rank: int
) -> list[np.ndarray]:
    """Those of some states, and of others drawn where these are few, in which constraints have their generic rank.

    Random positions of machines that hold together more than they must are drawn to those in which they touch.
    """

    def good(x: np.ndarray) -> bool:
        return not rank or rank_of(_flow_rows(shape, x, p)) == (rank, True)

    found = [x for x in points if good(x)]
    for seed in AGAIN:
        if len(found) >= ENOUGH:
            break
        found += [x for x in sample_states(dae, shape, x0, p, ENOUGH, seed) if good(x)]
    return found or list(points)


def usual_of(holds: np.ndarray) -> np.ndarray:
    """The usual hold of each group from those at several states; rows are as long as one there."""
    return np.maximum(np.median(holds, axis=0), LOOSEST)


def _kept(whole: Whole, multipliers: list[int]) -> tuple[int, ...]:
    """Unknowns without the forces of constraints that hold whatever moves."""
    meets = np.array(ca.DM(ca.jacobian(whole.residual, whole.y).sparsity(), 1)) != 0
    silent = {k for k in multipliers if not meets[k].any()}
    return tuple(k for k in range(whole.y.numel()) if k not in silent)


def _is_implicit(whole: Whole, work: Work, kept: tuple[int, ...]) -> bool:
    if not kept:
        return False
    keep = list(kept)
    return ca.depends_on(ca.jacobian(work.residual[keep], whole.y[keep]), whole.y)


def _require_mobility(dae: Dae, redundancy: Redundancy) -> None:
    """Loops that leave no freedom cannot be simulated: most often an axis or a length is slightly wrong."""
    freedoms = sum(s.size for s in dae.states if s.kind in ("flow", "storage"))
    driven = any(s.kind == "position" and dae.place_of_state(s.path, "u") is None for s in dae.states)
    driven = driven or any(dae.graph.of_type(Driver))
    holders = [dae.graph.elements[u.path] for u in dae.unknowns if u.kind == "multiplier"]
    resting = any(not isinstance(item, Constraint) for item in holders)
    if not redundancy.rank or redundancy.rank < freedoms or driven or resting:
        return
    joints = sorted(dae.graph.joint(path) for path in (*dae.tree.order, *dae.tree.cuts))
    fact = f"Its loops hold {f'all {freedoms} freedoms' if freedoms > 1 else 'the one freedom'} of"
    cure = "Check that axes are parallel and lengths fit where a planar loop is meant, or free a direction."
    if not joints:
        joints = sorted({s.path for s in dae.states if s.kind in ("flow", "storage")})
        fact, cure = "Constraints hold the flow of", "Leave a constraint out, or let one of these move."
    raise StructureError(
        Finding("the mechanism cannot move.", f"{fact} {', '.join(repr(j) for j in joints)}.", cure, tuple(joints))
    )


def leave_to_sweeps(dae: Dae, whole: Whole, shape: Manifold) -> Reduced:
    """A tree whose unknowns the sweeps of `equations.links` find: nothing to factor, only quaternions to hold."""
    none = SX(0, 1)
    kept = tuple(range(dae.ny))
    redundancy = Redundancy((), (), (), 0)
    return Reduced(dae, whole, shape, redundancy, None, kept, none, none, none, none, none, (), none)


def _flow_rows(shape: Manifold, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, shape.flows]


def _start(dae: Dae, whole: Whole, multipliers: list[int]) -> Work:
    position_error = [SX(0)] * dae.ny
    flow_error = [SX(0)] * dae.ny
    held = ca.vertsplit(whole.held_flow) if whole.held_flow.numel() else []
    gaps = ca.vertsplit(whole.gap) if whole.gap.numel() else []
    for k, flow in zip(multipliers, held, strict=True):
        flow_error[k] = -flow
    for k, gap in zip(multipliers, gaps, strict=True):
        position_error[k] = -gap
    return Work(whole.residual, position_error, flow_error)


def _solved(
    dae: Dae, whole: Whole, shape: Manifold, redundancy: Redundancy, work: Work, at: Samples, kept: tuple[int, ...],
    implicit: bool,
) -> Reduced:  # fmt: skip
    keep = list(kept)
    solver, y, pivots = Solver(Factors(0)), SX(0, 1), SX(0, 1)
    if keep:
        solver = mend(dae, whole, work, keep, redundancy.dropped, at)
        at_zero = ca.substitute(work.residual[keep], whole.y[keep], SX.zeros(len(keep)))
        y, pivots = (whole.y[keep], SX(0, 1)) if implicit else solver.solution(-at_zero)
    full: list[SX] = [SX(0)] * dae.ny
    for k, value in zip(keep, ca.vertsplit(y) if keep else [], strict=True):
        full[k] = value
    parts = ca.vertsplit(pivots) if pivots.numel() else []
    moving = [k for k, pivot in enumerate(parts) if ca.depends_on(pivot, whole.x)]
    watched = tuple(tuple(keep[i] for i in solver.groups[k].columns) for k in moving)
    hold = column([ca.sqrt(ca.fabs(parts[k])) for k in moving])
    usual = usual_of(at.numbers(hold)[:, :, 0]) if moving else np.zeros(0)
    return Reduced(
        dae, whole, shape, redundancy, solver, tuple(keep), column(full),
        column([work.position_error[k] for k in keep]), column([work.flow_error[k] for k in keep]),
        column(work.hidden_positions), column(work.hidden_flows), tuple(work.idle), work.residual, implicit, at.y[0],
        tuple(work.mended), hold, usual, watched,
    )  # fmt: skip
