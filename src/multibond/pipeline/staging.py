"""Model → Graph → Dae → Reduced → Start: every value on the way, up to the state in which a run begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from multibond.border import public
from multibond.elements import FixedPose, FreeMotion, RigidLink
from multibond.equations.consistent import manifold
from multibond.equations.dae import Dae, build, inline
from multibond.equations.instants import has_instants
from multibond.equations.observe import Observer
from multibond.equations.reduce import Reduced, leave_to_sweeps, reduce
from multibond.errors import Finding, ModelError, ParameterError, StartError, unknown_name
from multibond.expr import SX, Function, column
from multibond.graph.check import check
from multibond.graph.component import Component
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.graph.sharing import with_numbers
from multibond.graph.start import FREE, StartVector
from multibond.lower.sweep import TreeProgram, tree_program
from multibond.rewrite.alone import alone, graph_alone
from multibond.rewrite.floating import join_floating
from multibond.rewrite.method import Form, form_of
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.carried_start import Source, carry_over
from multibond.solve.initial import Start, assemble_start, find_start, given_start
from multibond.solve.sought import parameters_found
from multibond.structure.causality import Causality, assign
from multibond.structure.floats import parasitic as is_parasitic
from multibond.structure.potentials import floating
from multibond.structure.tree import Tree, span

APART = "joints are apart at the start: the springs in their place pull them together"
LONG = 12
"""Trees with more unknowns than this run as loops: one expression for all would take long to compile."""


@public
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
    every: tuple[str, ...] = ()
    """All velocities that they were chosen from."""
    zeros: tuple[str, ...] = ()
    """What counts as zero because nothing decides its potential."""


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
    clocked: bool | None = False,
) -> Stages:
    """Run every stage up to the consistent start; see `compile` for the options.

    clocked: whether conditions of the time are read at a clock, which runs need; None where there are any.
    """
    graph, lines = with_found(model)
    lines = (*graph.oversights, *lines)
    zeros = tuple(map(str, floating(graph)))
    if method == "minimal":
        graph, begun = _begun(graph)
        lines = (*lines, *begun)
    made = form_of(graph, method, parasitic, depth)
    tree = span(made.graph, made.cuts | _motions(made.plain, cuts))
    if not made.cuts or method == "minimal":
        found = _stages(made.graph, tree, form, prefer=prefer, clocked=clocked)
        found = replace(found, velocities=made.velocities, every=made.every)
        if method == "minimal":  # what was moved is told in the words of the machine as drawn
            found = replace(found, start=replace(found.start, moved=()))
    else:
        plain = _plain(made, method, parasitic or Parasitic())
        found = _stages(made.graph, tree, "line", plain, prefer, clocked=clocked)
    return replace(found, zeros=zeros, start=replace(found.start, moved=(*lines, *found.start.moved)))


def with_found(model: Model | Graph | Component) -> tuple[Graph, tuple[str, ...]]:
    """The graph of a model with its guessed parameters as the start needs them, and a line for each of them."""
    graph = as_graph(model)
    if not graph.sought:
        return graph, ()
    plain = join_floating(graph)
    made = _stages(plain, span(plain), "line")
    found, lines = parameters_found(graph, made.dae, made.start.p)
    if isinstance(model, Graph):
        parameters = {path: (symbols, found.get(path, value)) for path, (symbols, value) in graph.parameters.items()}
        return graph.with_(parameters=parameters, sought={}), lines
    drawn = alone(model) if isinstance(model, Component) else model
    plain_numbers = Model(drawn.name, size=drawn.size)
    try:
        plain_numbers.sheet = with_numbers(drawn.sheet, found)
    except ParameterError as error:
        opening = "no possible value of what is guessed gives this start"
        raise StartError(*(replace(f, problem=f"{opening}: {f.problem}") for f in error.findings)) from None
    return expand(plain_numbers), lines  # a zero that was found is part of the structure, as one that was given


def _begun(graph: Graph) -> tuple[Graph, tuple[str, ...]]:
    """The graph with joints that stand and move as they do without a method, and what that start tells."""
    graph = join_floating(graph)
    made = _stages(graph, span(graph), "line")
    starts = {path: {k: v for k, v in given.items() if k != "a"} for path, given in graph.starts.items()}
    for path in made.tree.cuts & starts.keys():  # guesses at cuts, and accelerations, have done their work
        starts[path] = {name: value.without_guesses() for name, value in starts[path].items()}
    for place in made.dae.states:
        found = made.start.x[place.start : place.stop]
        given = starts.get(place.path, {})
        if place.kind == "position" or (place.kind == "flow" and (place.name in given or found.any())):
            lanes = place.lanes or range(place.size)
            whole = given.get(place.name, StartVector(0.0, FREE))
            whole = whole.spread(max(whole.size, max(lanes) + 1))
            starts[place.path] = {**given, place.name: whole.guessing(lanes, found)}
    return graph.with_(starts=starts), made.start.moved


def _plain(made: Form, method: str, parasitic: Parasitic) -> Stages:
    """The machine without a method, in which its start is found; springs may begin where joints are apart."""
    graph = made.plain
    soft = method == "rc" or any(is_parasitic(item) for item in made.graph.elements.values())
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
    known = {graph.joint(path): path for path in _joints(graph)}
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
        joints = tuple(sorted(graph.joint(path) for path in cuts))
        fact = f"Without {'it' if len(joints) == 1 else 'them'} {', '.join(map(repr, lost[:3]))} would hang on nothing."
        cure = "Name joints of closed loops, one for each loop at most."
        raise ModelError(Finding(f"{', '.join(map(repr, joints))} cannot be cut.", fact, cure, joints))


def _joints(graph: Graph) -> list[str]:
    return [path for path, _ in graph.of_type(FreeMotion)]


def _stages(
    graph: Graph, tree: Tree, form: str, plain: Stages | None = None, prefer: Mapping[str, str] | None = None,
    *, apart: bool = False, clocked: bool | None = False,
) -> Stages:  # fmt: skip
    strokes = assign(graph, tree, prefer)
    dae = build(graph, tree, strokes, clocked=clocked)
    whole = inline(dae)
    shape = manifold(dae, whole)
    loose, p = has_instants(dae), dae.parameter_values
    if plain is not None:
        near = Start(carry_over(Source(plain.dae, plain.reduced.whole, plain.start.x), dae), plain.start.moved)
    else:
        near = Start(given_start(dae, whole, p), (APART,)) if apart else assemble_start(dae, whole, p, loose=loose)
    looped = (form == "loops" or (form == "auto" and dae.ny > LONG)) and not loose
    sweeps = tree_program(dae) if looped else None
    reduced = leave_to_sweeps(dae, whole, shape) if sweeps is not None else reduce(dae, whole, shape, near.x)
    found = near if plain is not None or apart else find_start(reduced, p, loose=loose, near=near)
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
