"""Whatever is wired up: power and energy balance, the order is right, the motion is that of the laws; or it is refused.

Each graph has a second opinion (`descriptor`): all laws in one dense descriptor system, without causality.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.gather import gather
from tests.rotation import tenth

import multibond as mb
from multibond.errors import CausalityError, StructureError
from multibond.lower.system import System

from .descriptor import Descriptor, singular, solve
from .random_graphs import Plan, model_of, one_way, random_plan

GRAPHS = 500
SEEDS = [int.from_bytes(hashlib.sha256(b"%d" % k).digest()[:6]) for k in range(620)]
"""Of these at least five hundred are accepted."""
TRAJECTORIES = 120
UNTIL = 1.0
TIMES = np.linspace(0.0, UNTIL, 5)


@dataclass
class Case:
    """A random graph, what it must do, and how it begins."""

    plan: Plan
    reference: Descriptor | None
    start: np.ndarray

    @property
    def model(self) -> mb.Model:
        """The graph as a model that begins at the start."""
        if self.reference is None:
            return model_of(self.plan)
        held: dict[str, list[float]] = {}
        for (name, _), value in zip(self.reference.names, self.start, strict=False):
            held.setdefault(name, []).append(float(value))
        return model_of(self.plan, start=held)


def case_of(seed: int, **about: Any) -> Case:
    """The graph of a seed, with a random start that its conditions allow; every other one has one-way transformers."""
    plan = random_plan(seed, **about)
    plan = one_way(plan) if seed % 2 else plan
    reference = solve(plan)
    if reference is None:
        return Case(plan, None, np.zeros(0))
    rng = np.random.default_rng(seed)
    return Case(plan, reference, reference.consistent(rng.standard_normal(len(reference.names))))


def compiled(case: Case) -> System | None:
    """The system; None where the graph is refused, which is told by name and only where it is singular."""
    try:
        system = mb.compile(case.model)
    except (CausalityError, StructureError) as error:
        assert error.paths and set(error.paths) <= {spec.name for spec in case.plan.specs}
        assert case.reference is None and singular(case.plan), f"refused although regular: {error}"
        return None
    assert case.reference is not None, "accepted although singular"
    return system


# -- what must hold --------------------------------------------------------------------------------------------------


def hidden(system: System) -> int:
    """Conditions among the states that the system keeps."""
    return system.reduced.hidden_positions.numel() + system.reduced.hidden_flows.numel()


def energy_balances(run: mb.Run) -> float:
    """What comes in is stored or lost; returns the energy turned over."""
    audit = run.energy()
    assert audit.residual <= 1e-8 or abs(audit.imbalance) < 1e-12
    return audit.turnover


def junctions_balance(plan: Plan, run: mb.Run) -> int:
    """Along the half-arrows the powers at every junction add up to nothing; returns the number of junctions."""
    kinds = {spec.name: spec.kind for spec in plan.specs}
    reads = [_effort_and_flow(kinds, wire) for wire in plan.wires]
    sizes = {name: wire.size for pair, wire in zip(reads, plan.wires, strict=True) for name in pair}
    columns = np.cumsum(list(sizes.values()))[:-1]
    values = dict(zip(sizes, np.split(run.values(list(sizes), TIMES), columns, axis=1), strict=True))
    powers = [values[e] * values[f] for e, f in reads]
    largest = max(float(np.abs(p).sum(axis=1).max()) for p in powers)
    effort, flow = (max(1.0, *(float(np.abs(values[pair[k]]).max()) for pair in reads)) for k in (0, 1))
    rounding = 1e-14 * effort * flow  # all numbers that graphs are drawn with are about one
    junctions = [name for name, kind in kinds.items() if kind in ("One", "Zero")]
    for junction in junctions:
        own = [(1 if w.head == junction else -1, p) for w, p in zip(plan.wires, powers, strict=True)
               if junction in (w.head, w.tail)]  # fmt: skip
        total = sum(sign * p.sum(axis=1) for sign, p in own)
        scale = sum(np.abs(p).sum(axis=1) for _, p in own) + 1e-3 * largest
        assert (np.abs(total) <= 1e-9 * scale + rounding).all(), junction
    return len(junctions)


def _effort_and_flow(kinds: dict[str, str], wire: Any) -> tuple[str, str]:
    """The names of a bond's effort and flow, read at the element at one end, or at two junctions of different kinds."""
    ends = ((wire.tail, wire.tail_port), (wire.head, wire.head_port))
    for name, port in ends:
        if kinds[name] not in ("One", "Zero"):
            base = f"{name}.{port}" if port else name
            return f"{base}.e", f"{base}.f"
    zero, one = sorted((name for name, _ in ends), key=lambda name: kinds[name], reverse=True)
    assert (kinds[zero], kinds[one]) == ("Zero", "One")
    return f"{zero}.e", f"{one}.f"


