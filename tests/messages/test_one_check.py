"""One check finds all faults of all stages at once; wiring is refused where it is typed, in these words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import errors
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.graph.file import from_data, to_data


def said(does: Callable[[], Any], kind: type[errors.MultibondError]) -> str:
    with pytest.raises(kind) as caught:
        does()
    assert type(caught.value) is kind
    return str(caught.value)


def two_batteries(*, ground: bool = True) -> mb.Model:
    model = mb.Model("m")
    for part in (el.VoltageSource("a", 1.0), el.VoltageSource("b", 2.0), el.Resistor("r", 1.0), el.Ground("g")):
        model.add(part)
    model.connect("a.pin_p", "b.pin_p", "r.pin_p")
    model.connect("a.pin_n", "b.pin_n", "r.pin_n", *["g.pin"] * ground)
    if not ground:
        model.remove("g")
    return model


PARALLEL = (
    "nothing sets the flow of 1-junction 'b.current'.\n"
    "  Se 'a.source', Se 'b.source' and Se 'g.earth' impose efforts from all sides.\n"
    "  Attach an I, an Sf or an R, or remove one source."
)
SIZES = (
    "'o' does not fit 'se'.\n"
    "  'o' has 3 components; 'se' has 2.\n"
    "  Give both the same size, or join them through a DirectSum or a transformer."
)


def test_parallel_sources_are_both_named() -> None:
    for check in (two_batteries().check, lambda: mb.check(two_batteries())):
        assert said(check, errors.CausalityError) == PARALLEL


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_stands_for_a_missing_ground_is_not_named(depth: int) -> None:
    """The user has none, under whatever name, in files neither."""
    model = two_batteries(ground=False)
    opened = model if depth == 1 else from_data(to_data(model.open(depth=depth)))
    told = said(lambda: mb.check(opened), errors.CausalityError)
    assert "Se 'a.source' and Se 'b.source' impose" in (told if depth == 1 else told.replace("-source", ".source"))


def test_sizes() -> None:
    model = mb.Model("m")
    model.bond(mb.Se("se", 1.0, size=2), mb.One("o", size=3))
    model.bond(model["o"], mb.R("r", 1.0))
    assert said(model.check, errors.WiringError) == SIZES


@pytest.mark.parametrize("effort", [{"effort": 1.0, "size": 2}, {"effort": (1.0, 2.0)}], ids=["told", "by its numbers"])
def test_a_size_beside_the_model_s_is_noted(effort: dict[str, Any]) -> None:
    """Of a plain junction the source decides; couplers lead from one size to another."""
    leg = mb.Model("leg", size=3)
    leg.bond(mb.Se("se", **effort), mb.One("o"))
    leg.bond(leg["o"], mb.TF("to_three", [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    leg.bond(leg["to_three"], mb.One("three"))
    leg.bond(leg["three"], mb.R("r", 1.0))
    assert leg.check().notes == ("se has 2 components, the model 3",)
    whole = mb.Model("whole")
    whole.add(leg, name="left")
    assert whole.check().notes == ("left.se has 2 components, the model 3",)


def test_all_stages_at_once() -> None:
    model = two_batteries()
    model.bond(mb.Se("se", 1.0, size=2), mb.One("o", size=3))
    model.bond(model["o"], mb.R("r2", 1.0))
    model.add(mb.R("alone", 1.0))
    assert said(model.check, errors.ModelError) == "\n".join(
        ("R 'alone' is not fully bonded.\n  It has 0 of 1 bond.\n  Bond it to a junction.", PARALLEL, SIZES)
    )


def test_without_a_fault_it_tells_what_it_found() -> None:
    model = mb.Model("arm")
    model.connect(model.add(sp.World("world")).frame, model.add(sp.Revolute("hip", angle=90.0)).frame_a)
    model.connect(model["hip"].frame_b, model.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1))).frame)
    assert str(model.check()) == (
        "arm: no fault. 3 components, 2 states.\n  tree: hip; cut: none\n  no redundant constraint\n"
        "note: hip.angle is 90 rad, 14.3 turns; degrees? 90 degrees are mb.deg(90)"
    )
    system = mb.compile(model)
    line = "hip.angle is 90 rad, 14.3 turns; degrees? 90 degrees are mb.deg(90)"
    assert (
        line in system.report and line in str(mb.explain(model)) and line in str(mb.simulate(system, 0.1).system.report)
    )
    turned = mb.with_parameters(system, {"hip.angle": -90.0}).report
    assert line not in turned and "hip.angle is -90 rad, 14.3 turns; degrees? -90 degrees are mb.deg(-90)" in turned
    model.set("hip.angle", 2.0)
    assert not any("degrees?" in line for line in mb.compile(model).report)
    assert model.check().notes == ()


def test_a_current_source_into_an_open_end() -> None:
    model = mb.Model("m")
    for part in (el.CurrentSource("a", 1.0), el.Resistor("r", 1.0), el.Ground("g")):
        model.add(part)
    model.connect("a.pin_n", "g.pin")
    model.connect("a.pin_p", "r.pin_p")
    assert said(model.check, errors.CausalityError) == (
        "'a.source' drives its current into an open end.\n"
        "  Nothing else is connected at 'r.pin_n', so that the current is zero there.\n"
        "  Connect 'r.pin_n' to something, or remove the source."
    )


# -- wiring ------------------------------------------------------------------------------------------------------------


def wheel() -> mb.Model:
    model = mb.Model("m")
    for part in (ro.Inertia("wheel", 1.0), mb.blocks.Step("step", 1.0), mb.blocks.Gain("gain", 2.0), mb.R("r", 1.0)):
        model.add(part)
    return model


WIRING: dict[str, tuple[Callable[[mb.Model], None], str]] = {
    "signal to a flange": (
        lambda m: m.signal(m["step"].y, m["wheel"].flange),
        "a signal cannot end at 'wheel.flange'.\n  It is a rotation port of 1.\n"
        "  Use connect() for frames, flanges and pins, bond() for elements; signals join outputs and inputs.",
    ),
    "connect for a signal": (
        lambda m: m.connect(m["gain"].u, m["step"].y),
        "cannot connect 'gain.u' to 'step.y'.\n  They are signals, which are led from an output to inputs.\n"
        "  Write signal('step.y', 'gain.u').",
    ),
    "connect for an element": (
        lambda m: m.connect(m["r"].port, m["wheel"].flange),
        "'r.port' cannot be connected.\n  It is the port of an element, which takes a bond.\n"
        "  Write bond() to a junction, or to the pin or flange of a part.",
    ),
    "bond to a signal": (
        lambda m: m.bond(m["r"], m["step"].y),
        "a bond cannot end at 'step.y'.\n  It is a signal, which carries no power.\n"
        "  Name a power port; signal() joins signals.",
    ),
}


@pytest.mark.parametrize("name", WIRING)
def test_ends_that_do_not_fit(name: str) -> None:
    join, text = WIRING[name]
    assert said(lambda: join(wheel()), errors.WiringError) == text


@pytest.mark.parametrize("row", [{"signals": [["step.y", "wheel.flange"]]}, {"connections": [["step.y", "gain.u"]]}])
def test_the_same_in_a_file(row: dict[str, Any]) -> None:
    assert "step.y" in said(lambda: from_data(to_data(wheel()) | row), errors.FileError) + "step.y"
    with pytest.raises(errors.FileError):
        from_data(to_data(wheel()) | row)


def test_a_port_of_another_model() -> None:
    one, other = wheel(), wheel()
    one.add(ro.Spring("spring", 1.0))
    with pytest.raises(errors.WiringError) as caught:
        one.connect(one["spring"].flange_a, other["wheel"].flange)
    assert str(caught.value) == (
        "'wheel.flange' is the port of another model's component.\n"
        "  'm' has an Inertia 'wheel' of its own.\n"
        "  Name the port from this model, m['wheel'].flange, or add that component under another name."
    )


def test_a_component_stays_itself_when_it_is_changed() -> None:
    model = mb.Model("m")
    disc, spring = model.add(ro.Inertia("wheel", 1.0)), model.add(ro.Spring("spring", 1.0))
    model.set("wheel.inertia", 2.0)
    model.connect(disc.flange, spring.flange_a)
    assert len(model.sheet.edges) == 1


# -- names -------------------------------------------------------------------------------------------------------------


def test_the_name_of_a_model() -> None:
    assert said(lambda: mb.Model("a\x1b[31mb"), errors.ModelError) == (
        "'a\\x1b[31mb' cannot be the name of a model.\n"
        "  It is made of 1 to 200 characters that can be printed, on one line.\n"
        "  Choose another name."
    )
    assert mb.Model("a robot, with two legs: ü").name == "a robot, with two legs: ü"
    with pytest.raises(errors.FileError, match="cannot be the name of a model"):
        from_data(to_data(wheel()) | {"name": "\x07"})


def test_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert said(lambda: mb.load("."), errors.FileError) == (
        "'.' cannot be read.\n  It is a folder.\n  Name a model file."
    )
    assert said(lambda: mb.load(""), errors.FileError) == (
        "the name of the file is empty.\n  It was given ''.\n  Name a model file."
    )
