"""What calls from Python cost: repeats of a run with other numbers, and the robotics calls of an arm.

Run with `python bench/calls.py`; writes `bench/results/calls.md`. Processor time of this process, which other work on
the machine lengthens little; contestants take turns in rounds, the table has medians and quartiles over the rounds.
Results are compared before a time is taken: runs with those of a fresh compilation, calls with the equations' own.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import multibond as mb
from multibond.examples import arm, chain, four_bar, slider_crank
from multibond.solve.contract import Integration
from multibond.solve.plant import Plant

RESULT = Path(__file__).parent / "results" / "calls.md"
ROUNDS, REPEATED, STATES = 21, 8, 1000
TIMES = np.linspace(0.0, 10.0, 101)

Numbers = Callable[[int], dict[str, Any]]
REPEATS: list[tuple[str, Callable[[], mb.Model], str, dict[str, Numbers]]] = [
    (
        "slider crank", slider_crank, "guide.position",
        {
            "masses": lambda k: {"crank.mass": 1 + 0.001 * k, "rod.mass": 1 + 0.002 * k, "piston.mass": 1 + 0.003 * k},
            "a length, masses": lambda k: {"rod_rod.vector": (1 + 0.0002 * k, 0, 0), "rod.mass": 1 + 0.002 * k},
            "a start": lambda k: {"O.speed": 0.1 + 0.001 * k},
        },
    ),
    (
        "four-bar", four_bar, "D.angle",
        {
            "masses": lambda k: {"crank.mass": 0.6 + 0.001 * k, "coupler.mass": 1.8 + 0.002 * k, "rocker.mass": 1.4},
            "a length, masses": lambda k: {"coupler_rod.vector": (0.9 + 0.0002 * k, 0, 0), "rocker.mass": 1.4},
        },
    ),
    (
        "arm, 6 DoF", arm, "joint5.angle",
        {"masses": lambda k: {"link1.mass": 8 + 0.001 * k, "link2.mass": 2 + 0.001 * k, "link3.mass": 1 + 0.001 * k}},
    ),
    (
        "double pendulum", lambda: chain(2), "joint1.angle",
        {"masses, a length": lambda k: {"link0.mass": 1 + 0.001 * k, "rod1.vector": (0, 0, -0.2 - 0.0002 * k)}},
    ),
]  # fmt: skip


class Native:
    """Times the integration itself, wherever a run enters it."""

    def __init__(self) -> None:
        self.spent, self._plain = 0.0, Integration.run

    def __call__(self, *given: Any, **named: Any) -> Any:
        """As `Integration.run`."""
        begun = time.process_time()
        try:
            return self._plain(*given, **named)
        finally:
            self.spent += time.process_time() - begun


def repeats() -> list[tuple[str, ...]]:
    """A row for each machine and kind of numbers: all of it, and its parts, in milliseconds."""
    native = Native()

    def timed(*given: Any, **named: Any) -> Any:
        return native(*given, **named)

    Integration.run = timed
    rounds: dict[tuple[str, str], list[list[float]]] = {}
    cases = [
        (name, what, mb.compile(make()), numbers, read)
        for name, make, read, kinds in REPEATS
        for what, numbers in kinds.items()
    ]
    for name, what, system, numbers, read in cases:
        other = mb.with_parameters(system, numbers(7))
        fresh = compiled(system, numbers(7))
        far = np.abs(mb.simulate(other, 1.0)[read](0.1 * TIMES) - mb.simulate(fresh, 1.0)[read](0.1 * TIMES)).max()
        assert far < 1e-7, (name, what, far)
    for k in range(ROUNDS):
        for name, what, system, numbers, read in cases:
            turn = [once(system, numbers(REPEATED * k + j), read, native) for j in range(REPEATED)]
            rounds.setdefault((name, what), []).append(np.mean(turn, axis=0).tolist())
    rows = []
    for (name, what), found in rounds.items():
        table = 1e3 * np.array(found[1:])
        rows.append((name, what, *(spread(column) for column in np.c_[table.sum(axis=1) - table[:, 3], table].T)))
    return rows


def once(system: Plant, numbers: dict[str, Any], read: str, native: Native) -> list[float]:
    """Seconds for other numbers, for the run, for reading, and of the run for the integration."""
    native.spent, marks = 0.0, [time.process_time()]
    other = mb.with_parameters(system, numbers)
    marks.append(time.process_time())
    run = mb.simulate(other, 10.0, rtol=1e-6)
    marks.append(time.process_time())
    run[read](TIMES)
    return [*np.diff([*marks, time.process_time()]), native.spent]


def compiled(system: Plant, numbers: dict[str, Any]) -> Plant:
    """The same compiled from its model."""
    model = mb.Model("fresh")
    model.sheet = system.recipe.model.sheet
    for path, value in numbers.items():
        model.set(path, value)
    return mb.compile(model)


def calls() -> list[tuple[str, ...]]:
    """A row for each call of the arm: into a buffer, returning a named array, at each of many states; microseconds."""
    system = mb.compile(arm())
    rng = np.random.default_rng(1)
    x, wanted = system.x0 + 0.1 * rng.standard_normal(system.n), rng.standard_normal(6)
    states = system.x0 + 0.1 * rng.standard_normal((STATES, system.n))
    made: dict[str, Callable[..., Any]] = {
        "derivative": system.derivative,
        "mass_matrix": system.mass_matrix,
        "bias": system.bias,
        "inverse_dynamics": lambda x, **k: system.inverse_dynamics(x, wanted, **k),
        "accelerations": system.accelerations,
        "reactions": system.reactions,
        "jacobian": lambda x, **k: system.jacobian(x, "link5.frame", **k),
    }
    check(system, x, made, wanted)
    timed: dict[tuple[str, str], tuple[Callable[[], Any], int]] = {}
    for name, call in made.items():
        size = 36 if name == "reactions" else np.shape(call(x))
        own, many = np.empty(size), np.empty((STATES, *np.atleast_1d(size)))
        timed[name, "buffer"] = (lambda call=call, own=own: call(x, out=own)), 200
        timed[name, "named"] = (lambda call=call: call(x)), 200
        timed[name, "many"] = (lambda call=call, many=many: call(states, out=many)), 1
    timed["jacobians", "named"] = (lambda: system.jacobians(x)), 200
    timed["jacobians", "many"] = (lambda: system.jacobians(states)), 1
    found: dict[tuple[str, str], list[float]] = {key: [] for key in timed}
    for _ in range(ROUNDS):
        for key, (call, count) in timed.items():
            found[key].append(timing(call, count) / (STATES if key[1] == "many" else 1))
    ways = ("buffer", "named", "many")
    return [
        (name, *(spread(1e6 * np.array(found[name, way][1:])) if (name, way) in found else "" for way in ways))
        for name in (*made, "jacobians")
    ]


def check(system: Plant, x: np.ndarray, made: dict[str, Callable[..., Any]], wanted: np.ndarray) -> None:
    """M u' + h = τ by three calls, and the rates of the speeds."""
    M, h = np.asarray(made["mass_matrix"](x)), np.asarray(made["bias"](x))
    np.testing.assert_allclose(made["inverse_dynamics"](x), M @ wanted + h, rtol=1e-10, atol=1e-10)
    free = np.asarray(made["accelerations"](x))
    np.testing.assert_allclose(M @ free + h, 0.0, atol=1e-9)
    np.testing.assert_allclose(system.derivative(x)[system.mechanism.speeds], free, rtol=1e-10)


