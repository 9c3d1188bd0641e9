"""How a method changes a graph: which joints are cut, which bodies are set free, what stands for the constraints.

"auto" leaves the tree's joints as they are. "multiplier" and "rc" set all bodies free and cut all joints: an unknown
effort stands at the 0-junction of relative flow, or a spring and a damper (Boudon et al. 2017, Figs 4, 18, 25). "zcp"
cuts them too, and the constraints impose zero flow, as `Sf 0` would, wherever the strokes find a place for it.
"minimal" carries all inertias over to the independent velocities. A joint's own `method` goes before the model's.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace

from multibond.elements import Constraint, FreeMotion
from multibond.errors import Finding, ModelError, StructureError
from multibond.graph.graph import Graph
from multibond.rewrite.floating import join_floating, loose_joints, release_all, release_floating
from multibond.rewrite.minimal_graph import minimal_graph
from multibond.rewrite.parasitic import Parasitic, with_parasitics
from multibond.rewrite.unfold import unfold
from multibond.structure.causality import assign
from multibond.structure.floats import IMPOSED, follows
from multibond.structure.tree import Tree, motion_of, span

METHODS = ("auto", "zcp", "rc", "multiplier", "minimal")
"""Ways to treat constraints."""
CURE = "Use method 'auto' or 'multiplier', or joints with one freedom each."
FREEING = ("zcp", "rc", "multiplier")
"""Methods that set all bodies free."""


@dataclass(frozen=True)
class Form:
    """A graph as a method draws it, and the joints (paths of their motions) that are cuts in it.

    plain: the graph without the method, in whose tree the start is assembled. velocities: of "minimal", whose the
    independent velocities are; every: all those that they were chosen from.
    """

    graph: Graph
    plain: Graph
    cuts: frozenset[str] = field(default=frozenset())
    velocities: tuple[str, ...] = ()
    every: tuple[str, ...] = ()

    @property
    def tree(self) -> Tree:
        """The spanning tree of the form."""
        return span(self.graph, self.cuts)

    @property
    def changed(self) -> bool:
        """Whether the graph is another than without the method."""
        return self.graph is not self.plain


def require_method(method: str) -> None:
    """Refuse a method that is not there."""
    if method not in METHODS:
        raise ModelError(
            Finding(f"there is no method {method!r}.", f"Methods: {', '.join(METHODS)}.", "Choose one of these.")
        )


def form_of(graph: Graph, method: str = "auto", parasitic: Parasitic | None = None, depth: int = 2) -> Form:
    """The graph as a method draws it, with vector bonds (depth 2) or scalar ones (3)."""
    require_method(method)
    if depth not in (2, 3):
        raise ModelError(Finding(f"there is no depth {depth!r}.", "Depths: 2, 3.", "Choose one of these."))
    plain = join_floating(graph)
    own = {path: word for path, word in _own_methods(plain).items() if method != "minimal" or word == "rc"}
    made = Form(plain, plain)
    if method in FREEING or own:
        made = _released(plain, method, own, parasitic or Parasitic())
    if method == "minimal":
        _require_no_float(made)
        _require_whole_paths(made.graph)
        least = minimal_graph(made.graph)
        made = replace(made, graph=least.graph, velocities=least.independent, every=least.velocities)
    return made if depth == 2 else unfolded_form(made)


def _require_whole_paths(graph: Graph) -> None:
    """Minimal coordinates have no place for a joint that is driven in part, or by angles about three axes."""
    motions = [(path, item) for path, item in graph.of_type(FreeMotion) if isinstance(item, FreeMotion)]
    mixed = [(path, item.led_lanes and item.motion.mixed) for path, item in motions]
    partly = [path for path, item in motions if 0 < len(item.led_lanes) < item.motion.coordinates]
    names = [graph.joint(path) for path in (*partly, *(p for p, m in mixed if m and p not in partly))]
    if names:
        told = ", ".join(map(repr, names))
        fact = f"Of {told} some freedoms are driven and some are not, or three angles are."
        raise StructureError(Finding("method 'minimal' cannot follow a path here.", fact, CURE, tuple(names)))


def _require_no_float(form: Form) -> None:
    """Minimal coordinates begin where joints stand; a body that hangs on springs alone has no joint."""
    motions = [path for path, item in form.graph.of_type(FreeMotion) if follows(item)]
    floats = [form.graph.owner(path).rpartition(".")[0] for path in motions]  # a Free joint stands within its body
    if floats:
        fact = f"All joints of {', '.join(repr(name) for name in floats)} are held by springs and dampers."
        cure = "Leave one of them to the model's method, or use method 'auto'."
        raise ModelError(Finding("minimal coordinates need a joint for every body.", fact, cure, tuple(floats)))


def unfolded_form(form: Form, *, simple: bool = False) -> Form:
    """The same with scalar bonds; what C1 and C2 left to multipliers with vector bonds stays there.

    simple: junctions merged and dropped where one can.
    """
    strokes = assign(form.graph, form.tree)
    settled = {}
    for path, item in form.graph.of_type(Constraint):
        bond = form.graph.bonds_of(path)[0]
        if item.method == IMPOSED and not any(strokes.gives_flow(bond, path, k) for k in range(bond.size)):
            settled[path] = _with_method(item, "multiplier")
    graph = form.graph.with_(elements=form.graph.elements | settled) if settled else form.graph
    return replace(form, graph=unfold(graph, strokes, simple=simple))


def _own_methods(graph: Graph) -> dict[str, str]:
    """By the motion of a joint the method that the joint asks for itself."""
    found = {}
    for path, item in graph.of_type(Constraint):
        motion = motion_of(graph, path)
        if motion is not None and item.method:
            found[motion] = item.method
    return found


def _released(plain: Graph, method: str, own: dict[str, str], parasitic: Parasitic) -> Form:
    joints = frozenset(path for path, _ in plain.of_type(FreeMotion))
    if method in FREEING:
        cuts, graph = joints - loose_joints(plain), release_all(plain, span(plain), follow=True)
    else:
        cuts = frozenset(own)
        graph = release_floating(plain, cuts)
    soft: dict[str, Constraint] = {}
    elements = {}
    for path, item in graph.of_type(Constraint):
        told = (motion_of(graph, path) or path) in (*own, path)
        chosen = (item.method if told else "") or method
        if graph.signal_at(path, "gap") is None:
            continue
        if chosen == "rc":
            soft[path] = item
        elif chosen == "zcp":
            elements[path] = _with_method(item, IMPOSED)
    graph = graph.with_(elements=graph.elements | elements) if elements else graph
    return Form(with_parasitics(graph, parasitic, soft), plain, cuts)


def _with_method(item: Constraint, method: str) -> Constraint:
    twin = copy.copy(item)
    object.__setattr__(twin, "method", method)
    return twin
