"""CasADi SX functions as LLVM IR text, one instruction for each elementary operation.

A product and a sum fuse where the text says so and nowhere else: an expression gives the same digits whatever else its
function computes (a sensor that reads a value changes no other). Nothing is reordered and NaN stays NaN.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence

import casadi as ca

from multibond.equations.pivoted import kind_of
from multibond.errors import Finding, MultibondError
from multibond.formula.pieces import is_derivative, is_lookup
from multibond.lower.lookup import called, emit_lookups
from multibond.lower.pivoted import buffer_size
from multibond.lower.sincos import number, sincos, sincos_call
from multibond.lower.stretches import LONG, STRETCH, function_text


class LoweringError(MultibondError):
    """A symbolic function cannot become machine code."""


INLINED_ANGLES = 4
"""Angles of one function whose sine and cosine are inlined; each costs about a millisecond of compile time."""

ZERO, ONE = number(0.0), number(1.0)

# Functions of one or two doubles: LLVM intrinsics where the machine has an instruction, libm otherwise.
_CALLS = {
    ca.OP_SQRT: "llvm.sqrt.f64",
    ca.OP_FABS: "llvm.fabs.f64",
    ca.OP_FLOOR: "llvm.floor.f64",
    ca.OP_CEIL: "llvm.ceil.f64",
    ca.OP_COPYSIGN: "llvm.copysign.f64",
    ca.OP_FMIN: "fmin",
    ca.OP_FMAX: "fmax",
    ca.OP_FMOD: "fmod",
    ca.OP_REMAINDER: "remainder",
    ca.OP_POW: "pow",
    ca.OP_CONSTPOW: "pow",
    ca.OP_ATAN2: "atan2",
    ca.OP_HYPOT: "hypot",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_EXPM1: "expm1",
    ca.OP_LOG1P: "log1p",
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_SINH: "sinh",
    ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh",
    ca.OP_ASINH: "asinh",
    ca.OP_ACOSH: "acosh",
    ca.OP_ATANH: "atanh",
    ca.OP_ERF: "erf",
}
_COMPARISONS = {ca.OP_LT: "olt", ca.OP_LE: "ole", ca.OP_EQ: "oeq", ca.OP_NE: "une"}
_LOGIC = {ca.OP_AND: "and", ca.OP_OR: "or"}
_COPIES = (ca.OP_ASSIGN, ca.OP_LIFT)

DECLARATIONS = {
    **dict.fromkeys(("sin", "cos", "llvm.sqrt.f64", "llvm.fabs.f64", "llvm.floor.f64", "llvm.ceil.f64"), 1),
    **dict.fromkeys(("exp", "log", "expm1", "log1p", "tan", "asin", "acos", "atan", "erf"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), 1),
    "llvm.fmuladd.f64": 3,
    **dict.fromkeys(("fmin", "fmax", "fmod", "remainder", "pow", "atan2", "hypot", "llvm.copysign.f64"), 2),
}
"""Number of arguments of each outside function that emitted text may call."""


def emit(function: ca.Function, name: str) -> str:
    """The definition `void @name(ptr a0, ..., ptr r0, ...)` of an SX function.

    There is one pointer for each input and for each output, to dense double vectors in column-major order.
    Structural zeros of outputs are written as zeros. The pointers must not overlap.
    """
    inputs = [f"%a{k}" for k in range(function.n_in())]
    outputs = [f"%r{k}" for k in range(function.n_out())]
    return define(function, name, inputs, outputs, [*inputs, *outputs])


def emit_model_function(function: ca.Function, name: str) -> str:
    """The definition `void @name(ptr t, ptr x, ptr p, ptr out, ptr work)` of a function (t, x, p) -> out."""
    if function.n_in() != 3 or function.n_out() != 1:
        raise LoweringError(
            Finding(
                f"function '{function.name()}' cannot become the model function '{name}'.",
                f"It has {function.n_in()} inputs and {function.n_out()} outputs.",
                "Give it the inputs (t, x, p) and one output.",
            )
        )
    inputs = ["%t", "%x", "%p"]
    return define(function, name, inputs, ["%out"], [*inputs, "%out", "%work"])


def define(
    function: ca.Function,
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    parameters: Sequence[str],
) -> str:
    """The IR of `function` with the given pointer names; `parameters` fixes the order of the signature."""
    body = _written(function, inputs, outputs, None, name, may_cut=True)
    return emit_lookups(function, name) + function_text(name, parameters, body.text, body.cuts)


def body_lines(
    function: ca.Function,
    inputs: Sequence[str],
    outputs: Sequence[str],
    accumulate: Sequence[bool] | None = None,
    prefix: str = "",
) -> list[str]:
    """The instructions of a function between the label `entry` and the return.

    Look-ups of tables are called by their name after `prefix`; `emit_lookups` defines them.
    Where `accumulate` is given, results are written after everything is read, so that the memory of inputs and outputs
    may overlap, and an output marked true is added to what is there.
    """
    return _written(function, inputs, outputs, accumulate, prefix, may_cut=False).text


def _written(
    function: ca.Function,
    inputs: Sequence[str],
    outputs: Sequence[str],
    accumulate: Sequence[bool] | None,
    prefix: str,
    *,
    may_cut: bool,
) -> _Body:
    """All instructions of a function; see `body_lines`."""
    if not function.is_a("SXFunction"):
        raise LoweringError(
            Finding(
                f"function '{function.name()}' cannot become machine code.",
                f"It is a {function.class_name()}, and only scalar (SX) functions have elementary operations.",
                "Expand it first: function.expand().",
            )
        )
    adds = accumulate or (False,) * len(outputs)
    body = _Body(function, inputs, prefix, may_cut=may_cut)
    results = body.results()
    # Early stores keep few values alive; with overlapping memory they have to wait until all is read.
    for k, place, value in list(results) if accumulate is not None else results:
        (body.add_to if adds[k] else body.store)(outputs[k], place, value)
    for k in range(len(outputs)):
        for place in () if adds[k] else _absent(function, k):
            body.store(outputs[k], place, ZERO)
    return body


class _Body:
    """The instructions of one function: walks CasADi's list once and keeps the name of each work value."""

    def __init__(self, function: ca.Function, inputs: Sequence[str], prefix: str, *, may_cut: bool) -> None:
        self._function = function
        self._prefix = prefix
        self._called = called(function)
        self._inputs = inputs
        self.text: list[str] = []
        self.cuts: list[int] = []
        self._work: dict[int, str] = {}
        self._angles: dict[str, tuple[str, str]] = {}
        self._products: dict[str, tuple[str, str]] = {}
        self._forms: dict[str, int] = {}
        self._count = 0
        self._block = "entry"
        self._long = may_cut and function.n_instructions() > LONG

    def results(self) -> Iterator[tuple[int, int, str]]:
        """Append all operations; yields (output, dense position, value) of every nonzero when it is known."""
        f = self._function
        in_places = [_places(f.sparsity_in(k)) for k in range(f.n_in())]
        out_places = [_places(f.sparsity_out(k)) for k in range(f.n_out())]
        read, write, op_of = f.instruction_input, f.instruction_output, f.instruction_id
        for k in range(f.n_instructions()):
            if self._long and len(self.text) - (self.cuts or [0])[-1] >= STRETCH:
                self._cut()
            op = op_of(k)
            if op == ca.OP_CONST:
                self._work[write(k)[0]] = number(f.instruction_constant(k))
            elif op == ca.OP_INPUT:
                argument, element = read(k)
                value = self._load(self._inputs[argument], in_places[argument][element])
                self._work[write(k)[0]] = value
                self._forms[value] = argument + 1
            elif op == ca.OP_OUTPUT:
                result, element = write(k)
                yield result, out_places[result][element], self._work[read(k)[0]]
            elif op == ca.OP_CALL:
                self._call(self._called[k], [self._work[i] for i in read(k)], write(k))
            else:
                operands = [self._work[i] for i in read(k)]
                found = self._operation(op, operands)
                self._work[write(k)[0]] = found
                self._forms.setdefault(found, self._form(op, operands))

    def _form(self, op: int, operands: list[str]) -> int:
        """A number for the form of an expression; sums and products have one form in either order."""
        parts = [self._forms.get(v, zlib.crc32(v.encode()) if v[0] != "%" else 1) for v in operands]
        if op in (ca.OP_ADD, ca.OP_MUL):
            parts.sort()
        return zlib.crc32(repr((op, parts)).encode())

    def _call(self, function: ca.Function, operands: list[str], results: Sequence[int]) -> None:
        """Append the look-up of a table; its numbers do not change within a piece, so their derivatives are zero.

        A solution with pivots chosen at run time is called through memory of its own.
        """
        pivots = kind_of(function)
        if pivots is not None:
            self._solve(pivots, operands, results)
            return
        if not is_lookup(function):
            raise LoweringError(
                Finding(
                    f"function '{self._function.name()}' cannot become machine code.",
                    f"It calls '{function.name()}', which is no table.",
                    "Write the law with elementary operations and tables.",
                )
            )
        if is_derivative(function):
            self._work.update(dict.fromkeys(results, ZERO))
            return
        arguments = ", ".join(f"double {value}" for value in operands)
        row = self._new(f"call ptr @{self._prefix}.{function.name()}({arguments})")
        self._work.update({work: self._load(row, k) for k, work in enumerate(results) if work >= 0})

    def _solve(self, pivots: tuple[str, int, int], operands: list[str], results: Sequence[int]) -> None:
        kind, size, rank = pivots
        memory = self._new(f"alloca [{buffer_size(kind, size)} x double]")
        for k, value in enumerate(operands):
            self.store(memory, k, value)
        last = self._new(f"call double @pivoted_{kind}_{size}_{rank}(ptr {memory})")
        for k, work in enumerate(results):
            if work >= 0:
                self._work[work] = self._load(memory, len(operands) + k) if k < size else last

    def _cut(self) -> None:
        """What follows stands in another function."""
        self.cuts.append(len(self.text))
        self._block = "entry"

    def _new(self, right: str) -> str:
        """Append `%v = right` and return the name of the new value."""
        name = f"%v{self._count}"
        self._count += 1
        self.text.append(f"{name} = {right}")
        return name

    def _load(self, base: str, place: int) -> str:
        pointer = self._new(f"getelementptr double, ptr {base}, i64 {place}")
        return self._new(f"load double, ptr {pointer}")

    def store(self, base: str, place: int, value: str) -> None:
        """Append the writing of one double."""
        pointer = self._new(f"getelementptr double, ptr {base}, i64 {place}")
        self.text.append(f"store double {value}, ptr {pointer}")

    def add_to(self, base: str, place: int, value: str) -> None:
        """Append the adding of one double to what is there."""
        pointer = self._new(f"getelementptr double, ptr {base}, i64 {place}")
        total = self._new(f"fadd double {self._new(f'load double, ptr {pointer}')}, {value}")
        self.text.append(f"store double {total}, ptr {pointer}")

    def _operation(self, op: int, operands: list[str]) -> str:
        a, b = operands[0], operands[-1]
        if op in (ca.OP_MUL, ca.OP_SQ):
            return self._product(a, b)
        if op in (ca.OP_ADD, ca.OP_SUB):
            return self._sum(a, b, minus=op == ca.OP_SUB)
        if op == ca.OP_DIV:
            return self._new(f"fdiv double {a}, {b}")
        if op in (ca.OP_SIN, ca.OP_COS):
            return self._angle(a)[op == ca.OP_COS]
        if op in _CALLS:
            arguments = ", ".join(f"double {value}" for value in operands)
            return self._new(f"call double @{_CALLS[op]}({arguments})")
        if op in _COMPARISONS:
            return self._truth(f"fcmp {_COMPARISONS[op]} double {a}, {b}")
        if op in _LOGIC:
            left, right = self._is_true(a), self._is_true(b)
            return self._truth(f"{_LOGIC[op]} i1 {left}, {right}")
        if op in _COPIES:
            return a
        special = _SPECIAL.get(op)
        if special is None:
            raise LoweringError(
                Finding(
                    f"function '{self._function.name()}' cannot become machine code.",
                    f"It uses CasADi's operation number {op}, which has no translation.",
                    "Write the law with other operations, for example a polynomial or a table.",
                )
            )
        return special(self, a, b)

    def _product(self, a: str, b: str) -> str:
        name = self._new(f"fmul double {a}, {b}")
        self._products[name] = (a, b)
        return name

    def _sum(self, a: str, b: str, *, minus: bool) -> str:
        """a + b or a - b, fused with the one of them that is a product; of two with that of the greater form.

        The form depends neither on the order of a and b nor on how inputs are numbered; like forms stay apart.
        """
        first, second = (self._forms.get(v, 0) if v in self._products else -1 for v in (a, b))
        if first == second:
            return self._new(f"{'fsub' if minus else 'fadd'} double {a}, {b}")
        if first > second:
            rest = self._new(f"fneg double {b}") if minus else b
            return self._fused(*self._products[a], rest)
        x, y = self._products[b]
        return self._fused(self._new(f"fneg double {x}") if minus else x, y, a)

    def _fused(self, x: str, y: str, rest: str) -> str:
        return self._new(f"call double @llvm.fmuladd.f64(double {x}, double {y}, double {rest})")

    def _angle(self, argument: str) -> tuple[str, str]:
        """Sine and cosine of a value; computed once for both."""
        if argument not in self._angles:
            tag = f"q{self._count}"
            if len(self._angles) < INLINED_ANGLES:
                lines, sine, cosine, self._block = sincos(argument, tag, self._block)
            else:
                lines, sine, cosine = sincos_call(argument, tag)
            self._count += 1
            self.text += lines
            self._angles[argument] = (sine, cosine)
        return self._angles[argument]

    def _is_true(self, value: str) -> str:
        return self._new(f"fcmp une double {value}, {ZERO}")

    def _truth(self, condition: str) -> str:
        """1.0 where the condition holds, otherwise 0.0."""
        return self._new(f"select i1 {self._new(condition)}, double {ONE}, double {ZERO}")

    def _sign(self, a: str) -> str:
        """-1, 0 or 1; zero and NaN are passed on as they are."""
        positive = self._new(f"fcmp ogt double {a}, {ZERO}")
        negative = self._new(f"fcmp olt double {a}, {ZERO}")
        upper = self._new(f"select i1 {positive}, double {ONE}, double {a}")
        return self._new(f"select i1 {negative}, double {number(-1.0)}, double {upper}")

    def _if_else_zero(self, a: str, b: str) -> str:
        return self._new(f"select i1 {self._is_true(a)}, double {b}, double {ZERO}")


_SPECIAL: dict[int, Callable[[_Body, str, str], str]] = {
    ca.OP_NEG: lambda body, a, _: body._new(f"fneg double {a}"),
    ca.OP_TWICE: lambda body, a, _: body._new(f"fadd double {a}, {a}"),
    ca.OP_INV: lambda body, a, _: body._new(f"fdiv double {ONE}, {a}"),
    ca.OP_NOT: lambda body, a, _: body._truth(f"fcmp oeq double {a}, {ZERO}"),
    ca.OP_SIGN: lambda body, a, _: body._sign(a),
    ca.OP_IF_ELSE_ZERO: lambda body, a, b: body._if_else_zero(a, b),
}


def _places(sparsity: ca.Sparsity) -> Sequence[int]:
    """Dense column-major position of each nonzero."""
    if sparsity.is_dense():
        return range(sparsity.nnz())
    return sparsity.find()


def _absent(function: ca.Function, output: int) -> list[int]:
    """Dense positions of an output that are structurally zero."""
    if function.sparsity_out(output).is_dense():
        return []
    return sorted(set(range(function.numel_out(output))) - set(_places(function.sparsity_out(output))))
