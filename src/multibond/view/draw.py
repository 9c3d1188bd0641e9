"""Draw models and graphs: as a word bond graph, with vector bonds, with scalar bonds, with causal strokes; SVG or TikZ.

>>> save(arm, "arm.svg")                    # word bond graph: the parts
>>> save(arm, "arm.svg", depth=2)           # multibond graph with causal strokes
>>> save(arm, "arm.tex", kind="scalar")     # scalar bond graph for LaTeX
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from multibond.elements import Constraint
from multibond.errors import Finding, ModelError, briefly
from multibond.graph.component import Part
from multibond.graph.domains import flange_domains, with_domains
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.rewrite.floating import join_floating
from multibond.rewrite.method import METHODS, Form, form_of, unfolded_form
from multibond.rewrite.sources import without_world
from multibond.view.folding import Fold, as_fold, folded, lit_folded
from multibond.view.highlight import Wanted, Way, lit
from multibond.view.legend import MARGIN, inked
from multibond.view.marks import Drawing
from multibond.view.multibonds import Seen, Style, multibond_scene, with_strokes
from multibond.view.scene import Scene
from multibond.view.step_drawing import scene_at
from multibond.view.svg import to_svg
from multibond.view.tikz import to_tikz
from multibond.view.words import kinds_of, word_scene

KINDS = ("word", "multibond", "scalar", "causal", "block")
FORMATS = {"svg": to_svg, "tikz": to_tikz}
ENDINGS = (".svg", ".tex", ".tikz")
NARROWEST = 100
"""The least width that can be asked for, in pixels."""
_DEPTHS = {"word": 1, "multibond": 2, "scalar": 3}
_LETTERS = {"zcp": "Sf 0", "multiplier": "MSe λ"}
"""How the constraint of a joint is written where a method is named."""


@dataclass(frozen=True)
class Asked:
    """What a drawing is to show, as `draw` is told."""

    kind: str | None = None
    depth: int | None = None
    causal: bool | None = None
    method: str | None = None
    highlight: Way | Iterable[Wanted] = ()
    variables: bool = False
    signals: bool = True
    step: int | None = None
    simple: bool = False
    fold: bool | tuple[str, ...] = False
    width: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "fold", as_fold(self.fold))
        object.__setattr__(self, "width", as_width(self.width))


def draw(
    thing: Model | Graph,
    *,
    kind: str | None = None,
    depth: int | None = None,
    causal: bool | None = None,
    method: str | None = None,
    highlight: Way | Iterable[Wanted] = (),
    variables: bool = False,
    signals: bool = True,
    step: int | None = None,
    simple: bool = False,
    fold: Fold = False,
    width: float | None = None,
    format: str = "svg",
) -> str:
    """The drawing of a model or graph as text: SVG, or a LaTeX file with TikZ.

    kind: "word" the parts as words, "multibond" the graph with vector bonds, "scalar" with scalar bonds, "causal" with
    strokes (at depth 2, or 3 where asked for), derivative causality orange and conflicts red, "block" the block diagram
    that the causal graph stands for (at depth 2, or 3). depth: 1, 2 or 3 for the first three, with strokes; without
    either, 1 for models made of parts and 2 for others. causal: strokes or not, whatever the kind.
    method: the graph as this method changes it: "zcp" (constraints as `Sf 0`), "rc", "multiplier", "minimal".
    highlight: elements, parts and bonds by name, a component of a bond ("hub->coil", 0), causal paths.
    variables: letters of effort (on the side of the half-arrow's barb) and flow. signals: without them only what
    carries power is drawn. step: of a causal drawing, the strokes up to this step, the newest highlighted and its
    reason below; the last step is the whole. simple: a graph with scalar bonds as one would draw it by hand: junctions
    that meet are merged, those that only lead through, transformers that do nothing and what stands still with the
    world left out. fold: groups drawn as one box each, at depth 2 or 3: a name or several, True for all but frames;
    what crosses their borders stays. width: of the drawing [px]: rows of parts are wrapped, and what is still wider
    is drawn smaller.

    >>> draw(arm, kind="causal", highlight=["hip"])
    >>> draw(robot, depth=2, fold=["motor", "gear"], width=1600)
    """
    asked = Asked(kind, depth, causal, method, highlight, variables, signals, step, simple, as_fold(fold), width)
    return written(_drawing(thing, asked), format)


def save(thing: Model | Graph, path: str | Path, **options: Any) -> Path:
    """Write a drawing to a file, as its ending says: .svg, .tex or .tikz; returns its path. Options as in `draw`."""
    target = Path(path)
    options.setdefault("format", format_of(target))
    target.write_text(draw(thing, **options), encoding="utf-8")
    return target


def format_of(path: str | Path | None) -> str:
    """The format that a file's ending stands for; SVG where nothing is said."""
    return "tikz" if path is not None and Path(path).suffix.lower() in (".tex", ".tikz") else "svg"


def drawing_of(thing: Model | Graph, **options: Any) -> Drawing:
    """The drawing as marks on paper; options as in `draw`."""
    return _drawing(thing, Asked(**options))


def scene_of(thing: Model | Graph, **options: Any) -> Scene:
    """The drawing as plain values: what stands where; options as in `draw`."""
    return _scene(thing, Asked(**options))


def _drawing(thing: Model | Graph, asked: Asked) -> Drawing:
    made = _blocks(thing, asked) if asked.kind == "block" else inked(_scene(thing, asked), width=asked.width)
    return made if asked.width is None else replace(made, widest=asked.width)


def _blocks(thing: Model | Graph, asked: Asked) -> Drawing:
    """The block diagram of a graph, by a method, at a depth."""
    from multibond.view.block_diagram import block_drawing

    _require_drawable(thing)
    _require(asked.depth, (2, 3), "depth", "Depths of block diagrams")
    _require(asked.method, METHODS, "method", "Methods")
    told = {"variables": asked.variables or None, "causal": asked.causal, "step": asked.step}
    told["fold"] = asked.fold or None
    wrong = [f"{name}={value}" for name, value in told.items() if value is not None]
    if wrong:
        fact = "Its wires are the efforts and flows of all strokes already; pointing at one tells its name."
        raise ModelError(Finding(f"a block diagram cannot be drawn with {wrong[0]}.", fact, "Leave that option out."))
    seen = seen_as(thing, asked.depth or 2, True, asked.method, simple=asked.simple)
    return block_drawing(seen, _name(thing), lit(seen.graph, asked.highlight), signals=asked.signals)


def _scene(thing: Model | Graph, asked: Asked) -> Scene:
    """What stands where."""
    _require_drawable(thing)
    _require(asked.kind, KINDS, "kind", "Kinds")
    _require(asked.depth, (1, 2, 3) if isinstance(thing, Model) else (2, 3), "depth", "Depths")
    _require(asked.method, METHODS, "method", "Methods")
    depth = _depth(thing, asked)
    room = asked.width and asked.width - 2 * MARGIN
    if depth == 1 and isinstance(thing, Model):
        if asked.fold:
            fact = "Its parts are one box each already, and what is inside them is not shown."
            raise ModelError(Finding("a drawing of the parts cannot be folded.", fact, "Choose depth 2 or 3."))
        return word_scene(thing, highlight=asked.highlight, signals=asked.signals, width=room)
    plain = asked.kind in ("multibond", "scalar")
    strokes = asked.step is not None or (not plain if asked.causal is None else asked.causal)
    seen = seen_as(thing, depth, strokes, asked.method, simple=asked.simple)
    seen = seen if asked.signals else seen.powered()
    sheet = thing.sheet if isinstance(thing, Model) else None
    known, given = flange_domains(sheet) if sheet else {}, sheet.layout if sheet and depth == 2 else {}
    style = Style(given, known, _letters(seen, asked.method), lit(seen.graph, asked.highlight), asked.variables, room)
    if asked.fold:
        plain = replace(seen, graph=with_domains(seen.graph, known))
        seen = folded(plain, asked.fold, kinds_of(sheet) if sheet else {})
        style = replace(style, lit=lit_folded(style.lit, seen))
    scene = multibond_scene(seen, _name(thing), style=style)
    if asked.step is None:
        return scene
    steps = seen.strokes.steps if seen.strokes else ()
    return scene_at(scene, tuple(replace(s, by=seen.held.get(s.by, s.by)) for s in steps), asked.step)


def _depth(thing: Model | Graph, asked: Asked) -> int:
    """At which depth a drawing is made; one with strokes step by step is a graph, and so is one that is folded."""
    told = _DEPTHS.get(asked.kind or "", asked.depth)
    graph = asked.kind or asked.method or asked.fold or not _has_parts(thing)
    depth = told or (2 if graph else 1)
    return max(depth, 2) if asked.step is not None else depth


def seen_as(thing: Model | Graph, depth: int, causal: bool, method: str | None, *, simple: bool = False) -> Seen:
    """The graph at a depth, by a method, with or without strokes; simple: the scalar graph simplified."""
    known = flange_domains(thing.sheet) if isinstance(thing, Model) else {}
    graph, cuts = with_domains(_as_graph(thing), known), frozenset()
    if method is not None:
        made = form_of(graph, method)
        graph, cuts = made.graph, made.cuts
    if depth == 2:
        return with_strokes(graph, causal, cuts)
    origin = with_domains(join_floating(graph), known)
    origin = without_world(origin) if simple else origin
    made = unfolded_form(Form(origin, origin, cuts), simple=simple)
    return replace(with_strokes(made.graph, causal, cuts), origin=origin)


def _letters(seen: Seen, method: str | None) -> dict[str, str]:
    """How constraints are written where a method is named; what finds no place as `Sf 0` is a multiplier."""
    if method not in _LETTERS:
        return {}
    found, strokes = {}, seen.strokes
    for path, _ in seen.graph.of_type(Constraint):
        bonds = seen.graph.bonds_of(path)
        imposes = strokes is None or any(strokes.gives_flow(b, path, k) for b in bonds for k in range(b.size))
        found[path] = _LETTERS[method if imposes else "multiplier"]
    return found


def written(drawing: Drawing, format: str) -> str:
    """A drawing as text, in a format by its name."""
    _require(format, tuple(FORMATS), "format", "Formats")
    return FORMATS[format](drawing)


def as_width(given: Any) -> float | None:
    """The width of a drawing, checked."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not NARROWEST <= given < math.inf:
        fact = f"A width is a number of pixels from {NARROWEST} on."
        raise ModelError(Finding(f"no drawing is {briefly(given)} wide.", fact, "Give another width, or none."))
    return float(given)


def _as_graph(thing: Model | Graph) -> Graph:
    return thing if isinstance(thing, Graph) else expand(thing)


def _has_parts(thing: Model | Graph) -> bool:
    return isinstance(thing, Model) and any(isinstance(c, Part) for c in thing.components)


def _name(thing: Model | Graph) -> str:
    return thing.name if isinstance(thing, Model) else "multibond graph"


def _require_drawable(thing: object) -> None:
    if not isinstance(thing, Model | Graph):
        raise ModelError(
            Finding(f"{thing!r} cannot be drawn.", "It is no model and no graph.", "Draw a Model or a Graph.")
        )


def _require(value: Any, possible: tuple[Any, ...], what: str, title: str) -> None:
    if value is not None and value not in possible:
        words = ", ".join(str(d) for d in possible)
        raise ModelError(
            Finding(f"there is no drawing of {what} {value!r}.", f"{title}: {words}.", "Choose one of these.")
        )
