"""What a system does at instants: guards of its modes, kinks, samples, and what an impulse brings about.

All of it as expressions of (t, x, y, p) of the whole system, in the order of the tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from multibond.equations.dae import Dae, Whole, inline
from multibond.equations.observe import cell_arguments
from multibond.equations.reduce import Reduced
from multibond.equations.timed import Timed
from multibond.expr import SX, Function, column


@dataclass(frozen=True)
class Instants:
    """Names and expressions; `switches`: path and mode of each guard, `updates`: path, state, lane and period.

    A jump of the dependent storages `stored` by j changes states and unknowns by the solution of
    A Y = -(push j + flow errors) and x' = rate_y Y + rate_j j; guards then have a shock guard_y Y + guard_j j.
    """

    switches: tuple[tuple[str, str], ...]
    switch_when: SX
    edges: tuple[str, ...]
    edge_where: SX
    updates: tuple[tuple[str, str, int, float], ...]
    update_to: SX
    dependents: tuple[tuple[str, str, int], ...]
    stored: SX
    push: SX
    rate_y: SX
    rate_j: SX
    guard_y: SX
    guard_j: SX


def has_instants(dae: Dae) -> bool:
    """Whether anything happens at instants at all."""
    jumps = [kind.jumps for kind in dae.classes]
    return any(j.switches or j.edges or j.updates or j.timed.levels for j in jumps)


def known(dae: Dae, whole: Whole) -> list[Timed]:
    """For each cell with conditions known by time what decides them, as expressions of the whole time and numbers."""
    found = []
    for row in dae.rows:
        kind = dae.classes[row.kind]
        timed = kind.jumps.timed
        if timed.levels:
            call = Function("timed", [kind.time, kind.p], [ca.densify(timed.where)])
            found.append(Timed(call.call([whole.t, whole.p[row.p.tolist()]])[0], timed.levels))
    return found


def instants(r: Reduced) -> Instants:
    """Gather what the cells do at instants."""
    dae, plain = r.dae, r.whole
    impulse = SX.sym("impulse", dae.nd)
    whole = inline(dae, impulse, plain)
    switches, edges, updates, dependents = [], [], [], []
    values: list[list[SX]] = [[], [], [], []]
    for row in dae.rows:
        kind, prefix = dae.classes[row.kind], row.cell.prefix
        jumps = kind.jumps
        switches += [(prefix + path, mode) for path, mode in jumps.switches]
        edges += [prefix + path for path in jumps.edges]
        updates += _update_lanes(prefix, jumps.updates)
        dependents += [(prefix + path, state, k) for path, state, k in jumps.dependents]
        wanted = [jumps.switch_when, jumps.edge_where, jumps.update_to, jumps.stored]
        if any(v.numel() for v in wanted):
            frames = kind.frames
            motion = [*(f.pose for f in frames), *(f.flow for f in frames), *(f.rate for f in frames)]
            arguments = [kind.time, kind.x, kind.p, kind.y, *motion, *(f.effort for f in frames), jumps.impulse]
            call = Function("instant", arguments, [ca.densify(v) for v in wanted])
            jump = impulse[row.d : row.d + jumps.impulse.numel()] if jumps.impulse.numel() else SX(0, 1)
            for found, value in zip(values, call.call([*cell_arguments(dae, whole, row), jump]), strict=True):
                found.append(value)
    guards, kinks, renewed, stored = (column(v) for v in values)
    balances = ca.diag(SX([0.0 if k in r.mended else 1.0 for k in range(dae.ny)]))
    push = balances @ ca.jacobian(whole.residual, impulse)
    zero = SX.zeros(dae.nd)

    def at_rest(expression: SX) -> SX:
        return ca.substitute(expression, impulse, zero) if dae.nd else expression

    return Instants(
        tuple(switches), at_rest(guards), tuple(edges), kinks, tuple(updates), renewed, tuple(dependents), stored,
        at_rest(push), at_rest(ca.jacobian(whole.xdot, plain.y)), at_rest(ca.jacobian(whole.xdot, impulse)),
        at_rest(ca.jacobian(guards, plain.y)), at_rest(ca.jacobian(guards, impulse)),
    )  # fmt: skip


def unknown_rates(r: Reduced) -> tuple[str, ...]:
    """Storages whose rate would need that of a held signal, in words."""
    dae, x = r.dae, r.whole.x
    held = [s for s in dae.states if (s.path, s.name) in _renewed(dae)]
    if not held:
        return ()
    found = instants(r) if dae.nd else None
    follows = [(path, found.stored[k]) for k, (path, *_) in enumerate(found.dependents)] if found else []
    others = [s for s in dae.states if s not in held]
    for condition in ca.vertsplit(column([r.hidden_positions, r.hidden_flows])) if r.mended else []:
        follows += [(s.path, condition) for s in others if ca.depends_on(condition, x[list(s.range)])]
    return tuple(
        dict.fromkeys(
            f"{path}: it needs the rate of the held signal {place.path!r}, which counts as zero"
            for path, value in follows
            for place in held
            if ca.depends_on(value, x[list(place.range)])
        )
    )


def _renewed(dae: Dae) -> set[tuple[str, str]]:
    """Held states, by element and name."""
    rows = [(row.cell.prefix, dae.classes[row.kind].jumps.updates) for row in dae.rows]
    return {(prefix + path, state) for prefix, updates in rows for path, state, _ in updates}


def _update_lanes(prefix: str, rows: tuple[tuple[str, str, float], ...]) -> list[tuple[str, str, int, float]]:
    """Number the components of each renewed state."""
    seen: dict[tuple[str, str], int] = {}
    found = []
    for path, state, every in rows:
        lane = seen.get((path, state), 0)
        seen[path, state] = lane + 1
        found.append((prefix + path, state, lane, every))
    return found
