"""From a cell's assignments to its equations: order them, substitute, differentiate what depends, sort out unknowns.

All expressions of a cell are substituted together, in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate

import casadi as ca

from multibond.elements.blocks import Input
from multibond.elements.kinematics import TURNS
from multibond.equations.aliases import without_aliases
from multibond.equations.angles import with_angles_in_turn
from multibond.equations.cellclass import Angle, CellClass, Dependent, FrameSymbols, Jumps, Slot, Walk
from multibond.equations.feedback import Torn, fed_back, no_rate
from multibond.equations.held import held_in_loops
from multibond.equations.named import named_values
from multibond.equations.order import schedule
from multibond.equations.timed import Course, decided
from multibond.equations.writing import sizes_at
from multibond.errors import StructureError
from multibond.expr import SX, column, flat, nonzeros, section, square
from multibond.formula.pieces import substitute_in_order
from multibond.graph.graph import Bond
from multibond.rotation import skew

Bundle = dict[str, list[SX]]
Unknowns = list[tuple[Slot, SX]]


def compose(walk: Walk, name: str, *, accelerated: bool = True, clocked: bool = True) -> CellClass:
    """The equations of a class, from everything its elements have written.

    accelerated: whether anything in the model depends on the rates of frames' flows.
    clocked: whether conditions that the time alone decides are read at a clock.
    """
    named = named_values(walk)
    bundle, torn = _solve(walk, _wanted(walk, named), clocked=clocked)
    bundle, torn = held_in_loops(walk, bundle, torn)
    bundle, torn, moving = _promote(walk, bundle, torn)
    x = column([symbol for _, symbol in walk.states])
    slots = [slot for slot, _ in walk.states]
    rates = [_rate_symbol(slot, rate, k) for k, (slot, rate) in enumerate(zip(slots, bundle["rates"], strict=True))]
    clock = _Clock(walk, x, column(rates), column([torn.unknown[k] for k in moving]))
    first = column([*bundle["dependent"], *bundle["held"], *(bundle["moved"] if accelerated else ())])
    slope = clock.derivative(first)
    count = len(walk.dependent)
    impulse = SX.sym("impulse", count)
    differentiated = column([d.rate for d in walk.dependent])
    bundle["torn"] = [torn.residual]
    bundle = _substitute(bundle, differentiated, section(slope, 0, count) + impulse)
    asked = column([symbol for _, symbol in walk.derivatives])
    bundle = _substitute(bundle, asked, clock.derivative(column(bundle["differentiated"])))
    bundle = _without(bundle, impulse)
    end = count + column(bundle["held"]).numel()
    tail = section(slope, end, slope.numel()) if accelerated else SX(6 * len(walk.frames), 1)
    loops, loop_residuals = _loops(walk, clock, column(bundle["torn"]), torn, moving)
    others = column([tail, *loop_residuals])
    unknowns, explicit, residuals = _unknowns(walk, bundle, rates, section(slope, count, end), others)
    bundle = _fill_rates(walk, bundle, rates, explicit)
    bundle |= {"explicit": explicit, "residual": [*residuals, *loop_residuals], "tail": [tail]}
    return _record(walk, name, bundle, named, [*unknowns, *loops], impulse)


def frame_bonds(walk: Walk, junction: str) -> list[Bond]:
    """The cell's bonds at one junction of a frame."""
    return [b for b in walk.cell.bonds if junction in (b.tail.element, b.head.element)]


def owner_of(walk: Walk, junction: str, k: int) -> Bond | None:
    """The cell's bond that brings component k of a frame's flow, if it is one of the cell's."""
    return next((b for b in frame_bonds(walk, junction) if walk.sheet.giver[b.name][k] != junction), None)


# -- substitution ----------------------------------------------------------------------------------------------------


