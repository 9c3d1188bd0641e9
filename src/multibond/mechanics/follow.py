"""Following a mechanism while one coordinate is led: predictor along the tangent, corrector of least change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.equations.consistent import quaternion_starts
from multibond.equations.observe import resolve
from multibond.errors import Finding, ModelError
from multibond.expr import SX, Function, column
from multibond.lower.system import System

CLOSED = 1e-12
STUCK = 1e-7
"""What is left of a unit speed of the coordinate where the mechanism cannot follow it."""


@dataclass(frozen=True)
class Leader:
    """A mechanism led by one of its coordinates; states are those of the system, speeds per unit speed of it."""

    system: System
    name: str

    @cached_property
    def coordinate(self) -> SX:
        """The coordinate as an expression of positions."""
        value, w = self.system.observer.expression(self.name), self.system.reduced.whole
        others = [k for s in self.system.dae.states if s.kind != "position" for k in s.range]
        turned = ca.depends_on(value, w.y) or (others and ca.depends_on(value, w.x[others]))
        if value.numel() != 1 or turned:
            fact = f"It has {value.numel()} components." if value.numel() != 1 else "It depends on more than positions."
            cure = "Name one coordinate of a joint, such as O.angle or B.angles[0]."
            raise ModelError(Finding(f"{self.name!r} cannot be swept.", fact, cure, (self.name,)))
        return value

    @cached_property
    def wraps(self) -> bool:
        """Whether the coordinate is an angle of a joint at a cut, which is told within half a turn only."""
        path, _, word = resolve(self.system.dae, self.name.partition("[")[0]).partition("[")[0].rpartition(".")
        item = self.system.dae.graph.elements.get(path)
        if word != "q" or not isinstance(item, FreeMotion) or self.system.dae.place_of_state(path, "q") is not None:
            return False
        return item.motion.angle_count > 0

    @cached_property
    def positions(self) -> list[int]:
        """Coordinates among the states."""
        return [k for s in self.system.dae.states if s.kind == "position" for k in s.range]

    @cached_property
    def flows(self) -> list[int]:
        """Speeds of joints among the states."""
        return [k for s in self.system.dae.states if s.kind == "flow" for k in s.range]

    @cached_property
    def _function(self) -> Function:
        r = self.system.reduced
        w, led = r.whole, SX.sym("led")
        gap = self.coordinate - led
        off = ca.atan2(ca.sin(gap), ca.cos(gap)) if self.wraps else gap
        units = [0.5 * (ca.sumsqr(w.x[int(k) : int(k) + 4]) - 1) for k in quaternion_starts(r.dae)]
        rows = column([w.gap, *units, off])
        q = w.x[self.positions]
        moves = ca.jacobian(w.xdot[self.positions], w.x[self.flows] if self.flows else SX(0, 1))
        parts = [rows, ca.jacobian(rows, q), self.coordinate, moves]
        return Function("lead", [w.t, w.x, w.p, led], [ca.densify(part) for part in parts])

    def _at(self, x: np.ndarray, value: float) -> list[np.ndarray]:
        return [np.asarray(v) for v in self._function(0.0, x, self.system.parameters, value)]

    def value(self, x: np.ndarray) -> float:
        """The coordinate in a state."""
        return float(self._at(x, 0.0)[2].item())

    def close(self, x: np.ndarray, value: float) -> tuple[np.ndarray, float]:
        """Least change of all positions that closes the loops with the coordinate as led; what is left of the gaps."""
        x, error = x.copy(), np.inf
        for _ in range(12):
            rows, slope, _, _ = self._at(x, value)
            error = float(np.abs(rows).max())
            if error < 1e-15:
                break
            x[self.positions] -= np.linalg.lstsq(slope, rows[:, 0], rcond=1e-11)[0]
        return x, error

    def tangent(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """Rates of the positions for a unit speed of the coordinate, and how much of it cannot be followed."""
        _, slope, _, _ = self._at(x, 0.0)
        wanted = np.zeros(slope.shape[0])
        wanted[-1] = 1.0
        way = np.linalg.lstsq(slope, wanted, rcond=1e-9)[0]
        return way, float(np.abs(slope @ way - wanted).max())

    def moving(self, x: np.ndarray) -> np.ndarray:
        """The state with its speeds as they are for a unit speed of the coordinate; NaN at a dead point."""
        way, left = self.tangent(x)
        moves = self._at(x, 0.0)[3]
        x = x.copy()
        if self.flows:
            x[self.flows] = np.linalg.lstsq(moves, way, rcond=1e-10)[0] if left < STUCK else np.nan
        return x

    def go(self, x: np.ndarray, start: float, end: float) -> tuple[np.ndarray, float]:
        """Follow the coordinate from one value to another on one branch; returns the state and the value reached."""
        at, step, smallest = start, end - start, 1e-10 * max(1.0, abs(end - start))
        while at != end and abs(step) >= smallest:
            step = end - at if abs(end - at) <= abs(step) * 1.000001 else step
            found = self._stride(x, at, step)
            if found is None:
                step *= 0.5
                continue
            x, at = found, (end if at + step == end or abs(end - at - step) < smallest else at + step)
            step *= 2.0
        return x, at

    def _stride(self, x: np.ndarray, at: float, step: float) -> np.ndarray | None:
        """One step along the tangent; None where it leads off the branch."""
        way, left = self.tangent(x)
        ahead = x.copy()
        ahead[self.positions] += step * way
        if np.abs(step * way).max(initial=0.0) > 0.3 or (left > STUCK and abs(step) > 1e-6):
            return None
        closed, error = self.close(ahead, at + step)
        off = np.linalg.norm(closed - ahead)
        if error > CLOSED or off > 0.3 * np.linalg.norm(step * way) + 1e-9:
            return None
        return closed
