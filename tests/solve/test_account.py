"""The account of a run: small for rightly simulated motions, loud where states were tampered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import ArrayLike

import multibond as mb
from multibond import blocks
from multibond import planar as pl
from multibond import spatial as sp
from multibond import translational as tr
from multibond.equations import core
from multibond.errors import SimulationError
from multibond.examples import EXAMPLES
from multibond.solve.continuity import breaks
from multibond.solve.contract import Trajectory, Vector
from multibond.solve.corners import first_corner
from multibond.solve.gaps import gaps
from multibond.solve.momentum import Momentum
from multibond.solve.solution import Piece

SILENT = ["slider_crank", "four_bar", "rectifier", "gyroscope", "motor_pendulum", "electric_circuit"]


@dataclass(frozen=True)
class Spoilt(Trajectory):
    """A trajectory whose states are changed as a function of time."""

    inner: Trajectory
    change: Callable[[Vector], Vector]

    def at(self, times: ArrayLike) -> Vector:
        wanted = np.atleast_1d(np.asarray(times, float))
        return self.inner.at(wanted) + self.change(wanted)


def spoil(run: mb.Run, change: Callable[[Vector], Vector]) -> mb.Run:
    (piece,) = run.pieces
    old = piece.trajectory
    fresh = Spoilt(old.t, old.x + change(old.t), old.events, old.status, old.statistics, old.method, old, change)
    return replace(run, pieces=(Piece(piece.system, fresh),))


def place(run: mb.Run, path: str, name: str) -> int:
    found = run.system.dae.place_of_state(path, name)
    assert found is not None
    return found.start


def row(
    count: int, *, arm: float = 0.4, base: float = 1.0, speed: float = 5.0, friction: float | None = None
) -> mb.Model:
    """Cranks in a row, each joined to the next by a bar as long as the ground between them; no gravity."""
    model = mb.Model("row")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    tip = None
    for k in range(count + 1):
        given = {"speed": speed} | ({} if friction is None else {"friction": friction}) if k == 0 else {}
        hinge = model.add(sp.Revolute(f"A{k}", angle=1.0 if k == 0 else mb.Guess(1.0), **given))
        ground = world.frame
        if k:
            rod = model.add(sp.Rod(f"ground{k}", (base * k, 0.0, 0.0)))
            model.connect(world.frame, rod.frame_a)
            ground = rod.frame_b
        model.connect(ground, hinge.frame_a)
        root, end = bar(model, f"crank{k}", arm)
        model.connect(hinge.frame_b, root)
        if tip is not None:
            B, C = model.add(sp.Revolute(f"B{k}", angle=mb.Guess(-1.0))), model.add(sp.Revolute(f"C{k}"))
            first, last = bar(model, f"coupler{k}", base)
            model.connect(tip, B.frame_a)
            model.connect(B.frame_b, first)
            model.connect(last, C.frame_a)
            model.connect(end, C.frame_b)
        tip = end
    return model


def bar(model: mb.Model, name: str, length: float) -> tuple:
    moment = length**2 / 12
    body = model.add(sp.Body(name, mass=1.0, inertia=(0.0, moment, moment), centre=(length / 2, 0.0, 0.0)))
    rod = model.add(sp.Rod(f"{name}_rod", (length, 0.0, 0.0)))
    model.connect(body.frame, rod.frame_a)
    return body.frame, rod.frame_b


# -- motions that are right --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_found_in_examples(name: str) -> None:
    made = mb.simulate(EXAMPLES[name](), 1.0).audit()
    assert made.ok and "nothing is wrong" in str(made)
    assert made.energy.residual < 1e-8 and all(gap.gap < 1e-9 for gap in made.gaps)
    assert made.momentum is None or made.momentum.residual < 1e-8
    assert max((jump.part for jump in made.defects), default=0.0) < 1e-7


def test_a_linkage_that_turns_freely_has_a_scale() -> None:
    """A parallelogram without weights turns evenly: nothing is turned over but its kinetic energy, 2 J + a² (v/a)²."""
    energy = mb.simulate(row(1), 1.0).energy()
    assert energy.turnover < 1e-9
    assert energy.level == pytest.approx(0.5 * (2 * 0.4**2 / 3 + 0.4**2) * 25.0, rel=1e-9)
    assert energy.residual < 1e-9


def test_nothing_stored_and_nothing_moved_is_no_fault() -> None:
    energy = mb.simulate(row(1, speed=0.0), 1.0).energy()
    assert (energy.scale, energy.residual) == (0.0, 0.0)


def test_springs_in_the_place_of_joints_take_their_share() -> None:
    """By `rc` the stand-ins for the constraints store and lose energy, which has a column of its own."""
    energy = mb.simulate(EXAMPLES["pendulum"](), 1.0, method="rc").energy()
    assert energy.parasitic > 1e-6 * energy.scale
    assert energy.residual < 1e-9


def test_energy_turned_over_adds_up_over_changes_of_mode() -> None:
    """1 F at 1 V through 1 Ohm, from 0.5 s also through 0.5 Ohm: what it gives is turned over once, and lost."""
    model = mb.Model("discharge")
    node = model.add(mb.Zero("node"))
    model.bond(node, mb.C("tank", 1.0, start=1.0))
    model.bond(node, mb.R("leak", 1.0))
    branch, switch = model.add(mb.One("branch")), mb.Switch("switch", control=mb.t >= 0.5)
    model.bond(node, branch)
    model.bond(branch, mb.R("valve", 0.5))
    model.bond(branch, switch)
    energy = mb.simulate(model, 1.0).energy()
    given = 0.5 * (1.0 - np.exp(-2.0 * (0.5 + 3.0 * 0.5)))
    assert energy.turnover == pytest.approx(given, rel=1e-8)
    assert energy.dissipated == pytest.approx(given, rel=1e-8)


@pytest.mark.parametrize("method", ["auto", "multiplier", "minimal"])
def test_all_rows_are_looked_at_with_every_method(method: str) -> None:
    rows = {gap.row for gap in mb.simulate(EXAMPLES["slider_crank"](), 0.5, method=method).audit().gaps}
    assert {"C rotation 0", "C rotation 1", "C translation 0", "C translation 1", "C translation 2"} <= rows


def test_hits_explain_jumps() -> None:
    model = mb.Model("stopped")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hip", angle=0.5, lower=-0.3, restitution=0.6))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bar(model, "leg", 1.0)[0])
    run = mb.simulate(model, 3.0)
    assert run.hits and run.audit().ok and not run.audit().breaks
    assert "'hip.speed' jumps." in str(replace(run, hits=(), changes=()).audit())


# -- motions that were tampered with -----------------------------------------------------------------------------------


def test_a_jump_of_a_speed_within_a_step_is_told() -> None:
    run = mb.simulate(EXAMPLES["pendulum"](), 1.0)
    k, n = place(run, "hinge.motion", "u"), run.system.n
    made = spoil(run, lambda t: 1e-3 * np.outer(t > 0.5, np.eye(n)[k])).audit()
    assert not made.ok and made.defects[0].name == "hinge.speed"
    assert made.defects[0].amount == pytest.approx(1e-3, rel=0.2)
    assert "'hinge.speed' does not follow its equation." in str(made)


def test_a_position_that_creeps_off_is_told_by_its_rows() -> None:
    """As where a row is dropped: the coordinate and its rate go together, and only the closing joint opens."""
    run = mb.simulate(EXAMPLES["slider_crank"](), 1.0)
    made = spoil(run, lambda t: 1e-5 * np.outer(t, np.eye(run.system.n)[place(run, "B.motion", "q")])).audit()
    assert made.gaps[0].row.startswith("C translation") and made.gaps[0].gap > 1e-6
    assert any("the constraint 'C translation" in f.problem and f.paths == ("C",) for f in made.findings)


def test_a_row_that_was_dropped_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row more than those that repeat others is left without a pivot."""
    original = core.generic_rank

    def careless(*given: list[np.ndarray]) -> int:
        return original(*given) - 1

    monkeypatch.setattr(core, "generic_rank", careless)
    made = outcome(EXAMPLES["slider_crank"](), 0.5)[0].audit()
    assert not made.ok and any(f.problem.startswith("the constraint 'C ") for f in made.findings)


