"""StateSpace: what `statespace(model)` gives. Numbers at any state, names, conversion to and from compiled systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibond.arguments import Numbers
from multibond.elements import Constraint
from multibond.elements.blocks import Input
from multibond.lower.given import inputs_of, state_of
from multibond.lower.system import System
from multibond.report import Shown
from multibond.statespace.evaluate import Evaluator, Moment
from multibond.statespace.formulae import split_rows
from multibond.statespace.structure import Structure
from multibond.structure.tree import held_by


@dataclass(frozen=True)
class Entry:
    """One component of a field: which field, whose, its variable, and why it lies there."""

    field: str
    path: str
    component: int
    variable: str
    why: str


@dataclass(frozen=True)
class Condition:
    """A condition of the formulae, by name: whether it holds, and the fact that shows it."""

    name: str
    holds: bool
    fact: str


@dataclass(frozen=True)
class StateSpace(Shown):
    """State space equations with constraint efforts (Wang, Tao & Liu, eqs 5 to 15).

    x = (X_i1, X_i2, q): energy variables of independent and of dependent motion, and displacements.
    rank: of T_LE. case: "14", "15", "mixed" or "unconstrained". fields: who lies where, and why.
    conditions: what was checked.
    All ports count power into the field, so that the junction structure J is skew.
    """

    structure: Structure
    order: np.ndarray
    independent: int
    rank: int
    case: str
    fields: tuple[Entry, ...]
    conditions: tuple[Condition, ...]
    x0: np.ndarray
    name: str = "graph"

    # -- at a state ----------------------------------------------------------------------------------------------------

    def derivative(self, x: Numbers, u: Numbers = None, t: float = 0.0) -> np.ndarray:
        """dx/dt at a state, with run-time inputs u (by name, or as they are in the model), at a time.

        >>> space.derivative(space.x0)
        """
        now, state = self._moment(x, u, t), self._split(x, u)
        return np.concatenate([now.inputs("i")[self.order], self._evaluator.rates(t, *state, now.inputs("read"))])

    def constraint_forces(self, x: Numbers, u: Numbers = None, t: float = 0.0) -> dict[str, np.ndarray]:
        """Constraint efforts by path, as `path.e` of a compiled system; also of joints that were kept.

        >>> space.constraint_forces(x)["J3.hold_translation"]
        """
        now = self._moment(x, u, t)
        found, given = self._by_path("u2", now.U2), self._by_path("u1", now.inputs("u1"))
        held = {path for path, _ in self.structure.ground.released.graph.of_type(Constraint)}
        return dict(sorted((found | {path: e for path, e in given.items() if path in held}).items()))

    def resultants(self, x: Numbers, u: Numbers = None, t: float = 0.0) -> dict[str, dict[str, float]]:
        """The size of the constraint force and torque of each joint: {"J3": {"force": 0.17, "torque": 0.02}}."""
        found: dict[str, dict[str, float]] = {}
        words = {"translation": "force", "rotation": "torque"}
        graph = self.structure.ground.released.graph
        for path, effort in self.constraint_forces(x, u, t).items():
            word = words.get(held_by(graph, path), path.rpartition(".")[2])
            found.setdefault(graph.owner(path), {})[word] = float(np.linalg.norm(effort))
        return found

    def violation(self, x: Numbers, u: Numbers = None, t: float = 0.0) -> dict[str, np.ndarray]:
        """What the constraints' flow is at a state; zero on every motion that obeys them."""
        return self._by_path("u2", self._moment(x, u, t).inputs("u2"))

    def gaps(self, x: Numbers, t: float = 0.0) -> dict[str, np.ndarray]:
        """Displacements that opened joints should keep at zero: what the literal formulae let drift."""
        return self._by_path("u2", self._evaluator.gaps(t, *self._split(x, None)))

    def matrices(self, x: Numbers = None, u: Numbers = None, t: float = 0.0) -> dict[str, np.ndarray]:
        """Every matrix of the formulae by name at a state (the start): J_i1L, J_Ci1, F_i1, R, R_E, P, A1, T_LE, H4 …"""
        now, rows = self._moment(self.x0 if x is None else x, u, t), self.rows
        n, w, held = now.numbers, now.transfer, now.conditions
        found = {f"J_{a}{b}": n.J[np.ix_(rows[a], rows[b])] for a in rows for b in rows if b != "C" and a != "u2"}
        first, second = self.order[: self.independent], self.order[self.independent :]
        found |= {"F_i1": n.F[np.ix_(first, first)], "F_i2": n.F[np.ix_(second, second)],
                  "F_i1i2": n.F[np.ix_(first, second)], "R": n.R, "R_E": n.R_E, "P": w.P, "A1": w.A1}  # fmt: skip
        pieces = (("i1", "x", first), ("i2", "x", second), ("u1", "u1", ...), ("u2", "u2", ...))
        for k, (name, part, columns) in enumerate(pieces):
            found |= {f"A{k + 2}": w.A[part][:, columns], f"B{k + 1}": w.B[part][:, columns]}
            found |= {f"T_{a}{name}": w.T[part][rows[a]][:, columns] for a in ("i1", "i2", "C")}
            found[f"H{k + 1}"] = held.H[part][:, columns]
        M, N = split_rows(found["T_Cu2"], self.rank)
        return found | {"T_LE": found["T_Cu2"], "M": M, "N": N}

    def known_sources(self, x: Numbers = None, u: Numbers = None, t: float = 0.0) -> np.ndarray:
        """U1 at a state: efforts as they are, flows counted into the source."""
        return self._evaluator.numbers(t, *self._split(self.x0 if x is None else x, u)).U1

    def J(self, x: Numbers = None, u: Numbers = None, t: float = 0.0) -> np.ndarray:
        """The whole junction structure in the order i1, i2, L, u1, u2, E: a skew matrix."""
        order = np.concatenate([self.rows[name] for name in ("i1", "i2", "L", "u1", "u2", "E")])
        return self._evaluator.numbers(t, *self._split(self.x0 if x is None else x, u)).J[np.ix_(order, order)]

    # -- names ---------------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """Rows of the junction structure by field; "C" (constraint rows) and "u2" are the same."""
        s, i = self.structure, self.structure.index("i")[self.order]
        return {
            "i1": i[: self.independent], "i2": i[self.independent :], "L": s.index("L"), "u1": s.index("u1"),
            "u2": s.index("u2"), "C": s.index("u2"), "E": s.index("E"),
        }  # fmt: skip

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """One name for each entry of x."""
        ground = self.structure.ground
        stored = [_entry(m.path, name, k, s.numel()) for m in ground.of("i") for name, s in m.law.states.items()
                  for k in range(s.numel())]  # fmt: skip
        moved = [_entry(d.path, d.name, k, d.symbol.numel()) for d in ground.displacements
                 for k in range(d.symbol.numel())]  # fmt: skip
        return (*(stored[k] for k in self.order), *moved)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Paths of the model's `Input` blocks."""
        return tuple(path for path, _ in self.structure.ground.released.graph.of_type(Input))

    def from_system(self, system: System, x: Numbers, t: Any = 0.0) -> np.ndarray:
        """The state that a compiled system of the same model has at x; rows of states give rows."""
        from multibond.statespace.convert import from_system

        return from_system(self, system, x, t)

    def to_system(self, system: System, x: Numbers, t: float = 0.0) -> np.ndarray:
        """The state of a compiled system of the same model."""
        from multibond.statespace.convert import to_system

        return to_system(self, system, x, t)

    def latex(self, what: str | None = None) -> str:
        """Fields, junction structure and state equations as a LaTeX document; `what`: one block, such as "J_Ci1"."""
        from multibond.statespace.writing import block_latex, document

        return document(self) if what is None else block_latex(self, what)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: case, conditions, fields, state names, and all matrices at the start."""
        from multibond.statespace.writing import as_dict

        return as_dict(self)

    def description(self) -> list[str]:
        """The case, its conditions, and the size of the fields."""
        return str(self).split("\n")

    def __str__(self) -> str:
        from multibond.statespace.writing import summary

        return summary(self)

    __repr__ = __str__

    # -- inside --------------------------------------------------------------------------------------------------------

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.structure)

    def _moment(self, x: Numbers, u: Numbers, t: float) -> Moment:
        return self._evaluator.moment(t, *self._split(x, u), self.rank)

    def _by_path(self, field: str, values: np.ndarray) -> dict[str, np.ndarray]:
        found, start = dict[str, np.ndarray](), 0
        for member in self.structure.ground.of(field):
            size = len(member.law.lanes)
            found[member.path] = values[start : start + size]
            start += size
        return found

    def _split(self, x: Numbers, u: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x, n = state_of(self.state_names, x), self.order.size
        X = np.empty(n)
        X[self.order] = x[:n]
        return X, x[n:], self._with_inputs(u)

    def _with_inputs(self, u: Numbers) -> np.ndarray:
        values = self.structure.ground.p_values
        if u is None:
            return values
        places = {path: self._places[f"{path}.value"] for path in self.inputs}
        values = values.copy()
        sizes = {path: place.stop - place.start for path, place in places.items()}
        for path, numbers in inputs_of("the state space", sizes, u).items():
            values[places[path]] = numbers
        return values

    @cached_property
    def _places(self) -> dict[str, slice]:
        places, start = {}, 0
        for path, (symbol, _) in sorted(self.structure.ground.released.graph.parameters.items()):
            places[path] = slice(start, start + symbol.nnz())
            start += symbol.nnz()
        return places


def _entry(path: str, name: str, k: int, size: int) -> str:
    return f"{path}.{name}" if size == 1 else f"{path}.{name}[{k}]"
