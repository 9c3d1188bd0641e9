"""Structural analysis of a graph: ranks, controllability, observability, relative orders, with their reasons.

Of a linear graph they hold for almost all parameters. A graph that is not linear is linearised at a state, which the
report names: causal paths hold everywhere, ranks and orders there.

>>> told = analyse(drive, inputs="battery", outputs="rotor.f")
>>> told.controllable, told.relative_order("battery", "rotor.f")
(True, 2)
>>> print(told)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibond.analysis.derivative import derivative_causality, staying_integral, staying_with_inputs
from multibond.analysis.ends import InputEnd, OutputEnd, as_names, input_ends, listed, output_ends
from multibond.analysis.generic import Draw, draws
from multibond.analysis.linearised import At, linearise, numeric_rank
from multibond.analysis.paths import Web, order_of, shortest, web_of
from multibond.analysis.reasons import is_linear, unreached, unreached_there, unseen, unseen_there
from multibond.analysis.residues import rank
from multibond.analysis.signals import Signals, signals_of
from multibond.border import public
from multibond.errors import unknown_name
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.report import Item, Report
from multibond.solve.solution import Solution


@dataclass(frozen=True)
class Pair:
    """An input and an output: the relative order, and the causal path with the fewest integrations, in words.

    order: degree of the denominator less that of the numerator; None where the input has no effect. path_order: that of
    the shortest causal path. With all storages in integral causality they differ only where the gains of all shortest
    paths cancel, whatever the parameters; loops that differentiate may raise the order too.
    """

    input: str
    output: str
    order: int | None
    path_order: int | None
    path: tuple[str, ...]


@public
@dataclass(frozen=True)
class Structure(Report):
    """What the structure of a linear graph tells, for almost all values of its parameters.

    order: number of independent storages. rank, rank_with_inputs, rank_with_outputs: bond-graph ranks of A, of (A B)
    and of A over C. reachable, visible: dimensions of what inputs can change and outputs can tell. stays_integral:
    storages that keep integral causality where derivative causality is preferred, without and with dualised sources;
    None where strokes alone do not tell (loops, couplers that work one way only). linearised: the state at which a
    graph that is not linear was linearised, in words; ranks and orders are numeric ones there.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    order: int
    rank: int
    rank_with_inputs: int
    rank_with_outputs: int
    reachable: int
    visible: int
    pairs: tuple[Pair, ...]
    stays_integral: tuple[str, ...] | None
    stays_integral_with_inputs: tuple[str, ...] | None
    reasons: tuple[str, ...]
    linearised: str = ""

    @property
    def controllable(self) -> bool:
        """Whether the inputs can bring the storages to any values."""
        return self.reachable == self.order

    @property
    def observable(self) -> bool:
        """Whether the outputs tell what all storages hold."""
        return self.visible == self.order

    def relative_order(self, input: str, output: str) -> int | None:
        """How often an output is differentiated until the input appears in it; None where it never does."""
        return self.pair(input, output).order

    def pair(self, input: str, output: str) -> Pair:
        """What is known of one input and one output."""
        for pair in self.pairs:
            if (pair.input, pair.output) == (input, output):
                return pair
        known = [f"{p.input}, {p.output}" for p in self.pairs]
        raise unknown_name("the analysis", f"{input}, {output}", known, offer="Name an input and an output of it.")

    def report(self) -> str:
        """Everything in words."""
        return str(self)

    def description(self) -> list[Item]:
        """Everything in words."""
        lines = [f"{self.name}: {self.order} independent storages, bond-graph rank {self.rank}"]
        if self.linearised:
            lines.append(f"  linearised {self.linearised}")
        if self.stays_integral:
            lines.append(f"  in derivative causality all but {listed(self.stays_integral)}")
        if self.inputs:
            lines.append(f"  controllable from {listed(self.inputs)}: {_yes(self.reachable, self.order)}")
        if self.outputs:
            lines.append(f"  observable from {listed(self.outputs)}: {_yes(self.visible, self.order)}")
        for pair in self.pairs:
            lines.append(f"  {pair.input} to {pair.output}: {_order(pair, there=bool(self.linearised))}")
        return [*lines, *(f"  {reason}" for reason in self.reasons)]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        own = {k: v for k, v in vars(self).items() if k != "pairs"}
        return own | {
            "controllable": self.controllable,
            "observable": self.observable,
            "pairs": [vars(pair) for pair in self.pairs],
        }


