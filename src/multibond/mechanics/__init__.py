"""A machine without running it: assembled at its start, in static equilibrium, swept through its range."""

from multibond.mechanics.assembly import Assembly, assemble
from multibond.mechanics.equilibrium import Equilibrium, equilibrium
from multibond.mechanics.sweep import Sweep, sweep

__all__ = ["Assembly", "Equilibrium", "Sweep", "assemble", "equilibrium", "sweep"]
