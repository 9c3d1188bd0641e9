"""The border between the user and the program: calls are answered in our own errors, which are also built-in ones."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import traceback
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import errors
from multibond import spatial as sp
from multibond.examples import EXAMPLES
from multibond.own import ClassVar, LawWriter, Number, OnePort, component, parameter


def arm() -> mb.Model:
    model = mb.Model("arm")
    model.connect(model.add(sp.World("world")).frame, model.add(sp.Revolute("hip", axis="z", angle=0.3)).frame_a)
    model.connect(model["hip"].frame_b, model.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1))).frame)
    return model


def said(does: Callable[[], Any], kind: type[errors.MultibondError], also: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        does()
    assert isinstance(caught.value, also)
    return str(caught.value)


def test_an_argument_of_the_wrong_kind() -> None:
    assert said(lambda: mb.simulate("file.mbg", 1), errors.WrongArgument, TypeError) == (
        "simulate: model cannot be 'file.mbg'.\n"
        "  It takes a Model, a Graph, a System or a Component; this is text.\n"
        "  It is called simulate(model, until, *, method, solver, rtol, atol, step, events, parasitic, progress)."
    )
    assert said(lambda: mb.deg("30"), errors.WrongArgument, TypeError) == (
        "deg: angle cannot be '30'.\n  It takes a number; this is text.\n  It is called deg(angle)."
    )


def test_missing_and_unknown_arguments() -> None:
    assert said(lambda: mb.deg(), errors.WrongArgument, TypeError) == (
        "deg misses 'angle'.\n  It is called deg(angle).\n  Give angle as well."
    )
    assert said(lambda: mb.Model("m").rename("a"), errors.WrongArgument, TypeError) == (
        "Model.rename misses 'new'.\n  It is called Model.rename(old, new).\n  Give new as well."
    )
    assert said(lambda: mb.deg(1, 2), errors.WrongArgument, TypeError) == (
        "deg was given too many arguments by place: 2 where it takes 1.\n"
        "  It is called deg(angle).\n"
        "  Leave out or name some."
    )
    assert said(lambda: mb.count(arm(), modl=1), errors.WrongArgument, TypeError) == (
        "count has no argument 'modl'.\n  It is called count(model).\n  Nearest: 'model'."
    )
    assert "Revolute misses 'name'." in said(lambda: sp.Revolute(), errors.WrongArgument, TypeError)


def test_names_after_a_dot() -> None:
    assert said(lambda: el.Resistr, errors.UnknownAttribute, AttributeError) == (
        "electrical has no 'Resistr'.\n  Nearest: 'Resistor', 'VariableResistor'.\n  Use one of the known names."
    )
    assert said(lambda: mb.simulte, errors.UnknownAttribute, KeyError) == (
        "multibond has no 'simulte'.\n  Nearest: 'simulate', 'absolute'.\n  Use one of the known names."
    )
    assert "Nearest: 'frame_a'" in said(lambda: arm()["hip"].frame_aa, errors.UnknownAttribute, AttributeError)
    run = mb.simulate(arm(), 0.01)
    assert "a Run has no 'enrgy'.\n  Nearest: 'energy'" in said(
        lambda: run.enrgy, errors.UnknownAttribute, AttributeError
    )
    assert not hasattr(run, "enrgy") and getattr(el, "Resistr", None) is None and "energy" in dir(run)


def test_an_index_that_is_no_name() -> None:
    run = mb.simulate(arm(), 0.01)
    assert said(lambda: run[0], errors.WrongArgument, TypeError) == (
        "Run[…]: name cannot be 0.\n  It takes text; this is a whole number.\n  It is called Run[name]."
    )


def test_values_that_do_not_change() -> None:
    def change() -> None:
        arm()["hip"].damping = 5

    assert said(change, errors.ReadOnly, FrozenInstanceError) == (
        "Revolute 'hip' does not change: damping cannot be set.\n"
        "  It is a value, like a number.\n"
        "  In a model: model.set('hip.damping', …); alone: .replace(damping=…), which returns another one."
    )


def test_brackets_do_not_count() -> None:
    """Python would ask for [0], [1], … where a value with brackets says nothing of `in` and `for`."""
    run = mb.simulate(arm(), 0.1)
    assert "hip.angle" in run and "hip.angel" not in run and 3 not in run
    assert list(run) == list(run.names)
    assert "hip.angle" in mb.equilibrium(arm()) and "nix" not in mb.equilibrium(arm())
    model: Any = arm()
    with pytest.raises(TypeError, match="'Model' object is not iterable"):
        list(model)


def test_what_is_wrong_within_a_dict_is_named() -> None:
    system = mb.compile(arm())
    changes: Any = {None: 1}
    assert said(lambda: mb.with_parameters(system, changes), errors.WrongArgument, TypeError) == (
        "with_parameters: changes cannot be {None: 1}.\n"
        "  It holds text; None is None.\n"
        "  It is called with_parameters(system, changes)."
    )


def test_a_function_of_no_number() -> None:
    assert said(lambda: mb.sin("x"), errors.WrongArgument, TypeError) == (
        "sin cannot be taken of 'x'.\n  It is text, not a number.\n  Give a number or a formula."
    )
    assert "maximum cannot be taken of None." in said(lambda: mb.maximum(None, 2), errors.WrongArgument, TypeError)


def test_a_step_from_outside_that_cannot_be_meant() -> None:
    system = mb.compile(arm())
    assert said(lambda: system.step(system.x0, dt=-1.0, substeps=0), errors.ParameterError, ValueError) == (
        "dt cannot be -1.0.\n  A step goes ahead in time.\n  Give positive seconds.\n"
        "substeps cannot be 0.\n  A step is made of one or more.\n  Give a whole number from 1 on."
    )
    unknown = said(lambda: system.step(system.x0, solver="auto"), errors.ParameterError, ValueError)
    assert unknown.startswith("there is no solver 'auto' for a single step.")


def test_short_tracebacks() -> None:
    """The user's own lines and one of ours, however deep the fault was found."""
    with pytest.raises(errors.ModelError) as caught:
        mb.simulate(mb.Model("empty"), 1.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames if "multibond" in frame.filename.split("tests")[0]][-1:] == ["border"]
    assert len(frames) == 2


