"""Equations as text and LaTeX: what is printed is what is computed."""

from __future__ import annotations

import math
import re
from functools import cache

import casadi as ca
import numpy as np
import pytest
from tests.compiled import example

import multibond as mb
from multibond.errors import UnknownName
from multibond.examples import EXAMPLES
from multibond.graph.component import Element
from multibond.view import formula as fo
from multibond.view.equations import Equations, equations
from multibond.view.expressions import Names, formulas
from multibond.view.formula import text
from multibond.view.latex import Letters, latex
from multibond.view.laws import Equation

from .models import rlc

SX = ca.SX
FUNCTIONS = {
    name: getattr(np, name)
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "floor", "ceil", "fmod")
} | {
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "atan2": np.arctan2, "hypot": np.hypot, "copysign": np.copysign, "erf": math.erf,
    "expm1": np.expm1, "log1p": np.log1p, "abs": abs, "min": min, "max": max, "remainder": math.remainder,
}  # fmt: skip
WORD = re.compile(r"(?<![\w.\]])[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*(?:\[[\d,]+\])?'*")
PYTHON = {*FUNCTIONS, "if", "else", "and", "or", "not"}


def words(line: str) -> list[str]:
    """The names of variables and parameters in a line."""
    return [word for word in WORD.findall(line) if word not in PYTHON]


def evaluate(line: str, values: dict[str, float]) -> float:
    """The value of a text, evaluated as Python with its names replaced."""
    code = WORD.sub(lambda hit: hit[0] if hit[0] in PYTHON else f"v[{hit[0]!r}]", line)
    return eval(code, {"__builtins__": {}, **FUNCTIONS, "v": values})


def written(expression: SX, symbols: SX, names: list[str]) -> list[str]:
    """Texts of an expression's entries, shared terms put in by hand."""
    table = Names()
    table.put(names, symbols)
    made = formulas(expression, table)
    return [f"{name} = {text(value)}" for name, value in made.terms] + [text(value) for value in made.values]


def simple(expression: SX) -> str:
    """The text of a scalar expression, with its symbols' own names."""
    return text(formulas(expression, Names()).values[0])


# -- the printer -------------------------------------------------------------------------------------------------------

a, b, c = (SX.sym(letter) for letter in "abc")

TEXTS = [
    (a - (b - c), "a - b + c"),
    (a - (b + c), "a - b - c"),
    (-(a + b), "-a - b"),
    (a * (b + c), "a*(b + c)"),
    (-a * (b - c), "-a*(b - c)"),
    (a / (b * c), "a/(b*c)"),
    (a / b / c, "a/(b*c)"),
    (a / (b / c), "a*c/b"),
    (1 / (a + b), "1/(a + b)"),
    ((a + b) / (a - b), "(a + b)/(a - b)"),
    (-1 / (a + b) ** 2, "-1/(a + b)**2"),
    (a * a * a, "a**3"),
    (a * b * a, "a**2*b"),
    (-(a**2), "-a**2"),
    ((-a) ** 2, "a**2"),
    (a**2.5, "a**2.5"),
    ((a + b) ** c, "(a + b)**c"),
    (2 * a / 3, "2*a/3"),
    (0.5 * a * b**2, "0.5*a*b**2"),
    (1e-6 * a, "1e-06*a"),
    (a - (-3), "a + 3"),
    (ca.sqrt(a**2 + b**2), "sqrt(a**2 + b**2)"),
    (ca.cos(a) * ca.cos(a) * b, "b*cos(a)**2"),
    (ca.fmax(a, -b), "max(a, -b)"),
    (ca.if_else(a > 0, b, c), "b if a > 0 else c"),
    (2 * ca.if_else(a <= b, b, c), "2*(b if a <= b else c)"),
    (ca.logic_and(a > 0, b < c), "a > 0 and b < c"),
]


@pytest.mark.parametrize(("expression", "expected"), TEXTS, ids=[expected for _, expected in TEXTS])
def test_texts_are_as_people_write_them(expression: SX, expected: str) -> None:
    assert simple(expression) == expected


LATEX = [
    (a / b, r"\frac{a}{b}"),
    (-(a + b) / c, r"-\frac{a + b}{c}"),
    (0.5 * a * b**2, r"\frac{a \, b^{2}}{2}"),
    (a * (b + c), r"a \, \left(b + c\right)"),
    (ca.sqrt(a + b), r"\sqrt{a + b}"),
    (ca.sin(a) ** 2, r"\sin^{2}\left(a\right)"),
    (1.5e-6 * a, r"1.5 \cdot 10^{-6} \, a"),
    (ca.fabs(a - b), r"\left|a - b\right|"),
    (ca.asin(a), r"\arcsin\left(a\right)"),
    (ca.if_else(a > 0, b, c), r"\begin{cases} b & a > 0 \\ c & \text{else} \end{cases}"),
]


