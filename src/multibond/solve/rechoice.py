"""Minimal coordinates on the way: where the independent velocities no longer lead the others, others are chosen.

The velocities of all joints follow from a few, q̇ = M q̇_i (Boudon et al. 2017, eq. 10). A crank that is led by its
slider is lost at the dead point: M grows beyond all bounds there, although the mechanism passes. Well before that the
same machine is compiled with other independent velocities, which go on from the same motion. Where the conditions of
loops depend on one another, as when all hinges of a parallelogram come into line, no choice serves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.elements.carried import Dependence, VirtualInertia, as_matrix
from multibond.errors import Finding, SimulationError
from multibond.expr import SX, Function
from multibond.lower.system import System
from multibond.rewrite.assembly import choose
from multibond.rewrite.edit import with_values
from multibond.solve.guards import Guards, compile_guards
from multibond.solve.solution import Piece
from multibond.solve.stretch import Rebuild

GROWN = 30.0
"""M may grow to so many times its size at the start of a choice."""
BETTER = 3.0
"""A new choice is worth it where M becomes smaller by this factor."""
THIN = 1e-3
"""Where the determinant behind M falls to this part of its size at the start of a choice, the loops are looked at."""
LOST = 1e-2
"""The least singular value of the loops' conditions has this fraction of its size then where they depend on another."""


@dataclass
class Choices:
    """A machine in minimal coordinates with every choice of independent velocities that it has needed so far."""

    rebuild: Rebuild
    known: dict[tuple[tuple[int, ...], ...], System] = field(default_factory=dict)

    def next(self, piece: Piece) -> tuple[System, np.ndarray]:
        """The system that leads on from the end of a piece, and its state there."""
        system, run = piece.system, piece.trajectory
        t, x, (path, item) = float(run.t[-1]), run.x[-1], _dependence(system)
        if _hold(system, t, x) < LOST * _hold(system, float(run.t[0]), run.x[0]):
            raise _nothing_leads(system, t)
        kept, dependent = choose(_conditions(system, t, x), _staying(system))
        if tuple(dependent) == _indices(item.dependent):
            return system, x
        M = _leading(system, t, x)
        velocities = M @ _value(system, _lead(system), t, x)
        changed = with_values(item, kept=tuple(kept), dependent=tuple(dependent))
        self.known.setdefault(_key(item), system)
        if _key(changed) not in self.known:
            fresh = self._built(system, path, changed, x)
            self.known[_key(changed)] = replace(fresh, x0=_moved(fresh, t, x, velocities[_independent(fresh)]))
        other = self.known[_key(changed)]
        moved = _moved(other, t, x, velocities[_independent(other)])
        if np.linalg.norm(_leading(other, t, moved)) * BETTER > np.linalg.norm(M):
            raise _nothing_leads(system, t)
        return other, moved

    def _built(self, system: System, path: str, item: Dependence, x: np.ndarray) -> System:
        made, origin = self.rebuild(system, {path: item}, [system.dae.energy_variables(x)]), system.origin
        assert origin is not None
        names = tuple(name for k, name in enumerate(origin.every) if k not in _indices(item.dependent))
        return replace(made, origin=replace(origin, velocities=names))


def _indices(given: Any) -> tuple[int, ...]:
    return tuple(int(k) for k in np.ravel(np.asarray(given)))


def _key(item: Dependence) -> tuple[tuple[int, ...], ...]:
    return _indices(item.kept), _indices(item.dependent)


def chooses(system: System) -> bool:
    """Whether a system is led by velocities that were chosen among those of its loops."""
    kinds = [type(item) for item in system.dae.graph.elements.values()]
    leads = any(item.independent for _, item in system.dae.graph.of_type(VirtualInertia))
    return system.origin is not None and leads and kinds.count(Dependence) == 1


