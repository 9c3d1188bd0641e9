"""Reactions against mass action by other means: the matrix exponential, closed forms, an independent integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import multibond as mb
from multibond import chemical as ch
from multibond.examples import reaction
from multibond.examples.reaction import AMOUNTS, STANDARDS

from .table import within

RT = 8.31446261815324 * 298.15


def test_three_species() -> None:
    """A ⇌ B ⇌ C in one litre: amounts against the matrix exponential of mass action, to 1e-8 mol."""
    first, second = 0.4, 0.1
    a, b, c = np.exp(np.array(STANDARDS) / RT)
    rates = np.array(
        [
            [-first * a, first * b, 0.0],
            [first * a, -first * b - second * b, second * c],
            [0.0, second * b, -second * c],
        ]
    )
    t = np.linspace(0.0, 20.0, 81)
    exact = np.array([expm(rates * when) @ AMOUNTS for when in t])
    run = mb.simulate(reaction(speeds=(first, second)), 20.0, rtol=1e-11)
    found = run.values(["A.amount", "B.amount", "C.amount"], t)
    within("A, B, C in mol", found, exact, 1e-8)
    assert run.energy().residual < 1e-10


def test_from_a_trace() -> None:
    """B from nothing but a trace of 1e-12 mol: K = exp(-Δμ° / R T), both rate constants from one speed."""
    model = mb.Model("trace")
    A, B = model.add(ch.Species("A", 1.0)), model.add(ch.Species("B", 1e-12, standard=500.0))
    step = model.add(ch.Reaction("step", 0.3))
    model.connect(A.port, step.left_1)
    model.connect(step.right_1, B.port)
    t = np.linspace(0.0, 30.0, 61)
    back = 0.3 * np.exp(500.0 / RT)
    exact = 0.3 / (0.3 + back) * (1 - np.exp(-(0.3 + back) * t))
    run = mb.simulate(model, 30.0, rtol=1e-11)
    np.testing.assert_allclose(run["B.amount"](t), exact, atol=1e-9)
    assert run["B.potential"](30.0) == pytest.approx(run["A.potential"](30.0), abs=1e-3), "equilibrium"


def test_stoichiometry() -> None:
    """2 A + B ⇌ C in half a litre at 350 K: rates from concentrations in mol/l, and what is conserved."""
    model, T, volume = mb.Model("synthesis"), 350.0, 5e-4
    given = {"A": (0.4, 0.0), "B": (0.3, 800.0), "C": (0.02, -1500.0)}
    A, B, C = (model.add(ch.Species(k, n, volume, mu, T)) for k, (n, mu) in given.items())
    step = model.add(ch.Reaction("step", 0.02, left=(2, 1), right=(1,), temperature=T))
    model.connect(A.port, step.left_1)
    model.connect(B.port, step.left_2)
    model.connect(step.right_1, C.port)
    heat = 8.31446261815324 * T

    def rate(t: float, n: np.ndarray) -> np.ndarray:
        c = n / (volume * 1000)
        v = 0.02 * (c[0] ** 2 * c[1] * np.exp(800.0 / heat) - c[2] * np.exp(-1500.0 / heat))
        return np.multiply.outer([-2.0, -1.0, 1.0], v)

    t = np.linspace(0.0, 40.0, 41)
    start = [n for n, _ in given.values()]
    exact = solve_ivp(rate, (0.0, 40.0), start, "DOP853", t, rtol=1e-12, atol=1e-14).y.T
    run = mb.simulate(model, 40.0, rtol=1e-11)
    found = run.values(["A.amount", "B.amount", "C.amount"], t)
    np.testing.assert_allclose(found, exact, atol=1e-9)
    np.testing.assert_allclose(found[:, 0] + 2 * found[:, 2], 0.44, atol=1e-12)
    np.testing.assert_allclose(run["step.rate"](t), -rate(0.0, exact.T)[1], atol=1e-9)


def test_a_ring_of_reactions_comes_to_rest() -> None:
    """A ⇌ B ⇌ C ⇌ A: detailed balance, all three rates vanish, whatever their speeds."""
    model = mb.Model("ring")
    kinds = {"A": (1.0, 0.0), "B": (0.1, 1200.0), "C": (0.2, -700.0)}
    species = [model.add(ch.Species(k, n, standard=mu)) for k, (n, mu) in kinds.items()]
    for k, speed in enumerate((0.5, 0.2, 0.9)):
        step = model.add(ch.Reaction(f"step_{k}", speed))
        model.connect(species[k].port, step.left_1)
        model.connect(step.right_1, species[(k + 1) % 3].port)
    run = mb.simulate(model, 60.0, rtol=1e-11)
    for k in range(3):
        assert run[f"step_{k}.rate"](60.0) == pytest.approx(0.0, abs=1e-9)
    weights = np.exp(-np.array([0.0, 1200.0, -700.0]) / RT)
    found = run.values(["A.amount", "B.amount", "C.amount"], [60.0])[0]
    np.testing.assert_allclose(found, 1.3 * weights / weights.sum())


@pytest.mark.parametrize("standard", [0.0, 2000.0])
def test_a_membrane(standard: float) -> None:
    """Fick: concentrations of two rooms approach one another at the rate P (1/V₁ + 1/V₂), whatever the standard."""
    model = mb.Model("rooms")
    left, right = ch.Species("left", 2e-3, 1e-3, standard), ch.Species("right", 5e-4, 2e-3, standard)
    left, right, wall = model.add(left), model.add(right), model.add(ch.Membrane("wall", 1e-4, standard))
    model.connect(left.port, wall.port_a)
    model.connect(wall.port_b, right.port)
    t = np.linspace(0.0, 20.0, 41)
    gap = (2.0 - 0.25) * np.exp(-1e-4 * (1 / 1e-3 + 1 / 2e-3) * t)
    run = mb.simulate(model, 20.0, rtol=1e-11, atol=1e-16)
    np.testing.assert_allclose(run["left.amount"](t) / 1e-3 - run["right.amount"](t) / 2e-3, gap, atol=1e-8)
    np.testing.assert_allclose(run["wall.flow"](t), 1e-4 * gap, atol=1e-12)


@pytest.mark.parametrize("ends", ["closed", "held"])
def test_diffusion_through_a_column(ends: str) -> None:
    """Six slices: amounts against the matrix exponential of Fick's law, ends closed or held at a concentration.

    A face is half a slice from the middle, so there the coefficient counts twice.
    """
    count, length, area, D, standard, T = 6, 0.03, 2e-4, 3e-9, 700.0, 310.0
    volume = area * length / count
    start = volume * np.array([5.0, 400.0, 30.0, 1.0, 60.0, 2.0])
    model = mb.Model("gel")
    gel = model.add(ch.DiffusionColumn("gel", start, length, area, D, standard, T))
    faces = np.zeros(2)
    if ends == "held":
        faces = np.array([300.0, 20.0])
        for name, place, level in zip("ab", (gel.port_a, gel.port_b), faces, strict=True):
            potential = standard + 8.31446261815324 * T * np.log(level / 1000.0)
            model.connect(model.add(ch.FixedPotential(f"bath_{name}", potential)).port, place)
    k = D * area / (length / count) / volume
    matrix = k * (np.diag(np.full(count - 1, 1.0), 1) + np.diag(np.full(count - 1, 1.0), -1))
    matrix -= np.diag(matrix.sum(axis=1))
    feed = np.zeros(count)
    if ends == "held":
        matrix[0, 0] -= 2 * k
        matrix[-1, -1] -= 2 * k
        feed[[0, -1]] = 2 * k * volume * faces
    whole = np.block([[matrix, feed[:, None]], [np.zeros((1, count + 1))]])
    t = np.linspace(0.0, 40000.0, 41)
    exact = np.array([(expm(whole * when) @ np.append(start, 1.0))[:count] for when in t])
    run = mb.simulate(model, 40000.0, rtol=1e-11)
    found = run.values([f"gel.amount_{j}" for j in range(1, count + 1)], t)
    np.testing.assert_allclose(found, exact, atol=1e-8 * exact.max())
    rates = exact @ matrix.T + feed
    np.testing.assert_allclose(run["gel.store_2.f"](t), rates[:, 1], atol=1e-8 * np.abs(rates[:, 1]).max())
    if ends == "held":
        flows = 2 * k * np.array([1.0, -1.0]) * (volume * faces - exact[:, [0, -1]])
        np.testing.assert_allclose(run.values(["gel.flow_a", "gel.flow_b"], t), flows, atol=1e-8 * np.abs(flows).max())
