"""Animations: one self-contained HTML file with a canvas, own projection and controls. No network, no libraries.

Models without mechanics show their states as running curves.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from multibond.elements import FreeMotion, I, Line, PlanarMotion, RigidLink
from multibond.errors import Finding, ModelError
from multibond.graph.graph import Graph
from multibond.solve.solution import Solution
from multibond.view.plot import state_names
from multibond.view.quantities import Quantities

FEWEST, MOST = 400, 3000  # pictures in a file: short runs can be slowed down, long ones are interpolated


def animate(solution: Solution, path: str | Path | None = None, *, fps: float = 30, title: str | None = None) -> str:
    """The animation of a run as HTML text, written to `path` where one is given.

    Drag to turn, wheel to zoom, space to play. `#t=1.5` behind the address opens it at 1.5 s, paused.
    """
    if not fps > 0:
        raise ModelError(
            Finding(f"fps cannot be {fps!r}.", "It is the number of pictures a second.", "Give a positive number.")
        )
    name = title or _name_of(solution)
    times = picture_times(float(solution.t[0]), float(solution.t[-1]), fps)
    data = {"title": name, "t": _short(times), **(mechanism(solution, times) or curves(solution, times))}
    page = files("multibond.view").joinpath("animation.html").read_text(encoding="utf-8")
    script = files("multibond.view").joinpath("animation.js").read_text(encoding="utf-8")
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    fill = {"TITLE": escape(name), "SCRIPT": script, "DATA": text}
    html = re.sub("%(TITLE|SCRIPT|DATA)%", lambda hit: fill[hit[1]], page)
    if path is not None:
        Path(path).write_text(html, encoding="utf-8")
    return html


def picture_times(start: float, end: float, fps: float) -> np.ndarray:
    """Times of the pictures, the last at the end of the run."""
    count = int(np.clip(np.ceil((end - start) * fps) + 1, FEWEST, MOST))
    return np.linspace(start, end, count)


def mechanism(solution: Solution, times: np.ndarray) -> dict[str, Any] | None:
    """Frames over time and what stands between them; None for models without frames."""
    graph = solution.system.dae.graph
    frames = (*graph.frames, *graph.planes)
    if not frames:
        return None
    poses = np.concatenate([_in_space(solution, times), _in_plane(solution, times)], axis=1)
    index = {f.position: k for k, f in enumerate(frames)}
    return {
        "kind": "mechanism",
        "frames": [
            {"name": f.name, "p": _short(poses[:, k, :3]), "R": _short(poses[:, k, 3:])} for k, f in enumerate(frames)
        ],
        "rods": [
            rod for rod in (_between(graph, p, index) for p, _ in graph.of_type(RigidLink)) if -1 not in rod["ends"]
        ],
        "springs": [_between(graph, path, index) for path, _ in graph.of_type(Line)],
        "joints": [
            _joint(graph, path, item, index) for path, item in graph.of_type(FreeMotion) if isinstance(item, FreeMotion)
        ],
        "bodies": bodies(solution, index),
        "gravity": gravity(graph),
    }


def _in_space(solution: Solution, times: np.ndarray) -> np.ndarray:
    """Position and attitude of the spatial frames (time, frame, twelve numbers)."""
    frames = solution.system.dae.graph.frames
    names = [name for f in frames for name in (f.position, f.attitude)]
    return (
        solution.values(names, times).reshape(times.size, len(frames), 12) if names else np.zeros((times.size, 0, 12))
    )


def _in_plane(solution: Solution, times: np.ndarray) -> np.ndarray:
    """The same of the planar frames, which are drawn at z = 0."""
    planes = solution.system.dae.graph.planes
    poses = np.zeros((times.size, len(planes), 12))
    for k, plane in enumerate(planes):
        values = solution.values([plane.position, plane.angle], times)
        c, s = np.cos(values[:, 2]), np.sin(values[:, 2])
        poses[:, k, :2] = values[:, :2]
        poses[:, k, 3:] = np.stack([c, -s, 0 * c, s, c, 0 * c, 0 * c, 0 * c, 0 * c + 1], axis=1)
    return poses


def curves(solution: Solution, times: np.ndarray) -> dict[str, Any]:
    """The states over time, for models without mechanics."""
    names, quantities = list(state_names(solution)), Quantities(solution)
    found = []
    for name in names:
        kind, unit = quantities.of(name)
        values = np.asarray(solution[name](times)).reshape(times.size, -1)
        labels = [name] if values.shape[1] == 1 else [f"{name}[{k}]" for k in range(values.shape[1])]
        axis = f"{kind} [{unit}]" if unit else kind
        found += [
            {"name": label, "axis": axis, "y": _short(column)} for label, column in zip(labels, values.T, strict=True)
        ]
    return {"kind": "curves", "curves": found}


def bodies(solution: Solution, index: dict[str, int]) -> list[dict[str, Any]]:
    """Masses and where their centres are, in the axes of the frame they are fixed to."""
    graph, found = solution.system.dae.graph, []
    for path, _ in graph.of_type(I):
        part, _, last = path.rpartition(".")
        mass = graph.parameters.get(f"{part}.mass")
        frame = _frame_of(graph, part, index) if last == "mass" and mass is not None else None
        if frame is None or mass is None:
            continue
        given = graph.parameters.get(f"{part}.centre")
        centre = [*(() if given is None else given[1].ravel().tolist()), 0.0, 0.0, 0.0][:3]
        found.append({"name": part, "frame": frame, "centre": centre, "mass": float(mass[1].ravel()[0])})
    return found


def gravity(graph: Graph) -> list[float]:
    """The direction of free fall, zero where there is none."""
    told = [v[1].ravel().tolist() for name, v in sorted(graph.parameters.items()) if name.endswith(".gravity")]
    found = [[*numbers, 0.0][:3] for numbers in told if len(numbers) in (2, 3)]
    return found[0] if found else [0.0, 0.0, 0.0]


def _frame_of(graph: Graph, part: str, index: dict[str, int]) -> int | None:
    """The number of the frame that a body's elements are bonded to."""
    for frame in (*graph.frames, *graph.planes):
        junction = frame.junctions[-1]
        neighbours = {b.other(junction).element.rpartition(".")[0] for b in graph.bonds_of(junction)}
        if part in neighbours:
            return index[frame.position]
    return None


