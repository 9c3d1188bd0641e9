"""Drawings: strokes at the right ends, nothing on top of anything else, the same whatever the order."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET

import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.graph.domains import bond_domains
from multibond.view.draw import draw, save, scene_of
from multibond.view.geometry import Box
from multibond.view.layout import WIDEST, rows_for
from multibond.view.scene import title_box

from .models import DRAWINGS, chain, motor, pendulum, rlc, slider_crank, tethered

IDS = [f"{make.__name__}-{depth}" for make, depth in DRAWINGS]


def stroke_ends(model: mb.Model) -> dict[str, str]:
    """For each bond the element nearest to its stroke, as drawn."""
    scene = scene_of(model, depth=2)
    found = {}
    for bond in scene.bonds:
        (ax, ay), (bx, by) = bond.shape.strokes[0].bar
        middle = ((ax + bx) / 2, (ay + by) / 2)
        ends = [n for n in scene.nodes if n.path in bond.name.split("->")]
        found[bond.name] = min(ends, key=lambda n: math.dist(n.box.edge_towards(middle), middle)).path
    return found


def one_with(*elements: mb.I | mb.C | mb.R | mb.Se | mb.Sf, junction: type = mb.One) -> mb.Model:
    m = mb.Model("test")
    centre = m.add(junction("j"))
    for item in elements:
        if isinstance(item, mb.Se | mb.Sf):
            m.bond(item, centre)
        else:
            m.bond(centre, item)
    return m


@pytest.mark.parametrize(
    ("model", "bond", "at"),
    [
        (one_with(mb.Se("s", 1.0), mb.I("x", 1.0)), "s->j", "j"),
        (one_with(mb.Sf("s", 1.0), mb.R("x", 1.0)), "s->j", "s"),
        (one_with(mb.Se("s", 1.0), mb.I("x", 1.0)), "j->x", "x"),
        (one_with(mb.Sf("s", 1.0), mb.I("x", 1.0)), "j->x", "j"),
        (one_with(mb.Sf("s", 1.0), mb.C("x", 1.0)), "j->x", "j"),
        (one_with(mb.Se("s", 1.0), mb.C("x", 1.0), junction=mb.Zero), "j->x", "x"),
        (one_with(mb.Sf("s", 1.0), mb.R("x", 1.0)), "j->x", "j"),
        (one_with(mb.Se("s", 1.0), mb.R("x", 1.0), junction=mb.Zero), "j->x", "x"),
    ],
    ids=["Se", "Sf", "I integral", "I derivative", "C integral", "C derivative", "R e=Rf", "R f=e/R"],
)
def test_golden_table_of_strokes(model, bond, at):
    assert stroke_ends(model)[bond] == at


def test_all_bonds_but_one_have_their_stroke_at_a_one_junction():
    ends = list(stroke_ends(rlc()).values())
    assert ends.count("current") == len(ends) - 1


@pytest.mark.parametrize(("coupler", "strokes"), [(mb.TF("x", 2.0), {1}), (mb.GY("x", 2.0), {0, 2})], ids=["TF", "GY"])
def test_couplers(coupler, strokes):
    m = one_with(mb.Se("s", 1.0), mb.I("i", 1.0))
    k = m.add(mb.One("k"))
    m.bond("j", coupler)
    m.bond(coupler, k)
    m.bond(k, mb.R("r", 1.0))
    assert list(stroke_ends(m).values()).count("x") in strokes


def test_lever_takes_flow_on_one_side_and_gives_it_on_the_other():
    ends = stroke_ends(pendulum())
    assert ends["hip.frame_b.rotation->leg.tip_lever"] == "hip.frame_b.rotation"
    assert ends["leg.tip_lever->leg.tip_turn"] == "leg.tip_lever"
    assert ends["foot.w->foot.gyroscopic"] == "foot.w"


def test_derivative_causality_is_marked():
    late = {b.name: b.late for b in scene_of(one_with(mb.Sf("s", 1.0), mb.I("x", 1.0))).bonds}
    assert late == {"s->j": (), "j->x": (0,)}
    assert "derivative causality" in draw(one_with(mb.Sf("s", 1.0), mb.I("x", 1.0)))


def test_conflict_is_drawn_and_said():
    m = one_with(mb.Sf("a", 1.0), mb.Sf("b", 1.0), mb.R("r", 1.0))
    scene = scene_of(m)
    assert "set twice" in scene.remark
    assert any(n.warning == "conflict" for n in scene.nodes)
    assert "#d00000" in draw(m)


@pytest.mark.parametrize(("make", "depth"), DRAWINGS, ids=IDS)
def test_nothing_stands_on_anything_else(make, depth):
    scene = scene_of(make(), depth=depth)
    boxes = [(n.path, n.box) for n in scene.nodes] + scene.label_boxes()
    clashes = [(a, b) for (a, x), (b, y) in itertools.combinations(boxes, 2) if x.overlaps(y)]
    assert clashes == []
    groups = [(g.name, g.box) for g in scene.groups]
    pairs = [(a, b, x, y) for (a, x), (b, y) in itertools.permutations(groups, 2) if x.overlaps(y)]
    assert [(a, b) for a, b, x, y in pairs if not (a.startswith(f"{b}.") or b.startswith(f"{a}."))] == []
    assert all(b.label is not None for b in scene.bonds if b.size > 1)
    assert all(title_box(g).right <= g.box.right for g in scene.groups)


@pytest.mark.parametrize(("make", "depth"), DRAWINGS, ids=IDS)
def test_bonds_and_wires_pass_by_other_nodes(make, depth):
    scene = scene_of(make(), depth=depth)
    paths = [line for b in scene.bonds for line in b.shape.lines] + [w.points for w in scene.wires]
    hits = [
        n.path
        for path in paths
        for n in scene.nodes
        if n.look != "dot"
        for a, b in itertools.pairwise(path)
        if Box(n.box.x, n.box.y, n.box.width - 4, n.box.height - 4).hit_by(a, b)
    ]
    assert hits == []


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("make", [pendulum, slider_crank])
def test_order_of_adding_does_not_matter(make, depth):
    assert draw(make(), depth=depth) == draw(make(backwards=True), depth=depth)


@pytest.mark.parametrize(("make", "depth"), DRAWINGS, ids=IDS)
def test_svg_is_standalone(make, depth):
    text = draw(make(), depth=depth)
    root = ET.fromstring(text)
    assert root.get("viewBox") and root.find("{http://www.w3.org/2000/svg}title") is not None
    assert "foreignObject" not in text and "nan" not in text
    assert text.count("http") == 1  # the name space


def test_word_graph_shows_classes_names_and_double_lines_for_frames():
    scene = scene_of(slider_crank())
    assert {(n.code, n.name) for n in scene.nodes} >= {("World", "world"), ("Prismatic", "guide"), ("Body", "piston")}
    assert {w.kind for w in scene.wires} == {"frame"}
    assert {w.kind for w in scene_of(motor()).wires} == {"power"}


def test_parts_and_frames_are_groups():
    groups = {g.name: g.frame for g in scene_of(pendulum(), depth=2).groups}
    assert groups == {
        "world": False,
        "hip": False,
        "leg": False,
        "foot": False,
        "hip.frame_a": True,
        "hip.frame_b": True,
        "foot.frame": True,
    }


def test_floating_bodies_are_drawn_with_their_free_joint():
    assert "stone.free" in {g.name for g in scene_of(tethered(), depth=2).groups}
    assert "stone.free" not in {g.name for g in scene_of(tethered(), depth=2, causal=False).groups}


def test_domains_follow_from_frames_and_flanges():
    domains = bond_domains(mb.expand(pendulum()))
    assert domains["leg.tip_lever->leg.tip_turn"] == "translation"
    assert domains["hip.frame_a.rotation->hip.lever"] == "rotation"
    assert domains["hip.free->hip.motion"] == "rotation"
    assert domains["hip.slide->hip.to_world"] == "translation"
    scene = scene_of(motor(), depth=2)
    assert {b.domain for b in scene.bonds} == {"electrical", "rotation"}


def test_placed_elements_stand_where_they_were_placed():
    m = rlc()
    m.place("coil", 300.0, -80.0)
    boxes = {n.path: n.box for n in scene_of(m).nodes}
    assert (boxes["coil"].x, boxes["coil"].y) == (300.0, -80.0)
    arm = pendulum()
    arm.place("foot", 0.0, 200.0)
    boxes = {n.path: n.box for n in scene_of(arm).nodes}
    assert (boxes["foot"].x, boxes["foot"].y) == (0.0, 200.0)


def test_save_and_wrong_things(tmp_path):
    path = save(rlc(), tmp_path / "rlc.svg")
    assert path.read_text(encoding="utf-8") == draw(rlc())
    assert draw(mb.expand(rlc())).startswith("<svg")
    with pytest.raises(ModelError, match="depth 7"):
        draw(rlc(), depth=7)
    with pytest.raises(ModelError, match="cannot be drawn"):
        draw("rlc")  # type: ignore[arg-type]


def test_an_empty_model_is_an_empty_sheet():
    for depth in (1, 2):
        ET.fromstring(draw(mb.Model("nothing"), depth=depth))


def test_long_chains_go_on_in_further_rows():
    hull = scene_of(chain(), depth=2).hull
    assert hull.width < 4 * hull.height
    assert rows_for(WIDEST, 100.0) == 1 and rows_for(2 * WIDEST, WIDEST / 3) == 2


def test_two_connections_of_the_same_parts_stand_side_by_side():
    m = mb.Model("short")
    a = m.add(mb.electrical.Resistor("a", resistance=1.0))
    b = m.add(mb.electrical.Resistor("b", resistance=1.0))
    m.connect(a.pin_p, b.pin_p)
    m.connect(b.pin_n, a.pin_n)
    heights = {w.points[0][1] for w in scene_of(m).wires}
    assert len(heights) == 2
