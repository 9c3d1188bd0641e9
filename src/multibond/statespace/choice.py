"""Who gives what at the border of the junction structure.

Storages, sources, constraints and Euler gyrators have their causality; a resistance takes what is left to it. The
structure allows a space of half as many dimensions as it has port variables; a set of outputs is possible where their
rows of that space are independent. What does not fit is named, with what gives its value already.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import Constraint
from multibond.errors import Finding
from multibond.statespace.fields import EFFORT, FLOW, Member

Port = tuple[Member, int]
"""A member and the number of its lane."""

ORDER = {"u1": 0, "u2": 1, "i": 2, "E": 3, "read": 4, "L": 5}
"""Resistances come last: they can do with what is left."""
SMALL = 1e-8
OPENED = "Give the body mass and inertia, so that its joint can be opened; opened models keep theirs closed."
SEPARATE = "Put a Constraint (or a stiff C) between the two, or merge the storages."


def choose(ports: list[Port], space: np.ndarray) -> tuple[list[str], list[Finding]]:
    """What each port gives ("effort" or "flow"), and the ports that cannot give what they should.

    space: rows effort and flow of each port in turn, as columns of a basis.
    """
    gives, findings = [EFFORT] * len(ports), list[Finding]()
    basis: list[np.ndarray] = []
    taken: list[int] = []
    for k in sorted(range(len(ports)), key=lambda k: ORDER[ports[k][0].field]):
        member, lane = ports[k]
        wanted = member.gives[lane]
        options = [wanted] if wanted is not None else _options(member, lane)
        found = next((o for o in options if _new(space[2 * k + (o == FLOW)], basis) is not None), None)
        gives[k] = found or options[0]
        if found is None:
            row = 2 * k + (gives[k] == FLOW)
            others = [2 * j + (gives[j] == FLOW) for j in taken]
            findings.append(_conflict(member, lane, gives[k], [ports[j] for j in taken], space[row], space[others]))
            continue
        part = _new(space[2 * k + (found == FLOW)], basis)
        assert part is not None
        basis.append(part)
        taken.append(k)
    return gives, _once(findings)


def _options(member: Member, lane: int) -> list[str]:
    """A resistance gives the effort where it can; one told by its conductance the flow."""
    by_e = member.matrix[:, : len(member.law.lanes)]
    return [EFFORT, FLOW] if by_e[:, lane].is_constant() else [FLOW, EFFORT]


def _new(row: np.ndarray, basis: list[np.ndarray]) -> np.ndarray | None:
    """The part of a row that those before it do not have, as a unit vector; None where there is none."""
    rest = row.copy()
    for _ in range(2):
        rest = rest - sum((b * (b @ rest) for b in basis), np.zeros_like(row))
    size = np.linalg.norm(rest)
    return rest / size if size > SMALL else None


def _conflict(member: Member, lane: int, gives: str, taken: list[Port], row: np.ndarray, others: np.ndarray) -> Finding:
    name, kind = member.law.lane_name(lane), type(member.law.item).__name__
    weights = np.linalg.lstsq(others.T, row, rcond=None)[0] if len(taken) else np.zeros(0)
    causes = [taken[j] for j in np.argsort(-np.abs(weights), kind="stable") if abs(weights[j]) > 1e-6]
    paths = tuple(dict.fromkeys(m.path for m, _ in causes))
    listed = ", ".join(repr(m.law.lane_name(k)) for m, k in causes[:3]) or "nothing else"
    if member.field == "read":
        return Finding(
            f"no inertia gives the {FLOW if gives == EFFORT else EFFORT} that {name!r} reads.",
            "Condition: every storage in integral causality, so that each motion follows from a momentum.",
            "Give the bodies there mass and inertia, or an inertia at the joint's flange.",
            (member.path, *paths),
        )
    held = any(isinstance(m.law.item, Constraint) for m, _ in causes)
    return Finding(
        f"{kind} {name!r} cannot give its {gives}.",
        f"It follows from {listed} already. Condition: every storage in integral causality.",
        OPENED if held else SEPARATE,
        (member.path, *paths),
    )


def _once(findings: list[Finding]) -> list[Finding]:
    """One finding an element: its components have the same story."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.paths[0], finding)
    return list(first.values())