def test_what_fails_within_is_said_to_be_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multibond.view.draw._drawing", [].pop)
    with pytest.raises(errors.InternalError) as caught:
        mb.draw(arm())
    assert re.sub(r"line \d+", "line N", str(caught.value)) == (
        "the program itself failed in draw.\n"
        "  TypeError: pop expected at most 1 argument, got 2 (in multibond.view.draw, line N).\n"
        "  It is our fault, not yours: please report it, with the lines that lead to it."
    )
    assert isinstance(caught.value.__cause__, TypeError) and isinstance(caught.value, RuntimeError)


@component
class Faulty(OnePort):
    """A user's element with a mistake in its law."""

    size_of_it: Number = parameter(default=1.0)
    code: ClassVar[str] = "R"
    power: ClassVar[str] = "lost"

    def law(self, at: LawWriter) -> None:
        raise ZeroDivisionError("my own mistake")


def test_what_the_users_own_code_raises_stays_as_it_is() -> None:
    model = mb.Model("m")
    model.bond(Faulty("own"), mb.One("o"))
    model.bond(mb.Se("se", 1.0), model["o"])
    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        mb.compile(model)


def test_signatures_docstrings_and_copies_are_kept() -> None:
    assert str(inspect.signature(mb.deg)) == "(angle: 'float') -> 'float'"
    assert list(inspect.signature(sp.Revolute).parameters)[:3] == ["name", "axis", "angle"]
    assert (mb.simulate.__doc__ or "").startswith("Run a model from its start")
    assert pickle.loads(pickle.dumps(mb.simulate)) is mb.simulate
    hip = arm()["hip"]
    assert copy.copy(hip).angle == hip.angle
    public_ones = [getattr(mb, name) for name in mb.__all__ if inspect.isfunction(getattr(mb, name))]
    assert public_ones and all(hasattr(one, "__border__") for one in public_ones)


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (lambda: mb.Model("m").parameter("a", 10**400), "'a'"),
        (lambda: mb.planar.Prismatic("slide", axis=None), "'slide'"),
    ],
)
def test_what_no_number_or_axis_can_be_is_refused_by_name(does: Any, told: str) -> None:
    with pytest.raises(errors.ParameterError, match=told):
        does()


def test_a_shorted_source_beside_diodes_names_what_nothing_decides() -> None:
    model = EXAMPLES["rectifier"]()
    model.connect("back_down.pin_n", "wire.pin_p")
    with pytest.raises(errors.StructureError, match="nothing decides the effort or flow of the bond 'back_down"):
        mb.check(model)


def test_what_else_a_hunt_found() -> None:
    """A state by names, a word that a tree lacks, a name that is a whole machine, sensors that read one another."""
    model = EXAMPLES["pendulum"]()
    system = mb.compile(model)
    with pytest.raises(errors.WrongArgument, match="x cannot have names"):
        system.step({"hinge.motion.q": 1.0}, 0.1)
    with pytest.raises(errors.UnknownAttribute, match="Tree has no 'svg'"):
        _ = system.dae.tree.svg
    with pytest.raises(errors.ModelError) as caught:
        mb.Model("m").name = mb.stages(model)
    assert len(str(caught.value)) < 500
    ring = mb.Model("ring")
    for name in ("a", "b"):
        ring.add(mb.planar.PoseSensor(name))
    ring.connect("a.frame", "b.frame", ring.add(mb.planar.World()).frame)
    ring.signal("b.angle", "a.angle")
    ring.signal("a.angle", "b.angle")
    assert isinstance(ring.open(), mb.Model)
