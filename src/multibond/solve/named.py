"""Arrays with names: numbers of a mechanism that know which joint they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibond.errors import Finding, ModelError, unknown_name


class Named(np.ndarray):
    """An array whose rows have names, and whose columns have some too where it is a matrix.

    For an array of states there is one such array for each, along the first axis, and a name reads it from all of them.

    >>> tau = system.inverse_dynamics(x, a)
    >>> tau.names, tau["hip"]
    """

    names: tuple[str, ...]
    columns: tuple[str, ...]
    axis: int = 0
    """The axis of the rows: 1 for arrays of states."""

    def __new__(cls, values: Any, names: Sequence[str] = (), columns: Sequence[str] = ()) -> Named:
        return named(np.array(values, float), tuple(names), tuple(columns))

    def __array_finalize__(self, source: Any) -> None:
        self.names = self.columns = ()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Arithmetic gives plain arrays: nobody knows what the rows of a result are."""
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return np.asarray(self)[self._rows(key)]
        return np.asarray(self)[key]

    def _rows(self, key: str) -> Any:
        """Where the rows with a name lie."""
        if key in self.names:
            own: Any = self.names.index(key)
        else:
            own = [k for k, name in enumerate(self.names) if name.partition("[")[0] == key]
            if not own:
                raise unknown_name("the array", key, self.names)
        return (slice(None), own) if self.axis else own

    def to_dict(self) -> dict[str, Any]:
        """Numbers by name: of each row, or of each row by column; lists of them for arrays of states."""
        rows = np.asarray(self)
        if self.axis:
            return {name: self[name].tolist() for name in self.names}
        if self.columns:
            return {n: dict(zip(self.columns, r.tolist(), strict=True)) for n, r in zip(self.names, rows, strict=True)}
        return dict(zip(self.names, rows.tolist(), strict=True))


def named(values: np.ndarray, names: tuple[str, ...], columns: tuple[str, ...] = (), axis: int = 0) -> Named:
    """An array with names, in the same memory; axis: that of its rows."""
    made = values.view(Named)
    made.names, made.columns = names, columns
    if axis:
        made.axis = axis
    return made


def numbers(given: Any, names: Sequence[str], what: str) -> np.ndarray:
    """Numbers in the order of names, from an array or from a mapping by name; what a mapping leaves out is zero."""
    if isinstance(given, Mapping):
        out = np.zeros(len(names))
        for name, value in given.items():
            own = [k for k, n in enumerate(names) if n == name or n.partition("[")[0] == name]
            if not own:
                raise unknown_name(f"the list of {what}", name, names)
            out[own] = value
        return out
    flat = np.atleast_1d(np.asarray(given, float)).ravel()
    if flat.size != len(names):
        fact = f"There are {len(names)}: {', '.join(names)}."
        raise ModelError(Finding(f"{flat.size} {what} do not fit.", fact, "Give one for each, or a mapping by name."))
    return flat
