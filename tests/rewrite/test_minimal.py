"""Minimal coordinates: the same behaviour, and the matrices of Boudon et al., eqs 8 to 17, against second derivations.

The second derivation knows nothing of graphs: positions and rotations are written down as functions of the angles, and
everything else follows from them by differentiation; the forces by Lagrange.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond import errors, rewrite
from multibond import spatial as sp
from multibond.examples import slider_crank
from multibond.structure.causality import assign
from multibond.structure.tree import span

from .agreement import assert_same, run_of
from .machines import MACHINES, graph_of, reference

REFUSED = ("rate gyro", "disc of scalar bonds", "rectifier")
FEW = {"inertia alone behind a gear": 3, "spinning": 0}
"""Machines of which hardly more than the energies is left to compare."""
UNFOLDED_LOOPS = ("slider crank, unfolded", "four bar, unfolded")


LEAN = [name for name in MACHINES if name not in REFUSED and "minimal" not in name]


def machine(name: str) -> object:
    slow = name in UNFOLDED_LOOPS or name in ("arm", "chain", "heat plate")
    return pytest.param(name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", [machine(n) for n in tenth(LEAN, of="minimal coordinates")])
def test_same_behaviour(name: str, level: int) -> None:
    made = rewrite.minimal(graph_of(name), level=level)
    assert made.undo() is graph_of(name)
    assert_same(reference(name), run_of(made.graph, MACHINES[name][1]), least=FEW.get(name, 4))


@pytest.mark.parametrize("name", ["pendulum", "heavy top", "slider crank", "four bar"])
def test_nothing_is_left_to_solve(name: str) -> None:
    """The virtual inertia is in integral causality, and no multiplier is left (Boudon: an explicit system)."""
    graph = rewrite.minimal(graph_of(name)).graph
    strokes = assign(graph, span(graph))
    assert strokes.dependent == ()
    assert strokes.gives_flow(graph.bonds_of("inertia")[0], "inertia")
    assert mb.compile(graph).dae.ny == 0


def test_mixed_directions_are_refused() -> None:
    with pytest.raises(errors.StructureError, match=r"no one direction of flow.*\n.*\n.*Unfold"):
        rewrite.minimal(graph_of("rate gyro"))


def test_causal_cycles_are_refused() -> None:
    with pytest.raises(errors.StructureError, match=r"follows from itself.*\n.*cycle.*\n.*Invert"):
        rewrite.minimal(graph_of("disc of scalar bonds"))


def test_switches_are_refused() -> None:
    with pytest.raises(errors.StructureError, match=r"gives its flow in the mode.*\n.*chosen once.*\n.*Leave"):
        rewrite.minimal(graph_of("rectifier"))


# -- eqs 12 to 14: an arm of two hinges with skew axes ---------------------------------------------------------------

MASS, CENTRE, REACH = (1.3, 0.8), (np.array([0.2, 0.05, -0.1]), np.array([0.1, -0.15, 0.3])), np.array([0.5, 0.1, 0.2])
TENSOR = (np.diag([0.02, 0.03, 0.04]), np.array([[0.05, 0.01, 0.0], [0.01, 0.04, -0.005], [0.0, -0.005, 0.03]]))


def arm_model() -> mb.Model:
    model = mb.Model("arm")
    world = model.add(sp.World())
    first = model.add(sp.Revolute("first", axis="z", angle=0.4, speed=1.0))
    second = model.add(sp.Revolute("second", axis="x", angle=-0.7, speed=-2.0))
    link = model.add(sp.Body("link", mass=MASS[0], inertia=TENSOR[0], centre=CENTRE[0]))
    tool = model.add(sp.Body("tool", mass=MASS[1], inertia=TENSOR[1], centre=CENTRE[1]))
    rod = model.add(sp.Rod("rod", REACH))
    model.connect(world.frame, first.frame_a)
    model.connect(first.frame_b, link.frame, rod.frame_a)
    model.connect(rod.frame_b, second.frame_a)
    model.connect(second.frame_b, tool.frame)
    return model


def turned(angle: ca.SX, axis: str) -> ca.SX:
    c, s = ca.cos(angle), ca.sin(angle)
    rows = {"z": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "x": [[1, 0, 0], [0, c, -s], [0, s, c]]}[axis]
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


class Arm:
    """The arm by geometry: where the centres are and how the bodies stand, as functions of the two angles."""

    def __init__(self) -> None:
        self.q, self.u = ca.SX.sym("q", 2), ca.SX.sym("u", 2)
        R1 = turned(self.q[0], "z")
        R2 = R1 @ turned(self.q[1], "x")
        self.centres = [R1 @ CENTRE[0], R1 @ REACH + R2 @ CENTRE[1]]
        self.attitudes = [R1, R2]

    def rate(self, value: ca.SX) -> ca.SX:
        return ca.reshape(ca.jtimes(ca.vec(value), self.q, self.u), *value.shape)

    def parts(self) -> list[tuple[ca.SX, ca.SX, bool]]:
        """(T_i, tensor, turns) of all masses and inertias."""
        found = []
        for m, J, r, R in zip(MASS, TENSOR, self.centres, self.attitudes, strict=True):
            W = R.T @ self.rate(R)
            w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
            found += [(ca.jacobian(r, self.q), m * ca.SX.eye(3), False), (ca.jacobian(w, self.u), ca.SX(J), True)]
        return found

    def matrices(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Virtual inertia, gyristor and gyrator, eqs 12 to 14."""
        inertia, gyristor, gyrator = ca.SX(2, 2), ca.SX(2, 2), ca.SX(2, 2)
        for T, J, turns in self.parts():
            inertia += T.T @ J @ T
            gyristor += T.T @ J @ self.rate(T)
            if turns:
                h = J @ T @ self.u
                cross = ca.vertcat(ca.horzcat(0, -h[2], h[1]), ca.horzcat(h[2], 0, -h[0]), ca.horzcat(-h[1], h[0], 0))
                gyrator += -T.T @ cross @ T
        return inertia, gyristor, gyrator

    def lagrange(self) -> ca.SX:
        """Forces of inertia without those of the accelerations: d/dt ∂K/∂u - ∂K/∂q at u' = 0."""
        inertia = self.matrices()[0]
        energy = 0.5 * ca.dot(self.u, inertia @ self.u)
        return ca.jtimes(ca.gradient(energy, self.u), self.q, self.u) - ca.gradient(energy, self.q)


