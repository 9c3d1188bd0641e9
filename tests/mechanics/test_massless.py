"""Freedoms without inertia: what they meet decides what happens, never a singular matrix.

Five cases: loop constraints that determine them, a resistor, springs and sources only, nothing at all, and an effort
that nothing balances. Zero is recognised from the numbers at run time, and next to nothing is warned of.
"""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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


# -- loop constraints determine it -------------------------------------------------------------------------------------

CRANK, ROD, PISTON, STIFFNESS, MIDDLE, AWAY = 0.4, 1.0, 1.5, 60.0, 1.0, 0.2
OMEGA = np.sqrt(STIFFNESS / PISTON)
METHODS = ["auto", "multiplier", "zcp", "minimal"]


def massless_crank(**values: object) -> mb.Model:
    """A piston of 1.5 kg on a spring, which leads a rod and a crank without mass. values: of crank and guide joint."""
    model = mb.Model("massless_crank")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    O = model.add(sp.Revolute("O", angle=mb.Guess(0.9), torque=values.pop("torque", None)))  # type: ignore[arg-type]
    B, C = model.add(sp.Revolute("B", angle=mb.Guess(-1.2))), model.add(sp.Revolute("C"))
    spring = {"stiffness": STIFFNESS, "rest": MIDDLE}
    guide = model.add(sp.Prismatic("guide", "x", MIDDLE + AWAY, 0.0, **spring, **values))  # type: ignore[arg-type]
    crank, rod = model.add(sp.Rod("crank", (CRANK, 0, 0))), model.add(sp.Rod("rod", (ROD, 0, 0)))
    piston = model.add(sp.Body("piston", mass=PISTON))
    model.connect(world.frame, O.frame_a, guide.frame_a)
    model.connect(O.frame_b, crank.frame_a)
    model.connect(crank.frame_b, B.frame_a)
    model.connect(B.frame_b, rod.frame_a)
    model.connect(rod.frame_b, C.frame_a)
    model.connect(C.frame_b, piston.frame, guide.frame_b)
    return model


def crank_angle(x: np.ndarray) -> np.ndarray:
    """The crank's angle by the cosine rule."""
    return np.arccos((x**2 + CRANK**2 - ROD**2) / (2 * CRANK * x))


def lever_arm(x: np.ndarray) -> np.ndarray:
    """dx/dγ: how far the piston goes for a turn of the crank."""
    angle = crank_angle(x)
    slant = np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    return -CRANK * np.sin(angle) * (1 + CRANK * np.cos(angle) / slant)


@pytest.mark.parametrize("method", METHODS)
def test_massless_bars_in_a_loop_follow(method: str) -> None:
    """The piston swings as if alone, x = 1 + 0.2 cos ωt; crank and rod follow, and carry nothing."""
    run, t = mb.simulate(massless_crank(), 5.0, rtol=1e-11, method=method), np.linspace(0, 5, 101)
    x, v = MIDDLE + AWAY * np.cos(OMEGA * t), -AWAY * OMEGA * np.sin(OMEGA * t)
    assert np.abs(run["guide.position"](t) - x).max() < 1e-9
    assert np.abs(run["guide.speed"](t) - v).max() < 1e-8
    assert np.abs(run["O.angle"](t) - crank_angle(x)).max() < 1e-8
    assert np.abs(run["O.speed"](t) - v / lever_arm(x)).max() < 1e-7
    assert np.abs(run["C.reaction_force"](t)).max() < 1e-8
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_massless_bars_in_a_loop_hand_on_what_drives_them(method: str) -> None:
    """A torque on the massless crank is a force τ dγ/dx on the piston, and the rod carries it along itself alone."""
    torque, t = 1.5, np.linspace(0, 2, 41)
    run = mb.simulate(massless_crank(torque=torque), 2.0, rtol=1e-11, method=method)

    def rate(_: float, z: np.ndarray) -> list[float]:
        return [z[1], (-STIFFNESS * (z[0] - MIDDLE) + torque / lever_arm(z[0])) / PISTON]

    x, v = solve_ivp(rate, (0, 2), [MIDDLE + AWAY, 0.0], "DOP853", t, rtol=1e-13, atol=1e-14).y
    assert np.abs(run["guide.position"](t) - x).max() < 1e-9
    assert np.abs(run["guide.speed"](t) - v).max() < 1e-8
    slant = np.sqrt(1 - (CRANK * np.sin(crank_angle(x)) / ROD) ** 2)
    along = np.column_stack([torque / lever_arm(x) / slant, 0 * x, 0 * x])
    assert np.abs(run["C.reaction_force"](t) - along).max() < 1e-7
    assert np.abs(run["C.reaction_torque"](t)).max() < 1e-9


def test_massless_bars_in_a_loop_pass_an_impulse() -> None:
    """The piston hits a stop and comes back with half its speed; the crank's speed jumps with it."""
    run = mb.simulate(massless_crank(lower=0.85, restitution=0.5), 0.9, rtol=1e-11)
    hit = np.arccos(-0.75) / OMEGA
    after = 0.5 * AWAY * OMEGA * np.sqrt(1 - 0.75**2)
    assert [piece.trajectory.t[0] for piece in run.pieces] == pytest.approx([0.0, hit], abs=1e-9)
    t = np.linspace(0, 0.6, 200)
    s = t - hit
    x = np.where(
        s < 0,
        MIDDLE + AWAY * np.cos(OMEGA * t),
        MIDDLE - 0.15 * np.cos(OMEGA * s) + after / OMEGA * np.sin(OMEGA * s),
    )
    assert np.abs(run["guide.position"](t) - x).max() < 1e-8
    assert np.abs(run["O.angle"](t) - crank_angle(x)).max() < 1e-7
    speeds = run["O.speed"](np.array([hit - 1e-9, hit + 1e-9]))
    assert speeds == pytest.approx(np.array([-2.0, 1.0]) * after / lever_arm(np.array(0.85)), rel=1e-6)


