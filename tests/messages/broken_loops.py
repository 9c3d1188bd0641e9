"""Closed loops that cannot be assembled, cannot move, or are told to do two things at once."""

from __future__ import annotations

import math

import numpy as np

import multibond as mb
from multibond import errors
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples import slider_crank

from .mechanisms import EQUAL, FOUR, THREE, arm, bars, bennett, bridged, four_bar, geared, mechanism, run, with_part

START, STRUCTURE = errors.StartError, errors.StructureError
BENT = {"O": {"angle": 1.0}, "B": {"angle": mb.Guess(-0.5)}, "C": {"angle": mb.Guess(4.0)}}
"""A four-bar linkage well away from where its bars are in line."""


# -- loops that cannot close -----------------------------------------------------------------------------------------


@mechanism(START, "B, C, D, O gap of 'C'", "lengths and axes of the loop")
def bars_too_short(mended: bool) -> object:
    return run(four_bar(pl, FOUR if mended else {"crank": 0.3, "coupler": 0.1, "rocker": 0.2}))


@mechanism(START, "'coupler' left.angle right.angle", "lengths")
def rod_between_balls_too_short(mended: bool) -> object:
    model, posts = mb.Model("rssr"), {"left": (0, 0, 0), "right": (2, 0, 0)}
    model.add(sp.World())
    for (name, place), axis in zip(posts.items(), "zx", strict=True):
        post, hinge = model.add(sp.Fixed(f"{name}_post", place)), model.add(sp.Revolute(name, axis=axis, angle=0.0))
        crank = model.add(sp.Body(f"{name}_crank", 1.0, (0.1, 0.1, 0.1), points=((0, 0.3, 0),)))
        model.connect(post.frame, hinge.frame_a)
        model.connect(hinge.frame_b, crank.frame)
    rod = sp.SphericalSpherical("coupler", 2.0 if mended else 1.0)
    return run(with_part(model, rod, "left_crank.frame_1", "right_crank.frame_1"))


@mechanism(START, "C.angle O.angle B, C, D, O", "fewer start values (a Guess may be moved)")
def two_angles_of_a_loop(mended: bool) -> object:
    return run(four_bar(pl, O={"angle": 1.0}, C={"angle": mb.Guess(0.3) if mended else 0.3}))


@mechanism(START, "hip.angle bolt, hip", "fewer start values")
def weld_to_a_wall_that_is_elsewhere(mended: bool) -> object:
    model = arm(sp.Revolute("hip", angle=0.3))
    model.add(sp.Fixed("wall", (0, 0, 0) if mended else (3, 0, 0), angles=0.3))
    return run(with_part(model, sp.Weld("bolt"), "foot.frame", "wall.frame"))


@mechanism(START, "'two' one, two", "lengths and axes")
def bearings_out_of_line(mended: bool) -> object:
    model = arm(sp.Revolute("one", axis="x"), sp.Body("shaft", 1.0, (1, 1, 1), points=((1, 0, 0),)))
    model.add(sp.Fixed("bearing", (1, 0 if mended else 0.1, 0)))
    return run(with_part(model, sp.Revolute("two", axis="x"), "shaft.frame_1", "bearing.frame"))


@mechanism(START, "'ball' rail.coordinates", "fewer start values")
def ball_beside_its_rail(mended: bool) -> object:
    model = arm(sp.Cylindrical("rail", axis="x", position=1.0))
    model.add(sp.Fixed("socket", (1, 0, 0) if mended else (0, 1, 0)))
    return run(with_part(model, sp.Spherical("ball"), "foot.frame", "socket.frame"))


@mechanism(START, "'rope' hip.angles hip", "lengths")
def rod_that_does_not_reach(mended: bool) -> object:
    foot = sp.Body("foot", 1.0, (1, 1, 1), points=((1, 0, 0),))
    model = arm(sp.Universal("hip", axis="z", angles=mb.Guess((0.5, 0.3)) if mended else (0.5, 0.3)), foot)
    model.add(sp.Fixed("post", (3, 0, 0)))
    return run(with_part(model, sp.SphericalSpherical("rope", 2.4), "foot.frame_1", "post.frame"))


@mechanism(START, "'rod' space.coordinates", "a Guess may be moved")
def rod_whose_ends_are_at_one_place(mended: bool) -> object:
    model = arm(sp.Free("space", position=None if mended else (0, 0, 0)))
    return run(with_part(model, sp.SphericalSpherical("rod", 1.0), "world.frame", "foot.frame"))


@mechanism(START, "A, B, C, D gap", "lengths and axes")
def loop_of_bennett_with_one_wrong_twist(mended: bool) -> object:
    return run(bennett(0.0 if mended else 0.1))


@mechanism(START, "'link' left.angle right.angle", "fewer start values")
def coupled_joints_that_start_apart(mended: bool) -> object:
    second = mb.Guess(0.6) if mended else 0.6
    wheels = sp.Revolute("left", angle=0.3), sp.Revolute("right", angle=second)
    return run(geared(sp.Coupling("link", ratios=(1.0, -1.0)), *wheels))


