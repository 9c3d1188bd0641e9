"""Going downhill to a position of rest.

Let go at rest, every joint begins to move along its acceleration, which points down the potential in the metric of the
masses. So first-order states follow x' = f with the accelerations in the place of the speeds; implicit Euler steps that
grow while this rate falls (Kelley and Keyes 1998) end as Newton's method. Displacements that follow the joints (springs
on shafts, angle sensors) move with them and in no other way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibond.elements import FreeMotion, I
from multibond.equations.consistent import Manifold, manifold
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, SimulationError
from multibond.expr import column
from multibond.lower.system import System
from multibond.units import ROTATION, TRANSLATION

STEPS = 600
LONGEST = 0.3
"""No coordinate moves further in one step  [rad, m]."""
ENOUGH = 1e-11


class _View(NamedTuple):
    """At a position: rates of the first-order states with accelerations as speeds, their slopes, and their ways.

    ways: columns, what may move: displacements along the free flows, and states with a rate of their own.
    read: rows, the amounts of these in a change of the first-order states; moves: what unit flows displace.
    """

    rate: np.ndarray
    slope: np.ndarray
    ways: np.ndarray
    read: np.ndarray
    moves: np.ndarray

    @property
    def finite(self) -> bool:
        return all(np.isfinite(part).all() for part in self)


class Descent:
    """One search; states are split into those that move at once and flows of mass, which are at rest."""

    def __init__(self, system: System) -> None:
        r = system.reduced
        self.system, self.p, self.n = system, system.parameters, system.n
        self.slopes = Slopes(r)
        self.rates = self.slopes.derivative(r.whole.xdot)
        self.shape: Manifold = manifold(r.dae, r.whole, column([r.hidden_positions]), column([r.hidden_flows]))
        self.second = _flows(system)
        self.first = np.setdiff1d(np.arange(self.n), self.second)
        at = {int(k): i for i, k in enumerate(self.first)}
        self.own = [at[int(k)] for k in self.shape.positions]
        self.others = [i for i in range(self.first.size) if i not in set(self.own)]
        self.nothing = np.zeros(self.n, bool)

    def run(self) -> np.ndarray:
        """Go downhill from the start until nothing moves."""
        x = self.system.x0.copy()
        x[self.second] = 0.0
        view, calm = self._look(x), 0
        step = 0.1 / max(float(np.abs(view.rate).max(initial=0.0)), 1e-300)
        for _ in range(STEPS):
            if not view.finite:
                break
            change = self._change(view, step)
            trial = self._settled(x + change, view)
            fresh = self._look(trial)
            if not fresh.finite:
                step *= 0.2
                continue
            before, after = np.linalg.norm(view.rate), np.linalg.norm(fresh.rate)
            x, view = trial, fresh
            step *= float(np.clip(before / max(after, 1e-300), 0.2, 10.0))
            calm = calm + 1 if np.abs(change).max(initial=0.0) <= ENOUGH else 0
            if calm >= 2 or after == 0.0:
                break
        return self._checked(x)

    def directions(self, x: np.ndarray) -> np.ndarray:
        """Orthonormal directions in which the machine may move about a position of rest, flows included."""
        view, (_, by_flow), free = self._look(x), self._still(x), self._free_flows(x)
        count = view.ways.shape[1]
        found = np.zeros((self.n, count + free.shape[1]))
        found[self.first, :count] = view.ways
        found[self.second, :count] = by_flow @ view.ways
        found[self.second, count:] = free
        return np.linalg.qr(found)[0] if found.size else found

    def _look(self, x: np.ndarray) -> _View:
        one, two = self.first, self.second
        flow, by_flow = self._still(x)
        at = x.copy()
        at[two] = flow
        f, A = self.rates(at, self.p)
        moving = at.copy()
        moving[two] = flow + f[two]
        by_moving = by_flow + A[np.ix_(two, one)] + A[np.ix_(two, two)] @ by_flow
        g, B = self.rates(moving, self.p)
        moves = B[np.ix_(one, two)]
        slope = B[np.ix_(one, one)] + moves @ by_moving
        return _View(g[one], slope, *self._ways(moves @ self._free_flows(x), B[np.ix_(one, one)]), moves)

    def _ways(self, along: np.ndarray, direct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Columns that may move, and rows that read how far; followers of the flows have no column of their own."""
        alive = [i for i in self.others if np.abs(direct[i]).max(initial=0.0) > 0]
        axes = np.eye(self.first.size)[:, alive]
        if not np.isfinite(along).all():
            return np.hstack([along, axes]), np.hstack([along, axes]).T
        lead = np.zeros((along.shape[1], self.first.size))
        lead[:, self.own] = np.linalg.pinv(along[self.own], rcond=1e-10)
        return np.hstack([along, axes]), np.vstack([lead, axes.T - along[alive] @ lead])

    def _free_flows(self, x: np.ndarray) -> np.ndarray:
        """Flows that the constraints leave free, as columns."""
        slope = np.asarray(self.shape.flow_conditions(0.0, x, self.p)[1])[:, self.second]
        if not slope.size:
            return np.eye(self.second.size)
        _, sizes, ways = np.linalg.svd(slope)
        return ways[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :].T

    def _still(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The slowest flows that massless dampers and drives allow, and their slopes."""
        x = x.copy()
        x[self.second] = 0.0
        value, slope = (np.asarray(v) for v in self.shape.flow_conditions(0.0, x, self.p))
        if not value.size:
            return np.zeros(self.second.size), np.zeros((self.second.size, self.first.size))
        inverse = np.linalg.pinv(slope[:, self.second], rcond=1e-10)
        return -inverse @ value[:, 0], -inverse @ slope[:, self.first]

    def _change(self, view: _View, step: float) -> np.ndarray:
        """An implicit step along the ways, never so long that it could go uphill."""
        J = view.read @ view.slope @ view.ways
        rising = float(np.linalg.eigvals(J).real.max(initial=0.0)) if J.size else 0.0
        step = min(step, 1e14, 0.5 / rising if rising > 1e-9 * np.abs(J).max(initial=0.0) else np.inf)
        amounts = np.linalg.lstsq(np.eye(J.shape[0]) / step - J, view.read @ view.rate, rcond=None)[0]
        moved = view.ways @ amounts
        longest = float(np.abs(moved[self.own]).max(initial=0.0))
        change = np.zeros(self.n)
        change[self.first] = moved * min(1.0, LONGEST / longest) if longest > 0 else moved
        return change

    def _settled(self, x: np.ndarray, view: _View) -> np.ndarray:
        """Close the loops again; what follows the joints follows that motion too."""
        closed, _ = self.shape.settle_positions(x, self.p, self.nothing)
        back = (closed - x)[self.shape.positions]
        if self.others and np.abs(back).max(initial=0.0) > 0:
            way = np.linalg.lstsq(view.moves[self.own], back, rcond=1e-10)[0]
            closed[self.first[self.others]] += view.moves[self.others] @ way
        return closed

    def _checked(self, x: np.ndarray) -> np.ndarray:
        """The state, unless something still moves."""
        x = x.copy()
        x[self.second] = self._still(x)[0]
        left = np.abs(self.rates(x, self.p)[0])
        size = max(1.0, float(np.abs(self.slopes.unknowns(x, self.p)).max(initial=0.0)))
        if np.isfinite(left).all() and left.max(initial=0.0) <= 1e-8 * size:
            return x
        worst = int(np.argmax(np.where(np.isfinite(left), left, np.inf)))
        raise SimulationError(_nowhere(self.system, worst, float(left[worst])))


def _flows(system: System) -> np.ndarray:
    """States that are flows of mass: speeds of joints and momenta of moving parts."""
    found, graph = [], system.dae.graph
    for place in system.dae.states:
        moving = place.kind == "storage" and isinstance(graph.elements.get(place.path), I)
        if moving:
            moving = all(b.domain in (ROTATION, TRANSLATION) for b in graph.bonds_of(place.path))
        if place.kind == "flow" or moving:
            found += list(place.range)
    return np.array(found, int)


def _nowhere(system: System, worst: int, rate: float) -> Finding:
    place = next(s for s in system.dae.states if worst in s.range)
    own = system.state_names[worst].removeprefix(f"{place.path}.{place.name}")
    moving = place.name in ("q", "u") and isinstance(system.dae.graph.elements.get(place.path), FreeMotion)
    name = f"{system.dae.graph.joint(place.path)}{own}" if moving else system.state_names[worst]
    fact = f"From the start it goes on moving: {name!r} still changes by {rate:.3g} a second."
    cure = "Hold it by a spring, a stop or a given force, or begin nearer to the position of rest."
    return Finding("no static equilibrium was found.", fact, cure, (name,))
