"""From a cell's assignments to its equations: order them, substitute, differentiate what depends, sort out unknowns.

All expressions of a cell are substituted together, in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from multibond.elements.oneport import OnePort
from multibond.equations.cellclass import CellClass, FrameSymbols, Slot, Walk
from multibond.equations.order import schedule
from multibond.equations.writing import port_sign, signal_ports
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column, flat, nonzeros, section, square
from multibond.graph.graph import Bond
from multibond.rotation import skew

Bundle = dict[str, list[SX]]
Unknowns = list[tuple[Slot, SX]]


def compose(walk: Walk, name: str) -> CellClass:
    """The equations of a class, from everything its elements have written."""
    named = _named(walk)
    bundle, tears, torn_values = _solve(walk, _wanted(walk, named))
    x = column([symbol for _, symbol in walk.states])
    slots = [slot for slot, _ in walk.states]
    rates = [_rate_symbol(slot, rate, k) for k, (slot, rate) in enumerate(zip(slots, bundle["rates"], strict=True))]
    clock = _Clock(walk, x, column(rates), tears)
    first = column([*bundle["dependent"], *bundle["held"], *bundle["moved"]])
    differentiated = column([symbol for _, symbol in walk.dependent])
    if differentiated.numel() and ca.depends_on(first, differentiated):
        raise StructureError(_nested(walk))
    slope = clock.derivative(first)
    count = differentiated.numel()
    bundle["torn"] = [torn_values - tears]
    bundle = _substitute(bundle, differentiated, section(slope, 0, count))
    end = count + column(bundle["held"]).numel()
    tail = section(slope, end, slope.numel())
    loops, loop_residuals = _loops(walk, clock, column(bundle["torn"]), tears)
    others = column([tail, *loop_residuals])
    unknowns, explicit, residuals = _unknowns(walk, bundle, rates, section(slope, count, end), others)
    unknowns, residuals = [*unknowns, *loops], [*residuals, *loop_residuals]
    return _record(walk, name, x, bundle, named, unknowns, explicit, residuals, tail)


def frame_bonds(walk: Walk, junction: str) -> list[Bond]:
    """The cell's bonds at one junction of a frame."""
    return [b for b in walk.cell.bonds if junction in (b.tail.element, b.head.element)]


# -- substitution ----------------------------------------------------------------------------------------------------


def _wanted(walk: Walk, named: dict[str, SX]) -> Bundle:
    """Everything that has to be expressed, in terms of the cell's variables."""
    frames = list(zip(walk.cell.frames, walk.frames, strict=True))
    return {
        "rates": [walk.rates[k] for k in range(len(walk.states))],
        "dependent": [value for value, _ in walk.dependent],
        "held": [flow for _, _, flow, _ in walk.multipliers],
        "gap": [gap for _, _, _, gap in walk.multipliers],
        "moved": [_moved_flow(walk, f.rotation, f.translation, s) for f, s in frames],
        "pose": [_moved_pose(walk, f.attitude, f.position, s) for f, s in frames],
        "effort": [
            column([_effort_on(walk, f.rotation, s.owns_rotation), _effort_on(walk, f.translation, s.owns_translation)])
            for f, s in frames
        ],
        "balance": [balance for _, balance in walk.balances],
        "named": list(named.values()),
        "energy": list(walk.sheet.energy.values()),
    }


def _effort_on(walk: Walk, junction: str, owned: bool) -> SX:
    total = SX(3, 1)
    for bond in [] if owned else frame_bonds(walk, junction):
        total = total + (1 if bond.into(junction) else -1) * walk.sheet.effort[bond.name]
    return total


def _moved_flow(walk: Walk, rotation: str, translation: str, symbols: FrameSymbols) -> SX:
    """Flow of a frame: what the cell gives it, or what it is given."""
    parts = []
    for junction, part, owned in (
        (rotation, slice(0, 3), symbols.owns_rotation),
        (translation, slice(3, 6), symbols.owns_translation),
    ):
        owner = next((b for b in frame_bonds(walk, junction) if walk.sheet.giver[b.name][0] != junction), None)
        parts.append(walk.sheet.flow[owner.name] if owned and owner is not None else symbols.flow[part])
    return column(parts)


