"""What became of a model on the way to the solver: freedoms, states, loops, redundancies, index, solver, cost.

>>> print(explain(arm))
>>> explain(arm).to_dict()["freedoms"]

Everything is read off the stages of the compilation; nothing is simulated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import casadi as ca

from multibond.border import public
from multibond.elements import FreeMotion, I
from multibond.equations.dae import Dae, Place
from multibond.equations.household import state_names
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System
from multibond.pipeline import compile
from multibond.report import Item, Report, Titled
from multibond.solve.choose import choose_solver
from multibond.solve.eigenmodes import Eigenmode, spectrum
from multibond.structure.floats import follows
from multibond.view.cost import Cost, cost_of
from multibond.view.index import Form, index_of
from multibond.view.laws import mode_text
from multibond.view.loops import KinematicLoop, kinematic_loops
from multibond.view.states import why_state

MOST = 4
"""States that are listed by name."""


@dataclass(frozen=True)
class State:
    """A stretch of the state vector: its name, how many numbers it has, why it is there."""

    name: str
    size: int
    why: str


@dataclass(frozen=True)
class Dependent:
    """A storage in derivative causality: its path, which components (none named for all), the states that set them."""

    path: str
    components: tuple[int, ...]
    set_by: tuple[str, ...]


@public
@dataclass(frozen=True)
class Explanation(Report):
    """The structure of a compiled model.

    freedoms: independent joint motions. order: independent start values, the order of the differential equations.
    algebraic_loops: by name the number of unknowns; newton: they are found by iteration. redundant: constraint rows
    that repeat others. modes: of switches, contacts and the like, as compiled; a run finds the right ones itself.
    eigenmodes: swings and decays of the linearised start, fastest first, with frequency, damping and time constant.
    """

    name: str
    method: str
    freedoms: int
    order: int
    states: tuple[State, ...]
    dependent: tuple[Dependent, ...]
    algebraic_loops: dict[str, int]
    newton: bool
    kinematic_loops: tuple[KinematicLoop, ...]
    redundant: tuple[str, ...]
    index: tuple[Form, ...]
    solver: str
    reason: str
    cost: Cost
    remarks: tuple[str, ...]
    modes: dict[str, str]
    eigenmodes: tuple[Eigenmode, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    def description(self) -> list[Item]:
        """Section by section."""
        size, loops = sum(state.size for state in self.states), self.algebraic_loops
        how = "found by Newton's method" if self.newton else "solved at every instant"
        order = f"order {self.order}, {size} state{_s(size)}"
        sections = [
            (f"{self.name}, method {self.method!r}", [_freedoms(self.freedoms), order]),
            ("states", [f"{_sized(s.name, s.size)}: {s.why}" for s in self.states]),
            ("dependent storages", [_follows(d) for d in self.dependent]),
            ("algebraic loops", [f"{_sized(name, count)}: {how}" for name, count in loops.items()]),
            ("modes, as compiled", [f"{path}: {mode}" for path, mode in self.modes.items()]),
            ("closed loops of joints", [f"{' - '.join(k.joints)}, cut at {k.cut}" for k in self.kinematic_loops]),
            ("redundant constraints", list(self.redundant)),
            ("index of the equations", [f"{form.index}  {form.name}: {form.why}" for form in self.index]),
            ("linearised start", _motions(self.eigenmodes)),
            ("solver", [f"{self.solver}: {self.reason}"]),
            ("cost of one evaluation", [str(self.cost)]),
            ("remarks", list(self.remarks)),
        ]
        seldom = ("remarks", "modes, as compiled", "linearised start")
        return [Titled(title, lines or ["none"]) for title, lines in sections if lines or title not in seldom]

    def __repr__(self) -> str:
        return f"Explanation of {self.name!r}: {_freedoms(self.freedoms)}, order {self.order}"


def explain(model: Model | Graph | System, *, until: float = 10.0, method: str = "auto") -> Explanation:
    """Explain a model. until: length of the run for which a solver is chosen  [s]; method: as in `compile`."""
    system = model if isinstance(model, System) else compile(model, method)
    dae, reduced = system.dae, system.reduced
    choice, found = choose_solver(system, until), spectrum(system)
    return Explanation(
        name=system.recipe.name or "graph",
        method=system.method,
        freedoms=_count_freedoms(system),
        order=_order(system),
        states=tuple(_state(dae, place) for place in dae.states),
        dependent=tuple(_dependent(system, path, lanes) for path, lanes in dae.causality.dependent),
        algebraic_loops=_loops(dae),
        newton=reduced.implicit,
        kinematic_loops=kinematic_loops(dae.graph, dae.tree),
        redundant=reduced.redundancy.names,
        index=index_of(system),
        solver=choice.solver,
        reason=choice.reason,
        cost=cost_of(system),
        remarks=tuple(line for line in system.report if line not in (str(dae.tree), str(reduced.redundancy))),
        modes={path: word for path, item in sorted(dae.graph.elements.items()) if (word := mode_text(item))},
        eigenmodes=() if found is None else found.modes,
    )


def _count_freedoms(system: System) -> int:
    """Joint flows less the independent conditions that constraints and massless parts put on them."""
    graph = system.dae.graph
    if system.origin is not None:
        joints = {graph.joint(path) for path, _ in graph.of_type(FreeMotion)}
        return sum(name.partition("[")[0] in joints for name in system.origin.velocities)
    flows = sum(s.size for s in system.dae.states if s.kind == "flow")
    if any(follows(item) for item in graph.elements.values()):
        flows += sum(s.size for s in system.dae.states if s.kind == "storage" and _moves_body(graph, s.path))
    return max(flows - _held_flows(system), 0) if flows else 0


def _moves_body(graph: Graph, path: str) -> bool:
    """Whether a storage is the inertia of a body or of something on a joint's flange: its momentum is one of motion."""
    domains = {bond.domain.name for bond in graph.bonds_of(path)}
    return isinstance(graph.elements[path], I) and bool(domains & {"rotation", "translation"})


