"""Storage: inertia, compliance, and fields that hold both kinds of energy. Laws are written for power into the element.

A storage is linear (a number, a diagonal, a symmetric matrix), or has a law of its own state (`effort` of q, `flow` of
p), or follows from its `energy`. A law of several components must come from an energy: its Jacobian is symmetric.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.elements.passivity import bottomless, law_size, picked
from multibond.errors import Finding
from multibond.expr import SX, matrix, vector
from multibond.formula import Formula
from multibond.graph.component import Component, Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.graph.start import start_vector

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""The energy behind a given law is its work along a straight line, by Gauss' quadrature."""


def one_of(item: Component, names: tuple[str, ...]) -> list[Finding]:
    """Exactly one of several ways to say a law must be used."""
    given = [name for name in names if getattr(item, name) is not None]
    if len(given) == 1:
        return []
    fact = f"{' and '.join(given)} are given at once." if given else "None of them is given."
    kind = f"{type(item).__name__} {item.name!r}"
    return [Finding(f"{kind} needs one of {', '.join(names)}.", fact, "Say the law in one way.", (item.name,))]


def work_of(law: Formula, name: str, state: SX) -> SX:
    """Energy at a state: the work of the law from zero along a straight line, in stretches between its kinks."""
    total = SX(0)
    for begin, end in pairwise([SX(0), *_kinks(law, name, state), SX(1)]):
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            s = begin + 0.5 * (node + 1.0) * (end - begin)
            value = vector(law.evaluate({name: s * state}), state.numel())
            total += 0.5 * weight * (end - begin) * ca.dot(value, state)
    return total


def _kinks(law: Formula, name: str, state: SX) -> list[SX]:
    """Where the line from zero (0) to a state (1) meets kinks of a law, in order; exact where these lie in planes."""
    edges = [edge for edge in law.edges() if edge.kind != "table"]
    tables = [part for part in law.nodes() if part.kind == "table"]
    edges += [a - x for part in tables for a, axis in zip(part.arguments, part.data.axes, strict=True) for x in axis]
    found: list[SX] = []
    for edge in edges:
        first, last = (ca.vec(SX(edge.evaluate({name: s * state}))) for s in (0.0, 1.0))
        found += ca.vertsplit(ca.if_else(first * last < 0, first / (first - last), 0.0))
    for i, j in combinations(range(len(found)), 2):
        found[i], found[j] = ca.fmin(found[i], found[j]), ca.fmax(found[i], found[j])
    return found


def energy_of(law: Formula, **variables: SX) -> SX:
    """The energy that a formula gives; the energies of several components add up."""
    return ca.sum1(ca.vec(SX(law.evaluate(variables))))


def asymmetric(item: Element, law: Any, name: str, size: int) -> list[Finding]:
    """A law of several components that comes from no energy: power could be drawn from it round a cycle."""
    if size < 2 or law.shape not in ((), (size,)):
        return []
    x = SX.sym(name, size)
    slope = ca.Function("slope", [x], [ca.densify(ca.jacobian(SX(law.evaluate({name: x})), x))])
    for point in np.random.default_rng(5).uniform(-1.0, 1.0, (5, size)):
        value = np.asarray(slope(point))
        gap = np.abs(value - value.T)
        if np.isfinite(value).all() and gap.max() > 1e-9 * max(1.0, np.abs(value).max()):
            i, j = np.unravel_index(int(gap.argmax()), gap.shape)
            return [
                Finding(
                    f"the law of {type(item).__name__} {item.name!r} comes from no energy.",
                    f"Its slopes [{i}][{j}] and [{j}][{i}] differ by {gap.max():.3g}, so a cycle would yield power.",
                    "Make the law symmetric, or give the energy instead.",
                    (item.name,),
                )
            ]
    return []


def law_faults(item: I | C, name: str, law: Formula | None) -> list[Finding]:
    """What is wrong with a law, or with the energy where it has none: its components, its symmetry, its floor."""
    size = item.size_hint() or 1
    if law is None:
        if item.energy is None:
            return []
        found = picked(item, item.energy, {name: size} if item.size or np.size(item.start) > 1 else {})
        return found or bottomless(item, *law_of(item, size))
    found = picked(item, law, {name: law_size(item, law)}) or asymmetric(item, law, name, size)
    return found or (bottomless(item, *law_of(item, size)) if law.shape in ((), (size,)) else [])


