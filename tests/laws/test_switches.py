"""Dry friction, clutches and stops against closed forms: instants, motion between them, energy across jumps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks

from .by_scipy import close
from .modes import TOLERANCES, at_times, between, ends, instants, on_one

# -- dry friction ----------------------------------------------------------------------------------------------------


def swinging(start: float, coulomb: float = 1.2, **friction: float) -> mb.Model:
    """A mass of 2 on a spring of 8 (ω = 2), with dry friction."""
    return on_one(mb.I("mass", 2.0), mb.C("spring", 1 / 8.0, start=start), mb.Friction("shoe", coulomb, **friction))


def swing(times: np.ndarray, start: float, coulomb: float, static: float) -> tuple[np.ndarray, int]:
    """Half periods of π / 2 about ±coulomb / k; each is shorter by 2 coulomb / k; it ends where static holds it."""
    turns = [start]
    while 8.0 * abs(turns[-1]) > static:
        turns.append(-turns[-1] + np.sign(turns[-1]) * 2 * coulomb / 8.0)
    half = np.minimum((times // (np.pi / 2)).astype(int), len(turns) - 1)
    x = np.array(turns)[half]
    middle = np.sign(x) * coulomb / 8.0
    moving = middle + (x - middle) * np.cos(2.0 * (times - half * np.pi / 2))
    return np.where(half == len(turns) - 1, x, moving), len(turns) - 1


@TOLERANCES
@pytest.mark.parametrize(
    ("start", "coulomb", "static"), [(2.0, 1.2, 1.2), (-2.0, 1.2, 1.2), (2.05, 1.2, 2.6), (0.14, 1.2, 1.2)]
)
def test_friction_oscillator(start: float, coulomb: float, static: float, rtol: float, tolerance: float) -> None:
    """The amplitude falls by 4 coulomb / k each period until the spring no longer overcomes what holds."""
    times = np.linspace(0.0, 12.0, 121)
    expected, halves = swing(times, start, coulomb, static)
    run = mb.simulate(swinging(start, coulomb, static=static), 12.0, rtol=rtol)
    close(run["spring.q"](times), expected, tolerance)
    at_times(run, instants(run, "shoe"), np.pi / 2 * np.arange(1, halves + 1), "friction oscillator")
    if halves:
        assert run.changes[-1].mode == "stick"
    energy = run.energy()
    assert energy.dissipated == pytest.approx(4.0 * (start**2 - expected[-1] ** 2), rel=10 * tolerance, abs=tolerance)
    assert energy.residual < tolerance


def test_a_mass_that_sticks_does_not_creep() -> None:
    run = mb.simulate(swinging(2.0), 1000.0)
    assert float(run["mass.f"](1000.0)) == 0.0
    assert float(run["spring.q"](999.0)) == float(run["spring.q"](20.0))


@TOLERANCES
def test_sliding_to_a_halt_and_off_again(rtol: float, tolerance: float) -> None:
    """3 m/s against 1.5 N on 2 kg: stops after 4 s; a push that grows by 0.5 N/s overcomes 2.5 N at t = 5 s."""
    model = on_one(mb.I("mass", 2.0, start=6.0), mb.Friction("shoe", 1.5, static=2.5, viscous=0.0))
    model.bond(mb.Se("push", lambda t: mb.where(t > 4.5, 0.5 * t, 0)), "v")
    run = mb.simulate(model, 8.0, rtol=rtol)
    found = [instants(run, "shoe", "stick")[0], instants(run, "shoe", "forward")[-1]]
    at_times(run, found, [4.0, 5.0], "sliding to a halt and off again")
    times = np.linspace(5.0, 8.0, 31)
    close(run["mass.f"](times), 0.5 * ((times**2 - 25.0) / 4.0 - 1.5 * (times - 5.0)), tolerance)


def test_viscous_part_and_direction() -> None:
    """2 v' = -(1 + 0.5 v) from 3 m/s, and its mirror image: v = (3 + 2) exp(-t / 4) - 2 until it is zero."""
    for sign in (1.0, -1.0):
        run = mb.simulate(on_one(mb.I("mass", 2.0, start=6.0 * sign), mb.Friction("shoe", 1.0, viscous=0.5)), 5.0)
        stop = 4.0 * np.log(2.5)
        assert instants(run, "shoe", "stick") == [pytest.approx(stop, abs=1e-9)]
        close(run["mass.f"](np.linspace(0, 3, 7)), sign * (5.0 * np.exp(-np.linspace(0, 3, 7) / 4.0) - 2.0))
        assert run["shoe.e"](1.0) == pytest.approx(sign * (1.0 + 0.5 * (5.0 * np.exp(-0.25) - 2.0)))


# stick and slip on a belt: an event-driven run by SciPy as the reference

