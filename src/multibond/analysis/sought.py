"""Sources whose value is sought: what they give is whatever lets outputs follow given functions of time."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.expr import SX, column
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


@component
class Sought(OnePort):
    """Base: the outputs `output_1`, `output_2`, … follow `target`, a formula of the time t for each of them.

    Law: output - target(t) - given = 0; the effort or flow is the unknown. `given_1`, … are signals of the model, where
    an output follows one of them. Power out is positive, as of the source it replaces.
    rates: outputs that are the rates of what `target` speaks of; they follow its derivative.
    """

    target: Number = parameter(default=0.0, shape=None, formula=("t",))
    rates: Number = parameter(default=(), structural=True, shape=None)

    code: ClassVar[str] = "SS"
    power: ClassVar[str] = "given"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        count = range(1, (self.size or 1) + 1)
        outputs = tuple(SignalPort(f"output_{k}", 1, "in") for k in count)
        return (*self.power_ports(), *outputs, *(SignalPort(f"given_{k}", 1, "in", optional=True) for k in count))

    def law(self, at: LawWriter) -> None:
        count = range(1, at.size() + 1)
        outputs = column([at.signal(f"output_{k}") for k in count])
        given = column([at.signals.get(f"given_{k}", SX(0)) for k in count])
        target = at.value(self.target, at.size()) + given
        slope = ca.jacobian(target, at.time) + at.derivative(given) if np.size(self.rates) else target
        rates = {int(k) for k in np.ravel(self.rates)}
        at.zero(outputs - column([slope[k] if k in rates else target[k] for k in range(at.size())]))


@component
class SoughtEffort(Sought):
    """An effort that is sought; stands where an Se or MSe stood.

    >>> SoughtEffort("battery", "sin(t)")
    """

    causality: ClassVar[str] = "gives effort"


@component
class SoughtFlow(Sought):
    """A flow that is sought; stands where an Sf or MSf stood.

    >>> SoughtFlow("pump", "sin(t)")
    """

    causality: ClassVar[str] = "gives flow"
