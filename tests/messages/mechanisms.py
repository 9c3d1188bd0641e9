"""Builders of small mechanisms, in space and in the plane, and the register of those that are broken.

A broken mechanism is a function of `mended`: as it stands it must be refused, with its cure applied it must run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

from .broken import BROKEN, Broken, Fault

MENDED: dict[str, Callable[[], object]] = {}
"""By the name of a broken mechanism the same with its cure applied."""
FOUR = {"crank": 0.3, "coupler": 0.9, "rocker": 0.7}
EQUAL = {"crank": 0.5, "coupler": 1.0, "rocker": 0.5}
THREE = {"first": 0.8, "second": 0.9}


def mechanism(error: Fault, names: str, cure: str) -> Callable[[Callable[[bool], object]], Callable[[bool], object]]:
    """Register a broken mechanism: the error it raises, the names its message holds, words of the cure."""

    def register(do: Callable[[bool], object]) -> Callable[[bool], object]:
        BROKEN.append(Broken(do.__name__, partial(do, False), error, tuple(names.split()), cure))
        MENDED[do.__name__] = partial(do, True)
        return do

    return register


def run(model: mb.Model, until: float = 0.1, **options: Any) -> mb.Run:
    """A short run; all that is asked is that it is one."""
    return mb.simulate(model, until, rtol=1e-6, **options)


def arm(joint: Any = None, body: Any = None, world: Any = None) -> mb.Model:
    """A body on a joint from the world: a leg on its hip where nothing else is said."""
    model = mb.Model("arm")
    ground, link = model.add(world or sp.World()), model.add(joint or sp.Revolute("hip"))
    foot = model.add(body or sp.Body("foot", 1.0, (0.1, 0.1, 0.1), (0.5, 0.0, 0.0)))
    model.connect(ground.frame, link.frame_a)
    model.connect(link.frame_b, foot.frame)
    return model


def flat_arm(joint: Any, body: Any = None) -> mb.Model:
    """The same in the plane."""
    model = mb.Model("arm")
    ground, link, foot = model.add(pl.World()), model.add(joint), model.add(body or pl.Body("foot", 1.0, 0.1, (0.5, 0)))
    model.connect(ground.frame, link.frame_a)
    model.connect(link.frame_b, foot.frame)
    return model


def with_part(model: mb.Model, part: Any, a: Any, b: Any) -> mb.Model:
    """A part between two frames of a model."""
    added = model.add(part)
    model.connect(a, added.frame_a)
    model.connect(b, added.frame_b)
    return model


def bars(library: ModuleType, lengths: Mapping[str, float], joints: Mapping[str, Any], ground: float = 1.0) -> mb.Model:
    """Bars in a closed loop with the ground, from the joint named first to the one named last.

    joints: by name what is given to each hinge, or the joint itself.
    """
    model, across = mb.Model("linkage"), (0.0,) if library is pl else (0.0, 0.0)
    world, base = model.add(library.World()), model.add(library.Rod("ground", (ground, *across)))
    made = [library.Revolute(n, **given) if isinstance(given, dict) else given for n, given in joints.items()]
    hinges = [model.add(joint) for joint in made]
    model.connect(world.frame, base.frame_a, hinges[0].frame_a)
    inertia = 0.1 if library is pl else (0.1, 0.1, 0.1)
    for k, (name, length) in enumerate(lengths.items()):
        bar = model.add(library.Body(name, 1.0, inertia, (length / 2, *across)))
        tip = model.add(library.Rod(f"{name}_tip", (length, *across)))
        model.connect(hinges[k].frame_b, bar.frame, tip.frame_a)
        model.connect(tip.frame_b, hinges[k + 1].frame_a)
    model.connect(hinges[-1].frame_b, base.frame_b)
    return model


def four_bar(library: ModuleType = sp, lengths: Mapping[str, float] = FOUR, **given: Any) -> mb.Model:
    """A four-bar linkage with the hinges O, B, C, D; given: what is said of each."""
    return bars(library, lengths, {name: given.get(name, {}) for name in "OBCD"})


def geared(part: Any, *joints: Any) -> mb.Model:
    """Joints side by side whose coordinates a coupling holds together."""
    model = mb.Model("coupled")
    world, link = model.add(sp.World(gravity=(0, 0, 0))), model.add(part)
    for k, joint in enumerate(joints, 1):
        hinge, body = model.add(joint), model.add(sp.Body(f"wheel{k}", 1.0, (1, 1, 1)))
        model.connect(world.frame, hinge.frame_a)
        model.connect(hinge.frame_b, body.frame)
        model.connect(hinge.flange, getattr(link, f"flange_{k}"))
        model.signal(hinge.coordinate, getattr(link, f"coordinate_{k}"))
    return model


def bennett(off: float) -> mb.Model:
    """Bennett's loop: four skew hinges, movable as sin(twist) / length is the same for all links, but for `off`."""
    model, (a, b, twist) = mb.Model("bennett"), (1.0, 0.6, 0.9)
    other = math.asin(b * math.sin(twist) / a)
    world = model.add(sp.World(gravity=(0, 0, 0)))
    hinges = [model.add(sp.Revolute(n, angle=mb.Guess(q))) for n, q in zip("ABCD", (1.0, 1.8, -1.0, -1.8), strict=True)]
    model.connect(world.frame, hinges[0].frame_a)
    for k, (length, angle) in enumerate(((a, twist), (b, other + off), (a, twist), (b, other))):
        link = model.add(sp.FixedRotation(f"link{k}", axes="x", angles=angle, vector=(length, 0, 0)))
        bar = model.add(sp.Body(f"bar{k}", 1.0, (0.1, 0.1, 0.1)))
        model.connect(hinges[k].frame_b, link.frame_a, bar.frame)
        model.connect(link.frame_b, hinges[k + 1].frame_a if k < 3 else world.frame)
    return model


def bridged(bridge: Any, joint: Any) -> mb.Model:
    """A puck that glides on a floor and carries a load in space, which a spatial joint holds as well."""
    model = mb.Model("deck")
    world, floor = model.add(sp.World(gravity=(0, 0, 0))), model.add(pl.World("floor", gravity=(0, 0)))
    glide, puck = model.add(pl.Free("glide")), model.add(pl.Body("puck", 1.0, 1.0))
    deck, load, link = model.add(bridge), model.add(sp.Body("load", 1.0, (1, 1, 1))), model.add(joint)
    model.connect(floor.frame, glide.frame_a)
    model.connect(glide.frame_b, puck.frame, deck.planar)
    model.connect(deck.spatial, load.frame, link.frame_b)
    model.connect(world.frame, link.frame_a)
    return model
