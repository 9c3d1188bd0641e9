"""Ways of signals: around every text, and hardly longer than the shortest, though few texts are looked at."""

from __future__ import annotations

import numpy as np
import pytest

from multibond.view import signal_ways
from multibond.view.geometry import Box
from multibond.view.signal_ways import TURN, Ground, signal_way


def length(points: object) -> float:
    """How long a line is, with what its turns cost."""
    steps = np.diff(np.array(points, float), axis=0)
    return float(np.hypot(*steps.T).sum()) + TURN * len(steps)


def test_a_wall_is_passed_at_its_corners() -> None:
    wall = [Box(0.0, 12.0 * k, 30.0, 12.0) for k in range(-30, 31)]
    way = signal_way(Box(-100, 0, 4, 4), Box(100, 0, 4, 4), Ground(wall))
    assert not way.curved and len(way.points) == 4
    assert {(abs(x), abs(y)) for x, y in way.points[1:3]} == {(17.5, 368.5)}


@pytest.mark.parametrize("seed", range(12))
def test_hardly_any_line_around_all_texts_is_shorter(seed: int) -> None:
    """Corners of texts that are not in the way may cut one short, by less than a turn."""
    rng = np.random.default_rng(seed)
    boxes = [Box(x, y, 40.0, 14.0) for x, y in rng.uniform(-120.0, 120.0, (40, 2)) if abs(x) + abs(y) > 20.0]
    tail, head, texts = Box(-150, 0, 6, 6), Box(150, 0, 6, 6), Ground(boxes).edges
    found = signal_ways._around(tail, head, texts)
    ends = [signal_ways._gates(box, texts) for box in (tail, head)]
    best = signal_ways._shortest(*ends, texts)
    assert length(best) - 1e-9 <= length(found) <= length(best) + TURN
    assert not signal_ways._blocked(np.array(found[:-1]), np.array(found[1:]), texts).any()
