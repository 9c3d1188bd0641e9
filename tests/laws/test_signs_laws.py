"""Every law of storages, losses and elements with modes at one point computed by hand: no sign can be another.

At the given efforts, flows, states and signals all relations vanish, and rates, energy, guards and outputs are those
in the table. The numbers are all different and none is zero or one where that would hide a sign.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond.elements.law import LawWriter
from multibond.expr import SX
from multibond.graph.component import Element

Numbers = dict[str, Any]
J = np.array([[2.0, 0.5], [0.5, 3.0]])


@dataclass(frozen=True)
class Point:
    """An element, values at its ports (effort, flow), and what its law says there."""

    item: Element
    at: dict[str, tuple[Any, Any]]
    states: Numbers = field(default_factory=dict)
    signals: Numbers = field(default_factory=dict)
    rates: Numbers = field(default_factory=dict)
    energy: float | None = None
    guards: tuple[tuple[str, float], ...] = ()
    held: tuple[int, ...] = ()
    outputs: Numbers = field(default_factory=dict)


def port(e: Any, f: Any) -> dict[str, tuple[Any, Any]]:
    return {"port": (e, f)}


POINTS = {
    # storages
    "I": Point(mb.I("it", J), port((0.3, 0.4), (1.0, -2.0)), {"p": (1.0, -5.5)}, rates={"p": (0.3, 0.4)}, energy=6.0),
    "I by its flow": Point(
        mb.I("it", flow="p + p**3"), port(0.3, 10.0), {"p": 2.0}, rates={"p": 0.3}, energy=0.5 * 4 + 0.25 * 16
    ),
    "I by its energy": Point(
        mb.I("it", energy="p[0]**2 - p[0]*p[1] + p[1]**2"), port((0.3, 0.4), (-1.0, 5.0)), {"p": (1.0, 3.0)},
        rates={"p": (0.3, 0.4)}, energy=7.0,
    ),
    "C": Point(mb.C("it", J), port((1.0, -2.0), (0.3, 0.4)), {"q": (1.0, -5.5)}, rates={"q": (0.3, 0.4)}, energy=6.0),
    "C by its effort": Point(
        mb.C("it", effort="q + q**3"), port(10.0, 0.3), {"q": 2.0}, rates={"q": 0.3}, energy=0.5 * 4 + 0.25 * 16
    ),
    "C by its energy": Point(
        mb.C("it", energy="q[0]**2 - q[0]*q[1] + q[1]**2"), port((-1.0, 5.0), (0.3, 0.4)), {"q": (1.0, 3.0)},
        rates={"q": (0.3, 0.4)}, energy=7.0,
    ),
    "C that follows": Point(
        mb.C("it", 0.5, rest=0.7), port(4.6, 0.3), {"q": 0.0}, {"displacement": 3.0}, energy=0.25 * 4.6**2
    ),
    "C with a law that follows": Point(
        mb.C("it", effort="2*q", rest=0.7), port(4.6, 0.3), {"q": 0.0}, {"displacement": 3.0}, energy=2.3**2
    ),
    "C with an energy that follows": Point(
        mb.C("it", energy="q**2", rest=0.7), port(4.6, 0.3), {"q": 0.0}, {"displacement": 3.0}, energy=2.3**2
    ),
    "IC": Point(
        mb.IC("it", energy="q*p**2 + q**2"), {"c": (13.0, 0.3), "i": (0.4, 12.0)}, {"q": 2.0, "p": 3.0},
        rates={"q": 0.3, "p": 0.4}, energy=22.0,
    ),
    # losses
    "R": Point(mb.R("it", J), port((1.0, -5.5), (1.0, -2.0))),
    "R by its effort": Point(mb.R("it", effort="f + f**3"), port(10.0, 2.0)),
    "R by its flow": Point(mb.R("it", flow="e + e**3"), port(2.0, 10.0)),
    "G": Point(mb.G("it", J), port((1.0, -2.0), (1.0, -5.5))),
    "RS": Point(mb.RS("it", J), {"a": ((1.0, -5.5), (1.0, -2.0)), "heat": (4.0, 3.0)}),
    "RS by its effort": Point(mb.RS("it", effort="f + f**3"), {"a": (10.0, 2.0), "heat": (4.0, 5.0)}),
    "RS by its flow": Point(mb.RS("it", flow="e + e**3"), {"a": (2.0, 10.0), "heat": (4.0, 5.0)}),
    "Gyristor": Point(mb.Gyristor("it", [[1.0, 2.0], [-3.0, 4.0]]), port((8.0, 6.0), (2.0, 3.0))),
    "Gyristor, fed": Point(
        mb.Gyristor("it", size=2), port((8.0, 6.0), (2.0, 3.0)), signals={"input": (1.0, 2.0, -3.0, 4.0)}
    ),
    "EulerGyrator": Point(mb.EulerGyrator("it", (2.0, 3.0, 5.0)), port((12.0, -9.0, 2.0), (1.0, 2.0, 3.0))),
    # modes
    "Diode on": Point(
        mb.Diode("it", 0.7, 0.2, 0.1, mode="on"), port(1.086, 2.0), guards=(("off", 0.07 - 2.0),)
    ),
    "Diode off": Point(mb.Diode("it", 0.7, 0.2, 0.1, mode="off"), port(-3.0, -0.3), guards=(("on", -3.7),)),
    "Diode off, ideal": Point(mb.Diode("it", 0.7, mode="off"), port(-3.0, 0.0), guards=(("on", -3.7),), held=(0,)),
    "Diode of three": Point(
        mb.Diode("it", (0.1, 0.2, 0.3), mode="on off on"), port((0.1, -3.0, 0.3), (2.0, 0.0, 4.0)),
        guards=(("off off on", -2.0), ("on on on", -3.2), ("on off off", -4.0)), held=(1,),
    ),
    "Switch closed": Point(
        mb.Switch("it", "3 - t", 0.2, mode="closed"), port(0.4, 2.0), guards=(("open", 0.5 - 1.8),)
    ),
    "Switch open": Point(
        mb.Switch("it", "3 - t", 0.2, 0.1, mode="open"), port(4.0, 0.4), guards=(("closed", 1.8 - 0.5),)
    ),
    "Switch closed, fed": Point(
        mb.Switch("it", mode="closed"), port(0.0, 2.0), signals={"input": 0.2}, guards=(("open", 0.3),)
    ),
    "Switch open, fed": Point(
        mb.Switch("it", mode="open"), port(4.0, 0.0), signals={"input": 0.2}, guards=(("closed", -0.3),), held=(0,)
    ),
    "Friction forward": Point(
        mb.Friction("it", 2.0, 3.0, 0.5, 0.1, mode="forward"), port(2.0 + np.exp(-16.0) + 0.2, 2.0),
        guards=(("stick", -2.0),),
    ),
    "Friction backward": Point(
        mb.Friction("it", 2.0, 3.0, 2.0, 0.1, mode="backward"), port(-2.0 - np.exp(-0.25) - 0.1, -1.0),
        guards=(("stick", -1.0),),
    ),
    "Friction that sticks": Point(
        mb.Friction("it", 2.0, 3.0, mode="stick"), port(1.2, 0.0), held=(0,),
        guards=(("forward", -1.8), ("backward", -4.2)),
    ),
    "Friction, pressed": Point(
        mb.Friction("it", 2.0, 3.0, mode="forward"), port(5.0, 0.7), signals={"normal": 2.5}, guards=(("stick", -0.7),)
    ),
    "Friction that sticks, pressed": Point(
        mb.Friction("it", 2.0, 3.0, mode="stick"), port(1.2, 0.0), signals={"normal": 2.5}, held=(0,),
        guards=(("forward", 1.2 - 7.5), ("backward", -8.7)),
    ),
    "Friction, let go": Point(
        mb.Friction("it", 2.0, 3.0, viscous=0.1, mode="forward"), port(0.07, 0.7), signals={"normal": -2.5},
        guards=(("stick", -0.7),),
    ),
    "Stop, free": Point(
        mb.Stop("it", lower=-1.0, upper=2.0, mode="free"), port(0.0, 0.3), {"q": 0.4}, rates={"q": 0.3},
        guards=(("upper", -1.6), ("lower", -1.4)),
    ),
    "Stop at the upper end": Point(
        mb.Stop("it", lower=-1.0, upper=2.0, mode="upper"), port(5.0, 0.0), {"q": 2.0}, rates={"q": 0.0},
        guards=(("free", -5.0),), held=(0,),
    ),
    "Stop at the lower end": Point(
        mb.Stop("it", lower=-1.0, upper=2.0, mode="lower"), port(-5.0, 0.0), {"q": -1.0}, rates={"q": 0.0},
        guards=(("free", -5.0),), held=(0,),
    ),
    "Stop that follows": Point(
        mb.Stop("it", lower=-1.0, mode="free"), port(0.0, 0.3), {"q": 9.0}, {"displacement": 0.4},
        guards=(("lower", -1.4),),
    ),
}  # fmt: skip


def written(point: Point) -> LawWriter:
    """The law at the point; the time is 1.2 s."""

    def column(value: Any) -> SX:
        return SX(np.atleast_1d(np.asarray(value, float)))

    law = LawWriter(
        {name: column(e) for name, (e, _) in point.at.items()},
        {name: column(f) for name, (_, f) in point.at.items()},
        {name: column(value) for name, value in point.signals.items()},
        {name: SX.sym(name, np.size(value)) for name, value in point.states.items()},
        dict.fromkeys(point.at, True),
        time=SX(1.2),
    )
    point.item.law(law)
    return law


def number(point: Point, law: LawWriter, expression: Any) -> np.ndarray:
    """An expression at the states of the point."""
    symbols = list(law.states.values())
    values = [ca.DM(np.atleast_1d(np.asarray(point.states[name], float))) for name in law.states]
    return np.asarray(ca.Function("n", symbols, [ca.densify(SX(expression))]).call(values)[0]).ravel()


@pytest.mark.parametrize("name", POINTS)
def test_a_law_at_a_point(name: str) -> None:
    point = POINTS[name]
    law = written(point)
    for relation in law.relations:
        np.testing.assert_allclose(number(point, law, relation), 0.0, atol=1e-12)
    assert sum(relation.numel() for relation in law.relations) + len(law.held) == sum(
        np.size(e) for e, _ in point.at.values()
    )
    assert tuple(law.held) == point.held
    assert law.rates.keys() == point.rates.keys()
    for state, rate in point.rates.items():
        np.testing.assert_allclose(number(point, law, law.rates[state]), np.ravel(rate), atol=1e-12)
    if point.energy is not None:
        assert law.energy is not None
        np.testing.assert_allclose(number(point, law, law.energy), point.energy, rtol=1e-12)
    assert [mode for mode, _ in law.switches] == [mode for mode, _ in point.guards]
    for (_, when), (_, expected) in zip(law.switches, point.guards, strict=True):
        np.testing.assert_allclose(number(point, law, when), expected, atol=1e-12)


def test_a_friction_without_static_holds_what_it_slides_with() -> None:
    point = Point(mb.Friction("it", 2.0, mode="stick"), port(1.2, 0.0))
    law = written(point)
    assert [float(number(point, law, when)[0]) for _, when in law.switches] == [-0.8, -3.2]


def test_kinks_of_laws_are_told() -> None:
    """Where the formula of a law has a kink, the law has an edge, once."""
    for item, state in (
        (mb.C("it", effort="maximum(q - 0.5, 0)"), {"q": 0.7}),
        (mb.C("it", energy="maximum(q - 0.5, 0)**2"), {"q": 0.7}),
        (mb.I("it", energy="maximum(p - 0.5, 0)**2"), {"p": 0.7}),
    ):
        point = Point(item, port(0.2, 0.2), state)
        law = written(point)
        assert [float(number(point, law, where)[0]) for where, _ in law.edges] == [pytest.approx(0.2)]
