"""Junctions and the direct sum conserve power in every causality, whatever the directions of the half-arrows."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multibond as mb
from multibond.equations.writing import Sheet, write_junction, write_wires
from multibond.expr import SX, column
from multibond.graph.graph import Bond, End

seeds = st.integers(0, 2**32 - 1)
HERE = "here"


def bond(name: str, port: str, size: int, into: bool) -> Bond:
    """A bond between the element under test and something else."""
    here, there = End(HERE, port), End(f"there_{name}", "port")
    return Bond(name, there, here, size) if into else Bond(name, here, there, size)


def sheet_of(bonds: list[Bond], here_gives: dict[str, list[bool]]) -> Sheet:
    """Fresh symbols; for each component whether the element under test gives the flow."""
    effort = {b.name: SX.sym(f"e_{b.name}", b.size) for b in bonds}
    flow = {b.name: SX.sym(f"f_{b.name}", b.size) for b in bonds}
    giver = {n: [HERE if flag else f"there_{n}" for flag in flags] for n, flags in here_gives.items()}
    return Sheet(effort, flow, {}, giver)


def power_at_random(sheet: Sheet, bonds: list[Bond], rng: np.random.Generator) -> np.ndarray:
    """Power into the element and the largest share of a single bond, with every given variable at random."""
    names = column([*sheet.effort.values(), *sheet.flow.values()])
    defined = column(sheet.variables) - column(sheet.definitions)
    slope = np.asarray(ca.DM(ca.evalf(ca.jacobian(defined, names))))
    assert slope.shape[0] == np.linalg.matrix_rank(slope) == names.numel() // 2
    nowhere = np.linalg.svd(slope)[2][slope.shape[0] :]
    values = rng.uniform(-2.0, 2.0, nowhere.shape[0]) @ nowhere
    shares = [(1 if b.into(HERE) else -1) * ca.dot(sheet.effort[b.name], sheet.flow[b.name]) for b in bonds]
    found = np.asarray(ca.Function("p", [names], [column(shares)])(values)).ravel()
    return np.array([found.sum(), np.abs(found).max()])


@pytest.mark.parametrize("one", [True, False], ids=["One", "Zero"])
@settings(max_examples=40, deadline=None)
@given(seed=seeds, count=st.integers(2, 6), size=st.integers(1, 4))
def test_junctions_conserve_power(one: bool, seed: int, count: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    bonds = [bond(f"b{k}", "any", size, bool(rng.integers(2))) for k in range(count)]
    strong = rng.integers(count, size=size)
    gives = {b.name: [(k != strong[j]) == one for j in range(size)] for k, b in enumerate(bonds)}
    sheet = sheet_of(bonds, gives)
    write_junction(sheet, HERE, one, bonds)
    total, largest = power_at_random(sheet, bonds, rng)
    assert abs(total) <= 1e-12 * max(1.0, largest)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, first=st.integers(1, 3), second=st.integers(1, 3))
def test_direct_sum_conserves_power(seed: int, first: int, second: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = {"part_1": first, "part_2": second, "whole": first + second}
    bonds = [bond(name, name, size, bool(rng.integers(2))) for name, size in sizes.items()]
    from_whole = rng.integers(2, size=first + second).astype(bool)
    parts = [not flag for flag in from_whole]
    gives = {"whole": from_whole.tolist(), "part_1": parts[:first], "part_2": parts[first:]}
    sheet = sheet_of(bonds, gives)
    write_wires(sheet, HERE, mb.DirectSum(HERE, first, second), bonds)
    total, largest = power_at_random(sheet, bonds, rng)
    assert abs(total) <= 1e-12 * max(1.0, largest)