POSITIONS = [((0.4, -0.7), (1.0, -2.0)), ((-1.9, 2.3), (0.3, 0.8)), ((2.7, 0.1), (-4.0, 1.5))]


def evaluated(arm: Arm, value: ca.SX, q: tuple[float, ...], u: tuple[float, ...]) -> np.ndarray:
    return np.asarray(ca.Function("f", [arm.q, arm.u], [ca.densify(value)])(q, u))


def placed(q: tuple[float, ...], u: tuple[float, ...]) -> dict[str, object]:
    return {"first.motion.q": q[0], "second.motion.q": q[1], "velocities": u, "independent": u}


@pytest.mark.parametrize(("q", "u"), POSITIONS)
@pytest.mark.parametrize("level", [1, 2])
def test_virtual_inertia_gyristor_and_gyrator(q: tuple[float, float], u: tuple[float, float], level: int) -> None:
    """Component by component; without loops both levels are the same (M_b = 1)."""
    made, arm = rewrite.minimal(arm_model()), Arm()
    found = [made.inertia(level), made.gyristor(level), made.gyrator(level)]
    for ours, theirs in zip(found, arm.matrices(), strict=True):
        np.testing.assert_allclose(ours.at(placed(q, u)), evaluated(arm, theirs, q, u), atol=1e-13)
    assert np.abs(found[2].at(placed(q, u))).max() > 1e-3


@pytest.mark.parametrize(("q", "u"), POSITIONS)
def test_forces_are_those_of_lagrange(q: tuple[float, float], u: tuple[float, float]) -> None:
    made, arm = rewrite.minimal(arm_model()), Arm()
    force = (made.gyristor(1).at(placed(q, u)) + made.gyrator(1).at(placed(q, u))) @ u
    np.testing.assert_allclose(force, evaluated(arm, arm.lagrange(), q, u).ravel(), atol=1e-12)


@pytest.mark.parametrize(("q", "u"), POSITIONS)
def test_parts_of_the_gyristor(q: tuple[float, float], u: tuple[float, float]) -> None:
    """Its symmetric part is half the rate of the inertia: power of changing stored energy. The gyrator is skew."""
    made, arm = rewrite.minimal(arm_model()), Arm()
    gyristor, gyrator = made.gyristor(1).at(placed(q, u)), made.gyrator(1).at(placed(q, u))
    rate = evaluated(arm, arm.rate(arm.matrices()[0]), q, u)
    np.testing.assert_allclose(gyristor + gyristor.T, rate, atol=1e-13)
    np.testing.assert_allclose(gyrator + gyrator.T, 0.0, atol=1e-14)


