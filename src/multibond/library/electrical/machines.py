"""Motor and amplifier: what turns electricity into motion, and small signals into large ones."""

from __future__ import annotations

from multibond.elements import GY, De, I, MSe, One, R, blocks
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PortRef
from multibond.library.drawing import through
from multibond.library.electrical.pins import TwoPin, pin
from multibond.library.rotational import flange
from multibond.library.spatial.drawing import is_zero


@component
class DCMotor(TwoPin):
    """A direct-current motor: winding and coil in series with a gyrator to the shaft (torque = k i, voltage = k ω).

    resistance  [ohm]; inductance  [H]; constant k  [N.m/A]; inertia of the rotor  [kg.m²]; damping of its bearing
    [N.m.s/rad].

    >>> DCMotor("motor", resistance=1.0, inductance=5e-3, constant=0.1, inertia=2e-3)
    """

    resistance: Number = parameter(unit="ohm", sign="not negative")
    inductance: Number = parameter(unit="H", sign="positive")
    constant: Number = parameter(unit="N.m/A")
    inertia: Number = parameter(default=0.0, unit="kg.m^2", sign="not negative")
    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), flange("flange"))

    def build(self, inside: Inside) -> None:
        path = self.path(inside)
        inside.bond(path, inside.add(R("winding", self.resistance, size=1)))
        inside.bond(path, inside.add(I("coil", self.inductance, size=1)))
        gyrator = inside.add(GY("gyrator", self.constant, size=1))
        shaft = inside.add(One("shaft", size=1))
        inside.bond(path, gyrator)
        inside.bond(gyrator, shaft)
        inside.bond(shaft, inside.own("flange"))
        if not is_zero(self.inertia):
            inside.bond(shaft, inside.add(I("rotor", self.inertia, size=1)))
        if not is_zero(self.damping):
            inside.bond(shaft, inside.add(R("bearing", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"current": "coil.f", "torque": "gyrator.b.e", "speed": "gyrator.b.f"}


@component
class OpAmp(Part):
    """An operational amplifier against ground: v_out = gain · (v_plus - v_minus), no current in at the inputs.

    gain: that of the open loop; bandwidth: gain times frequency at which it has fallen off  [Hz], left out for none;
    limit: the output stays within ± limit  [V], left out for none. Its supply is not drawn.

    >>> OpAmp("amplifier", bandwidth=1e6, limit=15.0)
    """

    gain: Number = parameter(default=1e6, sign="positive")
    bandwidth: Number = parameter(default=None, unit="Hz", sign="positive")
    limit: Number = parameter(default=None, unit="V", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin_plus"), pin("pin_minus"), pin("pin_out"))

    def build(self, inside: Inside) -> None:
        sensor, output = inside.add(De("sensor", size=1)), inside.add(MSe("output", size=1))
        inside.bond(through(inside, "pin_plus", "pin_minus", "input"), sensor)
        inside.bond(output, inside.own("pin_out"))
        inside.signal(self._limited(inside, self._amplified(inside, sensor.value)), output.effort)

    def _amplified(self, inside: Inside, signal: PortRef) -> PortRef:
        """The difference times the gain, with the delay of one pole where there is a bandwidth."""
        if self.bandwidth is None:
            stage = inside.add(blocks.Gain("stage", self.gain))
        else:
            lag = self.gain / (2 * 3.141592653589793 * self.bandwidth)
            stage = inside.add(blocks.FirstOrder("stage", lag, self.gain))
        inside.signal(signal, stage.u)
        return stage.y

    def _limited(self, inside: Inside, signal: PortRef) -> PortRef:
        if self.limit is None:
            return signal
        rails = inside.add(blocks.Limiter("rails", -self.limit, self.limit))
        inside.signal(signal, rails.u)
        return rails.y

    def observables(self) -> dict[str, str]:
        return {"voltage": "output.e", "current": "output.f", "difference": "sensor.e"}


ALL = (DCMotor, OpAmp)
