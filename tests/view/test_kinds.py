"""The kinds of drawing, and what each shows: strokes, conflicts, highlights, letters, direct sums, colours."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError, UnknownName
from multibond.examples import EXAMPLES
from multibond.view.draw import draw, save, scene_of
from multibond.view.geometry import BAR, BOTH, HEAD, NEITHER, TAIL, bond_shape
from multibond.view.legend import inked
from multibond.view.palette import COLOURS, CONFLICT, DERIVATIVE, HIGHLIGHT, INK
from multibond.view.scene import Scene

from .models import pendulum, rlc, slider_crank
from .paper import everything, texts


def two_drives() -> mb.Model:
    m = mb.Model("two drives")
    slider = m.add(mb.One("slider"))
    m.bond(mb.Sf("drive", 1.0), slider)
    m.bond(mb.Sf("wall", 0.0), slider)
    m.bond(slider, mb.R("friction", 2.0))
    return m


def summed() -> mb.Model:
    """A scalar and a plane flow make one of three components; the scalar one comes with its effort."""
    m = mb.Model("summed")
    axes, hub = m.add(mb.DirectSum("axes", 1, 2)), m.add(mb.One("hub", size=3))
    m.bond(mb.Se("push", 1.0), axes.part_1)
    m.bond(mb.Sf("turn", (0.0, 1.0)), axes.part_2)
    m.bond(axes.whole, hub)
    m.bond(hub, mb.I("mass", (1.0, 2.0, 3.0)))
    return m


def legend(scene: Scene) -> set[str]:
    return {text for text, _ in texts(inked(scene).marks)}


def test_word_and_part_drawings_are_the_same() -> None:
    assert draw(slider_crank(), kind="word") == draw(slider_crank(), depth=1) == draw(slider_crank())


@pytest.mark.parametrize(("kind", "depth"), [("multibond", 2), ("scalar", 3)])
def test_graphs_without_strokes(kind: str, depth: int) -> None:
    plain, causal = scene_of(pendulum(), kind=kind), scene_of(pendulum(), kind="causal", depth=depth)
    assert {n.path for n in plain.nodes} == {n.path for n in causal.nodes}
    assert not any(b.shape.strokes for b in plain.bonds) and all(b.shape.strokes for b in causal.bonds)
    assert max(b.size for b in plain.bonds) == (3 if depth == 2 else 1)
    assert all(b.shape.strokes for b in scene_of(pendulum(), kind=kind, causal=True).bonds)


def test_scalar_bonds_run_between_the_groups_of_their_elements() -> None:
    """What was one element with vector bonds is one group, inside the group of its part."""
    drawn = scene_of(pendulum(), kind="scalar")
    boxes = {g.name: g.box for g in drawn.groups}
    assert boxes["hip"].overlaps(boxes["hip.turn"]) and not boxes["hip.turn"].overlaps(boxes["hip.lever"])
    assert sum(n.path.startswith("hip.turn.") and n.code == "MTF" for n in drawn.nodes) == 9
    assert {g.title for g in drawn.groups if g.name == "hip.turn"} == {"turn"}


def test_derivative_causality_is_orange_component_by_component() -> None:
    drawn = scene_of(summed(), kind="causal")
    late = {b.name: b.late for b in drawn.bonds}
    assert late["hub->mass"] == (1, 2) and not any(v for k, v in late.items() if k != "hub->mass")
    strokes = next(b for b in drawn.bonds if b.name == "hub->mass").shape.strokes
    assert [(s.components, s.end) for s in strokes] == [((0,), HEAD), ((1,), TAIL), ((2,), TAIL)]
    assert draw(summed(), kind="causal").count(DERIVATIVE) >= 2
    assert "derivative causality" in legend(drawn)
    assert "a tick for each component, the first on the barb's side" in legend(drawn)


def test_ticks_of_mixed_causality_stand_beside_each_other_from_the_barb_side_on() -> None:
    shape = bond_shape(((0.0, 0.0), (100.0, 0.0)), 3, (TAIL, HEAD, TAIL))
    middles = {s.components[0]: (s.bar[0][1] + s.bar[1][1]) / 2 for s in shape.strokes}
    assert middles[0] < middles[1] < middles[2] and shape.barb[1][1] < 0
    lengths = [abs(s.bar[0][1] - s.bar[1][1]) for s in shape.strokes]
    assert all(length < BAR for length in lengths)


def test_conflicts_are_red_at_both_ends_or_none() -> None:
    drawn = scene_of(two_drives(), kind="causal")
    wrong = [b for b in drawn.bonds if b.wrong]
    assert [{s.end for s in b.shape.strokes} for b in wrong] == [{TAIL, HEAD}]
    assert {n.path for n in drawn.nodes if n.warning == "conflict"} == {"drive", "wall", "slider"}
    assert "set twice" in drawn.remark and CONFLICT in draw(two_drives(), kind="causal")
    assert "conflict" in legend(drawn)
    assert bond_shape(((0.0, 0.0), (9.0, 0.0)), 1, (NEITHER,)).strokes == ()
    assert {s.end for s in bond_shape(((0.0, 0.0), (9.0, 0.0)), 1, (BOTH,)).strokes} == {TAIL, HEAD}


def test_highlights() -> None:
    drawn = scene_of(summed(), highlight=["mass", "axes->hub", ("hub->mass", 2), ("push->axes", 0, "e")])
    lit = {b.name: b.lit for b in drawn.bonds}
    assert lit == {"axes->hub": (0, 1, 2), "hub->mass": (2,), "push->axes": (0,), "turn->axes": ()}
    assert [n.path for n in drawn.nodes if n.lit] == ["mass"]
    lines = [m for m in everything(inked(drawn).marks) if getattr(m, "kind", "") == "lit"]
    assert len(lines) == 3 and "highlighted" in legend(drawn)
    assert HIGHLIGHT in draw(summed(), highlight=["mass"]) and HIGHLIGHT not in draw(summed())


def test_a_causal_path_is_highlighted_as_it_was_found() -> None:
    way = mb.paths(rlc(), "battery", "cap.e")[0]
    for given in (way, [way]):
        drawn = scene_of(rlc(), kind="causal", highlight=given)
        assert {(b.name, k) for b in drawn.bonds for k in b.lit} == set(way.bonds) != set()
        assert {n.path for n in drawn.nodes if n.lit} == set(way.elements)
    assert [n.path for n in scene_of(rlc(), highlight="coil").nodes if n.lit] == ["coil"]


def test_a_highlighted_component_is_the_lane_of_its_tick() -> None:
    drawn = scene_of(summed(), highlight=[("hub->mass", 2)])
    bond = next(b for b in drawn.bonds if b.name == "hub->mass")
    lane = next(m for m in everything(inked(drawn).marks) if getattr(m, "kind", "") == "lit")
    tick = next(s.bar for s in bond.shape.strokes if s.components == (2,))
    assert lane.points[0][1] == pytest.approx((tick[0][1] + tick[1][1]) / 2, abs=1e-9)


def test_parts_can_be_highlighted_and_wrong_names_are_told() -> None:
    lit = {n.path for n in scene_of(pendulum(), depth=2, highlight=["foot"]).nodes if n.lit}
    assert lit and all(path.startswith("foot.") for path in lit)
    with pytest.raises(UnknownName, match="the drawing has no 'hupp'"):
        draw(pendulum(), depth=2, highlight=["hupp"])


def test_letters_stand_on_their_sides() -> None:
    for line in scene_of(EXAMPLES["motor_pendulum"](), depth=2, variables=True).bonds:
        if not line.letters:
            continue
        effort, flow = line.letters
        side = {}
        for name, at in (("e", effort.box), ("f", flow.box)):
            near = [
                (abs((b[0] - a[0]) * (at.y - a[1]) - (b[1] - a[1]) * (at.x - a[0])), k)
                for k, (a, b) in enumerate(zip(line.shape.path, line.shape.path[1:], strict=False))
                if min(a[0], b[0]) - 1 <= at.x <= max(a[0], b[0]) + 1
                or min(a[1], b[1]) - 1 <= at.y <= max(a[1], b[1]) + 1
            ]
            side[name] = bool(near)
        assert side == {"e": True, "f": True}
    drawn = scene_of(rlc(), variables=True)
    assert all(len(b.letters) == 2 for b in drawn.bonds)
    for line in drawn.bonds:
        if len(line.shape.path) == 2:  # level: the barb is above
            assert line.letters[0].box.y < line.shape.path[0][1] < line.letters[1].box.y


def test_a_direct_sum_is_a_bar_as_high_as_its_bonds() -> None:
    drawn = scene_of(summed())
    bar = next(n for n in drawn.nodes if n.path == "axes")
    assert bar.look == "bar" and bar.caption is not None
    feet = [p for b in drawn.bonds for p in (b.shape.path[0], b.shape.path[-1]) if abs(p[0] - bar.box.x) < 12.0]
    assert len(feet) == 3 and all(bar.box.top <= y <= bar.box.bottom for _, y in feet)
    lines = [m for m in everything(inked(drawn).marks) if getattr(m, "kind", "") == "sum"]
    assert lines[0].points == ((bar.box.x, bar.box.top), (bar.box.x, bar.box.bottom))


def test_without_signals_only_what_carries_power() -> None:
    drawn = scene_of(EXAMPLES["controlled_crane"](), depth=2, signals=False)
    assert drawn.arrows == () and all(n.look != "signal" for n in drawn.nodes)
    assert any(n.look == "signal" for n in scene_of(EXAMPLES["controlled_crane"](), depth=2).nodes)


_SIGHT = {
    "usual": np.eye(3),
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
"""What is left of linear red, green and blue (Machado, Oliveira and Fernandes 2009)."""


def lightness_and_hue(colour: str, sight: str) -> np.ndarray:
    """CIE L*a*b* as seen."""
    raw = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(raw <= 0.04045, raw / 12.92, ((raw + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(np.array(_SIGHT[sight]) @ linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", _SIGHT)
def test_domains_are_told_apart_by_the_colour_blind_too(sight: str) -> None:
    """A difference of 20 is plain to see side by side; 2 is just visible."""
    for a, b in combinations([*COLOURS.values(), INK], 2):
        assert np.linalg.norm(lightness_and_hue(a, sight) - lightness_and_hue(b, sight)) > 20, (a, b)


def test_the_legend_names_the_domains_that_occur() -> None:
    assert {"rotation", "translation", "electrical"} <= legend(scene_of(EXAMPLES["motor_pendulum"](), depth=2))
    assert not set(COLOURS) & legend(scene_of(rlc()))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "picture"}, "Kinds: word, multibond, scalar, causal, block."),
        ({"method": "magic"}, "Methods: auto, zcp, rc, multiplier, minimal."),
        ({"format": "png"}, "Formats: svg, tikz."),
        ({"depth": 4}, "Depths: 1, 2, 3."),
    ],
)
def test_what_there_is_not_is_told(options: dict, words: str) -> None:
    with pytest.raises(ModelError) as told:
        draw(rlc(), **options)
    assert words in str(told.value)


def test_files_by_their_ending(tmp_path) -> None:
    assert save(rlc(), tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    assert r"\documentclass" in save(rlc(), tmp_path / "a.tex").read_text(encoding="utf-8")
    assert (
        save(rlc(), tmp_path / "b.svg", kind="block").read_text(encoding="utf-8").count('class="block integrator"') == 2
    )
