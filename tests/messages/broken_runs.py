"""Models that contradict themselves or cannot run: causality, starts, modes, loops, solvers, tolerances."""

from __future__ import annotations

from typing import Any

import multibond as mb
from multibond import errors

from .broken import broken
from .broken_wiring import axle

# -- causality -------------------------------------------------------------------------------------------------------


@broken(errors.CausalityError, "'node' Se 'first' Se 'second'", "Remove")
def two_voltages_on_one_node() -> object:
    model = mb.Model("circuit")
    node = model.add(mb.Zero("node"))
    model.bond(mb.Se("first", 1.0), node)
    model.bond(mb.Se("second", 2.0), node)
    model.bond(node, mb.R("load", 1.0))
    return mb.compile(model)


@broken(errors.CausalityError, "'speed' Se 'first' Se 'second'", "Attach")
def nothing_sets_the_flow() -> object:
    model = axle()
    for name in ("first", "second"):
        model.bond(mb.Se(name, 1.0), "speed")
    return mb.compile(model)


@broken(errors.CausalityError, "'first' 'second'", "Remove")
def source_against_source() -> object:
    model = mb.Model("circuit")
    model.bond(mb.Se("first", 1.0), mb.Se("second", 1.0))
    return mb.compile(model)


@broken(errors.CausalityError, "'slow' Sf 'drive' Sf 'wall'", "Remove")
def two_speeds_through_a_gear() -> object:
    model = mb.Model("drive")
    fast, slow, gear = model.add(mb.One("fast")), model.add(mb.One("slow")), model.add(mb.TF("gear", 2.0))
    model.bond(mb.Sf("drive", 1.0), fast)
    model.bond(fast, gear.a)
    model.bond(gear.b, slow)
    model.bond(mb.Sf("wall", 1.0), slow)
    return mb.compile(model)


@broken(errors.StructureError, "'left', 'right'", "parallel bonds")
def mesh_of_junctions() -> object:
    model = mb.Model("mesh")
    left, right = model.add(mb.One("left")), model.add(mb.One("right"))
    model.bond(left, right)
    model.bond(left, right)
    model.bond(left, mb.I("mass", 1.0))
    return mb.compile(model)


@broken(errors.StructureError, "'wheel' inertia", "mass or an inertia")
def push_on_nothing() -> object:
    model = axle(mb.I("wheel", 0.0))
    model.bond(mb.Se("push", 1.0), "speed")
    return mb.compile(model)


@broken(errors.StructureError, "'lamp' start", "storage")
def loop_without_a_solution() -> object:
    model = axle(mb.R("lamp", effort=lambda f: mb.exp(f), active=True))
    model.bond(mb.Se("battery", -1.0), "speed")
    return mb.compile(model)


@broken(errors.StructureError, "'joystick' 'wheel'", "FirstOrder")
def rate_of_an_input() -> object:
    model = axle(mb.I("wheel", 1.0))
    model.bond(mb.MSf("drive"), "speed")
    model.add(mb.blocks.Input("joystick"))
    model.signal("joystick.y", "drive.flow")
    return mb.compile(model)


# -- starts ----------------------------------------------------------------------------------------------------------


@broken(errors.StartError, "first.start, second.start", "fewer start values")
def two_charges_at_one_voltage() -> object:
    model = mb.Model("circuit")
    node = model.add(mb.Zero("node"))
    model.bond(node, mb.C("first", 1.0, start=1.0))
    model.bond(node, mb.C("second", 1.0, start=2.0))
    return mb.compile(model)


@broken(errors.StartError, "first.start, second.start", "fewer start values")
def two_momenta_at_one_speed() -> object:
    return mb.compile(axle(mb.I("first", 1.0, start=1.0), mb.I("second", 1.0, start=2.0)))


# -- modes -----------------------------------------------------------------------------------------------------------


