"""What acts along single coordinates of a joint: springs, stops and given paths, each on a scalar bond of its own.

    free[n] → each → one 1-junction a coordinate, and there its spring, its stop and its driver.

A joint with one freedom has them at its junction `free` itself. Where coordinates are angles about three axes in turn
their rates are not the flows of the joint, and MTF⟨rates⟩ stands before `each`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import MTF, C, Constraint, DirectSum, Driver, One, Stop, Zero
from multibond.elements.motions import MotionKind
from multibond.expr import SX, Function, vector
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.graph.expand import Inside
from multibond.graph.port import PortRef
from multibond.graph.start import start_vector
from multibond.library.spatial.drawing import is_zero


@dataclass(frozen=True)
class Lane:
    """One coordinate of a joint: its number from 0, its 1-junction, and what ends the names of its elements."""

    number: int
    junction: Element
    ending: str

    def signal(self, motion: Element, name: str, number: int) -> PortRef:
        """A component of a signal of the motion; the whole of it where there is only one."""
        return PortRef(motion.name, f"{name}[{number}]" if self.ending else name)


def draw_along(inside: Inside, joint: Any, motion: Element, free: Element) -> None:
    """Draw springs, stops and drivers of a `Moving` joint, and its coordinates one by one where there are any."""
    values = (joint.stiffness, joint.lower, joint.upper)
    led = [k for k, path in enumerate(joint.paths()) if path is not None]
    if not led and all(is_zero(value) for value in values):
        return
    for lane in _lanes(inside, joint.motion(), motion, free):
        _spring(inside, joint, motion, lane)
        _stop(inside, joint, motion, lane)
        if lane.number in led:
            _drive(inside, joint, motion, lane)


def _lanes(inside: Inside, kind: MotionKind, motion: Element, free: Element) -> list[Lane]:
    n, whole = kind.freedoms, free
    if n == 1:
        return [Lane(0, free, "")]
    if kind.mixed:
        whole = inside.add(MTF("rates", n, n))
        inside.bond(free, whole)
        inside.signal(motion.rates, whole.modulus)
    each = inside.add(DirectSum("each", 1, 1, more=(1,) * (n - 2)))
    inside.bond(whole, each.whole)
    lanes = [Lane(k, inside.add(One(f"free_{k + 1}", size=1)), f"_{k + 1}") for k in range(n)]
    for lane in lanes:
        inside.bond(getattr(each, f"part_{lane.number + 1}"), lane.junction)
    return lanes


def _entry(value: Any, k: int) -> SX | None:
    """Component k of a value for all or for each; None where it is left out or an exact zero."""
    if value is None:
        return None
    whole = vector(value, k + 1)
    return whole[k] if whole.sparsity().has_nz(k, 0) else None


def _spring(inside: Inside, joint: Any, motion: Element, lane: Lane) -> None:
    stiffness, rest = _entry(joint.stiffness, lane.number), _entry(joint.rest, lane.number)
    if stiffness is not None:
        spring = inside.add(C(f"spring{lane.ending}", 1 / stiffness, rest=0.0 if rest is None else rest, size=1))
        inside.bond(lane.junction, spring)
        inside.signal(lane.signal(motion, "q", lane.number), spring.displacement)


def _stop(inside: Inside, joint: Any, motion: Element, lane: Lane) -> None:
    lower, upper = _entry(joint.lower, lane.number), _entry(joint.upper, lane.number)
    if lower is not None or upper is not None:
        back = _entry(joint.restitution, lane.number)
        stop = inside.add(Stop(f"stop{lane.ending}", lower, upper, 0.0 if back is None else back, size=1))
        inside.bond(lane.junction, stop)
        inside.signal(lane.signal(motion, "q", lane.number), stop.displacement)


def _drive(inside: Inside, joint: Any, motion: Element, lane: Lane) -> None:
    """Draw the driver, and what holds the joint to it: at a cut the flow comes from the bodies, too."""
    paths, turns = joint.paths(), lane.number < joint.motion().turns
    total, driver = Zero(f"driven{lane.ending}", size=1), Driver(f"driver{lane.ending}", paths[lane.number], size=1)
    role = "rotation" if turns else "translation"
    held = inside.add(Constraint(f"hold_driven{lane.ending}", method=joint.method, role=role, size=1))
    inside.bond(inside.add(driver), inside.add(total))
    inside.bond(held, total)
    inside.bond(total, lane.junction)
    before = sum(path is not None for path in paths[: lane.number])
    inside.signal(lane.signal(motion, "gap_driven", before), held.gap)


# -- paths -------------------------------------------------------------------------------------------------------------


def led(paths: tuple[Formula | None, ...]) -> dict[str, Any]:
    """The given paths as a motion takes them: the formulas, and the coordinates that they are of."""
    lanes = [k for k, path in enumerate(paths) if path is not None]
    if not lanes:
        return {}
    given = [paths[k] for k in lanes]
    return {"path": given[0] if len(paths) == 1 else given, "led": () if len(lanes) == len(paths) else lanes}


def led_start(start: dict[str, Any], paths: tuple[Formula | None, ...], mixed: bool) -> dict[str, Any]:
    """Start values in which driven coordinates begin as their paths do; where all are driven, nothing else counts.

    mixed: the speeds of the joint are not the rates of its coordinates, so that paths say nothing of single ones.
    """
    lanes = [k for k, path in enumerate(paths) if path is not None]
    if not lanes:
        return start
    begins = np.array([beginning(path) for path in paths if path is not None]).T
    if len(lanes) == len(paths):
        return {"q": begins[0]}
    rates = {"q": begins[0]} if mixed else {"q": begins[0], "u": begins[1], "a": begins[2]}
    given = {k: v for k, v in start.items() if k == "q" or v is not None}
    led = {k: start_vector(v).spread(len(paths)).fixing(lanes, rates[k]) for k, v in given.items() if k in rates}
    return {**given, **led}


def beginning(path: Formula) -> tuple[float, float, float]:
    """Value, rate and second rate of a path at the time 0."""
    t = SX.sym("t")
    value = SX(path.evaluate({"t": t}))
    rate = ca.jacobian(value, t)
    found = Function("begin", [t], [value, rate, ca.jacobian(rate, t)])(0.0)
    return float(found[0]), float(found[1]), float(found[2])
