"""The rate gyro (Tiernego and Bos 1985, second example) against our own reference A03b, and the paper's claims on it.

The table comes from Euler's equations by hand and from a spatial mechanism in absolute coordinates.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import multibond as mb
from multibond import rewrite
from multibond.examples import rate_gyro
from multibond.examples.rate_gyro import GIMBAL, ROTOR, SPIN, STIFFNESS
from multibond.graph.graph import Graph

from .table import Check, compare, table

TIGHT = {"rtol": 1e-11, "atol": 1e-14}
RATES: dict[str, float | Callable] = {"reference": 0.5, "reference_sine": lambda t: 0.5 * mb.sin(4 * mb.pi * t)}
CROSS = (0.3, -0.7)
TOTAL = np.add(GIMBAL, ROTOR)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("form", ["bodies", "carried", "unfolded"])
def test_trajectory(form: str, name: str) -> None:
    """Three bodies with 3-bonds, the rotor carried over, and all unfolded: tilt and its rate to 1e-8."""
    model = rate_gyro(RATES[name], carried=form == "carried")
    run = mb.simulate(model.open(depth=3) if form == "unfolded" else model, 1.0, **TIGHT)
    compare(run, table("A03b_rate_gyro", name), [Check("alpha", "tilt.q"), Check("alpha_d", "tilting.f")])
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("carried", [False, True])
def test_one_velocity_is_independent(carried: bool) -> None:
    """The casing's and the rotor's rates are given, so the gimbal's rate about x alone is free."""
    states = mb.compile(rate_gyro(carried=carried)).state_names
    assert [n for n in states if ".p" in n] == ["inertia_x.p" if carried else "inertia_gimbal.p[0]"]


# -- the ring ----------------------------------------------------------------------------------------------------------


def test_carrying_over_keeps_the_torques_on_the_casing() -> None:
    """In a casing that turns about all axes the torques at the joint agree about x, y and z, not only the tilt."""
    t = np.linspace(0.0, 0.3, 61)
    whole, carried = (mb.simulate(rate_gyro(cross=CROSS, carried=k), 0.3, **TIGHT) for k in (False, True))
    assert np.abs(whole["tilt.q"](t) - carried["tilt.q"](t)).max() < 1e-11
    torque = whole["joint_gimbal.e"](t)
    for k, axis in enumerate("xyz"):
        scale = np.abs(torque[:, k]).max()
        assert scale > 5e-5
        assert np.abs(torque[:, k] - carried[f"joint_{axis}.e"](t)).max() < 1e-9 * max(scale, 1e-2), axis


def carried_by_rewriting() -> Graph:
    """The paper's own way: the 0-junction over the rotor's transformer, then its inertia, then its gyrator."""
    graph: mb.Model | Graph = rate_gyro(cross=CROSS)
    for name in ("0-junction over transformer", "carry inertias", "carry gyrators"):
        (site,) = [s for s in rewrite.sites(graph, name) if any("rotor" in e for e in s.elements) and _first(s)]
        graph = rewrite.apply(graph, name, site).after
    assert isinstance(graph, Graph)
    return graph


def _first(site: rewrite.Site) -> bool:
    return not any(e.endswith("_2") for e in site.elements)


def test_carrying_over_by_rewriting() -> None:
    """What the rewritten graph's elements exert is the ring: ω × (J' ω), and J2y β' more across y alone."""
    run, t = mb.simulate(carried_by_rewriting(), 0.3, **TIGHT), np.linspace(0.0, 0.3, 61)
    names = ["inertia_gimbal", "gyroscopic_gimbal", "inertia_rotor_carried", "gyroscopic_rotor_carried"]
    torque = sum(run[f"{name}.e"](t) for name in names)
    ring = mb.simulate(rate_gyro(cross=CROSS, carried=True), 0.3, **TIGHT)
    turned = np.stack([ring[f"inertia_{axis}.e"](t) for axis in "xyz"], axis=1)
    w = run["gimbal.f"](t)
    extra = torque - turned - np.cross(w, TOTAL * w)
    assert extra == pytest.approx(ROTOR[1] * SPIN * np.stack([-w[:, 2], 0 * t, w[:, 0]], axis=1), abs=1e-11)
    assert np.abs(extra).max(axis=0)[[0, 2]].min() > 1e-3


def test_a_single_modulus_of_the_ring_differs() -> None:
    """Each modulus over a run is the momentum of both bodies as one, and about y J2y β' more."""
    t = np.linspace(0.01, 0.3, 59)
    run = mb.simulate(rate_gyro(cross=CROSS, carried=True), 0.3, **TIGHT)
    for k, axis in enumerate("xyz"):
        before, after = "xyz"[(k + 1) % 3], "xyz"[(k + 2) % 3]
        modulus = run[f"ring_{axis}.a.e"](t) / run[f"gimbal_{after}.f"](t)
        other = run[f"ring_{axis}.b.e"](t) / run[f"gimbal_{before}.f"](t)
        plain = TOTAL[k] * run[f"gimbal_{axis}.f"](t)
        print(f"ring_{axis}: plain {plain[-1]:+.6e}, here {modulus[-1]:+.6e}, more by {(modulus - plain)[-1]:+.6e}")
        assert np.abs(plain).max() > 1e-6
        for found in (modulus, other):
            expected = ROTOR[1] * SPIN if axis == "y" else 0.0
            assert np.abs(found - plain - expected).max() < 1e-15, axis


