"""Formulas mean what they say: as text, as numbers, as symbols, as machine code and inside a machine."""

from __future__ import annotations

import copy
import ctypes
import math
import pickle
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, RegularGridInterpolator

import multibond as mb
from multibond.formula import Formula, parse, variable
from multibond.formula.operations import FUNCTIONS
from multibond.formula.tree import apply
from multibond.lower.emit import emit
from multibond.lower.jit import Module, compile_ir
from multibond.lower.loop import KernelLoop, Program, Segment, emit_looped, inline

NAMES = ("t", "f", "q")
POINT = {"t": 0.7, "f": -1.3, "q": 2.1}


def call(module: Module, name: str, *arrays: np.ndarray) -> None:
    """Call a native function that takes pointers only."""
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(module.address(name))(*(a.ctypes.data for a in arrays))


def evaluate(function: ca.Function, *arguments: np.ndarray) -> list[np.ndarray]:
    """Compile a CasADi function and evaluate it."""
    outputs = [np.full(function.numel_out(k), np.nan) for k in range(function.n_out())]
    call(compile_ir(emit(function, "f")), "f", *(np.array(a, float) for a in arguments), *outputs)
    return outputs


floats = st.floats(allow_nan=False, allow_infinity=False)
leaves = st.one_of(floats.map(lambda v: apply("+", v, 0).arguments[0]), st.sampled_from(NAMES).map(variable))


def _larger(parts: Any) -> Any:
    binary = st.sampled_from(["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or"])
    power = st.integers(-3, 3) | st.sampled_from(NAMES).map(variable)
    names = sorted(FUNCTIONS)
    return st.one_of(
        st.builds(apply, binary, parts, parts),
        st.builds(lambda a, n: a**n, parts, power),
        st.builds(lambda a: -a, parts),
        st.builds(lambda a: ~a, parts),
        st.builds(lambda a, k: variable("q")[k] + a, parts, st.integers(0, 9)),
        st.builds(lambda n, a, b, c: apply(n, *[a, b, c][: FUNCTIONS[n].arity]), st.sampled_from(names), *[parts] * 3),
        st.builds(lambda a: mb.Table([0, 0.1, 1 / 3], [1e-300, 2, -0.7], True, "extend")(a), parts),
        st.builds(lambda a, b: mb.Table2([0, 1], [-1, 0.1], [[1, 2], [3, 4.5]])(a, b), parts, parts),
    )


formulas = st.recursive(leaves, _larger, max_leaves=25)
arithmetic = st.recursive(
    st.one_of(st.integers(-9, 9).map(lambda v: apply("+", v, 0).arguments[0]), st.sampled_from(NAMES).map(variable)),
    lambda parts: st.one_of(
        st.builds(apply, st.sampled_from(["+", "-", "*", "/", "<", ">="]), parts, parts),
        st.builds(lambda a, n: a**n, parts, st.integers(-2, 3)),
        st.builds(lambda a: -a, parts),
        st.builds(mb.cos, parts),
    ),
    max_leaves=20,
)


# -- text --------------------------------------------------------------------------------------------------------------


@given(formulas)
@settings(max_examples=300)
def test_a_formula_reads_back_as_it_was_written(formula: Formula) -> None:
    again = parse(str(formula))
    assert again == formula
    assert hash(again) == hash(formula)
    assert str(again) == str(formula)


@given(arithmetic)
@settings(max_examples=300)
def test_a_formula_means_what_python_reads_in_its_text(formula: Formula) -> None:
    try:
        wanted = float(eval(str(formula), {"__builtins__": {}, "cos": math.cos}, POINT))
    except (ZeroDivisionError, OverflowError):
        return
    np.testing.assert_allclose(formula.evaluate(POINT), wanted, rtol=1e-12, equal_nan=True)


@given(floats)
def test_numbers_keep_their_last_digit(value: float) -> None:
    again = parse(str(mb.t * value)).arguments[1]
    assert again.evaluate({}).hex() == float(value).hex()


