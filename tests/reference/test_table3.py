"""Zimmer and Cellier (2006), Table 3, all but the bicycle: checkpoints to every printed digit, and whole trajectories.

Checkpoints: independent solutions (minimal coordinates or index-1 multipliers, DOP853, rtol 1e-11) of the examples of
MultiBondLib 1.3, six digits; planar angles there count clockwise. Trajectories: formulations of our own (`table3.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from tests.planar import machines

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp
from multibond.examples import governor, gyroscope, planar_loop, spatial_four_bar

from . import table3 as own
from .table import within

METHODS = ("auto", "multiplier", "zcp")
A1 = """
0.5  0.380418   0.0101593   1.5501    -0.416659
1    1.53548   -1.4568      3.32272   -7.6025
2    3.76474   -1.60358    -0.341344   7.36011
5    1.8793     18.4335     3.17306   -2.92381
"""
A2 = """
0.5  -0.180011  0.186902  -0.728615   0.791417
1    -0.638141  0.850487  -0.782835   1.91363
2     1.33736   4.08118    0.909294   2.83258
5     0.127451  2.62326   -4.33949   -4.19765
10    0.672706  5.63364    0.130378  -0.130643
"""
A3 = """
0.5   1.710084  -0.842011  -0.605501
1     0.340484  -0.528238  -1.898693
2    -0.996877  -1.016328  -1.404747
5     1.712776  -0.707431   0.752289
10   -0.008446  -0.818717   1.824728
"""
A4 = """
0.5  1.80921  0.567568  -1.51151     1.94171
1    1.375    1.76281   -0.632875    2.35243
2    1.40863  2.2523    -0.800816   -1.54345
5    1.54419  2.43807   -0.401715   -0.683172
10   1.72558  0.515224   0.00496108  1.61193
"""
A5 = """
0.5  1.4728    0.264035  -0.0547583  1.05466
1    1.44583   1.04805   -0.0667003  2.07487
2    1.35617   4.07782   -0.105106   3.94415
5    1.02293   23.0454   -0.104973   8.52716
10   0.603453  82.6266   -0.0635148  15.2769
"""
A6 = """
0.25  1.6123   -0.332973  0.68475    0.415821  8.35128  -0.954386
0.5   4.02215  -0.361251  0.80638   -0.563066  8.936     0.957193
1     7.11671  -0.248769  0.254958   0.350603  6.54277  -0.601679
2     14.5213  -0.37056   0.84307    0.338169  9.12404  -0.937433
5     37.001   -0.210594  0.0536379 -0.345699  5.56395   0.275294
10    73.8661  -0.279288  0.41803   -0.615542  7.2141    0.776883
"""


@dataclass(frozen=True)
class System:
    """A system of the table: the model, its checkpoints, what they are (a minus for clockwise angles), its count.

    loops: independent equations of each closed loop; freedoms; redundant: conditions too many.
    """

    build: Callable[[], mb.Model]
    printed: str
    variables: str
    loops: tuple[int, ...] = ()
    freedoms: int = 2
    redundant: int = 0
    style: str = ".6g"

    @property
    def rows(self) -> list[list[str]]:
        """Time and figures as they are printed."""
        return [line.split() for line in self.printed.strip().split("\n")]

    def read(self, run: mb.Run, t: np.ndarray) -> np.ndarray:
        """The printed variables, one column each."""
        signs = [-1.0 if name.startswith("-") else 1.0 for name in self.variables.split()]
        return run.values([name.lstrip("-") for name in self.variables.split()], t) * np.repeat(signs, self._sizes(run))

    def _sizes(self, run: mb.Run) -> list[int]:
        return [run.size_of(name.lstrip("-")) for name in self.variables.split()]


SWING = "-j1.angle -j2.angle -j1.speed -j2.speed"
CRAB = "rail.position -hinge.angle rail.speed -hinge.speed"
LOOP = "slide.position -swing.angle slide.speed -swing.speed"
BAR = "pivot.angle slide.position turn.angle tilt.angle pivot.speed slide.speed"
SYSTEMS = {
    "double pendulum, plane": System(lambda: machines.double_pendulum(pl), A1, SWING),
    "double pendulum, space": System(lambda: machines.double_pendulum(sp), A1, SWING),
    "crane crab": System(lambda: machines.crane_crab(pl), A2, CRAB),
    "gyroscope": System(gyroscope, A3, "wheel.position", freedoms=3, style=".6f"),
    "planar loop, plane": System(lambda: machines.kinematic_loop(pl), A4, LOOP, (2,)),
    "planar loop, space": System(planar_loop, A4, LOOP.replace("slide", "guide"), (2,), redundant=3),
    "governor": System(governor, A5, "collar.position shaft.angle collar.speed shaft.speed", (2, 2), redundant=6),
    "spatial four-bar": System(spatial_four_bar, A6, BAR, (3,), 1),
}
HEAVY = ("planar loop, space", "governor", "spatial four-bar")
"""Those that take seconds to compile with all bodies free."""
FORMS = [
    pytest.param(name, method, id=f"{name}-{method}", marks=[pytest.mark.slow] if slow else [])
    for name in SYSTEMS
    for method in METHODS
    for slow in [name in HEAVY and method != "auto"]
]


@functools.cache
def run_of(name: str, method: str = "auto") -> mb.Run:
    """Up to the last checkpoint; the double pendulum is chaotic, so finer than the rest."""
    tight = {"rtol": 1e-13, "atol": 1e-15} if name.startswith("double") else {"rtol": 1e-11}
    return mb.simulate(SYSTEMS[name].build(), float(SYSTEMS[name].rows[-1][0]), method=method, **tight).check()


@pytest.mark.parametrize(("name", "method"), FORMS)
def test_checkpoints(name: str, method: str) -> None:
    """Rounded to the digits that are printed, every figure is the printed one."""
    system, run = SYSTEMS[name], run_of(name, method)
    found = system.read(run, np.array([float(row[0]) for row in system.rows]))
    told = [[format(value, system.style) for value in row] for row in found]
    assert told == [row[1:] for row in system.rows]
    print(f"{name}, {method}: {found.size} figures, all digits; energy {run.energy().residual:.1e}")
    assert run.energy().residual < 1e-9


OWN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "double pendulum": lambda t: own.lagrange(own.double_pendulum, [0.0] * 4, t),
    "crane crab": lambda t: own.lagrange(own.crane_crab, [0.0] * 4, t),
    "gyroscope": lambda t: own.gyroscope(t)[:, :3],
    "planar loop": lambda t: own.lagrange(own.planar_loop, [2.0, 0.0, 0.0, 0.0], t),
    "governor": lambda t: own.lagrange(own.governor, [1.45, 0.0, 0.0, 0.0], t),
    "spatial four-bar": lambda t: own.lagrange(own.four_bar, [0.0, np.deg2rad(300.0)], t)[:, :6],
}


@functools.cache
def by_hand(name: str, until: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and the printed variables at these, by our own formulation."""
    t = np.linspace(0.0, until, 401)
    return t, OWN[name](t)


