"""Dense linear equations as LLVM IR: triangular factors with partial pivoting, column-major."""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, Array, Value, Writer


def linear_text() -> str:
    """The functions `factorise` and `substitute`."""
    return _factorise() + _substitute()


def _factorise() -> str:
    """`factorise(a, pivots, atol, n)`: overwrite a by its factors; false where a pivot is zero or not finite.

    Rows with an infinite `atol`, which no other row depends on, are never exchanged with others.
    """
    w = Writer("factorise", {"a": PTR, "pivots": PTR, "atol": PTR, "n": INT}, BOOL)
    a, pivots, n = w.array("a"), w.array("pivots", INT), w.parameter("n")
    with w.loop(n) as k:
        column = a.at(k * n)
        row = _largest(w, column, w.array("atol"), k, n)
        pivots[k] = row
        pivot = column[row]
        with w.when(~((w.fabs(pivot) > 0.0) & (w.fabs(pivot) < float("inf")))):
            w.ret(w.constant(0, BOOL))
        with w.loop(n) as j:
            _exchange(a.at(j * n), k, row)
        inverse = 1.0 / pivot
        with w.loop(n, start=k + 1) as i:
            column[i] = column[i] * inverse
        with w.loop(n, start=k + 1) as j:
            other = a.at(j * n)
            _subtract(w, other, column, other[k], k + 1, n)
    w.ret(w.constant(1, BOOL))
    return w.finish()


def _largest(w: Writer, column: Array, atol: Array, first: Value, n: Value) -> Value:
    """Row of the largest absolute value from `first` on, among those that count."""
    best, size = w.variable(first, INT), w.variable(w.fabs(column[first]))
    with w.loop(n, start=first + 1) as i:
        candidate = w.fabs(column[i])
        better = (candidate > size.value) & (atol[i] < float("inf"))
        best.set(w.select(better, i, best.value, INT))
        size.set(w.select(better, candidate, size.value))
    return best.value


def _exchange(vector: Array, i: Value, j: Value) -> None:
    """Exchange two elements."""
    first, second = vector[i], vector[j]
    vector[i] = second
    vector[j] = first


def _subtract(w: Writer, target: Array, source: Array, factor: Value, first: Value, last: Value) -> None:
    """target -= factor * source between two indices."""
    with w.loop(last, start=first) as i:
        target[i] = target[i] - factor * source[i]


def _substitute() -> str:
    """`substitute(a, pivots, b, n)`: solve with the factors, the solution overwrites b."""
    w = Writer("substitute", {"a": PTR, "pivots": PTR, "b": PTR, "n": INT})
    a, pivots, b, n = w.array("a"), w.array("pivots", INT), w.array("b"), w.parameter("n")
    with w.loop(n) as k:
        _exchange(b, k, pivots[k])
    with w.loop(n) as k:
        _subtract(w, b, a.at(k * n), b[k], k + 1, n)
    with w.loop(n) as back:
        k = n - 1 - back
        column = a.at(k * n)
        b[k] = b[k] / column[k]
        _subtract(w, b, column, b[k], w.constant(0, INT), k)
    return w.finish()
