"""A crane crab that balances its load upside down: a mechanism, a sensor, a controller, a force.

The cart is pushed so that the load on a rod pointing upwards comes to rest above it; where the cart stops is left open.
Figures: ControlledCraneCrab of the PlanarMechanics library.
"""

from __future__ import annotations

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.elements import blocks


def controlled_crane(*, lean: float = -20.0, derivative_time: float = 0.2) -> mb.Model:
    """The crab at rest with its load leaning to one side.

    lean: of the rod from upright, counter-clockwise  [deg]; derivative_time of the controller  [s].
    """
    model = mb.Model("controlled_crane")
    world = model.add(sp.World())
    rail = model.add(sp.Prismatic("rail", axis="x", position=0.0, speed=0.0))
    cart = model.add(sp.Body("cart", mass=250.0))
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=mb.deg(lean), speed=0.0))
    rod = model.add(sp.Rod("rod", (0.0, 2.5, 0.0)))
    load = model.add(sp.Body("load", mass=70.0))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, cart.frame, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame)

    angle = model.add(ro.AngleSensor("angle", start=mb.deg(lean)))
    upright = model.add(blocks.Constant("upright", 0.0))
    gain = 320.0 * 9.81 * 5.0
    pid = model.add(blocks.PID("pid", gain, integral_time=1e9, derivative_time=derivative_time))
    push = model.add(tr.Force("push"))
    model.connect(hinge.flange, angle.flange)
    model.connect(push.flange, rail.flange)
    model.signal(upright.y, pid.setpoint)
    model.signal(angle.angle, pid.measured)
    model.signal(pid.y, push.input)
    return model
