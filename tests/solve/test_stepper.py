"""Stepped from outside, a machine goes the way of a run, through modes, kinks and samples, and obeys its inputs."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond.errors import ModelError, MultibondError


def block(mass: float = 2.0, limit: float = 3.0) -> mb.Model:
    """A mass on a dry floor, pushed by the input `push`."""
    model = mb.Model("block")
    speed = model.add(mb.One("speed"))
    push = model.add(blocks.Input("push"))
    force = model.add(mb.MSe("force"))
    model.signal(push.y, force.effort)
    model.bond(force, speed)
    model.bond(speed, mb.I("mass", mass))
    model.bond(speed, mb.Friction("floor", limit))
    return model


def test_a_block_on_a_dry_floor_obeys_its_pushes() -> None:
    """Below the limit it rests; above it v' = (F - 3)/2; without a push v' = -3/2 until it rests again."""
    here = mb.stepper(block())
    here.step(1.0, {"push": 2.5})
    assert here["mass.f"] == 0.0 and here.modes == {"floor": "stick"}
    here.step(1.0, {"push": 7.0})
    assert here["mass.f"] == pytest.approx(2.0, rel=1e-9)
    here.step(0.5, {"push": 0.0})
    assert here["mass.f"] == pytest.approx(1.25, rel=1e-9)
    here.step(2.0)
    assert here["mass.f"] == 0.0 and here.t == 4.5
    assert [(c.path, c.mode) for c in here.changes] == [("floor", "stick")]
    assert here.changes[0].time == pytest.approx(2.5 + 1.25 / 1.5, rel=1e-9)


def test_many_steps_are_one_run() -> None:
    """Swinging against friction: the same motion and the same changes in 150 steps and in one run."""
    model = mb.Model("swing")
    speed = model.add(mb.One("speed"))
    model.bond(speed, mb.I("mass", 1.0))
    model.bond(speed, mb.C("spring", 1 / 40.0, start=0.5))
    model.bond(speed, mb.Friction("floor", 1.2))
    whole, here, changes = mb.simulate(model, 1.5), mb.stepper(model), []
    for _ in range(150):
        here.step(0.01)
        changes += here.changes
        assert here["spring.q"] == pytest.approx(float(whole["spring.q"](min(here.t, 1.5))), abs=1e-8)
    assert len(changes) >= 2
    assert [(c.path, c.mode) for c in changes] == [(c.path, c.mode) for c in whole.changes if c.time > 0]
    assert [c.time for c in changes] == pytest.approx([c.time for c in whole.changes if c.time > 0], abs=1e-8)


def test_sampled_blocks_see_inputs_at_their_sample_times() -> None:
    """A sample taken each 0.1 s; the input changes at 0.25 s, so the output does at 0.3 s."""
    model = mb.Model("held")
    given, hold = model.add(blocks.Input("given")), model.add(blocks.SampleHold("hold", period=0.1))
    model.signal(given.y, hold.u)
    here, seen = mb.stepper(model), []
    for k in range(8):
        here.step(0.05, {"given": 1.0 if k < 5 else 2.0})
        seen.append((round(here.t, 9), here["hold.y"]))
    assert [y for t, y in seen if 0.0 < t <= 0.3 - 1e-6] == [1.0] * 5
    assert seen[-1][1] == 2.0 and seen[-2][1] == 2.0


def test_a_smooth_system_steps_as_its_system_does() -> None:
    model = mb.Model("circuit")
    current = model.add(mb.One("current"))
    push, source = model.add(blocks.Input("push")), model.add(mb.MSe("source"))
    model.signal(push.y, source.effort)
    for item in (mb.R("winding", 1.2), mb.I("coil", 2.0), mb.C("charge", 0.5)):
        model.bond(current, item)
    model.bond(source, current)
    system = mb.compile(model)
    here, x = mb.stepper(system), system.x0
    for k in range(20):
        here.step(0.1, {"push": np.sin(k)})
        x = system.step(x, {"push": np.sin(k)}, 0.1, solver="dop853")
    assert here.x == pytest.approx(x, rel=1e-7, abs=1e-9)
    assert system.parameters[system.dae.parameter_places["push.value"].start] == 0.0  # the system's own stay


def test_the_last_step_is_a_solution() -> None:
    here = mb.stepper(block())
    with pytest.raises(ModelError, match="no step yet"):
        here.run()
    here.step(1.0, {"push": 7.0})
    assert float(here.run()["mass.f"](0.5)) == pytest.approx(1.0, rel=1e-9)
    assert "1 s (floor " in repr(here)


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_must_be_longer_than_nothing(dt: float) -> None:
    with pytest.raises(ModelError, match="positive time"):
        mb.stepper(block()).step(dt)


def test_an_unknown_input_is_named_and_nothing_moves() -> None:
    here = mb.stepper(block())
    with pytest.raises(MultibondError, match="pull"):
        here.step(1.0, {"pull": 1.0})
    assert here.t == 0.0