def _wanted(walk: Walk, named: dict[str, SX]) -> Bundle:
    """Everything that has to be expressed, in terms of the cell's variables."""
    frames = list(zip(walk.cell.frames, walk.frames, strict=True))
    return {
        "rates": [walk.rates[k] for k in range(len(walk.states))],
        "dependent": [d.value for d in walk.dependent],
        "differentiated": [value for value, _ in walk.derivatives],
        "held": [flow for _, _, flow, _ in walk.multipliers],
        "gap": [gap for _, _, _, gap in walk.multipliers],
        "imposed": list(walk.imposed),
        "moved": [_moved_flow(walk, f.rotation, f.translation, s) for f, s in frames],
        "pose": [_moved_pose(walk, f.attitude, f.position, s) for f, s in frames],
        "effort": [
            column([_effort_on(walk, f.rotation, s.owns_rotation), _effort_on(walk, f.translation, s.owns_translation)])
            for f, s in frames
        ],
        "balance": [balance for _, balance in walk.balances],
        "named": list(named.values()),
        "energy": list(walk.sheet.energy.values()),
        "switch": [when for _, _, when in walk.switches],
        "edge": [where for _, where, _ in walk.edges],
        "update": [value for _, _, value, _ in walk.updates],
        "implicit": [law.relation for law in walk.sheet.implicit],
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
        owners = [owner_of(walk, junction, k) if owned else None for k in range(3)]
        given = symbols.flow[part]
        parts += [given[k] if b is None else walk.sheet.flow[b.name][k] for k, b in enumerate(owners)]
    return column(parts)


def _moved_pose(walk: Walk, attitude: str, position: str, symbols: FrameSymbols) -> SX:
    return column(
        [
            walk.sheet.signal[attitude] if symbols.owns_attitude else symbols.attitude,
            walk.sheet.signal[position] if symbols.owns_position else symbols.position,
        ]
    )


def _solve(walk: Walk, wanted: Bundle, *, clocked: bool) -> tuple[Bundle, Torn]:
    """Express what is wanted without the cell's variables, with a few unknowns where there are algebraic loops."""
    written = column(walk.sheet.variables), column(walk.sheet.definitions)
    variables, definitions, stacked = without_aliases(*written, _stack(wanted))
    order, torn = schedule(definitions, variables)
    tears = SX.sym("tear", len(torn))
    if torn:
        old = [variables[k] for k in torn]
        new = [tears[i] for i in range(len(torn))]
        definitions, stacked = ca.substitute([definitions, stacked], old, new)
    keep = [k for k in order if k not in set(torn)]
    torn_values = definitions[torn] if torn else SX(0, 1)
    if keep:
        last = [stacked, torn_values]
        stacked, torn_values = substitute_in_order(variables[keep], definitions[keep], last)
    if clocked and ca.depends_on(stacked, walk.time):
        stacked, torn_values = _clocked(walk, stacked, torn_values, wanted)
    bundle = _unstack(stacked, wanted)
    laws = walk.sheet.implicit
    unknown = column([tears, *(law.unknown for law in laws)])
    residual = column([torn_values - tears, *bundle.pop("implicit")])
    owners = _givers(walk)
    names = [(owners.get(variables[k].name(), ""), "loop") for k in torn]
    names += [(law.path, law.name) for law in laws for _ in range(law.unknown.numel())]
    groups = [*range(len(torn)), *(len(torn) + k for k, law in enumerate(laws) for _ in range(law.unknown.numel()))]
    return bundle, Torn(unknown, residual, tuple(names), tuple(groups))


def _clocked(walk: Walk, stacked: SX, torn_values: SX, wanted: Bundle) -> tuple[SX, SX]:
    """Conditions of the time read at a clock; edges that only say when these change are told from the others."""
    clock = SX.sym("clock", 2)
    both = ca.densify(column([stacked, torn_values]))
    found = decided(both, walk.time, clock, _parameters_of(walk))
    count = stacked.numel()
    before = list(wanted).index("edge")
    first = sum(value.numel() for group in list(wanted.values())[:before] for value in group)
    courses = iter(found.courses[first:count])
    walk.known = [[next(courses) <= Course.STRAIGHT for _ in range(where.numel())] for _, where, _ in walk.edges]
    if not found.timed.levels:
        return stacked, torn_values
    walk.timed, walk.clock = found.timed, clock
    return found.expression[:count], section(found.expression, count, both.numel())


def _parameters_of(walk: Walk) -> SX:
    """The symbols of a cell's parameters."""
    return column([nonzeros(SX(walk.graph.parameters[path][0])) for path in walk.cell.parameters])


def _givers(walk: Walk) -> dict[str, str]:
    """By the name of an effort, flow or signal the element that gives it."""
    own = set(walk.cell.elements)
    found: dict[str, str] = {}
    for bond in walk.cell.bonds:
        for k, giver in enumerate(walk.sheet.giver[bond.name]):
            found[walk.sheet.flow[bond.name][k].name()] = giver
            found[walk.sheet.effort[bond.name][k].name()] = bond.other(giver).element
    for name in walk.sheet.signal.keys() & walk.givers.keys():
        found |= {part.name(): walk.givers[name].element for part in ca.vertsplit(walk.sheet.signal[name])}
    return {name: path for name, path in found.items() if path in own}


def _promote(walk: Walk, bundle: Bundle, torn: Torn) -> tuple[Bundle, Torn, list[int]]:
    """Make states of dependent storages that feed back to themselves; says too which torn variables have a rate."""
    rates, values = column([d.rate for d in walk.dependent]), bundle["dependent"]
    others = column([*bundle["held"], *bundle["moved"]])
    if not torn.unknown.numel() and not ca.depends_on(column(values), rates):
        return bundle, torn, []
    looped, moving = fed_back(torn, column(values), rates, others, walk.sheet.numbers)
    groups: dict[tuple[str, str], list[int]] = {}
    for k in looped:
        groups.setdefault((walk.dependent[k].element, walk.dependent[k].state), []).append(k)
    order = [k for group in groups.values() for k in group]
    states: list[SX] = []
    for (path, name), group in groups.items():
        states.append(SX.sym(f"{path}.{name}", len(group)))
        _add_lanes(walk, bundle["rates"], [walk.dependent[k] for k in group], states[-1])
    torn = torn.plus(
        [walk.dependent[k].rate for k in order],
        column(states) - column([values[k] for k in order]),
        tuple((walk.dependent[k].element, "loop") for k in order),
    )
    walk.dependent = [d for k, d in enumerate(walk.dependent) if k not in looped]
    bundle["dependent"] = [value for k, value in enumerate(values) if k not in looped]
    return bundle, torn, moving


def _add_lanes(walk: Walk, rates: list[SX], added: list[Dependent], symbol: SX) -> None:
    """Components that become states: together with those of the same storage that are states already."""
    path, name = added[0].element, added[0].state
    lanes = {d.component: (symbol[k], d.rate) for k, d in enumerate(added)}
    place = next((k for k, (slot, _) in enumerate(walk.states) if (slot.element, slot.name) == (path, name)), None)
    if place is not None:
        slot, old = walk.states[place]
        lanes |= {lane: (old[k], rates[place][k]) for k, lane in enumerate(slot.lanes or range(slot.size))}
    index = sorted(lanes)
    dependent = [d for d in walk.dependent if (d.element, d.state) == (path, name)]
    whole = len(index) == len(dependent) + len(lanes) - len(added)
    slot = Slot(path, name, len(index), "storage", () if whole else tuple(index))
    made, rate = (slot, column([lanes[k][0] for k in index])), column([lanes[k][1] for k in index])
    if place is None:
        walk.states.append(made)
        rates.append(rate)
    else:
        walk.states[place], rates[place] = made, rate


def _stack(bundle: Bundle) -> SX:
    return ca.densify(column([value for group in bundle.values() for value in group]))


def _unstack(stacked: SX, like: Bundle) -> Bundle:
    """Split a column into groups of the same sizes; zeros become structural again."""
    sizes = [value.numel() for group in like.values() for value in group]
    ends = [0, *accumulate(sizes)]
    parts = iter(ca.vertsplit(stacked, ends) if stacked.numel() else [])
    empty = SX(0, 1)
    return {
        name: [ca.sparsify(next(parts)) if value.numel() else next(parts, empty) for value in group]
        for name, group in like.items()
    }


def _substitute(bundle: Bundle, old: SX, new: SX) -> Bundle:
    stacked = _stack(bundle)
    if not old.numel() or not ca.depends_on(stacked, old):
        return bundle
    return _unstack(ca.substitute(stacked, old, ca.densify(new)), bundle)


def _without(bundle: Bundle, impulse: SX) -> Bundle:
    """Impulses change rates and balances; everything that is read by name is as between jumps."""
    balanced = ("rates", "effort", "balance", "torn", "switch")
    read = {name: group for name, group in bundle.items() if name not in balanced}
    return bundle | _substitute(read, impulse, SX.zeros(impulse.numel()))


# -- rates and unknowns ----------------------------------------------------------------------------------------------


def _rate_symbol(slot: Slot, rate: SX, k: int) -> SX:
    """Rates of positions are explicit; others are symbols until it is known whether they are needed."""
    return rate if slot.kind in ("position", "flow", TURNS) else SX.sym(f"r{k}", slot.size)


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
        self.dependent = sorted({d.element for d in walk.dependent})
        inputs = (path for path in walk.cell.elements if isinstance(walk.graph.elements[path], Input))
        self.inputs = {path: walk.graph.parameters[f"{path}.value"][0] for path in inputs}

    def derivative(self, expression: SX) -> SX:
        """d/dt of an expression of the cell's symbols."""
        if not expression.numel():
            return expression
        for path, value in self.inputs.items():
            if ca.depends_on(expression, value):
                raise StructureError(no_rate(path, self.dependent))
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
    read = {symbol.element_hash() for symbol in ca.symvar(everything)}
    for k, (slot, _) in enumerate(walk.states):
        if slot.kind == "storage" and any(part.element_hash() in read for part in ca.vertsplit(rates[k])):
            unknowns.append((Slot(slot.element, slot.name, slot.size, "rate"), rates[k]))
            residuals.append(explicit[k] - rates[k])
            explicit[k] = rates[k]
    unknowns += [(slot, force) for slot, force, _, _ in walk.multipliers]
    residuals.append(-held_rate)
    return unknowns, explicit, residuals


def _fill_rates(walk: Walk, bundle: Bundle, rates: list[SX], explicit: list[SX]) -> Bundle:
    """Where a rate is no unknown, what is read by name may still depend on it: there stands its expression."""
    known = [k for k, (slot, _) in enumerate(walk.states) if slot.kind == "storage" and explicit[k] is not rates[k]]
    return _substitute(bundle, column([rates[k] for k in known]), column([explicit[k] for k in known]))


def _loops(walk: Walk, clock: _Clock, residual: SX, torn: Torn, moving: list[int]) -> tuple[Unknowns, list[SX]]:
    """Algebraic loops: the torn variables, and their rates where a derivative needs them."""
    if not torn.unknown.numel():
        return [], []
    unknowns = [
        (Slot(path or walk.cell.prefix.rstrip("."), name, 1, "loop"), torn.unknown[k])
        for k, (path, name) in enumerate(torn.owners)
    ]
    residuals = [residual]
    if clock.used_tears:
        unknowns += [
            (Slot(unknowns[k][0].element, "loop_rate", 1, "loop"), clock.tear_rates[i]) for i, k in enumerate(moving)
        ]
        residuals.append(clock.derivative(residual[moving]))
    return unknowns, residuals


# -- the result ------------------------------------------------------------------------------------------------------


def _record(walk: Walk, name: str, bundle: Bundle, named: Iterable[str], unknowns: Unknowns, impulse: SX) -> CellClass:
    relative, (tail,) = walk.cell.relative, bundle["tail"]

    def slots(found: Iterable[tuple[Slot, SX]]) -> tuple[Slot, ...]:
        return tuple(replace(s, element=relative(s.element)) for s, _ in found)

    kind = CellClass(
        name=name,
        time=walk.time,
        x=column([symbol for _, symbol in walk.states]),
        p=column([_parameters_of(walk), walk.clock]),
        y=column([symbol for _, symbol in unknowns]),
        frames=tuple(walk.frames),
        states=slots(walk.states),
        unknowns=slots(unknowns),
        pose_out=tuple(bundle["pose"]),
        flow_out=tuple(bundle["moved"]),
        rate_out=tuple(tail[6 * k : 6 * k + 6] for k in range(len(walk.frames))),
        effort_out=tuple(bundle["effort"]),
        xdot=column(bundle["explicit"]),
        residual=column(bundle["residual"]),
        held_flow=column(bundle["held"]),
        gap=column(bundle["gap"]),
        imposed_gap=column(bundle["imposed"]),
        values=dict(zip(named, bundle["named"], strict=True)),
        energy=dict(zip((relative(p) for p in walk.sheet.energy), bundle["energy"], strict=True)),
        jumps=_jumps(walk, bundle, impulse),
    )
    return with_angles_in_turn(kind, _angles(walk))


def _angles(walk: Walk) -> list[Angle]:
    """The states that may be angles which go round and round."""
    found, start = list[Angle](), 0
    for slot, _ in walk.states:
        path, item = slot.element, walk.graph.elements[slot.element]
        count = item.turning_states(sizes_at(path, walk.graph.bonds_of(path))).get(slot.name, 0)
        components = enumerate(slot.lanes or range(slot.size))
        found += [Angle(walk.cell.relative(path), c, start + k, False) for k, c in components if c < count]
        start += slot.size
    return found


def _jumps(walk: Walk, bundle: Bundle, impulse: SX) -> Jumps:
    relative = walk.cell.relative
    edges = _edges(walk, bundle["edge"])
    return Jumps(
        switches=tuple((relative(path), mode) for path, mode, _ in walk.switches),
        switch_when=column(bundle["switch"]),
        edges=tuple(relative(path) for path, _ in edges),
        edge_where=column([where for _, where in edges]),
        timed=walk.timed,
        updates=tuple(
            (relative(path), name, every) for path, name, value, every in walk.updates for _ in range(value.numel())
        ),
        update_to=column(bundle["update"]),
        dependents=tuple((relative(d.element), d.state, d.component) for d in walk.dependent),
        stored=column(bundle["dependent"]),
        impulse=impulse,
    )


def _edges(walk: Walk, found: list[SX]) -> list[tuple[str, SX]]:
    """What an integrator has to watch for kinks: all edges but those that the time alone decides."""
    edges = []
    for (path, _, passing), where, known in zip(walk.edges, found, walk.known or [[]] * len(found), strict=True):
        for k, level in enumerate(ca.vertsplit(where)):
            if not (known and known[k]):
                edges.append((path, level if passing is None else SX(passing(level))))
    return edges
