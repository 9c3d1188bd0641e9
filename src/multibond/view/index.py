"""The differential index of a model's equations in the forms in which they appear.

The index is the number of times that equations have to be differentiated until all rates are determined. It follows
from the structure: an algebraic loop makes it 1; a storage that depends on others, or a constraint on flows, makes it
2, as the flows that it ties have rates; a constraint on positions makes it 3. Speaking of flows it is never more: all
laws together are dissipative Hamiltonian, whose index is at most 2 (Mehl, Mehrmann & Wojtylak, 2018). A stroke alone
does not tell: a storage in derivative causality may be a state all the same, behind an algebraic loop.
The last form, which is solved, is checked by its matrix at the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.expr import Function
from multibond.lower.system import System
from multibond.structure.independent import independent_storages, storage_components
from multibond.structure.signals import signal_graph


@dataclass(frozen=True)
class Form:
    """A form of the equations, its index, and why; `checked` where the number rests on more than structure."""

    name: str
    index: int
    why: str
    checked: bool = False


def index_of(system: System) -> tuple[Form, ...]:
    """The index as drawn with constraints on positions and on flows, and of the form that is solved."""
    flows, because = _flow_index(system)
    held = any(place.kind == "multiplier" for place in system.dae.unknowns)
    forms = [Form("as drawn, constraints on flows" if held else "as drawn", flows, because)]
    if _holonomic(system):
        forms.insert(0, Form("as drawn, constraints on positions", flows + 1, "the gaps of closed loops stay zero"))
    return (*forms, _solved(system))


def _holonomic(system: System) -> bool:
    """Whether some constraint holds a position; a diode that blocks holds a flow only."""
    whole = system.reduced.whole
    return whole.gap.numel() > 0 and bool(ca.depends_on(whole.gap, whole.x))


def _flow_index(system: System) -> tuple[int, str]:
    kinds = {place.kind for place in system.dae.unknowns}
    if "multiplier" in kinds and ("rate" in kinds or _binding(system)):
        return 2, "the flows that constraints hold have rates"
    if "rate" in kinds or _tied(system):
        return 2, "storages depend on others, so a rate has to be differentiated"
    if system.dae.unknowns:
        return 1, "an algebraic loop has to be solved"
    return 0, "every rate follows from the states by assignments"


def _binding(system: System) -> bool:
    """Whether constraints bind storages; beside a resistor they only ask for an effort."""
    dae = system.dae
    if not system.reduced.redundancy.rank:
        return False
    signals = signal_graph(dae.graph, dae.tree, dae.causality)
    return independent_storages(dae.graph, dae.causality, signals) < storage_components(dae.graph)


def _tied(system: System) -> bool:
    """Whether conditions bind storages: some are no states, or the states obey conditions of their own."""
    r, graph = system.reduced, system.dae.graph
    storages = {path for path in graph.elements if storage_components(graph, path)}
    states = sum(place.size for place in system.dae.states if place.path in storages)
    hidden = r.hidden_flows.numel() + r.hidden_positions.numel()
    return hidden > 0 or states < storage_components(graph)


def _solved(system: System) -> Form:
    """The differentiated system: linear in the unknowns, with a matrix that must be regular."""
    r, dae = system.reduced, system.dae
    if not dae.ny:
        return Form("as solved", 0, "explicit differential equations", checked=True)
    if r.solver is None:
        return Form("as solved", 1, "the unknowns are found by sweeps over the tree")
    keep = list(r.kept)
    matrix = ca.jacobian(r.residual[keep], r.whole.y[keep])
    function = Function("A", [r.whole.t, r.whole.x, r.whole.y, r.whole.p], [ca.densify(matrix)])
    start = r.y_start if r.implicit else np.zeros(dae.ny)
    number = np.asarray(function(0.0, system.x0, start, system.parameters))
    sizes = np.linalg.svd(number, compute_uv=False)
    least = sizes[-1 - r.deficit] if sizes.size > r.deficit else 0.0
    condition = float(sizes[0] / least) if least > 0 else np.inf if number.size else 1.0
    how = "by Newton's method" if r.implicit else "from a linear system"
    size = f"{len(keep)} unknown{'s' if len(keep) > 1 else ''} {how}"
    regular = bool(np.isfinite(condition) and condition < 1e14)
    return Form("as solved", 1, f"{size}, whose matrix has condition {condition:.1e} at the start", checked=regular)
