"""Trigonometric sums: what is written equals what was given, and loops come out as textbooks have them."""

from __future__ import annotations

import re

import casadi as ca
import numpy as np
import pytest

from multibond import rewrite
from multibond.examples import four_bar, planar_loop, slider_crank
from multibond.rewrite.matrix_latex import written
from multibond.rewrite.trig import NotTrigonometric, trig_of

from .test_minimal import closed, number_at

CRANK, ROD = r"\mathrm{vector}_{\mathrm{crank\_rod},0}", r"\mathrm{vector}_{\mathrm{rod\_rod},0}"
O, B, SUM = r"q_{\mathrm{O}}", r"q_{\mathrm{B}}", r"q_{\mathrm{B}} + q_{\mathrm{O}}"


def symbols() -> list[ca.SX]:
    return [ca.SX.sym(name) for name in ("a", "b", "c", "r")]


def random_expression(rng: np.random.Generator, parts: list[ca.SX], depth: int) -> ca.SX:
    """Sums and products of symbols, numbers, sines and cosines of sums."""
    if depth == 0:
        angle = sum((int(k) * s for k, s in zip(rng.integers(-2, 3, 3), parts[:3], strict=True)), ca.SX(0))
        choice = rng.integers(4)
        angle = angle if ca.symvar(angle) else parts[0]
        return [ca.sin(angle), ca.cos(angle), parts[3], ca.SX(float(rng.normal()))][choice]
    left, right = (random_expression(rng, parts, depth - 1) for _ in range(2))
    return [left + right, left - right, left * right, left**2][rng.integers(4)]


@pytest.mark.parametrize("seed", range(30))
def test_a_sum_has_the_value_of_what_it_was_made_of(seed: int) -> None:
    rng, parts = np.random.default_rng(seed), symbols()
    expression = random_expression(rng, parts, 3)
    values = rng.normal(size=4)
    exact = float(ca.substitute(expression, ca.vertcat(*parts), ca.SX(values)))
    total, at = 0.0, dict(zip("abcr", values, strict=True))
    for (monomial, angle, word), factor in trig_of(expression).terms.items():
        turned = sum(count * at[name] for name, count in angle)
        total += factor * np.prod([at[n] ** p for n, p in monomial]) * {"sin": np.sin, "cos": np.cos}[word](turned)
    assert total == pytest.approx(exact, abs=1e-9 * max(1.0, abs(exact)))


def test_sums_of_angles() -> None:
    a, b, *_ = symbols()
    assert written(trig_of(ca.cos(a) * ca.cos(b) - ca.sin(a) * ca.sin(b))) == r"\cos\left(a + b\right)"
    assert written(trig_of(ca.sin(a) * ca.cos(b) - ca.cos(a) * ca.sin(b))) == r"\sin\left(a - b\right)"
    assert written(trig_of(ca.sin(a) ** 2 + ca.cos(a) ** 2)) == "1"
    assert written(trig_of(a - a)) == "0"


@pytest.mark.parametrize("make", [lambda a, b: a / b, lambda a, b: ca.sqrt(a), lambda a, b: ca.sin(a * b)])
def test_other_forms_are_refused(make: object) -> None:
    a, b, *_ = symbols()
    with pytest.raises(NotTrigonometric):
        trig_of(make(a, b))


# -- loops -------------------------------------------------------------------------------------------------------------


