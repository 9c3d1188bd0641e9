"""Every machine on which rewrites are tried: the examples with vector bonds and unfolded, and graphs of our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import multibond as mb
from multibond import rewrite
from multibond.examples import (
    arm,
    chain,
    controlled_crane,
    crane_crab,
    disc,
    electric_circuit,
    euler_top,
    four_bar,
    heat_plate,
    heavy_top,
    hydraulic_cylinder,
    motor_pendulum,
    pendulum,
    planar_loop,
    rate_gyro,
    reaction,
    rectifier,
    rlc,
    slider_crank,
    sliding_swing,
)
from multibond.graph.graph import Graph
from multibond.workbench import at_depth

from .agreement import run_of
from .graphs import GRAPHS

EXAMPLES: dict[str, tuple[Callable[[], mb.Model], float]] = {
    "rlc": (rlc, 1.0),
    "electric circuit": (electric_circuit, 0.02),
    "hydraulic cylinder": (hydraulic_cylinder, 0.01),
    "reaction": (reaction, 0.5),
    "motor pendulum": (motor_pendulum, 0.1),
    "pendulum": (pendulum, 0.5),
    "euler top": (euler_top, 1.0),
    "heavy top": (heavy_top, 0.1),
    "disc": (disc, 0.2),
    "disc of scalar bonds": (lambda: disc(scalar=True), 0.1),
    "rate gyro": (rate_gyro, 0.02),
    "slider crank": (slider_crank, 0.3),
    "isostatic slider crank": (lambda: slider_crank(joints="isostatic"), 0.3),
    "planar loop": (planar_loop, 0.3),
    "four bar": (four_bar, 0.3),
    "rectifier": (rectifier, 0.004),
    "heat plate": (heat_plate, 10.0),
    "controlled crane": (controlled_crane, 0.2),
    "crane crab": (crane_crab, 0.3),
    "sliding swing": (sliding_swing, 0.1),
    "chain": (lambda: chain(4), 0.2),
    "arm": (arm, 0.1),
}
UNFOLDED = ("pendulum", "euler top", "heavy top", "disc", "rate gyro", "motor pendulum", "slider crank", "four bar")

CARRIED = {"swinging": "carry inertias", "turning": "carry inertias", "moving point": "carry inertias"}
MINIMAL = ("pendulum", "heavy top", "rlc", "slider crank")

MACHINES: dict[str, tuple[Callable[[], Graph], float]] = {
    **{name: ((lambda build=build: at_depth(build(), 2)), until) for name, (build, until) in EXAMPLES.items()},
    **{
        f"{name}, unfolded": ((lambda name=name: at_depth(EXAMPLES[name][0](), 3)), EXAMPLES[name][1])
        for name in UNFOLDED
    },
    **{name: ((lambda build=build: at_depth(build(), 2)), 1.0) for name, build in GRAPHS.items()},
    **{
        f"{name}, carried": ((lambda name=name, rule=rule: rewrite.apply(graph_of(name), rule).after), 1.0)
        for name, rule in CARRIED.items()
    },
    **{
        f"{name}, minimal": ((lambda name=name: rewrite.minimal(graph_of(name)).graph), EXAMPLES[name][1])
        for name in MINIMAL
    },
}


@cache
def graph_of(name: str) -> Graph:
    """The graph of a machine."""
    return MACHINES[name][0]()


@cache
def reference(name: str) -> mb.Run:
    """The run of a machine as it is."""
    return run_of(graph_of(name), MACHINES[name][1])
