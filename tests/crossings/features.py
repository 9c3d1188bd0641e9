"""What is crossed: features of machines, and ways of treating them. Each is a change of a mechanism or of its run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from . import mechanisms
from .machine import TURN, Bar, Controller, Joint, Mechanism, Path, Supply, Vector, start_of

METHODS = ("auto", "zcp", "rc", "multiplier", "minimal")
SOLVERS = ("dop853", "dopri5", "rodas5p", "rk4", "heun", "euler")
STEPS = {"rk4": 1e-3, "heun": 5e-4, "euler": 2e-4}
NEAR = 1e-3
TURNS = 100
LONG = 4.0

GROUPS: dict[str, tuple[str, ...]] = {
    "method": tuple(f"method {name}" for name in METHODS),
    "depth": ("depth 1", "depth 2", "depth 3"),
    "solver": tuple(f"solver {name}" for name in SOLVERS),
    "line": ("in line", "nearly in line"),
}
"""Of each group a case has one; of the last one or none."""

PUT_IN = ("friction", "stop", "diode", "switch", "sampled", "given", "redundant", "nearly redundant", "massless")
RUN = ("large angle", "long", "changed", "guessed", "mbg file", "yaml file", "shuffled", "renamed")
OWN = ("loop",)
"""What a machine is by itself."""
ALL = (*OWN, *PUT_IN, *(name for group in GROUPS.values() for name in group), *RUN)


@cache
def own(machine: str) -> frozenset[str]:
    """Features that a machine has whatever is put in."""
    loop = {"loop"} if is_loop(MECHANISMS[machine]()) else set()
    return frozenset(loop | ({"nearly redundant"} if machine == "sledge" else set()))


def is_loop(machine: Mechanism) -> bool:
    return len(machine.joints) > len(machine.bars)


IN_LINE: dict[str, Callable[[], Mechanism]] = {
    "pendulum": lambda: mechanisms.pendulum(math.pi / 2 - 0.3, 4.0),
    "double pendulum": lambda: mechanisms.double_pendulum((-0.8, -1.0), (0.0, 4.0)),
    "slider crank": lambda: mechanisms.slider_crank(-0.5, 6.0),
    "four-bar": lambda: mechanisms.four_bar(-0.4, 5.0),
    "parallelogram": lambda: mechanisms.parallelogram(0.5, -4.0),
    "scotch yoke": lambda: mechanisms.scotch_yoke(math.pi / 2 - 0.4, 5.0),
    "swinging cylinder": lambda: mechanisms.swinging_cylinder(-0.4, 5.0),
    "trammel": lambda: mechanisms.trammel(0.25),
    "scissor": lambda: mechanisms.scissor(0.2, -1.5),
}
"""Machines that pass a position in line: bars on one line, a dead point, or all hinges of a loop."""
NEARLY: dict[str, Callable[[], Mechanism]] = {
    "pendulum": lambda: mechanisms.pendulum(math.pi / 2 - NEAR, 0.0),
    "double pendulum": lambda: mechanisms.double_pendulum((-0.8, -0.8 - NEAR), (0.0, 0.5)),
    "slider crank": lambda: mechanisms.slider_crank(NEAR, 4.0),
    "four-bar": lambda: mechanisms.four_bar(NEAR, 4.0),
    "parallelogram": lambda: mechanisms.parallelogram(0.5, -4.0, longer=1e-2),
    "scotch yoke": lambda: mechanisms.scotch_yoke(math.pi / 2 - NEAR, 4.0),
    "swinging cylinder": lambda: mechanisms.swinging_cylinder(NEAR, 4.0),
}
"""Machines that begin beside such a position, or miss it by little."""


@dataclass(frozen=True)
class Case:
    """A machine and the features that are crossed on it."""

    machine: str
    features: frozenset[str]

    @property
    def id(self) -> str:
        shown = (
            name for name in ALL if name in self.features and name not in ("depth 1", "solver dop853", "method auto")
        )
        return f"{self.machine}: {', '.join(shown)}"

    def one_of(self, group: str) -> str:
        """The choice of a group, without its word; empty for none."""
        found = [name for name in GROUPS[group] if name in self.features]
        return found[0].removeprefix(f"{group} ") if found else ""


MECHANISMS = {make().name: make for make in mechanisms.ALL}


@cache
def possible(machine: str) -> frozenset[str]:
    """Features that can be had on a machine at all."""
    made = MECHANISMS[machine]()
    roles, found = made.roles, set(ALL) - set(OWN) | own(machine)
    wanted = {"friction": "friction", "stop": "stop", "given": "given", "massless": "massless", "diode": "drive"}
    wanted |= {"switch": "drive", "sampled": "drive", "redundant": "double", "nearly redundant": "double"}
    found -= {feature for feature, role in wanted.items() if role not in roles}
    if "drive" in roles and not made.joint(roles["drive"]).turns:
        found -= {"diode", "switch"}
    found -= set() if machine in IN_LINE else {"in line"}
    found -= set() if machine in NEARLY else {"nearly in line"}
    found -= set() if any(joint.given and joint.turns for joint in made.joints) else {"large angle"}
    return frozenset(found)


def mechanism_of(case: Case) -> Mechanism:
    """The mechanism of a case, with all that is put in."""
    line = case.one_of("line")
    table = {"in line": IN_LINE, "nearly in line": NEARLY}.get(line, MECHANISMS)
    machine = table[case.machine]()
    changes: dict[str, Callable[[Mechanism], Mechanism]] = {
        "massless": _massless, "friction": _friction, "stop": _stop, "sampled": _sampled, "given": _given,
        "redundant": _redundant, "changed": _damped, "large angle": _large,
    }  # fmt: skip
    machine = _supplied(machine, case.features)
    for name, change in changes.items():
        if name in case.features:
            machine = change(machine)
    if "nearly redundant" in case.features - own(case.machine):
        machine = _nearly_redundant(machine)
    return replace(machine, until=LONG if "long" in case.features else machine.until)


def _at(machine: Mechanism, role: str, **changes: object) -> Mechanism:
    """The machine with one joint changed."""
    joint = machine.joint(machine.roles[role])
    return with_joints(machine, {joint.name: replace(joint, **changes)})


def with_joints(machine: Mechanism, changed: dict[str, Joint], more: Iterable[Joint] = ()) -> Mechanism:
    joints = tuple(changed.get(joint.name, joint) for joint in machine.joints)
    return replace(machine, joints=(*joints, *more))


def _friction(machine: Mechanism) -> Mechanism:
    return _at(machine, "friction", friction=0.3, static=0.4)


def _stop(machine: Mechanism) -> Mechanism:
    q = start_of(machine, machine.joint(machine.roles["stop"]))[0]
    return _at(machine, "stop", lower=q - 0.07, upper=q + 0.06, restitution=0.5)


def _massless(machine: Mechanism) -> Mechanism:
    bars = tuple(replace(b, mass=0.0, inertia=0.0) if b.name == machine.roles["massless"] else b for b in machine.bars)
    return replace(machine, bars=bars)


def _damped(machine: Mechanism) -> Mechanism:
    return _at(machine, "damped", damping=0.08)


def _sampled(machine: Mechanism) -> Mechanism:
    joint = machine.joint(machine.roles["drive"])
    return replace(machine, controller=Controller(joint.name, start_of(machine, joint)[0] + 0.3))


def _supplied(machine: Mechanism, features: frozenset[str]) -> Mechanism:
    if not features & {"diode", "switch"}:
        return machine
    diode = "diode" in features
    supply = Supply(machine.roles["drive"], swing=4.0 if diode else 0.0, diode=diode)
    return replace(machine, supply=replace(supply, bridged=3.0 if "switch" in features else 0.0))


def _given(machine: Mechanism) -> Mechanism:
    """A joint is led: from where it begins, to and fro."""
    joint = machine.joint(machine.roles["given"])
    q, swing, rate = start_of(machine, joint)[0], 0.05, 7.0
    path = Path(
        f"{q!r} + {swing!r}*sin({rate!r}*t)",
        lambda t: q + swing * np.sin(rate * t),
        lambda t: swing * rate * np.cos(rate * t),
        lambda t: -swing * rate**2 * np.sin(rate * t),
    )
    return _at(machine, "given", path=path)


def _redundant(machine: Mechanism) -> Mechanism:
    """A loop in space holds each plane motion of it; on others a joint has a twin at the same place."""
    joint = machine.joint(machine.roles["double"])
    twin = Joint(f"{joint.name}_twin", joint.a, joint.b, joint.at_a, joint.at_b, joint.turns, joint.slides)
    return replace(machine, space=True) if is_loop(machine) else with_joints(machine, {}, [twin])


def _nearly_redundant(machine: Mechanism) -> Mechanism:
    """A collar between a joint and its bar, held by two guides that are almost parallel: nearly equal rows."""
    joint = machine.joint(machine.roles["double"])
    bar = next(b for b in machine.bars if b.name == joint.b)
    collar = Bar("collar", 0.0, 0.0, (0.0, 0.0), bar.place, bar.angle)
    guides = [
        Joint("collar_guide", "collar", bar.name, turns=False, slides=((1.0, 0.0),)),
        Joint("collar_pin", "collar", bar.name, slides=((math.cos(NEAR), math.sin(NEAR)),)),
    ]
    machine = with_joints(machine, {joint.name: replace(joint, b="collar")}, guides)
    return replace(machine, bars=(*machine.bars, collar))


def _large(machine: Mechanism) -> Mechanism:
    """A joint counts many turns already; all that is said of its angle is said with them."""
    joint = next(joint for joint in machine.joints if joint.given and joint.turns)
    more = TURN * TURNS
    limits = {name: getattr(joint, name) + more for name in ("lower", "upper") if getattr(joint, name) is not None}
    path = None if joint.path is None else _shifted(joint.path, more)
    machine = with_joints(machine, {joint.name: replace(joint, turned=more, path=path, **limits)})
    controller = machine.controller
    if controller is None or controller.joint != joint.name:
        return machine
    return replace(machine, controller=replace(controller, goal=controller.goal + more))


def _shifted(path: Path, more: float) -> Path:
    def value(t: Vector) -> Vector:
        return path.value(t) + more

    return replace(path, formula=f"{path.formula} + {more!r}", value=value)
