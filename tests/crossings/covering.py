"""A covering array: few cases in which every pair of features meets on at least three machines.

python -m tests.crossings.covering   # adds what is missing to cases.json, and leaves out what may no longer be crossed
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from random import Random

from .features import ALL, GROUPS, MECHANISMS, PUT_IN, RUN, Case, own, possible
from .known import allowed

MACHINES = 3
"""On so many machines each pair is wanted."""
TRIES = 60
MOST = 5
"""So many features at most are put in beside method, depth and solver."""

KEPT = Path(__file__).parent / "cases.json"

Pair = tuple[str, str]
ORDER = {name: k for k, name in enumerate(ALL)}


def pair(first: str, second: str) -> Pair:
    """Two features in the order of the list."""
    return (first, second) if ORDER[first] < ORDER[second] else (second, first)


def exclusive(pair: Pair) -> bool:
    """Two choices of one group never meet."""
    return any(set(pair) <= set(group) for group in GROUPS.values())


def pairs_of(features: Iterable[str]) -> list[Pair]:
    return [pair(a, b) for a, b in combinations(sorted(features, key=ORDER.__getitem__), 2)]


def cases() -> list[Case]:
    """The array as it is kept."""
    return [Case(machine, frozenset(features)) for machine, features in json.loads(KEPT.read_text())]


def missing(kept: Iterable[Case]) -> tuple[dict[str, set[Pair]], Counter[Pair]]:
    """By machine the pairs that are not met there yet, and on how many more machines each is wanted."""
    wanted = {name: wanted_on(name) for name in MECHANISMS}
    left = Counter(
        {p: min(MACHINES, sum(p in each for each in wanted.values())) for each in wanted.values() for p in each}
    )
    for case in kept:
        for p in pairs_of(case.features):
            if p in wanted[case.machine]:
                wanted[case.machine].discard(p)
                left[p] -= 1
    return wanted, left


def can_be(case: Case) -> bool:
    """Whether a case may stay in the array."""
    had = case.features <= possible(case.machine) | own(case.machine)
    return had and allowed(case.machine, case.features)


def extended(kept: list[Case], seed: int = 5) -> list[Case]:
    """The array with what is missing: one case after the other, each the best of some tries."""
    random, found = Random(seed), [case for case in kept if can_be(case)]
    wanted, left = missing(found)
    while open_ := sorted((name, p) for name, pairs in wanted.items() for p in pairs if left[p] > 0):
        tries = [_case(random, *random.choice(open_)) for _ in range(TRIES)]
        best = max(tries, key=lambda case: _gain(case, wanted, left))
        for p in pairs_of(best.features):
            if p in wanted[best.machine]:
                wanted[best.machine].discard(p)
                left[p] -= 1
        found.append(best)
    return found


def wanted_on(machine: str) -> set[Pair]:
    """Pairs that can be had on a machine."""
    base = own(machine)
    return {p for p in pairs_of(possible(machine)) if not exclusive(p) and allowed(machine, base | set(p))}


def _gain(case: Case, missing: dict[str, set[Pair]], left: Counter[Pair]) -> int:
    return sum(left[p] > 0 and p in missing[case.machine] for p in pairs_of(case.features))


def _case(random: Random, machine: str, first: Pair) -> Case:
    """A random case around a pair that is wanted."""
    base, can = own(machine), possible(machine)
    chosen = frozenset(base | set(first))
    more = [name for name in (*PUT_IN, *RUN, *GROUPS["line"]) if name in can]
    random.shuffle(more)
    for group in ("method", "depth", "solver"):
        options = [name for name in GROUPS[group] if name in can]
        random.shuffle(options)
        more = options + more
    put = len(set(first) & {*PUT_IN, *RUN, *GROUPS["line"]})
    for name in more:
        heavy = name in (*PUT_IN, *RUN, *GROUPS["line"])
        with_it = chosen | {name}
        if name in chosen or (heavy and put >= MOST) or any(exclusive(pair(name, other)) for other in chosen):
            continue
        if allowed(machine, with_it):
            chosen, put = with_it, put + heavy
    return Case(machine, chosen)


def main() -> None:
    """Renew the array."""
    kept = cases() if KEPT.exists() else []
    found = extended(kept)
    rows = [json.dumps([case.machine, sorted(case.features, key=ORDER.__getitem__)]) for case in found]
    KEPT.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(f"{len(kept)} cases were kept, {len(found)} are now.")


if __name__ == "__main__":
    main()