def law_of(item: I | C, size: int) -> tuple[SX, SX]:
    """The law of a storage that has one of its own: its state as a symbol, and the flow or effort there."""
    name, law = ("p", item.flow) if isinstance(item, I) else ("q", item.effort)
    x = SX.sym(name, size)
    return x, ca.gradient(energy_of(item.energy, **{name: x}), x) if law is None else SX(law.evaluate({name: x}))


def law_at(item: I | C, number: np.ndarray) -> np.ndarray:
    """The flow or effort of a storage with a law of its own at a state."""
    x, value = law_of(item, number.size)
    return np.asarray(ca.Function("value", [x], [ca.densify(value)])(number)).ravel()


def inverse_of(item: I | C, number: np.ndarray) -> np.ndarray:
    """The state at which a storage with a law of its own has a given flow or effort, by Newton's method from zero."""
    x, value = law_of(item, number.size)
    search = ca.rootfinder("inverse", "newton", ca.Function("r", [x], [value - SX(number)]))
    return np.asarray(search(np.zeros(number.size))).ravel()


def product(law: np.ndarray, number: np.ndarray) -> np.ndarray:
    """A number, diagonal or matrix times a vector."""
    return law @ number if np.ndim(law) == 2 else law * number


@component
class I(OnePort):  # noqa: E742 - the field's own name
    """Inertia: stores momentum p with dp/dt = e and p = I f.

    inertia: scalar, vector (diagonal) or symmetric matrix (field)  [effort·s/flow]; start: momentum p at the start.
    Instead of the inertia a law: flow, a formula of p; or energy, a formula of p whose slope is the flow.
    active: the energy may fall without end, and ever faster.

    >>> I("coil", 2e-3)
    >>> I("saturating", flow=lambda p: p + 4 * p**3)
    """

    inertia: Number = parameter(default=None, unit="effort.s/flow", sign="not negative", shape=None)
    start: Number = parameter(default=0.0, unit="effort.s", start=True, shape=None)
    flow: Number = parameter(default=None, unit="flow", shape="law", formula=("p",))
    energy: Number = parameter(default=None, unit="J", shape="law", formula=("p",))
    active: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "I"
    causality: ClassVar[str] = "prefers flow"

    def faults(self) -> list[Finding]:
        return one_of(self, ("inertia", "flow", "energy")) or law_faults(self, "p", self.flow)

    def holding(self, flow: np.ndarray) -> np.ndarray:
        """The momentum at a given flow."""
        return inverse_of(self, flow) if self.inertia is None else product(self.inertia, flow)

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"p": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        p = at.state("p")
        at.rate("p", at.e())
        if self.inertia is not None:
            inertia = matrix(self.inertia, at.size())
            at.zero(p - inertia @ at.f())
            at.stored(0.5 * ca.dot(at.f(), inertia @ at.f()))
        elif self.energy is not None:
            at.zero(at.f() - ca.gradient(energy_of(self.energy, p=p), p))
            at.kinks(self.energy, p=p)
            at.stored(energy_of(self.energy, p=p))
        else:
            at.zero(at.f() - at.value(self.flow, at.size(), p=p))
            at.stored(work_of(self.flow, "p", p))


