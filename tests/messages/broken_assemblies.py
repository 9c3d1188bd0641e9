"""Machines put together wrongly, parts without mass, lines without length, and questions that have no answer."""

from __future__ import annotations

import numpy as np

import multibond as mb
from multibond import errors
from multibond import planar as pl
from multibond import spatial as sp
from multibond.examples import chain, slider_crank

from .mechanisms import FOUR, arm, flat_arm, four_bar, mechanism, run, with_part

MODEL, STRUCTURE, SIMULATION = errors.ModelError, errors.StructureError, errors.SimulationError


# -- connections -----------------------------------------------------------------------------------------------------


@mechanism(MODEL, "Revolute 'hip' connected to itself frame_a frame_b", "two different parts")
def hinge_between_a_frame_and_itself(mended: bool) -> object:
    if mended:
        return run(arm())
    model = mb.Model("arm")
    world, hip, foot = model.add(sp.World()), model.add(sp.Revolute("hip")), model.add(sp.Body("foot", 1.0))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, foot.frame)
    model.connect(foot.frame, world.frame)
    return mb.compile(model)


@mechanism(MODEL, "Spring 'coil' connected to itself", "two different parts")
def spring_between_a_frame_and_itself(mended: bool) -> object:
    other = "world.frame" if mended else "foot.frame"
    return run(with_part(flat_arm(pl.Free("fly", (1, 0))), pl.Spring("coil", 3.0, rest=0.2), "foot.frame", other))


@mechanism(errors.WiringError, "'world.frame' 'pin.frame_a' planar", "planar Bridge")
def planar_joint_on_a_spatial_world(mended: bool) -> object:
    model = mb.Model("mixed")
    world, pin = model.add(pl.World() if mended else sp.World()), model.add(pl.Revolute("pin"))
    model.connect(world.frame, pin.frame_a)
    model.connect(pin.frame_b, model.add(pl.Body("bar", 1.0, 1.0)).frame)
    return run(model)


@mechanism(MODEL, "Bridge 'deck' loose spatial", "Connect both")
def bridge_that_leads_nowhere(mended: bool) -> object:
    model = flat_arm(pl.Free("glide"))
    deck = model.add(pl.Bridge("deck"))
    model.connect("foot.frame", deck.planar)
    if mended:
        model.connect(deck.spatial, model.add(sp.Body("load", 1.0, (1, 1, 1))).frame)
    return run(model)


@mechanism(MODEL, "spatial 'deck' fixed already", "a joint between the two")
def bridge_to_the_world(mended: bool) -> object:
    model = flat_arm(pl.Free("glide"))
    model.add(sp.World("space"))
    deck = model.add(pl.Bridge("deck"))
    model.connect("foot.frame", deck.planar)
    if mended:
        return run(with_part(model, sp.Planar("table"), "space.frame", "deck.spatial"))
    model.connect(deck.spatial, "space.frame")
    return mb.compile(model)


@mechanism(MODEL, "world 'a.frame' 'b.frame'", "Add a World")
def two_bodies_in_no_world(mended: bool) -> object:
    model = mb.Model("adrift")
    bodies, hinge = [model.add(sp.Body(name, 1.0, (1, 1, 1))) for name in "ab"], model.add(sp.Revolute("hinge"))
    model.connect(bodies[0].frame, hinge.frame_a)
    model.connect(bodies[1].frame, hinge.frame_b)
    if mended:
        model.add(sp.World())
    return run(model)


@mechanism(MODEL, "world planar", "Add a planar World")
def planar_bodies_in_no_plane(mended: bool) -> object:
    model = arm()
    bodies, pin = [model.add(pl.Body(name, 1.0, 1.0)) for name in ("puck", "disc")], model.add(pl.Revolute("pin"))
    model.connect(bodies[0].frame, pin.frame_a)
    model.connect(bodies[1].frame, pin.frame_b)
    if mended:
        model.add(pl.World("plane"))
    return run(model)


@mechanism(MODEL, "'wall' 'world' fixed twice", "a joint or a rod between")
def wall_on_the_world(mended: bool) -> object:
    model = arm()
    wall = model.add(sp.Fixed("wall", (1, 0, 0)))
    if mended:
        return run(with_part(model, sp.Bushing("mount", stiffness=10.0), wall.frame, "foot.frame"))
    model.connect(wall.frame, "world.frame")
    return mb.compile(model)


