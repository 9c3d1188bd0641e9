"""Every example and every form of the pendulum, looked at with a ruler: texts, strokes, bonds, groups."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import pytest
from tests.rotation import tenth

from multibond.examples import EXAMPLES
from multibond.graph.graph import Graph
from multibond.view.cells import CLEAR
from multibond.view.draw import scene_of, seen_as
from multibond.view.geometry import BAR, HEAD, TAIL, Box, text_width
from multibond.view.legend import inked
from multibond.view.marks import Run
from multibond.view.scene import Scene

from .paper import clashes, metrics, signals, strokes, texts, width

SMALL = ("rlc", "electric_circuit", "motor_pendulum", "hydraulic_cylinder", "reaction", "pendulum", "euler_top", "disc")
FORMS = [(depth, method) for depth in (2, 3) for method in ("zcp", "rc", "multiplier", "minimal")]
LARGE = {"heat_plate", "planar_loop", "four_bar", "chain", "arm", "slider_crank", "sliding_swing", "rectifier"}
LARGE |= {"spatial_four_bar", "governor"}


def _case(name: str, depth: int, method: str | None = None) -> object:
    large = method in ("rc", "multiplier") or name not in SMALL
    slow = (depth == 3 and large) or name in ("heat_plate", "arm", "chain", "planar_loop", "governor")
    return pytest.param(name, depth, method, id=f"{name}-{depth}-{method}", marks=[pytest.mark.slow] if slow else [])


FAMILY = [_case(name, 2) for name in EXAMPLES if name not in SMALL]
FAMILY += [_case(name, 3) for name in EXAMPLES if name not in LARGE] + [_case("slider_crank", 3)]
FAMILY += [_case("pendulum", depth, method) for depth, method in FORMS]
CASES = [_case(name, 2) for name in SMALL] + tenth(FAMILY, of="drawings")
over_all = pytest.mark.parametrize(("name", "depth", "method"), CASES)


@cache
def scene(name: str, depth: int, method: str | None) -> Scene:
    return scene_of(EXAMPLES[name](), depth=depth, method=method)


@cache
def marks_of(name: str, depth: int, method: str | None):
    return inked(scene(name, depth, method)).marks


@cache
def seen(name: str, depth: int, method: str | None):
    return seen_as(EXAMPLES[name](), depth, True, method)


@over_all
def test_no_text_stands_on_another(name: str, depth: int, method: str | None) -> None:
    """Measured in Helvetica's own metrics, on the marks that are written to the file."""
    assert clashes(texts(marks_of(name, depth, method))) == []


@over_all
def test_no_signal_crosses_a_text(name: str, depth: int, method: str | None) -> None:
    """Curves at a hundred places, straight pieces as they are; all texts of the drawing, in the font's own metrics."""
    marks = marks_of(name, depth, method)
    boxes = texts(marks)
    for way in signals(marks):
        crossed = [text for text, box in boxes if any(box.hit_by(a, b) for a, b in pairwise(way))]
        assert crossed == [], way


@over_all
def test_no_label_stands_on_a_node(name: str, depth: int, method: str | None) -> None:
    drawn = scene(name, depth, method)
    assert clashes([(n.path, n.box) for n in drawn.nodes] + drawn.label_boxes()) == []
    assert all(b.label is not None for b in drawn.bonds if b.size > 1)


@over_all
def test_strokes_stand_at_the_end_that_gives_the_flow(name: str, depth: int, method: str | None) -> None:
    drawn, known = scene(name, depth, method), seen(name, depth, method)
    boxes, strokes_of = {n.path: n.box for n in drawn.nodes}, known.strokes
    bonds = {b.name: b for b in known.graph.bonds}
    for line in drawn.bonds:
        bond, at = bonds[line.name], {}
        for stroke in line.shape.strokes:
            at |= {(k, stroke.end): stroke.bar for k in stroke.components}
        for k in range(bond.size):
            if (bond.name, k) in strokes_of.doubled:
                continue
            end = TAIL if strokes_of.gives_flow(bond, bond.tail.element, k) else HEAD
            giver = bond.tail.element if end == TAIL else bond.head.element
            assert (k, end) in at and (k, TAIL + HEAD - end) not in at
            assert _beside(at[k, end], boxes[giver]), (bond.name, giver)


