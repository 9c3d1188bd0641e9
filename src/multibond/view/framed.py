"""One self-contained HTML file: the frame that all pages share, around the controls and the script of one of them."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np

BODY = "<!-- body -->\n"
"""In the file of a page, what is above this line is style, what is below it the content."""

HIGH = 560
"""Height of a page within another one  [pixels]."""


class PageText(str):
    """The text of a page, which a notebook shows in a frame of its own."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return inline(self)


def inline(html: str, height: int = HIGH) -> str:
    """A page as a part of another one, such as a notebook: neither sees the other's names or styles."""
    style = f"width:100%;height:{height}px;border:1px solid #d9dde3"
    return f'<iframe srcdoc="{escape(html, quote=True)}" style="{style}" sandbox="allow-scripts"></iframe>'


def framed(name: str, title: str, data: Any, drawing: str = "") -> PageText:
    """The page NAME.html with the script NAME.js. No network, no libraries.

    data: numbers and words for the script; none may be infinite or no number.
    """
    style, body = _own(f"{name}.html").split(BODY)
    numbers = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    fill = {"TITLE": escape(title), "DRAWING": drawing, "SCRIPT": _own(f"{name}.js"), "DATA": numbers}
    text = _own("frame.html").replace("%STYLE%\n", style).replace("%BODY%\n", body)
    return PageText(re.sub("%(TITLE|DRAWING|SCRIPT|DATA)%", lambda hit: fill[hit[1]], text))


def short(values: np.ndarray, digits: int = 6) -> list[float | int | None]:
    """Numbers with some digits, flat; whole ones without a point, and null for what is no number."""
    return [_number(float(f"{v:.{digits}g}")) for v in np.asarray(values, float).ravel()]


def _number(value: float) -> float | int | None:
    if not isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 1e9 else value


def _own(name: str) -> str:
    return files("multibond.view").joinpath(name).read_text(encoding="utf-8")
