"""Loops with other numbers than those they were compiled with, and loops whose pivots change places on the way."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.examples import slider_crank
from multibond.pipeline import as_graph
from multibond.solve.solution import Solution

from .drawing import Drawing
from .numbers import draw
from .plans import spatial_plan
from .trial import UNTIL, T, Trial, Values

PLAN = spatial_plan("Universal", 2)
Passing = tuple[Trial, dict[str, Solution]]


def loop(seed: int) -> tuple[mb.Model, dict[str, object]]:
    """The model with the numbers of a seed, and these numbers."""
    made = draw(PLAN, seed)
    return Drawing(PLAN, made).model(), dict(made.values)


@pytest.mark.slow
def test_other_numbers_run_as_in_a_model_compiled_for_them() -> None:
    """Fifteen sets of numbers for one loop in turn, given afterwards: pivots are chosen as the machine runs."""
    first = mb.compile(loop(200)[0], form="line")
    seeds = tenth(range(201, 216), of="other numbers")
    for seed in seeds:
        model, values = loop(seed)
        changed = mb.with_parameters(first, values)
        assert changed.code is first.code, seed
        runs = [mb.simulate(system, UNTIL, rtol=1e-11).check() for system in (mb.compile(model), changed)]
        for name in ("body2.frame.position", "it.speeds", "it.reaction_force"):
            fresh, other = (run[name](T) for run in runs)
            size = max(0.1, float(np.abs(fresh).max()))
            np.testing.assert_allclose(other, fresh, rtol=0, atol=1e-9 * size, err_msg=f"{name}, seed {seed}")


def test_the_wishes_of_a_system_survive_other_numbers() -> None:
    """A change of structure compiles again as was asked for: with the same cut, in the same form."""
    model, _ = loop(200)
    cut = mb.compile(model, form="line", cuts=["J0"])
    changed = mb.with_parameters(cut, {"body1.inertia": (0.1, 0.2, 0.25)})  # entries beside the diagonal vanish
    assert changed.code is not cut.code
    assert changed.dae.tree.cuts == cut.dae.tree.cuts == ("J0.motion",)
    assert changed.recipe.form == "line"


@pytest.fixture(scope="module")
def passing() -> Passing:
    """A loop cut elsewhere, whose rows change places as pivots on the way."""
    trial = Trial(spatial_plan("FreeTranslation", 2), 2)
    made = draw(trial.plan, 210)
    return trial, trial.runs(made)


def alike(trial: Trial, found: Values, reference: Values, tolerance: float = 1e-9) -> None:
    for name in ("body1.frame.position", "body2.velocity", "J2.speeds"):
        np.testing.assert_allclose(found[name], reference[name], rtol=0, atol=tolerance, err_msg=name)


@pytest.mark.slow
def test_a_pivot_that_vanishes_on_the_way_does_not_end_the_run(passing: Passing) -> None:
    """Two ways to cut one loop agree, whichever rows carry it where."""
    trial, runs = passing
    values = {method: trial.read(runs[method], method) for method in ("auto", "cut")}
    alike(trial, values["cut"], values["auto"])


def test_other_numbers_beside_a_storage_of_which_a_part_is_given() -> None:
    """Of a vector inertia one flow is imposed, so that only the other component is a state."""
    model, _ = loop(200)
    for part in (mb.One("axle", size=2), mb.One("loose", size=1), mb.DirectSum("both", 1, 1)):
        model.add(part)
    model.bond(mb.Sf("wall", 0.3, size=1), "both.part_1")
    model.bond("loose", "both.part_2")
    model.bond("both.whole", "axle")
    model.bond("axle", mb.I("rotors", (1.0, 2.0), start=(0.3, 0.8)))
    model.bond("loose", mb.R("loss", 0.5))
    first = mb.compile(model, form="line")
    assert any(place.lanes for place in first.dae.states)
    changed = mb.with_parameters(first, loop(211)[1])
    assert mb.simulate(changed, 0.1)["rotors.f"](0.0)[1] == pytest.approx(0.4)


@pytest.mark.parametrize("method", ["minimal", "rc", "auto"])
def test_a_graph_takes_other_numbers_as_its_model_does(method: str) -> None:
    """The start is assembled anew, and reactions are those of the new numbers."""
    model = slider_crank()
    found = mb.with_parameters(mb.compile(as_graph(model), method), {"rod.mass": 3.0})
    wanted = mb.with_parameters(mb.compile(model, method), {"rod.mass": 3.0})
    runs = [mb.simulate(system, 0.02) for system in (found, wanted)]
    for name in ("B.reaction_force", "C.reaction_force"):
        one, other = (run[name](0.01) for run in runs)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(other).max())


def test_the_report_tells_the_start_as_it_is_now() -> None:
    system = mb.compile(slider_crank())
    changed = mb.with_parameters(system, {"rod_rod.vector": (0.9, 0.0, 0.0)})
    told = [line for line in changed.report if "guide.position set to" in line]
    assert len(told) == 1
    assert float(told[0].rpartition(" ")[2]) == pytest.approx(
        mb.simulate(changed, 0.01)["guide.position"](0.0), rel=1e-5
    )