@given(formulas, formulas)
def test_formulas_are_equal_where_their_texts_are(a: Formula, b: Formula) -> None:
    assert (a == b) == (str(a) == str(b))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2^3^2", 512.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("-7 % 3", 2.0),
        ("1 < 2 and not 2 < 1", 1.0),
        ("1 or 0 and 0", 1.0),
        ("not 1 == 2", 1.0),
        ("[1, 2, 3][2]*2", 6.0),
        ("2*pi", 2 * math.pi),
        (".5e1 + 1.", 6.0),
        ("where(2 > 1, 10, 20)", 10.0),
        ("clip(7, -1, 1)", 1.0),
        ("atan2(1, -1)", 0.75 * math.pi),
        ("table(0.5, [0, 1], [0, 4])", 2.0),
        ("table(2, [0, 1], [0, 4], extend)", 8.0),
        ("table2(0.5, 0.5, [0, 1], [0, 1], [[0, 0], [0, 4]])", 1.0),
    ],
)
def test_precedence_and_functions(text: str, wanted: float) -> None:
    assert parse(text).evaluate({}) == pytest.approx(wanted, rel=1e-15)


def test_structure_survives_copying_and_pickling() -> None:
    formula = mb.where(mb.t > 1, mb.Table([0, 1], [2, 3])(mb.t), variable("q")[2] * 0.1)
    assert copy.deepcopy(formula) is formula
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert formula.variables == {"t", "q"}
    assert len({formula, parse(str(formula)), mb.t}) == 2


def test_a_long_sum_is_no_deep_formula() -> None:
    total = sum((mb.sin(k * mb.t) / k for k in range(1, 1200)), mb.t * 0)
    assert parse(str(mb.t + sum([mb.t] * 1500))).evaluate({"t": 1.0}) == 1501.0
    assert total.evaluate({"t": 0.3}) == pytest.approx(sum(math.sin(k * 0.3) / k for k in range(1, 1200)), rel=1e-12)


# -- values ------------------------------------------------------------------------------------------------------------


REFERENCE = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log,
    "log10": math.log10, "sqrt": math.sqrt, "abs": abs, "floor": math.floor, "hypot": math.hypot, "minimum": min,
    "maximum": max, "sign": lambda x: math.copysign(1.0, x), "clip": lambda x, a, b: min(max(x, a), b),
    "where": lambda c, a, b: a if c else b,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_on_numbers_arrays_symbols_formulas_and_as_machine_code(name: str) -> None:
    public = getattr(mb, {"abs": "absolute"}.get(name, name))
    values = (0.37, 0.21, 0.83)[: FUNCTIONS[name].arity]
    wanted = REFERENCE[name](*values)
    symbols = [ca.SX.sym(f"x{k}") for k in range(len(values))]
    names = [f"x{k}" for k in range(len(values))]
    formula = public(*map(variable, names))
    assert public(*values) == pytest.approx(wanted, rel=1e-15)
    np.testing.assert_allclose(public(*([v, v] for v in values)), [wanted, wanted], rtol=1e-15)
    assert formula.evaluate(dict(zip(names, values, strict=True))) == pytest.approx(wanted, rel=1e-15)
    for expression in (public(*symbols), formula.evaluate(dict(zip(names, symbols, strict=True)))):
        function = ca.Function("f", symbols, [expression])
        assert float(function(*values)) == pytest.approx(wanted, rel=4e-15)
        assert evaluate(function, *map(np.array, values))[0][0] == pytest.approx(wanted, rel=4e-15)


@given(formulas)
@settings(max_examples=150, deadline=None)
def test_symbols_give_what_numbers_give(formula: Formula) -> None:
    names = sorted(formula.variables)
    values = {name: np.full(10, POINT[name]) if name == "q" else POINT[name] for name in names}
    symbols = {name: ca.SX.sym(name, 10 if name == "q" else 1) for name in names}
    plain = np.asarray(formula.evaluate(values), float).ravel()
    found = ca.Function("f", list(symbols.values()), [formula.evaluate(symbols)])(*values.values())
    if isinstance(found, dict):
        found = found["o0"]
    # minimum and maximum of NaN differ between libraries, and a quotient may lie on the other side of a step.
    if np.isfinite(plain).all() and not formula.edges():
        np.testing.assert_allclose(np.asarray(found).ravel(), plain, rtol=1e-9, atol=1e-300)


