"""Trees as links: a joint and everything rigid behind it, with the three sweeps that solve a tree in linear time.

Out: poses, flows and what depends on them. In: the articulated inertia P and bias s of everything outboard, so that the
effort needed to accelerate a frame is P a + s; each link eliminates its own unknowns (a Schur complement each joint).
Out again: unknowns and accelerations. The kernels come from the cells' own equations; links of one make share them.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from multibond.equations.cellclass import CellClass
from multibond.equations.dae import Dae, Row, backward_function, forward_function
from multibond.expr import SX, Function, column, cse, nonzeros, section

LARGEST = 8
"""A cell with more unknowns of its own is not inverted in closed form."""
UPPER = [(i, j) for i in range(6) for j in range(i, 6)]


@dataclass(frozen=True)
class Link:
    """Rows (cells) that move as one link; frame it hangs on (-1 for none), frames others hang on."""

    rows: tuple[int, ...]
    inlet: int
    outlets: tuple[int, ...]
    key: tuple[object, ...]


@dataclass(frozen=True)
class LinkKernels:
    """The three sweeps of a make of links, as functions of flat vectors.

    outward(t, x, p, pose, flow) → (pose.., flow.., carry, explicit rates)
    inward(p, carry, P.., s..) → (P, s at the inlet, kept)
    onward(p, carry, kept, a, P.., s..) → (y, a..)
    """

    outward: Function
    inward: Function
    onward: Function
    explicit: tuple[int, ...]
    rates: tuple[int, ...]


def find_links(dae: Dae) -> tuple[Link, ...] | None:
    """Group the cells into links from the world outwards, or None where the system is no tree of them."""
    home: dict[int, int] = {}
    groups: list[list[int]] = []
    inlets: list[int] = []
    for k, row in enumerate(dae.rows):
        kind = dae.classes[row.kind]
        owned = [f for f, s in zip(row.frames, kind.frames, strict=True) if s.owns_anything]
        inner = [f for f in row.frames if f not in owned]
        small = kind.y.numel() <= LARGEST and all(u.kind == "rate" for u in kind.unknowns)
        if not small or len(inner) > 1:
            return None
        joint = kind.y.numel() > 0 or not inner
        if joint:
            number = len(groups)
            groups.append([k])
            inlets.append(inner[0] if inner else -1)
        else:
            number = home[inner[0]]
            groups[number].append(k)
        for f in owned:
            home[f] = number
    needed = set(inlets)
    return tuple(_link(dae, group, inlet, needed) for group, inlet in zip(groups, inlets, strict=True))


def _link(dae: Dae, group: list[int], inlet: int, needed: set[int]) -> Link:
    local: dict[int, int] = {inlet: -1}
    shape = []
    outlets: list[int] = []
    for k in group:
        row = dae.rows[k]
        for f in row.frames:
            local.setdefault(f, len(local))
            if f in needed and f != inlet and f not in outlets:
                outlets.append(f)
        shape.append((row.kind, tuple(local[f] for f in row.frames)))
    return Link(tuple(group), inlet, tuple(outlets), (tuple(shape), tuple(local[f] for f in outlets), inlet >= 0))


# -- symbolic sweeps over one link -----------------------------------------------------------------------------------


@dataclass
class _Coefficients:
    """A cell's equations split by what they are linear in: own unknowns, inlet acceleration, effort at its outlets."""

    row: Row
    inlet: int | None
    outlets: list[int]
    rate_y: list[SX]
    rate_a: list[SX]
    rate_0: list[SX]
    residual: tuple[SX, SX, list[SX], SX]
    effort: tuple[SX, SX, list[SX], SX]


