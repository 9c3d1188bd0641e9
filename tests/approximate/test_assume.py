"""`assume`: simpler models under stated conditions; Fig. 21 of Tiernego and Bos, and its error as ν²."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond import rewrite, rotational
from multibond.approximate.assume import Simplified
from multibond.approximate.deviation import deviation
from multibond.errors import ModelError, MultibondError, UnknownName
from multibond.examples import crane_crab, disc, rate_gyro
from multibond.examples.rate_gyro import ROTOR, SPIN

DATA = Path(__file__).parents[1] / "reference" / "data" / "A03b_rate_gyro"
TIGHT = {"rtol": 1e-11, "atol": 1e-15}
STILL = ["rate_x", "casing_x", "rate_y", "casing_y", "A_yy", "A_zy", "A_yz", "joint_y", "gimbal_y"]
"""The paper's first assumption: the gimbal has no rate about y, and about x none but its own."""
CASING = ["inertia_y", "inertia_z", "ring_x"]
"""What only gives momenta to the casing."""


def figure_21(rate: float | str = 0.5) -> Simplified:
    """The rate gyro under the paper's assumptions; the second is β' » Ω1y, so that the spin alone makes the modulus."""
    gyro = rate_gyro(rate, carried=True)
    return mb.assume(gyro, neglect=[*STILL, *CASING, "ring_z"], freeze={"ring_y.modulus": ROTOR[1] * SPIN})


def column(file: str, name: str) -> np.ndarray:
    with (DATA / file).open() as text:
        return np.array([float(row[name]) for row in csv.DictReader(text)])


# -- Fig. 21 -----------------------------------------------------------------------------------------------------------


def test_figure_21_is_what_is_left() -> None:
    """Source, transformer, gyrator and the three of an oscillator; the rest are junctions and what modulates."""
    left = {c.name: type(c).__name__ for c in figure_21().model.components}
    assert {name: kind for name, kind in left.items() if kind not in ("One", "Zero", "Function", "Constant", "Dq")} == {
        "rate_z": "Sf",
        "A_zz": "MTF",
        "ring_y": "MGY",
        "inertia_x": "I",
        "spring": "C",
        "damper": "R",
    }
    modulating = {name for name, kind in left.items() if kind in ("Function", "Constant", "Df", "Gain", "Sum")}
    assert modulating == {"A_zz_modulus", "ring_y_modulus"}


def test_figure_21_drawn_small() -> None:
    """Simplified further without any change: one 1-junction, and a gyrator of modulus cos α J2y β' to the source."""
    done = rewrite.simplify(figure_21().model).after
    kinds = [type(item).__name__ for item in done.elements.values()]
    assert kinds.count("One") + kinds.count("Zero") == 1
    assert {k for k in kinds if k in ("I", "C", "R", "Sf", "MGY", "MTF", "Dq")} == {"I", "C", "R", "Sf", "MGY", "Dq"}
    t = np.linspace(0.0, 1.0, 101)
    small, whole = (mb.simulate(m, 1.0, **TIGHT)["tilt.q"](t) for m in (done, figure_21().model))
    assert np.abs(small - whole).max() < 1e-11


def test_its_equation_is_the_papers() -> None:
    """α/C + α' R + α'' J_x = cos α J_y β' ν, eq. (12), as the program writes it."""
    (line,) = [str(line) for line in mb.equations(figure_21().model).rates if "inertia_x" in str(line.left)]
    assert line == (
        "inertia_x.p' = ring_y_modulus.value*rate_z.flow*cos(tilt.q)"
        " - damper.resistance*inertia_x.p/inertia_x.inertia - spring.q/spring.compliance"
    )


@pytest.mark.parametrize(
    ("file", "rate"), [("reference.csv", 0.5), ("reference_sine.csv", "0.5*sin(4*3.141592653589793*t)")]
)
def test_its_trajectory_is_that_of_equation_12(file: str, rate: float | str) -> None:
    """Against eq. (12) integrated independently (reference A03b), to 1e-8; and not against the full equation."""
    run = mb.simulate(figure_21(rate).model, 1.0, **TIGHT)
    t = column(file, "t")
    assert np.abs(run["tilt.q"](t) - column(file, "alpha_eq12")).max() < 1e-8
    assert np.abs(run["tilting.f"](t) - column(file, "alpha_d_eq12")).max() < 1e-8
    assert np.abs(run["tilt.q"](t) - column(file, "alpha")).max() > 5e-7


