"""Freedoms without inertia: what they meet decides what happens, never a singular matrix."""

import numpy as np
import pytest

import multibond as mb
from multibond import errors
from multibond import spatial as sp


def slider(**joint: object) -> mb.Model:
    """A massless rod on a slider."""
    model = mb.Model("slider")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    guide = model.add(sp.Prismatic("guide", **joint))  # type: ignore[arg-type]
    rod = model.add(sp.Rod("rod", (1, 0, 0)))
    model.connect(world.frame, guide.frame_a)
    model.connect(guide.frame_b, rod.frame_a)
    return model


def test_damper_makes_the_speed_algebraic() -> None:
    run = mb.simulate(slider(damping=2.0, force=3.0), 2.0)
    times = np.linspace(0, 2, 21)
    assert np.abs(run["guide.speed"](times) - 1.5).max() < 1e-12
    assert np.abs(run["guide.position"](times) - 1.5 * times).max() < 1e-11


def test_damper_and_spring_creep() -> None:
    run = mb.simulate(slider(damping=2.0, stiffness=4.0, position=1.0), 2.0)
    times = np.linspace(0, 2, 21)
    assert np.abs(run["guide.position"](times) - np.exp(-2 * times)).max() < 1e-9


def test_spring_makes_the_position_algebraic() -> None:
    run = mb.simulate(slider(stiffness=2.0, force=3.0), 1.0)
    assert np.abs(run["guide.position"](np.linspace(0, 1, 5)) - 1.5).max() < 1e-12


def test_springs_in_series_at_a_massless_point() -> None:
    model = mb.Model("series")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    first = model.add(sp.Prismatic("first", stiffness=2.0))
    second = model.add(sp.Prismatic("second", stiffness=3.0, position=1.0))
    body = model.add(sp.Body("body", mass=1.5))
    model.connect(world.frame, first.frame_a)
    model.connect(first.frame_b, second.frame_a)
    model.connect(second.frame_b, body.frame)
    run = mb.simulate(model, 5.0)
    times = np.linspace(0, 5, 51)
    stretch = 1.0 + 1.5
    rate = np.sqrt(1 / (1 / 2 + 1 / 3) / 1.5)
    assert np.abs(run["body.position[0]"](times) - stretch * np.cos(rate * times)).max() < 1e-9
    assert run.energy().residual < 1e-8


def test_spin_of_a_point_mass_rests() -> None:
    model = mb.Model("spin")
    world = model.add(sp.World())
    ball = model.add(sp.Spherical("ball", angular_velocity=(0.3, 0.2, 0.5)))
    lever = np.array([0.3, -1.0, 0.2])
    rod = model.add(sp.Rod("rod", lever))
    bob = model.add(sp.Body("bob", mass=1.5))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    run = mb.simulate(model, 3.0)
    spin = run["ball.angular_velocity"](np.linspace(0, 3, 31)) @ lever
    assert np.abs(spin - spin[0]).max() < 1e-9
    assert run.system.reduced.idle
    assert run.energy().residual < 1e-8


def test_unbalanced_effort_is_named() -> None:
    with pytest.raises(errors.StructureError, match="guide"):
        mb.compile(slider(force=1.0))


def test_mass_that_becomes_zero_is_noticed() -> None:
    model = slider(damping=2.0, force=3.0)
    tip = model.add(sp.Body("tip", mass=1.0))
    model.connect("rod.frame_b", tip.frame)
    heavy = mb.compile(model)
    light = mb.with_parameters(heavy, {"tip.mass": 0.0})
    assert light.code is not heavy.code
    assert np.abs(mb.simulate(light, 1.0)["guide.speed"](1.0) - 1.5) < 1e-12
    back = mb.with_parameters(light, {"tip.mass": 1.0})
    assert np.abs(mb.simulate(back, 1.0)["guide.speed"](1.0) - 1.5 * (1 - np.exp(-2.0))) < 1e-9