def test_the_reduced_equation_shows_the_modulus() -> None:
    """The program's own equation of the tilt is the paper's, with all its terms of order ν²."""
    text = str(mb.equations(rate_gyro(carried=True), "ring_y"))
    assert "rate_z.flow*cos(tilt.q)*(momentum_y.gain*rate_z.flow*sin(tilt.q) + spin_momentum.value)" in text
    assert "momentum_z.gain*rate_z.flow**2*cos(tilt.q)*sin(tilt.q)" in text


Row = list[Fraction]


def cross(a: Row, b: Row) -> Row:
    """a × b."""
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def times(a: Row, b: Row) -> Row:
    """Component by component."""
    return [x * y for x, y in zip(a, b, strict=True)]


def plus(*rows: Row) -> Row:
    """The sum."""
    return [sum(parts, Fraction(0)) for parts in zip(*rows, strict=True)]


def carried_remainder(rng: random.Random, *, symmetric: bool) -> tuple[Row, Row]:
    """Exactly: the torque on gimbal and rotor less that of one rigid body of both, and ω × (0, J2y β', 0).

    Both in rational numbers at a random place: angle β by its half-angle's tangent, inertias, rates, accelerations.
    """
    number = lambda: Fraction(rng.randint(-50, 50), rng.randint(1, 20))  # noqa: E731
    w, rate, spin, tangent = [number() for _ in range(3)], [number() for _ in range(3)], number(), number()
    gimbal, rotor = [abs(number()) + 1 for _ in range(3)], [abs(number()) + 1 for _ in range(3)]
    rotor[2] = rotor[0] if symmetric else rotor[0] + 1
    c, s = (1 - tangent**2) / (1 + tangent**2), 2 * tangent / (1 + tangent**2)
    turned = lambda v: [c * v[0] - s * v[2], v[1], s * v[0] + c * v[2]]  # noqa: E731
    back = lambda v: [c * v[0] + s * v[2], v[1], -s * v[0] + c * v[2]]  # noqa: E731
    w2 = plus(turned(w), [Fraction(0), spin, Fraction(0)])
    turning = [spin * (-s * w[0] - c * w[2]), Fraction(0), spin * (c * w[0] - s * w[2])]
    torque2 = plus(times(rotor, plus(turned(rate), turning)), cross(w2, times(rotor, w2)))
    torque = plus(times(gimbal, rate), cross(w, times(gimbal, w)), back(torque2))
    both = plus(gimbal, rotor)
    plain = plus(times(both, rate), cross(w, times(both, w)))
    return plus(torque, [-x for x in plain]), cross(w, [Fraction(0), rotor[1] * spin, Fraction(0)])


def test_the_ring_is_exact_for_a_symmetric_rotor_only() -> None:
    """A polynomial identity, held exactly at random rational places; without symmetry it fails."""
    rng = random.Random(1985)
    for _ in range(25):
        found, expected = carried_remainder(rng, symmetric=True)
        assert found == expected
    uneven = [carried_remainder(rng, symmetric=False) for _ in range(10)]
    assert all(found != expected for found, expected in uneven)


# -- eq. (13) ----------------------------------------------------------------------------------------------------------


def static_tilt(rate: float) -> float:
    """α = C cos α J2y β' ν, by Newton's method."""
    gain, tilt = ROTOR[1] * SPIN * rate / STIFFNESS, 0.0
    for _ in range(50):
        tilt -= (tilt - gain * np.cos(tilt)) / (1.0 + gain * np.sin(tilt))
    return float(tilt)


def test_static_relation_is_the_limit() -> None:
    """The tilt at rest tends to eq. (13) as ν², at 0.5 rad/s to the figure of the reference."""
    system = mb.compile(rate_gyro(carried=True))
    rates = np.array([0.8, 0.4, 0.2, 0.1])
    rest = [mb.simulate(mb.with_parameters(system, {"rate_z.flow": v}), 3.0, **TIGHT)["tilt.q"](3.0) for v in rates]
    error = np.array([abs(tilt / static_tilt(v) - 1.0) for tilt, v in zip(rest, rates, strict=True)])
    orders = np.diff(np.log(error)) / np.diff(np.log(rates))
    print("relative error of eq. (13):", error, "orders:", orders)
    assert np.abs(orders - 2.0).max() < 0.02
    assert static_tilt(0.5) == pytest.approx(0.04993766868610419, abs=1e-14)
    assert mb.simulate(system, 3.0, **TIGHT)["tilt.q"](3.0) == pytest.approx(0.04993835249073731, abs=1e-10)
