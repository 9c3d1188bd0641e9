"""Signs of the planar elements, law by law, against geometry done by hand with complex numbers."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from multibond.elements import MTF, Embedding, PlanarAnchor, PlanarArm, PlanarLine, PlanarMotion, PlanarShift
from multibond.elements.kinematics import GivenPose
from multibond.elements.law import LawWriter
from multibond.elements.planar import GivenPlanarPose
from multibond.expr import SX
from multibond.graph.component import Element

A, B = 0.4, 1.1
P_A, P_B = np.array([0.3, -1.1]), np.array([-0.8, 0.4])


def outputs(item: Element, signals: dict, role: str = "", **states: object) -> dict[str, np.ndarray]:
    """What an element makes of the signals that it reads."""
    size = item.motion.freedoms if isinstance(item, PlanarMotion) else 0
    flow = SX([0.7, -0.2, 0.5][:size]) if size else SX(0, 1)
    read = {name: SX(np.atleast_1d(value)) for name, value in signals.items()}
    held = {name: SX(np.atleast_1d(value)) for name, value in states.items()}
    at = LawWriter({"port": flow}, {"port": flow}, read, held, {"port": True}, role=role)
    item.law(at)
    found = at.outputs | {f"rate {name}": value for name, value in at.rates.items()}
    return {name: np.array(ca.evalf(ca.densify(value))).ravel() for name, value in found.items()}


def turned(vector: object, angle: float) -> np.ndarray:
    """A vector turned counter-clockwise."""
    z = complex(*np.asarray(vector, float)) * np.exp(1j * angle)
    return np.array([z.real, z.imag])


def lever(arm: np.ndarray) -> list[float]:
    return [1.0, 0.0, -arm[1], 0.0, 1.0, arm[0], 0.0, 0.0, 1.0]


def agree(found: dict[str, np.ndarray], **wanted: object) -> None:
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], np.atleast_1d(value), atol=1e-13, err_msg=name)


def test_an_anchor_stands_where_it_is_put() -> None:
    agree(outputs(PlanarAnchor("it", P_A, A), {}), position=P_A, heading=A)


def test_given_poses_are_handed_on() -> None:
    agree(outputs(GivenPlanarPose("it"), {"given_position": P_A, "given_angle": A}), position=P_A, angle=A)
    R = np.arange(9.0)
    given = {"given_attitude": R, "given_position": R[:3] + 1}
    agree(outputs(GivenPose("it"), given), attitude=R, position=R[:3] + 1)


def test_a_shift_outwards_and_inwards() -> None:
    r, shift = (0.2, -0.5), PlanarShift("it", (0.2, -0.5), 0.3)
    out = outputs(shift, {"position_a": P_A, "angle_a": A}, "outward")
    agree(out, position_b=P_A + turned(r, A), angle_b=A + 0.3, lever=lever(turned(r, A)))
    back = outputs(shift, {"position_b": P_B, "angle_b": B}, "inward")
    agree(back, position_a=P_B - turned(r, B - 0.3), angle_a=B - 0.3, lever=lever(turned(r, B - 0.3)))


def test_an_arm_turns_and_stretches() -> None:
    arm = PlanarArm("it", (1.0, -3.0))
    agree(outputs(arm, {"angle": A}), lever=lever(turned((1.0, -3.0), A)))
    agree(outputs(arm, {"angle": A, "ampl": 1.7}), lever=lever(1.7 * turned((1.0, -3.0), A)))


def test_a_line_points_from_a_to_b() -> None:
    length = float(np.hypot(*(P_B - P_A)))
    agree(
        outputs(PlanarLine("it"), {"position_a": P_A, "position_b": P_B}), length=length, direction=(P_B - P_A) / length
    )


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("slides", [[], [(0.6, 0.8, 0.0)], [(0.6, 0.8, 0.0), (-0.8, 0.6, 0.0)]], ids=["0", "1", "2"])
def test_a_motion_leads_the_pose_both_ways(turns: bool, slides: list) -> None:
    """b stands at the end of the slides and is turned by the first coordinate."""
    motion, q = PlanarMotion("it", turns, slides), np.array([*([0.9] if turns else []), *[0.5, -0.3][: len(slides)]])
    place = np.array(slides).reshape(-1, 3)[:, :2].T @ q[int(turns) :] if slides else np.zeros(2)
    turn, arm = (0.9 if turns else 0.0), turned(place, A)
    R = [np.cos(A), -np.sin(A), np.sin(A), np.cos(A)]
    states = {"q": q} if q.size else {}
    out = outputs(motion, {"position_a": P_A, "angle_a": A}, "outward", **states)
    agree(out, position_b=P_A + arm, angle_b=A + turn, turn=R, lever=lever(arm))
    back = outputs(motion, {"position_b": P_A + arm, "angle_b": A + turn}, "inward", **states)
    agree(back, position_a=P_A, angle_a=A, turn=R, lever=lever(arm))
    both = {"position_a": P_A, "angle_a": A, "position_b": P_A + arm, "angle_b": A + turn - 2 * np.pi}
    cut = outputs(motion, both, "cut")
    agree(cut, turn=R, lever=lever(arm), gap_rotation=[] if turns else [0.0], gap_translation=np.zeros(2 - len(slides)))
    if q.size:
        for found in (out, back, cut):
            agree(found, q=q)
        agree(out, **{"rate q": [0.7, -0.2, 0.5][: q.size]})


def test_gaps_count_from_a_to_b() -> None:
    """Held: the turn, within half a turn; both components in a's axes; across a rail to its left."""
    apart = {"position_a": P_A, "angle_a": A, "position_b": P_A + turned((0.2, 0.1), A), "angle_b": A + 0.3}
    agree(outputs(PlanarMotion("it"), apart, "cut"), gap_rotation=0.3, gap_translation=(0.2, 0.1))
    rail = PlanarMotion("it", False, [(0.6, 0.8, 0.0)])
    agree(outputs(rail, apart, "cut"), gap_translation=-0.8 * 0.2 + 0.6 * 0.1, q=0.6 * 0.2 + 0.8 * 0.1)


