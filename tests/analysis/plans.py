"""Random linear graphs with inputs and outputs: plain plans whose numbers are all drawn anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tests.laws.random_graphs import Plan, Spec, Wire, element, random_plan

import multibond as mb


@dataclass(frozen=True)
class Case:
    """A plan, its inputs (sources) and its outputs (one-port, "e" or "f")."""

    seed: int
    plan: Plan
    inputs: list[str]
    outputs: list[tuple[str, str]]

    @property
    def output_names(self) -> list[str]:
        """The outputs as a user names them."""
        return [f"{name}.{what}" for name, what in self.outputs]


def steered(case: Case) -> mb.Model:
    """The model of a case with run-time inputs `NAME-in` behind its inputs, so that no rate of them is known."""
    model = mb.Model(f"steered{case.seed}")
    for spec in case.plan.specs:
        if spec.name not in case.inputs:
            model.add(element(spec))
            continue
        kind, port = (mb.MSe, "effort") if spec.kind == "Se" else (mb.MSf, "flow")
        model.add(kind(spec.name, size=spec.size))
        model.add(mb.blocks.Input(f"{spec.name}-in", np.ones(spec.size) if spec.size > 1 else 1.0))
        model.signal(f"{spec.name}-in.y", f"{spec.name}.{port}")
    _bonds(model, case.plan)
    return model


def with_source(case: Case, source: str, values: list[Any]) -> mb.Model:
    """The model of a case in which one source gives these values, numbers or formulas, one for each component."""
    model = mb.Model(f"given{case.seed}")
    for spec in case.plan.specs:
        kind = getattr(mb, spec.kind) if spec.name == source else None
        model.add(kind(spec.name, values if spec.size > 1 else values[0], size=spec.size) if kind else element(spec))
    _bonds(model, case.plan)
    return model


def _bonds(model: mb.Model, plan: Plan) -> None:
    for w in plan.wires:
        ends = (f"{n}.{p}" if p else n for n, p in ((w.tail, w.tail_port), (w.head, w.head_port)))
        model.bond(*ends, size=w.size)


def random_case(seed: int, *, most: int = 16) -> Case:
    """A random graph of numbers without coincidence, with one or two inputs and one or two outputs."""
    rng = np.random.default_rng(seed)
    plan = random_plan(seed, least=4, most=most)
    plan = Plan([_drawn(spec, rng) for spec in plan.specs], list(plan.wires))
    sources = [spec.name for spec in plan.specs if spec.kind in ("Se", "Sf")]
    while len(sources) < 1 + int(rng.random() < 0.3):
        sources.append(_add_source(plan, rng))
    chosen = rng.permutation(sources)[: 1 + int(rng.random() < 0.3)].tolist()
    inputs = [spec.name for spec in plan.specs if spec.name in chosen]
    ports = [spec for spec in plan.specs if spec.kind in ("I", "C", "R")]
    read = rng.permutation(len(ports))[: 1 + int(rng.random() < 0.3)]
    outputs = [(ports[k].name, _read(ports[k], rng)) for k in read]
    return Case(seed, plan, inputs, outputs)


def _read(spec: Spec, rng: np.random.Generator) -> str:
    natural = {"I": "f", "C": "e", "R": "e"}[spec.kind]
    return natural if rng.random() < 0.7 else {"e": "f", "f": "e"}[natural]


def _add_source(plan: Plan, rng: np.random.Generator) -> str:
    """One more source on a junction that takes it: effort on a 1-junction, flow on a 0-junction."""
    junctions = [spec for spec in plan.specs if spec.kind in ("One", "Zero")]
    at = junctions[int(rng.integers(len(junctions)))]
    source = Spec("Se" if at.kind == "One" else "Sf", f"source{len(plan.specs)}", at.size, value=np.ones(at.size))
    plan.specs.append(source)
    plan.wires.append(Wire(source.name, "", at.name, "", at.size))
    return source.name


def _drawn(spec: Spec, rng: np.random.Generator) -> Spec:
    """The same element with other numbers of the same form: a number of one would be a coincidence."""
    if spec.kind in ("R", "C", "I", "TF", "GY") and np.ndim(spec.value) < 2:
        return replace(spec, value=_like(spec.value, rng))
    return replace(spec, waves=False)


def _like(value: Any, rng: np.random.Generator) -> Any:
    drawn = rng.uniform(0.5, 2.0, np.shape(value))
    return float(drawn) if np.ndim(value) == 0 else drawn


def redrawn(case: Case, seed: int) -> Case:
    """The same graph with other numbers; fields and full moduli are drawn anew as well."""
    rng = np.random.default_rng(seed)
    specs = [_drawn(_full(spec, rng), rng) for spec in case.plan.specs]
    return replace(case, plan=Plan(specs, case.plan.wires))


def _full(spec: Spec, rng: np.random.Generator) -> Spec:
    if np.ndim(spec.value) < 2:
        return spec
    change = rng.uniform(-0.15, 0.15, np.shape(spec.value))
    return replace(spec, value=spec.value + (change if spec.kind in ("TF", "GY") else 0.5 * (change + change.T)))
