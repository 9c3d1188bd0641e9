"""Where the formula of a source ends: a pole such as that of 1/(t - 0.5), or the edge of sqrt(0.5 - t)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from multibond.errors import Finding
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.lower.system import System

NEARER = 10.0 ** -np.arange(2.0, 9.0)
"""Distances to a pole, as parts of the time: towards it a formula grows from each to the next."""
GROWTH = 1.2
"""By this factor at least."""
HUGE = 1e150
"""A formula beyond this has outgrown numbers: no power can be told of it."""
HALVINGS = 60
SECANTS = 40
PLACES = 400
"""At so many times of a run a formula is looked at for a pole that no state has seen."""
NEAR = 1e-3
"""A run may stop this part of the time before a pole."""
AHEAD = 1e-6
"""How far beyond its end a run that stopped is looked at, as a part of the time."""


def source_end(system: System, before: float, after: float) -> Finding | None:
    """The first source, by path, whose formula of time has no value, or no bound, at the end of a stretch of time."""
    for path, item, name, formula in _formulas(system):
        if not _exists(formula, before):
            return _told(path, item, name, formula, before, "is no number there")
        if not _exists(formula, after):
            return _told(path, item, name, formula, _edge(formula, before, after), "is no number there")
        for t in (before, after, _pole_near(formula, before)):
            if _has_pole(formula, t):
                return _told(path, item, name, formula, t, "grows without limit there")
        for t in (before, after):
            if np.abs(_value(formula, t)).max() > HUGE:
                return _told(path, item, name, formula, t, "outgrows all numbers there")
    return None


def source_pole(system: System, paths: set[str], times: np.ndarray) -> tuple[float, Finding] | None:
    """The first pole of these sources within some times, which no state may have seen, and when."""
    some = times[np.unique(np.linspace(0, times.size - 1, min(times.size, PLACES)).astype(int))]
    found = []
    for path, item, name, formula in _formulas(system) if some.size > 1 else ():
        if path not in paths:
            continue
        sizes = np.array([np.abs(_value(formula, t)).max() for t in some])
        for k in np.flatnonzero((sizes >= np.append(0.0, sizes[:-1])) & (sizes >= np.append(sizes[1:], 0.0))):
            pole = _pole_near(formula, float(some[k]), np.inf)
            near = some[max(k - 1, 0)] <= pole <= some[min(k + 1, some.size - 1)]
            if near and _has_pole(formula, pole):
                found.append((pole, _told(path, item, name, formula, pole, "grows without limit there")))
    return min(found, key=lambda each: each[0], default=None)


def _pole_near(formula: Formula, t: float, near: float = NEAR) -> float:
    """Where a formula has a pole near a time, by secants of its inverse; the time itself if nowhere."""
    before, at = t * (1.0 - AHEAD), t
    for _ in range(SECANTS):
        with np.errstate(all="ignore"):
            last, here = (1.0 / _value(formula, time).ravel()[0] for time in (before, at))
            further = at - here * (at - before) / (here - last)
        if not np.isfinite(further):
            break
        before, at = at, float(further)
    return at if abs(at - t) <= near * abs(t) else t


def _edge(formula: Formula, good: float, bad: float) -> float:
    """Where a formula ceases to have a value, between a time at which it has one and a time at which it has none."""
    for _ in range(HALVINGS):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if _exists(formula, middle) else (good, middle)
    return bad


def _formulas(system: System) -> Iterator[tuple[str, Element, str, Formula]]:
    """Parameters that are formulas of the time alone."""
    for path, item in sorted(system.dae.graph.elements.items()):
        plain = system.dae.plain(item, system.parameters)
        for name in item.parameters():
            value = vars(plain).get(name)
            if isinstance(value, Formula) and value.variables == {"t"}:
                yield path, item, name, value


def _exists(formula: Formula, t: float) -> bool:
    return bool(np.isfinite(_value(formula, t)).all())


def _value(formula: Formula, t: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(formula.evaluate({"t": np.float64(t)}), float)


def _has_pole(formula: Formula, t: float) -> bool:
    """Whether a formula grows on and on towards a time, from one side or the other."""
    for side in (-1.0, 1.0):
        sizes = np.array([np.abs(_value(formula, t * (1.0 + side * part))).max() for part in NEARER])
        if grows(sizes):
            return True
    return False


def grows(sizes: np.ndarray) -> bool:
    """Whether sizes at the distances `NEARER` to a time grow on and on."""
    return bool(np.isfinite(sizes).all() and (sizes[1:] > GROWTH * sizes[:-1]).all() and sizes[-1] > 0)


def short(formula: Formula) -> str:
    """The text of a formula, shortened where it is long."""
    text = str(formula)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _told(path: str, item: Element, name: str, formula: Formula, t: float, what: str) -> Finding:
    return Finding(
        f"the formula of {type(item).__name__} {path!r} ends at {t:.6g} s.",
        f"Its {name} = {short(formula)} {what}.",
        "Give a formula with a value for the whole run, or end the run before; the error's `run` is the run so far.",
        (path,),
    )
