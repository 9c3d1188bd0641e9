"""What a newcomer mistypes first: the answer names what is there."""

from __future__ import annotations

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import errors
from multibond import spatial as sp


def test_a_port_that_is_not_there() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = sp.Revolute("hip").frame_c
    first, second, third = str(caught.value).split("\n")
    assert first == "Revolute 'hip' has no port or parameter 'frame_c'."
    assert "Nearest: 'frame_b', 'frame_a'" in second and "flange" in second and "damping" in third


def test_a_parameter_that_is_not_there() -> None:
    with pytest.raises(errors.UnknownName) as caught:
        sp.Revolute("hip", dampng=1.0)  # type: ignore[call-arg]
    assert "Revolute 'hip' has no 'dampng'." in str(caught.value) and "'damping'" in str(caught.value)


@pytest.mark.parametrize("angle", [None, 0.5])
def test_a_start_value_in_the_place_of_a_signal(angle: float | None) -> None:
    arm = mb.Model("arm")
    hip, pid = arm.add(sp.Revolute("hip", angle=angle)), arm.add(mb.blocks.PID("pid", 1.0))
    with pytest.raises(errors.WiringError) as caught:
        arm.signal(hip.angle, pid.measured)
    first, _, third = str(caught.value).split("\n")
    assert first.endswith("is no port.")
    assert third.endswith("the signal of a joint's angle or place is its coordinate, such as 'hip.coordinate'.")
    arm.signal(hip.coordinate, pid.measured)


def test_a_port_joined_to_itself_changes_nothing() -> None:
    arm = mb.Model("arm")
    hip = arm.add(sp.Revolute("hip"))
    before = arm.sheet
    with pytest.raises(errors.WiringError, match=r"cannot connect 'hip\.frame_b' to itself"):
        arm.connect(hip.frame_b, hip.frame_b)
    assert arm.sheet is before


def test_an_angle_as_text() -> None:
    with pytest.raises(errors.ParameterError) as caught:
        sp.Revolute("hip", angle="thirty")
    assert str(caught.value).split("\n")[1:] == [
        "  It must be a number, not text (in rad).",
        "  Give a number, or one with its unit such as '30 deg'.",
    ]


def test_names_of_the_household_come_first() -> None:
    arm = mb.Model("arm")
    world, hip = arm.add(sp.World()), arm.add(sp.Revolute("hip"))
    foot = arm.add(sp.Body("foot", 1.0, centre=(0, -1, 0)))
    arm.connect(world.frame, hip.frame_a)
    arm.connect(hip.frame_b, foot.frame)
    with pytest.raises(errors.UnknownName) as caught:
        _ = mb.simulate(arm, 0.1)["hip.angel"]
    offer = str(caught.value).split("offers ")[1].split(", ")
    assert offer[0] == "angle" and {"speed", "reaction_force", "reaction_torque"} <= set(offer)


def test_a_list_that_is_cut_short_says_so() -> None:
    known = [f"hip.q{k}" for k in range(14)]
    assert errors.offered("hip.angel", known).endswith("q10, q11, … and 2 more.")
    assert errors.offered("hip.angel", known[:12]).endswith("q10, q11.")


def test_a_start_that_does_not_fit_the_coordinates() -> None:
    with pytest.raises(errors.ParameterError, match=r"Spherical 'ball' cannot start at given angles\."):
        sp.Spherical("ball", angles=(0.1, 0.2, 0.3))
    with pytest.raises(errors.ParameterError, match=r"Spherical 'ball' cannot start at a given quaternion\."):
        sp.Spherical("ball", sequence="zyx", quaternion=(1, 0, 0, 0))


def circuit(grounded: bool) -> mb.Model:
    """A source and a load, beside another circuit that has its ground."""
    model = mb.Model("circuit")
    for name in ("", "2"):
        source = model.add(el.VoltageSource(f"battery{name}", 12.0))
        load = model.add(el.Resistor(f"load{name}", 3.0))
        model.connect(source.pin_p, load.pin_p)
        if grounded or name:
            ground = model.add(el.Ground(f"ground{name}"))
            model.connect(source.pin_n, load.pin_n, ground.pin)
        else:
            model.connect(source.pin_n, load.pin_n)
    return model


