"""The way of the data: Model → Graph → Dae → Reduced → System → Solution, composed.

`compile(model)` runs all arrows up to the system; `stages(model)` hands back every value on the way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import FixedPose, FreeMotion, RigidLink
from multibond.equations.consistent import manifold, neutral
from multibond.equations.dae import Dae, build, inline
from multibond.equations.instants import has_instants, unknown_rates
from multibond.equations.observe import Observer
from multibond.equations.reduce import Reduced, leave_to_sweeps, reduce
from multibond.errors import Finding, ModelError, StartError, StructureError, unknown_name
from multibond.expr import SX, Function, column
from multibond.formula import means_formula
from multibond.graph.check import check
from multibond.graph.component import Component, Guess, with_mode
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model, Sheet, Submodel
from multibond.lower.origin import Origin
from multibond.lower.sweep import TreeProgram, tree_program
from multibond.lower.system import System, lower, lower_tree
from multibond.rewrite.alone import graph_alone
from multibond.rewrite.floating import join_floating
from multibond.rewrite.method import Form, form_of
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.carried_start import Source, carry_over
from multibond.solve.initial import Start, assemble_start, find_start, given_start
from multibond.solve.modes import Values
from multibond.solve.options import require_possible
from multibond.solve.plant import Plant
from multibond.solve.run import run
from multibond.solve.solution import Solution
from multibond.solve.stepper import Stepper
from multibond.solve.stretch import Options
from multibond.solve.tiny import WORDS, tiny_inertias
from multibond.structure.causality import Causality, assign
from multibond.structure.floats import follows
from multibond.structure.pivots import has_pivots, singular_couplers
from multibond.structure.tree import Tree, span

APART = "joints are apart at the start: the springs in their place pull them together"
PARASITIC = ".parasitic_c"
LONG = 12
"""Trees with more unknowns than this run as loops: one expression for all would take long to compile."""


@dataclass(frozen=True)
class Stages:
    """Every value on the way from model to start state."""

    graph: Graph
    tree: Tree
    causality: Causality
    dae: Dae
    reduced: Reduced
    start: Start
    length: float
    sweeps: TreeProgram | None = None
    velocities: tuple[str, ...] = ()
    """Of minimal coordinates, what the independent velocities belong to."""


def as_graph(model: Model | Graph | Component) -> Graph:
    """The model opened down to elements; a graph is taken as it is, a part with its open ports closed."""
    if isinstance(model, Graph):
        return model
    if isinstance(model, Component):
        return graph_alone(model)
    check(model)
    return expand(model)


def causality(model: Model | Graph) -> Causality:
    """The strokes of a model's graph, and what they tell."""
    made = form_of(as_graph(model))
    return assign(made.graph, made.tree)


def stages(
    model: Model | Graph | Component,
    method: str = "auto",
    *,
    parasitic: Parasitic | None = None,
    form: str = "auto",
    cuts: Sequence[str] = (),
    prefer: Mapping[str, str] | None = None,
    depth: int = 2,
) -> Stages:
    """Run every stage up to the consistent start; see `compile` for the options."""
    graph = as_graph(model)
    made = form_of(_closed(graph) if method == "minimal" else graph, method, parasitic, depth)
    tree = span(made.graph, made.cuts | _motions(made.plain, cuts))
    if not made.cuts or method == "minimal":
        return replace(_stages(made.graph, tree, form, prefer=prefer), velocities=made.velocities)
    plain = _plain(made, method, parasitic or Parasitic())
    return _stages(made.graph, tree, "line", plain, prefer)


def _closed(graph: Graph) -> Graph:
    """The graph with joints that begin where its loops are closed, as they do without a method."""
    graph = join_floating(graph)
    tree = span(graph)
    if not tree.cuts:
        return graph
    dae = build(graph, tree, assign(graph, tree))
    x = assemble_start(dae, inline(dae), dae.parameter_values, loose=has_instants(dae))
    starts = dict(graph.starts)
    for place in dae.states:
        given = starts.get(place.path, {})
        if place.kind == "position" and isinstance(given.get("q"), Guess | None):
            starts[place.path] = {**given, "q": Guess(x[place.start : place.stop])}
    return graph.with_(starts=starts)


