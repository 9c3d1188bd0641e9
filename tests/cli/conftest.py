"""Model files that the commands are tried on."""

from __future__ import annotations

from pathlib import Path

import pytest

import multibond
from multibond.examples import EXAMPLES
from multibond.graph.file import save


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    """A model file."""
    path = tmp_path / "pendulum.mbg"
    save(EXAMPLES["pendulum"](), path)
    return path


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    """A model file whose hinge has a loose side, and whose spring leads nowhere."""
    from multibond import spatial as sp

    model = multibond.Model("loose")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge"))
    model.add(sp.Spring("spring", 10.0))
    model.connect(world.frame, hinge.frame_a)
    path = tmp_path / "loose.mbg"
    save(model, path)
    return path


@pytest.fixture
def explosion(tmp_path: Path) -> Path:
    """A model file whose run stops early."""
    from multibond import I, Model, One, R

    model = Model("explosion")
    flow = model.add(One("flow"))
    model.bond(flow, I("mass", 1e-3, start=1.0))
    model.bond(flow, R("brake", 1e300))
    path = tmp_path / "explosion.mbg"
    save(model, path)
    return path
