"""The symbols of a state space: states, fields, junction structure, sources, as expressions of state and time.

x = (X, q): energy variables X of the storages, and displacements q on which moduli and sources depend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from multibond.elements import EulerGyrator
from multibond.errors import Finding, StructureError, raise_findings
from multibond.expr import SX, column, matrix, nonzeros
from multibond.graph.graph import Graph
from multibond.rotation import skew
from multibond.statespace.choice import Port, choose
from multibond.statespace.circle import Variable
from multibond.statespace.fields import EFFORT, FLOW, Member, divided, sort_elements
from multibond.statespace.junction import follow, port_space, relations
from multibond.statespace.laws import Speech, listen
from multibond.statespace.release import Released
from multibond.statespace.settle import resolved, unknown_reading


@dataclass(frozen=True)
class Displacement:
    """A state beside the storages: coordinates of a joint, a sensor's or a block's state."""

    path: str
    name: str
    symbol: SX
    rate: SX


@dataclass(frozen=True)
class Ground:
    """What is known before causality: laws, members of the fields, states."""

    released: Released
    speech: Speech
    members: tuple[Member, ...]
    displacements: tuple[Displacement, ...]
    p: SX
    p_values: np.ndarray

    @property
    def X(self) -> SX:
        """Energy variables."""
        return column([s for m in self.of("i") for s in m.law.states.values()])

    @property
    def q(self) -> SX:
        """Displacements."""
        return column([d.symbol for d in self.displacements])

    @property
    def arguments(self) -> list[SX]:
        """What everything depends on: t, X, q, p."""
        return [self.speech.time, self.X, self.q, self.p]

    def somewhere(self, at: list) -> tuple[list[SX], list]:
        """The arguments and the readings, and a point with arbitrary numbers for these."""
        numbers = np.random.default_rng(4).uniform(0.5, 1.5, self.readings.numel())
        return [*self.arguments, self.readings], [*at, numbers]

    def of(self, field: str) -> list[Member]:
        """The members of a field."""
        return [m for m in self.members if m.field == field]

    @property
    def readings(self) -> SX:
        """The symbols of what readers read."""
        return column([m.law.f if m.gives[0] == EFFORT else m.law.e for m in self.of("read")])


@dataclass(frozen=True)
class Structure:
    """Fields and junction structure. ports: in the order of J's rows, readers last; J has a column for all but these.

    J: inputs = J outputs. F: Z = F X. R: D_out = R D_in. R_E: E_out = R_E E_in. U1: known sources.
    """

    ground: Ground
    ports: tuple[Port, ...]
    gives: tuple[str, ...]
    J: SX
    F: SX
    R: SX
    R_E: SX
    U1: SX
    rates: SX

    def index(self, field: str) -> np.ndarray:
        """The rows of a field in J."""
        return np.array([k for k, (m, _) in enumerate(self.ports) if m.field == field], int)


def lay_ground(released: Released) -> Ground:
    """Let all elements speak, sort them into fields, gather the states."""
    speech = listen(released.graph, released.tree)
    members, findings = sort_elements(speech, released)
    raise_findings(StructureError, findings)
    storages = {m.path for m in members if m.field == "i"}
    displacements = tuple(
        Displacement(path, name, law.states[name], speech.put(rate))
        for path, law in speech.laws.items()
        if path not in storages
        for name, rate in law.writer.rates.items()
    )
    return Ground(released, speech, tuple(members), displacements, *_parameters(released.graph))


def _parameters(graph: Graph) -> tuple[SX, np.ndarray]:
    symbols, values = [], list[float]()
    for path in sorted(graph.parameters):
        symbol, value = graph.parameters[path]
        symbols += [nonzeros(SX(symbol))] if symbol.nnz() else []
        values += [float(value[r, c]) for r, c in zip(*symbol.sparsity().get_triplet(), strict=True)]
    return column(symbols), np.array(values)


def arrange(ground: Ground, points: list[list]) -> Structure:
    """Choose causality, follow the junction structure, write the fields. points: (t, X, q, p) to look at."""
    graph, speech = ground.released.graph, ground.speech
    ports = [(m, k) for field in ("i", "L", "u1", "u2", "E", "read") for m in ground.of(field)
             for k in range(len(m.law.lanes))]  # fmt: skip
    names = [_variables(port) for port in ports]
    stated = relations(graph, ground.released.tree, speech)
    place = ground.somewhere(points[-1])
    space = port_space(stated, names, *place)
    signs = np.array([[1.0, m.law.lanes[k].sign] for m, k in ports]).reshape(-1)
    gives, findings = choose(ports, signs[:, None] * space)
    raise_findings(StructureError, findings)
    inner = sum(m.field != "read" for m, _ in ports)
    outputs = {
        names[k][gives[k] == FLOW]: (k if k < inner else -1, ports[k][0].law.lanes[ports[k][1]].sign ** (what == FLOW))
        for k, what in enumerate(gives)
    }
    forms = follow(stated, outputs, *place)
    J = SX(len(ports), inner)
    for k, (m, lane) in enumerate(ports):
        sign = m.law.lanes[lane].sign if gives[k] == EFFORT else 1
        for column_of, value in forms.get(names[k][gives[k] == EFFORT], {}).items():
            J[k, column_of] = sign * value
    return _fields(ground, ports, gives, J)


def _variables(port: Port) -> tuple[Variable, Variable]:
    lane = port[0].law.lanes[port[1]]
    return ("e", lane.bond.name, lane.component), ("f", lane.bond.name, lane.component)


def _fields(ground: Ground, ports: list[Port], gives: list[str], J: SX) -> Structure:
    at = {(m.path, k): number for number, (m, k) in enumerate(ports)}
    F = ca.diagcat(*[m.matrix for m in ground.of("i")]) if ground.of("i") else SX(0, 0)
    blocks = [_resistance(m, [gives[at[m.path, k]] for k in range(len(m.law.lanes))]) for m in ground.of("L")]
    R = ca.diagcat(*blocks) if blocks else SX(0, 0)
    U1 = column([ground.speech.put(m.value) for m in ground.of("u1")])
    rates = column([d.rate for d in ground.displacements])
    first = settled(Structure(ground, tuple(ports), tuple(gives), J, F, R, SX(0, 0), U1, rates))
    return replace(first, R_E=_euler(first))


def settled(made: Structure) -> Structure:
    """Moduli and sources that follow what a sensor reads, with that followed to momenta and sources."""
    parts = [made.J, made.R, made.U1]
    i, u1, reads = (made.index(name).tolist() for name in ("i", "u1", "read"))
    others = [k for k in range(made.J.shape[1]) if k not in i and k not in u1]
    value = made.J[reads, i] @ made.F @ made.ground.X + made.J[reads, u1] @ made.U1
    names = [made.ports[k][0].path for k in reads]
    J, R, U1 = resolved(parts, made.ground.readings, value, made.J[reads, others], names)
    _require_known(made, J, R, U1)
    return replace(made, J=J, R=R, U1=U1)


def _require_known(made: Structure, *parts: SX) -> None:
    """Nothing else may be left: a signal of a power sensor, an effort within a field."""
    known = {s.element_hash() for part in made.ground.arguments for s in ca.symvar(part)}
    strange = sorted({s.name() for part in parts for s in ca.symvar(part) if s.element_hash() not in known})
    if strange:
        raise StructureError(unknown_reading(strange[0].split(":")[-1].rpartition("_")[0] or strange[0]))


def _resistance(member: Member, gives: list[str]) -> SX:
    """D_out = R D_in from M_e e + M_f f = 0, with outputs as the causality wants them."""
    n = len(gives)
    both = [ca.horzsplit(part) for part in ca.horzsplit(member.matrix, n)]
    out = ca.horzcat(*[both[what == FLOW][k] for k, what in enumerate(gives)])
    into = ca.horzcat(*[both[what == EFFORT][k] for k, what in enumerate(gives)])
    return -divided(out, into)


def _euler(made: Structure) -> SX:
    """R_E = -(J ω)×, with ω as the states and sources give it."""
    ground, blocks, start = made.ground, list[SX](), made.index("E")
    i, u1 = made.index("i").tolist(), made.index("u1").tolist()
    for number, member in enumerate(ground.of("E")):
        rows = start[3 * number : 3 * number + 3].tolist()
        beside = [k for k in range(made.J.shape[1]) if k not in i and k not in u1]
        if not made.J[rows, beside].is_zero():
            raise StructureError(_unsettled(member.path))
        w = made.J[rows, i] @ made.F @ ground.X + made.J[rows, u1] @ made.U1
        item = member.law.item
        assert isinstance(item, EulerGyrator)
        blocks.append(-skew(matrix(item.inertia, 3) @ w))
    return ca.diagcat(*blocks) if blocks else SX(0, 0)


def _unsettled(path: str) -> Finding:
    return Finding(
        f"the flow of the Euler gyrator {path!r} depends on a resistance or a constraint effort.",
        "Condition: R_E known, which needs the angular velocity from momenta and sources alone.",
        "Give that body a rotational inertia.",
        (path,),
    )
