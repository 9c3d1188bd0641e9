"""How fast the positions move on which matrices depend, in terms of the velocities: for derivatives of T_i and M_b."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from multibond.elements import EulerGyrator, I
from multibond.elements.law import LawWriter
from multibond.expr import SX, column
from multibond.graph.graph import Graph
from multibond.graph.port import SignalPort
from multibond.rewrite.kinematics import Kinematics


@dataclass(frozen=True)
class Rates:
    """Positions, and their rates for given generalised velocities q̇; q̇ = M q̇_i."""

    positions: SX
    speeds: SX
    generalised: SX
    independent: SX
    M: SX

    @property
    def symbols(self) -> dict[str, SX]:
        """The velocities by name."""
        return {"velocities": self.generalised, "independent": self.independent}

    def velocities(self, level: int) -> SX:
        """q̇ at level 1, q̇_i at level 2."""
        return self.generalised if level == 1 else self.independent

    def of(self, value: SX, level: int) -> SX:
        """The time derivative of a matrix of positions, for the velocities of a level."""
        if not self.positions.numel():
            return SX(*value.shape)
        speeds = self.speeds if level == 1 else ca.substitute(self.speeds, self.generalised, self.M @ self.independent)
        return ca.reshape(ca.jtimes(ca.densify(ca.vec(value)), self.positions, speeds), *value.shape)


def rates_of(work: Kinematics, M: SX, names: tuple[str, ...]) -> Rates:
    """Rates of all positions on which the signals of a graph depend. names: of the independent velocities."""
    generalised, independent = _velocities(work.names), _velocities(names)
    positions, speeds = [], []
    for name, symbol in list(work.signals.symbols.items()):
        path, _, state = name.rpartition(".")
        if path in work.graph.elements and state in _states(work.graph, path):
            positions.append(symbol)
            speeds.append(_rate(work, path, state, symbol, generalised))
    return Rates(column(positions), ca.densify(column(speeds)), generalised, independent, M)


def _velocities(names: tuple[str, ...]) -> SX:
    """A symbol for each velocity, called as the rate of its joint's coordinate."""
    lanes = [name.rstrip("]").partition("[") for name in names]
    return column([SX.sym(f"{path}.q'" + (f"_{lane}" if lane else "")) for path, _, lane in lanes])


def _states(graph: Graph, path: str) -> dict[str, int]:
    bonds = graph.bonds_of(path)
    sizes = {"port": sum(b.size for b in bonds), **{b.end(path).port: b.size for b in bonds}}
    return graph.elements[path].states(sizes) if bonds else {}


def _rate(work: Kinematics, path: str, state: str, symbol: SX, velocities: SX) -> SX:
    """The rate of a state, from the law of the element that has it; a joint at a cut has none."""
    item, bonds = work.graph.elements[path], work.graph.bonds_of(path)
    states = {name: symbol if name == state else SX.sym(name, n) for name, n in _states(work.graph, path).items()}
    flows = {b.end(path).port: work.inward(path, b.end(path).port) @ velocities for b in bonds}
    read = {p.name: SX(p.size, 1) for p in item.ports() if isinstance(p, SignalPort) and p.direction != "out"}
    efforts = {port: SX(flow.numel(), 1) for port, flow in flows.items()}
    role = work.signals.tree.role.get(path, "")
    law = LawWriter(efforts, flows, read, states, dict.fromkeys(flows, True), role=role)
    item.law(law)
    return law.rates.get(state, SX(symbol.numel(), 1))


def turning(graph: Graph) -> frozenset[str]:
    """Inertias that share their 1-junction with an Euler gyrator."""
    places = {graph.bonds_of(path)[0].other(path).element for path, _ in graph.of_type(EulerGyrator)}
    beside = [path for path, _ in graph.of_type(I) if graph.bonds_of(path)[0].other(path).element in places]
    return frozenset(beside)