def follows(case: Case, run: mb.Run) -> float:
    """The largest difference of all storages from the exact solution of the descriptor system."""
    assert case.reference is not None
    names = [f"{s.name}.{'p' if s.kind == 'I' else 'q'}" for s in case.plan.specs if s.kind in "IC"]
    if not names:
        return 0.0
    exact = case.reference.at(case.start, TIMES)
    error = float(np.abs(run.values(names, TIMES) - exact).max() / max(1.0, np.abs(exact).max()))
    assert error < 1e-7
    return error


# -- five hundred graphs ---------------------------------------------------------------------------------------------


def check(seed: int, tally: Counter[str]) -> bool:
    """One graph; tells whether it was accepted.

    The number of states: those that the compiled system integrates, less the conditions among them that it keeps, must
    be the degree of det(sE - A) of the descriptor system, without its clock. That is the number of components of all
    storages less the number of independent conditions on them, each found as a numeric rank (singular values, pivots)
    of dense matrices that no causality has touched; a rank in doubt fails the test (`descriptor.rank_of`).
    """
    print("seed", seed)
    case = case_of(seed, sensed=True)
    assert 5 <= len(case.plan.specs) <= 60 and case.plan.share >= 0.3
    assert {spec.size for spec in case.plan.specs} <= set(range(1, 7))
    system = compiled(case)
    if system is None:
        tally["refused, and singular"] += 1
        return False
    assert case.reference is not None
    count(case.plan, tally)
    assert system.n - hidden(system) == case.reference.order
    run = mb.simulate(system, UNTIL)
    tally["with energy turned over"] += energy_balances(run) > 1e-3
    tally["junctions"] += junctions_balance(case.plan, run)
    if tally["compared with the exact solution"] < TRAJECTORIES:
        follows(case, run)
        tally["compared with the exact solution"] += 1
    tally["with derivative causality"] += bool(system.dae.causality.dependent)
    tally["with algebraic loops"] += any(u.name == "loop" for u in system.dae.unknowns)
    tally["with strokes from both ends"] += bool(system.dae.causality.doubled)
    tally["with hidden conditions"] += bool(hidden(system))
    return True


def count(plan: Plan, tally: Counter[str]) -> None:
    """What the graph is made of."""
    sizes = {spec.size for spec in plan.specs}
    tally["graphs"] += 1
    tally["of several sizes"] += len(sizes) > 1
    tally["with six components"] += 6 in sizes
    tally["of more than forty elements"] += len(plan.specs) > 40
    tally["elements"] += len(plan.specs)
    tally["couplers and fields"] += plan.rich
    tally["least share of them in per mille"] = min(
        tally["least share of them in per mille"] or 1000, int(1000 * plan.share)
    )
    tally["most elements"] = max(tally["most elements"], len(plan.specs))
    for spec in plan.specs:
        if spec.kind in ("TF", "GY"):
            tally[f"{spec.kind} {spec.form}"] += 1


@pytest.mark.slow
def test_five_hundred_random_graphs() -> None:
    """A tenth in turn; what is among them is asked where all run."""
    tally: Counter[str] = Counter()
    seeds = tenth(SEEDS, of="random graphs")
    gather(seeds, lambda seed: check(seed, tally))
    for name, number in sorted(tally.items()):
        print(f"{number:6d} {name}")
    graphs = tally["graphs"]
    assert tally["refused, and singular"] < 0.3 * graphs
    if len(seeds) < len(SEEDS):
        return
    assert graphs >= GRAPHS
    assert tally["compared with the exact solution"] == TRAJECTORIES
    assert tally["refused, and singular"] < 0.2 * graphs
    for name in ("with derivative causality", "with algebraic loops"):
        assert tally[name] > 0.3 * graphs, name
    for name in ("with strokes from both ends", "with hidden conditions"):  # only with one-way transformers
        assert tally[name] > 0.05 * graphs, name
    assert tally["with energy turned over"] > 0.6 * graphs


