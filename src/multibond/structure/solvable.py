"""Whether strokes can be completed: the junction structure asked with numbers, where a search by strokes gives up.

A component with a stroke is cut in two: each end of it has one variable given from outside. Strokes can be completed
where no condition binds these given variables alone, since a structure that keeps power always has a full set of
strokes for the rest (its spinor is a sum over strokes, van der Schaft & Jeltsema 2014; Chevalley 1954). So
choices need never be taken back. What closes bonds (storages, resistors, sources, joints) stands outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx
import numpy as np

from multibond.elements.couplers import GY, MTF, TF, Coupler, modulus_matrix
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Wires
from multibond.graph.port import PowerPort
from multibond.structure.pivots import numeric, parameter_numbers
from multibond.structure.propagate import Assignment

ZERO = 1e-9
"""Singular values below this part of the largest are rounding."""
ROUNDING = 1e-13
"""A difference below this part of what is subtracted is zero."""
MOST = 2000
"""So many variables that hang together are looked at; more take too long."""

Variable = tuple[str, str, int, str]
"""Element that sees it ("" for all), bond, component, "e" or "f"."""
Row = dict[Variable, float]


class Structure:
    """The laws of the junction structure with numbers; moduli that come as signals have random ones.

    among: the elements whose laws are wanted, all where left out.
    """

    def __init__(self, graph: Graph, among: Iterable[str] | None = None) -> None:
        self.graph, self.numbers = graph, parameter_numbers(graph)
        wanted = sorted(graph.elements if among is None else among)
        inner = [path for path in wanted if passes_on(graph.elements[path])]
        self.laws = [(path, row) for path in inner if graph.bonds_of(path) for row in self._laws(path)]
        self._known: dict[tuple[tuple[int, ...], frozenset[Variable]], bool] = {}

    def completable(self, state: Assignment) -> bool:
        """Whether the strokes so far can be completed; false also where too much hangs together to be looked at."""
        rows = [_seen(row, path, state) for path, row in self.laws]
        given = frozenset(name for row in rows for name in row if _given(name, state))
        return all(self._free(group, rows, given) for group in _groups(rows, given))

    def independent(self, state: Assignment) -> bool:
        """Whether what the elements outside give so far leaves one another free; true where too much hangs together.

        Where they do, and a full set is given, efforts and flows of the junction structure have one solution.
        """
        given = frozenset(self._given_from_outside(state))
        rows = [row for _, row in self.laws]
        return all(self._free(group, rows, given, unknown=True) for group in _groups(rows, given))

    def _given_from_outside(self, state: Assignment) -> Iterator[Variable]:
        for bond in self.graph.bonds:
            ends = [end.element for end in (bond.tail, bond.head) if not passes_on(self.graph.elements[end.element])]
            for k in range(bond.size) if len(ends) == 1 else ():
                gives_flow = state.gives(bond, ends[0], k)
                if gives_flow is not None:
                    yield "", bond.name, k, "f" if gives_flow else "e"

    def _free(self, group: tuple[int, ...], rows: list[Row], given: frozenset[Variable], unknown: bool = False) -> bool:
        """Whether no condition binds what is given to some laws, remembered; `unknown` where these are too many."""
        names = sorted({name for k in group for name in rows[k]})
        key = (group, frozenset(names) & given)
        if key not in self._known:
            few = len(names) <= MOST
            self._known[key] = _unbound([rows[k] for k in group], names, given) if few else unknown
        return self._known[key]

    # -- laws ----------------------------------------------------------------------------------------------------------

    def _laws(self, path: str) -> list[Row]:
        item = self.graph.elements[path]
        if isinstance(item, Coupler):
            return self._coupler(path, item)
        return self._wires(path, item) if isinstance(item, Wires) else self._junction(path)

    def _junction(self, path: str) -> list[Row]:
        """One: common flow, efforts balance. Zero: common effort, flows balance."""
        common, balanced = ("f", "e") if self.graph.elements[path].causality == "one" else ("e", "f")
        bonds, rows = self.graph.bonds_of(path), []
        for k in range(bonds[0].size):
            rows += [{("", bonds[0].name, k, common): 1.0, ("", b.name, k, common): -1.0} for b in bonds[1:]]
            rows.append({("", b.name, k, balanced): 1.0 if b.into(path) else -1.0 for b in bonds})
        return rows

    def _wires(self, path: str, item: Wires) -> list[Row]:
        at, rows = {b.end(path).port: b for b in self.graph.bonds_of(path)}, []
        for (x, i), (y, j) in item.wires({name: bond.size for name, bond in at.items()}):
            sign = self._sign(path, at[x]) * self._sign(path, at[y])
            rows.append({("", at[x].name, i, "f"): 1.0, ("", at[y].name, j, "f"): -sign})
            rows.append({("", at[x].name, i, "e"): 1.0, ("", at[y].name, j, "e"): -1.0})
        return rows

    def _coupler(self, path: str, item: Coupler) -> list[Row]:
        """Transformer: f_b = B f_a, e_a = Bᵀ e_b. Gyrator: e_a = G f_b, e_b = Gᵀ f_a."""
        at = {b.end(path).port: b for b in self.graph.bonds_of(path)}
        if len(at) < 2:
            return []
        turns, modulus = item.causality == "transformer", self._modulus(item, at)
        if turns:
            return [*self._map(path, at["b"], "f", at["a"], "f", modulus),
                    *self._map(path, at["a"], "e", at["b"], "e", modulus.T)]  # fmt: skip
        return [*self._map(path, at["a"], "e", at["b"], "f", modulus),
                *self._map(path, at["b"], "e", at["a"], "f", modulus.T)]  # fmt: skip

    def _map(self, path: str, out: Bond, what: str, source: Bond, of: str, modulus: np.ndarray) -> Iterator[Row]:
        """out.what = modulus · source.of, flows along the ports' own directions."""
        left = self._sign(path, out) if what == "f" else 1.0
        right = self._sign(path, source) if of == "f" else 1.0
        for i, values in enumerate(modulus):
            entries = {("", source.name, j, of): -right * float(v) for j, v in enumerate(values) if v}
            yield {("", out.name, i, what): left, **entries}

    def _modulus(self, item: Coupler, at: dict[str, Bond]) -> np.ndarray:
        if isinstance(item, TF | GY):
            return numeric(self.graph, modulus_matrix(item, at["a"].size), self.numbers)
        rows, columns = (
            (at["b"].size, at["a"].size) if item.causality == "transformer" else (at["a"].size, at["b"].size)
        )
        value = np.random.default_rng(11).normal(size=(rows, columns))
        return np.linalg.qr(value)[0] if isinstance(item, MTF) and item.inverse == "transpose" else value

    def _sign(self, path: str, bond: Bond) -> float:
        """+1 where the half-arrow agrees with the port's own direction."""
        ports = [p for p in self.graph.elements[path].ports() if isinstance(p, PowerPort)]
        return 1.0 if bond.into(path) == next(p.inward for p in ports if p.name == bond.end(path).port) else -1.0


