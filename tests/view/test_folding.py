"""Groups folded into one box each, and drawings wrapped to a width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import multibond as mb
from multibond.cli import app
from multibond.errors import MultibondError
from multibond.view.draw import drawing_of, scene_of
from multibond.view.palette import CONFLICT
from multibond.view.scene import Scene

from .models import nested, rlc, slider_crank
from .paper import clashes, texts

RUN = CliRunner()


def bonds_of(scene: Scene) -> dict[str, tuple]:
    """What is said of every bond but its way."""
    return {
        b.name: (b.size, b.domain, b.late, b.wrong, tuple((s.end, s.components) for s in b.shape.strokes))
        for b in scene.bonds
    }


def boxes_of(scene: Scene) -> dict[str, str]:
    return {n.path: n.code for n in scene.nodes if n.look == "part"}


def shown_width(text: str) -> float:
    return float(re.search(r'<svg[^>]* width="([\d.]+)"', text)[1])


@pytest.mark.parametrize("depth", [2, 3])
def test_every_part_is_one_box_and_the_bonds_between_are_as_they_were(depth: int) -> None:
    model = slider_crank()
    whole, folded = scene_of(model, depth=depth), scene_of(model, depth=depth, fold=True)
    assert boxes_of(folded) == {part.name: type(part).__name__ for part in model.components}
    assert all(n.look == "part" or ".frame" in n.path for n in folded.nodes)
    told, before = bonds_of(folded), bonds_of(whole)
    assert told == {name: before[name] for name in told} and len(told) < len(before) / 2
    ends = {end.partition(".")[0] for name in before.keys() - told.keys() for end in name.split("->")}
    assert ends <= set(boxes_of(folded))
    assert {a.says for a in folded.arrows} and len(folded.arrows) < len(whole.arrows)


@pytest.mark.parametrize(
    ("fold", "boxes"),
    [
        (["leg"], {"leg": "Submodel"}),
        ("leg.knee", {"leg.knee": "Revolute"}),
        (["leg.knee", "leg"], {"leg": "Submodel"}),
        (["leg.knee", "world"], {"leg.knee": "Revolute", "world": "World"}),
        (True, {"leg": "Submodel", "world": "World"}),
    ],
)
def test_sub_models_and_parts_within_are_folded_by_name(fold, boxes) -> None:
    scene = scene_of(nested(), depth=2, fold=fold)
    assert boxes_of(scene) == boxes
    inside = [n.path for n in scene.nodes if any(n.path.startswith(f"{name}.motion") for name in boxes)]
    assert inside == [] and not {g.name for g in scene.groups} & set(boxes)
    assert clashes(texts(drawing_of(nested(), depth=2, fold=fold).marks)) == []


def test_what_is_folded_lights_up_and_warns_as_a_box() -> None:
    model = slider_crank()
    lit = [n.path for n in scene_of(model, depth=2, fold=["piston"], highlight=["piston.mass"]).nodes if n.lit]
    assert lit == ["piston"]
    inner = next(b.name for b in scene_of(model, depth=2).bonds if b.name.endswith("piston.mass"))
    lit = [n.path for n in scene_of(model, depth=2, fold=["piston"], highlight=[inner]).nodes if n.lit]
    assert lit == ["piston"]
    steps = [scene_of(model, depth=2, fold=["piston"], step=k) for k in (0, 5, 30)]
    assert all(bonds_of(scene).keys() == bonds_of(steps[0]).keys() for scene in steps)
    twice = mb.Model("twice")
    for name in ("one", "two"):
        inside = mb.Model(name)
        inside.bond(inside.add(mb.Se("source", 1.0)), inside.add(mb.Zero("node")))
        inside.expose("port", "node.any")
        twice.add(inside, name=name)
    twice.bond("one.port", "two.port")
    box = next(n for n in scene_of(twice, kind="causal", fold=["two"]).nodes if n.path == "two")
    assert box.warning == "conflict" and f'stroke="{CONFLICT}" stroke-width="1.4"' in mb.draw(
        twice, kind="causal", fold=["two"]
    )


def test_folding_that_makes_no_sense_is_told() -> None:
    model = slider_crank()
    for options, words in (
        ({"fold": ["pistn"], "depth": 2}, "Nearest: 'piston'"),
        ({"fold": 3}, "3 is no name of a group"),
        ({"fold": True, "depth": 1}, "cannot be folded"),
        ({"fold": True, "kind": "block"}, "cannot be drawn with fold=True"),
        ({"width": 0}, "no drawing is 0 wide"),
        ({"width": "800"}, "no drawing is '800' wide"),
        ({"width": float("nan")}, "no drawing is nan wide"),
        ({"width": True}, "no drawing is True wide"),
    ):
        with pytest.raises(MultibondError, match=words):
            mb.draw(model, **options)
    assert mb.draw(rlc(), depth=2, fold=["coil"]) == mb.draw(rlc(), depth=2)


@pytest.mark.parametrize(("depth", "width"), [(1, 500), (2, 1400), (2, 100)])
def test_a_drawing_keeps_to_its_width(depth: int, width: float) -> None:
    model = slider_crank()
    plain, wrapped = scene_of(model, depth=depth), scene_of(model, depth=depth, width=width)
    assert plain.hull.width > wrapped.hull.width and wrapped.hull.height > plain.hull.height
    assert bonds_of(wrapped) == bonds_of(plain) and {n.path for n in wrapped.nodes} == {n.path for n in plain.nodes}
    assert shown_width(mb.draw(model, depth=depth, width=width)) <= width
    assert clashes(texts(drawing_of(model, depth=depth, width=width).marks)) == []
    if width >= 1000:
        assert drawing_of(model, depth=depth, width=width).scale == 1.0


def test_what_cannot_be_wrapped_is_shown_smaller() -> None:
    model = rlc()
    text = mb.draw(model, kind="block", width=300)
    sizes = re.findall(r'viewBox="\S+ \S+ (\S+) (\S+)" width="(\S+)" height="(\S+)"', text)
    wide, high, shown, tall = map(float, sizes[0])
    assert wide > shown == 300.0 and high / wide == pytest.approx(tall / shown, rel=1e-3)
    assert "scale=" in mb.draw(model, kind="block", width=300, format="tikz")
    assert mb.draw(model, depth=2, width=5000, format="tikz") == mb.draw(model, depth=2, format="tikz")
    assert mb.draw(model, depth=2, width=5000) == mb.draw(model, depth=2)


def test_the_command_folds_and_wraps(tmp_path: Path) -> None:
    model, path = slider_crank(), str(tmp_path / "crank.mbg")
    mb.save(model, path)
    for words, options in (
        (["--fold", "O", "--fold", "piston"], {"fold": ["O", "piston"]}),
        (["--fold-all"], {"fold": True}),
        (["--width", "900"], {"width": 900}),
    ):
        told = RUN.invoke(app, ["draw", path, "--depth", "2", *words])
        assert told.exit_code == 0 and told.stdout.strip() == mb.draw(model, depth=2, **options).strip()
    assert RUN.invoke(app, ["draw", path, "--width", "-1"]).exit_code == 2
    assert RUN.invoke(app, ["draw", path, "--width", "20"]).exit_code == 1
    assert RUN.invoke(app, ["draw", path, "--fold", "nope"]).exit_code == 1


def test_a_drawing_of_parts_lights_them_up_and_leaves_out_signals() -> None:
    model = slider_crank()
    assert [n.path for n in scene_of(model, highlight=["O", "piston.mass"]).nodes if n.lit] == ["O", "piston"]
    model.add(mb.blocks.Constant("wish", 1.0))
    model.signal("wish.y", model.add(mb.blocks.Gain("gain", 2.0)).u)
    whole, plain = scene_of(model, depth=1), scene_of(model, depth=1, signals=False)
    assert {n.path for n in whole.nodes} - {n.path for n in plain.nodes} == {"wish", "gain"}
    assert any(w.kind == "signal" for w in whole.wires) and not any(w.kind == "signal" for w in plain.wires)
