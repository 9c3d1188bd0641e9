"""A method for one joint, springs that pull a wrong start together, and parts that run alone."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import errors
from multibond import spatial as sp
from multibond.examples import motor_pendulum, slider_crank

TIMES = np.linspace(0.0, 0.3, 31)


def mixed(**methods: str) -> mb.Model:
    """The slider crank with methods of their own for some joints."""
    model = slider_crank()
    for joint, method in methods.items():
        model.set(f"{joint}.method", method)
    return model


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier", "minimal"])
@pytest.mark.parametrize("joints", [{"C": "multiplier"}, {"O": "multiplier", "guide": "multiplier"}])
def test_joints_held_by_multipliers_change_nothing(joints: dict, method: str) -> None:
    plain = mb.simulate(slider_crank(), 0.3, rtol=1e-11)
    run = mb.simulate(mixed(**joints), 0.3, method=method, rtol=1e-11)
    for name in ("O.angle", "guide.position", "B.speed"):
        np.testing.assert_allclose(run[name](TIMES), plain[name](TIMES), atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier", "minimal"])
def test_one_soft_joint_is_the_same_in_every_method(method: str) -> None:
    """Only C has springs; the rest is exact, so that methods agree with one another though not with a rigid C."""
    soft = mixed(C="rc")
    system = mb.compile(soft, method)
    parasitic = {p for p, item in system.dae.graph.elements.items() if getattr(item, "role", "") == "parasitic"}
    assert {p.split(".")[0] for p in parasitic} == {"C"} and len(parasitic) == 4
    run, other = mb.simulate(system, 0.3, rtol=1e-10), mb.simulate(soft, 0.3, rtol=1e-10)
    rigid = mb.simulate(slider_crank(), 0.3, rtol=1e-10)
    np.testing.assert_allclose(run["guide.position"](TIMES), other["guide.position"](TIMES), atol=1e-9)
    assert 1e-8 < np.abs(run["guide.position"](TIMES) - rigid["guide.position"](TIMES)).max() < 1e-4
    assert abs(run.energy().parasitic) > 0.0 and run.energy().residual < 1e-9


def test_a_joint_that_was_cut_elsewhere_carries_the_tree() -> None:
    """O is soft, so the world holds the guide only; C, a cut otherwise, is in the tree then."""
    system = mb.compile(mixed(O="rc"))
    assert "C.motion" in system.dae.tree.order and system.dae.tree.cuts == ("O.motion",)


def test_bodies_on_springs_alone_have_no_minimal_coordinates() -> None:
    with pytest.raises(errors.ModelError, match=r"need a joint for every body.*\n.*'rod'.*\n.*auto"):
        mb.compile(mixed(B="rc", C="rc"), "minimal")


def test_momenta_are_states() -> None:
    """Three bodies with a quaternion, a place and two momenta each (Boudon et al.: integral causalities are kept)."""
    for method in ("multiplier", "rc"):
        system = mb.compile(slider_crank(), method)
        assert system.dae.causality.dependent == ()
        assert {s.name for s in system.dae.states} == {"q", "p"} and system.n == 39


# -- wrong starts ------------------------------------------------------------------------------------------------------


def wrong(gap: float) -> mb.Model:
    """A slider crank whose given positions leave a gap at C, without drive."""
    model, angle = slider_crank(torque=0.0), 0.7
    lean = np.arcsin(0.2 * np.sin(angle))
    model.set("O.angle", angle)
    model.set("B.angle", -angle - lean)
    model.set("guide.position", 0.2 * np.cos(angle) + np.cos(lean) + gap)
    return model


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier", "minimal"])
def test_rigid_joints_refuse_a_wrong_start(method: str) -> None:
    with pytest.raises(errors.MultibondError):
        mb.compile(wrong(2e-3), method)


def test_springs_pull_a_wrong_start_together() -> None:
    """2 mm at C stretch its springs, and so the others, until the dampers have taken what was stored."""
    run = mb.simulate(wrong(2e-3), 2.0, method="rc")
    gap = run["C.hold_translation.parasitic_c.e"](np.array([0.0, 0.01, 2.0])) / 1e7
    sizes = np.linalg.norm(gap, axis=1)
    assert sizes[0] == pytest.approx(2e-3, rel=1e-9)
    assert sizes[1] < 1e-3 and sizes[2] < 1e-9
    angle, piston = run["O.angle"](2.0), run["guide.position"](2.0)
    assert piston == pytest.approx(0.2 * np.cos(angle) + np.sqrt(1 - (0.2 * np.sin(angle)) ** 2), abs=1e-8)
    assert any("joints are apart" in line for line in run.system.report)


def test_a_start_is_left_apart_where_that_is_asked_for() -> None:
    """O turned by a right angle, the rest as given: assembled first, or left to the springs."""
    model = slider_crank(torque=0.0)
    model.set("O.angle", 0.02)
    asked = mb.compile(model, "rc", parasitic=mb.Parasitic(assemble=False))
    usual = mb.compile(model, "rc")
    assert any("apart" in line for line in asked.report) and not any("apart" in line for line in usual.report)
    assert np.abs(asked.x0 - usual.x0).max() > 1e-3


# -- parts alone -------------------------------------------------------------------------------------------------------


def test_a_body_alone_falls() -> None:
    run = mb.simulate(slider_crank(gravity=9.81)["rod"], 0.5, rtol=1e-11)
    np.testing.assert_allclose(run["rod.position"](0.5), [0.5, -0.5 * 9.81 * 0.25, 0.0], atol=1e-10)


def test_a_sub_model_alone_keeps_its_momentum() -> None:
    """A leg that nothing holds falls as one: its joint, opened at the start, does not move on its own."""
    leg = mb.Model("leg")
    thigh, shin = (leg.add(sp.Body(n, mass=m, inertia=(0.1, 0.1, 0.1))) for n, m in (("thigh", 2.0), ("shin", 1.0)))
    knee, rod = leg.add(sp.Revolute("knee", angle=0.3, speed=1.5)), leg.add(sp.Rod("bone", (0.4, 0.0, 0.0)))
    leg.connect(thigh.frame, rod.frame_a)
    leg.connect(rod.frame_b, knee.frame_a)
    leg.connect(knee.frame_b, shin.frame)
    leg.expose("hip", thigh.frame)
    walker = mb.Model("walker")
    walker.add(leg, name="left")
    run = mb.simulate(walker["left"], 1.0, rtol=1e-11)
    fall = [run[f"left.{name}.momentum"](np.array([0.0, 1.0])) for name in ("thigh", "shin")]
    change = sum(p[1] - p[0] for p in fall)
    np.testing.assert_allclose(change, [0.0, -3.0 * 9.81, 0.0], atol=1e-9)
    assert run.energy().residual < 1e-10
    assert mb.causality(walker["left"]).name == "left"


def test_a_motor_alone_turns_on() -> None:
    """Pins open: no current, so no torque; the rotor slows down in its bearing only."""
    motor = motor_pendulum()["motor"]
    run = mb.simulate(motor, 1.0)
    assert run["motor.current"](1.0) == 0.0 and run["motor.speed"](1.0) == 0.0


def test_a_joint_with_a_torque_and_nothing_to_turn_is_refused() -> None:
    with pytest.raises(errors.StructureError, match="nothing balances the effort at 'O'"):
        mb.simulate(slider_crank()["O"], 1.0)


@pytest.mark.parametrize("method", ["zcp", "multiplier", "minimal", "rc"])
def test_every_method_begins_in_one_position(method: str) -> None:
    """With nothing said of the slide, rod and slide may stand to either side of the crank: all methods choose one."""
    model = slider_crank()
    for start in ("guide.position", "B.angle", "C.angle"):
        model.set(start, None)
    model.set("O.angle", 0.5)
    begun = mb.simulate(model, 0.01)["guide.position"](0.0)
    assert mb.simulate(model, 0.01, method=method)["guide.position"](0.0) == pytest.approx(begun, abs=1e-9)
