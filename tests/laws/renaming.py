"""Models under other names: every component of every level renamed, and how a name of before is called afterwards."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import multibond as mb
from multibond import I, One, Se
from multibond import planar as pl
from multibond import spatial as sp
from multibond.graph.model import Sheet, Submodel
from multibond.own import FramePort, Inside, Number, Part, Port, component, parameter

POOL = [
    *(
        "motion",
        "mass",
        "gravity",
        "free",
        "drive",
        "inertia",
        "world",
        "hold_rotation",
        "stop",
        "parasitic_c",
        "w",
        "v",
    ),
    *("frame_a", "coordinates", "speeds", "rotation", "position", "centre", "shift", "weight", "sensor", "origin", "q"),
    *(
        "j10",
        "j2",
        "B",
        "a",
        "zz",
        "Angle",
        "motion-mass",
        "k_1",
        "k_10",
        "driver",
        "translation",
        "friction",
        "u",
        "e",
    ),
]
"""Names that mean something inside parts, and names in another order than what they stand for."""


@dataclass
class Renamed:
    """A model under other names; paths: the new path of every component by its old one."""

    model: mb.Model
    paths: dict[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        """What a variable, joint or element of the first model is called in this one."""
        parts = name.split(".")
        known = [".".join(parts[:k]) for k in range(len(parts), 0, -1)]
        path = next((p for p in known if p.partition("[")[0] in self.paths), "")
        base, bracket, lane = path.partition("[")
        return f"{self.paths[base]}{bracket}{lane}{name[len(path) :]}" if path else name


def renamed(model: mb.Model, seed: int) -> Renamed:
    """The same machine with random names; the order in which its parts were added stays."""
    found = Renamed(mb.Model(model.name, size=model.size))
    found.model.sheet = _sheet(model.sheet, "", "", random.Random(seed), found.paths)
    return found


def _sheet(sheet: Sheet, old: str, new: str, chance: random.Random, paths: dict[str, str]) -> Sheet:
    twin = mb.Model("level")
    twin.sheet = sheet
    names = [item.name for item in twin.components]
    spare = [f"n{k}" for k in range(1, 400)]
    pool = POOL if len(names) <= len(POOL) else [*POOL, *spare]
    for name in names:
        twin.rename(name, f"was-{name}")
    for name, word in zip(names, chance.sample(pool, len(names)), strict=True):
        twin.rename(f"was-{name}", word)
        paths[f"{old}{name}"] = f"{new}{word}"
    components = {
        k: replace(item, sheet=_sheet(item.sheet, f"{old}{before}.", f"{new}{item.name}.", chance, paths))
        if isinstance(item, Submodel)
        else item
        for (k, item), before in zip(twin.sheet.components.items(), names, strict=True)
    }
    return replace(twin.sheet, components=components)


# -- machines that hang on names where anything does -------------------------------------------------------------------


@component
class Lump(Part):
    """A user's body whose elements are called as no body's of the house are."""

    amount: Number = parameter(unit="kg", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("place"),)

    def build(self, inside: Inside) -> None:
        v = inside.add(One("gravity", size=3))
        inside.bond(inside.frame("place").translation, v)
        inside.bond(v, inside.add(I("lump", self.amount, size=3)))
        inside.bond(inside.add(Se("mass", (0.0, -9.81 * 1.5, 0.0), size=3, role="gravity")), v)


def cylinders() -> mb.Model:
    """World, joint, cylinder, joint, box, ball."""
    model = mb.Model("cylinders")
    end = model.add(sp.World()).frame
    parts = (sp.Cylinder("c1", (0.5, 0, 0), diameter=0.08), sp.Box("c2", (0.4, 0.2, 0), width=0.1, height=0.05))
    for k, part in enumerate(parts):
        joint, solid = model.add(sp.Revolute(f"a{k + 1}", "z", angle=0.5 - 0.1 * k)), model.add(part)
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, solid.frame_a)
        end = solid.frame_b
    model.connect(end, model.add(sp.Sphere("ball", diameter=0.15)).frame_a)
    return model


def lumps() -> mb.Model:
    """A user's bodies on a double pendulum that is driven, damped and stopped."""
    model = mb.Model("lumps")
    end = model.add(sp.World()).frame
    for k in range(2):
        joint = model.add(sp.Revolute(f"j{k}", "z", angle=0.4, torque=1.5 if k else None, damping=0.1))
        rod, lump = model.add(sp.Rod(f"r{k}", (0.3, 0, 0))), model.add(Lump(f"b{k}", 1.5))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, lump.place)
        end = rod.frame_b
    return model


