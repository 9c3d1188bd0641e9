"""What all blocks have in common: signals in, signals out, no power.

A scalar block takes and gives one number; `size=3`, or a vector among the parameters, makes it work component by
component. Inputs are called `u`, outputs `y`; where there are several they are numbered, `u_1`, `u_2`. A truth value is
a signal that is 1 (true) or 0 (false); any signal counts as true above one half.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements.kinematics import SignalElement
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.graph.component import component
from multibond.graph.port import Port, SignalPort

PERIOD = {"unit": "s", "structural": True, "sign": "positive", "shape": None}
"""What a period may be: one number  [s]. It decides where steps end, so a change needs a new compilation."""


@component
class Block(SignalElement):
    """Base of blocks: their width and the checks that all need."""

    def width(self) -> int:
        """Number of components of the signals: `size`, or the length of the longest parameter."""
        return self.size or max((length(getattr(self, name)) for name in self._vectors()), default=1)

    def _vectors(self) -> list[str]:
        """The parameters that may have one value for each component."""
        declared = self.parameters().items()
        return [name for name, about in declared if about.shape is None and not about.structural]

    def faults(self) -> list[Finding]:
        given = {name: getattr(self, name) for name in self._vectors()}
        wrong = [f"{name} has {length(v)}" for name, v in given.items() if length(v) not in (1, self.width())]
        numbers = {name: value for name, value in given.items() if not isinstance(value, SX)}
        wrong += [f"{name} is a matrix" for name, value in numbers.items() if len(getattr(value, "shape", ())) > 1]
        if not wrong:
            return []
        fact = f"The block has {self.width()} component{'s' if self.width() > 1 else ''}; {', '.join(wrong)}."
        return [fault(self, "its values do not fit together", fact, "Give one value, or one for each component.")]


@component
class Source(Block):
    """Base of blocks that only give a signal, `y`."""

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("y", self.width(), "out"),)


@component
class Through(Block):
    """Base of blocks from one signal `u` to one signal `y` of the same width."""

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("u", self.width()), SignalPort("y", self.width(), "out"))


def fault(block: Block, problem: str, fact: str, cure: str) -> Finding:
    """A fault of a block, under its name."""
    return Finding(f"{type(block).__name__} {block.name!r}: {problem}.", fact, cure, (block.name,))


def length(value: Any) -> int:
    """How many numbers a list has; one number and None count as one. A column of symbols is a list."""
    shape = getattr(value, "shape", ())
    return shape[0] if shape else 1


def numbered(name: str, count: int, size: int) -> tuple[SignalPort, ...]:
    """Inputs `name_1`, `name_2`, ..."""
    return tuple(SignalPort(f"{name}_{k + 1}", size) for k in range(count))


def single_number(block: Block, *names: str) -> list[Finding]:
    """A fault for each structural parameter that is not one number."""
    wrong = [name for name in names if getattr(block, name) is not None and np.size(getattr(block, name)) != 1]
    return [fault(block, f"{name} is not one number", "All components share it.", "Give one number.") for name in wrong]


def limit_faults(block: Any) -> list[Finding]:
    """A fault where the limits leave nothing between them."""
    limits = (block.lower, block.upper)
    if any(limit is None or isinstance(limit, SX) for limit in limits) or np.all(block.lower <= block.upper):
        return []
    return [
        fault(
            block,
            "its limits exclude everything",
            f"lower is {_list(block.lower)}, upper is {_list(block.upper)}.",
            "Let lower be below upper.",
        )
    ]


def _list(value: Any) -> str:
    return str(np.asarray(value).tolist())


def holds(at: LawWriter, level: SX) -> SX:
    """1 where the level is zero or positive, 0 elsewhere; steps of the integrator end where that changes."""
    at.edge(level)
    return level >= 0


def is_true(at: LawWriter, signal: SX) -> SX:
    """A signal as a truth value: 1 from one half on, 0 below."""
    return holds(at, signal - 0.5)


def limited(at: LawWriter, value: SX, lower: Any, upper: Any) -> SX:
    """The value kept between the limits, None standing for no limit; steps of the integrator end where one is met."""
    kept = value
    if upper is not None:
        top = vector(upper, value.numel())
        kept = ca.if_else(holds(at, value - top), top, kept)
    if lower is not None:
        bottom = vector(lower, value.numel())
        kept = ca.if_else(holds(at, bottom - value), bottom, kept)
    return kept


def clipped(value: SX, lower: Any, upper: Any) -> SX:
    """The value kept between the limits, None standing for no limit."""
    value = value if upper is None else ca.fmin(value, vector(upper, value.numel()))
    return value if lower is None else ca.fmax(value, vector(lower, value.numel()))


def whole_number(block: Block, name: str, least: int, most: float = np.inf) -> list[Finding]:
    """A fault where a count is not a whole number between two others."""
    value = np.asarray(getattr(block, name), float)
    if value.size == 1 and value == np.floor(value) and least <= value <= most:
        return []
    which = f"from {least} on" if most == np.inf else f"from {least} to {most}"
    return [fault(block, f"{name} cannot be {float(value.flat[0]):g}", "It counts.", f"Give a whole number {which}.")]
