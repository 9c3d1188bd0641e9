"""A valve lets oil into a cylinder that pushes a mass against a spring: fluid, piston and motion in one graph.

With a laminar valve the fluid and the mass swing, well damped, while the piston creeps out; with a sharp orifice the
same flow follows a root law. Figures: our own reference A07b.
"""

from __future__ import annotations

import multibond as mb
from multibond import hydraulic as hy
from multibond import translational as tr


def hydraulic_cylinder(*, turbulent: bool = False, pressure: float = 5e6, mass: float = 50.0) -> mb.Model:
    """Supply, valve, cylinder, mass with spring and damper; all at rest and without pressure at the start.

    turbulent: a sharp orifice in place of the laminar valve; pressure of the supply  [Pa]; mass  [kg].
    """
    model = mb.Model("hydraulic_cylinder")
    supply = model.add(hy.PressureSource("supply", pressure))
    valve = model.add(hy.Orifice("valve", 9e-8) if turbulent else hy.LaminarResistance("valve", 2e10))
    ram = model.add(hy.Cylinder("ram", area=1e-3, volume_a=1.4e-4, bulk=1.4e9))
    load = model.add(tr.Mass("load", mass))
    strut = model.add(tr.SpringDamper("strut", stiffness=1e5, damping=500.0))
    wall = model.add(tr.Fixed("wall"))
    model.connect(supply.port, valve.port_a)
    model.connect(valve.port_b, ram.port_a)
    model.connect(ram.flange, load.flange, strut.flange_b)
    model.connect(strut.flange_a, wall.flange)
    return model
