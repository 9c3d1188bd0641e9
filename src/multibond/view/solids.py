"""The surfaces of solids for pictures: plane panels with their corners in turn, seen from outside against the clock."""

from __future__ import annotations

import numpy as np

from multibond.graph.origin import Form
from multibond.rotation import across

ROUND = 24
"""Corners of the circle at a cylinder's end."""


def panels(form: Form) -> list[np.ndarray]:
    """The panels of a box or cylinder about its centre, one corner a row  [m]; a sphere has none."""
    half = 0.5 * np.asarray(form.along, float)
    if form.kind == "box":
        corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], float)
    elif form.kind == "cylinder":
        turns = 2 * np.pi * np.arange(ROUND) / ROUND
        corners = np.column_stack([np.cos(turns), np.sin(turns)])
    else:
        return []
    first, second = _sides(form)
    size = 0.5 * np.array([form.sizes[0], form.sizes[-1]])
    ring = (corners * size) @ np.array([first, second])
    low, high = ring - half, ring + half
    after = np.roll(np.arange(len(ring)), -1)
    return [low[::-1], high, *(np.array([low[k], low[n], high[n], high[k]]) for k, n in enumerate(after))]


def _sides(form: Form) -> tuple[np.ndarray, np.ndarray]:
    """Two directions across a solid, which with its own make a right-handed set."""
    along = np.asarray(form.along, float) / np.linalg.norm(form.along)
    if form.kind != "box":
        first, second = across(along)
    else:
        second = np.cross(along, np.asarray(form.across, float))
        second /= np.linalg.norm(second)
        first = np.cross(second, along)
    return (first, second) if np.cross(first, second) @ along > 0 else (second, first)


def extent(form: Form) -> np.ndarray:
    """Points about the centre of a solid between which all of it lies  [m]."""
    found = panels(form)
    return np.concatenate(found) if found else 0.5 * form.sizes[0] * np.concatenate([np.eye(3), -np.eye(3)])
