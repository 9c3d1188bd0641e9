"""Hydraulics: ports share their pressure [Pa]; volume flows [m³/s] add up to zero where they meet.

Pressures count above that of the air. `ALL` lists every part.
"""

from multibond.library.hydraulic import machines, ports, sources, valves, volumes
from multibond.library.hydraulic.machines import Cylinder, Pump
from multibond.library.hydraulic.ports import FlowSensor, PressureSensor, TwoPorts, port
from multibond.library.hydraulic.sources import FlowSource, PressureSource, Reservoir
from multibond.library.hydraulic.valves import CheckValve, LaminarResistance, Orifice, Valve
from multibond.library.hydraulic.volumes import Accumulator, Chamber, Pipe, Tank

ALL = (*sources.ALL, *valves.ALL, *volumes.ALL, *machines.ALL, *ports.ALL)

__all__ = [
    "ALL",
    "Accumulator",
    "Chamber",
    "CheckValve",
    "Cylinder",
    "FlowSensor",
    "FlowSource",
    "LaminarResistance",
    "Orifice",
    "Pipe",
    "PressureSensor",
    "PressureSource",
    "Pump",
    "Reservoir",
    "Tank",
    "TwoPorts",
    "Valve",
    "port",
]
