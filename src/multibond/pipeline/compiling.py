"""Stages → System: equations as machine code, also once more with other elements."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from multibond.equations.consistent import angle_states, manifold, neutral
from multibond.equations.dae import Dae, build, inline
from multibond.equations.household import state_entries
from multibond.equations.instants import unknown_rates
from multibond.equations.reduce import reduce
from multibond.errors import StructureError
from multibond.graph.component import Component, with_mode
from multibond.graph.graph import Graph
from multibond.graph.loose import DEGREES, many_turns
from multibond.graph.model import Model
from multibond.graph.opening import with_open_formulas
from multibond.interrupt import interruptible
from multibond.lower.origin import Modes, Origin
from multibond.lower.recipe import Recipe, Renewal
from multibond.lower.system import System, lower, lower_tree
from multibond.pipeline.staging import Stages, as_graph, stages, with_found
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.modes import Values
from multibond.solve.plant import Plant
from multibond.solve.sensor_starts import ELSEWHERE, sensors_elsewhere
from multibond.solve.tiny import WORDS, tiny_inertias
from multibond.structure.causality import assign


def compile(
    model: Model | Graph | Component,
    method: str = "auto",
    *,
    parasitic: Parasitic | None = None,
    form: str = "auto",
    cuts: Sequence[str] = (),
    prefer: Mapping[str, str] | None = None,
    depth: int = 2,
) -> Plant:
    """Model → System: equations reduced, compiled, with a consistent start.

    form: "line" for one straight-line expression, "loops" for class kernels in loops (long trees), "auto" to choose.
    cuts: joints at which loops are to be cut, where the automatic choice is not wanted.
    prefer: causality of elements, where the automatic choice is not wanted, such as {"coil": "derivative"}.
    depth: 2 for vector bonds, 3 for scalar ones.
    """
    recipe = Recipe(copy(model) if isinstance(model, Model) else model, parasitic, form, tuple(cuts), prefer, depth)
    with interruptible(f"compiling {recipe.name!r}" if recipe.name else "compiling a graph") as press:
        plant = _compiled(method, recipe)
        press.heed()
    return plant


def _compiled(method: str, recipe: Recipe) -> Plant:
    """A model by its recipe."""
    model = recipe.model
    graph, found = with_found(model)
    made = stages(with_open_formulas(graph), method, **recipe.wishes)
    if made.sweeps is None:
        code = lower(made.reduced, made.length)
    else:
        code = lower_tree(made.reduced, made.sweeps, made.length)
    resting = [f"{name}: nothing moves or holds it, so it keeps its speed" for name in made.reduced.idle]
    rates = unknown_rates(made.reduced)
    report = (str(made.tree), str(made.reduced.redundancy), *made.zeros, *resting, *rates, *found, *made.start.moved)
    origin = _origin(model, made) if method == "minimal" else None
    plant = Plant(
        made.reduced, code, made.dae.parameter_values, made.start.x, made.length, method, report, recipe,
        made.start.stored, origin,
    )  # fmt: skip
    return replace(plant, report=report_now(plant))


def report_now(system: System) -> tuple[str, ...]:
    """The report, with what only the numbers as they are now tell: start angles of many turns, and, warned of, tiny
    inertias and sensors that begin elsewhere.
    """
    drawn = system.dae.graph if system.origin is None else as_graph(system.recipe.model)
    found = (*(tiny_inertias(system) if isinstance(system, Plant) else ()), *sensors_elsewhere(system, drawn))
    for line in found:
        warnings.warn(line, stacklevel=4)
    names = state_entries(system.dae)
    turned = (many_turns(names[k], float(system.x0[k])) for k in angle_states(system.dae))
    kept = (line for line in system.report if not any(words in line for words in (WORDS, ELSEWHERE, DEGREES)))
    return (*kept, *(line for line in turned if line is not None), *found)


def _origin(model: Model | Graph | Component, made: Stages) -> Origin:
    """The machine as drawn, compiled when a force is asked for that minimal coordinates do not know."""

    @cache
    def make(modes: Modes) -> System:
        if not modes:
            return compile(model, form="line")
        plain = make(())
        known = plain.dae.graph.elements
        other = [(path, mode) for path, mode in modes if path in known and vars(known[path])["mode"] != mode]
        changed = {path: with_mode(known[path], mode) for path, mode in other}
        return rebuilt(plain, changed, [plain.dae.energy_variables(plain.x0)]) if changed else plain

    return Origin(make, made.velocities, made.every)


def rebuilt(system: System, elements: Mapping[str, Component], views: Sequence[Values]) -> System:
    """The same machine with other elements in their places; `views`: energy variables of states at which to look at it.

    The first is a state on the way; the others are where modes begin; where they are singular, only the first counts.
    """
    dae = system.dae
    graph = dae.graph.with_(elements=dae.graph.elements | dict(elements))
    strokes = assign(graph, dae.tree, dae.causality.wishes)
    fresh = replace(build(graph, dae.tree, strokes), parameter_values=system.parameters)
    whole = inline(fresh)
    shape, points = manifold(fresh, whole), [_placed(fresh, values) for values in views]
    try:
        reduced = reduce(fresh, whole, shape, *points)
    except StructureError:
        if len(points) == 1:
            raise
        reduced = reduce(fresh, whole, shape, points[0])
    step = Renewal(system, {path: _new_in(item, dae.graph.elements[path]) for path, item in elements.items()}, views)
    return replace(
        system, reduced=reduced, code=lower(reduced, system.length), x0=points[0], stored={}, derivation=step
    )


def _new_in(item: Component, before: Component) -> dict[str, Any]:
    """Values of an element that stands in the place of another, as far as they are new."""
    return {name: value for name, value in vars(item).items() if value is not vars(before).get(name)}


def _placed(dae: Dae, values: Values) -> np.ndarray:
    """The state of a system that holds given energy variables."""
    x = neutral(dae)
    for place in dae.states:
        held = values.get((place.path, place.name))
        if held is not None:
            x[place.start : place.stop] = held[list(place.lanes)] if place.lanes else held
    return x
