"""Resistances with laws, the heat they make, conduction and the gyristor, on whole trajectories."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import multibond as mb
from multibond import errors
from multibond.elements import HeatStore

from .by_scipy import by_scipy, close

TIMES = np.linspace(0.0, 4.0, 81)


def on_one(*items: mb.Element, size: int | None = None) -> mb.Model:
    """Elements on one 1-junction."""
    model = mb.Model("one")
    motion = model.add(mb.One("motion", size=size))
    for item in items:
        model.bond(motion, item)
    return model


def exact(model: mb.Model, until: float = 4.0) -> mb.Run:
    return mb.simulate(model, until, rtol=1e-12, atol=1e-14)


# -- R with laws -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "law", [{"effort": lambda f: 2 * f + 3 * f**3}, {"effort": "2*f + 3*f**3"}], ids=["lambda", "text"]
)
def test_brake_by_its_effort(law: dict[str, object]) -> None:
    """v' = -2v - 3v³ is Bernoulli's: 1/v² = (1/v₀² + 3/2) exp(4t) - 3/2."""
    run = exact(on_one(mb.I("mass", 1.0, start=1.7), mb.R("brake", **law)))  # type: ignore[arg-type]
    v = ((1 / 1.7**2 + 1.5) * np.exp(4 * TIMES) - 1.5) ** -0.5
    close(run["mass.f"](TIMES), v)
    close(run["brake.e"](TIMES), 2 * v + 3 * v**3)
    energy = run.energy()
    assert energy.dissipated == pytest.approx(0.5 * (1.7**2 - v[-1] ** 2), rel=1e-10)
    assert energy.residual < 1e-10


def test_orifice_by_its_flow() -> None:
    """A tank that empties through f = k √e: the root of the level falls as a straight line, √e = √e₀ - k t / 2C."""
    model = mb.Model("tank")
    level = model.add(mb.Zero("level"))
    model.bond(level, mb.C("tank", 2.0, start=8.0))
    model.bond(level, mb.R("orifice", flow=lambda e: 0.5 * mb.sign(e) * mb.sqrt(abs(e))))
    run = exact(model)
    root = 2.0 - 0.5 * TIMES / 4.0
    close(run["tank.e"](TIMES), root**2)
    close(run["orifice.f"](TIMES), 0.5 * root)
    assert run.energy().residual < 1e-11


def test_law_of_the_other_direction_is_solved_for() -> None:
    """A law of the flow where the flow is given, e + e³ = 4 f: solved in every step."""
    run = exact(on_one(mb.I("mass", 1.0, start=1.5), mb.R("film", flow=lambda e: 0.25 * (e + e**3))))

    def effort(f: float) -> float:
        return brentq(lambda e: 0.25 * (e + e**3) - f, -10.0, 10.0, xtol=1e-15)  # type: ignore[return-value]

    v = by_scipy(lambda t, x: [-effort(x[0])], [1.5], TIMES)[:, 0]
    close(run["mass.f"](TIMES), v)
    close(run["film.e"](TIMES), [effort(f) for f in v])
    assert run.energy().residual < 1e-9


def test_resistances_in_a_loop_with_laws() -> None:
    """A source on two laws in series, one of the effort and one of the flow: f + f³ + e(f) = 5 sin t, no state."""
    model = mb.Model("divider")
    current = model.add(mb.One("current"))
    model.bond(mb.Se("source", "5*sin(t)"), current)
    model.bond(current, mb.R("first", effort=lambda f: f + f**3))
    model.bond(current, mb.R("second", flow=lambda e: e + e**5))
    run = exact(model)

    def flow(t: float) -> float:
        e = brentq(lambda e: e + (e + e**5) + (e + e**5) ** 3 - 5 * np.sin(t), -5.0, 5.0, xtol=1e-15)
        return e + e**5  # type: ignore[operator]

    close(run["first.f"](TIMES), [flow(t) for t in TIMES])


def test_coupled_law() -> None:
    """A law of two components: a positive potential's slope, and a skew part that takes no power."""
    law = "[f[0]**3 + 2*f[1], f[1] - 2*f[0]]"
    run = exact(on_one(mb.I("mass", (1.0, 2.0), start=(1.0, 0.8)), mb.R("brake", effort=law)))
    expected = by_scipy(lambda t, f: [-(f[0] ** 3) - 2 * f[1], -0.5 * (f[1] - 2 * f[0])], [1.0, 0.4], TIMES)
    close(run["mass.f"](TIMES), expected)
    assert run.energy().residual < 1e-11


