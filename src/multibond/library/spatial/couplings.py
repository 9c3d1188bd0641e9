"""Joints that move together: any number of coordinates in a fixed relation, and a pair of gear wheels."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import TF, Constraint, LinearMap, Zero
from multibond.expr import SX, column, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port, PowerPort, SignalPort
from multibond.library.spatial.drawing import join, nested
from multibond.library.spatial.joints import Revolute
from multibond.units import ANY


def couple(inside: Inside, joints: list[tuple[Any, Any]], ratios: SX, offset: Any) -> None:
    """Draw what keeps Σ ratio · coordinate at `offset`; joints: flange and coordinate of each."""
    total, held = inside.add(Zero("sum", size=1)), inside.add(Constraint("hold", role="rotation", size=1))
    gap = inside.add(LinearMap("gap", ratios.T, -vector(offset, 1)))
    for k, (flange, coordinate) in enumerate(joints):
        gear = inside.add(TF(f"ratio_{k + 1}", -ratios[k], inverse="none"))
        inside.bond(flange, gear)
        inside.bond(gear, total)
        inside.signal(coordinate, getattr(gap, f"in_{k + 1}"))
    inside.bond(held, total)
    inside.signal(gap.out_1, held.gap)


@component
class Coupling(Part):
    """Keeps ratio_1 · coordinate_1 + ratio_2 · coordinate_2 + … at `offset`, by efforts at the joints' flanges.

    ratios: one for each joint; offset: what the sum stays at. Connect each joint's `flange` and lead its `coordinate`.
    effort: the effort of the constraint; joint k feels ratio_k times as much.

    >>> Coupling("differential", ratios=(1, 1, -2))
    """

    ratios: Number = parameter(shape=None, sign="not zero")
    offset: Number = parameter(default=0.0)

    def _count(self) -> int:
        return self.ratios.numel() if isinstance(self.ratios, SX) else int(np.size(self.ratios))

    def ports(self) -> tuple[Port, ...]:
        count = range(1, self._count() + 1)
        flanges = (PowerPort(f"flange_{k}", 1, ANY) for k in count)
        return (*flanges, *(SignalPort(f"coordinate_{k}", 1, "in") for k in count))

    def build(self, inside: Inside) -> None:
        count = range(1, self._count() + 1)
        joints = [(inside.own(f"flange_{k}"), inside.own(f"coordinate_{k}")) for k in count]
        couple(inside, joints, vector(self.ratios, len(joints)), self.offset)

    def observables(self) -> dict[str, str]:
        return {"effort": "hold.e"}


@component
class Gear(Part):
    """Two wheels on a common bearing: the angle of frame_a is `ratio` times that of frame_b, both against `bearing`.

    axis_a, axis_b: of the hinges, fixed in the bearing; angle, speed: start values of frame_a  [rad, rad/s].
    Place the wheels with rods on either side. Variables: angle_a, angle_b, torque (that of the teeth on wheel a).

    >>> Gear("mesh", ratio=-2.0, axis_a="x", axis_b="x")
    """

    ratio: Number = parameter(sign="not zero")
    axis_a: Number = parameter(default="z", structural=True, shape="axis")
    axis_b: Number = parameter(default="z", structural=True, shape="axis")
    angle: Number = parameter(default=None, unit="rad", start=True)
    speed: Number = parameter(default=None, unit="rad/s", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("bearing"), FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        first = nested(inside, Revolute("wheel_a", self.axis_a, self.angle, self.speed))
        second = nested(inside, Revolute("wheel_b", self.axis_b))
        join(inside, inside.frame("bearing"), first.frame("frame_a"), second.frame("frame_a"))
        join(inside, inside.frame("frame_a"), first.frame("frame_b"))
        join(inside, inside.frame("frame_b"), second.frame("frame_b"))
        joints = [(wheel.own("flange"), wheel.own("coordinate")) for wheel in (first, second)]
        couple(inside, joints, column([SX(1), -vector(self.ratio, 1)]), 0.0)

    def observables(self) -> dict[str, str]:
        return {"angle_a": "wheel_a.motion.q", "angle_b": "wheel_b.motion.q", "torque": "hold.e"}