@mechanism(START, "'pin' glide, pin", "lengths and axes")
def bridge_beside_its_plane(mended: bool) -> object:
    deck = pl.Bridge("deck", origin=(0, 0, 0 if mended else 0.5))
    return run(bridged(deck, sp.Revolute("pin", axis="z", speed=1.0)))


@mechanism(START, "hip.angle tether.coordinates hip, tether", "fewer start values")
def body_that_is_free_at_another_place(mended: bool) -> object:
    model = arm(sp.Revolute("hip", angle=0.3))
    return run(with_part(model, sp.Free("tether", None if mended else (5, 0, 0)), "world.frame", "foot.frame"))


# -- loops that cannot move ------------------------------------------------------------------------------------------


@mechanism(STRUCTURE, "cannot move 'B', 'D', 'O'", "free a direction")
def triangle_in_the_plane(mended: bool) -> object:
    last = pl.Joint("D", turns=True, slides="x") if mended else {}
    return run(bars(pl, THREE, {"O": {}, "B": {}, "D": last}))


@mechanism(STRUCTURE, "cannot move 'B', 'D', 'O'", "free a direction")
def triangle_in_space(mended: bool) -> object:
    last = sp.Joint("D", turns="z", slides="x") if mended else {}
    return run(bars(sp, THREE, {"O": {}, "B": {}, "D": last}))


@mechanism(STRUCTURE, "cannot move 'B', 'D', 'O'", "free a direction")
def triangle_that_is_told_to_turn(mended: bool) -> object:
    last = pl.Joint("D", turns=True, slides="x") if mended else {}
    return run(bars(pl, THREE, {"O": {"speed": 1.0}, "B": {}, "D": last}))


@mechanism(STRUCTURE, "cannot move 'along' 'across'", "free a direction")
def slider_on_two_crossed_rails(mended: bool) -> object:
    model = arm(sp.Prismatic("along", axis="x"))
    rail = sp.Joint("across", slides="xy") if mended else sp.Prismatic("across", axis="y")
    return run(with_part(model, rail, "world.frame", "foot.frame"))


@mechanism(STRUCTURE, "cannot move 'glide' 'tilt'", "free a direction")
def bridge_that_is_tilted_out_of_its_plane(mended: bool) -> object:
    return run(bridged(pl.Bridge("deck"), sp.Revolute("tilt", axis="z" if mended else "x", speed=1.0)))


@mechanism(STRUCTURE, "cannot move 'left' 'right'", "free a direction")
def two_couplings_that_lock(mended: bool) -> object:
    model = geared(sp.Coupling("link", ratios=(1.0, -1.0)), sp.Revolute("left"), sp.Revolute("right"))
    if not mended:
        second = model.add(sp.Coupling("second", ratios=(1.0, -2.0)))
        for k, joint in enumerate(("left", "right"), 1):
            model.connect(f"{joint}.flange", getattr(second, f"flange_{k}"))
            model.signal(f"{joint}.coordinate", getattr(second, f"coordinate_{k}"))
    return run(model)


# -- singular starts -------------------------------------------------------------------------------------------------


@mechanism(STRUCTURE, "singular position loop", "Start a little beside it")
def parallelogram_in_line_in_the_plane(mended: bool) -> object:
    beside = {"angle": 0.5 if mended else 0.0}
    elbow = {"angle": mb.Guess(-0.5) if mended else 0.0}
    return run(four_bar(pl, EQUAL, O=beside, B=elbow, C={"angle": mb.Guess(0.5 + math.pi if mended else math.pi)}))


@mechanism(STRUCTURE, "singular position loop", "Start a little beside it")
def parallelogram_in_line_in_space(mended: bool) -> object:
    beside = {"angle": 0.5 if mended else 0.0}
    elbow = {"angle": mb.Guess(-0.5) if mended else 0.0}
    return run(four_bar(sp, EQUAL, O=beside, B=elbow, C={"angle": mb.Guess(0.5 + math.pi if mended else math.pi)}))


@mechanism(STRUCTURE, "singular position leg", "Start a little beside it")
def platform_whose_legs_are_all_turned_alike(mended: bool) -> object:
    """All six legs lie on one hyperboloid; a seventh of the way round is enough to leave it."""
    model = arm(sp.Free("space", (0, 0, 1)), sp.Body("plate", 1.0, (1, 1, 1), points=[_on(k) for k in range(6)]))
    for k in range(5 if mended else 6):
        base = _on(k + (0.5 if k % 2 and mended else -0.5 if mended else 0.5), 1.4)
        model.add(sp.Fixed(f"base{k}", base))
        length = float(np.linalg.norm(np.subtract(base, (*_on(k)[:2], 1.0))))
        with_part(model, sp.SphericalSpherical(f"leg{k}", length), f"base{k}.frame", f"plate.frame_{k + 1}")
    return run(model, 0.01)


