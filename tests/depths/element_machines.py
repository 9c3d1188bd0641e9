"""Small machines, one for each element with a law of its own, with vector bonds where it can have them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import multibond as mb
from multibond.elements import MR, Gas, HeatFlow, HeatStore, MassAction, Radiation, Solute, Turbulent

SKEW = [[0.5, 2.0, -1.0], [-2.0, 0.3, 0.7], [1.0, -0.7, 0.2]]
MASSES, STARTS = (1.0, 2.0, 0.5), (1.0, -0.6, 0.8)


def moving(*items: mb.Element) -> mb.Model:
    """Three masses on springs, with further elements on the same 1-junction."""
    model = mb.Model("moving")
    motion = model.add(mb.One("motion", size=3))
    for item in (mb.I("mass", MASSES, start=STARTS), mb.C("spring", (0.5, 0.2, 0.1)), *items):
        model.bond(motion, item)
    return model


def pressing(*items: mb.Element) -> mb.Model:
    """Three tanks on one 0-junction with further elements."""
    model = mb.Model("pressing")
    level = model.add(mb.Zero("level", size=3))
    for item in (mb.C("tank", MASSES, start=STARTS), *items):
        model.bond(level, item)
    return model


def fed(kind: type[mb.Element], port: str, drive: str, **values: object) -> mb.Model:
    """Masses with an element that a signal feeds."""
    model = moving(kind("fed", size=3, **values))
    model.add(mb.blocks.Function("drive", drive))
    model.signal("drive.y", f"fed.{port}")
    return model


def heated(brake: mb.RS) -> mb.Model:
    model = moving()
    brake = model.add(brake)
    model.bond("motion", brake.a)
    model.bond(brake.heat, HeatStore("block", 2.0, temperature=300.0))
    return model


def conducting() -> mb.Model:
    model = mb.Model("conducting")
    hot, cold = model.add(mb.Zero("hot")), model.add(mb.Zero("cold"))
    for kind in (mb.Conduction("bar", 0.7), Radiation("glow", 1e-6)):
        bar = model.add(kind)
        model.bond(hot, bar.a)
        model.bond(bar.b, cold)
    model.bond(hot, HeatStore("left", 2.0, temperature=400.0))
    model.bond(cold, HeatStore("right", 3.0, temperature=300.0))
    model.bond(HeatFlow("burner", lambda t: 20 * mb.sin(t)), hot)
    return model


def field() -> mb.Model:
    """Two displacements and three momenta in one energy."""
    model = mb.Model("field")
    energy = "q[0]**2*(1 + p[1]**2) + 0.5*q[1]**2 + p[0]**2 + 0.5*p[1]**2 + p[2]**2 + 0.3*q[1]*p[2]"
    item = model.add(mb.IC("field", energy=energy, displacements=2, momenta=3, start=(0.5, -0.2, 0.3, 0.8, 0.1)))
    model.bond(model.add(mb.One("moved", size=2)), item.c)
    model.bond(model.add(mb.One("driven", size=3)), item.i)
    model.bond("moved", mb.I("masses", (1.0, 2.0)))
    model.bond("driven", mb.R("losses", (0.1, 0.2, 0.3)))
    return model


def wired(item: mb.Element) -> mb.Model:
    """Masses that drag a load through wires, which change the order of components or read the power."""
    model = moving()
    item, load = model.add(item), model.add(mb.One("load", size=3))
    model.bond("motion", item.a)
    model.bond(item.b, load)
    model.bond(load, mb.R("drag", (0.5, 1.0, 1.5)))
    return model


def summed() -> mb.Model:
    model = mb.Model("summed")
    both = model.add(mb.DirectSum("both", 1, 2, more=(1,)))
    for k, size in enumerate((1, 2, 1)):
        one = model.add(mb.One(f"side{k}", size=size))
        model.bond(one, mb.I(f"mass{k}", 1.0 + k, start=1.0 - 0.3 * k))
        model.bond(one, f"both.part_{k + 1}")
    load = model.add(mb.One("load", size=4))
    model.bond(both.whole, load)
    model.bond(load, mb.R("drag", (0.5, 1.0, 1.5, 2.0)))
    return model


def reacting() -> mb.Model:
    model = mb.Model("reacting")
    left, right = model.add(mb.Zero("left")), model.add(mb.Zero("right"))
    decay = model.add(MassAction("decay", 0.5))
    model.bond(left, Solute("A", 1e-3, start=0.2))
    model.bond(right, Solute("B", 1e-3, start=0.05))
    model.bond(left, decay.a)
    model.bond(right, decay.b)
    return model


def following(spring: mb.C) -> mb.Model:
    """Springs that follow what a sensor reads."""
    model = moving(mb.Dq("way", start=(0.1, 0.2, 0.3)), spring)
    model.signal("way.value", f"{spring.name}.displacement")
    return model


def held(stop: mb.Stop) -> mb.Model:
    """A stop that limits what a sensor reads."""
    model = moving(mb.Dq("way"), stop)
    model.signal("way.value", f"{stop.name}.displacement")
    return model


SMOOTH: dict[str, Callable[[], mb.Model]] = {
    "C by its effort": lambda: moving(mb.C("hard", effort=lambda q: 2 * q + q**3, start=(0.1, 0.2, -0.1))),
    "C by its efforts": lambda: moving(mb.C("hard", effort="[q[0]**3, 2*q[1], sin(q[2])]")),
    "C by coupled efforts": lambda: moving(mb.C("hard", effort="[q[0] + 0.4*q[1], 2*q[1] + 0.4*q[0], q[2]**3]")),
    "C by its energy": lambda: moving(mb.C("hard", energy="q[0]**2 + q[1]**2*q[2]**2 + q[2]**2", start=STARTS)),
    "C by an energy each": lambda: moving(mb.C("hard", energy=lambda q: q**2 + q**4, size=3)),
    "C that follows": lambda: following(mb.C("hard", 0.5, rest=(0.1, -0.1, 0.2))),
    "C with a law that follows": lambda: following(mb.C("hard", effort=lambda q: q + q**3, rest=0.1, size=3)),
    "C field that follows": lambda: following(mb.C("hard", np.eye(3) + 0.1, rest=0.1, size=3)),
    "I by its flow": lambda: pressing(mb.I("coil", flow=lambda p: p + p**3, start=(0.1, 0.2, -0.1))),
    "I by coupled flows": lambda: pressing(mb.I("coil", flow="[p[0] + 0.4*p[1], 2*p[1] + 0.4*p[0], p[2]**3]")),
    "I by its energy": lambda: pressing(mb.I("coil", energy="p[0]**2 + p[1]**2*p[2]**2 + p[2]**2", start=STARTS)),
    "IC": field,
    "R by its effort": lambda: moving(mb.R("brake", effort=lambda f: f + f**3)),
    "R by its efforts": lambda: moving(mb.R("brake", effort="[f[0]**3, f[1], tanh(f[2])]")),
    "R by coupled efforts": lambda: moving(mb.R("brake", effort="[f[0] + 2*f[1], f[1]**3 - 2*f[0], f[2]]")),
    "R by its flow": lambda: pressing(mb.R("leak", flow=lambda e: mb.tanh(e))),
    "R of an active law": lambda: moving(mb.R("spark", effort=lambda f: f**3 / 3 - f, active=True, size=3)),
    "G": lambda: pressing(mb.G("leak", (0.5, 0.0, 2.0))),
    "G field": lambda: pressing(mb.G("leak", np.eye(3) + 0.3)),
    "RS": lambda: heated(mb.RS("brake", (0.5, 1.0, 2.0))),
    "RS field": lambda: heated(mb.RS("brake", np.eye(3) + 0.3)),
    "RS by its effort": lambda: heated(mb.RS("brake", effort=lambda f: f + f**3, size=3)),
    "Conduction": conducting,
    "Gyristor": lambda: moving(mb.Gyristor("turn", SKEW)),
    "Gyristor fed": lambda: fed(mb.Gyristor, "input", "[0, t, 0, -t, 0.1, 1, 0, -1, sin(t)]"),
    "MSe": lambda: fed(mb.MSe, "effort", "[sin(t), cos(2*t), exp(-t)]"),
    "MSf": lambda: pressing_with_flow(),
    "MR": lambda: fed(MR, "resistance", "[1 + sin(t), 0.5, exp(-t)]"),
    "Se of formulas": lambda: moving(mb.Se("push", "[sin(t), 0.5, exp(-t)]")),
    "Se of one formula": lambda: moving(mb.Se("push", lambda t: mb.sin(t))),
    "Turbulent": lambda: pressing(Turbulent("orifice", (0.5, 0.6, 0.7), laminar=(0.1, 0.2, 0.3))),
    "Turbulent, fed": lambda: fed_orifice(),
    "Gas": lambda: gas(),
    "Permutation": lambda: wired(mb.Permutation("wires", (2, 0, 1))),
    "PowerSensor": lambda: wired(mb.PowerSensor("meter")),
    "DirectSum": summed,
    "Solute": reacting,
}


def pressing_with_flow() -> mb.Model:
    model = pressing(mb.R("leak", (1.0, 2.0, 3.0)))
    model.bond(mb.MSf("pump", size=3), "level")
    model.add(mb.blocks.Function("drive", "[sin(t), cos(2*t), exp(-t)]"))
    model.signal("drive.y", "pump.flow")
    return model


def fed_orifice() -> mb.Model:
    model = pressing(Turbulent("orifice", (0.5, 0.6, 0.7), laminar=0.1))
    model.add(mb.blocks.Function("drive", "[1 + sin(t), 0.5, exp(-t)]"))
    model.signal("drive.y", "orifice.opening")
    return model


def gas() -> mb.Model:
    model = mb.Model("gas")
    motion = model.add(mb.One("motion"))
    model.bond(motion, mb.I("piston", 1.0, start=1.0))
    model.bond(motion, Gas("cushion", pressure=1.0, volume=2.0))
    model.bond(mb.Se("outside", 1.0), motion)
    return model


HYBRID: dict[str, Callable[[], mb.Model]] = {
    "Diode": lambda: moving(mb.Diode("valve", on_resistance=0.3, off_conductance=0.2)),
    "Diode, ideal": lambda: moving(mb.Diode("valve", (0.0, 0.3, 0.0))),
    "Diode, said mode": lambda: moving(mb.Diode("valve", 0.0, (0.1, 0.2, 0.3), 1.0, mode="on off on")),
    "Switch": lambda: pressing(mb.Switch("relay", control="[sin(3*t), t, 1 - t]", on_resistance=(0.2, 0.4, 0.8))),
    "Switch, fed": lambda: fed(mb.Switch, "input", "[sin(3*t), t, 1 - t]", on_resistance=0.5, off_conductance=0.1),
    "Friction": lambda: moving(mb.Friction("shoe", (0.5, 1.0, 1.5), static=(0.6, 1.0, 2.0), viscous=0.1)),
    "Friction, Stribeck": lambda: moving(mb.Friction("shoe", 0.5, static=0.7, stribeck=(0.1, 0.2, 0.3))),
    "Friction, pressed": lambda: fed(mb.Friction, "normal", "[0.2, 0.5 + t, exp(-t)]", coulomb=1.0),
    "Stop": lambda: moving(mb.Stop("bumper", lower=-0.2, upper=0.3, restitution=0.6)),
    "Stop, plastic": lambda: moving(mb.Stop("bumper", upper=0.3, start=(0.1, 0.0, -0.2))),
    "Stop, following": lambda: held(mb.Stop("bumper", lower=-0.2, upper=0.3, restitution=0.6, size=3)),
}

MACHINES = SMOOTH | HYBRID
