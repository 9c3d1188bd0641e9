"""What the tests of elements with modes share: tolerances, instants of a run, small arrangements.

Every machine is run at rtol 1e-11, where states must be exact to 1e-9 of their size, and at the default tolerance 1e-9,
where 1e-7 is promised. Instants must be exact to 1e-9 s in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import multibond as mb

TOLERANCES = pytest.mark.parametrize(("rtol", "tolerance"), [(1e-11, 1e-9), (1e-9, 1e-7)], ids=["tight", "default"])


def instants(run: mb.Run, path: str, mode: str | None = None) -> list[float]:
    """When an element changed (into a mode), not counting the start."""
    return [c.time for c in run.changes if c.path == path and c.time > 0 and mode in (None, c.mode)]


def at_times(run: mb.Run, found: Sequence[float] | np.ndarray, expected: Any, what: str) -> None:
    """Instants within 1e-9 s of where they should be, all of them; prints how far the worst is off."""
    found, expected = np.asarray(found, float), np.atleast_1d(np.asarray(expected, float))
    assert found.shape == expected.shape, (found, expected)
    off, length = np.abs(found - expected), float(run.t[-1])
    if off.size:
        worst = int(off.argmax())
        print(f"{what}: {off.size} instants, the worst at {expected[worst]:.6g} s off by {off.max():.1e} s,", end=" ")
        print(f"{off.max() / length:.1e} of the run, {(off / np.abs(expected)).max():.1e} of its time")
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def ends(run: mb.Run) -> np.ndarray:
    """Ends of all stretches of a run, its own end left out."""
    return np.array([piece.trajectory.t[-1] for piece in run.pieces[:-1]])


def on_one(*items: mb.Element, name: str = "v") -> mb.Model:
    """Elements on one 1-junction."""
    model = mb.Model("one")
    junction = model.add(mb.One(name))
    for item in items:
        model.bond(junction, item)
    return model


def between(item: mb.Element, first: mb.Element, second: mb.Element) -> mb.Model:
    """An element between two 1-junctions, `a` and `b`, with one storage each; its flow is that of a less that of b."""
    model = mb.Model("between")
    a, b, force, across = (model.add(k) for k in (mb.One("a"), mb.One("b"), mb.Zero("force"), mb.One("across")))
    model.bond(*((first, a) if isinstance(first, mb.Sf) else (a, first)))
    model.bond(b, second)
    model.bond(a, force)
    model.bond(force, b)
    model.bond(force, across)
    model.bond(across, item)
    return model
