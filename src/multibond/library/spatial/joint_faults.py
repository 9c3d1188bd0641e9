"""What is wrong with the values of a joint: stops, drives, attitudes; each in the words in which it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.elements.motions import MotionKind
from multibond.errors import Finding
from multibond.formula import Formula
from multibond.graph.component import Component
from multibond.graph.start import start_vector
from multibond.library.spatial.along import beginning
from multibond.library.spatial.drawing import is_zero

SLACK = 1e-9
"""A start so little beyond a stop, or beside a path, counts as at it."""


def _numbers(*values: Any) -> bool:
    """Whether all values are numbers or left out; a symbolic twin of a joint has no faults of its own."""
    return all(value is None or isinstance(value, float | int | np.ndarray | tuple) for value in values)


def _count(value: Any) -> int:
    """How many values are given."""
    return len(value) if isinstance(value, tuple) else np.size(value)


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
            f"{type(joint).__name__} {joint.name!r}: {_count(value)} values of {name} do not fit.",
            f"The joint has {freedoms} freedom{'s' if freedoms != 1 else ''}.",
            "Give one value, or one for each freedom.",
            (joint.name,),
        )
        for name, value in values.items()
        if value is not None
        and _numbers(value)
        and _count(value) not in (1, freedoms)
        and np.shape(value) != fields.get(name)
    ]


def ball_faults(joint: Component, kind: MotionKind) -> list[Finding]:
    """A quaternion is no row of angles, so nothing can be said of them one by one."""
    given = [name for name in ("lower", "upper", "driven") if getattr(joint, name) is not None]
    given += [] if is_zero(joint.stiffness) else ["stiffness"]
    if not given or not kind.quaternion:
        return []
    fact = "Its attitude is a quaternion, whose numbers are no angles."
    cure = 'a sequence, such as sequence="zyx"' if "sequence" in joint.parameters() else "angles=True"
    problem = f"{type(joint).__name__} {joint.name!r} cannot have {' and '.join(given)}."
    return [Finding(problem, fact, f"Give it {cure}, or leave out {' and '.join(given)}.", (joint.name,))]


def stop_faults(joint: Component, lower: Any, upper: Any, restitution: Any) -> list[Finding]:
    """Stops need a way between them, and give no energy."""
    if not _numbers(lower, upper, restitution) or (lower is None and upper is None):
        return []
    found, named = [], f"{type(joint).__name__} {joint.name!r}"
    low, high = np.broadcast_arrays(-np.inf if lower is None else lower, np.inf if upper is None else upper)
    for k in np.flatnonzero(np.ravel(low >= high)):
        fact = f"{_of(int(k), low.size)}lower is {np.ravel(low)[k]:g}, upper is {np.ravel(high)[k]:g}."
        found.append(Finding(f"{named}: its stops leave no way to move.", fact, "Give lower < upper.", (joint.name,)))
    if np.any(restitution > 1):
        fact = f"restitution is {np.max(restitution):g}, so it would leave faster than it came."
        cure = "Give a restitution from 0 to 1."
        found.append(Finding(f"{named}: its stops would give energy.", fact, cure, (joint.name,)))
    return found


def _of(k: int, count: int) -> str:
    """Which freedom a fact is about, where there are several."""
    return f"Of freedom {k} " if count > 1 else ""


@dataclass(frozen=True)
class ToldStart:
    """A start value as it is named: of coordinates (order 0), speeds or accelerations, from which freedom on.

    size: of one in its unit, where that is not the coordinate's. binding: it must be as a path has it; what is not is
    left out, and told.
    """

    name: str
    order: int
    first: int
    value: Any
    size: float = 1.0
    binding: bool = False


def drive_faults(joint: Component, paths: tuple[Any, ...], start: Sequence[ToldStart]) -> list[Finding]:
    """A driven joint follows its paths, whatever stands in its way, and starts where they do."""
    for k, path in enumerate(paths):
        found = _path_faults(joint, k, path, start) if path is not None else []
        if found:
            return found
    return []


def _path_faults(joint: Component, k: int, path: Formula, start: Sequence[ToldStart]) -> list[Finding]:
    """What is wrong with one path."""
    named = f"{type(joint).__name__} {joint.name!r}"
    if any(_limited(getattr(joint, name), k) for name in ("lower", "upper")):
        fact = "A path is followed whatever effort it takes, so that no stop can hold it."
        cure = "Leave out driven, or lower and upper."
        return [Finding(f"{named} is driven and has stops.", fact, cure, (joint.name,))]
    begins = beginning(path)
    if not np.isfinite(begins[:2]).all():
        fact = f"At the time 0 its value is {begins[0]:g} and its speed {begins[1]:g}."
        cure = "Give a path that has a finite value and speed at every time from 0 on."
        return [Finding(f"{named} cannot follow its path.", fact, cure, (joint.name,))]
    return _start_faults(joint, k, begins, start)


def _limited(limit: Any, k: int) -> bool:
    """Whether freedom k has a limit."""
    return limit is not None and bool(np.isfinite(limit if np.size(limit) == 1 else np.ravel(limit)[k]))


def _start_faults(
    joint: Component, k: int, begins: tuple[float, float, float], start: Sequence[ToldStart]
) -> list[Finding]:
    """What is given for a coordinate must be where its path begins."""
    found = []
    for given, told, path in _beside_path(k, begins, [given for given in start if given.binding]):
        problem = f"{type(joint).__name__} {joint.name!r} is driven and cannot start at {given.name} {told:g}."
        cure = f"Leave out {given.name}, or let the path begin there."
        found.append(Finding(problem, f"Its path begins at {path:g}.", cure, (joint.name,)))
    return found


def left_out(paths: tuple[Any, ...], start: Sequence[ToldStart]) -> list[str]:
    """A sentence for each start value that does not count because a path has another one."""
    found = []
    loose = [given for given in start if not given.binding]
    for k, path in enumerate(paths):
        for given, told, begun in _beside_path(k, beginning(path), loose) if path is not None else ():
            how = ("at", "with a speed of", "with an acceleration of")[given.order]
            found.append(f"{given.name} {told:g} does not count: the joint is driven, its path begins {how} {begun:g}")
    return found


def _beside_path(
    k: int, begins: tuple[float, float, float], start: Sequence[ToldStart]
) -> Iterator[tuple[ToldStart, float, float]]:
    """What is given for freedom k and is not as its path begins: it, its number, and that of the path."""
    for given in start:
        value = start_vector(given.value).ravel()
        if not 0 <= k - given.first < value.size or not value.fixed[k - given.first]:
            continue
        told, path = float(value.values[k - given.first]), begins[given.order] / given.size + 0.0  # no -0
        if abs(told - path) > SLACK * max(1.0, abs(path)):
            yield given, told, path


def sequence_faults(joint: Component, sequence: Any, quaternion: Any, angles: Any) -> list[Finding]:
    """A sequence has three axes; its start is given by angles, that of a quaternion by four numbers."""
    named, count = f"{type(joint).__name__} {joint.name!r}", len(sequence)
    if count not in (0, 3):
        problem, fact = f"{named}: its sequence makes no attitude.", f"It has {count} of three axes."
        return [Finding(problem, fact, 'Give three axes, such as "zyx", or leave it out.', (joint.name,))]
    other, word = (quaternion, "angles") if count else (angles, "a quaternion")
    if other is not None:
        fact = f"Its coordinates are {'angles, as it has a sequence' if count else 'a quaternion, without a sequence'}."
        cure = f"Give {word} instead, or {'leave out the' if count else 'a'} sequence."
        return [
            Finding(
                f"{named} cannot start at {'a given quaternion' if count else 'given angles'}.",
                fact,
                cure,
                (joint.name,),
            )
        ]
    return []


def attitude_faults(joint: Component, start: Any) -> list[Finding]:
    """The first four start coordinates of a joint with a quaternion are its attitude, up to their length.

    Where some of the four are not fixed these have what is left to the length one.
    """
    four = start_vector(start).ravel().take(range(4)) if start is not None else None
    if four is None or (four.fixed.all() and four.values.any()):
        return []
    problem, length = f"{type(joint).__name__} {joint.name!r}: the quaternion is no attitude.", four.values[four.fixed]
    if four.fixed.all() or (four.guessed.all() and not four.values.any()):
        return [Finding(problem, "Its four numbers are zero.", "Give (1, 0, 0, 0) for no turn.", (joint.name,))]
    if length @ length > 1.0:
        fact = f"The length of its fixed numbers is {np.sqrt(length @ length):g}, that of all four is 1."
        return [Finding(problem, fact, "Give smaller ones, or all four.", (joint.name,))]
    return []
