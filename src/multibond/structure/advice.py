"""Which method suits a mechanism, with the reasons of Boudon et al. (2017, conclusion) and our own choice beside them.

The paper weighs three things: chain open or closed, constraints isostatic or hyperstatic, bonds vector or scalar.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibond.border import public
from multibond.report import Item, Report, Titled


@dataclass(frozen=True)
class Chain:
    """What the paper's conclusion depends on; joints: none means that the model is no mechanism."""

    joints: int
    closed: bool
    redundant: int
    vector: bool
    classes: frozenset[int]

    @property
    def words(self) -> str:
        """In the paper's terms."""
        if not self.joints:
            return "no mechanism"
        shape = "closed chain" if self.closed else "open chain"
        hold = f"hyperstatic ({self.redundant} conditions too many)" if self.redundant else "isostatic"
        return f"{shape}, {hold}, {'vector' if self.vector else 'scalar'} bonds"


@public
@dataclass(frozen=True)
class Advice(Report):
    """method: what to use here; paper: what the paper's conclusion leads to ("" where it says nothing)."""

    method: str
    paper: str
    chain: str
    reasons: tuple[str, ...]

    def description(self) -> list[Item]:
        """The method, and why."""
        paper = [f"by the paper's guidelines: {self.paper}"] if self.paper else []
        return [Titled(f"{self.method} ({self.chain})", [*paper, *self.reasons])]


def advise(chain: Chain) -> Advice:
    """The method for a mechanism, or for a graph without joints."""
    if not chain.joints:
        return Advice("auto", "", chain.words, (_without_joints(chain),))
    paper, why = _guideline(chain)
    bonds = (
        "Vector bonds: one stroke a bond (C1) and one-way cross products (C2) often leave Sf 0 no place; R/C and "
        "multipliers avoid that, and strokes by component do too."
        if chain.vector
        else "Scalar bonds: no C1 or C2 stands in the way, and runs are a little quicker than with vectors."
    )
    own = "'auto' keeps the joints of a tree as states and puts multipliers at the cuts only, redundant rows left out"
    return Advice("auto", paper, chain.words, (why, bonds, f"{own}: nothing to tune, no drift."))


def _guideline(chain: Chain) -> tuple[str, str]:
    if chain.closed and chain.redundant:
        why = "A closed chain with too many conditions: parasitic R/C take them, also from a start that fits poorly"
        return "rc", f"{why}, and leave explicit equations; multipliers would need the redundant ones removed."
    if chain.closed:
        why = "A closed chain: opening its zero-order paths is hard to conduct (classes 1 and 4, index above 1)"
        return "multiplier", f"{why}; multipliers describe it ideally, R/C with an explicit solver does as well."
    listed = ", ".join(map(str, sorted(chain.classes))) or "none"
    why = f"An open chain: its zero-order paths (class {listed}) close no mesh of the junction structure"
    return "zcp", f"{why}, so they can be solved as they are, which is easiest and quickest."


def _without_joints(chain: Chain) -> str:
    if not chain.classes:
        return "No joints and no zero-order path: nothing has to be solved for."
    listed = ", ".join(map(str, sorted(chain.classes)))
    return f"No joints: zero-order paths (class {listed}) are solved or differentiated while compiling."
