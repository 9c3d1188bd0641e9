"""The robotics calls of a compiled system: states by name, names of arrays, linearisation, what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import multibond as mb
from multibond import blocks
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.errors import ModelError, StartError, UnknownName
from multibond.examples import EXAMPLES, chain, four_bar, heavy_top, motor_pendulum, slider_crank
from multibond.solve.plant import Plant

MECHANISMS = ("arm", "pendulum", "heavy_top", "slider_crank", "planar_loop", "four_bar", "motor_pendulum")


def moving(name: str) -> tuple[Plant, np.ndarray]:
    """A compiled example, and a consistent state a little on its way, away from where it began."""
    system = mb.compile(EXAMPLES[name]())
    return system, mb.simulate(system, 0.37).states(0.37)[0]


@pytest.mark.parametrize("name", [*MECHANISMS, "crane_crab"])
def test_equation_of_motion(name: str) -> None:
    """M u' + h = τ for the accelerations of the run itself, in all speeds and in independent ones."""
    system, x = moving(name)
    a, rates = system.accelerations(x), system.derivative(x)
    names = system.mechanism.names
    np.testing.assert_allclose(rates[system.mechanism.speeds], [a[n] for n in names], rtol=1e-10, atol=1e-10)
    small = np.array([a[n] for n in system.independent])
    M, h, tau = system.mass_matrix(x), system.bias(x), system.drives(x)
    scale = np.abs(M @ small).max() + np.abs(h).max() + 1.0
    np.testing.assert_allclose((M @ small + h - tau) / scale, 0.0, atol=1e-11)
    assert np.linalg.eigvalsh(M).min() > 0
    np.testing.assert_allclose(system.inverse_dynamics(x, small) / scale, tau / scale, atol=1e-11)


def test_a_damper_through_a_flange_without_inertia() -> None:
    """Two dampers in a row share their torque; the speed between them solves a cubic, and belongs to the bias."""
    model = mb.Model("oil")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", axis="z", speed=2.0))
    rod, bob = model.add(sp.Rod("rod", (0.5, 0, 0))), model.add(sp.Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    oil, grease = model.add(ro.Damper("oil", torque="0.5*f + 0.2*f^3")), model.add(ro.Damper("grease", damping=0.3))
    ground = model.add(ro.Fixed("ground"))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    model.connect(hip.flange, oil.flange_a)
    model.connect(oil.flange_b, grease.flange_a)
    model.connect(grease.flange_b, ground.flange)
    system = mb.compile(model)
    between = brentq(lambda w: 0.5 * (2 - w) + 0.2 * (2 - w) ** 3 - 0.3 * w, 0.0, 2.0)
    np.testing.assert_allclose(system.bias(system.x0), [9.81 * 0.5 + 0.3 * between], rtol=1e-12)


def test_a_rotor_that_is_lighter_the_faster_it_turns_counts_as_it_is_now() -> None:
    """ω = p + 0.2 p³ on the shaft of a pendulum adds dp/dω = 1 / (1 + 0.6 p²) to its inertia of 0.35."""
    model = mb.Model("rotor")
    model.add(sp.World())
    hip = model.add(sp.Revolute("hip", axis="z", speed=2.0))
    model.add(sp.Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0.5, 0.0, 0.0)))
    model.connect("world.frame", hip.frame_a)
    model.connect(hip.frame_b, "bob.frame")
    shaft = model.add(mb.One("shaft"))
    model.bond(hip.flange, shaft)
    model.bond(shaft, mb.I("rotor", flow="p + 0.2*p^3"))
    system = mb.compile(model)
    p = brentq(lambda p: p + 0.2 * p**3 - 2.0, 0.0, 2.0)
    inertia = 0.35 + 1 / (1 + 0.6 * p**2)
    np.testing.assert_allclose(system.mass_matrix(system.x0), [[inertia]], rtol=1e-12)
    np.testing.assert_allclose(system.accelerations(system.x0)["hip"], -0.5 * 9.81 / inertia, rtol=1e-12)
    np.testing.assert_allclose(system.inverse_dynamics(system.x0, [3.0]), 3.0 * inertia + 0.5 * 9.81, rtol=1e-12)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_the_rate_of_a_jacobian_is_what_the_loop_adds(name: str) -> None:
    """Along a run V' = J v' + (dJ/dt) v, V' by differences of V."""
    model = EXAMPLES[name]()
    system = mb.compile(model)
    run, step = mb.simulate(system, 0.4), 1e-4
    frame = {"four_bar": "coupler.frame", "slider_crank": "rod.frame"}[name]
    early, x, late = run.states(np.array([0.37 - step, 0.37, 0.37 + step]))
    rate = (np.asarray(system.velocity(late, frame)) - np.asarray(system.velocity(early, frame))) / (2 * step)
    a = system.accelerations(x)
    small = np.array([a[n] for n in system.independent])
    added = np.asarray(system.jacobian_rate(x, frame))
    assert np.abs(added).max() > 0.1
    np.testing.assert_allclose(np.asarray(system.jacobian(x, frame)) @ small + added, rate, atol=1e-4)


