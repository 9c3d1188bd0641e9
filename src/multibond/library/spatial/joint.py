"""What all joints have in common: one inner graph, in which each relative motion is free or held (Boudon, Fig. 4).

Rotation, in b's axes:    a → MTF⟨R_BA⟩ → 0 → b, and the relative rotation enters the 0-junction.
Translation, in world axes: a → 0 → b, and the relative velocity enters through MTF⟨R_WA⟩, with the transport term
ω × p_AB beside it. Each relative component is free (it belongs to the `motion`) or held by a `Constraint`.
The reaction of a joint is what side a exerts on side b, at b's origin, in a's axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import (
    MTF,
    TF,
    Constraint,
    DirectSum,
    Friction,
    Motion,
    One,
    R,
    Se,
    Zero,
)
from multibond.elements.kinematics import axes_faults
from multibond.elements.motions import MotionKind
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.frames import FrameTerminals
from multibond.graph.origin import DRIVE
from multibond.graph.port import FramePort, Port, PowerPort, SignalPort
from multibond.graph.start import start_vector
from multibond.library.spatial.along import draw_along, led, led_start
from multibond.library.spatial.drawing import is_zero
from multibond.library.spatial.joint_faults import (
    ToldStart,
    attitude_faults,
    ball_faults,
    drive_faults,
    friction_faults,
    left_out,
    size_faults,
    stop_faults,
)
from multibond.units import ANY, ROTATION, TRANSLATION

NO_AXES = np.zeros((0, 3))

START_WORDS = {
    **dict.fromkeys(("angle", "angles", "position", "coordinates"), 0),
    **dict.fromkeys(("speed", "speeds", "angular_velocity", "velocity"), 1),
    **dict.fromkeys(("acceleration", "accelerations", "angular_acceleration"), 2),
}
"""Parameters that tell where the freedoms of a joint begin: coordinates, their rates, and the rates of these."""


@component
class Mobility(Part):
    """Base of joints: two frames and the inner graph between them, with a flange to the free motions.

    method: how this joint's constraints are treated where that differs from the model ("multiplier", "rc").
    steady: it starts at rest and without acceleration; what is not given is found so.
    """

    method: str = parameter(default="", structural=True, shape="word", kw_only=True)
    steady: bool = parameter(default=False, structural=True, shape="flag", kw_only=True)

    def motion(self) -> MotionKind:
        """The geometry: which motions are free."""
        raise TypeError(type(self).__name__)

    def start_values(self) -> dict[str, Any]:
        """Start coordinates q, flows u and rates of flows a, where given."""
        return {}

    def drive(self) -> Any:
        """The effort that drives b along the free directions, if any."""
        return None

    def paths(self) -> tuple[Any, ...]:
        """For each freedom its coordinate as a formula of time, or None where it is not driven."""
        return ()

    @property
    def freedoms(self) -> int:
        """Number of free relative motions."""
        return self.motion().freedoms

    def faults(self) -> list[Finding]:
        found = axes_faults(self, self.motion())
        return (
            found or [*self._method_faults(), *self._length_faults(), *self._steady_faults()] or self._attitude_faults()
        )

    def _attitude_faults(self) -> list[Finding]:
        return attitude_faults(self, self.start_values().get("q")) if self.motion().quaternion else []

    def _steady_faults(self) -> list[Finding]:
        """A steady joint has neither speed nor acceleration."""
        given = [value for name, value in self.start_values().items() if name in ("u", "a") and value is not None]
        if not self.steady or not any(start_vector(value).values.any() for value in given):
            return []
        problem = f"{type(self).__name__} {self.name!r} cannot be steady."
        fact = "A speed or an acceleration is given for its start."
        return [Finding(problem, fact, "Leave these out, or leave out steady=True.", (self.name,))]

    def first_values(self) -> dict[str, Any]:
        """Start values as the motion takes them: at rest and staying so where the joint is steady."""
        still = np.zeros(self.freedoms)
        return led_start(self.start_values(), self.paths(), self.motion().mixed) | (
            {"u": still, "a": still} if self.steady else {}
        )

    def _method_faults(self) -> list[Finding]:
        if self.method in ("", "multiplier", "rc"):
            return []
        problem = f"{type(self).__name__} {self.name!r}: there is no method {self.method!r} for a joint."
        fact = "A joint can be held by multipliers or by springs and dampers; else it follows the model."
        return [Finding(problem, fact, 'Give "multiplier" or "rc", or leave it out.', (self.name,))]

    def _length_faults(self) -> list[Finding]:
        """Start values need as many numbers as there are coordinates or flows."""
        wanted = {"q": self.motion().coordinates, "u": self.freedoms, "a": self.freedoms}
        found = []
        for name, value in self.start_values().items():
            count = start_vector(value).size if value is not None else 0
            if count and count != wanted.get(name, count):
                words = {"q": "coordinates", "u": "speeds", "a": "accelerations"}
                problem = f"{type(self).__name__} {self.name!r}: {count} start {words[name]} do not fit."
                cure = f"Give {wanted[name]} number{'s' if wanted[name] != 1 else ''}."
                found.append(Finding(problem, f"The joint has {wanted[name]}.", cure, (self.name,)))
        return found

    def frames(self) -> tuple[FramePort, FramePort]:
        """The two frames."""
        return FramePort("frame_a"), FramePort("frame_b")

    def ports(self) -> tuple[Port, ...]:
        kind, frames = self.motion(), self.frames()
        if not kind.freedoms:
            return frames
        turning = kind.turns and (not kind.slides or kind.lead is not None)
        domain = ANY if kind.turns and kind.slides and kind.lead is None else ROTATION if turning else TRANSLATION
        coordinates = SignalPort("coordinate", kind.coordinates, "out", optional=True)
        return (*frames, PowerPort("flange", kind.freedoms, domain), coordinates)

    # -- the inner graph -----------------------------------------------------------------------------------------------

    def build(self, inside: Inside) -> None:
        kind, motion = self.motion(), inside.add(self.mover())
        turn_inlet, slide_inlet = self.relative(inside, motion)
        if not kind.freedoms:
            return
        free = inside.add(One("free", size=kind.freedoms))
        inside.bond(free, motion)
        inside.bond(inside.own("flange"), free)
        inside.signal(motion.q, inside.own("coordinate"))
        if kind.lead is not None:
            inside.bond(free, turn_inlet)
            inside.bond(free, self._screw(inside, motion, slide_inlet))
        elif kind.turns and kind.slides:
            both = inside.add(DirectSum("both", kind.turns, kind.slides))
            inside.bond(free, both.whole)
            inside.bond(both.part_1, turn_inlet)
            inside.bond(both.part_2, slide_inlet)
        else:
            inside.bond(free, turn_inlet if kind.turns else slide_inlet)
        self.functions(inside, motion, free)
        inside.start(motion, **self.first_values())

    def mover(self) -> Element:
        """The element that holds the coordinates."""
        kind = self.motion()
        return Motion("motion", kind.turn_axes, kind.slide_axes, kind.angles, kind.lead, **led(self.paths()))

    def relative(self, inside: Inside, motion: Element) -> tuple[Any, Any]:
        """Draw the relative motion of both frames; returns where the free rotations and translations enter."""
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        self._lead_poses(inside, motion, a, b)
        return self._rotation(inside, motion, a, b), self._translation(inside, motion, a, b)

    def functions(self, inside: Inside, motion: Element, free: Element) -> None:
        """What acts along the free motions."""
        if self.drive() is not None:
            inside.bond(inside.add(Se("drive", self.drive(), size=self.freedoms), DRIVE), free)

    def _lead_poses(self, inside: Inside, motion: Element, a: FrameTerminals, b: FrameTerminals) -> None:
        inside.signal(a.attitude, motion.attitude_a)
        inside.signal(a.position, motion.position_a)
        inside.signal(b.attitude, motion.attitude_b)
        inside.signal(b.position, motion.position_b)

    def _rotation(self, inside: Inside, motion: Element, a: FrameTerminals, b: FrameTerminals) -> Any:
        """Draw the rotational side; returns where the free rotations enter."""
        kind = self.motion()
        total = inside.add(Zero("rotation", size=3))
        turn = inside.add(MTF("turn", 3, 3, transposed=True, inverse="transpose"))
        inside.bond(a.rotation, turn)
        inside.bond(turn, total)
        inside.bond(total, b.rotation)
        inside.signal(motion.turn, turn.modulus)
        relative = inside.add(One("w", size=3))
        inside.bond(relative, total)
        if kind.turns == 3:
            return relative
        held = self._hold(inside, motion, "rotation", 3 - kind.turns)
        if kind.turns == 0:
            inside.bond(held, relative)
            return None
        if kind.fixed_basis is None:
            basis: Element = inside.add(MTF("axes", 3, 3, inverse="transpose"))
            inside.signal(motion.basis, basis.modulus)
        else:
            basis = inside.add(TF("axes", kind.fixed_basis, inverse="transpose"))
        return self._split(inside, basis, relative, held, kind.turns, "rotations")

    def _translation(self, inside: Inside, motion: Element, a: FrameTerminals, b: FrameTerminals) -> Any:
        """Draw the translational side; returns where the free translations enter."""
        kind = self.motion()
        total = inside.add(Zero("translation", size=3))
        inside.bond(a.translation, total)
        inside.bond(total, b.translation)
        slide = inside.add(Zero("slide", size=3))
        turn = inside.add(MTF("to_world", 3, 3, inverse="transpose"))
        lever = inside.add(MTF("lever", 3, 3))
        inside.bond(a.rotation, lever)
        inside.bond(lever, slide)
        inside.bond(slide, turn)
        inside.bond(turn, total)
        inside.signal(motion.lever, lever.modulus)
        inside.signal(a.attitude, turn.modulus)
        relative = inside.add(One("v", size=3))
        inside.bond(relative, slide)
        if kind.slides == 3:
            return relative
        held = self._hold(inside, motion, "translation", 3 - kind.slides)
        if kind.slides == 0:
            inside.bond(held, relative)
            return None
        basis = inside.add(TF("slides", kind.slide_basis(), inverse="transpose"))
        return self._split(inside, basis, relative, held, kind.slides, "translations")

    def _screw(self, inside: Inside, motion: Element, slide_inlet: Any) -> Element:
        """Draw what couples the slide to the turn; returns where the turn enters it."""
        lead = inside.add(TF("lead", self.motion().lead, inverse="none"))
        total = inside.add(Zero("screw", size=1))
        held = self._hold(inside, motion, "screw", 1, "translation")
        inside.bond(lead, total)
        inside.bond(held, total)
        inside.bond(total, slide_inlet)
        return lead

    def _hold(self, inside: Inside, motion: Element, what: str, size: int, role: str = "") -> Element:
        held = inside.add(Constraint(f"hold_{what}", method=self.method, role=role or what, size=size))
        inside.signal(getattr(motion, f"gap_{what}"), held.gap)
        return held

    def _split(self, inside: Inside, basis: Element, relative: Element, held: Element, free: int, name: str) -> Any:
        parts = inside.add(DirectSum(f"split_{name}", free, 3 - free))
        inside.bond(parts.whole, basis.a)
        inside.bond(basis, relative)
        inside.bond(held, parts.part_2)
        return parts.part_1

    def observables(self) -> dict[str, str]:
        free = {"coordinates": "motion.q", "speeds": "motion.f"} if self.freedoms else {}
        return free | {"reaction_force": "to_world.a.e", "reaction_torque": "turn.a.e"}


@component
class Moving(Mobility):
    """Base of joints with something along their free motions; each value stands for all freedoms, or is one for each.

    damping: opposes the motion in proportion; friction: dry, with true stick, and `static` the most it holds.
    stiffness: a spring towards the coordinate `rest`; lower, upper: limits of the coordinates, None for none, hit with
    `restitution`; driven: coordinates as formulas of the time t, None where one is free.
    """

    damping: Number = parameter(default=0.0, unit="N.m.s/rad, N.s/m", sign="not negative", shape=None, kw_only=True)
    friction: Number = parameter(default=0.0, unit="N.m, N", sign="not negative", shape=None, kw_only=True)
    static: Number = parameter(default=None, unit="N.m, N", sign="not negative", shape=None, kw_only=True)
    stiffness: Number = parameter(default=0.0, unit="N.m/rad, N/m", sign="not negative", shape=None, kw_only=True)
    rest: Number = parameter(default=0.0, unit="rad, m", shape=None, kw_only=True)
    lower: Number = parameter(default=None, unit="rad, m", shape=None, missing=-np.inf, kw_only=True)
    upper: Number = parameter(default=None, unit="rad, m", shape=None, missing=np.inf, kw_only=True)
    restitution: Number = parameter(default=0.0, sign="not negative", shape=None, kw_only=True)
    driven: Number = parameter(default=None, shape="laws", formula=("t",), kw_only=True)

    def faults(self) -> list[Finding]:
        found = super().faults() + friction_faults(self, self.friction, self.static)
        names = ("damping", "friction", "static", "stiffness", "rest", "lower", "upper", "restitution", "driven")
        wrong = size_faults(self, self.freedoms, {name: getattr(self, name) for name in names})
        wrong = wrong or ball_faults(self, self.motion()) or stop_faults(self, self.lower, self.upper, self.restitution)
        return found + wrong if found or wrong else drive_faults(self, self.paths(), self.told_start())

    def told_start(self) -> list[ToldStart]:
        """The start values as they are named, as far as a path says something of them."""
        kind, known = self.motion(), self.parameters()
        words = [word for word, about in known.items() if word in START_WORDS and about.start]
        linear = {"position", "velocity", *(["acceleration"] if "angular_acceleration" in known else [])}
        told = [(word, START_WORDS[word], kind.turns if word in linear else 0) for word in words]
        given = [(w, n, first) for w, n, first in told if n == 0 or not kind.mixed]
        return [ToldStart(w, n, first, getattr(self, w), binding=n == 0) for w, n, first in given]

    def oversights(self) -> list[str]:
        return [*super().oversights(), *left_out(self.paths(), self.told_start())]

    def paths(self) -> tuple[Any, ...]:
        """For each freedom its path, or None."""
        given = self.driven if isinstance(self.driven, tuple) else (self.driven,)
        return given * self.freedoms if len(given) == 1 else given

    def functions(self, inside: Inside, motion: Element, free: Element) -> None:
        super().functions(inside, motion, free)
        if not is_zero(self.damping):
            inside.bond(free, inside.add(R("damper", self.damping, size=self.freedoms)))
        if not is_zero(self.friction):
            inside.bond(free, inside.add(Friction("friction", self.friction, self.static, size=self.freedoms)))
        draw_along(inside, self, motion, free)


@component
class Single(Moving):
    """Base of joints with one coordinate: what acts along it has one value."""

    restitution: Number = parameter(default=0.0, sign="not negative", kw_only=True)
    driven: Number = parameter(default=None, shape="law", formula=("t",), kw_only=True)


@component
class Joint(Moving):
    """Any joint: b slides along the axes `slides`, fixed in a, then turns about the axes `turns` in order.

    turns: axes of the free rotations, such as "z", "xy" or [(1, 1, 0)]; slides: axes of the free translations.
    angles: three rotations as angles about their axes in turn, instead of a quaternion.
    coordinates, speeds, accelerations: start values, those of the rotations first. Three rotations have a quaternion
    (w, x, y, z) as coordinates, and their speeds are the angular velocity of b in its own axes. force: drive on b
    along each freedom.

    >>> Joint("slot", turns="z", slides="xy")
    >>> Joint("wrist", turns="zyx", angles=True)
    """

    turns: Number = parameter(default=(), structural=True, shape="axes")
    slides: Number = parameter(default=(), structural=True, shape="axes")
    angles: bool = parameter(default=False, structural=True, shape="flag")
    coordinates: Number = parameter(default=None, start=True, shape=None)
    speeds: Number = parameter(default=None, start=True, shape=None)
    accelerations: Number = parameter(default=None, start=True, shape=None)
    force: Number = parameter(default=None, unit="N.m, N", live=True, shape=None, formula=("t",))

    def motion(self) -> MotionKind:
        return MotionKind(self.turns, self.slides, self.angles)

    def start_values(self) -> dict[str, Any]:
        return {"q": self.coordinates, "u": self.speeds, "a": self.accelerations}

    def drive(self) -> Any:
        return self.force


def rows(*axes: Any) -> np.ndarray:
    """Axes as the rows of a matrix."""
    return np.array(axes) if axes else NO_AXES


__all__ = ["NO_AXES", "Joint", "Mobility", "Moving", "Single", "rows"]
