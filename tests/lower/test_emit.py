"""Every elementary operation against CasADi's own evaluation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from multibond.lower.emit import LoweringError, emit, emit_model_function
from multibond.lower.jit import compile_ir

from .native import call, evaluate

UNARY = {
    "neg": lambda a: -a,
    "sq": lambda a: a**2,
    "twice": lambda a: a + a,
    "inv": lambda a: 1 / a,
    "sqrt": lambda a: ca.sqrt(ca.fabs(a)),
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": lambda a: ca.asin(a / 10),
    "acos": lambda a: ca.acos(a / 10),
    "atan": ca.atan,
    "exp": ca.exp,
    "log": lambda a: ca.log(ca.fabs(a)),
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "asinh": ca.asinh,
    "acosh": lambda a: ca.acosh(1 + ca.fabs(a)),
    "atanh": lambda a: ca.atanh(a / 10),
    "fabs": ca.fabs,
    "sign": ca.sign,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "not": lambda a: ca.logic_not(a > 0),
    "erf": ca.erf,
    "expm1": ca.expm1,
    "log1p": lambda a: ca.log1p(ca.fabs(a)),
    "cube": lambda a: a**3,
    "constpow": lambda a: ca.constpow(ca.fabs(a), 2.5),
}
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: ca.fabs(a) ** b,
    "atan2": ca.atan2,
    "fmod": ca.fmod,
    "remainder": ca.remainder,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: ca.logic_and(a > 0, b > 0),
    "or": lambda a, b: ca.logic_or(a > 0, b > 0),
    "if_else": lambda a, b: ca.if_else(a < b, a, b),
    "if_else_zero": lambda a, b: ca.if_else(a < b, a, 0),
    "copysign": ca.copysign,
    "hypot": ca.hypot,
}
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])


def _agree(function: ca.Function, *arguments: np.ndarray) -> None:
    (native,) = evaluate(function, *arguments)
    expected = np.array(function(*arguments)).ravel(order="F")
    np.testing.assert_allclose(native, expected, rtol=4e-15, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", UNARY)
def test_unary_operation(name: str) -> None:
    a = ca.SX.sym("a", 57)
    values = np.concatenate([np.random.default_rng(1).uniform(-5, 5, 50), SPECIAL])
    _agree(ca.Function("f", [a], [UNARY[name](a)]), values)


@pytest.mark.parametrize("name", BINARY)
def test_binary_operation(name: str) -> None:
    size = 50 + len(SPECIAL) ** 2
    a, b = ca.SX.sym("a", size), ca.SX.sym("b", size)
    left, right = np.meshgrid(SPECIAL, SPECIAL)
    rng = np.random.default_rng(2)
    first = np.concatenate([rng.uniform(-5, 5, 50), left.ravel()])
    second = np.concatenate([np.round(rng.uniform(-5, 5, 50), 1), right.ravel()])
    _agree(ca.Function("f", [a, b], [BINARY[name](a, b)]), first, second)


def _sine_and_cosine(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both from one compiled function of one angle."""
    a = ca.SX.sym("a")
    module = compile_ir(emit(ca.Function("f", [a], [ca.sin(a), ca.cos(a)]), "f"))
    pairs = np.zeros((values.size, 2))
    for value, pair in zip(values, pairs, strict=True):
        call(module, "f", np.array([value]), pair[:1], pair[1:])
    return pairs[:, 0], pairs[:, 1]


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 30.0, 1e3, 1e6, 1.1e6, 1e12, 1e300])
def test_sine_and_cosine_are_accurate(scale: float) -> None:
    values = np.random.default_rng(3).uniform(-scale, scale, 2000)
    sine, cosine = _sine_and_cosine(values)
    for native, exact in ((sine, np.sin(values)), (cosine, np.cos(values))):
        assert np.max(np.abs(native - exact) / np.spacing(np.abs(exact))) <= 1.5


