"""Vector bonds into scalar bonds (Boudon et al., procedure of Fig. 11): the same graph, one component at a time.

A vector element becomes one scalar element a component where its law couples none; a field stays one element with
scalar ports. A matrix transformer has two forms, chosen by its causality (Fig. 11): flow-in-flow-out with 1-junctions
at the input a and 0-junctions at the output b, and effort-in-effort-out with 0-junctions at the input, 1-junctions at
the output and the transposed moduli, which for a rotation are those of the inverse. Between them stands a scalar
transformer for each entry; a diagonal one falls apart. The Euler gyrator becomes a ring of three modulated gyrators
with the angular momentum as moduli. Causality is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multibond.elements import GY, MGY, MTF, TF, Df, EulerGyrator, FreeMotion, LinearMap, One, Zero
from multibond.elements.sensors import Sensor
from multibond.errors import Finding, WiringError
from multibond.expr import SX, constant, matrix
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph, Reader, Signal
from multibond.graph.junctions import Junction, PowerSensor, Wires
from multibond.graph.port import SignalPort
from multibond.rewrite.components import component, separable
from multibond.rewrite.junctions import CANCEL, MERGE, THROUGH
from multibond.rewrite.rule import everywhere
from multibond.rewrite.trivial import TRIVIAL
from multibond.rewrite.unfold_mixed import entries, inverted
from multibond.structure.causality import Causality


@dataclass
class _Draft:
    """The scalar graph under construction; `lane` says where component k of an old port now ends."""

    old: Graph
    causality: Causality
    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[Bond] = field(default_factory=list)
    lane: dict[tuple[str, str, int], End] = field(default_factory=dict)
    readers: dict[str, list[Reader]] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)

    def add(self, path: str, item: Element) -> str:
        self.elements[path] = item
        return path

    def bond(self, tail: End, head: End, like: Bond) -> None:
        name = f"{tail}->{head}"
        self.bonds.append(Bond(name, tail, head, 1, like.domain))

    def through(self, one: End, inner: End, like: Bond, path: str) -> None:
        """Lead a bond of an old element on, through a 1-junction: the half-arrow keeps its direction."""
        self.bond(*((one, inner) if like.into(path) else (inner, one)), like)

    def read(self, signal: tuple[Signal, Reader] | None, element: str, port: str, k: int | None) -> None:
        """Let a new element read what an old one read, component k of it."""
        if signal is None:
            return
        old, reader = signal
        select = reader.select
        if k is not None and old.size > 1:
            select = (select[k],) if select else (k,)
        self.readers.setdefault(old.name, []).append(Reader(element, port, select))


def unfold(graph: Graph, causality: Causality, *, simple: bool = False) -> Graph:
    """The graph with every vector bond unfolded.

    simple: transformers that do nothing and junctions that only lead through go, those that meet are merged, as one
    would draw it by hand.
    """
    plain = _unfolded(graph, causality)
    for rule in (TRIVIAL, MERGE, THROUGH, CANCEL) if simple else ():
        plain = everywhere(rule, plain).after
    return plain


def _unfolded(graph: Graph, causality: Causality) -> Graph:
    draft = _Draft(graph, causality)
    for path, item in graph.elements.items():
        _unfold_element(draft, path, item)
    for bond in graph.bonds:
        for k in range(bond.size):
            tail = (
                draft.lane[bond.tail.element, bond.tail.port, k]
                if bond.tail.port != "any"
                else _junction_end(bond.tail, k, bond.size)
            )
            head = (
                draft.lane[bond.head.element, bond.head.port, k]
                if bond.head.port != "any"
                else _junction_end(bond.head, k, bond.size)
            )
            draft.bond(tail, head, bond)
    signals = [_signal(draft, s) for s in graph.signals]
    aliases = {alias: target for alias, target in graph.aliases.items() if target.rsplit(".", 1)[0] in draft.elements}
    return Graph(
        dict(sorted(draft.elements.items())),
        tuple(_unique(draft.bonds)),
        tuple(s for s in (*signals, *draft.signals) if s.ends),
        (),
        graph.parameters,
        aliases,
        _starts(graph, draft),
    )


def _unique(bonds: list[Bond]) -> list[Bond]:
    seen: dict[str, int] = {}
    out = []
    for bond in sorted(bonds, key=lambda b: b.name):
        seen[bond.name] = seen.get(bond.name, 0) + 1
        out.append(bond if seen[bond.name] == 1 else replace(bond, name=f"{bond.name}#{seen[bond.name]}"))
    return out


def _lane_path(path: str, k: int, size: int) -> str:
    return path if size == 1 else f"{path}.{k + 1}"


def _junction_end(end: End, k: int, size: int) -> End:
    return End(_lane_path(end.element, k, size), "any")


def _starts(graph: Graph, draft: _Draft) -> dict[str, dict[str, Any]]:
    """Start values go to the components; those of joints stay whole."""
    starts: dict[str, dict[str, Any]] = {}
    for path, values in graph.starts.items():
        if path in draft.elements:
            starts[path] = values
            continue
        size = graph.bonds_of(path)[0].size
        for k in range(size):
            starts[f"{path}.{k + 1}"] = {n: v if v is None or v.size == 1 else v.ravel()[k] for n, v in values.items()}
    return starts


def _signal(draft: _Draft, old: Signal) -> Signal:
    kept = [e for e in old.ends if e.element in draft.elements and _has_port(draft.elements[e.element], e.port)]
    extra = [
        r for r in draft.readers.get(old.name, []) if (r.element, r.port) not in {(e.element, e.port) for e in kept}
    ]
    return replace(old, ends=(*kept, *extra))


def _has_port(item: Element, port: str) -> bool:
    return any(p.name == port for p in item.ports())


# -- elements --------------------------------------------------------------------------------------------------------


def _unfold_element(draft: _Draft, path: str, item: Element) -> None:
    bonds = draft.old.bonds_of(path)
    if isinstance(item, Junction):
        for k in range(bonds[0].size if bonds else 0):
            draft.add(_lane_path(path, k, bonds[0].size), type(item)(item.name, size=1))
    elif isinstance(item, PowerSensor):
        _keep_whole(draft, path, item, bonds)
    elif isinstance(item, Wires):
        _unfold_wires(draft, path, item)
    elif isinstance(item, TF | MTF):
        _unfold_transformer(draft, path, item)
    elif isinstance(item, GY | MGY):
        _unfold_gyrator(draft, path, item)
    elif isinstance(item, EulerGyrator):
        _unfold_ring(draft, path, item)
    elif not bonds:
        draft.add(path, item)
    elif len(bonds) == 1 and (bonds[0].size == 1 or _falls_apart(draft, path, item, bonds[0])):
        _split_components(draft, path, item, bonds[0])
    else:
        _keep_whole(draft, path, item, bonds)


def _falls_apart(draft: _Draft, path: str, item: Element, bond: Bond) -> bool:
    """Whether a vector element is the same as several scalar ones; joints and sensors stay what they are."""
    read = {port: hit for port in _inlets(item) if (hit := draft.old.signal_at(path, port)) is not None}
    sizes = {port: len(reader.select or range(signal.size)) for port, (signal, reader) in read.items()}
    takes_flow = not draft.causality.gives_flow(bond, path)
    return not isinstance(item, FreeMotion | Sensor) and separable(item, bond.size, sizes, takes_flow)


def _inlets(item: Element) -> list[str]:
    return [p.name for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in"]


def _keep_whole(draft: _Draft, path: str, item: Element, bonds: Sequence[Bond]) -> None:
    """The element stays one, with scalar ports where its bonds were vectors."""
    twin = copy.copy(item)
    vector = max(b.size for b in bonds)
    object.__setattr__(twin, "split", vector > 1)
    if vector > 1 and item.size is None:
        object.__setattr__(twin, "size", vector)
    draft.add(path, twin)
    drawn = {p.name for p in twin.ports()}
    for bond in bonds:
        port = bond.end(path).port
        if bond.size > 1 and port in drawn:
            raise WiringError(_no_lanes(path, item, port))
        for k in range(bond.size):
            draft.lane[path, port, k] = End(path, port if port in drawn else f"{port}_{k + 1}")


def _no_lanes(path: str, item: Element, port: str) -> Finding:
    return Finding(
        f"{type(item).__name__} {path!r} cannot be unfolded.",
        f"Its port {port!r} has several components and is never drawn as scalar ports.",
        "Let the class return self.lanes(...) of its power ports from ports().",
        (path,),
    )


def _split_components(draft: _Draft, path: str, item: Element, bond: Bond) -> None:
    for k in range(bond.size):
        name = _lane_path(path, k, bond.size)
        draft.add(name, component(item, k, bond.size))
        draft.lane[path, bond.end(path).port, k] = End(name, bond.end(path).port)
        for port in _inlets(item) if bond.size > 1 else []:
            draft.read(draft.old.signal_at(path, port), name, port, k)


def _unfold_wires(draft: _Draft, path: str, item: Wires) -> None:
    """A junction of two bonds for each pair of lanes: 1 where the half-arrows go through, 0 where they meet."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    for k, ((x, i), (y, j)) in enumerate(item.wires({name: bond.size for name, bond in at.items()})):
        agree = at[x].into(path) != at[y].into(path)
        name = draft.add(f"{path}.{k + 1}", (One if agree else Zero)(item.name, size=1))
        draft.lane[path, x, i] = draft.lane[path, y, j] = End(name, "any")


