"""A ⇌ B ⇌ C in a litre of water: three species, two reactions, and the equilibrium that their potentials ask for.

The standard potentials set where the reactions end (K = exp(-Δμ° / R T)), their speeds how soon. Mass action follows
from the bond graph: the rate is the difference of two exponentials of the affinities.
"""

from __future__ import annotations

import multibond as mb
from multibond import chemical as ch

STANDARDS = (0.0, -1000.0, -3000.0)
"""Potentials of A, B and C at one mole a litre  [J/mol]."""
AMOUNTS = (0.8, 0.15, 0.05)
"""At the start  [mol]."""


def reaction(*, speeds: tuple[float, float] = (0.4, 0.1)) -> mb.Model:
    """Three species and the reactions between them; speeds: rates forward at zero potential  [mol/s]."""
    model = mb.Model("reaction")
    named = zip("ABC", AMOUNTS, STANDARDS, strict=True)
    A, B, C = (model.add(ch.Species(name, amount, standard=standard)) for name, amount, standard in named)
    for name, speed, left, right in (("first", speeds[0], A, B), ("second", speeds[1], B, C)):
        step = model.add(ch.Reaction(name, speed))
        model.connect(left.port, step.left_1)
        model.connect(step.right_1, right.port)
    return model
