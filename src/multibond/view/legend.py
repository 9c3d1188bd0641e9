"""Scene → drawing: everything in its place from back to front, and the legend of what occurs below it."""

from __future__ import annotations

from collections.abc import Sequence

from multibond.view import ink
from multibond.view.geometry import HEAD, TAIL, Box, bond_shape, text_width
from multibond.view.marks import Area, Cluster, Drawing, Mark, moved, words
from multibond.view.palette import COLOURS, CONFLICT, HIGHLIGHT, INK, SOFT
from multibond.view.scene import Arrow, BondLine, Letter, Scene, Wire

MARGIN, SAMPLE, TEXT, LINE = 24.0, 48.0, 11.0, 26.0
NARROWEST = 700.0
ACROSS = ((4.0, 0.0), (40.0, 0.0))


Entry = tuple[list[Mark], str]
"""Samples around the origin, and what they mean."""


def inked(scene: Scene, entries: Sequence[Entry] = (), *, width: float | None = None) -> Drawing:
    """The drawing of a scene, with its legend; entries: what else the legend tells; width: in which that is wrapped."""
    hull = scene.hull
    least = NARROWEST if width is None else min(NARROWEST, width - 2 * MARGIN)
    below, wide, high = _legend(scene, hull, max(hull.width, least), entries, wrapped=width is not None)
    width, height = max(hull.width, wide) + 2 * MARGIN, hull.height + high + 2 * MARGIN + 12.0
    paper = Box(hull.left - MARGIN + width / 2, hull.top - MARGIN + height / 2, width, height)
    marks = [
        *map(ink.group, scene.groups), *(m for b in scene.bonds for m in ink.lit_bond(b)),
        *map(ink.lit_node, scene.nodes), *map(ink.arrow, scene.arrows), *map(ink.wire, scene.wires),
        *map(ink.bond, scene.bonds), *map(ink.node, scene.nodes), *(m for b in scene.bonds for m in ink.labels(b)),
        *map(ink.group_title, scene.groups), *below,
    ]  # fmt: skip
    return Drawing(scene.title, paper, tuple(m for m in marks if m is not None))


def _legend(
    scene: Scene, hull: Box, most: float, more: Sequence[Entry], *, wrapped: bool = False
) -> tuple[list[Mark], float, float]:
    """The legend's marks, its width and its height; a new line where it gets too long. wrapped: sentences too."""
    marks: list[Mark] = []
    x, y, wide = 0.0, 34.0, 0.0
    for samples, text in (*_entries(scene), *more):
        step = SAMPLE + text_width(text, TEXT) + 22.0
        if x and x + step > most:
            x, y = 0.0, y + LINE
        at = hull.left + x, hull.bottom + y
        sample = tuple(moved(m, *at) for m in samples)
        label = words(at[0] + SAMPLE, at[1] + 4.0, TEXT, text, SOFT, anchor="start")
        marks.append(Cluster("legend", text, (*sample, label)))
        x += step
        wide = max(wide, x)
    rows = (y - 34.0) / LINE + 1 if marks else 0
    for text, colour in ((scene.remark, CONFLICT), (scene.note, INK)):
        for line in _lines(text, most) if wrapped else [text] if text else []:
            at = hull.left, hull.bottom + 34.0 + rows * LINE
            marks.append(words(*at, TEXT + 1.0, line, colour, anchor="start"))
            wide = max(wide, text_width(line, TEXT + 1.0))
            rows += 1
    return marks, wide, rows * LINE


def _lines(text: str, most: float) -> list[str]:
    """A sentence in lines that are no wider than some width, as far as its words allow."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", TEXT + 1.0) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _entries(scene: Scene) -> list[Entry]:
    """What occurs in a scene."""
    bonds = scene.bonds
    entries = [
        (_bond(domain, max(b.size for b in bonds if b.domain == domain)), domain)
        for domain in COLOURS
        if any(b.domain == domain for b in bonds)
    ]
    if any(len({s.end for s in b.shape.strokes}) == 1 for b in bonds):
        entries.append((_bond(flow_from=(HEAD,)), "flow given at the stroke's end"))
    if any(len(s.components) < b.size for b in bonds for s in b.shape.strokes):
        mixed = "a tick for each component, the first on the barb's side"
        entries.append((_bond(size=3, flow_from=(TAIL, TAIL, HEAD)), mixed))
    if any(b.late for b in bonds):
        entries.append((_bond(flow_from=(TAIL,), late=(0,)), "derivative causality"))
    if any(b.wrong for b in bonds) or any(n.warning == "conflict" for n in scene.nodes):
        entries.append((_bond(flow_from=(TAIL | HEAD,), wrong=(0,)), "conflict"))
    if any(b.lit for b in bonds) or any(n.lit for n in scene.nodes):
        entries.append(([Area(Box(22.0, 0.0, 36.0, 12.0), HIGHLIGHT, None, 4.0)], "highlighted"))
    if any(b.letters for b in bonds):
        entries.append((_bond(letters=("e", "f")), "effort on the barb's side, flow on the other"))
    if any(stroke.half for b in bonds for stroke in b.shape.strokes):
        told = "bicausal: the barb's half where effort is received, the other where flow is given"
        entries.append((_bond(flow_from=(TAIL,), bicausal=(0,)), told))
    if scene.arrows:
        entries.append(([ink.arrow(Arrow(((4.0, 0.0), (22.0, -6.0), (40.0, 0.0))))], "signal"))
    for kind, text in (("frame", "frame"), ("power", "flange or pin"), ("signal", "signal")):
        if any(w.kind == kind for w in scene.wires):
            entries.append(([ink.wire(Wire(ACROSS, kind))], text))
    return entries


def _bond(
    domain: str = "any",
    size: int = 1,
    flow_from: tuple[int, ...] = (),
    late: tuple[int, ...] = (),
    wrong: tuple[int, ...] = (),
    letters: tuple[str, ...] = (),
    bicausal: tuple[int, ...] = (),
) -> list[Mark]:
    sizes = [Letter(text, Box(22.0, y, 8.0, 8.0)) for text, y in zip(letters, (-8.0, 9.0), strict=False)]
    shape = bond_shape(ACROSS, size, flow_from, bicausal)
    line = BondLine("", shape, size, domain, late, wrong=wrong, letters=tuple(sizes))
    return [ink.bond(line), *ink.labels(line)]
