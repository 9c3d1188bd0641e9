"""Dae → a solvable system: the few unknowns as functions of time, states and parameters.

Residuals that are linear in the unknowns are solved; others are left to Newton's method. Constraints are already
differentiated; redundant rows are left out; balances that contain no rate (massless freedoms) are differentiated until
they do, and kept as hidden conditions; freedoms that nothing moves rest. What is left is factored once, symbolically,
for rates, projection and impulses alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.equations.consistent import Manifold, sample_states
from multibond.equations.dae import Dae, Whole
from multibond.equations.eliminate import Factors, factor
from multibond.equations.redundancy import Redundancy, find_redundancy
from multibond.equations.settle import Samples, settle
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column


@dataclass(frozen=True)
class Reduced:
    """The reduced system.

    factors: None where the unknowns are found by sweeps over the tree, without one expression for all.
    y: all unknowns as expressions of (t, x, p, z); z are the forces of redundant constraints, zero in the motion.
    implicit: no formula gives the unknowns; y are symbols that Newton's method settles, beginning with y_start.
    kept, position_errors, flow_errors: rows of the factored system and the conditions they keep, for projection.
    """

    dae: Dae
    whole: Whole
    shape: Manifold
    redundancy: Redundancy
    factors: Factors | None
    kept: tuple[int, ...]
    z: SX
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

    @property
    def state(self) -> SX:
        """What the model functions depend on beside time and parameters: x, or (x, y) where y is implicit."""
        return column([self.whole.x, self.whole.y]) if self.implicit else self.whole.x

    @property
    def newton_step(self) -> SX:
        """The change of all unknowns that brings the residual to zero, to first order."""
        assert self.factors is not None
        step: list[SX] = [SX(0)] * self.dae.ny
        solution = self.factors.solve(-self.residual[list(self.kept)])
        for k, value in zip(self.kept, ca.vertsplit(solution), strict=True):
            step[k] = value
        return column(step)


@dataclass
class _Work:
    """Rows under reduction: residual expressions, and for each row the conditions it stands for."""

    residual: SX
    position_error: list[SX]
    flow_error: list[SX]
    hidden_positions: list[SX]
    hidden_flows: list[SX]
    idle: list[str]
    mended: list[int] = field(default_factory=list)


def reduce(dae: Dae, whole: Whole, shape: Manifold, x0: np.ndarray) -> Reduced:
    """Reduce the system; `x0` is an assembled state, around which others are sampled."""
    p = dae.parameter_values
    points = [x0, *sample_states(dae, shape, x0, p, 5)]
    multipliers = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    flow_rows = [_flow_rows(shape, x, p) for x in points]
    redundancy = find_redundancy(dae, flow_rows, multipliers)
    _require_mobility(dae, redundancy)
    kept = tuple(k for k in range(dae.ny) if k not in redundancy.dropped)
    work = _start(dae, whole, multipliers)
    samples = Samples(whole, points, [np.zeros(dae.ny)] * len(points), p)
    implicit = _is_implicit(whole, work, kept)
    if implicit:
        samples = settle(dae, whole, kept, samples)
    for _ in range(4):
        if not _mend_rows(dae, whole, work, kept, samples):
            break
    return _factor(dae, whole, shape, redundancy, kept, work, samples, implicit)


def _is_implicit(whole: Whole, work: _Work, kept: tuple[int, ...]) -> bool:
    if not kept:
        return False
    keep = list(kept)
    return ca.depends_on(ca.jacobian(work.residual[keep], whole.y[keep]), whole.y)


def _require_mobility(dae: Dae, redundancy: Redundancy) -> None:
    """Loops that leave no freedom cannot be simulated: most often an axis or a length is slightly wrong."""
    freedoms = sum(s.size for s in dae.states if s.kind in ("flow", "storage"))
    driven = any(s.kind == "position" and dae.place_of_state(s.path, "u") is None for s in dae.states)
    if not redundancy.rank or redundancy.rank < freedoms or driven:
        return
    joints = sorted(path.removesuffix(".motion") for path in (*dae.tree.order, *dae.tree.cuts))
    raise StructureError(
        Finding(
            "the mechanism cannot move.",
            f"Its loops hold all {freedoms} freedoms of {', '.join(repr(j) for j in joints)}.",
            "Check that axes are parallel and lengths fit where a planar loop is meant, or free a direction.",
            tuple(joints),
        )
    )


def leave_to_sweeps(dae: Dae, whole: Whole, shape: Manifold) -> Reduced:
    """A tree whose unknowns the sweeps of `equations.links` find: nothing to factor, only quaternions to hold."""
    none = SX(0, 1)
    kept = tuple(range(dae.ny))
    redundancy = Redundancy((), (), (), 0)
    return Reduced(dae, whole, shape, redundancy, None, kept, none, none, none, none, none, none, (), none)


def _flow_rows(shape: Manifold, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, shape.flows]


def _start(dae: Dae, whole: Whole, multipliers: list[int]) -> _Work:
    position_error = [SX(0)] * dae.ny
    flow_error = [SX(0)] * dae.ny
    held = ca.vertsplit(whole.held_flow) if whole.held_flow.numel() else []
    gaps = ca.vertsplit(whole.gap) if whole.gap.numel() else []
    for k, flow in zip(multipliers, held, strict=True):
        flow_error[k] = -flow
    for k, gap in zip(multipliers, gaps, strict=True):
        position_error[k] = -gap
    return _Work(whole.residual, position_error, flow_error, [], [], [])


def _mend_rows(dae: Dae, whole: Whole, work: _Work, kept: tuple[int, ...], at: Samples) -> bool:
    """Replace rows that contain no unknown by their derivative; returns whether anything was replaced."""
    keep = list(kept)
    if not keep:
        return False
    A = ca.jacobian(work.residual[keep], whole.y[keep])
    samples = at.numbers(A)
    size = np.abs(samples).max(axis=(1, 2), keepdims=True)
    size[size == 0] = 1.0
    left, own = _null_rows(np.concatenate(list(samples / size), axis=1))
    if not left.size:
        _require_regular(dae, samples, keep)
        return False
    right, _ = _null_rows(np.concatenate(list(samples / size), axis=0).T)
    constant = ca.substitute(work.residual[keep], whole.y, SX.zeros(dae.ny))
    for n, row in enumerate(left):
        mover = right[n] if n < len(right) else None
        _mend(dae, whole, work, keep, row, keep[own[n]], mover, constant, at)
    return True


def _null_rows(matrix: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Row combinations that vanish, reduced so that each has a row of its own; returns these rows too."""
    u, s, _ = np.linalg.svd(matrix, full_matrices=True)
    rank = int((s > 1e-9 * max(s.max(initial=0.0), 1e-300)).sum())
    null, own = u[:, rank:].T.copy(), []
    for k in range(null.shape[0]):
        size = np.abs(null[k])
        size[own] = 0.0
        pivot = int(np.argmax(size))
        own.append(pivot)
        null[k] /= null[k, pivot]
        for other in range(null.shape[0]):
            if other != k:
                null[other] -= null[other, pivot] * null[k]
    null[np.abs(null) < 1e-9] = 0.0
    return null, own


