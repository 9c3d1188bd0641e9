"""Cell → equations: walk the cell in causal order and write everything in terms of states and few unknowns.

Inputs of a cell: time, its states x, its parameters p, its unknowns y (rates of joint flows, multipliers, torn
variables), the motion of the frames it is attached to, and the effort that others put on the frames it moves.
Outputs: the motion of the frames it moves, the effort on the others, the rates of its states, and residuals to vanish.
Dependent storages are differentiated once, by automatic differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from multibond.elements import Constraint, Motion
from multibond.equations.cells import Cell
from multibond.equations.order import dependencies, schedule, substitute_all
from multibond.equations.writing import Sheet, law_of, signal_ports, write_junction, write_law, write_sum
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column, flat, square
from multibond.graph.graph import Bond, Frame, Graph, Reader
from multibond.rotation import skew
from multibond.structure.causality import HEAD, TAIL, Causality
from multibond.structure.tree import Tree


@dataclass(frozen=True)
class FrameSymbols:
    """A frame as a cell sees it: pose, flow, rate of flow, and the effort that other cells put on it."""

    attitude: SX
    position: SX
    flow: SX
    rate: SX
    effort: SX
    owns_rotation: bool
    owns_translation: bool
    owns_attitude: bool
    owns_position: bool

    @property
    def owns_anything(self) -> bool:
        """Whether the cell decides any part of the frame's motion."""
        return self.owns_rotation or self.owns_translation or self.owns_attitude or self.owns_position

    @property
    def pose(self) -> SX:
        """Attitude and position in one column."""
        return column([self.attitude, self.position])


@dataclass(frozen=True)
class Slot:
    """A stretch of a cell's states or unknowns: whose, which, how long, and of what kind."""

    element: str
    name: str
    size: int
    kind: str


@dataclass(frozen=True)
class CellClass:
    """The equations of a class of cells, as expressions of its own symbols."""

    name: str
    time: SX
    x: SX
    p: SX
    y: SX
    frames: tuple[FrameSymbols, ...]
    states: tuple[Slot, ...]
    unknowns: tuple[Slot, ...]
    pose_out: tuple[SX, ...]
    flow_out: tuple[SX, ...]
    rate_out: tuple[SX, ...]
    effort_out: tuple[SX, ...]
    xdot: SX
    residual: SX
    held_flow: SX
    gap: SX
    values: dict[str, SX]
    energy: dict[str, SX]


@dataclass
class _Walk:
    """Working data while one class is assembled."""

    graph: Graph
    tree: Tree
    causality: Causality
    givers: dict[str, Reader]
    cell: Cell
    sheet: Sheet
    time: SX
    frames: list[FrameSymbols]
    states: list[tuple[Slot, SX]]
    rates: dict[int, SX]
    dependent: list[tuple[SX, SX]]
    balances: list[tuple[Slot, SX]]
    multipliers: list[tuple[Slot, SX, SX, SX]]


def assemble(
    graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader], cell: Cell, name: str
) -> CellClass:
    """Derive the equations of a class from one of its cells."""
    walk = _start(graph, tree, causality, givers, cell)
    for path in cell.elements:
        _write_element(walk, path)
    _write_frames(walk)
    return _finish(walk, name)


def _start(graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader], cell: Cell) -> _Walk:
    effort = {b.name: SX.sym(f"e:{b.name}", b.size) for b in cell.bonds}
    flow = {b.name: SX.sym(f"f:{b.name}", b.size) for b in cell.bonds}
    signal = {s.name: SX.sym(f"s:{s.name}", s.size) for s in cell.signals}
    giver = {
        b.name: [{TAIL: b.tail, HEAD: b.head}[side].element for side in causality.flow_from[b.name]] for b in cell.bonds
    }
    sheet = Sheet(effort, flow, signal, giver)
    frames = [_frame_symbols(cell, givers, frame, sheet, k) for k, frame in enumerate(cell.frames)]
    return _Walk(graph, tree, causality, givers, cell, sheet, SX.sym("t"), frames, [], {}, [], [], [])


def _frame_symbols(cell: Cell, givers: dict[str, Reader], frame: Frame, sheet: Sheet, k: int) -> FrameSymbols:
    own = set(cell.elements)

    def moves(junction: str) -> bool:
        return any(sheet.giver[b.name][0] in own for b in cell.bonds if junction in (b.tail.element, b.head.element))

    def computes(signal: str) -> bool:
        return signal in givers and givers[signal].element in own

    return FrameSymbols(
        SX.sym(f"A{k}", 9),
        SX.sym(f"p{k}", 3),
        SX.sym(f"v{k}", 6),
        SX.sym(f"a{k}", 6),
        SX.sym(f"E{k}", 6),
        moves(frame.rotation),
        moves(frame.translation),
        computes(frame.attitude),
        computes(frame.position),
    )


