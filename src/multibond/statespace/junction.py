"""The junction structure: what junctions, wires, transformers and gyrators make of the fields' outputs.

Inputs = J outputs, with power counted into every field: as the structure stores and loses nothing, J is skew.
Its relations are linear in efforts and flows; moduli are expressions of the state. They are followed along causal paths
by substitution; what then hangs together in a circle (a causal loop inside transformers) is eliminated as one block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.equations.writing import port_sign
from multibond.expr import SX, column, nonzeros
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Junction, Wires
from multibond.statespace.circle import Form, Row, Variable, add, numbers, solve_circle
from multibond.statespace.laws import Law, Speech, write
from multibond.structure.tree import Tree


@dataclass(frozen=True)
class Relations:
    """Rows that vanish. extra: rows that say the same in the other direction, for moduli that can be inverted."""

    rows: tuple[Row, ...]
    extra: tuple[Row, ...]
    fixed: Callable[[SX], bool]
    """Whether a coefficient is a number, whatever the state."""


def relations(graph: Graph, tree: Tree, speech: Speech) -> Relations:
    """The relations of everything that only passes power on."""
    rows: list[Row] = []
    extra: list[Row] = []
    for path, item in sorted(graph.elements.items()):
        bonds = list(graph.bonds_of(path))
        if isinstance(item, Junction):
            rows += _junction(path, item.causality == "one", bonds)
        elif isinstance(item, Wires):
            rows += _wires(path, item, bonds)
        elif item.causality in ("transformer", "gyrator"):
            rows += _coupler(speech, speech.laws[path])
            back = _coupler(speech, write(graph, tree, speech, path, forward=False))
            extra += back if _may_turn(speech, item, back) else []
    return Relations(tuple(rows), tuple(extra), speech.is_constant)


def _may_turn(speech: Speech, item: Element, back: list[Row]) -> bool:
    """Whether a modulus can be inverted in every state: a rotation, or a number."""
    return getattr(item, "inverse", "") == "transpose" or all(speech.is_constant(c) for r in back for c in r.values())


def _junction(path: str, one: bool, bonds: list[Bond]) -> list[Row]:
    common, balanced = ("f", "e") if one else ("e", "f")
    rows: list[Row] = []
    for k in range(bonds[0].size if bonds else 0):
        rows += [{(common, bonds[0].name, k): SX(1), (common, b.name, k): SX(-1)} for b in bonds[1:]]
        rows.append({(balanced, b.name, k): SX(1 if b.into(path) else -1) for b in bonds})
    return rows


def _wires(path: str, item: Wires, bonds: list[Bond]) -> list[Row]:
    at = {b.end(path).port: b for b in bonds}
    rows: list[Row] = []
    for (one, i), (other, j) in item.wires({name: bond.size for name, bond in at.items()}):
        a, b = at[one], at[other]
        sign = port_sign(path, item, a) * port_sign(path, item, b)
        rows.append({("f", a.name, i): SX(sign), ("f", b.name, j): SX(-1)})
        rows.append({("e", a.name, i): SX(1), ("e", b.name, j): SX(-1)})
    return rows


def _coupler(speech: Speech, law: Law) -> list[Row]:
    stated = column(law.writer.relations)
    slope = speech.put(ca.jacobian(stated, column([law.e, law.f])))
    names = [(letter, lane.bond.name, lane.component) for letter in "ef" for lane in law.lanes]
    signs = [1] * len(law.lanes) + [lane.sign for lane in law.lanes]
    rows: list[Row] = [{} for _ in range(slope.shape[0])]
    for r, c, value in zip(*slope.sparsity().get_triplet(), ca.vertsplit(nonzeros(slope)), strict=True):
        if not value.is_zero():
            rows[r][names[c]] = value * signs[c]
    return rows


# -- numbers -----------------------------------------------------------------------------------------------------------


def port_space(given: Relations, ports: list[tuple[Variable, Variable]], arguments: list[SX], at: list) -> np.ndarray:
    """All (effort, flow) at the ports that the structure allows: a basis, rows e and f of each port in turn."""
    inner = sorted({v for row in given.rows for v in row} - {v for pair in ports for v in pair})
    order = {v: k for k, v in enumerate([*inner, *(v for pair in ports for v in pair)])}
    values = numbers([value for row in given.rows for value in row.values()], arguments, at)
    matrix, k = np.zeros((len(given.rows), len(order))), 0
    for i, row in enumerate(given.rows):
        for variable in row:
            matrix[i, order[variable]] = values[k]
            k += 1
    outer = _without_inner(matrix, len(inner))
    _, sizes, right = np.linalg.svd(outer, full_matrices=True)
    rank = int((sizes > 1e-9 * sizes.max(initial=1.0)).sum())
    return right[rank:].T


def _without_inner(matrix: np.ndarray, inner: int) -> np.ndarray:
    """Eliminate the variables between the ports' own; what is left speaks of the ports alone."""
    rows = matrix.copy()
    free = np.ones(rows.shape[0], bool)
    for k in range(inner):
        column_of = np.where(free, np.abs(rows[:, k]), 0.0)
        pivot = int(column_of.argmax())
        if column_of[pivot] < 1e-12:
            continue
        free[pivot] = False
        others = np.flatnonzero(free & (np.abs(rows[:, k]) > 0))
        rows[others] -= np.outer(rows[others, k] / rows[pivot, k], rows[pivot])
    return rows[free][:, inner:]


# -- symbols -----------------------------------------------------------------------------------------------------------


def follow(
    given: Relations, outputs: dict[Variable, tuple[int, int]], arguments: list[SX], at: list
) -> dict[Variable, Form]:
    """Every effort and flow as a linear form of the fields' outputs. outputs: by variable its number and sign."""
    known: dict[Variable, Form] = {v: {k: SX(sign)} if k >= 0 else {} for v, (k, sign) in outputs.items()}
    everyone = {v for row in given.rows for v in row}
    for rows in (given.rows, (*given.rows, *given.extra)):
        _substitute(rows, known, given.fixed)
    if everyone <= known.keys():
        return known
    left = [row for row in given.rows if not row.keys() <= known.keys()]
    return solve_circle(left, known, given.fixed, arguments, at)


def _substitute(rows: Sequence[Row], known: dict[Variable, Form], fixed: Callable[[SX], bool]) -> None:
    """Follow relations with one unknown, whose coefficient is a number, as long as there are any."""
    readers: dict[Variable, list[int]] = {}
    left: list[set[Variable]] = []
    for k, row in enumerate(rows):
        left.append({v for v in row if v not in known})
        for v in left[-1]:
            readers.setdefault(v, []).append(k)
    ready = [k for k, open_ones in enumerate(left) if len(open_ones) == 1]
    while ready:
        k = ready.pop(0)
        if len(left[k]) != 1:
            continue
        (unknown,) = left[k]
        if not fixed(rows[k][unknown]):
            continue
        known[unknown] = _solved(rows[k], unknown, known)
        for r in readers[unknown]:
            left[r].discard(unknown)
            if len(left[r]) == 1:
                ready.append(r)


def _solved(row: Row, unknown: Variable, known: dict[Variable, Form]) -> Form:
    total: Form = {}
    factor_of = -1 / row[unknown]
    for variable, coefficient in row.items():
        if variable != unknown:
            add(total, known[variable], coefficient * factor_of)
    return total