BELT = {"speed": 0.5, "mass": 1.0, "stiffness": 4.0, "coulomb": 1.0, "static": 1.6, "stribeck": 0.2, "viscous": 0.05}


def belt() -> mb.Model:
    """A mass on a spring that a belt drags along; the friction between them falls from 1.6 N to 1 N."""
    b = BELT
    shoe = mb.Friction("shoe", b["coulomb"], static=b["static"], stribeck=b["stribeck"], viscous=b["viscous"])
    model = between(shoe, mb.Sf("belt", b["speed"]), mb.I("mass", b["mass"]))
    model.bond("b", mb.C("spring", 1 / b["stiffness"]))
    return model


def belt_reference(until: float) -> tuple[list[float], Callable[[np.ndarray], np.ndarray]]:
    """Slip until the speeds meet, stick until the spring pulls harder than static, and so on."""
    b = BELT

    def slip(t: float, s: np.ndarray) -> list[float]:
        v = b["speed"] - s[1]
        force = b["coulomb"] + (b["static"] - b["coulomb"]) * np.exp(-((v / b["stribeck"]) ** 2)) + b["viscous"] * v
        return [s[1], (force - b["stiffness"] * s[0]) / b["mass"]]

    def meet(t: float, s: np.ndarray) -> float:
        return s[1] - b["speed"]

    meet.terminal, meet.direction = True, 1  # type: ignore[attr-defined]
    t, s, times, pieces = 0.0, np.zeros(2), [], []
    while t < until:
        found = solve_ivp(slip, (t, until), s, method="DOP853", rtol=1e-12, atol=1e-14, events=meet, dense_output=True)
        pieces.append((t, found.sol))
        t, s = found.t[-1], found.y[:, -1]
        if t < until:
            times.append(t)
            begun, x = t, s[0]
            pieces.append((t, lambda u, x=x, begun=begun: np.stack([x + b["speed"] * (u - begun), 0 * u + b["speed"]])))
            t = begun + (b["static"] / b["stiffness"] - x) / b["speed"]
            times.append(t)
            s = np.array([b["static"] / b["stiffness"], b["speed"] - 1e-15])

    def at(u: np.ndarray) -> np.ndarray:
        owner = np.searchsorted([begin for begin, _ in pieces], u, side="right") - 1
        return np.array([pieces[k][1](v) for k, v in zip(owner, u, strict=True)])

    return [v for v in times if v < until], at


@TOLERANCES
def test_stick_and_slip_on_a_belt(rtol: float, tolerance: float) -> None:
    run = mb.simulate(belt(), 12.0, rtol=rtol)
    expected, at = belt_reference(12.0)
    assert len(expected) > 6
    at_times(run, instants(run, "shoe"), expected, "stick and slip on a belt")
    times = np.linspace(0.0, 12.0, 121)
    close(run["spring.q"](times), at(times)[:, 0], tolerance)
    close(run["mass.f"](times), at(times)[:, 1], tolerance)
    assert run.energy().residual < tolerance


# -- clutch ----------------------------------------------------------------------------------------------------------


def clutch(torque: float = 3.0, **friction: Any) -> mb.Model:
    """Wheels of 1 and 2, the first turning at 10: a clutch drags the second along."""
    return between(mb.Friction("clutch", torque, **friction), mb.I("drive", 1.0, start=10.0), mb.I("load", 2.0))


@TOLERANCES
def test_clutch_engages(rtol: float, tolerance: float) -> None:
    """Locked after Δω / (T (1/J₁ + 1/J₂)), both at the speed of the common momentum; heat = ½ J₁J₂/(J₁+J₂) Δω²."""
    run = mb.simulate(clutch(), 5.0, rtol=rtol)
    at_times(run, instants(run, "clutch"), [10.0 / 4.5], "clutch engages")
    times = np.linspace(0.0, 5.0, 51)
    slipping = np.minimum(times, 10.0 / 4.5)
    close(run["drive.f"](times), 10.0 - 3.0 * slipping, tolerance)
    close(run["load.f"](times), 1.5 * slipping, tolerance)
    energy = run.energy()
    assert energy.dissipated == pytest.approx(0.5 * (2 / 3) * 100.0, rel=tolerance)
    assert energy.residual < tolerance
    assert abs(energy.jumps) < tolerance


