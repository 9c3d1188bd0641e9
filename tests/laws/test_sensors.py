"""Sensors take no power: attaching any of them changes nothing, to the last bit.

De, Df and PowerSensor bring no state of their own: whole trajectories are equal to the last bit. Dq and Dp bring one,
which takes part in the choice of steps; there the rates of all other states are compared at many states. They are equal
to the last bit but for rare graphs, where the order of a sum changes with the new state: those may differ by rounding.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import CausalityError, StructureError
from multibond.graph.edge import PowerBond

from .random_graphs import model_of, random_plan

SEEDS = range(40)


def attach(model: mb.Model, kinds: tuple[type, ...]) -> int:
    """Put sensors of given kinds at every junction where they fit; returns how many."""
    count = 0
    for item in list(model.components):
        fits = {mb.One: (mb.Df, mb.Dq), mb.Zero: (mb.De, mb.Dp)}.get(type(item), ())
        for kind in set(fits) & set(kinds):
            model.bond(item, kind(f"sensor-{count}"))
            count += 1
    return count


def interrupt(model: mb.Model, index: int) -> bool:
    """Put a PowerSensor into one bond."""
    bonds = [k for k, edge in enumerate(model.sheet.edges) if isinstance(edge, PowerBond)]
    if not bonds:
        return False
    k = bonds[index % len(bonds)]
    edge = model.sheet.edges[k]
    sensor = model.add(mb.PowerSensor("meter"))
    number = model.sheet.number_of("meter")
    before = PowerBond(edge.tail, type(edge.tail)(number, "a"), edge.size)
    after = PowerBond(type(edge.tail)(number, "b"), edge.head, edge.size)
    edges = (*model.sheet.edges[:k], before, after, *model.sheet.edges[k + 1 :])
    model.sheet = type(model.sheet)(**{**vars(model.sheet), "edges": edges})
    return sensor is not None


def rates(system, x: np.ndarray, names: list[str]) -> np.ndarray:
    at = dict(zip(system.state_names, range(system.n), strict=True))
    return system.derivative(x)[[at[n] for n in names]]


def compare(plain: mb.Model, sensed: mb.Model) -> bool:
    """All states of the plain model move alike in both; tells whether bitwise, which they must without new states."""
    first, second = mb.compile(plain), mb.compile(sensed)
    assert set(first.state_names) <= set(second.state_names)
    place = [second.state_names.index(n) for n in first.state_names]
    rng = np.random.default_rng(3)
    exact = True
    for _ in range(20):
        x = rng.standard_normal(second.n)
        a, b = first.derivative(x[place]), rates(second, x, list(first.state_names))
        exact = exact and a.tobytes() == b.tobytes()
        assert np.abs(a - b).max() <= 1e-14 * np.abs(a).max()
    if first.n == second.n:
        assert exact
        runs = [mb.simulate(s, 1.0, solver="dop853") for s in (first, second)]
        assert runs[0].t.tobytes() == runs[1].t.tobytes()
        assert runs[0].trajectory.x.tobytes() == runs[1].trajectory.x[:, place].tobytes()
    return exact


def graph(seed: int) -> mb.Model | None:
    """A random graph that compiles, or None."""
    model = model_of(random_plan(seed, most=25))
    try:
        return model if mb.compile(model).n else None
    except (CausalityError, StructureError):
        return None


@pytest.mark.slow
def test_sensors_at_junctions_of_random_graphs() -> None:
    print("seeds", SEEDS)
    tried = rounded = 0
    for seed in SEEDS:
        plain = graph(seed)
        if plain is None:
            continue
        for kinds in ((mb.De, mb.Df), (mb.Dq, mb.Dp)):
            sensed = model_of(random_plan(seed, most=25))
            if attach(sensed, kinds):
                rounded += not compare(plain, sensed)
                tried += 1
    print("graphs with sensors", tried, "not equal to the last bit", rounded)
    assert tried > 50
    assert rounded <= 2


@pytest.mark.slow
def test_a_power_sensor_in_any_bond_of_random_graphs() -> None:
    print("seeds", SEEDS)
    tried = 0
    for seed in SEEDS:
        plain = graph(seed)
        if plain is not None:
            sensed = model_of(random_plan(seed, most=25))
            if interrupt(sensed, seed):
                compare(plain, sensed)
                tried += 1
    print("graphs with a meter", tried)
    assert tried > 25