def test_matrices_of_the_arm() -> None:
    made, arm = rewrite.minimal(arm_model()), Arm()
    assert made.velocities == made.independent == ("first", "second")
    assert set(made.Ti) == {"link.mass", "link.inertia", "tool.mass", "tool.inertia"}
    q, u = POSITIONS[1]
    theirs = dict(zip(("link.mass", "link.inertia", "tool.mass", "tool.inertia"), arm.parts(), strict=True))
    for path, (T, _, _) in theirs.items():
        np.testing.assert_allclose(made.Ti[path].at(placed(q, u)), evaluated(arm, T, q, u), atol=1e-13)
    np.testing.assert_array_equal(made.Mb.value, np.eye(2))
    assert made.T.value.shape == (0, 2)


# -- eqs 15 to 17: the slider crank ----------------------------------------------------------------------------------

CRANK, ROD = 0.2, 1.0


def closed(angle: float) -> dict[str, float]:
    """Joint coordinates of the slider crank at an angle of its crank."""
    rod = -np.arcsin(CRANK * np.sin(angle) / ROD)
    place = CRANK * np.cos(angle) + ROD * np.cos(rod)
    return {"O.motion.q": angle, "B.motion.q": rod - angle, "guide.motion.q": place}


def reduced_inertia(angle: ca.SX) -> ca.SX:
    """The kinetic energy for a crank at 1 rad/s, twice: crank, rod and piston of 1 kg, with 1 kg.m² for what turns."""
    rod = -ca.asin(CRANK * ca.sin(angle) / ROD)
    middle = ca.vertcat(0.5 * CRANK * ca.cos(angle), 0.5 * CRANK * ca.sin(angle))
    pin = 2 * middle
    centre = pin + 0.5 * ROD * ca.vertcat(ca.cos(rod), ca.sin(rod))
    piston = pin + ROD * ca.vertcat(ca.cos(rod), ca.sin(rod))
    moving = ca.vertcat(angle, rod, middle, centre, piston)
    return ca.sumsqr(ca.jacobian(moving, angle))


@pytest.mark.parametrize("joints", ["hyperstatic", "isostatic"])
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.8, -1.0])
def test_dependent_velocities_of_the_slider_crank(joints: str, angle: float) -> None:
    """Boudon, appendix 2: ψ' = -(r cos γ)/(l cos ψ) γ', x' = -r sin γ γ' - l sin ψ ψ'."""
    made = rewrite.minimal(slider_crank(joints=joints))
    rod = -np.arcsin(CRANK * np.sin(angle) / ROD)
    turn = -CRANK * np.cos(angle) / (ROD * np.cos(rod))
    slide = -CRANK * np.sin(angle) - ROD * np.sin(rod) * turn
    q = closed(angle) if joints == "hyperstatic" else closed(angle) | {"B.motion.q": (rod - angle, 0.0)}
    found = dict(zip(made.T.rows, made.T.at(q).ravel(), strict=True))
    hinge = "B" if joints == "hyperstatic" else "B[0]"
    assert made.independent == ("O",)
    assert found[hinge] == pytest.approx(turn - 1.0, abs=1e-13)
    assert found["guide"] == pytest.approx(slide, abs=1e-13)
    if joints == "isostatic":
        assert found["B[1]"] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.8, -1.0])
def test_second_level_of_the_slider_crank(angle: float) -> None:
    """One freedom: the gyristor is half the rate of the inertia, and no gyrator is left."""
    made, q, speed = rewrite.minimal(slider_crank()), closed(angle), 3.0
    symbol = ca.SX.sym("angle")
    inertia = reduced_inertia(symbol)
    exact = ca.Function("f", [symbol], [inertia, 0.5 * ca.gradient(inertia, symbol) * speed])
    theirs = [float(v) for v in exact(angle)]
    assert made.inertia().at(q).item() == pytest.approx(theirs[0], rel=1e-13)
    assert made.gyristor().at(q | {"independent": speed}).item() == pytest.approx(theirs[1], abs=1e-13)
    assert made.gyrator().at(q | {"independent": speed}).item() == pytest.approx(0.0, abs=1e-14)


