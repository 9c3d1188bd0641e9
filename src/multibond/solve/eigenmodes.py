"""Modes of the linearised start: how fast each swings and dies out, which state it moves most, how far it is excited.

They are looked at to choose a solver, and told by `explain`. Between start and rest a mode's part in the states goes
as exp(λ t) from the amplitude that the rates at the start give it: x'(0) = Σ v g, so v g / λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.equations.buffered import Buffered
from multibond.equations.consistent import angle_states
from multibond.lower.system import System, model_function, slope

LARGEST = 80
"""Systems with more states are not looked at: the eigenvalues would cost more than they tell."""
SWEEPS = 8
"""Rounds in which the sizes of the states are made alike."""
STILL = 1e-6
"""Modes slower than this part of the fastest may be rounding: coordinates that nothing pulls back."""
ROUNDING = 1e3 * np.finfo(float).eps
"""So inexact are slopes, in parts of the largest; slow modes that are less sensitive than that would need are true."""
UNDAMPED = 1e-6
"""Damping ratios below this are told as none."""


@dataclass(frozen=True)
class Eigenmode:
    """A mode, pairs counted once; real, imag: its eigenvalue  [1/s]; state: the one that takes the greatest part in it.

    frequency  [Hz]; damping: damping ratio, 1 where it creeps and negative where it grows. time_constant: in which it
    falls, or grows, by a factor e  [s]; None where it does neither.
    """

    real: float
    imag: float
    state: str
    frequency: float
    damping: float
    time_constant: float | None

    @property
    def rate(self) -> float:
        """Size of the eigenvalue, the angular frequency without damping  [1/s]."""
        return float(np.hypot(self.real, self.imag))

    def __str__(self) -> str:
        if self.time_constant is None:
            return f"{self.state}: swings at {self.frequency:.3g} Hz, not damped"
        fate = f"{'falls' if self.real < 0 else 'grows'} with time constant {self.time_constant:.3g} s"
        if not self.imag:
            return f"{self.state}: {fate}"
        return f"{self.state}: swings at {self.frequency:.3g} Hz, {fate}, damping ratio {self.damping:.3g}"


def eigenmode(value: complex, state: str) -> Eigenmode:
    """A mode from its eigenvalue."""
    size, lasts = abs(value), abs(value.real) <= UNDAMPED * abs(value)
    real = 0.0 if lasts else float(value.real)
    return Eigenmode(
        real, float(value.imag), state, value.imag / (2 * np.pi), -real / size, None if lasts else 1 / abs(real)
    )


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of the linearised start, and how far each mode is excited there, for every state.

    amplitude: one row a state, one column an eigenvalue; rest: size of each state without what decays; sizes: in which
    the absolute tolerance of each state is counted. turning: speed of the joint that turns fastest, at the start or
    once what decays has died out  [rad/s]: sines of its angle swing as fast. moving: which eigenvalues are not zero.
    """

    values: np.ndarray
    vectors: np.ndarray
    amplitude: np.ndarray
    rest: np.ndarray
    sizes: np.ndarray
    turning: float
    names: tuple[str, ...]
    moving: np.ndarray

    @cached_property
    def modes(self) -> tuple[Eigenmode, ...]:
        """The modes that move or decay, fastest first."""
        return tuple(self._mode(k) for k in self._order)

    @property
    def fastest_decay(self) -> complex | None:
        """The eigenvalue of the fastest mode that dies out, if one does."""
        found = (complex(self.values[k]) for k in self._order)
        return next((value for value in found if value.real < -UNDAMPED * abs(value)), None)

    @property
    def _order(self) -> list[int]:
        """The modes that move or decay, one of each pair, fastest first."""
        size = np.abs(self.values)
        order = sorted(range(size.size), key=lambda k: (-size[k], self.values[k].imag))
        return [k for k in order if self.moving[k] and self.values[k].imag >= 0]

    def _mode(self, k: int) -> Eigenmode:
        state = self.names[int(np.argmax(self._shares[:, k]))]
        return eigenmode(complex(self.values[k]), state)

    @cached_property
    def _shares(self) -> np.ndarray:
        """How much each state takes part in each mode, whatever the units (Perez-Arriaga et al. 1982)."""
        left = np.linalg.pinv(self.vectors)
        return np.round(np.abs(self.vectors * left.T), 6)


def is_looked_at(system: System) -> bool:
    """Whether a system is small enough, and has its slopes in one expression."""
    return system.reduced.solver is not None and 0 < int((~system.silent).sum()) <= LARGEST