def test_a_circuit_without_ground_counts_from_its_first_node() -> None:
    run = mb.simulate(circuit(grounded=False), 0.1)
    assert run["load.current"](0.1) == run["load2.current"](0.1) == pytest.approx(4.0)
    assert [line for line in run.system.report if "counts as zero" in line] == [
        "battery.pin_n counts as zero: nothing decides the voltages of 'battery.pin_n', 'battery.pin_p'"
    ]
    assert not any("counts as zero" in line for line in mb.compile(circuit(grounded=True)).report)


def test_a_circuit_without_ground_whose_potential_is_asked_for() -> None:
    """What reads a potential and acts on it would act otherwise for another zero: that is refused."""
    model = circuit(grounded=False)
    sensor, valve = model.add(mb.De("probe")), model.add(el.VariableResistor("valve"))
    model.bond(model["battery"].pin_p, sensor)
    model.signal(sensor.value, valve.input)
    model.connect(valve.pin_p, model["battery"].pin_p)
    model.connect(valve.pin_n, model["battery"].pin_n)
    with pytest.raises(errors.StructureError) as caught:
        mb.compile(model)
    text = str(caught.value)
    assert text.startswith("a circuit has no ground.") and "'battery." in text and "2." not in text
    assert text.endswith("every circuit needs one of its own.")


MISTAKES = {
    "m['hip'] = 3": ("Model 'arm' does not change in brackets", "remove('hip') and add(...)"),
    "m.hip": ("a Model has no 'hip'", "m['hip']"),
    "m.add(sp.World)": ("World cannot be added", "Make one of it: World(...)."),
    "m.bond(mb.One('a'), mb.One)": ("One cannot end a bond", "Make one of it: One(...)."),
    "m.set('hip', 3)": ("'hip' is a component, and no parameter of 'arm'", "'hip.axis'"),
    "m.parameter('L', 'x')": ("the parameter 'L' cannot be 'x'", "It must be a number, not text."),
    "el.Resistor('r', {'a': 1})": ("resistance cannot be {'a': 1}", "It must be a number, or numbers in rows"),
    "mb.I('i', inertia=[[1, 2], [3]])": ("inertia cannot be", "Its rows must be of one length"),
    "mb.simulate(10, m)": ("the run cannot end at Model 'arm'", "Give a number of seconds"),
    "mb.draw(m, highlight=['nope'])": ("the drawing has no 'nope'", "'hip'"),
    "mb.draw(m, highlight=3)": ("3 cannot be highlighted", "Give names"),
    "run['hip.angle'](None)": ("time cannot be None", "It takes numbers"),
    "run['hip.angle'] = 3": ("a Run does not change in brackets", ""),
    "run.audit().foo": ("an Account has no 'foo'", "'breaks'"),
    "run.audit().momentum.foo": ("a Momentum has no 'foo'", "'change'"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_plain_mistakes_are_answered_in_three_lines(line: str) -> None:
    m = mb.Model("arm")
    world, hip = m.add(sp.World()), m.add(sp.Revolute("hip", angle=0.3))
    foot = m.add(sp.Body("foot", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0.0, -1.0, 0.0)))
    m.connect(world.frame, hip.frame_a)
    m.connect(hip.frame_b, foot.frame)
    space = {"mb": mb, "sp": sp, "el": el, "m": m, "run": mb.simulate(m, 0.01) if "run" in line else None}
    with pytest.raises(errors.MultibondError) as caught:
        exec(line, space)
    first, rest = MISTAKES[line]
    text = str(caught.value)
    assert first in text.split("\n")[0] and rest in text and len(text.split("\n")) == 3
    assert not isinstance(caught.value, errors.InternalError)
    assert len(caught.traceback) <= 4
