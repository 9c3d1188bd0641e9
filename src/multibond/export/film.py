"""Animations as files, by their ending: .html (a page to play with), .gif, .mp4."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from multibond.export.needs import need
from multibond.export.place import Anywhere, put, put_text, require_place, unknown_ending
from multibond.view.animate import FILM_RATE, GIF_RATE, Animation, Film
from multibond.view.showing import require_gif_rate

ENDINGS = (".html", ".gif", ".mp4")
COLOURS, CELLS = 200, 32**3
"""Colours of a GIF, which has room for 256, and cells of colours from which they are chosen."""
SAMPLES = 8
"""Pictures from which these colours are taken."""


def require_film(path: Anywhere, fps: float | None = None) -> Path:
    """The path, or an error where no animation can be written there: ending, folder, package, pictures a second."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        place = require_place(target)
        raise unknown_ending(place, ENDINGS)
    if target.suffix.lower() == ".mp4":
        need("imageio_ffmpeg", "a film in MP4", "video")
    if target.suffix.lower() == ".gif":
        require_gif_rate(fps or GIF_RATE)
    return require_place(target)


def save_animation(animation: Animation, path: Anywhere) -> Path:
    """Write an animation by the ending of its file; returns the path."""
    fps = animation.wanted.fps
    target = require_film(path, fps)
    match target.suffix.lower():
        case ".html":
            return put_text(target, animation.html)
        case ".gif":
            return put(target, lambda beside: _gif(beside, animation, fps or GIF_RATE))
        case _:
            return put(target, lambda beside: _mp4(beside, animation, fps or FILM_RATE))


def durations(count: int, fps: float) -> list[int]:
    """How long each picture of a GIF stands  [ms]: hundredths of a second, which in sum keep the pace."""
    ends = np.round(np.arange(count + 1) * 100.0 / fps)
    return [int(n) for n in 10 * np.maximum(np.diff(ends), 2)]


def _gif(path: Path, animation: Animation, fps: float) -> None:
    film = animation.film(fps)
    first, *others = _with_palette(film)
    first.save(path, save_all=True, append_images=others, duration=durations(film.count, fps), loop=0, disposal=1)


def _with_palette(film: Film) -> Iterator[Any]:
    """Pictures with one palette for all of them, taken from some of them."""
    from PIL import Image

    some = np.unique(np.linspace(0, film.count - 1, SAMPLES).astype(int))
    colours, table = palette_of(np.concatenate([np.asarray(film.picture(k)).reshape(-1, 3) for k in some]))
    for k in range(film.count):
        indexed = Image.fromarray(table[_cells(np.asarray(film.picture(k)))])
        indexed.putpalette(colours.tobytes())
        yield indexed


def palette_of(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The colours that pixels have most, and for each cell of colours the number of the nearest of these.

    Cells are cubes of eight steps a side; paper stays white and lines keep their colour, unlike in Pillow's palettes.
    """
    cells = _cells(pixels)
    counts = np.bincount(cells, minlength=CELLS)
    common = np.argsort(-counts, kind="stable")[: min(COLOURS, np.count_nonzero(counts))]
    sums = [np.bincount(cells, weights=pixels[:, k], minlength=CELLS)[common] for k in range(3)]
    colours = np.stack([np.round(part / counts[common]) for part in sums], axis=1)
    every = np.stack(np.unravel_index(np.arange(CELLS), (32, 32, 32)), axis=1) * 255.0 / 31.0
    apart = (every**2).sum(axis=1)[:, None] - 2 * every @ colours.T + (colours**2).sum(axis=1)
    table = apart.argmin(axis=1).astype(np.uint8)
    table[common] = np.arange(common.size)
    return colours.astype(np.uint8), table


def _cells(pixels: np.ndarray) -> np.ndarray:
    """The number of the cell of each pixel's colour."""
    r, g, b = np.moveaxis(pixels >> 3, -1, 0).astype(np.int64)
    return (r << 10) | (g << 5) | b


def _mp4(path: Path, animation: Animation, fps: float) -> None:
    encoder, film = need("imageio_ffmpeg", "a film in MP4", "video"), animation.film(fps)
    width, height = (n - n % 2 for n in animation.wanted.size)  # the format has even sizes only
    given = {"fps": fps, "quality": 8, "macro_block_size": 2, "ffmpeg_log_level": "error"}
    writer = encoder.write_frames(str(path), (width, height), **given)
    writer.send(None)
    try:
        for k in range(film.count):
            writer.send(film.picture(k).crop((0, 0, width, height)).tobytes())
    finally:
        writer.close()
