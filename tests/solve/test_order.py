"""One order of joints in every named result, from ten joints on and whatever they are called."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

NUMBERED = [f"j{k}" for k in range(1, 13)]
WORDS = ["waist", "hip", "a", "zeta", "m10", "m9", "B", "q2", "q10", "q1", "tool", "elbow"]


def chain(names: list[str]) -> mb.Model:
    """A chain of turning joints about changing axes, each driven."""
    model = mb.Model("chain")
    end = model.add(sp.World()).frame
    for k, name in enumerate(names):
        axis = ("x", "y", "z")[k % 3]
        joint = model.add(sp.Revolute(name, axis, angle=0.1 * k, speed=0.3 - 0.05 * k, torque=0.2 * (k + 1)))
        rod = model.add(sp.Rod(f"rod_{name}", (0.3, 0.1, 0)))
        body = model.add(sp.Body(f"body_{name}", mass=1.0 + 0.1 * k, inertia=(0.1, 0.2, 0.15)))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, body.frame)
        end = rod.frame_b
    return model


def flat(names: list[str]) -> mb.Model:
    """The same in a plane, which is one cell."""
    model = mb.Model("flat")
    end = model.add(pl.World()).frame
    for k, name in enumerate(names):
        joint = model.add(pl.Revolute(name, angle=0.1 * k, speed=0.3 - 0.05 * k, torque=0.2 * (k + 1)))
        rod = model.add(pl.Rod(f"rod_{name}", (0.3, 0.1)))
        body = model.add(pl.Body(f"body_{name}", mass=1.0 + 0.1 * k, inertia=0.1))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, body.frame)
        end = rod.frame_b
    return model


@pytest.mark.parametrize("names", [NUMBERED, WORDS], ids=["numbered", "words"])
@pytest.mark.parametrize("build", [chain, flat])
def test_every_named_result_stands_in_the_order_of_the_machine(build: object, names: list[str]) -> None:
    system = mb.compile(build(names))  # type: ignore[operator]  # a function of the names
    own, tool = tuple(names), f"rod_{names[-1]}.frame_b"
    M, h, tau, a = system.mass_matrix(), system.bias(), system.drives(), system.accelerations()
    needed = system.inverse_dynamics(None, np.asarray(a))
    assert a.names == M.names == M.columns == h.names == tau.names == needed.names == system.independent == own
    assert tuple(system.reactions()) == own
    if build is chain:
        assert system.jacobian(None, tool).columns == own
    speeds = tuple(n.removesuffix(".motion.u") for n in system.state_names if n.endswith(".u"))
    assert speeds == own == system.mechanism.joints
    linear = system.jacobians()
    assert linear.states == linear.A.columns == linear.B.names == system.state_names
    torque = 0.2 * np.arange(1.0, 13.0)
    scale = np.abs(M @ np.array(a)).max() + np.abs(h).max()
    np.testing.assert_allclose((M @ np.array(a) + h - torque) / scale, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.array(needed) / scale, torque / scale, atol=1e-12)
    np.testing.assert_allclose(linear.rate[[system.state_names.index(f"{n}.motion.u") for n in own]], a, rtol=1e-10)


def test_forward_and_inverse_dynamics_undo_one_another() -> None:
    system = mb.compile(chain(NUMBERED))
    wanted = np.random.default_rng(5).normal(size=12)
    torques = system.inverse_dynamics(None, wanted)
    model = chain(NUMBERED)
    for name, torque in zip(NUMBERED, torques, strict=True):
        model.set(f"{name}.torque", float(torque))
    np.testing.assert_allclose(mb.compile(model).accelerations(), wanted, rtol=1e-9, atol=1e-9)


def test_names_of_a_run_stand_in_natural_order() -> None:
    names = [n for n in mb.simulate(chain(NUMBERED), 0.01).names if n.endswith(".angle")]
    assert names == [f"{joint}.angle" for joint in NUMBERED]
