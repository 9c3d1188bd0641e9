"""What the elements of a graph say, all counted for power into the element: efforts, flows, states, signals.

Signals are followed to what they depend on: states, time, parameters, and efforts or flows that a sensor reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from multibond.elements import C, FreeMotion
from multibond.elements.law import LawWriter
from multibond.equations.writing import signal_ports, sizes_at
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column, section
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Junction, Wires
from multibond.graph.port import PowerPort
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree


@dataclass(frozen=True)
class Lane:
    """One component of a bond at an element; sign: +1 where the half-arrow points into the element."""

    bond: Bond
    component: int
    sign: int


@dataclass(frozen=True)
class Law:
    """An element's law on symbols of its own: e and f have one entry a lane, f counts power into the element."""

    path: str
    item: Element
    lanes: tuple[Lane, ...]
    e: SX
    f: SX
    states: dict[str, SX]
    writer: LawWriter

    def lane_name(self, k: int) -> str:
        """A name for one component."""
        return self.path if len(self.lanes) == 1 else f"{self.path}[{k}]"


@dataclass
class Speech:
    """The laws of all elements that are no junctions, and the signals as expressions of what they depend on."""

    time: SX
    laws: dict[str, Law] = field(default_factory=dict)
    symbols: dict[str, SX] = field(default_factory=dict)
    values: dict[str, SX] = field(default_factory=dict)
    parameters: frozenset[int] = frozenset()

    def is_constant(self, expression: SX) -> bool:
        """Whether an expression depends on parameters alone."""
        return all(symbol.element_hash() in self.parameters for symbol in ca.symvar(expression))

    def put(self, expression: SX) -> SX:
        """An expression with every signal followed to what it depends on."""
        names = list(self.values)
        old, new = column([self.symbols[n] for n in names]), column([self.values[n] for n in names])
        return ca.substitute(expression, old, new) if names else expression


def listen(graph: Graph, tree: Tree) -> Speech:
    """Let every element state its law."""
    symbols = {s.name: SX.sym(f"s:{s.name}", s.size) for s in graph.signals}
    known = frozenset(s.element_hash() for value, _ in graph.parameters.values() for s in ca.symvar(SX(value)))
    speech = Speech(SX.sym("t"), symbols=symbols, parameters=known)
    givers, definitions = signal_givers(graph, tree), dict[str, SX]()
    for path, item in sorted(graph.elements.items()):
        if isinstance(item, Junction | Wires):
            continue
        law = write(graph, tree, speech, path)
        speech.laws[path] = law
        for port, value in law.writer.outputs.items():
            hit = graph.signal_at(path, port)
            if hit is not None and givers.get(hit[0].name) is not None and givers[hit[0].name].element == path:
                definitions[hit[0].name] = value
    speech.values = _resolved(definitions, speech.symbols)
    return speech


def write(graph: Graph, tree: Tree, speech: Speech, path: str, *, forward: bool = True) -> Law:
    """One element's law; `forward` tells couplers that the flow enters at their port a."""
    item, bonds = graph.elements[path], _ordered(graph, path)
    lanes = tuple(Lane(b, k, 1 if b.into(path) else -1) for b in bonds for k in range(b.size))
    e, f = SX.sym(f"e:{path}", len(lanes)), SX.sym(f"f:{path}", len(lanes))
    sizes = sizes_at(path, bonds)
    states = {name: SX.sym(f"{path}.{name}", size) for name, size in item.states(sizes).items()}
    inward = {p.name: p.inward for p in item.ports() if isinstance(p, PowerPort)}
    efforts, flows, start = {}, {}, 0
    for bond in bonds:
        port = bond.end(path).port
        efforts[port] = section(e, start, start + bond.size)
        flows[port] = section(f, start, start + bond.size) * (1 if inward[port] else -1)
        start += bond.size
    role = tree.role.get(path, "cut" if isinstance(item, FreeMotion) else "")
    given = {b.end(path).port: (b.end(path).port == "a") == forward for b in bonds}
    writer = LawWriter(efforts, flows, _signals(graph, speech, path, item), states, given, speech.time, role)
    item.law(writer)
    return Law(path, item, lanes, e, f, states, writer)


def _ordered(graph: Graph, path: str) -> list[Bond]:
    def lane(bond: Bond) -> tuple[str, int]:
        base, _, number = bond.end(path).port.rpartition("_")
        return (base, int(number)) if number.isdigit() else (bond.end(path).port, 0)

    return sorted(graph.bonds_of(path), key=lane)


def _signals(graph: Graph, speech: Speech, path: str, item: Element) -> dict[str, SX]:
    """The signals at an element's ports; a compliance keeps a state of its own, whatever follows its displacement."""
    found: dict[str, SX] = {}
    for port in signal_ports(item):
        hit = graph.signal_at(path, port.name)
        if hit is not None and not (isinstance(item, C) and port.name == "displacement"):
            value = speech.symbols[hit[0].name]
            found[port.name] = value if hit[1].select is None else value[list(hit[1].select)]
    return found


def _resolved(definitions: dict[str, SX], symbols: dict[str, SX]) -> dict[str, SX]:
    owner = {s.element_hash(): name for name in definitions for s in ca.vertsplit(symbols[name])}
    needs = {n: {owner[s.element_hash()] for s in ca.symvar(v) if s.element_hash() in owner}
             for n, v in definitions.items()}  # fmt: skip
    values: dict[str, SX] = {}
    while len(values) < len(definitions):
        ready = [n for n in definitions if n not in values and needs[n] <= values.keys()]
        if not ready:
            raise StructureError(_signal_loop(sorted(n for n in definitions if n not in values)))
        for name in ready:
            deps = sorted(needs[name])
            old, new = column([symbols[d] for d in deps]), column([values[d] for d in deps])
            value = ca.densify(definitions[name])
            values[name] = ca.substitute(value, old, new) if deps else value
    return values


def _signal_loop(names: list[str]) -> Finding:
    return Finding(
        "signals depend on one another in a circle.",
        f"{', '.join(repr(n) for n in names[:4])} cannot be computed one after the other.",
        "Put a block with a state (an integrator, a lag) into the circle.",
        tuple(names),
    )
