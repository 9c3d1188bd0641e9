"""Hits on stops, listed by a run: when, where, how fast before and after, with which impulse; by closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.examples import slider_crank

from .test_modes import crank_equation

G = 9.81
METHODS = ("auto", "zcp", "multiplier", "minimal")


def ball(restitution: float, *, height: float = 1.0, velocity: float = 0.0, mass: float = 2.0) -> mb.Model:
    """A mass that falls on a stop above the ground."""
    model = mb.Model("ball")
    ground, body = model.add(tr.Fixed("ground")), model.add(tr.Mass("body", mass, velocity=velocity))
    floor = model.add(tr.Stop("floor", lower=0.0, restitution=restitution, position=height))
    weight = model.add(tr.Force("weight", -mass * G))
    model.connect(ground.flange, floor.flange_a)
    model.connect(floor.flange_b, body.flange, weight.flange)
    return model


def column(hits: tuple, name: str) -> np.ndarray:
    return np.array([getattr(hit, name) for hit in hits])


@pytest.mark.parametrize("method", ["auto", "minimal"])
def test_a_ball_bounces_until_it_is_caught(method: str) -> None:
    """Hit k at the time that the flights before it take, with e^k of the first speed; the last one is caught."""
    e, v = 0.5, np.sqrt(2 * G)
    run = mb.simulate(ball(e), 3.0, method=method, rtol=1e-11, atol=1e-13)
    k = np.arange(len(run.hits))
    assert len(run.hits) > 20 and {(hit.path, hit.side) for hit in run.hits} == {("floor.stop", "lower")}
    flights = np.where(k == 0, v / G, 2 * v * e**k / G)
    np.testing.assert_allclose(column(run.hits, "time"), np.cumsum(flights), atol=1e-9)
    np.testing.assert_allclose(column(run.hits, "before"), -v * e**k, atol=1e-9)
    np.testing.assert_allclose(column(run.hits, "after")[:-1], v * e ** (k[:-1] + 1), atol=1e-9)
    np.testing.assert_allclose(column(run.hits, "impulse")[:-1], -2.0 * (1 + e) * v * e ** k[:-1], atol=1e-9)
    assert run.hits[-1].after == 0.0
    assert [(change.time, change.mode) for change in run.changes] == [(run.hits[-1].time, "lower")]


def test_what_hits_take_is_what_the_energy_audit_says() -> None:
    """Energy lost = impulse · mean of the speeds before and after, hit by hit."""
    run = mb.simulate(ball(0.8), 3.0, rtol=1e-11, atol=1e-13)
    lost = sum(hit.impulse * 0.5 * (hit.before + hit.after) for hit in run.hits)
    assert len(run.hits) > 3 and lost > 1.0
    assert lost == pytest.approx(run.energy().jumps, rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_run_that_begins_with_a_hit(restitution: float) -> None:
    run = mb.simulate(ball(restitution, height=0.0, velocity=-3.0), 0.1)
    hit = run.hits[0]
    assert (hit.time, hit.path, hit.side, hit.before) == (0.0, "floor.stop", "lower", -3.0)
    np.testing.assert_allclose((hit.after, hit.impulse), (3.0 * restitution, -6.0 * (1 + restitution)), atol=1e-12)
    assert len(run.hits) == 1


def test_a_ball_at_the_ceiling_falls_again() -> None:
    """Caught by a stop that its weight pulls it from: one hit, though the mode changes twice."""
    model = ball(0.0, height=1.0, velocity=6.0)
    model.set("floor.lower", None)
    model.set("floor.upper", 2.0)
    run = mb.simulate(model, 1.0, rtol=1e-11, atol=1e-13)
    v = np.sqrt(36.0 - 2 * G)
    (hit,) = run.hits
    assert hit.side == "upper" and hit.after == 0.0
    np.testing.assert_allclose((hit.time, hit.before, hit.impulse), ((6.0 - v) / G, v, 2.0 * v), atol=1e-9)


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_nothing_is_listed_where_nothing_hits(start: float) -> None:
    """A ball that lies on its stop from the start, and one that swings above it."""
    model = ball(0.5, height=start)
    if start:
        spring = model.add(tr.Spring("spring", 2.0 * G / 0.1))
        model.connect(model["ground"].flange, spring.flange_a)
        model.connect(spring.flange_b, model["body"].flange)
    run = mb.simulate(model, 2.0)
    assert run.hits == () and run["floor.position"](run.t).min() >= 0.0


def test_one_hit_brings_about_the_next_at_the_same_instant() -> None:
    """Three equal balls that touch: the first gives all to the second, and this to the third."""
    model = mb.Model("cradle")
    balls = [model.add(tr.Mass(f"ball_{k}", 0.5, velocity=2.0 if k == 1 else 0.0)) for k in (1, 2, 3)]
    gaps = [model.add(tr.Stop(f"gap_{k}", lower=0.0, restitution=1.0, position=p)) for k, p in ((1, 0.3), (2, 0.0))]
    for k, gap in enumerate(gaps):
        model.connect(balls[k].flange, gap.flange_a)
        model.connect(gap.flange_b, balls[k + 1].flange)
    run = mb.simulate(model, 1.0)
    assert [hit.path for hit in run.hits] == ["gap_1.stop", "gap_2.stop"]
    for hit in run.hits:
        found = (hit.time, hit.before, hit.after, hit.impulse)
        np.testing.assert_allclose(found, (0.15, -2.0, 2.0, -1.0), atol=1e-12)


def sleeve(restitution: tuple[float, float]) -> mb.Model:
    """A body on an upright rod: it spins at 3 rad/s between ±0.5 rad, and falls from 0.4 m to the foot of the rod."""
    model = mb.Model("sleeve")
    world = model.add(sp.World(gravity=(0, 0, -G)))
    joint = sp.Cylindrical(
        "joint", (0, 0, 1), position=0.4, speeds=(3.0, 0.0), lower=(-0.5, 0.0), upper=(0.5, None),
        restitution=restitution,
    )  # fmt: skip
    body = model.add(sp.Body("body", 2.0, (0.3, 0.3, 0.2)))
    model.connect(world.frame, model.add(joint).frame_a)
    model.connect(joint.frame_b, body.frame)
    return model


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_with_two_freedoms(method: str) -> None:
    """Both freedoms know nothing of one another: free flight between two limits, and a bouncing ball."""
    e, f, v = 0.8, 0.7, np.sqrt(2 * G * 0.4)
    run = mb.simulate(sleeve((e, f)), 1.15, method=method, rtol=1e-11, atol=1e-13)
    turns, slides = ([hit for hit in run.hits if hit.path == f"joint.stop_{k}"] for k in (1, 2))
    assert len(turns) + len(slides) == len(run.hits) and len(turns) == 3 and len(slides) == 3
    assert list(column(run.hits, "time")) == sorted(column(run.hits, "time"))
    assert [hit.side for hit in turns] == ["upper", "lower", "upper"]
    sign, k = np.array([1.0, -1.0, 1.0]), np.arange(3)
    np.testing.assert_allclose(column(turns, "time"), np.cumsum([0.5 / 3, 1 / (3 * e), 1 / (3 * e**2)]), atol=1e-9)
    np.testing.assert_allclose(column(turns, "before"), sign * 3.0 * e**k, atol=1e-9)
    np.testing.assert_allclose(column(turns, "after"), -sign * 3.0 * e ** (k + 1), atol=1e-9)
    np.testing.assert_allclose(column(turns, "impulse"), sign * 0.2 * 3.0 * (1 + e) * e**k, atol=1e-9)
    np.testing.assert_allclose(column(slides, "time"), np.cumsum([1.0, 2 * f, 2 * f**2]) * v / G, atol=1e-9)
    np.testing.assert_allclose(column(slides, "before"), -v * f**k, atol=1e-9)
    np.testing.assert_allclose(column(slides, "impulse"), -2.0 * (1 + f) * v * f**k, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_in_a_closed_loop(method: str) -> None:
    """The piston of a slider crank hits a wall: by the equation of one freedom, in which the wall feels J / x'²."""
    wall, e = 1.05, 0.6
    model = slider_crank()
    model.set("O.angle", 2.0)
    model.set("guide.upper", wall)
    model.set("guide.restitution", e)
    run = mb.simulate(model, 3.0, method=method, rtol=1e-11, atol=1e-13)
    equation = crank_equation()

    def motion(t: float, z: np.ndarray) -> list[float]:
        J, slope, x, rod = (float(v) for v in equation(z[0]))
        return [z[1], (10.0 - 5.0 * x**2 * z[1] - 2.0 * rod**2 * z[1] - 0.5 * slope * z[1] ** 2) / J]

    def reaches(t: float, z: np.ndarray) -> float:
        return 0.2 * np.cos(z[0]) + np.sqrt(1 - (0.2 * np.sin(z[0])) ** 2) - wall

    reaches.terminal, reaches.direction = True, 1.0
    t, z = 0.0, np.array([2.0, 0.0])
    assert len(run.hits) > 1
    for hit in run.hits[:4]:
        found = solve_ivp(motion, (t, 3.0), z, "DOP853", events=reaches, rtol=1e-12, atol=1e-13)
        t, (a, speed) = found.t[-1], found.y[:, -1]
        J, _, x, _ = (float(v) for v in equation(a))
        wanted = (t, x * speed, -e * x * speed, (1 + e) * J / x**2 * x * speed)
        np.testing.assert_allclose((hit.time, hit.before, hit.after, hit.impulse), wanted, rtol=1e-8)
        assert (hit.path, hit.side) == ("guide.stop", "upper")
        z = np.array([a, -e * speed])


