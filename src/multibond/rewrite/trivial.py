"""Transformers that do nothing: a modulus that is always zero passes nothing, one that is always one changes nothing.

Unfolded rotations about a fixed axis are full of them.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.elements import MTF, TF
from multibond.expr import SX
from multibond.graph.graph import Graph
from multibond.graph.junctions import Junction, One, Zero
from multibond.rewrite.edit import Edit
from multibond.rewrite.moduli import modulus_of, ports
from multibond.rewrite.rule import Rewrite
from multibond.rewrite.signals import Signals, signals_of


def _find(graph: Graph) -> tuple[tuple[str, ...], ...]:
    signals = signals_of(graph)
    found = [(path, _kind(graph, signals, path)) for path, _ in graph.of_type((TF, MTF))]
    return tuple((path, kind) for path, kind in found if kind and _fits(graph, path, kind))


def _kind(graph: Graph, signals: Signals, path: str) -> str:
    """ "zero" or "one", where a modulus always is; else nothing."""
    modulus = modulus_of(graph, path)
    value = modulus.value if modulus.value is not None else signals(modulus.signal)
    if modulus.value is None and modulus.select is not None:
        value = value[list(modulus.select)]
    if not SX(value).is_constant():
        return ""
    number = np.asarray(ca.DM(ca.evalf(ca.densify(value)))).reshape(modulus.rows, modulus.columns)
    if not number.any():
        return "zero"
    same = modulus.rows == modulus.columns and np.array_equal(number, np.eye(modulus.rows))
    return "one" if same else ""


def _fits(graph: Graph, path: str, kind: str) -> bool:
    """A zero must end at junctions to which it adds nothing, and which have other bonds; a one must lead through."""
    at = ports(graph, path)
    ends = {port: bond.other(path).element for port, bond in at.items()}
    front, back = (graph.elements[ends[port]] for port in ("a", "b"))
    if kind == "zero":
        others = all(len(graph.bonds_of(end)) > 2 for end in ends.values())
        return isinstance(front, One) and isinstance(back, Zero) and others
    straight = at["a"].into(path) != at["b"].into(path)
    bounds = {name for f in graph.frames for name in (f.rotation, f.translation)}
    apart = ends["a"] != ends["b"] and not set(ends.values()) <= bounds
    return straight and apart and (isinstance(front, Junction) or isinstance(back, Junction))


def _still(graph: Graph, site: tuple[str, ...]) -> bool:
    return site[0] in graph.elements and _fits(graph, *site)


def _drop(graph: Graph, site: tuple[str, ...]) -> Graph:
    path, kind = site
    edit, at = Edit(graph), ports(graph, path)
    edit.drop(path)
    if kind == "one":
        first, last = sorted(at.values(), key=lambda b: not b.into(path))
        edit.bond(first.tail, last.head, first)
    return edit.graph()


TRIVIAL = Rewrite("drop trivial transformers", "moduli that are always zero or one vanish", _find, _drop, still=_still)
