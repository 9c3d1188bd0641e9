"""Index reduction: equations that hold no unknown are differentiated until they do, and kept as hidden conditions.

Elimination leaves rows open where the unknowns of a block do not suffice: combinations of equations in which no unknown
is left. One that depends on states is a condition on them, and its derivative takes its place. One that depends on
nothing is a contradiction, or says nothing: then a free motion rests, and a mesh that decides nothing is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.elements.blocks import Input
from multibond.equations.core import Solver, open_core, with_core
from multibond.equations.dae import Dae, Whole
from multibond.equations.eliminate import Factors, factor
from multibond.equations.feedback import no_rate
from multibond.equations.settle import Samples
from multibond.equations.undetermined import contradiction, no_slope, not_determined, undecided
from multibond.equations.zeros import divided_by_zero
from multibond.errors import StructureError
from multibond.expr import SX, column, nonzeros

ROUNDS = 8
"""Higher derivatives than this are not looked for."""
SMALL = 1e-9
"""A slope below this fraction of the terms that it was combined from is rounding."""
ROUNDING = 1e-11
"""So is one below this fraction of all slopes of the same state."""
TIMES = (0.0, 0.37, 1.93)
"""Instants at which an equation of time alone is looked at."""


@dataclass
class Work:
    """Rows under reduction: residual expressions, and for each row the conditions it stands for."""

    residual: SX
    position_error: list[SX]
    flow_error: list[SX]
    hidden_positions: list[SX] = field(default_factory=list)
    hidden_flows: list[SX] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    mended: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Open:
    """Rows that elimination left open, by their place among the kept ones, and what they say of the states.

    constant: what stands in all kept rows when every unknown is zero, of which the conditions are combinations.
    """

    factors: Factors
    rows: list[int]
    conditions: SX
    constant: SX


def mend(
    dae: Dae, whole: Whole, work: Work, keep: list[int], redundant: tuple[int, ...], at: Samples
) -> Solver:  # fmt: skip
    """Differentiate where needed, and say how what results is solved."""
    forces = {k for u in dae.unknowns if u.kind == "multiplier" for k in u.range}
    held = frozenset(i for i, k in enumerate(keep) if k in forces)
    independent = [k for k in keep if k not in redundant]
    A = ca.jacobian(work.residual[independent], whole.y[independent])
    for _ in range(ROUNDS):
        numbers = _finite(dae, A, at, independent)
        whole_A = ca.jacobian(work.residual[keep], whole.y[keep])
        found = with_core(whole_A, held, at) if held else None
        if found is not None:
            return found
        factors = factor(A, numbers)
        if factors.complete and not held:
            return Solver(factors)
        if factors.complete:
            return open_core(whole_A, held, at, len(keep) - len(independent))
        if not _mend_once(dae, whole, work, independent, factors, at):
            break
        A = ca.jacobian(work.residual[independent], whole.y[independent])
    raise not_determined(dae, at.numbers(A), independent)


def _finite(dae: Dae, A: SX, at: Samples, keep: list[int]) -> np.ndarray:
    """Slopes at the samples where all are finite; they must be at the start, from which Newton's method sets out."""
    numbers = at.numbers(nonzeros(A))[:, :, 0]
    infinite = ~np.isfinite(numbers)
    if infinite[0].any():
        if zeros := divided_by_zero(dae, nonzeros(A), at):
            raise StructureError(*zeros)
        rows = np.array(A.sparsity().get_triplet()[0], int)[infinite[0]]
        raise no_slope(dae, [keep[k] for k in sorted(set(rows.tolist()))])
    return numbers[~infinite.any(axis=1)]


def _mend_once(dae: Dae, whole: Whole, work: Work, keep: list[int], factors: Factors, at: Samples) -> bool:
    """Replace open rows by their derivatives, or let free motions rest; returns whether anything was replaced."""
    constant = ca.substitute(work.residual[keep], whole.y, SX.zeros(dae.ny))
    conditions = factors.left_over(constant)
    sure = [k for k, row in enumerate(factors.open_rows) if row not in factors.vague]
    sure = [k for k in sure if not ca.depends_on(conditions[k], whole.y)]
    if not sure:
        return False
    left = _Open(factors, [factors.open_rows[k] for k in sure], conditions[sure], constant)
    moving = _moving(whole, left, at)
    live = [k for k in range(len(left.rows)) if moving[k].any()]
    if not live:
        return _rest(dae, whole, work, keep, left, at)
    _differentiate(dae, whole, work, [keep[left.rows[k]] for k in live], left.conditions[live], moving[live])
    return True


def _moving(whole: Whole, left: _Open, at: Samples) -> np.ndarray:
    """For each condition the states that it depends on, told apart from rounding."""
    factors = left.factors
    slopes = np.abs(at.numbers(ca.jacobian(left.conditions, whole.x))).max(axis=0, initial=0.0)
    i, j, sizes = _slopes(left.constant, whole, at)
    found = np.zeros(slopes.shape, bool)
    block = np.array([factors.block[r] for r in i.tolist()], int)
    scaled = np.array([factors.scale.get(r, 1.0) for r in i.tolist()]) * sizes
    for k, row in enumerate(left.rows):
        own = block == factors.block[row]
        found[k] = factors.scale[row] * slopes[k] > SMALL * _largest(j[own], scaled[own], whole.x.numel())
    _, j, sizes = _slopes(column([whole.xdot, whole.residual]), whole, at)
    return found & (slopes > ROUNDING * _largest(j, sizes, whole.x.numel()))


