"""Chains and the arm against an independent Newton-Euler, at random states with fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import arm, chain
from multibond.examples.arm import ARM_LINKS
from multibond.examples.chain import chain_links
from multibond.lower.system import System

from .newton_euler import accelerations, energy

SEEDS = (11, 23, 47)


def hinges(system: System, n: int, what: str) -> list[int]:
    """Where the hinges' coordinates ("q") or speeds ("u") are in the state, from the root outwards."""
    return [system.state_names.index(f"joint{k}.motion.{what}") for k in range(n)]


def compare_accelerations(model: mb.Model, links: list, seeds: tuple[int, ...]) -> None:
    """Accelerations at random angles and speeds, to 1e-10 of the largest."""
    system, n = mb.compile(model), len(links)
    at_q, at_u = hinges(system, n, "q"), hinges(system, n, "u")
    for seed in seeds:
        rng = np.random.default_rng(seed)
        x = np.empty(system.n)
        x[at_q], x[at_u] = rng.uniform(-np.pi, np.pi, n), rng.uniform(-2.0, 2.0, n)
        found, expected = system.derivative(x)[at_u], accelerations(links, x[at_q], x[at_u])
        error = np.abs(found - expected).max() / np.abs(expected).max()
        print(f"seed {seed}: {n} links, error {error:.1e} of {np.abs(expected).max():.3g} rad/s²")
        assert error <= 1e-10


@pytest.mark.parametrize("n", [2, 3, 5, 20, pytest.param(200, marks=pytest.mark.slow)])
def test_chain(n: int) -> None:
    compare_accelerations(chain(n), chain_links(n), SEEDS)


def test_arm() -> None:
    compare_accelerations(arm(), list(ARM_LINKS), SEEDS)


def test_arm_keeps_its_energy() -> None:
    """Energy from the independent kinematics, along a run of the library."""
    run = mb.simulate(arm(), 3.0, rtol=1e-11)
    x = run.states(np.linspace(0.0, 3.0, 61))
    at_q, at_u = hinges(run.system, 6, "q"), hinges(run.system, 6, "u")
    values = np.array([energy(ARM_LINKS, row[at_q], row[at_u]) for row in x])
    print(f"energy {values[0]:.6g} J, largest change {np.abs(values - values[0]).max():.1e} J")
    np.testing.assert_allclose(values, values[0], atol=1e-7)
