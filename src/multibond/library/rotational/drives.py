"""Given torques and speeds, and what reads them."""

from __future__ import annotations

from multibond.elements import Df, Dq, PowerSensor
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PortRef, SignalPort
from multibond.library.drawing import effort_source, flow_source, input_port, sense
from multibond.library.rotational.flanges import TwoFlanges, flange


@component
class Torque(Part):
    """A given torque on a flange, positive in the direction of its rotation.

    torque: a number or a formula of the time t  [N.m]; left out, the signal `input` gives it.

    >>> Torque("drive", 3.0)
    >>> Torque("pulse", lambda t: mb.where(t < 1, 5.0, 0.0))
    """

    torque: Number = parameter(default=None, unit="N.m", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), *input_port(self.torque))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "torque", self.torque), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"speed": "torque.f"}


@component
class Speed(Part):
    """Drives a flange at a given speed, whatever torque that takes.

    speed: a number or a formula of the time t  [rad/s]; left out, the signal `input` gives it.

    >>> Speed("drive", 5.0)
    """

    speed: Number = parameter(default=None, unit="rad/s", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), *input_port(self.speed))

    def build(self, inside: Inside) -> None:
        inside.bond(flow_source(inside, "drive", self.speed), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"torque": "drive.e", "speed": "drive.f"}


@component
class SpeedSensor(Part):
    """Reads the speed of a flange as the signal `speed`  [rad/s].

    >>> SpeedSensor("tacho")
    """

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), SignalPort("speed", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, Df("sensor", size=1), inside.own("flange"), "speed")

    def observables(self) -> dict[str, str]:
        return {"speed": "sensor.value"}


@component
class AngleSensor(Part):
    """Reads the angle of a flange as the signal `angle`  [rad].

    start: angle at the start  [rad]; at the flange of a joint that of the joint, or read the joint's `coordinate`.

    >>> AngleSensor("encoder")
    """

    start: Number = parameter(default=0.0, unit="rad", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), SignalPort("angle", 1, "out"))

    def build(self, inside: Inside) -> None:
        sensor = Dq("sensor", size=1)
        sense(inside, sensor, inside.own("flange"), "angle")
        inside.start(sensor, state=self.start)

    def observables(self) -> dict[str, str]:
        return {"angle": "sensor.value"}


@component
class TorqueSensor(TwoFlanges):
    """Sits in a shaft and reads the torque that flange_a passes on to flange_b: signals `torque` [N.m], `power` [W].

    >>> TorqueSensor("cell")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), SignalPort("torque", 1, "out"), SignalPort("power", 1, "out"))

    def build(self, inside: Inside) -> None:
        sensor = inside.add(PowerSensor("sensor", size=1))
        inside.bond(inside.own("flange_a"), sensor.a)
        inside.bond(sensor.b, inside.own("flange_b"))
        inside.signal(sensor.effort, inside.own("torque"))
        inside.signal(PortRef("sensor", "power"), inside.own("power"))

    def observables(self) -> dict[str, str]:
        return {"torque": "sensor.effort", "power": "sensor.power"}


ALL = (Torque, Speed, SpeedSensor, AngleSensor, TorqueSensor)