@mechanism(MODEL, "Gear 'mesh' loose frame_b", "Connect both")
def wheel_without_its_other(mended: bool) -> object:
    model = mb.Model("gears")
    world, mesh = model.add(sp.World()), model.add(sp.Gear("mesh", ratio=2.0))
    model.connect(world.frame, mesh.bearing)
    model.connect(mesh.frame_a, model.add(sp.Body("wheel", 1.0, (1, 1, 1))).frame)
    if mended:
        model.connect(mesh.frame_b, model.add(sp.Body("pinion", 1.0, (1, 1, 1))).frame)
    return run(model)


@mechanism(MODEL, "rods 'second'", "put a joint into it")
def closed_chain_of_planar_rods(mended: bool) -> object:
    model = flat_arm(pl.Revolute("pin"))
    load = model.add(pl.PointMass("load", 1.0))
    for name in ("first", "second")[: 1 if mended else 2]:
        with_part(model, pl.Rod(name, (1, 0)), "foot.frame", load.frame)
    return run(model)


@mechanism(MODEL, "CutSensor 'cell' loose frame_b", "Connect both")
def cell_with_a_loose_side(mended: bool) -> object:
    model = arm()
    cell = model.add(sp.CutSensor("cell"))
    model.connect("foot.frame", cell.frame_a)
    if mended:
        model.connect(cell.frame_b, model.add(sp.PointMass("load", 1.0)).frame)
    return run(model)


@mechanism(MODEL, "PoseSensor 'camera' not connected", "Connect it")
def camera_that_looks_nowhere(mended: bool) -> object:
    model = arm()
    camera = model.add(sp.PoseSensor("camera"))
    if mended:
        model.connect("foot.frame", camera.frame)
    return run(model)


@mechanism(errors.UnknownName, "Body 'foot' 'frame_1' 'frame'", "known names")
def camera_at_a_frame_that_is_not_there(mended: bool) -> object:
    model = arm()
    camera = model.add(sp.PoseSensor("camera"))
    model.connect("foot.frame" if mended else "foot.frame_1", camera.frame)
    return run(model)


@mechanism(errors.WiringError, "'push.input'", "Connect an output to it")
def force_that_nothing_gives(mended: bool) -> object:
    model = arm()
    push = model.add(sp.WorldForce("push", (1, 0, 0) if mended else None))
    model.connect("foot.frame", push.frame)
    return run(model)


# -- parts without mass ----------------------------------------------------------------------------------------------


@mechanism(STRUCTURE, "'hip' no inertia", "a mass or an inertia")
def torque_on_a_point(mended: bool) -> object:
    bob = sp.Body("bob", 1.0, (1, 1, 1)) if mended else sp.PointMass("bob", 1.0)
    return run(arm(sp.Revolute("hip", torque=1.0), bob))


@mechanism(STRUCTURE, "'ball[0]' no inertia", "a mass or an inertia")
def torque_on_a_point_on_a_ball(mended: bool) -> object:
    load = sp.Body("bob", 1.0, (1, 1, 1)) if mended else sp.PointMass("bob", 1.0)
    return run(arm(sp.Spherical("ball", torque=(1, 0, 0)), load))


