"""A stage or curves as one self-contained HTML file with a canvas and controls. No network, no libraries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from multibond.view.curves import Curve
from multibond.view.framed import PageText, framed, short
from multibond.view.shapes import Shape
from multibond.view.showing import Showing
from multibond.view.stage import LOAD_COLOURS, Stage


def page(title: str, times: np.ndarray, shown: Stage | tuple[Curve, ...], wanted: Showing) -> PageText:
    """The text of the page."""
    content = _stage(shown) if isinstance(shown, Stage) else _curves(shown)
    show = {name: getattr(wanted, name) for name in ("frames", "names", "trails", "forces", "constraints", "speed")}
    data = {"title": title, "t": short(times), "show": show, **content}
    return framed("animation", title, data)


def _curves(curves: Iterable[Curve]) -> dict[str, Any]:
    found = [{"name": c.name, "axis": c.axis, "y": short(c.values)} for c in curves]
    return {"kind": "curves", "curves": found}


def _stage(stage: Stage) -> dict[str, Any]:
    machine, camera = stage.machine, stage.camera
    poses = zip(machine.names, range(len(machine.names)), strict=True)
    return {
        "kind": "mechanism",
        "frames": [
            {"name": name, "p": short(machine.positions[:, k]), "R": short(machine.attitudes[:, k])}
            for name, k in poses
        ],
        "rods": [asdict(rod) for rod in machine.rods],
        "springs": [asdict(line) for line in machine.lines],
        "joints": [asdict(joint) for joint in machine.joints],
        "bodies": [asdict(body) for body in machine.bodies],
        "gravity": machine.gravity.tolist(),
        "shapes": [_shape(shape) for shape in stage.shapes],
        "loads": [
            {"name": x.name, "kind": x.kind, "role": x.role, "on": x.on, "at": x.point, "v": short(x.values)}
            for x in stage.loads
        ],
        "scales": stage.scales,
        "legend": [asdict(row) for row in stage.legend],
        "load_colours": LOAD_COLOURS,
        "radius": stage.radius,
        "view": {
            "centre": short(camera.centre),
            "axes": short(camera.axes),
            "radius": camera.radius,
            "yaw": camera.yaw,
            "pitch": camera.pitch,
            "points": short(camera.points),
        },
    }


def _shape(shape: Shape) -> dict[str, Any]:
    """A shape with flat points, and without what is not told of it."""
    silent = {key for key in ("radius", "text", "shift") if getattr(shape, key) == getattr(Shape, key)}
    told = {key: value for key, value in asdict(shape).items() if key not in silent}
    return told | {"points": short(np.array(shape.points))}
