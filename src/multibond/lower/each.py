"""One native function that calls a model function for each of many states: a single state is a row of one.

All arguments lie in a table of eleven entries, so that a call from Python passes one pointer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from multibond.lower.jit import Module, compile_ir

ENTRIES = ("function", "count", "t", "x", "p", "out", "work", "next_t", "next_x", "next_p", "next_out")
"""What the table holds: addresses, the number of states, and how many bytes the next state is away."""
WALKING = ("t", "x", "p", "out")


@dataclass(frozen=True)
class Each:
    """Both ways to call it: `held` keeps Python's lock, for calls of a microsecond; `free` lets other threads run."""

    module: Module
    held: Callable[[Any], None]
    free: Callable[[Any], None]


@cache
def each() -> Each:
    """The function, compiled once in a process: it knows no model."""
    module = compile_ir(_text())
    address = module.address("each")
    return Each(
        module,
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(address),
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address),
    )


def table(**entries: int) -> np.ndarray:
    """The arguments of a call; what is not named is zero."""
    return np.array([entries.get(name, 0) for name in ENTRIES], np.int64)


def _text() -> str:
    lines = ["define void @each(ptr %table) nounwind {", "entry:"]
    for k, name in enumerate(ENTRIES):
        kind = "i64" if name == "count" or name.startswith("next") else "ptr"
        lines.append(f"  %at.{name} = getelementptr i64, ptr %table, i64 {k}")
        lines.append(f"  %{name} = load {kind}, ptr %at.{name}")
    lines += ["  br label %loop", "loop:", "  %k = phi i64 [ 0, %entry ], [ %k.then, %loop ]"]
    lines += [f"  %{name}.k = phi ptr [ %{name}, %entry ], [ %{name}.then, %loop ]" for name in WALKING]
    lines.append("  call void %function(ptr %t.k, ptr %x.k, ptr %p.k, ptr %out.k, ptr %work)")
    lines += [f"  %{name}.then = getelementptr i8, ptr %{name}.k, i64 %next_{name}" for name in WALKING]
    lines += ["  %k.then = add i64 %k, 1", "  %more = icmp slt i64 %k.then, %count"]
    lines += ["  br i1 %more, label %loop, label %done", "done:", "  ret void", "}", ""]
    return "\n".join(lines)
