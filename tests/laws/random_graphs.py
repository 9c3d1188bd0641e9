"""Random passive graphs: junctions of many sizes, couplers, sums and one-ports between them, now and then a mesh.

A graph is first a `Plan`, plain data, from which both the model and the independent solution (`descriptor`) are made.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import multibond as mb

JUNCTIONS = ("One", "Zero")
SENSORS = ("De", "Df", "Dq", "Dp")


@dataclass(frozen=True)
class Spec:
    """An element in plain data: value is a number, a diagonal or a matrix; `waves` lets a source follow sin t.

    one_way: a matrix transformer that is declared to pass flow from a to b only.
    """

    kind: str
    name: str
    size: int
    value: Any = 0.0
    parts: tuple[int, ...] = ()
    waves: bool = False
    one_way: bool = False

    def matrix(self) -> np.ndarray:
        """The value as a matrix."""
        value = np.asarray(self.value, float)
        return value * np.eye(self.size) if value.ndim == 0 else np.diag(value) if value.ndim == 1 else value

    @property
    def form(self) -> str:
        """Number, diagonal or full."""
        return ("number", "diagonal", "full")[np.ndim(self.value)]


@dataclass(frozen=True)
class Wire:
    """A bond in plain data, its half-arrow from tail to head; junctions and one-ports have the port ""."""

    tail: str
    tail_port: str
    head: str
    head_port: str
    size: int


@dataclass
class Plan:
    """Elements and bonds of a graph."""

    specs: list[Spec] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)

    def count(self, *kinds: str) -> int:
        """Number of elements of given kinds."""
        return sum(s.kind in kinds for s in self.specs)

    @property
    def share(self) -> float:
        """The share of couplers and fields."""
        return self.rich / len(self.specs)

    @property
    def rich(self) -> int:
        """Couplers and fields: what the share is counted of."""
        return sum(s.kind in ("TF", "GY") or (s.kind in "RCI" and s.form == "full") for s in self.specs)


def element(spec: Spec, start: Any = None) -> Any:
    """The element of a plan; start: what a storage holds."""
    name, size, value = spec.name, spec.size, spec.value
    if start is not None:
        return getattr(mb, spec.kind)(name, value, start=start, size=size)
    if spec.kind == "Sum":
        return mb.DirectSum(name, *spec.parts)
    if spec.kind == "Pw":
        return mb.PowerSensor(name, size=size)
    if spec.kind in ("Se", "Sf") and spec.waves:
        value = [float(v) * mb.sin(mb.t) for v in np.broadcast_to(value, size)]
        value = value if size > 1 else value[0]
    kind = getattr(mb, spec.kind)
    if spec.kind in (*JUNCTIONS, *SENSORS):
        return kind(name, size=size)
    if spec.kind in ("TF", "GY") and np.ndim(value) == 2:
        return kind(name, value, "none") if spec.one_way else kind(name, value)
    return kind(name, value, size=size)


def model_of(plan: Plan, name: str = "random", start: dict[str, Any] | None = None) -> mb.Model:
    """The plan as a model; start: what its storages hold."""
    model = mb.Model(name)
    for spec in plan.specs:
        model.add(element(spec, (start or {}).get(spec.name)))
    for w in plan.wires:
        ends = (f"{n}.{p}" if p else n for n, p in ((w.tail, w.tail_port), (w.head, w.head_port)))
        model.bond(*ends, size=w.size)
    return model


def one_way(plan: Plan) -> Plan:
    """The same graph, its matrix transformers declared to pass flow one way only."""
    turned = [replace(s, one_way=s.kind == "TF" and s.form == "full" and np.size(s.value) > 1) for s in plan.specs]
    return Plan(turned, plan.wires)


class Grower:
    """Grows a plan element by element."""

    def __init__(self, rng: np.random.Generator, *, sensed: bool) -> None:
        self.rng, self.sensed = rng, sensed
        self.plan = Plan()
        self.junctions: list[Spec] = []

    def chance(self, p: float) -> bool:
        """True in a fraction p of all cases."""
        return bool(self.rng.random() < p)

    def add(self, kind: str, size: int, **about: Any) -> Spec:
        """Another element."""
        spec = Spec(kind, f"{kind.lower()}{len(self.plan.specs)}", size, **about)
        self.plan.specs.append(spec)
        return spec

    def junction(self, size: int) -> Spec:
        """Another junction."""
        self.junctions.append(self.add(JUNCTIONS[int(self.chance(0.5))], size))
        return self.junctions[-1]

    def bond(self, a: Spec, b: Spec, a_port: str = "", b_port: str = "", *, turn: bool = True) -> None:
        """A bond between two ports, its arrow either way."""
        size = a.size if a.kind in JUNCTIONS else b.size
        one, other = (a.name, a_port), (b.name, b_port)
        if turn and self.chance(0.5):
            one, other = other, one
        self.plan.wires.append(Wire(*one, *other, size))

    # -- between junctions -----------------------------------------------------------------------------------------

    def join(self, a: Spec, b: Spec, *, coupled: bool = False) -> None:
        """Join two junctions: by a coupler, or where the sizes agree by a bond."""
        a, b = (a, b) if self.chance(0.5) else (b, a)
        kind = self.rng.random()
        if a.size == b.size and kind < 0.25 and not coupled:
            self._plain(a, b)
        elif kind < 0.7:
            self._coupler("TF", a, b)
        else:
            self._coupler("GY", a, b)

    def _plain(self, a: Spec, b: Spec) -> None:
        """A bond; between junctions of one kind a sensor shows what it carries."""
        if a.kind == b.kind and self.sensed:
            sensor = self.add("Pw", a.size)
            self.bond(a, sensor, "", "a")
            self.bond(sensor, b, "b", "")
        else:
            self.bond(a, b)

    def _coupler(self, kind: str, a: Spec, b: Spec) -> None:
        modulus = self._modulus(b.size, a.size) if kind == "TF" else self._modulus(a.size, b.size)
        coupler = self.add(kind, max(a.size, b.size), value=modulus)
        self.bond(a, coupler, "", "a")
        self.bond(coupler, b, "b", "")

    def _modulus(self, rows: int, columns: int) -> Any:
        """A number (also one exactly), a diagonal or a full matrix."""
        form = self.rng.random()
        if rows == columns and form < 0.25:
            return 1.0 if self.chance(0.3) else float(self.rng.uniform(0.5, 2))
        if rows == columns > 1 and form < 0.55:
            return self.rng.uniform(0.5, 2, rows) * self.rng.choice((-1, 1), rows)
        u, v = (np.linalg.qr(self.rng.standard_normal((n, n)))[0] for n in (rows, columns))
        least = min(rows, columns)
        return u[:, :least] * self.rng.uniform(0.5, 2, least) @ v[:, :least].T

    def branch(self, *, may_split: bool, coupled: bool) -> None:
        """A new junction on an old one, of the same size or another."""
        old = self.junctions[int(self.rng.integers(len(self.junctions)))]
        if may_split and old.size > 1 and self.chance(0.15):
            self._split(old)
            return
        size = old.size if self.chance(0.6) else self.size()
        new = self.junction(size)
        self.join(old, new, coupled=coupled)
        self.one_port(new)

    def _split(self, old: Spec) -> None:
        first = int(self.rng.integers(1, old.size))
        sum_ = self.add("Sum", old.size, parts=(first, old.size - first))
        self.bond(old, sum_, "", "whole")
        for k, size in enumerate(sum_.parts):
            part = self.junction(size)
            self.bond(part, sum_, "", f"part_{k + 1}")
            self.one_port(part)

    def mesh(self) -> None:
        """Join two old junctions once more."""
        a, b = (self.junctions[int(k)] for k in self.rng.integers(len(self.junctions), size=2))
        if a is not b:
            self.join(a, b)

    def size(self) -> int:
        """One to six components, few more often than many."""
        return int(self.rng.choice(6, p=(0.38, 0.25, 0.16, 0.08, 0.06, 0.07))) + 1

    # -- on junctions ----------------------------------------------------------------------------------------------

    def one_port(self, junction: Spec) -> None:
        """A storage, a resistance, or seldom a source."""
        kind = str(self.rng.choice(("R", "C", "I", "Se", "Sf"), p=(0.32, 0.31, 0.31, 0.03, 0.03)))
        size = junction.size
        if kind in ("Se", "Sf"):
            port = self.add(kind, size, value=self.rng.standard_normal(size), waves=self.chance(0.3))
        else:
            port = self.add(kind, size, value=self._field(size))
        self.bond(junction, port)

    def enrich(self) -> None:
        """One more field: a one-port of several components gets a full matrix; or else one more coupler before one."""
        ports = [s for s in self.plan.specs if s.kind in ("R", "C", "I", "Se", "Sf")]
        plain = [s for s in ports if s.kind in "RCI" and s.size > 1 and s.form != "full"]
        if plain:
            old = plain[int(self.rng.integers(len(plain)))]
            self.plan.specs[self.plan.specs.index(old)] = replace(old, value=self._full(old.size))
            return
        port = ports[int(self.rng.integers(len(ports)))]
        wires = self.plan.wires
        place = next(k for k, w in enumerate(wires) if port.name in (w.tail, w.head))
        old_wire = wires.pop(place)
        first = old_wire.head if old_wire.tail == port.name else old_wire.tail
        behind = (old_wire.head_port if first == old_wire.head else old_wire.tail_port,)
        kind = "TF" if self.chance(0.6) else "GY"
        coupler = self.add(kind, port.size, value=self._modulus(port.size, port.size))
        wires.append(Wire(first, *behind, coupler.name, "a", port.size))
        wires.append(Wire(coupler.name, "b", port.name, "", port.size))

    def _field(self, size: int) -> Any:
        """A number, a diagonal or a full symmetric positive matrix."""
        form = self.rng.random() if size > 1 else 0.0
        if form < 0.2:
            return float(self.rng.uniform(0.5, 2))
        if form < 0.4:
            return self.rng.uniform(0.5, 2, size)
        return self._full(size)

    def _full(self, size: int) -> np.ndarray:
        """A full symmetric positive matrix."""
        turn = np.linalg.qr(self.rng.standard_normal((size, size)))[0]
        field_ = turn * self.rng.uniform(0.5, 2, size) @ turn.T
        return 0.5 * (field_ + field_.T)


RICH = 0.3
"""The least share of couplers and fields in every graph."""

BRANCH, SPLIT = 3, 5
"""Elements that a branch adds at most (coupler, junction, one-port), and a split (sum, two junctions, two ports)."""


def random_plan(seed: int, *, sensed: bool = False, least: int = 5, most: int = 60) -> Plan:
    """A graph of 5 to 60 elements, at least three tenths of them TF, GY and fields.

    Sources are few, so that most graphs are free of contradictions.
    """
    rng = np.random.default_rng(seed)
    count = round(float(np.exp(rng.uniform(np.log(least), np.log(0.97 * most)))))
    grower = Grower(rng, sensed=sensed)
    grower.one_port(grower.junction(grower.size()))
    while (missing := count - len(grower.plan.specs)) > 0:
        step, poor = rng.random(), grower.plan.share < RICH
        if missing >= BRANCH and (poor or step < 0.5 or len(grower.junctions) < 2):
            grower.branch(may_split=missing >= SPLIT and not poor, coupled=poor)
        elif step < 0.93 or len(grower.junctions) < 2:
            grower.one_port(grower.junctions[int(rng.integers(len(grower.junctions)))])
        else:
            grower.mesh()
    while grower.plan.share < RICH:
        grower.enrich()
    assert least <= len(grower.plan.specs) <= most, (count, len(grower.plan.specs))
    return grower.plan


def random_graph(seed: int) -> mb.Model:
    """The model of a random plan."""
    return model_of(random_plan(seed), f"graph{seed}")
