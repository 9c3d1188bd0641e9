"""Elements with modes in mechanisms, starts that contradict a mode, and modes that fit nowhere."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.rotation import tenth

import multibond as mb
from multibond import errors
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples import slider_crank

from .by_scipy import close
from .modes import ends, instants, on_one

# -- friction in a joint ---------------------------------------------------------------------------------------------


def pendulum(angle: float = 1.0) -> mb.Model:
    """2 kg half a metre below a hinge."""
    model = mb.Model("pendulum")
    world = model.add(sp.World())
    hip = model.add(sp.Revolute("hip", axis="z", angle=angle))
    bob = model.add(sp.Body("bob", mass=2.0, centre=(0.0, -0.5, 0.0)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, bob.frame)
    return model


def rubbing(model: mb.Model, way: str, **friction: Any) -> mb.Model:
    """Friction on the hinge: an element on its flange, or a brake connected to it."""
    if way == "element":
        model.bond("hip.flange", mb.Friction("rub", **friction))
    else:
        brake = model.add(ro.Brake("rub", friction["coulomb"], friction["static"], engagement=1.0))
        model.connect("hip.flange", brake.flange)
    return model


def swings(times: np.ndarray, coulomb: float, static: float) -> tuple[list[float], np.ndarray]:
    """0.5 θ'' = -9.81 sin θ ∓ coulomb from one turn to the next, until static holds it."""
    t, angle, turns, values = 0.0, 1.0, [], np.zeros(times.size)
    while 9.81 * abs(np.sin(angle)) > static:
        way = -np.sign(angle)
        found = _swing(t, angle, way, coulomb)
        now = (times >= t) & (times <= found.t[-1])
        values[now] = found.sol(times[now])[0]
        t, angle = float(found.t[-1]), float(found.y[0, -1])
        turns.append(t)
    values[times > t] = angle
    return turns, values


def _swing(t: float, angle: float, way: float, coulomb: float) -> Any:
    def turn(_: float, s: np.ndarray) -> float:
        return way * s[1]

    turn.terminal, turn.direction = True, -1  # type: ignore[attr-defined]
    return solve_ivp(
        lambda _, s: [s[1], 2.0 * (-9.81 * np.sin(s[0]) - way * coulomb)], (t, t + 10.0), [angle, 0.0],
        method="DOP853", rtol=1e-12, atol=1e-14, events=turn, dense_output=True,
    )  # fmt: skip


@pytest.mark.parametrize("way", ["element", "part"])
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_pendulum_with_a_rubbing_hinge(way: str, method: str) -> None:
    """It swings out and stays aslant; while it sticks the hinge carries 9.81 sin θ."""
    times = np.linspace(0.0, 10.0, 201)
    turns, angle = swings(times, 1.0, 1.5)
    run = mb.simulate(rubbing(pendulum(), way, coulomb=1.0, static=1.5), 10.0, method=method, rtol=1e-11)
    path = "rub" if way == "element" else "rub.pads"
    assert len(turns) > 3 and run.changes[-1].mode == "stick"
    np.testing.assert_allclose(instants(run, path), turns, atol=1e-8)
    close(run["hip.angle"](times), angle, 1e-8)
    assert run[f"{path}.e"](10.0) == pytest.approx(-9.81 * np.sin(angle[-1]), abs=1e-8)
    assert run.energy().residual < 1e-9


HELD = "a slide that stands at a dead point is searched for its mode where its loop is singular, and is taken to stick"
CRANKS = [
    pytest.param(joint, method, marks=pytest.mark.xfail(strict=True, reason=HELD))
    if (joint, method) == ("guide", "multiplier")
    else (joint, method)
    for joint, method in product(("O", "guide", "C"), ("auto", "multiplier"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "method"), tenth(CRANKS, of="cranks with friction"))
def test_crank_that_friction_brings_to_rest(joint: str, method: str) -> None:
    """Spun up and left alone: all 19.08 J end as heat, in any joint, also at the cut and through dead points."""
    model = slider_crank(torque=0.0, damper="ground-crank")
    for path in ("O.damping", "guide.damping"):
        model.set(path, 0.0)
    model.set("O.speed", 6.0)
    model.bond(f"{joint}.flange", mb.Friction("rub", 5.0))
    run = mb.simulate(model, 12.0, method=method)
    assert run.changes[-1].mode == "stick"
    assert abs(float(run["O.speed"](12.0))) < 1e-9
    energy = run.energy()
    assert energy.dissipated == pytest.approx(-energy.kinetic, rel=1e-8)
    way = np.linspace(0.0, 12.0, 6001)
    travelled = np.trapezoid(np.abs(run["rub.f"](way)), way)
    assert 5.0 * travelled == pytest.approx(energy.dissipated, rel=1e-4)


def test_a_hinge_with_a_stop() -> None:
    """Let go at 1 rad, stopped at -0.2 (1.2 rad of way), thrown back with 0.6 of the speed: energies between hits."""
    model = pendulum()
    model.bond("hip.flange", mb.Stop("buffer", lower=-1.2, restitution=0.6))
    run = mb.simulate(model, 2.0, rtol=1e-11)
    first = ends(run)[0]
    speed = np.sqrt(4.0 * 9.81 * (np.cos(0.2) - np.cos(1.0)))
    assert run["hip.angle"](first) == pytest.approx(-0.2, abs=1e-9)
    assert run["hip.speed"](first - 1e-9) == pytest.approx(-speed, rel=1e-7)
    assert run["hip.speed"](first) == pytest.approx(0.6 * speed, rel=1e-8)
    lost = sum(0.25 * (1 - 0.36) * (speed * 0.6**k) ** 2 for k in range(len(ends(run))))
    assert run.energy().jumps == pytest.approx(lost, rel=1e-8)
    assert run.energy().residual < 1e-9


def test_a_slider_rests_on_a_stop() -> None:
    """A body on a vertical slide bounces on the end of its way and stays there."""
    model = mb.Model("drop")
    world, slide = model.add(sp.World()), model.add(sp.Prismatic("slide", axis="y", position=1.0))
    weight = model.add(sp.Body("weight", mass=3.0))
    model.connect(world.frame, slide.frame_a)
    model.connect(slide.frame_b, weight.frame)
    model.bond("slide.flange", mb.Stop("floor", lower=-1.0, restitution=0.5))
    run = mb.simulate(model, 3.0)
    first = np.sqrt(2.0 / 9.81)
    np.testing.assert_allclose(ends(run)[:4], first * np.array([1.0, 2.0, 2.5, 2.75]), atol=1e-8)
    assert run["slide.position"](3.0) == pytest.approx(0.0, abs=1e-9)
    assert run["floor.e"](3.0) == pytest.approx(-3.0 * 9.81)


# -- starts that contradict a mode -----------------------------------------------------------------------------------


def test_a_mass_in_motion_does_not_begin_sticking() -> None:
    """Told to stick it slides at once: friction cannot stop a mass by a blow."""
    run = mb.simulate(on_one(mb.I("mass", 2.0, start=3.0), mb.Friction("shoe", 1.0, mode="stick")), 2.0)
    assert [(c.time, c.mode) for c in run.changes] == [(0.0, "forward")]
    np.testing.assert_allclose(run["mass.f"](np.array([0.0, 1.0])), [1.5, 1.0])


def test_a_mass_at_rest_begins_sticking() -> None:
    """Whatever mode it is told, and with a pull that friction can hold; a stronger one sets it off."""
    for mode in ("", "forward", "backward", "stick"):
        for pull, speed in ((0.5, 0.0), (-0.5, 0.0), (2.0, 0.5), (-2.0, -0.5)):
            model = on_one(mb.I("mass", 2.0), mb.Friction("shoe", 1.0, mode=mode))
            model.bond(mb.Se("pull", pull), "v")
            assert float(mb.simulate(model, 1.0)["mass.f"](1.0)) == pytest.approx(speed, abs=1e-12)


@pytest.mark.parametrize("mode", ["", "on", "off"])
def test_a_diode_stops_a_current_against_it(mode: str) -> None:
    """A coil that begins with -3 A in series with a diode: nothing can carry it, and it is gone."""
    run = mb.simulate(on_one(mb.I("coil", 2.0, start=-6.0), mb.R("copper", 1.0), mb.Diode("diode", mode=mode)), 1.0)
    assert float(run["coil.f"](0.0)) == 0.0
    assert float(run["coil.f"](1.0)) == 0.0


@pytest.mark.parametrize("mode", ["", "on", "off"])
def test_a_diode_lets_a_current_with_it_pass(mode: str) -> None:
    run = mb.simulate(on_one(mb.I("coil", 2.0, start=6.0), mb.R("copper", 1.0), mb.Diode("diode", mode=mode)), 1.0)
    assert run["coil.f"](1.0) == pytest.approx(3.0 * np.exp(-0.5))


def joined(second: float, **switch: Any) -> mb.Model:
    """6 C on 1 F and some charge on 2 F, with a switch between them."""
    model = mb.Model("joined")
    a, b, wire = model.add(mb.Zero("a")), model.add(mb.Zero("b")), model.add(mb.One("wire"))
    model.bond(mb.C("first", 1.0, start=6.0), a)
    model.bond(b, mb.C("second", 2.0, start=second))
    model.bond(a, wire)
    model.bond(wire, b)
    model.bond(wire, mb.Switch("switch", **switch))
    return model


def test_charges_that_a_switch_joins_at_the_start_are_shared() -> None:
    """It closes at the very start: 6 C and -1.5 C on 3 F together, 1.5 V."""
    run = mb.simulate(joined(-1.5, control="1 + t"), 1.0)
    assert float(run["first.e"](0.0)) == pytest.approx(1.5)
    assert float(run["second.q"](0.5)) == pytest.approx(3.0)


def test_charges_that_a_wire_joins_must_agree() -> None:
    """A switch that is closed for good is a wire: two voltages on it contradict one another."""
    assert float(mb.simulate(joined(12.0, mode="closed"), 1.0)["second.e"](1.0)) == pytest.approx(6.0)
    with pytest.raises(errors.StartError, match=r"first\.start, second\.start as given"):
        mb.simulate(joined(-1.5, mode="closed"), 1.0)


# -- flows that a source gives --------------------------------------------------------------------------------------


def pumped(flow: object, *items: mb.Element) -> mb.Model:
    """A flow that is given, through elements in series."""
    model = on_one(*items)
    model.bond(mb.Sf("pump", flow), "v")
    return model


def test_a_valve_opens_for_a_pump() -> None:
    """A diode cannot block a flow that is given: it begins to conduct."""
    run = mb.simulate(pumped(1.5, mb.Diode("valve"), mb.R("pipe", 2.0)), 1.0)
    assert [(c.path, c.mode) for c in run.changes] == [("valve", "on")]
    assert float(run["pipe.e"](0.5)) == pytest.approx(3.0)


def test_friction_of_a_driven_slider_turns_with_it() -> None:
    """Driven to and fro it never sticks: e = ±2 with the sign of cos t, and the losses are 2 ∫ |cos t|."""
    run = mb.simulate(pumped("cos(t)", mb.Friction("shoe", 2.0, static=5.0)), 6.0)
    np.testing.assert_allclose(instants(run, "shoe"), [0.5 * np.pi, 1.5 * np.pi], atol=1e-9)
    np.testing.assert_allclose(run["shoe.e"](np.array([1.0, 3.0, 5.0])), [2.0, -2.0, 2.0])
    assert run.energy().dissipated == pytest.approx(2.0 * (4.0 + np.sin(6.0)), rel=1e-9)


@pytest.mark.parametrize(
    ("item", "flow", "time"),
    [
        (mb.Diode("valve"), -1.0, 0.0),
        (mb.Diode("valve"), "cos(t)", 0.5 * np.pi),
        (mb.Switch("valve", "2 - t"), 1.0, 1.5),
        (mb.Stop("valve", upper=0.5), 1.0, 0.5),
    ],
    ids=["diode", "reversal", "switch", "stop"],
)
def test_a_flow_that_can_go_nowhere_is_named(item: mb.Element, flow: object, time: float) -> None:
    with pytest.raises(errors.SimulationError, match=rf"no mode of 'valve' fits at {time:.6g} s"):
        mb.simulate(pumped(flow, item, mb.R("pipe", 2.0)), 3.0)


# -- modes that fit nowhere ------------------------------------------------------------------------------------------


def thermostat(hysteresis: bool) -> mb.Model:
    """2 V heat a condenser through 1 ohm while it is below 0.8 V; another ohm cools it."""
    model = mb.Model("thermostat")
    current, node = model.add(mb.One("current")), model.add(mb.Zero("node"))
    model.bond(mb.Se("heater", 2.0), current)
    model.bond(current, mb.Switch("relay"))
    model.bond(current, mb.R("wire", 1.0))
    model.bond(current, node)
    for item in (mb.C("room", 1.0), mb.R("leak", 1.0), mb.De("level")):
        model.bond(node, item)
    model.add(mb.blocks.Function("cold", "0.8 - u"))
    model.signal("level.value", "cold.u")
    if hysteresis:
        model.add(mb.blocks.Relay("memory", -0.1, 0.1))
        model.signal("cold.y", "memory.u")
        model.signal("memory.y", "relay.input")
    else:
        model.add(mb.blocks.Function("above", "u + 0.5"))
        model.signal("cold.y", "above.u")
        model.signal("above.y", "relay.input")
    return model


def test_a_relay_without_hysteresis_is_named() -> None:
    """Closed it warms past the level, open it cools below: no mode lasts."""
    with pytest.raises(errors.SimulationError, match=r"'relay'.*at 0\.8047") as caught:
        mb.simulate(thermostat(hysteresis=False), 5.0)
    assert "hysteresis" in str(caught.value)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    assert run["room.e"](run.t[-1]) == pytest.approx(0.8)


def test_a_relay_with_hysteresis_keeps_its_band() -> None:
    """Between 0.7 and 0.9 V: u → 1 as exp(-2t) while it heats, u → 0 as exp(-t) while it cools."""
    run = mb.simulate(thermostat(hysteresis=True), 5.0, rtol=1e-11)
    warm, cool = 0.5 * np.log(3.0), np.log(9.0 / 7.0)
    expected = 0.5 * np.log(10.0) + np.cumsum([0.0, *[cool, warm] * 20])
    found = [c.time for c in run.changes if c.path == "relay" and c.time > 0]
    np.testing.assert_allclose(found, expected[expected < 5.0], atol=1e-9)
    late = run["room.e"](np.linspace(1.2, 5.0, 200))
    assert late.min() > 0.7 - 1e-9 and late.max() < 0.9 + 1e-9