@pytest.mark.parametrize(("name", "method"), FORMS)
def test_trajectories(name: str, method: str) -> None:
    """Every printed variable, all the way."""
    run = run_of(name, method)
    t, wanted = by_hand(name.partition(",")[0], float(run.t[-1]))
    found = SYSTEMS[name].read(run, t)
    worst = ", ".join(f"{error:.0e}" for error in np.abs(found - wanted).max(axis=0))
    print(f"{name}, {method}: worst of each column {worst}")
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-8)


def test_double_pendulums_side_by_side() -> None:
    """One model with both, that in space a metre behind, as in the library's example: they stay side by side."""
    model = machines.double_pendulum(pl)
    end = model.add(sp.Fixed("behind", (0.0, 0.0, -1.0))).frame
    for k, vector, mass in ((1, (2.0, 2.0, 0.0), 2.0), (2, (0.0, -1.5, 0.0), 1.0)):
        joint = model.add(sp.Revolute(f"s{k}", angle=0.0, speed=0.0))
        rod, bob = model.add(sp.Rod(f"rod{k}", vector)), model.add(sp.PointMass(f"bob{k}", mass))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, bob.frame)
        end = rod.frame_b
    run, t = mb.simulate(model, 5.0, rtol=1e-13, atol=1e-15).check(), np.linspace(0.0, 5.0, 201)
    for name in ("angle", "speed"):
        for k in (1, 2):
            within(f"{name} {k}", run[f"s{k}.{name}"](t), run[f"j{k}.{name}"](t), 1e-8)
    place = np.column_stack([run["m2.position"](t), np.full(t.size, -1.0)])
    within("bob", run["bob2.position"](t), place, 1e-8)