def _beside(bar: tuple, box: Box) -> bool:
    """Whether a bar stands just left or right of a box, within its height."""
    (ax, ay), (bx, by) = bar
    near = min(abs(ax - box.left), abs(ax - box.right)) <= CLEAR + 0.01
    return (
        ax == bx and near and box.grown(BAR + 12.0).top <= min(ay, by) and max(ay, by) <= box.grown(BAR + 12.0).bottom
    )


@over_all
def test_bonds_begin_and_end_at_their_elements_and_pass_by_all_others(
    name: str, depth: int, method: str | None
) -> None:
    drawn, graph = scene(name, depth, method), seen(name, depth, method).graph
    boxes, bonds = {n.path: n.box for n in drawn.nodes}, {b.name: b for b in graph.bonds}
    shrunk = [Box(b.x, b.y, b.width - 1.0, b.height - 1.0) for b in boxes.values()]
    for line in drawn.bonds:
        bond, path = bonds[line.name], line.shape.path
        for element, point in ((bond.tail.element, path[0]), (bond.head.element, path[-1])):
            assert boxes[element].grown(CLEAR + 0.01).overlaps(Box(*point, 0.1, 0.1)), (line.name, element)
        legs = list(pairwise(path))
        assert all(a[0] == b[0] or abs(a[1] - b[1]) < 0.05 for a, b in legs)
        hull = Box((path[0][0] + path[-1][0]) / 2, 0.0, abs(path[0][0] - path[-1][0]), math.inf)
        assert not any(box.hit_by(a, b) for box in shrunk for a, b in legs), (line.name, hull)


@over_all
def test_no_bond_lies_on_another(name: str, depth: int, method: str | None) -> None:
    found = []
    rows: dict[tuple[int, int], list] = {}
    for line in scene(name, depth, method).bonds:
        for a, b in pairwise(line.shape.path):
            u = 0 if a[0] == b[0] else 1
            rows.setdefault((u, round(a[u] / 8.0)), []).append((a[u], *sorted((a[1 - u], b[1 - u])), line.name))
    for (u, k), legs in rows.items():
        near = legs + rows.get((u, k + 1), [])
        for x, low, high, one in legs:
            found += [(one, two) for y, a, b, two in near if one != two and abs(x - y) < 3.0 and a < high and low < b]
    assert found == []


@over_all
def test_no_bond_enters_a_group_that_holds_neither_of_its_ends(name: str, depth: int, method: str | None) -> None:
    drawn, found = scene(name, depth, method), []
    boxes, bonds = {n.path: n.box for n in drawn.nodes}, {b.name: b for b in seen(name, depth, method).graph.bonds}
    for line in drawn.bonds:
        ends = [boxes[end.element] for end in (bonds[line.name].tail, bonds[line.name].head)]
        foreign = [g for g in drawn.groups if not any(g.box.overlaps(end) for end in ends)]
        legs = list(pairwise(line.shape.path))
        found += [(line.name, g.name) for g in foreign if any(g.box.grown(-1.0).hit_by(*leg) for leg in legs)]
    assert found == []


@over_all
def test_groups_hold_what_is_theirs_and_nothing_else(name: str, depth: int, method: str | None) -> None:
    drawn = scene(name, depth, method)
    for group in drawn.groups:
        for other in drawn.groups:
            if group.name != other.name and group.box.overlaps(other.box):
                assert _holds(group.box, other.box) or _holds(other.box, group.box), (group.name, other.name)
        for node in drawn.nodes:
            inside = node.path.startswith(f"{group.name}.") and not _in_frame_of_another(node.path, group.name, drawn)
            assert group.box.overlaps(node.box) == inside, (group.name, node.path)


def _holds(outer: Box, inner: Box) -> bool:
    return outer.left <= inner.left and inner.right <= outer.right and outer.top <= inner.top <= outer.bottom


def _in_frame_of_another(path: str, group: str, drawn: Scene) -> bool:
    """Frames and the joints of free bodies have the name of a part but stand beside it."""
    joints = {n.path.removesuffix(".motion") for n in drawn.nodes if n.path.endswith(".free.motion")}
    apart = [g.name for g in drawn.groups if g.frame or g.name in joints]
    return any(path.startswith(f"{name}.") and name != group and name.startswith(f"{group}.") for name in apart)


