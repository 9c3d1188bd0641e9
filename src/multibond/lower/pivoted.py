"""The solution with pivots chosen at run time as LLVM IR: a loop over a small dense matrix."""

from __future__ import annotations

from collections.abc import Callable

from multibond.lower.writer import INT, PTR, REAL, Array, Value, Writer


def buffer_size(kind: str, size: int) -> int:
    """Length of the memory through which such a function is called: matrix, right-hand side, solution."""
    return (size * (size + 1) // 2 if kind == "sym" else size * size) + 2 * size


def pivoted_text(kind: str, size: int, rank: int) -> str:
    """`@pivoted_KIND_SIZE_RANK(ptr memory) -> double`: reads matrix and right-hand side, leaves the solution after
    them, and returns the last pivot.
    """
    return (_symmetric if kind == "sym" else _general)(size, rank)


def _symmetric(m: int, rank: int) -> str:
    """L D Lᵀ with diagonal pivots; columns stay where they are, `order` says which were pivots."""
    w = Writer(f"pivoted_sym_{m}_{rank}", {"memory": PTR}, REAL)
    memory = w.array("memory")
    S, b, order, inverse = w.local(m * m), w.local(m), w.local(m, INT), w.local(m)
    start, place = m * (m + 1) // 2, w.variable(0, INT)
    with w.loop(m) as i:
        with w.loop(i + 1) as j:
            value = memory[place.value]
            S[i * m + j] = value
            S[j * m + i] = value
            place.set(place.value + 1)
        b[i] = memory[i + start]
        order[i] = i
    last = w.variable(1.0)
    with w.loop(rank) as k:
        _swap(w, order, k, _best(w, m, k, lambda i: S[order[i] * (m + 1)]))
        s = order[k]
        last.set(S[s * (m + 1)])
        inverse[k] = 1.0 / last.value
        with w.loop(m, start=k + 1) as i:
            r = order[i]
            factor = S[r * m + s] * inverse[k]
            b[r] = b[r] - factor * b[s]
            with w.loop(i + 1, start=k + 1) as j:
                c = order[j]
                fresh = S[r * m + c] - factor * S[c * m + s]
                S[r * m + c] = fresh
                S[c * m + r] = fresh
    x = memory.at(start + m)
    _back(w, m, rank, (S, b, inverse, order, order), x)
    w.ret(last.value)
    return w.finish()


def _general(m: int, rank: int) -> str:
    """L U with the largest entry left as pivot."""
    w = Writer(f"pivoted_lu_{m}_{rank}", {"memory": PTR}, REAL)
    memory = w.array("memory")
    S, b, rows, columns, inverse = w.local(m * m), w.local(m), w.local(m, INT), w.local(m, INT), w.local(m)
    with w.loop(m * m) as k:
        S[k] = memory[k]
    with w.loop(m) as i:
        b[i] = memory[i + m * m]
        rows[i] = i
        columns[i] = i
    last = w.variable(1.0)
    with w.loop(rank) as k:
        top, at_row, at_column = w.variable(-1.0), w.variable(k, INT), w.variable(k, INT)
        with w.loop(m, start=k) as i, w.loop(m, start=k) as j:
            here = w.fabs(S[rows[i] * m + columns[j]])
            with w.when(here > top.value):
                top.set(here)
                at_row.set(i)
                at_column.set(j)
        _swap(w, rows, k, at_row.value)
        _swap(w, columns, k, at_column.value)
        s, q = rows[k], columns[k]
        last.set(S[s * m + q])
        inverse[k] = 1.0 / last.value
        with w.loop(m, start=k + 1) as i:
            r = rows[i]
            factor = S[r * m + q] * inverse[k]
            b[r] = b[r] - factor * b[s]
            with w.loop(m, start=k + 1) as j:
                c = columns[j]
                S[r * m + c] = S[r * m + c] - factor * S[s * m + c]
    _back(w, m, rank, (S, b, inverse, rows, columns), memory.at(m * m + m))
    w.ret(last.value)
    return w.finish()


def _best(w: Writer, m: int, k: Value, value: Callable[[Value], Value]) -> Value:
    """Which of the places from k on has the largest value; of equal ones the first."""
    top, place = w.variable(value(k)), w.variable(k, INT)
    with w.loop(m, start=k + 1) as i:
        here = value(i)
        with w.when(here > top.value):
            top.set(here)
            place.set(i)
    return place.value


def _swap(w: Writer, order: Array, k: Value, other: Value) -> None:
    a, b = order[k], order[other]
    order[k] = b
    order[other] = a


def _back(w: Writer, m: int, rank: int, factors: tuple[Array, Array, Array, Array, Array], x: Array) -> None:
    """The unknowns with a pivot, the last first; the others are zero."""
    S, b, inverse, rows, columns = factors
    with w.loop(m) as i:
        x[i] = 0.0
    with w.loop(rank) as step:
        k = w.constant(rank - 1, INT) - step
        s = rows[k]
        total = w.variable(b[s])
        with w.loop(rank, start=k + 1) as j:
            c = columns[j]
            total.set(total.value - S[s * m + c] * x[c])
        x[columns[k]] = total.value * inverse[k]
