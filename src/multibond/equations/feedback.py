"""Dependent storages that are states after all, because their own rate feeds back to what they hold.

A storage in derivative causality holds a value that others give, and gives its rate. Where that value depends on a rate
again, directly or round an algebraic loop, or where a loop alone does not determine it, the storage becomes a state and
its rate an unknown; that it holds what the others give is then one more equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.equations.order import dependencies
from multibond.errors import Finding
from multibond.expr import SX, Function, column

SMALL = 1e-9
"""Below this fraction of its largest entry a loop's matrix counts as singular."""


@dataclass(frozen=True)
class Torn:
    """Unknowns of algebraic loops and of implicit laws, and what has to vanish.

    owners: the element behind each unknown and the unknown's name.
    groups: unknowns with the same number are solved by the same residuals.
    """

    unknown: SX
    residual: SX
    owners: tuple[tuple[str, str], ...]
    groups: tuple[int, ...]

    def plus(self, unknown: list[SX], residual: SX, owners: tuple[tuple[str, str], ...]) -> Torn:
        """With further unknowns, one equation each."""
        first = 1 + max(self.groups, default=-1)
        groups = (*self.groups, *range(first, first + residual.numel()))
        both = column([self.unknown, *unknown]), column([self.residual, residual])
        return Torn(*both, (*self.owners, *owners), groups)


def fed_back(torn: Torn, values: SX, rates: SX, others: SX, numbers: dict[str, float]) -> tuple[list[int], list[int]]:
    """Which dependent storages must be states, and which torn variables must be differentiated.

    values, rates: of the dependent storages; others: what is differentiated besides. numbers: parameters by name.
    """
    count, total = torn.unknown.numel(), values.numel()
    reads, _ = dependencies(column([torn.residual, values, others]), column([torn.unknown, rates]))
    members: dict[int, list[int]] = {}
    for k, group in enumerate(torn.groups):
        members.setdefault(group, []).append(k)
    reach = [_reach(reads, torn.groups, members, [row]) for row in range(count, count + total)]
    states = [k for k, (_, rate) in enumerate(reach) if rate]
    needed = {tear for k, (tears, _) in enumerate(reach) if k not in states for tear in tears}
    outside, _ = _reach(reads, torn.groups, members, range(count + total, len(reads)))
    if needed and not _regular(torn, sorted(needed | outside), numbers):
        states = [k for k, (tears, rate) in enumerate(reach) if tears or rate]
        needed = set()
    return states, sorted(needed | outside)


def _reach(
    reads: list[list[int]], groups: tuple[int, ...], members: dict[int, list[int]], rows: list[int] | range
) -> tuple[set[int], bool]:
    """The torn variables that rows depend on, also through other loops, and whether they read any rate."""
    tears: set[int] = set()
    rate = False
    waiting = list(rows)
    while waiting:
        for read in reads[waiting.pop()]:
            if read >= len(groups):
                rate = True
            elif read not in tears:
                own = members[groups[read]]
                tears.update(own)
                waiting.extend(own)
    return tears, rate


def _regular(torn: Torn, index: list[int], numbers: dict[str, float]) -> bool:
    """Whether loops determine their variables by themselves, at random values of everything else."""
    slope = ca.densify(ca.jacobian(torn.residual[index], torn.unknown[index]))
    symbols = ca.symvar(slope)
    function = Function("slope", [column(symbols)], [slope])
    rng = np.random.default_rng(13)
    for _ in range(3):
        values = [numbers.get(s.name(), float(rng.uniform(0.5, 1.5))) for s in symbols]
        size = np.linalg.svd(np.asarray(function(values)), compute_uv=False) if symbols else _svd(function)
        if np.isfinite(size).all() and size[-1] > SMALL * size[0]:
            return True
    return False


def _svd(function: Function) -> np.ndarray:
    return np.linalg.svd(np.asarray(function(np.zeros((0, 1)))), compute_uv=False)


def no_rate(path: str, dependent: Sequence[str]) -> Finding:
    """An input from outside may jump, so that what depends on its rate is not determined."""
    names = ", ".join(repr(name) for name in dependent) or "a constraint"
    return Finding(
        f"the rate of the input {path!r} is needed.",
        f"What {names} does follows from it, and how fast an input from outside changes is not known.",
        "Lead it through a FirstOrder block, or put a C or an R between its source and the storage.",
        (path, *dependent),
    )
