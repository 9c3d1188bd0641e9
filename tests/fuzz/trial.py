"""What all hunts by chance share: a case by its number, a limit of time, a judge of errors, a tally, a command line.

A case is made from a seed and a number alone, so that what failed is repeated by its number (`--only`).
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from multibond.errors import InternalError, MultibondError

LONGEST = 2000
"""Letters of the longest finding."""

Attempt = Callable[[int, int], str]
"""Tries the case with a seed and a number, and says in a word how it ended; raises where it ended as it must not."""


class Hanging(BaseException):
    """A case that does not end; no Exception, so that nothing on the way takes it for a fault of the case."""


@dataclass
class Tally:
    """How the cases ended."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    failures: list[str] = field(default_factory=list)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Ends what takes too long on the processor, or sleeps for very long."""

    def ring(*_: object) -> None:
        raise Hanging

    kept = {number: signal.signal(number, ring) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 60 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in kept.items():
            signal.signal(number, handler)


def judge(error: MultibondError) -> None:
    """An error is the program's own and no fault of the program, with findings of three parts that can be printed."""
    if isinstance(error, InternalError):
        raise error
    assert error.findings, "an error without findings"
    for finding in error.findings:
        text = str(finding)
        assert all((finding.problem, finding.fact, finding.cure)), f"an empty line: {text!r}"
        assert all(c.isprintable() or c == "\n" for c in text), f"what cannot be printed: {text!r}"
        assert len(text) < LONGEST, f"too long: {text[:LONGEST]!r}"


def hunt(attempt: Attempt, numbers: Iterable[int], seed: int, *, seconds: float, most: int = 20) -> Tally:
    """Try all cases with these numbers; stops after so many failures."""
    tally = Tally()
    for number in numbers:
        begin = time.process_time()
        try:
            with limited(seconds):
                outcome = attempt(seed, number)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            cause = f" <- {type(fault.__cause__).__name__}: {fault.__cause__}" if fault.__cause__ else ""
            outcome = f"FAILED: {type(fault).__name__}"
            tally.failures.append(f"case {number}: {type(fault).__name__}: {fault}{cause}"[:1500])
        tally.outcomes[outcome] += 1
        tally.slowest = max(tally.slowest, (time.process_time() - begin, number))
        if len(tally.failures) >= most:
            break
    return tally


def command(attempt: Attempt, about: str | None, *, count: int, seconds: float) -> int:
    """The command line of a hunt; its exit code is 1 where a case failed."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--only", type=int, help="repeat the case with this number")
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.count) if given.only is None else [given.only]
    begin = time.perf_counter(), time.process_time()
    tally = hunt(attempt, numbers, given.seed, seconds=seconds)
    wall, busy = time.perf_counter() - begin[0], time.process_time() - begin[1]
    print(f"seed {given.seed}: {sum(tally.outcomes.values())} cases in {wall:.0f} s, {busy:.0f} s of them computing")
    for outcome, number in sorted(tally.outcomes.items()):
        print(f"  {outcome:40} {number:7}")
    print(f"  longest {tally.slowest[0]:.3f} s (case {tally.slowest[1]})")
    print("\n".join(tally.failures) or "no failure", file=sys.stdout)
    return 1 if tally.failures else 0
