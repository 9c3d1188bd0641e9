"""Expressions of angles that leave whole turns out: the same values; where sine and cosine suffice, no turns at all."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond.equations.angles import Symbols, in_turn
from multibond.equations.consistent import angle_states
from multibond.examples.four_bar import four_bar
from multibond.expr import SX, Function
from multibond.rotation import TURN, whole_turns, without_turns

Law = Callable[[SX, SX, SX], SX]
Q, N, P, TIME = SX.sym("q", 3), SX.sym("n", 3), SX.sym("p", 2), SX.sym("t")

BLIND: dict[str, Law] = {
    "one angle": lambda q, p, t: ca.sin(q[0]) + ca.cos(q[1]) ** 2,
    "a sum with whole factors": lambda q, p, t: ca.cos(2 * q[0] - q[1] + 3 * q[2] + p[0]),
    "a tangent": lambda q, p, t: ca.tan(q[0] - q[1]),
    "turned round": lambda q, p, t: ca.sin(-q[0]),
    "a product that cancels": lambda q, p, t: ca.sin((q[0] + q[1]) / 2 * 2),
    "a difference of one angle": lambda q, p, t: (q[0] + q[1]) - q[0] - q[1] + q[2] * 0,
}
SEEING: dict[str, Law] = {
    "the angle itself": lambda q, p, t: q[0],
    "a spring": lambda q, p, t: -p[0] * (q[0] - p[1]),
    "a gear": lambda q, p, t: q[0] - p[0] * q[1] + 0.3,
    "half an angle": lambda q, p, t: ca.sin(q[0] / 2) + ca.cos(p[0] * q[1]),
    "a square": lambda q, p, t: q[0] ** 2 + ca.fabs(q[1]) + ca.fmax(q[2], 1.0),
    "next to another": lambda q, p, t: ca.sin(q[0]) + TURN * ca.floor((q[1] - ca.sin(q[0])) / TURN + 0.5),
    "a step": lambda q, p, t: ca.if_else(q[0] > p[0], q[1], 2.0),
    "a quotient": lambda q, p, t: 1.0 / (1.5 + q[0] ** 2) + q[1] / p[0],
    "a way": lambda q, p, t: q[0] * p[1] + ca.cos(q[0]),
}
PATHS: dict[str, Law] = {
    "from a path": lambda q, p, t: ca.sin(q[0] - (p[0] + 300 * t)),
    "towards a path": lambda q, p, t: (p[0] + 300 * t) - q[0],
    "a path with a factor": lambda q, p, t: ca.cos(2 * q[0] + (p[0] - 600 * t)),
}
ALL = BLIND | SEEING | PATHS


def turned(law: Law) -> tuple[SX, tuple[int, ...]]:
    (found,), read = in_turn([law(Q, P, TIME)], Symbols(Q, N, P, TIME))
    return found, read


@pytest.mark.parametrize("name", ALL)
def test_values_are_those_of_the_total_angles(name: str) -> None:
    rng = np.random.default_rng(3)
    plain = Function("plain", [Q, P, TIME], [ALL[name](Q, P, TIME)])
    other = Function("other", [Q, N, P, TIME], [turned(ALL[name])[0]])
    for _ in range(20):
        q, n, p = rng.uniform(-5, 5, 3), rng.integers(-9, 9, 3), rng.uniform(0.3, 2.0, 2)
        t = float(rng.uniform(0.0, 1.0))
        np.testing.assert_allclose(float(other(q, n, p, t)), float(plain(q + TURN * n, p, t)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", BLIND)
def test_sines_of_sums_see_no_turns(name: str) -> None:
    assert not ca.depends_on(turned(BLIND[name])[0], N)


@pytest.mark.parametrize("name", SEEING)
def test_whatever_else_reads_an_angle_sees_them(name: str) -> None:
    assert ca.depends_on(turned(SEEING[name])[0], N)


def test_it_is_told_which_angles_sines_read() -> None:
    assert turned(BLIND["one angle"])[1] == (0, 1)
    assert turned(SEEING["a spring"])[1] == ()
    assert turned(SEEING["a way"])[1] == (0,)


def test_a_difference_of_large_numbers_keeps_its_digits() -> None:
    """At a million radians a gap between angle and path moves with the angle's own last digit."""
    gap = Function("gap", [Q, N, P, TIME], [turned(PATHS["from a path"])[0]])
    t, n = 4000.0, round((0.5 + 300 * 4000.0) / TURN)
    q = without_turns(0.5 + 300 * 4000.0, n)
    here, there = (float(gap([angle, 0.0, 0.0], [n, 0, 0], [0.5, 0.0], t)) for angle in (q, q + 1e-13))
    assert there - here == pytest.approx(1e-13, rel=1e-2)
    assert abs(here) < 4 * np.spacing(1.2e6)


def test_parts_of_a_turn_are_rounded_once() -> None:
    """Of a billion radians, by whole numbers: 2π to fifty digits."""
    assert whole_turns(np.array([3.0, -6.2, 6.5, -1e9, np.inf, np.nan])).tolist()[:4] == [0.0, 0.0, 1.0, -159154943.0]
    assert without_turns(1e9, 159154943) == pytest.approx(0.5773954235013852, abs=1e-16)
    assert np.sin(without_turns(1e9, 159154943)) == pytest.approx(np.sin(1e9), abs=1e-16)


def test_what_a_system_tells_of_its_angles() -> None:
    """The states that sines read are those that turn; the numbers behind the parameters are no parameters."""
    system = mb.compile(four_bar())
    dae = system.dae
    assert [angle.state for angle in dae.angles] == angle_states(dae)
    assert len({angle.turns for angle in dae.angles}) == len(dae.angles)
    assert all(dae.np_ <= angle.turns < system.parameters.size for angle in dae.angles)
    assert not system.parameters[dae.turns].any()
    assert f"{dae.np_} parameters" in repr(system)
    names = [name for name in mb.equations(four_bar()).parameters if "turn" in name]
    assert not names
