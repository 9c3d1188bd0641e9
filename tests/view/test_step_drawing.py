"""Strokes put one after the other: the drawing after each step, and the page that plays them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import EXAMPLES
from multibond.view.causal_drawing import causal_scene, causal_text
from multibond.view.draw import draw, scene_of
from multibond.view.legend import inked
from multibond.view.palette import DERIVATIVE, HIGHLIGHT
from multibond.view.scene import Scene
from multibond.view.step_drawing import page, scene_at

from .models import pendulum, rlc
from .paper import texts
from .test_animate import Page, data_of
from .test_kinds import summed, two_drives

MODELS = {"rlc": rlc, "pendulum": pendulum, "summed": summed, "two drives": two_drives}


def put(scene: Scene) -> set[tuple[str, int]]:
    """Bonds and components that have a stroke."""
    return {(b.name, k) for b in scene.bonds for stroke in b.shape.strokes for k in stroke.components}


def lit(scene: Scene) -> set[tuple[str, int]]:
    return {(b.name, k) for b in scene.bonds for k in b.lit}


@pytest.mark.parametrize("name", MODELS)
def test_every_step_adds_its_strokes_and_moves_nothing(name: str) -> None:
    """Strokes up to the step, at the ends where they stay; the newest and its element lit; its sentence below."""
    model, whole = MODELS[name](), scene_of(MODELS[name](), kind="causal")
    ends = {(b.name, k, s.end) for b in whole.bonds for s in b.shape.strokes for k in s.components}
    steps = mb.causality(model).steps
    seen: set[tuple[str, int]] = set()
    for step in steps:
        scene = scene_at(whole, steps, step.number)
        own = {(step.bond, k) for k in step.components}
        seen |= own
        assert put(scene) == seen and lit(scene) == own
        assert {(b.name, k, s.end) for b in scene.bonds for s in b.shape.strokes for k in s.components} <= ends
        assert [n.path for n in scene.nodes if n.lit] == [step.by]
        assert [n.box for n in scene.nodes] == [n.box for n in whole.nodes]
        assert [b.shape.lines for b in scene.bonds] == [b.shape.lines for b in whole.bonds]
        assert scene.note == f"{step.number} of {len(steps)}: {str(step).partition('. ')[2]}"
        assert scene.note in {text for text, _ in texts(inked(scene).marks)}
    half = len(steps) // 2
    assert scene_of(model, kind="causal", step=half) == scene_at(whole, steps, half)
    last = scene_at(whole, steps, len(steps))
    assert [b.shape for b in last.bonds] == [b.shape for b in whole.bonds] and last.remark == whole.remark


def test_before_the_first_step() -> None:
    scene = scene_of(rlc(), kind="causal", step=0)
    assert not put(scene) and not lit(scene) and scene.note == "0 of 4: no stroke is put yet."


def test_derivative_causality_is_orange_from_its_step_on() -> None:
    model = EXAMPLES["pendulum"]()
    (step, *_) = [s for s in mb.causality(model).steps if s.bond.endswith("bar.mass")]
    late = [{b.name for b in scene_of(model, kind="causal", step=step.number - k).bonds if b.late} for k in (1, 0)]
    assert late[1] - late[0] == {step.bond}
    assert DERIVATIVE not in draw(model, kind="causal", step=0)


def test_steps_of_scalar_bonds_and_in_latex() -> None:
    text = draw(rlc(), kind="causal", depth=3, step=2, format="tikz")
    assert "2 of 4: bond" in text
    count = len(mb.causality(pendulum(), depth=3).steps)
    assert len(put(scene_of(pendulum(), kind="causal", depth=3, step=count))) == count


def test_a_step_that_is_not_there() -> None:
    with pytest.raises(ModelError, match="The strokes are put in 4 steps"):
        draw(rlc(), kind="causal", step=5)
    with pytest.raises(ModelError, match="there is no step -1"):
        draw(rlc(), kind="causal", step=-1)


# -- the page ----------------------------------------------------------------------------------------------------------


def strokes_in(svg: str) -> set[str]:
    """The strokes of bonds; the legend has samples of its own."""
    return set(re.findall(r'<path class="stroke" d="[^"]*"[^>]*/>', svg.partition('<g class="legend"')[0]))


def visible(html: str, step: int) -> str:
    """The layers of the page that are seen at a step."""
    layers = re.findall(r'<g class="layer" data-name="(\d+) (\d+)">(.*?)</g>', html, re.S)
    return "\n".join(inside for start, end, inside in layers if int(start) <= step < int(end))


@pytest.mark.parametrize("name", MODELS)
def test_the_page_shows_at_every_step_what_the_drawing_shows(name: str) -> None:
    report = mb.causality(MODELS[name]())
    scene = causal_scene(report.graph, report.strokes, report.name)
    html = page(scene, report.steps)
    assert data_of(html)["texts"][1:] == [str(step).partition(". ")[2] for step in report.steps]
    for k in range(len(report.steps) + 1):
        drawn, shown = causal_text(scene, report.strokes, k, "svg"), visible(html, k)
        assert strokes_in(shown) == strokes_in(drawn)
        assert shown.count(HIGHLIGHT) == drawn.partition('<g class="legend"')[0].count(HIGHLIGHT)
        assert (HIGHLIGHT in shown) == (k > 0)


def test_the_page_stands_alone(tmp_path: Path) -> None:
    report = mb.causality(pendulum())
    html = report.play(tmp_path / "steps.html")
    assert html == page(causal_scene(report.graph, report.strokes, report.name), report.steps)
    assert (tmp_path / "steps.html").read_text(encoding="utf-8") == html
    parsed = Page(html)
    assert {"back", "next", "play", "step", "reason", "count", "list"} <= parsed.ids and parsed.links == []
    plain = html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?://|//cdn|import\s|fetch\(", plain)
    assert "%" not in re.sub(r"\d+%", "", re.sub(r"<script.*", "", html, flags=re.S))


# -- drawings of a report ----------------------------------------------------------------------------------------------


def test_a_report_draws_its_own_strokes() -> None:
    """Those that were asked for, orange where that made a storage dependent."""
    asked = mb.causality(rlc(), prefer={"coil": "derivative"})
    assert DERIVATIVE in asked.draw() and DERIVATIVE not in mb.causality(rlc()).draw()


def test_a_report_lights_up_a_causal_path() -> None:
    report = mb.causality(EXAMPLES["pendulum"]())
    (path, *_) = report.paths("bar.weight", "hinge.motion.f")
    text = report.draw(path)
    assert text.count(HIGHLIGHT) >= len({name for name, _ in path.bonds}) + len(path.elements)
    assert str(path) in text and str(path).startswith("1 integration")
