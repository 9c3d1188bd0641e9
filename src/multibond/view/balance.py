"""What runs along the edges of a network, from what its nodes put in: efforts, flows and powers that nobody names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

Edge = tuple[str, str]
"""Tail and head by name; what runs from tail to head is positive."""


def along(edges: Sequence[Edge], given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What runs along each edge so that every node passes on all that it is given; nodes left out are given nothing.

    In a tree there is one answer; where edges form loops, the one with the least going round.
    """
    found: dict[int, np.ndarray] = {}
    for numbers in _connected(edges):
        part = _along([edges[k] for k in numbers], given)
        found |= dict(zip(numbers, part, strict=True))
    return [found[k] for k in range(len(edges))]


def _connected(edges: Sequence[Edge]) -> list[list[int]]:
    """The numbers of the edges of each connected piece: small systems are solved faster than one large one."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.setdefault(name, name) != name:
            root[name] = name = root[root[name]]
        return name

    for tail, head in edges:
        root[find(tail)] = find(head)
    pieces: dict[str, list[int]] = {}
    for k, (tail, _) in enumerate(edges):
        pieces.setdefault(find(tail), []).append(k)
    return list(pieces.values())


def _along(edges: Sequence[Edge], given: Mapping[str, np.ndarray]) -> np.ndarray:
    nodes = {name: k for k, name in enumerate(sorted({end for edge in edges for end in edge}))}
    shape = next((np.shape(value) for value in given.values()), ())
    matrix, sums = np.zeros((len(nodes), len(edges))), np.zeros((len(nodes), *shape))
    for k, (tail, head) in enumerate(edges):
        matrix[nodes[tail], k] += 1.0
        matrix[nodes[head], k] -= 1.0
    for name, k in nodes.items():
        sums[k] = given.get(name, 0.0)
    found = np.linalg.lstsq(matrix, sums.reshape(len(nodes), -1), rcond=None)[0]
    return found.reshape(len(edges), *shape)