def _held_flows(system: System) -> int:
    return system.reduced.redundancy.rank + system.reduced.hidden_flows.numel()


def _order(system: System) -> int:
    """States less the conditions that they obey: unit quaternions, positions and flows of closed loops."""
    r = system.reduced
    holonomic = r.whole.gap.numel() > 0
    positions = (r.redundancy.rank if holonomic else 0) + r.hidden_positions.numel() + r.whole.imposed_gap.numel()
    return system.n - r.shape.quaternions.size - positions - _held_flows(system)


def _state(dae: Dae, place: Place) -> State:
    return State(state_names(dae)[place.path, place.name], place.size, why_state(dae, place))


def _dependent(system: System, path: str, lanes: tuple[int, ...]) -> Dependent:
    """What a storage's content is computed from: the flows and contents among the states that it contains."""
    dae, whole = system.dae, system.reduced.whole
    element = dae.graph.elements[path]
    size = sum(b.size for b in dae.graph.bonds_of(path))
    state = next(iter(element.states({"port": size})), "")
    reads: set[int] = set()
    if f"{path}.{state}" in system.observer.names:
        value = system.observer.expression(f"{path}.{state}")
        reads = {int(k) for k in ca.jacobian_sparsity(value, whole.x).get_triplet()[1]}
    named = state_names(dae)
    found = [named[s.path, s.name] for s in dae.states if s.kind != "position" and reads & set(s.range)]
    return Dependent(path, () if len(lanes) == size else lanes, tuple(found))


def _loops(dae: Dae) -> dict[str, int]:
    found: dict[str, int] = {}
    for place in dae.unknowns:
        if place.kind == "loop":
            name = place.path or place.name
            found[name] = found.get(name, 0) + place.size
    return found


def _freedoms(count: int) -> str:
    return f"{count} degree{_s(count)} of freedom of motion"


def _motions(found: tuple[Eigenmode, ...]) -> list[str]:
    """The fastest and the slowest, where there are many."""
    lines = [str(mode) for mode in found]
    more = len(lines) - 2 * MOST
    return lines if more <= 0 else [*lines[:MOST], f"… and {more} between", *lines[-MOST:]]


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _sized(name: str, size: int) -> str:
    return name if size == 1 else f"{name} ({size})"


def _follows(d: Dependent) -> str:
    several = len(d.set_by) > MOST
    names = f"{d.set_by[0]} … {d.set_by[-1]} ({len(d.set_by)})" if several else ", ".join(d.set_by)
    lanes = f", component {', '.join(str(k) for k in d.components)}" if d.components else ""
    return f"{d.path}{lanes}: follows from {names or 'what is given'}"
