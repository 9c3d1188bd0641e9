"""Positions and flows that satisfy the constraints: the numeric side of start values and sampling."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.elements.sensors import Sensor
from multibond.equations.buffered import Buffered
from multibond.equations.dae import Dae, Whole
from multibond.equations.kept import Kept
from multibond.equations.nearest import LARGEST, Freedom, close
from multibond.expr import SX, Function, column

FLOW_STEPS = 30
"""Conditions on flows are linear but for storages with laws of their own; those take a few steps more."""


@dataclass(frozen=True)
class Manifold:
    """What consistent states obey: position conditions (gaps, unit quaternions) and flow conditions.

    positions, flows: indices of the coordinates, and of joint flows and storages, among the states. What sensors have
    gathered is neither, so that a sensor changes no start and no sample. read: states that some equation reads.
    """

    position_conditions: Function
    flow_conditions: Function
    positions: np.ndarray
    flows: np.ndarray
    quaternions: np.ndarray
    read: np.ndarray
    kept: Kept = field(default_factory=Kept, init=False, repr=False, compare=False)

    @cached_property
    def parameters(self) -> np.ndarray:
        """The parameters that the conditions read: lengths and axes, no masses."""
        both = (self.position_conditions, self.flow_conditions)
        return np.unique([k for each in both for k in each.jac_sparsity(0, 2).get_triplet()[1]]).astype(int)

    def settle_positions(
        self, x: np.ndarray, p: np.ndarray, fixed: np.ndarray, *, t: float = 0.0, steps: int = 60
    ) -> tuple[np.ndarray, float]:
        """Least change of the coordinates that are not fixed until all conditions hold; returns the remaining error."""
        free = np.array([k for k in self.positions if not fixed[k]], int)

        def conditions(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return self._values(self._positions, t, x, p)

        return close(conditions, x, Freedom(free, LARGEST, lambda x: self.unit(x, fixed)), steps)

    def settle_flows(
        self, x: np.ndarray, p: np.ndarray, fixed: np.ndarray, *, t: float = 0.0
    ) -> tuple[np.ndarray, float]:
        """Least change of the flows that are not fixed until all flow conditions hold; returns the remaining error."""
        x = x.copy()
        free = np.array([k for k in self.flows if not fixed[k]], int)
        error = 0.0
        for _ in range(FLOW_STEPS):
            value, jacobian = self._values(self._flows, t, x, p)
            size = np.maximum(1.0, np.abs(jacobian).max(axis=1, initial=0.0))
            error = float((np.abs(value) / size).max(initial=0.0))
            if error < 1e-13 or not free.size or not value.size:
                break
            x[free] -= np.linalg.lstsq(jacobian[:, free], value, rcond=1e-10)[0]
        return x, error

    @cached_property
    def _positions(self) -> Buffered:
        return Buffered(_in_one(self.position_conditions))

    @cached_property
    def _flows(self) -> Buffered:
        return Buffered(_in_one(self.flow_conditions))

    @staticmethod
    def _values(conditions: Buffered, t: float, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Conditions at a state, and their slopes."""
        found = conditions(t, x, p)
        rows = found.size // (1 + x.size)
        return found[:rows], found[rows:].reshape(x.size, rows).T

    def unit(self, x: np.ndarray, fixed: np.ndarray) -> None:
        """Give quaternions the length one, in place, where none of their numbers is fixed."""
        for start in self.quaternions:
            if not fixed[start : start + 4].any():
                x[start : start + 4] /= np.linalg.norm(x[start : start + 4])


def _in_one(conditions: Function) -> Function:
    """Conditions, and below them their slopes column after column."""
    arguments = [SX.sym(name, conditions.size1_in(k)) for k, name in enumerate("txp")]
    return Function("both", arguments, [ca.densify(column([ca.vec(part) for part in conditions.call(arguments)]))])


def manifold(dae: Dae, whole: Whole, extra_positions: SX | None = None, extra_flows: SX | None = None) -> Manifold:
    """The conditions of a system, with further ones (given coordinates of cut joints, hidden conditions) if any."""
    further = [SX(0, 1) if extra is None else extra for extra in (extra_positions, extra_flows)]
    if any(extra.numel() for extra in further):
        return _manifold(dae, whole, *further)
    return whole.kept.get("manifold", lambda: _manifold(dae, whole, *further))


