"""Cell → equations: walk the cell in causal order and write everything in terms of states and few unknowns.

Inputs of a cell: time, its states x, its parameters p, its unknowns y (rates of joint flows, multipliers, torn
variables), the motion of the frames it is attached to, and the effort that others put on the frames it moves.
Outputs: the motion of the frames it moves, the effort on the others, the rates of its states, and residuals to vanish.
Dependent storages are differentiated once, by automatic differentiation.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from multibond.elements import FreeMotion, I
from multibond.elements.kinematics import TURNS
from multibond.elements.law import LawWriter
from multibond.equations.cellclass import CellClass, Dependent, FrameSymbols, Slot, Walk
from multibond.equations.cells import Cell
from multibond.equations.compose import compose, frame_bonds, owner_of
from multibond.equations.writing import Sheet, law_of, signal_ports, sizes_at, write_junction, write_law, write_wires
from multibond.expr import SX, column, matrix
from multibond.graph.graph import Bond, Frame, Graph, Reader
from multibond.graph.junctions import Wires
from multibond.structure.causality import HEAD, TAIL, Causality
from multibond.structure.floats import IMPOSED
from multibond.structure.neighbours import neighbours
from multibond.structure.propagate import goes_one_way
from multibond.structure.tree import Tree

RETURN = 10.0
"""How fast a gap closes that steps leave behind an imposed flow while poses are integrated (Baumgarte)  [1/s]."""


def assemble(
    graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader], cells: list[Cell], *,
    clocked: bool = True,
) -> list[CellClass]:  # fmt: skip
    """Derive the equations of classes, each from one of its cells; clocked: with a clock for conditions of the time."""
    walks = [write_cell(graph, tree, causality, givers, cell) for cell in cells]
    for walk in walks:
        _write_frames(walk)
    accelerated = any(walk.dependent or walk.multipliers or walk.derivatives for walk in walks)
    return [compose(w, f"class{k}", accelerated=accelerated, clocked=clocked) for k, w in enumerate(walks)]


def write_cell(graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader], cell: Cell) -> Walk:
    """What the elements of a cell write: who gives each variable and how, before anything is substituted."""
    walk = _start(graph, tree, causality, givers, cell)
    for path in cell.elements:
        _write_element(walk, path)
    return walk


def _start(graph: Graph, tree: Tree, causality: Causality, givers: dict[str, Reader], cell: Cell) -> Walk:
    effort = {b.name: SX.sym(f"e:{b.name}", b.size) for b in cell.bonds}
    flow = {b.name: SX.sym(f"f:{b.name}", b.size) for b in cell.bonds}
    signal = {s.name: SX.sym(f"s:{s.name}", s.size) for s in cell.signals}
    giver = {
        b.name: [{TAIL: b.tail, HEAD: b.head}[side].element for side in causality.flow_from[b.name]] for b in cell.bonds
    }
    sheet = Sheet(effort, flow, signal, giver, numbers=_numbers(graph, cell))
    for bond in cell.bonds:
        for k in range(bond.size):
            if (bond.name, k) in causality.doubled:
                sheet.double(bond, k, causality.doubled[bond.name, k])
    frames = [_frame_symbols(cell, givers, frame, sheet, k) for k, frame in enumerate(cell.frames)]
    return Walk(graph, tree, causality, givers, cell, sheet, SX.sym("t"), frames)


def _numbers(graph: Graph, cell: Cell) -> dict[str, float]:
    """Parameters by the names of their symbols."""
    found: dict[str, float] = {}
    for path in cell.parameters:
        symbols, value = graph.parameters[path]
        places = zip(*symbols.sparsity().get_triplet(), strict=True)
        for symbol, place in zip(ca.symvar(symbols), places, strict=True):
            found[symbol.name()] = float(value[place])
    return found


def _frame_symbols(cell: Cell, givers: dict[str, Reader], frame: Frame, sheet: Sheet, k: int) -> FrameSymbols:
    own = set(cell.elements)

    def moves(junction: str) -> bool:
        bonds = [b for b in cell.bonds if junction in (b.tail.element, b.head.element)]
        return any(giver in own for b in bonds for giver in sheet.giver[b.name])

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


def _write_element(walk: Walk, path: str) -> None:
    item = walk.graph.elements[path]
    bonds = list(walk.graph.bonds_of(path))
    if item.causality in ("one", "zero"):
        if bonds:
            write_junction(walk.sheet, path, item.causality == "one", neighbours(walk.graph, path))
    elif isinstance(item, Wires):
        write_wires(walk.sheet, path, item, bonds)
        if signal_ports(item):
            _write_readings(walk, path, item, bonds)
    else:
        _write_law(walk, path, item, bonds)


def _write_law(walk: Walk, path: str, item: Any, bonds: list[Bond]) -> None:
    signals = _signals_of(walk, path, item)
    role = walk.tree.role.get(path, "cut" if isinstance(item, FreeMotion) else "")
    sizes = sizes_at(path, bonds)
    states = {name: SX.sym(f"{path}.{name}", size) for name, size in item.states(sizes).items()}
    if isinstance(item, FreeMotion) and role == "cut":
        states = _turns(walk, path, item)
    law = law_of(walk.sheet, path, item, bonds, signals, states=states, time=walk.time, role=role)
    if isinstance(item, FreeMotion) and role != "cut" and bonds:
        _write_state_flow(walk, path, law, bonds)
    elif _massless(walk, path, item, bonds):
        law.relations = [law.e()]
        walk.sheet.unread[f"{path}.p"] = SX.zeros(states["p"].numel())
        _write_state_flow(walk, path, law, bonds)
    else:
        _write_held(walk, path, law, bonds)
        for name in [name for name in states if name == TURNS]:
            symbol = states.pop(name)
            _add_state(walk, Slot(path, name, symbol.numel(), name), symbol, law.rates.pop(name))
        _write_storage(walk, path, law, bonds, states)
    _write_outputs(walk, path, law)
    if law.energy is not None:
        walk.sheet.energy[path] = law.energy
    _write_derivatives(walk, path, law)
    walk.switches += [(path, mode, when) for mode, when in law.switches]
    walk.edges += [(path, ca.vec(where), passing) for where, passing in law.edges]
    walk.updates += [(path, name, value, every) for name, (value, every) in law.updates.items()]


def _turns(walk: Walk, path: str, item: FreeMotion) -> dict[str, SX]:
    """What a cut joint keeps where others read its coordinates: full turns and signs, which a pose does not tell."""
    count = item.motion.turning_coordinates
    hit = walk.graph.signal_at(path, "q") if count else None
    read = hit is not None and any(end.element != path for end in hit[0].ends)
    return {TURNS: SX.sym(f"{path}.{TURNS}", count)} if read else {}


def _write_derivatives(walk: Walk, path: str, law: LawWriter) -> None:
    """Derivatives that a law asks for; what it holds, and so may jump, is treated as a dependent storage."""
    for value, symbol, state in law.derivatives:
        if state:
            walk.sheet.unread[f"{path}.{state}"] = value
            walk.dependent += [Dependent(path, state, k, value[k], symbol[k]) for k in range(value.numel())]
        else:
            walk.derivatives.append((value, symbol))


def _write_outputs(walk: Walk, path: str, law: LawWriter) -> None:
    for port, value in law.outputs.items():
        hit = walk.graph.signal_at(path, port)
        if hit is not None and value.numel():
            walk.sheet.assign(walk.sheet.signal[hit[0].name], value)
        elif value.numel():
            walk.sheet.unread[f"{path}.{port}"] = value


def _write_readings(walk: Walk, path: str, item: Any, bonds: list[Bond]) -> None:
    """Signals of an element that leads its bonds on and reads them."""
    _write_outputs(walk, path, law_of(walk.sheet, path, item, bonds, {}, states={}, time=walk.time, role=""))


def _signals_of(walk: Walk, path: str, item: Any) -> dict[str, SX]:
    """The signals at an element's ports, component by component where it reads only some."""
    signals: dict[str, SX] = {}
    for port in signal_ports(item):
        hit = walk.graph.signal_at(path, port.name)
        if hit is not None:
            value = walk.sheet.signal[hit[0].name]
            signals[port.name] = value if hit[1].select is None else value[list(hit[1].select)]
    return signals


