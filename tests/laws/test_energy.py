"""Energy adds up in every example: what is stored, supplied and lost, by an independent quadrature."""

from __future__ import annotations

import pytest

import multibond as mb
from multibond.examples import EXAMPLES

TURNOVER = "where energy only wanders between components the audit sees no turnover to measure the residual by"
MASSLESS = "two massless groups beside one joint get the same name when all bodies are released"
KNOWN = {
    ("euler_top", "auto"): TURNOVER,
    ("euler_top", "multiplier"): TURNOVER,
    ("planar_loop", "multiplier"): MASSLESS,
}
CASES = [
    pytest.param(name, method, marks=pytest.mark.xfail(reason=KNOWN[name, method], strict=True))
    if (name, method) in KNOWN
    else (name, method)
    for name in EXAMPLES
    for method in ("auto", "multiplier")
]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_energy_balances(name: str, method: str) -> None:
    """With default settings, to 1e-8 of the energy turned over."""
    energy = mb.simulate(EXAMPLES[name](), 2.0, method=method).check().energy()
    print(f"imbalance {energy.imbalance:.1e} J, residual {energy.residual:.1e}")
    assert energy.residual <= 1e-8
