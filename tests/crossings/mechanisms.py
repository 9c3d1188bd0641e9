"""Small mechanisms, each a handful of bars whose places close exactly."""

from __future__ import annotations

import math

from .machine import GROUND, Bar, Joint, Mechanism

Point = tuple[float, float]


def bar(name: str, start: Point, end: Point, mass: float = 1.0) -> Bar:
    """A slender bar between two points, its frame in the first."""
    length = math.dist(start, end)
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    return Bar(name, mass, mass * length**2 / 12, (length / 2, 0.0), start, angle)


def tip(start: Point, end: Point) -> Point:
    """The second end of a bar between two points, in its frame."""
    return (math.dist(start, end), 0.0)


def at(angle: float, length: float, start: Point = (0.0, 0.0)) -> Point:
    return (start[0] + length * math.cos(angle), start[1] + length * math.sin(angle))


def meet(P: Point, r: float, Q: Point, s: float, side: float = 1.0) -> Point:
    """Where two circles meet; side: +1 left of the way from P to Q."""
    d = math.dist(P, Q)
    x = (d * d + r * r - s * s) / (2 * d)
    y = side * math.sqrt(r * r - x * x)
    u = ((Q[0] - P[0]) / d, (Q[1] - P[1]) / d)
    return (P[0] + x * u[0] - y * u[1], P[1] + x * u[1] + y * u[0])


def pendulum(angle: float = -0.6, speed: float = 1.0) -> Mechanism:
    O, P = (0.0, 0.0), at(angle, 0.5)
    joints = (Joint("hip", GROUND, "arm", speed=speed, given=True),)
    roles = {"friction": "hip", "stop": "hip", "drive": "hip", "given": "hip", "double": "hip", "damped": "hip"}
    return Mechanism("pendulum", (bar("arm", O, P),), joints, roles=roles)


def double_pendulum(angles: Point = (-0.8, -0.3), speeds: Point = (1.0, -2.0)) -> Mechanism:
    O, P = (0.0, 0.0), at(angles[0], 0.4)
    Q = at(angles[1], 0.3, P)
    joints = (
        Joint("hip", GROUND, "arm", speed=speeds[0], given=True),
        Joint("knee", "arm", "leg", tip(O, P), speed=speeds[1], given=True),
    )
    roles = {"friction": "knee", "stop": "knee", "drive": "hip", "given": "hip", "double": "hip", "massless": "arm"}
    return Mechanism(
        "double pendulum", (bar("arm", O, P), bar("leg", P, Q, 0.7)), joints, roles=roles | {"damped": "hip"}
    )


def crane() -> Mechanism:
    """A cart on a rail with a bar that hangs from it."""
    P, Q = (0.1, 0.0), at(-1.2, 0.5, (0.1, 0.0))
    cart = Bar("cart", 1.5, 0.02, (0.0, 0.0), P)
    joints = (
        Joint("rail", GROUND, "cart", turns=False, slides=((1.0, 0.0),), speed=0.5, given=True),
        Joint("hook", "cart", "load", speed=-1.0, given=True),
    )
    roles = {"friction": "rail", "stop": "rail", "drive": "hook", "given": "rail", "double": "hook", "damped": "rail"}
    return Mechanism("crane", (cart, bar("load", P, Q)), joints, roles=roles)


def oscillator() -> Mechanism:
    """A mass on a spring along a slope."""
    slope = (math.cos(0.3), math.sin(0.3))
    block = Bar("block", 1.2, 0.02, (0.0, 0.0), (0.2 * slope[0], 0.2 * slope[1]))
    joint = Joint("guide", GROUND, "block", turns=False, slides=(slope,), speed=1.0, given=True, stiffness=60.0)
    roles = dict.fromkeys(("friction", "stop", "drive", "given", "double", "damped"), "guide")
    return Mechanism("oscillator", (block,), (joint,), roles=roles)


def slider_crank(angle: float = 0.7, speed: float = 6.0) -> Mechanism:
    O, B = (0.0, 0.0), at(angle, 0.1)
    C = (B[0] + math.sqrt(0.25**2 - B[1] ** 2), 0.0)
    piston = Bar("piston", 0.8, 0.005, (0.0, 0.0), C)
    joints = (
        Joint("O", GROUND, "crank", speed=speed, given=True),
        Joint("B", "crank", "rod", tip(O, B)),
        Joint("C", "rod", "piston", tip(B, C)),
        Joint("S", GROUND, "piston", turns=False, slides=((1.0, 0.0),)),
    )
    roles = {"friction": "S", "stop": "S", "drive": "O", "given": "O", "double": "O", "massless": "rod", "damped": "O"}
    return Mechanism("slider crank", (bar("crank", O, B), bar("rod", B, C), piston), joints, roles=roles)


