"""Dry friction, clutch, brake, freewheel and backlash: true stick and true play, nothing rounded off."""

from __future__ import annotations

from multibond.elements import Diode, Stop
from multibond.elements import Friction as DryFriction
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import between_flanges, input_port, lead
from multibond.library.rotational.flanges import TwoFlanges, flange


@component
class Friction(TwoFlanges):
    """Dry friction between two flanges: they stick up to `static`, then slide against `coulomb` and `viscous`.

    coulomb: torque while sliding  [N.m]; static: the most it holds, coulomb where it is not given  [N.m]; stribeck:
    speed within which static falls to coulomb  [rad/s]; viscous: torque that grows with the speed  [N.m.s/rad].

    >>> Friction("seal", coulomb=0.4, static=0.6)
    """

    coulomb: Number = parameter(unit="N.m", sign="not negative")
    static: Number = parameter(default=None, unit="N.m", sign="not negative")
    stribeck: Number = parameter(default=0.0, unit="rad/s", sign="not negative")
    viscous: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative")

    def build(self, inside: Inside) -> None:
        shoe = DryFriction("friction", self.coulomb, self.static, self.stribeck, self.viscous, size=1)
        inside.bond(between_flanges(inside), inside.add(shoe))

    def observables(self) -> dict[str, str]:
        return {"torque": "friction.e", "speed": "friction.f"}


@component
class Clutch(TwoFlanges):
    """A friction clutch between two flanges: pressed with `engagement`, it holds up to engagement · static.

    coulomb: torque while it slips, fully pressed  [N.m]; static: the most it holds, coulomb where it is not given
    [N.m]; engagement: a number or a formula of the time t, 0 open and 1 pressed; left out, the signal `input` gives it.

    >>> Clutch("clutch", 80.0, engagement=lambda t: mb.clip(2 * t, 0, 1))
    """

    coulomb: Number = parameter(unit="N.m", sign="not negative")
    static: Number = parameter(default=None, unit="N.m", sign="not negative")
    engagement: Number = parameter(default=None, live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.engagement))

    def build(self, inside: Inside) -> None:
        plates = inside.add(DryFriction("plates", self.coulomb, self.static, size=1))
        inside.bond(between_flanges(inside), plates)
        lead(inside, self.engagement, "engagement", plates.normal)

    def observables(self) -> dict[str, str]:
        return {"torque": "plates.e", "slip": "plates.f"}


@component
class Brake(Part):
    """A friction brake between a flange and the housing: pressed with `engagement`, it holds up to engagement · static.

    coulomb: torque while it slips, fully pressed  [N.m]; static: the most it holds, coulomb where it is not given
    [N.m]; engagement: a number or a formula of the time t, 0 open and 1 pressed; left out, the signal `input` gives it.

    >>> Brake("disc", 200.0, engagement=lambda t: mb.where(t > 3, 1, 0))
    """

    coulomb: Number = parameter(unit="N.m", sign="not negative")
    static: Number = parameter(default=None, unit="N.m", sign="not negative")
    engagement: Number = parameter(default=None, live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), *input_port(self.engagement))

    def build(self, inside: Inside) -> None:
        pads = inside.add(DryFriction("pads", self.coulomb, self.static, size=1))
        inside.bond(inside.own("flange"), pads)
        lead(inside, self.engagement, "engagement", pads.normal)

    def observables(self) -> dict[str, str]:
        return {"torque": "pads.e", "speed": "pads.f"}


@component
class Freewheel(TwoFlanges):
    """Lets flange_b turn faster than flange_a, never slower: then it locks and a drives b.

    >>> Freewheel("hub")
    """

    def build(self, inside: Inside) -> None:
        inside.bond(between_flanges(inside), inside.add(Diode("pawl", size=1)))

    def observables(self) -> dict[str, str]:
        return {"torque": "pawl.e", "speed": "pawl.f"}


@component
class Backlash(TwoFlanges):
    """Play between two flanges: free within ± play / 2, then they hit and press on one another.

    play  [rad]; restitution: relative speed after a hit as a fraction of that before; twist: of b against a, measured
    from the middle of the play, at the start  [rad].

    >>> Backlash("teeth", 0.02)
    """

    play: Number = parameter(unit="rad", sign="positive")
    restitution: Number = parameter(default=0.0, sign="not negative")
    twist: Number = parameter(default=0.0, unit="rad", start=True)

    def build(self, inside: Inside) -> None:
        stop = inside.add(Stop("stop", -self.play / 2, self.play / 2, self.restitution, size=1))
        inside.bond(between_flanges(inside), stop)
        inside.start(stop, state=self.twist)

    def observables(self) -> dict[str, str]:
        return {"twist": "stop.q", "torque": "stop.e"}


ALL = (Friction, Clutch, Brake, Freewheel, Backlash)
