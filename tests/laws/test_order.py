"""The order in which a machine is put together does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiled import example, run_of
from tests.rotation import tenth

import multibond as mb
from multibond.examples import EXAMPLES
from multibond.graph.edge import At, Connection, PowerBond
from multibond.lower.system import System

SEEDS = (1, 2, 3)


def shuffled(model: mb.Model, rng: np.random.Generator) -> mb.Model:
    """The same machine, its parts added and connected in another order."""
    other, sheet = mb.Model(model.name, size=model.size), model.sheet
    for k in rng.permutation(list(sheet.components)):
        other.add(sheet.components[int(k)])

    def end(at: At) -> str:
        name = sheet.components[at.component].name
        return f"{name}.{at.port}" if at.port else name

    for k in rng.permutation(len(sheet.edges)):
        edge = sheet.edges[int(k)]
        if isinstance(edge, Connection):
            other.connect(*(end(edge.ends[int(j)]) for j in rng.permutation(len(edge.ends))))
        elif isinstance(edge, PowerBond):
            other.bond(end(edge.tail), end(edge.head), size=edge.size)
        else:
            other.signal(*(end(at) for at in edge.ends))
    return other


def by_name(system: System, values: np.ndarray) -> dict[str, float]:
    """Values of the state or its rate by the states' names."""
    return dict(zip(system.state_names, values, strict=True))


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in EXAMPLES for seed in tenth(SEEDS, of=name)])
def test_order_of_assembly(name: str, seed: int) -> None:
    first = example(name)
    second = mb.compile(shuffled(EXAMPLES[name](), np.random.default_rng(seed)))
    assert set(first.state_names) == set(second.state_names)
    place = [first.state_names.index(name) for name in second.state_names]
    np.testing.assert_allclose(first.x0[place], second.x0, rtol=1e-12, atol=1e-12)
    late = run_of(name, 0.5)
    for t in (0.0, 0.15, 0.3):
        x = late.states([t])[0]
        rate, other = first.derivative(x, t=t)[place], second.derivative(x[place], t=t)
        error = np.abs(rate - other).max() / max(1.0, np.abs(rate).max())
        print(f"t = {t}: derivatives differ by {error:.1e}")
        assert error <= 1e-12
