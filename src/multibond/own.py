"""All that elements and parts of one's own are written with, in one import.

    from multibond.own import LawWriter, Number, OnePort, component, parameter

    @component
    class CubicDamper(OnePort):
        linear: Number = parameter(unit="effort/flow", sign="not negative", shape=None)
        cubic: Number = parameter(default=0.0, unit="effort/flow^3", sign="not negative", shape=None)

        code = "R"
        power = "lost"

        def law(self, at: LawWriter) -> None:
            at.zero(at.e() - vector(self.linear, at.size()) * at.f() - vector(self.cubic, at.size()) * at.f() ** 3)

`CONTRIBUTING.md` says what each line is for; `multibond.check_power` tells whether the law keeps its word on power.
"""

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.expr import SX, column, matrix, vector
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port, PowerPort, SignalPort
from multibond.units import ANY, CHEMICAL, ELECTRICAL, HYDRAULIC, ROTATION, THERMAL, TRANSLATION, Domain

__all__ = [
    "ANY",
    "CHEMICAL",
    "ELECTRICAL",
    "HYDRAULIC",
    "ROTATION",
    "SX",
    "THERMAL",
    "TRANSLATION",
    "Domain",
    "Element",
    "FramePort",
    "Inside",
    "LawWriter",
    "Number",
    "OnePort",
    "Part",
    "Port",
    "PowerPort",
    "SignalPort",
    "column",
    "component",
    "matrix",
    "parameter",
    "vector",
]
