"""Run the quick cases until one fails: `python -m tests.crossings.hunt [CASE]`, that case first; ends with 3 then."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import multibond as mb

from .alarm import limited
from .building import model_of
from .features import GROUPS, Case, own, with_joints
from .judging import Error, Limits, judge
from .machine import Mechanism
from .mechanisms import crane, double_pendulum, parallelogram, slider_crank
from .reading import Reading
from .seeded import CASES
from .trying import errors_of


def turning() -> tuple[Mechanism, float]:
    """Several turns."""
    return slider_crank(0.7, 25.0), 0.7


def hitting() -> tuple[Mechanism, float]:
    """A loop that is thrown back by a stop."""
    machine = slider_crank()
    return with_joints(machine, {"O": replace(machine.joint("O"), upper=1.2, restitution=0.6)}), 0.3


def resting() -> tuple[Mechanism, float]:
    """A cart that is thrust against a stop, stays there, and leaves."""
    machine = crane()
    rail = replace(machine.joint("rail"), upper=0.12, stiffness=30.0, rest=0.4)
    return with_joints(machine, {"rail": rail}), 0.5


def passing() -> tuple[Mechanism, float]:
    """All hinges come into line, so fast that the way there is bridged."""
    return parallelogram(1.0, 20.0), 0.3


OWN = {
    "parallelogram: passing": passing,
    "slider crank: turning": turning,
    "slider crank: stop, hitting": hitting,
    "crane: stop, resting": resting,
}


LONG_STEPS = "double pendulum: long steps"
"""Where an error of the third order is far larger than one of the fifth."""


def case_of(text: str) -> Case:
    """A case by its words, plain in all that is not said."""
    machine, _, more = text.partition(": ")
    features = {name.strip() for name in more.split(",") if name.strip()}
    for group, plain in {"method": "method auto", "depth": "depth 1", "solver": "solver dop853"}.items():
        features |= set() if features & set(GROUPS[group]) else {plain}
    return Case(machine, frozenset(features) | own(machine))


def errors(text: str) -> list[Error]:
    """What the laws find on a case, or on one of the machines here."""
    if text == LONG_STEPS:
        machine = double_pendulum()
        run = mb.simulate(model_of(machine), 0.4, solver="rk4", step=1e-2)
        return judge(Reading(machine, run), Limits(state=1e-5))
    if text not in OWN:
        return errors_of(case_of(text))
    machine, until = OWN[text]()
    return judge(Reading(machine, mb.simulate(model_of(machine), until)))


def main() -> int:
    """Until one fails."""
    warnings.simplefilter("ignore")
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    for text in dict.fromkeys([*([first] if first else []), *CASES]):
        try:
            with limited():
                wrong = [error for error in errors(text) if error.wrong]
        except Exception as error:
            print(f"[{text}] {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            return 3
        if wrong:
            print(f"[{text}] {wrong[0]}")
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
