"""Dry friction and limits of travel: true stick and true contact, nothing rounded off."""

from __future__ import annotations

from multibond.elements import Friction as DryFriction
from multibond.elements import Stop as Limits
from multibond.graph.component import Number, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import between_flanges, input_port, lead
from multibond.library.translational.flanges import TwoFlanges


@component
class Friction(TwoFlanges):
    """Dry friction between two flanges: they stick up to `static`, then slide against `coulomb` and `viscous`.

    coulomb: force while sliding  [N]; static: the most it holds, coulomb where it is not given  [N]; stribeck:
    velocity within which static falls to coulomb  [m/s]; viscous: force that grows with the velocity  [N.s/m].

    >>> Friction("guide", coulomb=4.0, static=6.0)
    """

    coulomb: Number = parameter(unit="N", sign="not negative")
    static: Number = parameter(default=None, unit="N", sign="not negative")
    stribeck: Number = parameter(default=0.0, unit="m/s", sign="not negative")
    viscous: Number = parameter(default=0.0, unit="N.s/m", sign="not negative")

    def build(self, inside: Inside) -> None:
        shoe = DryFriction("friction", self.coulomb, self.static, self.stribeck, self.viscous, size=1)
        inside.bond(between_flanges(inside), inside.add(shoe))

    def observables(self) -> dict[str, str]:
        return {"force": "friction.e", "velocity": "friction.f"}


@component
class Brake(TwoFlanges):
    """Friction under a changing load: force up to coefficient · normal while sliding, static · normal while sticking.

    coefficient of sliding friction; static: that of sticking, coefficient where it is not given; normal: force that
    presses, a number or a formula of the time t  [N]; left out, the signal `input` gives it.

    >>> Brake("shoe", 0.4, normal=lambda t: 50 * t)
    """

    coefficient: Number = parameter(sign="not negative")
    static: Number = parameter(default=None, sign="not negative")
    normal: Number = parameter(default=None, unit="N", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.normal))

    def build(self, inside: Inside) -> None:
        shoe = inside.add(DryFriction("shoe", self.coefficient, self.static, size=1))
        inside.bond(between_flanges(inside), shoe)
        lead(inside, self.normal, "normal", shoe.normal)

    def observables(self) -> dict[str, str]:
        return {"force": "shoe.e", "velocity": "shoe.f"}


@component
class Stop(TwoFlanges):
    """Limits of travel between two flanges: free between lower and upper, then they hit and press on one another.

    lower, upper: limits of the position of flange_b against flange_a; one may be left out  [m]; restitution: relative
    velocity after a hit as a fraction of that before; position: at the start  [m].

    >>> Stop("bumper", upper=0.2, restitution=0.8)
    """

    lower: Number = parameter(default=None, unit="m")
    upper: Number = parameter(default=None, unit="m")
    restitution: Number = parameter(default=0.0, sign="not negative")
    position: Number = parameter(default=0.0, unit="m", start=True)

    def build(self, inside: Inside) -> None:
        stop = inside.add(Limits("stop", self.lower, self.upper, self.restitution, size=1))
        inside.bond(between_flanges(inside), stop)
        inside.start(stop, state=self.position)

    def observables(self) -> dict[str, str]:
        return {"position": "stop.q", "force": "stop.e"}


ALL = (Friction, Brake, Stop)
