"""The start of a system with other numbers: searched for only where one of them has a say in it.

Masses move no start; lengths do. What the conditions of a start read is looked up once and kept with the equations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from multibond.elements import FreeMotion, Stop
from multibond.elements.kinematics import TURNS
from multibond.equations.consistent import closing
from multibond.equations.dae import Dae
from multibond.equations.observe import observer_of
from multibond.equations.reduce import Reduced
from multibond.expr import SX, Function, column
from multibond.solve.given import Given, collect
from multibond.solve.initial import Start, find_start
from multibond.solve.turning_together import follow, pairs, with_parameters


class _Found(NamedTuple):
    """A start, and the start values that it was found from: kept, so that no others can stand in their place."""

    starts: object
    start: Start


def start_for(r: Reduced, p: np.ndarray, *, loose: bool) -> Start:
    """The start for parameters p: the last one found where nothing that it depends on has changed."""
    reads, starts, kept = _reads(r), r.dae.graph.starts, r.whole.kept
    if reads is None:
        return find_start(r, p, loose=loose)
    mark = (loose, id(starts), p[reads].tobytes())
    found = kept.latest("start", mark, lambda: _Found(starts, find_start(r, p, loose=loose)))
    return replace(found.start, x=found.start.x.copy(), p=p)


def _reads(r: Reduced) -> np.ndarray | None:
    """The parameters that a start depends on, whatever its numbers; None where these may be all."""
    kinds = tuple(
        (path, name, value.kinds.tobytes())
        for path, values in sorted(r.dae.graph.starts.items())
        for name, value in values.items()
    )
    return r.whole.kept.latest("read by a start", kinds, lambda: _looked_up(r))


def _looked_up(r: Reduced) -> np.ndarray | None:
    dae, whole = r.dae, r.whole
    if _depends_on_all(dae):
        return None
    observer = observer_of(dae, whole)
    given = collect(dae, whole, dae.parameter_values, True)
    turns = [observer.expression(f"{place.path}.q") for place in dae.states if place.name == TURNS]
    ratios = [with_parameters(pair.ratio, observer) for pair in pairs(dae, whole)]
    rows = [closing(dae, whole), whole.held_flow, r.hidden_positions, r.hidden_flows, follow(dae, whole)]
    read = Function("read", [whole.t, whole.x, whole.y, whole.p], [column([*rows, *_rows(given), *turns, *ratios])])
    if read.jac_sparsity(0, 2).nnz():
        return None
    return np.unique(np.array(read.jac_sparsity(0, 3).get_triplet()[1], int))


def _depends_on_all(dae: Dae) -> bool:
    """Whether laws, paths, stops or accelerations have a say in the start."""
    graph = dae.graph
    storages = any(not isinstance(graph.elements[path], FreeMotion) for path in graph.starts)
    led = any(item.led_lanes for _, item in graph.of_type(FreeMotion) if isinstance(item, FreeMotion))
    rates = any("a" in values for values in graph.starts.values())
    return storages or led or rates or bool(graph.sought) or any(True for _ in graph.of_type(Stop))


def _rows(given: Given) -> list[SX]:
    """Everything that is given and is no state."""
    return [
        *given.positions, *given.flows, *given.guessed_positions, *given.guessed_flows, *given.other_positions,
        *given.other_flows,
    ]  # fmt: skip
