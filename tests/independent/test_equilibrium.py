"""Static equilibrium against energy, closed forms and force balances; stability from eigenvalues."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import fsolve, minimize_scalar

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.errors import SimulationError
from multibond.examples import controlled_crane, four_bar, motor_pendulum, planar_loop

from . import four_bar as hand


def pendulum(**hip: object) -> mb.Model:
    model = mb.Model("pendulum")
    world, joint = model.add(sp.World()), model.add(sp.Revolute("hip", **hip))
    body = model.add(sp.Body("foot", mass=2.0, inertia=(0.1,) * 3, centre=(0, -0.5, 0)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    return model


@pytest.mark.parametrize("angle", [0.3, 1.7, 3.1, -3.1])
def test_a_pendulum_hangs(angle: float) -> None:
    """Downhill from anywhere, also from near the top; its speed at the start does not matter."""
    found = mb.equilibrium(pendulum(angle=angle, speed=2.0, damping=0.2))
    np.testing.assert_allclose(found["hip.angle"], 0.0, atol=1e-12)
    assert found.stability == "stable"
    inertia, weight = 0.6, 2.0 * 9.81 * 0.5
    expected = np.roots([inertia, 0.2, weight])
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(expected), rtol=1e-9)


def test_the_top_is_unstable() -> None:
    found = mb.equilibrium(pendulum(angle=math.pi))
    assert found["hip.angle"] == math.pi and found.stability == "unstable"
    np.testing.assert_allclose(found.eigenvalues[0], math.sqrt(2.0 * 9.81 * 0.5 / 0.6), rtol=1e-9)


def test_a_loop_of_bars() -> None:
    """The four bars come to rest where their weights are lowest, and swing about it as virtual work says."""
    found = mb.equilibrium(four_bar())
    lowest = minimize_scalar(lambda a: float(np.real(hand.height_energy(a))), bounds=(-3, 0), method="bounded")
    crank = float(fsolve(lambda a: hand.slope(hand.height_energy, float(a[0])), [lowest.x], xtol=1e-13)[0])
    np.testing.assert_allclose(found["O.angle"], crank, atol=1e-10)
    np.testing.assert_allclose(found["D.angle"], hand.place(crank)[1], atol=1e-10)
    step = 1e-5
    stiffness = (hand.slope(hand.height_energy, crank + step) - hand.slope(hand.height_energy, crank - step)) / 2 / step
    np.testing.assert_allclose(np.abs(found.eigenvalues.imag), math.sqrt(stiffness / hand.inertia(crank)), rtol=1e-7)
    assert found.stability == "undamped"


def test_a_motor_that_is_too_weak() -> None:
    """Other states settle too: the current of the stalled motor."""
    found = mb.equilibrium(motor_pendulum(voltage=3.0))
    np.testing.assert_allclose(found["hinge.angle"], math.asin(0.1 * 3.0 / (0.3 * 9.81 * 0.2)), atol=1e-11)
    np.testing.assert_allclose(found.x[2], 3.0 * 5e-3, rtol=1e-10)
    assert found.stability == "stable"


def test_a_run_from_it_stays_there() -> None:
    found = mb.equilibrium(planar_loop())
    run = mb.simulate(found.system, 5.0)
    np.testing.assert_allclose(run.states(np.linspace(0, 5, 11)), np.tile(found.x, (11, 1)), atol=1e-9)


def test_where_a_damped_run_ends() -> None:
    """The same position as a long run with dampers comes to."""
    model = planar_loop()
    model.set("swing.damping", 0.5)
    run = mb.simulate(model, 800.0)
    np.testing.assert_allclose(run["guide.position"](800.0), mb.equilibrium(model)["guide.position"], atol=1e-9)


def test_a_massless_point_between_springs() -> None:
    """A string of three springs with a massless knot: forces balance at knot and load."""
    model = mb.Model("string")
    world, rod = model.add(sp.World()), model.add(sp.Rod("rod", (1, 0, 0)))
    knot = model.add(sp.FreeTranslation("knot", position=mb.Guess((0.2, -0.3, 0.1))))
    free = model.add(sp.FreeTranslation("free", position=mb.Guess((0.3, -0.8, 0.0))))
    load = model.add(sp.Body("load", mass=0.5))
    left, right, low = (
        model.add(sp.Spring(n, k, r)) for n, k, r in (("l", 100.0, 0.3), ("r", 200.0, 0.2), ("d", 10.0, 0.1))
    )
    model.connect(world.frame, rod.frame_a, knot.frame_a, free.frame_a, left.frame_a)
    model.connect(rod.frame_b, right.frame_a)
    model.connect(knot.frame_b, left.frame_b, right.frame_b, low.frame_a)
    model.connect(free.frame_b, load.frame, low.frame_b)
    found = mb.equilibrium(model)

    def pull(a: np.ndarray, b: np.ndarray, k: float, rest: float) -> np.ndarray:
        d = b - a
        return k * (np.linalg.norm(d) - rest) * d / np.linalg.norm(d)

    def balance(z: np.ndarray) -> np.ndarray:
        p, q = z[:3], z[3:]
        knot = pull(p, np.zeros(3), 100, 0.3) + pull(p, np.array([1.0, 0, 0]), 200, 0.2) + pull(p, q, 10, 0.1)
        return np.concatenate([knot, pull(q, p, 10, 0.1) + np.array([0, -0.5 * 9.81, 0])])

    expected = fsolve(balance, [0.6, -0.05, 0.0, 0.6, -0.6, 0.0], xtol=1e-14)
    np.testing.assert_allclose([*found["knot.position"], *found["free.position"]], expected, atol=1e-10)
    assert found.stability == "undamped"


def test_springs_on_shafts_follow() -> None:
    """A torsion spring at the crank winds by just what the crank turns, and balances the weights."""
    model = four_bar(speed=0.0)
    shaft, wall = model.add(ro.Spring("shaft", 30.0)), model.add(ro.Fixed("wall"))
    crank = next(c for c in model.sheet.components.values() if c.name == "O")
    model.connect(wall.flange, shaft.flange_a)
    model.connect(shaft.flange_b, crank.flange)
    found = mb.equilibrium(model)
    twist = found.x[found.system.state_names.index("shaft.spring.q")]
    turned = found["O.angle"] - math.radians(60.0)
    np.testing.assert_allclose(twist, turned, atol=1e-14)
    np.testing.assert_allclose(30.0 * turned, -hand.slope(hand.height_energy, found["O.angle"]), atol=1e-8)
    assert found.stability == "undamped" and found.eigenvalues.size == 2


def test_what_may_stand_anywhere_is_neutral() -> None:
    found = mb.equilibrium(controlled_crane())
    np.testing.assert_allclose(found["hinge.angle"], 0.0, atol=1e-8)
    assert found.stability == "neutral"


def test_what_falls_is_named() -> None:
    model = mb.Model("falling")
    world, rail = model.add(sp.World()), model.add(sp.Prismatic("rail", axis="y"))
    body = model.add(sp.Body("body", mass=1.0))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, body.frame)
    with pytest.raises(SimulationError) as error:
        mb.equilibrium(model)
    first, fact, _ = str(error.value).splitlines()
    assert first == "no static equilibrium was found." and "'rail' still changes by 9.81" in fact
    assert error.value.paths == ("rail",)


def test_it_prints_itself() -> None:
    text = str(mb.equilibrium(pendulum(angle=math.pi)))
    assert text.startswith("equilibrium (unstable): hip.angle = 3.14159\neigenvalues: 4.04")