def test_the_graphs_are_of_every_kind() -> None:
    """Of all that are drawn, refused ones too."""
    tally: Counter[str] = Counter()
    for seed in SEEDS:
        count(random_plan(seed, sensed=True), tally)
    graphs = tally["graphs"]
    assert tally["of several sizes"] > 0.3 * graphs
    assert tally["with six components"] > 0.12 * graphs
    assert tally["of more than forty elements"] > 0.1 * graphs
    assert all(tally[f"{kind} {form}"] > 60 for kind in ("TF", "GY") for form in ("number", "diagonal", "full"))


@pytest.mark.parametrize("seed", tenth(range(20), of="first graphs"))
def test_random_graph(seed: int) -> None:
    check(seed, Counter())


@pytest.mark.parametrize("seed", tenth(range(12), of="graphs without sensors"))
def test_random_graph_follows_the_exact_solution(seed: int) -> None:
    """Here bonds join junctions of one kind without a sensor between them."""
    case = case_of(seed)
    system = compiled(case)
    if system is not None:
        print("error", follows(case, mb.simulate(system, 1.0)))


@pytest.mark.parametrize("seed", tenth(range(12), of="graphs to unfold"))
def test_random_graph_unfolds(seed: int) -> None:
    """Scalar bonds tell the same story."""
    case = case_of(seed, most=25)
    system = compiled(case)
    if system is None:
        return
    scalar = mb.compile(case.model.open(depth=3))
    assert scalar.n - hidden(scalar) == system.n - hidden(system)
    plain, unfolded = (mb.simulate(s, 1.0).energy() for s in (system, scalar))
    for name in ("kinetic", "elastic", "supplied", "dissipated"):
        scale = max(1.0, plain.turnover)
        assert abs(getattr(unfolded, name) - getattr(plain, name)) < 1e-7 * scale


# -- values at the edge ----------------------------------------------------------------------------------------------


def at_the_edge(plan: Plan, rng: np.random.Generator) -> Plan:
    """The same graph with zeros and matrices of too low a rank here and there."""
    specs = []
    for spec in plan.specs:
        if spec.kind in ("R", "C", "TF", "GY") and rng.random() < 0.15:
            spec = replace(spec, value=_degenerate(spec.value))
        specs.append(spec)
    return Plan(specs, plan.wires)


def _degenerate(value: Any) -> Any:
    value = np.array(value, float)
    if value.ndim == 2:
        u, s, v = np.linalg.svd(value, full_matrices=False)
        s[-1] = 0.0
        lower = u * s @ v
        return 0.5 * (lower + lower.T) if lower.shape[0] == lower.shape[1] and np.allclose(value, value.T) else lower
    if value.ndim == 1 and value.size > 1:
        value[0] = 0.0
        return value
    return 0.0


@pytest.mark.slow
def test_zeros_and_low_ranks() -> None:
    """An R, C or coupler of zero, or without full rank, takes away an order or makes a graph singular; nothing else."""
    tally: Counter[str] = Counter()
    seeds = tenth(range(60), of="graphs at the edge")
    for seed in seeds:
        print("seed", seed)
        rng = np.random.default_rng(seed)
        plan = at_the_edge(random_plan(seed, most=30), rng)
        reference = solve(plan)
        start = np.zeros(0) if reference is None else reference.consistent(rng.standard_normal(len(reference.names)))
        case = Case(plan, reference, start)
        system = compiled(case)
        tally["refused"] += system is None
        if system is not None and reference is not None:
            assert system.n - hidden(system) == reference.order
            run = mb.simulate(system, 1.0)
            energy_balances(run)
            follows(case, run)
            tally["followed"] += 1
    print(dict(tally))
    assert tally["followed"] > (30 if len(seeds) == 60 else 0)
