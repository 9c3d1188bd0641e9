"""State space equations in fields and junction structure, with constraint forces (Wang, Tao & Liu, 2013)."""

from multibond.statespace.build import statespace
from multibond.statespace.space import StateSpace

__all__ = ["StateSpace", "statespace"]
