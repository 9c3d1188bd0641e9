"""What has no value ends a run by name: laws outside their domain, formulas that end, motions too fast to follow."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import multibond as mb
from multibond import errors
from multibond import planar as pl
from multibond import spatial as sp
from multibond import thermal as th
from multibond import translational as tr


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
        "'f' has no value at 0.5 s.\n"
        "  It is a Function, and 'f.y' is no number there: something that it reads lies outside its law.\n"
        "  Keep what it reads within the law (a length or a temperature above zero); the error's `run` is the run.",
    ),
    "a pole at the start": (lambda: driven("1/t"), ends("1/t", "0", "is no number there")),
    "too fast": (
        tiny_on_a_stiff_spring,
        "the run creeps at 3.7e-11 s: the motion of 'b.body.p' and 's.spring.q' is too fast for it.\n"
        "  It oscillates at 1e+16/s, so that the run would need far more steps than the largest number.\n"
        "  Is a mass too small there, or a spring too stiff? Make it rigid or zero, or run for a shorter time.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_value_is_named(name: str) -> None:
    make, text = CASES[name]
    with pytest.raises(errors.SimulationError) as caught:
        mb.simulate(make(), 1.0)
    run = caught.value.run
    assert str(caught.value) == text and isinstance(run, mb.Run)
    run.energy()


def test_runs_within_their_laws_are_left_alone() -> None:
    assert mb.simulate(radiating(250.0), 1.0).status.sentence == "The end time was reached."
    assert mb.simulate(driven("sqrt(1.5-t)"), 1.0).t[-1] == 1.0


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
