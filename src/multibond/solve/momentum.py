"""The momentum of the whole machine against the forces from outside: weights, loads, and what the world gives.

All bodies' momenta change by the sum of the efforts that stand at the places of the machine in world axes; what acts
between two of its places cancels there. The reactions of the world are among them, so a wrong sign of one shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.border import public
from multibond.elements import MTF, I
from multibond.expr import SX
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import One, Wires, Zero
from multibond.lower.system import System
from multibond.solve.quadrature import NODES, WEIGHTS, numbers_within, values_along
from multibond.solve.solution import Piece, Solution
from multibond.structure.bodies import LEVER, masses


@public
@dataclass(frozen=True)
class Momentum:
    """Linear momentum along the world's axes, three or two: its change but for instants, the impulse of outer forces
    [N.s].

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
    """The balance of momentum; None where there are no bodies, or forces that are not told by one place.

    A machine that is partly in a plane and partly in space has none either.
    """
    change, impulse, turned, largest = np.zeros(1), np.zeros(1), 0.0, 0.0
    for piece in run.pieces:
        found = _expressions(_as_drawn(piece.system))
        if found is None:
            return None
        sums = _integrated(run, piece, *found)
        change, impulse = change + sums[0], impulse + sums[1]
        turned, largest = turned + sums[2], max(largest, sums[3])
    return Momentum(tuple(change.tolist()), tuple(impulse.tolist()), max(turned, largest))


def _as_drawn(system: System) -> System:
    """The system that knows the places of the machine: minimal coordinates know none."""
    return system if system.origin is None else system.origin.beside(system)


def _expressions(system: System) -> tuple[list[SX], list[SX]] | None:
    """Momenta of all bodies, and forces from outside, in world axes."""
    graph, observer = system.dae.graph, system.observer
    flat = not graph.frames
    bodies = list(masses(graph)) if flat else [path for path, _ in graph.of_type(I) if _is_linear(graph, path)]
    if not bodies or (graph.frames and graph.planes):
        return None
    if not all(graph.bonds_of(path)[0].into(path) for path in bodies):
        return None
    places = {frame.junctions[-1] for frame in (*graph.frames, *graph.planes)}
    places = _with_junctions(graph, places | {graph.bonds_of(path)[0].other(path).element for path in bodies})
    outer = {path: place for place in sorted(places) for path in _ends(graph, place) if path not in bodies}
    if not all(_is_outside(graph, path, place) for path, place in outer.items()):
        return None
    along = slice(0, 2 if flat else 3)
    momenta = [observer.expression(f"{path}.p")[along] for path in bodies]
    told = [(_effort(graph, path, outer[path]), _given_by(graph, path, outer[path])) for path in sorted(outer)]
    return momenta, [sign * observer.expression(name)[along] for name, sign in told]


def _is_linear(graph: Graph, path: str) -> bool:
    bond = graph.bonds_of(path)[0]
    return bond.size == 3 and bond.domain.name == "translation"


def _with_junctions(graph: Graph, places: set[str]) -> set[str]:
    """The places and the 1-junctions bonded to them, which have their flow: forces on these are forces on the place."""
    found, ahead = set(places), sorted(places)
    while ahead:
        place = ahead.pop()
        beside = {bond.other(place).element for bond in graph.bonds_of(place)} - found
        fresh = sorted(path for path in beside if isinstance(graph.elements[path], One))
        found |= set(fresh)
        ahead += fresh
    return found


def _ends(graph: Graph, place: str) -> list[str]:
    """What stands at a place and passes no force on to another: no junction, and no lever of a body in the plane."""
    ends = [end.element for bond in graph.bonds_of(place) for end in (bond.tail, bond.head) if end.element != place]
    return [path for path in ends if not _passes_force(graph.elements[path])]


def _passes_force(item: Element) -> bool:
    return isinstance(item, One | Zero) or (isinstance(item, MTF) and item.two_way() == LEVER)


def _is_outside(graph: Graph, path: str, place: str) -> bool:
    """Whether what an element gives to a place comes from no other one: it, or what it puts together, ends there."""
    bonds = graph.bonds_of(path)
    if len(bonds) == 1:
        return True
    behind = [bond.other(path).element for bond in bonds if bond.other(path).element != place]
    alone = len(behind) == len(bonds) - 1 and all(len(graph.bonds_of(other)) == 1 for other in behind)
    return alone and isinstance(graph.elements[path], Wires)


def _effort(graph: Graph, path: str, place: str) -> str:
    """The name of the effort at an element's bond to a place."""
    bonds = graph.bonds_of(path)
    return f"{path}.e" if len(bonds) == 1 else f"{path}.{_bond(graph, path, place).end(path).port}.e"


def _given_by(graph: Graph, path: str, place: str) -> float:
    """Sign with which the effort at an element's bond pushes the place at which it stands."""
    return -1.0 if _bond(graph, path, place).into(path) else 1.0


def _bond(graph: Graph, path: str, place: str) -> Bond:
    return next(bond for bond in graph.bonds_of(path) if bond.other(path).element == place)


def _integrated(
    run: Solution, piece: Piece, momenta: list[SX], forces: list[SX]
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Change of momentum, impulse, impulse turned over, and the largest momentum of all bodies in a piece."""
    t, axes = piece.trajectory.t, momenta[0].numel()
    ends = _along(run, piece, momenta, t).reshape(len(momenta), axes, t.size)
    change, largest = (ends[..., -1] - ends[..., 0]).sum(axis=0), float(np.abs(ends).sum(axis=(0, 1)).max())
    h = np.diff(t)
    if not forces or not h.size:
        return change, np.zeros(axes), 0.0, largest
    times, weights = (t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel(), (0.5 * h[:, None] * WEIGHTS).ravel()
    force = _along(run, piece, forces, times).reshape(len(forces), axes, -1)
    return change, force.sum(axis=0) @ weights, float((np.abs(force) @ weights).sum()), largest


def _along(run: Solution, piece: Piece, expressions: list[SX], times: np.ndarray) -> np.ndarray:
    """Expressions of the machine as drawn along a piece."""
    system, x = piece.system, piece.trajectory.at(times)
    if system.origin is not None:
        system, x = run.original(piece, times)
    ends = system is piece.system and system.dae.clocked and times is piece.trajectory.t
    return values_along(system, expressions, times, x, numbers_within([piece.trajectory]) if ends else None)
