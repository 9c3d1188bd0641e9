"""Heat with true entropy bonds: two nodes against the stored trajectory, a plate against its double series."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks
from multibond import electrical as el
from multibond import hydraulic as hy
from multibond import rotational as ro
from multibond import thermal as th
from multibond import translational as tr
from multibond.elements.heat import STEFAN_BOLTZMANN
from multibond.examples import heat_plate
from multibond.graph.component import Part

from .table import Check, compare, largest, table, within

FRAME = 293.15


def two_nodes() -> mb.Model:
    """Heater, two bodies in a row, the room; the entropy made in both conductors is added up over time."""
    model = mb.Model("nodes")
    heater, room = model.add(th.HeatSource("heater", 100.0)), model.add(th.FixedTemperature("room", FRAME))
    one, two = model.add(th.HeatCapacity("one", 500.0)), model.add(th.HeatCapacity("two", 800.0))
    inner, outer = model.add(th.Conductor("inner", 2.0)), model.add(th.Conductor("outer", 1.0))
    model.connect(heater.port, one.port, inner.port_a)
    model.connect(inner.port_b, two.port, outer.port_a)
    model.connect(outer.port_b, room.port)
    both, total = model.add(blocks.Sum("both", "++")), model.add(blocks.Integrator("total"))
    model.signal(inner.produced, both.u_1)
    model.signal(outer.produced, both.u_2)
    model.signal(both.y, total.u)
    return model


def test_two_nodes() -> None:
    """A07c; origin: matrix exponential, entropy by quadrature."""
    data = table("A07c_thermal_RC")
    run = mb.simulate(two_nodes(), 3000.0, rtol=1e-11)
    names = {"T1": "one.temperature", "T2": "two.temperature", "S_gen": "total.y"}
    compare(run, data, [Check(column, path, 1e-8, largest(data, column)) for column, path in names.items()])
    assert run.energy().residual < 1e-12


def test_entropy_balances() -> None:
    """What the heater brings and the conductors make is stored or has left into the room."""
    run = mb.simulate(two_nodes(), 3000.0, rtol=1e-11)
    t = np.linspace(0.0, 3000.0, 60_001)
    brought, left = run["heater.entropy_flow"](t), run["room.entropy_flow"](t)
    stored = run["one.entropy"](3000.0) + run["two.entropy"](3000.0)
    assert stored == pytest.approx(np.trapezoid(brought + left, t) + run["total.y"](3000.0), abs=1e-6)
    assert (run["inner.entropy_produced"](t) >= 0).all()
    assert (run["outer.entropy_produced"](t) >= 0).all()


# -- the plate -------------------------------------------------------------------------------------------------------


def modes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors sin(p π (i + ½) / n) of n cells between cold edges, normed, and their eigenvalues 2 - 2 cos."""
    p = np.arange(1, n + 1)
    shape = np.sin(np.pi * np.outer(np.arange(n) + 0.5, p) / n) * np.sqrt(2 / n)
    shape[:, -1] /= np.sqrt(2)
    return shape, 2 - 2 * np.cos(np.pi * p / n)


def cooling(start: np.ndarray, rate: float, t: np.ndarray) -> np.ndarray:
    """Temperatures above the frame of n by n cells: a double series, exact for the cells; rate = conductance / cell."""
    shape, value = modes(start.shape[0])
    weight = shape.T @ start @ shape
    decay = np.exp(-rate * np.multiply.outer(t, value[:, None] + value[None, :]))
    return np.einsum("ip,tpq,jq->tij", shape, weight * decay, shape)


