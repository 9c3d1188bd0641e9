"""Features that do not go together: refused as documented, or not yet right. The array leaves them out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Apart:
    """Features that are not crossed on some machines (all, where none is named).

    words: what the error says; none where the run is wrong or the error is a foreign one. machine: where it is tried.
    """

    features: frozenset[str]
    reason: str
    machine: str
    words: str = ""
    machines: tuple[str, ...] = ()

    def holds(self, machine: str, features: frozenset[str]) -> bool:
        return self.features <= features and (not self.machines or machine in self.machines)


def apart(features: str, machine: str, reason: str, words: str = "", machines: tuple[str, ...] = ()) -> Apart:
    return Apart(frozenset(name.strip() for name in features.split(",")), reason, machine, words, machines)


LED = "is driven and has stops"
SAME_JOINT = ("pendulum", "crane", "oscillator", "sledge", "scissor", "floating pair")
"""Machines whose led joint is the one with stops."""
ONCE = "Minimal coordinates are chosen once"
REFUSED = (
    apart("method minimal, switch", "pendulum", "minimal coordinates are chosen for the modes of the start", ONCE),
    apart("method minimal, diode", "pendulum", "minimal coordinates are chosen for the modes of the start", ONCE),
    apart("given, stop", "pendulum", "a path is followed whatever it takes, so no stop can hold it", LED, SAME_JOINT),
)  # fmt: skip
"""Documented refusals: the error names the cause."""

MEANINGLESS: dict[frozenset[str], str] = {
    frozenset(
        {"method rc", solver, feature}
    ): "a link without mass on springs moves as fast as dampers let it: no step fits"
    for solver in ("solver rk4", "solver heun", "solver euler")
    for feature in ("massless", "nearly redundant")
}
MEANINGLESS[frozenset({"method rc", "long"})] = "springs in the place of joints want steps of microseconds all the way"
MEANINGLESS[frozenset({"method rc", "nearly redundant"})] = "springs a thousandth apart give way a million times more"
"""Combinations that have no meaning, with the reason."""

RUBBED = "where bodies are free, dry friction at a joint that is led sticks while the path goes on"
REBOUND = "a rebound compares what joints without mass hold in modes where they hold different things"
FAULTS = (
    apart("stop, nearly redundant, method multiplier", "pendulum", REBOUND),
    apart("stop, massless, method multiplier", "double pendulum", REBOUND),
    apart("stop, massless, method rc", "double pendulum", REBOUND),
    apart("stop, massless, method zcp", "double pendulum", REBOUND),
    apart("friction, given, method zcp", "crane", RUBBED, machines=("crane", "floating pair")),
    apart("friction, given, method multiplier", "floating pair", RUBBED, machines=("floating pair",)),
)
"""Not yet right: strict expected failures, with the reason in the words of the product."""


def allowed(machine: str, features: frozenset[str]) -> bool:
    """Whether features are crossed on a machine."""
    if any(each <= features for each in MEANINGLESS):
        return False
    return not any(each.holds(machine, features) for each in (*REFUSED, *FAULTS))


NOT_YET: dict[str, str] = {
    "three cranks: loop, switch, sampled, redundant, nearly redundant, method zcp, solver dopri5, mbg file": (
        "where two of three cranks are in line the third holds by rows that almost repeat one another, and "
        "its accelerations keep four digits there, not five"
    ),
}
"""Cases of the array that fail in more than one feature at once: strict expected failures, with their reasons."""

SLOW: dict[str, str] = {
    "sledge: loop, stop, sampled, redundant, nearly redundant, method zcp, solver euler, mbg file, renamed": (
        "where bodies are free and rows almost repeat one another, a run that rebounds takes up to a minute"
    ),
}
"""Cases that fail by the limit of time alone: a faster machine may end them, so that their failure is not strict."""
