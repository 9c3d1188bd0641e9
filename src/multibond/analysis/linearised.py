"""A model linearised at a state: x' = A x + B u, y = C x + D u on what its constraints leave free, and the ranks there.

Derivatives are exact; ranks are those of floating-point matrices, decided by orthogonal steps. They hold at that state
and around it, where what structure tells holds almost everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from multibond.analysis.ends import InputEnd, OutputEnd, listed, resolved, split_index
from multibond.elements import MSe, MSf, Se, Sf
from multibond.elements.blocks import Input
from multibond.errors import Finding, ModelError
from multibond.expr import SX, Function, column
from multibond.formula import Formula
from multibond.graph.graph import Graph
from multibond.lower.system import System, total_derivative
from multibond.pipeline import compile
from multibond.rewrite.edit import with_values
from multibond.solve.solution import Solution

SMALL = 1e-9
"""Singular values below this share of the largest count as zero."""
At = tuple[Solution, float]
"""A run and a time in it."""


@dataclass(frozen=True)
class Linear:
    """The four matrices in coordinates of the free directions, columns of `free`, of the states `names` at `x`."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    free: np.ndarray
    names: tuple[str, ...]
    x: np.ndarray
    time: float | None
    parts: tuple[str, ...]
    """The joint or element that each state belongs to."""

    @property
    def where(self) -> str:
        """The state in words."""
        told = [f"{name} = {value:.4g}" for name, value in zip(self.names, self.x, strict=True)]
        more = f" and {len(told) - 6} more" if len(told) > 6 else ""
        when = "at the start" if self.time is None else f"at {self.time:g} s of the run"
        return f"{when}, {', '.join(told[:6])}{more}"

    def reached(self) -> np.ndarray:
        """An orthonormal basis of what inputs can change, in the states themselves."""
        return self.free @ _reached(self.A, self.B)

    def seen(self) -> np.ndarray:
        """An orthonormal basis of what outputs tell."""
        return self.free @ _reached(self.A.T, self.C.T)

    def owners(self, basis: np.ndarray) -> list[str]:
        """The elements whose states have a part in free directions outside a basis."""
        rest = self.free - basis @ (basis.T @ self.free)
        rows = np.flatnonzero(np.abs(rest).max(axis=1, initial=0.0) > 1e-6)
        return sorted({self.parts[k] for k in rows})

    def order(self, output: int, input: int) -> int | None:
        """The number of the first of D, CB, CAB, … that is not zero; None where all are."""
        row, term = self.C[output], self.B[:, input]
        if abs(self.D[output, input]) > SMALL * max(1.0, float(np.abs(self.D).max())):
            return 0
        for k in range(1, len(self.A) + 1):
            if abs(row @ term) > SMALL * float(np.linalg.norm(row) * np.linalg.norm(term)):
                return k
            term = self.A @ term
        return None


