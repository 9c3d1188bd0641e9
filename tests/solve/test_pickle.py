"""A system and a run come back from pickle as they were: by recipe, to the last bit, without being simulated again."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond import pipeline
from multibond.examples import EXAMPLES
from multibond.export.table import usual_names


def rubbing() -> mb.Model:
    """Sticks and slips."""
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, mb.C("spring", effort=lambda q: 40 * q + 900 * q**3, start=0.3))
    model.bond(v, mb.Friction("shoe", coulomb=1.0, static=1.5))
    model.bond(mb.Se("shaker", 2 * mb.sin(5 * mb.t)), v)
    return model


def heavier() -> mb.Run:
    """With other numbers, given one after the other."""
    system = mb.compile(EXAMPLES["slider_crank"]())
    for changes in ({"guide.damping": 0.3}, {"crank.mass": 2.0}):
        known = {k: v for k, v in changes.items() if k in system.dae.graph.parameters}
        system = mb.with_parameters(system, known)
    return mb.simulate(system, 0.5)


RUNS: dict[str, Callable[[], mb.Run]] = {
    **{name: lambda name=name: mb.simulate(EXAMPLES[name](), 0.3) for name in ("pendulum", "planar_loop", "rectifier")},
    "chain": lambda: mb.simulate(EXAMPLES["chain"](), 0.1),
    "stick and slip": lambda: mb.simulate(rubbing(), 2.0),
    "minimal": lambda: mb.simulate(EXAMPLES["slider_crank"](), 0.3, method="minimal"),
    "zcp": lambda: mb.simulate(EXAMPLES["four_bar"](), 0.2, method="zcp"),
    "stiff": lambda: mb.simulate(EXAMPLES["rlc"](), 0.3, solver="rodas5p"),
    "graph": lambda: mb.simulate(mb.rewrite.minimal(EXAMPLES["slider_crank"]()).graph, 0.3),
    "other numbers": heavier,
}


def readings(run: mb.Run) -> dict[str, bytes]:
    """Everything usual between the steps, as bytes."""
    times = np.linspace(0.0, float(run.t[-1]), 17)
    return {name: np.asarray(run[name](times)).tobytes() for name in usual_names(run)}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_comes_back_to_the_last_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RUNS[name]()
    before = readings(run)
    monkeypatch.setattr("multibond.solve.contract._run", None)  # nothing can be simulated any more
    for again in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run), copy.copy(run)):
        assert type(again) is mb.Run and again.settings == run.settings
        assert again.t.tobytes() == run.t.tobytes() and again.statistics == run.statistics
        assert [(c.time, c.path, c.mode) for c in again.changes] == [(c.time, c.path, c.mode) for c in run.changes]
        assert readings(again) == before
        assert again.record.model == run.record.model


def test_a_run_goes_to_another_process(tmp_path: Path) -> None:
    run = mb.simulate(EXAMPLES["planar_loop"](), 0.3)
    (tmp_path / "run").write_bytes(pickle.dumps(run))
    read = (
        "import pickle, sys; run = pickle.load(open(sys.argv[1], 'rb')); print(float(run['guide.position'](0.2)).hex())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    found = subprocess.run(
        [sys.executable, "-c", read, str(tmp_path / "run")], capture_output=True, text=True, env=environment, check=True
    )
    assert found.stdout.strip() == float(run["guide.position"](0.2)).hex()


def test_a_system_comes_back_and_can_be_used() -> None:
    system = mb.with_parameters(mb.compile(EXAMPLES["pendulum"]()), {"bar.mass": 3.0})
    for again in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system), copy.copy(system)):
        assert type(again) is type(system) and again.parameters.tobytes() == system.parameters.tobytes()
        assert again.derivative(again.x0).tobytes() == system.derivative(system.x0).tobytes()
        other = mb.with_parameters(again, {"bar.mass": 1.5})
        assert other.derivative(other.x0).tobytes() != again.derivative(again.x0).tobytes()
    deep = copy.deepcopy(system)
    deep.parameters[:] = 1.0
    assert not np.array_equal(system.parameters, deep.parameters)


def test_many_changes_one_after_the_other_are_kept_as_one() -> None:
    first = system = mb.compile(EXAMPLES["pendulum"]())
    for mass in np.linspace(1.0, 2.0, 5):
        system = mb.with_parameters(system, {"bar.mass": mass})
    assert system.derivation.system is first


def test_a_compiled_system_does_not_follow_what_is_done_to_the_model_later() -> None:
    model = EXAMPLES["pendulum"]()
    system = mb.compile(model)
    model.set("bar.mass", 7.0)
    assert system.recipe.model["bar"].mass != 7.0
    again = pickle.loads(pickle.dumps(system))
    assert again.derivative(again.x0).tobytes() == system.derivative(system.x0).tobytes()


def test_parts_and_models_keep_their_numbers_unwritable() -> None:
    model = pickle.loads(pickle.dumps(EXAMPLES["pendulum"]()))
    with pytest.raises(ValueError, match="read-only"):
        model["bar"].inertia[...] = 1.0


def test_nothing_is_compiled_by_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    system = mb.compile(EXAMPLES["rlc"]())
    monkeypatch.setattr(pipeline.compiling, "lower", None)
    assert copy.deepcopy(system).code is copy.copy(system).code is system.code
