"""Parameters that are unknowns of the start: the values found for them become the system's, and are told."""

from __future__ import annotations

import numpy as np

from multibond.equations.dae import Dae
from multibond.errors import Finding, StartError, raise_findings
from multibond.graph.graph import Graph
from multibond.graph.sign import sign_fault
from multibond.solve.initial import KEPT, SET
from multibond.solve.search import sought_entries

ROUNDING = 1e-11
"""What differs by less, in the size of its guess, does so by rounding."""


def parameters_found(graph: Graph, dae: Dae, p: np.ndarray) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """The sought parameters by path as they were found, and a line for each; impossible ones are refused."""
    values, lines, findings = dict[str, np.ndarray](), list[str](), list[Finding]()
    entries = set(sought_entries(dae).tolist())
    for path, sought in sorted(graph.sought.items()):
        symbols, guess = graph.parameters[path]
        place, found = dae.parameter_places[path], np.array(guess)
        for k, at in enumerate(zip(*symbols.sparsity().get_triplet(), strict=True)):
            if place.start + k in entries:
                found[at] = _rounded(p[place.start + k], guess[at])
        wrong = sign_fault(found if found.shape[1] > 1 else found.ravel(), sought.sign)
        findings += [_wrong(path, found, wrong)] if wrong else []
        lines.append(_line(path, guess, found))
        values[path] = found
    raise_findings(StartError, findings)
    return values, tuple(lines)


def _rounded(found: float, guess: float) -> float:
    """The guess itself, or zero, where only rounding lies between."""
    near = ROUNDING * (abs(guess) or 1.0)
    return guess if abs(found - guess) <= near else 0.0 if abs(found) <= near else found


def _line(path: str, guess: np.ndarray, found: np.ndarray) -> str:
    if np.array_equal(found, guess):
        return f"{path}{KEPT}{_numbers(guess)}: no fixed start value asks for another"
    return f"{path}{SET}{_numbers(found)}"


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in values.ravel())


def _wrong(path: str, found: np.ndarray, wrong: str) -> Finding:
    fact = f"With the start values as given it would have to be {_numbers(found)}, and {wrong}."
    cure = "Correct what is fixed at the start, or give the parameter as a number."
    return Finding(f"no possible value of {path!r} gives this start.", fact, cure, (path.rpartition(".")[0],))