def test_the_slider_crank_reads_as_in_the_appendix() -> None:
    """Boudon, appendix 2, with γ = q_O and ψ = q_O + q_B: ψ' = -(r cos γ)/(l cos ψ) γ', so q_B' is one less.

    x' = -r sin γ γ' - l sin ψ ψ' = r (sin ψ cos γ - cos ψ sin γ)/cos ψ γ' = r sin(ψ - γ)/cos ψ γ'.
    """
    turn = rf"\frac{{{CRANK} \, \cos\left({O}\right)}}{{{ROD} \, \cos\left({SUM}\right)}}"
    slide = rf"\frac{{{CRANK} \, \sin\left({B}\right)}}{{\cos\left({SUM}\right)}}"
    made = rewrite.minimal(slider_crank())
    assert made.T.equations() == (
        rf"\dot{{q}}_{{\mathrm{{B}}}} = \left(-1 - {turn}\right) \, \dot{{q}}_{{\mathrm{{O}}}}",
        rf"\dot{{q}}_{{\mathrm{{guide}}}} = {slide} \, \dot{{q}}_{{\mathrm{{O}}}}",
    )
    assert made.T.latex() == rf"T = \begin{{bmatrix}} -1 - {turn} \\ {slide} \end{{bmatrix}}"


def test_the_four_bar_reads_as_in_textbooks() -> None:
    """By hand, with absolute angles α = q_O, β = q_O + q_B, δ = q_D: d δ' = a α' sin(β - α)/sin(β - δ)."""
    last = rewrite.minimal(four_bar()).T.equations()[-1]
    a, d = (rf"\mathrm{{vector}}_{{\mathrm{{{name}}},0}}" for name in (r"crank\_rod", r"rocker\_rod"))
    below = rf"{d} \, \sin\left({B} - q_{{\mathrm{{D}}}} + {O}\right)"
    assert last.endswith(rf"\frac{{{a} \, \sin\left({B}\right)}}{{{below}}} \, \dot{{q}}_{{\mathrm{{O}}}}")


CASES = {
    "slider crank": lambda: slider_crank(),
    "isostatic slider crank": lambda: slider_crank(joints="isostatic"),
    "four bar": four_bar,
    "planar loop": planar_loop,
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_has_the_values_of_the_matrix(name: str) -> None:
    """Read back as numbers where the loop is closed: at the start."""
    made = rewrite.minimal(CASES[name]())
    assert made.T.shown
    exact = made.T.at({})
    for i, row in enumerate(made.T.entries):
        for j, entry in enumerate(row):
            assert number_at(entry, values_in(made.T, entry)) == pytest.approx(exact[i, j], abs=1e-9)


@pytest.mark.parametrize("angle", [0.3, 1.2, -1.0])
def test_on_the_way_round_too(angle: float) -> None:
    made, q = rewrite.minimal(slider_crank()), closed(angle)
    for row, exact in zip(made.T.entries, made.T.at(q), strict=True):
        assert number_at(row[0], values_in(made.T, row[0], q)) == pytest.approx(exact.item(), abs=1e-12)


def values_in(matrix: object, entry: str, q: dict | None = None) -> dict[str, float]:
    """The numbers of all names in a line of LaTeX: coordinates by their joint, lengths by their part."""
    known = matrix.start | {k: np.ravel(v) for k, v in (q or {}).items()}
    found = {}
    for text in set(re.findall(r"q_\{\\mathrm\{\w+\}(?:,\d)?\}|\\mathrm\{vector\}_\{\\mathrm\{[\w\\]+\},\d\}", entry)):
        owner = re.search(r"\{\\mathrm\{([\w\\]+)\}", text)[1].replace("\\", "")
        lane = int((re.search(r",(\d)\}", text) or [0, "0"])[1])
        if text.startswith("q"):
            found[text] = float(np.ravel(known[f"{owner}.motion.q"])[lane])
        else:
            vector = np.ravel(matrix.graph.parameters[f"{owner}.vector"][1])
            found[text] = float(vector[np.flatnonzero(vector)[lane]])  # zeros have no symbols and no numbers
    return found


def test_velocities_are_called_by_their_joints() -> None:
    """Also where matrices depend on them; the independent one of the slider crank is the crank's."""
    made = rewrite.minimal(slider_crank())
    text = made.gyristor(1).latex()
    assert r"\dot{q}_{\mathrm{O}}" in text and "velocities" not in text and "independent" not in text
