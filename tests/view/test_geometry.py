"""The shape of one bond, in numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from multibond.view.geometry import BAR, BARB, GAP, HEAD, TAIL, Box, bond_shape, shifted

RIGHT = ((0.0, 0.0), (100.0, 0.0))


def flat(shape):
    return [round(x, 6) for p in shape for x in p]


def test_scalar_bond_to_the_right():
    shape = bond_shape(RIGHT, 1, (HEAD,))
    assert shape.lines == (RIGHT,)
    assert flat(shape.barb) == [100.0, 0.0, 100.0 - BARB[0], -BARB[1]]
    assert flat(shape.strokes[0].bar) == [100.0, -BAR, 100.0, BAR]
    assert shape.centre == (50.0, 0.0)
    assert shape.effort[1] < 0 < shape.flow[1]


def test_vector_bond_is_two_lines_and_its_barb_starts_at_the_outer_one():
    shape = bond_shape(RIGHT, 3, (TAIL,) * 3)
    assert [flat(line) for line in shape.lines] == [[0.0, -GAP, 100.0, -GAP], [0.0, GAP, 100.0, GAP]]
    assert flat(shape.barb) == [100.0, -GAP, 100.0 - BARB[0], -GAP - BARB[1]]
    assert flat(shape.strokes[0].bar) == [0.0, -BAR, 0.0, BAR]
    assert shape.strokes[0].components == (0, 1, 2)


@pytest.mark.parametrize(
    ("head", "back"),
    [
        ((-100.0, 0.0), (-100.0 + BARB[0], -BARB[1])),
        ((0.0, 100.0), (-BARB[1], 100.0 - BARB[0])),
        ((0.0, -100.0), (-BARB[1], -100.0 + BARB[0])),
    ],
)
def test_barb_is_above_level_bonds_and_left_of_upright_ones(head, back):
    assert flat(bond_shape(((0.0, 0.0), head)).barb[1:]) == [round(x, 6) for x in back]


@pytest.mark.parametrize("degrees", range(0, 360, 15))
def test_effort_is_on_the_barb_side(degrees):
    head = (80 * math.cos(math.radians(degrees)), 80 * math.sin(math.radians(degrees)))
    shape = bond_shape(((0.0, 0.0), head), 3)
    side = [head[0] * p[1] - head[1] * p[0] for p in (shape.barb[1], shape.effort, shape.flow)]
    assert side[0] * side[1] > 0 > side[0] * side[2]


def test_mixed_causality_gives_one_tick_a_component_at_its_own_end():
    strokes = bond_shape(RIGHT, 3, (TAIL, TAIL, HEAD)).strokes
    assert [s.end for s in strokes] == [TAIL, TAIL, HEAD]
    assert [s.bar[0][0] for s in strokes] == [0.0, 0.0, 100.0]
    spans = [sorted((s.bar[0][1], s.bar[1][1])) for s in strokes]
    assert all(low[1] < high[0] for low, high in pairwise(spans))


def test_no_causality_no_strokes():
    assert bond_shape(RIGHT, 2).strokes == ()


def test_shifted_path_keeps_its_distance_around_a_corner():
    assert flat(shifted(((0.0, 0.0), (10.0, 0.0), (10.0, 10.0)), 2.0)) == [0.0, -2.0, 12.0, -2.0, 12.0, 10.0]


def test_boxes():
    box = Box(0.0, 0.0, 20.0, 10.0)
    assert box.edge_towards((100.0, 0.0)) == (10.0, 0.0)
    assert box.edge_towards((0.0, -100.0)) == (0.0, -5.0)
    assert box.hit_by((-50.0, 0.0), (50.0, 0.0)) and not box.hit_by((-50.0, 8.0), (50.0, 8.0))
    assert box.overlaps(Box(19.0, 0.0, 20.0, 10.0)) and not box.overlaps(Box(20.0, 0.0, 20.0, 10.0))


def test_bicausal_bonds_have_half_a_stroke_at_each_end():
    """Both from the tail: the effort's half above, at the head that receives it; the flow's below, at the tail."""
    effort, flow = bond_shape(((0.0, 0.0), (100.0, 0.0)), 1, (TAIL,), (0,)).strokes
    assert (effort.half, effort.end, effort.bar) == ("effort", HEAD, ((100.0, -BAR), (100.0, 0.0)))
    assert (flow.half, flow.end, flow.bar) == ("flow", TAIL, ((0.0, 0.0), (0.0, BAR)))
    turned = bond_shape(((0.0, 0.0), (100.0, 0.0)), 1, (HEAD,), (0,)).strokes
    assert [(s.half, s.end) for s in turned] == [("effort", TAIL), ("flow", HEAD)]


def test_of_a_vector_bond_each_bicausal_component_has_its_own_halves():
    strokes = bond_shape(((0.0, 0.0), (100.0, 0.0)), 3, (TAIL, HEAD, HEAD), (1,)).strokes
    assert [(s.components, s.half, s.end) for s in strokes] == [
        ((0,), "", TAIL), ((1,), "effort", TAIL), ((1,), "flow", HEAD), ((2,), "", HEAD),
    ]  # fmt: skip
    heights = [sorted(y for _, y in s.bar) for s in strokes]
    assert all(a[1] <= b[0] for a, b in pairwise(heights)), "one below the other, the first on the barb's side"
    both = bond_shape(((0.0, 0.0), (100.0, 0.0)), 3, (TAIL,) * 3, (0, 1, 2)).strokes
    assert [(s.components, s.half) for s in both] == [((0, 1, 2), "effort"), ((0, 1, 2), "flow")]
