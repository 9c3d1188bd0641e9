"""The slider crank in all its variants, joint sets and methods, against stored trajectories.

Origin of the tables: Lagrange with one coordinate; absolute coordinates with multipliers.
"""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.examples import slider_crank

from .table import DATA, Check, angle_of, compare, force_of, largest, speed_of, table

VARIANTS: dict[str, dict] = {
    "main": {},
    "gravity": {"gravity": 9.81},
    "crankrod": {"damper": "crank-rod"},
    "groundcrank": {"damper": "ground-crank"},
    "comaxis": {"crank_centre": 0.0},
}
MOTION = {
    "gamma": angle_of("O.frame_b"),
    "gamma_dot": "O.speed",
    "psi_rod": angle_of("B.frame_b"),
    "psi_dot": speed_of("B.frame_b"),
    "x_piston": "guide.position",
    "v_piston": "guide.speed",
}
JOINTS, METHODS = ("hyperstatic", "isostatic"), ("auto", "zcp", "multiplier", "minimal")
FORCES = {
    "FOx_on_crank": "O.reaction_force[0]",
    "FOy_on_crank": "O.reaction_force[1]",
    "FBx_on_rod": force_of("B", 0),
    "FBy_on_rod": force_of("B", 1),
    "FCx_on_piston": force_of("C", 0),
    "FCy_on_piston": force_of("C", 1),
    "N_guide_y_on_piston": "guide.reaction_force[1]",
}


@pytest.mark.parametrize(
    ("variant", "joints", "method"),
    [(*case, m) for case in product(VARIANTS, JOINTS) for m in tenth(METHODS, of=f"methods, {case}")],
)
def test_slider_crank(variant: str, joints: str, method: str) -> None:
    data = table("A02_slidercrank", f"reference_{variant}")
    run = mb.simulate(slider_crank(joints=joints, **VARIANTS[variant]), 2.0, method=method, rtol=1e-11)
    scale = largest(data, *FORCES)
    motion = [Check(column, read, 1e-8) for column, read in MOTION.items()]
    compare(run, data, [*motion, *(Check(column, read, 1e-6, scale) for column, read in FORCES.items())])


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_angles_are_unwrapped(method: str) -> None:
    data = table("A02_slidercrank", "reference_main")
    run = mb.simulate(slider_crank(), 2.0, rtol=1e-11, method=method)
    compare(run, data, [Check("gamma", "O.angle", 1e-8)])
    assert run["O.angle"](2.0) == pytest.approx(data["gamma"][-1], abs=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_after_ten_seconds(variant: str) -> None:
    """Up to 50 turns of the crank."""
    final = json.loads((DATA / "A02_slidercrank" / "final.json").read_text())[variant]["t10"]
    run = mb.simulate(slider_crank(**VARIANTS[variant]), 10.0, rtol=1e-12)
    data = {column: np.array([value]) for column, value in final.items()} | {"t": np.array([10.0])}
    paths = {"gamma": "O.angle", "gamma_dot": "O.speed", "x_piston": "guide.position", "v_piston": "guide.speed"}
    compare(run, data, [Check(column, path, 1e-8) for column, path in paths.items()])


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier"])
def test_three_conditions_are_redundant(method: str) -> None:
    system = mb.compile(slider_crank(), method)
    assert len(system.reduced.redundancy.dropped) == 3
    assert len(system.reduced.redundancy.names) == 3
    assert any(line.startswith("3 redundant: ") for line in system.report)
    for name in system.reduced.redundancy.names:
        joint, what, number = name.split()
        assert joint in ("O", "B", "C", "guide") and what in ("rotation", "translation") and number in "012"


@pytest.mark.parametrize("method", ["auto", "zcp", "multiplier"])
def test_isostatic_joints_say_nothing_twice(method: str) -> None:
    system = mb.compile(slider_crank(joints="isostatic"), method)
    assert not system.reduced.redundancy.dropped
    assert "no redundant constraint" in system.report
    assert mb.simulate(system, 0.1).ambiguous == ()
