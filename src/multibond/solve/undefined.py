"""Laws and formulas that had no value on the way: what was no number in a run, when, and whose it is.

A run can reach its end although a variable that no state depends on was no number. Only laws that can fail are looked
at: those that divide by, or take a root or a logarithm of, what varies; temperatures, which are above 0 K; and signals
whose port says what sign they must have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from multibond.elements.balance import ways
from multibond.elements.blocks.block import Block
from multibond.equations.cellclass import CellClass
from multibond.equations.observe import cell_arguments, class_inputs
from multibond.equations.writing import signal_ports
from multibond.equations.zeros import nothing_to_divide_by, ports_to_divide_by
from multibond.errors import Finding, with_article
from multibond.expr import SX, Function, column
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.graph.junctions import Junction
from multibond.graph.port import SignalPort
from multibond.lower.system import System
from multibond.solve.source_end import AHEAD, HUGE, NEARER, grows, short, source_end, source_pole
from multibond.units import THERMAL

if TYPE_CHECKING:
    from multibond.solve.solution import Piece, Solution

ROOTS = frozenset((ca.OP_LOG, ca.OP_SQRT, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ACOSH, ca.OP_ATANH))
"""Operations that have no value for some numbers, also for a parameter that is a number of a formula."""
PARTIAL = ROOTS | {ca.OP_POW, ca.OP_INV, ca.OP_EXP, ca.OP_SINH, ca.OP_COSH}
"""Operations that have no value, or none that is finite, for some numbers; of a division that is the divisor."""
COLD = 1e-4
"""A body this part as warm as at the start of a run that stopped has reached absolute zero."""
FIXED = 2
"""The place of the parameters among what a cell is given."""
MOST = 20_000
"""So many times of a piece are looked at."""
ROUNDING = 1e-9
"""So small a part of a signal's size may have the wrong sign."""
LOOKS = 65
"""Times at which a system without states is looked at, besides the ends of its steps."""


def undefined(run: Solution) -> Finding | None:
    """The first law or formula of a run that had no value, or None."""
    systems: dict[int, list[Piece]] = {}
    for piece in run.pieces:
        systems.setdefault(id(piece.system), []).append(piece)
    found = [fault for pieces in systems.values() if (fault := _in_pieces(pieces)) is not None]
    return min(found, key=lambda fault: fault[0])[1] if found else None


def _in_pieces(pieces: list[Piece]) -> tuple[float, Finding] | None:
    """The first fault in pieces of one system, and when."""
    system, looks = pieces[0].system, [_states(piece) for piece in pieces]
    watched = _watched(system)
    if not watched:
        return None
    times, x = np.concatenate([t for t, _ in looks]), np.vstack([x for _, x in looks])
    values, wrong = _look(system, watched, times, x)
    bad = np.array([w.any(axis=1) for w in wrong]).any(axis=0)
    if not bad.any():
        return source_pole(system, {_owner(system, w.name) for w in watched}, times)
    k = int(np.argmax(bad))
    t = float(times[k])
    before = float(times[max(k - 1, 0)])
    ended = source_end(system, before, t) or source_end(system, before, t * (1.0 + AHEAD))
    lost = [(w, value[k]) for w, value, fault in zip(watched, values, wrong, strict=True) if fault[k].any()]
    if (nothing := _nothing_to_divide_by(system, watched, [value[k] for value in values], t)) is not None:
        return t, ended or nothing
    signed = [(w, float(value.min())) for w, value in lost if w.sign]
    told = _of_wrong_sign(*signed[0], t) if signed else _no_value(system, [w for w, _ in lost], t)
    return t, ended or told


