"""Spoilt files by the thousand: each is opened or refused in our words, quickly, and nothing else happens.

What opens is saved, opened again and compared, then checked and expanded into its elements.

    python tests/files/fuzz.py --count 100000 --seed 1

Prints how many cases ended how, and the longest time of one. A case that fails is printed with its number, which
`--only` repeats. Ends with 1 where a case failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from multibond.errors import MultibondError
from multibond.graph.check import check
from multibond.graph.expand import expand
from multibond.graph.file import load, save, to_data

if not __package__:  # run as a script: its neighbours are found as from the tests
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.files"

from tests.fuzz.trial import Tally, judge, limited

from .mutations import Case, furnish, spoilt

SECONDS = 2.0
"""Time on the processor after which a case counts as hanging."""

FORBIDDEN = (
    "import",
    "exec",
    "compile",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "subprocess.Popen",
    "socket.connect",
)


class Trespass(BaseException):
    """A case that did what opening a file must not do."""


# -- guards ------------------------------------------------------------------------------------------------------------

_watching = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Called by Python for whatever touches the world outside; a hook once set stays, so it sleeps between cases."""
    if not _watching:
        return
    writes = event == "open" and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if event in FORBIDDEN or writes or event in ("os.remove", "os.rename", "os.mkdir", "os.chmod", "os.symlink"):
        raise Trespass(f"{event} {arguments!r}"[:200])


@contextmanager
def watched() -> Iterator[None]:
    """Nothing is imported, executed or written within."""
    global _watching
    _watching = True
    try:
        yield
    finally:
        _watching = False


# -- one case ----------------------------------------------------------------------------------------------------------


def attempt(case: Case, folder: Path) -> str:
    """How a case ends, in a word; raises where it ends in a way it must not."""
    path = folder / f"self{case.suffix}"
    path.write_bytes(case.content)
    try:
        with watched():
            model = load(path)
    except MultibondError as error:
        judge(error)
        return type(error).__name__
    data = to_data(model)
    saved = folder / f"saved{case.suffix}"
    save(model, saved)
    with watched():
        again = to_data(load(saved))
    assert again == data, "what is saved and opened again has changed"
    return f"opened, {_looked_at(load(saved))}"


def _looked_at(model: Any) -> str:
    """What the check says of a model, and that it opens into its elements where the check finds nothing wrong."""
    try:
        with watched():
            check(model)
    except MultibondError as error:
        judge(error)
        return "faulty"
    try:
        with watched():
            expand(model)
    except MultibondError as error:
        judge(error)
        return "cannot be expanded"
    return "well"


def case_of(seed: int, number: int) -> Case:
    """The case with a number."""
    return spoilt(Random(f"{seed}:{number}"))


def run(numbers: Sequence[int], seed: int, most: int = 10) -> Tally:
    """All cases with these numbers; stops after so many failures."""
    tally = Tally()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        furnish(folder)
        for number in numbers:
            case = case_of(seed, number)
            begin = time.process_time()
            try:
                with limited(SECONDS):
                    outcome = attempt(case, folder)
            except KeyboardInterrupt:
                raise
            except BaseException as fault:
                outcome = f"FAILED: {type(fault).__name__}"
                tally.failures.append(
                    f"case {number}, {case.level}{case.suffix}: {type(fault).__name__}: {fault}"[:800]
                )
            tally.outcomes[f"{case.level:9} {case.suffix[1:]:4} {outcome}"] += 1
            tally.slowest = max(tally.slowest, (time.process_time() - begin, number))
            if len(tally.failures) >= most:
                break
    return tally


@cache
def warm_up() -> None:
    """Let our own modules be imported that wait for their first use; from then on any import is a trespass."""
    run(range(300), seed=0)
    sys.addaudithook(_audit)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="repeat the case with this number")
    given = parser.parse_args()
    warm_up()
    if given.only is not None:
        print(case_of(given.seed, given.only))
    begin = time.perf_counter(), time.process_time()
    tally = run(range(given.count) if given.only is None else range(given.only, given.only + 1), given.seed)
    wall, busy = time.perf_counter() - begin[0], time.process_time() - begin[1]
    print(f"seed {given.seed}: {sum(tally.outcomes.values())} cases in {wall:.0f} s, {busy:.0f} s of them computing")
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"  {outcome:30} {count:7}")
    print(f"  longest {tally.slowest[0]:.3f} s (case {tally.slowest[1]})")
    print("\n".join(tally.failures) or "no failure")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
