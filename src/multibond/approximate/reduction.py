"""Reduction by activity: the elements through which least energy passes are left out, as far as the model allows."""

from __future__ import annotations

from multibond import pipeline
from multibond.approximate.activity import activity
from multibond.approximate.assume import Simplified, neglected
from multibond.approximate.sheets import component_at, tidied, with_sheet, without
from multibond.errors import Finding, ModelError, MultibondError
from multibond.graph.component import Element
from multibond.graph.model import Model
from multibond.rewrite.floating import join_floating
from multibond.solve.solution import Solution


def reduce_by_activity(model: Model, run: Solution, keep: float = 0.99) -> Simplified:
    """Leave out the least active elements of a model, those that are left having a share `keep` of all activity.

    run: a run of this model, in which the activities are measured. keep: between 0 and 1.
    What cannot be left out (the model would not compile, or the element is inside a part) stays and is listed in
    `refused` with the reason; elements inside parts can be reached by opening the model first: `model.open()`.

    >>> simple = reduce_by_activity(model, simulate(model, 10.0), keep=0.98)
    >>> print(simple.report(10.0))
    """
    if not 0.0 <= keep <= 1.0:
        fact = "It is the share of the activity that stays."
        raise ModelError(Finding(f"keep cannot be {keep!r}.", fact, "Give a number from 0 to 1, such as 0.99."))
    _require_own(model, run)
    shares = activity(run).share
    current, spare = model, 1.0 - keep
    left_out: list[str] = []
    refused: dict[str, str] = {}
    for path in sorted(shares, key=lambda p: (shares[p], p)):
        if shares[path] > spare:
            break
        try:
            current = _lighter(current, model, path)
        except MultibondError as error:
            refused[path] = error.findings[0].problem
            continue
        spare -= shares[path]
        left_out.append(path)
    return Simplified(model, current, tuple(neglected(model, path) for path in left_out), refused)


def _require_own(model: Model, run: Solution) -> None:
    """Refuse a run of another model: one whose elements are not those of this one."""
    own = {path: type(item) for path, item in join_floating(pipeline.as_graph(model)).elements.items()}
    ran = {path: type(item) for path, item in run.system.dae.graph.elements.items()}
    strange = sorted(path for path in own if ran.get(path) is not own[path])
    if run.system.method == "auto":
        strange += sorted(path for path in ran if path not in own)
    if strange:
        fact = f"They differ in {', '.join(repr(path) for path in strange[:3])}{' and others' if strange[3:] else ''}."
        cure = "Give a run of the model itself: mb.simulate(model, until)."
        raise ModelError(Finding(f"the run is not one of {model.name!r}.", fact, cure, tuple(strange)))


def _lighter(current: Model, full: Model, path: str) -> Model:
    """The model without one element; raises where that leaves no model that runs."""
    item = component_at(current.sheet, path, current.name)
    assert isinstance(item, Element)
    lighter = with_sheet(current, tidied(without(current.sheet, path), full.sheet))
    system = pipeline.compile(lighter)
    if not system.n:
        fact = "Nothing that is left changes by itself."
        raise ModelError(Finding(f"without {path!r} no state is left.", fact, "Keep it.", (path,)))
    return lighter