@mechanism(STRUCTURE, "'hip' no inertia", "a mass or an inertia")
def torque_about_a_thin_bar(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", axis="x", torque=1.0), sp.Body("bar", 1.0, (0.01 if mended else 0.0, 1, 1))))


@mechanism(STRUCTURE, "'pin' no inertia", "damper or spring")
def torque_on_a_rod_in_the_plane(mended: bool) -> object:
    model = mb.Model("arm")
    world, pin = model.add(pl.World()), model.add(pl.Revolute("pin", torque=1.0, damping=0.1 if mended else 0.0))
    model.connect(world.frame, pin.frame_a)
    model.connect(pin.frame_b, model.add(pl.Rod("rod", (1, 0))).frame_a)
    return run(model)


@mechanism(errors.StartError, "'B' no inertia", "a mass or an inertia")
def torque_on_a_linkage_without_mass(mended: bool) -> object:
    model = four_bar(pl, O={"angle": 1.0, "torque": 1.0})
    for bar in FOUR if not mended else ():
        model.set(f"{bar}.mass", 0.0)
        model.set(f"{bar}.inertia", 0.0)
    return run(model)


@mechanism(errors.StartError, "no inertia", "a mass or an inertia")
def torque_on_a_linkage_in_space_without_mass(mended: bool) -> object:
    model = four_bar(sp, O={"angle": 1.0, "torque": 1.0})
    for bar in FOUR if not mended else ():
        model.set(f"{bar}.mass", 0.0)
        model.set(f"{bar}.inertia", (0.0, 0.0, 0.0))
    return run(model)


# -- points and lines ------------------------------------------------------------------------------------------------


@mechanism(SIMULATION, "'probe' the point that pulls infinite", "Start beside it")
def probe_at_the_centre_of_the_earth(mended: bool) -> object:
    space = sp.Free("space", (1.0 if mended else 0.0, 0, 0))
    return run(arm(space, sp.PointMass("probe", 1.0), sp.World(mu=1.0)))


@mechanism(SIMULATION, "'pull' the point that pulls infinite", "Start beside it")
def two_stars_at_one_place(mended: bool) -> object:
    model = arm(sp.Free("space", (1.0 if mended else 0.0, 0, 0)))
    return run(with_part(model, sp.Attraction("pull", 1.0, 1.0, constant=1.0), "world.frame", "foot.frame"))


@mechanism(SIMULATION, "'rope' no length no direction", "Keep its ends apart")
def rope_between_ends_that_meet(mended: bool) -> object:
    model = arm(sp.Free("space", (1.0 if mended else 0.0, 0, 0)))
    return run(with_part(model, sp.LineForce("rope", 3.0), "world.frame", "foot.frame"))


@mechanism(SIMULATION, "'strut' no length no direction", "a Bushing")
def damper_in_the_plane_between_ends_that_meet(mended: bool) -> object:
    model = flat_arm(pl.Free("fly", velocity=(1, 0)))
    return run(
        with_part(model, pl.Bushing("strut") if mended else pl.Damper("strut", 3.0), "world.frame", "foot.frame")
    )


@mechanism(SIMULATION, "'strut' no length no direction", "rest=0")
def damped_spring_between_ends_that_meet(mended: bool) -> object:
    model = arm(sp.Free("space", velocity=(1, 0, 0)))
    part = sp.Spring("strut", 3.0) if mended else sp.SpringDamper("strut", 3.0, 0.5)
    return run(with_part(model, part, "world.frame", "foot.frame"))


# -- questions -------------------------------------------------------------------------------------------------------


@mechanism(SIMULATION, "equilibrium 'space", "Hold it by a spring")
def equilibrium_of_a_body_that_falls(mended: bool) -> object:
    model = arm(sp.Free("space"))
    return mb.equilibrium(with_part(model, sp.Spring("coil", 20.0), "world.frame", "foot.frame") if mended else model)


@mechanism(errors.StartError, "'guide.position' 5 1.2", "Begin within its range")
def slider_led_out_of_reach(mended: bool) -> object:
    return mb.sweep(slider_crank(), "O.angle" if mended else "guide.position", [0.5 if mended else 5.0])


@mechanism(errors.ParameterError, "'O.angle' No value", "np.linspace")
def sweep_through_nothing(mended: bool) -> object:
    return mb.sweep(slider_crank(), "O.angle", np.linspace(0, 1, 5) if mended else [])


@mechanism(MODEL, "'ball.quaternion' 4 components", "one coordinate of a joint")
def sweep_of_an_attitude(mended: bool) -> object:
    ball = sp.Spherical("ball", sequence="xyz") if mended else sp.Spherical("ball")
    return mb.sweep(arm(ball), "ball.angles[0]" if mended else "ball.quaternion", [0.0, 0.1])


@mechanism(errors.UnknownName, "'O.angel' 'O.angle'", "coordinate of a joint")
def assembly_of_a_misspelt_joint(mended: bool) -> object:
    return mb.assemble(slider_crank())["O.angle" if mended else "O.angel"]


@mechanism(MODEL, "2 accelerations hip", "mapping by name")
def inverse_dynamics_of_too_many_joints(mended: bool) -> object:
    system = mb.compile(arm())
    return system.inverse_dynamics(system.x0, [1.0] if mended else [1.0, 2.0])


@mechanism(errors.UnknownName, "'knee' 'hip'", "known names")
def inverse_dynamics_of_a_joint_that_is_not_there(mended: bool) -> object:
    system = mb.compile(arm())
    return system.inverse_dynamics(system.x0, {"hip" if mended else "knee": 1.0})


@mechanism(errors.UnknownName, "'hand.frame'", "frames of parts")
def jacobian_of_a_hand_that_is_not_there(mended: bool) -> object:
    system = mb.compile(arm())
    return system.jacobian(system.x0, "foot.frame" if mended else "hand.frame")


@mechanism(errors.ParameterError, "reaction_force[0]", 'form="line"')
def crossing_of_a_force_in_a_long_chain(mended: bool) -> object:
    model = chain(4)
    joint = next(item.name for item in model.components if isinstance(item, sp.Revolute))
    system = mb.compile(model, form="line" if mended else "loops")
    return mb.simulate(system, 0.1, events={f"{joint}.reaction_force[0]": 0.0})
