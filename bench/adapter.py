"""Our side of the comparison: from a list of links to the pointer of a compiled derivative."""

from dataclasses import dataclass

import numpy as np
from mechanisms import GRAVITY, Link

import multibond as mb
from multibond import spatial as sp


@dataclass(frozen=True)
class Native:
    """A compiled derivative `void f(const double* t, const double* x, const double* p, double* xdot, double* work)`.

    address: the function's address.
    states: length of x and xdot.
    angle, speed: for each link the place of its joint's angle and speed in x.
    parameters, work: what is passed as p and work.
    keepalive: whatever owns the machine code; held while the address is used.
    """

    address: int
    states: int
    angle: np.ndarray
    speed: np.ndarray
    parameters: np.ndarray
    work: np.ndarray
    keepalive: object


def assemble(links: list[Link]) -> mb.Model:
    """The mechanism from parts: for each link a rod to its joint, the joint, and a body."""
    model = mb.Model("mechanism")
    world = model.add(sp.World(gravity=GRAVITY))
    frames = {-1: world.frame}
    for k, link in enumerate(links):
        base = frames[link.parent]
        if any(link.origin):
            rod = model.add(sp.Rod(f"rod{k}", link.origin))
            model.connect(base, rod.frame_a)
            base = rod.frame_b
        joint = model.add(sp.Revolute(f"joint{k}", axis="xyz"[link.axis], angle=0.0, speed=0.0))
        body = model.add(sp.Body(f"body{k}", mass=link.mass, centre=link.centre, inertia=link.inertia))
        model.connect(base, joint.frame_a)
        model.connect(joint.frame_b, body.frame)
        frames[k] = joint.frame_b
    return model


def native_derivative(links: list[Link]) -> Native:
    """Build the mechanism from parts (revolute joints, no torques, gravity), compile it, hand out its pointer."""
    system = mb.compile(assemble(links))
    angle, speed = (
        np.array([system.dae.place_of_state(f"joint{k}.motion", name).start for k in range(len(links))])
        for name in "qu"
    )
    address = system.code.address("rhs")
    return Native(address, system.n, angle, speed, system.parameters, np.zeros(system.work_size + 1), system)
