"""A case is built, compiled, run and judged."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import multibond as mb

from .building import Draft, model_of
from .features import GROUPS, STEPS, Case, mechanism_of
from .judging import Error, Limits, judge
from .machine import Mechanism
from .reading import Reading

OTHER = 1.6
"""By so much masses and dampers are larger in the machine that is compiled before they are changed."""

PLAIN = Limits()
BY_SOLVER = {
    "dopri5": replace(PLAIN, window=1e-5),
    "rk4": replace(PLAIN, window=1e-5, state=1e-5, sign=1e-5),
    "heun": replace(PLAIN, window=1e-2, sign=1e-3, path=2e-7),
    "euler": replace(PLAIN, window=2e-1, sign=1e-2, path=2e-4),
}
SOLVED = GROUPS["solver"]
LOOSE = {"zcp": {"heun": 1e-5, "euler": 1e-3}, "minimal": {"rk4": 1e-7, "heun": 1e-5, "euler": 1e-3}}
"""Gaps that are pulled together on the way, and not put back after each step, are as good as the solver."""


def limits_of(case: Case) -> Limits:
    """What the laws allow on a case: a step of fixed length has its own error, and so have soft joints."""
    method, solver = case.one_of("method"), case.one_of("solver")
    limits = BY_SOLVER.get(solver, PLAIN)
    if "long" in case.features and solver in STEPS:
        limits = replace(limits, window=10 * limits.window)
    if method == "rc":
        return Limits(gap=3e-3, state=np.inf, window=np.inf, sign=np.inf, soft=True)
    gap = LOOSE.get(method, {}).get(solver, 1e-7 if method == "zcp" else limits.gap)
    return replace(limits, gap=gap, state=max(limits.state, 1e2 * gap))


def step_of(case: Case) -> float | None:
    """The length of fixed steps: springs in the place of joints want short ones."""
    step = STEPS.get(case.one_of("solver"))
    return step if step is None or case.one_of("method") != "rc" else 0.02 * step


def system_of(case: Case, machine: Mechanism) -> Any:
    """The compiled machine of a case, by way of a file, another order, other names or other numbers."""
    begun = _other(machine) if "changed" in case.features else machine
    seed = int(hashlib.sha256(case.id.encode()).hexdigest()[:6], 16) if "shuffled" in case.features else None
    renamed = "renamed" in case.features
    model = model_of(begun, guessed="guessed" in case.features, renamed=renamed, seed=seed)
    model = model.open(depth=2) if "depth 2" in case.features else model
    for word in ("mbg", "yaml"):
        model = by_file(model, word) if f"{word} file" in case.features else model
    depth = 3 if "depth 3" in case.features else 2
    soft = {"parasitic": SOFT} if case.one_of("method") == "rc" else {}
    system = mb.compile(model, case.one_of("method"), depth=depth, **soft)
    if "changed" in case.features:
        system = mb.with_parameters(system, _changes(machine, renamed, opened="depth 2" in case.features))
    return system


SOFT = mb.Parasitic(stiffness=1e6, damping=2e3, turning_stiffness=1e4, turning_damping=2e1)


def by_file(model: mb.Model, ending: str) -> mb.Model:
    """A model that was saved and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"machine.{ending}"
        mb.save(model, path)
        return mb.load(path)


def _other(machine: Mechanism) -> Mechanism:
    """The machine with other numbers."""
    joints = tuple(replace(joint, damping=OTHER * joint.damping) for joint in machine.joints)
    return replace(machine, joints=joints)


def _changes(machine: Mechanism, renamed: bool, *, opened: bool) -> dict[str, float]:
    word = "-damper.resistance" if opened else ".damping"
    return {f"{Draft(renamed).name(j.name)}{word}": j.damping for j in machine.joints if j.damping}


def run_of(case: Case) -> Reading:
    """The run of a case."""
    machine, solver = mechanism_of(case), case.one_of("solver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = system_of(case, machine)
        until = (
            machine.until / 4
            if solver in STEPS and (machine.until > 1 or case.one_of("method") == "rc")
            else machine.until
        )
        run = mb.simulate(system, until, solver=solver, step=step_of(case))
    return Reading(machine, run, "renamed" in case.features)


def errors_of(case: Case) -> list[Error]:
    """All that the laws find on a case."""
    reading = run_of(case)
    if reading.run.status.failed:
        return [Error("ends well", str(reading.run.status), 1.0, 0.0)]
    found = judge(reading, limits_of(case))
    if case.one_of("method") != "rc" or case.one_of("line"):
        return found
    return [*found, *_beside_auto(case, reading)]


AGREES = 5e-2
"""Soft joints give, so the machine is another one by about as much."""


def _beside_auto(case: Case, soft: Reading) -> list[Error]:
    """Where the joints are at the end, beside where the exact method has them."""
    exact = run_of(Case(case.machine, case.features - {"method rc", *SOLVED} | {"method auto", "solver dop853"}))
    end, found = soft.run.t[-1:], []
    for joint in soft.machine.joints:
        if joint.single:
            one, other = (float(each.number(f"{joint.name}.coordinates", end)[0]) for each in (soft, exact))
            found.append(Error("agreement with auto", joint.name, abs(one - other), AGREES))
    return found
