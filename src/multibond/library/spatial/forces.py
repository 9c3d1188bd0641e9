"""Springs, dampers and forces between two frames, along the line that joins their origins.

A spring without a rest length pulls in proportion to the vector between its ends: it needs no direction and works
where its ends meet, alone, with `damping=0`, and with a mass on its line. Everything else along a line has no direction
there, and stops the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import MTF, TF, C, DirectSum, Line, LinearMap, One, PlanarLine, R, Se, Zero
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.frames import Terminal
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.drawing import input_port, is_zero, point_mass, source


def relative(inside: Inside, fraction: Any = 0.0) -> tuple[Any, Line]:
    """Draw the velocity of frame_b's origin against frame_a's; returns where it leaves and the `Line` between them."""
    if inside.is_planar("frame_a"):
        return _in_plane(inside, fraction)
    a, b = inside.frame("frame_a"), inside.frame("frame_b")
    total = inside.add(Zero("relative", size=3))
    inside.bond(b.translation, total)
    inside.bond(total, a.translation)
    return total, _lead(inside, Line("line", fraction=fraction), a.position, b.position)


def stretching(inside: Inside, total: Any, line: Line) -> Element:
    """Draw the stretching of the line; returns its 1-junction."""
    project, stretch = inside.add(MTF("project", 1, line.dimensions)), inside.add(One("stretch", size=1))
    inside.bond(total, project)
    inside.bond(project, stretch)
    inside.signal(line.direction, project.modulus)
    return stretch


def along_line(inside: Inside) -> tuple[Element, Element]:
    """Draw the stretching of the line between both frames; returns its 1-junction and the `Line`."""
    total, line = relative(inside)
    return stretching(inside, total, line), line


def pull(inside: Inside, total: Any, line: Line, stiffness: Any) -> None:
    """Draw a spring without a rest length, which pulls along the vector between its ends."""
    spring = inside.add(C("spring", 1 / stiffness, size=line.dimensions))
    inside.bond(total, spring)
    inside.signal(line.vector, spring.displacement)
    force = inside.add(LinearMap("force", stiffness))
    inside.signal(line.length, force.in_1)


def side_by_side(inside: Inside, total: Any, line: Line, part: Any) -> None:
    """Draw spring and damper side by side; without a rest length and without damping no direction is asked for."""
    if not is_zero(part.rest):
        stretch = stretching(inside, total, line)
        spring = inside.add(C("spring", 1 / part.stiffness, rest=part.rest, size=1))
        inside.signal(line.length, spring.displacement)
        inside.bond(stretch, spring)
        inside.bond(stretch, inside.add(R("damper", part.damping, size=1)))
        return
    if is_zero(part.damping):
        pull(inside, total, line, part.stiffness)
        inside.signal(line.length, inside.add(LinearMap("no_damping", np.zeros((1, 1)))).in_1)
        return
    shared = inside.add(One("shared", size=line.dimensions))
    inside.bond(total, shared)
    pull(inside, shared, line, part.stiffness)
    inside.bond(stretching(inside, shared, line), inside.add(R("damper", part.damping, size=1)))


def two_forces(part: Any) -> dict[str, str]:
    """Where the forces of spring and damper side by side are read."""
    vector = is_zero(part.rest)
    none = vector and is_zero(part.damping)
    spring, damper = "force.out_1" if vector else "spring.e", "no_damping.out_1" if none else "damper.e"
    return {"spring_force": spring, "damper_force": damper}


def _in_plane(inside: Inside, fraction: Any) -> tuple[Any, Line]:
    """The same in the plane, where nothing turns the bodies."""
    a, b = inside.plane("frame_a"), inside.plane("frame_b")
    relative, velocity = inside.add(Zero("relative", size=3)), inside.add(DirectSum("velocity", 2, 1))
    inside.bond(b.plane, relative)
    inside.bond(relative, a.plane)
    inside.bond(relative, velocity.whole)
    inside.bond(inside.add(Se("no_torque", 0.0, size=1)), velocity.part_2)
    return velocity.part_1, _lead(inside, PlanarLine("line", fraction=fraction), a.position, b.position)


def _lead(inside: Inside, line: Line, a: Terminal, b: Terminal) -> Line:
    inside.add(line)
    inside.signal(a, line.position_a)
    inside.signal(b, line.position_b)
    return line


@component
class Along(Part):
    """Base of what acts along the line between two frames; observables: its length and force."""

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))


@component
class Spring(Along):
    """A spring along the line from frame_a to frame_b: force stiffness · (length - rest), pulling when stretched.

    stiffness  [N/m]; rest: its length without force  [m].

    >>> Spring("coil", stiffness=20.0, rest=0.1)
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    rest: Number = parameter(default=0.0, unit="m", sign="not negative")

    def build(self, inside: Inside) -> None:
        total, line = relative(inside)
        if is_zero(self.rest):
            pull(inside, total, line, self.stiffness)
            return
        spring = inside.add(C("spring", 1 / self.stiffness, rest=self.rest, size=1))
        inside.bond(stretching(inside, total, line), spring)
        inside.signal(line.length, spring.displacement)

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "force.out_1" if is_zero(self.rest) else "spring.e"}


