"""Why a run stopped, in the user's names: when, what the solver says, and which variable ran away."""

from __future__ import annotations

import numpy as np

from multibond.errors import Finding
from multibond.solve.solution import Solution
from multibond.view.states import state_entries

FAST = 1e3
"""A variable that would change by its own size so many times during the run has run away."""


def stopped(run: Solution) -> Finding:
    """When and why a run broke off, and where in the model."""
    name = runaway(run)
    where = f" Where it happens: {name!r}." if name else ""
    return Finding(
        f"the run stopped at {run.t[-1]:.6g} s.",
        f"{run.status.sentence}{where}",
        "Look at the variables just before; loosen the relative tolerance, or try solver 'rodas5p' for stiff models.",
        (name.rpartition(".")[0],) if name else (),
    )


def runaway(run: Solution) -> str | None:
    """The state that is not finite, or changes fastest against its own size; None where none stands out."""
    last = run.pieces[-1]
    names, end, states = state_entries(last.system.dae), float(run.t[-1]), last.trajectory.x[-5:]
    rates = np.abs(last.system.derivative(states[-1], t=end))
    wrong = ~(np.isfinite(rates) & np.isfinite(states[-1]))
    if wrong.any():
        return names[int(np.argmax(wrong))]
    speed = rates / np.maximum(np.abs(states).max(axis=0), 1e-12)
    k = int(np.argmax(speed)) if speed.size else -1
    return names[k] if k >= 0 and speed[k] * max(end, 1e-12) > FAST else None
