"""Estimated errors against true ones, by closed forms: never more than ten times too small, nor absurdly large."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.special import ellipj, ellipk
from tests.cli.typed import command
from tests.solve.test_account import row

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.examples import EXAMPLES

Truth = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Case:
    """A machine, the variable that is known, and what it is over time."""

    model: mb.Model
    name: str
    truth: Truth
    until: float = 5.0
    options: dict[str, Any] = field(default_factory=dict)


def branch(*elements: Any, name: str = "loop") -> mb.Model:
    """Elements that share a flow; sources give into it."""
    model = mb.Model(name)
    one = model.add(mb.One("one"))
    for element in elements:
        if isinstance(element, mb.Se):
            model.bond(element, one)
        else:
            model.bond(one, element)
    return model


def linear(A: Any, start: Any, which: int) -> Truth:
    A, start = np.array(A, float), np.array(start, float)
    return lambda t: np.array([(expm(A * s) @ start)[which] for s in t])


def oscillator(damping: float, stiffness: float = 25.0, **options: Any) -> Case:
    model = branch(mb.I("mass", 1.0, start=1.0), mb.C("spring", 1 / stiffness), mb.R("damper", damping))
    truth = linear([[-damping, -stiffness], [1.0, 0.0]], [1.0, 0.0], 1)
    return Case(model, "spring.q", truth, options=options)


def charging() -> Case:
    model = branch(mb.Se("source", 3.0), mb.C("tank", 2.0), mb.R("pipe", 0.5))
    return Case(model, "tank.q", lambda t: 6.0 * (1 - np.exp(-t)))


def switched_source() -> Case:
    """A source of 1 that begins at 1.3."""
    model = branch(mb.Se("source", "where(t > 1.3, 1.0, 0.0)"), mb.C("tank", 1.0), mb.R("pipe", 1.0))
    return Case(model, "tank.q", lambda t: np.where(t > 1.3, 1 - np.exp(-np.maximum(t - 1.3, 0)), 0.0))


def driven() -> Case:
    """x'' + 25 x = sin 3 t from rest: (sin 3 t - 3/5 sin 5 t) / 16."""
    model = branch(mb.Se("source", "sin(3*t)"), mb.I("mass", 1.0), mb.C("spring", 0.04))
    return Case(model, "spring.q", lambda t: (np.sin(3 * t) - 0.6 * np.sin(5 * t)) / 16)


def valve() -> Case:
    """L i' = 12 sin 2 t - R i until i would become negative, then none until the next half wave."""
    model = branch(mb.Se("source", "12*sin(2*t)"), mb.I("coil", 1.0), mb.R("wire", 1.0), mb.Diode("valve"))

    def truth(t: np.ndarray) -> np.ndarray:
        current = 12 / 5 * (np.sin(2 * t) - 2 * np.cos(2 * t) + 2 * np.exp(-t))
        return np.where(current > 0, current, 0.0)

    return Case(model, "coil.p", truth, until=3.0)


def dragged() -> Case:
    """m v' = F - c v |v| from rest: v = sqrt(F/c) tanh(t sqrt(F c) / m)."""
    model = branch(mb.Se("pull", 4.0), mb.I("mass", 1.0), mb.R("drag", effort="0.5*f*abs(f)"))
    return Case(model, "mass.p", lambda t: np.sqrt(8.0) * np.tanh(t * np.sqrt(2.0)))