# -- elements --------------------------------------------------------------------------------------------------------


def _write_element(walk: _Walk, path: str) -> None:
    item = walk.graph.elements[path]
    bonds = list(walk.graph.bonds_of(path))
    if item.causality in ("one", "zero"):
        if bonds:
            write_junction(walk.sheet, path, item.causality == "one", bonds)
    elif item.causality == "sum":
        write_sum(walk.sheet, path, item, bonds)
    else:
        _write_law(walk, path, item, bonds)


def _write_law(walk: _Walk, path: str, item: Any, bonds: list[Bond]) -> None:
    signals, gives = _signals_of(walk, path, item)
    role = walk.tree.role.get(path, "cut" if isinstance(item, Motion) else "")
    sizes = {"port": sum(b.size for b in bonds), **{b.end(path).port: b.size for b in bonds}}
    states = {name: SX.sym(f"{path}.{name}", size) for name, size in item.states(sizes).items()}
    law = law_of(walk.sheet, path, item, bonds, signals, states=states, gives_signal=gives, time=walk.time, role=role)
    if isinstance(item, Motion) and role != "cut":
        _write_state_flow(walk, path, law, bonds)
    elif isinstance(item, Constraint) and not walk.sheet.gives_flow(bonds[0], path, 0):
        _write_multiplier(walk, path, law, bonds[0])
    else:
        _write_storage(walk, path, law, bonds, states)
    for port, value in law.outputs.items():
        hit = walk.graph.signal_at(path, port)
        if hit is not None and value.numel():
            walk.sheet.assign(walk.sheet.signal[hit[0].name], value)
        elif value.numel():
            walk.sheet.unread[f"{path}.{port}"] = value
    if law.energy is not None:
        walk.sheet.energy[path] = law.energy


def _signals_of(walk: _Walk, path: str, item: Any) -> tuple[dict[str, SX], dict[str, bool]]:
    signals: dict[str, SX] = {}
    gives: dict[str, bool] = {}
    for port in signal_ports(item):
        hit = walk.graph.signal_at(path, port.name)
        if hit is None:
            gives[port.name] = False
            continue
        value = walk.sheet.signal[hit[0].name]
        signals[port.name] = value if hit[1].select is None else value[list(hit[1].select)]
        giver = walk.givers.get(hit[0].name)
        gives[port.name] = giver is not None and (giver.element, giver.port) == (path, port.name)
    return signals, gives


def _add_state(walk: _Walk, slot: Slot, symbol: SX, rate: SX) -> None:
    walk.rates[len(walk.states)] = rate
    walk.states.append((slot, symbol))


def _write_state_flow(walk: _Walk, path: str, law: Any, bonds: list[Bond]) -> None:
    """A joint of the tree: its flow u is a state, the balance of its effort a residual (as on a vanishing inertia)."""
    q, size = law.states["q"], sum(b.size for b in bonds)
    u = SX.sym(f"{path}.u", size)
    order = sorted(bonds, key=lambda b: _lane(b.end(path).port))
    start = 0
    for bond in order:
        sign = 1 if bond.into(path) else -1
        walk.sheet.assign(walk.sheet.flow[bond.name], sign * u[start : start + bond.size])
        start += bond.size
    _add_state(walk, Slot(path, "q", q.numel(), "position"), q, law.rates["q"])
    _add_state(walk, Slot(path, "u", size, "flow"), u, SX.sym(f"d:{path}.u", size))
    walk.balances.append((Slot(path, "u", size, "rate"), -law.relations[0]))


def _lane(port: str) -> int:
    """The number of a scalar port of a split element."""
    return int(port.rpartition("_")[2]) if "_" in port else 0


def _write_multiplier(walk: _Walk, path: str, law: Any, bond: Bond) -> None:
    """A constraint whose flow is given: its effort is an unknown, its flow must stay zero."""
    force = SX.sym(f"{path}.e", bond.size)
    walk.sheet.assign(walk.sheet.effort[bond.name], force)
    hit = walk.graph.signal_at(path, "gap")
    gap = law.signals["gap"] if hit is not None else SX(0, 1)
    walk.multipliers.append((Slot(path, "e", bond.size, "multiplier"), force, law.relations[0], gap))


