"""Springs and dampers between two frames, along the line that joins their origins."""

from __future__ import annotations

from typing import Any

from multibond.elements import MTF, C, DirectSum, Line, One, PlanarLine, R, Se, Zero
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.frames import Terminal
from multibond.graph.port import FramePort, Port


def along_line(inside: Inside) -> tuple[Element, Element]:
    """Draw the stretching of the line between both frames; returns its 1-junction and the `Line`."""
    velocity, line = _in_plane(inside) if inside.is_planar("frame_a") else _in_space(inside)
    project = inside.add(MTF("project", 1, line.dimensions))
    stretch = inside.add(One("stretch", size=1))
    inside.bond(velocity, project)
    inside.bond(project, stretch)
    inside.signal(line.direction, project.modulus)
    return stretch, line


def _in_space(inside: Inside) -> tuple[Any, Line]:
    """Where the velocity of b against a leaves, and the line between them."""
    a, b = inside.frame("frame_a"), inside.frame("frame_b")
    relative = inside.add(Zero("relative", size=3))
    inside.bond(b.translation, relative)
    inside.bond(relative, a.translation)
    return relative, _lead(inside, Line("line"), a.position, b.position)


def _in_plane(inside: Inside) -> tuple[Any, Line]:
    """The same in the plane, where nothing turns the bodies."""
    a, b = inside.plane("frame_a"), inside.plane("frame_b")
    relative, velocity = inside.add(Zero("relative", size=3)), inside.add(DirectSum("velocity", 2, 1))
    inside.bond(b.plane, relative)
    inside.bond(relative, a.plane)
    inside.bond(relative, velocity.whole)
    inside.bond(inside.add(Se("no_torque", 0.0, size=1)), velocity.part_2)
    return velocity.part_1, _lead(inside, PlanarLine("line"), a.position, b.position)


def _lead(inside: Inside, line: Line, a: Terminal, b: Terminal) -> Line:
    inside.add(line)
    inside.signal(a, line.position_a)
    inside.signal(b, line.position_b)
    return line


@component
class Spring(Part):
    """A spring along the line from frame_a to frame_b: force stiffness · (length - rest), pulling when stretched.

    stiffness  [N/m]; rest: its length without force  [m].
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    rest: Number = parameter(default=0.0, unit="m", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        stretch, line = along_line(inside)
        spring = inside.add(C("spring", 1 / self.stiffness, rest=self.rest, size=1))
        inside.bond(stretch, spring)
        inside.signal(line.length, spring.displacement)

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "spring.e"}


@component
class Damper(Part):
    """A damper along the line from frame_a to frame_b: force damping · d(length)/dt.

    damping  [N.s/m].
    """

    damping: Number = parameter(unit="N.s/m", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        stretch, _ = along_line(inside)
        inside.bond(stretch, inside.add(R("damper", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "damper.e"}


__all__: list[Any] = ["Damper", "Spring"]
