'''All that elements and parts of one's own are written with, in one import.

    from multibond.own import ClassVar, LawWriter, Number, OnePort, component, parameter

    @component
    class Damper(OnePort):
        """Dissipates power: e = damping f, power into the element is positive. damping  [effort/flow]"""

        damping: Number = parameter(unit="effort/flow", sign="not negative")

        code: ClassVar[str] = "R"
        power: ClassVar[str] = "lost"

        def law(self, at: LawWriter) -> None:
            at.zero(at.e() - self.damping * at.f())

`CONTRIBUTING.md` says what each line is for; `multibond.check_power` tells whether the law keeps its word on power.
'''

from typing import ClassVar

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.expr import SX, column, matrix, vector
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, PlanarFramePort, Port, PowerPort, SignalPort
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
    "ClassVar",
    "Domain",
    "Element",
    "FramePort",
    "Inside",
    "LawWriter",
    "Number",
    "OnePort",
    "Part",
    "PlanarFramePort",
    "Port",
    "PowerPort",
    "SignalPort",
    "column",
    "component",
    "matrix",
    "parameter",
    "vector",
]
