"""Models with one connection wrong each: names, ports, sizes, signals."""

from __future__ import annotations

import multibond as mb
from multibond import electrical as el
from multibond import errors
from multibond import rotational as ro
from multibond import spatial as sp

from .broken import broken


def axle(*items: mb.Element, size: int | None = None) -> mb.Model:
    """Elements on one 1-junction."""
    model = mb.Model("drive")
    speed = model.add(mb.One("speed", size=size))
    for item in items:
        model.bond(speed, item)
    return model


def reading_a_frame() -> mb.Model:
    """A signal that leads from a frame to a gain."""
    model = mb.Model("swing")
    world, hinge, bar = model.add(sp.World()), model.add(sp.Revolute("hinge")), model.add(sp.Body("bar", 1.0))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bar.frame)
    gain = model.add(mb.blocks.Gain("gain", 2.0))
    model.signal("hinge.frame_a", gain.u)
    return model


@broken(errors.ModelError, "'hinge.frame_a' frame", "connect()")
def signal_at_a_frame() -> object:
    return mb.check(reading_a_frame())


@broken(errors.WiringError, "'hinge.frame_a' frame", "connect()")
def signal_at_a_frame_unchecked() -> object:
    return mb.expand(reading_a_frame())


# -- names -----------------------------------------------------------------------------------------------------------


@broken(errors.ModelError, "'drive' 'brake' R('brake'", "own name")
def name_taken_by_another_kind() -> object:
    return axle(mb.R("brake", 1.0), mb.C("brake", 1.0))


@broken(errors.ModelError, "'drive' 'brake' R('brake'", "own name")
def name_taken_by_the_same_kind() -> object:
    return axle(mb.I("wheel", 1.0), mb.R("brake", 1.0), mb.R("brake", 2.0))


@broken(errors.ModelError, "'drive' 'speed' One('speed'", "own name")
def junction_of_another_model() -> object:
    return axle(mb.I("wheel", 1.0)).bond(mb.Se("push", 1.0), axle()["speed"])


@broken(errors.WiringError, "'brake' R 1", "two names")
def bonded_twice() -> object:
    model = axle(mb.I("wheel", 1.0), mb.R("brake", 1.0))
    model.bond("speed", "brake")
    return mb.compile(model)


@broken(errors.UnknownName, "'drive' 'spring' 'speed'", "add(spring")
def bond_to_what_is_not_there() -> object:
    return axle(mb.I("wheel", 1.0)).bond("speed", "spring")


@broken(errors.UnknownName, "TF 'gear' 'inlet' 'a', 'b'", "known names")
def bond_to_an_unknown_port() -> object:
    model = axle()
    model.add(mb.TF("gear", 2.0))
    return model.bond("speed", "gear.inlet")


@broken(errors.UnknownName, "'wheel' 'mass' 'inertia'", "known names")
def parameter_that_is_not_there() -> object:
    return axle(mb.I("wheel", 1.0)).set("wheel.mass", 2.0)


@broken(errors.ModelError, "'speed' 'drive'", "another")
def rename_to_a_taken_name() -> object:
    return axle(mb.I("wheel", 1.0)).rename("wheel", "speed")


@broken(errors.UnknownName, "'drive' 'weel' 'wheel'", "one of these")
def remove_what_is_not_there() -> object:
    return axle(mb.I("wheel", 1.0)).remove("weel")


@broken(errors.UnknownName, "'weel' 'wheel'", "known names")
def open_what_is_not_there() -> object:
    return axle(mb.I("wheel", 1.0)).open("weel")


@broken(errors.ModelError, "'two words'", "another name")
def port_of_two_words() -> object:
    return axle(mb.I("wheel", 1.0)).expose("two words", "wheel.port")


# -- bonds and connections -------------------------------------------------------------------------------------------


@broken(errors.ModelError, "'drive' 3", "Add parts")
def number_as_a_component() -> object:
    return mb.Model("drive").add(3)


@broken(errors.ModelError, "'speed' itself", "Remove")
def bond_from_a_junction_to_itself() -> object:
    model = axle(mb.I("wheel", 1.0))
    model.bond("speed", "speed")
    return mb.compile(model)


@broken(errors.WiringError, "Body('foot'", "connect()")
def bond_to_a_part() -> object:
    model = axle()
    return model.bond("speed", model.add(sp.Body("foot", mass=1.0)))