def _between(graph: Graph, path: str, index: dict[str, int]) -> dict[str, Any]:
    """The two frames that a rod, spring or joint stands between."""
    ends = [graph.signal_at(path, f"position_{side}") for side in ("a", "b")]
    return {"name": path.rpartition(".")[0], "ends": [index.get(end[0].name, -1) if end else -1 for end in ends]}


def _joint(graph: Graph, path: str, item: FreeMotion, index: dict[str, int]) -> dict[str, Any]:
    return _between(graph, path, index) | {"kind": _look(item), "axis": _axis(item)}


def _look(item: FreeMotion) -> str:
    """How a joint is drawn: "revolute" as a pin, "prismatic" as a rail, "free" as nothing, others as a ball."""
    kind = item.motion
    if kind.turns + kind.slides == (3 if isinstance(item, PlanarMotion) else 6) or not kind.freedoms:
        return "free"
    if kind.slides:
        return "prismatic" if kind.slides == 1 else "ball"
    return "revolute" if kind.turns == 1 else "ball"


def _axis(item: FreeMotion) -> list[float]:
    axes = [*item.motion.slide_axes, *item.motion.turn_axes]
    return np.asarray(axes[0], float).tolist() if axes else [0.0, 0.0, 1.0]


def _short(values: np.ndarray) -> list[float]:
    """Numbers with six digits, flat."""
    return [float(f"{v:.6g}") for v in np.asarray(values, float).ravel()]


def _name_of(solution: Solution) -> str:
    source = solution.system.source
    return getattr(source[0], "name", "") if isinstance(source, tuple) and source else "run"
