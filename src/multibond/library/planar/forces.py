"""What pushes and turns frames in the plane: springs and dampers along a line, given forces and torques."""

from __future__ import annotations

from multibond.elements import MTF, DirectSum, MSe, Se, blocks
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import PlanarFramePort, Port, SignalPort
from multibond.library.drawing import effort_source, input_port
from multibond.library.spatial import forces
from multibond.library.spatial.forces import along_line

TURNED = ["cos(u)", "-sin(u)", "sin(u)", "cos(u)"]
"""The axes of a frame by its angle u, row after row."""


@component
class Spring(forces.Spring):
    """A spring along the line from frame_a to frame_b: force stiffness · (length - rest), pulling when stretched.

    stiffness  [N/m]; rest: its length without force  [m].
    """

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame_a"), PlanarFramePort("frame_b"))


@component
class Damper(forces.Damper):
    """A damper along the line from frame_a to frame_b: force damping · d(length)/dt.

    damping  [N.s/m].
    """

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame_a"), PlanarFramePort("frame_b"))


@component
class LineForce(Part):
    """A force along the line from frame_a to frame_b that pulls them together.

    force: a number, a formula of time, or the signal `input` where it is left out  [N]. Variables: length, force.
    """

    force: Number = parameter(default=None, unit="N", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame_a"), PlanarFramePort("frame_b"), *input_port(self.force))

    def build(self, inside: Inside) -> None:
        stretch, _ = along_line(inside)
        inside.bond(stretch, effort_source(inside, "pull", self.force))

    def observables(self) -> dict[str, str]:
        return {"length": "line.length", "force": "pull.e"}


@component
class Force(Part):
    """A force on a frame.

    force: two numbers, formulas of time, or the signal `input` where it is left out  [N]; axes: "world" or "frame",
    those in which it is counted.
    """

    force: Number = parameter(default=None, unit="N", live=True, shape=(2,), formula=("t",))
    axes: str = parameter(default="world", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        if self.axes in ("world", "frame"):
            return []
        problem = f"{type(self).__name__} {self.name!r}: there are no axes {self.axes!r}."
        return [Finding(problem, "A force is counted along its frame or the world.", 'Give "world" or "frame".')]

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame"), *_input(self.force, 2))

    def build(self, inside: Inside) -> None:
        whole = inside.add(DirectSum("whole", 2, 1))
        source = _source(inside, "force", self.force, 2)
        inside.bond(inside.add(Se("no_torque", 0.0, size=1)), whole.part_2)
        inside.bond(whole.whole, inside.plane("frame").plane)
        if self.axes == "world":
            inside.bond(source, whole.part_1)
            return
        axes, turn = inside.add(blocks.Function("axes", TURNED)), inside.add(MTF("turn", 2, 2, inverse="transpose"))
        inside.signal(inside.plane("frame").angle, axes.u)
        inside.signal(axes.y, turn.modulus)
        inside.bond(source, turn)
        inside.bond(turn, whole.part_1)

    def observables(self) -> dict[str, str]:
        return {"force": "force.e"}


@component
class Torque(Part):
    """A torque on a frame, counter-clockwise.

    torque: a number, a formula of time, or the signal `input` where it is left out  [N.m]
    """

    torque: Number = parameter(default=None, unit="N.m", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame"), *_input(self.torque, 1))

    def build(self, inside: Inside) -> None:
        whole = inside.add(DirectSum("whole", 2, 1))
        inside.bond(inside.add(Se("no_force", 0.0, size=2)), whole.part_1)
        inside.bond(_source(inside, "torque", self.torque, 1), whole.part_2)
        inside.bond(whole.whole, inside.plane("frame").plane)

    def observables(self) -> dict[str, str]:
        return {"torque": "torque.e"}


def _input(value: Number, size: int) -> tuple[Port, ...]:
    return (SignalPort("input", size),) if value is None else ()


def _source(inside: Inside, name: str, value: Number, size: int) -> Element:
    """A source of effort: numbers or formulas of time, or what arrives at `input`."""
    if value is not None:
        return inside.add(Se(name, value, size=size))
    source = inside.add(MSe(name, size=size))
    inside.signal(inside.own("input"), source.effort)
    return source
