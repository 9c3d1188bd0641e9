"""Variables of a run against numbers done by hand."""

from __future__ import annotations

import pytest

from multibond.solve.solution import Solution


def expect(run: Solution, t: float, **values: float) -> None:
    """Hold variables against numbers, dots written as double underscores."""
    for name, value in values.items():
        assert run[name.replace("__", ".")](t) == pytest.approx(value, rel=1e-7, abs=1e-9), name
