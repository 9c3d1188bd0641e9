"""Machines that were seen to go wrong: by every law of the crossings, and by what was promised of them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import multibond as mb
from multibond import blocks, planar, thermal
from multibond import electrical as el
from multibond import spatial as sp
from multibond import translational as tr
from multibond.errors import MultibondError, SimulationError

from .alarm import SHORT, limited
from .building import model_of
from .judging import Limits, judge
from .machine import GROUND, Joint, Mechanism
from .mechanisms import at, bar, four_bar
from .named import MACHINES, Named, weightless
from .reading import Reading


def marks(reason: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(strict=True, reason=reason)] if reason else []


def not_yet(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, reason=reason)


@pytest.mark.parametrize("named", [pytest.param(n, id=n.name, marks=marks(n.reason)) for n in MACHINES])
def test_every_law_holds(named: Named) -> None:
    machine = named.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with limited(SHORT):  # the judge's own threads count as well, and are none of the program's
            run = mb.simulate(model_of(machine), named.until, method=named.method, solver=named.solver)
        wrong = [str(error) for error in judge(Reading(machine, run), Limits(window=5e-6)) if error.wrong]
    assert not run.status.failed and not wrong, "\n".join(wrong)


# -- starts ----------------------------------------------------------------------------------------------


def two_links(last: sp.Planar | sp.Joint | None, **starts: object) -> mb.Model:
    """Two bars from the world, and a third joint from the world that holds the end of the second."""
    model = mb.Model("links")
    world, hip, knee = (
        model.add(sp.World()),
        model.add(sp.Revolute("hip", angle=mb.Guess(0.9))),
        model.add(sp.Revolute("knee", angle=mb.Guess(-1.0))),
    )
    thigh = model.add(sp.Body("thigh", 1.0, (0.01,) * 3, (0.25, 0, 0)))
    shank = model.add(sp.Body("shank", 1.0, (0.01,) * 3, (0.25, 0, 0)))
    first, second = model.add(sp.Rod("first", (0.5, 0, 0))), model.add(sp.Rod("second", (0.5, 0, 0)))
    tip = model.add(last)
    model.connect(world.frame, hip.frame_a, tip.frame_a)
    model.connect(hip.frame_b, thigh.frame, first.frame_a)
    model.connect(first.frame_b, knee.frame_a)
    model.connect(knee.frame_b, shank.frame, second.frame_a)
    model.connect(second.frame_b, tip.frame_b)
    return model


@pytest.mark.parametrize(
    "joint",
    [
        pytest.param(
            lambda: sp.Planar("tip", "z", position=(0.7, 0.3), angle=mb.Guess(1.0)),
            id="guess beside",
        ),
        pytest.param(lambda: sp.Planar("tip", "z", position=(0.7, 0.3)), id="left out"),
        pytest.param(
            lambda: sp.Joint("tip", turns="z", slides="xy", coordinates=(mb.Guess(0.1), 0.7, 0.3)),
            id="guess inside",
        ),
    ],
)  # fmt: skip
def test_what_is_given_of_a_joint_holds_and_the_rest_follows(joint: object) -> None:
    run = mb.simulate(two_links(joint()), 0.0)  # type: ignore[operator] - parametrised
    np.testing.assert_allclose(run["second.frame_b.position"](0.0), (0.7, 0.3, 0.0), atol=1e-9)


def test_the_guess_of_a_parameter_is_an_unknown_of_the_start() -> None:
    """2 kg drawn out by 0.5 m begin with -5 m/s2: 20 N/m. Where nothing asks for another the guess is kept and told."""
    model = mb.Model("spring")
    world, slide = (
        model.add(planar.World()),
        model.add(planar.Prismatic("slide", "x", position=0.5, speed=0.0, acceleration=-5.0)),
    )
    body, spring = model.add(planar.Body("body", 2.0, 0.1)), model.add(planar.Spring("spring", mb.Guess(100.0)))
    model.connect(world.frame, slide.frame_a, spring.frame_a)
    model.connect(slide.frame_b, body.frame, spring.frame_b)
    system = mb.compile(model)
    assert "spring.stiffness set to 20" in system.report
    t = np.linspace(0.0, 0.4, 9)
    np.testing.assert_allclose(
        mb.simulate(system, 0.4)["slide.position"](t), 0.5 * np.cos(np.sqrt(10.0) * t), atol=1e-7
    )
    model.set("slide.acceleration", None)
    kept = "spring.stiffness keeps its guess of 100: no fixed start value asks for another"
    assert kept in mb.compile(model).report


@pytest.mark.parametrize(("guess", "side"), [(0.15, 1.0), (-0.25, -1.0)])
@pytest.mark.parametrize("given", [3.0, mb.Guess(3.0)], ids=["crank given", "crank guessed"])
def test_a_guess_chooses_the_branch(guess: float, side: float, given: object) -> None:
    """Crank .1 at 3 rad, rod .2: the piston stands where it is guessed, or nearest to it."""
    model = mb.Model("slider")
    world, O, B, C = (
        model.add(k) for k in (sp.World(), sp.Revolute("O", angle=given), sp.Revolute("B"), sp.Revolute("C"))
    )
    S = model.add(sp.Prismatic("S", "x", position=mb.Guess(guess)))
    crank = model.add(sp.Body("crank", 1.0, (0.01,) * 3, points=((0.1, 0, 0),)))
    rod = model.add(sp.Body("rod", 1.0, (0.01,) * 3, points=((0.2, 0, 0),)))
    piston = model.add(sp.Body("piston", 1.0, (0.01,) * 3))
    model.connect(world.frame, O.frame_a, S.frame_a)
    model.connect(O.frame_b, crank.frame)
    model.connect(crank.frame_1, B.frame_a)
    model.connect(B.frame_b, rod.frame)
    model.connect(rod.frame_1, C.frame_a)
    model.connect(C.frame_b, piston.frame)
    model.connect(S.frame_b, piston.frame)
    found = float(mb.simulate(model, 0.0)["S.position"](0.0))
    expected = 0.1 * np.cos(3.0) + side * np.sqrt(0.04 - (0.1 * np.sin(3.0)) ** 2)
    assert abs(found - expected) <= (0.1 if isinstance(given, mb.Guess) else 1e-9)


# -- values, orders, audits ------------------------------------------------------------------------------


def test_a_run_that_ends_well_has_numbers_in_all_its_variables() -> None:
    model = mb.Model("touching")
    world, hinge = model.add(planar.World()), model.add(planar.Revolute("hinge", speed=1.0))
    body, damper = model.add(planar.Body("body", 1.0, 0.1, (0.2, 0.0))), model.add(planar.Damper("damper", 2.0))
    model.connect(world.frame, hinge.frame_a, damper.frame_a)
    model.connect(hinge.frame_b, body.frame, damper.frame_b)
    try:
        run = mb.simulate(model, 0.5)
    except SimulationError as error:
        assert "damper" in str(error)
        return
    t = np.linspace(0.0, float(run.t[-1]), 7)
    unknown = [name for name in run.names if not np.isfinite(np.asarray(run[name](t))).all()]
    assert run.status.failed or not unknown, unknown[:5]


def test_a_temperature_of_zero_that_a_signal_gives_is_named() -> None:
    model = mb.Model("cold")
    body, sky = (
        model.add(thermal.HeatCapacity("body", 10.0, temperature=300.0)),
        model.add(thermal.FixedTemperature("sky")),
    )
    radiation, zero = model.add(thermal.Radiation("radiation", 1e-8)), model.add(blocks.Constant("zero", 0.0))
    model.connect(body.port, radiation.port_a)
    model.connect(radiation.port_b, sky.port)
    model.signal(zero.y, sky.input)
    with pytest.raises(MultibondError):
        mb.simulate(model, 1.0)


def test_accelerations_stand_in_the_order_of_the_machine() -> None:
    """Of twelve bars in a row: M a + h vanishes."""
    points = [(0.0, 0.0)]
    for k in range(12):
        points.append(at(-0.4 - 0.1 * k, 0.2, points[-1]))
    joints = tuple(
        Joint(
            f"j{k}",
            GROUND if k == 0 else f"link{k - 1}",
            f"link{k}",
            (0.2, 0.0) if k else (0.0, 0.0),
            speed=0.3 * k,
            given=True,
        )
        for k in range(12)
    )
    machine = Mechanism("chain", tuple(bar(f"link{k}", points[k], points[k + 1]) for k in range(12)), joints)
    system = mb.compile(model_of(replace(machine, space=True)))
    found = system.accelerations(system.x0)
    assert found.names == tuple(f"j{k}" for k in range(12))
    a = np.asarray(found)
    rest = system.mass_matrix(system.x0) @ a + np.ravel(system.bias(system.x0))
    assert np.abs(rest).max() <= 1e-9 * max(1.0, np.abs(a).max())


def test_the_audit_of_a_free_four_bar_tells_its_accuracy() -> None:
    machine = weightless(four_bar())
    bars = tuple(b if b.name == "crank" else replace(b, mass=1e-6, inertia=1e-8) for b in machine.bars)
    machine = replace(machine, bars=bars)
    assert mb.simulate(model_of(machine), 5.0).energy().residual <= 1e-7


# -- instants --------------------------------------------------------------------------------------------


def led(source: mb.Element, period: float) -> mb.Model:
    """A mass that a sampled controller leads along a signal."""
    model = mb.Model("led")
    mass, force, place = (
        model.add(tr.Mass("mass", 1.0)),
        model.add(tr.Force("force")),
        model.add(tr.PositionSensor("place")),
    )
    goal, pid = model.add(source), model.add(blocks.DiscretePID("pid", 5.0, period=period))
    model.connect(mass.flange, force.flange, place.flange)
    model.signal(goal.y, pid.setpoint)
    model.signal(place.position, pid.measured)
    model.signal(pid.y, force.input)
    return model


SOURCES = {
    "ramp": lambda: blocks.Ramp("goal", 1.0, time=0.1, duration=0.2),
    "pulse": lambda: blocks.Pulse("goal", 1.0, 0.1, period=0.3),
    "trapezoid": lambda: blocks.Trapezoid("goal", 1.0, time=0.1, rise=0.2, hold=0.4, fall=0.2),
}


@pytest.mark.parametrize(
    ("name", "period"),
    [
        ("ramp", 1e-2),
        ("ramp", 0.1),
        ("trapezoid", 1e-2),
        ("trapezoid", 0.1),
        ("pulse", 1e-2),
        ("pulse", 0.1),
    ],
)
def test_a_corner_may_fall_on_a_sample(name: str, period: float) -> None:
    """Between samples the force is constant, so each leaves a parabola: own recursion, exact."""
    with limited(SHORT):
        run = mb.simulate(led(SOURCES[name](), period), 0.5)
        x, v, worst = 0.0, 0.0, 0.0
        for k in range(round(0.5 / period)):
            force = 5.0 * (float(run["goal.y"](k * period)) - x)
            worst = max(worst, abs(float(run["place.position"](k * period)) - x))
            x, v = x + v * period + force * period**2 / 2, v + force * period
    assert worst <= 1e-8


@not_yet("the consistent set of modes is not searched over all elements concerned")
def test_a_buck_converter_runs() -> None:
    """24 V, ideal switch and diode, 200 uH, 100 uF, 5 ohm, 20 kHz, half the time closed: 12 V in the mean."""
    model = mb.Model("buck")
    parts = (
        el.VoltageSource("supply", 24.0), el.Switch("switch", "sin(125663.70614359173*t) + 0.5"), el.Diode("diode"),
        el.Inductor("coil", 200e-6), el.Capacitor("store", 100e-6), el.Resistor("load", 5.0), el.Ground("earth"),
    )  # fmt: skip
    supply, switch, diode, coil, store, load, earth = (model.add(part) for part in parts)
    model.connect(supply.pin_p, switch.pin_p)
    model.connect(switch.pin_n, diode.pin_n, coil.pin_p)
    model.connect(coil.pin_n, store.pin_p, load.pin_p)
    model.connect(supply.pin_n, diode.pin_p, store.pin_n, load.pin_n, earth.pin)
    with limited(SHORT):
        run = mb.simulate(model, 2e-4)
    assert float(run["coil.current"](2e-4)) > 0 and not run.status.failed


@not_yet("the consistent set of modes is not searched over all elements concerned")
def test_a_six_pulse_bridge_without_inductors_gives_the_largest_line_voltage() -> None:
    model = mb.Model("bridge")
    earth, load = model.add(el.Ground("earth")), model.add(el.Resistor("load", 10.0))
    phases = [f"10*sin(314.1592653589793*t + {0.3 + 2.0943951023931953 * k!r})" for k in range(3)]
    lines = [model.add(el.VoltageSource(f"u{k}", phase)) for k, phase in enumerate(phases)]
    top = [model.add(el.Diode(f"top{k}")) for k in range(3)]
    low = [model.add(el.Diode(f"low{k}")) for k in range(3)]
    model.connect(earth.pin, *(line.pin_n for line in lines))
    for line, up, down in zip(lines, top, low, strict=True):
        model.connect(line.pin_p, up.pin_p, down.pin_n)
    model.connect(load.pin_p, *(up.pin_n for up in top))
    model.connect(load.pin_n, *(down.pin_p for down in low))
    with limited(SHORT):
        run = mb.simulate(model, 0.02)
        t = np.linspace(0.0, 0.02, 101)
        u = [10 * np.sin(314.1592653589793 * t + 0.3 + 2.0943951023931953 * k) for k in range(3)]
        np.testing.assert_allclose(run["load.voltage"](t), np.max(u, 0) - np.min(u, 0), atol=1e-9)