def test_a_piece_of_another_motion_is_told() -> None:
    """Half of one run and half of another that is there with another speed: a swapped branch."""
    runs = [mb.simulate(EXAMPLES["pendulum"](), until) for until in (0.5, 1.0)]
    k, n = place(runs[0], "hinge.motion", "u"), runs[0].system.n
    second = spoil(runs[1], lambda t: -2.0 * runs[1].states(t) * np.eye(n)[k])
    late = second.pieces[0].trajectory
    cut = replace(late, t=np.append(0.5, late.t[late.t > 0.5]), x=late.at(np.append(0.5, late.t[late.t > 0.5])))
    run = replace(runs[0], pieces=(runs[0].pieces[0], Piece(runs[0].system, cut)))
    made = run.audit()
    assert made.breaks[0].name == "hinge.speed" and "'hinge.speed' jumps." in str(made)


def test_a_run_of_another_weight_is_told_by_energy_and_momentum() -> None:
    run = mb.simulate(EXAMPLES["pendulum"](), 1.0)
    other = mb.with_parameters(run.system, {"world.gravity": (0.0, -9.9, 0.0)})
    made = replace(run, pieces=tuple(Piece(other, piece.trajectory) for piece in run.pieces)).audit()
    problems = [finding.problem for finding in made.findings]
    assert problems[0] == "the energy does not balance."
    assert made.to_dict()["ok"] is False and "1 finding" not in repr(made)


