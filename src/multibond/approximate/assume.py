"""`assume`: a simpler model under stated conditions, and the error that comes of it, measured by running both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibond import pipeline
from multibond.approximate.activity import Activity, activity
from multibond.approximate.deviation import Deviation, deviation
from multibond.approximate.sheets import component_at, held, source_of, tidied, with_sheet, without
from multibond.border import public
from multibond.errors import Finding, ModelError, raise_findings, unknown_name
from multibond.formula import means_formula
from multibond.graph.edge import PowerBond, ends_of
from multibond.graph.junctions import One, Zero
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import SignalPort
from multibond.solve.reading import evaluate
from multibond.workbench import Run, simulate


@dataclass(frozen=True)
class Assumption:
    """One thing assumed.

    text: the condition in words. path: the element, inlet or parameter concerned. measure: how well it holds in a run
    of the full model with these activities, in words.
    """

    text: str
    path: str
    measure: Callable[[Run, Activity], str] = field(repr=False, default=lambda *_: "")


@public
@dataclass(frozen=True)
class Simplified:
    """A simpler model and what it rests on.

    full, model: before and after. assumptions: what was assumed. refused: elements that could not be left out, and why.
    """

    full: Model
    model: Model
    assumptions: tuple[Assumption, ...]
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What has to hold, a sentence each."""
        return tuple(a.text for a in self.assumptions)

    def error(self, until: float, names: Sequence[str] | None = None, **options: Any) -> Deviation:
        """How far the simpler model is off over a run to `until` seconds, measured by running both.

        names: variables to compare, all common states where none are given. options: as in `simulate`.
        """
        return deviation(simulate(self.full, until, **options), simulate(self.model, until, **options), names)

    def report(self, until: float, names: Sequence[str] | None = None, **options: Any) -> str:
        """Conditions, how well each holds in a run of the full model, and the measured error."""
        run = simulate(self.full, until, **options)
        found = deviation(run, simulate(self.model, until, **options), names)
        active = activity(run)
        lines = [f"{self.model.name}, simplified under {len(self.assumptions)} conditions"]
        lines += [f"  {a.text} {a.measure(run, active)}".rstrip() for a in self.assumptions]
        lines += ["could not be left out"] if self.refused else []
        lines += [f"  {path}: {why}" for path, why in self.refused.items()]
        return "\n".join([*lines, f"error over {until:g} s", *(f"  {line}" for line in str(found).splitlines())])

    def __repr__(self) -> str:
        return f"Simplified {self.model.name!r}: {len(self.assumptions)} conditions"


def assume(
    model: Model,
    *,
    neglect: Sequence[str] = (),
    freeze: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
) -> Simplified:
    """A model with elements neglected, moduli frozen and parameters given other values, under stated conditions.

    neglect: elements to leave out with their bonds: at a 1-junction their effort, at a 0-junction their flow is taken
    as zero. freeze: signal inlets, such as a modulus, by the number that they are held at; None for what they have at
    the start. values: parameters by the value that they are taken to have.
    The model itself stays as it is. What then serves nothing (blocks without readers) is left out too.

    >>> simple = assume(gyro, neglect=["ring_x"], freeze={"ring_y.modulus": 0.02})
    >>> print(simple.report(1.0, ["tilt.q"]))
    """
    freeze, values = freeze or {}, values or {}
    sheet, assumptions = model.sheet, []
    require_elements(model, neglect)
    for path in freeze:
        _require_inlet(model, path)
    start = _start_values(model, [path for path, value in freeze.items() if value is None])
    for path, value in values.items():
        sheet, made = _given(model, sheet, path, value)
        assumptions.append(made)
    for path, value in freeze.items():
        number = (start[path] if value is None else np.asarray(value, float)) + 0.0  # no negative zeros
        assumptions.append(_frozen(model, path, number))
        sheet = held(sheet, path, number)
    for path in neglect:
        assumptions.append(neglected(model, path))
        sheet = without(sheet, path)
    return Simplified(model, with_sheet(model, tidied(sheet, model.sheet)), tuple(assumptions))