@component
class C(OnePort):
    """Compliance: stores displacement q with dq/dt = f and q = C e.

    compliance: scalar, vector (diagonal) or symmetric matrix (field)  [flow·s/effort]; start: q at the start.
    Instead of the compliance a law: effort, a formula of q; or energy, a formula of q whose slope is the effort.
    rest: displacement without effort, subtracted from the signal `displacement` where one is connected.
    active: the energy may fall without end, and ever faster.
    With that signal the element follows it and has no state of its own: e = (displacement - rest) / C.

    >>> C("capacitor", 1e-6)
    >>> C("hardening", effort=lambda q: 100 * q + 5e3 * q**3)
    """

    compliance: Number = parameter(default=None, unit="flow.s/effort", sign="not negative", shape=None)
    start: Number = parameter(default=0.0, unit="flow.s", start=True, shape=None)
    rest: Number = parameter(default=0.0, unit="flow.s", shape=None)
    effort: Number = parameter(default=None, unit="effort", shape="law", formula=("q",))
    energy: Number = parameter(default=None, unit="J", shape="law", formula=("q",))
    active: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "prefers effort"

    def faults(self) -> list[Finding]:
        return one_of(self, ("compliance", "effort", "energy")) or law_faults(self, "q", self.effort)

    def holding(self, effort: np.ndarray) -> np.ndarray:
        """The displacement at a given effort."""
        return inverse_of(self, effort) if self.compliance is None else product(self.compliance, effort)

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("displacement", self.size_hint() or 1, "in", optional=True))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        if "displacement" in at.signals:
            q = at.signal("displacement") - vector(self.rest, at.size())
        else:
            q = at.state("q")
            at.rate("q", at.f())
        if self.compliance is not None:
            compliance = matrix(self.compliance, at.size())
            at.zero(q - compliance @ at.e())
            at.stored(0.5 * ca.dot(at.e(), compliance @ at.e()))
        elif self.energy is not None:
            symbol = SX.sym("q", at.size())
            slope = ca.gradient(energy_of(self.energy, q=symbol), symbol)
            at.zero(at.e() - ca.substitute(slope, symbol, q))
            at.kinks(self.energy, q=q)
            at.stored(energy_of(self.energy, q=q))
        else:
            at.zero(at.e() - at.value(self.effort, at.size(), q=q))
            at.stored(work_of(self.effort, "q", q))


@component
class IC(Element):
    """A field that holds both kinds of energy: H(q, p) with e_c = ∂H/∂q at port c and f_i = ∂H/∂p at port i.

    energy: formula of q and p (moving plate of a condenser, flux linkage of a solenoid)  [J].
    displacements, momenta: number of components at the ports c and i; start: q, then p, at the start.
    active: the energy may fall without end, and ever faster, in displacements alone or in momenta alone.

    >>> IC("solenoid", energy=lambda q, p: 0.5 * p**2 * (1 + q))
    """

    energy: Number = parameter(unit="J", shape="law", formula=("q", "p"))
    displacements: int = parameter(default=1, structural=True, sign="count")
    momenta: int = parameter(default=1, structural=True, sign="count")
    start: Number = parameter(default=0.0, start=True, shape=None)
    active: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "IC"

    def faults(self) -> list[Finding]:
        sizes = {"q": int(self.displacements), "p": int(self.momenta)}
        if wrong := picked(self, self.energy, sizes):
            return wrong
        q, p = (SX.sym(name, size) for name, size in sizes.items())
        energy = energy_of(self.energy, q=q, p=p)
        return bottomless(self, q, ca.gradient(energy, q), p) + bottomless(self, p, ca.gradient(energy, p), q)

    def causality_at(self, port: str, component: int = 0) -> str:
        return "prefers effort" if port.startswith("c") else "prefers flow"

    def ports(self) -> tuple[Port, ...]:
        return self.lanes(PowerPort("c", int(self.displacements)), PowerPort("i", int(self.momenta)))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": int(self.displacements), "p": int(self.momenta)}

    def start_values(self) -> dict[str, Any]:
        n, m = int(self.displacements), int(self.momenta)
        both = start_vector(self.start).ravel().spread(n + m)
        parts = {"q": both.take(slice(n)), "p": both.take(slice(n, n + m))}
        return {name: part for name, part in parts.items() if part.values.any() or not part.fixed.all()}

    def law(self, at: LawWriter) -> None:
        q, p = at.state("q"), at.state("p")
        energy = energy_of(self.energy, q=q, p=p)
        at.kinks(self.energy, q=q, p=p)
        at.zero(at.e("c") - ca.gradient(energy, q))
        at.zero(at.f("i") - ca.gradient(energy, p))
        at.rate("q", at.f("c"))
        at.rate("p", at.e("i"))
        at.stored(energy)
