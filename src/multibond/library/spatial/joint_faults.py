"""What is wrong with the values of a joint: stops, drives, attitudes; each in the words in which it was given."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.errors import Finding
from multibond.expr import SX, Function
from multibond.formula import Formula
from multibond.graph.component import Component, Guess

SLACK = 1e-9
"""A start so little beyond a stop, or beside a path, counts as at it."""


def _numbers(*values: Any) -> bool:
    """Whether all values are numbers or left out; a symbolic twin of a joint has no faults of its own."""
    return all(value is None or isinstance(value, float | int | np.ndarray) for value in values)


def friction_faults(joint: Component, sliding: Any, static: Any) -> list[Finding]:
    """Friction that holds less than it takes to slide would let go and stick again without end."""
    if static is None or not _numbers(sliding, static) or not np.any(np.asarray(static) < np.asarray(sliding)):
        return []
    problem = f"{type(joint).__name__} {joint.name!r} would hold less than it slides with."
    fact = f"static is {np.asarray(static).tolist()}, friction is {np.asarray(sliding).tolist()}."
    return [Finding(problem, fact, "Give a static of at least the friction, or leave it out.", (joint.name,))]


def size_faults(joint: Component, freedoms: int, values: dict[str, Any]) -> list[Finding]:
    """What acts along the freedoms has one value, or one for each; a damping may be a field, too."""
    fields = {"damping": (freedoms, freedoms)}
    return [
        Finding(
            f"{type(joint).__name__} {joint.name!r}: {np.size(value)} values of {name} do not fit.",
            f"The joint has {freedoms} freedom{'s' if freedoms != 1 else ''}.",
            "Give one value, or one for each freedom.",
            (joint.name,),
        )
        for name, value in values.items()
        if value is not None
        and _numbers(value)
        and np.size(value) not in (1, freedoms)
        and np.shape(value) != fields.get(name)
    ]


def stop_faults(joint: Component, lower: Any, upper: Any, restitution: Any) -> list[Finding]:
    """Stops need a way between them, and give no energy."""
    if not _numbers(lower, upper, restitution) or (lower is None and upper is None):
        return []
    found, named = [], f"{type(joint).__name__} {joint.name!r}"
    if lower is not None and upper is not None and lower >= upper:
        fact = f"lower is {float(lower):g}, upper is {float(upper):g}."
        found.append(Finding(f"{named}: its stops leave no way to move.", fact, "Give lower < upper.", (joint.name,)))
    if restitution > 1:
        fact = f"restitution is {float(restitution):g}, so it would leave faster than it came."
        cure = "Give a restitution from 0 to 1."
        found.append(Finding(f"{named}: its stops would give energy.", fact, cure, (joint.name,)))
    return found


def drive_faults(joint: Component, path: Any, limits: tuple[Any, Any], start: dict[str, Any]) -> list[Finding]:
    """A driven joint follows its path, whatever stands in its way, and starts where the path does.

    start: what is given for its coordinate, by name.
    """
    if not isinstance(path, Formula):
        return []
    named = f"{type(joint).__name__} {joint.name!r}"
    if any(limit is not None for limit in limits):
        fact = "A path is followed whatever effort it takes, so that no stop can hold it."
        cure = "Leave out driven, or lower and upper."
        return [Finding(f"{named} is driven and has stops.", fact, cure, (joint.name,))]
    begins, speed = _beginning(path)
    if not np.isfinite([begins, speed]).all():
        fact = f"At the time 0 its value is {begins:g} and its speed {speed:g}."
        cure = "Give a path that has a finite value and speed at every time from 0 on."
        return [Finding(f"{named} cannot follow its path.", fact, cure, (joint.name,))]
    told = {
        name: float(np.asarray(v, float)) for name, v in start.items() if v is not None and not isinstance(v, Guess)
    }
    wrong = {name: value for name, value in told.items() if abs(value - begins) > SLACK * max(1.0, abs(begins))}
    return [
        Finding(
            f"{named} is driven and cannot start at {name} {value:g}.",
            f"Its path begins at {begins:g}.",
            f"Leave out {name}, or let the path begin there.",
            (joint.name,),
        )
        for name, value in wrong.items()
    ]


def _beginning(path: Formula) -> tuple[float, float]:
    """Value and rate of a path at the time 0."""
    t = SX.sym("t")
    value = SX(path.evaluate({"t": t}))
    found = Function("begin", [t], [value, ca.jacobian(value, t)])(0.0)
    return float(found[0]), float(found[1])


def sequence_faults(joint: Component, sequence: Any, quaternion: Any, angles: Any) -> list[Finding]:
    """A sequence has three axes; its start is given by angles, that of a quaternion by four numbers."""
    named, count = f"{type(joint).__name__} {joint.name!r}", len(sequence)
    if count not in (0, 3):
        problem, fact = f"{named}: its sequence makes no attitude.", f"It has {count} of three axes."
        return [Finding(problem, fact, 'Give three axes, such as "zyx", or leave it out.', (joint.name,))]
    other, name, word = (quaternion, "quaternion", "angles") if count else (angles, "angles", "quaternion")
    if other is not None:
        fact = f"Its coordinates are {'angles, as it has a sequence' if count else 'a quaternion, without a sequence'}."
        cure = f"Give {word} instead, or {'leave out the' if count else 'a'} sequence."
        return [Finding(f"{named} cannot start at a given {name}.", fact, cure, (joint.name,))]
    return []


def attitude_faults(joint: Component, start: Any) -> list[Finding]:
    """The first four start coordinates of a joint with a quaternion are its attitude, up to their length."""
    if start is None or np.any(np.asarray(start, float).ravel()[:4]):
        return []
    problem = f"{type(joint).__name__} {joint.name!r}: the quaternion is no attitude."
    return [Finding(problem, "Its four numbers are zero.", "Give (1, 0, 0, 0) for no turn.", (joint.name,))]
