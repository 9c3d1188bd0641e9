"""Every example by every method at both depths of bonds: the program answers, or refuses in its own words."""

from __future__ import annotations

import pytest
from tests.rotation import tenth
from typer.testing import CliRunner

import multibond as mb
from multibond import spatial as sp
from multibond.cli import app
from multibond.examples import EXAMPLES
from multibond.rewrite.method import METHODS


def two_joints() -> mb.Model:
    """Two joints that meet without a body between."""
    model = mb.Model("two_joints")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", axis="z", angle=0.3))
    turn, foot = model.add(sp.Revolute("turn", axis="x")), model.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1), (0.3, 0, 0)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, turn.frame_a)
    model.connect(turn.frame_b, foot.frame)
    return model


MACHINES = {**EXAMPLES, "two_joints": two_joints}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "method"), tenth([(n, m) for n in MACHINES for m in METHODS], of="every form"))
def test_every_form_answers_or_refuses_by_name(name: str, method: str) -> None:
    model = MACHINES[name]()
    asked = [
        lambda: [mb.causality(model, method=method, depth=depth).report() for depth in (2, 3)],
        lambda: mb.draw(model, method=method, depth=2),
        lambda: mb.equations(model, method=method).latex(),
        lambda: str(mb.explain(model, method=method)),
        lambda: (str(mb.count(model)), str(mb.advise(model))),
    ]
    for ask in asked:
        try:
            assert ask()
        except mb.errors.MultibondError as fault:
            assert fault.findings


@pytest.mark.parametrize("name", ["two_joints", "sliding_swing", "planar_loop", "spatial_four_bar"])
def test_the_form_that_is_drawn_is_the_form_that_is_compiled(name: str) -> None:
    """The index of joints cut by "zcp" is that of the method, not of the cut joints without bodies."""
    report = mb.causality(MACHINES[name](), method="zcp")
    assert not report.faults
    assert report.index == mb.explain(MACHINES[name](), method="zcp").index


def test_the_command_says_it_too(tmp_path) -> None:
    path = tmp_path / "it.mbg"
    mb.save(EXAMPLES["planar_loop"](), path)
    told = CliRunner().invoke(app, ["causality", str(path), "--method", "zcp"])
    assert told.exit_code == 0 and "index of the equations" in told.output
