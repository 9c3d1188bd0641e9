"""From the plane into space: a spatial frame that a planar one carries."""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.elements import TF, DirectSum, Embedding
from multibond.elements.planar import attitude_faults
from multibond.errors import Finding
from multibond.expr import vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, PlanarFramePort, Port
from multibond.rotation import of_quaternion


@component
class Bridge(Part):
    """Joins a planar frame and a spatial one: the spatial frame stands where the planar one is, and turns with it.

    origin: of the plane in space  [m], so that (0, 0, z) shifts it along its normal; quaternion: the attitude of the
    plane (w, x, y, z), whose x and y axes are those of the planar world. What the spatial side presses out of the plane
    is held: `reaction_force` is what the plane exerts on the spatial frame in world axes, `reaction_torque` in the
    frame's axes.

    >>> Bridge("deck", origin=(0, 0, 0.3))
    """

    origin: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    quaternion: Number = parameter(default=(1.0, 0.0, 0.0, 0.0), shape=(4,))

    def faults(self) -> list[Finding]:
        return attitude_faults(self, self.quaternion)

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("planar"), FramePort("spatial"))

    def build(self, inside: Inside) -> None:
        a, b = inside.plane("planar"), inside.frame("spatial")
        pose, both = inside.add(Embedding("pose", self.origin, self.quaternion)), inside.add(DirectSum("both", 2, 1))
        attitude = ca.sparsify(of_quaternion(vector(self.quaternion, 4)))
        carry = inside.add(TF("carry", attitude[:, :2], inverse="none"))
        turn = inside.add(TF("turn", np.array([[0.0], [0.0], [1.0]]), inverse="none"))
        inside.bond(a.plane, both.whole)
        inside.bond(both.part_1, carry)
        inside.bond(carry, b.translation)
        inside.bond(both.part_2, turn)
        inside.bond(turn, b.rotation)
        inside.signal(a.position, pose.position_a)
        inside.signal(a.angle, pose.angle_a)
        inside.signal(b.position, pose.position_b)
        inside.signal(b.attitude, pose.attitude_b)

    def observables(self) -> dict[str, str]:
        return {"reaction_force": "carry.b.e", "reaction_torque": "turn.b.e"}
