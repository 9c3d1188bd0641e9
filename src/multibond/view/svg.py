"""Scene → SVG text: one standalone file, dark on white, for browsers and vector editors."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from multibond.view.geometry import Box, Point, bond_shape
from multibond.view.groups import LABEL_SIZE
from multibond.view.scene import (
    CODE_SIZE,
    NAME_SIZE,
    Arrow,
    BondLine,
    GroupBox,
    Node,
    Scene,
    Wire,
    title_box,
)

INK, FAINT, SOFT = "#1a1a1a", "#8a8a8a", "#5c5c5c"
COLOURS = {
    "rotation": "#0072b2",
    "translation": "#008060",
    "electrical": "#9c4a86",
    "thermal": "#b34700",
    "hydraulic": "#3f6fb5",
    "acoustic": "#2e8fa3",
    "chemical": "#7a7a00",
}  # told apart by the colour-blind too
DERIVATIVE, CONFLICT = "#e67300", "#d00000"
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MARGIN = 24.0


def to_svg(scene: Scene) -> str:
    """Write a scene as SVG."""
    hull = scene.hull
    legend, wide, high = _legend(scene, hull.left, hull.bottom + 34.0)
    width = max(hull.width, wide) + 2 * MARGIN
    height = hull.height + high + 2 * MARGIN + 12.0
    view = f"{_n(hull.left - MARGIN)} {_n(hull.top - MARGIN)} {_n(width)} {_n(height)}"
    body = [
        *map(_group, scene.groups), *map(_arrow, scene.arrows), *map(_wire, scene.wires), *map(_bond, scene.bonds),
        *map(_node, scene.nodes), *map(_number, scene.bonds), *map(_group_title, scene.groups), *legend,
    ]  # fmt: skip
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{_n(width)}" height="{_n(height)}" '
        f'font-family="{FONT}" fill="none" stroke-linecap="round" stroke-linejoin="round">'
    )
    paper = _rect(Box(hull.left - MARGIN + width / 2, hull.top - MARGIN + height / 2, width, height), 'fill="#ffffff"')
    marker = (
        '<defs><marker id="signal" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0.5,1 L7,4 L0.5,7" stroke="{FAINT}" stroke-width="1.2"/></marker></defs>'
    )
    lines = [head, f"<title>{escape(scene.title)}</title>", marker, paper, *(line for line in body if line), "</svg>"]
    return "\n".join(lines) + "\n"


def _n(value: float) -> str:
    """A coordinate with two digits, without trailing zeros, and never minus zero."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _d(points: tuple[Point, ...]) -> str:
    return "M" + " L".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _rect(box: Box, style: str, radius: float = 0.0) -> str:
    corner = f' rx="{_n(radius)}"' if radius else ""
    place = f'x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}"'
    return f"<rect {place}{corner} {style}/>"


def _text(
    x: float, y: float, size: float, text: str, *, anchor: str = "middle", colour: str = INK, more: str = ""
) -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}"{more}>{escape(text)}</text>'


def _node(node: Node) -> str:
    draw: Callable[[Node], str] = {"part": _part, "dot": _dot}.get(node.look, _element)
    return f'<g class="node {node.look}" data-path="{escape(node.path)}">{draw(node)}</g>'


def _element(node: Node) -> str:
    colour = CONFLICT if node.warning == "conflict" else FAINT if node.look == "signal" else INK
    if node.stacked:
        bold = f' font-weight="bold" font-style="{"italic" if node.look == "signal" else "normal"}"'
        code = _text(node.box.x, node.box.y + 1.5, CODE_SIZE, node.code, colour=colour, more=bold)
        return code + _text(node.box.x, node.box.y + 12.5, LABEL_SIZE, node.name, colour=SOFT)
    label = (
        f'<tspan font-size="{_n(NAME_SIZE)}" font-weight="normal" fill="{SOFT}"> : {escape(node.name)}</tspan>'
        if node.name
        else ""
    )
    style = "italic" if node.look == "signal" else "normal"
    place = (
        f'x="{_n(node.box.x)}" y="{_n(node.box.y + 0.35 * CODE_SIZE)}" font-size="{_n(CODE_SIZE)}" text-anchor="middle"'
    )
    face = f'font-weight="bold" font-style="{style}" fill="{colour}" xml:space="preserve"'
    return f"<text {place} {face}>{escape(node.code)}{label}</text>"


def _part(node: Node) -> str:
    frame = _rect(node.box, f'fill="#f7f8fa" stroke="{INK}" stroke-width="1.4"', 5.0)
    title = _text(node.box.x, node.box.y - 3.0, CODE_SIZE, node.code, more=' font-weight="bold"')
    return frame + title + _text(node.box.x, node.box.y + 15.0, NAME_SIZE + 1.5, node.name, colour=SOFT)


def _dot(node: Node) -> str:
    return f'<circle cx="{_n(node.box.x)}" cy="{_n(node.box.y)}" r="{_n(node.box.width / 2)}" fill="{INK}"/>'


