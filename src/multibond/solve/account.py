"""The account of a run: energy, momentum, the rows of all constraints, and whether its states go on as they must.

>>> print(run.audit())
>>> run.audit().findings

Each part is computed from the stored states and the equations as assembled, by quadratures and functions of its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from multibond.errors import Finding
from multibond.report import Item, Report, Rows
from multibond.solve.audit import Audit, audit
from multibond.solve.continuity import Jump, breaks, defects
from multibond.solve.corners import Corner, branch_left, first_corner
from multibond.solve.gaps import Gap, gaps
from multibond.solve.momentum import Momentum, momentum
from multibond.solve.solution import Piece, Solution

ENERGY, MOMENTUM, GAP, SLIP, DEFECT, BREAK = 1e-6, 1e-6, 1e-7, 1e-6, 1e-5, 1e-6
"""What is worth a finding: parts of energy and momentum, gaps in lengths of the machine and in its speeds, and parts of
the largest size of a state. A run at default tolerances stays a hundred times below."""
LISTED = 3
"""Rows and states that are told."""


@dataclass(frozen=True)
class Account(Report):
    """What can be checked of a run. gaps, defects, breaks: the worst first. length  [m], speed: scales of the gaps."""

    energy: Audit
    momentum: Momentum | None
    gaps: tuple[Gap, ...]
    defects: tuple[Jump, ...]
    breaks: tuple[Jump, ...]
    corner: Corner | None
    length: float
    speed: float

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What does not add up, in the user's names."""
        found = [*self._balances(), *self._rows(), *self._states()]
        return (branch_left(self.corner), *found) if self.corner is not None else tuple(found)

    def _balances(self) -> list[Finding]:
        found = []
        if self.energy.residual > ENERGY:
            fact = f"{self.energy.imbalance:.3g} J of {self.energy.scale:.3g} J are not accounted for."
            found.append(Finding("the energy does not balance.", fact, TIGHTER))
        if self.momentum is not None and self.momentum.residual > MOMENTUM:
            told = self.momentum
            fact = f"It changes by {_vector(told.change)} N.s, forces from outside give {_vector(told.impulse)} N.s."
            found.append(Finding("the momentum of all bodies does not balance.", fact, TIGHTER))
        return found

    def _rows(self) -> list[Finding]:
        open_ = [g for g in self.gaps if g.gap > GAP * self.length or g.slip > SLIP * max(1.0, self.speed)]
        return [
            Finding(
                f"the constraint {row.row!r} is not held.",
                f"Near {row.time:.6g} s its gap is {row.gap:.3g}, its speed {row.slip:.3g} (m or rad, and a second).",
                TIGHTER,
                (row.row.partition(" ")[0],),
            )
            for row in open_[:LISTED]
        ]

    def _states(self) -> list[Finding]:
        wrong = [j for j in self.defects if j.part > DEFECT]
        fact = "Over the step from {0.time:.6g} s it changes by {0.amount:.3g} more or less than its rate tells."
        found = [
            Finding(f"{j.name!r} does not follow its equation.", fact.format(j), TIGHTER, (j.name,)) for j in wrong
        ]
        gone = [j for j in self.breaks if j.part > BREAK]
        fact = "At {0.time:.6g} s it changes by {0.amount:.3g} at once, with no hit and no change of mode."
        found += [Finding(f"{j.name!r} jumps.", fact.format(j), TIGHTER, (j.name,)) for j in gone]
        return found[:LISTED]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        energy = asdict(self.energy) | {"imbalance": self.energy.imbalance, "residual": self.energy.residual}
        told = None if self.momentum is None else asdict(self.momentum) | {"residual": self.momentum.residual}
        rest = {name: [asdict(each) for each in getattr(self, name)] for name in ("gaps", "defects", "breaks")}
        corner = None if self.corner is None else asdict(self.corner)
        findings = [asdict(finding) for finding in self.findings]
        return {"ok": self.ok, "findings": findings, "energy": energy, "momentum": told, "corner": corner} | rest

    def description(self) -> list[Item]:
        """Energy, momentum, the worst rows and states, and what is wrong."""
        told = self.energy.description()
        if self.momentum is not None:
            momentum = ["momentum, residual", f"{self.momentum.residual:.3g}"]
            told.append(Rows([momentum], right=(1,), least=(26, 16), gap=""))
        rows = [[f"gap of {g.row}", f"{g.gap:.2g}, speed {g.slip:.2g}"] for g in self.gaps[:LISTED]]
        rows += [[f"step of {j.name}", f"{j.part:.2g} of its size"] for j in self.defects[:LISTED]]
        rows += [[f"instant, {j.name}", f"{j.part:.2g} of its size"] for j in self.breaks[:LISTED]]
        verdict = [f"! {finding}" for finding in self.findings] or ["nothing is wrong that this can see"]
        return [*told, *([Rows(rows, least=(42,), gap=" ")] if rows else []), *verdict]

    def __repr__(self) -> str:
        count = len(self.findings)
        return f"Account: {'nothing found' if not count else f'{count} finding' + 's' * (count > 1)}"


TIGHTER = "Run it with a smaller rtol, or another method, and compare; do not trust it as it is."


def account(run: Solution) -> Account:
    """Audit a run."""
    system = run.system
    parts = audit(run), momentum(run), gaps(run), defects(run), breaks(run), first_corner(run.pieces)
    return Account(*parts, system.length, max(_fastest(piece) for piece in run.pieces))


def _fastest(piece: Piece) -> float:
    flows = [k for place in piece.system.dae.states if place.kind == "flow" for k in place.range]
    return float(np.abs(piece.trajectory.x[:, flows]).max(initial=0.0))


def _vector(values: tuple[float, ...]) -> str:
    return f"({', '.join(f'{v:.4g}' for v in values)})"
