"""Drawings of machines made by chance: every kind at every depth is drawn, or refused in the program's own words.

python tests/fuzz/drawings.py --count 10000 --seed 1
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np

import multibond as mb
from multibond.errors import MultibondError

if not __package__:  # run as a script: its neighbours are found as from the tests
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.fuzz"

from .programs import Program
from .trial import command, judge

SECONDS = 60.0
"""Time on the processor after which a machine counts as hanging."""

KINDS: tuple[dict[str, Any], ...] = (
    *({"depth": depth} for depth in (1, 2, 3)),
    *({"kind": kind} for kind in ("word", "multibond", "scalar", "causal", "block")),
)
METHODS = ("auto", "zcp", "rc", "multiplier")


def attempt(seed: int, number: int) -> str:
    """Draw the machine with a number in every way."""
    program = Program(Random(f"{seed}:{number}"))
    program.folly = 0.0
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return drawn(program)
    except BaseException:
        print(f"--- case {number}", *program.lines[-12:], sep="\n    ")
        raise


def drawn(program: Program) -> str:
    """Build a machine, and draw it; the word tells how many kinds could be drawn."""
    rng = program.rng
    model = program.call(mb.Model, "m", size=rng.choice([None, None, None, 2, 3]))
    program.models.append(model)
    for _ in range(rng.randrange(1, 9)):
        program.part()
    program.join_all()
    for _ in range(rng.randrange(3)):
        program.join()
    looks = [(look, form) for look in KINDS for form in ("svg", "tikz")]
    done = [_draw(program, model, look, form) for look, form in looks]
    options = {"method": rng.choice(METHODS), "variables": rng.random() < 0.5, "causal": rng.random() < 0.5}
    _draw(program, model, {"depth": rng.choice([2, 3]), **options}, "svg")
    return f"{sum(done)} of {len(looks)} drawn"


def _draw(program: Program, model: mb.Model, look: dict[str, Any], form: str) -> bool:
    program.lines.append(f"draw {look} as {form}")
    text = told(lambda: mb.draw(model, format=form, **look))
    if text and form == "svg":
        ElementTree.fromstring(text)
        assert "nan" not in text.lower().split(), "a drawing with places that are no numbers"
    return bool(text)


def told(does: Callable[[], str]) -> str:
    """A drawing, or nothing where it is refused in our words."""
    try:
        return does()
    except MultibondError as error:
        judge(error)
        return ""


if __name__ == "__main__":
    sys.exit(command(attempt, __doc__, count=10_000, seconds=SECONDS))
