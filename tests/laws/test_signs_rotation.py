"""Signs of rotations and of the geometry of joints, against SciPy's rotations and differences along a motion."""

from __future__ import annotations

from fractions import Fraction

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from multibond.elements.motions import MotionKind
from multibond.expr import SX, flat, solve_linear, square
from multibond.rotation import (
    about,
    across,
    of_quaternion,
    quaternion_of,
    quaternion_rate,
    quaternion_symbolic,
    skew,
    turn_rate,
    turn_vector,
    unit_axis,
    whole_turns,
    without_turns,
)

RNG = np.random.default_rng(17)
TURNS = [Rotation.from_quat(q) for q in RNG.standard_normal((6, 4))]
NEAR = [Rotation.from_rotvec(v) for v in RNG.uniform(-1.2, 1.2, (4, 3))]
"""Less than half a turn away from the identity."""
HALF = [
    Rotation.from_rotvec(np.multiply(np.pi, v))
    for v in (*np.eye(3), (0.48, 0.6, 0.64), (-0.6, 0.64, 0.48), (0.64, -0.48, 0.6))
]
"""Half turns, about each axis and about others."""
STEP = 1e-6


def scalar_first(turn: Rotation) -> np.ndarray:
    """SciPy's quaternion in our order, with a scalar part that is not negative."""
    q = np.roll(turn.as_quat(), 1)
    return q if q[0] >= 0 else -q


def number(value: SX) -> np.ndarray:
    """A constant expression as an array."""
    return np.array(ca.evalf(ca.densify(SX(value))))


def vee(S: np.ndarray) -> np.ndarray:
    """The vector of a skew matrix."""
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def test_axes_by_letter_and_vector() -> None:
    np.testing.assert_array_equal(unit_axis("x"), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(unit_axis("-z"), [0.0, 0.0, -1.0])
    np.testing.assert_allclose(unit_axis((0.0, 3.0, -4.0)), [0.0, 0.6, -0.8])


def test_across_completes_a_right_handed_frame() -> None:
    for axis in RNG.standard_normal((5, 3)):
        first, second = across(axis / np.linalg.norm(axis))
        frame = np.column_stack([first, second, axis / np.linalg.norm(axis)])
        np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1.0)


def test_skew_is_the_cross_product() -> None:
    a, b = RNG.standard_normal((2, 3))
    np.testing.assert_allclose(number(skew(a)) @ b, np.cross(a, b))


def test_rotation_about_an_axis() -> None:
    for vector in RNG.standard_normal((4, 3)):
        angle = float(np.linalg.norm(vector))
        np.testing.assert_allclose(number(about(vector / angle, angle)), Rotation.from_rotvec(vector).as_matrix())


@pytest.mark.parametrize("turn", TURNS)
def test_quaternion_to_matrix_and_back(turn: Rotation) -> None:
    q, R = scalar_first(turn), turn.as_matrix()
    np.testing.assert_allclose(number(of_quaternion(SX(q))), R, atol=1e-14)
    np.testing.assert_allclose(quaternion_of(R), q, atol=1e-12)


@pytest.mark.parametrize("axis", np.eye(3))
def test_quaternion_of_half_a_turn(axis: np.ndarray) -> None:
    """Where the scalar part vanishes the largest of the others decides."""
    R = Rotation.from_rotvec(np.pi * axis).as_matrix()
    np.testing.assert_allclose(np.abs(quaternion_of(R)), [0.0, *axis], atol=1e-8)


@pytest.mark.parametrize("turn", [*NEAR, *TURNS, *HALF])
def test_quaternion_that_a_cut_joint_reads(turn: Rotation) -> None:
    """Either sign is right, for small turns as for half ones."""
    found, expected = number(quaternion_symbolic(SX(turn.as_matrix()))).ravel(), scalar_first(turn)
    np.testing.assert_allclose(found * np.sign(found @ expected), expected, atol=1e-12)


@pytest.mark.parametrize("turn", TURNS)
def test_quaternion_rate(turn: Rotation) -> None:
    """The angular velocity is that of the turned frame, in its own axes: R(t + h) = R(t) exp(h ω)."""
    w = RNG.standard_normal(3)
    before, after = (scalar_first(turn * Rotation.from_rotvec(s * STEP * w)) for s in (-1, 1))
    found = number(quaternion_rate(SX(scalar_first(turn)), SX(w))).ravel()
    np.testing.assert_allclose(found, (after - before) / (2 * STEP), atol=1e-8)


