"""Effort and flow of every scalar bond of an unfolded graph, from the vector bonds that it was unfolded from.

Elements that were vectors have their components; junctions their common flow or effort. What is new inside is couplers
with the entries of a matrix between junctions, whose laws carry these over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from multibond.elements import GY, MGY, MTF, TF, EulerGyrator
from multibond.equations.dae import Dae
from multibond.expr import SX, constant, matrix
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Junction, Wires
from multibond.structure.givers import signal_givers
from multibond.view.bond_values import BLIND, Carried, Read, with_balance

Table = dict[str, np.ndarray]
COUPLERS = (TF, MTF, GY, MGY)


@dataclass(frozen=True)
class Unfolding:
    """A run's equations with vector bonds, the values of its bonds, and how to read its variables."""

    dae: Dae
    parameters: np.ndarray
    values: Mapping[str, Carried]
    read: Read

    @property
    def graph(self) -> Graph:
        """The graph with vector bonds."""
        return self.dae.graph

    def lane(self, path: str, port: str) -> tuple[Bond, Carried] | None:
        """The bond whose component ends at a port of the scalar graph, with that component; None inside couplers."""
        for owner, name, k in _sources(self.graph, path, port):
            bond = next((b for b in self.graph.bonds_of(owner) if name in ("any", b.end(owner).port)), None)
            if bond is not None and k < bond.size:
                return bond, self.values[bond.name].component(k)
        return None


def lane_values(unfolding: Unfolding, graph: Graph) -> dict[str, Carried]:
    """Effort and flow of every bond of the unfolded graph, by the bond's name."""
    efforts, flows = _told(unfolding, graph)
    moduli = _moduli(unfolding, graph)
    while _spread(graph, moduli, efforts, flows):
        pass
    efforts, flows = with_balance(graph, efforts, BLIND["e"]), with_balance(graph, flows, BLIND["f"])
    return {b.name: Carried(efforts[b.name], flows[b.name]) for b in graph.bonds}


def _sources(graph: Graph, path: str, port: str) -> list[tuple[str, str, int]]:
    """Element, port and component that an end of the scalar graph may come from."""
    base, _, number = port.rpartition("_")
    if path in graph.elements:
        own = [(path, port, 0)]
        return [*own, (path, base, int(number) - 1)] if number.isdigit() else own
    owner, _, last = path.rpartition(".")
    item = graph.elements.get(owner)
    if item is None:
        return []
    word, _, number = last.rpartition("_")
    if isinstance(item, Wires) and last.isdigit():
        sizes = {b.end(owner).port: b.size for b in graph.bonds_of(owner)}
        return [(owner, *item.wires(sizes)[int(last) - 1][0])]
    if last.isdigit() and (port == "any" or not isinstance(item, COUPLERS)):
        return [(owner, "a" if isinstance(item, COUPLERS) else "any", int(last) - 1)]
    side = {"in": "a", "out": "b", "a": "a", "b": "b"}.get(word)
    return [(owner, side, int(number) - 1)] if port == "any" and side and number.isdigit() else []


def _told(unfolding: Unfolding, graph: Graph) -> tuple[Table, Table]:
    """Efforts and flows that elements and junctions of the vector graph know already."""
    efforts: Table = {}
    flows: Table = {}
    for bond in graph.bonds:
        for end in (bond.tail, bond.head):
            hit, item = unfolding.lane(end.element, end.port), graph.elements[end.element]
            if hit is None:
                continue
            same = isinstance(item, Junction) or hit[0].into(_owner(unfolding, end.element)) == bond.into(end.element)
            if item.causality != BLIND["e"]:
                efforts[bond.name] = hit[1].effort
            if item.causality != BLIND["f"]:
                flows[bond.name] = hit[1].flow if same else -hit[1].flow
    return efforts, flows


def _owner(unfolding: Unfolding, path: str) -> str:
    return path if path in unfolding.graph.elements else path.rpartition(".")[0]


# -- couplers inside ---------------------------------------------------------------------------------------------------


def _moduli(unfolding: Unfolding, graph: Graph) -> Table:
    """The moduli of the couplers that are new in the scalar graph, over time."""
    fresh = [path for path, item in graph.elements.items() if isinstance(item, COUPLERS)]
    fresh = [path for path in fresh if path not in unfolding.graph.elements]
    signals = {path: hit for path in fresh if (hit := graph.signal_at(path, "modulus")) is not None}
    givers = signal_givers(unfolding.graph, unfolding.dae.tree)
    names = {s.name: f"{g.element}.{g.port}" for s, _ in signals.values() if (g := givers.get(s.name)) is not None}
    told = unfolding.read(sorted(set(names.values())))
    found: Table = {}
    for path in fresh:
        if path not in signals:
            found[path] = _number(unfolding, graph.elements[path])
            continue
        signal, end = signals[path]
        value = told[names[signal.name]] if signal.name in names else _momentum(unfolding, signal.name)
        found[path] = value[:, list(end.select or (0,))]
    return found


def _number(unfolding: Unfolding, item: Element) -> np.ndarray:
    modulus = vars(item)["modulus"]
    value = modulus if isinstance(modulus, SX) else constant(modulus)
    return unfolding.dae.number(value, unfolding.parameters)[:1, :1]


def _momentum(unfolding: Unfolding, signal: str) -> np.ndarray:
    """A component of the angular momentum J ω, the modulus in a ring of gyrators; signal: `….momentum.out_2`."""
    path, _, last = signal.removesuffix(".value").rpartition(".momentum.out_")
    item = unfolding.graph.elements[path]
    assert isinstance(item, EulerGyrator)
    tensor = unfolding.dae.number(matrix(item.inertia, 3), unfolding.parameters)
    spin = unfolding.values[unfolding.graph.bonds_of(path)[0].name].flow
    return (spin @ tensor.T)[:, [int(last) - 1]]


def _spread(graph: Graph, moduli: Table, efforts: Table, flows: Table) -> bool:
    """Lead known efforts and flows on over junctions and couplers; tells whether anything was new."""
    before = len(efforts) + len(flows)
    for path, item in graph.elements.items():
        bonds = graph.bonds_of(path)
        if isinstance(item, Junction):
            common = flows if item.causality == "one" else efforts
            known = next((common[b.name] for b in bonds if b.name in common), None)
            if known is not None:
                common |= {b.name: known for b in bonds if b.name not in common}
        elif path in moduli:
            _couple(path, item, bonds, moduli[path], efforts, flows)
    return len(efforts) + len(flows) > before


def _couple(
    path: str, item: Element, bonds: tuple[Bond, ...], modulus: np.ndarray, efforts: Table, flows: Table
) -> None:
    """Transformers: f_b = m f_a, e_a = m e_b. Gyrators: e_a = m f_b, e_b = m f_a. Signs as the half-arrows go."""
    at = {b.end(path).port: b for b in bonds}
    a, b = at["a"].name, at["b"].name
    sign = (1.0 if at["a"].into(path) else -1.0) * (-1.0 if at["b"].into(path) else 1.0)
    if isinstance(item, TF | MTF):
        rules = [(flows, b, flows, a, sign), (efforts, a, efforts, b, 1.0)]
    else:
        into = 1.0 if at["a"].into(path) else -1.0
        rules = [(efforts, a, flows, b, sign * into), (efforts, b, flows, a, into)]
    for new, name, old, other, factor in rules:
        if name not in new and other in old:
            new[name] = factor * modulus * old[other]
