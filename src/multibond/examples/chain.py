"""A hanging chain of equal links, each turned a quarter against the one before.

The axes alternate between y and x, so the chain moves in space; with many links it measures how the cost of a model
grows with its length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import multibond as mb
from multibond.examples.links import Link, serial


def chain_links(n: int, length: float = 0.2) -> list[Link]:
    """The table of a chain: n links of 1 kg, `length` long  [m], hanging along -z."""
    moment = length * length / 12
    centre = (0.0, 0.0, -length / 2)
    return [
        Link("x" if k % 2 else "y", (0.0, 0.0, -length if k else 0.0), 1.0, centre, (moment, moment, 1e-3))
        for k in range(n)
    ]


def chain(
    n: int = 5,
    *,
    length: float = 0.2,
    angle: float | Sequence[float] = 0.3,
    speed: float | Sequence[float] = 0.0,
) -> mb.Model:
    """A chain of n links; angle, speed: one value for all hinges or one for each  [rad, rad/s]."""
    angles, speeds = (np.broadcast_to(np.asarray(v, float), (n,)).tolist() for v in (angle, speed))
    return serial("chain", chain_links(n, length), angles, speeds)
