"""A number with its unit, as people type it: sizes against their definitions, units that measure something else."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp
from multibond import thermal
from multibond.catalogue import CATALOGUE
from multibond.errors import FormulaError, ParameterError
from multibond.unit_text import quantity, unit_of

DEFINED = [
    ("30 deg", "rad", math.pi / 6),
    ("45°", "rad", math.pi / 4),
    ("0.25 rev", "rad", math.pi / 2),
    ("2.5 kN/m", "N/m", 2500.0),
    ("3000 rpm", "rad/s", 100 * math.pi),
    ("20 degC", "K", 293.15),
    ("20 °C", "K", 293.15),
    ("5 l/min", "m^3/s", 5e-3 / 60),
    ("10mm", "m", 0.01),
    ("1e-3 kg m^2", "kg.m^2", 1e-3),
    ("1e-3 kg·m²".replace("²", "^2"), "kg.m^2", 1e-3),
    ("4.7 uF", "F", 4.7e-6),
    ("4.7 µF", "F", 4.7e-6),
    ("1.5 MPa", "Pa", 1.5e6),
    ("2 N.m/deg", "N.m/rad", 360 / math.pi),
    ("7 g/cm^3", "kg/m^3", 7000.0),
    ("5 1/s", "1/s", 5.0),
    ("3 mm", "rad, m", 3e-3),
    ("3 deg", "rad, m", math.radians(3)),
    ("2 mm^2", "m^2", 2e-6),
    ("100 Ω", "ohm", 100.0),
    ("2 kohm", "ohm", 2000.0),
    ("2 mm2", "m^2", 2e-6),
    ("1 in", "m", 0.0254),
    ("1 lbf", "N", 4.4482216152605),
    ("1 psi", "Pa", 4.4482216152605 / 0.0254**2),
    ("1 hp", "W", 550 * 0.3048 * 4.4482216152605),
    ("-1.5e3 mV", "V", -1.5),
    ("46 cSt", "m^2/s", 46e-6),
    ("2 h", "s", 7200.0),
    ("1 t", "kg", 1000.0),
]


@pytest.mark.parametrize(("text", "unit", "size"), DEFINED)
def test_a_unit_has_its_defined_size(text: str, unit: str, size: float) -> None:
    assert quantity(text, unit) == pytest.approx(size, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "unit"), [("30 mm", "rad"), ("50 Hz", "rad/s"), ("10 rad/s", "Hz"), ("3 N.m", "N"), ("2 bar", "Pa.s/m^3")]
)
def test_what_measures_something_else_is_refused(text: str, unit: str) -> None:
    with pytest.raises(ValueError, match="measures something else"):
        quantity(text, unit)


@pytest.mark.parametrize("text", ["2 eggs", "3 kgg", "1 N//m", "1 m/", "5 effort", "2 m.", "20 degC"])
def test_an_unknown_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not known"):
        quantity(text, "m")


@pytest.mark.parametrize("text", ["0.5", "deg", "2*L", "L", "2 + L", "", "2 - L", "(2 m)", "3 [m]"])
def test_what_is_no_number_with_a_unit_is_left_to_others(text: str) -> None:
    assert quantity(text, "m") is None


def test_every_declared_unit_can_be_typed() -> None:
    units = {
        part for kind in CATALOGUE.values() for about in kind.parameters().values() for part in about.unit.split(", ")
    }
    unknown = {unit for unit in units if unit and unit_of(unit) is None}
    assert all("effort" in unit or "flow" in unit for unit in unknown), unknown


def test_parts_take_units_alone_and_in_lists() -> None:
    hip = sp.Revolute("hip", angle="30 deg", speed="60 rpm")
    assert hip.angle == pytest.approx(math.pi / 6) and hip.speed == pytest.approx(2 * math.pi)
    rod = sp.Rod("rod", ("10 cm", 0, "-5 mm"))
    assert rod.vector.tolist() == [0.1, 0.0, -0.005]
    assert el.Resistor("r", "4.7 kohm").resistance == 4700.0
    assert thermal.FixedTemperature("room", "20 degC").temperature == 293.15


def test_a_wrong_unit_names_part_parameter_and_unit() -> None:
    with pytest.raises(ParameterError) as caught:
        sp.Revolute("hip", angle="30 mm")
    assert str(caught.value) == (
        "Revolute 'hip': angle cannot be '30 mm'.\n"
        "  The unit 'mm' measures something else (in rad).\n"
        "  Give a number, or one with its unit such as '30 deg'."
    )


def test_set_takes_units() -> None:
    arm = mb.Model("arm")
    arm.add(sp.Spring("spring", 1.0))
    arm.set("spring.stiffness", "2.5 kN/m")
    assert getattr(arm["spring"], "stiffness") == 2500.0  # noqa: B009 - a component of any type


def test_a_guess_takes_units_and_expressions() -> None:
    assert float(mb.Guess("30 deg").value) == pytest.approx(math.radians(30))
    assert sp.Revolute("hip", angle=mb.Guess("30 deg")).angle == mb.Guess(math.radians(30))
    assert float(sp.Spring("s", mb.Guess("2.5 kN/m")).stiffness.value) == 2500.0
    free = sp.Free("free", position=(mb.Guess("3 cm"), None, "2 mm"))
    assert free.position.values.tolist() == [0.03, 0.0, 0.002] and free.position.kinds.tolist() == [1, 0, 2]
    assert float(thermal.HeatCapacity("c", 1.0, temperature=mb.Guess("20 degC")).temperature.value) == 293.15
    with pytest.raises(ParameterError, match=r"'hip': angle cannot be Guess\('30 kN'\).*\n.*measures something else"):
        sp.Revolute("hip", angle=mb.Guess("30 kN"))
    with pytest.raises(ParameterError, match=r"a Guess cannot be 'much'"):
        mb.Guess("much")


def test_a_guess_follows_a_shared_parameter_also_in_files(tmp_path: Path) -> None:
    arm = mb.Model("arm")
    a, world = arm.parameter("a", "20 deg"), arm.add(sp.World())
    hip, body = (
        arm.add(sp.Revolute("hip", angle=mb.Guess(2 * a))),
        arm.add(sp.Body("body", mass=1.0, centre=(0, -1, 0))),
    )
    arm.connect(world.frame, hip.frame_a)
    arm.connect(hip.frame_b, body.frame)
    mb.save(arm, tmp_path / "arm.yaml")
    for model in (arm, mb.load(tmp_path / "arm.yaml")):
        model.set("a", 0.3)
        assert model["hip"].angle == mb.Guess(0.6)
        assert mb.compile(model).x0[0] == 0.6
        assert mb.with_parameters(mb.compile(model), {"a": 0.2}).x0[0] == 0.4
    text = (tmp_path / "arm.yaml").read_text(encoding="utf-8")
    for guess, value in (('"30 deg"', math.radians(30)), ('"a/2"', math.radians(10))):
        (tmp_path / "arm.yaml").write_text(
            re.sub(r'guess:\n\s+formula: "2\*a"', f"guess: {guess}", text), encoding="utf-8"
        )
        assert mb.load(tmp_path / "arm.yaml")["hip"].angle == mb.Guess(value)


def test_set_reads_shared_parameters_in_formulas_and_names_wrong_units_there() -> None:
    arm = mb.Model("arm")
    arm.parameter("w", 3.0)
    arm.add(sp.Revolute("hip", torque=1.0))
    arm.set("hip.torque", "2*sin(w*t)")
    arm.set("w", 4.0)
    assert arm["hip"].torque.evaluate({"t": 0.5}) == 2 * math.sin(2.0)
    arm.set("hip.torque", "3 kN.m")
    assert float(arm["hip"].torque) == 3000.0
    with pytest.raises(ParameterError, match="measures something else"):
        arm.set("hip.torque", "3 kN")
    with pytest.raises(FormulaError, match=r"'hip', torque.*\n.*\n.*'v' is not known. Known: t, w"):
        arm.set("hip.torque", "2*sin(v*t)")


def test_an_endless_unit_is_cut_short_and_a_number_that_is_needed_is_given() -> None:
    with pytest.raises(ParameterError) as caught:
        mb.chemical.Species("salt", "3 " + "x" * 3000)
    assert len(str(caught.value)) < 600
    with pytest.raises(ParameterError, match="At least one component"):
        mb.chemical.Species("salt", [None])
