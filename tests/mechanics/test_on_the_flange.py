"""What is fastened to a joint's flange acts alike by all exact methods, with vector and scalar bonds."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp

JOINTS = (
    sp.Revolute("joint", axis=(1, 1, 0)),
    sp.Prismatic("joint", axis=(1, 2, 0)),
    sp.Screw("joint", pitch=0.1),
    sp.Cylindrical("joint", axis=(0, 1, 1)),
    sp.Universal("joint"),
    sp.Planar("joint"),
    sp.Spherical("joint"),
    sp.FreeTranslation("joint"),
    sp.Joint("joint", turns="yx", slides="z"),
)
DEVICES = {"damper": lambda n: mb.R("device", 0.4, size=n), "spring": lambda n: mb.C("device", 0.02, size=n)}
OTHERS = (("zcp", 2), ("zcp", 3), ("minimal", 3))
TIMES = np.linspace(0.0, 0.4, 9)


def machine(joint: sp.Joint, device: str) -> mb.Model:
    """A body that hangs on a joint, with a device between the flange and the world."""
    model = mb.Model("machine")
    world, held = model.add(sp.World()), model.add(joint)
    body = model.add(sp.Body("body", 2.0, (0.1, 0.2, 0.15), centre=(0.3, -0.4, 0.1)))
    model.connect(world.frame, held.frame_a)
    model.connect(held.frame_b, body.frame)
    model.bond("joint.flange", DEVICES[device](joint.freedoms))
    return model


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: f"{type(joint).__name__}-{joint.freedoms}")
def test_devices_on_a_flange(joint: sp.Joint, device: str) -> None:
    model = machine(joint, device)
    wanted = mb.simulate(model, 0.4, rtol=1e-10)
    moved = np.abs(wanted["joint.speeds"](0.4)).max()
    assert moved > 1e-2 and np.abs(wanted["device.e"](0.4)).max() > 1e-3  # it does act
    for method, depth in OTHERS:
        found = mb.simulate(mb.compile(model, method, depth=depth), 0.4, rtol=1e-10)
        for name in ("body.position", "joint.coordinates"):
            np.testing.assert_allclose(found[name](TIMES), wanted[name](TIMES), rtol=1e-8, atol=1e-8, err_msg=method)
        if depth == 2:
            for name in ("joint.reaction_force", "joint.reaction_torque"):
                scale = np.abs(wanted[name](TIMES)).max()
                np.testing.assert_allclose(found[name](TIMES), wanted[name](TIMES), atol=1e-7 * scale, err_msg=method)


@pytest.mark.parametrize("depth", [2, 3])
def test_a_motor_is_asked_for_no_speed(depth: int) -> None:
    """A voltage less what a coil's rate takes gives no speed: the hinge stays a break variable, the coil integral."""
    model = mb.Model("machine")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge", angle=0.3, speed=1.0))
    body = model.add(sp.Body("body", 2.0, (0.1, 0.2, 0.15), centre=(0.3, -0.4, 0.0)))
    source, motor = model.add(el.VoltageSource("source", 2.0)), model.add(el.DCMotor("motor", 2.0, 0.05, 0.3))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, body.frame)
    model.connect(motor.flange, hinge.flange)
    model.connect(source.pin_p, motor.pin_p)
    model.connect(motor.pin_n, source.pin_n, model.add(el.Ground("earth")).pin)
    found = mb.causality(model, method="zcp", depth=depth)
    assert not any(path == "motor.coil" for path, _ in found.dependent)
    names = ["hinge.angle", "hinge.speed", "motor.current"]
    one, other = (
        mb.simulate(mb.compile(model, method, depth=depth), 0.4, rtol=1e-11).values(names, TIMES)
        for method in ("auto", "zcp")
    )
    np.testing.assert_allclose(other, one, atol=1e-9)
