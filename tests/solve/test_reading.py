"""A variable read at one time is what a whole row of times gives, to the last bit, and nothing is made anew for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.equations.observe import Observer
from multibond.errors import ParameterError, UnknownName
from multibond.examples import EXAMPLES
from multibond.export.table import usual_names
from multibond.graph.component import Component


def ring(cut: Component) -> mb.Model:
    """A body between the world and a joint that closes a loop and is cut."""
    model = mb.Model("ring")
    world = model.add(sp.World())
    near, far = model.add(sp.Free("near")), model.add(cut)
    body = model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3), centre=(0.1, 0, 0)))
    model.connect(world.frame, near.frame_a)
    model.connect(world.frame, far.frame_a)
    model.connect(near.frame_b, far.frame_b, body.frame)
    return model


def same(run: mb.Run, names: list[str]) -> None:
    """Compare both ways of reading, at step ends, between them, and just before and at the instants."""
    ends = run.t[:: max(1, run.t.size // 5)]
    times = np.unique(np.concatenate([ends, 0.5 * (ends[1:] + ends[:-1]), run.t[[0, -1]]]))
    for name in names:
        many = np.reshape(run[name](times), (times.size, -1))
        one = np.array([np.atleast_1d(run[name](float(t))) for t in times])
        assert one.tobytes() == many.tobytes(), name


@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "planar_loop", "rectifier", "euler_top", "chain"])
def test_one_time_and_many_agree_to_the_last_bit(name: str) -> None:
    run = mb.simulate(EXAMPLES[name](), 0.5)
    same(run, usual_names(run))


@pytest.mark.parametrize("kind", [sp.Free, sp.Spherical])
@pytest.mark.parametrize("angles", [{}, {"sequence": "zyx"}])
def test_cut_joints_that_turn_agree_to_the_last_bit(kind: Any, angles: dict[str, str]) -> None:
    model = ring(kind("far", **angles))
    run = mb.simulate(mb.compile(model, cuts=["far"]), 0.7)
    same(run, [n for n in run.names if n.startswith("far.")])


def test_a_crank_that_turns_agrees_and_counts_its_turns() -> None:
    run = mb.simulate(mb.compile(EXAMPLES["four_bar"](), cuts=["O"]), 3.0)
    same(run, ["O.angle", "O.speed"])
    assert abs(run["O.angle"](3.0)) > 2 * np.pi


def test_what_the_machine_as_drawn_knows_agrees() -> None:
    run = mb.simulate(EXAMPLES["slider_crank"](), 0.2, method="minimal")
    same(run, ["guide.position", "guide.reaction_force"])


def test_nothing_is_built_for_a_second_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    run = mb.simulate(EXAMPLES["slider_crank"](), 0.2)
    names = ["guide.position", "guide.reaction_force", "O.angle"]
    first = [run[name](0.1) for name in names]

    def refuse(*_: object) -> None:
        raise AssertionError("built anew")

    monkeypatch.setattr(Observer, "function", refuse)
    monkeypatch.setattr(Observer, "expression", refuse)
    assert all(np.array_equal(run[name](0.1), before) for name, before in zip(names, first, strict=True))


def test_times_and_names_that_are_not_there_are_still_refused() -> None:
    run = mb.simulate(EXAMPLES["rlc"](), 0.2)
    current = run["coil.f"]
    assert isinstance(current(0.1), float) and current(np.float64(0.1)) == current(0.1) == current(np.array(0.1))
    for time in (-1.0, 0.3, float("nan")):
        with pytest.raises(ParameterError, match="is not known at"):
            current(time)
    with pytest.raises(UnknownName):
        run["coil.g"]
