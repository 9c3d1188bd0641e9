"""The conditions of the formulae, each by name, and the split of the motion into independent and dependent."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.elements.blocks import Input
from multibond.errors import Finding
from multibond.expr import SX
from multibond.statespace.evaluate import Evaluator
from multibond.statespace.formulae import Numbers, Transfer, split_rows, transfer
from multibond.statespace.structure import Structure

ZERO = 1e-9
"""Entries below this fraction of the largest count as zero."""
SINGULAR = 1e-9
"""A matrix whose smallest singular value, after scaling, is below this counts as singular."""


@dataclass
class Verdict:
    """The case, the rank of T_LE, what holds and what does not."""

    case: str
    rank: int
    passed: list[tuple[str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _View:
    """The matrices at one point."""

    n: Numbers
    w: Transfer

    @property
    def T_LE(self) -> np.ndarray:
        """With entries that are nothing but rounding set to zero."""
        n, w, C = self.n, self.w, self.n.rows["u2"]
        ways = np.abs(n.block("u2", "u2")) + np.abs(n.block("u2", "L")) @ np.abs(n.R) @ np.abs(w.B["u2"])
        ways += np.abs(n.block("u2", "E")) @ np.abs(n.R_E) @ np.abs(w.A1 @ w.A["u2"])
        value = w.T["u2"][C]
        return np.where(np.abs(value) > 1e-12 * ways.max(initial=0.0), value, 0.0)

    @property
    def H4(self) -> np.ndarray:
        """J_C F T_iu2: what of H4 does not depend on speed."""
        return self.n.block("u2", "i") @ self.n.F @ self.w.T["u2"][self.n.rows["i"]]


def check(structure: Structure, points: list[list]) -> Verdict:
    """Look at several assembled states: which case it is, and whether its conditions hold."""
    views, size = _views(structure, points), structure.index("u2").size
    rank = max((size - _null(v.T_LE).shape[1] for v in views), default=0) if size else 0
    case = "unconstrained" if not size else {0: "15", size: "14"}.get(rank, "mixed")
    verdict = Verdict(case, rank)
    verdict.passed.append(("fields linear, F constant", "every storage is Z = F X with a constant F"))
    if rank:
        name = "T_LE regular" if case == "14" else "T_LE regular in the combinations of rows that it fills"
        verdict.passed.append((name, f"{rank} constraint efforts follow at once, through resistances"))
    if rank < size:
        for condition in (_no_direct_way, _known_rates, _slow_moduli, _regular):
            condition(structure, verdict, views)
    return verdict


def _views(structure: Structure, points: list[list]) -> list[_View]:
    evaluator = Evaluator(structure)
    found = [evaluator.numbers(*at) for at in points]
    return [_View(n, transfer(n)) for n in found]


def _once(view: _View, rank: int) -> np.ndarray:
    """The combinations of constraint rows that are differentiated, as columns."""
    return split_rows(view.T_LE, rank)[1]


def _no_direct_way(structure: Structure, verdict: Verdict, views: list[_View]) -> None:
    """J_CL = J_CE = 0 in the differentiated rows."""
    for letter, sentence in (("L", "a resistance"), ("E", "an Euler gyrator")):
        hit = None
        for view in views:
            N = _once(view, verdict.rank)
            through = N.T @ view.n.block("u2", letter)
            for r, c in np.argwhere(np.abs(through) > ZERO):
                hit = (int(np.abs(N[:, r]).argmax()), int(c))
        if hit is None:
            verdict.passed.append((f"J_C{letter} = 0", f"no differentiated constraint flow depends on {sentence}"))
            continue
        constraint = structure.ports[structure.index("u2")[hit[0]]][0].path
        other = structure.ports[structure.index(letter)[hit[1]]][0].path
        verdict.findings.append(
            Finding(
                f"the flow of the constraint {constraint!r} depends on {other!r}.",
                f"Condition: J_C{letter} = 0 in the rows of equation (15).",
                f"Put an inertia between {_owner(structure, constraint)!r} and {other!r}.",
                (constraint, other),
            )
        )


def _known_rates(structure: Structure, verdict: Verdict, views: list[_View]) -> None:
    """Sources that enter differentiated rows need a known rate: no run-time input, no momentum in them."""
    ground, columns = structure.ground, structure.index("u1")
    moves = np.zeros(columns.size, bool)
    for view in views:
        moves |= (np.abs(_once(view, verdict.rank).T @ view.n.block("u2", "u1")) > ZERO).any(axis=0)
    graph = ground.released.graph
    inputs = {f"{path}.value": path for path, _ in graph.of_type(Input)}
    symbols = {s.element_hash(): inputs[p] for p in inputs for s in ca.symvar(SX(graph.parameters[p][0]))}
    symbols |= {s.element_hash(): "a momentum" for s in ca.symvar(ground.X)}
    bad = {
        structure.ports[columns[k]][0].path: symbols[s.element_hash()]
        for k in np.flatnonzero(moves)
        for s in ca.symvar(structure.U1[int(k)])
        if s.element_hash() in symbols
    }
    for path, cause in bad.items():
        verdict.findings.append(
            Finding(
                f"the rate of the source {path!r} is not known.",
                f"It follows {cause!r} and moves a constraint. Condition: dU1/dt known.",
                "Give the source a formula of time, or lead its signal through a block with a state.",
                (path, cause),
            )
        )
    if not bad:
        verdict.passed.append(("dU1/dt known", "sources that move constraints are functions of time and displacement"))


def _slow_moduli(structure: Structure, verdict: Verdict, views: list[_View]) -> None:
    """The differentiated rows of J may depend on displacements whose rate needs no constraint effort."""
    C = structure.index("u2")
    rows = np.flatnonzero([any(np.abs(_once(v, verdict.rank)[k]).max() > ZERO for v in views) for k in range(C.size)])
    moved = {s.element_hash(): s.name() for s in (*ca.symvar(structure.ground.X), *_affected(structure, views))}
    for k in rows:
        symbols = ca.symvar(structure.J[int(C[k]), :])
        cause = next((moved[s.element_hash()] for s in symbols if s.element_hash() in moved), None)
        if cause is not None:
            path = structure.ports[C[k]][0].path
            verdict.findings.append(
                Finding(
                    f"the constraint {path!r} is led through a modulus that follows {cause!r}.",
                    "Condition: the rate of J_C known without the constraint effort.",
                    "Let the modulus depend on displacements of masses.",
                    (path,),
                )
            )
            return
    verdict.passed.append(("rate of J_C known", "moduli depend on displacements, whose rates momenta give"))


def _affected(structure: Structure, views: list[_View]) -> list[SX]:
    """Displacements whose rate depends on a constraint effort."""
    ground, reads = structure.ground, structure.index("read")
    moved = [k for k, row in enumerate(reads) if any(np.abs(v.w.T["u2"][row]).max(initial=0.0) > ZERO for v in views)]
    symbols = ca.vertsplit(ground.readings) if ground.readings.numel() else []
    return [
        s
        for d in ground.displacements
        for s, rate in zip(ca.vertsplit(d.symbol), ca.vertsplit(d.rate), strict=True)
        if any(ca.depends_on(rate, symbols[k]) for k in moved)
    ]


def _regular(structure: Structure, verdict: Verdict, views: list[_View]) -> None:
    """H4 regular in the differentiated rows, the efforts of the others eliminated."""
    size = structure.index("u2").size - verdict.rank
    loose = min((_free_efforts(v, verdict.rank) for v in views), key=lambda n: n.shape[1])
    rank = size - loose.shape[1]
    if rank == size:
        verdict.passed.append(("H4 regular", f"rank {rank} of {size}: no constraint repeats another"))
        return
    joints = _joints(structure, np.flatnonzero(np.abs(loose).max(axis=1) > 1e-6))
    verdict.findings.append(
        Finding(
            f"the mechanism is hyperstatic: the constraint forces of {_listed(joints)} are not unique.",
            f"Condition: H4 of equation (15) regular; its rank is {rank} of {size}, "
            f"so {size - rank} constraints repeat others.",
            "Free a direction of one of these joints, or use compile(), which makes one choice among the forces.",
            joints,
        )
    )


def _free_efforts(view: _View, rank: int) -> np.ndarray:
    """Constraint efforts (columns) that move nothing."""
    M, N = split_rows(view.T_LE, rank)
    return _null(np.vstack([M.T @ view.T_LE, N.T @ view.H4]).T)


def _null(matrix: np.ndarray) -> np.ndarray:
    """The left null space of a matrix, its rows and columns scaled to size one."""
    scaled = matrix.copy()
    for _ in range(4):
        scaled = scaled / np.maximum(np.sqrt(np.abs(scaled).max(axis=1, keepdims=True)), 1e-150)
        scaled = scaled / np.maximum(np.sqrt(np.abs(scaled).max(axis=0, keepdims=True)), 1e-150)
    left, sizes, _ = np.linalg.svd(scaled)
    return left[:, sizes <= SINGULAR * max(sizes.max(initial=0.0), 1e-140)]


def _owner(structure: Structure, path: str) -> str:
    return structure.ground.released.graph.owner(path)


def _joints(structure: Structure, rows: np.ndarray) -> tuple[str, ...]:
    C = structure.index("u2")
    return tuple(dict.fromkeys(_owner(structure, structure.ports[C[k]][0].path) for k in rows))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)


# -- independent and dependent motion ----------------------------------------------------------------------------------


def split_motion(structure: Structure, verdict: Verdict, points: list[list]) -> tuple[np.ndarray, int, dict[int, str]]:
    """Order of the energy variables (independent first), how many are independent, and why others are not.

    Each differentiated constraint makes one flow follow from the others: the one it depends on most.
    """
    i, C = structure.index("i"), structure.index("u2")
    view = _views(structure, points[-1:])[0]
    N = _echelon(_once(view, verdict.rank).T)
    G, why = N @ view.n.block("u2", "i"), dict[int, str]()
    for k in range(G.shape[0]):
        open_ones = [c for c in range(i.size) if c not in why]
        largest = np.abs(G[k]).max()
        c = max(open_ones, key=lambda c: (round(float(np.abs(G[k, c]) / largest), 6), c))
        G[k + 1 :] -= np.outer(G[k + 1 :, c] / G[k, c], G[k])
        member, lane = structure.ports[C[int(np.abs(N[k]).argmax())]]
        why[c] = f"dependent motion: the constraint {member.law.lane_name(lane)!r} fixes its flow, given the others"
    independent = [c for c in range(i.size) if c not in why]
    return np.array([*independent, *sorted(why)], int), len(independent), why


def _echelon(rows: np.ndarray) -> np.ndarray:
    """The same space of rows, each with an entry of its own that is one."""
    rows = rows.copy()
    for k in range(rows.shape[0]):
        c = int(np.abs(rows[k]).argmax())
        rows[k] /= rows[k, c]
        others = np.arange(rows.shape[0]) != k
        rows[others] -= np.outer(rows[others, c], rows[k])
    return rows
