"""Storages with laws of their own and fields of both kinds, on whole trajectories: closed forms and SciPy."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import multibond as mb
from multibond import errors
from multibond.elements import Gas
from multibond.elements.storage import work_of
from multibond.own import Inside, Part, component

from .by_scipy import by_scipy, close

TIMES = np.linspace(0.0, 4.0, 81)
K, HARD, AMPLITUDE = 2.0, 3.0, 1.5
OMEGA = np.sqrt(K + HARD * AMPLITUDE**2)
MODULUS = HARD * AMPLITUDE**2 / (2.0 * OMEGA**2)


def oscillator(*items: mb.Element, size: int | None = None) -> mb.Model:
    """Elements on one 1-junction."""
    model = mb.Model("oscillator")
    motion = model.add(mb.One("motion", size=size))
    for item in items:
        model.bond(motion, item)
    return model


def exact(model: mb.Model, until: float = 4.0, **options: object) -> mb.Run:
    return mb.simulate(model, until, rtol=1e-12, atol=1e-14, **options)  # type: ignore[arg-type]


# -- one component ---------------------------------------------------------------------------------------------------

HARDENING = {
    "effort": lambda: mb.C("spring", effort=lambda q: K * q + HARD * q**3, start=AMPLITUDE),
    "energy": lambda: mb.C("spring", energy=lambda q: 0.5 * K * q**2 + 0.25 * HARD * q**4, start=AMPLITUDE),
    "text": lambda: mb.C("spring", effort=f"{K}*q + {HARD}*q**3", start=AMPLITUDE),
}


@pytest.mark.parametrize("law", HARDENING)
def test_hardening_spring(law: str) -> None:
    """Duffing without damping: q = A cn(ω t | m), v = -A ω sn dn, with ω² = k + h A², m = h A² / 2ω²."""
    run = exact(oscillator(mb.I("mass", 1.0), HARDENING[law]()))
    sn, cn, dn, _ = ellipj(OMEGA * TIMES, MODULUS)
    close(run["spring.q"](TIMES), AMPLITUDE * cn)
    close(run["mass.f"](TIMES), -AMPLITUDE * OMEGA * sn * dn)
    close(run["spring.e"](TIMES), K * AMPLITUDE * cn + HARD * (AMPLITUDE * cn) ** 3)


@pytest.mark.parametrize("law", HARDENING)
def test_period_of_a_hardening_spring(law: str) -> None:
    """T = 4 K(m) / ω, from the zero crossings; its energy moves over to the mass and back."""
    period = 4.0 * ellipk(MODULUS) / OMEGA
    run = exact(oscillator(mb.I("mass", 1.0), HARDENING[law]()), 1.5 * period, events={"spring.q": 0.0})
    np.testing.assert_allclose([c.time for c in run.events], [0.25 * period, 0.75 * period, 1.25 * period], rtol=1e-11)
    quarter = exact(oscillator(mb.I("mass", 1.0), HARDENING[law]()), 0.25 * period).energy()
    energy = 0.5 * K * AMPLITUDE**2 + 0.25 * HARD * AMPLITUDE**4
    assert quarter.elastic == pytest.approx(-energy, rel=1e-11)
    assert quarter.kinetic == pytest.approx(energy, rel=1e-11)
    assert quarter.residual < 1e-11


@pytest.mark.parametrize(
    "coil",
    [
        lambda: mb.I("coil", flow=lambda p: K * p + HARD * p**3, start=AMPLITUDE),
        lambda: mb.I("coil", energy=lambda p: 0.5 * K * p**2 + 0.25 * HARD * p**4, start=AMPLITUDE),
    ],
    ids=["flow", "energy"],
)
def test_saturating_coil(coil: Callable[[], mb.I]) -> None:
    """The dual: flux in place of displacement, a condenser in place of the mass, q = ∫ f and p' = -q."""
    run = exact(oscillator(coil(), mb.C("condenser", 1.0)))
    sn, cn, dn, _ = ellipj(OMEGA * TIMES, MODULUS)
    close(run["coil.p"](TIMES), AMPLITUDE * cn)
    close(run["condenser.q"](TIMES), AMPLITUDE * OMEGA * sn * dn)
    assert run.energy().residual < 1e-11
    assert run.energy().kinetic == pytest.approx(-run.energy().elastic, abs=1e-10)


def test_spring_that_follows_a_displacement() -> None:
    """With the signal the law is one of displacement - rest; here a sensor gives it."""
    model = oscillator(mb.I("mass", 2.0), mb.Dq("place", start=1.0))
    spring = mb.C("spring", effort=lambda q: 4.0 * q + q**3, rest=0.3)
    model.bond("motion", spring)
    model.signal("place.value", "spring.displacement")
    run = exact(model)
    expected = by_scipy(lambda t, x: [x[1], -(4.0 * (x[0] - 0.3) + (x[0] - 0.3) ** 3) / 2.0], [1.0, 0.0], TIMES)
    close(run["place.value"](TIMES), expected[:, 0])
    close(run["mass.f"](TIMES), expected[:, 1])
    assert run.energy().residual < 1e-11


