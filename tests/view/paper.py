"""Looks at a finished drawing without knowing how it was made: the texts on it by the font's own metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import matplotlib

from multibond.view.geometry import Box
from multibond.view.marks import Cluster, Curve, Line, Mark, Run, Words

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "pdfcorefonts"
OTHERS = 0.8  # Greek letters and signs, which the metrics do not list


@cache
def metrics(bold: bool) -> dict[str, float]:
    """Advance widths of Helvetica per unit of size, from Adobe's own table."""
    text = (FONTS / ("Helvetica-Bold.afm" if bold else "Helvetica.afm")).read_text(encoding="latin-1")
    pairs = re.findall(r"^C (\d+) ; WX (\d+)", text, re.M)
    return {chr(int(code)): int(width) / 1000 for code, width in pairs}


def width(run: Run) -> float:
    """How wide a piece of text is."""
    return run.size * sum(metrics(run.bold).get(c, OTHERS) for c in run.text)


def text_box(words: Words) -> Box:
    """The box of a text: capital height above the base line, descenders below."""
    wide, size = sum(map(width, words.runs)), max(run.size for run in words.runs)
    left = words.at[0] - {"start": 0.0, "middle": wide / 2, "end": wide}[words.anchor]
    deep = 0.21 * size if any(c in "gjpqy_" for run in words.runs for c in run.text) else 0.0
    return Box(left + wide / 2, words.at[1] + (deep - 0.72 * size) / 2, wide, 0.72 * size + deep)


def everything(marks: Iterable[Mark]) -> Iterator[Mark]:
    """All marks, those inside clusters too."""
    for mark in marks:
        if isinstance(mark, Cluster):
            yield from everything(mark.marks)
        else:
            yield mark


def texts(marks: Iterable[Mark]) -> list[tuple[str, Box]]:
    """Every text with its box."""
    words = [mark for mark in everything(marks) if isinstance(mark, Words)]
    return [("".join(run.text for run in mark.runs), text_box(mark)) for mark in words]


def strokes(marks: Iterable[Mark]) -> list[Line]:
    """All causal strokes."""
    return [mark for mark in everything(marks) if isinstance(mark, Line) and mark.kind == "stroke"]


def signals(marks: Iterable[Mark]) -> list[list[tuple[float, float]]]:
    """The lines that signals are drawn with, curves in short pieces."""
    found = []
    clusters = [mark for mark in marks if isinstance(mark, Cluster) and mark.kind == "signal"]
    for mark in everything(clusters):
        if isinstance(mark, Line):
            found.append(list(mark.points))
        elif isinstance(mark, Curve):
            (a, b), (c, d), (e, f) = mark.points
            steps = [k / 100 for k in range(101)]
            found.append(
                [
                    (
                        (1 - t) ** 2 * a + 2 * t * (1 - t) * c + t * t * e,
                        (1 - t) ** 2 * b + 2 * t * (1 - t) * d + t * t * f,
                    )
                    for t in steps
                ]
            )
    return found


def clashes(boxes: list[tuple[str, Box]]) -> list[tuple[str, str]]:
    """Pairs that stand on one another; from left to right, so that large drawings are looked at quickly."""
    found, open_ = [], []
    for name, box in sorted(boxes, key=lambda pair: pair[1].left):
        open_ = [(n, b) for n, b in open_ if b.right > box.left]
        found += [(n, name) for n, b in open_ if b.overlaps(box)]
        open_.append((name, box))
    return found