# -- what never changes ------------------------------------------------------------------------------------------------


def energy(run: mb.Run, bodies: dict[str, tuple[float, tuple[float, float, float]]], t: np.ndarray) -> np.ndarray:
    """Kinetic energy and that of height, from what bodies tell; each has mass and principal moments."""
    total = np.zeros(t.size)
    for name, (mass, moments) in bodies.items():
        v, w = run[f"{name}.velocity"](t), run[f"{name}.angular_velocity"](t)
        total += 0.5 * mass * (v**2).sum(axis=1) + 0.5 * (w**2 * moments).sum(axis=1)
        total += mass * own.G * run[f"{name}.position"](t)[:, 1]
    return total


@pytest.mark.parametrize("method", METHODS)
def test_gyroscope_keeps_spin_and_momentum(method: str) -> None:
    """Spin about the arm, energy, angular momentum about the vertical, length of the arm; velocity as by hand."""
    run, t = run_of("gyroscope", method), np.linspace(0.0, 10.0, 401)
    place, speed = run["wheel.position"](t), run["wheel.velocity"](t)
    turned, w = run["wheel.attitude"](t).reshape(-1, 3, 3), run["wheel.angular_velocity"](t)
    momentum = np.cross(place, 2.0 * speed) + np.einsum("tij,tj->ti", turned, w * [0.12, 0.06, 0.06])
    within("spin", w[:, 0], np.full(t.size, 80 * np.pi), 1e-8)
    within(
        "energy", energy(run, {"wheel": (2.0, (0.12, 0.06, 0.06))}, t), np.full(t.size, 0.06 * (80 * np.pi) ** 2), 1e-6
    )
    within("upright momentum", momentum[:, 1], np.zeros(t.size), 1e-8)
    within("length of the arm", np.linalg.norm(place, axis=1), np.full(t.size, 2.0), 1e-11)
    within("velocity", speed, own.gyroscope(t)[:, 3:], 1e-8)


@pytest.mark.parametrize("method", [m if m == "auto" else pytest.param(m, marks=pytest.mark.slow) for m in METHODS])
def test_governor_gathers_momentum(method: str) -> None:
    """The torque of 10 N.m is all that acts about the shaft; both sides stay alike."""
    run, t = run_of("governor", method), np.linspace(0.0, 10.0, 201)
    reach = np.linalg.norm(run["left_weight.position"](t)[:, [0, 2]], axis=1)
    within("momentum", (3 * 0.05 + 4.0 * reach**2) * run["shaft.speed"](t), 10.0 * t, 1e-8)
    within("left and right", run["left_low.angle"](t), -run["right_low.angle"](t), 1e-9)
    supplied, lost = run.energy().supplied, run.energy().dissipated
    assert supplied == pytest.approx(10.0 * run["shaft.angle"](10.0), rel=1e-11)
    assert lost > 0.1