def _add_state(walk: Walk, slot: Slot, symbol: SX, rate: SX) -> None:
    walk.rates[len(walk.states)] = rate
    walk.states.append((slot, symbol))


def _massless(walk: Walk, path: str, item: Any, bonds: list[Bond]) -> bool:
    """An inertia of exactly zero that gives the flow: what is behind it carries the mass, its flow is only a state."""
    if not isinstance(item, I) or item.inertia is None or matrix(item.inertia, 1).nnz():
        return False
    return all(walk.sheet.gives_flow(b, path, k) for b in bonds for k in range(b.size))


def _write_state_flow(walk: Walk, path: str, law: Any, bonds: list[Bond]) -> None:
    """A joint of the tree: its flow u is a state, the balance of its effort a residual (as on a vanishing inertia).

    Where a source or a body's inertia gives its flow, its coordinates only follow, and its port has no effort.
    """
    lanes = _lanes(path, bonds)
    own = [k for k, lane in enumerate(lanes) if walk.sheet.gives_flow(*_at(lane, path))]
    u = SX.sym(f"{path}.u", len(own))
    for k, (bond, component) in enumerate(lanes):
        if k in own:
            sign = 1 if bond.into(path) else -1
            walk.sheet.assign(walk.sheet.flow[bond.name][component], sign * u[own.index(k)])
        else:
            walk.sheet.assign(walk.sheet.effort[bond.name][component], SX(0))
    if "q" in law.states:
        q = law.states["q"]
        _add_state(walk, Slot(path, "q", q.numel(), "position"), q, law.rates["q"])
    if own:
        some = tuple(own) if len(own) < len(lanes) else ()
        _add_state(walk, Slot(path, "u", len(own), "flow", some), u, SX.sym(f"d:{path}.u", len(own)))
        walk.balances.append((Slot(path, "u", len(own), "rate"), -law.relations[0][own]))