def test_sine_keeps_its_accuracy_next_to_its_zeros() -> None:
    values = np.arange(1.0, 600_001.0, 301.0) * (np.pi / 2)
    sine, cosine = _sine_and_cosine(values)
    np.testing.assert_allclose(sine, np.sin(values), rtol=5e-16, atol=0)
    np.testing.assert_allclose(cosine, np.cos(values), rtol=5e-16, atol=0)


def test_many_angles_share_one_function() -> None:
    a = ca.SX.sym("a", 40)
    values = np.random.default_rng(4).uniform(-5, 5, 40)
    (result,) = evaluate(ca.Function("f", [a], [ca.sin(a) + ca.cos(2 * a)]), values)
    np.testing.assert_allclose(result, np.sin(values) + np.cos(2 * values), rtol=0, atol=5e-16)


def test_special_angles() -> None:
    sine, cosine = _sine_and_cosine(SPECIAL)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(sine, np.sin(SPECIAL), rtol=3e-16, atol=0)
        np.testing.assert_allclose(cosine, np.cos(SPECIAL), rtol=3e-16, atol=0)


def test_sine_and_cosine_of_one_angle_share_the_work() -> None:
    a = ca.SX.sym("a")
    text = emit(ca.Function("f", [a], [ca.sin(a) * ca.cos(a)]), "f")
    assert text.count("call double @sin(") == 1


def test_sparse_inputs_and_outputs_are_dense_in_memory() -> None:
    a = ca.SX.sym("a", ca.Sparsity.lower(3))
    b = ca.SX(3, 3)
    b[0, 2] = a[1, 0]
    b[2, 1] = 7
    given = np.array([[1.0, 0, 0], [2, 3, 0], [4, 5, 6]])
    first, second = evaluate(ca.Function("f", [a], [a * 2, b]), given)
    np.testing.assert_array_equal(first.reshape(3, 3, order="F"), given * 2)
    np.testing.assert_array_equal(second.reshape(3, 3, order="F"), [[0, 0, 2], [0, 0, 0], [0, 7, 0]])


def test_model_function_has_the_uniform_signature() -> None:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 1)
    function = ca.Function("rhs", [t, x, p], [ca.vertcat(x[1] * p, t)])
    module = compile_ir(emit_model_function(function, "rhs"))
    out = np.zeros(2)
    call(module, "rhs", np.array([3.0]), np.array([1.0, 2.0]), np.array([5.0]), out, np.zeros(0))
    np.testing.assert_array_equal(out, [10.0, 3.0])


def test_several_functions_share_a_module() -> None:
    a = ca.SX.sym("a")
    text = emit(ca.Function("f", [a], [ca.exp(a)]), "one") + emit(ca.Function("g", [a], [ca.exp(-a)]), "two")
    module = compile_ir(text)
    assert module.names == ("one", "two")
    assert module.address("one") != module.address("two")


def test_a_matrix_graph_is_refused() -> None:
    a = ca.MX.sym("a", 3)
    with pytest.raises(LoweringError, match=r"only scalar \(SX\) functions"):
        emit(ca.Function("f", [a], [2 * a]), "f")


def test_an_unknown_operation_is_refused() -> None:
    a = ca.SX.sym("a")
    with pytest.raises(LoweringError, match="has no translation"):
        emit(ca.Function("f", [a], [ca.erfinv(a)]), "f")


def test_a_wrong_model_function_is_refused() -> None:
    a = ca.SX.sym("a")
    with pytest.raises(LoweringError, match=r"Give it the inputs \(t, x, p\)"):
        emit_model_function(ca.Function("f", [a], [a]), "f")


@pytest.mark.parametrize("text", ["nonsense", "define void @f() {\ncall void @g()\nret void\n}\n"])
def test_bad_text_raises_and_does_not_end_the_process(text: str) -> None:
    with pytest.raises(LoweringError):
        compile_ir(text)


def test_an_unknown_name_lists_what_there_is() -> None:
    a = ca.SX.sym("a")
    module = compile_ir(emit(ca.Function("f", [a], [a]), "one"))
    with pytest.raises(LoweringError, match="It offers one"):
        module.address("two")
