"""What a power-flow drawing shows: the scene of a run's graph at a depth, and what each of its bonds carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from multibond.errors import Finding, ModelError
from multibond.graph.component import Part
from multibond.graph.domains import flange_domains, with_domains
from multibond.graph.edge import At, Edge, PowerBond, ends_of
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.graph.port import FramePort, PowerPort
from multibond.rewrite.method import Form, unfolded_form
from multibond.solve.solution import Solution
from multibond.structure.causality import assign
from multibond.structure.tree import span
from multibond.view.bond_values import Carried, bond_values, origin_reader, reader
from multibond.view.highlight import Wanted, lit
from multibond.view.highlight import Way as CausalWay
from multibond.view.lane_values import Unfolding, lane_values
from multibond.view.layered import Link
from multibond.view.multibonds import Seen, Style, multibond_scene
from multibond.view.power_drawing import Way
from multibond.view.scene import BondLine, Scene
from multibond.view.trunks import Path, stretches
from multibond.view.word_values import together, word_values
from multibond.view.words import word_links, word_scene

DEPTHS = {1: "word", 2: "multibond", 3: "scalar"}
Pieces = tuple[tuple[str, int], ...]
"""Domains and sizes of what stands one below the other in an effort or flow."""


@dataclass(frozen=True)
class Subject:
    """A scene whose lines carry power.

    ways: the lines in the order of `carried`, which gives effort and flow at times; pieces: domains of each.
    """

    scene: Scene
    ways: tuple[Way, ...]
    pieces: tuple[Pieces, ...]
    carried: Callable[[np.ndarray], list[Carried]]
    kind: str


@dataclass(frozen=True)
class Look:
    """How the graph is drawn: as in `draw`. kind: "word", "multibond", "scalar" or "causal"."""

    kind: str | None = None
    depth: int | None = None
    causal: bool | None = None
    highlight: CausalWay | Iterable[Wanted] = ()
    variables: bool = False
    signals: bool = False


def look_of(options: Mapping[str, Any]) -> Look:
    """The options of a drawing; those that a drawing of power does not have are refused."""
    known = [field.name for field in fields(Look)]
    strange = [name for name in options if name not in known]
    if strange:
        fact = f"Options: {', '.join(known)}; the method is that of the run."
        raise ModelError(Finding(f"power is drawn without {strange[0]!r}.", fact, "Leave it out."))
    return Look(**options)


def subject_of(solution: Solution, look: Look) -> Subject:
    """The drawing of the graph that was simulated; of a run in minimal coordinates the parts as they were drawn."""
    model = source_of(solution)
    depth = _depth(model, look)
    made = _parts(solution, model) if depth == 1 and model is not None else _graph(solution, model, depth, look)
    if not made.ways:
        fact = "Its elements are joined by signals alone, and these carry no power."
        raise ModelError(Finding("there is no bond whose power could be drawn.", fact, "Plot its variables instead."))
    return made


def source_of(solution: Solution) -> Model | None:
    """The model that was simulated; None for graphs and single parts."""
    model = solution.system.recipe.model
    return model if isinstance(model, Model) else None


def _depth(model: Model | None, look: Look) -> int:
    kinds = {"word": 1, "multibond": 2, "scalar": 3, "causal": look.depth or 2}
    known = kinds if model is not None else {name: depth for name, depth in kinds.items() if depth > 1}
    if look.kind is not None and look.kind not in known:
        fact = f"Kinds: {', '.join(known)}."
        raise ModelError(
            Finding(f"there is no power on a drawing of kind {look.kind!r}.", fact, "Choose one of these.")
        )
    if look.depth is not None and look.depth not in (depths := (1, 2, 3) if model is not None else (2, 3)):
        fact = f"Depths: {', '.join(map(str, depths))}."
        raise ModelError(Finding(f"there is no drawing of depth {look.depth!r}.", fact, "Choose one of these."))
    parts = model is not None and any(isinstance(c, Part) for c in model.components)
    return known[look.kind] if look.kind else look.depth or (1 if parts else 2)


# -- the parts ---------------------------------------------------------------------------------------------------------


def _parts(solution: Solution, model: Model) -> Subject:
    origin = solution.system.origin
    system = solution.system if origin is None else origin()

    def every(times: np.ndarray) -> list[Carried | None]:
        read = reader(solution, times) if origin is None else origin_reader(solution, system, times)
        return word_values(model, system.dae.graph, bond_values(system.dae.graph, read))

    scene, lines = _word_lines(model, [value is not None for value in every(solution.t[:1])])

    def carried(times: np.ndarray) -> list[Carried]:
        values = every(times)
        return [together([v for k in line.links if (v := values[k]) is not None]) for line in lines]

    return Subject(scene, tuple(line.way for line in lines), tuple(line.pieces for line in lines), carried, "word")


@dataclass(frozen=True)
class _Line:
    """A line of the word bond graph, and the numbers of the links that run along it."""

    way: Way
    pieces: Pieces
    links: tuple[int, ...]


def _word_lines(model: Model, powered: list[bool]) -> tuple[Scene, list[_Line]]:
    """The scene without the wires that carry power, and the lines of power in it."""
    scene, (links, _) = word_scene(model), word_links(model.sheet)
    bonds, wires = iter(scene.bonds), iter(scene.wires)
    lines, paths, kept = [], {}, []
    for k, (edge, link) in enumerate(links):
        if isinstance(edge, PowerBond):
            line = next(bonds)
            lines.append(_Line(Way(line.name, line.shape.path, f"{link.tail} → {link.head}"), (("any", 0),), (k,)))
        elif powered[k]:
            paths[k] = next(wires).points
        else:
            kept.append(next(wires))
    return replace(scene, wires=tuple(kept)), [*lines, *_wire_lines(model, links, paths)]


def _wire_lines(model: Model, links: list[tuple[Edge, Link]], paths: dict[int, Path]) -> list[_Line]:
    """The wires, cut where several run on one line from the dot at which they meet."""
    names, groups = {item.name for item in model.components}, {}
    for k in paths:
        tail = links[k][1].tail
        groups.setdefault(f"wire {k}" if tail in names else tail, []).append(k)
    found = []
    for numbers in groups.values():
        for stretch in stretches({k: paths[k] for k in numbers}):
            edge = links[stretch.wires[0]][0]
            ports = sorted(port_name(model, at) for at in ends_of(edge))
            parts = ", ".join(links[k][1].head for k in stretch.wires)
            alone = len(numbers) == 1
            says = " – ".join(ports) + ("" if alone else f", wire of {parts}")
            courses = (f"to {ports[-1]}", f"to {ports[0]}") if alone else (f"to {parts}", f"from {parts}")
            way = Way(says, stretch.points, says, arrowed=False, courses=courses)
            found.append(_Line(way, _pieces(model, ends_of(edge)[0]), stretch.wires))
    return found


def port_name(model: Model, at: At) -> str:
    """A port by its path."""
    return f"{model.sheet.components[at.component].name}.{at.port}"


def _pieces(model: Model, at: At) -> Pieces:
    """The domains of what a port carries: of a frame rotation and translation."""
    port = next(p for p in model.sheet.components[at.component].ports() if p.name == at.port)
    members = port.members if isinstance(port, FramePort) else (port,)
    return tuple((m.domain.name, m.size or 0) for m in members if isinstance(m, PowerPort))


# -- bonds -------------------------------------------------------------------------------------------------------------


def _graph(solution: Solution, model: Model | None, depth: int, look: Look) -> Subject:
    system = solution.system
    known = flange_domains(model.sheet) if model is not None else {}
    plain = with_domains(system.dae.graph, known)
    graph, origin = plain, None
    cuts = frozenset(path for path, role in system.dae.tree.role.items() if role == "cut")
    if depth == 3:
        graph, origin = unfolded_form(Form(plain, plain, cuts)).graph, plain
    scene = _scene(solution, model, graph, origin, look)
    ways = tuple(_way(line) for line in scene.bonds)

    def carried(times: np.ndarray) -> list[Carried]:
        read = reader(solution, times)
        values = bond_values(system.dae.graph, read)
        if depth == 3:
            values = lane_values(Unfolding(system.dae, system.parameters, values, read), graph)
        return [values[way.name] for way in ways]

    pieces = tuple(((line.domain, line.size),) for line in scene.bonds)
    return Subject(scene, ways, pieces, carried, DEPTHS[depth])


def _scene(solution: Solution, model: Model | None, graph: Graph, origin: Graph | None, look: Look) -> Scene:
    dae = solution.system.dae
    strokes = None
    if look.causal or (look.causal is None and look.kind == "causal"):
        cuts = frozenset(path for path, role in dae.tree.role.items() if role == "cut")
        strokes = dae.causality if origin is None else assign(graph, span(graph, cuts))
    seen = Seen(graph, strokes, origin=origin)
    seen = seen if look.signals else seen.powered()
    known = flange_domains(model.sheet) if model is not None else {}
    given = model.sheet.layout if model is not None and origin is None else {}
    style = Style(given, known, {}, lit(seen.graph, look.highlight), look.variables)
    return multibond_scene(seen, name_of(solution), style=style)


def name_of(solution: Solution) -> str:
    """The name of the model that was simulated."""
    return solution.system.recipe.name or "run"


def _way(line: BondLine) -> Way:
    taken = [box for box in (line.label, *(letter.box for letter in line.letters)) if box is not None]
    return Way(line.name, line.shape.path, line.says.partition(";")[0], taken=tuple(taken))
