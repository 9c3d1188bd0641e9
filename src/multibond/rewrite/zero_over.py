"""A 0-junction behind a transformer, v₃ = v₂ + B v₁ (Tiernego & Bos 1985, Fig. 13 and eqs 9, 10).

Moved to the front it needs the inverse: v₃ = B (B⁻¹ v₂ + v₁). Without one, v₃ = [1 B] (v₂, v₁) is a wider transformer.
"""

from __future__ import annotations

import casadi as ca

from multibond.elements import MTF, TF
from multibond.elements.carried import Beside
from multibond.expr import SX
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.junctions import DirectSum, Zero
from multibond.rewrite.couplers import inverse_kind
from multibond.rewrite.edit import Edit
from multibond.rewrite.moduli import Modulus, inverse, modulus_of, ports, transformer, two_way
from multibond.rewrite.rule import Rewrite
from multibond.structure.causality import assign
from multibond.structure.tree import span


def _behind(graph: Graph, coupler: str) -> str:
    """The 0-junction into which a transformer leads, or nothing."""
    at = ports(graph, coupler)
    if len(at) < 2 or not at["a"].into(coupler) or at["b"].into(coupler):
        return ""
    place = at["b"].head.element
    return place if isinstance(graph.elements[place], Zero) else ""


# -- with the inverse --------------------------------------------------------------------------------------------------


def _find_moves(graph: Graph) -> tuple[tuple[str, ...], ...]:
    found = [(path, _behind(graph, path)) for path, _ in graph.of_type((TF, MTF))]
    return tuple((path, place) for path, place in found if place and _turns(graph, path, place))


def _turns(graph: Graph, path: str, place: str) -> bool:
    others = [b for b in graph.bonds_of(place) if path not in (b.tail.element, b.head.element)]
    return len(others) > 1 and inverse_kind(graph, path) in ("transpose", "divide")


def _move(graph: Graph, site: tuple[str, ...]) -> Graph:
    coupler, place = site
    edit, at = Edit(graph), ports(graph, coupler)
    B, how = modulus_of(graph, coupler), two_way(graph.elements[coupler])
    others = [b for b in graph.bonds_of(place) if b.name != at["b"].name]
    back = inverse(edit, B, inverse_kind(graph, coupler), coupler)
    edit.drop(coupler)
    edit.drop(place)
    front = edit.free(f"{place}_in_front")
    edit.add(front, Zero(front.rsplit(".", 1)[-1], size=B.columns))
    edit.bond(at["a"].tail, End(front, "any"), at["a"])
    for k, bond in enumerate(others):
        into = bond.into(place)
        _over(edit, f"{coupler}_{k + 1}", front, bond, back if into else B, how, into)
    return edit.graph()


def _over(edit: Edit, name: str, place: str, bond: Bond, modulus: Modulus, how: str, into: bool) -> None:
    """Lead a bond of the old junction to the new one over a transformer: into it, or out of it."""
    path = edit.free(name)
    transformer(edit, path, modulus, how)
    if into:
        edit.bond(bond.tail, End(path, "a"), bond)
        edit.bond(End(path, "b"), End(place, "any"), bond, modulus.rows)
    else:
        edit.bond(End(place, "any"), End(path, "a"), bond, modulus.columns)
        edit.bond(End(path, "b"), bond.head, bond)


# -- as one wider transformer ------------------------------------------------------------------------------------------


def _find_sums(graph: Graph) -> tuple[tuple[str, ...], ...]:
    found = [(path, _behind(graph, path)) for path, _ in graph.of_type((TF, MTF))]
    pairs = [(path, place) for path, place in found if place and len(graph.bonds_of(place)) == 3]
    strokes = assign(graph, span(graph)) if pairs else None
    sites = []
    for path, place in pairs:
        out = [b for b in graph.bonds_of(place) if not b.into(place)]
        if len(out) == 1 and strokes is not None:
            gives = [strokes.gives_flow(out[0], place, k) for k in range(out[0].size)]
            sites += [(path, place)] if all(gives) else []
    return tuple(sites)


def _widen(graph: Graph, site: tuple[str, ...]) -> Graph:
    coupler, place = site
    edit, at, B = Edit(graph), ports(graph, coupler), modulus_of(graph, coupler)
    bonds = [b for b in graph.bonds_of(place) if b.name != at["b"].name]
    beside, out = sorted(bonds, key=lambda b: not b.into(place))
    both = edit.free(f"{coupler}_both")
    wide = _wide(edit, B, coupler)
    edit.drop(coupler)
    edit.drop(place)
    edit.add(both, DirectSum(both.rsplit(".", 1)[-1], B.rows, B.columns))
    path = edit.free(f"{coupler}_wide")
    transformer(edit, path, wide)
    edit.bond(beside.tail, End(both, "part_1"), beside)
    edit.bond(at["a"].tail, End(both, "part_2"), at["a"])
    edit.bond(End(both, "whole"), End(path, "a"), out, B.rows + B.columns)
    edit.bond(End(path, "b"), out.head, out)
    return edit.graph()


def _wide(edit: Edit, B: Modulus, path: str) -> Modulus:
    """[1 B]."""
    rows, columns = B.rows, B.columns
    if B.value is not None:
        return Modulus(rows, rows + columns, ca.horzcat(SX.eye(rows), B.value))
    name = edit.free(f"{path}_beside")
    edit.add(name, Beside(name.rsplit(".", 1)[-1], rows, columns, B.transposed))
    edit.read(B.signal, name, "input", B.select)
    return Modulus(rows, rows + columns, None, edit.give(name, "whole", rows * (rows + columns)))


OVER = Rewrite("0-junction over transformer", "v₂ + B v₁ becomes B (B⁻¹ v₂ + v₁)", _find_moves, _move, False)
WIDEN = Rewrite("widen transformer", "v₂ + B v₁ becomes [1 B] (v₂, v₁)", _find_sums, _widen)