def test_van_der_pol() -> None:
    """An active law runs where it is said to be meant, here in Rayleigh's form: v' = -q - 2 (v³/3 - v)."""
    spark = mb.R("spark", effort=lambda f: 2.0 * (f**3 / 3 - f), active=True)
    run = exact(on_one(mb.I("mass", 1.0, start=0.1), mb.C("spring", 1.0), spark), 20.0)
    times = np.linspace(0.0, 20.0, 201)
    expected = by_scipy(lambda t, x: [-x[1] - 2.0 * (x[0] ** 3 / 3 - x[0]), x[0]], [0.1, 0.0], times)
    close(run["mass.f"](times), expected[:, 0])
    close(run["spring.q"](times), expected[:, 1])
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize(
    "law",
    [
        {"effort": lambda f: f**3 / 3 - f},
        {"flow": lambda e: -e},
        {"effort": "[f[0], -1e-3*f[1]]"},
        {"effort": "where(f > 100, -f, f)"},
    ],
)
@pytest.mark.parametrize("kind", [mb.R, mb.RS])
def test_an_active_law_is_refused(kind: type[mb.Element], law: dict[str, object]) -> None:
    with pytest.raises(errors.ParameterError, match=r"'spark' gives power"):
        kind("spark", **law)


# -- G ---------------------------------------------------------------------------------------------------------------

MATRIX = np.array([[3.0, -1.0, 0.5], [-1.0, 2.0, 0.2], [0.5, 0.2, 1.0]])


@pytest.mark.parametrize("value", [4.0, (1.0, 2.0, 0.5), MATRIX], ids=["number", "diagonal", "field"])
@pytest.mark.parametrize("side", ["one", "zero"])
def test_conductance_is_the_inverse_of_resistance(value: object, side: str) -> None:
    """The same trajectory with G and with R = G⁻¹, whichever of effort and flow is given."""
    full = np.asarray(value) if np.ndim(value) == 2 else np.diag(np.broadcast_to(np.asarray(value, float), 3))
    runs = []
    for item in (mb.G("loss", value), mb.R("loss", np.linalg.inv(full))):
        model = mb.Model("loss")
        if side == "one":
            node = model.add(mb.One("node", size=3))
            model.bond(node, mb.I("store", 2.0, start=(1.0, -2.0, 3.0)))
        else:
            node = model.add(mb.Zero("node", size=3))
            model.bond(node, mb.C("store", 2.0, start=(1.0, -2.0, 3.0)))
        model.bond(node, item)
        runs.append(exact(model, 1.0))
    decay = np.linalg.inv(full) if side == "one" else full
    expected = expm(-decay / 2.0) @ [1.0, -2.0, 3.0]
    for run in runs:
        np.testing.assert_allclose(run["store.p" if side == "one" else "store.q"](1.0), expected, atol=1e-11)
        assert run.energy().residual < 1e-11


def test_a_conductance_of_zero_lets_nothing_through() -> None:
    model = mb.Model("closed")
    node = model.add(mb.Zero("node"))
    model.bond(node, mb.C("store", 2.0, start=3.0))
    model.bond(node, mb.G("leak", 0.0))
    run = exact(model)
    assert float(run["store.q"](4.0)) == 3.0
    assert float(run["leak.f"](4.0)) == 0.0


