"""Inversion by bicausality: which input makes an output follow a given function of time?

>>> inverse = invert(drive, given={"rotor.f": "tanh(t)**3"}, unknown="battery")
>>> print(inverse)                       # differentiations, causal path, bicausal bonds
>>> run = inverse.simulate(5.0)
>>> inverse.input(run, 1.2)              # the voltage at 1.2 s
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from multibond.analysis.bicausal import BicausalBond, GivenEnd, turn_round, turned_strokes
from multibond.analysis.demands import Demand, by_speed, demands_of, sought
from multibond.analysis.ends import InputEnd, input_ends, listed, source_of
from multibond.analysis.measured import Reading
from multibond.analysis.signals import Signals, signals_of
from multibond.arguments import Numbers
from multibond.border import public
from multibond.elements import MSe, MSf, Se, Sf
from multibond.errors import Finding, ModelError, StartError, StructureError, unknown_name
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System
from multibond.pipeline import compile, stages, with_found
from multibond.rewrite.floating import join_floating
from multibond.structure.causality import Causality
from multibond.workbench import Run, simulate


@public
@dataclass(frozen=True)
class Inverse:
    """A model in which outputs are given and inputs are sought.

    sought: inputs by name; outputs: what is given, by name. differentiations: how often the given functions are
    differentiated in all, which for one output is its relative order. paths: the causal paths that are turned round.
    bicausal: bonds whose effort and flow then come from one end. system: the compiled inverse. strokes: of the graph
    with the paths turned round, for drawings; of a bicausal bond they say where the flow comes from.
    """

    name: str
    sought: tuple[str, ...]
    outputs: tuple[str, ...]
    differentiations: int
    paths: tuple[tuple[str, ...], ...]
    bicausal: tuple[BicausalBond, ...]
    system: System
    _ends: tuple[InputEnd, ...] = ()
    _variables: tuple[str, ...] = ()
    strokes: Causality | None = field(default=None, repr=False)

    def simulate(self, until: float, **options: Any) -> Run:
        """Run the inverse model; options as in `mb.simulate`."""
        return simulate(self.system, until, **options)

    def input(self, run: Run, times: Numbers) -> np.ndarray:
        """The inputs found in a run: with the sign of the source, one column each (one number for one input)."""
        values = run.values(list(self._variables), np.atleast_1d(np.asarray(times, float)))
        signed = values * np.array([end.sign for end in self._ends])
        signed = signed[:, 0] if len(self._ends) == 1 else signed
        return signed[0] if np.ndim(times) == 0 else signed

    def draw(self, *, format: str = "svg", signals: bool = True) -> str:
        """The graph with the paths turned round: bicausal bonds have half a stroke at each end.

        Effort's half is on the side of the half-arrow's barb and stands where the effort is received; flow's half is on
        the other side and stands where the flow is given. format: "svg" or "tikz".
        """
        from multibond.view.draw import written
        from multibond.view.legend import inked
        from multibond.view.multibonds import Seen, multibond_scene

        assert self.strokes is not None and self.strokes.graph is not None
        both = frozenset((bond.bond, bond.component) for bond in self.bicausal)
        seen = Seen(self.strokes.graph, self.strokes, bicausal=both)
        scene = multibond_scene(seen if signals else seen.powered(), f"inverse of {self.name}")
        return written(inked(scene), format)

    _repr_svg_ = draw

    def report(self) -> str:
        """Everything in words."""
        lines = [
            f"{self.name}: {listed(self.sought)} such that {listed(self.outputs)} is as given",
            f"  the given function{'s are' if len(self.outputs) > 1 else ' is'} differentiated "
            f"{_times(self.differentiations)}",
            *(f"  causal path turned round: {' → '.join(path)}" for path in self.paths),
            *(f"  bicausal bond {bond}" for bond in self.bicausal),
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.report()


def invert(model: Model | Graph, given: Mapping[str, Any], unknown: str | Sequence[str]) -> Inverse:
    """The inverse of a model: the inputs that let outputs follow given functions of time.

    given: by output (an effort, a flow, a joint's coordinate, a sensor's signal) a formula of t, a number, a pair
    (times, values) that a smooth curve is laid through, or a signal port of the model (`reference.y`); a list for a
    vector. unknown: as many sources, by name.
    The start must fit: storages start as in the model, with what the given functions fix moved where it is free.

    >>> invert(crane, given={"hinge.angle": "-0.5 * exp(-t)"}, unknown="push")
    """
    graph = join_floating(with_found(model)[0])
    names = [unknown] if isinstance(unknown, str) else list(unknown)
    wanted = tuple(source_of(graph, name) for name in names)
    _require_sources(graph, wanted)
    _require_something(given, names)
    forward, demands = demands_of(graph, given)
    readings = [demand.output for demand in demands]
    signals = signals_of(forward)
    ends = input_ends(signals, names)
    _require_square(ends, readings)
    outputs = [GivenEnd(r.name, r.element, _node(signals, r)) for r in readings]
    turned = turn_round(signals.driven(end.node for end in ends), ends, outputs)
    system, count = _compiled(forward, wanted, demands, _cancelled(ends, readings))
    before = len(stages(graph, form="line").reduced.mended)
    return Inverse(
        getattr(model, "name", "graph"), tuple(end.name for end in ends), tuple(r.name for r in readings),
        count - before, turned.paths, turned.bonds, system, tuple(ends), tuple(e.variable(signals) for e in ends),
        turned_strokes(signals, turned),
    )  # fmt: skip


def _compiled(graph: Graph, wanted: Sequence[str], demands: Sequence[Demand], refusal: Finding) -> tuple[System, int]:
    """The inverse as a system, and how often its equations were differentiated.

    A coordinate that is differentiated more than twice is given by its speed: a run corrects positions through the
    accelerations of joints, and an equation of a higher derivative no longer tells these.
    """
    try:
        system = compile(sought(graph, wanted, demands), form="line")
        rounds = Counter(system.reduced.mended)
        if not system.reduced.hidden_positions.numel() or max(rounds.values()) <= 2:
            return system, len(system.reduced.mended)
        graph, demands = by_speed(graph, demands, system)
        system = compile(sought(graph, wanted, demands), form="line")
    except StructureError as refused:
        raise StructureError(refusal, *refused.findings) from None
    except StartError as refused:
        raise StartError(_elsewhere(demands), *refused.findings) from None
    return system, len(system.reduced.mended) + sum(bool(demand.joint) for demand in demands)


def _node(signals: Signals, reading: Reading) -> int:
    """The node of the causal graph at which an output is read."""
    value = signals.named[f"{reading.element}.{reading.port}"][reading.component]
    return next(signals.place[s.element_hash()] for s in ca.symvar(value) if s.element_hash() in signals.place)


def _require_sources(graph: Graph, wanted: Sequence[str]) -> None:
    for path in wanted:
        if not isinstance(graph.elements[path], Se | Sf | MSe | MSf):
            sources = [p for p, _ in graph.of_type((Se, Sf, MSe, MSf))]
            raise unknown_name("the model", path, sources, offer="Name a source of effort or flow.")


def _require_something(given: Mapping[str, Any], names: Sequence[str]) -> None:
    missing = "outputs are given" if not given else "inputs are sought" if not names else ""
    if missing:
        cure = "Give functions of time for some outputs, and name as many sources."
        raise ModelError(Finding("there is nothing to invert.", f"No {missing}.", cure))


def _require_square(ends: Sequence[InputEnd], readings: Sequence[Reading]) -> None:
    if len(ends) == len(readings):
        return
    problem = f"{listed([e.name for e in ends])} cannot be found from {listed([r.name for r in readings])}."
    fact = f"{len(ends)} values are sought and {len(readings)} are given."
    raise StructureError(
        Finding(problem, fact, "Give as many outputs as inputs are sought.", tuple(e.path for e in ends))
    )


def _cancelled(ends: Sequence[InputEnd], readings: Sequence[Reading]) -> Finding:
    names = listed([end.name for end in ends])
    return Finding(
        f"{names} cannot be found from {listed([r.name for r in readings])}.",
        "Causal paths lead there, but the equations of the inverse do not determine it.",
        "Prescribe another output, nearer to the input.",
        tuple(end.path for end in ends),
    )


def _elsewhere(demands: Sequence[Demand]) -> Finding:
    names = listed([demand.output.name for demand in demands])
    return Finding(
        f"the model does not start where what is given for {names} does.",
        "Values, rates and higher derivatives of the given functions at time zero are conditions on the start.",
        "Let the model start there, or give functions that begin as the model does.",
        tuple(demand.output.element for demand in demands),
    )


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")
