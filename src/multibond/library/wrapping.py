"""Frames as bonds and signals: so multibond graphs of one's own become parts (Cellier and Zimmer 2006, Figs 9 and 10).

Put a wrapper into a model, bond your graph to it, and expose its frame: `mb.group` or `mb.Submodel` makes a part of it.
The half-arrow of your bond carries the sign: a bond from the wrapper brings power from the frame into your graph.
Where your graph itself moves the frame and knows its pose (`given`), its signals give the pose; else they tell it.
"""

from __future__ import annotations

from multibond.elements import DirectSum, GivenPlanarPose, GivenPose
from multibond.graph.component import Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, PlanarFramePort, Port, PowerPort, SignalPort
from multibond.units import ROTATION, TRANSLATION


@component
class Wrapper(Part):
    """Base of wrappers.

    given: the graph behind it gives the pose, and moves the frame.
    """

    given: bool = parameter(default=False, structural=True, shape="flag")

    def signals(self, **sizes: int) -> tuple[Port, ...]:
        """The signals of the pose: told, or where it is given, needed."""
        return tuple(
            SignalPort(name, size, "in" if self.given else "out", not self.given) for name, size in sizes.items()
        )

    def tell(self, inside: Inside, pose: GivenPose | GivenPlanarPose, names: tuple[str, str]) -> None:
        """Lead the frame's pose out, or what is given to the frame."""
        if self.given:
            inside.add(pose)
        for name in names:
            frame, own = inside.own(f"frame.{name}"), inside.own(name)
            if self.given:
                inside.signal(own, getattr(pose, f"given_{name}"))
                inside.signal(getattr(pose, name), frame)
            else:
                inside.signal(frame, own)


@component
class FrameBonds(Wrapper):
    """A spatial frame as two 3-bonds, `rotation` in its own axes and `translation` in the world's, and two signals.

    Signals: `attitude` (R_WB, nine numbers row after row) and `position`  [m]. given: your graph gives them.

    >>> FrameBonds("plug")
    """

    def ports(self) -> tuple[Port, ...]:
        bonds = (PowerPort("rotation", 3, ROTATION), PowerPort("translation", 3, TRANSLATION))
        return (FramePort("frame"), *bonds, *self.signals(attitude=9, position=3))

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        inside.bond(frame.rotation, inside.own("rotation"))
        inside.bond(frame.translation, inside.own("translation"))
        self.tell(inside, GivenPose("pose"), ("attitude", "position"))


@component
class FrameBond(Wrapper):
    """A spatial frame as one 6-bond (rotation in its own axes, then translation in the world's) and two signals.

    Signals as those of `FrameBonds`.

    >>> FrameBond("plug")
    """

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"), PowerPort("bond", 6), *self.signals(attitude=9, position=3))

    def build(self, inside: Inside) -> None:
        frame, both = inside.frame("frame"), inside.add(DirectSum("both", 3, 3))
        inside.bond(frame.rotation, both.part_1)
        inside.bond(frame.translation, both.part_2)
        inside.bond(both.whole, inside.own("bond"))
        self.tell(inside, GivenPose("pose"), ("attitude", "position"))


@component
class PlanarFrameBond(Wrapper):
    """A planar frame as its 3-bond (v_x, v_y, ω) and two signals, `position`  [m] and `angle`  [rad].

    >>> PlanarFrameBond("plug")
    """

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame"), PowerPort("bond", 3), *self.signals(position=2, angle=1))

    def build(self, inside: Inside) -> None:
        inside.bond(inside.plane("frame").plane, inside.own("bond"))
        self.tell(inside, GivenPlanarPose("pose"), ("position", "angle"))


ALL = (FrameBonds, FrameBond, PlanarFrameBond)