# -- heat ------------------------------------------------------------------------------------------------------------


def braked(brake: mb.RS, size: int | None = None) -> mb.Model:
    """A mass that a brake stops, which warms a block of 5 J/K from 300 K."""
    model = on_one(mb.I("mass", 2.0, start=(6.0,) if size is None else (6.0, -4.0, 2.0)), size=size)
    brake = model.add(brake)
    block = model.add(HeatStore("block", 5.0, temperature=300.0))
    model.bond("motion", brake.a)
    model.bond(brake.heat, block)
    return model


BRAKES = {
    "resistance": (lambda: mb.RS("brake", 4.0), lambda v: 4.0 * v, None),
    "effort": (lambda: mb.RS("brake", effort=lambda f: f + f**3), lambda v: v + v**3, None),
    "flow": (lambda: mb.RS("brake", flow=lambda e: e / 4.0), lambda v: 4.0 * v, None),
    "diagonal": (lambda: mb.RS("brake", (4.0, 1.0, 2.0)), lambda v: np.array([4.0, 1.0, 2.0]) * v, 3),
    "field": (lambda: mb.RS("brake", MATRIX), lambda v: MATRIX @ v, 3),
}


@pytest.mark.parametrize("name", BRAKES)
def test_what_a_brake_takes_warms_a_block(name: str) -> None:
    """Nothing is lost: the block takes the kinetic energy, T = T₀ + ΔE / C, and its entropy grows by C ln(T / T₀)."""
    make, force, size = BRAKES[name]
    model = braked(make(), size)
    run = exact(model, 1.0)
    times = np.linspace(0.0, 1.0, 41)
    start = np.array([3.0]) if size is None else np.array([3.0, -2.0, 1.0])
    v = by_scipy(lambda t, x: -np.atleast_1d(force(x)) / 2.0, start, times)
    close(run["mass.f"](times), v)
    T = 300.0 + (start @ start - (v**2).sum(axis=1)) / 5.0
    close(run["block.e"](times), T)
    close(run["block.q"](times), 5.0 * np.log(T / 300.0))
    energy = run.energy()
    assert energy.dissipated == energy.supplied == 0.0
    assert energy.residual < 1e-11
    assert energy.kinetic == pytest.approx(-energy.elastic, rel=1e-10)


def two_blocks() -> mb.Model:
    """Blocks of 2 and 3 J/K at 400 and 300 K, joined by 0.7 W/K."""
    model = mb.Model("blocks")
    hot, cold = model.add(mb.Zero("hot")), model.add(mb.Zero("cold"))
    bar = model.add(mb.Conduction("bar", 0.7))
    model.bond(hot, HeatStore("left", 2.0, temperature=400.0))
    model.bond(cold, HeatStore("right", 3.0, temperature=300.0))
    model.bond(hot, bar.a)
    model.bond(bar.b, cold)
    return model


def test_conduction_between_two_blocks() -> None:
    """T₁ - T₂ decays as exp(-G (1/C₁ + 1/C₂) t) about (C₁ T₁ + C₂ T₂) / (C₁ + C₂)."""
    run = exact(two_blocks())
    mean, gap = 340.0, 100.0 * np.exp(-0.7 * (1 / 2 + 1 / 3) * TIMES)
    left, right = mean + 0.6 * gap, mean - 0.4 * gap
    close(run["left.e"](TIMES), left)
    close(run["right.e"](TIMES), right)
    close(run["bar.produced"](TIMES), 0.7 * (left - right) * (1 / right - 1 / left))
    close(run["bar.a.f"](TIMES), 0.7 * (left - right) / left)
    close(run["bar.b.f"](TIMES), 0.7 * (left - right) / right)
    assert run.energy().residual < 1e-12


