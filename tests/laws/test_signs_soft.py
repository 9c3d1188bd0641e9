"""Signs of the springs and dampers that stand for constraints: a soft joint pulls back where a rigid one holds."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp

from .test_joints import JOINTS, two_bodies


@pytest.mark.parametrize("cls", [c for c in JOINTS if c is not sp.Free], ids=lambda c: c.__name__)
def test_soft_joints_hold_like_rigid_ones(cls: type[sp.Joint]) -> None:
    """Springs in the place of the constraints pull back: after 0.02 s both move alike."""
    model, t = two_bodies(cls, np.random.default_rng(3)), 0.02
    stiff = mb.Parasitic(1e6, 2e3, 1e6, 2e3)
    rigid = mb.simulate(model, t, rtol=1e-9)
    soft = mb.simulate(model, t, method="rc", parasitic=stiff, solver="rodas5p", rtol=1e-6)
    for name in ("it.frame_b.position", "it.frame_b.attitude", "it.speeds", "it.reaction_force"):
        np.testing.assert_allclose(soft[name](t), rigid[name](t), atol=1e-3, err_msg=name)
