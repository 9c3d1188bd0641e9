"""Why a graph is not controllable, not observable, or not linear, in the user's names."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from multibond.analysis.ends import InputEnd, OutputEnd, listed
from multibond.analysis.generic import Draw
from multibond.analysis.paths import Web, reach
from multibond.analysis.residues import product
from multibond.analysis.signals import Signals
from multibond.errors import Finding, StructureError
from multibond.expr import column


def unreached(signals: Signals, web: Web, given: Sequence[InputEnd], draw: Draw) -> list[str]:
    """Why inputs cannot bring all storages to any values: none leads there, or they act on them together only."""
    if not given:
        return []
    from_inputs = reach(web.after, [end.node for end in given])
    lost = sorted({signals.nodes[k].owner for k in signals.states if k not in from_inputs})
    names = listed(sorted({end.name for end in given}))
    said = [f"not controllable: no causal path from {names} to {path!r}." for path in lost]
    for row in draw.unreached():
        tied = _owners(signals, draw, row)
        if not set(tied) & set(lost):
            said.append(f"not controllable: {names} does not act on {_tie(tied)}.")
    return list(dict.fromkeys(said))


def unseen(signals: Signals, web: Web, read: Sequence[OutputEnd], draw: Draw) -> list[str]:
    """Why outputs do not tell what all storages hold."""
    if not read:
        return []
    to_outputs = reach(web.before, [k for end in read for k in end.nodes(signals)])
    lost = sorted({signals.nodes[k].owner for k in signals.states if k not in to_outputs})
    names = listed([end.name for end in read])
    said = [f"not observable: no causal path from {path!r} to {names}." for path in lost]
    mirror = Draw(draw.storages, draw.T.T, draw.C.T, draw.B.T, draw.D.T, draw.at_zero, draw.forced, draw.told)
    for row in mirror.unreached():
        tied = _owners(signals, draw, product(row[None, :], draw.finite.T)[0])
        if not set(tied) & set(lost):
            said.append(f"not observable: {names} does not tell what {_tie(tied)} holds.")
    return list(dict.fromkeys(said))


def _owners(signals: Signals, draw: Draw, row: np.ndarray) -> list[str]:
    return sorted({signals.nodes[draw.storages[k]].owner for k in np.flatnonzero(row)})


def _tie(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"a combination of {listed(names)}"


def unreached_there(given: Sequence[InputEnd], owners: Sequence[str]) -> str:
    """Why a linearised graph is not controllable at the state where it was linearised."""
    return f"not controllable there: {listed([end.name for end in given])} does not act on {_tie(owners)}."


def unseen_there(read: Sequence[OutputEnd], owners: Sequence[str]) -> str:
    """Why a linearised graph is not observable there."""
    return f"not observable there: {listed([end.name for end in read])} does not tell what {_tie(owners)} holds."


def is_linear(signals: Signals, outputs: Sequence[OutputEnd]) -> bool:
    """Whether all gains are constants and all outputs linear functions."""
    moving = column([signals.symbols, signals.time])
    slopes = [ca.jacobian(end.value, signals.symbols) for end in outputs]
    return not signals.nonlinear() and not any(ca.depends_on(slope, moving) for slope in slopes)


def require_linear(signals: Signals, outputs: Sequence[OutputEnd]) -> None:
    """Refuse graphs whose gains are no constants, and outputs that are no linear functions."""
    findings = []
    paths = signals.nonlinear()
    if paths:
        fact = f"{listed(paths[:6])}{' and others' if len(paths) > 6 else ''} have no constant gain."
        cure = "Use linear elements, or put numbers in the place of formulas and modulated moduli."
        findings.append(Finding("the graph is not linear.", fact, cure, paths))
    for end in outputs:
        if ca.depends_on(ca.jacobian(end.value, signals.symbols), column([signals.symbols, signals.time])):
            fact = "It is a product of variables."
            findings.append(Finding(f"{end.name!r} is no linear output.", fact, "Choose an effort, flow or state."))
    if findings:
        raise StructureError(*findings)
