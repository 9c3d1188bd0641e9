"""The start of a machine without a run: where all joints stand, how they move, what was moved, what is left free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond import pipeline
from multibond.border import public
from multibond.equations.consistent import Manifold, manifold
from multibond.equations.dae import Dae, Whole, build, inline
from multibond.equations.observe import Observer
from multibond.equations.reduce import Reduced
from multibond.errors import Finding, ModelError
from multibond.expr import column
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.mechanics.places import joint_values, told, value_of
from multibond.report import Item, Report
from multibond.rewrite.floating import join_floating
from multibond.solve.given import Given, collect
from multibond.solve.initial import conditions_at, relaxed_start
from multibond.structure.causality import assign
from multibond.structure.tree import span

METHODS = ("auto", "relax")


@public
@dataclass(frozen=True)
class Assembly(Report):
    """The start: coordinates and speeds of all joints by name, and how it was found.

    moved: in words what was set or moved. mobility: number of independent motions. undecided: how many coordinates
    could still be given; they stay nearest to their guesses.
    """

    x: np.ndarray
    positions: dict[str, Any]
    speeds: dict[str, Any]
    moved: tuple[str, ...]
    mobility: int
    undecided: int

    def __getitem__(self, name: str) -> Any:
        return value_of(self.positions | self.speeds, name)

    def description(self) -> list[Item]:
        """Where everything stands, and what was moved for it."""
        lines = [f"positions: {told(self.positions)}", f"speeds: {told(self.speeds)}"]
        lines += [f"moved: {line}" for line in self.moved]
        return [*lines, f"mobility {self.mobility}, coordinates that may still be given: {self.undecided}"]

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and names."""
        values = {n: np.asarray(v).tolist() for n, v in (self.positions | self.speeds).items()}
        facts = {"moved": list(self.moved), "mobility": self.mobility, "undecided": self.undecided}
        return {"values": values} | facts


def assemble(model: Model | Graph, *, method: str = "auto") -> Assembly:
    """Find the start of a model: given values exact, guesses moved as little as possible, loops closed.

    method: "auto" for Newton's method, with springs in the place of constraints where that fails; "relax" for these
    alone. Raises an error that names the joints that cannot meet.

    >>> print(assemble(four_bar))
    """
    if method not in METHODS:
        raise ModelError(Finding(f"there is no method {method!r}.", f"Methods: {', '.join(METHODS)}.", "Choose one."))
    if method == "relax":
        return _relaxed(model)
    made = pipeline.stages(model)
    return _assembly(made.dae, made.reduced.whole, made.start.x, made.start.moved, made.reduced)


def _relaxed(model: Model | Graph) -> Assembly:
    graph, lines = pipeline.with_found(model)
    graph = join_floating(graph)
    tree = span(graph)
    dae = build(graph, tree, assign(graph, tree))
    whole = inline(dae)
    found = relaxed_start(dae, whole, dae.parameter_values)
    return _assembly(dae, whole, found.x, (*lines, *found.moved))


def _assembly(
    dae: Dae, whole: Whole, x: np.ndarray, moved: tuple[str, ...], reduced: Reduced | None = None
) -> Assembly:
    p, observer = dae.parameter_values, Observer(dae, whole)
    given = collect(dae, whole, p, False)
    shape = manifold(dae, whole, column(given.positions))
    flows = [k for s in dae.states if s.kind == "flow" for k in s.range]
    holding = np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, flows]
    q, u = (joint_values(observer, x, p, what) for what in ("q", "f"))
    return Assembly(x, q, u, moved, len(flows) - _rank(holding), _undecided(given, shape, x, p, reduced))


def _undecided(given: Given, shape: Manifold, x: np.ndarray, p: np.ndarray, reduced: Reduced | None) -> int:
    """In how many ways coordinates that are not given can still change, given accelerations kept too."""
    free = [k for k in (*shape.positions, *shape.flows) if not given.fixed[k]]
    if given.accelerations and reduced is not None:
        slope = conditions_at(reduced, p)[2](x)[1][:, free]
    else:
        slope = np.asarray(shape.position_conditions(0.0, x, p)[1])[:, free]
    if not free or not slope.size:
        return sum(not given.fixed[k] for k in shape.positions)
    ways = np.linalg.svd(slope)[2][_rank(slope) :]
    return _rank(ways[:, [i for i, k in enumerate(free) if k in set(shape.positions)]])


def _rank(matrix: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(matrix, 1e-9 * max(1.0, float(np.abs(matrix).max())))) if matrix.size else 0
