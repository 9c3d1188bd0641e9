"""Strokes of a film's pictures, with Pillow: drawn twice as large and brought down, so that edges are smooth."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FINE = 2
PAPER = "#ffffff"


@cache
def font(size: float) -> Any:
    """The letters of the pictures: those that come with matplotlib."""
    return ImageFont.truetype(str(files("matplotlib") / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"), size * FINE)


def blended(colour: str, share: float) -> tuple[int, int, int]:
    """A colour thinned with white."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    r, g, b = (round(255 + share * (part - 255)) for part in parts)
    return r, g, b


def blank(size: tuple[int, int]) -> Image.Image:
    """Empty paper."""
    return Image.new("RGB", (size[0] * FINE, size[1] * FINE), PAPER)


def stroke(pen: ImageDraw.ImageDraw, points: np.ndarray, colour: Any, width: float) -> None:
    """A line through points, with round ends where it is thick."""
    at = [(float(x) * FINE, float(y) * FINE) for x, y in points]
    pen.line(at, fill=colour, width=max(round(width * FINE), 1), joint="curve" if len(at) > 2 else None)
    if width >= 3:
        r = 0.5 * width * FINE - 1.0
        for x, y in (at[0], at[-1]):
            pen.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def face(pen: ImageDraw.ImageDraw, points: np.ndarray, colour: Any, width: float) -> None:
    """A filled area with its edge."""
    at = [(float(x) * FINE, float(y) * FINE) for x, y in points]
    pen.polygon(at, fill=PAPER)
    pen.line([*at, at[0]], fill=colour, width=max(round(width * FINE), 1), joint="curve")


def facing(at: np.ndarray) -> float:
    """How squarely a panel looks at the eye: 1 from the front, 0 from its edge, negative from behind.

    at: its corners in turn: x, y (downwards)  [pixels], depth  [m], and pixels of a metre there.
    """
    points = np.column_stack([at[:, 0], -at[:, 1], at[:, 2] * at[:, 3].mean()])
    points -= points.mean(axis=0)
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    return float(normal[2]) / size if size else 0.0


def panel(pen: ImageDraw.ImageDraw, points: np.ndarray, colour: str, width: float, light: float) -> None:
    """A panel of a solid, the lighter the more squarely it looks at the eye; round ones have no edges."""
    at = [(float(x) * FINE, float(y) * FINE) for x, y in points]
    pen.polygon(at, fill=blended(colour, 1.0 - 0.55 * light))
    if width:
        pen.line([*at, at[0]], fill="#1a1a1a", width=max(round(width * FINE), 1), joint="curve")


def ball(pen: ImageDraw.ImageDraw, at: np.ndarray, radius: float, colour: str) -> None:
    """A ball with a light on it."""
    x, y, r = float(at[0]) * FINE, float(at[1]) * FINE, max(radius, 3.0) * FINE
    pen.ellipse((x - r, y - r, x + r, y + r), fill=colour, outline="#1a1a1a", width=FINE)
    for size, share in ((0.5, 0.7), (0.34, 0.45), (0.18, 0.15)):
        cx, cy, s = x - 0.3 * r, y - 0.34 * r, size * r
        pen.ellipse((cx - s, cy - s, cx + s, cy + s), fill=blended(colour, share))


def word(pen: ImageDraw.ImageDraw, at: Any, text: str, colour: Any, size: float = 12.0, anchor: str = "ls") -> None:
    """Text with a white edge; anchor as Pillow has it ("ls": left on the base line)."""
    place = (float(at[0]) * FINE, float(at[1]) * FINE)
    pen.text(place, text, fill=colour, font=font(size), anchor=anchor, stroke_width=FINE, stroke_fill=PAPER)


def length(text: str, size: float = 12.0) -> float:
    """How long a text is."""
    return font(size).getlength(text) / FINE


def arrow(
    pen: ImageDraw.ImageDraw, tail: np.ndarray, tip: np.ndarray, colour: Any, width: float, heads: int = 1
) -> None:
    """An arrow with one head, or two for a torque."""
    way = np.asarray(tip, float) - np.asarray(tail, float)
    far = float(np.hypot(*way))
    if far < 1.0:
        return
    u = way / far
    n = np.array([-u[1], u[0]])
    h = min(4.0 + 2.4 * width, 0.9 * far / heads)
    stroke(pen, np.array([tail, tip - 0.8 * h * u]), colour, width)
    for k in range(heads):
        top = tip - 0.85 * h * k * u
        corners = np.array([top, top - h * u + 0.42 * h * n, top - h * u - 0.42 * h * n])
        pen.polygon([(float(x) * FINE, float(y) * FINE) for x, y in corners], fill=colour)


def coil(a: np.ndarray, b: np.ndarray, radius: float) -> np.ndarray:
    """The points of a spring between two places on paper."""
    way = b - a
    n = np.array([-way[1], way[0]]) / (float(np.hypot(*way)) or 1.0)
    turns = [a + (0.15 + 0.7 * k / 20) * way + (radius if k % 2 else -radius) * n for k in range(1, 20)]
    return np.array([a, a + 0.15 * way, *turns, a + 0.85 * way, b])


def dashpot(a: np.ndarray, b: np.ndarray, radius: float) -> tuple[np.ndarray, ...]:
    """The lines of a damper between two places on paper: rod and cup, piston and rod."""
    way = b - a
    n = radius * np.array([-way[1], way[0]]) / (float(np.hypot(*way)) or 1.0)
    cup, rim, piston = a + 0.38 * way, a + 0.62 * way, a + 0.52 * way
    return (
        np.array([a, cup]),
        np.array([rim + n, cup + n, cup - n, rim - n]),
        np.array([piston + 0.8 * n, piston - 0.8 * n]),
        np.array([piston, b]),
    )