def test_hits_of_a_stop_with_several_components_name_the_component() -> None:
    model = mb.Model("several")
    v = model.add(mb.One("v", size=2))
    model.bond(v, mb.I("mass", 1.0, start=(2.0, 4.0)))
    model.bond(v, mb.Stop("walls", upper=1.0, restitution=1.0, size=2))
    run = mb.simulate(model, 0.6)
    assert [(hit.path, hit.side) for hit in run.hits] == [("walls[1]", "upper"), ("walls[0]", "upper")]
    np.testing.assert_allclose(column(run.hits, "time"), (0.25, 0.5), atol=1e-12)
    np.testing.assert_allclose(column(run.hits, "before"), (4.0, 2.0), atol=1e-12)
    model.set("mass.start", (3.0, 3.0))
    both = mb.simulate(model, 0.6).hits
    assert sorted(hit.path for hit in both) == ["walls[0]", "walls[1]"]
    np.testing.assert_allclose([(hit.time, hit.before, hit.after) for hit in both], [(1 / 3, 3.0, -3.0)] * 2)


def test_play_between_two_wheels() -> None:
    """A wheel runs through the play and takes another along: momentum is kept."""
    model = mb.Model("play")
    first, second = model.add(ro.Inertia("first", 0.2, speed=4.0)), model.add(ro.Inertia("second", 0.3))
    teeth = model.add(ro.Backlash("teeth", 0.1))
    model.connect(first.flange, teeth.flange_a)
    model.connect(teeth.flange_b, second.flange)
    (hit,) = mb.simulate(model, 1.0).hits
    assert (hit.path, hit.side, hit.after) == ("teeth.stop", "lower", 0.0)
    np.testing.assert_allclose((hit.time, hit.before, hit.impulse), (0.0125, -4.0, -4.0 * 0.06 / 0.5), atol=1e-12)


