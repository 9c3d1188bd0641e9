"""Put assignments in the order in which they can be computed; break cycles at a few torn variables."""

from __future__ import annotations

from collections import deque

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


def schedule(definitions: SX, variables: SX) -> tuple[list[int], list[int]]:
    """An order of computation, and the variables torn to make one possible (algebraic loops)."""
    reads, readers = dependencies(definitions, variables)
    waiting = [len(r) for r in reads]
    ready = deque(k for k, n in enumerate(waiting) if n == 0)
    order: list[int] = []
    torn: list[int] = []
    done = [False] * len(reads)

    def release(k: int) -> None:
        for reader in readers[k]:
            waiting[reader] -= 1
            if waiting[reader] == 0 and not done[reader]:
                ready.append(reader)

    while True:
        while ready:
            k = ready.popleft()
            if done[k]:
                continue
            done[k] = True
            order.append(k)
            if k not in torn:
                release(k)
        rest = [k for k, d in enumerate(done) if not d]
        if not rest:
            return order, torn
        cut = _best_tear(rest, reads, set(torn))
        torn.append(cut)
        release(cut)


def _best_tear(rest: list[int], reads: list[list[int]], torn: set[int]) -> int:
    """The variable of a cycle that most others of the cycle read."""
    import networkx as nx  # only models with algebraic loops need it, and it takes long to import

    graph = nx.DiGraph()
    left = set(rest) - torn
    graph.add_edges_from((source, k) for k in rest for source in reads[k] if source in left)
    loops = [c for c in nx.strongly_connected_components(graph) if len(c) > 1 or graph.has_edge(min(c), min(c))]
    loop = min(loops, key=min)
    return max(sorted(loop), key=lambda k: sum(1 for j in graph.successors(k) if j in loop))