@TOLERANCES
def test_clutch_slips_again_when_it_is_overloaded(rtol: float, tolerance: float) -> None:
    """Locked it passes on 2/3 of 1.5 N.m; released by 0.2 a second from 4 s on, it slips where 3 n = 1."""
    model = clutch()
    model.add(mb.blocks.Function("press", "where(t < 4, 1, 1 - 0.2*(t - 4))"))
    model.signal("press.y", "clutch.normal")
    model.bond(mb.Se("motor", lambda t: mb.where(t < 3, 0, 1.5)), "a")
    run = mb.simulate(model, 8.0, rtol=rtol)
    slip = 4.0 + 5.0 * (2 / 3)
    at_times(run, instants(run, "clutch"), [10.0 / 4.5, slip], "clutch engages and slips")
    times = np.linspace(slip, 8.0, 11)
    s = times - slip
    passed = s - 0.3 * s**2  # the integral of 3 n = 1 - 0.6 s
    locked = 10.0 / 3.0 + 0.5 * (slip - 3.0)
    close(run["drive.f"](times), locked + 1.5 * s - passed, tolerance)
    close(run["load.f"](times), locked + 0.5 * passed, tolerance)
    assert run["clutch.e"](5.0) == pytest.approx(1.0, abs=tolerance)
    assert run.energy().residual < tolerance


def test_a_clutch_that_is_let_go_passes_nothing() -> None:
    """A press below zero counts as none."""
    model = clutch()
    model.add(mb.blocks.Constant("press", -1.0))
    model.signal("press.y", "clutch.normal")
    run = mb.simulate(model, 1.0)
    assert float(run["drive.f"](1.0)) == 10.0
    assert float(run["load.f"](1.0)) == 0.0


# -- stops -----------------------------------------------------------------------------------------------------------


@TOLERANCES
@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
def test_backlash(restitution: float, rtol: float, tolerance: float) -> None:
    """1 kg at 2 m/s takes up 0.5 m of play to 3 kg: momentum is kept, ½ µ v² (1 - e²) is lost in each hit."""
    gap = mb.Stop("gap", lower=-0.5, upper=0.5, restitution=restitution)
    run = mb.simulate(between(gap, mb.I("left", 1.0, start=2.0), mb.I("right", 3.0)), 1.5, rtol=rtol)
    hits, speed, t, left = [], 2.0, 0.25, 2.0
    times, lost = [], 0.0
    while t < 1.5 and speed:
        hits.append((t, left - 0.75 * (1 + restitution) * speed * (-1) ** len(hits)))
        left = hits[-1][1]
        lost += 0.5 * 0.75 * speed**2 * (1 - restitution**2)
        times.append(t)
        speed *= restitution
        t += 1.0 / speed if speed else 0.0
    at_times(run, ends(run), times, "backlash")
    for time, after in hits:
        np.testing.assert_allclose(run["left.p"](time + 1e-6), after, atol=tolerance)
    every = np.linspace(0.0, 1.5, 31)
    close(run["left.p"](every) + run["right.p"](every), np.full(31, 2.0), tolerance)
    assert run.energy().jumps == pytest.approx(lost, abs=tolerance)
    assert run.energy().residual < tolerance


def ball(restitution: float, height: float = 1.0) -> mb.Model:
    """2 kg let fall on the floor."""
    model = on_one(mb.I("ball", 2.0), mb.Stop("floor", lower=0.0, restitution=restitution, start=height))
    model.bond(mb.Se("weight", -2.0 * 9.81), "v")
    return model


@TOLERANCES
def test_bouncing_ball_comes_to_rest(rtol: float, tolerance: float) -> None:
    """Hits at t₁ (1 + 2e + 2e² + …), t₁ = √(2h/g); they pile up at t₁ (1 + e) / (1 - e), and there it stays."""
    e, first = 0.8, np.sqrt(2.0 / 9.81)
    run = mb.simulate(ball(e), 10.0, rtol=rtol)
    hits = np.concatenate([[first], first * (1.0 + 2.0 * np.cumsum(e ** np.arange(1, 25)))])
    at_times(run, ends(run)[:25], hits, "bouncing ball, hits")
    rest = first * (1 + e) / (1 - e)
    at_times(run, instants(run, "floor"), [rest], "bouncing ball, rest")
    assert float(run["ball.f"](9.0)) == 0.0
    assert abs(float(run["floor.q"](9.0))) < tolerance
    assert run["floor.e"](9.0) == pytest.approx(-2.0 * 9.81)
    assert run.energy().jumps == pytest.approx(2.0 * 9.81, rel=tolerance)
    middle = 0.5 * (hits[2] + hits[3])
    assert run["floor.q"](middle) == pytest.approx(e**6, abs=10 * tolerance)


@pytest.mark.parametrize("floor", [-1.0, 5.0, 1000.0])
@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_a_ball_rests_on_floors_of_any_height(floor: float, restitution: float) -> None:
    """The last bounces are lower than the rounding of the height: the ball must not fall through them."""
    model = on_one(mb.I("ball", 2.0), mb.Stop("floor", lower=floor, restitution=restitution, start=floor + 1.0))
    model.bond(mb.Se("weight", -2.0 * 9.81), "v")
    run = mb.simulate(model, 10.0)
    rest = np.sqrt(2.0 / 9.81) * (1 + restitution) / (1 - restitution)
    assert instants(run, "floor") == [pytest.approx(rest, abs=3e-6 * max(1.0, abs(floor)) ** 0.5)]
    assert run["floor.q"](10.0) == pytest.approx(floor, rel=1e-12)
    assert float(run["ball.f"](10.0)) == 0.0


