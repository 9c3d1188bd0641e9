"""Laws and formulas that had no value on the way: what was no number in a run, when, and whose it is.

A run can reach its end although a variable that no state depends on was no number. Only laws that can fail are looked
at: those that divide by, or take a root or a logarithm of, what varies; and temperatures, which are above 0 K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from multibond.elements.blocks.block import Block
from multibond.equations.cellclass import CellClass
from multibond.equations.observe import cell_arguments, class_inputs
from multibond.errors import Finding, with_article
from multibond.expr import SX, Function, column
from multibond.graph.port import SignalPort
from multibond.lower.system import System
from multibond.solve.source_end import source_end
from multibond.units import THERMAL

if TYPE_CHECKING:
    from multibond.solve.solution import Piece, Solution

PARTIAL = frozenset((ca.OP_LOG, ca.OP_SQRT, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ACOSH, ca.OP_ATANH, ca.OP_POW, ca.OP_INV))
"""Operations that have no value for some numbers; of a division that is the divisor."""
FIXED = 2
"""The place of the parameters among what a cell is given."""
MOST = 20_000
"""So many times of a piece are looked at."""
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
    from multibond.solve.solution import evaluate

    system, looks = pieces[0].system, [_states(piece) for piece in pieces]
    watched = _watched(system)
    if not watched:
        return None
    times, x = np.concatenate([t for t, _ in looks]), np.vstack([x for _, x in looks])
    r = system.reduced.whole
    values = evaluate(system, Function("w", [r.t, r.x, r.y, r.p], [column([w.value for w in watched])]), times, x)
    owner = np.repeat(np.arange(len(watched)), [w.value.numel() for w in watched])
    cold = np.array([w.cold for w in watched])[owner]
    wrong = np.where(cold, ~(values > 0.0), ~np.isfinite(values))
    if not wrong.any():
        return None
    k = int(np.argmax(wrong.any(axis=1)))
    t, lost = float(times[k]), [watched[n] for n in np.unique(owner[wrong[k]])]
    ended = source_end(system, float(times[max(k - 1, 0)]), t)
    chilled = [(w, values[k, owner == watched.index(w)].min()) for w in lost if w.cold]
    return t, ended or (_too_cold(chilled[0][0].name, t, chilled[0][1]) if chilled else _no_value(system, lost, t))


def _states(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Times and states at the ends of the steps of a piece; between them too where there are no states."""
    times, x = piece.trajectory.t, piece.trajectory.x
    if not piece.system.n:
        times = np.unique(np.concatenate([times, np.linspace(times[0], times[-1], LOOKS)]))
        return times, np.zeros((times.size, 0))
    some = np.unique(np.linspace(0, times.size - 1, min(times.size, MOST)).astype(int))
    return times[some], x[some]


@dataclass(frozen=True)
class _Watched:
    """A variable that may have no value, with its expression; cold: a temperature, which must be above zero."""

    name: str
    value: SX
    cold: bool = False


def _watched(system: System) -> list[_Watched]:
    """What may have no value in a system."""
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
    found += [_Watched(name, system.observer.expression(name), cold=True) for name in _temperatures(system)]
    return [w for w in found if w.value.numel()]


def _is_read(system: System, name: str) -> bool:
    """Whether a variable is more than an output that nobody reads: the direction of a spring that needs none."""
    element, _, port = name.rpartition(".")
    item = system.dae.graph.elements.get(element)
    outputs = getattr(item, "ports", tuple)()
    if isinstance(item, Block) or not any(isinstance(p, SignalPort) and p.name == port for p in outputs):
        return True
    hit = system.dae.graph.signal_at(element, port)
    read = hit is not None and len(hit[0].ends) > 1
    return read or name in system.dae.graph.aliases.values()


def _temperatures(system: System) -> list[str]:
    """Temperatures that sources give: those of bodies cannot become negative."""
    graph = system.dae.graph
    hot = {path for b in graph.bonds if b.domain is THERMAL for path in (b.tail.element, b.head.element)}
    given = sorted(f"{path}.e" for path in hot if graph.elements[path].causality == "gives effort")
    return [name for name in given if system.observer.knows(name)]


def _risky(kind: CellClass) -> list[str]:
    """The values of a class of cells that can fail: all of them in one look."""
    names = list(kind.values)
    failing = fragile(class_inputs(kind), [kind.values[name] for name in names])
    return [name for name, fails in zip(names, failing, strict=True) if fails]


def fragile(inputs: list[SX], values: list[SX]) -> list[bool]:
    """Which expressions divide by what varies, or take a root, a power or a logarithm of it.

    A parameter itself has been looked at where it was given; what is computed of parameters has not.
    """
    function = Function("v", inputs, values)
    varies: dict[int, bool] = {}
    given: dict[int, bool] = {}
    fails: dict[int, bool] = {}
    found = [False] * len(values)
    for k in range(function.n_instructions()):
        op, into, out = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT:
            varies[out[0]], fails[out[0]], given[out[0]] = into[0] != FIXED, False, True
        elif op == ca.OP_OUTPUT:
            found[out[0]] |= fails.get(into[0], False)
        elif op == ca.OP_CONST:
            varies[out[0]] = fails[out[0]] = given[out[0]] = False
        else:
            read = [varies.get(slot, False) for slot in into]
            wrong = (op in PARTIAL and any(read)) or (op == ca.OP_DIV and read[1])
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
    """The fault of a law that had no value; of several the first by path."""
    names = [w.name for w in lost]
    path = sorted({_owner(system, name) for name in names})[0]
    element = system.dae.graph.elements.get(path)
    kind = with_article(type(element).__name__) if element is not None else "a law"
    own = next(name for name in names if _owner(system, name) == path)
    return Finding(
        f"{path!r} has no value at {t:.6g} s.",
        f"It is {kind}, and {own!r} is no number there: something that it reads lies outside its law.",
        "Keep what it reads within the law (a length or a temperature above zero); the error's `run` is the run.",
        (path,),
    )


def _too_cold(name: str, t: float, value: float) -> Finding:
    path = name.removesuffix(".e")
    return Finding(
        f"the temperature of {path!r} is {value:g} K at {t:.6g} s.",
        "Temperatures count from absolute zero, and laws of heat hold above it.",
        "Give kelvin (20 °C are 293.15 K); the error's `run` is the run.",
        (path,),
    )
