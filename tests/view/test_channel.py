"""Channels: lines of their own, few crossings; and bends that are taken away."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from multibond.view.bends import with_fewer_bends, without_repeats
from multibond.view.channel import MARGIN, Channel, Passage, channel, tangle
from multibond.view.geometry import Box


def crossings(passages: list[Passage], found: Channel) -> int:
    """How many pairs of passages cross in a channel."""
    pairs = combinations([p for p in passages if p.name in found.at], 2)
    return sum(tangle(a, b) % 10 if found.at[a.name] < found.at[b.name] else tangle(b, a) % 10 for a, b in pairs)


def test_level_passages_need_no_line() -> None:
    assert channel([Passage("a", 5.0, 5.0)], 40.0).at == {} and channel([], 40.0).width == 40.0


def test_falling_passages_nest_without_crossing() -> None:
    falling = [Passage(f"p{k}", 20.0 * k, 20.0 * k + 50.0) for k in range(5)]
    found = channel(falling, 40.0)
    assert crossings(falling, found) == 0
    assert sorted(found.at, key=lambda name: found.at[name]) == ["p4", "p3", "p2", "p1", "p0"]


def test_rising_passages_nest_without_crossing() -> None:
    rising = [Passage(f"p{k}", 20.0 * k + 50.0, 20.0 * k) for k in range(5)]
    assert crossings(rising, channel(rising, 40.0)) == 0


def test_turning_passages_nest() -> None:
    turns = [Passage("outer", 0.0, 90.0, -1, -1), Passage("inner", 30.0, 60.0, -1, -1)]
    found = channel(turns, 40.0)
    assert found.at["inner"] < found.at["outer"] and crossings(turns, found) == 0


@pytest.mark.parametrize("seed", range(8))
def test_no_two_lines_coincide(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = rng.permutation(12) * 20.0, rng.permutation(12) * 20.0 + 7.0
    passages = [Passage(f"p{k}", left[k], right[k]) for k in range(12)]
    found = channel(passages, 40.0)
    for a, b in combinations(passages, 2):
        if found.at[a.name] == found.at[b.name]:
            assert a.high < b.low or b.high < a.low
    assert all(MARGIN <= x <= found.width - MARGIN for x in found.at.values())
    fewest = sum(min(tangle(a, b), tangle(b, a)) for a, b in combinations(passages, 2))
    assert fewest <= crossings(passages, found) <= fewest + 8


def test_order_of_giving_does_not_matter() -> None:
    passages = [Passage(f"p{k}", float(k * 37 % 100), float(k * 53 % 100)) for k in range(9)]
    assert channel(passages, 40.0) == channel(passages[::-1], 40.0)


BLOCKS = {"a": Box(0.0, 0.0, 20.0, 30.0), "b": Box(200.0, 6.0, 20.0, 30.0)}
JOG = ((14.0, 0.0), (100.0, 0.0), (100.0, 6.0), (186.0, 6.0))


def test_a_small_jog_is_taken_away() -> None:
    path = with_fewer_bends({"ab": JOG}, BLOCKS, {"ab": ("a", "b")}, [])["ab"]
    assert len(path) == 2 and path[0][1] == path[1][1]


def test_a_bend_stays_where_something_is_in_the_way() -> None:
    wall = Box(50.0, 6.0, 10.0, 8.0), Box(150.0, 0.0, 10.0, 8.0)
    blocks = BLOCKS | {"x": wall[0], "y": wall[1]}
    assert with_fewer_bends({"ab": JOG}, blocks, {"ab": ("a", "b")}, [])["ab"] == JOG


def test_a_bond_that_lies_on_another_moves_aside() -> None:
    blocks = BLOCKS | {"c": Box(60.0, -40.0, 20.0, 20.0), "d": Box(130.0, 60.0, 20.0, 20.0)}
    paths = {
        "ab": ((14.0, 0.0), (186.0, 0.0)),
        "cd": ((74.0, -40.0), (90.0, -40.0), (90.0, 1.0), (100.0, 1.0), (100.0, 60.0), (116.0, 60.0)),
    }
    found = with_fewer_bends(paths, blocks, {"ab": ("a", "b"), "cd": ("c", "d")}, [])
    level = [(a[1], b[1]) for a, b in zip(found["cd"], found["cd"][1:], strict=False) if a[1] == b[1]]
    assert all(abs(y - found["ab"][0][1]) > 3.0 for y, _ in level)


def test_points_on_a_line_are_left_out() -> None:
    assert without_repeats(((0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (5.0, 0.0), (5.0, 2.0))) == ((0, 0), (5, 0), (5, 2))