@pytest.mark.parametrize("name", MECHANISMS)
def test_kinetic_energy(name: str) -> None:
    """½ uᵀ M u is the kinetic energy that the bodies have by their own momenta."""
    system, x = moving(name)
    u = x[system.mechanism.speeds]
    graph = system.dae.graph
    masses = [path for path, item in graph.of_type(mb.I) if path.endswith((".mass", ".inertia", ".rotor"))]
    found = 0.0
    for path in masses:
        function = system.observer.function([f"{path}.p", f"{path}.f"])
        value = np.asarray(function(0.0, x, np.zeros(system.dae.ny), system.parameters))[:, 0]
        p, f = np.split(value, 2)
        found += 0.5 * abs(p @ f)
    np.testing.assert_allclose(0.5 * u @ system.mass_matrix(x, of="tree") @ u, found, rtol=1e-10)


def test_states_by_name() -> None:
    system = mb.compile(slider_crank())
    x = system.state({"O.angle": 0.7, "O.speed": 3.0})
    state = dict(zip(system.state_names, x, strict=True))
    assert state["O.motion.q"] == 0.7 and state["O.motion.u"] == 3.0
    root = math.sqrt(1 - (0.2 * math.sin(0.7)) ** 2)
    np.testing.assert_allclose(state["guide.motion.q"], 0.2 * math.cos(0.7) + root, atol=1e-12)
    speed = -3.0 * 0.2 * math.sin(0.7) * (1 + 0.2 * math.cos(0.7) / root)
    np.testing.assert_allclose(state["guide.motion.u"], speed, atol=1e-12)
    np.testing.assert_array_equal(system.state(), system.x0)
    np.testing.assert_allclose(system.mass_matrix({"O.angle": 0.7}), system.mass_matrix(x))


def test_components_of_states() -> None:
    system = mb.compile(heavy_top())
    x = system.state({"tip.angular_velocity[2]": 5.0})
    assert x[system.state_names.index("tip.motion.u[2]")] == 5.0
    assert system.mass_matrix(x).names == ("tip[0]", "tip[1]", "tip[2]")
    assert system.bias(x)["tip"].shape == (3,)


def test_states_that_are_none() -> None:
    system = mb.compile(four_bar())
    with pytest.raises(UnknownName, match="It follows from the others"):
        system.state({"C.angle": 0.1})
    with pytest.raises(UnknownName, match=r"has no 'E\.angle'"):
        system.state({"E.angle": 0.1})
    with pytest.raises(ModelError, match="a state of 3 numbers does not fit"):
        system.mass_matrix([0.0, 1.0, 2.0])
    with pytest.raises(StartError, match="the loops do not close in this state"):
        system.state({"O.angle": 1.0, "D.angle": 1.0})


def test_named_arrays() -> None:
    system = mb.compile(motor_pendulum())
    M = system.mass_matrix()
    assert M.names == M.columns == ("hinge",) and M["hinge"].shape == (1,)
    assert M.to_dict() == {"hinge": {"hinge": pytest.approx(0.3 * 0.04 + 2e-3)}}
    assert isinstance(M @ np.ones(1), np.ndarray) and not hasattr(M + 1.0, "names")
    with pytest.raises(UnknownName, match="the array has no 'hinge2'"):
        M["hinge2"]


def test_what_is_refused() -> None:
    system = mb.compile(four_bar())
    with pytest.raises(ModelError, match="2 accelerations do not fit"):
        system.inverse_dynamics(None, [1.0, 2.0])
    with pytest.raises(UnknownName, match="the list of accelerations has no 'D'"):
        system.inverse_dynamics(None, {"D": 1.0})
    with pytest.raises(UnknownName, match="the mechanism has no 'E'"):
        system.inverse_dynamics(None, [1.0], actuated="E")
    with pytest.raises(UnknownName, match=r"the mechanism has no 'tool\.frame'"):
        system.jacobian(None, "tool.frame")
    with pytest.raises(ModelError, match="there are no 'all' speeds"):
        system.mass_matrix(of="all")
    two = mb.compile(EXAMPLES["arm"]())
    with pytest.raises(ModelError, match="drives at joint0 cannot bring about every acceleration"):
        two.inverse_dynamics(None, np.zeros(6), actuated="joint0")