def timing(call: Callable[[], Any], count: int) -> float:
    """Seconds of processor time a call."""
    begun = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - begun) / count


def spread(values: np.ndarray) -> str:
    """Median, and quartiles in brackets."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    digits = 2 if middle < 10 else 1
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Measure, print and write."""
    again = table(("machine", "changed", "all", "with_parameters", "simulate", "read", "of it integration"), repeats())
    robot = table(("call", "into a buffer", "returning named arrays", f"each of {STATES} states"), calls())
    text = f"""# Calls from Python

Made by `python bench/calls.py`: processor time, median (quartiles) of {ROUNDS - 1} interleaved rounds, one thread; in
a round each machine is repeated {REPEATED} times, each call 200 times or at {STATES} states.
Machine: {platform.machine()}, {os.cpu_count()} cores; Python {sys.version.split()[0]}.

## Repeats

Milliseconds: `mb.with_parameters(system, ...)`, `mb.simulate(that, 10.0, rtol=1e-6)`, one variable read at 101 times.

{again}

Where a length changes, the start is searched for anew, on all branches on which the loops close. Loops are looked at
for singular positions in every run, which is most of what is neither integration nor `with_parameters`.

## Robotics calls of the arm with six joints

Microseconds. `reactions` returns a record a joint; into a buffer all numbers in a row.

{robot}
"""
    print(text)
    RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