def _bond(bond: BondLine) -> str:
    colour = COLOURS.get(bond.domain, INK)
    parts = [f'<path d="{_d(line)}"/>' for line in bond.shape.lines]
    parts.append(f'<path d="{_d(bond.shape.barb)}"/>')
    for stroke in bond.shape.strokes:
        late = set(stroke.components) & set(bond.late)
        ink = f'stroke="{DERIVATIVE if late else INK}" stroke-width="{2.8 if late else 2.2}" stroke-linecap="butt"'
        parts.append(f'<path class="stroke" d="{_d(stroke.bar)}" {ink}/>')
    hint = f"<title>{escape(bond.says)}</title>" if bond.says else ""
    ink = f'stroke="{colour}" stroke-width="1.3"'
    return f'<g class="bond" data-name="{escape(bond.name)}" {ink}>{hint}{"".join(parts)}</g>'


def _number(bond: BondLine) -> str:
    """The number of components, on a white ground."""
    if bond.label is None:
        return ""
    box = bond.label
    text = _text(box.x, box.y + 0.36 * LABEL_SIZE, LABEL_SIZE, str(bond.size), colour=COLOURS.get(bond.domain, INK))
    return _rect(box, 'fill="#ffffff"') + text


def _wire(wire: Wire) -> str:
    hint = f"<title>{escape(wire.says)}</title>"
    if wire.kind == "signal":
        style = f'stroke="{FAINT}" stroke-width="1.2" stroke-dasharray="4 3" marker-end="url(#signal)"'
        return f'<path d="{_d(wire.points)}" {style}>{hint}</path>'
    if wire.kind == "power":
        return f'<path d="{_d(wire.points)}" stroke="{INK}" stroke-width="1.4">{hint}</path>'
    outer = f'<path d="{_d(wire.points)}" stroke="{INK}" stroke-width="5.4" stroke-linecap="butt">{hint}</path>'
    return outer + f'<path d="{_d(wire.points)}" stroke="#ffffff" stroke-width="2.6" stroke-linecap="butt"/>'


def _arrow(arrow: Arrow) -> str:
    (ax, ay), (bx, by), (cx, cy) = arrow.points
    d = f"M{_n(ax)},{_n(ay)} Q{_n(bx)},{_n(by)} {_n(cx)},{_n(cy)}"
    style = f'stroke="{FAINT}" stroke-width="0.9" stroke-dasharray="4 3" opacity="0.75" marker-end="url(#signal)"'
    return f'<path class="signal" d="{d}" {style}><title>{escape(arrow.says)}</title></path>'


def _group(group: GroupBox) -> str:
    fill = "#f3f5f9" if group.frame else "#fcfcfd"
    style = f'fill="{fill}" stroke="#9aa3b2" stroke-width="1" stroke-dasharray="5 4"'
    return f'<g class="group" data-path="{escape(group.name)}">{_rect(group.box, style, 8.0)}</g>'


def _group_title(group: GroupBox) -> str:
    box = title_box(group)
    halo = ' stroke="#ffffff" stroke-width="3.5" stroke-opacity="0.85"'
    texts = (("#ffffff", halo), ("#5b6472", ""))
    y = box.y + 0.36 * LABEL_SIZE
    return "".join(_text(box.left, y, LABEL_SIZE, group.title, anchor="start", colour=c, more=m) for c, m in texts)


def _legend(scene: Scene, x: float, y: float) -> tuple[list[str], float, float]:
    """What the colours and marks mean, only those that occur; returns the lines, the width and the height."""
    entries = _legend_entries(scene)
    lines, at = [], x
    for sample, words in entries:
        text = _text(48.0, 4.0, 11.0, words, anchor="start", colour=SOFT)
        lines.append(f'<g class="legend" transform="translate({_n(at)},{_n(y)})">{sample}{text}</g>')
        at += 48.0 + 6.2 * len(words) + 26.0
    if scene.remark:
        lines.append(_text(x, y + (26.0 if entries else 0.0), 12.0, scene.remark, anchor="start", colour=CONFLICT))
    height = (26.0 if entries else 0.0) + (26.0 if scene.remark else 0.0)
    return lines, max(at - x, 6.4 * len(scene.remark)), height


def _legend_entries(scene: Scene) -> list[tuple[str, str]]:
    def sample(domain: str = "any", size: int = 1, flow_from: tuple[int, ...] = (), late: tuple[int, ...] = ()) -> str:
        return _bond(BondLine("", bond_shape(((4.0, 0.0), (40.0, 0.0)), size, flow_from), size, domain, late))

    entries = [
        (sample(domain, max(b.size for b in scene.bonds if b.domain == domain)), domain)
        for domain in COLOURS
        if any(b.domain == domain for b in scene.bonds)
    ]
    if any(b.shape.strokes for b in scene.bonds):
        entries.append((sample(flow_from=(2,)), "flow given at the stroke's end"))
    if any(b.late for b in scene.bonds):
        entries.append((sample(flow_from=(1,), late=(0,)), "derivative causality"))
    if scene.arrows:
        entries.append((_arrow(Arrow(((4.0, 0.0), (22.0, -6.0), (40.0, 0.0)))), "signal"))
    if any(w.kind == "frame" for w in scene.wires):
        entries.append((_wire(Wire(((4.0, 0.0), (40.0, 0.0)), "frame")), "frame"))
    if any(w.kind == "power" for w in scene.wires):
        entries.append((_wire(Wire(((4.0, 0.0), (40.0, 0.0)), "power")), "flange or pin"))
    if any(w.kind == "signal" for w in scene.wires):
        entries.append((_wire(Wire(((4.0, 0.0), (40.0, 0.0)), "signal")), "signal"))
    return entries