def guards_of(system: System, events: Mapping[str, tuple[float, int]], t: float, x: np.ndarray) -> Guards:
    """Watched variables, and the border where the choice ends that begins at a state."""
    path, item = _dependence(system)
    G = as_matrix(_loops(system, path), int(item.rows), int(item.columns))
    square = G[list(_indices(item.kept)), list(_indices(item.dependent))]
    volume = prod(ca.vertsplit(ca.diag(ca.qr(square)[1])), start=SX(1))
    usual = float(np.sum(_leading(system, t, x) ** 2)), float(_value(system, volume, t, x)[0])
    grown = ca.sumsqr(system.observer.expression(f"{path}.M")) / (GROWN**2 * usual[0]) - 1.0
    return compile_guards(system, events, border=ca.fmax(grown, 1.0 - (volume / (THIN * usual[1])) ** 2))


def _conditions(system: System, t: float, x: np.ndarray) -> np.ndarray:
    """G of the loops' conditions G q̇ = 0."""
    path, item = _dependence(system)
    return _value(system, _loops(system, path), t, x).reshape(int(item.rows), int(item.columns))


def _hold(system: System, t: float, x: np.ndarray) -> float:
    """The least singular value of the conditions that counts, over the largest."""
    values = np.linalg.svd(_conditions(system, t, x), compute_uv=False)
    return float(values[len(_indices(_dependence(system)[1].kept)) - 1] / values[0])


def _dependence(system: System) -> tuple[str, Dependence]:
    return next(iter(system.dae.graph.of_type(Dependence)))


def _independent(system: System) -> list[int]:
    return _dependence(system)[1].independent()


def _staying(system: System) -> list[int]:
    """Velocities of what is no joint: they stay independent."""
    assert system.origin is not None
    graph = system.dae.graph
    joints = {graph.joint(path) for path, _ in graph.of_type(FreeMotion)}
    return [k for k, name in enumerate(system.origin.every) if name.partition("[")[0] not in joints]


def _loops(system: System, path: str) -> SX:
    hit = system.dae.graph.signal_at(path, "input")
    assert hit is not None
    whole = system.observer.expression(hit[0].name)
    return whole if hit[1].select is None else whole[list(hit[1].select)]


def _lead(system: System) -> SX:
    """The independent velocities."""
    return system.observer.expression(f"{_leader(system)}.f")


def _leader(system: System) -> str:
    """The virtual inertia that gives them."""
    return next(path for path, item in system.dae.graph.of_type(VirtualInertia) if item.independent)


def _leading(system: System, t: float, x: np.ndarray) -> np.ndarray:
    path, item = _dependence(system)
    M = _value(system, system.observer.expression(f"{path}.M"), t, x)
    return M.reshape(int(item.columns), len(item.independent()))


def _value(system: System, expression: SX, t: float, x: np.ndarray) -> np.ndarray:
    whole = system.reduced.whole
    function = Function("value", [whole.t, whole.x, whole.p], [ca.densify(expression)])
    return np.asarray(function(t, x, system.parameters)).ravel()


def _moved(system: System, t: float, x: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """A state in the same position with momenta, in which velocities are linear, for given independent velocities."""
    lead, place = _lead(system), system.dae.place_of_state(_leader(system), "p")
    assert place is not None
    still = x.copy()
    still[place.start : place.stop] = 0.0
    slope = ca.jacobian(lead, system.reduced.whole.x[place.start : place.stop])
    slope = _value(system, ca.vec(slope), t, still).reshape(place.size, -1).T
    still[place.start : place.stop] = np.linalg.solve(slope, wanted - _value(system, lead, t, still))
    return still


def _nothing_leads(system: System, t: float) -> SimulationError:
    assert system.origin is not None
    joints = sorted({name.partition("[")[0] for name in system.origin.velocities})
    problem = f"minimal coordinates end at {t:.6g} s."
    fact = (
        f"The loops are singular there: the motion of {', '.join(map(repr, joints))} no longer decides that of others."
    )
    cure = "Simulate with method 'auto', which passes such positions, or begin elsewhere."
    return SimulationError(Finding(problem, fact, cure, tuple(joints)))
