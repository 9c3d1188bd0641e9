"""Drawing → SVG text: one standalone file, dark on white, for browsers and vector editors."""

from __future__ import annotations

from html import escape

from multibond.view.drawn import SvgText
from multibond.view.geometry import Box, Point
from multibond.view.marks import Area, Cluster, Curve, Disc, Drawing, Ink, Line, Mark, Run, Words

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


def to_svg(drawing: Drawing) -> SvgText:
    """Write a drawing as SVG."""
    paper = drawing.paper
    width, height = _n(drawing.scale * paper.width), _n(drawing.scale * paper.height)
    view = f"{_n(paper.left)} {_n(paper.top)} {_n(paper.width)} {_n(paper.height)}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" '
        f'height="{height}" font-family="{FONT}" fill="none" stroke-linecap="round" stroke-linejoin="round">'
    )
    ground = _mark(Area(paper, "#ffffff"))
    heads = [_arrow_head(colour) for colour in sorted({ink.colour for ink in _inks(drawing.marks) if ink.arrow})]
    defs = [f"<defs>{''.join(heads)}</defs>"] if heads else []
    lines = [head, f"<title>{escape(drawing.title)}</title>", *defs, ground, *map(_mark, drawing.marks), "</svg>"]
    return SvgText("\n".join(lines) + "\n")


def _inks(marks: tuple[Mark, ...]) -> list[Ink]:
    found: list[Ink] = []
    for mark in marks:
        if isinstance(mark, Cluster):
            found += _inks(mark.marks)
        elif isinstance(mark, Line | Curve):
            found.append(mark.ink)
    return found


def _arrow_head(colour: str) -> str:
    return (
        f'<marker id="head-{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0.5,1 L7,4 L0.5,7" stroke="{colour}" '
        f'stroke-width="1.2"/></marker>'
    )


def _n(value: float) -> str:
    """A coordinate with two digits, without trailing zeros, and never minus zero."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _p(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _mark(mark: Mark) -> str:
    if isinstance(mark, Cluster):
        hint = f"<title>{escape(mark.says)}</title>" if mark.says else ""
        inside = "".join(map(_mark, mark.marks))
        return f'<g class="{mark.kind}" data-name="{escape(mark.name)}">{hint}{inside}</g>'
    if isinstance(mark, Words):
        return _words(mark)
    if isinstance(mark, Area):
        return _area(mark.box, mark)
    if isinstance(mark, Disc):
        place = f'cx="{_n(mark.centre[0])}" cy="{_n(mark.centre[1])}" r="{_n(mark.radius)}"'
        return f"<circle {place}{_fill(mark.fill)}{_ink(mark.ink)}/>"
    points = list(map(_p, mark.points))
    way = "M" + " L".join(points) if isinstance(mark, Line) else f"M{points[0]} Q{points[1]} {points[2]}"
    kind = f' class="{mark.kind}"' if mark.kind else ""
    return f'<path{kind} d="{way}"{_ink(mark.ink)}/>'


def _area(box: Box, mark: Area) -> str:
    corner = f' rx="{_n(mark.radius)}"' if mark.radius else ""
    place = f'x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}"'
    return f"<rect {place}{corner}{_fill(mark.fill)}{_ink(mark.ink)}/>"


def _fill(colour: str) -> str:
    return f' fill="{colour}"' if colour else ""


def _ink(ink: Ink | None) -> str:
    if ink is None:
        return ""
    text = f' stroke="{ink.colour}" stroke-width="{_n(ink.width)}"'
    text += f' stroke-dasharray="{_n(ink.dash[0])} {_n(ink.dash[1])}"' if ink.dash else ""
    text += ' stroke-linecap="butt"' if ink.flat else ""
    text += f' opacity="{_n(ink.opacity)}"' if ink.opacity < 1.0 else ""
    return text + (f' marker-end="url(#head-{ink.colour[1:]})"' if ink.arrow else "")


def _words(mark: Words) -> str:
    halo = ' stroke="#ffffff" stroke-width="3" stroke-opacity="0.8" paint-order="stroke"' if mark.halo else ""
    place = f'x="{_n(mark.at[0])}" y="{_n(mark.at[1])}" text-anchor="{mark.anchor}"'
    if len(mark.runs) == 1:
        run = mark.runs[0]
        return f"<text {place}{_face(run)}{halo}>{escape(run.text)}</text>"
    inside = "".join(f"<tspan{_face(run)}>{escape(run.text)}</tspan>" for run in mark.runs)
    return f'<text {place}{halo} xml:space="preserve">{inside}</text>'


def _face(run: Run) -> str:
    face = (' font-weight="bold"' if run.bold else "") + (' font-style="italic"' if run.italic else "")
    return f' font-size="{_n(run.size)}" fill="{run.colour}"{face}'