def _plain(made: Form, method: str, parasitic: Parasitic) -> Stages:
    """The machine without a method, in which its start is found; springs may begin where joints are apart."""
    graph = made.plain
    soft = method == "rc" or any(path.endswith(PARASITIC) for path in made.graph.elements)
    if soft and not parasitic.assemble:
        return _stages(graph, span(graph), "line", apart=True)
    try:
        return _stages(graph, span(graph), "line")
    except StartError:
        if not soft:
            raise
        return _stages(graph, span(graph), "line", apart=True)


def _motions(graph: Graph, joints: Sequence[str]) -> frozenset[str]:
    """The motions of joints given by name."""
    known = {path.removesuffix(".motion"): path for path in _joints(graph)}
    for name in joints:
        if name not in known:
            raise unknown_name("the model", name, known, offer="Name joints.")
    chosen = frozenset(known[name] for name in joints)
    if chosen:
        _require_loops(graph, chosen)
    return chosen


def _require_loops(graph: Graph, cuts: frozenset[str]) -> None:
    """Refuse to cut joints without which a part would hang on nothing."""
    tree, whole = span(graph, cuts), span(graph)
    frames = [frame for frame in (*graph.frames, *graph.planes) if tree.groups[frame.position] in tree.floating]
    lost = [frame.name for frame in frames if whole.groups[frame.position] not in whole.floating]
    if lost:
        joints = tuple(sorted(path.removesuffix(".motion") for path in cuts))
        fact = f"Without {'it' if len(joints) == 1 else 'them'} {', '.join(map(repr, lost[:3]))} would hang on nothing."
        cure = "Name joints of closed loops, one for each loop at most."
        raise ModelError(Finding(f"{', '.join(map(repr, joints))} cannot be cut.", fact, cure, joints))


def _joints(graph: Graph) -> list[str]:
    return [path for path, _ in graph.of_type(FreeMotion)]


def _stages(
    graph: Graph, tree: Tree, form: str, plain: Stages | None = None, prefer: Mapping[str, str] | None = None,
    *, apart: bool = False,
) -> Stages:  # fmt: skip
    strokes = assign(graph, tree, prefer)
    dae = build(graph, tree, strokes)
    whole = inline(dae)
    shape = manifold(dae, whole)
    loose, p = has_instants(dae), dae.parameter_values
    if plain is not None:
        guess = carry_over(Source(plain.dae, plain.reduced.whole, plain.start.x), dae)
    else:
        guess = given_start(dae, whole, p) if apart else assemble_start(dae, whole, p, loose=loose)
    looped = (form == "loops" or (form == "auto" and dae.ny > LONG)) and not loose
    sweeps = tree_program(dae) if looped else None
    reduced = leave_to_sweeps(dae, whole, shape) if sweeps is not None else reduce(dae, whole, shape, guess)
    if plain is not None or apart:
        found = Start(guess, plain.start.moved if plain is not None else (APART,))
    else:
        found = find_start(reduced, p, loose=loose)
    length = plain.length if plain is not None else _extent(reduced, found.x)
    return Stages(graph, tree, strokes, dae, reduced, found, length, sweeps)


