"""Every element with vector bonds and unfolded, from Python and from file: the same trajectory; all can be drawn."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond.workbench import at_depth

from .element_machines import HYBRID, MACHINES

UNTIL = 2.0
TIMES = np.linspace(0.0, UNTIL, 41)


def whole(run: mb.Run, name: str, variable: str) -> np.ndarray:
    """A variable of an element over time, one column a component: the element may be unfolded into several."""
    if f"{name}.{variable}" in run.names:
        found = run[f"{name}.{variable}"](TIMES)
        return found.reshape(TIMES.size, -1)
    lanes = []
    while f"{name}-{len(lanes) + 1}.{variable}" in run.names:
        lanes.append(run[f"{name}-{len(lanes) + 1}.{variable}"](TIMES))
    assert lanes, name
    return np.column_stack(lanes)


def variables(run: mb.Run) -> list[tuple[str, str]]:
    """Efforts, flows and states of all one-ports, by element and variable."""
    graph = run.system.dae.graph
    return [
        (path, variable)
        for path in graph.elements
        for variable in ("e", "f", "q", "p")
        if f"{path}.{variable}" in run.names and graph.elements[path].causality not in ("one", "zero")
    ]


def agree(first: mb.Run, second: mb.Run, tolerance: float = 1e-9) -> None:
    """All that the first run knows, component by component, relative to its largest value (at least one)."""
    names = variables(first)
    assert names
    for name, variable in names:
        a, b = whole(first, name, variable), whole(second, name, variable)
        assert a.shape == b.shape, name
        scale = np.maximum(1.0, np.abs(a).max(axis=0))
        assert (np.abs(a - b).max(axis=0) <= tolerance * scale).all(), (name, variable)


def run_of(model: mb.Model) -> mb.Run:
    return mb.simulate(model, UNTIL, rtol=1e-11)


@cache
def machine(name: str, depth: int) -> mb.Model:
    """A machine as drawn (1) or opened; nothing changes it."""
    return MACHINES[name]() if depth == 1 else MACHINES[name]().open(depth=depth)


@cache
def run_at(name: str, depth: int) -> mb.Run:
    """A run of a machine at a depth, for all that is compared with it."""
    return run_of(machine(name, depth))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [2, 3])
def test_depths_agree(name: str, depth: int) -> None:
    agree(run_at(name, 1), run_at(name, depth))


@pytest.mark.parametrize("name", MACHINES)
def test_unfolded_bonds_are_scalar(name: str) -> None:
    assert {bond.size for bond in at_depth(MACHINES[name](), 3).bonds} == {1}


@pytest.mark.parametrize("name", HYBRID)
def test_instants_are_the_same_at_every_depth(name: str) -> None:
    """Each component changes its mode (or bounces) by itself, at the same times."""
    ends, unfolded = ([p.trajectory.t[-1] for p in run_at(name, depth).pieces] for depth in (1, 3))
    assert len(ends) > 1
    np.testing.assert_allclose(unfolded, ends, atol=1e-9)


SPLIT = ("C by its effort", "C by its efforts", "C by an energy each", "R by its efforts", "Se of formulas", "MSe", "G")
WHOLE = ("C by coupled efforts", "C by its energy", "R by coupled efforts", "Gyristor", "G field", "IC", "RS")


@pytest.mark.parametrize("name", [*SPLIT, *HYBRID])
def test_components_that_stand_alone_become_elements_of_their_own(name: str) -> None:
    model = MACHINES[name]()
    item = [c for c in model.components if type(c).__name__ == name.split()[0].rstrip(",")][-1]
    parts = [c for c in model.open(depth=3).components if c.name.startswith(f"{item.name}-")]
    assert [type(part) for part in parts] == 3 * [type(item)]
    assert all(part.size == 1 and not part.split for part in parts)


@pytest.mark.parametrize("name", WHOLE)
def test_a_field_stays_one_element_with_scalar_ports(name: str) -> None:
    model = MACHINES[name]()
    opened = model.open(depth=3)
    (field,) = [c for c in opened.components if type(c).__name__ == name.split()[0] and c.split]
    assert field.name in [c.name for c in model.components]


def test_formulas_and_modes_are_handed_on() -> None:
    """Component by component: what is left says only what that component needs."""
    opened = MACHINES["C by its efforts"]().open(depth=3)
    assert [str(opened[f"hard-{k}"].effort) for k in (1, 2, 3)] == ["q**3", "2*q", "sin(q)"]
    opened = MACHINES["Diode, said mode"]().open(depth=3)
    assert [opened[f"valve-{k}"].mode for k in (1, 2, 3)] == ["on", "off", "on"]
    assert [float(opened[f"valve-{k}"].on_resistance) for k in (1, 2, 3)] == [0.1, 0.2, 0.3]
    opened = MACHINES["Switch"]().open(depth=3)
    assert [str(opened[f"relay-{k}"].control) for k in (1, 2, 3)] == ["sin(3*t)", "t", "1 - t"]


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [1, 3])
def test_file_and_python_agree(name: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "machine.mbg"
    mb.save(machine(name, depth), path)
    agree(run_at(name, depth), run_of(mb.load(path)), tolerance=0.0 if depth == 1 else 1e-9)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [1, 3])
def test_every_element_is_drawn(name: str, depth: int) -> None:
    model = machine(name, depth)
    text = mb.draw(model)
    assert text.startswith("<svg")
    for item in model.components:
        if isinstance(item, mb.DirectSum):  # a bar across the bonds, without a word
            assert f'data-name="{item.name}"' in text
        else:
            assert f">{item.name.rpartition('.')[2]}<" in text or f">{item.code}<" in text, item.name