def spectrum(system: System) -> Spectrum | None:
    """The modes at the start; None where a law has no finite slope there, or the system is not looked at."""
    counted = np.flatnonzero(~system.silent)
    if not is_looked_at(system):
        return None
    slopes = _slopes(system, 0.0, system.x0)[np.ix_(counted, counted)]
    rates = system.derivative(system.x0)[counted]
    if not (np.isfinite(slopes).all() and np.isfinite(rates).all()):
        return None
    sizes = _balanced(slopes)
    balanced = slopes * sizes / sizes[:, None]
    values, vectors = np.linalg.eig(balanced)
    names = tuple(system.state_names[k] for k in counted)
    usual = system.usual_sizes[counted]
    moving = _moving(slopes * usual / usual[:, None], values, vectors * (sizes / usual)[:, None])
    amplitude = sizes[:, None] * _amplitude(values, vectors, rates / sizes, moving)
    falling = np.where(moving & (np.real(values) < -UNDAMPED * np.abs(values)), amplitude, 0.0)
    turned = np.isin(counted, angle_states(system.dae))
    later = rates - np.real(falling @ values)
    turning = float(np.abs([rates[turned], later[turned]]).max(initial=0.0))
    rest = np.abs(system.x0[counted] - np.real(falling.sum(axis=1)))
    return Spectrum(values, vectors, np.abs(amplitude), rest, usual, turning, names, moving)


def _moving(slopes: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Which eigenvalues are not rounding of zero, by size or by sensitivity 1 / |yᴴx| (Wilkinson 1965).

    In the usual sizes of the states: balanced ones would make much of a slope that is nothing but rounding.
    """
    size, shapes = np.abs(values), vectors / np.linalg.norm(vectors, axis=0)
    sensitivity = np.abs(np.linalg.pinv(shapes, rcond=0.0)).max(axis=1)
    return (size > STILL * size.max(initial=0.0)) | (size > ROUNDING * np.linalg.norm(slopes, 2) * sensitivity)


def _amplitude(values: np.ndarray, vectors: np.ndarray, rates: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """Vectors g / λ with vectors g = rates; g is bounded where modes nearly coincide and would cancel."""
    share = np.linalg.lstsq(vectors, rates.astype(complex), rcond=1e-12)[0]
    most = np.linalg.norm(rates)
    share = share * np.minimum(1.0, most / np.maximum(np.abs(share), 1e-300))
    return vectors * np.where(moving, share / np.where(moving, values, 1.0), 0.0)


def _balanced(slopes: np.ndarray) -> np.ndarray:
    """Sizes of the states in which rows and columns of their slopes are alike (Parlett and Reinsch 1969)."""
    sizes = np.ones(len(slopes))
    outer = np.abs(slopes) * (1 - np.eye(len(slopes)))
    for _ in range(SWEEPS):
        before = sizes.copy()
        for k in range(len(sizes)):
            row, across = (outer[k] * sizes).sum() / sizes[k], (outer[:, k] / sizes).sum() * sizes[k]
            if row > 0 and across > 0:
                sizes[k] *= 2.0 ** np.round(0.5 * np.log2(row / across))
        if (sizes == before).all():
            break
    return sizes


@dataclass(frozen=True)
class Fastest:
    """The fastest motion of a system: its rate  [1/s], whether it oscillates, and the states that take part most."""

    rate: float
    oscillates: bool
    states: tuple[str, ...]


def fastest_motion(system: System, t: float, x: np.ndarray) -> Fastest | None:
    """The fastest motion about a state; None where nothing tells."""
    if not is_looked_at(system) or system.reduced.implicit:
        return None
    slopes = _slopes(system, t, x)
    if not np.isfinite(slopes).all():
        return None
    modes, shapes = np.linalg.eig(slopes)
    k = int(np.argmax(np.abs(modes)))
    share = np.abs(shapes[:, k] * np.linalg.pinv(shapes)[k])  # how much a state takes part, whatever its unit
    some = np.argsort(-share, kind="stable")[:2]
    names = tuple(system.state_names[n] for n in some if share[n] > 0.1 * share.max())
    mode = complex(modes[k])
    oscillates = abs(mode.imag) > abs(mode.real)
    return Fastest(abs(mode) if oscillates else mode.real, oscillates, names)


def _slopes(system: System, t: float, x: np.ndarray) -> np.ndarray:
    """Derivatives of the rates with respect to the states."""
    r = system.reduced
    y = r.y_start if r.implicit else np.zeros(0)
    function = system.kept.get("slopes by states", lambda: Buffered(model_function(r, ca.vec(slope(r, r.whole.x)))))
    return function(t, np.concatenate([x, y]), system.parameters).reshape(system.n, system.n).T