def four_bar(
    angle: float = 1.1, speed: float = 5.0, *, lengths: tuple[float, float, float, float] = (0.2, 0.5, 0.4, 0.55)
) -> Mechanism:
    crank, coupler, rocker, ground = lengths
    O, B, D = (0.0, 0.0), at(angle, crank), (ground, 0.0)
    return _four_bar("four-bar", O, B, meet(B, coupler, D, rocker), D, speed)


def _four_bar(name: str, O: Point, B: Point, C: Point, D: Point, speed: float) -> Mechanism:
    joints = (
        Joint("O", GROUND, "crank", speed=speed, given=True),
        Joint("B", "crank", "coupler", tip(O, B)),
        Joint("C", "coupler", "rocker", tip(B, C), tip(D, C)),
        Joint("D", GROUND, "rocker", D),
    )
    roles = {
        "friction": "D",
        "stop": "D",
        "drive": "O",
        "given": "O",
        "double": "D",
        "massless": "coupler",
        "damped": "D",
    }
    return Mechanism(name, (bar("crank", O, B), bar("coupler", B, C), bar("rocker", D, C)), joints, roles=roles)


def parallelogram(angle: float = 1.0, speed: float = 3.0, longer: float = 0.0) -> Mechanism:
    """Two equal cranks .4 on a ground of 1; longer: by how much the rocker exceeds the crank."""
    O, B, D = (0.0, 0.0), at(angle, 0.4), (1.0, 0.0)
    C = meet(B, 1.0, D, 0.4 + longer) if longer else (B[0] + 1.0, B[1])
    return _four_bar("parallelogram", O, B, C, D, speed)


def three_cranks() -> Mechanism:
    """Three equal cranks under one coupler: in the plane, too, one of them holds nothing that the others do not."""
    roots, angle = [(0.0, 0.0), (0.3, 0.1), (0.7, 0.0)], 0.9
    tips = [at(angle, 0.25, root) for root in roots]
    places = [(tip_[0] - tips[0][0], tip_[1] - tips[0][1]) for tip_ in tips]
    coupler = Bar("coupler", 1.0, 0.1, (0.35, 0.0), tips[0])
    joints: list[Joint] = []
    for k, root in enumerate(roots):
        joints += [
            Joint(f"O{k}", GROUND, f"crank{k}", root, speed=2.0 if k == 0 else None, given=k == 0),
            Joint(f"B{k}", f"crank{k}", "coupler", (0.25, 0.0), places[k]),
        ]
    bars = (*(bar(f"crank{k}", root, top) for k, (root, top) in enumerate(zip(roots, tips, strict=True))), coupler)
    roles = {
        "friction": "O1",
        "stop": "O1",
        "drive": "O0",
        "given": "O0",
        "double": "O2",
        "massless": "crank1",
        "damped": "O0",
    }
    return Mechanism("three cranks", bars, tuple(joints), roles=roles)


def scotch_yoke(angle: float = 0.8, speed: float = 5.0) -> Mechanism:
    """A pin on a crank in the slot of a yoke that slides."""
    B = at(angle, 0.15)
    yoke = Bar("yoke", 0.6, 0.01, (0.0, 0.0), (B[0], 0.0))
    joints = (
        Joint("O", GROUND, "crank", speed=speed, given=True),
        Joint("pin", "yoke", "crank", at_b=(0.15, 0.0), slides=((0.0, 1.0),)),
        Joint("S", GROUND, "yoke", turns=False, slides=((1.0, 0.0),)),
    )
    roles = {"friction": "S", "stop": "S", "drive": "O", "given": "O", "double": "O", "damped": "O"}
    return Mechanism("scotch yoke", (bar("crank", (0.0, 0.0), B), yoke), joints, roles=roles)


def swinging_cylinder(angle: float = 0.9, speed: float = 5.0) -> Mechanism:
    """A crank whose pin moves a rod in and out of a cylinder that swings."""
    O, B, D = (0.0, 0.0), at(angle, 0.12), (0.4, 0.0)
    way = math.atan2(B[1] - D[1], B[0] - D[0])
    tube = Bar("tube", 0.7, 0.01, (0.05, 0.0), D, way)
    rod = Bar("rod", 0.4, 0.004, (-0.1, 0.0), B, way)
    joints = (
        Joint("O", GROUND, "crank", speed=speed, given=True),
        Joint("B", "crank", "rod", tip(O, B)),
        Joint("S", "tube", "rod", turns=False, slides=((1.0, 0.0),)),
        Joint("D", GROUND, "tube", D),
    )
    roles = {"friction": "S", "stop": "S", "drive": "O", "given": "O", "double": "D", "massless": "rod", "damped": "O"}
    return Mechanism("swinging cylinder", (bar("crank", O, B), rod, tube), joints, roles=roles)


