"""A system in one set of modes, with everything its instants need: guards, jumps, samples, and the state by name.

When a mode changes, what goes over into the new system are the energy variables by name (momenta, displacements, joint
coordinates and speeds). Where the new mode forbids what they say (a clutch closes, a switch shorts two capacitors), an
impulse makes them agree: the balances of the new system, integrated over the instant, in which only storages and held
flows take part. Momentum and charge that nothing takes away are kept by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.equations.buffered import Buffered
from multibond.equations.instants import Instants, instants, known
from multibond.equations.slopes import solved
from multibond.errors import Finding, SimulationError
from multibond.expr import SX, Function, column, section
from multibond.lower.system import System, filled, total_derivative
from multibond.solve.contract import Trajectory
from multibond.solve.exact import Conditions

Values = dict[tuple[str, str], np.ndarray]
"""Energy variables by element and state."""

PARTS = 8
"""Looks at the guards within a step, to find those that rise above zero and fall again."""
LOOKS, GOLDEN = 200, 0.6180339887498949
"""Times at which guards are looked at for how fast they move, spread so that no period fits them."""
NEWTON_STEPS = 12
"""Storages with laws that are not linear may take a few steps to agree; linear ones take one."""


@dataclass(frozen=True)
class Jump:
    """The state after an instant, and the impulsive part of each guard (which outweighs its finite value)."""

    x: np.ndarray
    guards: np.ndarray


@dataclass(frozen=True)
class Samples:
    """Held states in the order of their updates: places in the state, which are outputs, their periods.

    chained: whether a renewal reads outputs that are renewed at the same instant. every: all of them.
    """

    places: np.ndarray
    outputs: np.ndarray
    periods: np.ndarray
    chained: bool
    every: np.ndarray


@dataclass(frozen=True)
class Mode:
    """A compiled system in one set of modes."""

    system: System
    modes: dict[str, str]

    @cached_property
    def instants(self) -> Instants:
        """Guards, kinks, samples and impulses as expressions."""
        return instants(self.system.reduced)

    # -- the state by name -----------------------------------------------------------------------------------------

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        places = [(s.path, s.name) for s in self.system.dae.states]
        return list(dict.fromkeys([*places, *((path, state) for path, state, _ in self.instants.dependents)]))

    @cached_property
    def _read(self) -> Function:
        return self._function([self._kept(path, name) for path, name in self._names])

    def _kept(self, path: str, name: str) -> SX:
        """A state as it is kept, angles without the turns that they leave out; a variable where it is no state."""
        dae, value = self.system.dae, self.system.observer.expression(f"{path}.{name}")
        place, p = dae.place_of_state(path, name), self.system.reduced.whole.p
        if place is None or not any(angle.state in place.range for angle in dae.angles):
            return value
        turns = section(p, dae.turns.start, dae.turns.stop)
        return ca.substitute(value, turns, SX.zeros(turns.numel()))

    def _function(self, expressions: list[SX]) -> Function:
        whole = self.system.reduced.whole
        return Function("of", [whole.t, whole.x, whole.y, whole.p], [ca.densify(e) for e in expressions])

    def _call(self, function: Function, t: float, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        return [np.asarray(v) for v in function.call([t, ca.DM(x), ca.DM(y), self.numbers])]

    @property
    def numbers(self) -> ca.DM:
        """The parameters as they are now: inputs given from outside change them."""
        return ca.DM(self.system.parameters)

    def conditions(self) -> Conditions | None:
        """What is known by time, with the parameters as they are now; None where nothing is."""
        r = self.system.reduced
        parts = known(r.dae, r.whole)
        return Conditions(parts, r.whole.t, r.whole.p, self.system.parameters) if parts else None

    def unknowns(self, t: float, x: np.ndarray) -> np.ndarray:
        """All unknowns at a state."""
        return self.system.unknowns_at(t, x)

    def values(self, t: float, x: np.ndarray) -> Values:
        """The energy variables at a state."""
        found = self._call(self._read, t, x, self.unknowns(t, x))
        return {name: v.ravel() for name, v in zip(self._names, found, strict=True)}

    def halfway(self, stretch: Trajectory) -> Values:
        """The energy variables in the middle of a stretch in this mode."""
        middle = 0.5 * float(stretch.t[0] + stretch.t[-1])
        return self.values(middle, stretch.at([middle])[0])

    def take(self, values: Values) -> np.ndarray:
        """The state that holds given energy variables."""
        x = np.zeros(self.system.n)
        for place in self.system.dae.states:
            whole = values[place.path, place.name]
            x[place.start : place.stop] = whole[list(place.lanes)] if place.lanes else whole
        return x

    # -- jumps -----------------------------------------------------------------------------------------------------

    @cached_property
    def _impulse(self) -> Function:
        r, i = self.system.reduced, self.instants
        errors = [SX(0)] * r.dae.ny
        for k, value in zip(r.kept, ca.vertsplit(r.flow_errors) if r.kept else [], strict=True):
            errors[k] = value
        parts = [ca.jacobian(r.residual, r.whole.y), i.push, column(errors), i.stored]
        return self._function([*parts, i.rate_y, i.rate_j, i.guard_y, i.guard_j])

    @cached_property
    def _rates(self) -> list[tuple[int, int]]:
        """Unknowns that are rates, and the states whose rates they are."""
        dae = self.system.dae
        pairs = []
        for unknown in dae.unknowns:
            state = dae.place_of_state(unknown.path, unknown.name) if unknown.kind == "rate" else None
            if state is not None:
                pairs += list(zip(unknown.range, state.range, strict=True))
        return pairs

    def jump(self, t: float, values: Values) -> Jump:
        """Go over into this mode with given energy variables: the least impulse that makes them agree."""
        before, kept = self.take(values), list(self.system.reduced.kept)
        held = np.array([values[path, state][k] for path, state, k in self.instants.dependents])
        storages = {k for s in self.system.dae.states if s.kind == "storage" for k in s.range}
        x, guards = before.copy(), np.zeros(len(self.instants.switches))
        for _ in range(NEWTON_STEPS):
            y = self.unknowns(t, x)
            found = self._call(self._impulse, t, x, np.where(np.isfinite(y), y, 0.0))
            slope, push, errors, stored, rate_y, rate_j, guard_y, guard_j = found
            gap = stored.ravel() - held
            pushed = -(push @ gap + errors.ravel())
            for k, s in self._rates:
                pushed[k] += x[s] - before[s] if s in storages else 0.0
            impulse = np.zeros(pushed.size)
            if not (np.isfinite(slope).all() and np.isfinite(pushed).all()):
                return Jump(x, np.full(guards.size, np.nan))
            if kept:
                impulse[kept] = solved(slope[np.ix_(kept, kept)], pushed[kept], self.system.reduced.deficit)
            fresh = before + _times(rate_y, impulse) + _times(rate_j, gap)
            for k, s in self._rates:
                fresh[s] = x[s] + impulse[k]
            change, x, guards = fresh - x, fresh, guard_y @ impulse + guard_j @ gap
            counted = ~self.system.silent
            if np.abs(change[counted]).max(initial=0.0) <= 1e-13 * np.abs(x[counted]).max(initial=1e-300):
                break
        return Jump(x, guards)

    # -- guards ----------------------------------------------------------------------------------------------------

    @cached_property
    def _guards(self) -> Buffered:
        """Guards and their slopes by states and unknowns, one below the other."""
        r, i = self.system.reduced, self.instants
        slopes = [ca.jacobian(i.switch_when, r.whole.x), ca.jacobian(i.switch_when, r.whole.y)]
        return Buffered(self._function([column([i.switch_when, *(ca.vec(ca.densify(s)) for s in slopes)])]))

    def rounding(self, t: float, values: Values, path: str, mode: str) -> float:
        """How far a rounding of the state could shift the guard that leads an element into a mode."""
        _, shifts = self.guards(t, self.take(values), float(np.finfo(float).eps), 0.0)
        return float(max(s for switch, s in zip(self.instants.switches, shifts, strict=True) if switch == (path, mode)))

    def guards(self, t: float, x: np.ndarray, rtol: float, atol: float) -> tuple[np.ndarray, np.ndarray]:
        """The guards of modes at a state, and how far an error of the integrator could shift each."""
        y, count = self.unknowns(t, x), len(self.instants.switches)
        found = self._guards(t, x, y, self.system.parameters)
        value, slopes = found[:count], found[count:]
        by_x = slopes[: count * x.size].reshape((count, x.size), order="F")
        by_y = slopes[count * x.size :].reshape((count, y.size), order="F")
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(by_x) @ (rtol * np.abs(x) + atol) + np.abs(by_y) @ (rtol * np.abs(y) + atol)
        return value, near + 1e-300

    def strained(self, t: float, x: np.ndarray, rtol: float, atol: float) -> list[str]:
        """Elements with modes whose flow should be held at zero and is not."""
        dae = self.system.dae
        found = self.system.reduced.shape.flow_conditions(t, x, self.system.parameters)
        flow, slope = (np.asarray(v) for v in found)
        near = np.abs(slope) @ (rtol * np.abs(x) + atol) + atol
        holders = [u.path for u in dae.unknowns if u.kind == "multiplier" for _ in u.range]
        slips = zip(holders, np.abs(flow.ravel()) > near, strict=True)
        return [path for path, slipping in slips if slipping and path in self.modes]

    def impulse_tolerance(self, jump: Jump, rtol: float, atol: float) -> float:
        """Impulses below this come from rounding."""
        return rtol * 1e-3 * float(np.abs(jump.x[~self.system.silent]).max(initial=0.0)) + atol

    def ahead(self, t: float, x: np.ndarray, step: float) -> np.ndarray:
        """The state a little later, by one step of the classical method of order 4."""
        f = self.system.derivative
        k1 = f(x, t=t)
        k2 = f(x + 0.5 * step * k1, t=t + 0.5 * step)
        k3 = f(x + 0.5 * step * k2, t=t + 0.5 * step)
        k4 = f(x + step * k3, t=t + step)
        return x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def flow(self, path: str, t: float, x: np.ndarray) -> np.ndarray:
        """The flow into an element."""
        if path not in self._flows:
            self._flows[path] = self._function([self.system.observer.expression(f"{path}.f")])
        return self._call(self._flows[path], t, x, self.unknowns(t, x))[0].ravel()

    @cached_property
    def _flows(self) -> dict[str, Function]:
        return {}

    def missed(self, run: Trajectory) -> float | None:
        """The first time in a stretch at which a guard peeps above zero between two looks of the integrator."""
        if not self.instants.switches or run.t.size < 2:
            return None
        parts = np.linspace(0.0, 1.0, PARTS, endpoint=False)
        times = np.append((run.t[:-1, None] + np.diff(run.t)[:, None] * parts).ravel(), run.t[-1])
        value = self.guards_along(run, times)
        top = (value[1:-1] >= value[:-2]) & (value[1:-1] > value[2:]) & (value[1:-1] < 0)
        found = []
        for k, j in np.argwhere(top):
            near = np.linspace(times[k], times[k + 2], 65)
            peak = self.guards_along(run, near)[:, j]
            if peak.max() > 0:
                found.append(float(near[int(peak.argmax())]))
        return min(found, default=None)

    def guards_along(self, run: Trajectory, times: np.ndarray) -> np.ndarray:
        """Guards of modes along a stretch, one row a time."""
        x, system = run.at(times), self.system
        p = np.repeat(system.parameters[:, None], times.size, axis=1)
        y = system.unknowns(times, x)
        return np.asarray(self._plain_guards.map(times.size)(times[None, :], x.T, y, p)).T

    @cached_property
    def _plain_guards(self) -> Function:
        return self._function([self.instants.switch_when])

    @cached_property
    def _drift(self) -> Function | None:
        """Guards and kinks, and how fast time alone moves them; None where it does not."""
        r, i = self.system.reduced, self.instants
        values = column([i.switch_when, i.edge_where])
        rate = total_derivative(r, values, r.whole.t)
        return None if rate.is_zero() else self._function([filled(r, values), rate])

    def longest_step(self, t: float, end: float, x: np.ndarray) -> float:
        """The step beyond which a guard that time alone moves could swing to and fro unseen  [s]."""
        if self._drift is None:
            return np.inf
        times = t + (end - t) * (np.arange(LOOKS) * GOLDEN % 1.0)
        states = np.repeat(x[None, :], LOOKS, axis=0)
        y = self.system.unknowns(times, states)
        p = np.repeat(self.system.parameters[:, None], LOOKS, axis=1)
        found = self._drift.map(LOOKS)(times[None, :], states.T, np.nan_to_num(y), p)
        value, rate = (np.nan_to_num(np.abs(np.asarray(v))).max(axis=1, initial=0.0) for v in found)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.min(np.where(rate > 0, value / rate, np.inf), initial=np.inf))

    # -- samples ---------------------------------------------------------------------------------------------------

    @cached_property
    def periods(self) -> tuple[float, ...]:
        """The sample times of held states  [s]."""
        return tuple(sorted({every for *_, every in self.instants.updates}))

    @cached_property
    def _renew(self) -> Buffered:
        return Buffered(self._function([self.instants.update_to]))

    @cached_property
    def _samples(self) -> Samples:
        """Where held states lie, and what their renewal reads."""
        updates, whole = self.instants.updates, self.system.reduced.whole
        places = np.array([self._place(path, state, lane) for path, state, lane, _ in updates], int)
        reads = np.array(ca.DM(ca.jacobian(self.instants.update_to, whole.x).sparsity(), 1)) != 0
        outputs = places[self._first]
        chained = bool(reads[:, outputs].any()) or bool(ca.depends_on(self.instants.update_to, whole.y))
        return Samples(places, self._first, np.array([every for *_, every in updates]), chained, places >= 0)

    @cached_property
    def _first(self) -> np.ndarray:
        """Renewed states that others read as they are after an instant: outputs, and what no own renewal reads."""
        dae, rows = self.system.dae, self.instants.updates
        reads = np.array(ca.DM(ca.jacobian(self.instants.update_to, self.system.reduced.whole.x).sparsity(), 1)) != 0
        found = []
        for path, state, lane, _ in rows:
            ports = {p.name for p in dae.graph.elements[path].ports()}
            own = [k for k, row in enumerate(rows) if row[0] == path]
            found.append(state in ports or not reads[own, self._place(path, state, lane)].any())
        return np.array(found, bool)

    def _renewed(self, t: float, x: np.ndarray) -> np.ndarray:
        """What held states become if all are renewed."""
        y = self.unknowns(t, x) if self._reads_unknowns else self._no_unknowns
        return self._renew(t, x, y, self.system.parameters)

    @cached_property
    def _reads_unknowns(self) -> bool:
        whole = self.system.reduced.whole
        return bool(whole.y.numel() and ca.depends_on(self.instants.update_to, whole.y))

    @cached_property
    def _no_unknowns(self) -> np.ndarray:
        return np.zeros(self.system.dae.ny)

    def _place(self, path: str, state: str, lane: int) -> int:
        place = self.system.dae.place_of_state(path, state)
        assert place is not None
        return place.start + lane

    def renew(self, t: float, x: np.ndarray, due: frozenset[float]) -> np.ndarray:
        """The state with the held states of all sample times that are due renewed, all at once.

        Outputs go first, as often as it takes until all have read one another at this instant; then the memories.
        """
        at, x = self._samples, x.copy()
        rows = at.every if len(due) == len(self.periods) else np.isin(at.periods, list(due))
        if not at.chained:
            x[at.places[rows]] = self._renewed(t, x)[rows]
            return x
        outputs = rows & at.outputs
        for _ in range(int(outputs.sum()) + 2):
            fresh, before = self._renewed(t, x), x[at.places[outputs]]
            if _same(before, fresh[outputs]):
                x[at.places[rows]] = fresh[rows]
                return x
            x[at.places[outputs]] = fresh[outputs]
        raise SimulationError(_sample_loop(t, sorted({row[0] for row in self.instants.updates})))


def _same(old: np.ndarray, new: np.ndarray) -> bool:
    """Whether outputs stay as they are, but for rounding; what is no number stays none."""
    return bool(((np.abs(new - old) <= 1e-12 * np.abs(new)) | (np.isnan(old) & np.isnan(new)) | (old == new)).all())


def _times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A product whose rows are summed alike, however many there are."""
    return (matrix * vector).sum(axis=1)


def _sample_loop(t: float, paths: list[str]) -> Finding:
    return Finding(
        f"the sampled blocks wait for one another at {t:.6g} s.",
        f"Among {', '.join(map(repr, paths))} the output of each depends at the same instant on its own.",
        "Put a SampledDelay into the loop.",
        tuple(paths),
    )
