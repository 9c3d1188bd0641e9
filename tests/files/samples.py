"""Models to write and read: one component of every type with nothing left at its default, and a nested machine."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

import multibond as mb
from multibond import spatial as sp
from multibond.elements import Anchor, Shift
from multibond.graph.component import Component, Guess, Parameter
from multibond.graph.edge import Connection, PowerBond, SignalLink
from multibond.graph.model import Model, Sheet, Submodel

WORDS = {"inverse": "transpose", "kind": "spherical", "role": "rotation"}
AXES = {"axis": (1.0, 2.0, 2.0), "second_axis": (2.0, 1.0, -2.0)}
NUMBERS = (0.1, 0.2, 0.7 / 3)
"""Not exact in binary, and the moments of inertia of a possible body."""


def sample(kind: type[Component], *, guesses: bool = False, matrices: bool = False) -> Component:
    """A component whose every parameter differs from the default."""
    values = {name: _value(name, about, guesses, matrices) for name, about in kind.parameters().items()}
    return kind("sample", **values)


def _value(name: str, about: Parameter, guesses: bool, matrices: bool) -> Any:
    if about.shape == "word":
        return WORDS[name]
    if about.shape == "flag":
        return True
    if about.shape == "axis":
        return AXES[name]
    if about.structural:
        return 3
    if about.start:
        return Guess(1 / 3) if guesses else NUMBERS
    if about.shape == ():
        return 1 / 3
    if about.shape is None:
        return np.diag(NUMBERS) + 0.01 * (1 - np.eye(3)) if matrices else NUMBERS
    return NUMBERS[: about.shape[0]]  # type: ignore[index]


def nested() -> Model:
    """A machine with everything a file can hold: sub-models, bonds of a size, signals, equalities, layout."""
    leg = Model("leg")
    hip = leg.add(sp.Revolute("hip", axis=(1, 1, 0), angle=Guess(0.3), torque=0.0))
    shin = leg.add(sp.Body("shin", mass=1.5, inertia=(0.1, 0.1, 0.01), centre=(0.0, -0.25, 0.0)))
    leg.connect(hip.frame_b, shin.frame)
    leg.expose("top", hip.frame_a)
    leg.place("hip", 10, 20.5)
    robot = Model("a robot, with two legs: \u00fc", size=3)
    world = robot.add(sp.World(gravity=(0, 0, -9.81)))
    first = robot.add(leg)
    leg.name = "other"
    second = robot.add(leg)
    robot.connect(world.frame, first.top, second.top)
    flow = robot.add(mb.One("flow"))
    robot.bond(mb.Se("push", 12.0), flow, size=3)
    robot.bond(flow, mb.I("mass", (1.0, 2.0, 3.0)))
    sensor, spring = mb.Dq("travel", size=3), mb.C("spring", 0.1, size=3)
    robot.bond(flow, sensor)
    robot.bond(flow, spring)
    robot.signal(sensor.value, spring.displacement)
    turn, shift = robot.add(Anchor("pose")), robot.add(Shift("shift", (0, 1, 0)))
    robot.equate(turn.attitude, shift.attitude_a)
    robot.add(mb.One("for_a_while"))
    robot.remove("for_a_while")
    robot.place("flow", -0.1, 1e-300)
    return robot


def content(model: Model | Submodel) -> dict[str, Any]:
    """What a model holds, in a form that can be compared: numbers by their bytes, ends by their names."""
    return {"name": model.name, "size": model.size, **_sheet(model.sheet)}


def _sheet(sheet: Sheet) -> dict[str, Any]:
    def end(at: Any) -> str:
        return f"{sheet.components[at.component].name}.{at.port}"

    edges: dict[str, list[Any]] = {"connection": [], "bond": [], "signal": []}
    for edge in sheet.edges:
        if isinstance(edge, Connection):
            edges["connection"].append([end(at) for at in edge.ends])
        elif isinstance(edge, PowerBond):
            edges["bond"].append((end(edge.tail), end(edge.head), edge.size))
        elif isinstance(edge, SignalLink):
            edges["signal"].append((edge.equality, [end(at) for at in edge.ends]))
    return {
        "components": [values(item) for item in sheet.components.values()],
        **edges,
        "exposed": {name: end(at) for name, at in sheet.exposed.items()},
        "layout": sheet.layout,
    }


def values(item: Component) -> Any:
    """A component's type and values, exactly."""
    if isinstance(item, Submodel):
        return content(item)
    return (type(item), {f.name: _exactly(getattr(item, f.name)) for f in fields(item)})


def _exactly(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.tobytes(), value.flags.writeable
    return type(value), value
