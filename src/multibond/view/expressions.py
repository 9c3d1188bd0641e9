"""Symbolic expressions → formulas: reads the instructions of a CasADi function, one operation after the other.

What several formulas share is written once, as a term of its own (`w1`, `w2`, …), and so is what would become too long
for a line. `table1_2(x)` is number 2 of the piece of the first table into which x falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import casadi as ca

from multibond.expr import SX, Function, column, cse
from multibond.formula.pieces import is_derivative
from multibond.lower.lookup import called
from multibond.view import formula as fo
from multibond.view.formula import Formula, Symbol

SHARED = 3
"""Operations from which on a value that is used more than once gets a name."""

LONG = 40
"""Operations in one formula; more than that becomes a term of its own."""

CALLS = {
    ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_TAN: "tan", ca.OP_ASIN: "asin", ca.OP_ACOS: "acos", ca.OP_ATAN: "atan",
    ca.OP_SINH: "sinh", ca.OP_COSH: "cosh", ca.OP_TANH: "tanh", ca.OP_ASINH: "asinh", ca.OP_ACOSH: "acosh",
    ca.OP_ATANH: "atanh", ca.OP_EXP: "exp", ca.OP_LOG: "log", ca.OP_SQRT: "sqrt", ca.OP_FABS: "abs",
    ca.OP_SIGN: "sign", ca.OP_FLOOR: "floor", ca.OP_CEIL: "ceil", ca.OP_ERF: "erf", ca.OP_EXPM1: "expm1",
    ca.OP_LOG1P: "log1p", ca.OP_ATAN2: "atan2", ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_FMOD: "fmod",
    ca.OP_REMAINDER: "remainder", ca.OP_COPYSIGN: "copysign", ca.OP_HYPOT: "hypot", ca.OP_NOT: "not",
}  # fmt: skip
"""Operations that are written as a function of their arguments."""

RELATIONS = {ca.OP_LT: "<", ca.OP_LE: "<=", ca.OP_EQ: "==", ca.OP_NE: "!=", ca.OP_AND: "and", ca.OP_OR: "or"}

ARITHMETIC: dict[int, Callable[..., Formula]] = {
    ca.OP_ADD: fo.add,
    ca.OP_SUB: fo.subtract,
    ca.OP_MUL: fo.multiply,
    ca.OP_DIV: fo.divide,
    ca.OP_NEG: fo.negative,
    ca.OP_INV: fo.inverse,
    ca.OP_SQ: fo.square,
    ca.OP_TWICE: lambda a: fo.scaled(2.0, a),
    ca.OP_POW: fo.power,
    ca.OP_CONSTPOW: fo.power,
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_LIFT: lambda a, _: a,
    ca.OP_IF_ELSE_ZERO: lambda condition, a: fo.Choice(condition, a, fo.ZERO),
}


class Names:
    """Which name a symbol has; one without a name here is looked up in the table `above`, or keeps its own."""

    def __init__(self, above: Names | None = None) -> None:
        self._above = above
        self._table: dict[int, str] = {}

    def put(self, names: Sequence[str], symbols: SX) -> None:
        """Give each entry of a symbolic column its name."""
        for name, symbol in zip(names, ca.vertsplit(symbols) if symbols.numel() else [], strict=True):
            self._table[symbol.element_hash()] = name

    def of(self, symbol: SX) -> str:
        """The name of one symbol."""
        found = self._table.get(symbol.element_hash())
        if found is None:
            return self._above.of(symbol) if self._above else symbol.name()
        return found


@dataclass(frozen=True)
class Formulas:
    """Shared terms in the order in which they are needed, then one formula for each entry of the expression."""

    terms: tuple[tuple[str, Formula], ...]
    values: tuple[Formula, ...]


@dataclass(frozen=True)
class _Step:
    """One instruction with values instead of places: what it does, with the results of which steps."""

    operation: int
    inputs: tuple[int, ...]
    leaf: Formula | None = None
    called: str = ""


def formulas(expression: SX, names: Names) -> Formulas:
    """Write out every entry of an expression, its symbols under the given names."""
    symbols = ca.symvar(expression)
    function = Function("f", [column(symbols)], [cse(ca.densify(ca.vec(expression)))])
    steps, outputs = _steps(function, [names.of(symbol) for symbol in symbols])
    uses = [0] * len(steps)
    for k in (*(k for step in steps for k in step.inputs), *outputs.values()):
        uses[k] += 1
    values: list[Formula] = []
    weights: list[int] = []
    terms: list[tuple[str, Formula]] = []
    for step, used in zip(steps, uses, strict=True):
        value = _value(step, [values[k] for k in step.inputs])
        weight = 0 if step.leaf is not None else 1 + sum(weights[k] for k in step.inputs)
        if used and (weight >= LONG or (used > 1 and weight >= SHARED and not _signed_symbol(value))):
            terms.append((f"w{len(terms) + 1}", value))
            value, weight = Symbol(terms[-1][0]), 0
        values.append(value)
        weights.append(weight)
    return Formulas(tuple(terms), tuple(values[outputs[k]] for k in range(expression.numel())))


def entries(name: str, size: int) -> list[str]:
    """A name for each component."""
    return [name] if size == 1 else [f"{name}[{k}]" for k in range(size)]


def _steps(function: Function, names: Sequence[str]) -> tuple[list[_Step], dict[int, int]]:
    """The instructions with results in place of registers, and which of them are the outputs."""
    steps: list[_Step] = []
    outputs: dict[int, int] = {}
    register: dict[int, int] = {}
    tables = _tables(function)
    for k, (operation, given, made, constant) in enumerate(_instructions(function)):
        if operation == ca.OP_OUTPUT:
            outputs[made[1]] = register[given[0]]
            continue
        if operation == ca.OP_CALL:
            for entry, place in enumerate(made):
                steps.append(_Step(operation, tuple(register[g] for g in given), None, f"{tables[k]}_{entry}"))
                register[place] = len(steps) - 1
            continue
        if operation == ca.OP_CONST:
            steps.append(_Step(operation, (), fo.Number(constant)))
        elif operation == ca.OP_INPUT:
            steps.append(_Step(operation, (), Symbol(names[given[1]])))
        else:
            steps.append(_Step(operation, tuple(register[k] for k in given)))
        register[made[0]] = len(steps) - 1
    return steps, outputs


def _tables(function: Function) -> dict[int, str]:
    """Names of the look-ups that a function calls, by instruction; derivatives of look-ups are "0"."""
    calls, known = called(function), dict[str, str]()
    for look_up in calls.values():
        if not is_derivative(look_up):
            known.setdefault(look_up.name(), f"table{len(known) + 1}")
    return {k: known.get(look_up.name(), "0") for k, look_up in calls.items()}


def _instructions(function: Function) -> Iterator[tuple[int, list[int], list[int], float]]:
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        constant = function.instruction_constant(k) if operation == ca.OP_CONST else 0.0
        yield operation, function.instruction_input(k), function.instruction_output(k), constant


def _value(step: _Step, inputs: list[Formula]) -> Formula:
    if step.leaf is not None:
        return step.leaf
    if step.called:
        return fo.Call(step.called, tuple(inputs)) if step.called[0] != "0" else fo.ZERO
    if step.operation in ARITHMETIC:
        return ARITHMETIC[step.operation](*inputs)
    if step.operation in RELATIONS:
        return fo.compare(RELATIONS[step.operation], *inputs)
    return fo.Call(CALLS.get(step.operation, f"operation_{step.operation}"), tuple(inputs))


def _signed_symbol(value: Formula) -> bool:
    """Whether a value is no more than a symbol with a factor, which needs no name of its own."""
    return isinstance(value, fo.Product) and len(value.factors) == 1 and isinstance(value.factors[0][0], Symbol)


def children(a: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside a formula."""
    match a:
        case fo.Sum(terms):
            return terms
        case fo.Product(_, factors):
            return tuple(base for base, _ in factors)
        case fo.Power(base, exponent):
            return base, exponent
        case fo.Call(_, arguments):
            return arguments
        case fo.Relation(_, left, right):
            return left, right
        case fo.Choice(condition, then, otherwise):
            return condition, then, otherwise
        case _:
            return ()


def symbols_in(a: Formula) -> set[str]:
    """The names of all symbols in a formula."""
    if isinstance(a, Symbol):
        return {a.name}
    return {name for child in children(a) for name in symbols_in(child)}


def renamed(a: Formula, name: Callable[[str], str]) -> Formula:
    """The formula with every symbol under another name."""
    match a:
        case Symbol(old):
            return Symbol(name(old))
        case fo.Sum(terms):
            return fo.Sum(tuple(renamed(t, name) for t in terms))
        case fo.Product(coefficient, factors):
            return fo.Product(coefficient, tuple((renamed(base, name), exponent) for base, exponent in factors))
        case fo.Power(base, exponent):
            return fo.Power(renamed(base, name), renamed(exponent, name))
        case fo.Call(function, arguments):
            return fo.Call(function, tuple(renamed(x, name) for x in arguments))
        case fo.Relation(sign, left, right):
            return fo.Relation(sign, renamed(left, name), renamed(right, name))
        case fo.Choice(condition, then, otherwise):
            return fo.Choice(renamed(condition, name), renamed(then, name), renamed(otherwise, name))
        case _:
            return a
