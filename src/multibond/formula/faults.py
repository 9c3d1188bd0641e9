"""What can be wrong with a formula, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.errors import Finding

if TYPE_CHECKING:
    from multibond.formula.tree import Shared

WINDOW = 60
"""Characters of a formula that are shown around a fault."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The names that may be meant, or those there are."""
    names = sorted(known)
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f"Nearest: {', '.join(repr(n) for n in near)}."
    return f"Known: {', '.join(names)}." if names else "No variable can be used here."


def shown(text: str) -> str:
    """A formula in quotes, shortened where it is long."""
    return repr(text if len(text) <= WINDOW else f"{text[: WINDOW - 2]} …")


def pointed(text: str, place: int, remark: str) -> str:
    """The text with a caret under a place and a remark beside it, as two lines of a finding."""
    start = max(0, min(place - WINDOW // 2, len(text) - WINDOW))
    piece = "".join(c if c.isprintable() else " " for c in text[start : start + WINDOW])
    lead = "… " if start else ""
    trail = " …" if start + WINDOW < len(text) else ""
    return f"{lead}{piece}{trail}\n  {' ' * (len(lead) + place - start)}^ {remark}"


def unreadable(text: str, place: int, remark: str, cure: str = "Correct the formula there.") -> Finding:
    """A text that breaks the grammar at a place."""
    return Finding(f"the formula {shown(text)} cannot be read.", pointed(text, place, remark), cure)


def too_long(length: int, limit: int) -> Finding:
    """A text beyond the limit."""
    fact = f"It has {length} characters besides its lists of numbers, and {limit} are allowed."
    return Finding("the formula is too long.", fact, "Split it, or compute it with signals and blocks.")


def too_large(deepest: int, largest: int) -> Finding:
    """Too many levels or parts."""
    fact = f"It may have {deepest} levels of parentheses and {largest} numbers, names and operators."
    return Finding("the formula is too large.", fact, "Split it, or put a table in its place.")


def absurd_exponent(exponent: Any, limit: float) -> Finding:
    """A power nobody means."""
    fact = f"The exponent {shown(str(exponent))} is beyond {limit:g}."
    return Finding("the formula has an absurd exponent.", fact, "Check the exponent, or use exp.")


def not_finite(value: float) -> Finding:
    """A constant that is no number."""
    return Finding("the formula has a constant that is not finite.", f"It is {value!r}.", "Give a finite number.")


def no_value(text: str, shared: Iterable[Shared]) -> Finding:
    """A formula of numbers alone that is outside what its functions are defined for, or beyond all numbers."""
    listed = ", ".join(f"{each.name} = {np.asarray(each.value).tolist()}" for each in shared)
    fact = f"It depends on nothing that changes{f', with {listed},' * bool(listed)} and is no finite number."
    cure = "Check what it divides by, what it takes a root or a logarithm of, and its exponents."
    return Finding(f"the formula {shown(text)} has no value.", fact, cure)


def not_a_formula(value: Any) -> Finding:
    """A value that no formula can hold."""
    fact = f"It is a {type(value).__name__}; a formula is made of numbers, variables and functions of multibond."
    cure = "Use numbers, lists of numbers, mb.t, mb.sin and the like."
    return Finding("a value cannot be part of a formula.", fact, cure)


def unknown_variable(name: str, known: Iterable[str]) -> Finding:
    """A name without a value."""
    return Finding(f"the formula uses {name!r}, which is not there.", nearest(name, known), "Use one of these names.")


def bad_index(whole: Any, index: Any, size: int | None = None) -> Finding:
    """A component that a vector does not have."""
    size = whole.shape[0] if size is None and whole.shape else size
    fact = "Components are counted from 0." if size is None else f"It has the components 0 to {size - 1}."
    return Finding(f"{shown(str(whole))} has no component {index!r}.", fact, "Use one of its components.")


def no_vector(formula: Any) -> Finding:
    """A loop over a formula that is not known to be a vector."""
    return Finding(
        f"{shown(str(formula))} cannot be taken apart.",
        "It is not known to be a vector, so the number of its components is not known either.",
        "Pick components by number: q[0], q[1].",
    )


def bad_vector(*, empty: bool) -> Finding:
    """A vector of vectors, or of nothing."""
    problem = "the formula has an empty list." if empty else "the formula has a list within a list."
    return Finding(problem, "A formula is a number or a vector of numbers.", "Write one list of numbers.")


def different_lengths(lengths: Sequence[int]) -> Finding:
    """Vectors that do not fit together."""
    fact = f"They have {' and '.join(map(str, lengths))} components."
    return Finding("the formula combines vectors of different lengths.", fact, "Make them equally long.")


def no_truth(text: str, cure: str) -> Finding:
    """A formula asked for yes or no."""
    fact = "It has no value before the run, so Python's `if`, `and`, `or`, `not` and `==` cannot ask for one."
    return Finding(f"the formula {shown(text)} is neither true nor false.", fact, f"{cure}.")
