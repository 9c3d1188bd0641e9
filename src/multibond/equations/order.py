"""Put assignments in the order in which they can be computed; break cycles at a few torn variables."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from multibond.expr import SX


def dependencies(definitions: SX, variables: SX) -> tuple[list[list[int]], list[list[int]]]:
    """For each definition the variables it reads, and for each variable the definitions that read it."""
    function = ca.Function("d", [variables], [definitions], {"allow_free": True})
    rows, columns = function.jac_sparsity(0, 0).get_triplet()
    reads: list[list[int]] = [[] for _ in range(definitions.numel())]
    readers: list[list[int]] = [[] for _ in range(variables.numel())]
    for row, col in zip(rows, columns, strict=True):
        reads[row].append(col)
        readers[col].append(row)
    return reads, readers


MOST_TRIALS = 12
"""So many equally good places to tear a loop are tried."""


def schedule(definitions: SX, variables: SX) -> tuple[list[int], list[int]]:
    """An order of computation, and the variables torn to make one possible (algebraic loops)."""
    reads, readers = dependencies(definitions, variables)
    order: list[int] = []
    torn: list[int] = []
    waiting = loops(range(len(reads)), reads)[::-1]
    while waiting:
        loop = waiting.pop()
        if len(loop) == 1 and loop[0] not in reads[loop[0]]:
            order.append(loop[0])
            continue
        cut = _best_tear(loop, reads, readers)
        torn.append(cut)
        waiting.extend(loops([k for k in loop if k != cut], reads)[::-1])
    return order, torn


def _best_tear(loop: list[int], reads: list[list[int]], readers: list[list[int]]) -> int:
    """Of the variables that most others of the loop read the one without which least of the loop is left."""
    inside = set(loop)
    read = {k: sum(1 for reader in readers[k] if reader in inside) for k in sorted(loop)}
    best = [k for k, count in read.items() if count == max(read.values())]
    if len(best) == 1:
        return best[0]

    def left(cut: int) -> int:
        return sum(len(group) for group in loops([k for k in loop if k != cut], reads) if len(group) > 1)

    return min(best[:MOST_TRIALS], key=left)


def loops(nodes: Sequence[int], reads: list[list[int]]) -> list[list[int]]:
    """Nodes that read one another, together; each group after all that it reads (Tarjan 1972, without recursion)."""
    inside = set(nodes)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []
    for root in nodes:
        path = [(root, iter(reads[root]))] if root not in number else []
        while path:
            node, rest = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                stack.append(node)
            step = next((k for k in rest if k in inside), None)
            if step is not None and step not in number:
                path.append((step, iter(reads[step])))
            elif step is not None:
                low[node] = min(low[node], number[step])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    found.append(_take(stack, node, inside))
    return found


def _take(stack: list[int], node: int, inside: set[int]) -> list[int]:
    """Take a finished group off the stack; it no longer counts for what is left."""
    group: list[int] = []
    while not group or group[-1] != node:
        group.append(stack.pop())
        inside.discard(group[-1])
    return group