def test_vectors_and_components() -> None:
    q = variable("q")
    law = mb.formula.read_formula(lambda q: [q[0] ** 2, q[0] * q[1]], ["q"])
    assert law == parse("[q[0]**2, q[0]*q[1]]")
    np.testing.assert_array_equal(law.evaluate({"q": [3.0, 4.0]}), [9.0, 12.0])
    np.testing.assert_array_equal((2 * law + [1, 1]).evaluate({"q": [3.0, 4.0]}), [19.0, 25.0])
    symbol = ca.SX.sym("q", 2)
    exact = ca.Function("f", [symbol], [law.evaluate({"q": symbol})])
    np.testing.assert_array_equal(np.asarray(exact([3.0, 4.0])).ravel(), [9.0, 12.0])
    assert (law.components, (q**3).components) == (2, 1)
    assert (parse("q[4]").components, parse("[t, t, t]").components) == (5, 3)
    assert (law.shape, q.shape, list(law)) == ((2,), (), [q[0] ** 2, q[0] * q[1]])


@pytest.mark.parametrize(
    ("formula", "places"),
    [
        (mb.where(mb.t < 1.5, 0, 2), [1.5]),
        (abs(mb.t - 2), [2.0]),
        (mb.clip(mb.t, 1, 3), [1.0, 3.0]),
        (mb.floor(mb.t), [1.0, 2.0, 3.0]),
        (mb.t % 1.25, [1.25, 2.5]),
        (mb.minimum(mb.t, 2 - mb.t), [1.0]),
        (mb.Table([0.5, 1, 3.25], [1, 2, 0])(mb.t), [0.5, 1.0, 3.25]),
        (mb.sin(mb.t) ** 2, []),
    ],
)
def test_kinks_and_jumps_are_where_an_edge_changes_sign(formula: Formula, places: list[float]) -> None:
    grid = np.linspace(0.01, 3.51, 1001)
    crossings: set[float] = set()
    for edge in formula.edges():
        signs = np.sign(np.broadcast_to(edge.evaluate({"t": grid}), grid.shape))
        crossings |= {round(float(grid[k : k + 2].mean()), 2) for k in np.flatnonzero(np.diff(signs))}
    np.testing.assert_allclose(sorted(crossings), places, atol=0.01)


# -- capturing ---------------------------------------------------------------------------------------------------------


def test_python_functions_are_captured() -> None:
    read = mb.formula.read_formula
    assert read(lambda f: 3 * f**3, ["f", "t"]) == parse("3*f**3")
    assert read(lambda t, f: f * t, ["f", "t"]) == parse("f*t")
    assert read(lambda t, gain=4: gain * t, ["f", "t"]) == parse("4*t")
    assert read(lambda time: np.sin(time), ["t"]) == mb.sin(mb.t)
    assert read(mb.cos, ["t"]) == mb.cos(mb.t)
    assert read(mb.Table([0, 1], [0, 1]), ["f", "t"]) == parse("table(f, [0, 1], [0, 1])")
    assert read(["t", 1, lambda t: -t], ["t"]) == parse("[t, 1, -t]")


# -- tables ------------------------------------------------------------------------------------------------------------


def _random_points(seed: int, size: int) -> np.ndarray:
    return np.sort(np.random.default_rng(seed).uniform(-3, 3, size))


def _compiled(expression: ca.SX, *symbols: ca.SX) -> Any:
    """Value, first and second derivative by the first symbol, as one function and as its machine code."""
    first = ca.jacobian(expression, symbols[0])
    function = ca.Function("f", symbols, [expression, first, ca.jacobian(first, symbols[0])])

    def both(*places: float) -> np.ndarray:
        native = np.array(evaluate(function, *map(np.array, places))).ravel()
        symbolic = np.array([float(v) for v in function(*places)])
        np.testing.assert_allclose(native, symbolic, rtol=1e-12, atol=1e-12)
        return native

    return both


