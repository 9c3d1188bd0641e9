"""The same machine with other numbers: at once where its equations still serve, else compiled again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from multibond.equations.consistent import sample_states
from multibond.equations.dae import Dae
from multibond.equations.instants import has_instants
from multibond.equations.reduce import with_clear
from multibond.equations.redundancy import find_redundancy
from multibond.errors import Finding, ModelError, unknown_name
from multibond.expr import SX
from multibond.formula import Formula, means_formula, read_formula
from multibond.graph.component import Component
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.graph.opening import shape_of, with_open_formulas
from multibond.graph.reopened import seeks, starts_of
from multibond.graph.sharing import changed_values
from multibond.graph.sheet import Sheet, Submodel
from multibond.graph.start import StartVector, start_vector
from multibond.graph.twin import sought
from multibond.lower.recipe import Change
from multibond.lower.system import System
from multibond.pipeline.compiling import compile, rebuilt, report_now
from multibond.pipeline.staging import as_graph
from multibond.rewrite.edit import with_values
from multibond.solve.initial import is_of_start
from multibond.solve.same_start import start_for
from multibond.structure.floats import follows
from multibond.structure.pivots import has_pivots, singular_couplers

SAMPLES = 5
"""Positions around the start at which the rank of the constraints is looked at."""


def with_parameters(system: System | Model, changes: Mapping[str, Any]) -> System:
    """The same machine with other numbers or start values.

    Recompiles only where a zero appears or vanishes, where a matrix coupler can no longer give what it has to, where
    the change is one of structure (an axis, another form of a formula), or where other constraints are independent of
    one another.
    """
    if isinstance(system, Model):
        system = compile(system)
    model = _changed_model(system, changes)
    changes = changes if model is None else dict(changed_values(system.recipe.model.sheet, model.sheet))
    if system.method != "auto" or _seeks(system, changes) or _any_follows(system):
        # its start is found in the machine as drawn
        return _recompile(system, _changed_graph(system, changes) if model is None else model, changes)
    values = _filled(system, model, changes)
    if values is None:
        return _recompile(system, model, changes)
    return replace(_begun(system, model, values), derivation=_derivation(system, changes))


def _derivation(system: System, changes: Mapping[str, Any]) -> Change:
    """How the system with other numbers comes from this one; changes one after the other are told as one."""
    before = system.derivation
    if isinstance(before, Change) and before.system.code is system.code:
        return Change(before.system, {**before.values, **changes})
    return Change(system, dict(changes))


def _seeks(system: System, changes: Mapping[str, Any]) -> bool:
    """Whether parameters are unknowns of the start, which is then found in the machine as drawn."""
    model, known = system.recipe.model, system.dae.graph.parameters
    guessed = [path for path, value in changes.items() if isinstance(value, StartVector)]
    if not isinstance(model, Model):
        return bool(guessed)
    return any(path in known for path in guessed) or system.kept.get("seeks", lambda: seeks(model.sheet))


def _any_follows(system: System) -> bool:
    """Whether some motion only follows the bodies that it moves."""
    return system.kept.get("follows", lambda: any(map(follows, system.dae.graph.elements.values())))


def _filled(system: System, model: Model | None, changes: Mapping[str, Any]) -> np.ndarray | None:
    """The run-time numbers with the changes among them; None where the equations have to change."""
    dae, values = system.dae, system.parameters.copy()
    values[dae.turns] = 0.0
    laws = {path for path, value in changes.items() if _is_law(value) or _is_law(_value(system, path))}
    for path in changes.keys() - laws:
        if path in dae.graph.parameters:
            if not _fill(dae, values, path, changes[path]):
                return None
        elif model is None:
            raise unknown_name("the system", path, dae.graph.parameters.keys() - dae.graph.opened)
        elif not _is_start(model, path):
            return None
    if laws and not _fill_laws(system, _changed_graph(system, changes) if model is None else expand(model), values):
        return None
    pivots = system.kept.get("has pivots", lambda: has_pivots(dae.graph))
    lost = pivots and singular_couplers(dae.graph, dae.causality.gives_flow, _numbers(dae, values))
    return None if lost else values


def _is_law(value: Any) -> bool:
    """Whether a parameter is a formula, or several."""
    return isinstance(value, Formula) or (isinstance(value, tuple) and any(map(_is_law, value)))


def _fill_laws(system: System, changed: Graph, values: np.ndarray) -> bool:
    """Write the numbers inside all formulas; false where more than numbers has changed in them."""
    source = system.recipe.model
    before, now = map(with_open_formulas, (expand(source) if isinstance(source, Model) else as_graph(source), changed))
    if now.opened != before.opened or before.bonds != now.bonds or before.signals != now.signals:
        return False
    if any(shape_of(item) != shape_of(now.elements[path]) for path, item in before.elements.items()):
        return False
    for path in now.opened:
        place = system.dae.parameter_places[path]
        values[place.start : place.stop] = now.parameters[path][1].ravel()
    return True


def _value(system: System, path: str) -> Any:
    """What the model or graph of a system says of a parameter of one of its components."""
    *way, name = path.split(".")
    source = system.recipe.model
    item = _component(source, way) if isinstance(source, Model) else as_graph(source).elements.get(".".join(way))
    return None if item is None else vars(item).get(item.former.get(name, name))


def _component(model: Model, way: Sequence[str]) -> Component | None:
    """The component at the end of a way of names."""
    item, sheet = None, model.sheet
    for step in way:
        item = next(c for c in sheet.components.values() if c.name == step)
        sheet = item.sheet if isinstance(item, Submodel) else Sheet()
    return item


def _begun(system: System, model: Model | None, values: np.ndarray) -> System:
    """The system with other numbers, at its start."""
    reduced = system.reduced
    if model is not None:
        starts = starts_of(system.recipe.model.sheet, model.sheet, system.dae.graph)
        if starts is not system.dae.graph.starts:
            reduced = replace(reduced, dae=replace(system.dae, graph=system.dae.graph.with_(starts=starts)))
    loose = system.kept.get("has instants", lambda: has_instants(reduced.dae))
    start = start_for(reduced, values, loose=loose)
    recipe = replace(system.recipe, model=model or system.recipe.model)
    report = (*(line for line in system.report if not is_of_start(line)), *start.moved)
    made = replace(
        system, reduced=reduced, parameters=values, x0=start.x, recipe=recipe, stored=start.stored, report=report
    )
    made = made if keeps_rank(made) else _chosen_anew(made)
    return replace(made, report=report_now(made))


def keeps_rank(system: System) -> bool:
    """Whether as many constraints are independent of one another as before, at the start and around it."""
    r, dae, p = system.reduced, system.dae, system.parameters
    rows = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    if not rows:
        return True
    states = with_clear(dae, r.shape, [system.x0, *sample_states(dae, r.shape, system.x0, p, SAMPLES)], p)
    found = [np.asarray(r.shape.flow_conditions(0.0, x, p)[1])[:, r.shape.flows] for x in states]
    return find_redundancy(dae, found, rows).rank == r.redundancy.rank


def _chosen_anew(system: System) -> System:
    """The same equations with the rank that the constraints have for the numbers as they are now."""
    fresh = rebuilt(system, {}, [system.dae.energy_variables(system.x0)])
    redundant = str(fresh.reduced.redundancy)
    report = tuple(redundant if line == str(system.reduced.redundancy) else line for line in system.report)
    return replace(fresh, report=report, stored=system.stored)


def _is_start(model: Model, path: str) -> bool:
    """Whether a path names a start value, which is no part of the equations."""
    *way, name = path.split(".")
    item = _component(model, way)
    if item is None:
        return False
    about = item.parameters().get(item.former.get(name, name))
    return about is not None and about.start


def _changed_model(system: System, changes: Mapping[str, Any]) -> Model | None:
    """The system's model with the changes made, each checked as `Model.set` does; None for systems without a model."""
    model = system.recipe.model
    if not isinstance(model, Model):
        return None
    changed = Model(model.name, size=model.size)
    changed.sheet = model.sheet
    for path, value in changes.items():
        changed.set(path, value)
    return changed


