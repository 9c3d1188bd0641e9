"""A long function cut into stretches computes what it computes whole, to the last bit."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from multibond.lower import emit as emitting
from multibond.lower.emit import emit

from .native import evaluate


def tangle(seed: int, count: int = 3000) -> ca.Function:
    """Sums, products, quotients, angles and choices of what came long before and just before."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", 12)
    values = ca.vertsplit(x)
    for k in range(count):
        near, far = values[-int(rng.integers(1, 12))], values[int(rng.integers(len(values)))]
        kind = int(rng.integers(6))
        made = [near + 0.5 * far, near * ca.tanh(far), far - near * near, near / (2 + far**2), near, far][kind]
        made = ca.sin(made) if k % 97 == 0 else ca.if_else(near < far, made, -far) if k % 41 == 0 else made
        values.append(made / (1 + ca.fabs(made)))
    out = ca.vertcat(*values[::7])
    return ca.Function("tangle", [x], [ca.sparsify(ca.vertcat(out, 0, values[-1]))])


@pytest.mark.parametrize("seed", range(3))
def test_stretches_change_no_bit(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    function = tangle(seed)
    x = np.random.default_rng(seed).standard_normal(12)
    cut = emit(function, "f")
    found = evaluate(function, x)
    monkeypatch.setattr(emitting, "LONG", 10**9)
    whole = evaluate(function, x)
    assert cut.count("define internal void @f.part") > 5
    assert emit(function, "f").count("define void") == 1 and ".part" not in emit(function, "f")
    np.testing.assert_array_equal(found[0], whole[0])
    np.testing.assert_allclose(np.ravel(whole[0]), function(x).full().ravel(), rtol=1e-9, atol=1e-12)


def test_memory_is_used_again() -> None:
    """A chain of values that each stretch hands to the next needs few places, however long it is."""
    x = ca.SX.sym("x", 2)
    a, b = x[0], x[1]
    for _ in range(4000):
        a, b = ca.sqrt(1 + b * b), a + 1 / b
    text = emit(ca.Function("chain", [x], [a + b]), "f")
    assert text.count("define internal") > 10
    size = int(text.split("alloca [")[1].split(" x")[0])
    assert size <= 8


def test_what_is_short_stays_whole() -> None:
    assert "part" not in emit(tangle(0, 100), "f")