def run_plate(n: int, start: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The plate from given temperatures above the frame; 400 J/K and 4 W/K in all."""
    model = heat_plate(cells=n)
    for (i, j), rise in np.ndenumerate(start):
        model.set(f"cell_{i}_{j}.temperature", FRAME + rise)
    run = mb.simulate(model, t[-1], rtol=1e-10)
    names = [f"cell_{i}_{j}.temperature" for i in range(n) for j in range(n)]
    assert run.energy().residual < 1e-10
    return run.values(names, t).reshape(-1, n, n) - FRAME


@pytest.mark.parametrize("n", [3, 8])
def test_plate(n: int) -> None:
    """All temperatures from a random start, to 1e-6 K."""
    start = np.random.default_rng(n).uniform(-40.0, 60.0, (n, n))
    t = np.linspace(0.0, 20.0, 41)
    exact = cooling(start, 4.0 * n**2 / 400.0, t)
    within(f"plate of {n} by {n} cells, K", run_plate(n, start, t), exact, 1e-6)
    assert np.abs(exact[-1]).max() < 0.3 * np.abs(exact[0]).max(), "it must have cooled"


def continuum(x: np.ndarray, fourier: float) -> np.ndarray:
    """The plate without cells from 60 x (1 - x) · y (1 - y) · 16: odd terms 8 / (π p)³ of a sine series, at (x, x)."""
    p = np.arange(1, 80, 2)
    one = 8 / (np.pi * p) ** 3 * np.exp(-((np.pi * p) ** 2) * fourier)
    return 960 * (np.sin(np.pi * np.outer(x, p)) @ one) ** 2


def test_cells_come_near_the_plate_with_the_square_of_their_size() -> None:
    """Discretisation, apart from the integration: the error on the diagonal falls by four when cells are halved."""
    t = np.array([0.0, 5.0])
    errors = []
    for n in (4, 8, 16):
        x = (np.arange(n) + 0.5) / n
        start = 960 * np.outer(x * (1 - x), x * (1 - x))
        found = run_plate(n, start, t)[-1].diagonal() if n < 16 else cooling(start, 4.0 * n**2 / 400, t)[-1].diagonal()
        errors.append(np.abs(found - continuum(x, 4.0 * 5.0 / 400.0)).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


# -- losses that heat ------------------------------------------------------------------------------------------------


def test_two_bodies_that_radiate() -> None:
    """C dT/dt = ∓ σ A (T₁⁴ - T₂⁴), by an independent integration."""
    model = mb.Model("glow")
    hot, cold = model.add(th.HeatCapacity("hot", 50.0, 900.0)), model.add(th.HeatCapacity("cold", 20.0, 300.0))
    glow = model.add(th.Radiation("glow", 0.01))
    model.connect(hot.port, glow.port_a)
    model.connect(glow.port_b, cold.port)

    def rate(t: float, T: np.ndarray) -> list[float]:
        heat = STEFAN_BOLTZMANN * 0.01 * (T[0] ** 4 - T[1] ** 4)
        return [-heat / 50.0, heat / 20.0]

    t = np.linspace(0.0, 60.0, 31)
    exact = solve_ivp(rate, (0.0, 60.0), [900.0, 300.0], "DOP853", t, rtol=1e-12, atol=1e-9).y.T
    found = mb.simulate(model, 60.0, rtol=1e-11).values(["hot.temperature", "cold.temperature"], t)
    np.testing.assert_allclose(found, exact, atol=1e-7)


def warmed(part: Part) -> tuple[mb.Model, th.HeatCapacity]:
    """A lossy part with a body of 10 J/K at its port heat."""
    model = mb.Model("warm")
    part, body = model.add(part), model.add(th.HeatCapacity("body", 10.0, 300.0))
    model.connect(part.heat, body.port)
    return model, body


def test_a_resistor_warms_its_body() -> None:
    """10 V over 5 ohm: 20 W, so the body rises by 2 K a second."""
    model, _ = warmed(el.Resistor("loss", 5.0, heating=True))
    source, ground = model.add(el.VoltageSource("source", 10.0)), model.add(el.Ground())
    model.connect(source.pin_p, "loss.pin_p")
    model.connect(source.pin_n, "loss.pin_n", ground.pin)
    run = mb.simulate(model, 3.0, rtol=1e-11)
    assert run["body.temperature"](3.0) == pytest.approx(306.0, abs=1e-8)
    assert run["loss.current"](1.0) == pytest.approx(2.0)
    assert run.energy().residual < 1e-10


@pytest.mark.parametrize("kind", ["rotational", "translational"])
def test_a_damper_turns_motion_into_heat(kind: str) -> None:
    """2 kg (or kg.m²) at 3 m/s come to rest: 9 J warm the body by 0.9 K."""
    turning = kind == "rotational"
    model, _ = warmed(ro.Damper("loss", 4.0, heating=True) if turning else tr.Damper("loss", 4.0, heating=True))
    mass = model.add(ro.Inertia("mass", 2.0, 3.0) if turning else tr.Mass("mass", 2.0, 3.0))
    wall = model.add(ro.Fixed("wall") if turning else tr.Fixed("wall"))
    model.connect(wall.flange, "loss.flange_a")
    model.connect("loss.flange_b", mass.flange)
    run = mb.simulate(model, 3.0, rtol=1e-11)
    assert run["loss.torque" if turning else "loss.force"](0.0) == pytest.approx(12.0)
    assert run["body.temperature"](3.0) == pytest.approx(300.0 + 0.9 * (1 - np.exp(-12.0)), abs=1e-8)


def test_a_throttle_warms_its_body() -> None:
    """1e-4 m³/s through 1e9 Pa.s/m³: 10 W."""
    model, _ = warmed(hy.LaminarResistance("loss", 1e9, heating=True))
    pump, sump = model.add(hy.FlowSource("pump", 1e-4)), model.add(hy.Reservoir("sump"))
    model.connect(pump.port, "loss.port_a")
    model.connect("loss.port_b", sump.port)
    run = mb.simulate(model, 2.0, rtol=1e-11)
    assert run["body.temperature"](2.0) == pytest.approx(302.0, abs=1e-8)
    assert run["loss.drop"](0.0) == pytest.approx(1e5)