def _on(angle: float, radius: float = 1.0) -> tuple[float, float, float]:
    return radius * math.cos(angle), radius * math.sin(angle), 0.0


# -- speeds and drives that contradict -------------------------------------------------------------------------------


@mechanism(START, "D.speed O.speed", "fewer speeds")
def two_speeds_of_a_loop(mended: bool) -> object:
    return run(four_bar(pl, **BENT | {"O": {"angle": 1.0, "speed": 1.0}, "D": {} if mended else {"speed": 5.0}}))


@mechanism(START, "hip.speed", "fewer speeds")
def speed_of_a_hinge_that_is_welded(mended: bool) -> object:
    model = arm(sp.Revolute("hip", speed=None if mended else 1.0))
    return run(with_part(model, sp.Weld("bolt"), "world.frame", "foot.frame"))


@mechanism(errors.CausalityError, "'motor.drive' 'second.drive'", "Remove one of 'motor.drive', 'second.drive'")
def two_motors_on_one_loop(mended: bool) -> object:
    model = four_bar(sp, **BENT)
    for name, joint in (("motor", "O"), ("second", "D"))[: 1 if mended else 2]:
        model.connect(model.add(ro.Speed(name, 1.0)).flange, f"{joint}.flange")
    return run(model)


@mechanism(START, "'O' 'second'", "fewer speeds or drives")
def motor_and_path_on_one_loop(mended: bool) -> object:
    model = four_bar(sp, O={"driven": "1 + t"})
    if not mended:
        model.connect(model.add(ro.Speed("second", 1.0)).flange, "D.flange")
    return run(model)


@mechanism(START, "'motor'", "fewer speeds or drives")
def motor_on_a_rigid_triangle(mended: bool) -> object:
    last = pl.Joint("D", turns=True, slides="x") if mended else {}
    model = bars(pl, THREE, {"O": {}, "B": {}, "D": last})
    model.connect(model.add(ro.Speed("motor", 1.0)).flange, "O.flange")
    return run(model)


@mechanism(START, "D.angle O.angle B, C, D, O", "fewer start values")
def two_paths_that_do_not_meet(mended: bool) -> object:
    return run(four_bar(pl, **BENT | {"O": {"driven": "1 + t"}, "D": {} if mended else {"driven": "0.2*t"}}))


@mechanism(START, "driven by 'D', 'O'", "drives")
def two_paths_that_part(mended: bool) -> object:
    """The second begins where the loop is, and leads elsewhere; at the same pace both hinges can be driven."""
    start = float(mb.assemble(four_bar(pl, EQUAL, **BENT))["D.angle"])
    pace = "start - t" if mended else "start + 2*t"
    drives = {"O": {"driven": "1 + t"}, "D": {"driven": pace.replace("start", repr(start))}}
    return run(four_bar(pl, EQUAL, **BENT | drives))


@mechanism(errors.SimulationError, "'C' singular position", "a stop or a spring can keep it from this position")
def rocker_driven_beyond_its_reach(mended: bool) -> object:
    path = "-1 - 0.1*sin(t)" if mended else "-1 - 2*t"
    return run(four_bar(sp, O={"angle": mb.Guess(1.0)}, D={"driven": path}), 1.0)


@mechanism(errors.CausalityError, "'hip' twice 'motor.drive'", "Leave out driven, or the source")
def joint_with_a_path_and_a_motor(mended: bool) -> object:
    model = arm(sp.Revolute("hip", driven=None if mended else "t"))
    model.connect(model.add(ro.Speed("motor", 2.0)).flange, "hip.flange")
    return run(model)


@mechanism(errors.CausalityError, "'motor.drive' 'brake.drive'", "Remove one of them")
def two_motors_on_one_hinge(mended: bool) -> object:
    model = arm()
    for name in ("motor", "brake")[: 1 if mended else 2]:
        model.connect(model.add(ro.Speed(name, 2.0)).flange, "hip.flange")
    return run(model)


@mechanism(errors.CausalityError, "'hip' 'motor.drive'", "its own `driven`")
def motor_at_a_joint_that_is_cut(mended: bool) -> object:
    model = arm(sp.Revolute("hip", driven="2*t" if mended else None))
    if not mended:
        model.connect(model.add(ro.Speed("motor", 2.0)).flange, "hip.flange")
    return run(model, method="multiplier")


@mechanism(errors.ModelError, "'hip' 'foot.frame'", "closed loops")
def cut_of_a_joint_in_no_loop(mended: bool) -> object:
    return mb.compile(slider_crank(), cuts=("B",)) if mended else mb.compile(arm(), cuts=("hip",))


@mechanism(errors.ModelError, "'B', 'C'", "one for each loop at most")
def two_cuts_of_one_loop(mended: bool) -> object:
    return mb.compile(slider_crank(), cuts=("B",) if mended else ("B", "C"))
