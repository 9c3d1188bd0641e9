"""Runs of a graph and of what became of it, compared variable by variable and column by column."""

from __future__ import annotations

import numpy as np

import multibond as mb
from multibond.graph.graph import Graph

COLUMNS = ("kinetic", "elastic", "gravity", "supplied", "dissipated", "parasitic")
TOLERANCE = 1e-9
ROUNDING = 1e-12


def run_of(graph: Graph, until: float) -> mb.Run:
    return mb.simulate(graph, until, rtol=1e-12, atol=1e-14)


def common(first: mb.Run, second: mb.Run) -> list[str]:
    """Variables that both have. Those with other names are new, or gone."""
    return sorted(set(first.names) & set(second.names))


def assert_same(first: mb.Run, second: mb.Run, least: int = 1) -> None:
    """Every component of every common variable agrees to 1e-9 of its own largest value; every column of energies too.

    What is zero but for rounding has no size of its own: it is held to 1e-12, and to the last digits of the largest.
    """
    times = np.linspace(0.0, float(first.t[-1]), 9)
    names = common(first, second)
    assert len(names) >= least, names
    sizes, others = ([run.system.observer.expression(name).numel() for name in names] for run in (first, second))
    assert sizes == others
    owner = np.repeat(np.arange(len(names)), sizes)
    x, y = first.values(names, times), second.values(names, times)
    floor = ROUNDING + 10 * np.finfo(float).eps * float(np.abs(x).max(initial=0.0))
    for k, name in enumerate(names):
        a, b = x[:, owner == k], y[:, owner == k]
        errors, sizes = np.abs(a - b).max(axis=0, initial=0.0), np.abs(a).max(axis=0, initial=0.0)
        assert (errors <= TOLERANCE * sizes + floor).all(), (name, errors, sizes)
    assert_same_energies(first, second)


def assert_same_energies(first: mb.Run, second: mb.Run) -> None:
    before, after = first.energy(), second.energy()
    for column in COLUMNS:
        change = abs(getattr(before, column) - getattr(after, column))
        assert change <= TOLERANCE * max(1.0, before.turnover), column
    assert after.residual < 1e-9