def _look(
    system: System, watched: list[_Watched], times: np.ndarray, x: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What is watched, at times and states (a row each), and where that is no number or has the wrong sign."""
    from multibond.solve.solution import evaluate

    all_of_it = system.kept.get("values watched", lambda: _values(system, watched))
    ends = np.cumsum([w.value.numel() for w in watched])[:-1]
    values = np.split(evaluate(system, all_of_it, times, x), ends, axis=1)
    return values, [_wrong(w, value) for w, value in zip(watched, values, strict=True)]


def _values(system: System, watched: list[_Watched]) -> Function:
    r = system.reduced.whole
    return Function("w", [r.t, r.x, r.y, r.p], [column([w.value for w in watched])])


def _wrong(watched: _Watched, value: np.ndarray) -> np.ndarray:
    if watched.sign == "positive":
        return ~(value > 0.0)
    below = value < -ROUNDING * np.nanmax(np.abs(value), initial=0.0)
    return ~np.isfinite(value) | (below & bool(watched.sign))


def lost_where_it_stopped(system: System, times: np.ndarray, x: np.ndarray) -> Finding | None:
    """The law without a value, or without a bound, at the end of a run that stopped and at times and states ahead."""
    watched = _watched(system)
    if not watched:
        return None
    values, wrong = _look(system, watched, times, x)
    lost = [w for w, fault in zip(watched, wrong, strict=True) if fault.any() and not w.sign]
    if (nothing := _nothing_to_divide_by(system, watched, values, float(times[0]))) is not None:
        return nothing
    if (found := _first_that_can_fail(system, lost)) is not None:
        return _told(system, found, "has no value", "is no number there", float(times[0]))
    huge = [w for w, value in zip(watched, values, strict=True) if not w.sign and np.abs(value[0]).max() > HUGE]
    if (found := _first_that_can_fail(system, huge)) is not None:
        return _told(system, found, "outgrows all numbers", "has no bound there", float(times[0]))
    near = times[0] * np.concatenate([1.0 - NEARER, 1.0 + NEARER])
    values, _ = _look(system, watched, near, np.repeat(x[:1], near.size, axis=0))
    sizes = [np.abs(value).max(axis=1).reshape(2, -1) for value in values]
    growing = [w for w, size in zip(watched, sizes, strict=True) if any(grows(side) for side in size)]
    if (found := _first_that_can_fail(system, growing)) is not None:
        return _told(system, found, "grows without limit", "has no bound there", float(times[0]))
    return None


def _nothing_to_divide_by(
    system: System, watched: list[_Watched], values: list[np.ndarray], t: float
) -> Finding | None:
    """The first signal, by path, that is zero where a law divides by it; values: what is watched, at times about t."""
    zeros = {w.name for w, value in zip(watched, values, strict=True) if w.sign and not value.all()}
    found = [(path, port.name) for path, port in ports_to_divide_by(system.dae) if f"{path}.{port.name}" in zeros]
    return nothing_to_divide_by(*found[0], t) if found else None


def at_absolute_zero(run: Solution) -> Finding | None:
    """The first store of heat, by path, that a run which stopped has emptied."""
    graph, end = run.pieces[-1].system.dae.graph, float(run.t[-1])
    hot = {path for b in graph.bonds if b.domain is THERMAL for path in (b.tail.element, b.head.element)}
    for path in sorted(path for path in hot if graph.elements[path].causality == "prefers effort"):
        if float(run[f"{path}.e"](end)) < COLD * float(run[f"{path}.e"](float(run.t[0]))):
            return Finding(
                f"{graph.owner(path)!r} reaches 0 K at {end:.6g} s.",
                "More heat is taken from it than it has, and laws of heat hold above absolute zero.",
                "Take less, or let what takes it depend on the temperature; the error's `run` is the run so far.",
                (graph.owner(path),),
            )
    return None


def _states(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Times and states at the ends of the steps of a piece; between them too where there are no states."""
    times, x = piece.trajectory.t, piece.trajectory.x
    if not piece.system.n:
        times = np.unique(np.concatenate([times, np.linspace(times[0], times[-1], LOOKS)]))
        return times, np.zeros((times.size, 0))
    if times.size <= MOST:
        return times, x
    some = np.unique(np.linspace(0, times.size - 1, MOST).astype(int))
    return times[some], x[some]


@dataclass(frozen=True)
class _Watched:
    """A variable that may have no value, with its expression; sign: what it must be besides."""

    name: str
    value: SX
    sign: str = ""


def _watched(system: System) -> list[_Watched]:
    """What may have no value in a system: the same for all its numbers."""
    return system.kept.get("watched", lambda: _found(system))


def _found(system: System) -> list[_Watched]:
    dae, whole = system.dae, system.reduced.whole
    risky = {k: _risky(kind) for k, kind in enumerate(dae.classes)}
    found = []
    for row in (row for row in dae.rows if risky[row.kind]):
        kind = dae.classes[row.kind]
        names = [name for name in risky[row.kind] if _is_read(system, row.cell.prefix + name)]
        if not names:
            continue
        call = Function("risky", class_inputs(kind), [kind.values[name] for name in names])
        values = call.call(cell_arguments(dae, whole, row))
        found += [_Watched(row.cell.prefix + name, value) for name, value in zip(names, values, strict=True)]
    found += [_Watched(name, system.observer.expression(name), sign) for name, sign in _signed(system)]
    return [w for w in found if w.value.numel()]


def _is_read(system: System, name: str) -> bool:
    """Whether a variable is more than an output that nobody reads: the direction of a spring that needs none.

    Asked is the machine as drawn: what a rewriting has no use for may be read there.
    """
    element, _, port = name.rpartition(".")
    graph = system.dae.graph
    item = graph.elements.get(element)
    outputs = getattr(item, "ports", tuple)()
    if isinstance(item, Block) or not any(isinstance(p, SignalPort) and p.name == port for p in outputs):
        return True
    hit = graph.signal_at(element, port)
    if (hit is not None and len(hit[0].ends) > 1) or name in graph.aliases.values():
        return True
    return system.origin is not None and _is_read(system.origin(), name)


def _signed(system: System) -> list[tuple[str, str]]:
    """Temperatures that sources give (those of bodies cannot become negative), and signals that need a sign."""
    graph = system.dae.graph
    hot = {path for b in graph.bonds if b.domain is THERMAL for path in (b.tail.element, b.head.element)}
    found = [(f"{path}.e", "positive") for path in hot if graph.elements[path].causality == "gives effort"]
    for path, item in graph.elements.items():
        found += [(f"{path}.{port.name}", port.sign) for port in signal_ports(item) if port.sign]
    return [(name, sign) for name, sign in sorted(found) if system.observer.knows(name)]


def _risky(kind: CellClass) -> list[str]:
    """The values of a class of cells that can fail: all of them in one look."""
    names = list(kind.values)
    failing = fragile(class_inputs(kind), [kind.values[name] for name in names])
    return [name for name, fails in zip(names, failing, strict=True) if fails]


def fragile(inputs: list[SX], values: list[SX]) -> list[bool]:
    """Which expressions divide by what varies, or take a root, a power or a logarithm of it.

    A parameter itself is not zero where a law divides by it; the numbers in a formula may be anything.
    """
    function = Function("v", inputs, values)
    varies: dict[int, bool] = {}
    given: dict[int, bool] = {}
    fails: dict[int, bool] = {}
    power: dict[int, bool] = {}
    nothing: frozenset[int] = frozenset()
    found = [False] * len(values)
    for k in range(function.n_instructions()):
        op, into, out = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT:
            varies[out[0]], fails[out[0]], given[out[0]] = into[0] != FIXED, False, True
        elif op == ca.OP_OUTPUT:
            found[out[0]] |= fails.get(into[0], False)
        elif op == ca.OP_CONST:
            number = function.instruction_constant(k)
            varies[out[0]] = given[out[0]] = False
            nothing = nothing | {out[0]} if number == 0 else nothing - {out[0]}
            fails[out[0]], power[out[0]] = not np.isfinite(number), number >= 0 and float(number).is_integer()
        else:
            read = [varies.get(slot, False) for slot in into]
            wrong = (op in PARTIAL and any(read)) or (op == ca.OP_DIV and (read[1] or into[1] in nothing))
            wrong = wrong or (op in ROOTS and given.get(into[0], False))
            wrong = wrong or (op == ca.OP_CONSTPOW and read[0] and not power.get(into[1], False))
            wrong = wrong or any(fails.get(slot, False) for slot in into)
            varies |= dict.fromkeys(out, any(read) or any(given.get(slot, False) for slot in into))
            given |= dict.fromkeys(out, False)
            fails |= dict.fromkeys(out, wrong)
    return found


# -- in words ----------------------------------------------------------------------------------------------------------


def _owner(system: System, name: str) -> str:
    """The element that a variable belongs to."""
    path = name
    while path and path not in system.dae.graph.elements:
        path = path.rpartition(".")[0]
    return path or name


def _no_value(system: System, lost: list[_Watched], t: float) -> Finding:
    """The fault of a law that had no value, or of what reads it where no law is known that can be without one."""
    own = _first_that_can_fail(system, lost) or min(lost, key=lambda w: _owner(system, w.name))
    return _told(system, own, "has no value", "is no number there", t)


def _told(system: System, own: _Watched, what: str, how: str, t: float) -> Finding:
    path = _owner(system, own.name)
    item = system.dae.graph.elements.get(path)
    kind = "a law" if item is None else with_article(type(item).__name__) + _laws_of(system, item)
    return Finding(
        f"{path!r} {what} at {t:.6g} s.",
        f"It is {kind}, and {own.name!r} {how}: something that it reads lies outside its law.",
        "Keep what it reads within the law (a length or a temperature above zero); the error's `run` is the run.",
        (path,),
    )


def _laws_of(system: System, item: Element) -> str:
    """The formulas that an element has, in words."""
    plain = system.dae.plain(item, system.parameters)
    laws = [(name, law) for name in item.parameters() if isinstance(law := vars(plain).get(name), Formula)]
    return "".join(f" with {name} = {short(law)}" for name, law in laws)


def _first_that_can_fail(system: System, lost: list[_Watched]) -> _Watched | None:
    """Of what was lost the first by path whose own law can be without a value; others pass on what they are given."""
    elements = system.dae.graph.elements
    for own in sorted(lost, key=lambda w: _owner(system, w.name)):
        path = _owner(system, own.name)
        if path in elements and _can_fail(system, elements[path]):
            return own
    return None


def _can_fail(system: System, item: Element) -> bool:
    """Whether an element's own law can be without a value."""
    if isinstance(item, Junction):
        return False
    for case in ways(system.dae.plain(item, system.parameters)):
        law = case.law
        said = [ca.vec(SX(v)) for v in (*law.relations, *law.outputs.values(), *law.rates.values())]
        if any(fragile([column(ca.symvar(column(said)))], said)):
            return True
    return False


def _of_wrong_sign(watched: _Watched, value: float, t: float) -> Finding:
    path, _, port = watched.name.rpartition(".")
    if port == "e":
        return _too_cold(path, t, value)
    return Finding(
        f"the {port} that {path!r} reads is {value:g} at {t:.6g} s.",
        f"It must {'be positive' if watched.sign == 'positive' else 'not be negative'}: its law holds no further.",
        "Keep the signal in its range, with a Limiter for instance; the error's `run` is the run.",
        (path,),
    )


def _too_cold(path: str, t: float, value: float) -> Finding:
    return Finding(
        f"the temperature of {path!r} is {value:g} K at {t:.6g} s.",
        "Temperatures count from absolute zero, and laws of heat hold above it.",
        "Give kelvin (20 °C are 293.15 K); the error's `run` is the run.",
        (path,),
    )
