"""Draw models and graphs as SVG.

>>> save(arm, "arm.svg")                 # word bond graph: the parts
>>> save(arm, "arm.svg", depth=2)        # multibond graph with causal strokes
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multibond.errors import Finding, ModelError
from multibond.graph.component import Part
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.pipeline import causality
from multibond.rewrite.floating import join_floating
from multibond.rewrite.unfold import unfold
from multibond.view.domains import flange_domains
from multibond.view.multibonds import multibond_scene
from multibond.view.scene import Scene
from multibond.view.svg import to_svg
from multibond.view.words import word_scene


def draw(thing: Model | Graph, *, depth: int | None = None, causal: bool = True) -> str:
    """The drawing of a model or graph as SVG text.

    depth: 1 for the word bond graph of the parts, 2 for the multibond graph, 3 for the scalar bond graph; without it, 1
    for models made of parts, 2 for others.
    causal: draw causal strokes, at the end that gives the flow.
    """
    return to_svg(scene_of(thing, depth=depth, causal=causal))


def save(thing: Model | Graph, path: str | Path, *, depth: int | None = None, causal: bool = True) -> Path:
    """Write the drawing to a file; returns its path."""
    target = Path(path)
    target.write_text(draw(thing, depth=depth, causal=causal), encoding="utf-8")
    return target


def scene_of(thing: Model | Graph, *, depth: int | None = None, causal: bool = True) -> Scene:
    """The drawing as plain values: what stands where."""
    if isinstance(thing, Graph):
        _require_depth(depth, (2, 3))
        return multibond_scene(thing, "multibond graph", causal=causal)
    if not isinstance(thing, Model):
        raise ModelError(
            Finding(f"{thing!r} cannot be drawn.", "It is no model and no graph.", "Draw a Model or a Graph.")
        )
    _require_depth(depth, (1, 2, 3))
    parts = any(isinstance(c, Part) for c in thing.components)
    if (depth or (1 if parts else 2)) == 1:
        return word_scene(thing)
    if depth == 3:
        graph = join_floating(expand(thing))
        return multibond_scene(unfold(graph, causality(graph)), thing.name, causal=causal)
    known = flange_domains(thing.sheet)
    return multibond_scene(expand(thing), thing.name, causal=causal, given=thing.sheet.layout, known=known)


def _require_depth(depth: Any, possible: tuple[int, ...]) -> None:
    if depth is not None and depth not in possible:
        words = " and ".join(str(d) for d in possible)
        raise ModelError(
            Finding(f"there is no drawing at depth {depth!r} of this.", f"Depths: {words}.", "Choose one of these.")
        )
