"""A small structured writer of LLVM IR text: loops, branches and arithmetic read like ordinary Python.

A function that doubles the n numbers in x:

    w = Writer("double_all", {"x": PTR, "n": INT})
    x = w.array("x")
    with w.loop(w.parameter("n")) as j:
        x[j] = 2.0 * x[j]
    text = w.finish()
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from multibond.lower.sincos import number

Type = str
"""Name of a type in LLVM's text."""

REAL: Type = "double"
INT: Type = "i64"
PTR: Type = "ptr"
BOOL: Type = "i1"


class Value:
    """A value in the text under construction; operators append instructions."""

    __slots__ = ("name", "type", "writer")

    def __init__(self, writer: Writer, name: str, kind: Type) -> None:
        self.writer = writer
        self.name = name
        self.type = kind

    def _binary(self, op: str, other: Operand, swapped: bool = False) -> Value:
        right = self.writer.constant(other, self.type)
        a, b = (right, self) if swapped else (self, right)
        if self.type == REAL:
            op = f"f{op} contract"
        return self.writer.new(f"{op} {self.type} {a.name}, {b.name}", self.type)

    def __add__(self, other: Operand) -> Value:
        return self._binary("add", other)

    def __radd__(self, other: Operand) -> Value:
        return self._binary("add", other, True)

    def __sub__(self, other: Operand) -> Value:
        return self._binary("sub", other)

    def __rsub__(self, other: Operand) -> Value:
        return self._binary("sub", other, True)

    def __mul__(self, other: Operand) -> Value:
        return self._binary("mul", other)

    def __rmul__(self, other: Operand) -> Value:
        return self._binary("mul", other, True)

    def __truediv__(self, other: Operand) -> Value:
        return self._binary("div", other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._binary("div", other, True)

    def __floordiv__(self, other: int) -> Value:
        return self.writer.new(f"sdiv i64 {self.name}, {other}", INT)

    def __neg__(self) -> Value:
        return self.writer.new(f"fneg double {self.name}", REAL)

    def _compare(self, op: str, other: Operand) -> Value:
        right = self.writer.constant(other, self.type)
        kind = f"fcmp o{op}" if self.type == REAL else f"icmp {'s' if op not in ('eq', 'ne') else ''}{op}"
        return self.writer.new(f"{kind} {self.type} {self.name}, {right.name}", BOOL)

    def __lt__(self, other: Operand) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("ge", other)

    def equals(self, other: Operand) -> Value:
        """Equality as a value (`==` is kept for Python)."""
        return self._compare("eq", other)

    def differs(self, other: Operand) -> Value:
        """Inequality as a value; false when a double is NaN."""
        return self._compare("ne", other)

    def __and__(self, other: Value) -> Value:
        return self.writer.new(f"and i1 {self.name}, {other.name}", BOOL)

    def __or__(self, other: Value) -> Value:
        return self.writer.new(f"or i1 {self.name}, {other.name}", BOOL)

    def __invert__(self) -> Value:
        return self.writer.new(f"xor i1 {self.name}, true", BOOL)


Operand = Value | float | int


class Array:
    """Memory that holds elements of one type, indexed from 0."""

    __slots__ = ("pointer", "type", "writer")

    def __init__(self, writer: Writer, pointer: str, kind: Type = REAL) -> None:
        self.writer = writer
        self.pointer = pointer
        self.type = kind

    def at(self, index: Operand) -> Array:
        """The array that begins at an element of this one."""
        place = self.writer.constant(index, INT).name
        pointer = self.writer.raw(f"getelementptr {self.type}, ptr {self.pointer}, i64 {place}")
        return Array(self.writer, pointer, self.type)

    def __getitem__(self, index: Operand) -> Value:
        return self.writer.new(f"load {self.type}, ptr {self.at(index).pointer}", self.type)

    def __setitem__(self, index: Operand, value: Operand) -> None:
        source = self.writer.constant(value, self.type)
        self.writer.line(f"store {self.type} {source.name}, ptr {self.at(index).pointer}")


class Variable:
    """A local scalar that may change; `value` reads it, `set` writes it."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Array) -> None:
        self._cell = cell

    @property
    def value(self) -> Value:
        """The present value."""
        return self._cell[0]

    def set(self, value: Operand) -> None:
        """Replace the present value."""
        self._cell[0] = value

    @property
    def cell(self) -> Array:
        """The memory of this variable, to be passed to a function."""
        return self._cell


class Writer:
    """Text of one function."""

    def __init__(
        self,
        name: str,
        parameters: dict[str, Type],
        result: Type | None = None,
        *,
        internal: bool = True,
        quick: bool = False,
    ) -> None:
        """`internal` functions are called from the same text only; `quick` ones compile fast rather than run fast."""
        self._signature = ", ".join(f"{kind} %{key}" for key, kind in parameters.items())
        self._name = name
        self._result = result
        self._internal = internal
        self._attributes = "nounwind noinline optnone" if quick else "nounwind"
        self._parameters = parameters
        self._locals: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    def finish(self) -> str:
        """The complete definition."""
        if not self._ended:
            self.line("ret void" if self._result is None else "unreachable")
        linkage = "internal " if self._internal else ""
        head = f"define {linkage}{self._result or 'void'} @{self._name}({self._signature}) {self._attributes} {{"
        return "\n".join([head, "entry:", *self._locals, "br label %body", "body:", *self._lines]) + "\n}\n"

    def line(self, text: str) -> None:
        """Append an instruction without a result; text after a return is not reached and is left out."""
        if not self._ended:
            self._lines.append(text)

    def raw(self, right: str) -> str:
        """Append `%name = right` and return the name."""
        self._count += 1
        name = f"%v{self._count}"
        self.line(f"{name} = {right}")
        return name

    def new(self, right: str, kind: Type) -> Value:
        """Append an instruction and return its value."""
        return Value(self, self.raw(right), kind)

    def constant(self, value: Operand, kind: Type) -> Value:
        """A Python number as a value; values pass through."""
        if isinstance(value, Value):
            return value
        return Value(self, number(float(value)) if kind == REAL else str(int(value)), kind)

    def parameter(self, name: str) -> Value:
        """A scalar parameter of the function."""
        return Value(self, f"%{name}", self._parameters[name])

    def array(self, name: str, kind: Type = REAL) -> Array:
        """A pointer parameter of the function as an array."""
        return Array(self, f"%{name}", kind)

    def variable(self, initial: Operand, kind: Type = REAL) -> Variable:
        """A new local scalar."""
        self._count += 1
        name = f"%l{self._count}"
        self._locals.append(f"{name} = alloca {kind}")
        variable = Variable(Array(self, name, kind))
        variable.set(initial)
        return variable

    def local(self, length: int, kind: Type = REAL) -> Array:
        """New local memory."""
        self._count += 1
        name = f"%l{self._count}"
        self._locals.append(f"{name} = alloca [{length} x {kind}]")
        return Array(self, name, kind)

    def select(self, condition: Value, yes: Operand, no: Operand, kind: Type = REAL) -> Value:
        """`yes` where the condition holds, otherwise `no`."""
        a, b = self.constant(yes, kind), self.constant(no, kind)
        return self.new(f"select i1 {condition.name}, {kind} {a.name}, {kind} {b.name}", kind)

    def maximum(self, a: Operand, b: Operand) -> Value:
        """The larger one; `a` where `b` is NaN or equal."""
        left, right = self.constant(a, REAL), self.constant(b, REAL)
        return self.select(right > left, right, left)

    def minimum(self, a: Operand, b: Operand) -> Value:
        """The smaller one; `a` where `b` is NaN or equal."""
        left, right = self.constant(a, REAL), self.constant(b, REAL)
        return self.select(right < left, right, left)

    def math(self, function: str, *operands: Operand) -> Value:
        """A mathematical function of doubles."""
        arguments = ", ".join(f"double {self.constant(value, REAL).name}" for value in operands)
        return self.new(f"call double @{function}({arguments})", REAL)

    def fabs(self, value: Operand) -> Value:
        """Absolute value."""
        return self.math("llvm.fabs.f64", value)

    def real(self, value: Value) -> Value:
        """An integer as a double."""
        return self.new(f"sitofp i64 {value.name} to double", REAL)

    def call(self, function: str | Value, arguments: list[Array | Value], result: Type | None = None) -> Value:
        """Call a function of the same text by name, or by address where a value is given."""
        target = function.name if isinstance(function, Value) else f"@{function}"
        listed = ", ".join(f"ptr {a.pointer}" if isinstance(a, Array) else f"{a.type} {a.name}" for a in arguments)
        text = f"call {result or 'void'} {target}({listed})"
        if result is None:
            self.line(text)
            return Value(self, "", INT)
        return self.new(text, result)

    def ret(self, value: Operand | None = None) -> None:
        """Return; what follows in the same block is not reached."""
        if self._result is None or value is None:
            self.line("ret void")
        else:
            self.line(f"ret {self._result} {self.constant(value, self._result).name}")
        self._ended = True

    def label(self, stem: str) -> str:
        """A new label."""
        self._count += 1
        return f"{stem}{self._count}"

    def jump(self, label: str) -> None:
        """Go to a label, unless the block has ended already."""
        self.line(f"br label %{label}")
        self._ended = True

    def branch(self, condition: Value, yes: str, no: str) -> None:
        """Go to one of two labels."""
        self.line(f"br i1 {condition.name}, label %{yes}, label %{no}")
        self._ended = True

    def switch(self, text: str) -> None:
        """Go to one of several labels; the text is LLVM's."""
        self.line(text)
        self._ended = True

    def place(self, label: str) -> None:
        """Begin the block of a label."""
        self.jump(label)
        self._ended = False
        self.line(f"{label}:")

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        """The indented text runs only where the condition holds."""
        inside, after = self.label("when"), self.label("after")
        self.branch(condition, inside, after)
        self.place(inside)
        yield
        self.place(after)

    @contextmanager
    def loop(self, stop: Operand, start: Operand = 0) -> Iterator[Value]:
        """Counts from `start` up to `stop` (not included)."""
        limit = self.constant(stop, INT)
        counter = self.variable(start, INT)
        with self.forever() as leave:
            index = counter.value
            leave(index >= limit)
            yield index
            counter.set(index + 1)

    @contextmanager
    def forever(self) -> Iterator[Leave]:
        """Repeats the indented text until the yielded function is called with a true condition."""
        again, after = self.label("again"), self.label("after")
        self.place(again)
        yield Leave(self, after)
        self.jump(again)
        self.place(after)


class Leave:
    """Leaves the loop it belongs to where a condition holds."""

    __slots__ = ("_after", "_writer")

    def __init__(self, writer: Writer, after: str) -> None:
        self._writer = writer
        self._after = after

    def __call__(self, condition: Value | None = None) -> None:
        if condition is None:
            self._writer.jump(self._after)
            return
        onward = self._writer.label("on")
        self._writer.branch(condition, self._after, onward)
        self._writer.place(onward)
