"""Small Python programs made by chance: whatever a user types, only the program's own errors come out.

A program builds one or two models of parts with good, wrong and missing arguments, joins them well and badly, and calls
public functions and what their results offer.

    python tests/fuzz/programs.py --count 10000 --seed 1
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import multibond as mb
from multibond import examples
from multibond.errors import MultibondError
from multibond.graph.component import Component, Element
from multibond.graph.port import PortRef, PowerPort, SignalPort

if not __package__:  # run as a script: its neighbours are found as from the tests
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.fuzz"

from .trial import command, judge

SECONDS = 30.0
"""Time on the processor after which a program counts as hanging."""

SHELVES: tuple[ModuleType, ...] = (
    *(mb.electrical, mb.rotational, mb.translational, mb.thermal, mb.hydraulic, mb.acoustic, mb.chemical),
    *(mb.planar, mb.spatial, mb.blocks),
)
ELEMENTS = (mb.One, mb.Zero, mb.Se, mb.Sf, mb.R, mb.C, mb.I, mb.TF, mb.GY, mb.De, mb.Df, mb.MSe, mb.Switch, mb.Diode)
LOOKS: tuple[str, ...] = (
    *(
        "check",
        "draw",
        "causality",
        "equations",
        "explain",
        "count",
        "advise",
        "compile",
        "simulate",
        "stages",
        "expand",
    ),
    *("analyse", "assemble", "equilibrium", "statespace", "palette", "deg", "paths", "irrelevant", "transfer", "load"),
    *("group", "isostatic", "sweep", "activity", "stepper", "with_parameters", "check_power", "wrap", "invert"),
)
BUILDING = ("undo", "redo", "remove", "rename", "set", "expose", "place", "open", "check")
WORDS = (
    "hip",
    "a",
    "a.b",
    "a[0]",
    "",
    "0",
    "z",
    "x.y.z",
    "svg",
    "block",
    "30 deg",
    "1/t",
    "sin(t)",
    "é",
    "\x1b[0m",
    "2*",
)
MACHINES = (examples.pendulum, examples.rlc, examples.electric_circuit, examples.rectifier, examples.reaction)
"""Machines that run, for their results to be asked."""
SILENT = frozenset({"animate", "plot", "power_flow", "save", "to_netcdf"})
"""What writes files or opens windows is left alone."""


class Program:
    """A program in the making: what it holds so far, and what it has done, as text."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.lines, self.held = rng, list[str](), list[Any]()
        self.models: list[mb.Model] = []
        self.outcome = "well"
        self.folly = rng.choice([0.0, 0.1, 1.0])
        """How much is typed wrong."""
        self.shelf = rng.choice(SHELVES)

    def call(self, does: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What a call gives; None where it is refused in our words."""
        self.lines.append(f"{getattr(does, '__qualname__', does)}{given!r:.200} {named!r:.200}")
        try:
            return does(*given, **named)
        except MultibondError as error:
            judge(error)
            self.outcome = type(error).__name__
            return None

    # -- values --------------------------------------------------------------------------------------------------------

    def odd(self) -> Any:
        """A value that hardly anything takes."""
        rng = self.rng
        plain = [None, True, -1, 0, 3, -2.5, 1e300, 1e-300, float("nan"), float("inf"), b"x", object(), {}, [], (), int]
        plain += [
            (1.0, 2.0),
            [1.0, None],
            ((1.0, 2.0), (3.0, 4.0)),
            np.zeros(3),
            np.eye(2),
            {"a": 1},
            lambda x: x,
            10**400,
        ]
        plain += [mb.t, mb.sin(mb.t), mb.Guess(0.3), Path("nowhere.mbg"), *self.held[-3:], *self.models[-1:], *WORDS]
        return rng.choice(plain)

    def word(self) -> Any:
        """A name of something in a model, or a value that stands beside one."""
        parts = [part for model in self.models for part in model.components]
        names = [part.name for part in parts] + [f"{part.name}.{port.name}" for part in parts for port in part.ports()]
        runs = [held for held in self.held if isinstance(held, mb.Run)]
        names += list(runs[-1].names[:30]) if runs else []
        return self.rng.choice([*names, [names[0]], {names[0]: 1.0}, [0.0, 0.1]] if names else ["a"])

    def number(self) -> Any:
        """A value that many parameters take."""
        return self.rng.choice([1.0, 0.5, 2.0, 0.0, 1, 10.0, 1e-3, (1.0, 2.0, 3.0), "sin(t)", "z", 1.0, 1.0])

    def part(self) -> None:
        """Add a part, an element or a block, most often with arguments that it takes."""
        rng = self.rng
        shelf = self.shelf if rng.random() < 0.7 else rng.choice(SHELVES)
        kind = rng.choice(ELEMENTS) if rng.random() < 0.4 else rng.choice(shelf.ALL)
        listed = [p for p in inspect.signature(kind).parameters.values() if p.name != "name"]
        named = {p.name: self.number() for p in listed if p.default is p.empty}
        if rng.random() < self.folly:
            named |= {p.name: self.odd() for p in listed if rng.random() < 0.15}
        for lost in [name for name in named if rng.random() < 0.1 * self.folly]:
            del named[lost]
        if rng.random() < 0.1 * self.folly:
            named["damp"] = 1.0
        sane = rng.random() > 0.1 * self.folly
        name = [f"{rng.choice('abcdefgh')}{len(self.lines)}"] if sane else [] if rng.random() < 0.5 else [self.odd()]
        made = self.call(kind, *name, **named)
        if isinstance(made, Component) and self.models:
            self.call(rng.choice(self.models).add, made if rng.random() < 0.97 else self.odd())

    def end(self) -> Any:
        """Something to join: a port, a name of one, a part, or what is none of these."""
        rng, parts = self.rng, [part for model in self.models for part in model.components]
        if not parts or rng.random() < 0.05:
            return self.odd()
        part = rng.choice(parts)
        ports = [port.name for port in part.ports()]
        if not ports or rng.random() < 0.15:
            return part if rng.random() < 0.7 else part.name
        port = rng.choice(ports)
        if rng.random() < 0.6:
            return f"{part.name}.{port}" if rng.random() < 0.9 else f"{part.name}.{port}[{rng.randrange(4)}]"
        return PortRef(part.name, port) if rng.random() < 0.2 else self.call(getattr, part, port)

    def join(self) -> None:
        """Join ends by chance, or those that fit."""
        model = self.rng.choice(self.models)
        verb = self.rng.choice(["connect", "connect", "bond", "bond", "signal", "equate"])
        self.call(getattr(model, verb), *[self.end() for _ in range(self.rng.choice([2, 2, 2, 2, 3, 1]))])

    def join_all(self) -> None:
        """Join what fits: pins of one domain, elements to a junction."""
        for model in self.models:
            groups: dict[Any, list[str]] = {}
            for part in model.components:
                for port in part.ports():
                    key = (type(port), getattr(getattr(port, "domain", None), "name", ""))
                    if isinstance(part, Element) and isinstance(port, PowerPort):
                        continue
                    groups.setdefault(key, []).append(f"{part.name}.{port.name}")
            for (kind, _), ends in groups.items():
                self.rng.shuffle(ends)
                join = model.signal if kind is SignalPort else model.connect
                for k in range(1, len(ends)):
                    if self.rng.random() < 0.7:
                        self.call(join, ends[k - 1], ends[k])
            junction = next((p for p in model.components if isinstance(p, mb.One | mb.Zero)), None)
            for part in model.components if junction is not None else ():
                if part is not junction and isinstance(part, ELEMENTS):
                    self.call(model.bond, *self.rng.sample([part, junction], 2))

    # -- looking -------------------------------------------------------------------------------------------------------

    def change(self) -> None:
        """Call one of the commands of a model with arguments by chance."""
        model, verb = self.rng.choice(self.models), self.rng.choice(BUILDING)
        names = [part.name for part in model.components] or ["a"]
        texts = [
            self.rng.choice([*names, *WORDS]),
            f"{self.rng.choice(names)}.{self.rng.choice(('mass', 'angle', 'q'))}",
        ]
        count = self.rng.choice([0, 1, 1, 2, 2, 3])
        self.call(getattr(model, verb), *[self.rng.choice([*texts, self.number(), self.odd()]) for _ in range(count)])

    def look(self) -> None:
        """Call one of the public functions, most often with a model."""
        rng, word = self.rng, self.rng.choice(LOOKS)
        does = getattr(mb, word)
        given: list[Any] = [rng.choice(self.models) if rng.random() > 0.2 * self.folly else self.odd()]
        if word in ("simulate", "compare", "activity"):
            given.append(0.01 if rng.random() > 0.2 * self.folly else self.odd())
        else:
            needed = [p for p in inspect.signature(does).parameters.values() if p.default is p.empty][1:]
            given += [self.word() for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD]
        given += [self.odd() for _ in range(rng.choice([0, 1, 2]) if rng.random() < self.folly else 0)]
        listed = [p.name for p in inspect.signature(does).parameters.values() if p.kind is p.KEYWORD_ONLY]
        named = {name: self.odd() for name in listed if rng.random() < 0.2 * self.folly}
        named |= {"nonsense": 1} if rng.random() < 0.02 else {}
        made = self.call(does, *given, **named)
        if made is not None:
            self.held.append(made)

    def ask(self) -> None:
        """Ask a result for something that it offers, or does not."""
        ours = [h for h in (*self.held, *self.models) if type(h).__module__.startswith("multibond")]
        ours = [h for h in ours if not isinstance(h, str | np.ndarray | Enum)]  # these answer as Python's own do
        if not ours:
            return
        thing, rng = self.rng.choice(ours), self.rng
        if rng.random() < 0.3:
            if hasattr(type(thing), "__getitem__"):
                names = list(getattr(thing, "names", ())) if isinstance(thing, mb.Run) else []
                found = self.call(lambda key: thing[key], rng.choice([*names[:20], self.odd()]))
                self._keep(self.call(found, rng.choice([0.0, 0.005, self.odd()])) if callable(found) else found)
            return
        offers = [name for name in dir(thing) if not name.startswith("_") and name not in SILENT]
        name = rng.choice([*offers, rng.choice(WORDS), "lenght"])
        found = self.call(getattr, thing, name)
        if inspect.isroutine(found) and hasattr(found, "__border__"):
            values = [self.odd() if rng.random() < 0.5 else self.word() for _ in range(rng.choice([0, 0, 1, 1, 2]))]
            found = self.call(found, *values)
        if rng.random() < 0.1:
            self.call(setattr, thing, "damping" if not isinstance(thing, mb.Model) else "name", self.odd())
        self._keep(found)
        self.call(repr, thing)

    def _keep(self, found: Any) -> None:
        if found is not None and type(found).__module__.startswith("multibond") and len(self.held) < 20:
            self.held.append(found)


def attempt(seed: int, number: int) -> str:
    """Run the program with a number."""
    program = Program(Random(f"{seed}:{number}"))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return run(program)
    except BaseException:
        print(f"--- case {number}", *program.lines[-4:], sep="\n    ")
        raise


def run(program: Program) -> str:
    """Build, join, look and ask."""
    rng = program.rng
    for name in ("m", "n")[: rng.choice([1, 1, 2])]:
        size = {"size": rng.choice([1, 2, 3, program.odd()])} if rng.random() < 0.15 else {}
        made = program.call(mb.Model, name if rng.random() < 0.95 else program.odd(), **size)
        program.models += [made] if isinstance(made, mb.Model) else []
    if not program.models:
        return program.outcome
    if rng.random() < 0.3:
        program.models = [rng.choice(MACHINES)()]
    else:
        for _ in range(rng.randrange(1, 7)):
            program.part()
        if rng.random() < 0.8:
            program.join_all()
    for _ in range(rng.randrange(4) if rng.random() < program.folly else 0):
        program.join()
    for _ in range(rng.randrange(3) if rng.random() < program.folly else 0):
        program.change()
    for _ in range(rng.randrange(1, 5)):
        program.look()
        for _ in range(rng.randrange(3)):
            program.ask()
    return program.outcome


if __name__ == "__main__":
    sys.exit(command(attempt, __doc__, count=10_000, seconds=SECONDS))
