"""Joints: what may move between two frames. Each is a preset of one inner graph (Boudon et al., Fig. 4).

Rotation, in b's axes:    a → MTF⟨R_BA⟩ → 0 → b, and the relative rotation enters the 0-junction.
Translation, in world axes: a → 0 → b, and the relative velocity enters through MTF⟨R_WA⟩, with the transport term
ω × p_AB beside it. Each relative component is free (it belongs to the `motion`) or held by a `Constraint`.
The reaction of a joint is what side a exerts on side b, at b's origin, in a's axes.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from multibond.elements import MTF, TF, C, Constraint, DirectSum, Motion, One, R, Se, Zero
from multibond.elements.motions import MOTIONS, MotionKind
from multibond.errors import Finding
from multibond.graph.component import Element, Guess, Number, Part, component, parameter
from multibond.graph.expand import FrameTerminals, Inside
from multibond.graph.port import FramePort, Port, PowerPort
from multibond.library.spatial.parts import is_zero
from multibond.units import ANY, ROTATION, TRANSLATION


@component
class Joint(Part):
    """Base of joints: two frames, the inner graph, damping and drive on the free directions, and a flange to them."""

    kind: ClassVar[str] = ""

    def motion(self) -> MotionKind:
        """The geometry."""
        axes = self._axes()
        return MOTIONS[self.kind](*axes, *[np.zeros(3)] * (2 - len(axes)))

    @property
    def freedoms(self) -> int:
        """Number of free relative motions."""
        return self.motion().turns + self.motion().slides

    def start_values(self) -> dict[str, Any]:
        """Start coordinates q and flows u, where given."""
        return {}

    def ports(self) -> tuple[Port, ...]:
        frames = (FramePort("frame_a"), FramePort("frame_b"))
        domain = ROTATION if self.motion().turns and not self.motion().slides else TRANSLATION
        flange = PowerPort("flange", self.freedoms, domain if self.freedoms < 6 else ANY)
        return (*frames, flange)

    def build(self, inside: Inside) -> None:
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        kind = self.motion()
        motion = inside.add(Motion("motion", self.kind, *self._axes()))
        self._lead_poses(inside, motion, a, b)
        free = inside.add(One("free", size=self.freedoms))
        inside.bond(free, motion)
        inside.bond(inside.own("flange"), free)
        turn_inlet = self._rotation(inside, motion, a, b)
        slide_inlet = self._translation(inside, motion, a, b)
        if kind.turns and kind.slides:
            both = inside.add(DirectSum("both", kind.turns, kind.slides))
            inside.bond(free, both.whole)
            inside.bond(both.part_1, turn_inlet)
            inside.bond(both.part_2, slide_inlet)
        else:
            inside.bond(free, turn_inlet if kind.turns else slide_inlet)
        self._functions(inside, motion, free)
        inside.start(motion, **self.start_values())

    def _axes(self) -> list[Any]:
        return [getattr(self, name) for name in ("axis", "second_axis") if name in self.parameters()]

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
        if self.kind == "universal":
            basis: Element = inside.add(MTF("axes", 3, 3, inverse="transpose"))
            inside.signal(motion.basis, basis.modulus)
        else:
            basis = inside.add(TF("axes", kind.fixed_basis(), inverse="transpose"))
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

    def _hold(self, inside: Inside, motion: Element, what: str, size: int) -> Element:
        held = inside.add(Constraint(f"hold_{what}", role=what, size=size))
        inside.signal(getattr(motion, f"gap_{what}"), held.gap)
        return held

    def _split(self, inside: Inside, basis: Element, relative: Element, held: Element, free: int, name: str) -> Any:
        parts = inside.add(DirectSum(f"split_{name}", free, 3 - free))
        inside.bond(parts.whole, basis.a)
        inside.bond(basis, relative)
        inside.bond(held, parts.part_2)
        return parts.part_1

    def _functions(self, inside: Inside, motion: Element, free: Element) -> None:
        """Damper, spring and drive on the free directions."""
        values = {name: getattr(self, name, None) for name in ("damping", "stiffness", "torque", "force")}
        if values["damping"] is not None and not is_zero(values["damping"]):
            inside.bond(free, inside.add(R("damper", values["damping"], size=self.freedoms)))
        if values["stiffness"] is not None and not is_zero(values["stiffness"]):
            spring = inside.add(C("spring", 1 / values["stiffness"], rest=self.rest, size=self.freedoms))
            inside.bond(free, spring)
            inside.signal(motion.q, spring.displacement)
        for word in ("torque", "force"):
            if values[word] is not None:
                inside.bond(inside.add(Se("drive", values[word], size=self.freedoms)), free)

    def observables(self) -> dict[str, str]:
        return {
            "coordinates": "motion.q",
            "speeds": "motion.f",
            "reaction_force": "to_world.a.e",
            "reaction_torque": "turn.a.e",
        }


@component
class Revolute(Joint):
    """A hinge: b turns about `axis` against a.

    angle, speed: start values, b against a  [rad, rad/s]; damping  [N.m.s/rad]; torque: drive on b, counted about the
    axis  [N.m]; stiffness  [N.m/rad] with its angle `rest`.

    >>> Revolute("hip", axis="z", angle=0.5, damping=0.1)
    """

    axis: Number = parameter(default="z", structural=True, shape="axis")
    angle: Number = parameter(default=None, unit="rad", start=True)
    speed: Number = parameter(default=None, unit="rad/s", start=True)
    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative")
    torque: Number = parameter(default=None, unit="N.m", live=True, formula=("t",))
    stiffness: Number = parameter(default=0.0, unit="N.m/rad", sign="not negative")
    rest: Number = parameter(default=0.0, unit="rad")

    kind: ClassVar[str] = "revolute"

    def start_values(self) -> dict[str, Any]:
        return {"q": self.angle, "u": self.speed}

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angle": "motion.q", "speed": "motion.f"}


@component
class Prismatic(Joint):
    """A slider: b moves along `axis`, fixed in a.

    position, speed: start values  [m, m/s]; damping  [N.s/m]; force: drive on b along the axis  [N];
    stiffness  [N/m] with its position `rest`.
    """

    axis: Number = parameter(default="x", structural=True, shape="axis")
    position: Number = parameter(default=None, unit="m", start=True)
    speed: Number = parameter(default=None, unit="m/s", start=True)
    damping: Number = parameter(default=0.0, unit="N.s/m", sign="not negative")
    force: Number = parameter(default=None, unit="N", live=True, formula=("t",))
    stiffness: Number = parameter(default=0.0, unit="N/m", sign="not negative")
    rest: Number = parameter(default=0.0, unit="m")

    kind: ClassVar[str] = "prismatic"

    def start_values(self) -> dict[str, Any]:
        return {"q": self.position, "u": self.speed}

    def observables(self) -> dict[str, str]:
        return super().observables() | {"position": "motion.q", "speed": "motion.f"}


@component
class Universal(Joint):
    """A Cardan joint: b turns about `axis`, fixed in a, and about `second_axis`, fixed in b and perpendicular to it.

    angles, speeds: start values, two each  [rad, rad/s]; damping: one value or two  [N.m.s/rad]; torque: two  [N.m].
    """

    axis: Number = parameter(default="x", structural=True, shape="axis")
    second_axis: Number = parameter(default="y", structural=True, shape="axis")
    angles: Number = parameter(default=None, unit="rad", start=True)
    speeds: Number = parameter(default=None, unit="rad/s", start=True)
    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative", shape=None)
    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(2,))

    kind: ClassVar[str] = "universal"

    def faults(self) -> list[Finding]:
        if abs(float(np.dot(self.axis, self.second_axis))) < 1e-9:
            return []
        return [
            Finding(
                f"Universal {self.name!r}: its two axes are not perpendicular.",
                f"axis {self.axis.tolist()}, second_axis {self.second_axis.tolist()}.",
                "Choose two perpendicular axes.",
                (self.name,),
            )
        ]

    def start_values(self) -> dict[str, Any]:
        return {"q": self.angles, "u": self.speeds}

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angles": "motion.q"}


@component
class Spherical(Joint):
    """A ball joint: all rotations are free.

    quaternion: start attitude of b in a (w, x, y, z); angular_velocity: of b against a, in b's axes  [rad/s];
    damping: one value or three  [N.m.s/rad]; torque: three, in b's axes  [N.m].
    """

    quaternion: Number = parameter(default=None, start=True)
    angular_velocity: Number = parameter(default=None, unit="rad/s", start=True)
    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative", shape=None)
    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(3,))

    kind: ClassVar[str] = "spherical"

    def start_values(self) -> dict[str, Any]:
        return {"q": self.quaternion, "u": self.angular_velocity}

    def observables(self) -> dict[str, str]:
        return super().observables() | {"quaternion": "motion.q", "angular_velocity": "motion.f"}


@component
class Free(Joint):
    """No joint at all: b moves freely against a. Gives a free body its start values.

    position, velocity: of b in a's axes  [m, m/s]; quaternion (w, x, y, z); angular_velocity in b's axes  [rad/s].
    """

    position: Number = parameter(default=None, unit="m", start=True)
    quaternion: Number = parameter(default=None, start=True)
    velocity: Number = parameter(default=None, unit="m/s", start=True)
    angular_velocity: Number = parameter(default=None, unit="rad/s", start=True)

    kind: ClassVar[str] = "free"

    def faults(self) -> list[Finding]:
        lengths = {"position": 3, "quaternion": 4, "velocity": 3, "angular_velocity": 3}
        given = [(name, np.shape(getattr(self, name)), n) for name, n in lengths.items()]
        return super().faults() + [
            Finding(
                f"Free {self.name!r}: {name} cannot be {getattr(self, name)}.",
                f"It needs {n} numbers.",
                f"Give {n} numbers for {name}, or leave it out.",
                (self.name,),
            )
            for name, shape, n in given
            if getattr(self, name) is not None and shape != (n,)
        ]

    def start_values(self) -> dict[str, Any]:
        q = [(self.quaternion, (1.0, 0.0, 0.0, 0.0)), (self.position, (0.0, 0.0, 0.0))]
        u = [(self.angular_velocity, (0.0, 0.0, 0.0)), (self.velocity, (0.0, 0.0, 0.0))]
        return {"q": _together(q), "u": _together(u)}

    def observables(self) -> dict[str, str]:
        return super().observables()


def _together(pairs: list[tuple[Any, tuple[float, ...]]]) -> np.ndarray | None:
    if all(value is None for value, _ in pairs):
        return None
    return np.concatenate([np.asarray(default if value is None else value, float) for value, default in pairs])


__all__ = ["Free", "Guess", "Joint", "Prismatic", "Revolute", "Spherical", "Universal"]
