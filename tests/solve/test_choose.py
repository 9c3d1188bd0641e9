"""The solver that is chosen costs little more than the cheaper one, by steps that were really made."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import multibond as mb
from multibond.lower.system import System
from multibond.solve.driving import Driving, driving
from multibond.solve.eigenmodes import spectrum
from multibond.solve.methods import METHODS
from multibond.solve.outlay import Demand, accuracy_steps, step_operations

SOLVERS = ("dop853", "rodas5p")


@pytest.fixture(scope="module")
def system() -> System:
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0, start=1.0))
    model.bond(v, mb.C("spring", 1.0))
    model.bond(v, mb.R("damper", 1.0))
    return mb.compile(model)


def work(system: System, until: float, rtol: float, solver: str) -> tuple[str, float]:
    """The solver of a run, and the operations of all its steps, rejected ones too."""
    run = mb.simulate(system, until, rtol=rtol, solver=solver)
    done, name = run.statistics, run.trajectory.method
    own = step_operations(name, system)
    return name, own * (done.accepted + done.rejected)


@pytest.mark.parametrize("until", [1.0, 10.0])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_damping_ratios_and_frequencies(system: System, until: float, rtol: float) -> None:
    """Chosen against the better of both, by counted steps times the operations of a step."""
    chosen = set()
    for w, z in itertools.product((10.0, 100.0, 1000.0), (0.0, 0.01, 0.1, 0.3, 0.6, 1.0, 3.0, 30.0)):
        if w * until > 2e3:
            continue
        here = mb.with_parameters(system, {"spring.compliance": 1 / w**2, "damper.resistance": 2 * z * w})
        name, taken = work(here, until, rtol, "auto")
        best = min(work(here, until, rtol, solver)[1] for solver in SOLVERS)
        print(f"{until} s, {rtol:.0e}, {w} rad/s, damping ratio {z}: {name}, {taken / best:.2f} of the cheaper")
        assert taken <= 2.0 * best
        chosen.add(name)
    assert chosen == set(SOLVERS)


def test_evaluations_of_a_step_are_as_counted(system: System) -> None:
    for solver in SOLVERS:
        done = mb.simulate(system, 100.0, solver=solver).statistics
        cost = METHODS[solver].traits.cost
        assert cost is not None
        assert done.evaluations / (done.accepted + done.rejected) == pytest.approx(cost.evaluations, rel=0.1)


@pytest.fixture(scope="module")
def driven() -> System:
    """A damped oscillator at rest that only its source moves."""
    model = mb.Model("driven")
    v, swing = model.add(mb.One("v")), model.parameter("swing", 1.0)
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, mb.C("spring", 1 / 171233.0))
    model.bond(v, mb.R("damper", 494.0))
    sine = model.add(mb.blocks.Sine("sine", amplitude=10.0, frequency=swing))
    push = model.add(mb.MSe("push"))
    model.signal(sine.y, push.effort)
    model.bond(push, v)
    return mb.compile(model)


@pytest.mark.parametrize("frequency", [0.3, 3.0, 30.0, 100.0])
def test_sources_that_swing_count(driven: System, frequency: float) -> None:
    """Nothing moves at the start, so the modes alone ask for no step at all; at 3 Hz both are estimated alike."""
    here = mb.with_parameters(driven, {"swing": frequency})
    _, taken = work(here, 10.0, 1e-9, "auto")
    assert taken <= 2.5 * min(work(here, 10.0, 1e-9, solver)[1] for solver in SOLVERS)
    modes = spectrum(here)
    assert modes is not None
    found = driving(here, modes, 10.0)
    assert found.rates.max() == pytest.approx(2 * np.pi * frequency, rel=0.2)


def test_what_does_not_swing_does_not_count(system: System) -> None:
    modes = spectrum(system)
    assert modes is not None and not driving(system, modes, 10.0).rates.any()
    demand = Demand(10.0, 1e-9, 1e-12 * modes.sizes)
    slow = Driving(np.array([0.0, 300.0]), np.array([0.0, 1e-30]))
    plain = accuracy_steps("dop853", modes, demand)
    np.testing.assert_array_equal(accuracy_steps("dop853", modes, replace(demand, driven=slow)), plain)
    strong = accuracy_steps("dop853", modes, replace(demand, driven=Driving(np.array([0.0, 300.0]), np.ones(2))))
    assert (strong > 300.0).all() and (plain < 10.0).all()
