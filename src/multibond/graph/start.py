"""Start values, component by component: each is free, guessed or fixed by itself.

What the user types (`0.3`, `Guess(0.3)`, `(Guess(0.1), None, 0.3)`), what a file holds and what the solver consumes are
one value. A `Guess` is such a vector whose components are all guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.errors import Finding, ParameterError
from multibond.formula import Formula
from multibond.unit_text import DEGREES, quantity

FREE, GUESSED, FIXED = 0, 1, 2
"""What is free follows from the others, what is guessed may be moved, what is fixed is exact."""


class StartVector:
    """Numbers, each of them free, guessed or fixed; a free one is where the search for it begins.

    It stands for no numbers of itself, so that a guess never becomes a number unseen: `value` has them.
    """

    __array_ufunc__ = None

    def __init__(self, values: Any, kinds: Any) -> None:
        self.values = np.array(values, float)
        self.kinds = np.array(np.broadcast_to(kinds, self.values.shape), int)
        self.values.flags.writeable = self.kinds.flags.writeable = False

    # -- looks -------------------------------------------------------------------------------------------------------

    @property
    def value(self) -> np.ndarray:
        """The numbers."""
        return self.values

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """Number of components."""
        return self.values.size

    @property
    def free(self) -> np.ndarray:
        """Which components follow from the others."""
        return self.kinds == FREE

    @property
    def guessed(self) -> np.ndarray:
        """Which components may be moved."""
        return self.kinds == GUESSED

    @property
    def fixed(self) -> np.ndarray:
        """Which components are exact."""
        return self.kinds == FIXED

    # -- components --------------------------------------------------------------------------------------------------

    def ravel(self) -> StartVector:
        """The components one after the other."""
        return StartVector(self.values.ravel(), self.kinds.ravel())

    def take(self, components: Sequence[int] | slice) -> StartVector:
        """Some of the components."""
        index = components if isinstance(components, slice) else list(components)
        return StartVector(self.values.ravel()[index], self.kinds.ravel()[index])

    def spread(self, size: int) -> StartVector:
        """As many components as asked for; one value stands for all."""
        return StartVector(np.broadcast_to(self.values.ravel(), size), np.broadcast_to(self.kinds.ravel(), size))

    def fixing(self, components: Sequence[int], values: Any) -> StartVector:
        """The same with some components fixed at values."""
        numbers, kinds = self.values.ravel().copy(), self.kinds.ravel().copy()
        numbers[list(components)], kinds[list(components)] = values, FIXED
        return StartVector(numbers, kinds)

    def guessing(self, components: Sequence[int], values: Any) -> StartVector:
        """The same with values in the place of some components, guessed where these are not fixed."""
        numbers, kinds = self.values.ravel().copy(), self.kinds.ravel().copy()
        numbers[list(components)] = values
        kinds[list(components)] = np.where(self.fixed.ravel()[list(components)], FIXED, GUESSED)
        return StartVector(numbers, kinds)

    def without_guesses(self) -> StartVector:
        """The same with what is guessed left free."""
        return StartVector(self.values, np.where(self.guessed, FREE, self.kinds))

    def plain(self) -> Any:
        """As a user gives it: numbers where all are fixed, one number where there is one component."""
        short = StartVector(self.values.reshape(()), self.kinds.reshape(())) if self.size == 1 else self
        return short.values if short.fixed.all() else Guess(short.values) if short.guessed.all() else short

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers where all are exact; whoever takes a guess for a number is refused."""
        if not self.fixed.all():
            fact = "It may be moved to assemble the machine; here a number counts as it is."
            cure = f"Give its number, {self.values.tolist()!r}; a guess serves start values and parameters."
            raise ParameterError(Finding(f"{self!r} is no number.", fact, cure))
        return np.array(self.values, dtype)

    def __add__(self, other: Any) -> StartVector:
        return StartVector(self.values + _beside(other), np.minimum(self.kinds, _kinds_of(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> StartVector:
        return self + -1.0 * start_vector(other)

    def __rsub__(self, other: Any) -> StartVector:
        return -1.0 * self + other

    def __mul__(self, factor: Any) -> StartVector:
        return StartVector(self.values * _beside(factor), np.minimum(self.kinds, _kinds_of(factor)))

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> StartVector:
        return self * (1.0 / _beside(factor))

    def __neg__(self) -> StartVector:
        return -1.0 * self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StartVector):
            return np.array_equal(self.values, other.values) and np.array_equal(self.kinds, other.kinds)
        return np.array_equal(self.values, np.asarray(other))

    def __hash__(self) -> int:
        return hash((self.values.tobytes(), self.kinds.tobytes()))

    def __repr__(self) -> str:
        if self.guessed.all():
            typed = getattr(self, "typed", None)
            return f"Guess({self.values.tolist() if typed is None else typed!r})"
        told = [_word(v, k) for v, k in zip(self.values.ravel().tolist(), self.kinds.ravel().tolist(), strict=True)]
        return f"({', '.join(told)})"


class Guess(StartVector):
    """A start value, or a parameter, that may be moved: one number, or as many as there are components.

    Guesses of start values choose among the positions in which a machine closes; a parameter is found so that fixed
    start values hold. In a tuple some components may be guessed: `angles=(Guess(0.1), 0.2)`.
    Numbers with their units and expressions of shared parameters may stand in it, too.

    >>> Guess(0.3)
    >>> Guess("30 deg")
    """

    typed: Any = None
    """What was given, where it is more than numbers; the parameter that it is for looks at its unit."""

    def __init__(self, value: Any) -> None:
        try:
            plain = _known(value)
            if plain is not value:
                self.typed = value
            super().__init__(_numbers(plain), GUESSED)
        except (ValueError, TypeError, OverflowError) as error:
            fact = f"{str(error)[:1].upper()}{str(error)[1:]}."
            raise ParameterError(
                Finding(
                    f"a Guess cannot be {value!r}.",
                    fact,
                    "Give finite numbers, or such with their units: Guess('30 deg').",
                )
            ) from None


def _known(value: Any) -> Any:
    """The numbers that texts with units and expressions of shared parameters stand for; itself where there are none."""
    if isinstance(value, list | tuple):
        known = [_known(entry) for entry in value]
        return known if any(new is not old for new, old in zip(known, value, strict=True)) else value
    if isinstance(value, Formula) and value.shared and not value.variables:
        return value.evaluate({})
    found = quantity(value, "K" if value.strip().endswith(DEGREES) else "") if isinstance(value, str) else None
    return value if found is None else found


@dataclass(frozen=True)
class Sought:
    """A parameter that is an unknown of the start: which of its entries, and the sign it must have."""

    entries: np.ndarray
    sign: str = ""


def _word(value: float, kind: int) -> str:
    """A component as a user types it."""
    if kind == FREE or not np.isfinite(value):
        return "None"
    return f"Guess({value!r})" if kind == GUESSED else repr(value)


def _kinds_of(value: Any) -> Any:
    return value.kinds if isinstance(value, StartVector) else FIXED


def _beside(other: Any) -> np.ndarray:
    """The numbers that a guess is added to or multiplied by."""
    try:
        return start_vector(other).values
    except (TypeError, ValueError):
        fact, cure = f"It stands beside {other!r}.", "Give numbers, and guess what comes out: Guess(2 * 0.3)."
        raise ParameterError(Finding("a Guess cannot be part of an expression.", fact, cure)) from None


def _numbers(value: Any) -> np.ndarray:
    """Finite numbers, a vector or a matrix of them."""
    if isinstance(value, str):
        raise ValueError("it must be a number, not text")
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        raise ValueError("it holds numbers, and no guesses, expressions or entries left out") from None
    if not np.isfinite(array).all():
        raise ValueError("it must be finite")
    if array.ndim > 2:
        raise ValueError("it must be a number, a vector or a matrix")
    return array


def start_vector(value: Any) -> StartVector:
    """Any start value as a vector of components; None is one free component, plain numbers are fixed."""
    if isinstance(value, StartVector):
        return value
    return StartVector(0.0, FREE) if value is None else StartVector(np.asarray(value, float), FIXED)


def is_mixed(value: Any) -> bool:
    """Whether a list tells some of its components apart: guessed, or left out."""
    return isinstance(value, list | tuple) and any(entry is None or isinstance(entry, StartVector) for entry in value)


def read_mixed(value: Sequence[Any], missing: float | None = None) -> StartVector | None:
    """A list whose entries are numbers, guesses or None; nothing where all are left out.

    missing: the number that stands for None where that is an entry of its own and not a free one.
    """
    left_out = start_vector(missing) if missing is not None else StartVector(0.0, FREE)
    parts = [left_out if entry is None else _component(entry) for entry in value]
    if all(entry is None for entry in value):
        return None
    values, kinds = [float(part.values) for part in parts], [int(part.kinds) for part in parts]
    return Guess(values) if all(kind == GUESSED for kind in kinds) else StartVector(values, kinds)


def _component(entry: Any) -> StartVector:
    found = entry if isinstance(entry, StartVector) else start_vector(_numbers(entry))
    if found.shape != ():
        raise ValueError("in a list each component is one number, a Guess of one number, or None")
    return found


def joined(parts: Sequence[tuple[Any, tuple[float, ...]]]) -> StartVector | None:
    """Start values one after the other, each with what its components begin at where they are free.

    None where nothing is given at all.
    """
    if all(value is None for value, _ in parts):
        return None
    vectors = [_filled(value, np.array(default)) for value, default in parts]
    return StartVector(*(np.concatenate([getattr(v, what) for v in vectors]) for what in ("values", "kinds")))


def _filled(value: Any, default: np.ndarray) -> StartVector:
    if value is None:
        return StartVector(default, FREE)
    given = start_vector(value).ravel()
    if given.size != default.size or not given.free.any():
        return given
    return StartVector(np.where(given.free, default, given.values), given.kinds)


def starts_by_element(starts: dict[str, dict[str, Any]]) -> dict[str, dict[str, StartVector]]:
    """Start values by element and state, each as components; what is not given at all is left out."""
    if all(isinstance(v, StartVector) and v.ndim == 1 for values in starts.values() for v in values.values()):
        return starts
    return {
        path: {name: start_vector(value).ravel() for name, value in values.items() if value is not None}
        for path, values in starts.items()
    }
