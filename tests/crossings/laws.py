"""Which law judges which feature, on which machine. `python -m tests.crossings.laws` prints it."""

from __future__ import annotations

from .features import ALL, MECHANISMS, is_loop, possible

LETTERS = "abcdefghijklmnopqrstuvwxyz"
START = "start: what closes is not moved, given speeds hold"
ROWS = "gap and speed of every row, from the poses of the run"
NEWTON = "Newton and Euler with multipliers at the states of the run: accelerations, and the balance of reactions"
WINDOWS = "velocities, places, attitudes, turns and energies are the sums of accelerations, velocities and powers"
ENERGY = "energy of one freedom along the curve of positions, and no jump of speeds"
SIGNS = "sign of slip, |force| ≤ limit, gap ≥ 0, pressing ≥ 0 in the modes of the run"
IMPULSE = "M Δv = Jᵀ Λ with the share of speed given back; elsewhere nothing jumps"
KIRCHHOFF = "Kirchhoff over each window, signs of the diode, the switch where its formula says"
SAMPLES = "torque from the coordinate at the sample instant"
PATH = "the coordinate is its formula, with two derivatives"
LEAST = "reactions that rows do not determine are the least: F² + (T/length)², across all that do nothing"
SOFT = "gaps up to 3 mm, and the motion of the exact method within .05, away from positions in line"
SAME = "the same laws on the same machine: the judge knows nothing of the treatment"

LAWS: dict[str, tuple[str, ...]] = {
    "loop": (ROWS, NEWTON, WINDOWS),
    "friction": (SIGNS, NEWTON, WINDOWS),
    "stop": (SIGNS, IMPULSE),
    "diode": (KIRCHHOFF, NEWTON),
    "switch": (KIRCHHOFF, NEWTON),
    "sampled": (SAMPLES, NEWTON, WINDOWS),
    "given": (PATH, NEWTON),
    "redundant": (ROWS, NEWTON, LEAST),
    "nearly redundant": (ROWS, NEWTON, WINDOWS),
    "massless": (NEWTON, ROWS),
    "in line": (ENERGY, ROWS, WINDOWS),
    "nearly in line": (ENERGY, WINDOWS, START),
    "large angle": (WINDOWS, START, SAME),
    "long": (WINDOWS, ROWS, SAME),
    "guessed": (START, SAME),
    **{name: (SAME, NEWTON, WINDOWS) for name in ALL if name.startswith(("method", "depth", "solver"))},
    **dict.fromkeys(("changed", "mbg file", "yaml file", "shuffled", "renamed"), (SAME,)),
    "method rc": (SAME, SOFT),
}


def laws_on(machine: str, feature: str) -> tuple[str, ...]:
    """The laws that judge a feature on a machine; none where it cannot be had there."""
    if feature not in possible(machine):
        return ()
    loop = is_loop(MECHANISMS[machine]())
    return tuple(law for law in LAWS[feature] if loop or law != ENERGY)


def table() -> str:
    """For each machine, feature by feature, which laws judge it: letters of the list below."""
    laws = list(dict.fromkeys(law for each in LAWS.values() for law in each))
    wide = max(map(len, ALL)) + 2
    lines = [" " * wide + "".join(f"{k:>5}" for k in range(1, len(MECHANISMS) + 1))]
    for feature in ALL:
        cells = ["".join(LETTERS[laws.index(law)] for law in laws_on(name, feature)) or "-" for name in MECHANISMS]
        lines.append(f"{feature:<{wide}}" + "".join(f"{cell:>5}" for cell in cells))
    lines += ["", *(f"{k:>3}  {name}" for k, name in enumerate(MECHANISMS, 1)), ""]
    return "\n".join([*lines, *(f"{letter:>3}  {law}" for letter, law in zip(LETTERS, laws, strict=False))])


if __name__ == "__main__":
    print(table())
