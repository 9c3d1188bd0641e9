"""Programs of class kernels: the same small functions run over tables of places in one workspace.

A mechanism of many links has few classes of links. One CasADi function per class (a kernel) and a table that says
where in the workspace each link reads and writes describe the whole; the tables become loops for long chains and
straight-line code for short ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class KernelLoop:
    """One kernel over the rows of two tables.

    `reads[row, k]` and `writes[row, k]` are the places, in doubles, of input and output k in the workspace. An output
    marked in `accumulate` is added to what is there (also where several rows share a place), otherwise it replaces it.
    A row reads everything before it writes. `reverse` runs from the last row to the first.
    """

    kernel: ca.Function
    reads: Table
    writes: Table
    accumulate: tuple[bool, ...] = ()
    reverse: bool = False

    def __post_init__(self) -> None:
        reads = np.asarray(self.reads, dtype=np.int32).reshape(-1, self.kernel.n_in())
        writes = np.asarray(self.writes, dtype=np.int32).reshape(-1, self.kernel.n_out())
        if len(reads) != len(writes):
            raise ValueError(
                f"the tables of kernel '{self.kernel.name()}' do not fit together.\n"
                f"  reads has {len(reads)} rows, writes has {len(writes)}.\n"
                "  Give both one row for each call."
            )
        object.__setattr__(self, "reads", reads)
        object.__setattr__(self, "writes", writes)
        object.__setattr__(self, "accumulate", tuple(self.accumulate) or (False,) * self.kernel.n_out())

    def __len__(self) -> int:
        return len(self.reads)

    def calls(self) -> Iterator[tuple[KernelLoop, int]]:
        """Each call in order, as (loop, row)."""
        rows = range(len(self))
        return ((self, row) for row in (reversed(rows) if self.reverse else rows))


@dataclass(frozen=True, eq=False)
class Sweep:
    """Rows of several kernels in one given order; `order[step]` is (class number, row in the tables of that class)."""

    classes: tuple[KernelLoop, ...]
    order: Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", np.asarray(self.order, dtype=np.int32).reshape(-1, 2))

    def calls(self) -> Iterator[tuple[KernelLoop, int]]:
        """Each call in order, as (loop, row)."""
        return ((self.classes[number], int(row)) for number, row in self.order)


@dataclass(frozen=True)
class Segment:
    """A copy between the workspace and an argument: `length` doubles from `start` of the argument, at `offset`.

    Arguments are numbered t = 0, x = 1, p = 2. For outputs the argument is not used.
    """

    argument: int
    offset: int
    length: int
    start: int = 0


@dataclass(frozen=True)
class Program:
    """Copy arguments in, clear, run the loops in order, copy results out.

    `zero` lists (offset, length) to clear before each run; `constants` lists (offset, values) to set before each run.
    What is neither copied in, cleared, set, nor written by an earlier loop is zero.
    """

    size: int
    inputs: tuple[Segment, ...]
    loops: tuple[KernelLoop | Sweep, ...]
    outputs: tuple[Segment, ...]
    zero: tuple[tuple[int, int], ...] = ()
    constants: tuple[tuple[int, tuple[float, ...]], ...] = ()

    @property
    def n_out(self) -> int:
        """Length of the result."""
        return max((segment.start + segment.length for segment in self.outputs), default=0)


def inline(program: Program, arguments: Sequence[ca.SX]) -> ca.SX:
    """The result of a program as one symbolic vector: the tables become straight-line code.

    The workspace begins as zeros, so everything that is structurally zero vanishes from the result.
    """
    work = ca.SX.zeros(program.size)
    for offset, values in program.constants:
        work[offset : offset + len(values)] = ca.SX(list(values))
    for s in program.inputs:
        work[s.offset : s.offset + s.length] = ca.vec(arguments[s.argument])[s.start : s.start + s.length]
    for loop in program.loops:
        for tables, row in loop.calls():
            _call(work, tables, row)
    out = ca.SX.zeros(program.n_out)
    for s in program.outputs:
        out[s.start : s.start + s.length] = work[s.offset : s.offset + s.length]
    return out


def _call(work: ca.SX, tables: KernelLoop, row: int) -> None:
    """Run one kernel call on the symbolic workspace."""
    kernel = tables.kernel
    given = []
    for k, place in enumerate(tables.reads[row]):
        value = work[int(place) : int(place) + kernel.numel_in(k)]
        given.append(ca.reshape(value, kernel.size1_in(k), kernel.size2_in(k)))
    for k, result in enumerate(kernel.call(given)):
        places = slice(int(tables.writes[row, k]), int(tables.writes[row, k]) + kernel.numel_out(k))
        value = ca.densify(ca.vec(result))
        work[places] = work[places] + value if tables.accumulate[k] else value