def test_momentum_tells_a_wrong_force_of_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibond.solve import momentum

    run = mb.simulate(EXAMPLES["four_bar"](), 0.5)
    assert run.audit().momentum.residual < 1e-9
    right = momentum._given_by
    monkeypatch.setattr(
        momentum, "_given_by", lambda graph, path, at: right(graph, path, at) * (-1 if "world" in path else 1)
    )
    assert "the momentum of all bodies does not balance." in str(run.audit())


def test_what_is_left_of_momentum_is_counted_in_its_scale() -> None:
    assert Momentum((1.0, 0.0, -3.0), (1.0, 0.0, 1.0), 8.0).residual == 0.5
    assert Momentum((0.0, 0.0, 1e-15), (0.0, 0.0, 0.0), 0.0).residual == 1e-15


def test_momentum_counts_drag_of_one_s_own_and_what_is_turned_over() -> None:
    """2 kg sink in air of 3 N.s/m, drawn as a bond graph of one's own: v = g m/k (1 - e^(-kt/m))."""
    model = mb.Model("sinking")
    model.add(sp.World())
    model.add(sp.FreeTranslation("way"))
    body = model.add(sp.Body("body", 2.0, (0.1, 0.1, 0.1), centre=(0.1, 0.0, 0.0)))
    plug = model.add(mb.wiring.FrameBonds("plug"))
    v, w = model.add(mb.One("v", size=3)), model.add(mb.One("w", size=3))
    model.connect("world.frame", "way.frame_a")
    model.connect("way.frame_b", body.frame, plug.frame)
    model.bond(plug.translation, v)
    model.bond(plug.rotation, w)
    model.bond(v, mb.R("air", 3.0, size=3))
    run = mb.simulate(model, 4.0)
    falling = 9.81 * 2.0 / 3.0 * (1.0 - np.exp(-6.0))
    assert run["body.velocity"](4.0)[1] == pytest.approx(-falling, abs=1e-7)
    found = run.audit().momentum
    assert found is not None and found.residual < 1e-9
    assert found.change[1] == pytest.approx(-2.0 * falling, rel=1e-7)
    assert found.scale > 2.0 * falling


def test_a_speed_that_goes_on_through_sticking_and_sampling_is_no_break() -> None:
    """A mass on a spring slides, sticks and is pushed on by a sampled controller: its pieces hang together."""
    model = mb.Model("to and fro")
    mass, spring = model.add(tr.Mass("mass", 2.0)), model.add(tr.Spring("spring", 50.0, length=0.5))
    shoe, wall = model.add(tr.Friction("shoe", 4.0)), model.add(tr.Fixed("wall"))
    force, place = model.add(tr.Force("force")), model.add(tr.PositionSensor("place"))
    pid = model.add(blocks.DiscretePID("pid", 5.0, period=0.1))
    model.connect(wall.flange, spring.flange_a, shoe.flange_a)
    model.connect(mass.flange, spring.flange_b, shoe.flange_b, force.flange, place.flange)
    goal = model.add(blocks.Constant("goal", 0.1))
    model.signal(goal.y, pid.setpoint)
    model.signal(place.position, pid.measured)
    model.signal(pid.y, force.input)
    run = mb.simulate(model, 2.0)
    assert len(run.pieces) > 2
    assert all(jump.part < 1e-6 for jump in breaks(run))


