"""What `make proof` works through: everything that `make test` leaves out, in parts of some minutes.

One line here is one kind of proof. Folders that do not exist are left out.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
SUITE = (*PYTEST, "--dist", "loadfile", "--ignore=tests/mutation", "tests")
LONG = ("tests/joints/test_every_joint.py",)
"""Families of which a tenth is enough for one item."""
PARTS = 10


@dataclass(frozen=True)
class Item:
    """A proof: its name, its command and what the environment says."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


def items() -> list[Item]:
    """All of them."""
    return [*families(), *hunts(), *crossings(), *orders(), *plain(), *fuzz()]


def families() -> Iterator[Item]:
    """Every family of random cases, whole."""
    for file in rotating():
        if file in LONG:
            for k in range(PARTS):
                yield Item(f"family {file}, part {k}", (*PYTEST, file), {"ROTATION": str(k)})
        else:
            yield Item(f"family {file}", (*PYTEST, file), {"ROTATION": "all"})


def rotating() -> list[str]:
    """The files of tests in which a family takes turns."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [path for path in files if "tests.rotation import" in path.read_text(encoding="utf-8")]
    return [path.relative_to(ROOT).as_posix() for path in found if path.parent.name not in ("proof", "crossings")]


def hunts() -> Iterator[Item]:
    """Every mutant."""
    for k in range(2 * PARTS):
        slice_ = f"{k}/{2 * PARTS}"
        yield Item(f"hunt, slice {slice_}", (sys.executable, "tests/mutation/run.py", "--slice", slice_))


def crossings() -> Iterator[Item]:
    """Every crossing of features."""
    if (ROOT / "tests" / "crossings").is_dir():
        yield Item("crossings", (*PYTEST, "tests/crossings"), {"CROSSINGS": "all"})


def orders() -> Iterator[Item]:
    """The suite in random order: the same tests in every part, in another order each time."""
    for k in range(PARTS):
        chance = {"ORDER": str(random.SystemRandom().randrange(10**6)), "PART": f"{k}/{PARTS}"}
        yield Item(f"random order, part {k}", SUITE, chance)


def plain() -> Iterator[Item]:
    """The suite with the plainest instructions of the processor's family."""
    for k in range(PARTS):
        chance = {"MULTIBOND_CPU": "generic", "PART": f"{k}/{PARTS}"}
        yield Item(f"plain instructions, part {k}", SUITE, chance)


def fuzz() -> Iterator[Item]:
    """Spoilt files, 100,000 in all."""
    for seed in range(1, PARTS + 1):
        command = (sys.executable, "tests/files/fuzz.py", "--count", "10000", "--seed", str(seed))
        yield Item(f"spoilt files, seed {seed}", command)
