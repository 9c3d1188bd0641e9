"""From a mechanism as data to a model of the program, in the plane or in space, in any order and under any names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import multibond as mb
from multibond import blocks, planar, rotational, spatial, translational
from multibond import electrical as el

from .machine import GROUND, SWITCHING, Bar, Joint, Mechanism, Supply, start_of

BESIDE = -1e-3
"""By so much guesses in loops are beside the truth, where something else is given."""


@dataclass
class Draft:
    """Components and links of a model to be, before they are put in in some order under some names."""

    renamed: bool = False
    parts: list[tuple[str, Callable[[str], Any]]] = field(default_factory=list)
    frames: list[tuple[str, ...]] = field(default_factory=list)
    signals: list[tuple[str, str]] = field(default_factory=list)

    def name(self, name: str) -> str:
        """The name that a part has in the model: other letters, in another order of the alphabet."""
        if not self.renamed:
            return name
        return "n" + "".join(chr(ord("z") - ord(c) % 26) for c in name) + str(sum(map(ord, name)) % 97)

    def add(self, name: str, part: Callable[..., Any], *values: Any, **options: Any) -> None:
        self.parts.append((name, lambda own: part(own, *values, **options)))

    def build(self, seed: int | None) -> mb.Model:
        """The model; a seed shuffles parts, links, and the ends of each link."""
        parts, frames, signals = list(self.parts), list(self.frames), list(self.signals)
        if seed is not None:
            random = Random(seed)
            for items in (parts, frames, signals):
                random.shuffle(items)
            frames = [tuple(random.sample(ends, len(ends))) for ends in frames]
        model, own = mb.Model("machine"), {}
        for name, part in parts:
            own[name] = model.add(part(self.name(name)))
        ports = {
            ends: [getattr(own[end.split(".")[0]], end.split(".")[1]) for end in ends] for ends in frames + signals
        }
        for ends in frames:
            model.connect(*ports[ends])
        for ends in signals:
            model.signal(*ports[ends])
        return model


def model_of(machine: Mechanism, *, guessed: bool = False, renamed: bool = False, seed: int | None = None) -> mb.Model:
    """The model of a mechanism; guessed: no start is given, all are guessed."""
    return draft_of(machine, guessed=guessed, renamed=renamed).build(seed)


def draft_of(machine: Mechanism, *, guessed: bool = False, renamed: bool = False) -> Draft:
    """Every component and link of the model of a mechanism."""
    draft, lib = Draft(renamed), spatial if machine.space else planar
    pull = (0.0, -machine.gravity, 0.0) if machine.space else (0.0, -machine.gravity)
    draft.add("world", lambda name: lib.World(name, gravity=pull))
    meetings: dict[tuple[str, tuple[float, float]], list[str]] = {}
    for joint in machine.joints:
        draft.add(joint.name, *_joint(machine, joint, guessed))
        meetings.setdefault((joint.a, joint.at_a), []).append(f"{joint.name}.frame_a")
        meetings.setdefault((joint.b, joint.at_b), []).append(f"{joint.name}.frame_b")
    for bar in machine.bars:
        if bar.mass:
            draft.add(bar.name, *_body(machine, bar))
    _join(draft, machine, meetings)
    _drive(draft, machine)
    return draft


def frame_of(machine: Mechanism, bar: str) -> str:
    """The frame in which a bar's pose is read: its own, or for a link without mass that of a joint or a rod there."""
    if machine.bar(bar).mass:
        return f"{bar}.frame"
    for joint in machine.joints:
        if (joint.a, joint.at_a) == (bar, (0.0, 0.0)):
            return f"{joint.name}.frame_a"
        if (joint.b, joint.at_b) == (bar, (0.0, 0.0)):
            return f"{joint.name}.frame_b"
    return f"{bar}_rod_1.frame_a"


def _join(draft: Draft, machine: Mechanism, meetings: dict[tuple[str, tuple[float, float]], list[str]]) -> None:
    """Rods from the frame of each bar to where its joints are, and all that meets at one place."""
    lib, count = spatial if machine.space else planar, {}
    origins = {GROUND: ["world.frame"]} | {bar.name: [f"{bar.name}.frame"] if bar.mass else [] for bar in machine.bars}
    for (bar, at), ends in meetings.items():
        if at == (0.0, 0.0):
            origins[bar] += ends
            continue
        count[bar] = count.get(bar, 0) + 1
        rod = f"{bar}_rod_{count[bar]}"
        draft.add(rod, lib.Rod, vector(machine, at))
        origins[bar].append(f"{rod}.frame_a")
        draft.frames.append((f"{rod}.frame_b", *ends))
    draft.frames += [tuple(ends) for ends in origins.values() if len(ends) > 1]


