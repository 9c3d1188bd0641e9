"""Energy adds up in every example: what is stored, supplied and lost, by an independent quadrature."""

from __future__ import annotations

import pytest
from tests.compiled import run_of

from multibond.examples import EXAMPLES


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_energy_balances(name: str, method: str) -> None:
    """With default settings, to 1e-8 of the energy turned over."""
    energy = run_of(name, 2.0, method).check().energy()
    print(f"imbalance {energy.imbalance:.1e} J, residual {energy.residual:.1e}")
    assert energy.residual <= 1e-8
