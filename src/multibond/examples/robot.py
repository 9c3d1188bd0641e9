"""A robot with six axes that moves a load: seven bodies, and at each hinge a motor, a gear and a controller.

The robot arm of Cellier and Zimmer's paper on wrapping multibond graphs. Figures: the Manutec r3 in RobotR3 of the
Modelica library (after Türk 1990): bodies, axes, rotors, gear ratios, gains, start and end angles. Our own: windings of
the motors, gears without play, elasticity and friction, a smooth path of 2.4 s. Of the turret only the moment about its
axis is known, and no other matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import multibond as mb
from multibond import blocks
from multibond import electrical as el
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples.links import Link, serial

SMALL = (0.001, 0.001, 0.001)
ARM2 = ((2.58, -0.46, 0.0), (-0.46, 0.64, 0.0), (0.0, 0.0, 2.73))
ARM3 = ((0.279, -0.07, 0.0), (-0.07, 0.245, 0.0), (0.0, 0.0, 0.413))

ROBOT_LINKS = (
    Link("y", (0.0, 0.351, 0.0), 1.0, (0.0, 0.0, 0.0), (0.6, 1.16, 0.6)),
    Link("x", (0.0, 0.324, 0.3), 56.5, (0.172, 0.205, 0.0), ARM2),
    Link("x", (0.0, 0.65, 0.0), 26.4, (0.064, -0.034, 0.0), ARM3),
    Link("y", (0.0, 0.414, -0.155), 28.7, (0.0, 0.0, 0.0), (1.67, 0.081, 1.67)),
    Link("x", (0.0, 0.186, 0.0), 5.2, (0.0, 0.0, 0.0), (1.25, 0.81, 1.53)),
    Link("y", (0.0, 0.125, 0.0), 0.5, (0.05, 0.05, 0.05), SMALL),
)
LOAD = (15.0, (0.1, 0.25, 0.1), SMALL)
START = tuple(mb.deg(a) for a in (-60.0, 20.0, 90.0, 0.0, -110.0, 0.0))
END = tuple(mb.deg(a) for a in (60.0, -70.0, -35.0, 45.0, 110.0, 45.0))
PATH_TIME = 2.4
"""Long enough to keep the greatest speeds of the axes: 3, 1.5, 5, 3.1, 3.1, 4.1 rad/s."""


@dataclass(frozen=True)
class Drive:
    """A motor with its gear: torque constant  [N.m/A], rotor  [kg.m²], ratio, friction of the rotor  [N.m.s/rad]."""

    constant: float
    rotor: float
    ratio: float
    friction: float


DRIVES = (
    Drive(1.1616, 0.0013, -105.0, 0.13 / 160),
    Drive(1.1616, 0.0013, 210.0, 0.1 / 130),
    Drive(1.1616, 0.0013, 60.0, 0.2 / 130),
    Drive(0.2365, 1.6e-4, -99.0, 9.8 / 99.0**2),
    Drive(0.2608, 1.8e-4, 79.2, 0.03 / 79.2**2),
    Drive(0.0842, 4.3e-5, -99.0, 3.92 / 99.0**2),
)
RESISTANCE, INDUCTANCE = 1.0, 2e-3
POSITION_GAIN, SPEED_GAIN, SPEED_TIME = 5.0, 0.5, 0.05


def robot_body(*, angles: Sequence[float] = START, speeds: Sequence[float] = (0.0,) * 6) -> mb.Model:
    """The mechanics alone: hinges `joint0` to `joint5` from the base outwards, the last link holding the load.

    angles, speeds of the hinges at the start  [rad, rad/s]; gravity along -y.
    """
    model = serial("robot", ROBOT_LINKS, angles, speeds, gravity=(0.0, -9.81, 0.0))
    mass, centre, inertia = LOAD
    load = model.add(sp.Body("load", mass=mass, centre=centre, inertia=inertia))
    hand = next(c for c in model.sheet.components.values() if c.name == "link5")
    model.connect(hand.frame, load.frame)
    return model


def robot(
    *, angles: Sequence[float] = START, speeds: Sequence[float] = (0.0,) * 6, end: Sequence[float] = END
) -> mb.Model:
    """The robot with its drives, led from the start angles to the end angles  [rad] within 2.4 s."""
    model = robot_body(angles=angles, speeds=speeds)
    clock, ground = model.add(blocks.Time("clock")), model.add(el.Ground())
    hinges = {c.name: c for c in model.sheet.components.values() if c.name.startswith("joint")}
    for k, drive in enumerate(DRIVES):
        source = model.add(el.VoltageSource(f"source{k}"))
        motor = model.add(el.DCMotor(f"motor{k}", RESISTANCE, INDUCTANCE, drive.constant, drive.rotor, drive.friction))
        gear = model.add(ro.Gear(f"gear{k}", drive.ratio))
        model.connect(source.pin_p, motor.pin_p)
        model.connect(source.pin_n, motor.pin_n, ground.pin)
        model.connect(motor.flange, gear.flange_a)
        model.connect(gear.flange_b, hinges[f"joint{k}"].flange)
        _controller(model, k, (float(START[k]), float(end[k])), drive.ratio, clock)
    return model


def _controller(model: mb.Model, k: int, path: tuple[float, float], ratio: float, clock: blocks.Time) -> None:
    """A cascade: the error of the angle asks for a speed beside that of the path, a PI controller sets the voltage."""
    begin, end = path
    progress = f"clip(u / {PATH_TIME}, 0, 1)"
    way = f"({progress})^3 * (10 - 15 * {progress} + 6 * ({progress})^2)"
    pace = f"30 / {PATH_TIME} * ({progress})^2 * (1 - {progress})^2"
    angle = model.add(blocks.Function(f"angle{k}", f"{begin} + {end - begin} * {way}"))
    speed = model.add(blocks.Function(f"speed{k}", f"{ratio * (end - begin)} * {pace}"))
    error = model.add(blocks.Sum(f"error{k}", "+-"))
    gain = model.add(blocks.Gain(f"position{k}", POSITION_GAIN * ratio))
    wish = model.add(blocks.Sum(f"wish{k}", "++"))
    tacho = model.add(ro.SpeedSensor(f"tacho{k}"))
    pid = model.add(blocks.PID(f"pid{k}", SPEED_GAIN, integral_time=SPEED_TIME))
    parts = {c.name: c for c in model.sheet.components.values()}
    model.connect(parts[f"motor{k}"].flange, tacho.flange)
    model.signal(clock.y, angle.u)
    model.signal(clock.y, speed.u)
    model.signal(angle.y, error.u_1)
    model.signal(parts[f"joint{k}"].coordinate, error.u_2)
    model.signal(error.y, gain.u)
    model.signal(gain.y, wish.u_1)
    model.signal(speed.y, wish.u_2)
    model.signal(wish.y, pid.setpoint)
    model.signal(tacho.speed, pid.measured)
    model.signal(pid.y, parts[f"source{k}"].input)
