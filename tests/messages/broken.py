"""Machines with one thing wrong each, and what the error must say: the type, the user's names, and a cure."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import multibond as mb
from multibond import errors
from multibond import spatial as sp
from multibond.examples import slider_crank
from multibond.graph.file import from_data

Fault = type[errors.MultibondError]


@dataclass(frozen=True)
class Broken:
    """A way to go wrong."""

    name: str
    do: Callable[[], object]
    error: Fault
    names: tuple[str, ...]
    cure: str


BROKEN: list[Broken] = []


def broken(error: Fault, names: str, cure: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register a broken machine: the error it raises, the names its message holds, a word of the cure."""

    def register(do: Callable[[], object]) -> Callable[[], object]:
        BROKEN.append(Broken(do.__name__, do, error, tuple(names.split()), cure))
        return do

    return register


def hinge(**joint: object) -> mb.Model:
    """A world and a hinge; what hangs on it is up to the test."""
    model = mb.Model("pendulum")
    world = model.add(sp.World())
    hip = model.add(sp.Revolute("hip", **joint))  # type: ignore[arg-type]
    model.connect(world.frame, hip.frame_a)
    return model


@broken(errors.WiringError, "rotor w", "same size")
def wrong_size() -> object:
    m = mb.Model("top")
    w = m.add(mb.One("w", size=1))
    m.bond(w, mb.I("rotor", (1.0, 2.0, 3.0)))
    return mb.compile(m)


@broken(errors.ModelError, "top.frame", "World")
def missing_world() -> object:
    m = mb.Model("top")
    m.add(sp.Body("top", mass=1.0, inertia=(1, 2, 3)))
    return mb.compile(m)


@broken(errors.CausalityError, "slider drive wall", "Remove")
def two_sources_fighting() -> object:
    m = mb.Model("press")
    slider = m.add(mb.One("slider"))
    m.bond(mb.Sf("drive", 1.0), slider)
    m.bond(mb.Sf("wall", 0.0), slider)
    m.bond(slider, mb.R("oil", 1.0))
    return mb.compile(m)


@broken(errors.CausalityError, "tank pump leak", "C")
def nothing_sets_the_effort() -> object:
    m = mb.Model("hydraulics")
    tank = m.add(mb.Zero("tank"))
    m.bond(mb.Sf("pump", 1.0), tank)
    m.bond(tank, mb.Sf("leak", 1.0))
    return mb.compile(m)


@broken(errors.StartError, "C guide O", "fewer start values")
def impossible_start() -> object:
    m = slider_crank()
    m.set("guide.position", 2.0)
    return mb.compile(m)


@broken(errors.StartError, "C guide O", "lengths")
def loop_that_cannot_close() -> object:
    m = slider_crank()
    m.set("rod_rod.vector", (0.05, 0.0, 0.0))
    m.set("O.angle", np.pi / 2)
    return mb.compile(m)


@broken(errors.StructureError, "C B O guide", "axes are parallel")
def toed_in_loop() -> object:
    m = slider_crank()
    m.set("C.axis", (0.0, 0.05, 1.0))
    return mb.compile(m)


@broken(errors.StartError, "O guide", "fewer speeds")
def contradictory_speeds() -> object:
    m = slider_crank()
    m.set("guide.speed", 3.0)
    return mb.compile(m)


@broken(errors.ParameterError, "foot", "allow_unphysical")
def unphysical_inertia() -> object:
    return sp.Body("foot", mass=1.0, inertia=(1.0, 1.0, 3.0))


@broken(errors.ParameterError, "foot mass", "value")
def negative_mass() -> object:
    return sp.Body("foot", mass=-1.0)


@broken(errors.ParameterError, "hip damping", "value")
def not_a_number() -> object:
    return sp.Revolute("hip", damping=float("nan"))


@broken(errors.ParameterError, "hip axis", "value")
def axis_of_nothing() -> object:
    return sp.Revolute("hip", axis="w")


@broken(errors.ModelError, "hip frame_b", "both frames")
def loose_joint() -> object:
    return mb.compile(hinge())


@broken(errors.StructureError, "hip", "inertia")
def torque_on_nothing() -> object:
    m = hinge(torque=1.0)
    rod = m.add(sp.Rod("rod", (1.0, 0.0, 0.0)))
    m.connect("hip.frame_b", rod.frame_a)
    return mb.compile(m)