def kernels(dae: Dae, link: Link) -> LinkKernels:
    """Derive the sweeps of a make of links from one of them."""
    rows = [dae.rows[k] for k in link.rows]
    t = SX.sym("t")
    x = SX.sym("x", sum(dae.classes[r.kind].x.numel() for r in rows))
    p = SX.sym("p", sum(r.p.size for r in rows))
    pose_in, flow_in = SX.sym("pose", 12), SX.sym("flow", 6)
    pose, flow = {link.inlet: pose_in}, {link.inlet: flow_in}
    cells: list[_Coefficients] = []
    rates: list[SX] = []
    nx = np_ = 0
    for row in rows:
        kind = dae.classes[row.kind]
        own = [t, section(x, nx, nx + kind.x.numel()), section(p, np_, np_ + row.p.size)]
        nx, np_ = nx + kind.x.numel(), np_ + row.p.size
        cells.append(_split(row, kind, own, pose, flow))
        rates.append(_explicit_rates(kind, own, row, pose, flow))
    entries, table = _carried(cells, [*_symbols(p)])
    carry = SX.sym("carry", len(entries))
    swapped = _with_carry(cells, table, carry)
    inward, onward = _eliminate(link, swapped, p, carry)
    explicit, values = _explicit(dae, rows, rates)
    outward = Function(
        "outward", [t, x, p, pose_in, flow_in],
        [*(pose[f] for f in link.outlets), *(flow[f] for f in link.outlets), cse(column(entries)), column(values)],
    )  # fmt: skip
    return LinkKernels(outward, inward, onward, tuple(explicit), tuple(_rate_places(dae, rows)))


def _split(row: Row, kind: CellClass, own: list[SX], pose: dict[int, SX], flow: dict[int, SX]) -> _Coefficients:
    y = SX.sym("y", kind.y.numel())
    a = [SX.sym("a", 6) for _ in row.frames]
    effort = [SX.sym("E", 6) for _ in row.frames]
    zeros = [SX(12, 1)] * len(row.frames)
    given_pose = [pose.get(f, z) for f, z in zip(row.frames, zeros, strict=True)]
    given_flow = [flow.get(f, SX(6, 1)) for f in row.frames]
    n = len(row.frames)
    out = forward_function(kind).call([own[0], own[1], own[2], y, *given_pose, *given_flow, *a])
    back = backward_function(kind).call(
        [own[0], own[1], own[2], y, *given_pose, *given_flow, *a, *effort, SX(kind.jumps.impulse.numel(), 1)]
    )
    inlet = next((i for i, s in enumerate(kind.frames) if not s.owns_anything), None)
    outlets = [i for i, s in enumerate(kind.frames) if s.owns_anything]
    for i in outlets:
        pose[row.frames[i]], flow[row.frames[i]] = out[i], out[n + i]
    residual = back[n + 1]
    on_inlet = back[inlet] if inlet is not None else SX(6, 1)
    a_in = a[inlet] if inlet is not None else SX.sym("none", 6)
    every = [y, a_in, *(effort[i] for i in outlets)]

    def parts(expression: SX) -> tuple[SX, SX, list[SX], SX]:
        slopes = [ca.jacobian(expression, v) for v in every]
        rest = ca.substitute([expression], every, [SX.zeros(v.numel()) for v in every])[0]
        return slopes[0], slopes[1], slopes[2:], rest

    moved = [parts(out[2 * n + i]) for i in outlets]
    return _Coefficients(
        row, None if inlet is None else row.frames[inlet], [row.frames[i] for i in outlets],
        [m[0] for m in moved], [m[1] for m in moved], [m[3] for m in moved], parts(residual), parts(on_inlet),
    )  # fmt: skip


def _explicit_rates(kind: CellClass, own: list[SX], row: Row, pose: dict[int, SX], flow: dict[int, SX]) -> SX:
    """Rates of states that need no unknown (positions)."""
    frames = kind.frames
    positions = [k for k, s in _slots(kind) if s == "position"]
    if not positions:
        return SX(0, 1)
    chosen = Function(
        "rates",
        [kind.time, kind.x, kind.p, *(f.pose for f in frames), *(f.flow for f in frames)],
        [kind.xdot[positions]],
    )
    return chosen.call([*own, *(pose[f] for f in row.frames), *(flow[f] for f in row.frames)])[0]


