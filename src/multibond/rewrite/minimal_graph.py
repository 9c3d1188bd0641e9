"""Minimal coordinates: all inertias carried over to the generalised, then to the independent velocities.

Two levels of transformers (Boudon et al. 2017, Figs 14 and 15): V = T_i q̇ from the generalised velocities q̇ of the
joints to each inertia, and q̇ = M_b q̇_i from the independent ones, where loops make others depend on them. Over these
the storages are carried: the virtual inertia T_iᵀ J T_i, its gyristor, the transformed Euler gyrators (eqs 12 to 17).
What is left is one 1-junction, to which every other element is joined by its own transformer: what `compose couplers`,
`widen transformer`, `carry inertias`, `carry gyrators` and `combine storages` do one step at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibond.border import public
from multibond.elements import FreeMotion, I
from multibond.expr import SX, matrix
from multibond.graph.graph import Graph
from multibond.rewrite.carry import momentum_of
from multibond.rewrite.edit import number_of
from multibond.rewrite.kinematics import Kinematics
from multibond.rewrite.matrices import Matrix
from multibond.rewrite.minimal_drawing import Drawing
from multibond.rewrite.rates import Rates, rates_of, turning
from multibond.rotation import skew

REGULAR = 1e10
"""An inertia with a condition number above this does not decide the velocities."""


@public
@dataclass(frozen=True)
class Carried:
    """The matrices of the two levels.

    velocities: names of the generalised velocities q̇; independent: those that are left, q̇_i.
    Ti: by path of each inertia its matrix, V = T_i q̇ (eq. 11). Mb: q̇ = M_b q̇_i (eq. 10).
    """

    before: Graph
    velocities: tuple[str, ...]
    independent: tuple[str, ...]
    Ti: dict[str, Matrix]
    Mb: Matrix
    rates: Rates

    @property
    def T(self) -> Matrix:
        """The dependent velocities from the independent ones, q̇_d = T q̇_i (eq. 9)."""
        rows = [k for k, name in enumerate(self.velocities) if name not in self.independent]
        part = self.Mb.expression[rows, :] if rows else SX(0, len(self.independent))
        made = self.Mb.part("T", part, tuple(self.velocities[k] for k in rows), self.independent)
        return replace(made, shown=tuple(self.Mb.shown[k] for k in rows) if self.Mb.shown else ())

    def inertia(self, level: int = 2) -> Matrix:
        """The virtual inertia Σ T_iᵀ J T_i (eq. 12), at level 2 with T_i M_b in the place of T_i (eq. 15)."""
        return self._sum(rf"\tilde I_{level}", [B.T @ J @ B for _, B, J in self._over(level)], level)

    def gyristor(self, level: int = 2) -> Matrix:
        """The gyristor Σ T_iᵀ J Ṫ_i (eq. 13), at level 2 with T_i M_b (eq. 16); `q̇` or `q̇_i` is a symbol of it too."""
        parts = [B.T @ J @ self.rates.of(B, level) for _, B, J in self._over(level)]
        return self._sum(rf"MGR_{level}", parts, level)

    def gyrator(self, level: int = 2) -> Matrix:
        """The transformed Euler gyrators Σ T_iᵀ EJS T_i (eqs 14 and 17), EJS = -[J ω]×, skew in the momentum."""
        u, turns = self.rates.velocities(level), turning(self.before)
        parts = [-B.T @ skew(J @ B @ u) @ B for path, B, J in self._over(level) if path in turns]
        return self._sum(rf"EJS_{level}", parts, level)

    def _over(self, level: int) -> list[tuple[str, SX, SX]]:
        """For each inertia its path, the matrix that it is carried over, and its tensor."""
        found = []
        for path, T in self.Ti.items():
            item: Any = self.before.elements[path]
            B = T.expression if level == 1 else T.expression @ self.Mb.expression
            found.append((path, B, matrix(item.inertia, B.shape[0])))
        return found

    def _sum(self, name: str, parts: list[SX], level: int) -> Matrix:
        names = self.velocities if level == 1 else self.independent
        made = self.Mb.part(name, sum(parts, SX(len(names), len(names))), names, names)
        return made.with_symbols(self.rates.symbols)

    def latex(self) -> str:
        """T, M_b and all T_i in LaTeX, one line each."""
        return "\n".join(m.latex() for m in (self.T, self.Mb, *self.Ti.values()))


@public
@dataclass(frozen=True)
class Minimal(Carried):
    """A graph in minimal coordinates, `graph`, and the matrices that lead there; `before` is what it was made of."""

    graph: Graph

    def undo(self) -> Graph:
        """The graph as it was."""
        return self.before

    def __str__(self) -> str:
        names = f"velocities: {', '.join(self.velocities)}; independent: {', '.join(self.independent)}"
        return f"{names}; carried: {', '.join(self.Ti) or 'none'}"


def minimal_graph(graph: Graph, level: int = 2) -> Minimal:
    """Carry all inertias over to the independent velocities; level 1 stops at the generalised ones, and keeps loops."""
    work = Kinematics(graph)
    M, free = work.dependence()
    names = tuple(work.names[k] for k in free)
    Ti = {path: _matrix_of(work, path) for path, item in graph.of_type(I) if getattr(item, "inertia", None) is not None}
    rates = rates_of(work, work.expression(M), names)
    Mb = replace(work.matrix("M_b", work.expression(M), work.names, names), shown=work.shown(names))
    made = Carried(graph, work.names, names, Ti, Mb, rates)
    leads = _leads(made, work, level)
    momentum = _momentum(made, level) if leads else None
    drawn = Drawing(work, M if level == 2 and work.cuts else None, leads, momentum).graph()
    return Minimal(graph, work.names, names, Ti, Mb, rates, drawn)


def _matrix_of(work: Kinematics, path: str) -> Matrix:
    bond = work.graph.bonds_of(path)[0]
    rows = (path,) if bond.size == 1 else tuple(f"{path}[{k}]" for k in range(bond.size))
    return work.matrix(
        rf"T_{{\mathrm{{{path}}}}}", work.expression(work.T[path, bond.end(path).port]), rows, work.names
    )


def _leads(made: Carried, work: Kinematics, level: int) -> bool:
    """Whether the virtual inertia decides all velocities: it is regular, and only joints and inertias have any."""
    kinds = [work.graph.elements[path] for path, _ in work.bases]
    if not all(isinstance(item, FreeMotion) or (isinstance(item, I) and item.inertia is not None) for item in kinds):
        return False
    tensor = made.inertia(level).value
    return tensor.size > 0 and bool(np.linalg.cond(tensor) < REGULAR)


def _momentum(made: Carried, level: int) -> np.ndarray | None:
    """The momentum of the virtual inertia at the start, from what inertias and joints are said to have; or None."""
    graph, rows, flows = made.before, [], []
    told = {path: p for path in made.Ti if (p := momentum_of(graph, path)) is not None}
    for path, p in told.items():
        item: Any = graph.elements[path]
        sign = 1.0 if graph.bonds_of(path)[0].into(path) else -1.0
        flows.append(sign * np.linalg.solve(number_of(graph, matrix(item.inertia, p.size)), p))
        rows.append(made.Ti[path].value)
    paths = {graph.joint(path): path for path, _ in graph.of_type(FreeMotion)}
    for k, name in enumerate(made.velocities):
        joint, _, lane = name.partition("[")
        speed = graph.starts.get(paths.get(joint, ""), {}).get("u")
        own = None if speed is None else speed.take([int(lane.rstrip("]") or 0)])
        if own is not None and told and not own.free.all():
            rows.append(np.eye(len(made.velocities))[[k]])
            flows.append(own.values)
    if not told:
        return None
    over = np.vstack(rows) if level == 1 else np.vstack(rows) @ made.Mb.value
    velocity = np.linalg.lstsq(over, np.concatenate(flows), rcond=None)[0]
    return made.inertia(level).value @ velocity
