"""The drawing of a causal report: its own strokes, with what it found; and the page that plays its steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from multibond.errors import CausalityError
from multibond.graph.graph import Graph
from multibond.structure.causality import Causality
from multibond.structure.paths import CausalPath
from multibond.view.draw import written
from multibond.view.highlight import Wanted, Way, lit
from multibond.view.legend import inked
from multibond.view.multibonds import Seen, Style, multibond_scene
from multibond.view.scene import Scene
from multibond.view.step_drawing import page, scene_at


def causal_scene(
    graph: Graph, strokes: Causality, name: str, origin: Graph | None = None, highlight: Way | Iterable[Wanted] = ()
) -> Scene:
    """A graph with these strokes: derivative causality orange, conflicts red. origin: what it was unfolded from."""
    findings = list(dict.fromkeys(strokes.conflicts.values()))
    remark = str(CausalityError(*findings)).splitlines()[0] if findings else ""
    faulty = frozenset(path for finding in findings for path in finding.paths)
    seen = Seen(graph, strokes, remark, faulty, origin)
    wanted = [highlight] if isinstance(highlight, Way) else list(highlight)
    note = "; ".join(str(item) for item in wanted if isinstance(item, CausalPath))
    return replace(multibond_scene(seen, name, style=Style(lit=lit(graph, wanted))), note=note)


def causal_text(scene: Scene, strokes: Causality, step: int | None, format: str) -> str:
    """The drawing as text, whole or after some steps."""
    return written(inked(scene if step is None else scene_at(scene, strokes.steps, step)), format)


def causal_page(scene: Scene, strokes: Causality, path: str | Path | None) -> str:
    """The page that plays the steps, written to `path` where one is given."""
    text = page(scene, strokes.steps)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
