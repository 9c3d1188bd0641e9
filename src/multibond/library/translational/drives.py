"""Given forces and velocities, and what reads them."""

from __future__ import annotations

from multibond.elements import Df, Dq, PowerSensor
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PortRef, SignalPort
from multibond.library.drawing import effort_source, flow_source, input_port, sense
from multibond.library.translational.flanges import TwoFlanges, flange


@component
class Force(Part):
    """A given force on a flange, positive in the direction of its motion.

    force: a number or a formula of the time t  [N]; left out, the signal `input` gives it.

    >>> Force("weight", -9.81)
    >>> Force("shaker", lambda t: 3 * mb.sin(20 * t))
    """

    force: Number = parameter(default=None, unit="N", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), *input_port(self.force))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "force", self.force), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"velocity": "force.f"}


@component
class Velocity(Part):
    """Drives a flange at a given velocity, whatever force that takes.

    velocity: a number or a formula of the time t  [m/s]; left out, the signal `input` gives it.

    >>> Velocity("belt", 0.5)
    """

    velocity: Number = parameter(default=None, unit="m/s", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), *input_port(self.velocity))

    def build(self, inside: Inside) -> None:
        inside.bond(flow_source(inside, "drive", self.velocity), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"force": "drive.e", "velocity": "drive.f"}


@component
class VelocitySensor(Part):
    """Reads the velocity of a flange as the signal `velocity`  [m/s].

    >>> VelocitySensor("radar")
    """

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), SignalPort("velocity", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, Df("sensor", size=1), inside.own("flange"), "velocity")

    def observables(self) -> dict[str, str]:
        return {"velocity": "sensor.value"}


@component
class PositionSensor(Part):
    """Reads the position of a flange as the signal `position`  [m].

    start: position at the start  [m]; at the flange of a joint that of the joint, or read the joint's `coordinate`.

    >>> PositionSensor("ruler", start=0.2)
    """

    start: Number = parameter(default=0.0, unit="m", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"), SignalPort("position", 1, "out"))

    def build(self, inside: Inside) -> None:
        sensor = Dq("sensor", size=1)
        sense(inside, sensor, inside.own("flange"), "position")
        inside.start(sensor, state=self.start)

    def observables(self) -> dict[str, str]:
        return {"position": "sensor.value"}


@component
class ForceSensor(TwoFlanges):
    """Sits in a rod and reads the force with which flange_a pushes flange_b: signals `force` [N], `power` [W].

    >>> ForceSensor("cell")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), SignalPort("force", 1, "out"), SignalPort("power", 1, "out"))

    def build(self, inside: Inside) -> None:
        sensor = inside.add(PowerSensor("sensor", size=1))
        inside.bond(inside.own("flange_a"), sensor.a)
        inside.bond(sensor.b, inside.own("flange_b"))
        inside.signal(sensor.effort, inside.own("force"))
        inside.signal(PortRef("sensor", "power"), inside.own("power"))

    def observables(self) -> dict[str, str]:
        return {"force": "sensor.effort", "power": "sensor.power"}


ALL = (Force, Velocity, VelocitySensor, PositionSensor, ForceSensor)
