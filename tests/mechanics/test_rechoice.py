"""Minimal coordinates beyond the dead points of the velocities that they begin with."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp
from multibond.errors import SimulationError

T = np.linspace(0.0, 3.0, 61)


def led_by_its_slider() -> mb.Model:
    """A slider crank whose slider has given start values, so that minimal coordinates begin with the slider's speed."""
    model = mb.Model("pump")
    model.add(pl.World(gravity=(0.0, -9.81)))
    model.add(pl.Revolute("A", angle=mb.Guess(1.0)))
    model.add(pl.Revolute("B", angle=mb.Guess(-1.4)))
    model.add(pl.Revolute("C", angle=mb.Guess(0.4)))
    model.add(pl.Prismatic("P", (1.0, 0.0), position=0.6, speed=-4.0))
    model.add(pl.Body("crank", 1.0, 0.05, (0.15, 0.0)))
    model.add(pl.Body("rod", 0.7, 0.02, (0.3, 0.01)))
    model.add(pl.Body("piston", 0.4, 0.01))
    model.add(pl.Rod("crank_arm", (0.3, 0.0)))
    model.add(pl.Rod("rod_arm", (0.55, 0.0)))
    for a, b in (
        ("world.frame", "A.frame_a"),
        ("A.frame_b", "crank.frame"),
        ("crank.frame", "crank_arm.frame_a"),
        ("crank_arm.frame_b", "B.frame_a"),
        ("B.frame_b", "rod.frame"),
        ("rod.frame", "rod_arm.frame_a"),
        ("rod_arm.frame_b", "C.frame_a"),
        ("C.frame_b", "piston.frame"),
        ("piston.frame", "P.frame_b"),
        ("P.frame_a", "world.frame"),
    ):
        model.connect(a, b)
    return model


@pytest.fixture(scope="module")
def runs() -> dict[str, mb.Run]:
    watch = {"A.angle": (3.0, 1)}
    model = led_by_its_slider()
    made = {method: mb.simulate(model, 3.0, method=method, rtol=1e-11, events=watch) for method in ("auto", "minimal")}
    scalar = mb.compile(model, "minimal", depth=3)
    return made | {"scalar": mb.simulate(scalar, 3.0, rtol=1e-11, events=watch)}


@pytest.mark.parametrize("form", ["minimal", "scalar"])
def test_the_slider_leads_and_hands_over(runs: dict[str, mb.Run], form: str) -> None:
    """It begins with the slider, turns over several times, and moves and loads its joints as the plain machine does."""
    plain, run = runs["auto"], runs[form].check()
    assert run.system.origin is not None and run.system.origin.velocities == ("P",)
    led = [piece.system.origin.velocities for piece in run.pieces if piece.system.origin is not None]
    print([(names, round(float(p.trajectory.t[0]), 3)) for names, p in zip(led, run.pieces, strict=True)])
    assert ("P",) in led and len(set(led)) > 1
    assert np.ptp(plain["A.angle"](T)) > 4 * np.pi
    for name in ("A.angle", "B.angle", "C.angle", "P.position", "A.speed", "P.speed"):
        np.testing.assert_allclose(run[name](T), plain[name](T), rtol=0, atol=1e-8, err_msg=name)
    for joint in "ABCP":
        for what in ("reaction_force", "reaction_torque"):
            wanted = plain[f"{joint}.{what}"](T)
            error = np.abs(run[f"{joint}.{what}"](T) - wanted).max() / max(1.0, np.abs(wanted).max())
            assert error < 1e-8, (joint, what, error)


def test_energy_and_crossings_go_on_over_every_choice(runs: dict[str, mb.Run]) -> None:
    plain, run = runs["auto"], runs["minimal"]
    assert run.energy().residual < 1e-8
    times = [[event.time for event in each.events] for each in (plain, run)]
    assert times[0] and len(times[0]) == len(times[1])
    np.testing.assert_allclose(times[1], times[0], rtol=0, atol=1e-8)


def test_few_choices_serve_many_turns(runs: dict[str, mb.Run]) -> None:
    """A choice that served before is taken up again."""
    systems = {id(piece.system) for piece in runs["minimal"].pieces}
    assert len(systems) <= 3


