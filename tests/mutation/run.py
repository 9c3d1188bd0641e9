"""Flip every sign in every law, and every sign and comparison where starts, audit and reactions are decided, one at a
time, and see whether a test notices.

    python tests/mutation/run.py [--only PATTERN] [--tests PATTERN] [--workers 2] [--list] [--verbose] [--remember]
                                 [--changed | --slice 3/20] [--record]

Prints a table of the mutants by file, those that are the same law written otherwise with the reason, and the survivors.
Ends with 1 when a mutant survives, or when one is called equivalent and is not. Libraries and the package are imported
once; each mutant then gets a copy of the process (fork).
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import casadi  # noqa: E402, F401 - imported here so that every copy of the process has it
import hypothesis.extra.numpy  # noqa: E402, F401
import llvmlite.binding  # noqa: E402, F401
import scipy.integrate  # noqa: E402, F401

HERE = Path(__file__).parent
sys.path[:0] = [str(place) for place in (HERE, HERE.parents[1] / "src", HERE.parent, HERE.parents[1])]
from battery import DECISIONS, SECONDS, TESTS, run  # noqa: E402
from equivalents import EQUIVALENT, reason  # noqa: E402
from killers import remember  # noqa: E402
from mutants import Mutant, enumerate_mutants  # noqa: E402
from passed import changed, record  # noqa: E402
from rotation import header, tenth  # noqa: E402

import multibond.pipeline  # noqa: E402, F401

PATIENCE = 6 * SECONDS
"""Seconds on the wall clock before a process is given up."""


@dataclass
class Trial:
    """A mutant on trial: its process, where it reports to, and what came out."""

    mutant: Mutant | None
    pid: int
    pipe: int
    begun: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    killer: str = ""


def start(mutant: Mutant | None, tests: list[str]) -> Trial:
    """Fork a process that runs the battery and writes down what killed the mutant."""
    read, write = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(write)
        return Trial(mutant, pid, read)
    code = 70
    try:
        os.close(read)
        quiet = os.open(os.environ.get("MUTATION_LOG", os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        killer = run(mutant, tests, nearest=bool(mutant and reason(mutant)))
        os.write(write, killer.encode())
        code = 1 if killer else 0
    except BaseException as error:  # the parent must hear of everything
        os.write(write, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(code)


def finish(trial: Trial, status: int) -> Trial:
    """Read what a process that has ended says of its mutant."""
    with os.fdopen(trial.pipe, "rb") as pipe:
        said = pipe.read().decode()
    trial.seconds = time.monotonic() - trial.begun
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        late = number in (signal.SIGXCPU, signal.SIGKILL)
        trial.killer = "out of time" if late else f"crash ({signal.Signals(number).name})"
    elif os.WEXITSTATUS(status) == 70:
        raise RuntimeError(f"the battery itself failed on {trial.mutant}: {said}")
    else:
        trial.killer = said
    return trial


def trials(mutants: Sequence[Mutant | None], tests: list[str], workers: int) -> Iterator[Trial]:
    """Run the battery against every mutant, some at a time; yields them as they end."""
    waiting, running = list(reversed(mutants)), {}
    while waiting or running:
        while waiting and len(running) < workers:
            trial = start(waiting.pop(), tests)
            running[trial.pid] = trial
        for pid, trial in list(running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                yield finish(running.pop(pid), status)
            elif time.monotonic() - trial.begun > PATIENCE:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def passes(tests: list[str]) -> bool:
    """Whether the package as it is passes the tests: who fails that kills everything."""
    (sound,) = trials([None], tests, 1)
    print(f"as it is: {sound.killer or 'passes'}, {sound.seconds:.1f} s", flush=True)
    return not sound.killer


def killers_of(done: list[Trial]) -> list[str]:
    """The tests that killed; none where a mutant ended otherwise, so that the whole battery has to be asked."""
    found = {t.killer for t in done if t.killer}
    return sorted(found) if all("::" in name for name in found) else []


def report(done: list[Trial], seconds: float) -> int:
    """Print the table; returns the number of complaints."""
    done.sort(key=lambda t: (t.mutant.file, t.mutant.line, t.mutant.node, t.mutant.variant))
    equal = [t for t in done if reason(t.mutant)]
    killed = [t for t in done if t.killer and t not in equal]
    survivors = [t for t in done if not t.killer and t not in equal]
    print(f"\n{'file':<28}{'mutants':>9}{'killed':>9}{'equivalent':>12}{'survivors':>11}")
    for file in dict.fromkeys(t.mutant.file for t in done):
        counts = [sum(t.mutant.file == file for t in group) for group in (done, killed, equal, survivors)]
        print(f"{file:<28}{counts[0]:>9}{counts[1]:>9}{counts[2]:>12}{counts[3]:>11}")
    print(f"{'all':<28}{len(done):>9}{len(killed):>9}{len(equal):>12}{len(survivors):>11}")
    odd = Counter(t.killer for t in killed if "::" not in t.killer)
    print(f"{seconds:.0f} s; killed without a failing test: {dict(odd) or 'none'}")
    if equal:
        print("\nequivalent, the same law written otherwise:")
    for trial in equal:
        print(f"  {trial.mutant}\n      {reason(trial.mutant)}")
    wrong = [t for t in equal if t.killer]
    for trial in wrong:
        print(f"\ncalled equivalent, but {trial.killer} fails: {trial.mutant}")
    print(f"\nsurvivors: {'none' if not survivors else len(survivors)}")
    for trial in survivors:
        print(f"  {trial.mutant}")
    return len(survivors) + len(wrong)


def stale(mutants: list[Mutant]) -> int:
    """Complain of entries in the table of equivalents that name no mutant, or more than one."""
    count = Counter(m.key for m in mutants)
    for key in EQUIVALENT:
        if count[key] != 1:
            print(f"the table of equivalents names {count[key]} mutants with: {key}")
    return sum(count[key] != 1 for key in EQUIVALENT)


def chosen(wishes: argparse.Namespace, everything: list[Mutant]) -> list[Mutant]:
    """The mutants to hunt now."""
    if wishes.changed:
        new = [m for m in changed(everything) if re.search(wishes.only, str(m))]
        if wishes.only:
            return new
        rest = [m for m in everything if m not in set(new)]
        print(f"{len(new)} mutants in what has changed since the last full hunt; {header()}")
        return [*new, *tenth(rest, of="mutants")]
    k, n = (int(part) for part in wishes.slice.split("/"))
    return [m for m in everything[k::n] if re.search(wishes.only, str(m))]


def options() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", help="a regular expression that the mutant's description contains")
    parser.add_argument("--tests", default="", help="a regular expression that the names of the tests contain")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--verbose", action="store_true", help="say what killed each mutant")
    parser.add_argument("--changed", action="store_true", help="what has changed, and a tenth of the rest in turn")
    parser.add_argument("--slice", default="0/1", help="one part of so many: 0/20 to 19/20")
    parser.add_argument("--record", action="store_true", help="write down the functions whose mutants are all dead")
    parser.add_argument("--remember", action="store_true", help="write down who killed whom, to begin with next time")
    return parser.parse_args()


def main() -> int:
    """Run it all; returns the exit code."""
    wishes, everything = options(), enumerate_mutants()
    mutants = chosen(wishes, everything)
    tests = [name for name in dict.fromkeys((*TESTS, *DECISIONS)) if re.search(wishes.tests, name)]
    if wishes.list:
        print(*mutants, sep="\n")
        return 0
    begun, done = time.monotonic(), []
    print(f"{len(mutants)} mutants", flush=True)
    if not wishes.changed and not passes(tests):
        return 1
    for trial in trials(mutants, tests, wishes.workers):
        done.append(trial)
        if wishes.verbose or not trial.killer:
            print(f"{trial.seconds:5.1f} s  {trial.killer or 'SURVIVES'}  {trial.mutant}", flush=True)
    if wishes.changed and not passes(killers_of(done) or tests):
        return 1
    if wishes.remember:
        remember((t.mutant, t.killer) for t in done if t.mutant and "::" in t.killer)
    complaints = report(done, time.monotonic() - begun) + stale(everything)
    if wishes.record:
        record([t.mutant for t in done if bool(t.killer) != bool(reason(t.mutant))], everything)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