def _manifold(dae: Dae, whole: Whole, extra_positions: SX, extra_flows: SX) -> Manifold:
    positions = np.array([k for s in dae.states if s.kind == "position" for k in s.range], int)
    sensors = set(sensor_states(dae))
    flows = [k for s in dae.states if s.kind in ("flow", "storage") for k in s.range if k not in sensors]
    position = ca.densify(column([closing(dae, whole), extra_positions]))
    flow = ca.densify(column([whole.held_flow, extra_flows]))
    arguments = [whole.t, whole.x, whole.p]
    return Manifold(
        Function("positions", arguments, [position, ca.densify(ca.jacobian(position, whole.x))]),
        Function("flows", arguments, [flow, ca.densify(ca.jacobian(flow, whole.x))]),
        positions,
        np.array(flows, int),
        quaternion_starts(dae),
        read_states(whole) if sensors else np.arange(dae.nx),
    )


def closing(dae: Dae, whole: Whole) -> SX:
    """What vanishes where all loops are closed: gaps, and the lengths of quaternions less one."""
    units = [0.5 * (ca.sumsqr(whole.x[int(k) : int(k) + 4]) - 1) for k in quaternion_starts(dae)]
    return column([whole.gap, whole.imposed_gap, *units])


def quaternion_starts(dae: Dae) -> np.ndarray:
    """Where quaternions begin among the states."""
    starts = []
    for place in dae.states:
        element = dae.graph.elements.get(place.path)
        if place.kind == "position" and isinstance(element, FreeMotion) and element.motion.quaternion:
            starts.append(place.start)
    return np.array(starts, int)


def angle_states(dae: Dae) -> list[int]:
    """The states that are angles of joints."""
    found = []
    for place in dae.states:
        element = dae.graph.elements.get(place.path)
        if place.kind == "position" and isinstance(element, FreeMotion):
            found += list(place.range)[: element.motion.angle_count]
    return found


def read_states(whole: Whole) -> np.ndarray:
    """The states that some rate, balance or constraint depends on."""
    everything = column([whole.xdot, whole.residual, whole.held_flow, whole.gap])
    reads = np.array(ca.DM(ca.jacobian(everything, whole.x).sparsity(), 1)) != 0
    return np.flatnonzero(reads.any(axis=0))


def sensor_states(dae: Dae) -> list[int]:
    """The states of sensors."""
    return [k for s in dae.states if isinstance(dae.graph.elements.get(s.path), Sensor) for k in s.range]


def neutral(dae: Dae) -> np.ndarray:
    """All states zero, quaternions upright."""
    x = np.zeros(dae.nx)
    x[quaternion_starts(dae)] = 1.0
    return x


def sample_states(
    dae: Dae, shape: Manifold, x0: np.ndarray, p: np.ndarray, count: int, seed: int = 20
) -> list[np.ndarray]:
    """Random consistent states around an assembled one: for ranks and pivots, which must not rest on one position.

    Kept with the conditions for as long as no number that these read changes.
    """
    mark = (x0.tobytes(), p[shape.parameters].tobytes())
    found = shape.kept.latest((count, seed), mark, lambda: _sampled(dae, shape, x0, p, count, seed))
    return [x.copy() for x in found]


def _sampled(dae: Dae, shape: Manifold, x0: np.ndarray, p: np.ndarray, count: int, seed: int) -> list[np.ndarray]:
    rng, apart, sensors = np.random.default_rng(seed), np.random.default_rng(seed + 1), set(sensor_states(dae))
    read = [k for k in shape.read if k in sensors]
    nothing = np.zeros(dae.nx, bool)
    found = []
    for spread in np.geomspace(0.02, 0.15, count):
        for _ in range(4):
            x = x0.copy()
            x[shape.positions] += spread * rng.standard_normal(shape.positions.size)
            shape.unit(x, nothing)
            x, error = shape.settle_positions(x, p, nothing)
            if error < 1e-9:
                break
        else:
            continue
        storages = [k for s in dae.states if s.kind == "storage" for k in s.range if k not in sensors]
        x[shape.flows] = rng.standard_normal(shape.flows.size)
        x[storages] = _shifted(x0[storages], x[storages])
        x[read] = _shifted(x0[read], apart.standard_normal(len(read)))
        x, _ = shape.settle_flows(x, p, nothing)
        found.append(x)
    return found


def _shifted(start: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Storages near their start: by a tenth of it, or anywhere where they start empty (laws may hold for some only)."""
    return np.where(start == 0, noise, start * (1 + 0.1 * noise))
