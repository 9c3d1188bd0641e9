"""Why a run ended too early, in words: laws without a solution, lines without a direction, states that run away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibond.elements import Gravitation, Line
from multibond.errors import Finding
from multibond.lower.system import System
from multibond.solve.eigenmodes import Fastest, fastest_motion
from multibond.solve.methods import STIFF
from multibond.solve.source_end import AHEAD, source_end
from multibond.solve.status import Status
from multibond.solve.undefined import at_absolute_zero, lost_where_it_stopped

if TYPE_CHECKING:
    from multibond.solve.solution import Solution

SOON = np.array([1e-12, 1e-9, 1e-6])
"""How far beyond its end a run that stopped is looked at, as parts of its time."""
MET = 1e-9
"""Ends of a line that are nearer to one another than this have met  [m]."""

LOOK = f"Look at the variables just before (the error's `run`), or try solver={STIFF!r} for stiff models."
APART = (
    "Keep its ends apart, or use what needs no direction, a Spring with rest=0 or a Bushing; the error's `run` is the "
    "run so far."
)
LEADS = (
    "Try method 'auto': the independent velocities of minimal coordinates may no longer lead the others there; the "
    "error's `run` is the run so far."
)
BESIDE = "Start beside it, or let it pass at a distance; the error's `run` is the run so far."


def no_solution(system: System, t: float) -> Finding:
    """Laws that cannot all hold at a time."""
    loops = sorted({u.path for u in system.dae.unknowns if u.kind == "loop"})
    names = ", ".join(repr(p) for p in loops) or "several elements"
    return Finding(
        f"the loop through {names} has no solution at {t:.6g} s.",
        "Newton's method finds no values that satisfy all laws there at once.",
        "Check these laws and what drives them, or put a storage into the loop; the error's `run` is the run so far.",
        tuple(loops),
    )


def why_stopped(run: Solution) -> Finding:
    """Why a run ended too early."""
    system, last = run.pieces[-1].system, run.trajectory
    step = float(last.t[-1] - last.t[-2]) if last.t.size > 1 else 0.0
    if _loses_unknowns(system, float(last.t[-1]), last.x[-1], step):
        return no_solution(system, float(last.t[-1]))
    end = float(last.t[-1])
    ended = source_end(system, end, end + max(AHEAD * max(end, 1e-9), 2.0 * step))
    if ended is not None:
        return ended
    fast = fastest_motion(system, end, last.x[-1]) if run.status is Status.TOO_MANY else None
    if fast is not None:
        return _too_fast(fast, end)
    if (cold := at_absolute_zero(run)) is not None:
        return cold
    lost = None if _met(run) else lost_where_it_stopped(system, *_further(system, end, last.x[-1], step))
    if lost is not None:
        return lost
    culprit, fact, cure = _culprit(run)
    cure = cure if system.origin is None else LEADS
    return Finding(
        f"the run stopped at {run.t[-1]:.6g} s, at {culprit!r}.",
        f"{run.status.sentence} {fact}",
        cure,
        (culprit.rpartition(".")[0],),
    )


def _too_fast(fast: Fastest, t: float) -> Finding:
    """A motion so fast that no run of this length can follow it."""
    names = " and ".join(repr(name) for name in fast.states)
    how = "oscillates" if fast.oscillates else "decays" if fast.rate < 0 else "grows"
    paths = tuple(dict.fromkeys(name.rpartition(".")[0] for name in fast.states))
    return Finding(
        f"the run creeps at {t:.3g} s: the motion of {names} is too fast for it.",
        f"It {how} at {abs(fast.rate):.3g}/s, so that the run would need far more steps than the largest number.",
        "Is a mass too small there, or a spring too stiff? Make it rigid or zero, or run for a shorter time.",
        paths,
    )


def _loses_unknowns(system: System, t: float, x: np.ndarray, step: float) -> bool:
    """Whether unknowns that are found by iteration cease to exist a little further on, or a step further."""
    if not system.reduced.implicit:
        return False
    times, states = _further(system, t, x, step)
    return bool(np.isnan(system.unknowns(times, states)).any())


def _further(system: System, t: float, x: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """The time and states of the end, and how they would go on for a little, and for a step."""
    ahead = np.concatenate([[0.0], SOON * max(abs(t), 1e-9), [step]])
    rates = system.derivative(x, t=t) if system.n else x
    return t + ahead, x + ahead[:, None] * np.nan_to_num(rates)


def _culprit(run: Solution) -> tuple[str, str, str]:
    """What most likely stopped the run, what shows it, and what can be done."""
    system, last = run.pieces[-1].system, run.trajectory
    if not system.n:
        return "the unknowns", "There are no states.", LOOK
    x = last.x[-1]
    rates = system.derivative(x, t=float(last.t[-1]))
    broken = np.flatnonzero(~np.isfinite(rates))
    if broken.size:
        return _met(run) or (system.state_names[broken[0]], "Its rate is not a number there.", LOOK)
    k = int(np.argmax(np.abs(rates) / (np.abs(x) + 1e-12)))
    fact = f"It is {x[k]:.4g} there and changes fastest, by {rates[k]:.4g} a second."
    return system.state_names[k], fact, LOOK


def _met(run: Solution) -> tuple[str, str, str] | None:
    """Springs, dampers and rods whose ends have met at the end of the run, and masses at the point that pulls them."""
    graph, end = run.system.dae.graph, float(run.t[-1])
    for path, _ in graph.of_type(Line):
        if run[f"{path}.length"](end) < MET:
            name = graph.owner(path)
            return f"{name}.length", f"{name!r} has no length there, and so no direction.", APART
    for path, _ in graph.of_type(Gravitation):
        if not np.isfinite(run[f"{path}.e"](end)).all():
            name = graph.owner(path)
            return path, f"{name!r} has reached the point that pulls, where the pull is infinite.", BESIDE
    return None