def test_entropy_that_conduction_makes() -> None:
    """What entered both blocks is what the bar made, and it is C₁ ln(T₁ / T₁₀) + C₂ ln(T₂ / T₂₀) > 0."""
    model = two_blocks()
    grown = model.add(mb.blocks.Integrator("grown"))
    model.signal("bar.produced", grown.u)
    run = exact(model)
    left, right = float(run["left.e"](4.0)), float(run["right.e"](4.0))
    made = 2.0 * np.log(left / 400.0) + 3.0 * np.log(right / 300.0)
    assert made > 0.04
    assert float(run["left.q"](4.0) + run["right.q"](4.0)) == pytest.approx(made, rel=1e-10)
    assert float(run["grown.y"](4.0)) == pytest.approx(made, rel=1e-10)


def test_heat_flows_from_hot_to_cold_also_backwards() -> None:
    """With the bar drawn the other way round nothing changes but the sign of its flows."""
    model = mb.Model("blocks")
    hot, cold = model.add(mb.Zero("hot")), model.add(mb.Zero("cold"))
    bar = model.add(mb.Conduction("bar", 0.7))
    model.bond(hot, HeatStore("left", 2.0, temperature=400.0))
    model.bond(cold, HeatStore("right", 3.0, temperature=300.0))
    model.bond(cold, bar.a)
    model.bond(bar.b, hot)
    run = exact(model)
    gap = 100.0 * np.exp(-0.7 * (1 / 2 + 1 / 3) * TIMES)
    close(run["left.e"](TIMES), 340.0 + 0.6 * gap)
    assert float(run["bar.a.f"](0.0)) == pytest.approx(-70.0 / 300.0)
    assert float(run["bar.produced"](0.0)) == pytest.approx(70.0 * (1 / 300.0 - 1 / 400.0))


# -- gyristor --------------------------------------------------------------------------------------------------------

TURN = np.array([[0.5, 2.0, -1.0], [-2.0, 0.3, 0.7], [1.0, -0.7, 0.2]])
START = np.array([1.0, -2.0, 0.5])


@pytest.mark.parametrize(
    "G", [TURN, TURN - np.diag(np.diag(TURN)), np.diag(np.diag(TURN))], ids=["both", "skew", "symmetric"]
)
@pytest.mark.parametrize("way", ["matrix", "signal"])
def test_gyristor(G: np.ndarray, way: str) -> None:
    """p' = -G p / 2: the skew part turns, the symmetric one takes power; as a parameter or as a signal of rows."""
    item = mb.Gyristor("turn", G) if way == "matrix" else mb.Gyristor("turn", size=3)
    model = on_one(mb.I("mass", 2.0, start=START), item, size=3)
    if way == "signal":
        model.add(mb.blocks.Constant("modulus", G.ravel()))
        model.signal("modulus.y", "turn.input")
    run = exact(model)
    expected = np.array([expm(-G * t / 2.0) @ START for t in TIMES])
    close(run["mass.p"](TIMES), expected)
    energy = run.energy()
    lost = 0.25 * (START @ START - expected[-1] @ expected[-1])
    assert energy.dissipated == pytest.approx(lost, abs=1e-10)
    assert energy.residual < 1e-11
    if not np.diag(G).any():
        assert abs(energy.dissipated) < 1e-11


def test_gyristor_with_a_modulus_that_changes() -> None:
    """A rotation at the rate sin t: the angle is 1 - cos t."""
    model = on_one(mb.I("mass", 1.0, start=(1.0, 0.0)), mb.Gyristor("turn", size=2), size=2)
    rate = model.add(mb.blocks.Function("rate", "[0, -sin(t), sin(t), 0]"))
    model.signal(rate.y, "turn.input")
    run = exact(model)
    angle = 1.0 - np.cos(TIMES)
    close(run["mass.p"](TIMES), np.column_stack([np.cos(angle), -np.sin(angle)]))
    assert abs(run.energy().dissipated) < 1e-11
