"""An element, a two-port and a part as a user writes them: nothing but `multibond.own` is imported."""

from __future__ import annotations

import multibond as mb
from multibond.own import (
    ROTATION,
    ClassVar,
    Element,
    Inside,
    LawWriter,
    Number,
    OnePort,
    Part,
    Port,
    PowerPort,
    component,
    matrix,
    parameter,
    vector,
)


@component
class CubicDamper(OnePort):
    """A damper that stiffens: e = linear f + cubic f³, power into the element is positive.

    linear: number, vector or matrix  [effort/flow]; cubic: one number for all components  [effort/flow³]
    """

    linear: Number = parameter(unit="effort/flow", sign="not negative", shape=None)
    cubic: Number = parameter(default=0.0, unit="effort/flow^3", sign="not negative")

    code: ClassVar[str] = "R3"
    power: ClassVar[str] = "lost"

    def law(self, at: LawWriter) -> None:
        f, n = at.f(), at.size()
        at.zero(at.e() - matrix(self.linear, n) @ f - self.cubic * f**3)


@component
class LossyGear(Element):
    """Gears with friction in their bearings: f_b = ratio f_a, e_a = ratio e_b + drag f_a, component by component.

    ratio  [flow/flow]; drag  [effort/flow]
    """

    ratio: Number = parameter(unit="flow/flow", shape=None)
    drag: Number = parameter(default=0.0, unit="effort/flow", sign="not negative", shape=None)

    code: ClassVar[str] = "TFR"
    power: ClassVar[str] = "lost"

    def ports(self) -> tuple[Port, ...]:
        size = self.size_hint()
        return self.lanes(PowerPort("a", size), PowerPort("b", size, inward=False))

    def causality_at(self, port: str, component: int = 0) -> str:
        return "gives effort" if port.startswith("a") else "gives flow"

    def law(self, at: LawWriter) -> None:
        ratio, drag = vector(self.ratio, at.size("a")), vector(self.drag, at.size("a"))
        at.zero(at.f("b") - ratio * at.f("a"))
        at.zero(at.e("a") - ratio * at.e("b") - drag * at.f("a"))


@component
class Flywheel(Part):
    """A wheel that turns in oil. inertia  [kg.m²]; oil, thick: the two parts of its drag  [N.m.s/rad], [N.m.s³]."""

    inertia: Number = parameter(default=1.0, unit="kg.m^2", sign="positive")
    oil: Number = parameter(default=0.1, unit="N.m.s/rad", sign="not negative")
    thick: Number = parameter(default=0.0, unit="N.m.s^3", sign="not negative")
    speed: Number = parameter(default=0.0, unit="rad/s", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("flange", 1, ROTATION),)

    def build(self, inside: Inside) -> None:
        wheel = inside.add(mb.I("wheel", self.inertia, size=1))
        inside.bond(inside.own("flange"), wheel)
        inside.bond(inside.own("flange"), inside.add(CubicDamper("oil", self.oil, self.thick, size=1)))
        inside.start(wheel, flow=self.speed)

    def observables(self) -> dict[str, str]:
        return {"speed": "wheel.f", "drag": "oil.e"}
