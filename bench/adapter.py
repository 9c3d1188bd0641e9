"""Our side of the comparison: from a list of links to the pointer of a compiled derivative."""

from dataclasses import dataclass

import numpy as np
from mechanisms import Link


@dataclass(frozen=True)
class Native:
    """A compiled derivative `void f(const double* t, const double* x, const double* p, double* xdot, double* work)`.

    address: the function's address.
    states: length of x and xdot.
    angle, speed: for each link the place of its joint's angle and speed in x.
    parameters, work: what is passed as p and work.
    keepalive: whatever owns the machine code; held while the address is used.
    """

    address: int
    states: int
    angle: np.ndarray
    speed: np.ndarray
    parameters: np.ndarray
    work: np.ndarray
    keepalive: object


def native_derivative(links: list[Link]) -> Native | None:
    """Build the mechanism from parts (revolute joints, no torques, gravity GRAVITY), compile it, hand out its pointer.

    None as long as the library has no compiled derivative; the comparison then shows the peers alone.
    """
    return None
