"""Where the joints of a mechanism stand when its loops are closed, and which velocities are independent there."""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.errors import Finding, StartError
from multibond.expr import SX, column
from multibond.graph.graph import Graph
from multibond.graph.start import start_vector
from multibond.rewrite.edit import number_of
from multibond.rewrite.signals import Signals

ROUNDS, CLOSED = 60, 1e-12
SMALL = 1e-9
"""A pivot below this fraction of the largest is none."""


def assembled(graph: Graph, signals: Signals, cuts: list[str]) -> dict[str, np.ndarray]:
    """Coordinates of the joints of the tree that close all loops, with given ones kept; by the names of their symbols.

    Each step is the least change that closes the gaps to first order.
    """
    joints = [path for path, _ in graph.of_type(FreeMotion) if signals.tree.role.get(path, "cut") != "cut"]
    start = {f"{path}.q": _start(graph, path) for path in joints}
    symbols = column([signals.symbol(name, value.size) for name, value in start.items()])
    gaps = column([*(_gap(graph, signals, path) for path in cuts), *_lengths(graph, signals, joints)])
    gaps = _with_numbers(graph, gaps, symbols)
    error = ca.Function("gaps", [symbols], [ca.densify(gaps), ca.densify(ca.jacobian(gaps, symbols))])
    free = np.concatenate([np.zeros(0, bool), *(~_given(graph, p, start[f"{p}.q"].size) for p in joints)])
    q = np.concatenate([np.zeros(0), *start.values()])
    for _ in range(ROUNDS):
        gap, slope = (np.asarray(v) for v in error(q))
        if np.abs(gap).max(initial=0.0) <= CLOSED:
            break
        q[free] -= np.linalg.lstsq(slope[:, free], gap.ravel(), rcond=1e-10)[0]
    else:
        if np.abs(np.asarray(error(q)[0])).max(initial=0.0) > SMALL:
            raise StartError(_open(cuts))
    ends = np.cumsum([value.size for value in start.values()])
    return dict(zip(start, np.split(q, ends[:-1]), strict=True)) if start else {}


def _with_numbers(graph: Graph, value: SX, kept: SX) -> SX:
    """An expression with the graph's numbers in the place of parameters."""
    names = {s.name() for s in ca.vertsplit(kept)} if kept.numel() else set()
    rest = [s for s in ca.symvar(value) if s.name() not in names]
    return ca.substitute(value, column(rest), SX(number_of(graph, column(rest)))) if rest else value


def _gap(graph: Graph, signals: Signals, path: str) -> SX:
    hit = graph.signal_at(path, "gap")
    return SX(0, 1) if hit is None else signals(hit[0].name)


def _lengths(graph: Graph, signals: Signals, joints: list[str]) -> list[SX]:
    """Quaternions have length one."""
    found = []
    for path in joints:
        item = graph.elements[path]
        if isinstance(item, FreeMotion) and item.motion.quaternion:
            q = signals.symbol(f"{path}.q", item.motion.coordinates)
            found.append(ca.sumsqr(q[:4]) - 1)
    return found


def _start(graph: Graph, path: str) -> np.ndarray:
    item, given = graph.elements[path], graph.starts.get(path, {}).get("q")
    assert isinstance(item, FreeMotion)
    if given is not None:
        return start_vector(given).values.flatten()
    rest = np.zeros(item.motion.coordinates)
    if item.motion.quaternion:
        rest[0] = 1.0
    return rest


def _given(graph: Graph, path: str, count: int) -> np.ndarray:
    """Which coordinates of a joint are fixed."""
    value = graph.starts.get(path, {}).get("q")
    return np.zeros(count, bool) if value is None else value.spread(count).fixed


def _open(cuts: list[str]) -> Finding:
    names = ", ".join(repr(path.rsplit(".", 1)[0]) for path in cuts)
    return Finding(
        "the loops cannot be closed from the given start.",
        f"The joints {names} stay open.",
        "Give start values nearer to a closed position.",
        tuple(cuts),
    )


def choose(G: np.ndarray, wanted: list[int]) -> tuple[list[int], list[int]]:
    """Rows of G that are independent, and as many columns whose velocities follow; `wanted` ones stay free if possible.

    >>> choose(np.array([[1.0, 2.0]]), [0])
    ([0], [1])
    """
    work, rows, columns = np.array(G, float), [], []
    least = SMALL * max(np.abs(work).max(initial=0.0), 1e-30)
    for group in ([k for k in range(G.shape[1]) if k not in wanted], wanted):
        while True:
            open_ = [k for k in group if k not in columns]
            part = np.abs(work[:, open_])
            if not part.size or part.max() <= least:
                break
            i, j = np.unravel_index(int(part.argmax()), part.shape)
            rows, columns = [*rows, int(i)], [*columns, open_[int(j)]]
            work = work - np.outer(work[:, columns[-1]] / work[i, columns[-1]], work[i])
    return sorted(rows), sorted(columns)
