"""A rotation drawn with scalar bonds, turned round: transformers are read from the other side, junctions change kind.

Between 1-junctions where flow enters and 0-junctions where it leaves stands a transformer for each entry of A. As Aᵀ is
the inverse, the same entries lead the flow back, from 1-junctions at the outputs to 0-junctions at the inputs. An
algebraic loop inside the transformers goes with it (Tiernego & Bos 1985, Fig. 11).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibond.elements import MTF, TF
from multibond.errors import CausalityError
from multibond.graph.graph import End, Graph
from multibond.graph.junctions import One, Zero
from multibond.rewrite.edit import Edit, number_of
from multibond.rewrite.moduli import modulus_of, ports
from multibond.rewrite.rule import Rewrite
from multibond.rewrite.signals import values_of
from multibond.structure.causality import assign
from multibond.structure.tree import span

TRIALS = 3
Block = dict[tuple[str, str], str]
"""By input and output junction the transformer between them."""


def _find(graph: Graph, prefer: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    sites = []
    for block in _blocks(graph):
        site = tuple(sorted(block.values()))
        if _is_rotation(graph, block) and _may_turn(graph, site, prefer):
            sites.append(site)
    return tuple(sorted(sites))


def _blocks(graph: Graph) -> list[Block]:
    """Groups of scalar transformers that join all of some 1-junctions to all of some 0-junctions."""
    ends: dict[str, tuple[str, str]] = {}
    for path, _ in graph.of_type((TF, MTF)):
        a, b = (ports(graph, path)[port] for port in ("a", "b"))
        front, back = a.other(path).element, b.other(path).element
        kinds = isinstance(graph.elements[front], One) and isinstance(graph.elements[back], Zero)
        if a.size == b.size == 1 and kinds and a.into(path) != b.into(path):
            ends[path] = (front, back)
    found: dict[frozenset[str], Block] = {}
    for front in {front for front, _ in ends.values()}:
        backs = frozenset(back for one, back in ends.values() if one == front)
        fronts = {one for one, back in ends.values() if back in backs}
        block = {pair: path for path, pair in ends.items() if pair[0] in fronts and pair[1] in backs}
        if len(fronts) == len(backs) > 1 and len(block) == len(fronts) ** 2:
            found[frozenset(block.values())] = block
    return list(found.values())


def _is_rotation(graph: Graph, block: Block) -> bool:
    """Whether the entries make an orthogonal matrix, at several random positions, and nothing else is inside."""
    inputs, outputs = (sorted({pair[k] for pair in block}) for k in (0, 1))
    if any(len(graph.bonds_of(j)) != len(inputs) + 1 for j in (*inputs, *outputs)):
        return False
    entries = [[_entry(graph, block[one, zero]) for one in inputs] for zero in outputs]
    if any(e is None for row in entries for e in row):
        return False
    A = np.moveaxis(np.array(entries, float), 2, 0)
    return bool(np.allclose(A @ A.swapaxes(1, 2), np.eye(len(inputs)), atol=1e-12))


def _entry(graph: Graph, path: str) -> np.ndarray | None:
    modulus = modulus_of(graph, path)
    if modulus.value is not None:
        return np.full(TRIALS, number_of(graph, modulus.value).item())
    values = values_of(graph, modulus.signal, TRIALS)
    return None if values is None else values[:, 0 if modulus.select is None else modulus.select[0]]


def _may_turn(graph: Graph, site: tuple[str, ...], prefer: Mapping[str, str]) -> bool:
    """Whether flow may pass the other way, with the strokes that are preferred."""
    try:
        turned = _invert(graph, site)
        strokes = assign(turned, span(turned), prefer)
        return not strokes.doubled and not strokes.missed
    except CausalityError:
        return False


def _invert(graph: Graph, site: tuple[str, ...]) -> Graph:
    edit = Edit(graph)
    for path in site:
        front, back = (ports(graph, path)[port].other(path).element for port in ("a", "b"))
        for junction, kind in ((front, Zero), (back, One)):
            edit.elements[junction] = kind(graph.elements[junction].name, size=1)
        turned = edit.free(f"{path}_inverse")
        edit.move(path, turned)
        for bond in edit.bonds_of(turned):
            edit.lead(bond, turned, End(turned, {"a": "b", "b": "a"}[bond.end(turned).port]))
        for old, new in (("a", "b"), ("b", "a")):
            edit.rename(f"{path}.{old}", f"{turned}.{new}")
    return edit.graph()


BLOCK = Rewrite(
    "invert blocks", "a rotation of scalar transformers is read from its other side", _find, _invert, False, wished=True
)