def test_the_error_falls_as_the_square_of_the_rate() -> None:
    """Relative to the tilt, which itself grows as ν; the slope of a line through all points, and between each two."""
    rates = np.array([0.8, 0.4, 0.2, 0.1, 0.05])
    errors = np.array([figure_21(v).error(1.0, ["tilt.q"], **TIGHT).worst for v in rates])
    print("error of Fig. 21:", dict(zip(rates.tolist(), errors.tolist(), strict=True)))
    order = np.polyfit(np.log(rates), np.log(errors), 1)[0]
    assert order == pytest.approx(2.0, abs=0.01)
    assert np.diff(np.log(errors)) / np.diff(np.log(rates)) == pytest.approx(2.0, abs=0.02)


def test_the_error_is_the_reference_s() -> None:
    """The largest deviation of eq. (12) from the full equation, as the reference found it on its own grid."""
    error = figure_21().error(1.0, ["tilt.q"], **TIGHT)
    assert error.absolute["tilt.q"] == pytest.approx(1.1041176e-06, rel=2e-2)
    assert error.worst == pytest.approx(error.absolute["tilt.q"] / error.scale["tilt.q"])


def test_what_only_loads_the_casing_changes_nothing() -> None:
    """The inertias about y and z and the gyrator J'x Ω1x only give momenta to the casing: left out, the tilt stays."""
    gyro = rate_gyro(carried=True)
    assert mb.assume(gyro, neglect=CASING).error(1.0, ["tilt.q"], **TIGHT).worst < 1e-12
    assert mb.assume(gyro, neglect=["ring_z"]).error(1.0, ["tilt.q"], **TIGHT).worst > 1e-6


def test_conditions_and_report() -> None:
    simple = figure_21()
    assert simple.conditions[0] == "'ring_y.modulus' is held at 0.02: it stays near that."
    assert "Sf 'rate_y' is left out: its flow is small at 'casing_y'." in simple.conditions
    assert "I 'inertia_z' is left out: its effort is small at 'gimbal_z'." in simple.conditions
    assert "MGY 'ring_x' is left out: its effort is small at 'gimbal_y' and at 'gimbal_z'." in simple.conditions
    report = simple.report(1.0, ["tilt.q"]).splitlines()
    assert report[0] == "rate_gyro, simplified under 14 conditions"
    assert report[1].endswith("It goes from 0.02 to 0.0200021.")
    assert any(line.endswith("It has 0.0027 % of the activity.") for line in report)
    assert report[-2:] == ["error over 1 s", "  tilt.q  differs by 1.11e-06, 0.00167 % of its largest value"]


def test_the_full_model_stays_as_it_is() -> None:
    gyro = rate_gyro(carried=True)
    sheet = gyro.sheet
    simple = mb.assume(gyro, neglect=["ring_z"], values={"damper.resistance": 0.0})
    assert gyro.sheet is sheet and simple.full is gyro
    assert "ring_z" in gyro and "ring_z" not in simple.model


# -- each kind of assumption -------------------------------------------------------------------------------------------


def oscillator() -> mb.Model:
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 2.0, start=2.0))
    model.bond(v, mb.C("spring", 0.02))
    model.bond(v, mb.R("damper", 0.01))
    return model


def test_a_damper_neglected() -> None:
    """Against both closed forms: v = cos ω t without it, and with it decaying at R/2m."""
    simple = mb.assume(oscillator(), neglect=["damper"])
    assert simple.conditions == ("R 'damper' is left out: its effort is small at 'v'.",)
    assert mb.simulate(simple.model, 3.0)["mass.f"](3.0) == pytest.approx(np.cos(5.0 * 3.0), abs=1e-8)
    error = simple.error(3.0, ["spring.q"])
    decay, t = 0.01 / 4.0, np.linspace(0.0, 3.0, 1000)
    w = np.sqrt(25.0 - decay**2)
    expected = np.abs(np.exp(-decay * t) * np.sin(w * t) / w - np.sin(5 * t) / 5).max()
    assert error.absolute["spring.q"] == pytest.approx(expected, rel=1e-6)


def test_a_parameter_given_another_value() -> None:
    simple = mb.assume(oscillator(), values={"damper.resistance": 0.0, "mass.inertia": 2.5})
    assert simple.conditions == (
        "'damper.resistance' is taken as 0 instead of 0.01.",
        "'mass.inertia' is taken as 2.5 instead of 2.",
    )
    assert simple.model["mass"].inertia == 2.5
    assert simple.error(1.0).worst > 0.05


