"""Joints with a value that cannot be meant: axes, attitudes, stops, paths, starts; each with its cure."""

from __future__ import annotations

import numpy as np

import multibond as mb
from multibond import errors
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples import slider_crank

from .mechanisms import arm, flat_arm, geared, mechanism, run

PARAMETER, START = errors.ParameterError, errors.StartError


# -- axes and attitudes ----------------------------------------------------------------------------------------------


@mechanism(PARAMETER, "Revolute 'hip' axis direction", "value for axis")
def hinge_about_nothing(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", axis=(0, 0, 1) if mended else (0, 0, 0))))


@mechanism(PARAMETER, "Universal 'cross' perpendicular", "perpendicular")
def cardan_joint_with_parallel_axes(mended: bool) -> object:
    return run(arm(sp.Universal("cross", axis="x", second_axis="y" if mended else "x")))


@mechanism(PARAMETER, "Planar 'plate' perpendicular", "perpendicular")
def plates_that_slide_through_one_another(mended: bool) -> object:
    return run(arm(sp.Planar("plate", axis="z", along="x" if mended else "z")))


@mechanism(PARAMETER, "Joint 'slot' slides perpendicular", "perpendicular")
def slot_with_skew_slides(mended: bool) -> object:
    return run(flat_arm(pl.Joint("slot", turns=True, slides=[(1, 0), (0, 1) if mended else (1, 1)])))


@mechanism(PARAMETER, "Prismatic 'rail' axis direction", "value for axis")
def rail_without_a_direction(mended: bool) -> object:
    return run(flat_arm(pl.Prismatic("rail", axis=(1, 1) if mended else (0, 0))))


@mechanism(PARAMETER, "Telescope 'boom' direction zero", "vector from a to b")
def boom_without_a_direction(mended: bool) -> object:
    return run(flat_arm(pl.Telescope("boom", (2, 1) if mended else (0, 0))))


@mechanism(PARAMETER, "Spherical 'ball' sequence 2 three", "three axes")
def ball_with_two_angles(mended: bool) -> object:
    return run(arm(sp.Spherical("ball", sequence="xzy" if mended else "xz")))


@mechanism(PARAMETER, "Spherical 'ball' perpendicular", "perpendicular")
def ball_that_turns_twice_about_one_axis(mended: bool) -> object:
    return run(arm(sp.Spherical("ball", sequence="xyz" if mended else "xxz")))


@mechanism(PARAMETER, "Spherical 'ball' quaternion angles sequence", "Give angles instead")
def ball_by_angles_that_starts_at_a_quaternion(mended: bool) -> object:
    start = {"angles": (0, 0.5, 0)} if mended else {"quaternion": (1, 0, 0, 0)}
    return run(arm(sp.Spherical("ball", sequence="xyz", **start)))


@mechanism(PARAMETER, "Free 'space' angles quaternion", "quaternion instead")
def free_body_that_starts_at_angles_of_no_sequence(mended: bool) -> object:
    return run(arm(sp.Free("space", angles=(0, 0.5, 0), sequence="xyz" if mended else ())))


@mechanism(PARAMETER, "Free 'space' quaternion zero", "(1, 0, 0, 0)")
def free_body_with_no_attitude(mended: bool) -> object:
    return run(arm(sp.Free("space", quaternion=(1 if mended else 0, 0, 0, 0))))


@mechanism(START, "'ball' second angle 90° first and third axis", "quaternion")
def ball_by_angles_that_starts_at_their_end(mended: bool) -> object:
    angled = {} if mended else {"sequence": "xyz", "angles": (0.1, np.pi / 2, 0.3)}
    return run(arm(sp.Spherical("ball", **angled)))


@mechanism(errors.SimulationError, "'space' 90° s:", "`sequence`")
def free_body_that_tumbles_to_the_end_of_its_angles(mended: bool) -> object:
    sequence = {} if mended else {"sequence": "zyx"}
    return run(arm(sp.Free("space", angular_velocity=(0, 3, 0), **sequence), sp.Body("foot", 1.0, (1, 2, 2))), 1.0)


# -- numbers ---------------------------------------------------------------------------------------------------------


@mechanism(PARAMETER, "Screw 'spindle' pitch zero", "value for pitch")
def screw_without_a_pitch(mended: bool) -> object:
    return run(arm(sp.Screw("spindle", pitch=0.01 if mended else 0.0)))


@mechanism(PARAMETER, "Gear 'mesh' ratio zero", "value for ratio")
def wheels_of_no_ratio(mended: bool) -> object:
    model = mb.Model("gears")
    world, mesh = model.add(sp.World()), model.add(sp.Gear("mesh", ratio=-2.0 if mended else 0.0))
    model.connect(world.frame, mesh.bearing)
    for side in ("frame_a", "frame_b"):
        model.connect(getattr(mesh, side), model.add(sp.Body(f"wheel_{side}", 1.0, (1, 1, 1))).frame)
    return run(model)


@mechanism(PARAMETER, "Gear 'box' ratio zero", "value for ratio")
def gearbox_of_no_ratio(mended: bool) -> object:
    model = arm()
    box, rotor = model.add(ro.Gear("box", 50.0 if mended else 0.0)), model.add(ro.Inertia("rotor", 1e-4))
    model.connect(rotor.flange, box.flange_a)
    model.connect(box.flange_b, "hip.flange")
    return run(model)


@mechanism(PARAMETER, "Coupling 'link' ratios zero", "value for ratios")
def coupling_that_leaves_a_joint_out(mended: bool) -> object:
    ratios = (1.0, 2.0 if mended else 0.0)
    return run(geared(sp.Coupling("link", ratios=ratios), sp.Revolute("left"), sp.Revolute("right")))


@mechanism(PARAMETER, "Spherical 'ball' 2 damping 3 freedoms", "one for each freedom")
def ball_with_two_dampings(mended: bool) -> object:
    return run(arm(sp.Spherical("ball", damping=(1, 2, 3) if mended else (1, 2))))


@mechanism(PARAMETER, "Joint 'slot' 2 start coordinates 3", "3 numbers")
def slot_with_too_few_coordinates(mended: bool) -> object:
    return run(arm(sp.Joint("slot", turns="z", slides="xy", coordinates=(0.1, 0.2, 0.3) if mended else (0.1, 0.2))))


@mechanism(PARAMETER, "Free 'space' velocity 3 numbers", "leave it out")
def free_body_with_a_flat_velocity(mended: bool) -> object:
    return run(arm(sp.Free("space", velocity=(1, 2, 0) if mended else (1, 2))))


@mechanism(PARAMETER, "Revolute 'hip' friction negative", "value for friction")
def hinge_that_its_friction_drives(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", friction=1.0 if mended else -1.0)))


@mechanism(PARAMETER, "Revolute 'hip' static 0.5 friction 1.0", "leave it out")
def hinge_that_holds_less_than_it_slides_with(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", friction=1.0, static=1.5 if mended else 0.5)))


@mechanism(PARAMETER, "Revolute 'hip' stiffness negative", "value for stiffness")
def hinge_with_a_spring_that_pushes(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", stiffness=3.0 if mended else -3.0)))


@mechanism(PARAMETER, "Parasitic stiffness -1e+06", "positive numbers")
def springs_that_push_joints_apart(mended: bool) -> object:
    parasitic = mb.Parasitic(stiffness=1e6 if mended else -1e6)
    return run(slider_crank(), 0.01, method="rc", parasitic=parasitic)


@mechanism(PARAMETER, "Revolute 'hip' method 'glue'", "leave it out")
def joint_that_is_glued(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", method="multiplier" if mended else "glue")))


@mechanism(PARAMETER, "Cylinder 'tube' density positive", "value for density")
def tube_lighter_than_nothing(mended: bool) -> object:
    model = arm()
    tube = model.add(sp.Cylinder("tube", (1, 0, 0), diameter=0.1, density=7700 if mended else -7700))
    model.connect("foot.frame", tube.frame_a)
    return run(model)


@mechanism(PARAMETER, "Body 'foot' inertia symmetric", "on both sides")
def body_with_a_lopsided_inertia(mended: bool) -> object:
    products = 0.1 if mended else 0.0
    return run(arm(body=sp.Body("foot", 1.0, ((1, 0.1, 0), (products, 1, 0), (0, 0, 1)))))


@mechanism(PARAMETER, "Body 'plate' inertia negative", "value for inertia")
def plate_of_negative_inertia(mended: bool) -> object:
    return run(flat_arm(pl.Revolute("pin"), pl.Body("plate", 1.0, 1.0 if mended else -1.0)))


@mechanism(PARAMETER, "SphericalSpherical 'rod' length positive", "value for length")
def rod_of_no_length(mended: bool) -> object:
    model = arm(sp.Free("space", (1, 0, 0)))
    rod = model.add(sp.SphericalSpherical("rod", 1.0 if mended else 0.0))
    model.connect("world.frame", rod.frame_a)
    model.connect("foot.frame", rod.frame_b)
    return run(model)


# -- stops -----------------------------------------------------------------------------------------------------------


@mechanism(PARAMETER, "Revolute 'hip' stops lower 1 upper -1", "lower < upper")
def stops_that_are_crossed(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", lower=-1.0 if mended else 1.0, upper=1.0 if mended else -1.0)))


@mechanism(START, "'hip' 2 -1 to 1", "Start between them")
def start_beyond_a_stop(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", angle=0.5 if mended else 2.0, lower=-1.0, upper=1.0)))


@mechanism(START, "'rail' 0 1 to 2", "Start between them")
def start_that_nobody_gave_beyond_a_stop(mended: bool) -> object:
    return run(flat_arm(pl.Prismatic("rail", position=1.5 if mended else None, lower=1.0, upper=2.0)))


@mechanism(START, "'hip' 0 -1 to -0.5", "move a stop")
def stop_that_is_moved_past_the_start(mended: bool) -> object:
    system = mb.compile(arm(sp.Revolute("hip", lower=-1.0, upper=1.0)))
    return mb.simulate(mb.with_parameters(system, {"hip.upper": 0.5 if mended else -0.5}), 0.1)


@mechanism(PARAMETER, "Revolute 'hip' energy 1.5", "from 0 to 1")
def stops_of_a_hinge_that_give_energy(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", lower=-1.0, upper=1.0, restitution=0.5 if mended else 1.5)))


@mechanism(PARAMETER, "Revolute 'hip' driven stops", "Leave out driven, or lower and upper")
def path_through_a_stop(mended: bool) -> object:
    stops = {} if mended else {"lower": -0.1, "upper": 0.1}
    return run(arm(sp.Revolute("hip", driven="t", **stops)))


@mechanism(PARAMETER, "Universal 'cross' freedom 1 lower 1 upper -1", "lower < upper")
def stops_of_a_cardan_joint_that_are_crossed(mended: bool) -> object:
    return run(arm(sp.Universal("cross", lower=(None, -1.0 if mended else 1.0), upper=(None, 1.0 if mended else -1.0))))


@mechanism(PARAMETER, "Universal 'cross' 3 upper 2 freedoms", "one for each freedom")
def cardan_joint_with_three_stops(mended: bool) -> object:
    return run(arm(sp.Universal("cross", upper=(1.0, None) if mended else (1.0, None, 1.0))))


@mechanism(PARAMETER, "Spherical 'ball' upper quaternion", "sequence")
def ball_with_stops_but_no_angles(mended: bool) -> object:
    return run(arm(sp.Spherical("ball", upper=1.0, sequence="zyx" if mended else ())))


@mechanism(PARAMETER, "Cylindrical 'bush' position 0.5 begins at 1", "Leave out position")
def bush_that_is_led_from_elsewhere(mended: bool) -> object:
    return run(arm(sp.Cylindrical("bush", position=1.0 if mended else 0.5, driven=(None, "1 + t"))))


# -- paths and starts ------------------------------------------------------------------------------------------------


@mechanism(errors.SimulationError, "'hip' jumps 0.05 s", "a ramp or a smooth step")
def path_that_jumps(mended: bool) -> object:
    path = "minimum(1, maximum(0, 50*(t - 0.05)))" if mended else "where(t > 0.05, 1, 0)"
    return run(arm(sp.Revolute("hip", driven=path)))


@mechanism(errors.SimulationError, "'rail' jumps 0.05 s", "a ramp or a smooth step")
def path_in_the_plane_that_jumps(mended: bool) -> object:
    return run(flat_arm(pl.Prismatic("rail", driven="sin(t)" if mended else "where(t > 0.05, 1, 0)")))


@mechanism(PARAMETER, "Revolute 'hip' angle 1 begins at 0", "Leave out angle")
def path_that_begins_elsewhere(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", angle=None if mended else 1.0, driven="t")))


@mechanism(PARAMETER, "Prismatic 'rail' path inf", "finite value and speed")
def path_that_begins_at_an_infinite_speed(mended: bool) -> object:
    return run(arm(sp.Prismatic("rail", driven="t**2" if mended else "sqrt(t)")))


@mechanism(PARAMETER, "Revolute 'hip' steady", "leave out steady=True")
def steady_hinge_with_a_speed(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", speed=1.0, steady=not mended)))


@mechanism(START, "'hip' hip.angle hip.acceleration", "drive the joint")
def acceleration_that_nothing_brings_about(mended: bool) -> object:
    wanted = {} if mended else {"angle": 0.0, "speed": 0.0, "acceleration": 100.0}
    return run(arm(sp.Revolute("hip", **wanted)))


@mechanism(START, "'hip' hip.angle hip.speed", "a Guess may be moved")
def steady_pendulum_that_is_held_aside(mended: bool) -> object:
    angle = mb.Guess(-1.4) if mended else 0.5
    return run(arm(sp.Revolute("hip", angle=angle, steady=True)))


@mechanism(PARAMETER, "Guess nan", "finite")
def guess_of_nothing(mended: bool) -> object:
    return run(arm(sp.Revolute("hip", angle=mb.Guess(0.3 if mended else float("nan")))))