def _slopes(rows: SX, whole: Whole, at: Samples) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and largest sizes of all slopes with respect to the states."""
    slope = ca.jacobian(rows, whole.x)
    i, j = (np.array(part, int) for part in slope.sparsity().get_triplet())
    return i, j, np.abs(at.numbers(nonzeros(slope))[:, :, 0]).max(axis=0, initial=0.0)


def _largest(columns: np.ndarray, sizes: np.ndarray, count: int) -> np.ndarray:
    found = np.zeros(count)
    with np.errstate(invalid="ignore"):
        np.maximum.at(found, columns, sizes)
    return found


def _differentiate(dae: Dae, whole: Whole, work: Work, targets: list[int], conditions: SX, moving: np.ndarray) -> None:
    """Put the derivatives of conditions in the place of rows."""
    _require_rates(dae, whole, conditions)
    rates = ca.jtimes(conditions, whole.x, whole.xdot) + ca.jacobian(conditions, whole.t)
    positions = np.zeros(dae.nx, bool)
    positions[[k for s in dae.states if s.kind == "position" for k in s.range]] = True
    parts = ca.vertsplit(work.residual)
    for k, target in enumerate(targets):
        parts[target] = rates[k]
        if (moving[k] <= positions).all():
            work.position_error[target] = conditions[k]
            work.hidden_positions.append(conditions[k])
        else:
            work.flow_error[target] = conditions[k]
            work.hidden_flows.append(conditions[k])
    work.residual = column(parts)
    work.mended += targets


def _require_rates(dae: Dae, whole: Whole, conditions: SX) -> None:
    """What is differentiated must not depend on an input from outside, whose rate nobody knows."""
    for path, _ in dae.graph.of_type(Input):
        place = dae.parameter_places[f"{path}.value"]
        if ca.depends_on(conditions, whole.p[list(place.range)]):
            bound = [s.path for s in dae.states if ca.depends_on(conditions, whole.x[list(s.range)])]
            raise StructureError(no_rate(path, bound))


def _rest(dae: Dae, whole: Whole, work: Work, keep: list[int], left: _Open, at: Samples) -> bool:
    """Rows that say nothing: the motions that nothing moves rest."""
    rows = left.rows
    values = np.abs(np.array([at.numbers(left.conditions, t) for t in TIMES])[..., 0]).max(axis=(0, 1))
    scale = max(1.0, float(np.abs(at.numbers(left.constant)).max(initial=0.0)))
    combined = {row: _behind(left.factors, row) for row in rows}
    for row, value in zip(rows, values, strict=True):
        if value > SMALL * scale:
            raise contradiction(dae, [keep[k] for k in combined[row]])
    movers = _null_columns(at.numbers(ca.jacobian(work.residual[keep], whole.y[keep])))
    involved = [keep[k] for k in range(len(keep)) if np.abs(movers[:, k]).max(initial=0.0) > 0]
    refused = undecided(dae, [keep[k] for row in rows for k in combined[row]], involved)
    if refused is not None:
        raise refused
    parts = ca.vertsplit(work.residual)
    for row, mover in zip(rows, movers, strict=False):
        parts[keep[row]] = sum((float(c) * whole.y[keep[k]] for k, c in enumerate(mover) if c != 0.0), SX(0))
        place = dae.unknown_place(keep[int(np.argmax(np.abs(mover)))])
        work.idle.append(dae.graph.joint(place.path))
    work.residual = column(parts)
    work.mended += [keep[row] for row, _ in zip(rows, movers, strict=False)]
    return bool(len(movers))


def _behind(factors: Factors, row: int) -> list[int]:
    """The rows that an open row was combined from."""
    found = {row}
    for (pivot, _), below in zip(factors.pivots[::-1], factors.lower[::-1], strict=True):
        if found.intersection(below):
            found.add(pivot)
    return sorted(found)


def _null_columns(samples: np.ndarray) -> np.ndarray:
    """Combinations of unknowns that appear nowhere, reduced so that each has an unknown of its own."""
    size = np.abs(samples).max(axis=(1, 2), keepdims=True)
    u, s, _ = np.linalg.svd(np.concatenate(list(samples / np.where(size == 0, 1.0, size)), axis=0).T)
    null, own = u[:, int((s > SMALL * max(s.max(initial=0.0), 1e-300)).sum()) :].T.copy(), []
    for k in range(null.shape[0]):
        free = np.abs(null[k])
        free[own] = 0.0
        own.append(int(np.argmax(free)))
        null[k] /= null[k, own[-1]]
        others = [i for i in range(null.shape[0]) if i != k]
        null[others] -= np.outer(null[others, own[-1]], null[k])
    null[np.abs(null) < SMALL] = 0.0
    return null
