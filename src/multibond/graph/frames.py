"""Frames in a graph: their members as seen from inside a part, and what they are once joined."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass

from multibond.graph.graph import Bond, Frame, PlanarFrame
from multibond.graph.port import FramePort, PlanarFramePort, PowerPort, SignalPort

Root = Callable[[str], str]
"""The terminal that stands for all that are joined to a given one."""


@dataclass(frozen=True)
class Terminal:
    """A port of a part, seen from inside or outside: elements bond to it, terminals are joined.

    select: the components of a signal that are led on, where these are not all.
    """

    path: str
    port: PowerPort | SignalPort
    select: tuple[int, ...] | None = None


@dataclass(frozen=True)
class FrameTerminals:
    """The four members of a frame port, seen from inside a part."""

    rotation: Terminal
    translation: Terminal
    attitude: Terminal
    position: Terminal


@dataclass(frozen=True)
class PlanarTerminals:
    """The three members of a planar frame port, seen from inside a part."""

    plane: Terminal
    position: Terminal
    angle: Terminal


def frame_aliases(ports: Mapping[str, FramePort], root: Root) -> dict[str, str]:
    """Every frame port can be asked for its pose and flow, whatever its joined frames are called."""
    found = {}
    for path, port in ports.items():
        for name, suffix in _asked(path, port):
            if root(name) != name:
                found[f"{name}{suffix}"] = f"{root(name)}{suffix}"
    return found


def frames_of(ports: Mapping[str, FramePort], root: Root, elements: Container[str]) -> tuple[Frame, ...]:
    """The spatial frames, one for all that are joined, where anything is bonded to them."""
    found = {}
    for path in sorted(p for p, port in ports.items() if not isinstance(port, PlanarFramePort)):
        members = [root(f"{path}.{m}") for m in ("rotation", "translation", "attitude", "position")]
        name = members[1].rsplit(".", 1)[0]
        if members[0] in elements or members[1] in elements:
            found[name] = Frame(name, *members)
    return tuple(found[name] for name in sorted(found))


def planes_of(ports: Mapping[str, FramePort], root: Root, elements: Container[str]) -> tuple[PlanarFrame, ...]:
    """The planar frames, one for all that are joined, where anything is bonded to them."""
    found = {}
    for path in sorted(p for p, port in ports.items() if isinstance(port, PlanarFramePort)):
        members = [root(f"{path}.{m}") for m in ("plane", "position", "angle")]
        if members[0] in elements:
            name = members[0].rsplit(".", 1)[0]
            found[name] = PlanarFrame(name, *members)
    return tuple(found[name] for name in sorted(found))


def apart(frames: Iterable[Frame], bonds: Iterable[Bond]) -> tuple[Frame, ...]:
    """Frames that are boundaries: where a bond joins one frame to another, one of them goes."""
    left = {f.name: f for f in frames}
    owner = {name: f.name for f in left.values() for name in (f.rotation, f.translation)}
    for bond in sorted(bonds, key=lambda b: b.name):
        ends = [owner.get(e.element) for e in (bond.tail, bond.head)]
        if all(name in left for name in ends):
            left.pop(max(name for name in ends if name is not None))
    return tuple(left.values())


def _asked(path: str, port: FramePort) -> list[tuple[str, str]]:
    """The members of a frame port, and what is asked of each."""
    owner = path.removesuffix(port.name)
    return [(f"{owner}{m.name}", ".f" if isinstance(m, PowerPort) else "") for m in port.members]