def _reached(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """What B reaches through A: the range of B, then what A makes of what was new, until nothing is."""
    found, fresh = np.zeros((len(A), 0)), B
    while fresh.size:
        basis = _range(fresh - found @ (found.T @ fresh), float(np.abs(fresh).max(initial=0.0)))
        if not basis.size:
            break
        found = np.hstack([found, basis])
        fresh = A @ basis
    return found


def _range(M: np.ndarray, scale: float) -> np.ndarray:
    u, s, _ = np.linalg.svd(M, full_matrices=False)
    return u[:, s > SMALL * max(scale, 1e-300) * max(M.shape)]


def numeric_rank(M: np.ndarray) -> int:
    """The rank of a matrix, rows scaled to one first: storages of different domains have different sizes."""
    sizes = np.abs(M).max(axis=1, initial=0.0)
    rows = sizes > 1e-13 * sizes.max(initial=0.0)
    return int(np.linalg.matrix_rank(M[rows] / sizes[rows][:, None], tol=SMALL * max(M.shape))) if rows.any() else 0


def linearise(graph: Graph, inputs: Sequence[InputEnd], outputs: Sequence[OutputEnd], at: At | None = None) -> Linear:
    """Linearise a graph at its start, or at a time of a run of it."""
    time = 0.0 if at is None else float(at[1])
    open_, places = _with_inputs(graph, inputs, time)
    system = compile(open_, form="line")
    x = _state(system, at)
    r, p = system.reduced, system.parameters
    rates, seen = ca.densify(r.whole.xdot), _outputs(system, [end.name for end in outputs])
    u = column([SX(r.whole.p[system.dae.parameter_places[path].start + k]) for path, k in places])
    units = [0.5 * ca.sumsqr(r.whole.x[int(k) : int(k) + 4]) for k in r.shape.quaternions]
    held = column([r.whole.gap, r.whole.held_flow, r.hidden_positions, r.hidden_flows, *units])
    parts = [total_derivative(r, value, of) for value in (rates, seen) for of in (r.whole.x, u)]
    function = Function("l", [r.whole.t, r.state, r.whole.p], [*map(ca.densify, parts), ca.jacobian(held, r.whole.x)])
    y = system.unknowns(np.array([time]), x[None, :])[:, 0] if r.implicit else np.zeros(0)
    A, B, C, D, H = (np.asarray(ca.densify(v)) for v in function(time, np.concatenate([x, y]), p))
    free = _kernel(H)
    parts = tuple(system.dae.graph.joint(place.path) for place in system.dae.states for _ in place.range)
    when = None if at is None else time
    return Linear(free.T @ A @ free, free.T @ B, C @ free, D, free, system.state_names, x, when, parts)


def _kernel(H: np.ndarray) -> np.ndarray:
    if not H.size:
        return np.eye(H.shape[1])
    _, s, v = np.linalg.svd(H)
    rank = int((s > SMALL * s[0]).sum()) if s.size and s[0] > 0 else 0
    return v[rank:].T


def _with_inputs(graph: Graph, inputs: Sequence[InputEnd], time: float) -> tuple[Graph, list[tuple[str, int]]]:
    """The graph with a number for everything that an input gives, and where each input's number lies."""
    elements, parameters, places = dict(graph.elements), dict(graph.parameters), []
    for path in dict.fromkeys(end.path for end in inputs):
        item = graph.elements[path]
        effort = isinstance(item, Se | MSe)
        word = "effort" if effort else "flow" if isinstance(item, Sf | MSf) else "value"
        size = graph.bonds_of(path)[0].size if word != "value" else _signal_size(graph, path)
        number = _number(graph, path, getattr(item, word, 0.0), word, size, time)
        symbol = SX.sym(f"{path}.{word}", size)
        plain = Input(item.name, size=size) if word == "value" else (Se if effort else Sf)(item.name, size=size)
        elements[path] = with_values(plain, **{word: symbol})
        parameters[f"{path}.{word}"] = (symbol, number)
        places += [(f"{path}.{word}", k) for k in range(size)]
    chosen = [places[_place(places, end)] for end in inputs]
    kept = tuple(s for s in (_unread(signal, elements) for signal in graph.signals) if s.ends)
    return graph.with_(elements=elements, parameters=parameters, signals=kept), chosen


def _signal_size(graph: Graph, path: str) -> int:
    """The size of the signal that a block gives."""
    hit = graph.signal_at(path, "y")
    return hit[0].size if hit is not None else 1


def _place(places: Sequence[tuple[str, int]], end: InputEnd) -> int:
    _, index = split_index(end.name)
    paths = [path.rpartition(".")[0] for path, _ in places]
    return paths.index(end.path) + (index or 0)


def _unread(signal: Any, elements: dict[str, Any]) -> Any:
    """A signal without the ends of sources that no longer read it."""
    ends = [e for e in signal.ends if any(p.name == e.port for p in elements[e.element].ports())]
    return type(signal)(signal.name, signal.size, tuple(ends))


def _number(graph: Graph, path: str, value: Any, word: str, size: int, time: float) -> np.ndarray:
    """What a source gives at a time, as a column."""
    if f"{path}.{word}" in graph.parameters:
        given = graph.parameters[f"{path}.{word}"][1]
    elif isinstance(value, Formula):
        given = value.evaluate({"t": time})
    else:
        given = 0.0 if isinstance(value, SX) else value
    return np.broadcast_to(np.ravel(np.asarray(given, float)), (size,)).reshape(-1, 1).copy()


def _state(system: System, at: At | None) -> np.ndarray:
    if at is None:
        return system.x0
    run, time = at
    known = dict(zip(run.system.state_names, run.states(np.array([float(time)]))[0], strict=True))
    lost = [name for name in system.state_names if name not in known]
    if lost:
        fact = f"It has no {listed(lost[:3])}."
        raise ModelError(Finding("the run is not one of this model.", fact, "Give a run of the model itself."))
    return np.array([known[name] for name in system.state_names])


def _outputs(system: System, names: Sequence[str]) -> SX:
    """Outputs as expressions of time, states and unknowns."""
    return column([system.observer.expression(_readable(system, name)) for name in names]) if names else SX(0, 1)


def _readable(system: System, name: str) -> str:
    """A name that a run knows: sensors are read by their signal."""
    base, index = split_index(name)
    target = resolved(system.dae.graph, base)
    tail = "" if index is None else f"[{index}]"
    return f"{target}.value{tail}" if target in system.dae.graph.elements else name