def _lanes(path: str, bonds: list[Bond]) -> list[tuple[Bond, int]]:
    """All components of an element's bonds in order; a split element has scalar ports with numbers."""
    order = sorted(bonds, key=lambda b: _lane(b.end(path).port))
    return [(bond, k) for bond in order for k in range(bond.size)]


def _lane(port: str) -> int:
    """The number of a scalar port of a split element."""
    return int(port.rpartition("_")[2]) if "_" in port else 0


def _write_held(walk: Walk, path: str, law: Any, bonds: list[Bond]) -> None:
    """Flows held at zero: imposed where the element gives the flow, else with an unknown force behind them."""
    if not law.held:
        return
    lanes, flow = _lanes(path, bonds), law.f()
    forced = [k for k in law.held if not walk.sheet.gives_flow(*_at(lanes[k], path))]
    imposed = [k for k in law.held if k not in forced]
    pulled = getattr(walk.graph.elements[path], "method", "") == IMPOSED
    walk.imposed += [law.held[k] for k in imposed if pulled]
    law.relations += [flow[k] + (RETURN * law.held[k] if pulled else 0) for k in imposed]
    still = column([walk.sheet.flow[lanes[k][0].name][lanes[k][1]] for k in imposed])
    law.rates = {name: ca.substitute(rate, still, SX.zeros(still.numel())) for name, rate in law.rates.items()}
    if not forced:
        return
    force = SX.sym(f"{path}.e", len(forced))
    for i, k in enumerate(forced):
        bond, component = lanes[k]
        walk.sheet.assign(walk.sheet.effort[bond.name][component], force[i])
    gap = column([law.held[k] for k in forced])
    walk.multipliers.append((Slot(path, "e", len(forced), "multiplier"), force, flow[forced], gap))


def _at(lane: tuple[Bond, int], path: str) -> tuple[Bond, str, int]:
    return lane[0], path, lane[1]