def analyse(
    model: Model | Graph,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    *,
    at: tuple[Solution, float] | None = None,
) -> Structure:
    """Structural rank, controllability, observability and relative orders of a graph.

    inputs: sources by name, all that drive something where left out. outputs: variables by name (`rotor.f`), all
    sensors where left out. Properties of a linear graph hold for almost all parameters: exact, not estimated (see
    `analysis.generic`). A graph that is not linear is linearised at its start, or `at` a time of a run of it.

    >>> print(analyse(drive, inputs="battery", outputs=["rotor.f", "coil.e"]))
    >>> print(analyse(pendulum, outputs="hinge.angle", at=(run, 1.2)))
    """
    signals = signals_of(model)
    given, read = input_ends(signals, as_names(inputs)), output_ends(signals, as_names(outputs))
    signals, name = signals.driven(end.node for end in given), getattr(model, "name", "graph")
    if at is not None or not is_linear(signals, read):
        return _linearised(name, signals, given, read, at)
    found, web = draws(signals, given, read), web_of(signals)
    ranks = [_Ranks.of(draw) for draw in found]
    order = max(r.order for r in ranks)
    reachable, visible = max(r.reachable for r in ranks), max(r.visible for r in ranks)
    free = [min(r.free[k] for r in ranks) for k in range(3)]
    reasons = unreached(signals, web, given, found[0]) if reachable < order else []
    reasons += unseen(signals, web, read, found[0]) if visible < order else []
    stays = staying_integral(derivative_causality(signals.graph, signals.tree))
    powered = [path for path in dict.fromkeys(end.path for end in given) if signals.graph.bonds_of(path)]
    driven = staying_with_inputs(signals.graph, signals.tree, powered)
    return Structure(
        name=name,
        inputs=tuple(end.name for end in given),
        outputs=tuple(end.name for end in read),
        order=order,
        rank=order - free[0],
        rank_with_inputs=order - free[1],
        rank_with_outputs=order - free[2],
        reachable=reachable,
        visible=visible,
        pairs=_pairs(signals, web, given, read, found),
        stays_integral=stays if stays is not None and len(stays) == free[0] else None,
        stays_integral_with_inputs=driven if driven is not None and len(driven) == free[1] else None,
        reasons=tuple(reasons),
    )


def _linearised(
    name: str, signals: Signals, given: Sequence[InputEnd], read: Sequence[OutputEnd], at: At | None
) -> Structure:
    """The same answers at one state; paths and strokes are those of the structure."""
    near, web = linearise(signals.graph, given, read, at), web_of(signals)
    reached, seen = near.reached(), near.seen()
    order, reasons = len(near.A), []
    if given and reached.shape[1] < order:
        reasons.append(unreached_there(given, near.owners(reached)))
    if read and seen.shape[1] < order:
        reasons.append(unseen_there(read, near.owners(seen)))
    paths = _pairs(signals, web, given, read, [])
    orders = [near.order(i, j) for i in range(len(read)) for j in range(len(given))]
    return Structure(
        name, tuple(end.name for end in given), tuple(end.name for end in read), order, numeric_rank(near.A),
        numeric_rank(np.hstack([near.A, near.B])), numeric_rank(np.vstack([near.A, near.C]).T),
        reached.shape[1], seen.shape[1],
        tuple(replace(pair, order=k) for pair, k in zip(paths, orders, strict=True)),
        None, None, tuple(reasons), near.where,
    )  # fmt: skip


@dataclass(frozen=True)
class _Ranks:
    """The ranks of one draw; an unlucky draw can only make them smaller."""

    order: int
    reachable: int
    visible: int
    free: tuple[int, int, int]

    @staticmethod
    def of(draw: Draw) -> _Ranks:
        return _Ranks(draw.order(), rank(draw.reached()), rank(draw.seen()), draw.free())


def _pairs(
    signals: Signals, web: Web, given: Sequence[InputEnd], read: Sequence[OutputEnd], found: Sequence[Draw]
) -> tuple[Pair, ...]:
    lowest = [d.valuations() for d in found]
    pairs = []
    for i, output in enumerate(read):
        for j, source in enumerate(given):
            powers = [int(num[i, j]) for num, _ in lowest if num[i, j] >= 0]
            order = min(powers) - min(den for _, den in lowest) if powers else None
            path = shortest(web, source.node, output.nodes(signals))
            steps = None if path is None else order_of(web, path)
            pairs.append(Pair(source.name, output.name, order, steps, path_names(signals, path or ())))
    return tuple(pairs)


def path_names(signals: Signals, path: Sequence[int]) -> tuple[str, ...]:
    """The variables on a path, each named once."""
    return tuple(dict.fromkeys(signals.nodes[k].name for k in path))


def _yes(found: int, order: int) -> str:
    return "yes" if found == order else f"no, {found} of {order}"


def _order(pair: Pair, *, there: bool) -> str:
    if pair.order is None and pair.path_order is not None and there:
        return "no effect there, though causal paths lead to it"
    if pair.order is None:
        return "no effect: no causal path" if pair.path_order is None else "no effect: its causal paths cancel"
    told = f"relative order {pair.order}"
    return told if pair.order == pair.path_order else f"{told} (the shortest causal path has {pair.path_order})"
