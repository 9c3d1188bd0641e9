"""Models to write and read: components of every type with hardly anything left at its default, and a nested machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

import numpy as np

import multibond as mb
from multibond import spatial as sp
from multibond.catalogue import CATALOGUE
from multibond.elements import Anchor, Shift
from multibond.errors import MultibondError
from multibond.graph.component import Component, Guess, Parameter
from multibond.graph.edge import Connection, PowerBond, SignalLink
from multibond.graph.model import Model, Sheet, Submodel

WORDS = ("transpose", "rc", "rotation", "limited", "+-", "*/", "<", "backward", "world", "frame", "frame_b")
AXES = {"axis": (1.0, 2.0, 2.0), "second_axis": (2.0, 1.0, -2.0), "along": (2.0, 1.0, -2.0)}
AXES |= {"across": (2.0, 1.0, -2.0), "axis_a": (1.0, 2.0, 2.0), "axis_b": (2.0, 1.0, -2.0)}
"""At right angles, as a universal joint needs them: they are given together."""

IN_PLANE = (2.0, 1.0, 0.0)
"""An axis for joints of the plane."""

NUMBERS = (0.1, 0.2, 0.7 / 3)
"""Not exact in binary, and the moments of inertia of a possible body."""

LISTS = {"numerator": NUMBERS, "denominator": NUMBERS}
TOGETHER = {
    "Trapezoid": {"period": 4.5},
    "TransferFunction": LISTS,
    "DiscreteTransferFunction": {**LISTS, "period": 0.7},
    "DiscreteStateSpace": {"A": NUMBERS, "B": NUMBERS, "C": NUMBERS, "D": 1 / 3, "period": 0.7},
}
"""By class: values that fit only one another."""

BEFORE = dict.fromkeys(("driven", "lower", "upper", "stiffness"), ("sequence", "angles"))
"""What has to be given for others to be possible: springs, stops and paths know angles, not a quaternion."""


GROUPS = list(dict.fromkeys(name.rpartition(".")[0] for name in CATALOGUE))
"""What types are called together in files: "" for elements, then the libraries."""


def members(group: str) -> list[str]:
    """The types of a group."""
    return [name for name in CATALOGUE if name.rpartition(".")[0] == group]


@cache
def samples(kind: type[Component], *, guesses: bool = False, matrices: bool = False) -> tuple[Component, ...]:
    """Components with as few parameters at their default as the class allows: one for each that others may shut out."""
    table = kind.parameters()
    found: dict[tuple[str, ...], Component] = {}
    for lead in (*table, ""):
        values = _accepted(kind, lead, guesses, matrices)
        if values is not None:
            found.setdefault(tuple(sorted(values)), kind("sample", **values))
    return tuple(found.values())


def _accepted(kind: type[Component], lead: str, guesses: bool, matrices: bool) -> dict[str, Any] | None:
    """Values that the class takes together, beginning with what it needs and one more; None where it takes none."""
    table = kind.parameters()
    needed = [f.name for f in fields(kind) if f.name in table and f.default is MISSING]
    before = [name for name in BEFORE.get(lead, ()) if name in table and not table[name].start]
    first = [*before, *([lead] if lead else [])]
    order = dict.fromkeys([*needed, *first, *table])
    axes = {"axis": IN_PLANE} if ".planar." in kind.__module__ else AXES
    values: dict[str, Any] = {k: v for k, v in axes.items() if k in table} or dict(TOGETHER.get(kind.__name__, {}))
    for name in [n for n in order if n not in values]:
        choices = list(_choices(kind, name, table[name], guesses, matrices))
        fitting = next((c for c in choices if _takes(kind, values | {name: c})), None)
        if fitting is not None:
            values[name] = fitting
        elif not _takes(kind, values) and (name in needed or name == lead):
            values[name] = choices[0]
    return values if _takes(kind, values) else None


def _takes(kind: type[Component], values: dict[str, Any]) -> bool:
    try:
        kind("sample", **values)
    except (MultibondError, TypeError):
        return False
    return True


def _choices(kind: type[Component], name: str, about: Parameter, guesses: bool, matrices: bool) -> Iterator[Any]:
    """Values for a parameter, none of them its default; the first that the class takes is used."""
    default = next(f.default for f in fields(kind) if f.name == name)
    if about.shape == "word":
        yield from (word for word in (*getattr(kind, "modes", ()), *WORDS) if word != default)
    elif about.shape == "flag":
        yield not default
    elif about.shape == "axis":
        yield AXES[name]
    elif about.shape == "axes":
        yield from (["z", AXES["axis"]][k:] for k in (0, 1))
        yield [AXES["axis"], AXES["along"]]
        yield "zyx"
        yield [IN_PLANE]
    elif about.shape in ("law", "laws"):
        yield from (" + ".join(f"0.7*{v}{power}/3" for v in about.formula) for power in ("", "**2", "[0]**2"))
    elif about.structural and about.shape == ():
        yield from (k for k in (3, 2) if k != default)
    elif about.start:
        plain = (NUMBERS, 0.1, (0.1, 0.7), (0.1, -0.7, 0.1, 0.7))
        yield from (Guess(value) if guesses else value for value in (1 / 3, *plain))
    elif about.shape == ():
        yield from (1 / 3, 1.1, 0.01)
    elif about.shape is None:
        yield from ([np.diag(NUMBERS) + 0.01 * (1 - np.eye(3))] if matrices else [])
        yield from (NUMBERS, 1 / 3, (2, 0, 1), (2, 1), np.diag(NUMBERS))
    elif name == "quaternion":
        yield (0.5, 0.5, -0.5, 0.5)
    else:
        yield NUMBERS[: about.shape[0]]  # type: ignore[index]


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
        "names": sheet.names,
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
