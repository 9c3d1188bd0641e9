"""Whether a run can be done as it is asked for: solver, end, tolerances, step. All faults at once."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

from multibond.errors import Finding, ParameterError, briefly, raise_findings
from multibond.solve.methods import METHODS


def require_possible(until: Any, solver: str, rtol: Any, atol: Any, step: Any) -> None:
    """Raise a ParameterError where a run cannot be meant."""
    found = [*_solver(solver), *_end(until), *_tolerances(rtol, atol), *_step(solver, step)]
    raise_findings(ParameterError, found)


def require_step(dt: Any, solver: str, substeps: Any) -> None:
    """Raise a ParameterError where a step from outside cannot be meant."""
    found = []
    if solver not in METHODS:
        fact = f"Known are {', '.join(METHODS)}."
        found.append(Finding(f"there is no solver {solver!r} for a single step.", fact, "Choose one of these."))
    if not _is_number(dt) or dt <= 0:
        found.append(Finding(f"dt cannot be {briefly(dt)}.", "A step goes ahead in time.", "Give positive seconds."))
    if not isinstance(substeps, Integral) or substeps < 1:
        fact = "A step is made of one or more."
        found.append(Finding(f"substeps cannot be {briefly(substeps)}.", fact, "Give a whole number from 1 on."))
    raise_findings(ParameterError, found)


def _step(solver: str, step: Any) -> list[Finding]:
    fixed = solver in METHODS and METHODS[solver].fixed
    if (fixed and _is_number(step) and step > 0) or (not fixed and step is None):
        return []
    problem = f"solver {solver!r} {'needs a positive step' if fixed else 'chooses its steps itself'}."
    cure = "Give step=..., in seconds." if fixed else "Leave step out, or use solver='rk4'."
    return [Finding(problem, f"step is {step!r}.", cure)]


def _solver(solver: str) -> list[Finding]:
    if solver == "auto" or solver in METHODS:
        return []
    return [
        Finding(f"there is no solver {solver!r}.", f"Known are auto, {', '.join(METHODS)}.", "Choose one of these.")
    ]


def _end(until: Any) -> list[Finding]:
    if _is_number(until) and until >= 0:
        return []
    fact = "It starts at 0 s and has to come to an end."
    at = f"{until!r} s" if _is_number(until) else briefly(until)
    return [Finding(f"the run cannot end at {at}.", fact, "Give a number of seconds from 0 on.")]


def _tolerances(rtol: Any, atol: Any) -> list[Finding]:
    found = []
    for name, value, about in (("rtol", rtol, "relative"), ("atol", atol, "absolute")):
        if not _is_number(value) or value < 0:
            cure = "Give a small number, such as 1e-9."
            found.append(Finding(f"{name} cannot be {value!r}.", f"It is the {about} error of a step.", cure))
    if not found and rtol == atol == 0:
        fact = "rtol and atol are both zero, and no step is without an error."
        found.append(Finding("the run has no tolerance.", fact, "Give rtol a small number, such as 1e-9."))
    return found


def _is_number(value: Any) -> bool:
    """Whether a value is one finite number."""
    try:
        return math.isfinite(value)
    except TypeError:
        return False