@component
class Damper(Along):
    """A damper along the line from frame_a to frame_b: force damping · d(length)/dt.

    damping  [N.s/m].

    >>> Damper("strut", damping=2.0)
    """

    damping: Number = parameter(unit="N.s/m", sign="not negative")

    def build(self, inside: Inside) -> None:
        stretch, _ = along_line(inside)
        inside.bond(stretch, inside.add(R("damper", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "damper.e"}


@component
class SpringDamper(Along):
    """Spring and damper side by side along the line: force stiffness · (length - rest) + damping · d(length)/dt.

    stiffness  [N/m]; damping  [N.s/m]; rest  [m].

    >>> SpringDamper("strut", stiffness=20.0, damping=2.0, rest=0.1)
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    damping: Number = parameter(unit="N.s/m", sign="not negative")
    rest: Number = parameter(default=0.0, unit="m", sign="not negative")

    def build(self, inside: Inside) -> None:
        side_by_side(inside, *relative(inside), self)

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", **two_forces(self)}


@component
class SpringDamperSeries(Along):
    """Spring and damper one after the other along the line, without mass between: they share one force.

    stiffness  [N/m]; damping  [N.s/m]; stretch: of the spring at the start, over its length without force  [m].

    >>> SpringDamperSeries("maxwell", stiffness=20.0, damping=2.0)
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    damping: Number = parameter(unit="N.s/m", sign="positive")
    stretch: Number = parameter(default=0.0, unit="m", start=True)

    def build(self, inside: Inside) -> None:
        stretch, _ = along_line(inside)
        share = inside.add(Zero("share", size=1))
        inside.bond(stretch, share)
        spring = inside.add(C("spring", 1 / self.stiffness, size=1))
        inside.bond(share, spring)
        inside.start(spring, state=self.stretch)
        inside.bond(share, inside.add(R("damper", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "spring.e", "stretch": "spring.q"}


@component
class LineForce(Along):
    """A force along the line that pulls the frames together, with a flange and, if wanted, a mass on the line.

    force: numbers or a formula of time  [N]; where it is left out, what arrives at the signal `input`.
    mass: a point mass  [kg], at `fraction` of the way from frame_a to frame_b.

    >>> LineForce("rope", force=10.0)
    >>> LineForce("chain", force="10*sin(t)", mass=0.5, fraction=0.5)
    """

    force: Number = parameter(default=None, unit="N", live=True, formula=("t",))
    mass: Number = parameter(default=0.0, unit="kg", sign="not negative")
    fraction: Number = parameter(default=0.5)

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.force, 1))

    def build(self, inside: Inside) -> None:
        total, line = relative(inside, self.fraction)
        tension = source(inside, "tension", self.force, 1)
        inside.bond(stretching(inside, total, line), tension)
        if not is_zero(self.mass):
            line_mass(inside, line, self.mass, self.fraction)

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "tension.e"}


@component
class SpringWithMass(Along):
    """Spring and damper side by side along the line, and a point mass on it, at `fraction` of the way from frame_a.

    stiffness  [N/m]; damping  [N.s/m]; rest  [m]; mass  [kg].

    >>> SpringWithMass("heavy", stiffness=20.0, mass=0.3, rest=0.1)
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    mass: Number = parameter(unit="kg", sign="positive")
    damping: Number = parameter(default=0.0, unit="N.s/m", sign="not negative")
    rest: Number = parameter(default=0.0, unit="m", sign="not negative")
    fraction: Number = parameter(default=0.5)

    def build(self, inside: Inside) -> None:
        total, line = relative(inside, self.fraction)
        side_by_side(inside, total, line, self)
        line_mass(inside, line, self.mass, self.fraction)

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", **two_forces(self), "position": "line.point", "velocity": "mass.f"}


def line_mass(inside: Inside, line: Element, mass: Any, fraction: Any) -> None:
    """Draw a point mass at a fraction of the way from frame_a to frame_b: v = (1 - fraction) v_a + fraction v_b."""
    total, v = inside.add(Zero("mean", size=3)), inside.add(One("v", size=3))
    for side, share in (("a", 1 - fraction), ("b", fraction)):
        part = inside.add(TF(f"share_{side}", share, size=3, inverse="none"))
        inside.bond(inside.frame(f"frame_{side}").translation, part)
        inside.bond(part, total)
    inside.bond(total, v)
    point_mass(inside, v, mass, line.point)
