"""Partial junctions: what is joined balances in the chosen components and in no other, for every choice and order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ParameterError
from multibond.library.wiring import PartialOne, PartialZero

CHOICES = [choice for count in (1, 2) for choice in permutations(range(3), count)]


@pytest.mark.parametrize("choice", CHOICES)
def test_a_partial_zero_adds_flows(choice: tuple[int, ...]) -> None:
    """Flows of 1, 2, 3 and some more at the part go through resistances of 4, 5, 6: efforts follow from the sums."""
    model = mb.Model("zero", size=3)
    joint = model.add(PartialZero("joint", choice))
    more = np.array([10.0, 20.0])[: len(choice)]
    model.bond(mb.Sf("flow", (1.0, 2.0, 3.0)), joint.whole)
    model.bond(joint.whole, mb.R("load", (4.0, 5.0, 6.0)))
    model.bond(mb.Sf("more", tuple(more), size=len(choice)), joint.part)
    run = mb.simulate(model, 0.1)
    flow = np.array([1.0, 2.0, 3.0])
    flow[list(choice)] += more
    np.testing.assert_allclose(run["load.f"](0.05), flow)
    np.testing.assert_allclose(run["load.e"](0.05), flow * (4.0, 5.0, 6.0))
    np.testing.assert_allclose(run["more.e"](0.05), (flow * (4.0, 5.0, 6.0))[list(choice)])
    np.testing.assert_allclose(run["joint.split.whole.f"](0.05)[: len(choice)], -more)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_partial_one_adds_efforts(choice: tuple[int, ...]) -> None:
    """Efforts of 1, 2, 3 and some more at the part drive resistances of 4, 5, 6."""
    model = mb.Model("one", size=3)
    joint = model.add(PartialOne("joint", choice))
    more = np.array([10.0, 20.0])[: len(choice)]
    model.bond(mb.Se("effort", (1.0, 2.0, 3.0)), joint.whole)
    model.bond(joint.whole, mb.R("load", (4.0, 5.0, 6.0)))
    model.bond(mb.Se("more", tuple(more), size=len(choice)), joint.part)
    run = mb.simulate(model, 0.1)
    effort = np.array([1.0, 2.0, 3.0])
    effort[list(choice)] += more
    np.testing.assert_allclose(run["load.e"](0.05), effort)
    np.testing.assert_allclose(run["more.f"](0.05), (effort / (4.0, 5.0, 6.0))[list(choice)])
    rest = [k for k in range(3) if k not in choice]
    np.testing.assert_allclose(run["joint.rest.f"](0.05), -(effort / (4.0, 5.0, 6.0))[rest])


@pytest.mark.parametrize("choice", [(), (0, 1, 2), (1, 1), (3,)])
def test_it_joins_some_and_each_once(choice: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="joins no part of its components"):
        PartialZero("joint", choice)
