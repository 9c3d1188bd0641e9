"""What the strokes of a model tell before the first run: dependent storages, loops, conflicts, index, a method.

>>> print(causality(arm).report())
>>> causality(arm).why("elbow.motion")
>>> paths(motor, "battery", "shaft.f"); irrelevant(motor, "shaft.f")

Strokes come at once; the rest is found when it is asked for (the index needs the equations, so it compiles the model).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from multibond import pipeline
from multibond.border import public
from multibond.elements import Constraint, FreeMotion
from multibond.errors import Finding, MultibondError, told, unknown_name
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System
from multibond.report import Item, Report, Titled
from multibond.rewrite.method import form_of
from multibond.structure.advice import Advice, Chain, advise
from multibond.structure.causality import HEAD, Causality, assign
from multibond.structure.cures import Conflict, conflicts, flip_of
from multibond.structure.floats import IMPOSED
from multibond.structure.independent import independent_storages, storage_components
from multibond.structure.paths import CausalPath, causal_paths, variables_of, without_path
from multibond.structure.reasons import Step
from multibond.structure.signals import SignalGraph, signal_graph
from multibond.structure.tree import Tree, span
from multibond.structure.zcp import MOST, ZeroOrderPath, zero_order_paths
from multibond.view.highlight import Wanted, Way
from multibond.view.index import Form, index_of
from multibond.view.scene import Scene
from multibond.view.trials import trials_of

OPENED = (IMPOSED, "multiplier")
"""Methods of constraints that may be break variables: with scalar bonds it is settled which ones are."""
LISTED = 12
"""So many entries of a section are printed; `to_dict` has all."""


@public
@dataclass(frozen=True)
class CausalReport(Report):
    """The strokes of a model in one form, and all that they tell.

    method, depth: the form. graph, tree: what carries the strokes; strokes: the strokes themselves. plain: the graph
    without a method.
    """

    name: str
    method: str
    depth: int
    graph: Graph = field(repr=False)
    tree: Tree = field(repr=False)
    strokes: Causality = field(repr=False)
    plain: Graph = field(repr=False)

    # -- strokes -------------------------------------------------------------------------------------------------------

    @property
    def dependent(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Storages in derivative causality, and which of their components."""
        return self.strokes.dependent

    @property
    def mixed(self) -> tuple[str, ...]:
        """Vector bonds with strokes at both ends, component by component (against C1)."""
        return self.strokes.mixed

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the strokes were put, one after the other, each with its reason."""
        return self.strokes.steps

    def why(self, name: str) -> tuple[Step, ...]:
        """The steps that led to the strokes of a bond or an element."""
        return self.strokes.why(name)

    def stroke(self, bond: str, component: int = 0) -> str:
        """The element at which the stroke of a bond stands: the one that gives the flow."""
        bonds = {b.name: b for b in self.graph.bonds}
        if bond not in bonds:
            raise unknown_name("the graph", bond, bonds, offer="Name a bond.")
        return (bonds[bond].head if self.strokes.flow_from[bond][component] == HEAD else bonds[bond].tail).element

    # -- findings ------------------------------------------------------------------------------------------------------

    @cached_property
    def signals(self) -> SignalGraph:
        """The causal graph: which variable follows from which."""
        return signal_graph(self.graph, self.tree, self.strokes)

    @cached_property
    def zero_order_paths(self) -> tuple[ZeroOrderPath, ...]:
        """Zero-order causal paths with their classes."""
        return zero_order_paths(self.graph, self.strokes, self.signals)

    def paths(self, input: str, output: str, *, most: int = 20) -> tuple[CausalPath, ...]:
        """Causal paths from what an element gives to a variable, short ones first."""
        start, _ = variables_of(self.graph, self.strokes, input)
        _, end = variables_of(self.graph, self.strokes, output)
        return tuple(causal_paths(self.signals, start, end, most))

    def of_class(self, number: int) -> tuple[ZeroOrderPath, ...]:
        """The zero-order causal paths of one class."""
        return tuple(path for path in self.zero_order_paths if path.number == number)

    @cached_property
    def independent(self) -> int:
        """The number of storage components that can be chosen freely, before conditions hidden in derivatives."""
        return independent_storages(self.graph, self.strokes, self.signals)

    def _joint_flows(self) -> int:
        """Components of free flows of joints that are states."""
        bonds = [(path, bond) for path, _ in self.graph.of_type(FreeMotion) for bond in self.graph.bonds_of(path)]
        return sum(bond.size for path, bond in bonds if self.strokes.gives_flow(bond, path))

    @property
    def algebraic_loops(self) -> tuple[ZeroOrderPath, ...]:
        """The paths of classes 2, 3 and 4: unknowns that have to be solved for at every instant."""
        return tuple(path for path in self.zero_order_paths if path.number > 1)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Components that both ends give, with culprits and cures."""
        return conflicts(self.graph, self.strokes, trials_of(self.graph, self.tree, self.strokes))

    @property
    def opened(self) -> tuple[str, ...]:
        """Constraints of the method "zcp" that found no place as `Sf 0` (C1, C2): break variables open their paths."""
        if self.method != "zcp":
            return ()
        wanted = [p for p, item in self.graph.of_type(Constraint) if getattr(item, "method", "") in OPENED]
        lanes = {p: [(b, p, k) for b in self.graph.bonds_of(p) for k in range(b.size)] for p in wanted}
        return tuple(p for p in wanted if not any(self.strokes.gives_flow(*lane) for lane in lanes[p]))

    @cached_property
    def _compiled(self) -> System | tuple[Finding, ...]:
        """The system of this form, or what stands against it."""
        try:
            wishes = self.strokes.wishes
            return pipeline.compile(self.plain, self.method, form="line", prefer=wishes, depth=self.depth)
        except MultibondError as fault:
            return fault.findings

    @property
    def index(self) -> tuple[Form, ...]:
        """The differential index of each form of the equations; empty where they cannot be solved."""
        return index_of(self._compiled) if isinstance(self._compiled, System) else ()

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Wishes that were missed, and why the equations cannot be solved where that is so."""
        return (*self.strokes.missed, *(self._compiled if isinstance(self._compiled, tuple) else ()))

    @cached_property
    def advice(self) -> Advice:
        """The method advised for the machine, whatever the form that is looked at, with reasons."""
        joints = sum(1 for _ in self.plain.of_type(FreeMotion))
        classes = frozenset(path.number for path in self.zero_order_paths)
        vector = any(bond.size > 1 for bond in self.graph.bonds)
        return advise(Chain(joints, bool(span(self.plain).cuts), self._redundant(), vector, classes))

    def _redundant(self) -> int:
        """Conditions of closed loops that others hold already; parasitic elements and minimal coordinates hide them."""
        try:
            hidden = self.method in ("rc", "minimal")
            system = pipeline.compile(self.plain, form="line") if hidden else self._compiled
        except MultibondError:
            return 0
        return len(system.reduced.redundancy.names) if isinstance(system, System) else 0

    # -- drawing -------------------------------------------------------------------------------------------------------

    def draw(self, highlight: Way | Iterable[Wanted] = (), *, step: int | None = None, format: str = "svg") -> str:
        """The graph with these strokes as SVG or TikZ, derivative causality orange and conflicts red.

        highlight: as in `mb.draw`, such as a causal path. step: strokes up to this one, its reason below.
        """
        from multibond.view.causal_drawing import causal_text

        return causal_text(self._scene(highlight), self.strokes, step, format)

    def play(self, path: str | Path | None = None) -> str:
        """The steps of the strokes as one HTML page with buttons, written to `path` where one is given.

        Arrow keys go on and back; `#step=7` behind the address opens it at step 7.
        """
        from multibond.view.causal_drawing import causal_page

        return causal_page(self._scene(), self.strokes, path)

    def _scene(self, highlight: Way | Iterable[Wanted] = ()) -> Scene:
        from multibond.view.causal_drawing import causal_scene

        return causal_scene(self.graph, self.strokes, self.name, self.plain if self.depth == 3 else None, highlight)

    # -- telling -------------------------------------------------------------------------------------------------------

    def report(self) -> str:
        """All findings as text."""
        return str(self)

    def description(self) -> list[Item]:
        """All findings, section by section."""
        counted = Counter(path.number for path in self.zero_order_paths)
        classes = ", ".join(f"{n}{' or more' if n >= MOST else ''} of class {c}" for c, n in sorted(counted.items()))
        storages = [self._dependent_line(path, lanes) for path, lanes in self.dependent[:LISTED]]
        count = f"{self.independent} of {storage_components(self.graph)} storage components independent"
        count += f", {flows} joint flow{'s' if flows > 1 else ''}" if (flows := self._joint_flows()) else ""
        sections = [
            (
                f"{self.name}, method {self.method!r}, depth {self.depth}",
                [f"{len(self.strokes.flow_from)} bonds, {count}"],
            ),
            (
                "derivative causality",
                _short(storages, len(self.dependent)) or ["none: all storages in integral causality"],
            ),
            ("algebraic loops", _short([str(path) for path in self.algebraic_loops]) or ["none"]),
            (f"zero-order causal paths: {classes or 'none'}", _short([str(path) for path in self.of_class(1)])),
            ("no place for Sf 0 (C1, C2), break variables instead", _short(list(self.opened))),
            ("mixed causality", _short(list(self.mixed))),
            ("passed against their one way, by dividing by the modulus", _short(list(self.strokes.divided))),
            ("conflicts", [line for c in self.conflicts[:LISTED] for line in _conflict_lines(c)]),
            ("faults", [line for finding in told(self.faults) for line in str(finding).split("\n")]),
            ("index of the equations", [f"{form.index}  {form.name}: {form.why}" for form in self.index]),
            (f"advised: {self.advice.method} ({self.advice.chain})", self._advice_lines()),
        ]
        kept = ("zero-order causal paths",)
        return [Titled(title, lines) for title, lines in sections if lines or title.startswith(kept)]

    def _dependent_line(self, path: str, lanes: tuple[int, ...]) -> str:
        """A dependent storage, what it follows, and how it could take its place."""
        leaders = [z.ends[0] for z in self.of_class(1) if z.ends[1] == path]
        storages = [name for name in leaders if storage_components(self.graph, name)]
        follows = f"follows {', '.join(leaders[:3])}" + (" and others" if len(leaders) > 3 else "")
        word = flip_of(self.graph, self.tree, self.strokes, path) if storages and path not in storages else ""
        flip = f"; flip: prefer={{{path!r}: {word!r}}}" if word else ""
        told = follows + flip if leaders else "follows what is given"
        return f"{path}{_lanes(self.graph, path, lanes)}: {told}"

    def _advice_lines(self) -> list[str]:
        paper = [f"by the paper's guidelines: {self.advice.paper}"] if self.advice.paper else []
        return [*paper, *self.advice.reasons]

    def to_dict(self) -> dict[str, Any]:
        """All findings as plain data for JSON."""
        return {
            "model": self.name,
            "method": self.method,
            "depth": self.depth,
            "strokes": {b.name: [self.stroke(b.name, k) for k in range(b.size)] for b in self.graph.bonds},
            "derivative": {path: list(lanes) for path, lanes in self.dependent},
            "mixed": list(self.mixed),
            "divided": list(self.strokes.divided),
            "opened": list(self.opened),
            "independent_storages": self.independent,
            "free_choices": list(self.strokes.arbitrary),
            "zero_order_paths": [_path_data(path) for path in self.zero_order_paths],
            "conflicts": [asdict(conflict) for conflict in self.conflicts],
            "faults": [asdict(finding) for finding in self.faults],
            "index": [asdict(form) for form in self.index],
            "advice": asdict(self.advice),
            "steps": [asdict(step) | {"text": str(step)} for step in self.steps],
        }

    def __repr__(self) -> str:
        return f"CausalReport of {self.name!r}: {len(self.strokes.flow_from)} bonds, {len(self.dependent)} dependent"


def _short(lines: list[str], all_of_them: int = 0) -> list[str]:
    more = max(len(lines), all_of_them) - LISTED
    return lines if more <= 0 else [*lines[:LISTED], f"… and {more} more"]


def _lanes(graph: Graph, path: str, lanes: tuple[int, ...]) -> str:
    size = sum(b.size for b in graph.bonds_of(path))
    return "" if len(lanes) == size else f", component {', '.join(str(k) for k in lanes)}"


def _conflict_lines(conflict: Conflict) -> list[str]:
    head = f"{conflict.bond}[{conflict.component}]: {conflict.finding.problem}"
    return [head, f"  {conflict.finding.fact}", *(f"  {cure.kind}: {cure.text}" for cure in conflict.cures)]


def _path_data(path: ZeroOrderPath) -> dict[str, Any]:
    return {
        "class": path.number,
        "loop": path.loop,
        "ends": list(path.ends),
        "elements": list(path.elements),
        "bonds": [list(bond) for bond in path.bonds],
        "text": str(path),
    }


# -- asking ------------------------------------------------------------------------------------------------------------


def causality(
    model: Model | Graph, *, method: str = "auto", depth: int = 2, prefer: Mapping[str, str] | None = None
) -> CausalReport:
    """The strokes of a model and what they tell; prints itself, `.report()`, `.to_dict()`, `.steps`, `.why(name)`.

    method: as in `simulate`. depth: 2 for vector bonds, 3 for scalar ones.
    prefer: wishes by element, such as {"coil": "derivative"} or {"winding": "gives flow"}; "field[0]" for a component.

    >>> print(causality(arm).report())
    """
    made = form_of(pipeline.as_graph(model), method, depth=depth)
    name = getattr(model, "name", "graph")
    return CausalReport(name, method, depth, made.graph, made.tree, assign(made.graph, made.tree, prefer), made.plain)


def paths(model: Model | Graph, input: str, output: str, *, most: int = 20, depth: int = 2) -> tuple[CausalPath, ...]:
    """Causal paths from what an element gives to a variable, short ones first; each names the bonds to light up.

    input: an element (a source) or a signal. output: an element, its effort or flow (`"shaft.f"`), or a signal.

    >>> for path in paths(motor, "battery", "shaft.f"): print(path)
    """
    return causality(model, depth=depth).paths(input, output, most=most)


def irrelevant(model: Model | Graph, output: str, *, depth: int = 2) -> tuple[str, ...]:
    """Elements that do not act on a variable: no causal path leads from them to it. Junctions are not counted.

    >>> irrelevant(gyro, "deflection.f")
    """
    made = causality(model, depth=depth)
    _, end = variables_of(made.graph, made.strokes, output)
    return without_path(made.graph, made.strokes, made.signals, end)