def _changed_graph(system: System, changes: Mapping[str, Any]) -> Graph:
    """The graph of a system that was made of a graph or a part, with other numbers."""
    graph = as_graph(system.recipe.model)
    for path, value in changes.items():
        owner, _, name = path.rpartition(".")
        if _is_law(_value(system, path)) and means_formula(value):
            law = read_formula(value, graph.elements[owner].parameters()[name].formula)
            graph = graph.with_(elements={**graph.elements, owner: with_values(graph.elements[owner], **{name: law})})
            continue
        if path not in graph.parameters:
            raise unknown_name("the system", path, graph.parameters)
        symbols, old = graph.parameters[path]
        new = _shaped(value, old)
        if not _fits(symbols, old, new):
            raise _alters(changes)
        if isinstance(value, StartVector):
            graph = graph.with_(sought={**graph.sought, path: sought(value.spread(new.size))})
        graph = graph.with_(parameters={**graph.parameters, path: (symbols, new)})
    return graph


def _fill(dae: Dae, values: np.ndarray, path: str, value: Any) -> bool:
    """Write a parameter's numbers; false where its pattern of zeros, or of entries left out, changes."""
    symbols, old = dae.graph.parameters[path]
    new = _shaped(value, old)
    if not _fits(symbols, old, new):
        return False
    place = dae.parameter_places[path]
    values[place.start : place.stop] = [new[r, c] for r, c in zip(*symbols.sparsity().get_triplet(), strict=True)]
    return True


def _shaped(value: Any, old: np.ndarray) -> np.ndarray:
    new = start_vector(value).values
    if new.ndim < 2 and old.shape[0] == old.shape[1] > 1:  # in the place of a matrix it is its diagonal
        return np.diag(np.broadcast_to(new.ravel(), old.shape[0]))
    return np.broadcast_to(new if new.ndim == 2 else new.reshape(-1, 1), old.shape)


def _fits(symbols: SX, old: np.ndarray, new: np.ndarray) -> bool:
    """Whether numbers have the zeros, and the entries left out, of those that they replace."""
    rows, columns = symbols.sparsity().get_triplet()
    pattern = np.zeros(old.shape, bool)
    pattern[rows, columns] = True
    left_out = ~np.isfinite(new)
    if (left_out & pattern).any() or (~left_out & ~pattern & ~np.isfinite(old)).any():
        return False
    return not (((new != 0) & ~left_out & ~pattern).any() or ((new == 0) & pattern & (old != 0)).any())


def _numbers(dae: Dae, values: np.ndarray) -> dict[str, float]:
    """Numbers of parameters by the names of their symbols."""
    found: dict[str, float] = {}
    for path, place in dae.parameter_places.items():
        names = [s.name() for s in ca.symvar(dae.graph.parameters[path][0])]
        found |= dict(zip(names, values[place.start : place.stop].tolist(), strict=True))
    return found


def _recompile(system: System, model: Model | Graph | None, changes: Mapping[str, Any]) -> System:
    if model is None:
        raise _alters(changes)
    return compile(model, system.method, **system.recipe.wishes)


def _alters(changes: Mapping[str, Any]) -> ModelError:
    fact = f"{', '.join(changes)}: a zero appears or vanishes, or a matrix loses its inverse."
    return ModelError(Finding("this change alters the structure.", fact, "Change the model and compile it again."))
