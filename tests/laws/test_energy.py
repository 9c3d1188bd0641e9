"""Energy adds up in every example: what is stored, supplied and lost, by an independent quadrature."""

from __future__ import annotations

import pytest

import multibond as mb
from multibond.examples import EXAMPLES


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_energy_balances(name: str, method: str) -> None:
    """With default settings, to 1e-8 of the energy turned over."""
    energy = mb.simulate(EXAMPLES[name](), 2.0, method=method).check().energy()
    print(f"imbalance {energy.imbalance:.1e} J, residual {energy.residual:.1e}")
    assert energy.residual <= 1e-8
