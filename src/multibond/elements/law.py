"""How an element states its law: relations between the variables at its ports.

An element's `law(at)` receives a `LawWriter` and says

* `at.zero(expression)`: a relation that vanishes,
* `at.hold(component, gap)`: a flow that it holds at zero, whatever effort that takes,
* `at.rate(state, expression)`: how fast a state changes,
* `at.give(signal, expression)`: a signal that it computes,
* `at.stored(expression)`: the energy it holds,
* `at.derivative(expression)`: the time derivative of what it reads, found by automatic differentiation,
* `at.switch(mode, expression)`: it goes over to another mode as soon as the expression is positive,
* `at.edge(expression)`: its formula has a kink where the expression changes sign, so a step ends there,
* `at.update(state, expression, every)`: a held state is renewed at sample instants.

Efforts and flows come with the sign of the port's own direction (inward for one-ports, outward for sources), so that
the law never depends on how the half-arrow was drawn. Signals and parameters are read the same way, as symbols or
numbers. `at.takes_flow(port)` tells the causality where a law can be written in two equal forms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from multibond.expr import SX, column, vector
from multibond.formula import Formula
from multibond.formula.value import Passing, levels


@dataclass
class LawWriter:
    """What a law reads and writes. Filled in by `equations.assemble`."""

    efforts: dict[str, SX]
    flows: dict[str, SX]
    signals: dict[str, SX]
    states: dict[str, SX]
    flow_given: dict[str, bool]
    time: SX = field(default_factory=lambda: SX(0))
    role: str = ""
    lanes_given: dict[str, list[bool]] = field(default_factory=dict)

    relations: list[SX] = field(default_factory=list)
    held: dict[int, SX] = field(default_factory=dict)
    rates: dict[str, SX] = field(default_factory=dict)
    outputs: dict[str, SX] = field(default_factory=dict)
    energy: SX | None = None
    switches: list[tuple[str, SX]] = field(default_factory=list)
    edges: list[tuple[SX, Passing | None]] = field(default_factory=list)
    updates: dict[str, tuple[SX, float]] = field(default_factory=dict)
    derivatives: list[tuple[SX, SX, str]] = field(default_factory=list)

    def e(self, port: str = "port") -> SX:
        """Effort at a port."""
        return self._whole(self.efforts, port)

    def f(self, port: str = "port") -> SX:
        """Flow at a port, positive for power in the port's own direction."""
        return self._whole(self.flows, port)

    def signal(self, name: str) -> SX:
        """A signal that the element reads."""
        return self.signals[name]

    def state(self, name: str) -> SX:
        """A state of the element."""
        return self.states[name]

    def takes_flow(self, port: str, component: int = 0) -> bool:
        """Whether a component of the flow at the port is given from outside (the stroke is away from the element)."""
        return self.lanes_given[port][component] if port in self.lanes_given else self.flow_given[port]

    def size(self, port: str = "port") -> int:
        """Number of components at a port."""
        return self.e(port).numel()

    def value(self, given: Any, size: int, **variables: Any) -> SX:
        """A parameter as a column: numbers as they are, a formula at the present time `t` and the given variables.

        One number (or formula) stands for all components. Kinks and jumps of a formula become edges of the law.
        """
        if not isinstance(given, Formula):
            return vector(given, size)
        self.kinks(given, **variables)
        return vector(given.evaluate({"t": self.time, **variables}), size)

    def kinks(self, given: Formula, **variables: Any) -> None:
        """Make kinks and jumps of a formula edges of the law."""
        for level, passing in levels(given):
            self.edge(SX(level.evaluate({"t": self.time, **variables})), passing)

    @staticmethod
    def _whole(table: dict[str, SX], port: str) -> SX:
        """A port's vector; a split port is put together from its scalar ports."""
        if port in table:
            return table[port]
        lanes = range(sum(name.rpartition("_")[0] == port for name in table))
        return column([table[f"{port}_{k + 1}"] for k in lanes])

    def zero(self, relation: SX) -> None:
        """State a relation that vanishes."""
        self.relations.append(relation)

    def hold(self, component: int = 0, gap: SX | None = None) -> None:
        """Hold a component of the port's flow at zero, and with it the displacement `gap` if there is one."""
        self.held[component] = SX(0) if gap is None else gap

    def rate(self, state: str, value: SX) -> None:
        """State the time derivative of a state."""
        self.rates[state] = value

    def give(self, signal: str, value: SX) -> None:
        """Compute a signal."""
        self.outputs[signal] = value

    def stored(self, energy: SX) -> None:
        """State the energy held."""
        self.energy = energy

    def derivative(self, value: SX, state: str = "") -> SX:
        """The time derivative of an expression of signals, as symbols that stand for it.

        state: the name of what is differentiated, where it is held by the element and may jump (a momentum).
        """
        symbol = SX.sym("derivative", value.numel())
        self.derivatives.append((ca.vec(value), symbol, state))
        return ca.reshape(symbol, *value.shape)

    def replace(self, state: SX, value: SX) -> None:
        """Put a value in the place of a state that turned out to depend on others, in all that is read later."""

        def put(expression: SX) -> SX:
            return ca.substitute(expression, state, value)

        self.energy = None if self.energy is None else put(self.energy)
        self.outputs = {name: put(output) for name, output in self.outputs.items()}
        self.switches = [(mode, put(when)) for mode, when in self.switches]
        self.edges = [(put(where), passing) for where, passing in self.edges]

    def switch(self, mode: str, when: SX) -> None:
        """Leave the present mode for another one as soon as `when` is positive."""
        self.switches.append((mode, when))

    def edge(self, where: SX, passing: Passing | None = None) -> None:
        """Say where the law has a kink: a step of the integrator ends where this passes zero.

        passing: for other levels, what changes its sign at each of them (`whole` at every whole number).
        """
        self.edges.append((where, passing))

    def update(self, state: str, value: SX, every: float) -> None:
        """Renew a held state at the times 0, every, 2 every, ...  [s]; it keeps its value in between."""
        self.updates[state] = (value, float(every))
        self.rates[state] = SX(*self.states[state].shape)
