"""Held flows behind something that yields: they and their forces belong to algebraic loops.

A constraint whose flow the states determine is a condition on them, and its rate determines the force. Where an element
gives the flow for an effort, as a chemical reaction does, the flow contains the force itself: that it vanishes is then
an equation as it stands, without differentiation, and no condition on states.
"""

from __future__ import annotations

import casadi as ca

from multibond.equations.cellclass import Walk
from multibond.equations.feedback import Torn
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column

Bundle = dict[str, list[SX]]


def held_in_loops(walk: Walk, bundle: Bundle, torn: Torn) -> tuple[Bundle, Torn]:
    """Move the held flows that follow from unknowns, and their forces, to the algebraic loops."""
    unknown = column([torn.unknown, *(force for _, force, _, _ in walk.multipliers)])
    looped = [k for k, flow in enumerate(bundle["held"]) if unknown.numel() and ca.depends_on(flow, unknown)]
    for k in looped:
        slot, force, _, _ = walk.multipliers[k]
        if not bundle["gap"][k].is_zero():
            raise StructureError(_gap_in_loop(slot.element))
        torn = torn.plus([force], bundle["held"][k], ((slot.element, slot.name),) * slot.size)
    others = [k for k in range(len(walk.multipliers)) if k not in looped]
    walk.multipliers = [walk.multipliers[k] for k in others]
    return bundle | {name: [bundle[name][k] for k in others] for name in ("held", "gap")}, torn


def _gap_in_loop(path: str) -> Finding:
    """A displacement that is held behind something that yields."""
    return Finding(
        f"Constraint {path!r} cannot hold its gap.",
        "Its flow follows from an algebraic loop, through laws that give a flow for an effort.",
        "Put an I on its junction, or leave its gap open, so that it holds the flow only.",
        (path,),
    )