@pytest.mark.parametrize("method", [m if m == "auto" else pytest.param(m, marks=pytest.mark.slow) for m in METHODS])
def test_four_bar_keeps_its_energy(method: str) -> None:
    """5.19152328 J, as printed."""
    t = np.linspace(0.0, 10.0, 401)
    bodies = dict.fromkeys(("crank", "rod", "post"), (0.5, (0.05, 0.05, 0.05)))
    within("energy", energy(run_of("spatial four-bar", method), bodies, t), np.full(t.size, 5.19152328), 5e-9)


def test_four_bar_has_a_second_branch() -> None:
    """Guessed there, the slide stands on the other side, as far from the ball as on this one."""
    found = mb.assemble(spatial_four_bar(position=-2.1, angle=-2.5))
    assert found["slide.position"] == pytest.approx(-2.2, abs=1e-12)
    assert found["turn.angle"] == pytest.approx(2 * np.arctan(0.3) - np.pi, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_crane_crab_keeps_its_place(method: str) -> None:
    """Nothing acts along the rail: momentum and so the centre of mass stay."""
    run, t = run_of("crane crab", method), np.linspace(0.0, 10.0, 201)
    momentum = run["cart.momentum"](t)[:, 0] + run["bob.momentum"](t)[:, 0]
    within("momentum", momentum, np.zeros(t.size), 1e-9)
    centre = (2.0 * run["cart.position"](t)[:, 0] + run["bob.position"](t)[:, 0]) / 3.0
    within("centre of mass", centre, np.full(t.size, 1.0 / 3.0), 1e-9)


# -- the table's own counts --------------------------------------------------------------------------------------------


def loop_equations(system: mb.System) -> tuple[int, ...]:
    """Independent equations of positions that each closed loop has at its cut."""
    told, held = mb.explain(system), [u for u in system.dae.unknowns if u.kind == "multiplier"]
    count = {loop.cut: sum(u.size for u in held if u.path.startswith(f"{loop.cut}.")) for loop in told.kinematic_loops}
    return tuple(n - sum(name.startswith(f"{cut} ") for name in told.redundant) for cut, n in count.items())


@pytest.mark.parametrize("name", SYSTEMS)
def test_counts(name: str) -> None:
    """Freedoms, loops and redundant conditions.

    The table's nonlinear equations are those of closed loops: none, 2, {2, 2}, 5. Here the four-bar has 3: it is cut at
    its ball, which leaves as little as can be; cut at the crank's hinge it has the table's 5. None of them is solved
    at every instant: positions of the tree are states, and stay on the loop by their rates and a projection.
    """
    system, case = mb.compile(SYSTEMS[name].build()), SYSTEMS[name]
    told = mb.explain(system)
    print(f"{name}: {told.freedoms} freedoms, loops {loop_equations(system)}, {len(told.redundant)} redundant")
    assert (told.freedoms, loop_equations(system), len(told.redundant)) == (case.freedoms, case.loops, case.redundant)
    assert not told.newton and not told.algebraic_loops
    assert told.order == 2 * told.freedoms


def test_four_bar_cut_as_in_the_table() -> None:
    system = mb.compile(spatial_four_bar(), cuts=["pivot"])
    assert loop_equations(system) == (5,)


def test_governor_names_what_is_redundant() -> None:
    """Each loop of plane hinges holds two turns and the way across twice."""
    redundant = mb.explain(governor()).redundant
    assert sorted(redundant) == [
        f"{side}_knee {what}" for side in ("left", "right") for what in ("rotation 1", "rotation 2", "translation 3")
    ]
    assert set(mb.simulate(governor(), 0.1).ambiguous) == {"collar"} | {
        f"{side}_{joint}" for side in ("left", "right") for joint in ("low", "knee", "high")
    }
    counted = mb.count(governor())
    assert (counted.naive, counted.mobility, counted.redundant) == (-4, 2, 6)
