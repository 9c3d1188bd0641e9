"""Machines that were seen to go wrong, each as small as it still does, with the time that it takes to see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from .features import with_joints
from .machine import GROUND, TURN, Bar, Joint, Mechanism
from .mechanisms import at, bar, four_bar, meet, parallelogram, slider_crank, tip


@dataclass(frozen=True)
class Named:
    """A machine, how long it runs, and why it is not right yet; without a reason it is."""

    name: str
    make: Callable[[], Mechanism]
    until: float
    reason: str = ""
    method: str = "auto"
    solver: str = "auto"


def weightless(machine: Mechanism) -> Mechanism:
    return replace(machine, gravity=0.0)


def rubbed(machine: Mechanism, joint: str, friction: float) -> Mechanism:
    return with_joints(machine, {joint: replace(machine.joint(joint), friction=friction)})


def row(count: int, angle: float = 0.5, speed: float = -5.0) -> Mechanism:
    """Parallelograms side by side, each led by the rocker of the one before: all flatten together."""
    roots = [(float(k), 0.0) for k in range(count + 1)]
    tips = [at(angle, 0.4, root) for root in roots]
    bars = [bar(f"crank{k}", root, top) for k, (root, top) in enumerate(zip(roots, tips, strict=True))]
    joints = [Joint(f"O{k}", GROUND, f"crank{k}", root) for k, root in enumerate(roots)]
    joints[0] = replace(joints[0], speed=speed, given=True)
    for k in range(count):
        bars.append(bar(f"coupler{k}", tips[k], tips[k + 1]))
        joints.append(Joint(f"B{k}", f"crank{k}", f"coupler{k}", (0.4, 0.0)))
        joints.append(Joint(f"C{k}", f"coupler{k}", f"crank{k + 1}", (1.0, 0.0), (0.4, 0.0)))
    return Mechanism("row", tuple(bars), tuple(joints))


def equal_slider_crank(speed: float = 6.0) -> Mechanism:
    """Crank and rod of one length: at a right angle the slider stands over the bearing, and two motions meet."""
    O, B = (0.0, 0.0), at(1.0, 0.2)
    C = (2 * B[0], 0.0)
    piston = Bar("piston", 0.8, 0.005, (0.0, 0.0), C)
    joints = (
        Joint("O", GROUND, "crank", speed=speed, given=True),
        Joint("B", "crank", "rod", tip(O, B)),
        Joint("C", "rod", "piston", tip(B, C)),
        Joint("S", GROUND, "piston", turns=False, slides=((1.0, 0.0),)),
    )
    return Mechanism("equal slider crank", (bar("crank", O, B), bar("rod", B, C), piston), joints)


def started_at(machine: Mechanism, turns: float) -> Mechanism:
    """The crank has turned before."""
    return with_joints(machine, {"O": replace(machine.joint("O"), turned=TURN * turns)})


def kite(speed: float = -4.0) -> Mechanism:
    """Crank and ground of one length, coupler and rocker of another: all in line where the crank lies on the ground."""
    O, D, B = (0.0, 0.0), (0.3, 0.0), at(0.5, 0.3)
    C = meet(B, 0.6, D, 0.6)
    machine = four_bar()
    bars = (bar("crank", O, B), bar("coupler", B, C), bar("rocker", D, C))
    ends = {"B": ((0.3, 0.0), (0.0, 0.0)), "C": ((0.6, 0.0), (0.6, 0.0))}
    joints = {name: replace(machine.joint(name), at_a=a, at_b=b) for name, (a, b) in ends.items()}
    joints |= {"O": replace(machine.joint("O"), speed=speed), "D": replace(machine.joint("D"), at_a=D)}
    return with_joints(replace(machine, name="kite", bars=bars), joints)


MACHINES = (
    Named("free four-bar", lambda: weightless(four_bar()), 1.5),
    Named("parallelogram through line", lambda: parallelogram(1.0, 5.0), 2.0),
    Named("two parallelograms through line", lambda: row(2), 3.0),
    Named("three parallelograms through line", lambda: row(3, 0.7, -2.0), 2.0),
    Named("parallelogram with friction", lambda: rubbed(parallelogram(1.0, 5.0), "O", 0.01), 1.5),
    *(Named(f"rocker longer by {off:g}", lambda off=off: parallelogram(1.0, 5.0, off), 1.5)
      for off in (1e-5, 1e-6, 1e-7)),
    Named("rocker longer by 1e-4", lambda: parallelogram(1.0, 5.0, 1e-4), 1.5),
    Named("rocker longer by 1e-2", lambda: parallelogram(1.0, 5.0, 1e-2), 1.0),
    Named("equal crank and rod", equal_slider_crank, 1.0),
    Named("equal crank and rod, 3 rad/s", lambda: equal_slider_crank(3.0), 1.0),
    Named("kite", kite, 0.6),
    Named("slider crank after 2^13 rad", lambda: started_at(slider_crank(), math.ceil(2**13 / TURN)), 0.5),
    Named("slider crank after 1e6 turns", lambda: started_at(slider_crank(), 1e6), 0.5),
    Named("slider crank with friction", lambda: rubbed(slider_crank(0.5, 2.0), "S", 0.1), 0.5),
    Named("slider crank, 6 turns", lambda: slider_crank(0.7, math.tau * 6), 1.0),
)  # fmt: skip