@pytest.mark.parametrize("kind", ["compliance", "energy"])
def test_rest_of_every_kind_of_spring(kind: str) -> None:
    """A spring of 4 N/m with a rest of 0.3 m, let go at 1 m: q = 0.3 + 0.7 cos(√2 t)."""
    law = {"compliance": 0.25} if kind == "compliance" else {"energy": lambda q: 2.0 * q**2}
    model = oscillator(mb.I("mass", 2.0), mb.Dq("place", start=1.0))
    model.bond("motion", mb.C("spring", rest=0.3, **law))
    model.signal("place.value", "spring.displacement")
    run = exact(model)
    close(run["place.value"](TIMES), 0.3 + 0.7 * np.cos(np.sqrt(2.0) * TIMES))
    assert run.energy().residual < 1e-11


# -- kinks -----------------------------------------------------------------------------------------------------------


def slack_reference() -> np.ndarray:
    """Free between -0.3 and 0.5, a spring of 10 beyond either: sines and straight lines, from 0.9 at rest."""
    w, v, left, right = np.sqrt(10.0), 0.4 * np.sqrt(10.0), -0.3, 0.5
    bow, way = np.pi / w, (right - left) / v
    starts = np.cumsum([0.0, 0.5 * bow, way, bow, way, bow, way, bow, way, bow])
    pieces: list[Callable[[np.ndarray], np.ndarray]] = [lambda s: right + 0.4 * np.cos(w * s)]
    for k in range(1, 10):
        side, sign = (right, 1.0) if k % 4 in (1, 0) else (left, -1.0)
        if k % 2:
            pieces.append(lambda s, side=side, sign=sign: side - sign * v * s)
        else:
            pieces.append(lambda s, side=side, sign=sign: side + sign * 0.4 * np.sin(w * s))
    owner = np.searchsorted(starts, TIMES, side="right") - 1
    return np.array([pieces[k](t - starts[k]) for k, t in zip(owner, TIMES, strict=True)])


SLACK = {
    "where": "10 * where(q > 0.5, q - 0.5, where(q < -0.3, q + 0.3, 0))",
    "maximum": "10 * maximum(q - 0.5, 0) + 10 * minimum(q + 0.3, 0)",
    "table": "table(q, [-1.3, -0.3, 0.5, 1.5], [-10, 0, 0, 10], extend)",
}


@pytest.mark.parametrize("law", SLACK)
def test_spring_with_slack(law: str) -> None:
    """Kinks of a law are hit exactly, and its energy is integrated from kink to kink."""
    run = exact(oscillator(mb.I("mass", 1.0), mb.C("spring", effort=SLACK[law], start=0.9)))
    close(run["spring.q"](TIMES), slack_reference())
    assert run.energy().residual < 1e-11
    for time in (0.4, 1.0, 1.3):
        part = mb.simulate(oscillator(mb.I("mass", 1.0), mb.C("spring", effort=SLACK[law], start=0.9)), time)
        q = float(part["spring.q"](time))
        held = 5.0 * (max(q - 0.5, 0.0) ** 2 + min(q + 0.3, 0.0) ** 2)
        assert part.energy().elastic == pytest.approx(held - 0.8, abs=1e-9)


@pytest.mark.parametrize("q", [-2.0, -0.4, 0.3, 0.7, 1.5])
def test_energy_between_kinks_in_any_order(q: float) -> None:
    """Three kinks, written from the far one to the near one: the work is exact between them."""
    law = mb.C("it", effort="4*maximum(q - 1, 0) + 10*maximum(q - 0.5, 0) + 2*minimum(q + 0.2, 0) + q").effort
    symbol = ca.SX.sym("q")
    work = ca.Function("work", [symbol], [work_of(law, "q", symbol)])
    exact_work = 2 * max(q - 1, 0) ** 2 + 5 * max(q - 0.5, 0) ** 2 + min(q + 0.2, 0) ** 2 + 0.5 * q**2
    assert float(work(q)) == pytest.approx(exact_work, rel=1e-13)


def test_spring_with_slack_by_its_energy() -> None:
    energy = "5 * maximum(q - 0.5, 0)**2 + 5 * minimum(q + 0.3, 0)**2"
    run = exact(oscillator(mb.I("mass", 1.0), mb.C("spring", energy=energy, start=0.9)))
    close(run["spring.q"](TIMES), slack_reference())
    assert run.energy().residual < 1e-11


# -- several components ----------------------------------------------------------------------------------------------

