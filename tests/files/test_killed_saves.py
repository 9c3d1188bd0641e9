"""Saves that are killed at every call that writes or moves: data and record stay a pair, and nothing is left behind."""

from __future__ import annotations

import builtins
import fcntl
import os
import signal
from pathlib import Path
from typing import Any

import pytest

import multibond as mb
from multibond.errors import FileError
from multibond.graph.draft import LOCK, PREFIX, draft, sweep

DONE = 7


def run_of(value: float) -> mb.Run:
    model = mb.Model("store")
    one = model.add(mb.One("i"))
    for element in (mb.C("tank", 1.0), mb.R("pipe", 1.0)):
        model.bond(one, element)
    model.bond(mb.Se("source", value), one)
    return mb.simulate(model, 1.0)


def kill_at(run: mb.Run, target: Path, call: str, number: int) -> int:
    """Save in a process of its own that is killed before the call with a given number; how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        die_at(builtins if call == "open" else os, call, number)
        run.save(target, ["tank.q"])
        os._exit(DONE)
    finally:
        os._exit(1)


def die_at(owner: Any, name: str, number: int) -> None:
    original, calls = getattr(owner, name), iter(range(10**6))

    def counted(*args: Any, **options: Any) -> Any:
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **options)

    setattr(owner, name, counted)


@pytest.fixture(scope="module")
def runs() -> tuple[mb.Run, mb.Run]:
    return run_of(1.0), run_of(2.0)


def held(folder: Path) -> float:
    """The source that the record of the data tells; it must be the one that the data were made with."""
    found = mb.read_record(folder / "run.csv")["record"]["parameters"]["source.effort"]
    end = float((folder / "run.csv").read_text().splitlines()[-1].split(",")[1])
    assert end == pytest.approx(found * 0.6321205588, rel=1e-6)
    return found


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("call", "least"), [("replace", 3), ("open", 3), ("chmod", 0), ("mkdir", 3), ("rmdir", 3)])
def test_killed_at_every_call(
    tmp_path: Path, runs: tuple[mb.Run, mb.Run], call: str, least: int, first: bool
) -> None:  # fmt: skip
    """Each time dead at one call more, until a save gets through; then every trace of the killed ones is gone."""
    number, target = 0, tmp_path / "run.csv"
    while True:
        if not first:
            runs[0].save(target, ["tank.q"])
        code = kill_at(runs[1], target, call, number)
        if target.exists():
            assert held(tmp_path) in ((2.0,) if first else (1.0, 2.0))
        if code == DONE:
            break
        assert code == -signal.SIGKILL
        number += 1
    assert number >= least and held(tmp_path) == 2.0
    runs[1].save(target, ["tank.q"])
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.csv.json"]


def test_a_record_of_other_data_is_refused(tmp_path: Path, runs: tuple[mb.Run, mb.Run]) -> None:
    runs[0].save(tmp_path / "run.csv", ["tank.q"])
    (tmp_path / "run.csv").write_text("time,tank.q\n0,0\n")
    with pytest.raises(
        FileError, match=r"'run\.csv' does not belong to its record\.\n  'run\.csv\.json' tells of data"
    ):
        mb.read_record(tmp_path / "run.csv")
    (tmp_path / "run.csv.json").unlink()
    with pytest.raises(FileError, match=r"'run\.csv' has no record"):
        mb.read_record(tmp_path / "run.csv")


def test_drafts_of_writers_that_live_are_left_alone(tmp_path: Path) -> None:
    with draft(tmp_path / "a.txt") as mine:
        mine.write_text("half")
        with draft(tmp_path / "b.txt") as other:
            other.write_text("half")
            assert mine.exists() and len(list(tmp_path.iterdir())) == 2
        assert mine.exists() and len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def test_what_a_dead_writer_left_is_swept_away(tmp_path: Path) -> None:
    left, empty = tmp_path / f"{PREFIX}dead", tmp_path / f"{PREFIX}empty"
    left.mkdir()
    (left / "run.nc").write_text("half")
    with open(left / LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        empty.mkdir()
        sweep(tmp_path)
        assert left.exists() and not empty.exists()
    sweep(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_draft_that_is_swept_away_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, made = Path.mkdir, []

    def swept(self: Path, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        made.append(self)
        if len(made) < 3:
            sweep(tmp_path)

    monkeypatch.setattr(Path, "mkdir", swept)
    with draft(tmp_path / "a.txt") as mine:
        mine.write_text("all")
        os.replace(mine, tmp_path / "a.txt")
    assert len(made) == 3 and os.listdir(tmp_path) == ["a.txt"]
