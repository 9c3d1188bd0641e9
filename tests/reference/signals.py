"""Public reference signals of the Modelica Standard Library's MultiBody and of PlanarMechanics.

Each file of signals with the machine that it belongs to, and a name of ours for every one of its columns. The files are
not part of the project: tests read them where they are at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import multibond as mb
from multibond.examples import controlled_crane

from . import msl, pm

PLACES = [above / "shared/reference/modelica" for above in Path(__file__).parents]
FOLDER = next((place for place in PLACES if place.exists()), PLACES[0])
"""Beside the project, or further up."""
GAIN = 320.0 * 9.81 * 5.0


@dataclass(frozen=True)
class Signals:
    """A machine and its columns.

    names: by column our variable, with a factor before it where theirs differs by one ("-1 pid.lag"). limits: up to
    which time how far a column may be off, as a fraction of its largest value; 1e-4 is what the signals are good for.
    """

    build: Callable[[], mb.Model]
    names: dict[str, str]
    limits: dict[float, float]

    def of(self, run: mb.Run, column: str, t: np.ndarray) -> np.ndarray:
        """Our values of a column."""
        *factor, name = self.names[column].split()
        return float(factor[0]) * run[name](t) if factor else run[name](t)


def read(name: str) -> dict[str, np.ndarray]:
    """The columns of a file, the time first."""
    path = FOLDER / f"{name}.csv"
    head = path.read_text().split("\n", 1)[0].split(",")
    return dict(zip(head, np.genfromtxt(path, delimiter=",", skip_header=1).T, strict=True))


def each(theirs: str, ours: str, count: Iterable[int] = range(3)) -> dict[str, str]:
    """Names of the components of a vector."""
    return {f"{theirs}[{k + 1}]": f"{ours}[{k}]" for k in count}


def pairs(**words: str) -> dict[str, str]:
    """Angle or position and speed of joints, by their name for them and ours."""
    made: dict[str, str] = {}
    for theirs, ours in words.items():
        kind, _, name = ours.partition(" ")
        place, speed, coordinate = ("phi", "w", "angle") if kind == "turn" else ("s", "v", "position")
        made |= {f"{theirs}.{place}": f"{name}.{coordinate}", f"{theirs}.{speed}": f"{name}.speed"}
    return made


def free(theirs: str, ours: str, frame: str = "frame_a", velocity: str = "") -> dict[str, str]:
    """Place and velocity of a body's frame, and its angular velocity."""
    place = each(f"{theirs}.{frame}.r_0", f"{ours}.frame.position")
    speed = each(f"{velocity or theirs}.v_0", f"{ours}.frame.translation.f")
    return place | speed | each(f"{theirs}.w_a", f"{ours}.angular_velocity")


def plane(body: str = "body") -> dict[str, str]:
    """Place, angle and speeds of a body in the plane."""
    places = each(f"{body}.r", f"{body}.position", range(2)) | each(f"{body}.v", f"{body}.velocity", range(2))
    return places | {f"{body}.phi": f"{body}.angle", f"{body}.w": f"{body}.frame.plane.f[2]"}


MSL = {
    "Constraints.SphericalConstraint": Signals(
        msl.spherical_constraint, each("bodyOfConstraint.body.w_a", "body.angular_velocity"), {10.0: 2e-4}
    ),
    "Elementary.DoublePendulum": Signals(
        msl.double_pendulum, pairs(revolute1="turn first", revolute2="turn second"), {3.0: 1e-4}
    ),
    "Elementary.FreeBody": Signals(msl.free_body, free("body.body", "body", velocity="body"), {10.0: 3e-4}),
    "Elementary.Pendulum": Signals(msl.pendulum, pairs(rev="turn rev"), {5.0: 1e-4}),
    "Elementary.PendulumWithSpringDamper": Signals(
        msl.pendulum_with_spring_damper, pairs(prismatic="slide slider", revolute="turn hinge"), {10.0: 1e-4}
    ),
    "Elementary.PointGravity": Signals(
        msl.point_gravity, free("body1", "body1") | free("body2", "body2"), {1.2: 1e-4, 3.0: 1e-3, 5.0: 4e-2}
    ),
    "Elementary.SpringMassSystem": Signals(msl.spring_mass_system, pairs(p1="slide p1", p2="slide p2"), {5.0: 1e-4}),
    "Elementary.ThreeSprings": Signals(msl.three_springs, free("body1", "body"), {10.0: 1e-4}),
    "Loops.Fourbar1": Signals(msl.fourbar_1, pairs(j1="turn j1"), {5.0: 2.5e-4}),
    "Loops.PlanarFourbar": Signals(msl.planar_fourbar, pairs(revolute1="turn first"), {5.0: 4e-4}),
}
PM = {
    "Pendulum": Signals(pm.pendulum, {"body.phi": "body.angle", "revolute.w": "hinge.speed"}, {3.0: 1e-4}),
    "DoublePendulum": Signals(
        pm.double_pendulum, pairs(revolute="turn j1", revolute1="turn j2"), {5.0: 1e-4, 10.0: 2e-3}
    ),
    "CraneCrab": Signals(
        pm.crane_crab,
        {
            "body.phi": "bob.angle",
            "revolute.w": "hinge.speed",
            "damper1D.s_rel": "rail.position",
            "damper1D.v_rel": "rail.speed",
        },
        {10.0: 1e-4},
    ),
    "FreeBody": Signals(pm.free_body, plane(), {3.0: 1e-4}),
    "SpringDamperDemo": Signals(pm.spring_damper, plane(), {5.0: 1e-4}),
    "ControlledCraneCrab": Signals(
        controlled_crane,
        {
            "PID.D.x": "-1 pid.lag",
            "PID.I.y": f"{-1 / GAIN} pid.integral",
            "body.phi": "hinge.angle",
            "prismatic.s": "rail.position",
            "prismatic.v": "rail.speed",
            "revolute.w": "hinge.speed",
        },
        {3.0: 1e-4},
    ),
}
ALL = {f"MSL.{name}": case for name, case in MSL.items()} | {f"PlanarMechanics.{n}": case for n, case in PM.items()}
"""By file. Further off than 1e-4 are signals by their own fault; our runs agree with other formulations to 1e-7 and
better: FreeBody, SphericalConstraint and PointGravity, whose second body passes close to the origin at 1.3 s (SciPy, in
`test_msl.py`), the four-bars and the double pendulum, where errors grow (`test_signals.py`)."""
