"""Robotics calls on a closed loop against virtual work: mass, bias, inverse dynamics at any joint, Jacobians."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import four_bar
from multibond.solve.plant import Plant

from . import four_bar as hand

SEED = 31


@pytest.fixture(scope="module")
def system() -> Plant:
    return mb.compile(four_bar())


def cases(count: int = 20) -> list[tuple[float, float, float]]:
    """Random crank angles, speeds and accelerations."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    return [tuple(row) for row in np.column_stack([rng.uniform(-3, 3, count), rng.normal(size=(count, 2)) * 5])]


def state(system: Plant, crank: float, speed: float) -> np.ndarray:
    """On the branch of the start, reached by leading the crank there."""
    x = mb.sweep(system, "O.angle", [crank]).x[0]
    return np.where(np.char.endswith(system.state_names, ".u"), x * speed, x)


def test_mass_and_bias(system: Plant) -> None:
    assert system.independent == ("O",)
    for crank, speed, _ in cases():
        x = state(system, crank, speed)
        np.testing.assert_allclose(system.mass_matrix(x), [[hand.inertia(crank)]], rtol=1e-12)
        np.testing.assert_allclose(system.bias(x), [hand.bias(crank, speed)], rtol=1e-11, atol=1e-11)


def test_the_tree_and_its_projection(system: Plant) -> None:
    """The mass matrix of the tree, projected by hand onto the speed of the crank, is the small one."""
    for crank, speed, _ in cases(5):
        x = state(system, crank, speed)
        coupler, rocker = hand.ratios(crank)
        M = system.mass_matrix(x, of="tree")
        by_name = {"O": 1.0, "D": rocker, "B": coupler - 1.0}
        N = np.array([by_name[name] for name in M.names])
        np.testing.assert_allclose(N @ M @ N, hand.inertia(crank), rtol=1e-12)


@pytest.mark.parametrize("actuated", ["O", "B", "C", "D"])
def test_inverse_dynamics_at_any_joint(system: Plant, actuated: str) -> None:
    """A drive at a joint gives power through that joint's own speed, also at the cut of the loop."""
    for crank, speed, acceleration in cases():
        coupler, rocker = hand.ratios(crank)
        ratio = {"O": 1.0, "B": coupler - 1.0, "C": coupler - rocker, "D": rocker}[actuated]
        needed = hand.inertia(crank) * acceleration + hand.bias(crank, speed)
        found = system.inverse_dynamics(state(system, crank, speed), {"O": acceleration}, actuated=actuated)
        assert found.names == (actuated,)
        np.testing.assert_allclose(found, [needed / ratio], rtol=1e-9, atol=1e-9)


def test_two_drives_share(system: Plant) -> None:
    """Of all efforts that do it the smallest are taken."""
    crank, speed, acceleration = cases(1)[0]
    _, rocker = hand.ratios(crank)
    needed = hand.inertia(crank) * acceleration + hand.bias(crank, speed)
    found = system.inverse_dynamics(state(system, crank, speed), [acceleration], actuated=["O", "D"])
    np.testing.assert_allclose(found, needed * np.array([1.0, rocker]) / (1 + rocker**2), rtol=1e-10)


def test_forward_is_the_inverse(system: Plant) -> None:
    for crank, speed, _ in cases(5):
        x = state(system, crank, speed)
        found = system.forward(x)
        np.testing.assert_allclose(found["O"], -hand.bias(crank, speed) / hand.inertia(crank), rtol=1e-10)
        np.testing.assert_allclose(system.inverse_dynamics(x, {"O": found["O"]}), [0.0], atol=1e-9)


def test_jacobian_of_the_rocker(system: Plant) -> None:
    """Its tip moves across its length; with the rate of the Jacobian it gives the acceleration."""
    for crank, speed, _ in cases(5):
        x = state(system, crank, speed)
        _, rocker = hand.place(crank)
        _, ratio = hand.ratios(crank)
        turn = np.array([-np.sin(rocker), np.cos(rocker)]) * hand.ROCKER
        J = system.jacobian(x, "rocker_rod.frame_b")
        np.testing.assert_allclose(J[:, 0], [0, 0, ratio, *(turn * ratio), 0], atol=1e-12)
        bend = hand.slope(lambda a: hand.ratios(a)[1], crank) * speed**2
        still = system.jacobian_rate(x, "rocker_rod.frame_b")
        inward = -np.array([np.cos(rocker), np.sin(rocker)]) * hand.ROCKER * (ratio * speed) ** 2
        np.testing.assert_allclose(still, [0, 0, bend, *(turn * bend + inward), 0], atol=1e-8)


def test_dead_points_are_told() -> None:
    """A parallelogram stretched out: its crank does not decide the rest there."""
    from multibond.errors import StructureError

    model = four_bar(crank=0.5, coupler=1.0, rocker=0.5, ground=1.0, angle=1.0)
    system = mb.compile(model)
    flat = system.x0.copy()
    names = list(system.state_names)
    flat[names.index("O.motion.q")] = flat[names.index("D.motion.q")] = flat[names.index("B.motion.q")] = 0.0
    with pytest.raises(StructureError, match="no independent speeds in this state"):
        system.mass_matrix(flat)
    assert system.mass_matrix(flat, of="tree").shape == (3, 3)
