"""Domains: what effort and flow are called and measured in. SI inside, always."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Domain:
    """Names and units of effort and flow; their product is power in watts.

    usual_effort, usual_flow: a size that is common in this domain; tolerances are counted in it.
    """

    name: str
    effort: str
    effort_unit: str
    flow: str
    flow_unit: str
    usual_effort: float = 1.0
    usual_flow: float = 1.0

    def __str__(self) -> str:
        return f"{self.name} ({self.effort} in {self.effort_unit}, {self.flow} in {self.flow_unit})"


ANY = Domain("any", "effort", "e", "flow", "f")
ROTATION = Domain("rotation", "torque", "N.m", "angular velocity", "rad/s")
TRANSLATION = Domain("translation", "force", "N", "velocity", "m/s")
ELECTRICAL = Domain("electrical", "voltage", "V", "current", "A")
THERMAL = Domain("thermal", "temperature", "K", "entropy flow", "W/K")
HYDRAULIC = Domain("hydraulic", "pressure", "Pa", "volume flow", "m^3/s", 1e5, 1e-5)
ACOUSTIC = Domain("acoustic", "sound pressure", "Pa", "volume flow", "m^3/s", 1.0, 1e-5)
CHEMICAL = Domain("chemical", "chemical potential", "J/mol", "molar flow", "mol/s")

DOMAINS = {
    domain.name: domain for domain in (ANY, ROTATION, TRANSLATION, ELECTRICAL, THERMAL, HYDRAULIC, ACOUSTIC, CHEMICAL)
}


def deg(angle: float) -> float:
    """Degrees in radians."""
    return math.radians(angle)
