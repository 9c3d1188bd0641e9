"""Shared parameters: one number behind many, in Python, in parts, in files, at run time; faults by name."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import ModelError, MultibondError, ParameterError, UnknownName
from multibond.graph.file import from_data


def pendulum(length: Any, name: str = "arm") -> mb.Model:
    """A rod of 3 kg/m that hangs from a hinge; its centre, mass and inertia follow from its length."""
    arm = mb.Model(name)
    L = arm.parameter("L", length) if not isinstance(length, str) else length
    world, hip = arm.add(sp.World()), arm.add(sp.Revolute("hip", angle="30 deg"))
    inertia = L**3 / 4
    rod = arm.add(sp.Body("rod", mass=3 * L, inertia=(inertia, inertia / 1000, inertia), centre=(0, -L / 2, 0)))
    arm.connect(world.frame, hip.frame_a)
    arm.connect(hip.frame_b, rod.frame)
    return arm


def leg() -> mb.Model:
    """A swinging rod as a part with one port."""
    part = mb.Model("leg")
    L = part.parameter("L", 0.5)
    hip = part.add(sp.Revolute("hip", angle=0.4))
    foot = part.add(sp.Body("foot", mass=2 * L, inertia=(0.08, 0.001, 0.08), centre=(0, -L, 0)))
    part.connect(hip.frame_b, foot.frame)
    part.expose("top", hip.frame_a)
    return part


def walker() -> mb.Model:
    """Two legs whose lengths follow from one parameter of the machine."""
    machine = mb.Model("walker")
    B = machine.parameter("B", 0.4)
    world = machine.add(sp.World())
    left, right = machine.add(leg(), name="left"), machine.add(leg(), name="right")
    machine.connect(world.frame, left.top, right.top)
    machine.set("left.L", 2 * B)
    machine.set("right.L", "B/2")
    return machine


def numbers(model: mb.Model) -> list[float]:
    """The run-time numbers of a model."""
    return mb.compile(model).parameters.tolist()


def value(model: mb.Model, path: str) -> Any:
    """A parameter of a component, also inside models."""
    *way, last = path.split(".")
    item: Any = model
    for name in way:
        item = next(
            c
            for c in (item.components if isinstance(item, mb.Model) else item.sheet.components.values())
            if c.name == name
        )
    return getattr(item, last)


def test_a_component_has_the_numbers_and_keeps_the_expressions() -> None:
    rod = pendulum(0.6)["rod"]
    assert value(pendulum(0.6), "rod.mass") == pytest.approx(1.8)
    assert str(rod.expressions["mass"]) == "3*L"
    assert "mass=Formula('3*L')" in repr(rod)


def test_a_change_reaches_all_that_use_it_and_can_be_undone() -> None:
    arm = pendulum(0.6)
    arm.set("L", 0.8)
    assert value(arm, "rod.mass") == pytest.approx(2.4) and value(arm, "rod.centre")[1] == pytest.approx(-0.4)
    arm.undo()
    assert value(arm, "rod.mass") == pytest.approx(1.8) and arm.parameters == {"L": 0.6}
    arm.redo()
    assert arm.parameters == {"L": 0.8}


def test_at_run_time_nothing_is_compiled_and_the_motion_is_that_of_the_new_number(monkeypatch: Any) -> None:
    """The period of the longer rod in closed form is met by a fresh model; the changed system agrees with it."""
    import multibond.pipeline.changing as changing

    system = mb.compile(pendulum(0.6))
    monkeypatch.setattr(changing, "compile", None)
    changed = mb.with_parameters(system, {"L": 0.8})
    monkeypatch.undo()
    fresh = mb.simulate(pendulum(0.8), 3.0)
    run = mb.simulate(changed, 3.0)
    times = np.linspace(0, 3, 50)
    assert run["hip.angle"](times) == pytest.approx(fresh["hip.angle"](times), abs=1e-12)
    other = mb.simulate(system, 3.0)
    assert np.abs(other["hip.angle"](times) - fresh["hip.angle"](times)).max() > 0.05


def test_parameters_of_parameters_follow() -> None:
    arm = mb.Model("arm")
    L = arm.parameter("L", "50 cm")
    arm.parameter("M", 3 * L)
    arm.parameter("N", "M + L")
    arm.add(sp.Spring("s", stiffness=arm.shared("N")))
    arm.set("L", 2.0)
    assert arm.parameters == {"L": 2.0, "M": 6.0, "N": 8.0} and value(arm, "s.stiffness") == 8.0


def test_a_part_has_parameters_of_its_own_that_the_machine_gives() -> None:
    machine = walker()
    assert value(machine, "left.foot.mass") == pytest.approx(1.6)
    assert value(machine, "right.foot.mass") == pytest.approx(0.4)
    machine.set("B", 0.6)
    assert value(machine, "left.foot.mass") == pytest.approx(2.4)
    system = mb.with_parameters(mb.compile(walker()), {"B": 0.6})
    assert system.parameters.tolist() == pytest.approx(numbers(machine))
    changed = mb.with_parameters(mb.compile(walker()), {"left.L": 1.0})
    assert changed.parameters.tolist() == pytest.approx(
        mb.with_parameters(
            mb.compile(walker()), {"left.foot.mass": 2.0, "left.foot.centre": (0, -1, 0)}
        ).parameters.tolist()
    )


def test_laws_of_formulas_use_them() -> None:
    m = mb.Model("oscillator")
    k, v = m.parameter("k", 40.0), m.add(mb.One("v"))
    m.bond(v, mb.I("mass", 1.0))
    m.bond(v, mb.C("spring", effort=lambda q: k * q, start=0.3))
    m.set("k", 90.0)
    run = mb.simulate(m, 1.0)
    assert run["spring.q"](1.0) == pytest.approx(0.3 * np.cos(np.sqrt(90.0)), abs=1e-8)


def test_what_is_structure_is_compiled_again_and_right() -> None:
    """A parameter in an axis: the change is one of structure."""
    arm = mb.Model("arm")
    tilt = arm.parameter("tilt", 0.0)
    world = arm.add(sp.World())
    hip = arm.add(sp.Revolute("hip", axis=(0, mb.sin(tilt), mb.cos(tilt)), angle=0.3))
    foot = arm.add(sp.PointMass("foot", 1.0))
    rod = arm.add(sp.Rod("rod", (1, 0, 0)))
    arm.connect(world.frame, hip.frame_a)
    arm.connect(hip.frame_b, rod.frame_a)
    arm.connect(rod.frame_b, foot.frame)
    system = mb.with_parameters(mb.compile(arm), {"tilt": 1.0})
    found = system.derivative(system.x0)
    assert found[1] == pytest.approx(-9.81 * np.cos(0.3) * np.cos(1.0), rel=1e-12)


@pytest.mark.parametrize("make", [lambda: pendulum(0.6), walker])
@pytest.mark.parametrize("ending", [".mbg", ".yaml"])
def test_files_keep_them(make: Any, ending: str, tmp_path: Path) -> None:
    model = make()
    mb.save(model, tmp_path / f"m{ending}")
    again = mb.load(tmp_path / f"m{ending}")
    assert again.parameters == model.parameters
    name = next(iter(model.parameters))
    for each in (model, again):
        each.set(name, 0.9)
    assert numbers(again) == numbers(model)
    mb.save(again, tmp_path / f"again{ending}")
    mb.save(model, tmp_path / f"model{ending}")
    assert (tmp_path / f"again{ending}").read_text() == (tmp_path / f"model{ending}").read_text()


def test_a_library_part_keeps_what_the_machine_gives(tmp_path: Path) -> None:
    mb.save(leg(), tmp_path / "leg.mbg")
    machine = mb.Model("walker")
    B, world = machine.parameter("B", 0.4), machine.add(sp.World())
    left = machine.add(mb.load(tmp_path / "leg.mbg"), name="left")
    machine.connect(world.frame, left.top)
    machine.set("left.L", 3 * B)
    mb.save(machine, tmp_path / "walker.mbg")
    text = (tmp_path / "walker.mbg").read_text()
    assert '"file": "leg.mbg"' in text and '"formula": "3*B"' in text
    again = mb.load(tmp_path / "walker.mbg")
    again.set("B", 0.5)
    assert value(again, "left.foot.mass") == pytest.approx(3.0)


def test_a_file_may_be_written_with_texts() -> None:
    data = {
        "format": "multibond",
        "version": 1,
        "name": "arm",
        "parameters": {"L": "30 cm", "W": "2*L"},
        "components": [
            {"name": "rod", "type": "spatial.Rod", "parameters": {"vector": ["L", "5 mm", {"formula": "-W"}]}},
            {"name": "hip", "type": "spatial.Revolute", "parameters": {"angle": "30 deg"}},
        ],
    }
    assert value(from_data(data), "rod.vector").tolist() == pytest.approx([0.3, 0.005, -0.6])


def test_a_group_takes_along_what_it_uses() -> None:
    arm = pendulum(0.6)
    mb.group(arm, ["hip", "rod"], "leg")
    arm.set("L", 0.8)
    assert value(arm, "leg.rod.mass") == pytest.approx(2.4)
    assert value(arm, "leg.given")["L"].shared.keys() == {"L"}


def test_a_formula_with_them_can_be_copied_and_pickled() -> None:
    L = pendulum(0.6).shared("L")
    law = 2 * L**2 + mb.t
    for again in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law)):
        assert again == law and again.evaluate({"t": 0.0}) == pytest.approx(0.72)


FAULTS = [
    (lambda m: m.set("X", 2), UnknownName, "has no 'X'.\n  Nearest: 'L'"),
    (lambda m: m.parameter("t", 2), ParameterError, "'t' cannot be the name of a parameter of 'arm'."),
    (lambda m: m.parameter("my length", 2), ParameterError, "cannot be the name"),
    (lambda m: m.parameter("L", 2), ModelError, "'arm' has a parameter 'L' already."),
    (lambda m: m.parameter("M", "x*2"), MultibondError, "'x' is not known. Known: L."),
    (lambda m: m.parameter("M", "two"), MultibondError, "'two' is not known"),
    (lambda m: m.parameter("M", float("nan")), ParameterError, "one finite number"),
    (lambda m: m.parameter("M", mb.t), ParameterError, "It must be a number"),
    (lambda m: m.set("L", "2*L"), ParameterError, "These wait for each other: L."),
    (lambda m: m.set("L", -1.0), ParameterError, "Body 'rod': mass cannot be"),
    (lambda m: m.remove("L"), ParameterError, "It is used by rod."),
    (lambda m: mb.Model("other").add(m["rod"]), UnknownName, "'rod' uses it for its mass."),
    (lambda m: m.set("hip.angle", "2*Z"), MultibondError, "'Z' is not known. Known: L."),
    (lambda m: mb.C("c", effort=lambda q: pendulum_q() * q), ParameterError, "rename the parameter"),
]


def pendulum_q() -> Any:
    """A shared parameter that is called like the variable of a law."""
    return mb.Model("m").parameter("q", 2.0)


@pytest.mark.parametrize(("do", "error", "text"), FAULTS)
def test_faults_name_the_parameter_and_nothing_is_lost(do: Any, error: type[Exception], text: str) -> None:
    arm = pendulum(0.6)
    before = arm.sheet
    with pytest.raises(error) as caught:
        do(arm)
    assert text in str(caught.value)
    assert arm.sheet is before


def test_names_mean_the_model_that_they_stand_in() -> None:
    machine = walker()
    with pytest.raises(ParameterError, match="from outside of 'left'"):
        machine.set("left.foot.mass", 2 * machine.shared("B"))


def test_an_unused_one_can_be_removed() -> None:
    arm = pendulum(0.6)
    arm.parameter("spare", 1.0)
    arm.remove("spare")
    assert arm.parameters == {"L": 0.6}
