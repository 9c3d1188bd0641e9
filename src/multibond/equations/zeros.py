"""What is zero although a law divides by it: guessed parameters, and signals that scale what an element takes."""

from __future__ import annotations

import numpy as np

from multibond.equations.dae import Dae
from multibond.equations.observe import Observer
from multibond.equations.settle import Samples
from multibond.equations.writing import signal_ports
from multibond.errors import Finding
from multibond.expr import SX
from multibond.graph.port import SignalPort


def divided_by_zero(dae: Dae, slopes: SX, at: Samples) -> tuple[Finding, ...]:
    """The zeros that make slopes infinite at the start."""
    guessed = [path for path in sorted(dae.graph.sought) if _makes_infinite(dae, path, slopes, at)]
    if guessed:
        return tuple(_guess_of_zero(path) for path in guessed)
    observer, found = Observer(dae, at.whole), []
    for path, port in ports_to_divide_by(dae):
        if observer.knows(name := f"{path}.{port.name}") and not at.numbers(observer.expression(name))[0].all():
            found.append(nothing_to_divide_by(path, port.name, 0.0))
    return tuple(found)


def ports_to_divide_by(dae: Dae) -> list[tuple[str, SignalPort]]:
    """Signals that must not be negative, as resistances, of elements that give the flow: effort / resistance."""
    graph = dae.graph
    return [
        (path, port)
        for path, item in sorted(graph.elements.items())
        for port in signal_ports(item)
        if port.sign == "not negative"
        and any(dae.causality.gives_flow(b, path, k) for b in graph.bonds_of(path) for k in range(b.size))
    ]


def nothing_to_divide_by(path: str, port: str, t: float) -> Finding:
    """An effort across what has none to set against it."""
    return Finding(
        f"the {port} of {path!r} is zero at {t:.6g} s.",
        f"Its flow follows from its effort here, as effort / {port}, and has no value.",
        "Keep it above zero (a slider off its end), or put another R in series with it.",
        (path,),
    )


def _makes_infinite(dae: Dae, path: str, slopes: SX, at: Samples) -> bool:
    """Whether slopes are finite with another number than the zero that a parameter is guessed to be."""
    place = list(dae.parameter_places[path].range)
    zeros = [k for k in place if at.p[k] == 0.0]
    p = at.p.copy()
    p[zeros] = 1.0
    other = Samples(at.whole, at.x[:1], at.y[:1], p)
    before, after = (np.isfinite(samples.numbers(slopes)[0]).sum() for samples in (at, other))
    return bool(zeros) and bool(after > before)


def _guess_of_zero(path: str) -> Finding:
    return Finding(
        f"{path!r} cannot be guessed to be 0.",
        "What is guessed may become any number, and its law divides by it.",
        "Guess a positive number, or give 0 as a number, without Guess, so that it is left out.",
        (path.rpartition(".")[0],),
    )