def test_a_joint_in_the_plane() -> None:
    model = mb.Model("plane")
    world, joint = model.add(pl.World(gravity=(0, 0))), model.add(pl.Revolute("hinge", speed=1.0, upper=0.3))
    body = model.add(pl.Body("body", 1.0, 0.5))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    (hit,) = mb.simulate(model, 1.0).hits
    assert (hit.path, hit.side, hit.after) == ("hinge.stop", "upper", 0.0)
    np.testing.assert_allclose((hit.time, hit.before, hit.impulse), (0.3, 1.0, 0.5), atol=1e-12)


def test_a_stepper_tells_the_hits_of_its_last_step() -> None:
    whole, here, found = mb.simulate(ball(0.5), 1.2), mb.stepper(ball(0.5)), []
    for _ in range(12):
        here.step(0.1)
        assert here.run().hits == here.hits
        found += here.hits
    assert len(found) == len(whole.hits) == 3
    np.testing.assert_allclose(column(tuple(found), "time"), column(whole.hits, "time"), atol=1e-9)


def test_a_run_that_stops_early_keeps_its_hits() -> None:
    model = ball(0.5)
    model.set("weight.force", lambda t: -2.0 * G + 1e-6 * mb.sqrt(1.0 - t))
    with pytest.raises(mb.errors.SimulationError) as caught:
        mb.simulate(model, 3.0)
    assert len(caught.value.run.hits) == 2
