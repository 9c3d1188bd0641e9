"""The formulae of Wang, Tao & Liu (2013) in numbers, derived anew (the printed ones do not fit in their dimensions).

Fields: Z = F X, D_out = R D_in, E_out = R_E E_in. Junction structure: inputs = J (Z, D_out, U1, U2, E_out). Then
    P = (1 - J_LL R)⁻¹,    A1 = (1 - J_EE R_E - J_EL R P J_LE R_E)⁻¹,
    A_• = J_E• + J_EL R P J_L•,    B_• = P (J_L• + J_LE R_E A1 A_•),
    T_k• = J_k• + J_kL R B_• + J_kE R_E A1 A_•      for • = X (with F), u1, u2 and every row k,
so that dX/dt = T_ix X + T_iu1 U1 + T_iu2 U2. The constraint rows C, whose flow is zero, give U2:
    (14)   T_Cx X + T_Cu1 U1 + T_LE U2 = 0 with T_LE = T_Cu2, where that is regular;
    (15)   H_x X + H_u1 U1 + H4 U2 + J_Cu1 dU1/dt = 0, the same differentiated, where T_LE = 0;
    mixed  (14) in the combinations M of rows that T_LE fills, (15) in those N with Nᵀ T_LE = 0.
Printed otherwise: B3 and B4 carry F_i1 and A2 (dimensions of states), T_LE and (13) lack J_Cu2 (constraints joined by a
gyrator), H1 has T_i1i2 in the place of T_i1i1; the mixed case is not in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Numbers:
    """Matrices at one state. rows: numbers of the rows of J by field ("i", "L", "u1", "u2", "E", "read")."""

    J: Array
    F: Array
    R: Array
    R_E: Array
    U1: Array
    rows: dict[str, Array]

    def block(self, row: str, column: str) -> Array:
        """A block of J by the names of two fields."""
        return self.J[np.ix_(self.rows[row], self.rows[column])]


@dataclass(frozen=True)
class Transfer:
    """The auxiliaries, by name, and T: what states, known sources and constraint efforts contribute to every row."""

    P: Array
    A1: Array
    A: dict[str, Array]
    B: dict[str, Array]
    T: dict[str, Array]

    def inputs(self, rows: Array, X: Array, U1: Array, U2: Array) -> Array:
        """Inputs of some ports: T_x X + T_u1 U1 + T_u2 U2."""
        return self.T["x"][rows] @ X + self.T["u1"][rows] @ U1 + self.T["u2"][rows] @ U2


def transfer(n: Numbers) -> Transfer:
    """Close the fields of resistances and Euler gyrators."""
    L, E, R, R_E = n.rows["L"], n.rows["E"], n.R, n.R_E
    P = np.linalg.inv(np.eye(L.size) - n.block("L", "L") @ R)
    loop = n.block("E", "E") @ R_E + n.block("E", "L") @ R @ P @ n.block("L", "E") @ R_E
    A1 = np.linalg.inv(np.eye(E.size) - loop)
    enters = _columns(n, n.J)
    A = {name: part[E] + n.block("E", "L") @ R @ P @ part[L] for name, part in enters.items()}
    B = {name: P @ (part[L] + n.block("L", "E") @ R_E @ A1 @ A[name]) for name, part in enters.items()}
    return Transfer(P, A1, A, B, _closed(n, n.J, A1, A, B))


def _columns(n: Numbers, J: Array) -> dict[str, Array]:
    return {"x": J[:, n.rows["i"]] @ n.F, "u1": J[:, n.rows["u1"]], "u2": J[:, n.rows["u2"]]}


def _closed(n: Numbers, J: Array, A1: Array, A: dict[str, Array], B: dict[str, Array]) -> dict[str, Array]:
    """Rows of a junction structure with its resistances and Euler gyrators closed: T_k•."""
    L, E = n.rows["L"], n.rows["E"]
    return {
        name: part + J[:, L] @ n.R @ B[name] + J[:, E] @ n.R_E @ A1 @ A[name] for name, part in _columns(n, J).items()
    }


@dataclass(frozen=True)
class Rates:
    """Time derivatives that the differentiated rows need: of the constraint rows of J, and of the known sources."""

    J_C: Array
    U1: Array


@dataclass(frozen=True)
class Conditions:
    """K U2 = -k: T_LE in the combinations of rows that it fills, H4 in the others."""

    K: Array
    k: Array
    H: dict[str, Array]


def conditions(n: Numbers, w: Transfer, X: Array, rates: Rates, rank: int) -> Conditions:
    """The equations of the constraint efforts; rank: of T_LE."""
    C, i = n.rows["u2"], n.rows["i"]
    J_CF, moving = n.block("u2", "i") @ n.F, _closed(n, rates.J_C, w.A1, w.A, w.B)
    H = {name: moving[name] + J_CF @ w.T[name][i] for name in ("x", "u1", "u2")}
    T_LE = w.T["u2"][C]
    direct = w.T["x"][C] @ X + w.T["u1"][C] @ n.U1
    once = H["x"] @ X + H["u1"] @ n.U1 + n.block("u2", "u1") @ rates.U1
    M, N = split_rows(T_LE, rank)
    return Conditions(np.vstack([M.T @ T_LE, N.T @ H["u2"]]), np.concatenate([M.T @ direct, N.T @ once]), H)


def split_rows(T_LE: Array, rank: int) -> tuple[Array, Array]:
    """Combinations of constraint rows (columns) that T_LE fills, and those that it leaves zero."""
    size = T_LE.shape[0]
    if rank in (0, size):
        return np.eye(size)[:, :rank], np.eye(size)[:, rank:]
    left = np.linalg.svd(T_LE)[0]
    return left[:, :rank], left[:, rank:]