@pytest.mark.parametrize("name", EXAMPLES)
def test_word_graphs_have_free_words_and_wires_that_pass_by(name: str) -> None:
    drawn = scene_of(EXAMPLES[name](), kind="word")
    assert clashes(texts(inked(drawn).marks)) == []
    boxes = {n.path: n.box for n in drawn.nodes if n.look != "dot"}
    assert clashes(list(boxes.items())) == []
    shrunk = [Box(b.x, b.y, b.width - 1.0, b.height - 1.0) for b in boxes.values()]
    ways = [w.points for w in drawn.wires] + [b.shape.path for b in drawn.bonds]
    assert not any(box.hit_by(a, b) for way in ways for a, b in pairwise(way) for box in shrunk)


def test_wires_of_three_ports_part_at_dots() -> None:
    drawn = scene_of(EXAMPLES["rectifier"](), kind="word")
    parted = [(n.box.x, n.box.y) for n in drawn.nodes if n.look == "dot" and "." in n.path]
    corners = [p for w in drawn.wires for p in w.points[1:-1]]
    assert len(parted) > 4 and all(dot in corners for dot in parted)


@pytest.mark.parametrize("bold", [False, True])
def test_estimated_widths_are_never_too_small(bold: bool) -> None:
    for letter in metrics(bold):
        if letter.isprintable() and letter.isascii():
            assert text_width(letter, 10.0) >= width(Run(letter, 10.0, "", bold)) - 1e-9, letter


def _crossings(drawn: Scene) -> int:
    legs = [(b.name, leg) for b in drawn.bonds for leg in pairwise(b.shape.path)]
    level = [(n, a, b) for n, (a, b) in legs if a[0] != b[0]]
    upright = [(n, a, b) for n, (a, b) in legs if a[0] == b[0]]
    return sum(
        min(a[0], b[0]) < c[0] < max(a[0], b[0]) and min(c[1], d[1]) < a[1] < max(c[1], d[1])
        for n, a, b in level
        for m, c, d in upright
        if n != m
    )


@pytest.mark.parametrize(
    ("name", "most_crossings", "most_corners"), [("pendulum", 4, 40), ("disc", 0, 16), ("slider_crank", 60, 170)]
)
def test_few_crossings_and_corners(name: str, most_crossings: int, most_corners: int) -> None:
    drawn = scene(name, 2, None)
    assert _crossings(drawn) <= most_crossings
    assert sum(len(b.shape.path) - 2 for b in drawn.bonds) <= most_corners


def test_the_slider_crank_has_the_shape_of_a_page() -> None:
    hull = scene("slider_crank", 2, None).hull
    assert 1.2 < hull.width / hull.height < 2.6


def test_every_stroke_is_written(name: str = "slider_crank") -> None:
    drawn = scene(name, 2, None)
    assert len(strokes(inked(drawn).marks)) >= sum(len(b.shape.strokes) for b in drawn.bonds)


def test_forms_differ_as_they_should() -> None:
    """The constraints are sources of no flow, springs and dampers, or multipliers; in minimal coordinates none.

    Of zcp the hinge's point is held by Sf 0; C1 leaves it no place at the two held turns: break variables stand there.
    """

    def codes(depth: int, method: str) -> list[str]:
        return [n.code for n in scene("pendulum", depth, method).nodes]

    assert codes(2, "zcp").count("Sf 0") == 1 and codes(3, "zcp").count("Sf 0") == 3
    assert codes(2, "zcp").count("MSe λ") == 1 and codes(3, "zcp").count("MSe λ") == 2
    assert codes(2, "multiplier").count("MSe λ") == 2 and codes(3, "multiplier").count("MSe λ") == 5
    assert codes(2, "rc").count("C") == 2 and codes(3, "rc").count("C") == 5
    assert not {"Sf 0", "MSe λ", "L", "C"} & set(codes(3, "minimal"))
    assert isinstance(seen("pendulum", 3, "rc").graph, Graph)