@pytest.mark.parametrize(("expression", "expected"), LATEX, ids=[expected for _, expected in LATEX])
def test_latex_of_formulas(expression: SX, expected: str) -> None:
    assert latex(formulas(expression, Names()).values[0]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("coil.p", r"p_{\mathrm{coil}}"),
        ("coil.p'", r"\dot{p}_{\mathrm{coil}}"),
        ("winding.resistance", r"R_{\mathrm{winding}}"),
        ("hinge.speed'", r"\dot{\mathrm{speed}}_{\mathrm{hinge}}"),
        ("crank_rod.vector[0]", r"r_{\mathrm{crank\_rod},0}"),
        ("w12", "w_{12}"),
        ("t", "t"),
    ],
)
def test_latex_of_names(name: str, expected: str) -> None:
    assert Letters()(name) == expected


def test_two_names_never_look_the_same() -> None:
    letters = Letters(["drive.stiffness", "drive.constant", "other.stiffness"])
    assert letters("drive.stiffness") != letters("drive.constant")
    assert letters("other.stiffness") == r"k_{\mathrm{other}}"


UNARY = (
    ca.sin, ca.cos, ca.tan, ca.atan, ca.tanh, ca.asinh, ca.fabs, ca.sign, ca.floor, ca.ceil, ca.erf, ca.exp, ca.sinh,
    ca.cosh, lambda x: -x, lambda x: x**2, lambda x: 2 * x, lambda x: 1 / (x + 3.7), lambda x: ca.sqrt(x**2 + 0.1),
    lambda x: ca.log(x**2 + 1), lambda x: ca.log1p(x**2), lambda x: ca.expm1(x), lambda x: ca.asin(ca.tanh(x)),
    lambda x: ca.acos(0.9 * ca.tanh(x)), lambda x: ca.atanh(0.9 * ca.tanh(x)), lambda x: ca.acosh(x**2 + 1.1),
)  # fmt: skip
BINARY = (
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (y**2 + 0.5), ca.fmin, ca.fmax,
    ca.atan2, ca.hypot, lambda x, y: (x**2 + 0.3) ** y, lambda x, y: ca.if_else(x > y, x, y), ca.copysign,
    lambda x, y: ca.fmod(x, ca.fabs(y) + 1.3), lambda x, y: ca.if_else(ca.logic_or(x > 1, y <= 0), x - y, 2.0),
    lambda x, y: ca.if_else(ca.logic_and(x != y, ca.logic_not(x < 0)), x, 3 * y), lambda x, y: x - y * x,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_random_formulas_evaluate_to_their_function(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = SX.sym("x", 4)
    names = ["a.q", "b.motion.speed[0]", "mass", "c.f'"]
    pool = [*ca.vertsplit(x), SX(0.25), SX(-3.0)]
    for _ in range(25):
        if rng.random() < 0.4:
            made = UNARY[rng.integers(len(UNARY))](pool[rng.integers(len(pool))])
        else:
            made = BINARY[rng.integers(len(BINARY))](*(pool[k] for k in rng.integers(len(pool), size=2)))
        pool.append(ca.tanh(0.1 * made) if rng.random() < 0.2 else made)
    out = ca.vertcat(*pool[-6:])
    function = ca.Function("f", [x], [out])
    lines = written(out, x, names)
    for point in rng.uniform(-1.5, 1.5, (5, 4)):
        expected = np.asarray(function(point)).ravel()
        values = dict(zip(names, point.tolist(), strict=True))
        for line in lines[:-6]:
            term, _, right = line.partition(" = ")
            values[term] = evaluate(right, values)
        found = np.array([float(evaluate(line, values)) for line in lines[-6:]])
        fine = np.isfinite(expected) & (np.abs(expected) < 1e12)
        assert found[fine] == pytest.approx(expected[fine], rel=1e-9, abs=1e-9)


def test_shared_terms_are_named_and_stand_before_their_use() -> None:
    big = ca.sin(a + b * c) ** 2 + c
    lines = written(ca.vertcat(big * a, big * b), ca.vertcat(a, b, c), ["a", "b", "c"])
    assert lines == ["w1 = sin(a + b*c)**2 + c", "w1*a", "w1*b"]


def test_every_operation_has_a_name() -> None:
    made = [formulas(f(a), Names()) for f in UNARY] + [formulas(f(a, b), Names()) for f in BINARY]
    assert "operation_" not in " ".join(text(value) for m in made for value in (*dict(m.terms).values(), *m.values))


# -- models ------------------------------------------------------------------------------------------------------------


@cache
def told(name: str) -> tuple[Equations, mb.Run]:
    return equations(EXAMPLES[name]()), mb.simulate(example(name), 0.3, rtol=1e-10)


def look_up(run: mb.Run, made: Equations, names: set[str], time: float) -> dict[str, float]:
    """Values of names from a run and from the parameters; what neither knows is missing."""
    known, values = set(run.names), {n: made.parameters[n] for n in names if n in made.parameters}
    bases = sorted({n.partition("[")[0] for n in names - set(values)} & known)
    row = run.values(bases, [time])[0] if bases else np.zeros(0)
    start = 0
    for base in bases:
        size = run.system.observer.expression(base).numel()
        part = row[start : start + size]
        values |= {base: part if size > 1 else part[0]} | {f"{base}[{k}]": part[k] for k in range(size)}
        start += size
    return values


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_law_holds_in_a_run(name: str) -> None:
    """Every printed equation without a rate, with the run's own numbers in it."""
    made, run = told(name)
    lines = [(law.path, str(line)) for law in made.laws for line in law.equations if "'" not in str(line)]
    values = look_up(run, made, {word for _, line in lines for word in words(line)}, 0.21)
    held = 0
    for path, line in lines:
        if all(word in values for word in words(line)):
            left, _, right = line.partition(" = ")
            difference = np.asarray(evaluate(left, values)) - np.asarray(evaluate(right, values))
            size = max(1.0, *(float(np.abs(values[w]).max()) for w in words(line)), 0.0)
            assert np.abs(difference).max() < 1e-9 * size**2, f"{path}: {line}"
            held += 1
    assert held > 0.85 * len(lines)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_laws_of_storages_hold_in_a_run(name: str) -> None:
    """Rates against differences of the dense output, of order four: the gyroscope turns at 251 rad/s."""
    made, run = told(name)
    lines = [str(line) for law in made.laws for line in law.equations if "'" in str(line)]
    assert lines
    h, time = 1e-4, 0.15
    for line in lines:
        left, _, right = line.partition(" = ")
        state = left.rstrip("'")
        near = {k: np.asarray(look_up(run, made, {state}, time + k * h)[state]) for k in (-2, -1, 1, 2)}
        values = look_up(run, made, set(words(right)), time)
        expected = (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * h)
        assert evaluate(right, values) == pytest.approx(expected, rel=1e-4, abs=1e-4), line


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_reduced_system_is_what_is_integrated(name: str) -> None:
    made, run = told(name)
    system, time = mb.compile(EXAMPLES[name]()), 0.21
    x = system.x0 if run.changes else run.states([time])[0]
    unknowns = system.unknowns(np.array([time]), x[None])[:, 0]
    values = dict(made.parameters) | {"t": time}
    values |= dict(zip(state_entries(system.dae), x.tolist(), strict=True))
    values |= dict(zip(unknown_names(system.dae), unknowns.tolist(), strict=True))
    for line in made.terms:
        values[text(line.left)] = evaluate(text(line.right), values)
    for line in made.unknowns:
        scale = max(1.0, *(abs(values[w]) for w in words(str(line))))
        assert evaluate(text(line.left), values) == pytest.approx(
            evaluate(text(line.right), values), abs=1e-9 * scale**2
        )
    rates = dict(zip(state_entries(system.dae), system.derivative(x, t=time).tolist(), strict=True))
    found = {text(line.left).rstrip("'"): evaluate(text(line.right), values) for line in made.rates}
    found |= {n.rstrip("'"): values[n] for n in unknown_names(system.dae) if n.endswith("'")}
    assert found == {n: pytest.approx(v, rel=1e-9, abs=1e-9) for n, v in rates.items()}
    for label, line in made.constraints:
        assert abs(evaluate(text(line.right), values)) < 1e-9, label


def state_entries(dae) -> list[str]:
    from multibond.equations.household import state_entries

    return state_entries(dae)


def unknown_names(dae) -> list[str]:
    from multibond.view.equations import _unknown_names

    return _unknown_names(dae)


def test_a_circuit_as_a_person_would_write_it() -> None:
    assert str(equations(rlc())) == (
        "rlc: the elements\n"
        "  battery (Se)\n"
        "    battery.e = battery.effort\n"
        "  cap (C)\n"
        "    cap.q = cap.compliance*cap.e\n"
        "    cap.q' = cap.f\n"
        "  coil (I)\n"
        "    coil.p = coil.inertia*coil.f\n"
        "    coil.p' = coil.e\n"
        "  current (One)\n"
        "    battery.f = cap.f\n"
        "    battery.f = coil.f\n"
        "    battery.f = winding.f\n"
        "    battery.e = cap.e + coil.e + winding.e\n"
        "  winding (R)\n"
        "    winding.e = winding.resistance*winding.f\n"
        "\n"
        "rates of the states\n"
        "  cap.q' = coil.p/coil.inertia\n"
        "  coil.p' = battery.effort - cap.q/cap.compliance - winding.resistance*coil.p/coil.inertia\n"
        "\n"
        "states, and why they are states\n"
        "  cap.q: C 'cap' in integral causality\n"
        "  coil.p: I 'coil' in integral causality\n"
        "\n"
        "what is no state, and why\n"
        "  current.f: is coil.f, told by the state of I 'coil', in integral causality\n"
        "\n"
        "parameters\n"
        "  battery.effort = 12\n"
        "  cap.compliance = 0.001\n"
        "  coil.inertia = 0.002\n"
        "  winding.resistance = 1.2"
    )


def test_a_circuit_in_latex() -> None:
    made = equations(rlc())
    assert made.latex() == (
        "\\begin{aligned}\n"
        r"\dot{q}_{\mathrm{cap}} &= \frac{p_{\mathrm{coil}}}{I_{\mathrm{coil}}} \\"
        "\n"
        r"\dot{p}_{\mathrm{coil}} &= E_{\mathrm{battery}} - \frac{q_{\mathrm{cap}}}{C_{\mathrm{cap}}}"
        r" - \frac{R_{\mathrm{winding}} \, p_{\mathrm{coil}}}{I_{\mathrm{coil}}}"
        "\n\\end{aligned}"
    )
    assert made._repr_latex_() == f"$$\n{made.latex()}\n$$"
    assert made.document().startswith(r"\documentclass") and made.document().endswith("\\end{document}\n")


@pytest.mark.parametrize("name", ["rlc", "motor_pendulum", "heavy_top", "slider_crank"])
def test_lines_are_valid_mathematics(name: str) -> None:
    """matplotlib's own parser, slow as it is, reads the shorter lines of the document."""
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    made, _ = told(name)
    body = re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", made.document(), re.S)
    lines = [row.replace("&", "") for block in body for row in block.split(" \\\\\n")]
    chosen = [line for line in dict.fromkeys(lines) if len(line) < 250][::4]
    assert len(chosen) > 2
    for line in chosen[-30:]:
        parser.parse(f"${line}$")


def circuit(*elements: Element) -> mb.Model:
    """Elements in series."""
    model = mb.Model("circuit")
    current = model.add(mb.One("current"))
    for element in elements:
        model.bond(*((element, current) if isinstance(element, mb.Se) else (current, element)))
    return model


def lines_of(made: Equations, path: str) -> list[str]:
    law = next(law for law in made.laws if law.path == path)
    return [*(str(line) for line in law.equations), *law.instants]


def test_laws_that_only_newton_solves() -> None:
    made = equations(circuit(mb.Se("source", 2.0), mb.C("c", 1.0), mb.R("r", effort="f + 3*f**3")))
    assert lines_of(made, "r") == ["r.e = r.f + 3*r.f**3"]
    assert [str(line) for line in made.rates] == ["c.q' = r.loop"]
    assert [str(line) for line in made.unknowns] == ["r.loop + 3*r.loop**3 = source.effort - c.q/c.compliance"]


def test_modes_say_when_they_end() -> None:
    made = equations(circuit(mb.Se("source", "12*sin(2*t)"), mb.I("coil", 1.0), mb.Diode("d")))
    assert lines_of(made, "source") == ["source.e = 12*sin(2*t)"]
    assert lines_of(made, "d") == ["d.f = 0", "mode 'off' until d.e > 0, then 'on'"]
    assert "mode 'off' until d.e > 0, then 'on'" in made.text()
    assert made.to_dict()["elements"]["d"]["instants"] == ["mode 'off' until d.e > 0, then 'on'"]


def test_tables_are_pieces_of_polynomials() -> None:
    made = equations(circuit(mb.Se("source", mb.Table([0, 1, 2], [0, 1, 5])), mb.I("coil", 1.0)))
    assert lines_of(made, "source") == ["source.e = table1_1(t) + table1_2(t)*(t - table1_0(t))"]


def test_wires_lead_components_on() -> None:
    model = mb.Model("wires")
    model.bond(mb.Se("push", (1.0, 2.0)), mb.Permutation("swap", (1, 0)))
    model.bond("swap.b", mb.I("mass", (1.0, 1.0)))
    assert lines_of(equations(model), "swap") == [
        "swap.b.e[0] = swap.a.e[1]",
        "swap.b.e[1] = swap.a.e[0]",
        "swap.b.f[0] = swap.a.f[1]",
        "swap.b.f[1] = swap.a.f[0]",
    ]


def test_samples_say_how_often() -> None:
    from multibond.elements import blocks

    model = mb.Model("sampled")
    model.add(blocks.Sine("wave", 1.0, frequency=1.0))
    model.add(blocks.SampleHold("hold", 0.1))
    model.signal("wave.y", "hold.u")
    assert any(line.startswith("every 0.1 s: ") for line in lines_of(equations(model), "hold"))


def test_one_part_only() -> None:
    model = EXAMPLES["motor_pendulum"]()
    assert {law.path.split(".")[0] for law in equations(model, "motor").laws} == {"motor"}
    with pytest.raises(UnknownName, match="Nearest: 'motor'"):
        equations(model, "moter")


def test_plain_data() -> None:
    data = mb.equations(rlc()).to_dict()
    assert data["elements"]["coil"] == {
        "type": "I",
        "equations": ["coil.p = coil.inertia*coil.f", "coil.p' = coil.e"],
        "says": "Inertia: stores momentum p with dp/dt = e and p = I f.",
    }
    assert data["eliminated"][0]["name"] == "current.f" and data["eliminated"][0]["paths"] == ("current", "coil")
    assert data["state_reasons"][1] == {
        "name": "coil.p",
        "why": "I 'coil' in integral causality",
        "paths": ("coil",),
    }
    assert data["states"][0] == "cap.q' = coil.p/coil.inertia" and data["unknowns"] == []


def test_vectors_are_written_once() -> None:
    made, _ = told("pendulum")
    mass = next(law for law in made.laws if law.path == "bar.mass")
    assert [str(line) for line in mass.equations] == ["bar.mass.p = bar.mass*bar.mass.f", "bar.mass.p' = bar.mass.e"]


def test_equations_compare_as_values() -> None:
    one = Equation(fo.Symbol("a"), fo.Number(1.0))
    assert one == Equation(fo.Symbol("a"), fo.Number(1.0)) and str(one) == "a = 1"


@pytest.mark.parametrize("name", ["rlc", "pendulum", "motor_pendulum", "slider_crank", "hydraulic_cylinder"])
def test_what_is_said_to_be_the_same_is_the_same_in_a_run(name: str) -> None:
    """ "x: is y" holds in the trajectory, and what is said to be zero is zero."""
    model = EXAMPLES[name]()
    run, checked = mb.simulate(model, 0.05), 0
    for remark in equations(model).eliminated:
        whole = remark.name.partition("[")[0]
        if remark.why.startswith("zero by"):
            assert np.abs(run[whole](0.04)).max() < 1e-9
            checked += 1
        elif remark.why.startswith("is ") and "[" not in remark.name and "->" not in remark.why:
            other = remark.why[3:].partition(",")[0]
            one, two = np.ravel(run[whole](0.04)), np.ravel(run[other](0.04))
            assert np.abs(one - two).max() <= 1e-9 * max(1.0, np.abs(one).max()), remark
            checked += 1
    assert checked >= (1 if name == "rlc" else 4)


def test_reasons_name_elements_that_exist() -> None:
    model = EXAMPLES["slider_crank"]()
    made, known = equations(model), set(mb.stages(model).graph.elements)
    assert all(set(remark.paths) <= known for remark in (*made.states, *made.eliminated))
    assert {r.name for r in made.states} >= {"O.angle", "O.speed"}
    text = made.text()
    assert "crank.mass.p: follows from its flow" in text and "says what other constraints say already" in text
    assert r"\begin{description}" in made.document()


def test_one_element_with_all_that_is_said_about_it() -> None:
    made = equations(rlc())
    assert made.of("coil").splitlines() == [
        "coil (I): Inertia: stores momentum p with dp/dt = e and p = I f.",
        "  coil.p = coil.inertia*coil.f",
        "  coil.p' = coil.e",
        "  coil.p: I 'coil' in integral causality",
    ]
    with pytest.raises(UnknownName, match="the list of elements has no 'coyl'"):
        made.of("coyl")


def test_documents_are_plain_ascii() -> None:
    """pdflatex reads them whatever the encoding."""
    for name in ("rlc", "pendulum", "rectifier", "reaction"):
        assert equations(EXAMPLES[name]()).document().isascii(), name