def test_a_mass_on_a_rod_goes_round() -> None:
    """Of three Cartesian velocities two are independent, never the same two for long."""
    model = mb.Model("sling")
    model.add(sp.World())
    model.add(sp.FreeTranslation("way", (0.6, -0.8, 0.0), (8.0, 6.0, 0.5)))
    model.add(sp.SphericalSpherical("rod", 1.0))
    model.add(sp.PointMass("stone", 1.0))
    model.connect("world.frame", "way.frame_a", "rod.frame_a")
    model.connect("way.frame_b", "rod.frame_b", "stone.frame")
    plain, run = (mb.simulate(model, 3.0, method=method, rtol=1e-11).check() for method in ("auto", "minimal"))
    assert len(run.pieces) > 10 and len({id(piece.system) for piece in run.pieces}) <= 3
    for name in ("way.position", "way.velocity", "rod.force"):
        wanted = plain[name](T)
        np.testing.assert_allclose(run[name](T), wanted, rtol=0, atol=1e-8 * np.abs(wanted).max(), err_msg=name)
    distance = np.linalg.norm(run["way.position"](T), axis=1)
    np.testing.assert_allclose(distance, 1.0, rtol=0, atol=1e-9)


def parallelogram() -> mb.Model:
    """Four hinges that come into line every half turn: 0.7 + 3 t is the angle of A, and B turns against it."""
    model = mb.Model("parallelogram")
    model.add(pl.World(gravity=(0.0, 0.0)))
    model.add(pl.Revolute("A", angle=0.7, speed=3.0))
    model.add(pl.Revolute("B", angle=mb.Guess(-0.7)))
    model.add(pl.Revolute("C", angle=mb.Guess(0.7)))
    model.add(pl.Revolute("D", angle=mb.Guess(0.7)))
    model.add(pl.Rod("ground", (0.8, 0.0)))
    for name, length in (("left", 0.3), ("bar", 0.8), ("right", 0.3)):
        model.add(pl.Body(name, 1.0, 0.02, (0.5 * length, 0.0)))
        model.add(pl.Rod(f"{name}_arm", (length, 0.0)))
        model.connect(f"{name}.frame", f"{name}_arm.frame_a")
    for a, b in (
        ("world.frame", "A.frame_a"),
        ("A.frame_b", "left.frame"),
        ("left_arm.frame_b", "B.frame_a"),
        ("B.frame_b", "bar.frame"),
        ("bar_arm.frame_b", "C.frame_a"),
        ("C.frame_b", "right_arm.frame_b"),
        ("right.frame", "D.frame_b"),
        ("D.frame_a", "ground.frame_b"),
        ("ground.frame_a", "world.frame"),
    ):
        model.connect(a, b)
    return model


@pytest.mark.parametrize("rtol", [1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
def test_a_position_in_line_is_passed_or_refused(method: str, rtol: float) -> None:
    """Free of loads all bars only swing; minimal coordinates may end by name, where they cannot tell."""
    try:
        run = mb.simulate(parallelogram(), 3.0, method=method, rtol=rtol).check()
    except SimulationError as error:
        assert method == "minimal" and "singular" in str(error) and "'auto'" in str(error)
        assert error.run is not None
        run = error.run
    times = T[run.t[-1] >= T]
    assert times.size > 10
    near = max(1e-7, 10 * rtol)  # six passages, each of which costs some of the tolerance
    np.testing.assert_allclose(run["A.angle"](times), 0.7 + 3.0 * times, rtol=0, atol=near)
    np.testing.assert_allclose(run["B.angle"](times), -0.7 - 3.0 * times, rtol=0, atol=near)


def test_where_no_velocity_leads_the_joint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other choice may be good enough: then the run ends in words, and what there is of it is kept."""
    monkeypatch.setattr("multibond.solve.rechoice.BETTER", 1e9)
    with pytest.raises(SimulationError) as caught:
        mb.simulate(led_by_its_slider(), 3.0, method="minimal").check()
    assert "'P'" in str(caught.value) and "method 'auto'" in str(caught.value)
    assert caught.value.run is not None and 0.1 < caught.value.run.t[-1] < 0.2


def test_a_choice_can_be_run_on_its_own(runs: dict[str, mb.Run]) -> None:
    """A system chosen on the way begins in the motion in which it was chosen."""
    piece = runs["minimal"].pieces[1]
    alone = mb.simulate(piece.system, 0.1)
    assert alone["A.speed"](0.0) == pytest.approx(runs["auto"]["A.speed"](piece.trajectory.t[0]), rel=1e-7)


def test_with_stops_the_cure_is_another_method() -> None:
    """Where modes change, minimal coordinates keep the velocities they began with, and end at their dead point."""
    model = led_by_its_slider()
    model.set("A.friction", 0.01)
    with pytest.raises(SimulationError, match="method 'auto'"):
        mb.simulate(model, 3.0, method="minimal").check()
