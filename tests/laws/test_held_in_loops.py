"""Constraints and closed valves behind elements that give a flow for an effort: no state fixes what they hold."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import StructureError
from multibond.graph.component import Element

TIMES = np.linspace(0.0, 2.0, 9)
STARTS = {"A": 0.2, "B": 0.1, "C": 0.05}


def reactions(*along: Element, second: bool = True) -> mb.Model:
    """A turns into B and B into C; what is given stands on the flow of the second reaction."""
    model = mb.Model("reactions")
    for name, amount in STARTS.items():
        model.bond(model.add(mb.Zero(name.lower())), mb.Solute(name, start=amount))
    for name, source, product in (("first", "a", "b"), ("second", "b", "c"))[: 2 if second else 1]:
        law, flow = model.add(mb.MassAction(name, 1.0)), model.add(mb.One(f"{name}_in"))
        model.bond(source, flow)
        model.bond(flow, law.a)
        model.bond(law.b, product)
    for item in along:
        model.bond("second_in", item)
    return model


@pytest.mark.parametrize("depth", [2, 3])
def test_a_held_reaction_is_as_good_as_none(depth: int) -> None:
    """Its force is the affinity: what drives the reaction, or would."""
    held = mb.simulate(reactions(mb.Constraint("hold")).open(depth=depth), 2.0)
    without = mb.simulate(reactions(second=False), 2.0)
    for name in STARTS:
        np.testing.assert_allclose(held[f"{name}.q"](TIMES), without[f"{name}.q"](TIMES), rtol=0, atol=1e-12)
    affinity = held["B.e"](TIMES) - held["C.e"](TIMES)
    assert affinity.min() > 1000.0
    np.testing.assert_allclose(held["hold.e"](TIMES), affinity, rtol=1e-9)
    np.testing.assert_allclose(held["hold.f"](TIMES), 0.0, atol=1e-12)
    assert held.energy().residual < 1e-6


def test_a_valve_before_a_reaction_stops_it() -> None:
    run = mb.simulate(reactions(mb.Switch("valve", "where(t < 1, 1, 0)")), 2.0)
    open_ = mb.simulate(reactions(), 1.0)
    before, after = TIMES[TIMES < 1.0], TIMES[TIMES >= 1.0]
    np.testing.assert_allclose(run["C.q"](before), open_["C.q"](before), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["C.q"](after), open_["C.q"](1.0), rtol=0, atol=1e-10)
    assert [(change.path, change.mode) for change in run.changes][-1] == ("valve", "open")


def test_a_gap_behind_a_reaction_is_refused_by_name_and_runs_without() -> None:
    model = reactions(mb.Constraint("hold"), mb.Dq("progress"))
    model.signal("progress.value", "hold.gap")
    with pytest.raises(StructureError, match="'hold'") as caught:
        mb.compile(model)
    assert "leave its gap open" in str(caught.value)
    mb.simulate(reactions(mb.Constraint("hold"), mb.Dq("progress")), 0.1)
