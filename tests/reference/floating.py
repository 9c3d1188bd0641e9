"""Circuits with parts that float, and what SciPy says of them."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import electrical as el

V, W, R, C, SERIES, L = 10.0, 2 * np.pi, 5.0, 0.1, 0.5, 0.01
"""Amplitude and angular speed of the mains; load, condenser, series resistance, line inductance."""
EXACT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}


def transformers(ratios: dict[str, float], ground: str = "") -> mb.Model:
    """A source that is grounded, and for each name a transformer with a condenser and a load that nothing grounds."""
    model = mb.Model("transformers")
    source, earth = model.add(el.VoltageSource("mains", V * mb.sin(W * mb.t))), model.add(el.Ground("earth"))
    model.connect(source.pin_n, earth.pin)
    for name, ratio in ratios.items():
        series, coils = (
            model.add(el.Resistor(f"series{name}", SERIES)),
            model.add(el.Transformer(f"coils{name}", ratio)),
        )
        condenser, load = model.add(el.Capacitor(f"condenser{name}", C)), model.add(el.Resistor(f"load{name}", R))
        model.connect(source.pin_p, series.pin_p)
        model.connect(series.pin_n, coils.pin_p1)
        model.connect(coils.pin_n1, source.pin_n)
        model.connect(coils.pin_p2, condenser.pin_p, load.pin_p)
        model.connect(coils.pin_n2, condenser.pin_n, load.pin_n)
    return grounded(model, ground)


def grounded(model: mb.Model, pin: str) -> mb.Model:
    """The model with a ground of the user's own at a pin, if one is named."""
    if pin:
        part, port = pin.split(".")
        model.connect(model.add(el.Ground("own")).pin, getattr(model[part], port))
    return model


def secondary(times: np.ndarray, ratio: float) -> np.ndarray:
    """The voltage behind a transformer: C u' + u / R = ratio i, SERIES i = v - ratio u."""

    def rate(t: float, u: np.ndarray) -> np.ndarray:
        return (ratio * (V * np.sin(W * t) - ratio * u) / SERIES - u / R) / C

    return solve_ivp(rate, (0.0, times[-1]), [0.0], t_eval=times, **EXACT).y[0]


def bridge(phases: int, ground: str = "", lines: bool = False) -> mb.Model:
    """Diodes from the terminals of a source (one phase) or of a star of them to a condenser and a load.

    lines: inductors in the lines, else one resistor.
    """
    model = mb.Model("bridge")
    condenser, load = model.add(el.Capacitor("condenser", C)), model.add(el.Resistor("load", R))
    model.connect(condenser.pin_p, load.pin_p)
    model.connect(condenser.pin_n, load.pin_n)
    star = None
    for k in range(phases):
        angle = W * mb.t - 2 * np.pi * k / phases
        source = model.add(el.VoltageSource(f"mains{k}", V * mb.sin(angle)))
        line = model.add(el.Inductor(f"line{k}", L) if lines else el.Resistor(f"line{k}", SERIES))
        model.connect(source.pin_p, line.pin_p)
        _pair(model, f"{k}", line.pin_n)
        if star is not None:
            model.connect(star, source.pin_n)
        star = star or source.pin_n
    if phases == 1:
        _pair(model, "back", star)
    return grounded(model, ground)


def _pair(model: mb.Model, name: str, pin: object) -> None:
    """A diode up to the load's positive side and one from its negative side."""
    up, down = model.add(el.Diode(f"up{name}")), model.add(el.Diode(f"down{name}"))
    model.connect(pin, up.pin_p)
    model.connect(down.pin_n, pin)
    model.connect(up.pin_n, model["load"].pin_p)
    model.connect(down.pin_p, model["load"].pin_n)


def rectified(times: np.ndarray) -> np.ndarray:
    """The voltage behind a bridge of four: SERIES i = |v| - u while that is positive."""

    def rate(t: float, u: np.ndarray) -> np.ndarray:
        return (np.maximum(abs(V * np.sin(W * t)) - u, 0.0) / SERIES - u / R) / C

    return solve_ivp(rate, (0.0, times[-1]), [0.0], t_eval=times, max_step=1e-3, **EXACT).y[0]


def six_pulses(end: float, times: np.ndarray) -> np.ndarray:
    """Voltage and line currents, after the start, of a star of three with lines L behind six diodes, mode by mode.

    A mode says of each line whether it feeds the load (1), comes from it (-1) or carries nothing (0).
    """
    t, x, found = 0.0, np.zeros(4), []
    while t < end:
        mode = _next(t, x)
        x[1:] *= np.abs(mode)
        step = solve_ivp(
            lambda t, x, mode=mode: _rates(t, x, mode)[0], (t, end), x, events=_ends(mode), dense_output=True,
            max_step=2e-3, **EXACT,
        )  # fmt: skip
        inside = times[(times > t) & (times <= step.t[-1])]
        found.append(step.sol(inside) if inside.size else np.zeros((4, 0)))
        t, x = step.t[-1], step.y[:, -1]
    return np.concatenate(found, axis=1)


def _mains(t: float) -> np.ndarray:
    return V * np.sin(W * t - 2 * np.pi * np.arange(3) / 3)


def _rates(t: float, x: np.ndarray, mode: tuple[int, ...]) -> tuple[np.ndarray, float]:
    """Rates of (u, i) and the potential of the load's negative side, from Σ L i' = 0 over the lines that carry."""
    u, signs, v = x[0], np.array(mode), _mains(t)
    on = signs != 0
    low = float(np.mean(v[on] - u * (signs[on] > 0))) if on.any() else 0.0
    slopes = np.where(on, (v - low - u * (signs > 0)) / L, 0.0)
    return np.array([(x[1:][signs > 0].sum() - u / R) / C, *slopes]), low


def _ends(mode: tuple[int, ...]) -> list:
    """What ends a mode: a current that runs out, or a line that would begin to carry."""

    def stop(k: int, sign: int):
        def value(t: float, x: np.ndarray) -> float:
            if mode[k]:
                return mode[k] * x[1 + k] + 1e-15
            v = _mains(t)
            if not any(mode):
                return x[0] - (v.max() - v.min())
            low = _rates(t, x, mode)[1]
            return (low + x[0] - v[k]) if sign > 0 else (v[k] - low)

        value.terminal, value.direction = True, -1.0
        return value

    return [stop(k, sign) for k, sign in product(range(3), (1, -1))]


def _next(t: float, x: np.ndarray) -> tuple[int, ...]:
    """The mode a moment later: of all that agree with the currents, the one that agrees with its own slopes."""
    near, found = 1e-7, []
    for mode in product((-1, 0, 1), repeat=3):
        if any(abs(i) > 1e-9 and np.sign(i) != m for i, m in zip(x[1:], mode, strict=True)) or sum(map(abs, mode)) == 1:
            continue
        rate, low = _rates(t + near, x, mode)
        later, v = x + near * rate, _mains(t + near)
        grows = all(m * i > 0 for m, i in zip(mode, later[1:], strict=True) if m)
        if any(mode):
            rests = all(low - 1e-12 <= v[k] <= low + x[0] + 1e-12 for k in range(3) if not mode[k])
        else:
            rests = v.max() - v.min() <= x[0]
        found += [mode] if grows and rests else []
    return max(found, key=lambda m: sum(map(abs, m)))