def _slots(kind: CellClass) -> list[tuple[int, str]]:
    found, start = [], 0
    for slot in kind.states:
        found += [(start + k, slot.kind) for k in range(slot.size)]
        start += slot.size
    return found


def _explicit(dae: Dae, rows: list[Row], rates: list[SX]) -> tuple[list[int], list[SX]]:
    index, start = [], 0
    for row in rows:
        kind = dae.classes[row.kind]
        index += [start + k for k, s in _slots(kind) if s == "position"]
        start += kind.x.numel()
    return index, rates


def _rate_places(dae: Dae, rows: list[Row]) -> list[int]:
    """For each unknown of the link, which of the link's states it is the rate of."""
    places, start = [], 0
    for row in rows:
        kind = dae.classes[row.kind]
        begin = {}
        at = 0
        for slot in kind.states:
            begin[slot.element, slot.name] = at
            at += slot.size
        for slot in kind.unknowns:
            first = begin[slot.element, slot.name]
            places += [start + first + k for k in range(slot.size)]
        start += kind.x.numel()
    return places


def _symbols(vector: SX) -> list[SX]:
    return [vector[k] for k in range(vector.numel())]


def _matrices(cells: list[_Coefficients]) -> list[SX]:
    found = []
    for c in cells:
        found += [*c.rate_y, *c.rate_a, *c.rate_0]
        for group in (c.residual, c.effort):
            found += [group[0], group[1], *group[2], group[3]]
    return found


def _carried(cells: list[_Coefficients], known: list[SX]) -> tuple[list[SX], dict[int, tuple[int, float]]]:
    """The distinct entries that the later sweeps need; constants and parameters are not carried."""
    matrices = _matrices(cells)
    stacked = cse(column([nonzeros(m) for m in matrices if m.nnz()]))
    entries: list[SX] = []
    place: dict[int, int] = {}
    table: dict[int, tuple[int, float]] = {}
    skip = {k.element_hash() for k in known}
    for k in range(stacked.numel()):
        value, sign = stacked[k], 1.0
        if value.is_op(ca.OP_NEG):
            value, sign = value.dep(0), -1.0
        if value.is_constant() or value.element_hash() in skip:
            continue
        spot = place.setdefault(value.element_hash(), len(entries))
        if spot == len(entries):
            entries.append(value)
        table[k] = (spot, sign)
    return entries, table


def _with_carry(cells: list[_Coefficients], table: dict[int, tuple[int, float]], carry: SX) -> list[_Coefficients]:
    """The same coefficients with carried entries read from `carry`."""
    matrices = _matrices(cells)
    stacked = cse(column([nonzeros(m) for m in matrices if m.nnz()]))
    fresh, k = [], 0
    for m in matrices:
        values = []
        for _ in range(m.nnz()):
            spot = table.get(k)
            values.append(stacked[k] if spot is None else spot[1] * carry[spot[0]])
            k += 1
        fresh.append(SX(m.sparsity(), column(values)) if values else m)
    it = iter(fresh)
    out = []
    for c in cells:
        rate_y, rate_a, rate_0 = ([next(it) for _ in part] for part in (c.rate_y, c.rate_a, c.rate_0))
        groups = [(next(it), next(it), [next(it) for _ in g[2]], next(it)) for g in (c.residual, c.effort)]
        out.append(_Coefficients(c.row, c.inlet, c.outlets, rate_y, rate_a, rate_0, groups[0], groups[1]))
    return out


def _symmetric(values: SX) -> SX:
    full = SX(6, 6)
    for k, (i, j) in enumerate(UPPER):
        full[i, j] = values[k]
        full[j, i] = values[k]
    return full


def _upper(matrix: SX) -> SX:
    return column([matrix[i, j] for i, j in UPPER])


