"""How parts of space are drawn inside: points carried along, weights, the motion of one frame against another, values
in chosen axes, and parts within parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.elements import MTF, TF, Gravitation, I, MSe, One, Relative, Se, Shift, Zero
from multibond.errors import Finding
from multibond.expr import SX, column, constant, vector
from multibond.graph.component import Component, Element, Number, Part
from multibond.graph.expand import FrameTerminals, Inside, open_part
from multibond.graph.origin import Form
from multibond.graph.port import Port, SignalPort
from multibond.graph.start import StartVector
from multibond.rotation import skew

MEMBERS = ("rotation", "translation", "attitude", "position")


def is_zero(value: Any) -> bool:
    """Whether a parameter is absent or structurally zero; one that is guessed is neither."""
    if value is None or isinstance(value, StartVector):
        return value is None
    return value.nnz() == 0 if isinstance(value, SX) else not np.any(value)


def carried(inside: Inside, a: FrameTerminals, name: str, reach: Any, outlet: Any) -> None:
    """Velocity of a point at `reach` (in the frame's axes): v = v_a + R (ω × reach), led to `outlet`.

    Draws rot → ×(reach) → MTF⟨R⟩ → 0 and trans → 0 → outlet (Boudon et al., Fig. 2).
    """
    if is_zero(reach):
        through = inside.add(One(f"{name}_through", size=3))
        inside.bond(a.translation, through)
        inside.bond(through, outlet)
        return
    lever = inside.add(TF(f"{name}_lever", -skew(vector(reach, 3)), inverse="none"))
    turn = inside.add(MTF(f"{name}_turn", 3, 3, inverse="transpose"))
    total = inside.add(Zero(f"{name}_sum", size=3))
    inside.bond(a.rotation, lever)
    inside.bond(lever, turn)
    inside.bond(turn, total)
    inside.bond(a.translation, total)
    inside.bond(total, outlet)
    inside.signal(a.attitude, turn.modulus)


def rigid(inside: Inside, a: FrameTerminals, b: FrameTerminals, reach: Any, names: tuple[str, str, str]) -> None:
    """Draw frame b at `reach` from frame a, with the same axes; names: of the shift, the 1-junction and the tip."""
    shift = inside.add(Shift(names[0], reach))
    w = inside.add(One(names[1], size=3))
    inside.bond(a.rotation, w)
    inside.bond(w, b.rotation)
    carried(inside, a, names[2], reach, b.translation)
    lead_poses(inside, shift, a, b)


def lead_poses(inside: Inside, item: Element, a: FrameTerminals, b: FrameTerminals) -> None:
    """Lead the poses of two frames to an element."""
    inside.signal(a.attitude, item.attitude_a)
    inside.signal(a.position, item.position_a)
    inside.signal(b.attitude, item.attitude_b)
    inside.signal(b.position, item.position_b)


def weigh(inside: Inside, v: Any, mass: Any, position: Any, name: str = "weight") -> None:
    """Draw what the world's gravity does to a mass at a position: a weight, or the pull of the origin."""
    if is_zero(mass):
        return
    flat = vector(inside.surrounding("planar_gravity", constant(np.zeros(2))), 2)
    gravity, mu = inside.surrounding("gravity", column([flat, SX(1, 1)])), inside.surrounding("mu", None)
    if mu is not None:
        pull = inside.add(Gravitation(name, mu * mass, role="gravity"))
        inside.bond(pull, v)
        inside.signal(position, pull.position)
    elif not is_zero(gravity):
        inside.bond(inside.add(Se(name, vector(gravity, 3) * mass, size=3, role="gravity")), v)


def point_mass(inside: Inside, v: Element, mass: Any, position: Any, form: Form | None = None) -> None:
    """Hang a mass and its weight on the 1-junction of a velocity; form: how what has the mass looks."""
    inside.bond(v, inside.add(I("mass", mass, size=3), form=form))
    weigh(inside, v, mass, position)


# -- one frame against another -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Between:
    """The motion of frame b against frame a: 1-junctions of the relative angular velocity (in b's axes) and of the
    velocity that an observer in a sees (in a's axes), and the relative pose. Effort in them pulls the frames together.
    """

    w: Element
    v: Element
    pose: Element


def between(inside: Inside) -> Between:
    """Draw the motion of frame_b against frame_a."""
    a, b = inside.frame("frame_a"), inside.frame("frame_b")
    pose = inside.add(Relative("relative"))
    lead_poses(inside, pose, a, b)
    return Between(_turning(inside, a, b, pose), _moving(inside, a, b, pose), pose)


def _turning(inside: Inside, a: FrameTerminals, b: FrameTerminals, pose: Element) -> Element:
    total, w = inside.add(Zero("rotation", size=3)), inside.add(One("w", size=3))
    turn = inside.add(MTF("turn", 3, 3, inverse="transpose"))
    inside.bond(b.rotation, total)
    inside.bond(total, turn)
    inside.bond(turn, a.rotation)
    inside.bond(total, w)
    inside.signal(pose.turn, turn.modulus)
    return w


def _moving(inside: Inside, a: FrameTerminals, b: FrameTerminals, pose: Element) -> Element:
    total, slide, v = (
        inside.add(Zero("translation", size=3)),
        inside.add(Zero("slide", size=3)),
        inside.add(One("v", size=3)),
    )
    turn = inside.add(MTF("to_frame", 3, 3, transposed=True, inverse="transpose"))
    lever = inside.add(MTF("lever", 3, 3))
    inside.bond(b.translation, total)
    inside.bond(total, a.translation)
    inside.bond(total, turn)
    inside.bond(turn, slide)
    inside.bond(slide, lever.b)
    inside.bond(lever.a, a.rotation)
    inside.bond(slide, v)
    inside.signal(a.attitude, turn.modulus)
    inside.signal(pose.lever, lever.modulus)
    return v


# -- values ------------------------------------------------------------------------------------------------------------


def input_port(value: Number, size: int = 3) -> tuple[Port, ...]:
    """The signal port `input` where a value is left out."""
    return (SignalPort("input", size, "in"),) if value is None else ()


def source(inside: Inside, name: str, value: Number, size: int = 3) -> Element:
    """A source of effort: numbers or formulas of time, or what arrives at `input`."""
    if value is not None:
        return inside.add(Se(name, value, size=size))
    given = inside.add(MSe(name, size=size))
    inside.signal(inside.own("input"), given.effort)
    return given


def word_fault(item: Component, parameter: str, allowed: tuple[str, ...]) -> list[Finding]:
    """A word that is none of those allowed."""
    word = getattr(item, parameter)
    if word in allowed:
        return []
    problem = f"{type(item).__name__} {item.name!r}: {parameter} cannot be {word!r}."
    choices = ", ".join(repr(one) for one in allowed)
    return [Finding(problem, f"It is one of {choices}.", "Choose one of these.", (item.name,))]


# -- parts within parts ------------------------------------------------------------------------------------------------


def nested(inside: Inside, part: Part) -> Inside:
    """Open a part inside another one, under its own name; returns its inside, which has its ports."""
    path = f"{inside._path}.{part.name}"
    open_part(part, path, inside._draft)
    return Inside(inside._draft, path, type(part).__name__)


def join(inside: Inside, *frames: FrameTerminals) -> None:
    """Make frames one."""
    for member in MEMBERS:
        first, *others = (getattr(frame, member).path for frame in frames)
        for other in others:
            inside._draft.join(first, other)
