"""Hydraulics and acoustics: the cylinder against the stored trajectories, pipes and resonators against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import acoustic as ac
from multibond import hydraulic as hy
from multibond.examples import hydraulic_cylinder

from .table import Check, compare, largest, table

NAMES = {"x": "strut.stretch", "v": "load.velocity", "p": "ram.pressure_a"}
ATOL = 1e-18
"""Volumes in a stiff chamber are of the order of 1e-7 m³, so that the absolute tolerance must lie far below."""


@pytest.mark.parametrize("solver", ["dopri5", "rodas5p"])
@pytest.mark.parametrize("turbulent", [False, True])
def test_cylinder(turbulent: bool, solver: str) -> None:
    """A07b; origin: matrix exponential (laminar), two integrators (turbulent)."""
    data = table("A07b_hydraulic_cylinder", "reference_turbulent" if turbulent else "reference")
    until = float(data["t"][-1])
    run = mb.simulate(hydraulic_cylinder(turbulent=turbulent), until, rtol=1e-11, atol=ATOL, solver=solver)
    compare(run, data, [Check(c, path, 1e-8, largest(data, c)) for c, path in NAMES.items()])


def test_default_settings_suffice_for_a_cylinder() -> None:
    data = table("A07b_hydraulic_cylinder", "reference")
    run = mb.simulate(hydraulic_cylinder(), 2.0, atol=1e-16)
    compare(run, data, [Check(c, path, 1e-6, largest(data, c)) for c, path in NAMES.items()])


def outflow(t: np.ndarray, level: float, area: float, coefficient: float, density: float) -> np.ndarray:
    """Volume left in a tank that empties through an orifice: √V falls in a straight line until nothing is left."""
    slope = coefficient * np.sqrt(density * 9.81 / area) / 2
    return np.maximum(np.sqrt(level * area) - slope * t, 0.0) ** 2


def test_a_tank_runs_empty_in_finite_time() -> None:
    """Torricelli: the root law has an infinite slope at zero, where the run ends up and stays."""
    model = mb.Model("torricelli")
    tank, hole = model.add(hy.Tank("tank", 0.5, density=1000.0, volume=0.2)), model.add(hy.Orifice("hole", 1e-4))
    sump = model.add(hy.Reservoir("sump"))
    model.connect(tank.port, hole.port_a)
    model.connect(hole.port_b, sump.port)
    t = np.linspace(0.0, 100.0, 201)
    exact = outflow(t, 0.4, 0.5, 1e-4, 1000.0)
    assert 60 < t[exact > 0].max() < 70, "it must run empty on the way"
    for solver in ("dop853", "rodas5p"):
        run = mb.simulate(model, 100.0, rtol=1e-10, solver=solver)
        np.testing.assert_allclose(run["tank.volume"](t), exact, atol=2e-10)


@pytest.mark.parametrize("laminar", [0.0, 2e4])
def test_an_orifice_between_two_chambers(laminar: float) -> None:
    """Two chambers even out; an independent integration of the same law, both directions of flow."""
    for start, other in ((3e5, 1e5), (1e5, 3e5)):
        model = mb.Model("chambers")
        left, right = hy.Chamber("left", 1e-3, 1e9, start), hy.Chamber("right", 2e-3, 1e9, other)
        left, right = model.add(left), model.add(right)
        hole = model.add(hy.Orifice("hole", area=4e-8, discharge=0.6, density=850.0, laminar=laminar))
        model.connect(left.port, hole.port_a)
        model.connect(hole.port_b, right.port)
        K = 0.6 * 4e-8 * np.sqrt(2 / 850.0)

        def rate(t: float, p: np.ndarray, K: float = K) -> list[float]:
            drop = p[0] - p[1]
            q = K * drop / (drop**2 + laminar**2) ** 0.25 if laminar or drop else 0.0
            return [-q * 1e9 / 1e-3, q * 1e9 / 2e-3]

        t = np.linspace(0.0, 0.3, 31)
        found = mb.simulate(model, 0.3, rtol=1e-11, atol=1e-20).values(["left.pressure", "right.pressure"], t)
        exact = solve_ivp(rate, (0.0, 0.3), [start, other], "DOP853", t, rtol=1e-12, atol=1e-6).y.T
        np.testing.assert_allclose(found, exact, atol=1e-3)


def test_an_accumulator_swings_with_the_mass_of_a_pipe() -> None:
    """A gas spring behind a throttle against a column of oil: an independent integration."""
    model = mb.Model("gas")
    store = model.add(hy.Accumulator("store", precharge=2e6, volume=1e-3, exponent=1.3, fluid=3e-4))
    pipe = model.add(hy.Pipe("pipe", 4.0, 0.02, viscosity=0.05, bulk=1e9, pressure=1e6, flow_rate=1e-4))
    supply, throttle = model.add(hy.PressureSource("supply", 3e6)), model.add(hy.LaminarResistance("throttle", 2e8))
    model.connect(supply.port, pipe.port_a)
    model.connect(pipe.port_b, throttle.port_a)
    model.connect(throttle.port_b, store.port)
    area = np.pi * 0.02**2 / 4
    inertance, line, wall = 870.0 * 4.0 / area, area * 4.0 / 1e9, 128 * 0.05 * 4.0 / (np.pi * 0.02**4)

    def rate(t: float, z: np.ndarray) -> list[float]:
        """Fluid against the gas, flow in the pipe, pressure at its end."""
        fluid, flow, p = z
        through = (p - 2e6 * (1e-3 / (1e-3 - fluid)) ** 1.3) / 2e8
        return [through, (3e6 - p - wall * flow) / inertance, (flow - through) / line]

    t = np.linspace(0.0, 2.0, 101)
    run = mb.simulate(model, 2.0, rtol=1e-11, atol=1e-18)
    exact = solve_ivp(rate, (0.0, 2.0), [3e-4, 1e-4, 1e6], "DOP853", t, rtol=1e-12, atol=1e-18).y.T
    found = run.values(["store.fluid", "pipe.inflow", "pipe.outlet_pressure"], t)
    np.testing.assert_allclose(found / [1e-3, 1e-3, 1e6], exact / [1e-3, 1e-3, 1e6], atol=1e-9)
    assert run.energy().residual < 1e-9


def test_a_closed_pipe_rings_at_its_eigenfrequencies() -> None:
    """n pieces between a fixed pressure and a shut end: ω_k = 2 √(1/LC) sin((2k - 1) π / (4n + 2)), each piece L, C."""
    n, length, diameter, rho, bulk = 8, 3.0, 0.01, 900.0, 1.2e9
    model = mb.Model("pipe")
    supply = model.add(hy.PressureSource("supply", 1e5))
    pipe = model.add(hy.Pipe("pipe", length, diameter, rho, 0.0, bulk, segments=n))
    end = model.add(hy.FlowSource("end", 0.0))
    model.connect(supply.port, pipe.port_a)
    model.connect(pipe.port_b, end.port)
    area = np.pi * diameter**2 / 4
    L, C = rho * length / area / n, area * length / bulk / n
    k = np.arange(1, n + 1)
    omega = 2 / np.sqrt(L * C) * np.sin((2 * k - 1) * np.pi / (4 * n + 2))
    shape = np.array([[np.sin((2 * q - 1) * np.pi * j / (2 * n + 1)) for q in k] for j in k])
    weight = np.linalg.solve(shape, -np.full(n, 1e5))
    t = np.linspace(0.0, 0.02, 101)
    exact = 1e5 + np.cos(np.outer(t, omega)) @ (weight * shape[-1])
    run = mb.simulate(model, 0.02, rtol=1e-11, atol=1e-20)
    np.testing.assert_allclose(run["pipe.outlet_pressure"](t), exact, atol=1e-3)
    wave = np.sqrt(bulk / rho)
    assert omega[0] == pytest.approx(np.pi * wave / (2 * length), rel=0.07), "the first swing is a quarter wave"


def helmholtz(pressure: float) -> mb.Model:
    """A bottle of one litre with a neck."""
    model = mb.Model("bottle")
    bottle, neck = model.add(ac.Cavity("bottle", 1e-3, pressure=pressure)), model.add(ac.Tube("neck", 0.06, 3e-4))
    outside = model.add(ac.Pressure("outside", 0.0))
    model.connect(bottle.port, neck.port_a)
    model.connect(neck.port_b, outside.port)
    return model


def test_helmholtz_resonator() -> None:
    """ω = c √(A / (V l)): pressure and flow in the neck over twenty swings."""
    omega = 343.2 * np.sqrt(3e-4 / (1e-3 * 0.06))
    t = np.linspace(0.0, 20 * 2 * np.pi / omega, 301)
    run = mb.simulate(helmholtz(2.0), t[-1], rtol=1e-12, atol=1e-20)
    np.testing.assert_allclose(run["bottle.pressure"](t), 2.0 * np.cos(omega * t), atol=2e-8)
    flow = 2.0 * 1e-3 / (1.204 * 343.2**2) * omega
    np.testing.assert_allclose(run["neck.flow"](t), flow * np.sin(omega * t), atol=1e-8 * flow)
