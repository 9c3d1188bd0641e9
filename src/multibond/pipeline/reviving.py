"""A system made once more as it was made: by compiling, by other numbers, by other modes or pivots.

For pickle and copy: what is kept of a system is how it came to be and its numbers. Equations and machine code follow
from these, to the last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from multibond.lower.recipe import Change, Recipe, Renewal
from multibond.lower.system import System
from multibond.pipeline.changing import with_parameters
from multibond.pipeline.compiling import compile, rebuilt
from multibond.rewrite.edit import with_values


def revived(method: str, recipe: Recipe, step: Change | Renewal | None, kept: Mapping[str, Any]) -> System:
    """The system that `System.__reduce__` has told; what it warned of was said when it was made first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = _made(method, recipe, step)
    numbers = dict(kept)
    velocities = numbers.pop("velocities")
    origin = made.origin if made.origin is None else replace(made.origin, velocities=velocities)
    return replace(made, **numbers, origin=origin, recipe=recipe, derivation=step)


def _made(method: str, recipe: Recipe, step: Change | Renewal | None) -> System:
    if isinstance(step, Change):
        return with_parameters(step.system, step.values)
    if isinstance(step, Renewal):
        known = step.system.dae.graph.elements
        elements = {path: with_values(known[path], **values) for path, values in step.values.items()}
        return rebuilt(step.system, elements, [dict(view) for view in step.views])
    return compile(recipe.model, method, **recipe.wishes)
