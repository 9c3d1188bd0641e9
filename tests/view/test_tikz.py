"""TikZ: a whole LaTeX file, balanced, with the very coordinates of the SVG."""

from __future__ import annotations

import re

import pytest

from multibond.catalogue import CATALOGUE
from multibond.examples import EXAMPLES
from multibond.view.draw import draw, drawing_of
from multibond.view.marks import Area, Curve, Disc, Line, Words
from multibond.view.tex import escaped

from .paper import everything

CASES = [
    ("rlc", "causal"),
    ("pendulum", "multibond"),
    ("slider_crank", "word"),
    ("rate_gyro", "causal"),
    ("disc", "block"),
]
over_all = pytest.mark.parametrize(("name", "kind"), CASES)
NUMBER = r"-?\d+(?:\.\d+)?"


def tikz(name: str, kind: str) -> str:
    return draw(EXAMPLES[name](), kind=kind, format="tikz")


@over_all
def test_the_file_is_complete_and_balanced(name: str, kind: str) -> None:
    text = tikz(name, kind)
    assert re.search(r"^\\documentclass\[tikz,border=4pt\]\{standalone\}$", text, re.M)
    begins, ends = re.findall(r"\\begin\{(\w+)\}", text), re.findall(r"\\end\{(\w+)\}", text)
    assert begins == ["document", "tikzpicture"] and ends == ["tikzpicture", "document"]
    depth = 0
    for line in text.splitlines():
        bare = re.sub(r"\\[{}]", "", line)
        depth += bare.count("{") - bare.count("}")
        assert depth == 0, line
    assert "nan" not in text and "inf" not in text


@over_all
def test_every_command_ends_and_every_colour_is_known(name: str, kind: str) -> None:
    text = tikz(name, kind)
    body = text.split(r"\begin{tikzpicture}")[1].split(r"\end{tikzpicture}")[0].splitlines()[1:]
    for line in body:
        assert not line or line.startswith("%") or re.match(r"\\(draw|fill|filldraw|node|useasboundingbox)\b.*;$", line)
    defined = set(re.findall(r"\\definecolor\{(\w+)\}", text))
    used = set(re.findall(r"(?:draw|fill)=(c[0-9a-f]{6})|\\color\{(c[0-9a-f]{6})\}", text))
    assert {colour for pair in used for colour in pair if colour} <= defined


@over_all
def test_lines_and_texts_stand_where_the_svg_has_them(name: str, kind: str) -> None:
    marks = list(everything(drawing_of(EXAMPLES[name](), kind=kind).marks))
    text, svg = tikz(name, kind), draw(EXAMPLES[name](), kind=kind)
    lines = re.findall(rf"\\draw\[[^\n]*?\] (\({NUMBER},{NUMBER}\)(?: -- \({NUMBER},{NUMBER}\))+);", text)
    assert len(lines) == sum(isinstance(m, Line) for m in marks)
    for line in lines:
        points = re.findall(rf"\(({NUMBER}),({NUMBER})\)", line)
        assert 'd="M' + " L".join(f"{x},{y}" for x, y in points) + '"' in svg
    nodes = re.findall(rf"\\node\[anchor=(base(?: west| east)?)\] at \(({NUMBER}),({NUMBER})\)", text)
    anchors = {"base": "middle", "base west": "start", "base east": "end"}
    assert len(nodes) == sum(isinstance(m, Words) for m in marks)
    for anchor, x, y in nodes:
        assert f'x="{x}" y="{y}" text-anchor="{anchors[anchor]}"' in svg
    boxes = len(re.findall(r" rectangle \(", text)) - 1
    assert boxes == sum(isinstance(m, Area) for m in marks)
    assert text.count(" circle[") == sum(isinstance(m, Disc) for m in marks)
    assert text.count(" .. controls ") == sum(isinstance(m, Curve) for m in marks)


def test_special_characters() -> None:
    assert escaped("a_b{c}#&%$") == r"a\_b\{c\}\#\&\%\$"
    assert escaped("B⁻¹ᵀ λ½Ṡé") == r"B$^{-}$$^{1}$$^{T}$ $\lambda$1/2$\dot{S}$\'{e}"
    letters = {c for kind in CATALOGUE.values() for c in (kind.__doc__ or "").strip().splitlines()[0]}
    assert {c for c in letters if not escaped(c).isascii() or escaped(c) == "?" != c} == set()


def test_elements_are_named_in_comments() -> None:
    text = tikz("rlc", "causal")
    assert "% node power: coil\n" in text and "% bond: current->coil\n" in text
