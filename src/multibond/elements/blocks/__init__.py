"""Blocks: signals in, signals out. They stand between sensors and modulated sources: control, filters, logic, inputs.

    >>> from multibond import blocks
    >>> error = model.add(blocks.Sum("error", "+-"))
    >>> model.signal(setpoint.y, error.u_1)

`ALL` is the list of every block: adding a class to the list of its file puts it into palette, files, drawing and tests.
"""

from multibond.elements.blocks import continuous, control, formulas, logic, sampled, sources, static, transfer
from multibond.elements.blocks.block import Block
from multibond.elements.blocks.continuous import Derivative, FirstOrder, Integrator, RateLimiter, SecondOrder
from multibond.elements.blocks.control import PID, DiscretePID
from multibond.elements.blocks.formulas import Function, Join, Lookup, Lookup2
from multibond.elements.blocks.logic import And, Compare, Not, Or, Relay, Select, Xor
from multibond.elements.blocks.sampled import (
    DiscreteIntegrator,
    DiscreteStateSpace,
    DiscreteTransferFunction,
    SampledDelay,
    SampleHold,
)
from multibond.elements.blocks.sources import Constant, Input, Pulse, Ramp, Sine, Step, Time, Trapezoid
from multibond.elements.blocks.static import DeadZone, Gain, Limiter, Probe, Product, Quantizer, Sum
from multibond.elements.blocks.transfer import Delay, LowPass, StateSpace, TransferFunction

ALL: tuple[type[Block], ...] = (
    *sources.ALL,
    *static.ALL,
    *formulas.ALL,
    *continuous.ALL,
    *transfer.ALL,
    *control.ALL,
    *logic.ALL,
    *sampled.ALL,
)

__all__ = [
    "ALL",
    "PID",
    "And",
    "Block",
    "Compare",
    "Constant",
    "DeadZone",
    "Delay",
    "Derivative",
    "DiscreteIntegrator",
    "DiscretePID",
    "DiscreteStateSpace",
    "DiscreteTransferFunction",
    "FirstOrder",
    "Function",
    "Gain",
    "Input",
    "Integrator",
    "Join",
    "Limiter",
    "Lookup",
    "Lookup2",
    "LowPass",
    "Not",
    "Or",
    "Probe",
    "Product",
    "Pulse",
    "Quantizer",
    "Ramp",
    "RateLimiter",
    "Relay",
    "SampleHold",
    "SampledDelay",
    "SecondOrder",
    "Select",
    "Sine",
    "StateSpace",
    "Step",
    "Sum",
    "Time",
    "TransferFunction",
    "Trapezoid",
    "Xor",
]
