"""Errors that name the user's parts, the fact that shows the fault, and a cure.

A `Finding` is one fault in three short lines. Checks gather findings and raise them together: one run shows all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import FrozenInstanceError, dataclass
from difflib import get_close_matches
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One fault: what is wrong, the fact that shows it, what can be done, and the paths it concerns."""

    problem: str
    fact: str
    cure: str
    paths: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.problem}\n  {self.fact}\n  {self.cure}"


TOLD = 20
"""So many findings are told one by one."""


def told(findings: Sequence[Finding]) -> list[Finding]:
    """What is printed of findings: the first of them, and how many are left out."""
    more = len(findings) - TOLD
    if more <= 1:
        return list(findings)
    fact = f"{len(findings)} are found; the error has them all in .findings, the command line with --json."
    return [*findings[:TOLD], Finding(f"{more} more faults are not told here.", fact, "Correct these first.")]


class MultibondError(Exception):
    """Base of all errors; carries its findings so that a drawing can light up the parts concerned.

    findings: all of them; the text tells the first twenty.
    """

    def __init__(self, *findings: Finding) -> None:
        self.findings = tuple(dict.fromkeys(findings))
        super().__init__("\n".join(map(str, told(self.findings))))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path named by any finding, in order."""
        return tuple(dict.fromkeys(path for finding in self.findings for path in finding.paths))


class ModelError(MultibondError, ValueError):
    """The model as drawn cannot be meant: names, parameters, connections."""


class ParameterError(ModelError):
    """A parameter's value is not possible."""


class FormulaError(ParameterError):
    """A formula cannot be read, built or computed."""


class WiringError(ModelError):
    """A connection does not fit."""


class CausalityError(MultibondError, ValueError):
    """Efforts and flows are fixed twice, or not at all."""


class StructureError(MultibondError, ValueError):
    """The equations do not determine the motion."""


class StartError(MultibondError, ValueError):
    """No start position or speed satisfies the constraints and the given values."""


class SimulationError(MultibondError, RuntimeError):
    """The run could not go on; `run` is the trajectory so far."""

    run: object = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `run` is the run so far, None where there is none yet.

    It is no `Exception`, like what it derives from: a loop that goes on after faults does not swallow it.
    """

    run: Any = None

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows."""
        return str(self).splitlines()


class FileError(MultibondError, ValueError):
    """A model file cannot be read."""


class UnknownEnding(FileError):
    """A file to be written whose ending stands for no known format; to the command line this is wrong usage."""


class UnknownName(MultibondError, KeyError):
    """A name that is not there; says the nearest ones."""

    def __str__(self) -> str:
        return "\n".join(map(str, told(self.findings)))


class UnknownAttribute(UnknownName, AttributeError):
    """A name after a dot that is not there; says the nearest ones."""


class WrongArgument(MultibondError, TypeError):
    """A call with an argument missing, not known, or not of the kind that it takes."""


class ReadOnly(MultibondError, FrozenInstanceError):
    """A value that does not change was to be changed."""


class OutOfReach(FileError, OSError):
    """A file or folder that the system does not let be used."""


class InternalError(MultibondError, RuntimeError):
    """The program itself failed: our fault. `__cause__` is what happened."""


DOZEN = 12
"""So many names are listed in one sentence."""
LONG = 120
"""Letters of the longest name or value that is shown whole."""


def raise_findings(error: type[MultibondError], findings: Sequence[Finding]) -> None:
    """Raise all findings as one error; do nothing when there is none."""
    if findings:
        raise error(*findings)


def unknown_name(
    where: str, name: str, known: Iterable[str], *, offer: str = "", meant: Sequence[str] = ()
) -> UnknownName:
    """An `UnknownName` that lists the nearest known names, first those that are surely meant."""
    names = sorted(known)
    near = list(meant) or get_close_matches(str(name), names, n=3, cutoff=0.5) or names[:5]
    nearest = ", ".join(repr(n) for n in near) if near else "none"
    return UnknownName(
        Finding(
            f"{where} has no {briefly(name)}.", f"Nearest: {nearest}.", offer or "Use one of the known names.", (name,)
        )
    )


def briefly(value: object) -> str:
    """A value as a user would type it, cut short where it is long."""
    text = repr(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def offered(name: str, known: Iterable[str]) -> str:
    """What the owner of an unknown name has instead: its first dozen names, and how many are left out."""
    parent = name.rsplit(".", 1)[0]
    offers = list(dict.fromkeys(n[len(parent) + 1 :] for n in known if n.startswith(f"{parent}.")))
    if not offers:
        return "Use one of the known names."
    more = len(offers) - DOZEN
    return f"{parent!r} offers {', '.join(offers[:DOZEN])}{f', … and {more} more' if more > 0 else ''}."


def with_article(kind: str) -> str:
    """A type with its article, as it is spoken: an R, an MSe, a Friction, a One."""
    spelt = len(kind) <= 3 and not kind[1:].islower()
    vowels = "AEFHILMNORSX" if spelt or kind in ("Se", "Sf") else "AEIOU"
    return f"{'an' if kind[0] in vowels and kind != 'One' else 'a'} {kind}"