def _write_storage(walk: Walk, path: str, law: Any, bonds: list[Bond], states: dict[str, SX]) -> None:
    """Any other law. A state whose rate the element itself must give is dependent: that rate is a derivative."""
    free: list[SX] = []
    split: list[tuple[str, SX, list[int]]] = []
    for name, symbol in states.items():
        if name not in law.rates:
            continue
        held = _dependent_components(walk, path, law.rates[name], bonds)
        keep = [k for k in range(symbol.numel()) if k not in held]
        if keep:
            lanes = tuple(keep) if held else ()
            _add_state(walk, Slot(path, name, len(keep), "storage", lanes), symbol[keep], law.rates[name][keep])
        free.extend(symbol[k] for k in held)
        split += [(name, symbol, held)] if held else []
    dependent = write_law(walk.sheet, path, law, bonds, column(free), explicit=not _against(walk, path, bonds))
    start = 0
    for name, symbol, held in split:
        whole = ca.vertsplit(symbol)
        for k in held:
            whole[k] = dependent[start]
            start += 1
        walk.sheet.unread[f"{path}.{name}"] = column(whole)
        law.replace(symbol, column(whole))
    if free:
        given = column(
            [v for name in states if name in law.rates for v in _given_rates(walk, path, law.rates[name], bonds)]
        )
        symbol = SX.sym(f"D:{path}", len(free))
        names = [(name, k) for name, _, held in split for k in held]
        walk.dependent += [Dependent(path, name, k, dependent[i], symbol[i]) for i, (name, k) in enumerate(names)]
        rest = ca.substitute(column(_held_rates(law, split)), given, SX.zeros(given.numel()))
        walk.sheet.assign(given, (symbol - rest) * _given_sign(law, given))


def _against(walk: Walk, path: str, bonds: list[Bond]) -> bool:
    """Whether flow passes a one-way transformer from its outlet: its modulus, which may vanish, is not divided by."""
    item = walk.graph.elements[path]
    inlet = [bond for bond in bonds if bond.end(path).port == "a"] if item.causality == "transformer" else []
    if not inlet or not goes_one_way(item) or (inlet[0].name, 0) in walk.sheet.doubled:
        return False
    return walk.sheet.gives_flow(inlet[0], path, 0)


def _held_rates(law: Any, split: list[tuple[str, SX, list[int]]]) -> list[SX]:
    """The rates of dependent components, in the order in which these are differentiated."""
    return [law.rates[name][k] for name, _, held in split for k in held]


def _dependent_components(walk: Walk, path: str, rate: SX, bonds: list[Bond]) -> list[int]:
    """Components of a state whose rate the element itself must give."""
    return sorted({k for k, _ in _pairs(rate, _given(walk, path, bonds))})


def _pairs(values: SX, symbols: list[SX]) -> list[tuple[int, int]]:
    """Which values depend on which symbols, in the order of the values."""
    if not symbols or not values.numel():
        return []
    rows, columns = ca.jacobian_sparsity(values, column(symbols)).get_triplet()
    return sorted(zip(map(int, rows), map(int, columns), strict=True))


def _given(walk: Walk, path: str, bonds: list[Bond]) -> list[SX]:
    return [
        (walk.sheet.f if walk.sheet.gives_flow(b, path, k) else walk.sheet.e)(b, path)[k]
        for b in bonds
        for k in range(b.size)
    ]


def _given_rates(walk: Walk, path: str, rate: SX, bonds: list[Bond]) -> list[SX]:
    given = _given(walk, path, bonds)
    return [given[j] for _, j in _pairs(rate, given)]


def _given_sign(law: Any, given: SX) -> SX:
    rates = column(list(law.rates.values()))
    return ca.densify(ca.sum1(ca.jacobian(rates, given))).T


# -- frames ----------------------------------------------------------------------------------------------------------


def _write_frames(walk: Walk) -> None:
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


def _write_frame_bonds(walk: Walk, junction: str, flow: SX, effort: SX, owned: bool) -> None:
    """Common flow and balance of efforts at a frame, component by component: several elements may move it."""
    bonds = frame_bonds(walk, junction)
    for k in range(3):
        owner = owner_of(walk, junction, k) if owned else None
        common = flow[k] if owner is None else walk.sheet.flow[owner.name][k]
        total = SX(0) if owner is None else effort[k]
        for bond in bonds:
            if bond is not owner:
                walk.sheet.assign(walk.sheet.flow[bond.name][k], common)
                total = total + (1 if bond.into(junction) else -1) * walk.sheet.effort[bond.name][k]
        if owner is not None:
            walk.sheet.assign(walk.sheet.effort[owner.name][k], -total if owner.into(junction) else total)
