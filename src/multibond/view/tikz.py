r"""Drawing → TikZ: a complete LaTeX file for `pdflatex`, from the same marks and the same coordinates.

One unit of the drawing is one point; y points down, as in SVG. To put a drawing into a text of your own, take the
`tikzpicture` with the colours before it, or include the finished page with `\includegraphics`.
"""

from __future__ import annotations

from collections.abc import Iterable

from multibond.view.drawn import TikzText
from multibond.view.geometry import Point
from multibond.view.marks import Area, Cluster, Curve, Disc, Drawing, Ink, Line, Mark, Run, Words
from multibond.view.tex import escaped

_HEAD = r"""\documentclass[tikz,border=4pt]{standalone}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[scaled=1.0]{helvet}
\renewcommand{\familydefault}{\sfdefault}
\usetikzlibrary{arrows.meta}"""


_NODES = "every node/.style={inner sep=0pt}"


def to_tikz(drawing: Drawing) -> TikzText:
    """Write a drawing as a LaTeX file of its own."""
    colours = sorted(set(_colours(drawing.marks)))
    named = [rf"\definecolor{{{_colour(c)}}}{{HTML}}{{{c[1:].upper()}}}" for c in colours]
    paper = drawing.paper
    size = f"({_n(paper.left)},{_n(paper.top)}) rectangle ({_n(paper.right)},{_n(paper.bottom)})"
    scale = "" if drawing.scale == 1.0 else f"scale={drawing.scale:.4f}, transform shape, "
    lines = [
        f"% {_comment(drawing.title)}",
        _HEAD,
        *named,
        r"\begin{document}",
        rf"\begin{{tikzpicture}}[x=1pt, y=-1pt, {scale}line cap=round, line join=round, {_NODES}]",
        rf"\useasboundingbox {size};",
        *(line for mark in drawing.marks for line in _mark(mark)),
        r"\end{tikzpicture}",
        r"\end{document}",
        "",
    ]
    return TikzText("\n".join(lines))


def _colours(marks: Iterable[Mark]) -> Iterable[str]:
    for mark in marks:
        if isinstance(mark, Cluster):
            yield from _colours(mark.marks)
        elif isinstance(mark, Words):
            yield from (run.colour for run in mark.runs)
            yield "#ffffff"
        elif isinstance(mark, Line | Curve):
            yield mark.ink.colour
        else:
            yield from [c for c in (mark.fill, mark.ink.colour if mark.ink else "") if c]


def _colour(code: str) -> str:
    return f"c{code[1:].lower()}"


def _n(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _p(point: Point) -> str:
    return f"({_n(point[0])},{_n(point[1])})"


def _mark(mark: Mark) -> list[str]:
    if isinstance(mark, Cluster):
        return [f"% {mark.kind}: {_comment(mark.name)}", *(line for inner in mark.marks for line in _mark(inner))]
    if isinstance(mark, Words):
        return _words(mark)
    if isinstance(mark, Line):
        return [rf"\draw[{_ink(mark.ink)}] {' -- '.join(map(_p, mark.points))};"]
    if isinstance(mark, Curve):
        a, b, c = mark.points
        return [
            rf"\draw[{_ink(mark.ink)}] {_p(a)} .. controls {_p(_towards(a, b))} and {_p(_towards(c, b))} .. {_p(c)};"
        ]
    options = ", ".join([*_filled(mark.fill), *([_ink(mark.ink)] if mark.ink else [])])
    command = _command(mark)
    if isinstance(mark, Disc):
        return [rf"\{command}[{options}] {_p(mark.centre)} circle[radius={_n(mark.radius)}pt];"]
    corners = f", rounded corners={_n(mark.radius)}pt" if mark.radius else ""
    box = mark.box
    return [rf"\{command}[{options}{corners}] {_p((box.left, box.top))} rectangle {_p((box.right, box.bottom))};"]


def _command(mark: Area | Disc) -> str:
    return ("filldraw" if mark.fill else "draw") if mark.ink else "fill"


def _filled(fill: str) -> list[str]:
    return [f"fill={_colour(fill)}"] if fill else []


def _towards(end: Point, control: Point) -> Point:
    """The control points of the cubic curve that is the quadratic one."""
    return end[0] + 2 / 3 * (control[0] - end[0]), end[1] + 2 / 3 * (control[1] - end[1])


def _ink(ink: Ink) -> str:
    words = [f"draw={_colour(ink.colour)}", f"line width={_n(ink.width)}pt"]
    words += [f"dash pattern=on {_n(ink.dash[0])}pt off {_n(ink.dash[1])}pt"] if ink.dash else []
    words += ["line cap=butt"] if ink.flat else []
    words += [f"opacity={_n(ink.opacity)}"] if ink.opacity < 1.0 else []
    return ", ".join([*words, "-{Straight Barb[length=4pt, width=5pt]}"] if ink.arrow else words)


def _words(mark: Words) -> list[str]:
    anchor = {"start": "base west", "middle": "base", "end": "base east"}[mark.anchor]
    text = "".join(_run(run) for run in mark.runs)
    return [rf"\node[anchor={anchor}] at {_p(mark.at)} {{{text}}};"]


def _run(run: Run) -> str:
    face = (r"\bfseries" if run.bold else "") + (r"\itshape" if run.italic else "")
    size = rf"\fontsize{{{_n(run.size)}pt}}{{{_n(1.2 * run.size)}pt}}\selectfont"
    return rf"{{{size}{face}\color{{{_colour(run.colour)}}}{escaped(run.text)}}}"


def _comment(text: str) -> str:
    return " ".join(text.split())
