"""The modulus of a coupler as a value: a constant matrix, or a signal that brings its entries row after row."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from multibond.elements import GY, MGY, MTF, TF
from multibond.elements.blocks import Constant
from multibond.elements.carried import MatrixInverse, MatrixProduct
from multibond.elements.couplers import Coupler
from multibond.expr import SX, constant, flat, matrix
from multibond.graph.graph import Bond, Graph
from multibond.rewrite.edit import Edit, number_of, with_values


@dataclass(frozen=True)
class Modulus:
    """A matrix of rows × columns: `value` where it is constant, else the signal's name, what is picked of it, and
    whether the entries are those of the transpose."""

    rows: int
    columns: int
    value: SX | None = None
    signal: str = ""
    select: tuple[int, ...] | None = None
    transposed: bool = False

    @property
    def T(self) -> Modulus:
        """The transpose."""
        turned = None if self.value is None else self.value.T
        other = self.value is None and not self.transposed
        return replace(self, rows=self.columns, columns=self.rows, value=turned, transposed=other)


def ports(graph: Graph, path: str) -> dict[str, Bond]:
    """The bonds of a coupler by port."""
    return {b.end(path).port: b for b in graph.bonds_of(path)}


def modulus_of(graph: Graph, path: str) -> Modulus:
    """The modulus of a coupler as it is drawn: B of a transformer (f_b = B f_a), G of a gyrator (e_a = G f_b)."""
    item, at = graph.elements[path], ports(graph, path)
    turns = isinstance(item, TF | MTF)
    rows, columns = (at["b"].size, at["a"].size) if turns else (at["a"].size, at["b"].size)
    if isinstance(item, TF | GY):
        value = item.modulus if isinstance(item.modulus, SX) else constant(item.modulus)
        whole = item.column or (value.shape[1] > 1 and value.shape != (1, 1))
        return Modulus(rows, columns, value if whole else matrix(value, columns))
    hit = graph.signal_at(path, "modulus")
    assert hit is not None
    transposed = isinstance(item, MTF) and item.transposed
    return Modulus(rows, columns, None, hit[0].name, hit[1].select, transposed)


def as_signal(edit: Edit, given: Modulus, path: str) -> Modulus:
    """The same modulus as a signal: a constant gets a block that gives it."""
    if given.value is None:
        return given
    name = edit.free(path)
    edit.add(name, with_values(Constant(_last(name)), value=ca.densify(flat(given.value)), size=given.value.numel()))
    return Modulus(given.rows, given.columns, None, edit.give(name, "y", given.value.numel()))


def product(edit: Edit, first: Modulus, second: Modulus, path: str) -> Modulus:
    """first · second: a constant, or the signal of a block that multiplies them."""
    rows, inner, columns = first.rows, first.columns, second.columns
    if first.value is not None and second.value is not None:
        return Modulus(rows, columns, first.value @ second.value)
    a, b = as_signal(edit, first, f"{path}_first"), as_signal(edit, second, f"{path}_second")
    name = edit.free(f"{path}_product")
    edit.add(name, MatrixProduct(_last(name), rows, inner, columns, a.transposed, b.transposed))
    edit.read(a.signal, name, "first", a.select)
    edit.read(b.signal, name, "second", b.select)
    return Modulus(rows, columns, None, edit.give(name, "product", rows * columns))


def inverse(edit: Edit, given: Modulus, how: str, path: str) -> Modulus:
    """The inverse: the transpose of an orthogonal modulus, a division, or a block that inverts."""
    if how == "transpose":
        return given.T
    if given.value is not None:
        square = ca.diag(1 / ca.diag(given.value)) if how == "divide" else ca.inv(given.value)
        return replace(given, value=square)
    name = edit.free(f"{path}_inverse")
    edit.add(name, MatrixInverse(_last(name), given.rows))
    edit.read(given.signal, name, "input", given.select)
    entries = given.rows * given.columns
    return Modulus(given.rows, given.columns, None, edit.give(name, "inverse", entries), None, given.transposed)


def transformer(edit: Edit, path: str, given: Modulus, how: str = "none") -> None:
    """Put in a transformer with this modulus; how: what its inverse is ("none", "transpose", "divide", "auto")."""
    name = _last(path)
    if given.value is None:
        edit.add(path, MTF(name, given.rows, given.columns, given.transposed, "none" if how == "auto" else how))
        edit.read(given.signal, path, "modulus", given.select)
    elif how == "divide":
        edit.add(path, with_values(TF(name, 1.0, "auto"), modulus=ca.diag(given.value), size=given.rows))
    else:
        column = given.columns == 1 and given.rows > 1
        edit.add(path, with_values(TF(name, 1.0, how), modulus=given.value, column=column, size=given.rows))


def gyrator(edit: Edit, path: str, given: Modulus) -> None:
    """Put in a gyrator with this modulus."""
    if given.transposed:
        given = _straight(edit, given, path)
    if given.value is None:
        edit.add(path, MGY(_last(path), given.rows, given.columns))
        edit.read(given.signal, path, "modulus", given.select)
    else:
        column = given.columns == 1 and given.rows > 1
        diagonal = given.rows == given.columns and given.value.sparsity().is_diag()
        value = ca.diag(given.value) if diagonal else given.value
        edit.add(path, with_values(GY(_last(path), 1.0), modulus=value, column=column, size=given.rows))


def _straight(edit: Edit, given: Modulus, path: str) -> Modulus:
    """A transposed signal in the order of its own rows."""
    return product(edit, given, Modulus(given.columns, given.columns, SX.eye(given.columns)), path)


def two_way(item: object) -> str:
    """How a coupler's modulus can be inverted."""
    return item.two_way() if isinstance(item, Coupler) else "none"


def declared_way(item: object) -> str:
    """What a coupler says of its inverse; "auto" where each component of a matrix goes the way its numbers allow."""
    return "auto" if isinstance(item, Coupler) and item.by_component() else two_way(item)


def is_regular(graph: Graph, given: Modulus) -> bool:
    """Whether a constant modulus is square and has an inverse."""
    if given.value is None or given.rows != given.columns:
        return False
    number = number_of(graph, given.value)
    return bool(np.linalg.cond(number) < 1e8)


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]