def _forward(draft: _Draft, path: str) -> bool:
    inlet = next(b for b in draft.old.bonds_of(path) if b.end(path).port == "a")
    return not draft.causality.gives_flow(inlet, path)


def _unfold_transformer(draft: _Draft, path: str, item: TF | MTF) -> None:
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    columns, rows = at["a"].size, at["b"].size
    if rows == columns == 1:
        draft.add(path, item)
        for port in ("a", "b"):
            draft.lane[path, port, 0] = End(path, port)
    elif isinstance(item, TF) and item.two_way() == "divide":
        _unfold_diagonal(draft, path, item, at)
    elif isinstance(item, TF) and any(inverted(draft.old, draft.causality, path)):
        _unfold_mixed(draft, path, item, {"a": "in", "b": "out"})
    elif item.two_way() == "lever":
        _unfold_lever(draft, path, item, at)
    else:
        _unfold_matrix(draft, path, item, at)


def _unfold_diagonal(draft: _Draft, path: str, item: TF, at: dict[str, Bond]) -> None:
    """A scalar transformer for each component, drawn with its inlet where the flow comes from."""
    modulus = matrix(item.modulus, at["a"].size)
    for k in range(at["a"].size):
        forward = not draft.causality.gives_flow(at["a"], path, k)
        value = SX(modulus[k, k]) if forward else 1 / SX(modulus[k, k])
        name = draft.add(f"{path}.{k + 1}{k + 1}", _scalar_tf(item.name, value, "auto"))
        for port, own in (("a", "a"), ("b", "b")) if forward else (("a", "b"), ("b", "a")):
            draft.lane[path, port, k] = End(name, own)


