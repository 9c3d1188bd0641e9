"""Figures as files, in whatever format the ending says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multibond.export.place import put, unknown_ending

DPI = 150


def save_figure(figure: Any, path: Path) -> Any:
    """Write a matplotlib figure; returns the figure."""
    known = tuple(f".{ending}" for ending in figure.canvas.get_supported_filetypes())
    if path.suffix.lower() not in known:
        raise unknown_ending(path, known)
    put(path, lambda beside: figure.savefig(beside, dpi=DPI))
    return figure