def _write_storage(walk: _Walk, path: str, law: Any, bonds: list[Bond], states: dict[str, SX]) -> None:
    """Any other law. A state whose rate the element itself must give is dependent: that rate is a derivative."""
    free: list[SX] = []
    for name, symbol in states.items():
        if name not in law.rates:
            continue
        held = _dependent_components(walk, path, law.rates[name], bonds)
        keep = [k for k in range(symbol.numel()) if k not in held]
        if keep:
            _add_state(walk, Slot(path, name, len(keep), "storage"), symbol[keep], law.rates[name][keep])
        free.extend(symbol[k] for k in held)
    dependent = write_law(walk.sheet, path, law, bonds, column(free))
    if free:
        given = column(
            [v for name in states if name in law.rates for v in _given_rates(walk, path, law.rates[name], bonds)]
        )
        symbol = SX.sym(f"D:{path}", len(free))
        walk.dependent.append((dependent, symbol))
        walk.sheet.assign(given, symbol * _given_sign(law, given))


def _dependent_components(walk: _Walk, path: str, rate: SX, bonds: list[Bond]) -> list[int]:
    """Components of a state whose rate the element itself must give."""
    given = _given(walk, path, bonds)
    return [k for k in range(rate.numel()) if any(ca.depends_on(rate[k], v) for v in given)]


def _given(walk: _Walk, path: str, bonds: list[Bond]) -> list[SX]:
    return [
        (walk.sheet.flow if walk.sheet.gives_flow(b, path, k) else walk.sheet.effort)[b.name][k]
        for b in bonds
        for k in range(b.size)
    ]


def _given_rates(walk: _Walk, path: str, rate: SX, bonds: list[Bond]) -> list[SX]:
    given = _given(walk, path, bonds)
    return [v for k in range(rate.numel()) for v in given if ca.depends_on(rate[k], v)]


def _given_sign(law: Any, given: SX) -> SX:
    rates = column(list(law.rates.values()))
    signs = [
        sum(float(ca.DM(ca.jacobian(rates[k], v))) for k in range(rates.numel()) if ca.depends_on(rates[k], v))
        for v in ca.vertsplit(given)
    ]
    return column([SX(s) for s in signs])


# -- frames ----------------------------------------------------------------------------------------------------------


def _write_frames(walk: _Walk) -> None:
    for frame, symbols in zip(walk.cell.frames, walk.frames, strict=True):
        for junction, part, owned in (
            (frame.rotation, slice(0, 3), symbols.owns_rotation),
            (frame.translation, slice(3, 6), symbols.owns_translation),
        ):
            _write_frame_bonds(walk, junction, symbols.flow[part], symbols.effort[part], owned)
        for name, symbol, owned in (
            (frame.attitude, symbols.attitude, symbols.owns_attitude),
            (frame.position, symbols.position, symbols.owns_position),
        ):
            if name in walk.sheet.signal and not owned:
                walk.sheet.assign(walk.sheet.signal[name], symbol)


def _frame_bonds(walk: _Walk, junction: str) -> list[Bond]:
    return [b for b in walk.cell.bonds if junction in (b.tail.element, b.head.element)]


def _write_frame_bonds(walk: _Walk, junction: str, flow: SX, effort: SX, owned: bool) -> None:
    bonds = _frame_bonds(walk, junction)
    owner = next((b for b in bonds if walk.sheet.giver[b.name][0] != junction), None) if owned else None
    common = flow if owner is None else walk.sheet.flow[owner.name]
    total = SX(0) if owner is None else effort
    for bond in bonds:
        if bond is not owner:
            walk.sheet.assign(walk.sheet.flow[bond.name], common)
            total = total + (1 if bond.into(junction) else -1) * walk.sheet.effort[bond.name]
    if owner is not None:
        walk.sheet.assign(walk.sheet.effort[owner.name], -total if owner.into(junction) else total)


def _effort_on(walk: _Walk, junction: str, owned: bool) -> SX:
    if owned:
        return SX(3, 1)
    total = SX(3, 1)
    for bond in _frame_bonds(walk, junction):
        total = total + (1 if bond.into(junction) else -1) * walk.sheet.effort[bond.name]
    return total


# -- from assignments to expressions ---------------------------------------------------------------------------------