def test_a_perfect_ball_bounces_for_ever() -> None:
    first = np.sqrt(2.0 / 9.81)
    run = mb.simulate(ball(1.0), 20.0)
    np.testing.assert_allclose(ends(run), first * np.arange(1, 2 * len(ends(run)), 2), atol=1e-7)
    assert abs(run.energy().jumps) < 1e-9


@TOLERANCES
def test_plastic_stop_lets_go_where_it_is_pulled(rtol: float, tolerance: float) -> None:
    """Pushed by cos t from rest against a wall at 0.5: stays at π/3 (1 - cos t = 0.5), leaves at π/2."""
    model = on_one(mb.I("mass", 1.0), mb.Stop("wall", upper=0.5))
    model.bond(mb.Se("push", lambda t: mb.cos(t)), "v")
    run = mb.simulate(model, 3.0, rtol=rtol)
    assert instants(run, "wall") == [
        pytest.approx(np.pi / 3, abs=tolerance), pytest.approx(np.pi / 2, abs=tolerance),
    ]  # fmt: skip
    times = np.linspace(np.pi / 2, 3.0, 16)
    close(run["mass.f"](times), np.sin(times) - 1.0, tolerance)
    assert run.energy().jumps == pytest.approx(0.5 * np.sin(np.pi / 3) ** 2, abs=tolerance)
    assert run.energy().residual < tolerance


def test_a_stop_follows_a_displacement_that_it_is_told() -> None:
    """The same wall, the way read by a sensor that begins at 0.2: 1 - cos t = 0.3."""
    model = on_one(mb.I("mass", 1.0), mb.Stop("wall", upper=0.5), mb.Dq("way", start=0.2))
    model.bond(mb.Se("push", lambda t: mb.cos(t)), "v")
    model.signal("way.value", "wall.displacement")
    run = mb.simulate(model, 3.0, rtol=1e-11)
    assert instants(run, "wall")[0] == pytest.approx(np.arccos(0.7), abs=1e-9)
    assert instants(run, "wall")[1] == pytest.approx(np.pi / 2, abs=1e-9)


# -- vectors ---------------------------------------------------------------------------------------------------------


def test_components_of_a_vector_stop_are_independent() -> None:
    """Three balls from three heights, with one restitution."""
    model = mb.Model("balls")
    v = model.add(mb.One("v", size=3))
    model.bond(v, mb.I("balls", (1.0, 2.0, 3.0)))
    model.bond(v, mb.Stop("floor", lower=0.0, restitution=0.8, start=(1.0, 0.5, 2.0)))
    model.bond(mb.Se("weights", (-9.81, -19.62, -29.43)), v)
    run = mb.simulate(model, 2.0, rtol=1e-11)
    times = np.linspace(0.0, 2.0, 41)
    for k, height in enumerate((1.0, 0.5, 2.0)):
        alone = mb.simulate(ball(0.8, height), 2.0, rtol=1e-11)
        close(run["floor.q"](times)[:, k], alone["floor.q"](times))


def test_two_that_hit_at_the_same_instant() -> None:
    """Equal balls from equal heights in one element hit together and bounce together."""
    model = mb.Model("balls")
    v = model.add(mb.One("v", size=2))
    model.bond(v, mb.I("balls", 1.0))
    model.bond(v, mb.Stop("floor", lower=0.0, restitution=0.8, start=1.0))
    model.bond(mb.Se("weights", -9.81), v)
    run = mb.simulate(model, 2.0)
    q = run["floor.q"](np.linspace(0.0, 2.0, 41))
    np.testing.assert_allclose(q[:, 0], q[:, 1], atol=1e-9)
    assert run["floor.q"](1.0)[0] == pytest.approx(float(mb.simulate(ball(0.8), 2.0)["floor.q"](1.0)), abs=1e-9)


def test_a_block_at_rest_is_set_off_by_a_sudden_push() -> None:
    """At rest all is zero, so nothing but the push sets a scale: v = (7 - 3) / 2 · (t - 1) from 1 s on."""
    model = on_one(mb.I("mass", 2.0), mb.Friction("floor", 3.0))
    push, force = model.add(blocks.Step("push", 7.0, time=1.0)), model.add(mb.MSe("force"))
    model.signal(push.y, force.effort)
    model.bond(force, "v")
    run, times = mb.simulate(model, 3.0), np.linspace(0.0, 3.0, 31)
    close(run["mass.f"](times), 2.0 * np.maximum(times - 1.0, 0.0), 1e-9)
    assert [(c.time, c.mode) for c in run.changes] == [(0.0, "stick"), (1.0, "forward")]
