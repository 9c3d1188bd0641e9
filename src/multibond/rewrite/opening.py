"""Open a causal cycle in the junction structure by a break variable (Boudon et al., zero-order causal path opening).

A bond of the cycle is cut: the flows of its two ends meet in a 0-junction, and an effort that nobody knows beforehand
keeps their difference, at a 1-junction, at zero.
"""

from __future__ import annotations

import math

import numpy as np

from multibond.elements import MTF
from multibond.elements.carried import BreakVariable
from multibond.graph.graph import End, Graph
from multibond.graph.junctions import One, Zero
from multibond.rewrite.edit import Edit
from multibond.rewrite.moduli import modulus_of, ports, two_way
from multibond.rewrite.rule import Rewrite
from multibond.rewrite.signals import signals_of, value_at_start
from multibond.structure.causality import assign
from multibond.structure.signals import signal_graph
from multibond.structure.tree import span
from multibond.structure.zcp import zero_order_paths


def _find(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """For each class-4 path the bond along it that is best opened."""
    tree = span(graph)
    strokes = assign(graph, tree)
    paths = zero_order_paths(graph, strokes, signal_graph(graph, tree, strokes))
    cycles = [[name for name, _ in path.bonds] for path in paths if path.number == 4]
    return tuple(sorted({(_best(graph, cycle),) for cycle in cycles}))


def _best(graph: Graph, cycle: list[str]) -> str:
    """The bond whose opening leads flow backwards only through moduli that are far from zero at the start."""

    def ease(name: str) -> float:
        opened = _open(graph, (name,))
        strokes = assign(opened, span(opened))
        back = [path for path, _ in opened.of_type(MTF) if strokes.gives_flow(ports(opened, path)["a"], path)]
        return min((_size(opened, path) for path in back), default=math.inf)

    return max(dict.fromkeys(cycle), key=lambda name: (ease(name), name))


def _size(graph: Graph, path: str) -> float:
    """The smallest entry on the diagonal of a modulus at the start; a rotation has no bad one."""
    if two_way(graph.elements[path]) == "transpose":
        return math.inf
    modulus = modulus_of(graph, path)
    values = value_at_start(graph, signals_of(graph), modulus.signal)
    picked = values if modulus.select is None else values[list(modulus.select)]
    return float(np.abs(np.diag(picked.reshape(modulus.rows, modulus.columns))).min())


def _open(graph: Graph, site: tuple[str, ...]) -> Graph:
    edit = Edit(graph)
    bond = edit.bonds[site[0]]
    stem = f"{bond.tail.element}_{bond.head.element.rsplit('.', 1)[-1]}"
    both = edit.add(edit.free(f"{stem}_break"), Zero("break", size=bond.size))
    gap = edit.add(edit.free(f"{stem}_gap"), One("gap", size=bond.size))
    effort = edit.add(edit.free(f"{stem}_effort"), BreakVariable("effort", size=bond.size))
    edit.unbond(bond)
    edit.bond(bond.tail, End(both, "any"), bond)
    edit.bond(End(both, "any"), bond.head, bond)
    edit.bond(End(effort, "port"), End(gap, "any"), bond)
    edit.bond(End(gap, "any"), End(both, "any"), bond)
    return edit.graph()


OPEN = Rewrite("open cycles", "a break variable at a 1-junction opens a causal cycle", _find, _open, False)