def cart() -> mb.Model:
    """A mass on a spring, pushed from outside."""
    model = mb.Model("cart")
    mass, spring = model.add(tr.Mass("mass", 2.0)), model.add(tr.Spring("spring", 50.0))
    damper, wall = model.add(tr.Damper("damper", 3.0)), model.add(tr.Fixed("wall"))
    push, stick = model.add(tr.Force("push")), model.add(blocks.Input("stick"))
    model.connect(wall.flange, spring.flange_a, damper.flange_a)
    model.connect(spring.flange_b, damper.flange_b, mass.flange, push.flange)
    model.signal(stick.y, push.input)
    return model


def test_linear_by_hand() -> None:
    system = mb.compile(cart())
    found = system.jacobians(outputs=["mass.velocity", "spring.force"])
    order = [found.states.index("mass.body.p"), found.states.index("spring.spring.q")]
    A = np.array([[-3.0 / 2.0, -50.0], [0.5, 0.0]])
    np.testing.assert_allclose(found.A[np.ix_(order, order)], A, atol=1e-13)
    np.testing.assert_allclose(found.B[order], [[1.0], [0.0]], atol=1e-13)
    np.testing.assert_allclose(found.C[:, order], [[0.5, 0.0], [0.0, 50.0]], atol=1e-13)
    np.testing.assert_allclose(found.D, np.zeros((2, 1)), atol=1e-13)
    assert found.inputs == ("stick",) and found.outputs == ("mass.velocity", "spring.force")
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(np.linalg.eigvals(A)), rtol=1e-12)


@pytest.mark.parametrize("name", ["arm", "slider_crank", "motor_pendulum", "heavy_top", "reaction", "robot"])
def test_linearisation_against_differences(name: str) -> None:
    """A and C columns by central differences of the compiled right-hand side."""
    system, x = moving(name)
    found = system.jacobians(x, t=0.37)
    step = 1e-6
    expected = np.column_stack([
        (system.derivative(x + step * e, t=0.37) - system.derivative(x - step * e, t=0.37)) / (2 * step)
        for e in np.eye(system.n)
    ])  # fmt: skip
    np.testing.assert_allclose(found.A / np.abs(expected).max(), expected / np.abs(expected).max(), atol=3e-8)


def test_long_trees_too() -> None:
    """Where sweeps find the unknowns there is no formula for them, and the linearisation is exact all the same."""
    system = mb.compile(chain(15))
    assert system.reduced.solver is None
    line = mb.compile(chain(15), form="line")
    x = np.random.default_rng(3).normal(size=system.n)
    A = line.jacobians(x).A
    np.testing.assert_allclose(system.jacobians(x).A, A, atol=1e-9 * np.abs(A).max())
    M = np.asarray(line.mass_matrix(x))  # native code and formulas round entries that are nothing otherwise
    np.testing.assert_allclose(np.asarray(system.mass_matrix(x)), M, rtol=1e-12, atol=1e-16 * M.max())
    rates = system.derivative(x)[system.mechanism.speeds]
    np.testing.assert_allclose(system.mass_matrix(x) @ rates + system.bias(x), 0.0, atol=1e-9)


