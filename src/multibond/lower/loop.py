"""Programs of class kernels as loops in LLVM IR.

The tables become constants of the text. A kernel takes the workspace and its row of the table; a loop walks the rows; a
sweep walks a list of (class, row) and switches over the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import casadi as ca
import numpy as np

from multibond.lower.emit import body_lines
from multibond.lower.lookup import emit_lookups
from multibond.lower.program import KernelLoop, Program, Segment, Sweep, Table, inline
from multibond.lower.sincos import number
from multibond.lower.writer import INT, PTR, Array, Value, Writer

__all__ = ["KernelLoop", "Program", "Segment", "Sweep", "emit_looped", "inline"]

UNROLLED = 8
"""Up to so many segments are copied one by one, more go through a table."""


def emit_looped(program: Program, name: str) -> str:
    """The definition `void @name(ptr t, ptr x, ptr p, ptr out, ptr work)`; `work` has `program.size` doubles.

    The workspace must be zero before the first run. Compile the text with the `light` passes.
    """
    parts: list[str] = []
    kernels = _Kernels(name, parts)
    w = Writer(name, dict.fromkeys(("t", "x", "p", "out", "work"), PTR), internal=False)
    work = w.array("work")
    _prepare(w, work, program, name, parts)
    for index, loop in enumerate(program.loops):
        if isinstance(loop, Sweep):
            _sweep(w, loop, f"{name}.sweep{index}", kernels, parts)
        elif len(loop):
            _rows(w, loop, f"{name}.loop{index}", kernels, parts)
    _deliver(w, program.outputs, f"{name}.out", parts)
    return "".join([*parts, w.finish()])


class _Kernels:
    """Kernels already written, by function and by which outputs accumulate."""

    def __init__(self, prefix: str, parts: list[str]) -> None:
        self._prefix = prefix
        self._parts = parts
        self._names: dict[tuple[int, tuple[bool, ...]], str] = {}

    def name(self, loop: KernelLoop) -> str:
        """The name of the kernel of a loop; its text is written at first use."""
        key = (loop.kernel.__hash__(), loop.accumulate)
        if key not in self._names:
            self._names[key] = f"{self._prefix}.kernel{len(self._names)}"
            self._parts.append(_kernel(loop.kernel, loop.accumulate, self._names[key]))
        return self._names[key]


def _kernel(kernel: ca.Function, accumulate: tuple[bool, ...], name: str) -> str:
    """`name(work, row)`: one call of a kernel; the row holds the places of the inputs, then of the outputs."""
    inputs = [f"%a{k}" for k in range(kernel.n_in())]
    outputs = [f"%r{k}" for k in range(kernel.n_out())]
    places: list[str] = []
    for k, pointer in enumerate([*inputs, *outputs]):
        places += [
            f"{pointer}.e = getelementptr i32, ptr %row, i64 {k}",
            f"{pointer}.o = load i32, ptr {pointer}.e",
            f"{pointer}.l = zext i32 {pointer}.o to i64",
            f"{pointer} = getelementptr double, ptr %work, i64 {pointer}.l",
        ]
    body = body_lines(kernel, inputs, outputs, accumulate, name)
    head = f"define internal void @{name}(ptr noalias %work, ptr noalias readonly %row) nounwind {{"
    return emit_lookups(kernel, name) + "\n".join([head, "entry:", *places, *body, "ret void", "}"]) + "\n"


def _prepare(w: Writer, work: Array, program: Program, name: str, parts: list[str]) -> None:
    """Clear, set constants, copy the arguments in."""
    cleared = [Segment(0, offset, length) for offset, length in program.zero]
    _move(w, cleared, f"{name}.zero", None, work, parts)
    for k, (offset, values) in enumerate(program.constants):
        listed = ", ".join(f"double {number(value)}" for value in values)
        parts.append(f"@{name}.constant{k} = internal constant [{len(values)} x double] [{listed}]\n")
        _move(w, [Segment(0, offset, len(values))], "", Array(w, f"@{name}.constant{k}"), work, parts)
    for k, argument in enumerate(("t", "x", "p")):
        chosen = [s for s in program.inputs if s.argument == k]
        _move(w, chosen, f"{name}.{argument}", w.array(argument), work, parts)


def _move(
    w: Writer, segments: Sequence[Segment], label: str, source: Array | None, work: Array, parts: list[str]
) -> None:
    """Fill segments of the workspace from an argument, or with zeros where there is no source."""
    if len(segments) > UNROLLED:
        with _places(w, segments, label, parts) as (start, offset):
            work[offset] = 0.0 if source is None else source[start]
        return
    for s in segments:
        with w.loop(s.length) as j:
            work.at(s.offset)[j] = 0.0 if source is None else source.at(s.start)[j]


def _deliver(w: Writer, segments: Sequence[Segment], label: str, parts: list[str]) -> None:
    """Copy segments of the workspace to the result."""
    work, out = w.array("work"), w.array("out")
    if len(segments) > UNROLLED:
        with _places(w, segments, label, parts) as (start, offset):
            out[start] = work[offset]
        return
    for s in segments:
        with w.loop(s.length) as j:
            out.at(s.start)[j] = work.at(s.offset)[j]


@contextmanager
def _places(w: Writer, segments: Sequence[Segment], label: str, parts: list[str]) -> Iterator[tuple[Value, Value]]:
    """A loop over a table of every double of the segments: its place in the argument and in the workspace."""
    pairs = [(s.start + j, s.offset + j) for s in segments for j in range(s.length)]
    parts.append(_constant(label, np.array(pairs, dtype=np.int32)))
    with w.loop(len(pairs)) as k:
        yield _pair(w, label, k)


def _rows(w: Writer, loop: KernelLoop, label: str, kernels: _Kernels, parts: list[str]) -> None:
    """All rows of one kernel; the table is stored in the order of the calls."""
    table = np.hstack([loop.reads, loop.writes])
    parts.append(_constant(label, table[::-1] if loop.reverse else table))
    kernel = kernels.name(loop)
    with w.loop(len(loop)) as row:
        w.call(kernel, [w.array("work"), _row(w, label, row * table.shape[1])])


def _sweep(w: Writer, sweep: Sweep, label: str, kernels: _Kernels, parts: list[str]) -> None:
    """Rows of several kernels in order: for each step the class and where its row begins in one long table."""
    classes, begins, rows, length = [], [], [], 0
    for number_of_class, row in sweep.order:
        loop = sweep.classes[number_of_class]
        rows.append(np.concatenate([loop.reads[row], loop.writes[row]]))
        classes.append(int(number_of_class))
        begins.append(length)
        length += len(rows[-1])
    if not rows:
        return
    parts.append(_constant(label, np.concatenate(rows)))
    parts.append(_constant(f"{label}.steps", np.array([classes, begins]).T))
    used = sorted(set(classes))
    with w.loop(len(rows)) as step:
        which, begin = _pair(w, f"{label}.steps", step)
        _switch(w, which, {k: kernels.name(sweep.classes[k]) for k in used}, _row(w, label, begin))


def _pair(w: Writer, label: str, index: Value) -> tuple[Value, Value]:
    """Both 32-bit numbers of a row of a table of pairs."""
    row = _row(w, label, index * 2)
    second = w.raw(f"getelementptr i32, ptr {row.pointer}, i64 1")
    loaded = [w.raw(f"load i32, ptr {pointer}") for pointer in (row.pointer, second)]
    first, other = (w.new(f"zext i32 {value} to i64", INT) for value in loaded)
    return first, other


def _switch(w: Writer, which: Value, names: dict[int, str], row: Array) -> None:
    """Call the kernel of a class."""
    after = w.label("after")
    labels = {number_of_class: w.label("class") for number_of_class in names}
    last = list(labels.values())[-1]
    cases = " ".join(f"i64 {k}, label %{label}" for k, label in labels.items())
    w.switch(f"switch i64 {which.name}, label %{last} [ {cases} ]")
    for k, label in labels.items():
        w.place(label)
        w.call(names[k], [w.array("work"), row])
        w.jump(after)
    w.place(after)


def _row(w: Writer, label: str, begin: Value) -> Array:
    """The row of a table that begins at an element."""
    return Array(w, w.raw(f"getelementptr i32, ptr @{label}, i64 {begin.name}"))


def _constant(label: str, table: Table) -> str:
    """A table of 32-bit numbers as a constant of the text."""
    values = ", ".join(f"i32 {value}" for value in table.ravel().tolist())
    return f"@{label} = internal constant [{table.size} x i32] [{values}]\n"
