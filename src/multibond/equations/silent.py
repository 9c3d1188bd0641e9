"""States that nothing reads: what Dq and Dp have gathered, where it goes nowhere."""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.equations.consistent import read_states, sensor_states
from multibond.equations.instants import has_instants, instants
from multibond.equations.reduce import Reduced
from multibond.expr import column


def silent_states(r: Reduced) -> np.ndarray:
    """Which states belong to sensors and change nothing, neither a rate nor a guard; none where no others are left."""
    dae, whole = r.dae, r.whole
    found = np.zeros(dae.nx, bool)
    found[sensor_states(dae)] = True
    if not found.any() or found.all():
        return np.zeros(dae.nx, bool)
    found[read_states(whole)] = False
    if has_instants(dae) and found.any():
        at = instants(r)
        parts = column([at.switch_when, at.edge_where, at.update_to, at.stored])
        found &= ~(np.array(ca.DM(ca.jacobian(parts, whole.x).sparsity(), 1)) != 0).any(axis=0)
    return found