def _mend(
    dae: Dae, whole: Whole, work: _Work, keep: list[int], row: np.ndarray, target: int, mover: np.ndarray | None,
    constant: SX, at: Samples,
) -> None:  # fmt: skip
    """Deal with one balance that contains no unknown."""
    value = column([SX(float(c)) * constant[k] for k, c in enumerate(row) if c != 0.0])
    condition = ca.sum1(value)
    slope = ca.jacobian(condition, whole.x)
    numbers = at.numbers(ca.horzcat(condition, slope))[:, 0, :]
    scale = max(1.0, float(np.abs(at.numbers(constant)).max(initial=0.0)))
    if np.abs(numbers[:, 1:]).max(initial=0.0) < 1e-9 * scale:
        if np.abs(numbers[:, 0]).max() > 1e-9 * scale:
            raise StructureError(_unbalanced(dae, keep, row))
        if mover is not None:
            _refuse_unit_gain(dae, [keep[k] for k, c in enumerate(mover) if c != 0.0])
            rest = column([SX(float(c)) * whole.y[keep[k]] for k, c in enumerate(mover) if c != 0.0])
            work.residual = _with_row(work.residual, target, ca.sum1(rest))
            work.mended.append(target)
            work.idle.append(dae.unknown_name(target))
        return
    derivative = ca.jtimes(condition, whole.x, whole.xdot) + ca.jacobian(condition, whole.t)
    positions = {k for s in dae.states if s.kind == "position" for k in s.range}
    columns = {c for c in range(dae.nx) if np.abs(numbers[:, 1 + c]).max() > 1e-9 * scale}
    if columns <= positions:
        work.position_error[target] = condition
        work.hidden_positions.append(condition)
    else:
        work.flow_error[target] = condition
        work.hidden_flows.append(condition)
    work.residual = _with_row(work.residual, target, derivative)
    work.mended.append(target)


