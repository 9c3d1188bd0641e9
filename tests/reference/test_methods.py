"""Boudon et al. (2017), Tables 1 and 5: every method with vector and scalar bonds, every cell filled, and what all
agree on. The stored trajectories of `test_slider_crank.py` say that they agree on the right thing."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.examples import motor_crank, pendulum, slider_crank
from multibond.rewrite.method import METHODS
from multibond.view.comparison import Cell, Comparison


def tilted(joints: str) -> mb.Model:
    """Gravity along z loads the joints across their plane, where hinges hold more than is needed."""
    model = slider_crank(joints=joints)
    model.set("world.gravity", (0.0, 0.0, -9.81))
    return model


MACHINES = {
    "pendulum": pendulum,
    "hyperstatic": lambda: slider_crank(joints="hyperstatic"),
    "isostatic": lambda: slider_crank(joints="isostatic"),
    "hyperstatic, gravity along z": lambda: tilted("hyperstatic"),
    "isostatic, gravity along z": lambda: tilted("isostatic"),
    "motor, hyperstatic": lambda: motor_crank(joints="hyperstatic"),
}
EXACT = ("auto", "zcp", "multiplier", "minimal")
CRANKS = tenth(["hyperstatic", "isostatic"], of="tables of cranks")
OTHERS = tenth([name for name in MACHINES if "," in name], of="tables of other machines")
"""Tables take turns."""


@functools.cache
def compared(name: str) -> Comparison:
    """The table of a machine; the soft joints where the paper has them."""
    methods = METHODS if "," not in name else EXACT
    return mb.compare(MACHINES[name](), 0.5, methods=methods, rtol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", *CRANKS, *OTHERS])
def test_exact_methods_agree(name: str) -> None:
    """Motion to 1e-8, component by component; unique reactions to 1e-6, and the canonical choice among others too."""
    table = compared(name)
    for depth in (2, 3):
        for method in EXACT:
            cell = table[method, depth]
            print(f"{name} {method} {depth}: {cell.error:.1e} {cell.reaction_error:.1e} {cell.canonical_error:.1e}")
            assert not cell.reason and cell.exact
            assert cell.error is not None and cell.error <= 1e-8
            assert cell.reaction_error is not None and cell.reaction_error <= 1e-6
            assert cell.canonical_error is not None and cell.canonical_error <= 1e-6
            assert cell.energy is not None and cell.energy <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", *CRANKS])
def test_every_cell_is_filled(name: str) -> None:
    table = compared(name)
    assert [(c.method, c.depth) for c in table.cells] == [(m, d) for d in (2, 3) for m in METHODS]
    for cell in table.cells:
        numbers = [getattr(cell, word) for word in ("steps", "evaluations", "operations", "memory", "states")]
        assert all(number > 0 for number in numbers) and "–" not in str(table)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", *CRANKS])
def test_vector_and_scalar_bonds_are_the_same_equations(name: str) -> None:
    """The same states and nearly the same count of steps; unfolding changes how it is drawn, not what it says."""
    table = compared(name)
    for method in METHODS:
        vector, scalar = table[method, 2], table[method, 3]
        assert vector.states == scalar.states
        assert scalar.steps == pytest.approx(vector.steps, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", CRANKS)
def test_springs_leave_explicit_equations(name: str) -> None:
    """Poses and momenta of three bodies (13 each) and nothing to solve for; the error is that of the springs."""
    for depth in (2, 3):
        cell = compared(name)["rc", depth]
        assert (cell.states, cell.unknowns) == (39, 0)
        assert cell.error is not None and 1e-6 < cell.error < 4e-3
        assert len(cell.parasitic) >= 14 and not cell.exact


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", *CRANKS])
def test_advice_holds_in_the_table(name: str) -> None:
    """The advised method is exact and costs hardly more operations than the cheapest exact one; what the paper advises
    can be done, and what its conclusion says of it shows in the table."""
    table, advice = compared(name), mb.advise(MACHINES[name]())
    exact = [table[method, 2] for method in EXACT]
    own, paper = table[advice.method, 2], table[advice.paper, 2]
    assert own in exact and own.operations <= 1.25 * min(c.operations for c in exact)
    assert own.error <= 10 * min(c.error for c in exact) + 1e-10
    assert not paper.reason and paper.error < 4e-3
    three: list[Cell] = [table[method, 2] for method in ("zcp", "rc", "multiplier")]
    if advice.paper == "zcp":  # "easy and quick to implement on simple multibody systems"
        assert paper.operations < table["multiplier", 2].operations and paper.unknowns == min(c.unknowns for c in three)
    elif advice.paper == "rc":  # "permits over-constrained systems", "allows the use of a classical explicit solver"
        assert paper.unknowns == 0
    else:  # "an ideal description of the system within the limit of the numerical tolerance"
        assert paper.error < 1e-8 < table["rc", 2].error and paper.evaluations < table["rc", 2].evaluations


@pytest.mark.slow
def test_the_motor_drives_the_crank_at_every_depth() -> None:
    """Parts, multibonds and scalar bonds run alike; at the end the motor's torque balances what the dampers take."""
    model = motor_crank()
    times = np.linspace(0.0, 1.0, 51)
    runs = [mb.simulate(m, 1.0, rtol=1e-11) for m in (model, model.open(depth=2), model.open(depth=3))]
    for run in runs[1:]:
        np.testing.assert_allclose(run["O.angle"](times), runs[0]["O.angle"](times), atol=1e-9)
        np.testing.assert_allclose(run["motor.current"](times), runs[0]["motor.current"](times), atol=1e-8)
    assert runs[0].energy().residual < 1e-10
    told = mb.equations(model)
    assert "motor.coil.p'" in str(told) and r"\begin{aligned}" in told.latex()


def test_steady_speed_of_the_motor() -> None:
    """Averaged over the last turns the source gives what winding, bearing and dampers take."""
    run = mb.simulate(motor_crank(), 6.0, rtol=1e-10)
    audit = run.energy()
    assert audit.supplied == pytest.approx(audit.dissipated + audit.kinetic + audit.elastic, rel=1e-9)
    assert 10.0 < run["O.speed"](6.0) < 24.0 / 0.8