def five_bar() -> Mechanism:
    """Two freedoms in a loop."""
    O, D = (0.0, 0.0), (0.5, 0.0)
    B, E = at(1.8, 0.25, O), at(1.2, 0.25, D)
    C = meet(B, 0.45, E, 0.45)
    joints = (
        Joint("O", GROUND, "left", speed=2.0, given=True),
        Joint("B", "left", "up", tip(O, B)),
        Joint("C", "up", "down", tip(B, C), tip(E, C)),
        Joint("E", "right", "down", tip(D, E)),
        Joint("D", GROUND, "right", D, speed=-1.5, given=True),
    )
    bars = (bar("left", O, B), bar("up", B, C), bar("down", E, C), bar("right", D, E))
    roles = {"friction": "C", "stop": "D", "drive": "O", "given": "O", "double": "D", "massless": "up", "damped": "O"}
    return Mechanism("five-bar", bars, joints, roles=roles)


def six_bar() -> Mechanism:
    """A four-bar whose rocker moves a slider: two loops."""
    base = four_bar()
    D, rocker = (0.55, 0.0), base.bar("rocker")
    C = at(rocker.angle, 0.4, D)
    F = (C[0] + math.sqrt(0.6**2 - C[1] ** 2), 0.0)
    joints = (
        *base.joints,
        Joint("E", "rocker", "link", (0.4, 0.0)),
        Joint("F", "link", "ram", tip(C, F)),
        Joint("S", GROUND, "ram", turns=False, slides=((1.0, 0.0),)),
    )
    bars = (*base.bars, bar("link", C, F, 0.5), Bar("ram", 0.5, 0.01, (0.0, 0.0), F))
    roles = {"friction": "S", "stop": "S", "drive": "O", "given": "O", "double": "D", "massless": "link", "damped": "D"}
    return Mechanism("six-bar", bars, joints, roles=roles)


def trammel(angle: float = 0.9) -> Mechanism:
    """A bar with both ends in guides at a right angle."""
    X, Y = (0.6 * math.cos(angle), 0.0), (0.0, 0.6 * math.sin(angle))
    blocks = (Bar("low", 0.4, 0.01, (0.0, 0.0), X), Bar("high", 0.3, 0.01, (0.0, 0.0), Y))
    joints = (
        Joint("X", GROUND, "low", turns=False, slides=((1.0, 0.0),), speed=0.8, given=True),
        Joint("Y", GROUND, "high", turns=False, slides=((0.0, 1.0),)),
        Joint("A", "low", "ladder"),
        Joint("B", "high", "ladder", at_b=tip(X, Y)),
    )
    roles = {
        "friction": "X",
        "stop": "Y",
        "drive": "B",
        "given": "X",
        "double": "A",
        "massless": "ladder",
        "damped": "X",
    }
    return Mechanism("trammel", (*blocks, bar("ladder", X, Y)), joints, roles=roles)


def sledge() -> Mechanism:
    """A body on two pins in one slot, a thousandth apart: rows that are almost the same."""
    near = 1e-3
    slope = (math.cos(-0.2), math.sin(-0.2))
    body = Bar("body", 1.0, 0.02, (0.05, 0.02), (0.1 * slope[0], 0.1 * slope[1]), -0.2)
    arm = bar("arm", body.place, at(-1.0, 0.3, body.place), 0.5)
    joints = (
        Joint("rear", GROUND, "body", turns=True, slides=(slope,)),
        Joint("front", GROUND, "body", at_b=(near, 0.0), turns=True, slides=(slope,)),
        Joint("hook", "body", "arm", speed=1.0, given=True),
    )
    roles = dict.fromkeys(("friction", "stop", "drive", "given", "double", "damped"), "hook")
    return Mechanism("sledge", (body, arm), joints, roles=roles)


def chain() -> Mechanism:
    """Three bars in a row."""
    points = [(0.0, 0.0)]
    for angle in (-0.5, -1.4, -0.9):
        points.append(at(angle, 0.3, points[-1]))
    bars = tuple(bar(f"link{k}", points[k], points[k + 1]) for k in range(3))
    joints = tuple(
        Joint(
            f"j{k}",
            GROUND if k == 0 else f"link{k - 1}",
            f"link{k}",
            (0.0, 0.0) if k == 0 else (0.3, 0.0),
            speed=s,
            given=True,
        )
        for k, s in enumerate((1.0, -1.0, 2.0))
    )
    roles = {
        "friction": "j1",
        "stop": "j2",
        "drive": "j0",
        "given": "j0",
        "double": "j0",
        "massless": "link1",
        "damped": "j2",
    }
    return Mechanism("chain", bars, joints, roles=roles)