def test_attitudes_travel_row_after_row() -> None:
    R = TURNS[0].as_matrix()
    np.testing.assert_array_equal(number(flat(SX(R))).ravel(), R.ravel())
    np.testing.assert_array_equal(number(square(SX(R.ravel()))), R)


def test_linear_relations_are_solved() -> None:
    x, b = SX.sym("x", 2), SX.sym("b", 2)
    for matrix in (np.array([[2.0, 1.0], [-1.0, 3.0]]), np.diag([2.0, -3.0])):
        found = ca.Function("f", [b], [solve_linear(ca.sparsify(SX(matrix)) @ x - b, x)])(np.array([1.0, -4.0]))
        np.testing.assert_allclose(np.asarray(found).ravel(), np.linalg.solve(matrix, [1.0, -4.0]))


# -- joints ----------------------------------------------------------------------------------------------------------

Q = Rotation.from_rotvec((0.3, -0.5, 0.8)).as_matrix()
NONE, LEAD = np.zeros((0, 3)), 0.31
KINDS = {
    "revolute": MotionKind(Q[:1], NONE),
    "prismatic": MotionKind(NONE, Q[:1]),
    "cylindrical": MotionKind(Q[:1], Q[:1]),
    "screw": MotionKind(Q[:1], Q[:1], lead=LEAD),
    "universal": MotionKind(Q[:2], NONE),
    "planar": MotionKind(Q[2:], Q[:2]),
    "slotted cross": MotionKind(Q[1:], Q[:1]),
    "spherical": MotionKind(Q, NONE),
    "translation": MotionKind(NONE, Q),
    "free": MotionKind(np.eye(3), np.eye(3)),
    "weld": MotionKind(NONE, NONE),
    "cardan": MotionKind(Q, NONE, angles=True),
    "left-handed cardan": MotionKind(Q[[2, 1, 0]], Q[:1], angles=True),
    "euler": MotionKind(Q[[2, 0, 2]], np.eye(3), angles=True),
    "euler, third axis reversed": MotionKind(np.array([Q[2], Q[0], -Q[2]]), NONE, angles=True),
}


def coordinates(kind: MotionKind) -> np.ndarray:
    """Coordinates well within half a turn."""
    q = RNG.uniform(-0.7, 0.7, kind.coordinates)
    if kind.angles:
        q[1] = RNG.uniform(0.2, 1.2)  # the middle angle of Euler's three is counted from zero upwards
    if kind.quaternion:
        q[:4] = scalar_first(Rotation.from_rotvec(RNG.uniform(-0.7, 0.7, 3)))
    return q


