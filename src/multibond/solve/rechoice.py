"""Minimal coordinates on the way: where the independent velocities no longer lead the others, others are chosen.

The velocities of all joints follow from a few, q̇ = M q̇_i (Boudon et al. 2017, eq. 10). A crank that is led by its
slider is lost at the dead point: M grows beyond all bounds there, although the mechanism passes. Well before that the
same machine is compiled with other independent velocities, which go on from the same motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np

from multibond.elements.carried import Dependence, VirtualInertia
from multibond.errors import Finding, SimulationError
from multibond.expr import SX, Function, column
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


@dataclass
class Choices:
    """A machine in minimal coordinates with every choice of independent velocities that it has needed so far."""

    rebuild: Rebuild
    known: dict[tuple[int, ...], System] = field(default_factory=dict)

    def next(self, piece: Piece) -> tuple[System, np.ndarray]:
        """The system that leads on from the end of a piece, and its state there."""
        system, t, x = piece.system, float(piece.trajectory.t[-1]), piece.trajectory.x[-1]
        path, item = _dependence(system)
        G = _value(system, _loops(system, path), t, x).reshape(int(item.rows), int(item.columns))
        kept, dependent = choose(G, _staying(system))
        other = self._system(system, path, with_values(item, kept=tuple(kept), dependent=tuple(dependent)), x)
        M = _leading(system, t, x)
        moved = _moved(other, t, x, (M @ _value(system, _lead(system), t, x))[_independent(other)])
        if np.linalg.norm(_leading(other, t, moved)) * BETTER > np.linalg.norm(M):
            raise _nothing_leads(system, t)
        return other, moved

    def _system(self, system: System, path: str, item: Dependence, x: np.ndarray) -> System:
        key = tuple(int(k) for k in np.ravel(np.array(item.dependent)))
        if key not in self.known:
            held = {(s.path, s.name): x[s.start : s.stop] for s in system.dae.states}
            made, origin = self.rebuild(system, {path: item}, [held]), system.origin
            assert origin is not None
            names = tuple(name for k, name in enumerate(origin.every) if k not in key)
            self.known[key] = replace(made, origin=replace(origin, velocities=names))
        return self.known[key]


def chooses(system: System) -> bool:
    """Whether a system is led by velocities that were chosen among those of its loops."""
    kinds = [type(item) for item in system.dae.graph.elements.values()]
    leads = any(item.independent for _, item in system.dae.graph.of_type(VirtualInertia))
    return system.origin is not None and leads and kinds.count(Dependence) == 1


def guards_of(system: System, events: Mapping[str, tuple[float, int]], t: float, x: np.ndarray) -> Guards:
    """Watched variables, and the border where the choice ends that begins at a state."""
    usual = float(np.sum(_leading(system, t, x) ** 2))
    now = ca.sumsqr(system.observer.expression(f"{_dependence(system)[0]}.M"))
    return compile_guards(system, events, border=now / (GROWN**2 * usual) - 1.0)


def _dependence(system: System) -> tuple[str, Dependence]:
    return next(iter(system.dae.graph.of_type(Dependence)))


def _independent(system: System) -> list[int]:
    return _dependence(system)[1].independent()


def _staying(system: System) -> list[int]:
    """Velocities of what is no joint: they stay independent."""
    assert system.origin is not None
    elements = system.dae.graph.elements
    return [k for k, name in enumerate(system.origin.every) if f"{name.partition('[')[0]}.motion" not in elements]


def _loops(system: System, path: str) -> SX:
    hit = system.dae.graph.signal_at(path, "input")
    assert hit is not None
    whole = system.observer.expression(hit[0].name)
    return whole if hit[1].select is None else whole[list(hit[1].select)]


def _lead(system: System) -> SX:
    """The independent velocities."""
    path = next(path for path, item in system.dae.graph.of_type(VirtualInertia) if item.independent)
    return system.observer.expression(f"{path}.f")


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
    whole, lead = system.reduced.whole, _lead(system)
    path = next(path for path, item in system.dae.graph.of_type(VirtualInertia) if item.independent)
    place = system.dae.place_of_state(path, "p")
    assert place is not None
    momenta = whole.x[place.start : place.stop]
    still = x.copy()
    still[place.start : place.stop] = 0.0
    slope = _value(system, column([ca.vec(ca.jacobian(lead, momenta))]), t, still).reshape(place.size, -1).T
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
