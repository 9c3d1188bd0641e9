"""The main job in one go: simulate the machines, print a table, write drawings, plots and animations to out/."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import multibond as mb
from multibond.examples import (
    arm,
    chain,
    euler_top,
    heavy_top,
    motor_pendulum,
    pendulum,
    planar_loop,
    rlc,
    slider_crank,
)

OUT = Path("out")


@dataclass(frozen=True)
class Show:
    """A machine of the demo: how long it runs, what is plotted, and what it should come to."""

    name: str
    build: Callable[[], mb.Model]
    until: float
    plot: tuple[str, ...]
    variable: str = ""
    expected: float = np.nan
    depths: tuple[int, ...] = (1, 2)


# Expected end values come from independent solutions; tests/reference has the whole trajectories and their origin.
SHOWS = (
    Show("rlc", rlc, 2.0, ("coil.f", "capacitor.e"), depths=(2,)),
    Show("motor_pendulum", motor_pendulum, 5.0, ("hinge.angle", "motor.current"), "hinge.angle", 0.5441029246812223),
    Show(
        "pendulum", lambda: pendulum(damping=0.0), 10.0, ("hinge.angle",), "hinge.angle", -0.8229552750351297, (1, 2, 3)
    ),
    Show("euler_top", euler_top, 20.0, ("top.angular_velocity",), "top.angular_velocity[1]", 0.9281793307707839),
    Show("heavy_top", heavy_top, 2.0, ("top.position",)),
    Show("slider_crank", slider_crank, 10.0, ("O.angle", "guide.position"), "O.angle", 314.0075209414556),
    Show("planar_loop", planar_loop, 10.0, ("guide.position", "swing.angle"), "guide.position", 1.72558),
    Show("chain", lambda: chain(20), 2.0, ("joint0.angle", "joint19.angle"), depths=(1,)),
    Show("arm", arm, 2.0, ("joint0.angle", "joint5.angle"), depths=(1,)),
)


def main() -> None:
    """Run every machine and show what came of it."""
    OUT.mkdir(exist_ok=True)
    for solver in ("dop853", "rodas5p"):
        mb.simulate(rlc(), 0.1, solver=solver)  # compiles the solver, which is done once in a process
    table = Table(title="multibond: the machines of the demo")
    for heading in ("machine", "states", "compile ms", "run ms", "steps", "energy residual", "end value", "difference"):
        table.add_column(heading, justify="left" if heading == "machine" else "right")
    for show in SHOWS:
        table.add_row(*row(show))
    console = Console(width=max(Console().width, 112))
    console.print(table)
    console.print(
        "End values: " + ", ".join(f"{s.name}: {s.variable}" for s in SHOWS if s.variable) + "; the difference"
    )
    console.print("is to an independent solution (planar_loop: to its five printed digits), at default tolerances.")
    console.print(f"Drawings, plots and animations are in {OUT}/: open {OUT}/slider_crank.html in a browser.")


def row(show: Show) -> list[str]:
    """One machine: simulate, write its files, return its line of the table."""
    model = show.build()
    started = time.perf_counter()
    system = mb.compile(model)
    compiled = time.perf_counter()
    run = mb.simulate(system, show.until)
    done = time.perf_counter()
    for depth in show.depths:
        drawn = model if depth < 3 else model.open(depth=3)
        (OUT / f"{show.name}-depth{depth}.svg").write_text(mb.draw(drawn, depth=min(depth, 2)))
    names = [name for name in show.plot if name in run.names or name.partition("[")[0] in run.names]
    if names:
        run.plot(*names, path=OUT / f"{show.name}.png", title=show.name.replace("_", " "))
    if system.dae.graph.frames:
        run.animate(str(OUT / f"{show.name}.html"), title=show.name.replace("_", " "))
    value = float(run[show.variable](show.until)) if show.variable else np.nan
    return [
        show.name,
        str(system.n),
        f"{1e3 * (compiled - started):.0f}",
        f"{1e3 * (done - compiled):.1f}",
        str(run.trajectory.statistics.accepted),
        f"{run.energy().residual:.1e}",
        f"{value:.8g}" if show.variable else "",
        f"{abs(value - show.expected):.0e}" if show.variable else "",
    ]


if __name__ == "__main__":
    main()
