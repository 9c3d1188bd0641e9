"""Forward dynamics against Pinocchio and MuJoCo: nanoseconds per evaluation, one thread, everything in one process.

The contestants take turns in short rounds, so that whatever the machine does meets all of them; a ratio is the median
over rounds of (the faster Pinocchio convention in that round) / (ours). Before a time is taken every acceleration is
compared component by component. Run by `make bench`; the table also goes to bench/results/forward_dynamics.md.
"""

import argparse
import platform
from pathlib import Path

import numpy as np
from adapter import native_derivative
from contestants import Contestant, MuJoCo, Ours, Pinocchio
from mechanisms import MECHANISMS, Link

RESULTS = Path(__file__).parent / "results" / "forward_dynamics.md"
STATES = 16
TOLERANCE = 1e-6
LOCAL, WORLD, MUJOCO, OURS = "Pinocchio, local", "Pinocchio, world", "MuJoCo", "multibond"
HEADER = ("mechanism", LOCAL, WORLD, MUJOCO, OURS, "ratio", "worst difference")


def contestants(links: list[Link]) -> dict[str, Contestant]:
    """Everyone on the same random states; multibond is missing as long as the adapter has nothing to hand out."""
    random = np.random.default_rng(1)
    angles, speeds = random.normal(size=(2, STATES, len(links)))
    found: dict[str, Contestant] = {
        LOCAL: Pinocchio(links, angles, speeds, world=False),
        WORLD: Pinocchio(links, angles, speeds, world=True),
        MUJOCO: MuJoCo(links, angles, speeds),
    }
    native = native_derivative(links)
    return found if native is None else found | {OURS: Ours(native, angles, speeds)}


def differences(entered: dict[str, Contestant]) -> dict[str, float]:
    """Largest relative difference from Pinocchio of any single component in any state."""
    expected = entered[LOCAL].accelerations()
    return {name: float(np.max(np.abs(one.accelerations() / expected - 1))) for name, one in entered.items()}


def interleave(entered: dict[str, Contestant], rounds: int, seconds: float) -> dict[str, np.ndarray]:
    """Nanoseconds per call of each contestant in each round; a round gives each about `seconds`."""
    calls = {}
    for name, one in entered.items():
        one.timer(STATES)
        calls[name] = max(STATES, round(seconds * 1e9 / one.timer(10 * STATES)))
    taken = {name: np.zeros(rounds) for name in entered}
    for turn in range(rounds):
        for name, one in entered.items():
            taken[name][turn] = one.timer(calls[name])
    return taken


def spread(times: np.ndarray) -> str:
    low, middle, high = np.percentile(times, [25, 50, 75])
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"


def measure(name: str, links: list[Link], rounds: int, seconds: float) -> tuple[str, ...]:
    """One row of the table."""
    entered = contestants(links)
    difference = differences(entered)
    wrong = [f"{who} by {off:.0e}" for who, off in difference.items() if not off < TOLERANCE]
    if wrong:
        raise SystemExit(f"{name}: some component differs from Pinocchio, so no time is taken: {', '.join(wrong)}.")
    taken = interleave(entered, rounds, seconds)
    times = [spread(taken[who]) if who in taken else "–" for who in (LOCAL, WORLD, MUJOCO, OURS)]
    if OURS not in taken:
        return (name, *times, "–", "–")
    ratio = np.minimum(taken[LOCAL], taken[WORLD]) / taken[OURS]
    return (name, *times, f"{np.median(ratio):.1f}", f"{difference[OURS]:.0e}")


def processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def document(rows: list[tuple[str, ...]], rounds: int) -> str:
    lines = [
        "# Forward dynamics",
        "",
        f"Nanoseconds per evaluation, median (quartiles) of {rounds} interleaved rounds over {STATES} random states,",
        "one thread. Ratio: the faster Pinocchio convention of each round over ours, median. Made by `make bench`.",
        f"Machine: {processor()}; Python {platform.python_version()}.",
        "",
        "| " + " | ".join(HEADER) + " |",
        "|---" * len(HEADER) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mechanism", nargs="*", help=f"some of: {', '.join(MECHANISMS)} (all unless given)")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--seconds", type=float, default=0.01, help="of each contestant in each round")
    options = parser.parse_args()
    unknown = [name for name in options.mechanism if name not in MECHANISMS]
    if unknown:
        parser.error(f"no mechanism {', '.join(map(repr, unknown))}; there are {', '.join(map(repr, MECHANISMS))}")
    rows = []
    for name in options.mechanism or MECHANISMS:
        rows.append(measure(name, MECHANISMS[name](), options.rounds, options.seconds))
        print(*(f"{title}: {cell}" for title, cell in zip(HEADER, rows[-1], strict=True)), sep=" | ", flush=True)
    if not options.mechanism:  # a part of the table never replaces the whole
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(document(rows, options.rounds), encoding="utf-8")
        print(f"written: bench/results/{RESULTS.name}")


if __name__ == "__main__":
    main()