def thermostat(switch: mb.Switch) -> mb.Model:
    """Heats below 0.8 and cools above, without hysteresis."""
    model = axle(switch, mb.R("wire", 1.0))
    node = model.add(mb.Zero("room"))
    model.bond(mb.Se("heater", 2.0), "speed")
    model.bond("speed", node)
    for item in (mb.C("air", 1.0), mb.R("window", 1.0), mb.De("level")):
        model.bond(node, item)
    model.add(mb.blocks.Function("cold", "1.3 - u"))
    model.signal("level.value", "cold.u")
    model.signal("cold.y", f"{switch.name}.input")
    return model


@broken(errors.SimulationError, "'relay' 0.804719 s", "hysteresis")
def relay_without_hysteresis() -> object:
    return mb.simulate(thermostat(mb.Switch("relay")), 5.0)


@broken(errors.SimulationError, "'brake' chatters 0.5 s", "friction that can stick")
def friction_by_the_sign_of_the_speed() -> object:
    return mb.simulate(axle(mb.I("mass", 1.0, start=1.0), mb.R("brake", effort="2 * sign(f)")), 2.0)


@broken(errors.SimulationError, "'against' chatters 0.5 s", "hysteresis")
def force_by_the_sign_of_a_signal() -> object:
    model = axle(mb.I("mass", 1.0, start=1.0), mb.Df("meter"))
    model.bond(mb.MSe("push"), "speed")
    model.add(mb.blocks.Function("against", "-2 * sign(u)"))
    model.signal("meter.value", "against.u")
    model.signal("against.y", "push.effort")
    return mb.simulate(model, 2.0)


@broken(errors.SimulationError, "'against' 0.5", "Relay block with a band")
def relay_that_holds_itself_at_its_edge() -> object:
    model = mb.Model("circuit")
    model.bond(mb.MSf("source"), model.add(mb.Zero("node")))
    model.bond("node", mb.C("capacitor", 1.0))
    model.bond("node", mb.De("meter"))
    model.add(mb.blocks.Function("against", "where(u > 0.5, -1, 1)"))
    model.signal("meter.value", "against.u")
    model.signal("against.y", "source.flow")
    return mb.simulate(model, 3.0)


@broken(errors.SimulationError, "'brake' chatters 0.785398 s", "Friction element")
def friction_by_the_sign_of_the_speed_against_a_spring() -> object:
    model = axle(mb.I("mass", 1.0, start=1.0), mb.C("spring", 1.0), mb.R("brake", effort="where(f > 0, 1, -1)"))
    return mb.simulate(model, 3.0)


@broken(errors.SimulationError, "'lamp' no solution 1 s", "storage")
def loop_that_loses_its_solution() -> object:
    model = axle(mb.R("lamp", effort="f**2", active=True))
    model.bond(mb.Se("battery", lambda t: 1 - t), "speed")
    return mb.simulate(model, 3.0)


def signals(gain: float, level: float) -> mb.Model:
    """A sum that is fed back."""
    model = axle(mb.I("wheel", 1.0))
    model.add(mb.blocks.Constant("level", level))
    model.add(mb.blocks.Sum("sum"))
    model.add(mb.blocks.Gain("gain", gain))
    model.signal("level.y", "sum.u_1")
    model.signal("gain.y", "sum.u_2")
    model.signal("sum.y", "gain.u")
    return model


@broken(errors.StructureError, "'gain' no solution", "Change a gain of the loop, or put an Integrator")
def signal_that_is_one_more_than_itself() -> object:
    return mb.compile(signals(1.0, 1.0))


@broken(errors.StructureError, "'gain' decides nothing", "Change a gain of the loop, or put an Integrator")
def signal_that_is_itself() -> object:
    return mb.compile(signals(1.0, 0.0))


@broken(errors.ModelError, "x 2 numbers States (1): wheel.p", "Give one number for each")
def derivative_at_too_long_a_state() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0))).derivative([1.0, 2.0])


@broken(errors.ModelError, "x 1 number States (2): wheel.p spring.q", "Give one number for each")
def step_from_too_short_a_state() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0), mb.C("spring", 1.0))).step([1.0])


@broken(errors.ModelError, "u 1 number Inputs: none", "Give one number for each")
def inputs_that_are_not_there() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0))).derivative([1.0], [1.0])