def test_of_a_row_the_worst_gap_of_all_pieces_is_told() -> None:
    run = mb.simulate(EXAMPLES["four_bar"](), 0.5)
    off = spoil(run, lambda t: 1e-5 * np.ones((t.size, run.system.n)))
    for pieces in ((*off.pieces, *run.pieces), (*run.pieces, *off.pieces)):
        assert gaps(replace(run, pieces=pieces))[0].gap == gaps(off)[0].gap > 1e-6


def sledge() -> mb.Model:
    """A sledge on a spring that hits a stop, an arm hinged to it, and loads from the world, all in a plane."""
    model = mb.Model("sledge")
    world, far = model.add(pl.World()), model.add(pl.Fixed("far", (1.0, 0.5)))
    rail = model.add(pl.Prismatic("rail", (1, 0.5), stiffness=30.0, damping=0.3, upper=0.02))
    arm, rod = (
        model.add(pl.Revolute("arm", angle=0.4, torque=0.3, friction=0.1)),
        model.add(pl.Rod("rod", (0.4, 0), angle=0.2)),
    )
    parts = (pl.Body("body", 2.0, 0.1, centre=(0.1, 0.2)), pl.Body("tip", 1.0, 0.02), pl.Spring("hook", 12.0))
    body, tip, hook = (model.add(part) for part in parts)
    oil, push = model.add(pl.Damper("oil", 0.4)), model.add(pl.Force("push", (3.0, lambda t: 2 * mb.sin(5 * t))))
    model.connect(world.frame, rail.frame_a, oil.frame_a)
    model.connect(rail.frame_b, body.frame, arm.frame_a)
    model.connect(arm.frame_b, rod.frame_a)
    model.connect(rod.frame_b, tip.frame, hook.frame_b, oil.frame_b, push.frame)
    model.connect(far.frame, hook.frame_a)
    return model


@pytest.mark.parametrize(
    ("method", "part"), [("auto", "far"), ("multiplier", "world"), ("minimal", "weight"), ("auto", "push")]
)
def test_momentum_is_looked_at_in_the_plane(method: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from multibond.solve import momentum

    run = mb.simulate(sledge(), 1.0, method=method)
    made = run.audit()
    assert made.ok and made.momentum is not None and len(made.momentum.change) == 2
    assert made.momentum.residual < 1e-8 and made.momentum.scale > 1.0
    right = momentum._given_by
    monkeypatch.setattr(
        momentum, "_given_by", lambda graph, path, at: right(graph, path, at) * (-1 if part in path else 1)
    )
    assert "the momentum of all bodies does not balance." in str(run.audit())


def test_momentum_is_looked_at_by_minimal_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibond.solve import momentum

    run = mb.simulate(EXAMPLES["four_bar"](), 0.5, method="minimal")
    assert run.audit().momentum.residual < 1e-9
    right = momentum._given_by
    monkeypatch.setattr(
        momentum, "_given_by", lambda graph, path, at: right(graph, path, at) * (-1 if "world" in path else 1)
    )
    assert "the momentum of all bodies does not balance." in str(run.audit())


# -- motions that leave their branch -----------------------------------------------------------------------------------


def outcome(model: mb.Model, until: float) -> tuple[mb.Run, str]:
    try:
        return mb.simulate(model, until), ""
    except SimulationError as error:
        assert isinstance(error.run, mb.Run)
        return error.run, str(error)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_row_of_parallelograms_turns_evenly(count: int) -> None:
    """Without weights all cranks turn at 5 rad/s for ever, however many come into line together."""
    run = mb.simulate(row(count), 3.0).check()
    t = np.linspace(0.0, 3.0, 200)
    assert np.abs(run["A0.speed"](t) - 5.0).max() < 1e-7


def test_a_parallelogram_with_friction_turns_on() -> None:
    run = mb.simulate(row(1, speed=8.0, friction=0.01), 3.0).check()
    t = np.linspace(0.0, 3.0, 200)
    slowed = 8.0 - 0.01 / (2 * 0.4**2 / 3 + 0.4**2) * t
    assert np.abs(run["A0.speed"](t) - slowed).max() < 1e-7


def test_a_hard_spring_turns_a_motion_but_is_no_corner() -> None:
    """At 1e12 N.m/rad the crank turns back again and again within millionths of a radian."""
    model = row(1)
    model.set("A0.stiffness", 1e12)
    model.set("A0.rest", 1.0)
    run = mb.simulate(model, 2e-5)
    assert np.ptp(run["A0.angle"].values) < 1e-5 and run["A0.speed"].values.min() < -4.9
    assert first_corner(run.pieces) is None