def _finish(walk: _Walk, name: str) -> CellClass:
    variables, definitions = column(walk.sheet.variables), column(walk.sheet.definitions)
    order, torn = schedule(definitions, variables)
    tears = SX.sym("tear", len(torn))
    differentiated = column([symbol for _, symbol in walk.dependent])
    values, torn_values = substitute_all(variables, definitions, order, torn, tears)

    def solved(expression: SX) -> SX:
        return ca.substitute(expression, variables, values) if variables.numel() and expression.numel() else expression

    x = column([symbol for _, symbol in walk.states])
    rates = [_position_rate(slot, solved(walk.rates[k]), k) for k, (slot, _) in enumerate(walk.states)]
    clock = _Clock(walk, x, column(rates), tears, torn_values)
    arguments = [solved(value) for value, _ in walk.dependent]
    held = column([solved(flow) for _, _, flow, _ in walk.multipliers])
    moved = [_moved_flow(walk, solved, k) for k in range(len(walk.frames))]
    first = column([*arguments, held, *moved])
    if differentiated.numel() and ca.depends_on(first, differentiated):
        raise StructureError(_nested(walk))
    rate_of_first = clock.derivative(first)
    count = column(arguments).numel()
    replace = [(differentiated, rate_of_first[:count])] if count else []
    return _compose(
        walk, name, x, rates, clock, tears, torn_values - tears, solved, replace, rate_of_first[count:], held, moved
    )


def _position_rate(slot: Slot, rate: SX, k: int) -> SX:
    """Rates of positions are explicit; others are symbols until it is known whether they are needed."""
    return rate if slot.kind in ("position", "flow") else SX.sym(f"r{k}", slot.size)


class _Clock:
    """Total time derivatives inside a cell."""

    def __init__(self, walk: _Walk, x: SX, rates: SX, tears: SX, torn_values: SX) -> None:
        base, speed = [x], [rates]
        for symbols in walk.frames:
            base += [symbols.attitude, symbols.position, symbols.flow]
            speed += [flat(square(symbols.attitude) @ skew(symbols.flow[:3])), symbols.flow[3:], symbols.rate]
        self.base, self.speed = column([walk.time, *base]), column([SX(1), *speed])
        self.tears, self.tear_rates = tears, SX.sym("tear_rate", tears.numel())
        self.tear_residual = torn_values - tears
        self.used_tears = False

    def derivative(self, expression: SX) -> SX:
        """d/dt of an expression of the cell's symbols."""
        if not expression.numel():
            return expression
        rate = ca.jtimes(expression, self.base, self.speed)
        if self.tears.numel() and ca.depends_on(expression, self.tears):
            self.used_tears = True
            rate += ca.jtimes(expression, self.tears, self.tear_rates)
        return rate


def _moved_flow(walk: _Walk, solved: Any, k: int) -> SX:
    """Flow of a frame that the cell moves; zero length where it moves neither rotation nor translation."""
    frame, symbols = walk.cell.frames[k], walk.frames[k]
    parts = []
    for junction, part, owned in (
        (frame.rotation, slice(0, 3), symbols.owns_rotation),
        (frame.translation, slice(3, 6), symbols.owns_translation),
    ):
        owner = next((b for b in _frame_bonds(walk, junction) if walk.sheet.giver[b.name][0] != junction), None)
        parts.append(solved(walk.sheet.flow[owner.name]) if owned and owner is not None else symbols.flow[part])
    return column(parts)


def _nested(walk: _Walk) -> Finding:
    paths = sorted({path for path, lanes in walk.causality.dependent if path in walk.cell.elements})
    names = ", ".join(repr(p) for p in paths)
    return Finding(
        "a dependent storage feeds back into its own flow.",
        f"The storages {names} are set through elements whose flow depends on their own effort.",
        "Put an I or a C where the flow is decided, or remove the dependent storage.",
        tuple(paths),
    )