def _extent(reduced: Reduced, x: np.ndarray) -> float:
    """The size of the mechanism: the largest distance of a frame from the middle of all, or one."""
    dae, whole = reduced.dae, reduced.whole
    observer = Observer(dae, whole)
    names = [
        f"{path}.position{side}"
        for path, _ in dae.graph.of_type((FixedPose, RigidLink, FreeMotion))
        for side in ("", "_a", "_b")
    ]
    known = set(observer.names)
    found = [observer.expression(n) for n in names if n in known]
    places = [column([p, SX(3 - p.numel(), 1)]) for p in found] + [f[0][9:12] for f in whole.frames]
    if not places:
        return 1.0
    function = Function("p", [whole.t, whole.x, whole.p], [column(places)])
    points = np.unique(np.asarray(function(0.0, x, dae.parameter_values)).reshape(-1, 3).round(12), axis=0)
    return float(np.linalg.norm(points - 0.5 * (points.min(axis=0) + points.max(axis=0)), axis=1).max()) or 1.0


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
    made = stages(model, method, parasitic=parasitic, form=form, cuts=cuts, prefer=prefer, depth=depth)
    if made.sweeps is None:
        code = lower(made.reduced, made.length)
    else:
        code = lower_tree(made.reduced, made.sweeps, made.length)
    resting = [f"{_joint_of(name)}: nothing moves or holds it, so it keeps its speed" for name in made.reduced.idle]
    rates = unknown_rates(made.reduced)
    report = (str(made.tree), str(made.reduced.redundancy), *resting, *rates, *made.start.moved)
    plant = Plant(
        made.reduced, code, made.dae.parameter_values, made.start.x, made.length, method, report,
        (model, parasitic, depth), made.start.stored, _origin(model, made) if method == "minimal" else None,
    )  # fmt: skip
    return replace(plant, report=_with_tiny(plant))


def _with_tiny(system: System) -> tuple[str, ...]:
    """The report, with a line for each inertia that is tiny with the numbers as they are now; each is warned of."""
    tiny = tiny_inertias(system) if isinstance(system, Plant) else ()
    for line in tiny:
        warnings.warn(line, stacklevel=3)
    return (*(line for line in system.report if WORDS not in line), *tiny)


def _origin(model: Model | Graph | Component, made: Stages) -> Origin:
    """The machine as drawn, compiled when a force is asked for that minimal coordinates do not know."""
    return Origin(cache(lambda: compile(model, form="line")), made.velocities)


def _joint_of(unknown: str) -> str:
    return unknown.partition(".motion")[0]


def with_parameters(system: System | Model, changes: Mapping[str, Any]) -> System:
    """The same machine with other numbers or start values.

    Recompiles only where a zero appears or vanishes, where a matrix coupler can no longer give what it has to, or where
    the change is one of structure (an axis, a formula).
    """
    if isinstance(system, Model):
        system = compile(system)
    model = _changed_model(system, changes)
    dae, values = system.dae, system.parameters.copy()
    if model is not None and (system.method != "auto" or any(follows(item) for item in dae.graph.elements.values())):
        return _recompile(system, model, changes)  # its start is found in the machine as drawn
    for path, value in changes.items():
        if path in dae.graph.parameters and not means_formula(value):
            if not _fill(dae, values, path, value):
                return _recompile(system, model, changes)
        elif model is None:
            raise unknown_name("the system", path, dae.graph.parameters)
        elif not _is_start(model, path):
            return _recompile(system, model, changes)
    if has_pivots(dae.graph) and singular_couplers(dae.graph, dae.causality.gives_flow, _numbers(dae, values)):
        return _recompile(system, model, changes)
    if model is not None:
        dae = replace(dae, graph=dae.graph.with_(starts=join_floating(expand(model)).starts))
    reduced = replace(system.reduced, dae=dae)
    start = find_start(reduced, values, loose=has_instants(dae))
    source = (model or system.source[0], *system.source[1:])
    made = replace(system, reduced=reduced, parameters=values, x0=start.x, source=source, stored=start.stored)
    return replace(made, report=_with_tiny(made))


def _is_start(model: Model, path: str) -> bool:
    """Whether a path names a start value, which is no part of the equations."""
    *way, name = path.split(".")
    item, sheet = None, model.sheet
    for step in way:
        item = next(c for c in sheet.components.values() if c.name == step)
        sheet = item.sheet if isinstance(item, Submodel) else Sheet()
    return item is not None and name in item.parameters() and item.parameters()[name].start


def _changed_model(system: System, changes: Mapping[str, Any]) -> Model | None:
    """The system's model with the changes made, each checked as `Model.set` does; None for systems without a model."""
    model = system.source[0]
    if not isinstance(model, Model):
        return None
    changed = Model(model.name, size=model.size)
    changed.sheet = model.sheet
    for path, value in changes.items():
        changed.set(path, value)
    return changed


