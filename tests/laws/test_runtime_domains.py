"""Domains at all depths and with new numbers: opened or not, compiled before or after, a machine moves as it does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.examples import electric_circuit, heat_plate, hydraulic_cylinder, reaction, rectifier

MACHINES: dict[str, Callable[[], mb.Model]] = {
    "laminar cylinder": hydraulic_cylinder,
    "turbulent cylinder": lambda: hydraulic_cylinder(turbulent=True),
    "plate": lambda: heat_plate(cells=2),
    "reaction": reaction,
    "circuit": electric_circuit,
}


@pytest.mark.parametrize("name", MACHINES)
def test_new_numbers(name: str) -> None:
    """Every number that is not zero, each by another factor."""
    model = MACHINES[name]()
    system = mb.compile(model)
    factors = np.random.default_rng(4).uniform(0.9, 1.1, len(system.dae.parameter_places))
    table = system.dae.graph.parameters
    changes = {
        path: table[path][1].squeeze() * factor
        for path, factor in zip(system.dae.parameter_places, factors, strict=True)
        if np.any(table[path][1])
    }
    for path, value in changes.items():
        model.set(path, value)
    old, new = (mb.simulate(one, 0.05, rtol=1e-10) for one in (mb.with_parameters(system, changes), model))
    np.testing.assert_allclose(old.trajectory.x[-1], new.trajectory.x[-1], rtol=1e-9)
    assert not np.allclose(new.trajectory.x[-1], mb.simulate(system, 0.05).trajectory.x[-1], rtol=1e-4)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", [*MACHINES, "rectifier"])
def test_opened(name: str, depth: int) -> None:
    """Parts, multibonds and scalar bonds give one end."""
    model = (MACHINES | {"rectifier": rectifier})[name]()
    closed, opened = (mb.simulate(one, 0.05, rtol=1e-10) for one in (model, model.open(depth=depth)))
    ends = [np.sort(run.pieces[-1].trajectory.x[-1]) for run in (closed, opened)]
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-7, atol=1e-12)
