"""A virtual inertia taken apart: what stores, with the power of its changing inertia, and what only turns power.

The gyristor BᵀJḂ is ½ dJ'/dt, symmetric, and a skew part: a true gyrator. Neither loses anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements.carried import ModulatedGyristor, VirtualInertia, VirtualStorage
from multibond.graph.graph import End, Graph
from multibond.rewrite.carry import modulus_at_start
from multibond.rewrite.edit import Edit, number_of, with_values
from multibond.rewrite.moduli import Modulus
from multibond.rewrite.rule import Rewrite


def _find_virtual(graph: Graph) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (path,) for path, item in graph.of_type(VirtualInertia) if type(item) is VirtualInertia and not item.split
    )


def _split(graph: Graph, site: tuple[str, ...]) -> Graph:
    (path,) = site
    edit, item, bond = Edit(graph), graph.elements[path], graph.bonds_of(path)[0]
    assert isinstance(item, VirtualInertia)
    hit, front = graph.signal_at(path, "modulus"), bond.other(path)
    start = _momentum_in_front(graph, path)
    edit.drop(path)
    for kind, word in ((VirtualStorage, "storage"), (ModulatedGyristor, "gyristor")):
        place = edit.free(f"{path}_{word}")
        about = {
            name: getattr(item, name) for name in item.parameters() if name in kind.parameters() and name != "start"
        }
        edit.add(place, with_values(kind(place.rsplit(".", 1)[-1], 1.0), **about))
        edit.bond(front, End(place, "port"), bond) if bond.into(path) else edit.bond(End(place, "port"), front, bond)
        if hit is not None:
            edit.read(hit[0].name, place, "modulus", hit[1].select)
        if word == "storage" and start is not None:
            edit.starts[place] = {"state": start}
    return edit.graph()


def _momentum_in_front(graph: Graph, path: str) -> np.ndarray | None:
    """The start of a virtual inertia's momentum BᵀJB f, where its own is given."""
    item: Any = graph.elements[path]
    given = next((v.values for v in graph.starts.get(path, {}).values()), None)
    if given is None or item.independent:
        return given
    B = Modulus(int(item.rows), int(item.columns), transposed=item.transposed)
    hit = graph.signal_at(path, "modulus")
    if hit is not None:
        number = modulus_at_start(graph, Modulus(B.rows, B.columns, None, hit[0].name, hit[1].select, B.transposed))
    else:
        number = number_of(graph, item.modulus).reshape(B.rows, B.columns)
    return number.T @ np.broadcast_to(np.ravel(np.asarray(given, float)), (B.rows,))


SPLIT = Rewrite("split gyristors", "a virtual inertia becomes a storage and a gyrator", _find_virtual, _split)
