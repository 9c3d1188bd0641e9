"""One block of every class with values that no other sign could give, and its law worked out with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import multibond as mb
from multibond.elements import blocks as b
from multibond.elements.blocks.block import Block
from multibond.elements.law import LawWriter
from multibond.expr import SX

SAMPLES: dict[type[Block], Block] = {
    type(item): item
    for item in (
        b.Constant("it", 3.0),
        b.Input("it", (2.0, -1.0)),
        b.Time("it"),
        b.Step("it", 2.0, time=0.3, offset=-0.5),
        b.Ramp("it", 2.0, time=0.3, duration=0.4, offset=-0.5),
        b.Sine("it", 2.0, frequency=1.5, phase=0.4, offset=0.3),
        b.Pulse("it", 2.0, 0.25, time=0.1, period=0.5, offset=-1.0),
        b.Trapezoid("it", 2.0, rise=0.1, hold=0.2, fall=0.05, time=0.1, period=0.5, offset=-1.0),
        b.Gain("it", [[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]]),
        b.Sum("it", "+-+", size=2),
        b.Product("it", "**/"),
        b.Limiter("it", -0.5, 0.8),
        b.DeadZone("it", -0.2, 0.3),
        b.Quantizer("it", 0.25),
        b.Probe("it", size=3),
        b.Function("it", "u_1 * u_2 - t"),
        b.Lookup("it", mb.Table([-1.0, 0.2, 1.0], [0.5, -1.0, 2.0])),
        b.Lookup2("it", mb.Table2([-1.0, 1.0], [-2.0, 2.0], [[0.0, 1.0], [2.0, 5.0]])),
        b.Join("it", 2, size=2),
        b.Integrator("it", start=0.4, lower=-0.5, upper=0.8),
        b.Derivative("it", 0.1, start=0.2),
        b.FirstOrder("it", 0.3, gain=2.0, start=-0.5),
        b.SecondOrder("it", 1.2, damping=0.3, gain=2.0, start=0.1, start_rate=-1.0),
        b.RateLimiter("it", 2.0, fall=1.0, time_constant=0.05, start=0.3),
        b.TransferFunction("it", (2.0, 3.0), (0.5, 1.0, 4.0)),
        b.StateSpace("it", A=[[0.0, 1.0], [-4.0, -0.4]], B=(0.5, 1.0), C=(1.0, 0.2), D=0.1, start=(0.3, -0.2)),
        b.LowPass("it", 2.0, order=3),
        b.Delay("it", 0.2, order=3),
        b.PID("it", 2.0, 0.5, 0.1, lower=-3.0, upper=3.0, setpoint_weight=0.6, derivative_weight=0.3, start=0.2),
        b.DiscretePID("it", 2.0, 0.5, 0.1, lower=-3.0, upper=3.0, setpoint_weight=0.6, start=0.2, period=0.1),
        b.Compare("it", "<", 0.3),
        b.And("it", 3),
        b.Or("it", 3),
        b.Xor("it", 3),
        b.Not("it"),
        b.Select("it", size=2),
        b.Relay("it", lower=-0.3, upper=0.4, on=2.0, off=-1.0),
        b.SampleHold("it", 0.1),
        b.SampledDelay("it", 0.1, samples=3, start=0.5),
        b.DiscreteIntegrator("it", 0.1, method="trapezoid", start=0.2, lower=-2.0, upper=3.0),
        b.DiscreteTransferFunction("it", 0.1, (0.3, 0.2), (1.0, -0.9, 0.2)),
        b.DiscreteStateSpace("it", 0.1, A=(0.9, 0.5), B=(0.1, 0.2), C=(1.0, 2.0), D=0.3, start=(0.3, 0.4)),
    )
}
"""By class: a sample."""


@dataclass(frozen=True)
class Values:
    """What a law says for given numbers."""

    outputs: dict[str, np.ndarray]
    rates: dict[str, np.ndarray]
    updates: dict[str, np.ndarray]
    edges: np.ndarray
    switches: dict[str, np.ndarray]

    @property
    def y(self) -> np.ndarray:
        """The output."""
        return self.outputs["y"]


def law_at(
    block: Block, signals: Mapping[str, Any] | None = None, states: Mapping[str, Any] | None = None, time: float = 0.0
) -> Values:
    """The block's law for numbers; states that are not given are zero."""
    kept = {name: np.zeros(size) for name, size in block.states({}).items()} | dict(states or {})
    law = LawWriter({}, {}, _symbols(signals or {}), _symbols(kept), {}, time=SX(time))
    block.law(law)
    edges = [_number(SX(where if passing is None else passing(where))) for where, passing in law.edges]
    return Values(
        {name: _number(value) for name, value in law.outputs.items()},
        {name: _number(value) for name, value in law.rates.items()},
        {name: _number(value) for name, (value, _) in law.updates.items()},
        np.concatenate(edges) if edges else np.zeros(0),
        {mode: _number(when) for mode, when in law.switches},
    )


def _symbols(values: Mapping[str, Any]) -> dict[str, SX]:
    return {name: SX(np.atleast_1d(np.asarray(value, float))) for name, value in values.items()}


def _number(value: SX) -> np.ndarray:
    return np.asarray(ca.evalf(SX(value))).ravel()
