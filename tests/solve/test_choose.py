"""The solver that is chosen costs little more than the cheaper one, by steps that were really made."""

from __future__ import annotations

import itertools

import pytest

import multibond as mb
from multibond.lower.system import System
from multibond.solve.outlay import EVALUATIONS, step_operations

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
        assert done.evaluations / (done.accepted + done.rejected) == pytest.approx(EVALUATIONS[solver], rel=0.1)