COUPLED = "1.5*q[0]**2 + q[1]**2 + 0.8*q[0]*q[1] + 0.5*q[0]**2*q[1]"
SLOPES = "[3*q[0] + 0.8*q[1] + q[0]*q[1], 2*q[1] + 0.8*q[0] + 0.5*q[0]**2]"


def slopes(q: np.ndarray) -> list[float]:
    """By hand: the gradient of the coupled energy."""
    return [3 * q[0] + 0.8 * q[1] + q[0] * q[1], 2 * q[1] + 0.8 * q[0] + 0.5 * q[0] ** 2]


@pytest.mark.parametrize("law", [{"energy": COUPLED}, {"effort": SLOPES}], ids=["energy", "effort"])
def test_coupled_springs(law: dict[str, str]) -> None:
    """Two masses in a field that couples them: e is the gradient of the energy."""
    run = exact(oscillator(mb.I("mass", (1.0, 2.0)), mb.C("spring", start=(0.6, -0.4), active=True, **law)))
    expected = by_scipy(lambda t, x: [x[2], x[3], -slopes(x)[0], -slopes(x)[1] / 2.0], [0.6, -0.4, 0.0, 0.0], TIMES)
    close(run["spring.q"](TIMES), expected[:, :2])
    close(run["mass.f"](TIMES), expected[:, 2:])
    assert run.energy().residual < 1e-11


@pytest.mark.parametrize(
    "law",
    [{"energy": COUPLED.replace("q", "p")}, {"flow": SLOPES.replace("q", "p")}],
    ids=["energy", "flow"],
)
def test_coupled_inertias(law: dict[str, str]) -> None:
    """Momenta of two that are coupled, each on its own spring: p' = -q / C, q' = the gradient of the energy."""
    run = exact(oscillator(mb.I("mass", start=(0.6, -0.4), active=True, **law), mb.C("springs", (1.0, 0.5))))
    expected = by_scipy(lambda t, x: [-x[2], -2.0 * x[3], *slopes(x)], [0.6, -0.4, 0.0, 0.0], TIMES)
    close(run["mass.p"](TIMES), expected[:, :2])
    close(run["springs.q"](TIMES), expected[:, 2:])
    assert run.energy().residual < 1e-11


@pytest.mark.parametrize("law", [{"effort": lambda q: 2 * q + q**3}, {"energy": lambda q: q**2 + q**4 / 4}])
def test_one_formula_for_all_components(law: dict[str, object]) -> None:
    """Each component follows the law on its own; energies of components add up."""
    start = (1.0, -0.5, 0.2)
    run = exact(oscillator(mb.I("mass", 1.0), mb.C("spring", start=start, **law), size=3))  # type: ignore[arg-type]
    for k, q in enumerate(start):
        expected = by_scipy(lambda t, x: [x[1], -2 * x[0] - x[0] ** 3], [q, 0.0], TIMES)
        close(run["spring.q"](TIMES)[:, k], expected[:, 0])
    held = sum(q**2 + q**4 / 4 for q in run["spring.q"](4.0)) - sum(q**2 + q**4 / 4 for q in start)
    assert run.energy().elastic == pytest.approx(held, abs=1e-11)


@pytest.mark.parametrize("kind", ["C", "I"])
def test_a_law_from_no_energy_is_refused(kind: str) -> None:
    """A turning field would yield power in every cycle."""
    law = {"effort": "[q[0] + q[1], q[1] - q[0]]"} if kind == "C" else {"flow": "[p[0] + p[1], p[1] - p[0]]"}
    with pytest.raises(errors.ParameterError, match=r"comes from no energy.*\n.*differ by 2"):
        (mb.C if kind == "C" else mb.I)("turning", **law)


def test_a_lopsided_matrix_is_refused() -> None:
    with pytest.raises(errors.ParameterError, match="compliance"):
        mb.C("turning", [[1.0, 0.5], [-0.5, 1.0]])


# -- dependent storages ----------------------------------------------------------------------------------------------


def test_two_condensers_one_of_them_with_a_law() -> None:
    """Side by side they share their voltage: q₁ = C e, e = q₂ + q₂³; together they empty through 2 ohm."""
    model = mb.Model("pair")
    node = model.add(mb.Zero("node"))
    model.bond(node, mb.C("plain", 0.5))
    model.bond(node, mb.C("stiff", effort=lambda q: q + q**3, start=1.2))
    model.bond(node, mb.R("leak", 2.0))
    run = exact(model)

    def share(total: float) -> float:
        return brentq(lambda q: q + 0.5 * (q + q**3) - total, -10.0, 10.0, xtol=1e-15)

    e0 = 1.2 + 1.2**3
    total = by_scipy(lambda t, x: [-(share(x[0]) + share(x[0]) ** 3) / 2.0], [1.2 + 0.5 * e0], TIMES)[:, 0]
    q = np.array([share(v) for v in total])
    close(run["stiff.q"](TIMES), q, 1e-9)
    close(run["plain.e"](TIMES), q + q**3, 1e-9)
    assert run.energy().residual < 1e-9