@broken(errors.ModelError, "x 3 numbers States (1): wheel.p", "Give one number for each")
def state_space_at_too_long_a_state() -> object:
    return mb.statespace(axle(mb.I("wheel", 1.0))).derivative([1.0, 2.0, 3.0])


@broken(errors.ParameterError, "2.5 s 0 s to 1 s", "within it")
def value_after_the_end() -> object:
    model = axle(mb.I("wheel", 1.0))
    model.bond(mb.Se("push", lambda t: mb.where(t > 0.5, 1, 0)), "speed")
    return mb.simulate(model, 1.0)["wheel.p"]([0.2, 2.5])


@broken(errors.SimulationError, "'valve' 0 s", "leak")
def pump_against_a_valve() -> object:
    model = axle(mb.Diode("valve"))
    model.bond(mb.Sf("pump", -1.0), "speed")
    return mb.simulate(model, 1.0)


@broken(errors.SimulationError, "'valve' 1 s", "leak")
def pump_against_a_tap_that_closes() -> object:
    model = axle(mb.Switch("valve", "where(t < 1, 1, 0)"))
    model.bond(mb.Sf("pump", 1.0), "speed")
    return mb.simulate(model, 2.0)


@broken(errors.SimulationError, "1 s 'node' Switch 'short' Se 'battery'", "put a C or an R")
def short_circuit() -> object:
    model = mb.Model("circuit")
    node = model.add(mb.Zero("node"))
    model.bond(mb.Se("battery", 12.0), node)
    model.bond(node, mb.Switch("short", "where(t < 1, 0, 1)"))
    model.bond(node, mb.R("lamp", 10.0))
    return mb.simulate(model, 2.0)


# -- runs ------------------------------------------------------------------------------------------------------------


def spun(until: Any = 1.0, **options: Any) -> object:
    """A wheel that a brake stops."""
    return mb.simulate(axle(mb.I("wheel", 1.0, start=1.0), mb.R("brake", 1.0)), until, **options)


@broken(errors.ParameterError, "'magic' dop853", "one of these")
def unknown_solver() -> object:
    return spun(solver="magic")


@broken(errors.ModelError, "'magic' multiplier", "one of these")
def unknown_method() -> object:
    return spun(method="magic")


@broken(errors.ParameterError, "rtol -1e-06", "1e-9")
def negative_tolerance() -> object:
    return spun(rtol=-1e-6)


@broken(errors.ParameterError, "atol nan", "1e-9")
def tolerance_of_no_number() -> object:
    return spun(atol=float("nan"))


@broken(errors.ParameterError, "zero", "1e-9")
def no_tolerance_at_all() -> object:
    return spun(rtol=0.0, atol=0.0)


@broken(errors.ParameterError, "-1.0 s", "from 0 on")
def end_before_the_start() -> object:
    return spun(-1.0)


@broken(errors.ParameterError, "inf s", "from 0 on")
def run_without_an_end() -> object:
    return spun(float("inf"))


@broken(errors.ParameterError, "'ten' s", "from 0 on")
def end_in_words() -> object:
    return spun("ten")


@broken(errors.ParameterError, "'rk4' None", "step=")
def fixed_steps_of_no_length() -> object:
    return spun(solver="rk4")


@broken(errors.ParameterError, "'dop853' 0.1", "rk4")
def step_for_a_solver_that_chooses_its_own() -> object:
    return spun(solver="dop853", step=0.1)


@broken(errors.ParameterError, "'magic' -1.0 rtol", "1e-9")
def several_wrongs_at_once() -> object:
    return spun(-1.0, solver="magic", rtol=-1.0)


@broken(errors.UnknownName, "'wheel.speed' 'wheel.", "offers")
def event_of_an_unknown_variable() -> object:
    return spun(events={"wheel.speed": 0.0})


@broken(errors.SimulationError, "0.5 s 'wheel.p'", "solver=")
def run_that_blows_up() -> object:
    model = axle(mb.I("wheel", 1.0, start=1.0), mb.R("spark", effort=lambda f: -(f**3), active=True))
    return mb.simulate(model, 10.0)