def test_a_modulus_frozen_at_its_start() -> None:
    """The disc's lever held at 0.1 m: what it has at the start, found by the program."""
    frozen = mb.assume(disc(), freeze={"lever.modulus": None})
    given = mb.assume(disc(), freeze={"lever.modulus": (0.0, 0.1)})
    assert frozen.conditions == given.conditions == ("'lever.modulus' is held at 0, 0.1: it stays near that.",)
    assert "lever_modulus" not in frozen.model and "place" in frozen.model
    a, b = (mb.simulate(s.model, 0.2)["angle.q"](0.2) for s in (frozen, given))
    assert a == b
    short, long = (frozen.error(until, ["angle.q"]).worst for until in (0.02, 0.2))
    assert 0.0 < short < 0.1 * long


def test_inside_sub_models() -> None:
    """Elements of grouped parts are reached by their paths, bonds across the border of a part go with them."""
    t = np.linspace(0.0, 1.0, 21)
    plain = mb.assume(crane_crab(), neglect=["weight"]).model
    parts = mb.assume(crane_crab(grouped=True), neglect=["load.weight"])
    assert parts.conditions == ("Se 'load.weight' is left out: its effort is small at 'bob'.",)
    found, expected = (mb.simulate(m, 1.0) for m in (parts.model, plain))
    assert np.array_equal(found["revolute.angle.q"](t), expected["angle.q"](t))
    cut = mb.assume(crane_crab(grouped=True), neglect=["load.bob", "load.mass", "load.weight", "rod.rod"])
    assert [c.name for c in cut.model.components] == ["wall", "prismatic", "carriage", "revolute", "rod"]
    assert "rod_a" not in {p.name for p in cut.model["rod"].ports()}


def test_a_part_neglected() -> None:
    """A damper on a flange, a household part: what it exerts is taken as zero, its elements' activity is told."""
    model = mb.Model("rotor")
    wheel, bearing = (
        model.add(rotational.Inertia("wheel", 2.0, speed=3.0)),
        model.add(rotational.Damper("bearing", 0.01)),
    )
    wall = model.add(rotational.Fixed("wall"))
    model.connect(wheel.flange, bearing.flange_a)
    model.connect(bearing.flange_b, wall.flange)
    simple = mb.assume(model, neglect=["bearing"])
    assert simple.conditions == ("Damper 'bearing' is left out: what it exerts is small.",)
    error = simple.error(10.0, ["wheel.speed"])
    assert error.absolute["wheel.speed"] == pytest.approx(3.0 * (1.0 - np.exp(-0.05)), rel=1e-6)
    assert "It has 50 % of the activity." in simple.report(10.0, ["wheel.speed"])


# -- deviation ---------------------------------------------------------------------------------------------------------


def test_deviation_by_hand() -> None:
    """Constant flows 2 and 2.5 into a capacitor: after 4 s the charges are 8 and 10."""

    def run(flow: float) -> mb.Run:
        model = mb.Model("m")
        node = model.add(mb.Zero("node"))
        model.bond(mb.Sf("source", flow), node)
        model.bond(node, mb.C("store", 1.0))
        return mb.simulate(model, 4.0)

    found = deviation(run(2.0), run(2.5))
    assert found.absolute["store.q"] == pytest.approx(2.0)
    assert found.scale["store.q"] == pytest.approx(8.0)
    assert found.worst == pytest.approx(0.25)
    assert str(found) == "store.q  differs by 2, 25 % of its largest value"
    assert deviation(run(0.0), run(0.0)).worst == 0.0
    assert deviation(run(0.0), run(1.0)).worst == np.inf


# -- faults ------------------------------------------------------------------------------------------------------------


def said(kind: type[MultibondError], **assumed) -> str:
    with pytest.raises(kind) as caught:
        mb.assume(rate_gyro(carried=True), **assumed)
    return str(caught.value)


def test_faults() -> None:
    assert "has no 'ring_w'" in said(UnknownName, neglect=["ring_w"])
    assert "Nearest: 'modulus'." in said(UnknownName, freeze={"ring_y.modulo": 1.0})
    assert "has no 'b'" in said(UnknownName, freeze={"ring_y.b": 1.0})
    with pytest.raises(ModelError, match="'prismatic' cannot be neglected"):
        mb.assume(crane_crab(grouped=True), neglect=["prismatic"])
    with pytest.raises(ModelError, match=r"'slide\.order' cannot be changed by itself"):
        mb.assume(crane_crab(), neglect=["slide.order"])