def _fill(dae: Dae, values: np.ndarray, path: str, value: Any) -> bool:
    """Write a parameter's numbers; false where its pattern of zeros, or of entries left out, changes."""
    symbols, old = dae.graph.parameters[path]
    new = np.asarray(value, float)
    new = np.broadcast_to(new if new.ndim == 2 else new.reshape(-1, 1), old.shape)
    rows, columns = symbols.sparsity().get_triplet()
    pattern = np.zeros(old.shape, bool)
    pattern[rows, columns] = True
    left_out = ~np.isfinite(new)
    if (left_out & pattern).any() or (~left_out & ~pattern & ~np.isfinite(old)).any():
        return False
    if ((new != 0) & ~left_out & ~pattern).any() or ((new == 0) & pattern & (old != 0)).any():
        return False
    place = dae.parameter_places[path]
    values[place.start : place.stop] = [new[r, c] for r, c in zip(rows, columns, strict=True)]
    return True


def _numbers(dae: Dae, values: np.ndarray) -> dict[str, float]:
    """Numbers of parameters by the names of their symbols."""
    found: dict[str, float] = {}
    for path, place in dae.parameter_places.items():
        names = [s.name() for s in ca.symvar(dae.graph.parameters[path][0])]
        found |= dict(zip(names, values[place.start : place.stop].tolist(), strict=True))
    return found


def _recompile(system: System, model: Model | None, changes: Mapping[str, Any]) -> System:
    if model is None:
        fact = f"{', '.join(changes)}: a zero appears or vanishes, or a matrix loses its inverse."
        raise ModelError(Finding("this change alters the structure.", fact, "Change the model and compile it again."))
    wishes = system.dae.causality.wishes
    return compile(model, system.method, parasitic=system.source[1], prefer=wishes, depth=system.source[2])


def in_mode(system: System, modes: Mapping[str, str], views: Sequence[Values]) -> System:
    """The same machine compiled in other modes; `views`: energy variables of states at which it is looked at.

    The first is a state on the way; the others are where modes begin; where they are singular, only the first counts.
    """
    dae = system.dae
    changed = {path: with_mode(dae.graph.elements[path], mode) for path, mode in modes.items()}
    graph = dae.graph.with_(elements=dae.graph.elements | changed)
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
    return replace(system, reduced=reduced, code=lower(reduced, system.length), x0=points[0], stored={})


def _placed(dae: Dae, values: Values) -> np.ndarray:
    """The state of a system that holds given energy variables."""
    x = neutral(dae)
    for place in dae.states:
        held = values.get((place.path, place.name))
        if held is not None:
            x[place.start : place.stop] = held[list(place.lanes)] if place.lanes else held
    return x


def simulate(
    model: Model | Graph | System | Component,
    until: float,
    *,
    method: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    step: float | None = None,
    events: Mapping[str, tuple[float, int]] | None = None,
    parasitic: Parasitic | None = None,
    progress: Callable[[float], None] | None = None,
) -> Solution:
    """Run a model from its start to `until` seconds.

    method: how constraints are treated ("auto", "zcp", "rc", "multiplier", "minimal"); solver: "auto", "dop853",
    "dopri5", "rodas5p" (stiff) or "rk4" with a fixed `step`. events: by variable name the level and direction
    (-1, 0, +1) of crossings to record. progress: is told the time now and then.
    """
    require_possible(until, solver, rtol, atol, step)
    system = model if isinstance(model, System) else compile(model, method, parasitic=parasitic)
    options = Options(solver, rtol, atol, step, events or {}, progress)
    return run(system, float(until), options, in_mode)


def stepper(
    model: Model | Graph | System,
    *,
    method: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    until: float = 10.0,
) -> Stepper:
    """A machine that is stepped from outside, with modes, kinks and samples; arguments as in `simulate`.

    until: about how long it will go on; much shorter times count as one instant  [s].

    >>> cart = stepper(model)
    >>> cart.step(0.01, {"motor": 12.0})
    """
    require_possible(until, solver, rtol, atol, None)
    system = model if isinstance(model, System) else compile(model, method)
    return Stepper(system, in_mode, Options(solver, rtol, atol), float(until))