def pendulum(**options: Any) -> Case:
    """A plane pendulum from rest at 2 rad, by Jacobi's functions: sin(q/2) = k sn(K - w t)."""
    model = mb.Model("pendulum")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge", angle=2.0))
    mass = model.add(sp.Body("bob", mass=1.0, inertia=(0, 0, 0), centre=(0.0, -1.0, 0.0)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, mass.frame)
    k, w = np.sin(1.0), np.sqrt(9.81)
    truth = lambda t: 2 * np.arcsin(k * ellipj(ellipk(k**2) - w * t, k**2)[0])  # noqa: E731
    return Case(model, "hinge.angle", truth, options=options)


def bouncing() -> Case:
    """A mass let go at 1 m falls on a stop and is thrown back with 0.8 of its speed."""
    model = mb.Model("ball")
    model.add(tr.Mass("ball", 1.0))
    model.add(tr.Force("weight", -9.81))
    model.add(tr.Stop("floor", lower=0.0, restitution=0.8, position=1.0))
    model.add(tr.Fixed("ground"))
    model.connect("weight.flange", "ball.flange", "floor.flange_b")
    model.connect("ground.flange", "floor.flange_a")

    def truth(t: np.ndarray) -> np.ndarray:
        out, begin, speed, height = np.zeros_like(t), 0.0, 0.0, 1.0
        while begin < t[-1]:
            out = np.where(t >= begin, height + speed * (t - begin) - 4.905 * (t - begin) ** 2, out)
            flight = (speed + np.sqrt(speed**2 + 2 * 9.81 * height)) / 9.81
            speed, height, begin = 0.8 * (9.81 * flight - speed), 0.0, begin + flight
        return out

    return Case(model, "floor.position", truth, until=2.0)


def evenly() -> Case:
    """A parallelogram without weights, through positions in which it is singular."""
    return Case(row(1), "A0.angle", lambda t: 1.0 + 5.0 * t, until=2.0)


def shafts() -> Case:
    """Two discs on a shaft: they swing against one another about their mean turning."""
    model = mb.Model("shafts")
    model.add(ro.Inertia("first", 1.0, speed=2.0))
    model.add(ro.Inertia("second", 3.0))
    model.add(ro.Spring("shaft", 12.0))
    model.connect("first.flange", "shaft.flange_a")
    model.connect("shaft.flange_b", "second.flange")
    return Case(model, "first.speed", lambda t: 0.5 + 1.5 * np.cos(4 * t))


CASES: dict[str, Callable[[], Case]] = {
    "undamped": lambda: oscillator(0.0),
    "damped": lambda: oscillator(1.0),
    "creeping": lambda: oscillator(40.0),
    "stiff": lambda: oscillator(2000.0),
    "loose tolerance": lambda: oscillator(0.5, rtol=1e-5, atol=1e-8),
    "dopri5": lambda: oscillator(0.5, solver="dopri5"),
    "rodas5p": lambda: oscillator(0.5, solver="rodas5p"),
    "rk4": lambda: oscillator(0.5, solver="rk4", step=0.01),
    "heun": lambda: oscillator(0.5, solver="heun", step=0.002),
    "euler": lambda: oscillator(0.5, solver="euler", step=0.001),
    "charging": charging,
    "switched source": switched_source,
    "driven": driven,
    "valve": valve,
    "dragged": dragged,
    "pendulum": pendulum,
    "pendulum by rodas5p": lambda: pendulum(solver="rodas5p"),
    "bouncing": bouncing,
    "evenly": evenly,
    "shafts": shafts,
}


@pytest.mark.parametrize("name", CASES)
def test_against_truth(name: str) -> None:
    """At the times compared and at as many between; rounding aside, an estimate is not ten times too small."""
    case = CASES[name]()
    run = mb.simulate(case.model, case.until, **case.options)
    made = run.error_estimate(case.name)
    times = np.unique(np.concatenate([made.times, np.linspace(0.0, case.until, 997)]))
    true = float(np.abs(run[case.name](times) - case.truth(times)).max())
    rounding = 1e-14 * made.size
    print(f"{name}: estimated {made.largest:.2e}, true {true:.2e}")
    assert 10.0 * made.largest >= true - rounding
    assert made.largest <= 30.0 * true + rounding + 1e-13


def test_an_estimate_is_a_function_of_time() -> None:
    case = oscillator(0.0)
    run = mb.simulate(case.model, 5.0)
    made = run.accuracy()
    assert [each.name for each in made.estimates] == ["mass.p", "spring.q"]
    one = made["spring.q"]
    assert one(one.time) == pytest.approx(one.largest) and one(0.0) < one.largest
    assert one(np.array([0.0, 5.0])).shape == (2,) and one.relative == one.largest / one.size
    assert not made.chaotic and "against dop853 with rtol 1e-11" in str(made)


def test_chaos_is_said() -> None:
    """A chain of six bars in space thrown about: its errors grow tenfold twice a second."""
    made = mb.simulate(EXAMPLES["arm"](), 8.0).accuracy("joint0.angle")
    one = made["joint0.angle"]
    assert made.chaotic and 0.2 < one.tenfold < 2.0 and 5.0 < one.lost < 8.0
    assert "errors grow tenfold every" in str(made) and "nothing of it is left after" in str(made)


def test_instants_are_displaced_and_told() -> None:
    case = bouncing()
    made = mb.simulate(case.model, case.until, rtol=1e-4, solver="dopri5").accuracy("ball.velocity")
    assert 0.0 <= made.shift < 1e-6 and made.parted is None
    assert made["ball.velocity"].largest < 1e-3  # and not the jump of 8 m/s


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.mbg"
    mb.save(EXAMPLES["pendulum"](), path)
    printed = command("run", path, "--until", "1", "--accuracy", "--audit", "-v", "hinge.angle")
    assert printed.exit_code == 0 and "estimated errors, against" in printed.stdout
    assert "nothing is wrong that this can see" in printed.stdout
    found = json.loads(command("run", path, "--until", "1", "--accuracy", "--audit", "--json").stdout)
    assert found["audit"]["ok"] and {row["name"] for row in found["accuracy"]["errors"]} >= {"hinge.angle"}


def test_soft_joints_are_said() -> None:
    """Springs in the place of a hinge move the pendulum by far more than either run is wrong about them."""
    run = mb.simulate(EXAMPLES["pendulum"](), 1.0, method="rc")
    made = run.accuracy("hinge.angle")
    assert made.soft and made.to_dict()["soft"] and "springs and dampers stand for constraints" in str(made)
    assert "springs and dampers" not in str(mb.simulate(EXAMPLES["pendulum"](), 1.0, method="multiplier").accuracy())
