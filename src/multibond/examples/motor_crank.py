"""A direct-current motor drives the slider crank: "a torque delivered by an electrical actuator" (Boudon et al. 2017).

The crank is that of Table 7 there, with the motor on the shaft of hinge O in the place of the constant torque. The
voltage is switched on at rest; the crank runs up until the back-voltage of the winding balances the source, and its
speed swings with the piston. The motor's figures are ours.
"""

from __future__ import annotations

import multibond as mb
from multibond import electrical as el
from multibond.examples.slider_crank import slider_crank


def motor_crank(*, voltage: float = 24.0, joints: str = "hyperstatic", gravity: float = 0.0) -> mb.Model:
    """Slider crank with a motor on its crank, stretched out along x and at rest at the start.

    voltage of the source  [V]; joints: as in `slider_crank`; gravity along -y  [m/s²].
    """
    model = slider_crank(joints=joints, gravity=gravity, torque=0.0)
    model.name = "motor_crank"
    source = model.add(el.VoltageSource("source", voltage))
    ground = model.add(el.Ground())
    motor = model.add(el.DCMotor("motor", resistance=0.5, inductance=5e-3, constant=0.8, inertia=0.05, damping=0.02))
    model.connect(source.pin_p, motor.pin_p)
    model.connect(source.pin_n, motor.pin_n, ground.pin)
    model.connect(motor.flange, "O.flange")
    return model
