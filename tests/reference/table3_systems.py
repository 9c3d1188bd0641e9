"""The systems of Zimmer and Cellier (2006), Table 3, all but the bicycle, with their checkpoints.

Checkpoints: independent solutions (minimal coordinates or index-1 multipliers, DOP853, rtol 1e-11) of the examples of
MultiBondLib 1.3, six digits; planar angles there count clockwise.
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
