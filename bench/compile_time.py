"""How long it takes from a model to a compiled system, over the number of elements: chains of four kinds.

Run with `python bench/compile_time.py`; writes `bench/results/compile_time.md`. Best of three in one
process, time on the processor.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import multibond as mb

COUNTS = (100, 200, 500, 1000, 2000)
RESULT = Path(__file__).parent / "results" / "compile_time.md"


def masses(count: int) -> mb.Model:
    """Masses with dampers, springs between them: five elements a cell."""
    model = mb.Model("masses")
    before: mb.One | None = None
    for k in range(count // 5):
        v = model.add(mb.One(f"v{k}"))
        model.bond(v, mb.I(f"mass{k}", 1.0 + 0.01 * k))
        model.bond(v, mb.R(f"damper{k}", 0.1))
        force = model.add(mb.Zero(f"force{k}"))
        model.bond(mb.Se("push", 1.0) if before is None else before, force)
        model.bond(force, mb.C(f"spring{k}", 0.5))
        model.bond(force, v)
        before = v
    return model


def couplers(count: int) -> mb.Model:
    """A transformer and a gyrator in every cell: eight elements."""
    model = mb.Model("couplers")
    before: mb.One | None = None
    for k in range(count // 8):
        i, v = model.add(mb.One(f"i{k}")), model.add(mb.One(f"v{k}"))
        gear, motor = model.add(mb.TF(f"gear{k}", 1.5)), model.add(mb.GY(f"motor{k}", 0.3))
        node = model.add(mb.Zero(f"node{k}"))
        model.bond(mb.Se("push", 1.0) if before is None else before, node)
        model.bond(node, mb.C(f"store{k}", 0.5))
        model.bond(node, gear)
        model.bond(gear, i)
        model.bond(i, mb.I(f"coil{k}", 0.2))
        model.bond(i, motor)
        model.bond(motor, v)
        model.bond(v, mb.R(f"load{k}", 2.0))
        before = i
    return model


def loops(count: int) -> mb.Model:
    """An algebraic loop of two resistors and a dependent inertia in every cell: eight elements."""
    model = mb.Model("loops")
    before: mb.One | None = None
    for k in range(count // 8):
        v, w, gear = model.add(mb.One(f"v{k}")), model.add(mb.One(f"w{k}")), model.add(mb.TF(f"gear{k}", 2.0))
        node = model.add(mb.Zero(f"node{k}"))
        model.bond(mb.Se("push", 1.0) if before is None else before, node)
        model.bond(node, mb.R(f"leak{k}", 3.0))
        model.bond(node, v)
        model.bond(v, mb.R(f"series{k}", 1.0))
        model.bond(v, mb.I(f"mass{k}", 1.0))
        model.bond(v, gear)
        model.bond(gear, w)
        model.bond(w, mb.I(f"rotor{k}", 0.5))
        before = v
    return model


def conflicts(count: int) -> mb.Model:
    """Two inertias held together by transformers that pass flow one way only: strokes from both ends, nine elements."""
    model = mb.Model("conflicts")
    there, back = np.array([[1.0, 0.3], [-0.2, 0.8]]), np.array([[0.7, -0.4], [0.5, 1.1]])
    before: mb.Zero | None = None
    for k in range(count // 9):
        v, w, meet = (model.add(mb.One(f"{name}{k}", size=2)) for name in ("v", "w", "meet"))
        first, second = model.add(mb.TF(f"first{k}", there)), model.add(mb.TF(f"second{k}", back))
        for one, body, coupler in ((v, "mass", first), (w, "rotor", second)):
            model.bond(one, mb.I(f"{body}{k}", 1.0 + 0.01 * k, size=2))
            model.bond(one, coupler)
            model.bond(coupler, meet)
        node = model.add(mb.Zero(f"node{k}", size=2))
        model.bond(node, mb.C(f"spring{k}", 0.5, size=2))
        model.bond(v, node)
        model.bond(mb.Se("push", 1.0, size=2) if before is None else before, v)
        before = node
    return model


KINDS: dict[str, Callable[[int], mb.Model]] = {
    "masses, springs, dampers": masses,
    "transformers and gyrators": couplers,
    "algebraic loops and dependent inertias": loops,
    "pairs of components with strokes from both ends": conflicts,
}


def seconds(build: Callable[[int], mb.Model], count: int) -> tuple[int, float]:
    """Elements in the model, and the best of three compilations  [s]."""
    model, best = build(count), np.inf
    for _ in range(3):
        began = time.process_time()
        mb.compile(model)
        best = min(best, time.process_time() - began)
    return len(model.components), float(best)


def machine(busy: float) -> str:
    """What it was measured on, in words; busy: how many processes were at work before."""
    cores = f"{platform.machine()}, {os.cpu_count()} cores, one used"
    others = "nothing else ran" if busy < 0.7 else f"about {busy:.0f} other processes ran meanwhile"
    return f"Machine: {cores}; {others}. Python {sys.version.split()[0]}."


def main() -> None:
    """Measure all chains and write the table."""
    busy = os.getloadavg()[0]
    mb.compile(masses(20))
    lines = ["# From model to machine code, over the number of elements", "", (__doc__ or "").splitlines()[0], ""]
    lines += [
        "| chain | " + " | ".join(f"{n}" for n in COUNTS) + " | slope | at the end |",
        "|---" * (len(COUNTS) + 3) + "|",
    ]
    for name, build in KINDS.items():
        found = [seconds(build, n) for n in COUNTS]
        slope = np.polyfit(np.log([n for n, _ in found]), np.log([s for _, s in found]), 1)[0]
        last = np.log(found[-1][1] / found[-2][1]) / np.log(found[-1][0] / found[-2][0])
        cells = [f"{s:.2f} s ({s / n / (found[0][1] / found[0][0]):.2f})" for n, s in found]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {slope:.2f} | {last:.2f} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        "In brackets: time per element, as a ratio to that of the shortest chain. Slope: of log time over log",
    ]
    lines += ["number of elements, fitted over all; at the end: between the last two.", "", machine(busy)]
    RESULT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
