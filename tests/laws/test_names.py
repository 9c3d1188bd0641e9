"""Every name that a run offers can be asked for: all at once, and by itself a tenth of them in turn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiled import run_of
from tests.rotation import tenth

from multibond.errors import UnknownName
from multibond.examples import EXAMPLES


@pytest.mark.parametrize(
    ("name", "method"), [(name, m) for name in EXAMPLES for m in tenth(("auto", "multiplier"), of=f"methods of {name}")]
)
def test_every_name_has_a_value(name: str, method: str) -> None:
    run = run_of(name, 0.05, method)
    names = sorted(run.names)
    assert np.isfinite(run.values(names, [0.02])).all()
    lost = []
    for path in tenth(names, of=f"names of {name}"):
        try:
            assert np.isfinite(run[path](0.02)).all(), path
        except UnknownName:
            lost.append(path)
    assert not lost, ", ".join(lost)
