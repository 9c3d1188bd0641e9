"""Numbers of parts change at run time: a compiled system with new numbers is the system of a model with new numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.examples import electric_circuit, heat_plate, hydraulic_cylinder, reaction

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