def _eliminate(link: Link, cells: list[_Coefficients], p: SX, carry: SX) -> tuple[Function, Function]:
    """Inward: collect articulated inertias cell by cell from the outside in. Onward: unknowns and accelerations."""
    given_P = [SX.sym("P", 21) for _ in link.outlets]
    given_s = [SX.sym("s", 6) for _ in link.outlets]
    P = {f: _symmetric(v) for f, v in zip(link.outlets, given_P, strict=True)}
    s = dict(zip(link.outlets, given_s, strict=True))
    kept: list[SX] = []
    solutions: list[tuple[SX, SX] | None] = []
    for c in reversed(cells):
        solution = _condense(c, P, s)
        solutions.append(solution)
        if solution is not None:
            kept += [ca.vec(ca.densify(solution[0])), ca.densify(solution[1])]
    kept_all = cse(column(kept)) if kept else SX(0, 1)
    empty = SX.zeros(6, 6), SX.zeros(6)
    at_inlet = (P.get(link.inlet, empty[0]), s.get(link.inlet, empty[1])) if link.inlet >= 0 else empty
    results = cse(column([_upper(ca.densify(at_inlet[0])), ca.densify(at_inlet[1]), kept_all]))
    inward = Function(
        "inward", [p, carry, *given_P, *given_s], [results[:21], results[21:27], section(results, 27, results.numel())]
    )
    return inward, _onward(link, cells, solutions[::-1], p, carry, kept_all.numel())


def _condense(c: _Coefficients, P: dict[int, SX], s: dict[int, SX]) -> tuple[SX, SX] | None:
    """Eliminate a cell's unknowns; adds its share of inertia and bias to its inlet. Returns y = -(K a + k)."""
    r_y, r_a, r_E, r_0 = c.residual
    e_y, e_a, e_E, e_0 = c.effort
    for i, f in enumerate(c.outlets):
        if f not in P:
            continue
        PA, PY, P0 = P[f] @ c.rate_a[i], P[f] @ c.rate_y[i], P[f] @ c.rate_0[i] + s[f]
        r_y, r_a, r_0 = r_y + r_E[i] @ PY, r_a + r_E[i] @ PA, r_0 + r_E[i] @ P0
        e_y, e_a, e_0 = e_y + e_E[i] @ PY, e_a + e_E[i] @ PA, e_0 + e_E[i] @ P0
    solution = None
    if r_0.numel():
        inverse = 1 / r_y if r_y.shape == (1, 1) else ca.inv(ca.densify(r_y))
        K, k = inverse @ r_a, inverse @ r_0
        e_a, e_0 = e_a - e_y @ K, e_0 - e_y @ k
        solution = (K, k)
    if c.inlet is not None:
        P[c.inlet] = P[c.inlet] + e_a if c.inlet in P else e_a
        s[c.inlet] = s[c.inlet] + e_0 if c.inlet in s else e_0
    return solution


def _onward(
    link: Link, cells: list[_Coefficients], solutions: list[tuple[SX, SX] | None], p: SX, carry: SX, size: int
) -> Function:
    """Accelerations outwards and the unknowns on the way, from what the inward sweep kept."""
    a_in, kept = SX.sym("a", 6), SX.sym("kept", size)
    a = {link.inlet: a_in if link.inlet >= 0 else SX.zeros(6)}
    place: dict[int, int] = {}
    at = 0
    for index in reversed(range(len(cells))):
        solution = solutions[index]
        if solution is not None:
            place[index] = at
            at += solution[0].numel() + solution[1].numel()
    y_all = []
    for index, c in enumerate(cells):
        y = SX(0, 1)
        solution = solutions[index]
        here = a[c.inlet] if c.inlet is not None else SX.zeros(6)
        if solution is not None:
            rows, columns = solution[0].shape
            start = place[index]
            K = ca.reshape(kept[start : start + rows * columns], rows, columns)
            k = kept[start + rows * columns : start + rows * columns + rows]
            pattern = ca.densify(solution[0])
            y = -(K @ here + k) if pattern.numel() else -k
        y_all.append(y)
        for i, f in enumerate(c.outlets):
            a[f] = c.rate_y[i] @ y + c.rate_a[i] @ here + c.rate_0[i]
    return Function("onward", [p, carry, kept, a_in], [column(y_all), *(ca.densify(a[f]) for f in link.outlets)])