def nested() -> mb.Model:
    """Legs as models within a model, and a body that nothing holds."""
    leg = mb.Model("leg")
    hip, shin = leg.add(sp.Revolute("hip", "z", angle=0.3, stiffness=3.0)), leg.add(sp.Rod("shin", (0, -0.4, 0)))
    foot = leg.add(sp.Body("foot", 1.2, (0.02, 0.01, 0.02), centre=(0.02, 0, 0)))
    leg.connect(hip.frame_b, shin.frame_a)
    leg.connect(shin.frame_b, foot.frame)
    leg.expose("top", hip.frame_a)
    model = mb.Model("nested")
    world, trunk = model.add(sp.World(gravity=(0, -3.0, 0))), model.add(sp.Body("trunk", 3.0, (0.1, 0.1, 0.1)))
    one, two = model.add(leg, name="one"), model.add(leg, name="two")
    spring = model.add(sp.Spring("hook", 400.0))
    model.connect(world.frame, spring.frame_a)
    model.connect(trunk.frame, spring.frame_b, one.top, two.top)
    return model


def flat() -> mb.Model:
    """A planar double pendulum with a damper."""
    model = mb.Model("flat")
    world, a, b = (
        model.add(pl.World()),
        model.add(pl.Revolute("a", angle=0.4, damping=0.2)),
        model.add(pl.Revolute("b")),
    )
    rod, one = model.add(pl.Rod("rod", (0.5, 0))), model.add(pl.Body("one", 1.0, 0.02))
    two = model.add(pl.Body("two", 0.5, 0.01, centre=(0.3, 0)))
    model.connect(world.frame, a.frame_a)
    model.connect(a.frame_b, rod.frame_a)
    model.connect(rod.frame_b, one.frame, b.frame_a)
    model.connect(b.frame_b, two.frame)
    return model


def flat_crank() -> mb.Model:
    """A planar slider crank on a spring, whose loop closes in a position that is guessed."""
    model = mb.Model("flat_crank")
    world, turn = model.add(pl.World()), model.add(pl.Revolute("turn", angle=0.6, speed=2.0))
    knee, pin = model.add(pl.Revolute("knee", angle=mb.Guess(-1.0))), model.add(pl.Revolute("pin"))
    rail = model.add(pl.Prismatic("rail", (1, 0), position=mb.Guess(0.5), stiffness=20.0))
    crank, rod = model.add(pl.Rod("crank", (0.2, 0))), model.add(pl.Rod("rod", (0.5, 0)))
    one, two = (
        model.add(pl.Body("one", 1.0, 0.01, centre=(0.1, 0))),
        model.add(pl.Body("two", 1.0, 0.02, centre=(0.25, 0))),
    )
    piston = model.add(pl.Body("piston", 2.0, 0.1))
    model.connect(world.frame, turn.frame_a, rail.frame_a)
    model.connect(turn.frame_b, crank.frame_a, one.frame)
    model.connect(crank.frame_b, knee.frame_a)
    model.connect(knee.frame_b, rod.frame_a, two.frame)
    model.connect(rod.frame_b, pin.frame_a)
    model.connect(rail.frame_b, pin.frame_b, piston.frame)
    return model