def vector(machine: Mechanism, at: Iterable[float]) -> tuple[float, ...]:
    """A vector of the plane, with a third component in space."""
    return (*at, 0.0) if machine.space else tuple(at)


def _body(machine: Mechanism, bar: Bar) -> tuple[Any, ...]:
    inertia = (bar.inertia,) * 3 if machine.space else bar.inertia
    return (spatial if machine.space else planar).Body, bar.mass, inertia, vector(machine, bar.centre)


def _joint(machine: Mechanism, joint: Joint, guessed: bool) -> tuple[Any, ...]:
    """The class of a joint, and its values given by name."""
    lib, start = spatial if machine.space else planar, start_of(machine, joint)
    kind, word = lib.Joint, "coordinates"
    along = {name: getattr(joint, name) for name in ("damping", "friction", "stiffness") if getattr(joint, name)}
    along |= {name: getattr(joint, name) for name in ("static", "lower", "upper") if getattr(joint, name) is not None}
    along |= {"rest": joint.rest} if joint.stiffness else {}
    along |= {"restitution": joint.restitution} if joint.restitution else {}
    if joint.single:
        kind, word = (lib.Revolute, "angle") if joint.turns else (lib.Prismatic, "position")
    shape = {} if joint.single else {"turns": ("z" if machine.space else True) if joint.turns else ()}
    if joint.slides:
        shape |= {"axis" if joint.single else "slides": _directions(machine, joint)}
    value = start[0] if joint.single else start
    near = value + BESIDE if joint.single and not guessed and len(machine.joints) > len(machine.bars) else value
    moved = {} if joint.path else {word: value if joint.given and not guessed else mb.Guess(near)}
    moved |= {"driven": joint.path.formula} if joint.path else {}
    if joint.speed is not None and not joint.path:
        moved["speed" if joint.single else "speeds"] = joint.speed
    return (lambda name: kind(name, **shape, **along, **moved),)


def _directions(machine: Mechanism, joint: Joint) -> Any:
    directions = [vector(machine, slide) for slide in joint.slides]
    return directions[0] if joint.single else directions


def _drive(draft: Draft, machine: Mechanism) -> None:
    """The circuit with its motor, and the controller with its actuator."""
    supply, controller = machine.supply, machine.controller
    if supply is not None:
        _circuit(draft, supply)
        draft.frames.append(("motor.flange", f"{supply.joint}.flange"))
    if controller is None:
        return
    turns = machine.joint(controller.joint).turns
    draft.add("actuator", rotational.Torque if turns else translational.Force)
    draft.add("goal", blocks.Constant, controller.goal)
    draft.add("control", blocks.DiscretePID, controller.gain, period=controller.period)
    draft.signals += [("goal.y", "control.setpoint"), (f"{controller.joint}.coordinate", "control.measured")]
    draft.signals.append(("control.y", "actuator.input"))
    draft.frames.append(("actuator.flange", f"{controller.joint}.flange"))


def _circuit(draft: Draft, supply: Supply) -> None:
    voltage = f"{supply.level} + {supply.swing}*sin({supply.rate}*t)" if supply.swing else supply.level
    draft.add("source", el.VoltageSource, voltage)
    draft.add("earth", el.Ground)
    draft.add("motor", el.DCMotor, supply.resistance, supply.inductance, supply.constant)
    chain = ["source.pin_p"]
    if supply.bridged:
        draft.add("shunt", el.Resistor, supply.bridged)
        draft.add("relay", el.Switch, f"0.5 + sin({SWITCHING}*t)")
        draft.frames.append((chain.pop(), "shunt.pin_p", "relay.pin_p"))
        chain = ["shunt.pin_n", "relay.pin_n"]
    if supply.diode:
        draft.add("valve", el.Diode)
        draft.frames.append((*chain, "valve.pin_p"))
        chain = ["valve.pin_n"]
    draft.frames += [(*chain, "motor.pin_p"), ("motor.pin_n", "source.pin_n", "earth.pin")]
