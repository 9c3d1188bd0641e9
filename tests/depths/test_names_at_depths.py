"""Household names mean the same at every depth, also those of vectors that were unfolded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.planar.machines import limbs, parallelogram
from tests.planar.test_bridge import across

import multibond as mb
from multibond import pipeline
from multibond import planar as pl
from multibond import spatial as sp
from multibond.errors import UnknownName
from multibond.examples import EXAMPLES, pendulum
from multibond.graph.model import Submodel
from multibond.view.quantities import Quantities


def swing() -> mb.Model:
    """Joints with names for single coordinates, a spring and a body with its centre off the frame."""
    model = mb.Model("swing")
    world, slide = (
        model.add(sp.World()),
        model.add(sp.Planar("slide", axis="y", position=(0.5, 0.2), speeds=(0.3, 0.2, -0.1))),
    )
    ball = model.add(sp.Revolute("ball", axis="x", angle=0.4, speed=2.0))
    spring = model.add(sp.Spring("spring", stiffness=20.0, rest=0.3))
    body = model.add(sp.Body("body", 1.2, (0.2, 0.3, 0.4), centre=(0.1, 0.2, -0.3)))
    model.connect(world.frame, slide.frame_a, spring.frame_a)
    model.connect(slide.frame_b, ball.frame_a)
    model.connect(ball.frame_b, body.frame, spring.frame_b)
    return model


MACHINES = {
    **{name: EXAMPLES[name] for name in ("pendulum", "motor_pendulum", "slider_crank", "gyroscope")},
    "swing": swing,
    "limbs": lambda: limbs(pl),
    "parallelogram": lambda: parallelogram(pl),
    "bridge": across,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_every_household_name_is_known_at_every_depth(name: str) -> None:
    model = MACHINES[name]()
    names, times = list(pipeline.as_graph(model).aliases), np.linspace(0.0, 0.1, 3)
    wanted = mb.simulate(model, 0.1, rtol=1e-12, atol=1e-13)
    assert names
    for depth in (2, 3):
        found = mb.simulate(model.open(depth=depth), 0.1, rtol=1e-12, atol=1e-13)
        assert set(names) <= set(found.names)
        for alias in names:
            value = wanted[alias](times)
            scale = max(1.0, np.abs(value).max())
            np.testing.assert_allclose(found[alias](times) / scale, value / scale, atol=1e-9, err_msg=alias)


@pytest.fixture(scope="module")
def bar() -> mb.Model:
    return pendulum().open(depth=3)


def test_components_and_frames_have_their_names(bar: mb.Model) -> None:
    run = mb.simulate(bar, 0.1)
    assert run["bar.velocity"](0.1).shape == (3,) and run["bar.attitude"](0.1).shape == (9,)
    assert run["bar.velocity[1]"](0.1) == run["bar.velocity"](0.1)[1]
    np.testing.assert_array_equal(run["bar.frame.attitude"](0.1), run["bar.attitude"](0.1))
    with pytest.raises(UnknownName, match=r"'bar\.velocity' with 3 components"):
        run["bar.velocity[3]"]
    assert Quantities(run).of("bar.attitude") == ("attitude", "")
    assert Quantities(run).of("bar.position") == ("position", "m")
    assert Quantities(run).of("bar.velocity") == ("flow", "")  # scalar bonds do not tell what they carry
    assert Quantities(mb.simulate(pendulum().open(), 0.1)).of("bar.velocity") == ("velocity", "m/s")


def test_names_of_components_go_through_files(bar: mb.Model, tmp_path: Path) -> None:
    mb.save(bar, tmp_path / "bar.mbg")
    loaded = mb.load(tmp_path / "bar.mbg")
    assert loaded.sheet.names == bar.sheet.names
    np.testing.assert_array_equal(
        mb.simulate(loaded, 0.1)["bar.velocity"](0.1), mb.simulate(bar, 0.1)["bar.velocity"](0.1)
    )


def test_names_follow_a_renamed_component_and_go_with_a_removed_one() -> None:
    model = pendulum().open(depth=3)
    model.rename("bar-mass-2", "heart")
    assert model.sheet.names["bar.velocity"] == "bar-mass-1.f, heart.f, bar-mass-3.f"
    model.remove("bar-mass-3")
    assert "bar.velocity" not in model.sheet.names and "hinge.angle" in model.sheet.names


def test_names_of_a_model_inside_another(bar: mb.Model) -> None:
    outer = mb.Model("outer")
    outer.add(Submodel("inner", bar.sheet))
    run = mb.simulate(outer, 0.1)
    np.testing.assert_array_equal(run["inner.bar.velocity"](0.1), mb.simulate(bar, 0.1)["bar.velocity"](0.1))