def test_parameters_as_inputs() -> None:
    system = mb.compile(motor_pendulum())
    found = system.jacobians(inputs=["source.voltage", "bob.mass"], outputs=["motor.torque"])
    assert found.inputs == ("source.voltage", "bob.mass")
    np.testing.assert_allclose(found.B["motor.coil.p"], [1.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(found.C["motor.torque"][found.states.index("motor.coil.p")], 0.1 / 5e-3)
    with pytest.raises(UnknownName, match=r"has no 'source\.voltag'"):
        system.jacobians(inputs=["source.voltag"])


def test_small_motions_of_a_loop() -> None:
    """About its equilibrium a loop moves as its minimal matrix says."""
    model = four_bar(speed=0.0)
    rest = mb.equilibrium(model)
    A, _, _, _ = rest.linear.minimal
    push = 1e-5 * rest.linear.tangent @ np.array([1.0, 0.5])
    system = rest.system
    begin = system.state({"O.angle": rest["O.angle"] + push[0], "O.speed": push[system.mechanism.speeds[0]]})
    run = mb.simulate(replace(system, x0=begin), 0.8, rtol=1e-12)
    start = np.linalg.lstsq(rest.linear.tangent, begin - rest.x, rcond=None)[0]
    expected = rest.linear.tangent @ expm(0.8 * A) @ start
    np.testing.assert_allclose(run.states(0.8)[0] - rest.x, expected, atol=2e-8)


def test_forces_that_are_not_determined_are_refused() -> None:
    system = mb.compile(four_bar())
    with pytest.raises(ModelError, match=r"not all of C\.reaction_torque can be linearised"):
        system.jacobians(outputs=["C.reaction_torque"])


def test_a_torque_is_part_of_the_drives() -> None:
    """The joint's own torque is τ, not part of h: inverse dynamics tells the whole torque that is needed."""
    bare, driven = mb.compile(slider_crank(torque=0.0)), mb.compile(slider_crank(torque=10.0))
    x = bare.state({"O.angle": 0.7, "O.speed": 3.0})
    np.testing.assert_allclose(bare.bias(x), driven.bias(x), atol=1e-12)
    assert driven.drives(x)["O"] == 10.0 and bare.drives(x)["O"] == 0.0
    np.testing.assert_allclose(driven.inverse_dynamics(x, {"O": driven.accelerations(x)["O"]}), [10.0], rtol=1e-11)


def test_drives_that_share_a_clock() -> None:
    """Joints of a chain with rods between, led by one signal: one cell, and the same motion as with a clock each."""

    def arm(clocks: int) -> mb.Model:
        model = mb.Model("arm")
        end = model.add(sp.World()).frame
        times = [model.add(blocks.Time(f"clock{k}")) for k in range(clocks)]
        for k in range(2):
            joint, rod = model.add(sp.Revolute(f"joint{k}", angle=0.3)), model.add(sp.Rod(f"rod{k}", (0.4, 0, 0)))
            body = model.add(sp.Body(f"body{k}", mass=1.0, inertia=(0.1, 0.1, 0.1)))
            law, push = model.add(blocks.Function(f"law{k}", "2 * sin(3 * u)")), model.add(ro.Torque(f"push{k}"))
            model.connect(end, joint.frame_a)
            model.connect(joint.frame_b, rod.frame_a)
            model.connect(rod.frame_b, body.frame)
            model.connect(push.flange, joint.flange)
            model.signal(times[k % clocks].y, law.u)
            model.signal(law.y, push.input)
            end = body.frame
        return model

    one, two = mb.simulate(arm(1), 1.0, rtol=1e-11), mb.simulate(arm(2), 1.0, rtol=1e-11)
    for name in ("joint0.angle", "joint1.angle"):
        np.testing.assert_allclose(one[name](1.0), two[name](1.0), atol=1e-10)


@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_shared_reactions_at_a_state_are_those_of_the_run(name: str) -> None:
    """Three rows of these loops repeat others: what their joints share is told by one canonical choice."""
    system = mb.compile(EXAMPLES[name]())
    run = mb.simulate(system, 0.3)
    found = system.reactions(run.pieces[0].trajectory.at([0.2])[0])
    assert {joint.unique for joint in found.values()} == {False}
    for joint, reaction in found.items():
        np.testing.assert_allclose(reaction.force, run[f"{joint}.reaction_force"](0.2), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(reaction.torque, run[f"{joint}.reaction_torque"](0.2), rtol=1e-12, atol=1e-12)


def test_results_of_a_loop_have_the_names_of_their_speeds() -> None:
    """The tree's speeds or the independent ones, at one state and at many; drives at given joints too."""
    system = mb.compile(four_bar())
    many = np.array([system.x0, system.x0])
    tree = system.mass_matrix(system.x0, of="tree")
    assert tree.names == tree.columns and len(tree.names) == 3
    assert system.mass_matrix(system.x0).names == system.independent != tree.names
    assert system.bias(system.x0, of="tree").names == tree.names
    one = system.inverse_dynamics(system.x0, {"O": 2.0}, actuated=["D"])
    both = system.inverse_dynamics(many, {"O": 2.0}, actuated=["D"])
    assert one.names == both.names == ("D",)
    np.testing.assert_array_equal(both["D"], [one["D"], one["D"]])
    J = system.jacobian(system.x0, "rocker.frame")
    for k, name in enumerate(J.names):
        np.testing.assert_array_equal(J[name], np.asarray(J)[k])
        np.testing.assert_array_equal(system.jacobian(many, "rocker.frame")[name][1], np.asarray(J)[k])