def passes_on(item: object) -> bool:
    """Whether an element belongs to the junction structure: what enters it leaves it."""
    return isinstance(item, Coupler | Wires) or getattr(item, "causality", "") in ("one", "zero")


def _seen(row: Row, path: str, state: Assignment) -> Row:
    """A law with the variables that its element sees: those of cut components are its own."""
    return {(path if state.flow[n][k] else "", n, k, what): value for (_, n, k, what), value in row.items()}


def _given(name: Variable, state: Assignment) -> bool:
    """Whether an element takes a variable of a cut component from outside."""
    path, bond, k, what = name
    return bool(path) and state.gives(state.bond(bond), path, k) != (what == "f")


def _groups(rows: list[Row], given: frozenset[Variable]) -> list[tuple[int, ...]]:
    """Laws that hang together by variables that are not given."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(rows)))
    graph.add_edges_from((k, name) for k, row in enumerate(rows) for name in row if name not in given)
    return [tuple(sorted(k for k in found if isinstance(k, int))) for found in nx.connected_components(graph)]


def _unbound(rows: list[Row], names: list[Variable], given: frozenset[Variable]) -> bool:
    """Whether the laws say nothing about given variables alone: these add nothing to the rank of the others."""
    unknown = [name for name in names if name not in given]
    if len(unknown) == len(names):
        return True
    rows = _without(rows, unknown)
    left = sorted({name for row in rows for name in row})
    place, table = {name: k for k, name in enumerate(left)}, np.zeros((len(rows), len(left)))
    for i, row in enumerate(rows):
        for name, value in row.items():
            table[i, place[name]] = value
    return _rank(table[:, [place[name] for name in left if name not in given]]) == _rank(table)


def _without(rows: list[Row], unknown: list[Variable]) -> list[Row]:
    """Eliminate unknowns of one or two laws, each with one of them: both ranks go down by one."""
    left = {k: dict(row) for k, row in enumerate(rows)}
    users: dict[Variable, set[int]] = {name: set() for name in unknown}
    for k, row in left.items():
        for name in row.keys() & users.keys():
            users[name].add(k)
    queue = [name for name in unknown if len(users[name]) <= 2]
    while queue:
        name = queue.pop()
        if 1 <= len(users[name]) <= 2:
            pivot, *other = sorted(users[name], key=lambda k: (-abs(left[k][name]), k))
            gone = left.pop(pivot)
            for k in other:
                _subtract(left[k], gone, left[k][name] / gone[name], name, users, k)
            for touched in gone.keys() & users.keys():
                users[touched].discard(pivot)
                queue.append(touched)
    return [row for row in left.values() if row]


def _subtract(row: Row, gone: Row, times: float, name: Variable, users: dict[Variable, set[int]], k: int) -> None:
    """row - times · gone, without the variable that this eliminates."""
    for key, value in gone.items():
        size = abs(times * value)
        row[key] = row.get(key, 0.0) - times * value
        if key == name or abs(row[key]) < ROUNDING * size:
            del row[key]
        if key in users:
            (users[key].add if key in row else users[key].discard)(k)


def _rank(table: np.ndarray) -> int:
    sizes = np.linalg.svd(table, compute_uv=False) if table.size else np.zeros(0)
    return int((sizes > ZERO * sizes.max(initial=0.0)).sum())
