"""The eye: where up is, from which side a machine is seen, and how its whole motion fits into a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FAR = 6.0
"""Distance of the eye, in radii of the scene."""

DIRECTIONS, MANY = 150, 20_000
"""Directions in which the outermost points are sought, and among how many about."""

SIDES = {"front": (0.0, 0.0), "side": (-90.0, 0.0), "top": (0.0, 90.0), "oblique": (-26.0, 17.0)}
"""Views by name: how far the scene is turned about up and tilted towards the eye  [degrees]."""


@dataclass(frozen=True)
class Camera:
    """A view of a scene: rows of `axes` are right, up and back; yaw, pitch  [rad]; points: what has to be seen."""

    centre: np.ndarray
    axes: np.ndarray
    radius: float
    yaw: float
    pitch: float
    points: np.ndarray

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Points as the eye has them: right, up, towards the eye (any shape, three last)."""
        x, y, z = np.moveaxis((points - self.centre) @ self.axes.T, -1, 0)
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x, z = c * x + s * z, c * z - s * x
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        return np.stack([x, c * y - s * z, s * y + c * z], axis=-1)

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Points in perspective: x, y, depth, and how much larger than at the centre things are there."""
        seen, far = self.seen(points), FAR * self.radius
        grown = far / np.maximum(far - seen[..., 2], 0.1 * self.radius)
        return np.stack([seen[..., 0] * grown, seen[..., 1] * grown, seen[..., 2], grown], axis=-1)


@dataclass(frozen=True)
class Paper:
    """A camera's picture of a size: pixels = (x, y) · scale + shift, y downwards."""

    camera: Camera
    scale: float
    shift: tuple[float, float]

    def put(self, points: np.ndarray) -> np.ndarray:
        """Points on paper: x, y  [pixels], depth  [m], and the pixels of a metre there."""
        flat = self.camera.flat(points)
        x = flat[..., 0] * self.scale + self.shift[0]
        y = self.shift[1] - flat[..., 1] * self.scale
        return np.stack([x, y, flat[..., 2], flat[..., 3] * self.scale], axis=-1)


def camera_of(points: np.ndarray, gravity: np.ndarray, view: tuple[float, float]) -> Camera:
    """The camera for points that have to be seen; up is against gravity; view: yaw and pitch  [degrees]."""
    low, high = points.min(axis=0), points.max(axis=0)
    radius = 0.5 * float(np.linalg.norm(high - low)) or 1.0
    yaw, pitch = np.radians(view)
    return Camera(0.5 * (low + high), _axes(gravity), radius, float(yaw), float(pitch), extremes(points))


def _axes(gravity: np.ndarray) -> np.ndarray:
    """Right, up and back as rows; up is y where nothing falls."""
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size else np.array([0.0, 1.0, 0.0])
    hint = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([0.0, -1.0, 0.0])
    back = hint - (hint @ up) * up
    back /= np.linalg.norm(back)
    return np.stack([np.cross(up, back), up, back])


def extremes(points: np.ndarray) -> np.ndarray:
    """The outermost points in directions all around: as good as all of them for a picture's frame, and few."""
    some = points[:: max(len(points) // MANY, 1)]
    k = np.arange(DIRECTIONS) + 0.5
    height, turn = 1 - 2 * k / DIRECTIONS, np.pi * (1 + np.sqrt(5)) * k  # spread evenly over a sphere
    flat = np.sqrt(1 - height**2)
    ways = np.stack([flat * np.cos(turn), flat * np.sin(turn), height])
    return some[np.unique(np.argmax(some @ ways, axis=0))]


def fit(camera: Camera, size: tuple[int, int], margins: tuple[float, float, float, float]) -> Paper:
    """The paper on which everything is seen; margins: left, top, right, bottom  [pixels]."""
    flat = camera.flat(camera.points)[:, :2]
    low, high = flat.min(axis=0), flat.max(axis=0)
    left, top, right, bottom = margins
    room = np.maximum([size[0] - left - right, size[1] - top - bottom], 10.0)
    extent = np.maximum(high - low, 0.2 * camera.radius)
    scale = float((room / extent).min())
    middle = 0.5 * (low + high) * scale
    return Paper(camera, scale, (left + 0.5 * room[0] - middle[0], top + 0.5 * room[1] + middle[1]))
