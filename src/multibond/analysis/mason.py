"""Mason's rule on the causal graph: H = Σ P_k Δ_k / Δ, over all paths from input to output.

The graph is first condensed: every node that is neither a storage nor closed on itself is led through, its gains
multiplied. What is left are the storages, and one node for each algebraic loop. Δ = 1 - Σ L_i + Σ L_i L_j - …, over
loops that do not touch; Δ_k is Δ of what path k does not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import casadi as ca

from multibond.analysis.arithmetic import evaluate
from multibond.analysis.ends import InputEnd, OutputEnd
from multibond.analysis.laurent import Laurent, Laurents, too_long
from multibond.analysis.parameters import entries
from multibond.analysis.paths import reach
from multibond.analysis.signals import Signals
from multibond.expr import SX

MOST_WAYS = 5000
"""More paths and loops than this are not written out."""

Gains = dict[int, dict[int, Laurent]]
"""By node, the nodes that it leads to, each with the gain."""


@dataclass(frozen=True)
class Way:
    """A path or loop through the condensed graph, with its gain."""

    nodes: tuple[int, ...]
    gain: Laurent


@dataclass(frozen=True)
class Mason:
    """The parts of Mason's rule: paths, loops, and the two sums whose quotient is the transfer function."""

    paths: tuple[Way, ...]
    loops: tuple[Way, ...]
    numerator: Laurent
    denominator: Laurent


def mason(signals: Signals, source: InputEnd, output: OutputEnd, kind: Laurents, values: dict[str, Laurent]) -> Mason:
    """Apply Mason's rule between an input and an output; values: what stands for the parameters, by name."""
    start, end = len(signals.nodes), len(signals.nodes) + 1
    gains = _between(_gains(signals, source, output, kind, values), start, end)
    keep = {start, end} | {k for k, node in enumerate(signals.nodes) if node.order}
    gains = condensed(gains, keep)
    loops = _loops(gains)
    paths = _ways(gains, start, end)
    sums = _Sums(loops, kind)
    inner = frozenset(gains) - {start, end}
    numerator = kind.number(Fraction(0))
    for path in paths:
        numerator += path.gain * sums.delta(inner - frozenset(path.nodes))
    return Mason(tuple(paths), tuple(loops), numerator, sums.delta(inner))


def _gains(
    signals: Signals, source: InputEnd, output: OutputEnd, kind: Laurents, quantities: dict[str, Laurent]
) -> Gains:
    """All edges with their gains, each storage with its 1/s or s; the input and the output are nodes of their own."""
    found = entries(signals.graph)
    symbols, values = [e.symbol for e in found], [quantities[e.name] for e in found]
    start, end, count = len(signals.nodes), len(signals.nodes) + 1, len(signals.nodes)
    gains: Gains = {k: {} for k in range(count + 2)}
    rows = signals.gains
    for (row, col), gain in zip(_places(rows), evaluate(rows, symbols, values, kind), strict=True):
        order = signals.nodes[row].order
        gains[col][row] = gain * kind.quantity("s", -order) if order else gain
    gains[start][source.node] = kind.number(Fraction(source.sign))
    reading = ca.jacobian(output.value, signals.symbols)
    for (_, col), gain in zip(_places(reading), evaluate(reading, symbols, values, kind), strict=True):
        gains[col][end] = gain
    return {k: {j: g for j, g in onward.items() if g} for k, onward in gains.items()}


def _places(expression: SX) -> list[tuple[int, int]]:
    return list(zip(*expression.sparsity().get_triplet(), strict=True))


def _between(gains: Gains, start: int, end: int) -> Gains:
    """Only what lies on a way from start to end, or on a loop that touches one."""
    after = [list(gains[k]) for k in range(len(gains))]
    before: list[list[int]] = [[] for _ in gains]
    for k, onward in gains.items():
        for j in onward:
            before[j].append(k)
    keep = (reach(after, [start]) & reach(before, [end])) | {start, end}
    return {k: {j: g for j, g in gains[k].items() if j in keep} for k in sorted(keep)}


def condensed(gains: Gains, keep: set[int]) -> Gains:
    """The same graph without the nodes that only lead on."""
    gains = {k: dict(onward) for k, onward in gains.items()}
    before: dict[int, set[int]] = {k: set() for k in gains}
    for k, onward in gains.items():
        for j in onward:
            before[j].add(k)
    while True:
        loose = [k for k in gains if k not in keep and k not in gains[k]]
        if not loose:
            return gains
        _lead_through(gains, before, min(loose, key=lambda k: (len(before[k]) * len(gains[k]), k)))


def _lead_through(gains: Gains, before: dict[int, set[int]], node: int) -> None:
    onward = gains.pop(node)
    for k in before.pop(node):
        gain = gains[k].pop(node)
        for j, next_gain in onward.items():
            total = gain * next_gain
            total = gains[k][j] + total if j in gains[k] else total
            gains[k][j] = total
            before[j].add(k)
            if not total:
                del gains[k][j]
                before[j].discard(k)
    for j in onward:
        before[j].discard(node)


def _ways(gains: Gains, start: int, end: int, inside: frozenset[int] | None = None) -> list[Way]:
    """All ways from start to end that meet no node twice; for a loop start is its end."""
    found: list[Way] = []
    waiting: list[tuple[tuple[int, ...], Laurent | None]] = [((start,), None)]
    while waiting:
        nodes, gain = waiting.pop()
        for k, step in gains[nodes[-1]].items():
            total = step if gain is None else gain * step
            if k == end:
                found.append(Way(nodes if start == end else (*nodes, end), total))
                _require_few(len(found))
            elif k not in nodes and (inside is None or k in inside):
                waiting.append(((*nodes, k), total))
    return found


def _loops(gains: Gains) -> list[Way]:
    """All loops, each found from its first node."""
    found: list[Way] = []
    for node in sorted(gains):
        found += _ways(gains, node, node, frozenset(k for k in gains if k > node))
        _require_few(len(found))
    return found


def _require_few(count: int) -> None:
    if count > MOST_WAYS:
        raise too_long(f"There are more than {MOST_WAYS} causal paths or loops between input and output.")


@dataclass
class _Sums:
    """Δ of sets of nodes, each computed once."""

    loops: Sequence[Way]
    kind: Laurents
    known: dict[frozenset[int], Laurent] = field(default_factory=dict)

    def delta(self, nodes: frozenset[int]) -> Laurent:
        """1 less all loops among these nodes, plus all products of two that do not touch, and so on."""
        inside = [loop for loop in self.loops if nodes.issuperset(loop.nodes)]
        touched = frozenset(k for loop in inside for k in loop.nodes)
        if not touched:
            return self.kind.number(Fraction(1))
        if touched not in self.known:
            first = min(touched)
            total = self.delta(touched - {first})
            for loop in inside:
                if first in loop.nodes:
                    total -= loop.gain * self.delta(touched - frozenset(loop.nodes))
            self.known[touched] = total
        return self.known[touched]
