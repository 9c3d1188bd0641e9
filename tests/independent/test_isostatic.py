"""Joint sets without redundancy: proposed by ranks, counted again, and moving as the original does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.examples import slider_crank

from . import linkages


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "variable"),
    [
        (slider_crank, "piston.position"),
        (linkages.bennett, "coupler.position"),
        (linkages.double_cardan, "slanting.attitude"),
    ],
    ids=["slider crank", "bennett", "double cardan"],
)
def test_every_set_is_isostatic_and_moves_alike(make: Callable[[], mb.Model], variable: str) -> None:
    """The freed directions carried no motion, so the machine moves as before.

    Only for 0.12 s: with a universal joint at its output the double Cardan joint loses its hold at a quarter turn.
    """
    model, t = make(), np.linspace(0.0, 0.12, 26)
    expected = mb.simulate(model, 0.12, rtol=1e-11)[variable](t)
    sets = mb.isostatic(model)
    assert len(sets) == 3 and len({str(found) for found in sets}) == 3
    for found in sets:
        print(found)
        system = mb.compile(found.model)
        assert not system.reduced.redundancy.dropped
        np.testing.assert_allclose(mb.simulate(system, 0.12, rtol=1e-11)[variable](t), expected, atol=1e-8)


def test_an_isostatic_mechanism_needs_no_other_joints() -> None:
    assert mb.isostatic(slider_crank(joints="isostatic")) == ()