def test_two_springs_in_series_with_laws() -> None:
    """One force, two lengths: both are states, the massless point between them balances."""
    model = mb.Model("series")
    motion, force = model.add(mb.One("motion")), model.add(mb.Zero("force"))
    model.bond(motion, mb.I("mass", 1.0))
    model.bond(motion, force)
    model.bond(force, mb.C("first", effort=lambda q: q + q**3, start=0.9))
    model.bond(force, mb.C("second", effort=lambda q: 2 * q + q**5))
    run = exact(model)

    def force_at(x: float) -> float:
        low = brentq(lambda q: q + q**3 - 2 * (x - q) - (x - q) ** 5, -5.0, 5.0, xtol=1e-15)
        return low + low**3

    whole = float(run["first.q"](0.0) + run["second.q"](0.0))
    expected = by_scipy(lambda t, s: [s[1], -force_at(s[0])], [whole, 0.0], TIMES)
    close(run["first.q"](TIMES) + run["second.q"](TIMES), expected[:, 0], 1e-9)
    close(run["mass.f"](TIMES), expected[:, 1], 1e-9)
    assert run.energy().residual < 1e-9


def accumulator(start: float) -> mb.Model:
    """A tank and a gas bubble at one pressure, so that one depends on the other; both empty through a leak."""
    model = mb.Model("accumulator")
    level = model.add(mb.Zero("level"))
    model.bond(level, mb.C("a_tank", 0.5, start=start))
    model.bond(level, Gas("gas", pressure=1.0, volume=5.0, exponent=1.0, start=1.0))
    model.bond(level, mb.R("leak", 2.0))
    return model


def test_a_dependent_gas_must_agree_with_the_level_at_the_start() -> None:
    """e = 5 / (5 - q) = 1.25 at q = 1, so the tank holds 0.5 · 1.25 and nothing else."""
    run = mb.simulate(accumulator(0.625), 1.0)
    assert float(run["gas.q"](0.0)) == pytest.approx(1.0)
    with pytest.raises(errors.StartError, match=r"a_tank\.start, gas\.start as given"):
        mb.simulate(accumulator(1.0), 1.0)


# -- storages that begin with a flow or an effort ---------------------------------------------------------------------

HOLDING = {
    "number": (mb.I("it", 2.0), [1.5], [3.0]),
    "diagonal": (mb.I("it", (2.0, 3.0)), [1.5, -1.0], [3.0, -3.0]),
    "matrix": (mb.C("it", [[2.0, 0.5], [0.5, 1.0]]), [1.0, 2.0], [3.0, 2.5]),
    "flow": (mb.I("it", flow=lambda p: p + p**3), [-10.0], [-2.0]),
    "effort": (mb.C("it", effort="[q[0]**3 + q[0], 2*q[1]]"), [2.0, 3.0], [1.0, 1.5]),
    "energy": (mb.C("it", energy="q[0]**2 + q[1]**2 + 0.5*q[0]*q[1]"), [2.5, 2.5], [1.0, 1.0]),
    "energy of a momentum": (mb.I("it", energy=lambda p: 0.5 * p**2 + 0.25 * p**4), [2.0], [1.0]),
}


@pytest.mark.parametrize("name", HOLDING)
def test_what_a_storage_holds_at_a_flow_or_effort(name: str) -> None:
    item, given, held = HOLDING[name]
    np.testing.assert_allclose(item.holding(np.array(given)), held, atol=1e-12)


@component
class Begun(Part):
    """Storages in series on a loss that are told their flow and effort, not their momentum and displacement."""

    def build(self, inside: Inside) -> None:
        v = inside.add(mb.One("v", size=1))
        mass = inside.add(mb.I("mass", flow="p + p**3", size=1))
        spring = inside.add(mb.C("spring", effort="2*q + q**3", size=1))
        for item in (mass, spring, inside.add(mb.R("loss", 0.5, size=1))):
            inside.bond(v, item)
        inside.start(mass, flow=-10.0)
        inside.start(spring, effort=3.0)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_part_begins_with_a_flow_and_an_effort(depth: int) -> None:
    """p + p³ = -10 at p = -2, 2 q + q³ = 3 at q = 1, also where the graph inside is opened."""
    model = mb.Model("begun")
    model.add(Begun("part"))
    run = exact(model if depth == 1 else model.open(depth=depth), 1.0)
    dot = "." if depth == 1 else "-"
    assert float(run[f"part{dot}mass.p"](0.0)) == pytest.approx(-2.0, abs=1e-12)
    assert float(run[f"part{dot}spring.q"](0.0)) == pytest.approx(1.0, abs=1e-12)