@broken(errors.WiringError, "'left' left.flange", "one of these")
def connection_without_a_port() -> object:
    model = mb.Model("drive")
    return model.connect(model.add(ro.Inertia("left", 1.0)), model.add(ro.Inertia("right", 1.0)))


@broken(errors.WiringError, "1", "both ends")
def connection_of_one_port() -> object:
    model = mb.Model("drive")
    return model.connect(model.add(ro.Inertia("left", 1.0)).flange)


@broken(errors.WiringError, "'left.flange' itself 2 times", "each port once")
def connection_of_a_port_to_itself() -> object:
    model = mb.Model("drive")
    left, right = model.add(ro.Inertia("left", 1.0)), model.add(ro.Inertia("right", 1.0))
    return model.connect(left.flange, right.flange, "left.flange")


@broken(errors.WiringError, "'lamp.pin_p' 'wheel.flange' electrical rotation", "one kind")
def pin_on_a_shaft() -> object:
    model = mb.Model("drive")
    lamp, wheel = model.add(el.Resistor("lamp", 1.0)), model.add(ro.Inertia("wheel", 1.0))
    return model.connect(lamp.pin_p, wheel.flange)


@broken(errors.WiringError, "'spring' 3 'speed' 2", "same size")
def law_of_too_many_components() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0), mb.C("spring", effort="[q[0], q[1], q[2]]"), size=2))


@broken(errors.ModelError, "Conduction 'bar' 1 of 2", "junction")
def bar_with_a_loose_end() -> object:
    model = mb.Model("plate")
    model.bond(model.add(mb.Zero("hot")), model.add(mb.Conduction("bar", 1.0)).a)
    return mb.compile(model)


# -- signals ---------------------------------------------------------------------------------------------------------


@broken(errors.ModelError, "MSe 'motor' 'effort'", "Lead")
def source_that_nothing_feeds() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0), mb.MSe("motor")))


@broken(errors.ModelError, "Gyristor 'turn' 'input'", "Lead")
def gyristor_without_a_matrix() -> object:
    return mb.compile(axle(mb.I("wheel", 1.0), mb.Gyristor("turn")))


@broken(errors.WiringError, "None", "port")
def parameter_in_the_place_of_a_port() -> object:
    model = axle(mb.I("wheel", 1.0))
    turn = model.add(mb.Gyristor("turn"))
    model.add(mb.blocks.Constant("one", 1.0))
    return model.signal("one.y", turn.modulus)


@broken(errors.WiringError, "meter.value gain.u [1, 2]", "one size")
def signals_of_different_sizes() -> object:
    model = axle(mb.I("wheel", (1.0, 2.0)), mb.Df("meter", size=2))
    model.add(mb.blocks.Gain("gain", 2.0))
    model.signal("meter.value", "gain.u")
    return mb.compile(model)


@broken(errors.WiringError, "'meter.value' 3 'motor.effort'", "one of them")
def component_of_a_signal_that_is_not_there() -> object:
    model = axle(mb.I("wheel", (1.0, 2.0)), mb.Df("meter", size=2), mb.MSe("motor", size=2))
    model.signal("meter.value[3]", "motor.effort")
    return mb.compile(model)


@broken(errors.WiringError, "'one.y', 'two.y'", "only one")
def signal_from_two_sides() -> object:
    model = axle(mb.I("wheel", 1.0), mb.MSe("motor"))
    for name in ("one", "two"):
        model.add(mb.blocks.Constant(name, 1.0))
        model.signal(f"{name}.y", "motor.effort")
    return mb.compile(model)


@broken(errors.WiringError, "'wheel.port' power port", "signals join")
def signal_to_a_power_port() -> object:
    model = axle(mb.I("wheel", 1.0))
    model.add(mb.blocks.Constant("one", 1.0))
    model.signal("one.y", "wheel.port")
    return mb.compile(model)


@broken(errors.StructureError, "'first'", "gain")
def signals_that_chase_one_another() -> object:
    model = mb.Model("chase")
    model.add(mb.blocks.Gain("first", 2.0))
    model.add(mb.blocks.Gain("second", 0.5))
    model.signal("first.y", "second.u")
    model.signal("second.y", "first.u")
    return mb.compile(model)
