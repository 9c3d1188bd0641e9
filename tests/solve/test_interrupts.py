"""Ctrl-C: the run so far is in the error; while compiling, and on the command line, it ends with one line."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import multibond as mb
from multibond.errors import Interrupted
from multibond.examples import EXAMPLES
from multibond.interrupt import interruptible

HEAD = """
import os, signal, sys, threading
import multibond as mb
from multibond.errors import Interrupted
from multibond.examples import EXAMPLES

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored

def soon(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

def stop_at(limit):
    def told(time, state=[]):
        if time > limit and not state:
            state.append(1)
            soon(0.0)
    return told
"""
RUBBING = """
model = mb.Model("oscillator")
v = model.add(mb.One("v"))
model.bond(v, mb.I("mass", 1.0))
model.bond(v, mb.C("spring", 0.025, start=0.3))
model.bond(v, mb.Friction("shoe", coulomb=1.0, static=1.5))
model.bond(mb.Se("shaker", 5 * mb.sin(5 * mb.t)), v)
"""
CATCH = """
try:
    mb.simulate(model, 1e6, progress=stop_at(LIMIT), **MORE)
except KeyboardInterrupt as stop:
    run = stop.run
    assert isinstance(stop, Interrupted) and isinstance(run, mb.Run), repr(stop)
    end = float(run.t[-1])
    assert LIMIT < end < 1e6 and run.status.failed, end
    assert "It was interrupted." in run._repr_html_()
    print(str(stop), "|", float(run[NAME](0.5 * end)).hex(), 0.5 * end, "|", len(run.pieces))
"""


def child(*texts: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, which gets a real SIGINT."""
    return subprocess.run([sys.executable, "-c", "\n".join(texts)], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("machine", "limit", "more", "name"),
    [
        ('model = EXAMPLES["pendulum"]()', 1.0, {"solver": "rk4", "step": 1e-3}, "hinge.angle"),
        ('model = EXAMPLES["slider_crank"]()', 1.0, {}, "guide.position"),
        (RUBBING, 3.0, {}, "mass.f"),
    ],
)
def test_the_run_so_far_is_in_the_error(machine: str, limit: float, more: dict[str, object], name: str) -> None:
    found = child(HEAD, machine, f"LIMIT, MORE, NAME = {limit}, {more}, {name!r}", CATCH)
    assert found.returncode == 0, found.stderr
    told, value, _ = found.stdout.split("|")
    assert told.startswith("interrupted at ")
    number, time = value.split()
    scope: dict[str, object] = {"mb": mb, "EXAMPLES": EXAMPLES}
    exec(machine, scope)
    whole = mb.simulate(scope["model"], float(time), **more)  # type: ignore[arg-type]  # a model made by the text above
    assert float.fromhex(number) == pytest.approx(whole[name](float(time)), rel=1e-7, abs=1e-9)


def test_while_compiling_it_ends_with_one_line() -> None:
    found = child(
        HEAD, "from multibond.examples import chain", "model = chain(150)", "soon(0.3)", "mb.simulate(model, 1.0)"
    )
    last = found.stderr.strip().splitlines()[-1]
    assert last == "multibond.errors.Interrupted: interrupted while compiling 'chain'."
    assert "casadi" not in found.stderr and found.returncode != 0


def test_on_the_command_line_it_is_one_line_and_code_130(tmp_path: Path) -> None:
    mb.save(EXAMPLES["pendulum"](), tmp_path / "p.mbg")
    words = ["multibond", "run", str(tmp_path / "p.mbg"), "--until", "1e5", "--step", "1e-3", "--solver", "rk4"]
    call = f"sys.argv = {words}"
    found = child(HEAD, "from multibond.cli import main", call, "soon(3.0)", "main()")
    assert found.returncode == 130
    assert len(found.stderr.strip().splitlines()) == 1 and found.stderr.startswith("interrupted")


def test_a_loop_over_faults_does_not_swallow_it() -> None:
    assert issubclass(Interrupted, KeyboardInterrupt) and not issubclass(Interrupted, Exception)
    with pytest.raises(Interrupted, match="interrupted while waiting"), interruptible("waiting"):
        raise KeyboardInterrupt
    with pytest.raises(Interrupted, match="first"), interruptible("waiting"):
        raise Interrupted("first")


def test_a_press_that_a_library_swallows_is_heeded() -> None:
    """CasADi clears whatever is raised while it asks an argument for its shape."""
    told: list[float] = []
    with pytest.raises(Interrupted, match="interrupted while compiling"), interruptible("compiling") as press:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        press.heed()
    with pytest.raises(Interrupted, match="interrupted while starting"), interruptible("starting") as press:
        press.heard(told.append)(1.0)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        press.heard(told.append)(2.0)
    assert told == [1.0]


def test_who_listened_before_listens_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible("waiting") as press:
        press.heed()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture(autouse=True)
def _pythons_own_answer() -> Iterator[None]:
    """Whoever runs the tests may have Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_traceback_is_of_ones_own_lines() -> None:
    """Where nobody catches it, Python tells the line that called, the border, and one line."""
    told = child(HEAD, 'model = EXAMPLES["robot"]()', "soon(0.1)", "mb.compile(model)").stderr
    assert told.rstrip().splitlines()[-1].startswith("multibond.errors.Interrupted: interrupted while")
    assert told.count("  File ") == 2, told


def test_before_a_command_begins_it_is_one_line_and_code_130() -> None:
    body = """
from multibond import cli
def stopped(**options):
    raise KeyboardInterrupt
cli.app = stopped
cli.main()
"""
    done = child(body)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
