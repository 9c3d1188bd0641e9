"""What all joints in the plane have in common: the inner graph of a 3-bond (Zimmer and Cellier 2006, Figs 9 and 10).

    a → lever → 0[3] → b, and the relative motion enters the 0-junction: its velocity through MTF⟨R_WA⟩, its turn as is.

Each relative component is free (it belongs to the `motion`) or held by a `Constraint`. The reaction of a joint is what
side a exerts on side b, at b's origin, in a's axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import MTF, TF, DirectSum, One, PlanarMotion, Zero
from multibond.elements.planes import NORMAL, PlanarKind
from multibond.graph.component import Element, component
from multibond.graph.expand import Inside
from multibond.graph.port import PlanarFramePort
from multibond.library.spatial.along import led
from multibond.library.spatial.joint import Mobility


@component
class InPlane(Mobility):
    """Base of joints in the plane; what acts along their free motions is that of the joints in space."""

    def __post_init__(self) -> None:
        for name in ("axis", "slides"):
            if name in self.parameters():
                object.__setattr__(self, name, _in_space(getattr(self, name)))
        super().__post_init__()

    def frames(self) -> tuple[PlanarFramePort, PlanarFramePort]:
        """The two frames."""
        return PlanarFramePort("frame_a"), PlanarFramePort("frame_b")

    def motion(self) -> PlanarKind:
        """The geometry: which motions are free."""
        raise TypeError(type(self).__name__)

    def mover(self) -> Element:
        """The element that holds the coordinates."""
        kind = self.motion()
        return PlanarMotion("motion", bool(kind.turns), kind.slide_axes, **led(self.paths()))

    def relative(self, inside: Inside, motion: Element) -> tuple[Any, Any]:
        """Draw the relative motion of both frames; returns where the free rotation and translations enter."""
        a, b, kind = inside.plane("frame_a"), inside.plane("frame_b"), self.motion()
        for side, frame in (("a", a), ("b", b)):
            inside.signal(frame.position, getattr(motion, f"position_{side}"))
            inside.signal(frame.angle, getattr(motion, f"angle_{side}"))
        lever, total = inside.add(MTF("lever", 3, 3, inverse="lever")), inside.add(Zero("total", size=3))
        both, to_world = inside.add(DirectSum("relative", 2, 1)), inside.add(MTF("to_world", 2, 2, inverse="transpose"))
        inside.bond(a.plane, lever)
        inside.bond(lever, total)
        inside.bond(total, b.plane)
        inside.bond(both.whole, total)
        inside.bond(to_world, both.part_1)
        inside.signal(motion.lever, lever.modulus)
        inside.signal(motion.turn, to_world.modulus)
        turn = inside.add(One("w", size=1))
        inside.bond(turn, both.part_2)
        if not kind.turns:
            inside.bond(self._hold(inside, motion, "rotation", 1), turn)
        return turn, self._slide(inside, motion, to_world)

    def _slide(self, inside: Inside, motion: Element, to_world: Element) -> Any:
        """Draw the relative velocity in a's axes; returns where the free translations enter."""
        kind, velocity = self.motion(), inside.add(One("v", size=2))
        inside.bond(velocity, to_world)
        if kind.slides == 0:
            inside.bond(self._hold(inside, motion, "translation", 2), velocity)
            return None
        basis = inside.add(TF("slides", kind.directions, inverse="transpose"))
        inside.bond(basis, velocity)
        if kind.slides == 2:
            return basis
        split = inside.add(DirectSum("split", 1, 1))
        inside.bond(split.whole, basis)
        inside.bond(self._hold(inside, motion, "translation", 1), split.part_2)
        return split.part_1

    def observables(self) -> dict[str, str]:
        reaction = {"reaction_force": "to_world.a.e", "reaction_torque": "relative.part_2.e"}
        return super().observables() | reaction


def _in_space(axes: Any) -> Any:
    """Axes of two numbers get a third, zero; letters, axes of three and what is no axis stay as they are."""
    if (
        axes is None
        or isinstance(axes, str)
        or np.isscalar(axes)
        or (isinstance(axes, np.ndarray) and axes.shape[1:] == (3,))
    ):
        return axes
    if all(np.isscalar(part) and not isinstance(part, str) for part in axes):
        return (*axes, 0.0) if len(axes) == 2 else axes
    return [_in_space(axis) for axis in axes]


def turning(slides: Any = ()) -> PlanarKind:
    """A joint that turns, and slides along the given axes."""
    return PlanarKind(NORMAL, np.asarray(slides, float).reshape(-1, 3))


def sliding(slides: Any = ()) -> PlanarKind:
    """A joint that keeps its angle, and slides along the given axes."""
    return PlanarKind(NORMAL[:0], np.asarray(slides, float).reshape(-1, 3))