def require_elements(model: Model, paths: Sequence[str]) -> None:
    """Raise for everything that cannot be left out by itself."""
    findings = []
    for path in paths:
        try:
            item = component_at(model.sheet, path, model.name)
        except ModelError as error:
            findings += error.findings
            continue
        if isinstance(item, Submodel):
            fact = "It is a sub-model, whose elements are left out one by one."
            findings.append(Finding(f"{path!r} cannot be neglected.", fact, f"Name them: '{path}.name'.", (path,)))
    raise_findings(ModelError, findings)


def neglected(model: Model, path: str) -> Assumption:
    """The assumption that an element does not matter."""
    item = component_at(model.sheet, path, model.name)
    small: dict[str, list[str]] = {}
    for junction in _junctions(model.sheet, path):
        effort = isinstance(junction, One) and getattr(item, "causality", "") != "gives flow"
        small.setdefault("effort" if effort else "flow", []).append(f"at {junction.name!r}")
    what = ", ".join(f"its {word} is small {' and '.join(places)}" for word, places in small.items())
    what = what or ("nothing happens there" if isinstance(item, One | Zero) else "what it exerts is small")
    text = f"{type(item).__name__} {path!r} is left out: {what}."

    def measure(_: Run, active: Activity) -> str:
        own = [part for p, part in active.share.items() if p == path or p.startswith(f"{path}.")]
        return f"It has {100 * sum(own):.3g} % of the activity." if own else ""

    return Assumption(text, path, measure)


def _junctions(sheet: Sheet, path: str) -> list[One | Zero]:
    """The junctions that an element of a model, or of a sub-model, is bonded to there."""
    name, dot, rest = path.partition(".")
    number = sheet.number_of(name)
    assert number is not None
    item = sheet.components[number]
    if dot and isinstance(item, Submodel):
        return _junctions(item.sheet, rest)
    bonds = [ends_of(e) for e in sheet.edges if isinstance(e, PowerBond)]
    others = [sheet.components[b.component] for pair in bonds for a, b in (pair, pair[::-1]) if a.component == number]
    return [other for other in others if isinstance(other, One | Zero)]


def _start_values(model: Model, paths: list[str]) -> dict[str, np.ndarray]:
    """What signal inlets have at the start of a run."""
    if not paths:
        return {}
    system = pipeline.compile(model)
    return {
        path: evaluate(system, system.observer.function([_source(model, path)]), np.zeros(1), system.x0[None])[0]
        for path in paths
    }


def _source(model: Model, path: str) -> str:
    found = source_of(model.sheet, path)
    if found is None:
        fact = "Nothing is led to it whose value could be taken."
        raise ModelError(Finding(f"{path!r} has no value at the start.", fact, "Give a number.", (path,)))
    return found


def _require_inlet(model: Model, path: str) -> None:
    name, _, port = path.rpartition(".")
    item = component_at(model.sheet, name or path, model.name)
    inlets = [p.name for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in"]
    if "." in name or port not in inlets:
        raise unknown_name(f"the model's component {name or path!r}", port, inlets, offer="Name a signal inlet.")


def _frozen(model: Model, path: str, number: np.ndarray) -> Assumption:
    source = source_of(model.sheet, path)

    def measure(run: Run, _: Activity) -> str:
        if source is None:
            return ""
        low, high = (pick(run[source].values, axis=0) for pick in (np.min, np.max))
        return f"It goes from {_shown(low)} to {_shown(high)}."

    return Assumption(f"{path!r} is held at {_shown(number)}: it stays near that.", path, measure)


def _shown(value: Any) -> str:
    return str(value) if means_formula(value) else ", ".join(f"{x:.6g}" for x in np.ravel(value))


def _given(model: Model, sheet: Sheet, path: str, value: Any) -> tuple[Sheet, Assumption]:
    """The sheet with one parameter changed, and what that assumes."""
    twin = with_sheet(model, sheet)
    twin.set(path, value)
    owner, _, name = path.rpartition(".")
    old = getattr(component_at(sheet, owner, model.name), name)
    return twin.sheet, Assumption(f"{path!r} is taken as {_shown(value)} instead of {_shown(old)}.", path)
