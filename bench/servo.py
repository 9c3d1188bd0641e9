"""A mass under a sampled PID controller at 1 kHz for 10 s: processor time a sample, of this tree and of others.

python bench/servo.py                      # this one
python bench/servo.py PATH/src PATH/src    # these in turns, as ratios to the first, after they agree
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

UNTIL, PERIOD, ROUNDS = 10.0, 1e-3, 5


def once() -> tuple[float, float]:
    """Processor seconds a sample, and where the mass is at the end."""
    import multibond as mb
    from multibond import blocks

    model = mb.Model("servo")
    speed, force, place = model.add(mb.One("speed")), model.add(mb.MSe("force")), model.add(mb.Dq("place"))
    for item in (mb.I("mass", 2.0), mb.R("damper", 0.8), place):
        model.bond(speed, item)
    model.bond(force, speed)
    goal = model.add(blocks.Constant("goal", 1.0))
    controller = blocks.DiscretePID(
        "pid", 40.0, integral_time=2.0, derivative_time=0.4, filter=6.0, period=PERIOD
    )  # fmt: skip
    pid = model.add(controller)
    model.signal(goal.y, pid.setpoint)
    model.signal(place.value, pid.measured)
    model.signal(pid.y, force.effort)
    system = mb.compile(model)
    mb.simulate(system, 20 * PERIOD)
    began = time.process_time()
    run = mb.simulate(system, UNTIL)
    return (time.process_time() - began) / (UNTIL / PERIOD), float(run["place.value"](UNTIL))


def measured(source: str) -> tuple[float, float]:
    """The same in a process of its own, with the code at a path."""
    environment = {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}
    told = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=True)
    cost, place = told.stdout.split()
    return float(cost), float(place)


def main(sources: list[str]) -> None:
    """One line for each source: microseconds a sample, and the ratio to the first with its spread."""
    if not sources:
        print(*once())
        return
    rounds = [[measured(source) for source in sources] for _ in range(ROUNDS)]
    places = [place for row in rounds for _, place in row]
    if max(places) - min(places) > 1e-9:
        raise SystemExit(f"They do not agree: {min(places)} to {max(places)}.")
    for k, source in enumerate(sources):
        costs, ratios = [row[k][0] for row in rounds], [row[0][0] / row[k][0] for row in rounds]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"{source}: {1e6 * statistics.median(costs):.0f} us a sample, {statistics.median(ratios):.2f} ({spread})")


if __name__ == "__main__":
    main(sys.argv[1:])