def pose(kind: MotionKind, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    R, p = kind.pose(SX(q))
    return number(R), number(p).ravel()


def moving(kind: MotionKind, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity in b's axes and velocity in a's, by differences along the rate of the coordinates."""
    dq = number(kind.rate(SX(q), SX(u))).ravel()
    (R0, p0), (R1, p1) = (pose(kind, q + s * STEP * dq) for s in (-1, 1))
    return vee(pose(kind, q)[0].T @ (R1 - R0)) / (2 * STEP), (p1 - p0) / (2 * STEP)


@pytest.mark.parametrize("name", KINDS)
def test_flow_of_a_joint_moves_its_pose(name: str) -> None:
    """The free flow along the first columns of the bases is what the pose does, and nothing else moves."""
    kind = KINDS[name]
    for _ in range(3):
        q, u = coordinates(kind), RNG.uniform(-1.0, 1.0, kind.freedoms)
        w, v = moving(kind, q, u)
        B, S = number(kind.basis(SX(pose(kind, q)[0]))), kind.slide_basis()
        np.testing.assert_allclose(w, B[:, : kind.turns] @ u[: kind.turns], atol=1e-8)
        slid = LEAD * u if kind.lead is not None else u[kind.turns :]
        np.testing.assert_allclose(v, S[:, : kind.slides] @ slid, atol=1e-8)
        np.testing.assert_allclose(S.T @ S, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("name", KINDS)
def test_basis_is_a_right_handed_frame_where_it_is_orthogonal(name: str) -> None:
    kind = KINDS[name]
    B = number(kind.basis(SX.eye(3)))
    np.testing.assert_allclose(B.T @ B, np.eye(3), atol=1e-14)
    assert np.linalg.det(B) == pytest.approx(1.0) and np.linalg.det(kind.slide_basis()) == pytest.approx(1.0)
    if kind.fixed_basis is not None:
        np.testing.assert_array_equal(B, kind.fixed_basis)


@pytest.mark.parametrize("name", KINDS)
def test_coordinates_are_read_from_the_pose(name: str) -> None:
    kind = KINDS[name]
    for _ in range(3):
        q = coordinates(kind)
        np.testing.assert_allclose(number(kind.coordinates_of(*map(SX, pose(kind, q)))).ravel(), q, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_gaps_grow_with_the_held_flows(name: str) -> None:
    """From an assembled joint: the rate of a gap is the flow along its held direction."""
    kind = KINDS[name]
    R, p = pose(kind, coordinates(kind))
    w, v = RNG.uniform(-1.0, 1.0, (2, 3))
    turned = [R @ Rotation.from_rotvec(s * STEP * w).as_matrix() for s in (-1, 1)]
    before, after = (
        [number(g).ravel() for g in kind.gaps(SX(R1), SX(p + s * STEP * v))]
        for R1, s in zip(turned, (-1, 1), strict=True)
    )
    held = number(kind.basis(SX(R)))[:, kind.turns :].T @ w, kind.slide_basis()[:, kind.slides :].T @ v
    for old, new, flow in zip(before, after, held, strict=True):
        np.testing.assert_allclose((new - old) / (2 * STEP), flow, atol=1e-7)


@pytest.mark.parametrize("turns", [0.0, 0.4, -7.3])
def test_a_screw_is_off_by_what_its_turn_does_not_explain(turns: float) -> None:
    """b stands 1e-3 m too far: the gap says so, whole turns included, and it grows with slide - lead * turn."""
    kind = KINDS["screw"]
    R, p = pose(kind, np.array([2 * np.pi * turns]))
    assert number(kind.screw_gap(SX(R), SX(p + 1e-3 * Q[0]))).item() == pytest.approx(1e-3, abs=1e-12)
    further = R @ Rotation.from_rotvec(1e-3 * Q[0]).as_matrix()
    assert number(kind.screw_gap(SX(further), SX(p))).item() == pytest.approx(-LEAD * 1e-3, abs=1e-12)


@pytest.mark.parametrize("name", ["cardan", "left-handed cardan", "euler"])
def test_angles_name_the_place_where_they_fail(name: str) -> None:
    """Where the first and third axes fall together one rate has no bound."""
    kind = KINDS[name]
    at = np.array([0.3, 0.5 * np.pi if "cardan" in name else 0.0, -0.2, *np.zeros(kind.slides)])
    assert abs(number(kind.singular(SX(at))).item()) < 1e-15
    near = at + np.array([0.0, 1e-7, 0.0, *np.zeros(kind.slides)])
    rate = number(kind.rate(SX(near), SX(np.ones(kind.freedoms))))
    assert np.abs(rate).max() > 1e6


@pytest.mark.parametrize("angle", [0.0, 9e-5, 1.1e-4, 0.3, 3.0, 3.3, 6.0])
def test_the_vector_of_a_turn_and_its_rate(angle: float) -> None:
    """Axis times angle the shorter way round; its rate is by the inverse of (1 - exp(-[v]×)) / [v]×, as a series."""
    axis, short = np.array([2.0, -1.0, 2.0]) / 3, angle if angle <= np.pi else angle - 2 * np.pi
    q = ca.SX(np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * axis]))
    found, rate = (np.array(ca.evalf(ca.densify(f(q)))) for f in (turn_vector, turn_rate))
    np.testing.assert_allclose(found.ravel(), short * axis, rtol=1e-11, atol=1e-300)
    V, term, total = np.array(ca.DM(ca.skew(short * axis))), np.eye(3), np.zeros((3, 3))
    for k in range(1, 60):
        total, term = total + term, term @ -V / (k + 1)
    np.testing.assert_allclose(rate @ total, np.eye(3), atol=2e-13)


@pytest.mark.parametrize("name", KINDS)
def test_coordinates_are_apart_by_less_than_full_turns_and_signs(name: str) -> None:
    """What is said of a cut joint's coordinates holds for every set of them that stands for one pose, and for no other.

    Between two that are near each other it grows as their distance, or as half the angle between attitudes.
    """
    kind = KINDS[name]
    q, step = coordinates(kind), RNG.uniform(0.5, 1.0, kind.coordinates) * 1e-4
    same = q.copy()
    if kind.quaternion:
        same[:4] *= -1.0
    elif kind.lead is None:
        same[: kind.turns] += 2 * np.pi * np.arange(1, kind.turns + 1)
    every = np.ones(kind.coordinates, bool)
    np.testing.assert_allclose(number(kind.apart(SX(q), same, every)), 0.0, atol=1e-14)
    if kind.coordinates == kind.freedoms and kind.turns < 3:
        np.testing.assert_allclose(np.abs(number(kind.apart(SX(q + step), same, every))).ravel(), step, rtol=1e-9)
        return
    there = q + step if not kind.quaternion else np.concatenate([np.roll(_turned(q, step), 1), q[4:] + step[4:]])
    angle = (Rotation.from_matrix(pose(kind, q)[0]).inv() * Rotation.from_matrix(pose(kind, there)[0])).magnitude()
    found = number(kind.apart(SX(there), same, every)).ravel()
    assert np.linalg.norm(found[:3]) == pytest.approx(np.sin(angle / 2), rel=1e-9)
    np.testing.assert_allclose(np.abs(found[3:]), step[-kind.slides :] if kind.slides else [], rtol=1e-9)


def _turned(q: np.ndarray, by: np.ndarray) -> np.ndarray:
    return (Rotation.from_quat(np.roll(q[:4], -1)) * Rotation.from_rotvec(by[:3])).as_quat()


@pytest.mark.parametrize("name", KINDS)
def test_coordinates_next_to_others(name: str) -> None:
    """Of all coordinates of one pose those next to given ones: turns further, other signs, the other set of angles."""
    kind = KINDS[name]
    q, count = coordinates(kind), kind.turning_coordinates
    wanted = [q.copy()]
    if kind.quaternion:
        wanted.append(np.concatenate([-q[:4], q[4:]]))
    elif count:
        turns = 2 * np.pi * np.array([3.0, -1.0, 2.0])[:count]
        wanted += [np.concatenate([q[:count] + turns, q[count:]]), np.concatenate([q[:count] - turns, q[count:]])]
    if count == 3:
        flipped = np.array([q[0] + np.pi, (np.pi if "cardan" in name else 0.0) - q[1], q[2] - np.pi])
        wanted.append(np.concatenate([flipped, q[3:]]))
    for same in wanted:
        np.testing.assert_allclose(pose(kind, same)[0], pose(kind, q)[0], atol=1e-12)
        near = same[:count] + RNG.uniform(-0.2, 0.2, count)
        np.testing.assert_allclose(number(kind.nearest(SX(q), SX(near))).ravel(), same, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_a_coordinate_by_itself_is_apart_by_its_own_step(name: str) -> None:
    """Where a part of the coordinates is given, these are compared as numbers, next to what is given."""
    kind = KINDS[name]
    q, step = coordinates(kind), RNG.uniform(0.5, 1.0, kind.coordinates) * 1e-4
    given = q.copy()
    if kind.quaternion:
        given[:4] *= -1.0
    elif kind.lead is None:
        given[: kind.turns] += 2 * np.pi * np.arange(1, kind.turns + 1)
    for k in range(kind.coordinates):
        which = np.arange(kind.coordinates) == k
        np.testing.assert_allclose(number(kind.apart(SX(q), given, which)), 0.0, atol=1e-14)
        found = np.abs(number(kind.apart(SX(q + step), given, which))).ravel()
        np.testing.assert_allclose(found, step[k : k + 1], rtol=1e-9)


def test_whole_turns_are_left_out_of_angles() -> None:
    """Nearest numbers of turns beyond half a turn; what is left is right to a rounding, also of 1e9 rad."""
    np.testing.assert_array_equal(whole_turns(np.array([0.3, 7.0, -7.0, 20.0])), [0.0, 1.0, -1.0, 3.0])
    exact = 2 * Fraction(314159265358979323846264338327950288419716939937510, 10**50)
    for angle, turns in ((7.0, 1), (-7.0, -1), (1e9, round(1e9 / (2 * np.pi)))):
        expected = float(Fraction(angle) - turns * exact)
        assert abs(expected) < 3.2 and without_turns(angle, float(turns)) == pytest.approx(expected, rel=1e-15)