@pytest.mark.parametrize("size", [2, 3, 17])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("beyond", ["hold", "extend"])
def test_tables_and_their_derivatives_against_scipy(size: int, smooth: bool, beyond: Any) -> None:
    x, y = _random_points(size, size), np.random.default_rng(size + 1).normal(size=size)
    table, symbol = mb.Table(x, y, smooth, beyond), ca.SX.sym("x")
    both = _compiled(table(symbol), symbol)
    spline = CubicSpline(x, y, bc_type="natural") if smooth and size > 2 else None
    slopes = np.diff(y) / np.diff(x)
    for place in np.random.default_rng(5).uniform(x[0], x[-1], 6):
        k = np.searchsorted(x, place) - 1
        straight = [y[k] + slopes[k] * (place - x[k]), slopes[k], 0.0]
        wanted = [spline(place, order) for order in range(3)] if spline is not None else straight
        np.testing.assert_allclose(both(place), wanted, rtol=1e-9, atol=1e-10)
        assert table(place) == pytest.approx(wanted[0], rel=1e-9, abs=1e-11)
    ends = [spline(x[[0, -1]], 1)] if spline is not None else [slopes[[0, -1]]]
    for place, end, value, slope in ((x[0] - 0.7, x[0], y[0], ends[0][0]), (x[-1] + 0.7, x[-1], y[-1], ends[0][1])):
        rise = slope if beyond == "extend" else 0.0
        np.testing.assert_allclose(both(place), [value + rise * (place - end), rise, 0.0], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(table(x), y, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("smooth", [False, True])
def test_tables_of_two_arguments_against_scipy(smooth: bool) -> None:
    x, y = _random_points(1, 6), _random_points(2, 5)
    z = np.random.default_rng(3).normal(size=(6, 5))
    table, a, b = mb.Table2(x, y, z, smooth), ca.SX.sym("a"), ca.SX.sym("b")
    both = _compiled(table(a, b), a, b)
    along = [CubicSpline(y, row, bc_type="natural") for row in z]
    for u, v in zip(*(np.random.default_rng(4).uniform(s[0], s[-1], 6) for s in (x, y)), strict=True):
        if smooth:
            spline = CubicSpline(x, [float(row(v)) for row in along], bc_type="natural")
            wanted = [float(spline(u, order)) for order in range(3)]
        else:
            plain, step = RegularGridInterpolator((x, y), z), 1e-7
            wanted = [plain((u, v))[()], (plain((u + step, v)) - plain((u - step, v)))[()] / (2 * step), 0.0]
        np.testing.assert_allclose(both(u, v), wanted, rtol=1e-6 if not smooth else 1e-9, atol=1e-9)
        assert table(u, v) == pytest.approx(wanted[0], rel=1e-9)
    assert table(-9.0, 9.0) == pytest.approx(z[0, -1])
    extended = mb.Table2(x, y, z, smooth, "extend")
    outside = [extended(x[-1] + d, y[2]) for d in (0.0, 1.0, 2.0)]
    assert outside[2] - outside[1] == pytest.approx(outside[1] - outside[0], rel=1e-9)
    assert outside[0] == pytest.approx(z[-1, 2])


def test_a_table_of_arrays_and_vectors() -> None:
    table = mb.Table([0, 1, 2], [0, 10, 0])
    np.testing.assert_allclose(table(np.array([[0.5, 1.5], [3.0, -1.0]])), [[5, 5], [0, 0]])
    symbol = ca.SX.sym("x", 3)
    function = ca.Function("f", [symbol], [table(symbol)])
    np.testing.assert_allclose(evaluate(function, np.array([0.25, 1.0, 9.0]))[0], [2.5, 10.0, 0.0])
    assert math.isnan(evaluate(function, np.array([np.nan, 1.0, 9.0]))[0][0])


def test_tables_survive_the_operations_of_the_equations() -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y", 3)
    table = mb.Table(_random_points(8, 9), np.arange(9.0) ** 2, smooth=True)
    expression = table(x * 2) ** 2 + table(x * 2)
    wanted = ca.Function("f", [x], [expression])
    for changed, symbol in ((ca.cse(expression), x), (ca.substitute(expression, x, y[1]), y)):
        function = ca.Function("g", [symbol], [changed])
        for place in (-0.9, 0.1, 0.8):
            assert float(function(place)) == pytest.approx(float(wanted(place)), rel=1e-14)
    speed = ca.Function("h", [x], [ca.jtimes(expression, x, ca.SX(3.0)), ca.jacobian(expression, x)])
    many = expression * y[0] * y[1] + y[2] * table(y[0] * x)
    slopes = ca.Function("r", [x, y], [ca.jacobian(many, ca.vertcat(x, y))])
    step = 1e-6
    for place in (-0.9, 0.1, 0.8):
        slope = (float(wanted(place + step)) - float(wanted(place - step))) / (2 * step)
        rate, jacobian = map(float, speed(place))
        assert jacobian == pytest.approx(slope, rel=1e-6)
        assert rate == pytest.approx(3 * slope, rel=1e-6)
        assert np.isfinite(np.asarray(slopes(place, [0.3, -0.2, 0.9]))).all()


def test_code_of_a_table_does_not_grow_with_the_calls() -> None:
    table, x = mb.Table(np.arange(500.0), np.sin(np.arange(500.0)), smooth=True), ca.SX.sym("x", 40)
    text = emit(ca.Function("f", [x], [table(x)]), "f")
    assert text.count("[501 x double]") + text.count("[2505 x double]") == 1
    assert text.count("call ptr @f.pieces_") == 40


def test_tables_in_loops_of_kernels() -> None:
    table, a, b = mb.Table([0, 1, 2, 4], [1, 3, -2, 0], smooth=True), ca.SX.sym("a"), ca.SX.sym("b")
    kernel = ca.Function("k", [a, b], [table(a) * b, ca.jacobian(table(a), a)])
    rows = np.array([[k, 4 + k] for k in range(4)]), np.array([[8 + k, 12 + k] for k in range(4)])
    loop = KernelLoop(kernel, *rows)
    program = Program(16, (Segment(1, 0, 4, 0), Segment(2, 4, 4, 0)), (loop,), (Segment(0, 8, 8, 0),))
    x, p, out = np.array([0.3, 1.1, 3.7, 5.0]), np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(8)
    call(compile_ir(emit_looped(program, "f"), "light"), "f", np.zeros(1), x, p, out, np.zeros(16))
    symbols = [ca.SX.sym("t"), ca.SX.sym("x", 4), ca.SX.sym("p", 4)]
    plain = ca.Function("g", symbols, [inline(program, symbols)])
    np.testing.assert_allclose(out, np.asarray(plain(0.0, x, p)).ravel(), rtol=1e-14)
    np.testing.assert_allclose(out[:4], table(x) * p, rtol=1e-14)


# -- LaTeX -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3*f**-2", r"3 \, f^{-2}"),
        ("(a + b)/(c*d)", r"\frac{a + b}{c \, d}"),
        ("a*(b + c)", r"a \, \left(b + c\right)"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("(-a)**2", r"\left(-a\right)^{2}"),
        ("2*pi*q[1]", r"2 \, \pi \, q_{1}"),
        ("sqrt(speed_x) <= 1", r"\sqrt{\mathrm{speed\_x}} \le 1"),
        ("[1, t]", r"\begin{bmatrix} 1 \\ t \end{bmatrix}"),
        ("where(t > 1, 2, 3)", r"\begin{cases} 2 & t > 1 \\ 3 & \text{otherwise} \end{cases}"),
        ("table(t, [0, 1], [0, 1])", r"\mathrm{table}(t)"),
    ],
)
def test_latex(text: str, wanted: str) -> None:
    assert parse(text).latex() == wanted