def telescope() -> Mechanism:
    """An arm that turns, and a mass that slides on it."""
    angle = -0.4
    O, P = (0.0, 0.0), at(-0.4, 0.5)
    mass = Bar("mass", 0.5, 0.005, (0.0, 0.0), at(angle, 0.3), angle)
    joints = (
        Joint("hip", GROUND, "arm", speed=2.0, given=True),
        Joint(
            "sleeve", "arm", "mass", turns=False, slides=((1.0, 0.0),), speed=0.2, given=True, stiffness=80.0, rest=0.3
        ),
    )
    roles = {"friction": "sleeve", "stop": "sleeve", "drive": "hip", "given": "hip", "double": "hip", "damped": "hip"}
    return Mechanism("telescope", (bar("arm", O, P), mass), joints, roles=roles)


def floating_pair() -> Mechanism:
    """Two bars with a hinge that nothing holds: what they have of momentum they keep, but for the weight."""
    O, P = (0.1, 0.2), at(0.4, 0.4, (0.1, 0.2))
    joints = (
        Joint("float", GROUND, "first", slides=((1.0, 0.0), (0.0, 1.0))),
        Joint("hinge", "first", "second", tip(O, P), speed=4.0, given=True),
    )
    roles = dict.fromkeys(("friction", "stop", "drive", "given", "double", "damped"), "hinge")
    return Mechanism("floating pair", (bar("first", O, P), bar("second", P, at(1.5, 0.3, P), 0.6)), joints, roles=roles)


def antiparallelogram(angle: float = 1.2, speed: float = 3.0) -> Mechanism:
    """Equal cranks whose coupler crosses the ground."""
    O, B, D = (0.0, 0.0), at(angle, 0.3), (0.8, 0.0)
    return _four_bar("antiparallelogram", O, B, meet(B, 0.8, D, 0.3, -1.0), D, speed)


def gantry() -> Mechanism:
    """Two slides at a right angle and a bar that turns."""
    beam, head = Bar("beam", 2.0, 0.1, (0.1, 0.0), (0.2, 0.0)), Bar("head", 0.8, 0.02, (0.0, 0.0), (0.2, 0.3))
    joints = (
        Joint("long", GROUND, "beam", turns=False, slides=((1.0, 0.0),), speed=0.4, given=True),
        Joint(
            "up", "beam", "head", turns=False, slides=((0.0, 1.0),), speed=-0.3, given=True, stiffness=90.0, rest=0.4
        ),
        Joint("wrist", "head", "tool", speed=3.0, given=True),
    )
    roles = {"friction": "long", "stop": "up", "drive": "wrist", "given": "wrist", "double": "wrist", "damped": "up"}
    return Mechanism("gantry", (beam, head, bar("tool", (0.2, 0.3), at(-1.0, 0.3, (0.2, 0.3)))), joints, roles=roles)


def scissor(angle: float = 0.8, speed: float = 1.5) -> Mechanism:
    """Two crossed bars, one of which slides on the ground."""
    O, M = (0.0, 0.0), at(angle, 0.3)
    foot = (2 * M[0], 0.0)
    shoe = Bar("shoe", 0.5, 0.01, (0.0, 0.0), foot)
    joints = (
        Joint("O", GROUND, "left", speed=speed, given=True),
        Joint("M", "left", "right", (0.3, 0.0), (0.3, 0.0)),
        Joint("F", "shoe", "right"),
        Joint("S", GROUND, "shoe", turns=False, slides=((1.0, 0.0),)),
    )
    bars = (bar("left", O, at(angle, 0.6)), bar("right", foot, (0.0, 2 * M[1])), shoe)
    roles = {
        "friction": "S",
        "stop": "O",
        "drive": "M",
        "given": "O",
        "double": "M",
        "massless": "right",
        "damped": "S",
    }
    return Mechanism("scissor", bars, joints, roles=roles)


ALL = (
    pendulum, double_pendulum, crane, oscillator, slider_crank, four_bar, parallelogram, three_cranks, scotch_yoke,
    swinging_cylinder, five_bar, six_bar, trammel, sledge, chain, telescope,
    floating_pair, antiparallelogram, gantry, scissor,
)  # fmt: skip
