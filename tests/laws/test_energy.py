"""Energy adds up in every example: what is stored, supplied and lost, by an independent quadrature."""

from __future__ import annotations

import pytest
from tests.compiled import run_of
from tests.rotation import tenth

from multibond.examples import EXAMPLES

CASES, OTHERS = ([(name, method) for name in EXAMPLES] for method in ("auto", "multiplier"))


@pytest.mark.parametrize(("name", "method"), [*CASES, *tenth(OTHERS, of="energy with multipliers")])
def test_energy_balances(name: str, method: str) -> None:
    """With default settings, to 1e-8 of the energy turned over."""
    energy = run_of(name, 2.0, method).check().energy()
    print(f"imbalance {energy.imbalance:.1e} J, residual {energy.residual:.1e}")
    assert energy.residual <= 1e-8
