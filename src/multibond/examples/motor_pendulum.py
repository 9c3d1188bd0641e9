"""A direct-current motor lifts a pendulum: three domains on one shaft.

At 3 V the torque of the stalled motor is too weak to lift the pendulum beyond the horizontal, so it swings and settles
at an angle. At 12 V it goes over the top and turns until the back-voltage of the winding balances the source.
Figures: our own reference A07a.
"""

from __future__ import annotations

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp


def motor_pendulum(*, voltage: float = 3.0, mass: float = 0.3, length: float = 0.2) -> mb.Model:
    """Motor and pendulum, hanging and at rest at the start; the hinge's angle is counted from hanging.

    voltage of the source  [V]; mass of the bob  [kg]; length of the massless arm  [m].
    """
    model = mb.Model("motor_pendulum")
    source = model.add(el.VoltageSource("source", voltage))
    ground = model.add(el.Ground())
    motor = model.add(el.DCMotor("motor", resistance=1.0, inductance=5e-3, constant=0.1, inertia=2e-3, damping=1e-3))
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.0, speed=0.0))
    rod = model.add(sp.Rod("rod", (0.0, -length, 0.0)))
    bob = model.add(sp.Body("bob", mass=mass))
    model.connect(source.pin_p, motor.pin_p)
    model.connect(source.pin_n, motor.pin_n, ground.pin)
    model.connect(motor.flange, hinge.flange)
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    return model
