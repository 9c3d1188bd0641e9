"""Examples compiled and run once for all tests that look at them: systems and runs never change."""

from __future__ import annotations

from functools import cache

import multibond as mb
from multibond.examples import EXAMPLES
from multibond.lower.system import System


@cache
def example(name: str, method: str = "auto") -> System:
    """An example's system."""
    return mb.compile(EXAMPLES[name](), method)  # type: ignore[arg-type]


@cache
def run_of(name: str, until: float, method: str = "auto") -> mb.Run:
    """A run of an example with the default settings."""
    return mb.simulate(example(name, method), until)
