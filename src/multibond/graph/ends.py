"""What ends, names and titles may be: ports that cannot be joined, signals and bonds that end at what takes none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from multibond.errors import Finding, briefly
from multibond.graph.inert import Socket
from multibond.graph.port import FramePort, PlanarFramePort, Port, PowerPort, SignalPort, kind_of

LONGEST_TITLE = 200
"""Letters of the longest name of a model."""


def is_name(text: str) -> bool:
    """Whether a text can name a component or a port: letters, digits, '_' and '-'."""
    return bool(text) and all(c.isalnum() or c in "_-" for c in text)


def title_faults(text: Any) -> list[Finding]:
    """What is wrong with the name of a model, which stands in files, drawings and on the terminal."""
    if isinstance(text, str) and text and text.isprintable() and len(text) <= LONGEST_TITLE:
        return []
    fact = f"It is made of 1 to {LONGEST_TITLE} characters that can be printed, on one line."
    return [Finding(f"{briefly(text)} cannot be the name of a model.", fact, "Choose another name.")]


def as_given(item: Any) -> str:
    """What was given where a component is meant, as a user would type it."""
    return item.__name__ if isinstance(item, type) else briefly(item)


def to_make(item: Any) -> str:
    """The cure where a class was given instead of what it makes."""
    return f"Make one of it: {item.__name__}(...)." if isinstance(item, type) else ""


def bare_port(text: str, *, indexed: bool) -> str:
    """The port's name in "value[2]"; the text itself where no single component can be meant."""
    found = re.fullmatch(r"([^\[\]]+)\[\d{1,6}\]", text) if indexed else None
    return found[1] if found else text


def no_bonds(ports: Sequence[Port], paths: Sequence[str]) -> list[Finding]:
    """Ports that a bond cannot end at; frames have a word of their own in the check."""
    cure = "Name a power port; signal() joins signals."
    return [
        Finding(f"a bond cannot end at {path!r}.", f"It is {kind_of(port)}, which carries no power.", cure, (path,))
        for port, path in zip(ports, paths, strict=True)
        if isinstance(port, SignalPort)
    ]


def no_signals(ports: Sequence[Port], paths: Sequence[str]) -> list[Finding]:
    """Ports that a signal cannot end at."""
    findings = []
    for port, path in zip(ports, paths, strict=True):
        if not isinstance(port, SignalPort | Socket):
            cure = "Use connect() for frames, flanges and pins, bond() for elements; signals join outputs and inputs."
            findings.append(Finding(f"a signal cannot end at {path!r}.", f"It is {kind_of(port)}.", cure, (path,)))
    return findings


def unconnectable(ports: Sequence[Port], paths: Sequence[str], elements: Sequence[bool]) -> list[Finding]:
    """Ports of elements and blocks, which take bonds and signals: they are not connected."""
    own = [(port, path) for port, path, of_element in zip(ports, paths, elements, strict=True) if of_element]
    taking = [path for port, path in own if isinstance(port, PowerPort)]
    if taking:
        fact = "It is the port of an element, which takes a bond."
        cure = "Write bond() to a junction, or to the pin or flange of a part."
        return [Finding(f"{taking[0]!r} cannot be connected.", fact, cure, (taking[0],))]
    if not any(isinstance(p, SignalPort) for p, _ in own):
        return []
    if not all(isinstance(p, SignalPort | Socket) for p in ports):
        path = next(path for p, path in own if isinstance(p, SignalPort))
        fact = "It is a signal of an element or a block; other ends are none."
        return [Finding(f"{path!r} cannot be connected.", fact, "Write signal() between outputs and inputs.", (path,))]
    outputs = [k for k, p in enumerate(ports) if isinstance(p, SignalPort) and p.direction == "out"]
    first = outputs[0] if outputs else 0
    order = [paths[first], *(path for k, path in enumerate(paths) if k != first)]
    problem = f"cannot connect {paths[0]!r} to {paths[1]!r}."
    cure = f"Write signal({', '.join(map(repr, order))})."
    return [Finding(problem, "They are signals, which are led from an output to inputs.", cure, tuple(paths))]


def misfits(ports: Sequence[Port], paths: Sequence[str]) -> list[Finding]:
    """Whether ports cannot be joined: one named twice, or several kinds; those of inert boxes fit everything."""
    twice = [path for k, path in enumerate(paths) if path in paths[:k]]
    if twice:
        fact = f"The connection names it {paths.count(twice[0])} times, among {len(paths)} ends."
        cure = f"Name the port that {twice[0]!r} is to be joined to, each port once."
        return [Finding(f"cannot connect {twice[0]!r} to itself.", fact, cure, (twice[0],))]
    sure = [(port, path) for port, path in zip(ports, paths, strict=True) if not isinstance(port, Socket)]
    for port, path in sure[1:]:
        first, begin = sure[0]
        if type(port) is not type(first) or _mismatch(first, port):
            problem = f"cannot connect {begin!r} to {path!r}."
            fact = f"{begin!r} is {kind_of(first)}; {path!r} is {kind_of(port)}."
            bridge = {type(first), type(port)} == {FramePort, PlanarFramePort}
            between = "a planar Bridge" if bridge else "a converting part"
            cure = f"Connect ports of one kind, or put {between} between them."
            return [Finding(problem, fact, cure, (begin, path))]
    return []


def _mismatch(a: Port, b: Port) -> bool:
    if isinstance(a, PowerPort) and isinstance(b, PowerPort):
        sizes = a.size is not None and b.size is not None and a.size != b.size
        domains = "any" not in (a.domain.name, b.domain.name) and a.domain is not b.domain
        return sizes or domains
    if isinstance(a, SignalPort) and isinstance(b, SignalPort):
        return a.size != b.size
    return not isinstance(a, FramePort)
