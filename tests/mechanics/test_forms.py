"""The same tables as a straight line and as loops; parameters that change without compiling; events."""

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.examples import arm, chain, pendulum, slider_crank
from multibond.lower.emit import emit_model_function
from multibond.lower.jit import compile_ir
from multibond.lower.program import inline

SEED = 11


def states(system, count: int = 5) -> np.ndarray:
    print("seed", SEED)
    return np.random.default_rng(SEED).standard_normal((count, system.n))


@pytest.mark.parametrize("build", [lambda: chain(2), lambda: chain(7), arm], ids=["chain 2", "chain 7", "arm"])
def test_line_and_loops_agree(build) -> None:
    line, loops = mb.compile(build(), form="line"), mb.compile(build(), form="loops")
    assert loops.code.work_size > 0
    for x in states(line):
        a, b = line.derivative(x), loops.derivative(x)
        assert np.abs(a - b).max() <= 1e-11 * np.abs(a).max()


def test_the_looped_tables_also_run_inlined() -> None:
    made = mb.stages(arm(), form="loops")
    assert made.sweeps is not None
    whole = made.reduced.whole
    import casadi as ca

    line = ca.Function("rhs", [whole.t, whole.x, whole.p], [inline(made.sweeps.program, [whole.t, whole.x, whole.p])])
    assert compile_ir(emit_model_function(line, "rhs")).address("rhs")
    loops = mb.compile(arm(), form="loops")
    for x in states(loops):
        a = np.asarray(line(0.0, x, loops.parameters)).ravel()
        assert np.abs(a - loops.derivative(x)).max() <= 1e-11 * np.abs(a).max()


def test_a_branched_tree_with_balls_in_loops() -> None:
    model = mb.Model("tree")
    world = model.add(sp.World())
    trunk = model.add(sp.Body("trunk", mass=2.0, inertia=(0.2, 0.3, 0.4), centre=(0.1, 0.2, 0.0)))
    ball = model.add(sp.Spherical("ball", damping=0.1))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, trunk.frame)
    for k, axis in enumerate("xyz"):
        joint = model.add(sp.Revolute(f"joint{k}", axis=axis, damping=0.05))
        twig = model.add(sp.Body(f"twig{k}", mass=0.5 + k, inertia=(0.02, 0.03, 0.04), centre=(0.1, 0.0, 0.3)))
        slide = model.add(sp.Prismatic(f"slide{k}", axis=axis, stiffness=50.0))
        tip = model.add(sp.Body(f"tip{k}", mass=0.2, inertia=(0.01, 0.01, 0.01)))
        model.connect(ball.frame_b, joint.frame_a)
        model.connect(joint.frame_b, twig.frame, slide.frame_a)
        model.connect(slide.frame_b, tip.frame)
    line, loops = mb.compile(model, form="line"), mb.compile(model, form="loops")
    assert loops.code.work_size > 0
    for x in states(line):
        a, b = line.derivative(x), loops.derivative(x)
        assert np.abs(a - b).max() <= 1e-11 * np.abs(a).max()


def test_observed_variables_of_loops() -> None:
    line = mb.simulate(mb.compile(chain(3), form="line"), 0.5, rtol=1e-11)
    loops = mb.simulate(mb.compile(chain(3), form="loops"), 0.5, rtol=1e-11)
    times = np.linspace(0, 0.5, 6)
    for name in ("link2.position", "joint1.reaction_force", "joint0.reaction_torque", "link1.angular_velocity"):
        a, b = line[name](times), loops[name](times)
        assert np.abs(a - b).max() <= 1e-8 * max(1.0, np.abs(a).max())


def test_parameters_change_without_compiling() -> None:
    system = mb.compile(pendulum(damping=0.1))
    other = mb.with_parameters(system, {"bar.mass": 2.5, "hinge.damping": 0.3})
    assert other.code is system.code
    model = pendulum(damping=0.3)
    model.set("bar.mass", 2.5)
    times = np.linspace(0, 3, 31)
    assert (
        np.abs(mb.simulate(other, 3.0)["hinge.angle"](times) - mb.simulate(model, 3.0)["hinge.angle"](times)).max()
        < 1e-12
    )


def test_parameters_move_the_assembled_start() -> None:
    system = mb.compile(slider_crank())
    longer = mb.with_parameters(system, {"rod_rod.vector": (1.25, 0.0, 0.0)})
    assert longer.code is system.code
    assert abs(mb.simulate(longer, 0.1)["guide.position"](0.0) - 1.45) < 1e-12


def test_events_are_found_to_the_last_digits() -> None:
    """Half periods of a linear oscillator on a slider: crossings at (k + 1/2) π / ω."""
    model = mb.Model("oscillator")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    guide = model.add(sp.Prismatic("guide", stiffness=9.0, position=1.0))
    body = model.add(sp.Body("body", mass=1.0))
    model.connect(world.frame, guide.frame_a)
    model.connect(guide.frame_b, body.frame)
    run = mb.simulate(model, 10.0, rtol=1e-12, atol=1e-14, events={"guide.position": (0.0, -1)})
    falling = (2 * np.arange(5) + 0.5) * np.pi / 3.0
    found = np.array([e.time for e in run.events])
    assert found.size == falling[falling < 10].size
    assert np.abs(found - falling[: found.size]).max() < 1e-10


def test_reactions_by_joint_say_whether_they_are_unique() -> None:
    hyper, iso = mb.simulate(slider_crank(), 1.0), mb.simulate(slider_crank(joints="isostatic"), 1.0)
    found, other = hyper.reactions(1.0), iso.reactions(1.0)
    assert not any(reaction.unique for reaction in found.values())
    assert all(reaction.unique for reaction in other.values())
    for joint in found:
        assert np.abs(found[joint].force[:2] - other[joint].force[:2]).max() < 1e-6
        assert np.array_equal(found[joint].force, hyper[f"{joint}.reaction_force"](1.0))


@pytest.mark.parametrize("cut", ["O", "B", "C", "guide"])
def test_any_joint_of_a_loop_may_be_the_cut(cut: str) -> None:
    times = np.linspace(0, 2, 41)
    system = mb.compile(slider_crank(), cuts=[cut])
    assert f"cut: {cut}" in system.report[0]
    run, plain = mb.simulate(system, 2.0, rtol=1e-11), mb.simulate(slider_crank(), 2.0, rtol=1e-11)
    for name in ("O.angle", "B.angle", "C.angle", "guide.position", "guide.reaction_force"):
        assert np.abs(run[name](times) - plain[name](times)).max() < 1e-8, name
