"""What stores fluid or carries it along: chamber, accumulator, tank, pipe."""

from __future__ import annotations

import numpy as np

from multibond.elements import C, Gas, I, One, R, Zero
from multibond.errors import Finding
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.hydraulic.ports import TwoPorts, port
from multibond.library.hydraulic.valves import OIL
from multibond.library.spatial.drawing import is_zero

BULK = 1.4e9
"""Bulk modulus of a mineral oil  [Pa]."""


@component
class Chamber(Part):
    """A volume of fluid that is pressed together: inflow = volume / bulk · d(pressure)/dt.

    volume  [m³]; bulk: bulk modulus of fluid and walls  [Pa]; pressure: start value  [Pa].

    >>> Chamber("manifold", 1e-3)
    """

    volume: Number = parameter(unit="m^3", sign="positive")
    bulk: Number = parameter(default=BULK, unit="Pa", sign="positive")
    pressure: Number = parameter(default=0.0, unit="Pa", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        fluid = inside.add(C("fluid", self.volume / self.bulk, size=1))
        inside.bond(inside.own("port"), fluid)
        inside.start(fluid, effort=self.pressure)

    def observables(self) -> dict[str, str]:
        return {"pressure": "fluid.e", "inflow": "fluid.f"}


@component
class Accumulator(Part):
    """Fluid against a cushion of gas: pressure = precharge · (volume / (volume - fluid))^exponent.

    precharge: pressure of the gas without fluid  [Pa]; volume of the gas then  [m³]; exponent: 1 for slow, 1.4 for
    quick changes; fluid: how much is in it at the start  [m³].

    >>> Accumulator("bladder", precharge=5e6, volume=1e-3, fluid=2e-4)
    """

    precharge: Number = parameter(unit="Pa", sign="positive")
    volume: Number = parameter(unit="m^3", sign="positive")
    exponent: Number = parameter(default=1.4, sign="positive")
    fluid: Number = parameter(default=0.0, unit="m^3", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        gas = inside.add(Gas("gas", self.precharge, self.volume, self.exponent, size=1))
        inside.bond(inside.own("port"), gas)
        inside.start(gas, state=self.fluid)

    def observables(self) -> dict[str, str]:
        return {"pressure": "gas.e", "inflow": "gas.f", "fluid": "gas.q"}


@component
class Tank(Part):
    """An open tank with a port in its floor: pressure = density · gravity · level, volume = area · level.

    area of the surface  [m²]; density  [kg/m³]; gravity  [m/s²]; volume: at the start  [m³].

    >>> Tank("cistern", 0.5, volume=0.2)
    """

    area: Number = parameter(unit="m^2", sign="positive")
    density: Number = parameter(default=OIL, unit="kg/m^3", sign="positive")
    gravity: Number = parameter(default=9.81, unit="m/s^2", sign="positive")
    volume: Number = parameter(default=0.0, unit="m^3", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        store = inside.add(C("store", self.area / (self.density * self.gravity), size=1))
        inside.bond(inside.own("port"), store)
        inside.start(store, state=self.volume)

    def observables(self) -> dict[str, str]:
        return {"pressure": "store.e", "inflow": "store.f", "volume": "store.q"}


@component
class Pipe(TwoPorts):
    """A pipe of round section with laminar friction, the inertia of its fluid and its compressibility.

    length  [m]; diameter  [m]; density  [kg/m³]; viscosity  [Pa.s], zero without friction; bulk: bulk modulus of fluid
    and walls  [Pa]; segments: number of pieces, each inertia and friction first, then a volume; pressure  [Pa] and
    flow_rate from a to b  [m³/s]: start values along the whole pipe.

    >>> Pipe("line", 2.0, 0.01, segments=10)
    """

    length: Number = parameter(unit="m", sign="positive")
    diameter: Number = parameter(unit="m", sign="positive")
    density: Number = parameter(default=OIL, unit="kg/m^3", sign="positive")
    viscosity: Number = parameter(default=0.04, unit="Pa.s", sign="not negative")
    bulk: Number = parameter(default=BULK, unit="Pa", sign="positive")
    segments: int = parameter(default=1, structural=True)
    pressure: Number = parameter(default=0.0, unit="Pa", start=True)
    flow_rate: Number = parameter(default=0.0, unit="m^3/s", start=True)

    def faults(self) -> list[Finding]:
        count = float(self.segments)
        if count == int(count) >= 1:
            return []
        fact = f"segments is {count:g}."
        return [Finding(f"Pipe {self.name!r} has no whole number of pieces.", fact, "Give 1 or more.", (self.name,))]

    def build(self, inside: Inside) -> None:
        inlet = inside.own("port_a")
        for k in range(1, int(self.segments) + 1):
            last = k == int(self.segments)
            outlet = inside.own("port_b") if last else inside.add(Zero(f"node_{k}", size=1))
            self._piece(inside, k, inlet, outlet)
            inlet = outlet

    def _piece(self, inside: Inside, k: int, inlet: object, outlet: object) -> None:
        count = int(self.segments)
        area = np.pi * self.diameter**2 / 4
        path = inside.add(One(f"flow_{k}", size=1))
        mass = inside.add(I(f"mass_{k}", self.density * self.length / area / count, size=1))
        fluid = inside.add(C(f"fluid_{k}", area * self.length / self.bulk / count, size=1))
        inside.bond(inlet, path)
        inside.bond(path, mass)
        if not is_zero(self.viscosity):
            wall = 128 * self.viscosity * self.length / (np.pi * self.diameter**4) / count
            inside.bond(path, inside.add(R(f"wall_{k}", wall, size=1)))
        inside.bond(path, outlet)
        inside.bond(outlet, fluid)
        inside.start(mass, flow=self.flow_rate)
        inside.start(fluid, effort=self.pressure)

    def observables(self) -> dict[str, str]:
        last = int(self.segments)
        return {"inflow": "mass_1.f", "outflow": f"mass_{last}.f", "outlet_pressure": f"fluid_{last}.e"}


ALL = (Chamber, Accumulator, Tank, Pipe)