# -- a resistor, springs -----------------------------------------------------------------------------------------------


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


def test_a_source_on_a_spring_makes_the_speed_by_differentiation() -> None:
    """x = F/k and u = F'/k, at the start too."""
    run = mb.simulate(slider(stiffness=2.0, force="3*sin(2*t)"), 2.0, rtol=1e-11)
    times = np.linspace(0, 2, 41)
    assert np.abs(run["guide.position"](times) - 1.5 * np.sin(2 * times)).max() < 1e-10
    assert np.abs(run["guide.speed"](times) - 3.0 * np.cos(2 * times)).max() < 1e-10


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


# -- nothing, or an effort that nothing balances -----------------------------------------------------------------------

LEVER = np.array([0.3, -1.0, 0.2])


def spinning(inertia: float = 0.0, **ball: object) -> mb.Model:
    """A mass on a massless rod on a ball."""
    model = mb.Model("spin")
    world = model.add(sp.World())
    joint = model.add(sp.Spherical("ball", angular_velocity=(0.3, 0.2, 0.5), **ball))  # type: ignore[arg-type]
    rod = model.add(sp.Rod("rod", LEVER))
    bob = model.add(sp.Body("bob", mass=1.5, inertia=(inertia,) * 3))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    return model


def test_spin_of_a_point_mass_rests() -> None:
    """It keeps its start value, which is said once, and the mass swings as one without a rod that could spin."""
    run, t = mb.simulate(spinning(), 3.0, rtol=1e-11), np.linspace(0, 3, 31)
    spin = run["ball.angular_velocity"](t) @ LEVER
    assert np.abs(spin - np.dot((0.3, 0.2, 0.5), LEVER)).max() < 1e-9
    assert [line for line in run.system.report if "ball" in line][1:] == [
        "ball: nothing moves or holds it, so it keeps its speed"
    ]

    def fall(_: float, z: np.ndarray) -> np.ndarray:
        r, v, g = z[:3], z[3:], np.array([0.0, -9.81, 0.0])
        return np.concatenate([v, g - r * (v @ v + r @ g) / (LEVER @ LEVER)])

    start = np.concatenate([LEVER, np.cross((0.3, 0.2, 0.5), LEVER)])
    wanted = solve_ivp(fall, (0, 3), start, "DOP853", t, rtol=1e-13, atol=1e-14).y[:3].T
    assert np.abs(run["bob.position"](t) - wanted).max() < 1e-8
    assert run.energy().residual < 1e-8


def test_unbalanced_effort_is_named() -> None:
    with pytest.raises(errors.StructureError, match="guide"):
        mb.compile(slider(force=1.0))


def test_unbalanced_torque_about_a_rod_is_named() -> None:
    """A torque about the line of the rod meets no inertia; one across it is carried by the mass."""
    with pytest.raises(errors.StructureError, match="ball"):
        mb.compile(spinning(torque=LEVER))
    mb.compile(spinning(torque=(1.0, 0.3, 0.0)))


# -- zero and next to nothing, from numbers at run time ----------------------------------------------------------------


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


def tiny(system: object) -> list[str]:
    return [line for line in system.report if "largest inertia" in line]  # type: ignore[attr-defined]


def beside_another(mass: float) -> mb.Model:
    """A slider with a mass, beside one with 3 kg."""
    model = slider(stiffness=2.0)
    tip, other = model.add(sp.Body("tip", mass=mass)), model.add(sp.Prismatic("other", axis="y"))
    heavy = model.add(sp.Body("heavy", mass=3.0))
    model.connect("rod.frame_b", tip.frame)
    model.connect("world.frame", other.frame_a)
    model.connect(other.frame_b, heavy.frame)
    return model


@pytest.mark.parametrize("mass", [1e-9, 1e-12, 1e-20])
def test_a_tiny_inertia_is_warned_of(mass: float) -> None:
    with pytest.warns(UserWarning, match="^guide: only .* of the largest inertia here moves with it alone"):
        system = mb.compile(beside_another(mass))
    assert tiny(system) == [
        f"guide: only {mass / 3:.1g} of the largest inertia here moves with it alone; make it zero, or larger"
    ]
    assert tiny(system)[0] in mb.explain(system).remarks


@pytest.mark.parametrize("inertia", [1e-9, 1e-11])
def test_a_tiny_inertia_about_a_rod_is_warned_of(inertia: float) -> None:
    """The body is heavy, but about the line of the rod there is next to nothing."""
    with pytest.warns(UserWarning, match="^ball: only"):
        assert len(tiny(mb.compile(spinning(inertia)))) == 1


@pytest.mark.parametrize("make", [lambda: beside_another(1e-6), lambda: beside_another(0.0), spinning, massless_crank])
def test_neither_zero_nor_a_small_inertia_is_warned_of(make: Callable[[], mb.Model]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tiny(mb.compile(make())) == []


def test_an_inertia_that_becomes_tiny_is_warned_of() -> None:
    system = mb.compile(beside_another(1.0))
    with pytest.warns(UserWarning, match="^guide: only"):
        small = mb.with_parameters(system, {"tip.mass": 1e-10})
    assert small.code is system.code and len(tiny(small)) == 1
    assert tiny(mb.with_parameters(small, {"tip.mass": 0.5})) == []
