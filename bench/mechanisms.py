"""The mechanisms that are compared, as plain lists of links: no library's own types, so that every side reads the same.

Each link hangs on its parent by a revolute joint. All frames are parallel when every angle is zero; lengths in metres,
masses in kilograms, gravity 9.81 m/s² along -z.
"""

from dataclasses import dataclass

import numpy as np

GRAVITY = (0.0, 0.0, -9.81)
X, Y, Z = 0, 1, 2
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """A rigid body behind a revolute joint.

    parent: index of the link it hangs on, -1 for the world.
    axis: 0, 1 or 2, the joint's axis in the link's own frame.
    origin: the joint in the parent's frame.
    centre, inertia: centre of mass, and principal moments about it, in the link's frame (the joint is its origin).
    """

    parent: int
    axis: int
    origin: Vector
    mass: float
    centre: Vector
    inertia: Vector


def double_pendulum() -> list[Link]:
    """Two uniform rods of one metre and one kilogram, swinging about y."""
    rod = (1.0, (0.0, 0.0, -0.5), (1 / 12, 1 / 12, 1e-3))
    return [Link(-1, Y, (0.0, 0.0, 0.0), *rod), Link(0, Y, (0.0, 0.0, -1.0), *rod)]


def arm() -> list[Link]:
    """A 6-DoF arm like the UR5: lengths and masses of its public URDF, diagonal inertias, frames made parallel."""
    return [
        Link(-1, Z, (0.0, 0.0, 0.089159), 3.7, (0.0, 0.0, 0.0), (0.010267, 0.010267, 0.00666)),
        Link(0, Y, (0.0, 0.13585, 0.0), 8.393, (0.0, 0.0, 0.28), (0.22689, 0.22689, 0.0151074)),
        Link(1, Y, (0.0, -0.1197, 0.425), 2.275, (0.0, 0.0, 0.196125), (0.049443, 0.049443, 0.004095)),
        Link(2, Y, (0.0, 0.0, 0.39225), 1.219, (0.0, 0.093, 0.0), (0.0025599, 0.0025599, 0.0021942)),
        Link(3, Z, (0.0, 0.093, 0.0), 1.219, (0.0, 0.0, 0.09465), (0.0025599, 0.0025599, 0.0021942)),
        Link(4, Y, (0.0, 0.0, 0.09465), 0.1879, (0.0, 0.065, 0.0), (8.4695e-05, 8.4695e-05, 0.00013211)),
    ]


def chain(links: int, length: float = 0.2) -> list[Link]:
    """Uniform rods of one kilogram in a row, joint axes alternating between y and x."""
    across = length**2 / 12
    return [
        Link(
            parent=i - 1,
            axis=X if i % 2 else Y,
            origin=(0.0, 0.0, -length if i else 0.0),
            mass=1.0,
            centre=(0.0, 0.0, -length / 2),
            inertia=(across, across, 1e-3),
        )
        for i in range(links)
    ]


MECHANISMS = {
    "double pendulum": double_pendulum,
    "arm, 6 DoF": arm,
    "chain of 20": lambda: chain(20),
    "chain of 100": lambda: chain(100),
    "chain of 200": lambda: chain(200),
}


def columns(links: list[Link]) -> tuple[np.ndarray, ...]:
    """The list as arrays for a C interface: parent, axis, origin, mass, centre, inertia."""
    integers = [np.array([getattr(link, name) for link in links], dtype=np.int32) for name in ("parent", "axis")]
    names = ("origin", "mass", "centre", "inertia")
    return (*integers, *(np.array([getattr(link, name) for link in links], dtype=float) for name in names))


def mjcf(links: list[Link]) -> str:
    """The mechanism in MuJoCo's format, constraints switched off."""

    def words(values: Vector) -> str:
        return " ".join(map(repr, values))

    def axis(link: Link) -> str:
        return words(tuple(float(link.axis == i) for i in (X, Y, Z)))

    opened = [
        f'<body pos="{words(link.origin)}"><joint type="hinge" axis="{axis(link)}"/>'
        f'<inertial pos="{words(link.centre)}" mass="{link.mass}" diaginertia="{words(link.inertia)}"/>'
        for link in links
    ]

    def bodies(parent: int) -> str:
        inside = (i for i, link in enumerate(links) if link.parent == parent)
        return "".join(opened[i] + bodies(i) + "</body>" for i in inside)

    option = f'<option gravity="{words(GRAVITY)}"><flag constraint="disable"/></option>'
    return f'<mujoco>{option}<size memory="64M"/><worldbody>{bodies(-1)}</worldbody></mujoco>'