def _compose(
    walk: _Walk, name: str, x: SX, rates: list[SX], clock: _Clock, tears: SX, tear_residual: SX, solved: Any,
    replace: list[tuple[SX, SX]], tail: SX, held: SX, moved: list[SX],
) -> CellClass:  # fmt: skip
    def final(expression: SX) -> SX:
        expression = solved(expression)
        for old, new in replace:
            expression = ca.substitute(expression, old, new)
        return expression

    explicit = [final(walk.rates[k]) if slot.kind == "storage" else rates[k] for k, (slot, _) in enumerate(walk.states)]
    efforts = tuple(
        column(
            [
                final(_effort_on(walk, f.rotation, s.owns_rotation)),
                final(_effort_on(walk, f.translation, s.owns_translation)),
            ]
        )
        for f, s in zip(walk.cell.frames, walk.frames, strict=True)
    )
    rows = [(slot, rates[k]) for k, (slot, _) in enumerate(walk.states) if slot.kind == "flow"]
    unknowns = [(Slot(slot.element, "u", slot.size, "rate"), symbol) for slot, symbol in rows]
    residuals = [final(balance) for _, balance in walk.balances]
    everything = column([*residuals, *explicit, *efforts, tail])
    for k, (slot, _) in enumerate(walk.states):
        if slot.kind == "storage" and ca.depends_on(everything, rates[k]):
            unknowns.append((Slot(slot.element, slot.name, slot.size, "rate"), rates[k]))
            residuals.append(explicit[k] - rates[k])
            explicit[k] = rates[k]
    nh = held.numel()
    for slot, force, _, _ in walk.multipliers:
        unknowns.append((slot, force))
    residuals.append(-tail[:nh])
    if tears.numel():
        unknowns.append((Slot(walk.cell.prefix.rstrip("."), "loop", tears.numel(), "loop"), tears))
        residuals.append(ca.substitute(tear_residual, *(replace[0] if replace else (SX(0, 1), SX(0, 1)))))
        if clock.used_tears:
            unknowns.append((Slot(walk.cell.prefix.rstrip("."), "loop_rate", tears.numel(), "loop"), clock.tear_rates))
            residuals.append(clock.derivative(clock.tear_residual))
    p = column([ca.vec(SX(walk.graph.parameters[path][0])).nz[:] for path in walk.cell.parameters])
    relative = walk.cell.relative
    gap = column([solved(g) for _, _, _, g in walk.multipliers])
    return CellClass(
        name,
        walk.time,
        x,
        p,
        column([symbol for _, symbol in unknowns]),
        tuple(walk.frames),
        tuple(Slot(relative(s.element), s.name, s.size, s.kind) for s, _ in walk.states),
        tuple(Slot(relative(s.element), s.name, s.size, s.kind) for s, _ in unknowns),
        tuple(_pose_out(walk, solved, k) for k in range(len(walk.frames))),
        tuple(moved),
        tuple(_split_rates(tail[nh:], len(walk.frames))),
        efforts,
        column(explicit),
        column(residuals),
        held,
        gap,
        _named_values(walk, final),
        {relative(path): final(energy) for path, energy in walk.sheet.energy.items()},
    )


def _split_rates(tail: SX, count: int) -> list[SX]:
    return [tail[6 * k : 6 * k + 6] for k in range(count)]


def _pose_out(walk: _Walk, solved: Any, k: int) -> SX:
    frame, symbols = walk.cell.frames[k], walk.frames[k]
    attitude = solved(walk.sheet.signal[frame.attitude]) if symbols.owns_attitude else symbols.attitude
    position = solved(walk.sheet.signal[frame.position]) if symbols.owns_position else symbols.position
    return column([attitude, position])


def _named_values(walk: _Walk, final: Any) -> dict[str, SX]:
    """Everything that can be asked for by name: efforts and flows at ports, states, signals given."""
    values: dict[str, SX] = {}
    relative = walk.cell.relative
    for path in walk.cell.elements:
        item = walk.graph.elements[path]
        junction = item.causality in ("one", "zero")
        for bond in walk.graph.bonds_of(path):
            port = bond.end(path).port
            base = relative(path) if port in ("port", "any") else f"{relative(path)}.{port}"
            if junction:
                common = walk.sheet.flow if item.causality == "one" else walk.sheet.effort
                values[f"{base}.{'f' if item.causality == 'one' else 'e'}"] = common[bond.name]
            else:
                values[f"{base}.e"] = walk.sheet.effort[bond.name]
                values[f"{base}.f"] = walk.sheet.flow[bond.name]
        for port in signal_ports(item):
            hit = walk.graph.signal_at(path, port.name)
            giver = walk.givers.get(hit[0].name) if hit else None
            if hit and giver and giver.element == path and giver.port == port.name:
                values[f"{relative(path)}.{port.name}"] = walk.sheet.signal[hit[0].name]
    for name, value in walk.sheet.unread.items():
        values[relative(name)] = value
    for slot, symbol in walk.states:
        values[f"{relative(slot.element)}.{slot.name}"] = symbol
    stacked = final(column(list(values.values())))
    sizes = [v.numel() for v in values.values()]
    parts = ca.vertsplit(stacked, [0, *_running(sizes)]) if sizes else []
    return dict(zip(values, parts, strict=True))


def _running(sizes: list[int]) -> list[int]:
    total, out = 0, []
    for size in sizes:
        total += size
        out.append(total)
    return out


__all__ = ["CellClass", "FrameSymbols", "Slot", "assemble", "dependencies"]
