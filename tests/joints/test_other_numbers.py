"""Loops with other numbers than those they were compiled with: pivots are chosen anew where the old ones fail."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.solve.serving import is_rough, serves

from .drawing import Drawing
from .numbers import draw
from .plans import spatial_plan
from .trial import UNTIL, T, Trial

PLAN = spatial_plan("Universal", 2)


def loop(seed: int) -> tuple[mb.Model, dict[str, object]]:
    """The model with the numbers of a seed, and these numbers."""
    made = draw(PLAN, seed)
    return Drawing(PLAN, made).model(), dict(made.values)


@pytest.mark.slow
def test_other_numbers_run_as_in_a_model_compiled_for_them() -> None:
    """Fifteen sets of numbers for one loop, given afterwards; for some of them its pivots do not serve."""
    first, renewed = mb.compile(loop(200)[0], form="line"), 0
    for seed in range(201, 216):
        model, values = loop(seed)
        changed = mb.with_parameters(first, values)
        renewed += changed.code is not first.code
        assert serves(changed), seed
        runs = [mb.simulate(system, UNTIL, rtol=1e-11).check() for system in (mb.compile(model), changed)]
        for name in ("body2.frame.position", "it.speeds", "it.reaction_force"):
            fresh, other = (run[name](T) for run in runs)
            size = max(0.1, float(np.abs(fresh).max()))
            np.testing.assert_allclose(other, fresh, rtol=0, atol=1e-9 * size, err_msg=f"{name}, seed {seed}")
    print("renewed", renewed, "of 15")
    assert 0 < renewed < 15


def test_the_wishes_of_a_system_survive_other_numbers() -> None:
    """A change of structure compiles again as was asked for: with the same cut, in the same form."""
    model, _ = loop(200)
    cut = mb.compile(model, form="line", cuts=["J0"])
    changed = mb.with_parameters(cut, {"body1.inertia": (0.1, 0.2, 0.25)})  # entries beside the diagonal vanish
    assert changed.code is not cut.code
    assert changed.dae.tree.cuts == cut.dae.tree.cuts == ("J0.motion",)
    assert changed.recipe.form == "line"


@pytest.mark.slow
def test_a_pivot_that_vanishes_on_the_way_does_not_end_the_run() -> None:
    """With the loop cut elsewhere a pivot passes zero, though the equations are well conditioned there."""
    trial = Trial(spatial_plan("FreeTranslation", 2), 2)
    runs = trial.runs(draw(trial.plan, 202))
    pieces = runs["cut"].pieces
    assert len(pieces) > 1
    end = pieces[0].trajectory
    assert is_rough(pieces[0].system, float(end.t[-1]), end.x[-1])
    assert not is_rough(pieces[1].system, float(end.t[-1]), end.x[-1])
    values = {method: trial.read(runs[method], method) for method in ("auto", "cut")}
    for name in ("body1.frame.position", "body2.velocity", "J2.speeds"):
        np.testing.assert_allclose(values["cut"][name], values["auto"][name], rtol=0, atol=1e-9)
