"""What a machine does does not depend on left and right, on when its clock begins, or on the method."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import multibond as mb

from .building import model_of
from .features import with_joints
from .machine import GROUND, Bar, Joint, Mechanism, Path
from .mechanisms import chain, crane, double_pendulum, five_bar, pendulum, slider_crank, three_cranks
from .reading import Reading

TIMES = np.linspace(0.0, 0.4, 9)


def read(machine: Mechanism, method: str = "auto", until: float = 0.4) -> Reading:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Reading(machine, mb.simulate(model_of(machine), until, method=method))


def rubbed(machine: Mechanism, joint: str) -> Mechanism:
    return with_joints(machine, {joint: replace(machine.joint(joint), friction=0.3, static=0.4)})


def mirrored(machine: Mechanism) -> Mechanism:
    """Left and right exchanged: a bar's frame points the other way, its second axis to the other side."""

    def own(at: tuple[float, float], bar: str) -> tuple[float, float]:
        return (-at[0], at[1]) if bar == GROUND else (at[0], -at[1])

    bars = tuple(
        replace(b, place=(-b.place[0], b.place[1]), angle=math.pi - b.angle, centre=own(b.centre, b.name))
        for b in machine.bars
    )
    return replace(machine, bars=bars, joints=tuple(_mirrored(joint, own) for joint in machine.joints))


def _mirrored(joint: Joint, own: Callable[[tuple[float, float], str], tuple[float, float]]) -> Joint:
    slides = tuple(own(slide, joint.a) for slide in joint.slides)
    speed = -joint.speed if joint.turns and joint.speed is not None else joint.speed
    return replace(joint, at_a=own(joint.at_a, joint.a), at_b=own(joint.at_b, joint.b), slides=slides, speed=speed)


MACHINES: dict[str, Callable[[], Mechanism]] = {
    "double pendulum with friction": lambda: rubbed(double_pendulum(), "knee"),
    "chain with friction": lambda: rubbed(chain(), "j1"),
    "five-bar": five_bar,
}


@pytest.mark.parametrize("name", MACHINES)
def test_left_and_right(name: str) -> None:
    machine = MACHINES[name]()
    one, other = (read(each).seen(TIMES) for each in (machine, mirrored(machine)))
    for bar in machine.bars:
        np.testing.assert_allclose(other.place[bar.name], one.place[bar.name] * (-1, 1, 1), atol=1e-7)
        np.testing.assert_allclose(other.turning[bar.name], -one.turning[bar.name], atol=1e-6)


def shaken(later: float) -> Mechanism:
    """A pendulum on a cart that follows a sine of the time, which began `later` before."""
    machine, rate, swing = crane(), 7.0, 0.05
    path = Path(f"0.1 + {swing}*sin({rate}*(t + {later!r}))", *(lambda t: t for _ in range(3)))
    rail = replace(machine.joint("rail"), path=path, given=False, speed=None)
    return with_joints(machine, {"rail": rail})


def test_a_clock_that_begins_later() -> None:
    """What goes on from a state on the way, with the path as late, is the rest of the run."""
    first, later = read(shaken(0.0)), 0.15
    seen, at = first.seen(np.array([later])), np.array([later])
    bars: list[Bar] = []
    for bar in first.machine.bars:
        R = seen.attitude[bar.name][0]
        place = (float(seen.place[bar.name][0, 0]), float(seen.place[bar.name][0, 1]))
        bars.append(replace(bar, place=place, angle=math.atan2(R[1, 0], R[0, 0])))
    machine = shaken(later)
    hook = replace(machine.joint("hook"), speed=float(first.number("hook.speeds", at)[0]))
    machine = with_joints(replace(machine, bars=tuple(bars)), {"hook": hook})
    rest, times = read(machine, until=0.25), np.linspace(0.0, 0.25, 6)
    for name in ("rail", "hook"):
        for what in ("coordinates", "speeds"):
            expected = first.number(f"{name}.{what}", times + later)
            np.testing.assert_allclose(rest.number(f"{name}.{what}", times), expected, atol=1e-7)


@pytest.mark.parametrize("method", ["multiplier", "zcp", "minimal"])
@pytest.mark.parametrize("make", [slider_crank, five_bar, pendulum])
def test_methods_agree(make: Callable[[], Mechanism], method: str) -> None:
    machine = make()
    auto, other = read(machine), read(machine, method)
    for joint in machine.joints:
        for what in ("coordinates", "speeds", "reaction_force", "reaction_torque"):
            one, two = (each.values(f"{joint.name}.{what}", TIMES) for each in (auto, other))
            assert np.abs(one - two).max() <= 2e-6 * max(1.0, float(np.abs(one).max())), (joint.name, what)


@pytest.mark.parametrize("renamed", [False, True])
def test_a_position_on_another_branch_adds_no_row(renamed: bool) -> None:
    """Three cranks can be put together so that they are rigid: there all four rows count, here three of them."""
    machine = three_cranks()
    bars = tuple(replace(b, mass=0.0, inertia=0.0) if b.name == "crank1" else b for b in machine.bars)
    model = model_of(replace(machine, bars=bars), renamed=renamed)
    redundancy = mb.compile(model, "zcp").reduced.redundancy
    assert (redundancy.rank, len(redundancy.dropped)) == (3, 1)
