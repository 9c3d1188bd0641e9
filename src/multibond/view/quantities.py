"""What a named variable of a run is: its kind and its unit, for axes and legends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from multibond.elements import FreeMotion
from multibond.graph.compound import variables
from multibond.graph.domains import bond_domains, flange_domains
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.solve.solution import Solution
from multibond.units import DOMAINS

INTEGRALS = {
    ("rotation", "q"): ("angle", "rad"),
    ("translation", "q"): ("position", "m"),
    ("electrical", "q"): ("charge", "C"),
    ("hydraulic", "q"): ("volume", "m^3"),
    ("acoustic", "q"): ("volume", "m^3"),
    ("thermal", "q"): ("entropy", "J/K"),
    ("chemical", "q"): ("amount", "mol"),
    ("rotation", "p"): ("angular momentum", "N.m.s"),
    ("translation", "p"): ("momentum", "N.s"),
    ("electrical", "p"): ("flux", "V.s"),
}
PLAIN = {
    "position": ("position", "m"),
    "attitude": ("attitude", ""),
    "power": ("power", "W"),
    "length": ("length", "m"),
}
LETTERS = {"q": "displacement", "p": "momentum", "e": "effort", "f": "flow", "u": "flow"}


@dataclass(frozen=True)
class Quantities:
    """Looks up the kind and unit of the variables of a run."""

    solution: Solution

    @property
    def graph(self) -> Graph:
        """The graph that was simulated."""
        return self.solution.system.dae.graph

    @cached_property
    def _domains(self) -> dict[str, str]:
        model = self.solution.system.recipe.model
        known = flange_domains(model.sheet) if isinstance(model, Model) else {}
        return bond_domains(self.graph, known)

    def of(self, name: str) -> tuple[str, str]:
        """Kind and unit: ("angle", "rad"). The unit is empty where it is not known."""
        base = re.sub(r"\[\d+\]$", "", name)
        target = next(iter(variables(self.graph.aliases.get(base, base))), base)
        owner, _, letter = target.rpartition(".")
        plain = re.sub("_[ab]$", "", letter)
        if plain in PLAIN:
            return PLAIN[plain]
        if letter not in LETTERS:
            return letter, ""
        if letter == "q" and isinstance(motion := self.graph.elements.get(owner), FreeMotion):
            return _coordinates(motion)
        domain = self._domain_at(owner)
        if letter in "qp":
            return INTEGRALS.get((domain, letter), (LETTERS[letter], ""))
        if domain == "any":
            return LETTERS[letter], ""
        found = DOMAINS[domain]
        return (found.effort, found.effort_unit) if letter == "e" else (found.flow, found.flow_unit)

    def _domain_at(self, owner: str) -> str:
        """The domain of an element, or of one of its ports (`turn.a`)."""
        port = ""
        if owner not in self.graph.elements:
            owner, _, port = owner.rpartition(".")
        bonds = [b for b in self.graph.bonds_of(owner) if not port or b.end(owner).port == port]
        domains = {self._domains[b.name] for b in bonds}
        return domains.pop() if len(domains) == 1 else "any"


def _coordinates(motion: FreeMotion) -> tuple[str, str]:
    kind = motion.motion
    if kind.coordinates == kind.turns:
        return "angle", "rad"
    return ("position", "m") if kind.coordinates == kind.slides else ("coordinates", "")