def _moved_pose(walk: Walk, attitude: str, position: str, symbols: FrameSymbols) -> SX:
    return column(
        [
            walk.sheet.signal[attitude] if symbols.owns_attitude else symbols.attitude,
            walk.sheet.signal[position] if symbols.owns_position else symbols.position,
        ]
    )


def _solve(walk: Walk, wanted: Bundle) -> tuple[Bundle, SX, SX]:
    """Express what is wanted without the cell's variables; returns also the torn variables and their definitions."""
    variables, definitions = column(walk.sheet.variables), column(walk.sheet.definitions)
    order, torn = schedule(definitions, variables)
    tears = SX.sym("tear", len(torn))
    stacked = _stack(wanted)
    if torn:
        old = [variables[k] for k in torn]
        new = [tears[i] for i in range(len(torn))]
        definitions, stacked = ca.substitute([definitions, stacked], old, new)
    keep = [k for k in order if k not in set(torn)]
    if not keep:
        return _unstack(stacked, wanted), tears, definitions[torn]
    last = [stacked, definitions[torn]]
    _, (stacked, torn_values) = ca.substitute_inplace([variables[keep]], [definitions[keep]], last)
    return _unstack(stacked, wanted), tears, torn_values


def _stack(bundle: Bundle) -> SX:
    return ca.densify(column([value for group in bundle.values() for value in group]))


def _unstack(stacked: SX, like: Bundle) -> Bundle:
    """Split a column into groups of the same sizes; zeros become structural again."""
    out: Bundle = {}
    start = 0
    for name, group in like.items():
        out[name] = []
        for value in group:
            out[name].append(ca.sparsify(section(stacked, start, start + value.numel())))
            start += value.numel()
    return out


def _substitute(bundle: Bundle, old: SX, new: SX) -> Bundle:
    return _unstack(ca.substitute(_stack(bundle), old, ca.densify(new)), bundle) if old.numel() else bundle


# -- rates and unknowns ----------------------------------------------------------------------------------------------


def _rate_symbol(slot: Slot, rate: SX, k: int) -> SX:
    """Rates of positions are explicit; others are symbols until it is known whether they are needed."""
    return rate if slot.kind in ("position", "flow") else SX.sym(f"r{k}", slot.size)


class _Clock:
    """Total time derivatives inside a cell."""

    def __init__(self, walk: Walk, x: SX, rates: SX, tears: SX) -> None:
        base, speed = [x], [rates]
        for symbols in walk.frames:
            base += [symbols.attitude, symbols.position, symbols.flow]
            speed += [flat(square(symbols.attitude) @ skew(symbols.flow[:3])), symbols.flow[3:], symbols.rate]
        self.base, self.speed = column([walk.time, *base]), column([SX(1), *speed])
        self.tears, self.tear_rates = tears, SX.sym("tear_rate", tears.numel())
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


def _unknowns(
    walk: Walk, bundle: Bundle, rates: list[SX], held_rate: SX, others: SX
) -> tuple[Unknowns, list[SX], list[SX]]:
    """Unknowns and residuals: rates of joint flows, rates of storages where something depends on them, forces."""
    explicit = [bundle["rates"][k] if slot.kind == "storage" else rates[k] for k, (slot, _) in enumerate(walk.states)]
    unknowns = [
        (Slot(slot.element, "u", slot.size, "rate"), rates[k])
        for k, (slot, _) in enumerate(walk.states)
        if slot.kind == "flow"
    ]
    residuals = list(bundle["balance"])
    everything = column([*residuals, *explicit, *bundle["effort"], held_rate, others])
    for k, (slot, _) in enumerate(walk.states):
        if slot.kind == "storage" and ca.depends_on(everything, rates[k]):
            unknowns.append((Slot(slot.element, slot.name, slot.size, "rate"), rates[k]))
            residuals.append(explicit[k] - rates[k])
            explicit[k] = rates[k]
    unknowns += [(slot, force) for slot, force, _, _ in walk.multipliers]
    residuals.append(-held_rate)
    return unknowns, explicit, residuals


def _loops(walk: Walk, clock: _Clock, torn: SX, tears: SX) -> tuple[Unknowns, list[SX]]:
    """Algebraic loops: the torn variables, and their rates where a derivative needs them."""
    if not tears.numel():
        return [], []
    owner, size = walk.cell.prefix.rstrip("."), tears.numel()
    unknowns, residuals = [(Slot(owner, "loop", size, "loop"), tears)], [torn]
    if clock.used_tears:
        unknowns.append((Slot(owner, "loop_rate", size, "loop"), clock.tear_rates))
        residuals.append(clock.derivative(torn))
    return unknowns, residuals