def _refuse_unit_gain(dae: Dae, moving: list[int]) -> None:
    """A loop of junctions and couplers that returns every value to itself decides nothing."""
    loops = [u for u in dae.unknowns if u.kind == "loop" and any(k in u.range for k in moving)]
    if not loops:
        return
    bonds = dae.causality.arbitrary or tuple(u.path for u in loops)
    names = tuple(dict.fromkeys(end for name in bonds for end in name.split("#")[0].split("->") if end))
    raise StructureError(
        Finding(
            f"a mesh through {', '.join(repr(n) for n in names) or 'the graph'} decides nothing.",
            "Going round it every effort (or flow) comes back as it was, so what passes through it is not determined.",
            "Remove one of the parallel bonds, or put an element into the mesh.",
            names,
        )
    )


def _with_row(rows: SX, index: int, row: SX) -> SX:
    """The same rows with one of them replaced."""
    parts = ca.vertsplit(rows)
    parts[index] = row
    return column(parts)


def _names(dae: Dae, keep: list[int], row: np.ndarray) -> list[str]:
    return [dae.unknown_name(keep[k]).removesuffix(".motion.u") for k, c in enumerate(row) if abs(c) > 1e-6]


def _unbalanced(dae: Dae, keep: list[int], row: np.ndarray) -> Finding:
    names = _names(dae, keep, row)
    return Finding(
        f"nothing balances the effort at {', '.join(repr(n) for n in names)}.",
        "The freedom has no inertia, no damper and no spring, and an effort acts on it.",
        "Give what moves there a mass or an inertia, attach a damper or spring, or remove the effort.",
        tuple(names),
    )


def _require_regular(dae: Dae, samples: np.ndarray, keep: list[int]) -> None:
    """A matrix that is singular at every sample, in changing directions, cannot be solved."""
    best = max(float(np.linalg.svd(s, compute_uv=False)[-1] / max(np.abs(s).max(), 1e-300)) for s in samples)
    if best < 1e-12:
        raise StructureError(_not_determined(dae, samples[-1], keep))


def _not_determined(dae: Dae, sample: np.ndarray, keep: list[int]) -> Finding:
    u, s, _ = np.linalg.svd(sample)
    names = _names(dae, keep, np.where(np.abs(u[:, -1]) > 0.1, u[:, -1], 0.0))
    return Finding(
        f"the motion of {', '.join(repr(n) for n in names)} is not determined.",
        f"No inertia, damper or spring acts on a combination of them (smallest singular value {s[-1]:.1e}).",
        "Give the parts that move there a mass or an inertia, or start away from a position where bars are in line.",
        tuple(names),
    )


def _factor(
    dae: Dae, whole: Whole, shape: Manifold, redundancy: Redundancy, kept: tuple[int, ...], work: _Work,
    at: Samples, implicit: bool,
) -> Reduced:  # fmt: skip
    keep = list(kept)
    z = SX.sym("z", len(redundancy.dropped))
    if not keep:
        factors = Factors(0, (), (), (), ())
        y = SX(0, 1)
    else:
        A = ca.jacobian(work.residual[keep], whole.y[keep])
        factors = factor(A, at.numbers(A))
        if not factors.complete:
            raise StructureError(_not_determined(dae, at.numbers(A)[0], keep))
        y = whole.y[keep] if implicit else _explicit(whole, work, keep, factors, redundancy, z)
    full: list[SX] = [SX(0)] * dae.ny
    for k, value in zip(keep, ca.vertsplit(y) if keep else [], strict=True):
        full[k] = value
    for i, k in enumerate(redundancy.dropped):
        full[k] = z[i]
    return Reduced(
        dae, whole, shape, redundancy, factors, kept, z, column(full),
        column([work.position_error[k] for k in keep]), column([work.flow_error[k] for k in keep]),
        column(work.hidden_positions), column(work.hidden_flows), tuple(work.idle),
        _with_forces(whole, work.residual, redundancy, SX.zeros(z.numel())), implicit, at.y[0], tuple(work.mended),
    )  # fmt: skip


def _explicit(whole: Whole, work: _Work, keep: list[int], factors: Factors, redundancy: Redundancy, z: SX) -> SX:
    at_zero = ca.substitute(work.residual[keep], whole.y[keep], SX.zeros(len(keep)))
    return factors.solve(-_with_forces(whole, at_zero, redundancy, z))


def _with_forces(whole: Whole, residual: SX, redundancy: Redundancy, z: SX) -> SX:
    dropped = list(redundancy.dropped)
    return ca.substitute(residual, whole.y[dropped], z) if dropped else residual
