"""The text of a drawing, which a notebook shows: SVG as the picture that it is, LaTeX line by line."""

from __future__ import annotations

from typing import Any


class SvgText(str):
    """The text of an SVG file."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


class TikzText(str):
    """The text of a LaTeX file with TikZ."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))
