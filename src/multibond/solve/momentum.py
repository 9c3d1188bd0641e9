"""The momentum of the whole machine against the forces from outside: weights, loads, and what the world gives.

All bodies' momenta change by the sum of the efforts that stand at the places of the machine in world axes; what acts
between two of its places cancels there. The reactions of the world are among them, so a wrong sign of one shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.elements import I
from multibond.expr import SX
from multibond.graph.graph import Graph
from multibond.graph.junctions import One, Zero
from multibond.lower.system import System
from multibond.solve.quadrature import NODES, WEIGHTS, values_along
from multibond.solve.solution import Piece, Solution


@dataclass(frozen=True)
class Momentum:
    """Linear momentum along the world's axes: its change but for instants, the impulse of outer forces  [N.s].

    scale: the largest momentum of all bodies, or the impulse turned over, whichever is larger.
    """

    change: tuple[float, ...]
    impulse: tuple[float, ...]
    scale: float

    @property
    def residual(self) -> float:
        """What does not add up, in parts of the scale."""
        left = float(np.abs(np.subtract(self.change, self.impulse)).max())
        return left / self.scale if self.scale > 1e-14 else left


def momentum(run: Solution) -> Momentum | None:
    """The balance of momentum; None where there are no bodies in space, or forces that are not told by one place."""
    change, impulse, turned, largest = np.zeros(3), np.zeros(3), 0.0, 0.0
    for piece in run.pieces:
        system = piece.system
        if system.origin is not None:
            return None
        found = _expressions(system)
        if found is None:
            return None
        sums = _integrated(piece, *found)
        change, impulse = change + sums[0], impulse + sums[1]
        turned, largest = turned + sums[2], max(largest, sums[3])
    return Momentum(tuple(change.tolist()), tuple(impulse.tolist()), max(turned, largest))


def _expressions(system: System) -> tuple[list[SX], list[SX]] | None:
    """Momenta of all bodies, and forces from outside, in world axes."""
    graph, observer = system.dae.graph, system.observer
    bodies = [path for path, item in graph.of_type(I) if _is_linear(graph, path)]
    if not bodies or not all(graph.bonds_of(path)[0].into(path) for path in bodies):
        return None
    places = {frame.translation for frame in graph.frames} | {_junction(graph, path) for path in bodies}
    outer = [path for place in places for path in _ends(graph, place) if path not in bodies]
    if any(len(graph.bonds_of(path)) > 1 for path in outer):
        return None
    momenta = [observer.expression(f"{path}.p") for path in bodies]
    return momenta, [_given_by(graph, path) * observer.expression(f"{path}.e") for path in sorted(set(outer))]


def _is_linear(graph: Graph, path: str) -> bool:
    bond = graph.bonds_of(path)[0]
    return bond.size == 3 and bond.domain.name == "translation"


def _junction(graph: Graph, path: str) -> str:
    bond = graph.bonds_of(path)[0]
    return bond.tail.element if bond.head.element == path else bond.head.element


def _ends(graph: Graph, place: str) -> list[str]:
    """What stands at a place and is no junction."""
    ends = [end.element for bond in graph.bonds_of(place) for end in (bond.tail, bond.head) if end.element != place]
    return [path for path in ends if not isinstance(graph.elements[path], One | Zero)]


def _given_by(graph: Graph, path: str) -> float:
    """Sign with which the effort at an element's bond pushes the place at which it stands."""
    return -1.0 if graph.bonds_of(path)[0].into(path) else 1.0


def _integrated(piece: Piece, momenta: list[SX], forces: list[SX]) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Change of momentum, impulse, impulse turned over, and the largest momentum of all bodies in a piece."""
    run, system = piece.trajectory, piece.system
    ends = values_along(system, momenta, run.t, run.x).reshape(len(momenta), 3, run.t.size)
    change, largest = (ends[..., -1] - ends[..., 0]).sum(axis=0), float(np.abs(ends).sum(axis=(0, 1)).max())
    h = np.diff(run.t)
    if not forces or not h.size:
        return change, np.zeros(3), 0.0, largest
    times, weights = (run.t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel(), (0.5 * h[:, None] * WEIGHTS).ravel()
    force = values_along(system, [ca.vec(f) for f in forces], times, run.at(times)).reshape(len(forces), 3, -1)
    return change, force.sum(axis=0) @ weights, float((np.abs(force) @ weights).sum()), largest
