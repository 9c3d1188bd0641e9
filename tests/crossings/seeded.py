"""Faults seeded by hand, and whether the crossings find them.

    python tests/crossings/seeded.py [--only PATTERN]

Each fault is put into a copy of the sources; then cases are run, the likeliest first, until one fails. Ends with 1
where fewer than 28 of the 30 are found, or where a case fails without a fault.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from tests.crossings.seeds import SEEDS, SOURCE, Seed  # noqa: E402

WANTED = 28
CASES = (
    "slider crank", "double pendulum: friction", "crane: stop", "sledge", "four-bar: redundant",
    "pendulum: redundant", "crane: given",
    "double pendulum: sampled", "double pendulum: diode", "double pendulum: switch", "double pendulum: changed",
    "pendulum: stop", "four-bar: large angle", "slider crank: turning", "double pendulum: solver rk4",
    "double pendulum: long steps",
    "double pendulum: solver dopri5", "double pendulum: diode, solver rodas5p", "parallelogram: in line",
    "parallelogram: passing",
    "slider crank: stop, hitting", "crane: stop, resting",
    "four-bar: method multiplier", "four-bar: method zcp", "four-bar: method minimal", "five-bar: depth 3, guessed",
)  # fmt: skip
"""Quick cases, of which each fault names the one that is tried first."""


def failure(seed: Seed | None) -> str:
    """The case that fails with a fault in the program, and what it says; empty where all pass."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "multibond"
        shutil.copytree(SOURCE, own)
        if seed is not None:
            (own / seed.file).write_text(seed.planted((own / seed.file).read_text()))
        path = os.pathsep.join([folder, str(ROOT)])
        command = [sys.executable, "-m", "tests.crossings.hunt", seed.first if seed else ""]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        return f"the program does not start: {done.stderr.strip().splitlines()[-1]}"
    return done.stdout.strip().splitlines()[-1] if done.returncode else ""


def main() -> int:
    """Try all faults; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", help="a regular expression that the fault's words contain")
    chosen = [seed for seed in SEEDS if re.search(parser.parse_args().only, f"{seed.what} {seed.file}")]
    sound = failure(None)
    print(f"without a fault: {sound or 'every case passes'}", flush=True)
    missed = []
    for seed in chosen:
        found = failure(seed)
        missed += [] if found else [seed]
        print(f"{'found' if found else 'NOT FOUND':<10}{seed.what} ({seed.file})  {found[:150]}", flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} found")
    return 1 if sound or len(missed) > len(SEEDS) - WANTED else 0


if __name__ == "__main__":
    sys.exit(main())
