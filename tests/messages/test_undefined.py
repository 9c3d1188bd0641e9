"""What has no value ends a run by name: laws outside their domain, formulas that end, motions too fast to follow."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import errors
from multibond import planar as pl
from multibond import spatial as sp
from multibond import thermal as th
from multibond import translational as tr
from multibond.examples.crane_crab import crane_crab
from multibond.graph.component import Part


def radiating(temperature: float) -> mb.Model:
    model = mb.Model("m")
    for part in (th.Radiation("r", 1.0), th.FixedTemperature("f"), th.FixedTemperature("h", 300.0)):
        model.add(part)
    model.add(mb.blocks.Constant("s", temperature))
    model.connect("r.port_a", "f.port")
    model.connect("r.port_b", "h.port")
    model.signal("s.y", "f.input")
    return model


def damper_of_no_length() -> mb.Model:
    model = mb.Model("m")
    for part in (pl.World("world"), pl.Damper("d", 1.0), pl.Rod("p", (1.0, 0.0)), pl.Rod("q", (1.0, 0.0))):
        model.add(part)
    model.connect("world.frame", "p.frame_a", "q.frame_a")
    model.connect("p.frame_b", "d.frame_a")
    model.connect("q.frame_b", "d.frame_b")
    return model


def driven(formula: str, *, state: bool = True) -> mb.Model:
    model = mb.Model("m")
    model.bond(mb.Se("se", formula), mb.One("o"))
    model.bond(model["o"], mb.R("r", 1.0))
    if state:
        model.bond(model["o"], mb.I("i", 1.0))
    return model


def driven_alone(formula: str) -> mb.Model:
    model = mb.Model("m")
    model.bond(mb.Driver("cam", formula), mb.One("o"))
    model.bond(model["o"], mb.I("i", 1.0))
    return model


def damper_at_a_hinge() -> mb.Model:
    """Both ends of a damper where the hinge is: without length at all times, whatever moves."""
    model = mb.Model("m")
    for part in (pl.World("world"), pl.Revolute("r"), pl.Body("b", 1.0, 1.0), pl.Damper("d", 1.0)):
        model.add(part)
    model.connect("world.frame", "r.frame_a", "d.frame_a")
    model.connect("r.frame_b", "b.frame", "d.frame_b")
    return model


def driven_hinge(formula: str) -> mb.Model:
    model = mb.Model("m")
    for part in (sp.World("world"), sp.Revolute("j", driven=formula)):
        model.add(part)
    model.add(sp.Body("b", 1.0, (1.0, 1.0, 1.0), centre=(0.0, -0.5, 0.0)))
    model.connect("world.frame", "j.frame_a")
    model.connect("j.frame_b", "b.frame")
    return model


def by_a_block(formula: str) -> mb.Model:
    """A block of the time that drives a mass."""
    model = block(formula)
    model.bond(mb.MSe("push"), mb.One("o"))
    model.bond(model["o"], mb.I("i", 1.0))
    model.signal("f.y", "push.effort")
    return model


def variable_resistor(resistance: str) -> mb.Model:
    model = mb.Model("m")
    for part in (el.VoltageSource("v", 10.0), el.VariableResistor("r"), el.Inductor("l", 1.0), el.Ground("g")):
        model.add(part)
    model.add(mb.blocks.Time("time"))
    model.add(mb.blocks.Function("f", f"0*u + {resistance}"))
    model.connect("v.pin_p", "r.pin_p")
    model.connect("r.pin_n", "l.pin_p")
    model.connect("l.pin_n", "v.pin_n", "g.pin")
    model.signal("time.y", "f.u")
    model.signal("f.y", "r.input")
    return model


def without(path: str, kind: str, variable: str, time: str, what: str = "has no value") -> str:
    how = "is no number there" if what == "has no value" else "has no bound there"
    return (
        f"{path!r} {what} at {time} s.\n"
        f"  It is {kind}, and {variable!r} {how}: something that it reads lies outside its law.\n"
        "  Keep what it reads within the law (a length or a temperature above zero); the error's `run` is the run."
    )


def law_of_a_root() -> mb.Model:
    model = mb.Model("m")
    model.bond(mb.Se("s", "1-2*t"), mb.One("o"))
    model.bond(model["o"], mb.R("r", flow="sqrt(e)"))
    return model


def tiny_on_a_stiff_spring() -> mb.Model:
    model = mb.Model("m")
    for part in (tr.Mass("b", 1e-12, velocity=1.0), tr.Spring("s", 1e20), tr.Fixed("f")):
        model.add(part)
    model.connect("f.flange", "s.flange_a")
    model.connect("s.flange_b", "b.flange")
    return model


def ends(formula: str, time: str, how: str) -> str:
    return (
        f"the formula of Se 'se' ends at {time} s.\n  Its effort = {formula} {how}.\n"
        "  Give a formula with a value for the whole run, or end the run before; the error's `run` is the run so far."
    )


def cold(kelvin: str) -> str:
    return (
        f"the temperature of 'f.bath' is {kelvin} K at 0 s.\n"
        "  Temperatures count from absolute zero, and laws of heat hold above it.\n"
        "  Give kelvin (20 °C are 293.15 K); the error's `run` is the run."
    )


def block(formula: str) -> mb.Model:
    """A block that reads the time and that nobody reads."""
    model = mb.Model("m")
    for part in (mb.blocks.Time("time"), mb.blocks.Function("f", formula)):
        model.add(part)
    model.signal("time.y", "f.u")
    return model


CASES: dict[str, tuple[Callable[[], mb.Model], str]] = {
    "a signal of 0 K": (lambda: radiating(0.0), cold("0")),
    "a signal below 0 K": (lambda: radiating(-20.0), cold("-20")),
    "a damper of no length": (
        damper_of_no_length,
        "'d.line' has no value at 0 s.\n"
        "  It is a PlanarLine, and 'd.line.direction' is no number there: something that it reads lies outside "
        "its law.\n"
        "  Keep what it reads within the law (a length or a temperature above zero); the error's `run` is the run.",
    ),
    "a pole": (lambda: driven("1/(t-0.5)"), ends("1/(t - 0.5)", "0.5", "grows without limit there")),
    "the edge of a root": (lambda: driven("sqrt(0.5-t)"), ends("sqrt(0.5 - t)", "0.5", "is no number there")),
    "a root that no state reads": (
        lambda: driven("sqrt(0.5-t)", state=False),
        ends("sqrt(0.5 - t)", "0.5", "is no number there"),
    ),
    "a block that nobody reads": (
        lambda: block("log(0.5-u)"),
        without("f", "a Function with formula = log(0.5 - u)", "f.y", "0.5"),
    ),
    "a pole at the start": (lambda: driven("1/t"), ends("1/t", "0", "is no number there")),
    "too fast": (
        tiny_on_a_stiff_spring,
        "the run creeps at 3.7e-11 s: the motion of 'b.body.p' and 's.spring.q' is too fast for it.\n"
        "  It oscillates at 1e+16/s, so that the run would need far more steps than the largest number.\n"
        "  Is a mass too small there, or a spring too stiff? Make it rigid or zero, or run for a shorter time.",
    ),
}


CASES |= {
    "the edge of a path": (
        lambda: driven_alone("sqrt(0.5-t)"),
        "the formula of Driver 'cam' ends at 0.5 s.\n  Its displacement = sqrt(0.5 - t) is no number there.\n"
        "  Give a formula with a value for the whole run, or end the run before; the error's `run` is the run so far.",
    ),
    "a block with a pole": (
        lambda: by_a_block("1/(u-0.5)"),
        without("f", "a Function with formula = 1/(u - 0.5)", "f.y", "0.5", "grows without limit"),
    ),
    "a block that ends": (
        lambda: by_a_block("sqrt(0.5-u)"),
        without("f", "a Function with formula = sqrt(0.5 - u)", "f.y", "0.5"),
    ),
    "a law beside a junction that sorts before it": (
        law_of_a_root,
        without("r", "an R with flow = sqrt(e)", "r.f", "0.515625"),
    ),
    "a resistance below zero": (
        lambda: variable_resistor("-1"),
        "the resistance that 'r.resistor' reads is -1 at 0 s.\n  It must not be negative: its law holds no further.\n"
        "  Keep the signal in its range, with a Limiter for instance; the error's `run` is the run.",
    ),
}


def resisted(law: str) -> mb.Model:
    model = mb.Model("m")
    for item in (mb.Se("s", 1.0), mb.One("o"), mb.I("i", 1.0), mb.R("r", effort=law)):
        model.add(item)
    for path in ("s", "i", "r"):
        model.bond(*(("s", "o") if path == "s" else ("o", path)))
    return model


CASES |= {
    law: (lambda law=law: resisted(law), without("r", f"an R with effort = {law}", "r.e", "0"))
    for law in ("sqrt(-1)*f", "f/0", "f*log(-2)")
}
"""Laws without a value wherever they are: constants in them have none."""


def drained(heat: str) -> mb.Model:
    model = mb.Model("m")
    for part in (th.HeatCapacity("block", 1.0), th.HeatSource("cooler", heat)):
        model.add(part)
    model.connect("block.port", "cooler.port")
    return model


CASES |= {
    "a block that outgrows numbers": (
        lambda: by_a_block("exp(1000*u)"),
        without("f", "a Function with formula = exp(1000*u)", "f.y", "0.708045", "outgrows all numbers"),
    ),
    "a capacity without heat": (
        lambda: drained("-1000"),
        "'block' reaches 0 K at 0.29315 s.\n"
        "  More heat is taken from it than it has, and laws of heat hold above absolute zero.\n"
        "  Take less, or let what takes it depend on the temperature; the error's `run` is the run so far.",
    ),
}


@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize("solver", ["auto", "rodas5p"])
def test_a_source_that_outgrows_numbers_is_named(state: bool, solver: str) -> None:
    told = r"formula of Se 'se' ends at 0\.\d+ s.\n  Its effort = exp\(1000\*t\) outgrows all numbers there"
    with pytest.raises(errors.SimulationError, match=told):
        mb.simulate(driven("exp(1000*t)", state=state), 1.0, solver=solver)


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_value_is_named(name: str) -> None:
    make, text = CASES[name]
    with pytest.raises(errors.SimulationError) as caught:
        mb.simulate(make(), 1.0)
    run = caught.value.run
    assert str(caught.value) == text and isinstance(run, mb.Run)
    run.energy()


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier", "minimal"])
def test_every_method_names_the_line_without_length(method: str) -> None:
    """Not what hangs on it, and also where no state, or no equation, is left of it."""
    with pytest.raises(errors.SimulationError) as caught:
        mb.simulate(damper_at_a_hinge(), 1.0, method=method)
    assert str(caught.value) == without("d.line", "a PlanarLine", "d.line.direction", "0")


def test_a_run_that_stops_before_a_pole_names_it() -> None:
    with pytest.raises(errors.SimulationError, match=r"formula of Driver 'j.driver' ends at 0.5 s.\n.*grows"):
        mb.simulate(driven_hinge("1/(t-0.5)"), 1.0, method="multiplier")


def pushed_at_its_hinge(force: str) -> mb.Model:
    """A force that no state sees: it acts where the hinge is."""
    model = driven_hinge("0.1*t")
    model.add(sp.WorldForce("push", (force, 0.0, 0.0)))
    model.connect("push.frame", "b.frame")
    return model


@pytest.mark.parametrize("solver", ["auto", "rodas5p"])
def test_a_pole_that_no_state_sees_is_told(solver: str) -> None:
    with pytest.raises(errors.SimulationError, match=r"formula of Se 'push.force' ends at 0.51 s.\n.*grows"):
        mb.simulate(pushed_at_its_hinge("1/(t-0.51)"), 1.0, solver=solver)
    assert mb.simulate(pushed_at_its_hinge("1/(t-1.51)"), 1.0, solver=solver).t[-1] == 1.0
    assert mb.simulate(pushed_at_its_hinge("1/((t-0.51)**2 + 1e-8)"), 1.0, solver=solver).t[-1] == 1.0


def test_inputs_from_outside_are_finite() -> None:
    model = mb.Model("m")
    for item in (mb.blocks.Input("u"), mb.MSe("push"), mb.One("o"), mb.I("i", 1.0)):
        model.add(item)
    model.signal("u.y", "push.effort")
    model.bond("push", "o")
    model.bond("o", "i")
    system = mb.compile(model)
    for call in (
        lambda: system.derivative([1.0], {"u": float("nan")}),
        lambda: system.step([1.0], {"u": float("nan")}, 0.1),
        lambda: mb.stepper(model).step(0.1, {"u": float("nan")}),
    ):
        with pytest.raises(errors.ParameterError) as caught:
            call()
        assert str(caught.value) == "input 'u' is not finite.\n  It is [nan].\n  Give finite numbers."


@pytest.mark.parametrize("text", ["sqrt(-1)", "1/0", "log(-1)", "exp(1000)", ["t", "log(0)"]])
def test_formulas_of_constants_without_a_value_are_refused(text: str | list[str]) -> None:
    bad = text if isinstance(text, str) else text[-1]
    with pytest.raises(errors.FormulaError) as caught:
        mb.Se("s", text)
    assert str(caught.value) == (
        f"Se 's', effort: the formula {bad!r} has no value.\n"
        "  It depends on nothing that changes and is no finite number.\n"
        "  Check what it divides by, what it takes a root or a logarithm of, and its exponents."
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_formulas_of_constants_are_refused_wherever_they_are_given(depth: int) -> None:
    model = driven("2*t")
    system = mb.compile(model if depth == 1 else model.open())
    refused = pytest.raises(errors.FormulaError, match=r"'sqrt\(-1\)' has no value")
    with refused:
        model.set("se.effort", "sqrt(-1)")
    with refused:
        mb.with_parameters(system, {"se.effort": "sqrt(-1)"})


def test_a_table_without_end_is_refused() -> None:
    with pytest.raises(errors.FormulaError, match=r"x\[1\] = 1 is followed by inf"):
        mb.Table([0.0, 1.0, float("inf")], [0.0, 1.0, 2.0])


def test_a_slider_beyond_its_ends_is_refused() -> None:
    with pytest.raises(errors.ParameterError) as caught:
        el.Potentiometer("volume", 1e4, position=2.0)
    assert str(caught.value) == (
        "Potentiometer 'volume' has its slider beyond its ends.\n"
        "  position is 2: the slider runs from 0 at pin_n to 1 at pin_p.\n"
        "  Give a position from 0 to 1."
    )


def loaded(position: object, load: Part) -> mb.Model:
    """A potentiometer across a source, with a load at its slider."""
    model = mb.Model("m")
    for part in (el.VoltageSource("v", 1.0), el.Potentiometer("p", 10.0, position=position), load, el.Ground("g")):
        model.add(part)
    model.connect("v.pin_p", "p.pin_p")
    model.connect("p.pin_slider", f"{load.name}.pin_p")
    model.connect(f"{load.name}.pin_n", "p.pin_n", "v.pin_n", "g.pin")
    return model


@pytest.mark.parametrize(
    ("model", "kind", "time"),
    [
        (lambda: loaded(1.0, el.Resistor("load", 5.0)), errors.StructureError, "0"),
        (lambda: loaded("minimum(0.5 + t, 1)", el.Resistor("load", 5.0)), errors.SimulationError, "0.5"),
        (lambda: loaded("minimum(0.5 + t, 1)", el.Inductor("load", 5.0)), errors.SimulationError, "0.5"),
    ],
)
def test_a_resistance_of_zero_that_a_law_divides_by_is_named(
    model: Callable[[], mb.Model], kind: type[Exception], time: str
) -> None:
    with pytest.raises(kind) as caught:
        mb.simulate(model(), 2.0)
    assert str(caught.value) == (
        f"the resistance of 'p.upper' is zero at {time} s.\n"
        "  Its flow follows from its effort here, as effort / resistance, and has no value.\n"
        "  Keep it above zero (a slider off its end), or put another R in series with it."
    )
    assert mb.simulate(loaded(0.9, el.Resistor("load", 5.0)), 2.0).t[-1] == 2.0


@pytest.mark.parametrize("name", ["hub", "trolley"])
def test_a_guess_of_zero_that_a_law_divides_by_is_named(name: str) -> None:
    model = crane_crab()
    model.set(f"{name}.inertia", mb.Guess(0.0))
    with pytest.raises(errors.StructureError) as caught:
        mb.compile(model)
    assert str(caught.value) == (
        f"'{name}.inertia' cannot be guessed to be 0.\n"
        "  What is guessed may become any number, and its law divides by it.\n"
        "  Guess a positive number, or give 0 as a number, without Guess, so that it is left out."
    )


def test_runs_within_their_laws_are_left_alone() -> None:
    assert mb.simulate(radiating(250.0), 1.0).status.sentence == "The end time was reached."
    assert mb.simulate(driven("sqrt(1.5-t)"), 1.0).t[-1] == 1.0
    assert mb.simulate(variable_resistor("0.5 + 0.5*sin(9*u)"), 1.0).t[-1] == 1.0


def test_an_output_that_nobody_reads_may_have_no_value() -> None:
    """The direction of a spring without length, which needs none."""
    model = mb.Model("m")
    for part in (sp.World("world"), sp.Free("fly"), sp.Body("foot", 1.0, (1.0, 1.0, 1.0)), sp.Spring("coil", 3.0)):
        model.add(part)
    model.connect("world.frame", "fly.frame_a", "coil.frame_a")
    model.connect("fly.frame_b", "foot.frame", "coil.frame_b")
    assert mb.simulate(model, 0.1).t[-1] == 0.1


def test_a_temperature_below_zero_is_refused_where_it_is_given() -> None:
    with pytest.raises(errors.ParameterError) as caught:
        th.FixedTemperature("room", -20.0)
    assert str(caught.value) == (
        "FixedTemperature 'room': temperature cannot be -20.0.\n"
        "  It must be positive (in K).\n"
        "  Give a possible value for temperature."
    )
