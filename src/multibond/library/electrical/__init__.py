"""Circuits: pins share their voltage [V]; currents [A] add up to zero where they meet. A Ground is at zero volts.

Two-pin parts carry their current from pin_p to pin_n through a 1-junction. `ALL` lists every part.
"""

from multibond.library.electrical import machines, passive, pins, sources, switches
from multibond.library.electrical.machines import DCMotor, OpAmp
from multibond.library.electrical.passive import (
    Capacitor,
    Inductor,
    MutualInductor,
    Potentiometer,
    Resistor,
    Transformer,
    VariableResistor,
)
from multibond.library.electrical.pins import FourPin, Ground, TwoPin, pin
from multibond.library.electrical.sources import Ammeter, CurrentSource, VoltageSource, Voltmeter, Wattmeter
from multibond.library.electrical.switches import Diode, Switch

ALL = (*passive.ALL, *sources.ALL, *pins.ALL, *machines.ALL, *switches.ALL)

__all__ = [
    "ALL",
    "Ammeter",
    "Capacitor",
    "CurrentSource",
    "DCMotor",
    "Diode",
    "FourPin",
    "Ground",
    "Inductor",
    "MutualInductor",
    "OpAmp",
    "Potentiometer",
    "Resistor",
    "Switch",
    "Transformer",
    "TwoPin",
    "VariableResistor",
    "VoltageSource",
    "Voltmeter",
    "Wattmeter",
    "pin",
]