def _nested(walk: Walk) -> Finding:
    paths = sorted({path for path, _ in walk.causality.dependent if path in walk.cell.elements})
    names = ", ".join(repr(p) for p in paths)
    return Finding(
        "a dependent storage feeds back into its own flow.",
        f"The storages {names} are set through elements whose flow depends on their own effort.",
        "Put an I or a C where the flow is decided, or remove the dependent storage.",
        tuple(paths),
    )


# -- the result ------------------------------------------------------------------------------------------------------


def _record(
    walk: Walk, name: str, x: SX, bundle: Bundle, named: dict[str, SX], unknowns: Unknowns, explicit: list[SX],
    residuals: list[SX], tail: SX,
) -> CellClass:  # fmt: skip
    relative = walk.cell.relative

    def slots(found: Iterable[tuple[Slot, SX]]) -> tuple[Slot, ...]:
        return tuple(Slot(relative(s.element), s.name, s.size, s.kind) for s, _ in found)

    return CellClass(
        name=name,
        time=walk.time,
        x=x,
        p=column([nonzeros(SX(walk.graph.parameters[path][0])) for path in walk.cell.parameters]),
        y=column([symbol for _, symbol in unknowns]),
        frames=tuple(walk.frames),
        states=slots(walk.states),
        unknowns=slots(unknowns),
        pose_out=tuple(bundle["pose"]),
        flow_out=tuple(bundle["moved"]),
        rate_out=tuple(tail[6 * k : 6 * k + 6] for k in range(len(walk.frames))),
        effort_out=tuple(bundle["effort"]),
        xdot=column(explicit),
        residual=column(residuals),
        held_flow=column(bundle["held"]),
        gap=column(bundle["gap"]),
        values=dict(zip(named, bundle["named"], strict=True)),
        energy=dict(zip((relative(p) for p in walk.sheet.energy), bundle["energy"], strict=True)),
    )


def _named(walk: Walk) -> dict[str, SX]:
    """Everything that can be asked for by name: efforts and flows at ports, states, signals given."""
    values: dict[str, SX] = {}
    relative = walk.cell.relative
    for path in walk.cell.elements:
        values |= _port_values(walk, path)
        for port in signal_ports(walk.graph.elements[path]):
            hit = walk.graph.signal_at(path, port.name)
            giver = walk.givers.get(hit[0].name) if hit else None
            if hit and giver and (giver.element, giver.port) == (path, port.name):
                values[f"{relative(path)}.{port.name}"] = walk.sheet.signal[hit[0].name]
    for slot, symbol in walk.states:
        values[f"{relative(slot.element)}.{slot.name}"] = symbol
    for name, value in walk.sheet.unread.items():
        values[relative(name)] = value
    return values


def _port_values(walk: Walk, path: str) -> dict[str, SX]:
    item, name = walk.graph.elements[path], walk.cell.relative(path)
    values: dict[str, SX] = {}
    for bond in walk.graph.bonds_of(path):
        port = bond.end(path).port
        base = name if port in ("port", "any") else f"{name}.{port}"
        if item.causality != "zero":
            values[f"{base}.f"] = walk.sheet.flow[bond.name]
        if item.causality != "one":
            values[f"{base}.e"] = walk.sheet.effort[bond.name]
    if getattr(item, "split", False):
        lanes = [f"{name}.port_{k + 1}" for k in range(len(values) // 2)]
        values |= {f"{name}.{v}": column([values[f"{lane}.{v}"] for lane in lanes]) for v in "ef"}
    if isinstance(item, OnePort):
        values[f"{name}.power"] = _power(walk, path)
    return values


def _power(walk: Walk, path: str) -> SX:
    """Power of a one-port in its own direction: into storages and resistors, out of sources, whatever the arrow."""
    total = SX(0)
    for bond in walk.graph.bonds_of(path):
        sign = port_sign(path, walk.graph.elements[path], bond)
        total += sign * ca.dot(walk.sheet.effort[bond.name], walk.sheet.flow[bond.name])
    return total