def test_an_embedding_stands_in_its_plane() -> None:
    half = np.sqrt(0.5)
    found = outputs(Embedding("it", (1.0, 2.0, 3.0), (half, half, 0.0, 0.0)), {"position_a": P_A, "angle_a": A})
    R = np.array([[np.cos(A), -np.sin(A), 0.0], [0.0, 0.0, -1.0], [np.sin(A), np.cos(A), 0.0]])
    agree(found, position_b=(1.0 + P_A[0], 2.0, 3.0 + P_A[1]), attitude_b=R.ravel())


@pytest.mark.parametrize("lanes", [(True, True, True), (False, False, False), (True, True, False), (False, True, True)])
def test_a_lever_keeps_power_whatever_is_given(lanes: tuple[bool, ...]) -> None:
    """v_b = v_a + ω (-r_y, r_x), same ω; the torque at a is that at b and of the force at the arm."""
    rng, arm = np.random.default_rng(4), np.array([0.7, -0.4])
    names = ("e a", "e b", "f a", "f b")
    symbols = {name: SX.sym(name, 3) for name in names}
    at = LawWriter(
        {"a": symbols["e a"], "b": symbols["e b"]}, {"a": symbols["f a"], "b": symbols["f b"]},
        {"modulus": SX(lever(arm))}, {}, {"a": lanes[0], "b": not lanes[0]},
        lanes_given={"a": list(lanes), "b": [not lane for lane in lanes]},
    )  # fmt: skip
    MTF("it", 3, 3, inverse="lever").law(at)
    f_a, e_b = rng.standard_normal(3), rng.standard_normal(3)
    B = np.reshape(lever(arm), (3, 3))
    values = dict(zip(names, (B.T @ e_b, e_b, f_a, B @ f_a), strict=True))
    residual = ca.Function("r", list(symbols.values()), [ca.vertcat(*at.relations)])
    np.testing.assert_allclose(np.asarray(residual(*values.values())).ravel(), 0.0, atol=1e-13)
    for k, name in enumerate(names):
        wrong = [value + (0.5 if i == k else 0.0) for i, value in enumerate(values.values())]
        assert np.abs(np.asarray(residual(*wrong))).max() > 0.1, name
