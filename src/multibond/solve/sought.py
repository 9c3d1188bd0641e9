"""Parameters that are unknowns of the start: the values found for them become the system's, and are told."""

from __future__ import annotations

import numpy as np

from multibond.equations.dae import Dae
from multibond.errors import Finding, StartError, raise_findings
from multibond.graph.graph import Graph
from multibond.solve.initial import KEPT, SET
from multibond.solve.search import sought_entries

SAME = 1e-9


def with_parameters_found(graph: Graph, dae: Dae, p: np.ndarray) -> tuple[Graph, tuple[str, ...]]:
    """The graph with parameters as they were found, none of them sought any more, and a line for each."""
    parameters, lines, findings = dict(graph.parameters), list[str](), list[Finding]()
    entries = set(sought_entries(dae).tolist())
    for path, sought in sorted(graph.sought.items()):
        symbols, guess = graph.parameters[path]
        place, found = dae.parameter_places[path], np.array(guess)
        for k, at in enumerate(zip(*symbols.sparsity().get_triplet(), strict=True)):
            if place.start + k in entries:
                found[at] = p[place.start + k]
        findings += [_wrong(path, sought.sign, found)] if not _may_be(found, sought.sign) else []
        lines.append(_line(path, guess, found))
        parameters[path] = (symbols, found)
    raise_findings(StartError, findings)
    return graph.with_(parameters=parameters, sought={}), tuple(lines)


def _line(path: str, guess: np.ndarray, found: np.ndarray) -> str:
    if np.allclose(found, guess, rtol=SAME, atol=0.0):
        return f"{path}{KEPT}{_numbers(guess)}: no fixed start value asks for another"
    return f"{path}{SET}{_numbers(found)}"


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in values.ravel())


def _may_be(found: np.ndarray, sign: str) -> bool:
    if sign == "positive":
        return bool((found > 0).all())
    return bool((found >= 0).all()) if sign == "not negative" else sign != "not zero" or bool(found.all())


def _wrong(path: str, sign: str, found: np.ndarray) -> Finding:
    fact = f"With the start values as given it would have to be {_numbers(found)}, and it must be {sign}."
    cure = "Correct what is fixed at the start, or give the parameter as a number."
    return Finding(f"no possible value of {path!r} gives this start.", fact, cure, (path.rpartition(".")[0],))
