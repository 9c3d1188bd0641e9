"""Long functions in stretches: each is a function of its own, and what they share stands in memory between them.

LLVM's allocation of registers and its scheduling take a time that grows faster than the length of straight-line text
(as its power 1.5); cut into stretches of bounded length it grows as the length. Not a digit changes: the operations are
the same, in the same order, and only what would have been spilled anyway is written to memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

LONG = 2000
"""Operations up to which a function stays whole."""

STRETCH = 1000
"""Lines of a stretch."""

_DEFINED = re.compile(r"(%[\w.]+) = ")
_USED = re.compile(r"%[\w.]+")


def function_text(name: str, parameters: Sequence[str], body: list[str], cuts: Sequence[int]) -> str:
    """The definition of a function that returns nothing, cut before the lines whose numbers are `cuts`."""
    if not cuts:
        return _function(f"define void @{name}", parameters, body)
    parts = [body[a:b] for a, b in pairwise([0, *cuts, len(body)])]
    slots, size = _slots(parts)
    text = [
        _function(f"define internal void @{name}.part{k}", [*parameters, "%shared"], lines)
        for k, lines in enumerate(_with_memory(parts, slots))
    ]
    given = ", ".join(f"ptr {p}" for p in [*parameters, "%shared"])
    calls = [f"call void @{name}.part{k}({given})" for k in range(len(parts))]
    whole = [f"%shared = alloca [{size} x double]", *calls]
    return "".join([*text, _function(f"define void @{name}", parameters, whole)])


def _function(head: str, parameters: Sequence[str], body: Iterable[str]) -> str:
    signature = ", ".join(f"ptr noalias {p}" for p in parameters)
    return "\n".join([f"{head}({signature}) nounwind {{", "entry:", *body, "ret void", "}"]) + "\n"


def _slots(parts: list[list[str]]) -> tuple[dict[str, tuple[int, int, int]], int]:
    """For each value that another stretch uses: its place in memory, its stretch and its last one; and the size."""
    made: dict[str, int] = {}
    last: dict[str, int] = {}
    for k, lines in enumerate(parts):
        for line in lines:
            if found := _DEFINED.match(line):
                made[found[1]] = k
            last.update((name, k) for name in _USED.findall(line) if made.get(name, k) < k)
    slots: dict[str, tuple[int, int, int]] = {}
    ends: list[list[int]] = [[] for _ in parts]
    free: list[int] = []
    size = 0
    for name in sorted(last, key=lambda name: made[name]):
        for k in range(made[name]):
            free += ends[k]
            ends[k] = []
        place = free.pop() if free else size
        size = max(size, place + 1)
        slots[name] = place, made[name], last[name]
        ends[last[name]].append(place)
    return slots, size


def _with_memory(parts: list[list[str]], slots: dict[str, tuple[int, int, int]]) -> list[list[str]]:
    """The stretches with what they read from memory before, and what they leave there after."""
    found = []
    for k, lines in enumerate(parts):
        used = dict.fromkeys(name for line in lines for name in _USED.findall(line) if name in slots)
        read = [line for name in used if slots[name][1] < k for line in _load(name, slots[name][0])]
        left = [line for name in used if slots[name][1] == k for line in _store(name, slots[name][0])]
        found.append([*read, *lines, *left])
    return found


def _load(name: str, place: int) -> list[str]:
    return [f"{name}.at = getelementptr double, ptr %shared, i64 {place}", f"{name} = load double, ptr {name}.at"]


def _store(name: str, place: int) -> list[str]:
    return [f"{name}.at = getelementptr double, ptr %shared, i64 {place}", f"store double {name}, ptr {name}.at"]
