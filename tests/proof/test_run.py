"""The list of proofs: oldest first, within its time, and what it knows outlives it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from .items import ROOT, Item, items
from .run import Record, attempt, main, queue, read, table, work, write

PASSES, FAILS, SLEEPS = "pass", "raise SystemExit('a fault')", "import time; time.sleep(60)"


def item(name: str, code: str = PASSES, **environment: str) -> Item:
    return Item(name, (sys.executable, "-c", code), environment)


def test_what_failed_comes_first_then_the_oldest() -> None:
    known = {
        "new": Record("2026-03-02 10:00", last="passed"),
        "old": Record("2026-03-01 10:00", last="passed"),
        "bad": Record("2026-03-03 10:00", last="failed"),
    }
    wanted = [item(name) for name in ("new", "never", "bad", "old")]
    assert [i.name for i in queue(wanted, known, "a1")] == ["bad", "never", "old", "new"]


def test_the_commit_decides_among_those_of_one_age() -> None:
    """So that machines that begin with nothing known do not all try the same."""
    wanted = [item(f"part {k}") for k in range(10)]
    orders = {tuple(i.name for i in queue(wanted, {}, f"commit {k}")) for k in range(8)}
    assert len(orders) == 8
    assert queue(wanted, {}, "a1") == queue(wanted[::-1], {}, "a1")


def test_what_passes_is_kept_and_what_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state.json"
    quick = {name: Record(seconds=0.1) for name in ("good", "bad")}
    done = work([item("good"), item("bad", FAILS, ORDER="17")], quick, 60.0, state)
    assert sorted((i.name, outcome) for i, outcome in done) == [("bad", "failed"), ("good", "passed")]
    told = capsys.readouterr().out
    assert "a fault" in told and "again: ORDER=17" in told
    known = read(state)
    assert known["good"].passed and known["good"].last == "passed"
    assert not known["bad"].passed and known["bad"].last == "failed"


def test_an_item_gets_its_environment() -> None:
    code = "import os; raise SystemExit(os.environ['ROTATION'] != '4')"
    assert attempt(item("family", code, ROTATION="4"), 60.0)[0] == "passed"


def test_the_time_is_kept(tmp_path: Path) -> None:
    """What takes too long is ended with all its children and not called passed; what cannot fit does not begin."""
    begun, known = time.monotonic(), {"slow": Record(seconds=1.0), "long": Record(seconds=1000.0)}
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPS!r}])"
    done = work([item("slow", child), item("long")], known, 3.0, tmp_path / "state.json")
    assert [(i.name, outcome) for i, outcome in done] == [("slow", "cut short")]
    assert time.monotonic() - begun < 30
    assert known["slow"].seconds > 3.0 and not known["slow"].passed


def test_an_item_that_was_cut_short_waits_for_more_time(tmp_path: Path) -> None:
    known = {"slow": Record(seconds=0.5)}
    slow = [item("slow", SLEEPS)]
    assert work(slow, known, 2.0, tmp_path / "state.json")
    assert not work(slow, known, 2.0, tmp_path / "state.json")


def test_a_seed_serves_where_nothing_was_tried(tmp_path: Path) -> None:
    state, seed = tmp_path / "state.json", tmp_path / "seed.json"
    write(seed, {"one": Record("2026-01-01 00:00", "abc"), "two": Record("2026-01-01 00:00", "abc")})
    assert read(state, seed)["one"].commit == "abc"
    write(state, {"one": Record("2026-02-01 00:00", "def")})
    assert (read(state, seed)["one"].commit, read(state, seed)["two"].commit) == ("def", "abc")
    assert not list(tmp_path.glob("*.new")) and json.loads(state.read_text())


def test_the_items_exist_and_have_names_of_their_own() -> None:
    found = items()
    assert len({i.name for i in found}) == len(found) > 40
    for i in found:
        paths = [word for word in i.command if word.startswith("tests/")]
        assert all((ROOT / path).exists() for path in paths), i.name
    names = " ".join(i.name for i in found)
    assert all(word in names for word in ("family tests/joints", "hunt", "random order", "plain", "spoilt files"))


def test_the_table_and_the_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "hunt", "--state", str(tmp_path / "none.json")]) == 0
    assert capsys.readouterr().out.count("never tried") == len([i for i in items() if i.name.startswith("hunt")])
    assert "2026-01-01 00:00  abc" in table([item("one")], {"one": Record("2026-01-01 00:00", "abc")})


def test_what_passed_before_and_fails_now_fails_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What never passed is open: it is told, and does not hold back what has nothing to do with it."""
    monkeypatch.setitem(main.__globals__, "items", lambda: [item("bad", FAILS)])
    state, quick = tmp_path / "state.json", Record(seconds=0.1)
    write(state, {"bad": quick})
    assert main(["--budget", "60", "--state", str(state)]) == 0
    assert "open: bad" in capsys.readouterr().out
    write(state, {"bad": Record("2026-01-01 00:00", "abc", 0.1, "passed")})
    assert main(["--budget", "60", "--state", str(state)]) == 1
    assert "failed now: bad" in capsys.readouterr().out