def test_two_levels_in_one_product() -> None:
    """Eq. 15 is eq. 12 over M_b; eq. 16 has the rate of M_b besides."""
    made, q, speed = rewrite.minimal(slider_crank()), closed(1.2), 3.0
    M = made.Mb.at(q)
    u = (M * speed).ravel()
    np.testing.assert_allclose(made.inertia(2).at(q), M.T @ made.inertia(1).at(q) @ M, rtol=1e-13)
    h = 1e-6
    rate = (made.Mb.at(closed(1.2 + h)) - made.Mb.at(closed(1.2 - h))) / (2 * h) * speed
    both = M.T @ (made.gyristor(1).at(q | {"velocities": u}) @ M + made.inertia(1).at(q) @ rate)
    np.testing.assert_allclose(made.gyristor(2).at(q | {"independent": speed}), both, rtol=1e-8)


# -- how it reads ----------------------------------------------------------------------------------------------------


def test_latex_and_text() -> None:
    made = rewrite.minimal(slider_crank())
    lines = made.latex().splitlines()
    assert lines[0].startswith(r"T = \begin{bmatrix}") and r"\cos\left(q_{\mathrm{O}}\right)" in lines[0]
    assert lines[1].startswith(r"M_b = ") and len(lines) == 2 + len(made.Ti)
    assert all(line.count(r"\left(") == line.count(r"\right)") for line in lines)
    assert str(made).startswith("velocities: B, O, guide; independent: O; carried: crank.inertia")
    assert str(made.T).startswith("T: B, guide from O")


def number_at(text: str, values: dict[str, float]) -> float:
    """A line of our LaTeX read back as a number: the few forms that matrices are written in."""
    for name, value in values.items():
        text = text.replace(name, f"({value!r})")
    while r"\frac" in text:
        text = _without_fraction(text)
    changes = {r"\left(": "(", r"\right)": ")", r"\sin": "np.sin", r"\cos": "np.cos", r"\,": "*", "^2": "**2"}
    for old, new in changes.items():
        text = text.replace(old, new)
    return float(eval(text, {"np": np}))


def _without_fraction(text: str) -> str:
    start = text.rindex(r"\frac")
    above, end = _braced(text, start + 5)
    below, end = _braced(text, end)
    return f"{text[:start]}(({above})/({below})){text[end:]}"


def _braced(text: str, start: int) -> tuple[str, int]:
    depth, k = 0, start
    while True:
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        k += 1
        if depth == 0:
            return text[start + 1 : k - 1], k


def test_latex_says_what_the_numbers_say() -> None:
    made = rewrite.minimal(arm_model())
    (q1, q2), _ = POSITIONS[1]
    names = {r"q_{\mathrm{first}}": q1, r"q_{\mathrm{second}}": q2}
    for k in range(3):
        names[rf"\mathrm{{centre}}_{{\mathrm{{link}},{k}}}"] = CENTRE[0][k]
    body = made.Ti["link.mass"].latex().split(r"\begin{bmatrix}")[1].split(r"\end{bmatrix}")[0]
    rows = [[number_at(entry, names) for entry in row.split("&")] for row in body.split(r"\\")]
    exact = made.Ti["link.mass"].at({"first.motion.q": q1, "second.motion.q": q2})
    np.testing.assert_allclose(rows, exact, rtol=1e-5, atol=1e-9)


def test_start_speeds_are_kept() -> None:
    run = mb.simulate(rewrite.minimal(arm_model()).graph, 0.1)
    assert run["first.speed"](0.0) == pytest.approx(1.0) and run["second.speed"](0.0) == pytest.approx(-2.0)


def test_impacts_stay() -> None:
    """A leg whose knee bounces off a stop: the impulse runs through the virtual inertia."""
    model = arm_model()
    stop = mb.Stop("stop", lower=-1.0, upper=0.5, restitution=0.6, start=-0.7)
    model.bond("second.flange", model.add(stop))
    graph = rewrite.as_graph(model)
    ours, theirs = (mb.simulate(g, 0.6, rtol=1e-11, atol=1e-13) for g in (rewrite.minimal(graph).graph, graph))
    assert len(ours.pieces) == len(theirs.pieces) >= 2
    times = np.linspace(0.0, 0.6, 13)
    names = ["first.angle", "second.angle", "first.speed", "stop.f"]
    np.testing.assert_allclose(ours.values(names, times), theirs.values(names, times), atol=1e-9)
    assert ours.energy().jumps == pytest.approx(theirs.energy().jumps, abs=1e-10)
    assert ours.energy().jumps > 1e-3