@broken(errors.ModelError, "world", "own name")
def two_of_a_name() -> object:
    m = hinge()
    return m.add(sp.World())


@broken(errors.WiringError, "world.frame hip.flange", "one kind")
def frame_to_flange() -> object:
    m = hinge()
    return m.connect("world.frame", "hip.flange")


@broken(errors.ModelError, "gear", "junction")
def transformer_with_one_bond() -> object:
    m = mb.Model("gearbox")
    w = m.add(mb.One("w"))
    m.bond(mb.Se("motor", 1.0), w)
    m.bond(w, mb.TF("gear", 2.0))
    return mb.compile(m)


@broken(errors.WiringError, "battery", "junction")
def source_with_two_bonds() -> object:
    m = mb.Model("circuit")
    battery = m.add(mb.Se("battery", 1.0))
    m.bond(battery, mb.R("a", 1.0))
    m.bond(battery, mb.R("b", 1.0))
    return mb.compile(m)


@broken(errors.ModelError, "second", "joint")
def closed_chain_of_rods() -> object:
    m = hinge()
    rods = [m.add(sp.Rod(name, (1.0, 0.0, 0.0))) for name in ("first", "second")]
    foot = m.add(sp.Body("foot", mass=1.0))
    m.connect("hip.frame_b", *(rod.frame_a for rod in rods))
    m.connect(foot.frame, *(rod.frame_b for rod in rods))
    return mb.compile(m)


@broken(errors.UnknownName, "hip.angel hip.angle", "offers")
def misspelt_variable() -> object:
    m = hinge()
    foot = m.add(sp.Body("foot", mass=1.0, centre=(0.5, 0.0, 0.0)))
    m.connect("hip.frame_b", foot.frame)
    return mb.simulate(m, 0.1)["hip.angel"]


@broken(errors.UnknownName, "foot mas mass", "known names")
def misspelt_parameter() -> object:
    m = hinge()
    foot = m.add(sp.Body("foot", mass=1.0, centre=(0.5, 0.0, 0.0)))
    m.connect("hip.frame_b", foot.frame)
    return mb.with_parameters(mb.compile(m), {"foot.mas": 2.0})


@broken(errors.ModelError, "moon", "one World")
def two_worlds() -> object:
    m = hinge()
    m.add(sp.World("moon", gravity=(0.0, -1.62, 0.0)))
    foot = m.add(sp.Body("foot", mass=1.0))
    m.connect("hip.frame_b", foot.frame)
    return mb.compile(m)


@broken(errors.ParameterError, "foot mass", "value")
def parameter_of_a_system() -> object:
    m = hinge()
    foot = m.add(sp.Body("foot", mass=1.0, centre=(0.5, 0.0, 0.0)))
    m.connect("hip.frame_b", foot.frame)
    return mb.with_parameters(mb.compile(m), {"foot.mass": -2.0})


@broken(errors.ModelError, "depth", "Choose")
def depth_that_is_not_there() -> object:
    return slider_crank().open(depth=4)


@broken(errors.ModelError, "nothing", "Add parts")
def empty_model() -> object:
    return mb.compile(mb.Model("nothing"))


@broken(errors.ModelError, "drive my_parts.Motor types=my_parts", "--with my_parts")
def type_that_nobody_knows() -> object:
    entries = [{"name": "drive", "type": "my_parts.Motor", "parameters": {"gain": 2.0}}]
    return mb.compile(from_data({"format": "multibond", "version": 1, "name": "m", "components": entries}))


@broken(errors.ModelError, "top.most", "Choose another")
def port_with_a_dot() -> object:
    return hinge().expose("top.most", "hip.frame_b")


@broken(errors.WiringError, "hip frame_a frame_b", "Name one")
def port_that_is_not_named() -> object:
    m = hinge()
    return m.expose("top", m["hip"])  # type: ignore[arg-type]


@broken(errors.UnknownName, "frame_b[0] hip", "known names")
def one_component_of_a_frame() -> object:
    m = hinge()
    foot = m.add(sp.Body("foot", mass=1.0))
    return m.connect("hip.frame_b[0]", foot.frame)