def _unfold_matrix(draft: _Draft, path: str, item: TF | MTF, at: dict[str, Bond]) -> None:
    """Junctions at input a and output b, and between them a scalar transformer for each entry.

    Each is drawn with its own inlet where the flow comes from: at the input, or in the effort-in form at the output.
    """
    forward = _forward(draft, path)
    into, out = ("a", "b") if forward else ("b", "a")
    entries = _entries(item, at["b"].size, at["a"].size, forward)
    for port, word in (("a", "in"), ("b", "out")):
        kind = One if port == into else Zero
        for k in range(at[port].size):
            draft.lane[path, port, k] = End(draft.add(f"{path}.{word}_{k + 1}", kind(item.name, size=1)), "any")
    for (row, column), value in entries.items():
        name = f"{path}.{row + 1}{column + 1}"
        if isinstance(value, int):
            draft.add(name, MTF(item.name, 1, 1))
            draft.read(draft.old.signal_at(path, "modulus"), name, "modulus", value)
        else:
            draft.add(name, _scalar_tf(item.name, value))
        one, zero = draft.lane[path, into, column], draft.lane[path, out, row]
        draft.through(one, End(name, "a"), at[into], path)
        draft.through(zero, End(name, "b"), at[out], path)


def _unfold_mixed(draft: _Draft, path: str, item: TF | GY, words: dict[str, str]) -> None:
    """A matrix coupler whose components go both ways: solved for what is given, then as above."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    for port, word in words.items():
        for k in range(at[port].size):
            kind = Zero if draft.causality.gives_flow(at[port], path, k) else One
            draft.lane[path, port, k] = End(draft.add(f"{path}.{word}_{k + 1}", kind(item.name, size=1)), "any")
    for kind, (out, i), (into, j), value in entries(draft.old, path, item, inverted(draft.old, draft.causality, path)):
        name = f"{path}.{out}{i + 1}_{into}{j + 1}"
        ports = {(into, j): "a", (out, i): "b"} if kind == "TF" else {(out, i): out, (into, j): into}
        draft.add(name, _scalar_tf(item.name, value) if kind == "TF" else _scalar_gy(item.name, value))
        for (port, k), own in ports.items():
            draft.through(draft.lane[path, port, k], End(name, own), at[port], path)


def _scalar_gy(name: str, value: SX) -> GY:
    twin = GY(name, 1.0)
    object.__setattr__(
        twin, "modulus", value if not value.is_constant() else twin.replace(modulus=float(value)).modulus
    )
    return twin


def _unfold_lever(draft: _Draft, path: str, item: TF | MTF, at: dict[str, Bond]) -> None:
    """A 1-junction for what turns, a 0-junction for each component that it moves, a transformer between them."""
    if not at["a"].into(path) or at["b"].into(path):
        fact = "Its scalar graph is drawn for power in at a and out at b."
        raise WiringError(
            Finding(f"a half-arrow of {path!r} is turned round.", fact, "Bond a to it, and it to b.", (path,))
        )
    last = at["a"].size - 1
    turning = End(draft.add(f"{path}.{last + 1}", One(item.name, size=1)), "any")
    for k in range(last):
        moved = End(draft.add(f"{path}.{k + 1}", Zero(item.name, size=1)), "any")
        draft.lane[path, "a", k] = draft.lane[path, "b", k] = moved
        arm = draft.add(f"{path}.{k + 1}{last + 1}", MTF(item.name, 1, 1))
        draft.read(draft.old.signal_at(path, "modulus"), arm, "modulus", _place(item, k, last))
        draft.bond(turning, End(arm, "a"), at["a"])
        draft.bond(End(arm, "b"), moved, at["b"])
    draft.lane[path, "a", last] = draft.lane[path, "b", last] = turning


def _place(item: TF | MTF, row: int, last: int) -> int:
    """Where the entry of a row in the last column stands in the signal."""
    size = last + 1
    return last * size + row if isinstance(item, MTF) and item.transposed else row * size + last


def _scalar_tf(name: str, value: SX, inverse: str = "none") -> TF:
    number = value if not value.is_constant() else float(value)
    plain = TF(name, 1.0, inverse=inverse)
    object.__setattr__(plain, "modulus", number if isinstance(number, SX) else plain.replace(modulus=number).modulus)
    return plain


def _entries(item: TF | MTF, rows: int, columns: int, forward: bool) -> dict[tuple[int, int], Any]:
    """Moduli by (row of the outlet, column of the inlet): expressions, or positions in the signal."""
    table: dict[tuple[int, int], Any] = {}
    if isinstance(item, MTF):
        for i in range(rows):
            for j in range(columns):
                position = j * rows + i if item.transposed else i * columns + j
                table[(i, j) if forward else (j, i)] = position
        return table
    modulus = item.modulus if isinstance(item.modulus, SX) else constant(item.modulus)
    modulus = matrix(modulus, columns) if modulus.shape[1] == 1 and not item.column else modulus
    for i, j in zip(*modulus.sparsity().get_triplet(), strict=True):
        table[(i, j) if forward else (j, i)] = SX(modulus[i, j])
    return table


def _unfold_gyrator(draft: _Draft, path: str, item: GY | MGY) -> None:
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    rows, columns = at["a"].size, at["b"].size
    if rows == columns == 1:
        draft.add(path, item)
        for port in ("a", "b"):
            draft.lane[path, port, 0] = End(path, port)
        return
    if isinstance(item, GY) and any(inverted(draft.old, draft.causality, path)):
        return _unfold_mixed(draft, path, item, {"a": "a", "b": "b"})
    for port, size in (("a", rows), ("b", columns)):
        for k in range(size):
            draft.lane[path, port, k] = End(draft.add(f"{path}.{port}_{k + 1}", One(item.name, size=1)), "any")
    if isinstance(item, MGY):
        entries: dict[tuple[int, int], Any] = {(i, j): i * columns + j for i in range(rows) for j in range(columns)}
    else:
        modulus = item.modulus if isinstance(item.modulus, SX) else constant(item.modulus)
        modulus = matrix(modulus, rows) if modulus.shape[1] == 1 and not item.column else modulus
        entries = {(i, j): SX(modulus[i, j]) for i, j in zip(*modulus.sparsity().get_triplet(), strict=True)}
    for (i, j), value in entries.items():
        name = f"{path}.{i + 1}{j + 1}"
        if isinstance(value, int):
            draft.add(name, MGY(item.name, 1, 1))
            draft.read(draft.old.signal_at(path, "modulus"), name, "modulus", value)
        else:
            draft.add(name, _scalar_gy(item.name, value))
        draft.through(draft.lane[path, "a", i], End(name, "a"), at["a"], path)
        draft.through(draft.lane[path, "b", j], End(name, "b"), at["b"], path)


def _unfold_ring(draft: _Draft, path: str, item: EulerGyrator) -> None:
    """Ring of three gyrators: between y and z with modulus h_x, z and x with h_y, x and y with h_z; h = J ω."""
    bond = draft.old.bonds_of(path)[0]
    tensor = LinearMap("momentum", (1.0, 1.0, 1.0))
    object.__setattr__(tensor, "matrix", item.inertia)
    momentum = draft.add(f"{path}.momentum", tensor)
    if not bond.into(path):
        raise WiringError(
            Finding(
                f"the half-arrow of {path!r} points away from it.",
                "Its ring of gyrators is drawn for power into the gyroscopic element.",
                f"Bond the junction to {path!r}, not the other way round.",
                (path,),
            )
        )
    for k in range(3):
        junction = draft.add(f"{path}.{k + 1}", One(item.name, size=1))
        draft.lane[path, "port", k] = End(junction, "any")
        sensor = draft.add(f"{path}.w_{k + 1}", Df(f"w_{k + 1}", size=1))
        draft.bond(End(junction, "any"), End(sensor, "port"), bond)
        draft.signals.append(Signal(f"{sensor}.value", 1, (Reader(sensor, "value"), Reader(momentum, f"in_{k + 1}"))))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        gyrator = draft.add(f"{path}.h_{k + 1}", MGY(f"h_{k + 1}", 1, 1))
        draft.bond(draft.lane[path, "port", i], End(gyrator, "a"), bond)
        draft.bond(End(gyrator, "b"), draft.lane[path, "port", j], bond)
        draft.signals.append(
            Signal(f"{momentum}.out_{k + 1}", 1, (Reader(momentum, f"out_{k + 1}"), Reader(gyrator, "modulus")))
        )


__all__ = ["unfold"]
