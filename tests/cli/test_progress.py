"""Progress: told often enough, in order, without changing the run; shown only where someone waits."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import EXAMPLES
from multibond.lower.system import System
from multibond.view.progress import Bar


@pytest.fixture(scope="module")
def system() -> System:
    return mb.compile(EXAMPLES["pendulum"]())


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "rodas5p"])
def test_telling_changes_nothing(system: System, solver: str) -> None:
    times: list[float] = []
    told = mb.simulate(system, 50.0, solver=solver, progress=times.append)
    plain = mb.simulate(system, 50.0, solver=solver)
    assert np.array_equal(told.t, plain.t)
    assert np.array_equal(told.states(np.linspace(0, 50, 77)), plain.states(np.linspace(0, 50, 77)))
    assert times and times == sorted(times) and times[0] >= 0.0 and times[-1] <= 50.0


def test_it_is_told_along_the_way(system: System) -> None:
    times: list[float] = []
    run = mb.simulate(system, 100.0, solver="rk4", step=0.01, progress=times.append)
    assert run.t.size == 10001 and len(times) > 3
    assert times == sorted(set(times)) and any(20.0 < time < 95.0 for time in times)


def test_events_are_the_same(system: System) -> None:
    told, plain = (
        mb.simulate(system, 30.0, solver="dopri5", events={"hinge.angle": 0.1}, progress=p)
        for p in (lambda _: None, False)
    )
    assert [e.time for e in told.events] == [e.time for e in plain.events]


def test_a_run_can_be_broken_off(system: System) -> None:
    def impatient(time: float) -> None:
        if time > 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mb.simulate(system, 1e6, solver="rk4", step=0.001, progress=impatient)


def test_the_bar_waits_before_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(1.0, after=1e9) as bar:
        bar(0.5)
    assert capsys.readouterr() == ("", "")


def test_the_bar_shows_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, system: System
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Bar(2.0) as bar:
        bar(0.5)
        bar(1.5)
    printed = capsys.readouterr()
    assert printed.out == "" and "1.5 s of 2 s" in printed.err
    mb.simulate(system, 1.0, progress=True)
    assert "s of 1 s" in capsys.readouterr().err


def test_the_bar_is_silent_where_no_terminal_is(capsys: pytest.CaptureFixture[str], system: System) -> None:
    mb.simulate(system, 1.0, progress=True)
    assert capsys.readouterr() == ("", "")
