"""States and inputs as a user gives them, brought into arrays; what does not fit is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibond.errors import Finding, ModelError, ParameterError, WrongArgument, briefly, unknown_name

MOST = 12
"""So many names are listed."""
FINITE = "Give finite numbers."


def state_of(names: tuple[str, ...], x: Any) -> np.ndarray:
    """A state as an array, with one number for each name."""
    if isinstance(x, Mapping):
        fact = f"It is a dict; a state is an array, in the order {', '.join(names[:MOST]) or 'of no state'}."
        raise WrongArgument(Finding("x cannot have names.", fact, "Give one number for each state, as in system.x0."))
    state = np.ascontiguousarray(x, dtype=float).ravel()
    if state.size != len(names):
        listed = ", ".join(names[:MOST]) + (", …" if len(names) > MOST else "")
        fact = f"States ({len(names)}): {listed or 'none'}."
        raise ModelError(Finding(f"x cannot have {_numbers(state.size)}.", fact, "Give one number for each."))
    return state


def inputs_of(where: str, sizes: Mapping[str, int], u: Any) -> dict[str, np.ndarray]:
    """Inputs by name, from a mapping or from numbers in order; sizes: how many numbers each input has."""
    if isinstance(u, Mapping):
        return {name: _input(where, sizes, name, value) for name, value in u.items()}
    flat = np.asarray(u, float).ravel()
    if flat.size != sum(sizes.values()):
        listed = ", ".join(f"{name} ({size})" for name, size in sizes.items()) or "none"
        fact = f"Inputs: {listed}."
        raise ModelError(Finding(f"u cannot have {_numbers(flat.size)}.", fact, "Give one number for each."))
    if not np.isfinite(flat).all():
        raise ParameterError(Finding("u is not finite.", f"It is {briefly(flat.tolist())}.", FINITE))
    ends = np.cumsum(list(sizes.values()), dtype=int)
    return dict(zip(sizes, np.split(flat, ends[:-1]), strict=True)) if sizes else {}


def _input(where: str, sizes: Mapping[str, int], name: str, value: Any) -> np.ndarray:
    """One input; a single number stands for all its components."""
    if name not in sizes:
        raise unknown_name(where, name, sizes, offer="Name `Input` blocks.")
    numbers = np.asarray(value, float).ravel()
    if numbers.size not in (1, sizes[name]):
        fact = f"It has {_numbers(sizes[name])}."
        raise ModelError(Finding(f"input {name!r} cannot have {_numbers(numbers.size)}.", fact, "Give one for each."))
    if not np.isfinite(numbers).all():
        raise ParameterError(Finding(f"input {name!r} is not finite.", f"It is {briefly(numbers.tolist())}.", FINITE))
    return numbers


def _numbers(count: int) -> str:
    return f"{count} number{'' if count == 1 else 's'}"
