"""The disc with a sliding mass (Tiernego and Bos 1985, first example) against our own reference A03a.

The table comes from Lagrange's equations and from absolute coordinates, which agree to 1e-14.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import rewrite
from multibond.examples import disc
from multibond.lower.system import System

from .table import Check, Reading, compare, table

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
RUNS = {"reference": (0.0, 1.0), "reference_spring": (40.0, 5.0)}
"""By table: stiffness of the spring in the hole [N/m], end [s]."""
FORMS = [(scalar, inverted) for scalar in (False, True) for inverted in (False, True)]


def checks(place: str) -> list[Check]:
    """Every column of the table; X0 and Y0 are the place turned by the disc's angle."""
    paths = ("angle.q", place)
    return [
        Check("gamma", "angle.q"),
        Check("x", place),
        Check("gamma_d", "turn.f"),
        Check("x_d", "along.f"),
        Check("X0", Reading(paths, lambda q, x: (x * np.cos(q))[:, 0])),
        Check("Y0", Reading(paths, lambda q, x: (x * np.sin(q))[:, 0])),
        Check("slot_force_on_mass_y1", "hole.e"),
    ]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(("scalar", "inverted"), FORMS)
def test_trajectory(scalar: bool, inverted: bool, name: str) -> None:
    """Every form of the graph gives every column to 1e-8, and its energy balances."""
    stiffness, until = RUNS[name]
    run = mb.simulate(disc(scalar=scalar, inverted=inverted, stiffness=stiffness), until, **TIGHT)
    compare(run, table("A03a_disc_sliding_mass", name), checks("place.q" if scalar else "place.q[0]"))
    assert run.energy().residual < 1e-9


def test_unfolded() -> None:
    """The 2-bonds unfolded by the program give the same."""
    run = mb.simulate(disc().open(depth=3), 1.0, **TIGHT)
    data = table("A03a_disc_sliding_mass")
    columns = {"angle.q": "gamma", "turn.f": "gamma_d", "along.f": "x_d", "hole.e": "slot_force_on_mass_y1"}
    for name, column in columns.items():
        assert np.abs(run[name](data["t"]) - data[column]).max() < 1e-8, name


def test_energy_at_the_end() -> None:
    """Energy from the table's own last row: kinetic, of height and of the spring, less what friction took."""
    data = table("A03a_disc_sliding_mass", "reference_spring")
    energy = mb.simulate(disc(stiffness=40.0), 5.0, **TIGHT).energy()
    x, x_d, w = (data[name][[0, -1]] for name in ("x", "x_d", "gamma_d"))
    kinetic = 0.5 * 0.05 * w**2 + 0.5 * 0.2 * (x_d**2 + (x * w) ** 2)
    assert energy.kinetic == pytest.approx(kinetic[1] - kinetic[0], abs=1e-8)
    assert energy.gravity == pytest.approx(-0.2 * 9.81 * (data["Y0"][-1] - data["Y0"][0]), abs=1e-8)
    assert energy.elastic == pytest.approx(20.0 * ((x[1] - 0.15) ** 2 - (x[0] - 0.15) ** 2), abs=1e-8)


TILT = 0.7


def test_a_tilted_disc_in_space() -> None:
    """With 3-bonds: in the disc's plane gravity is g cos(tilt), across it the hole carries m g sin(tilt).

    Against Lagrange's equations, integrated independently.
    """

    def rate(_: float, z: np.ndarray) -> list[float]:
        angle, x, w, v = z
        g = 9.81 * np.cos(TILT)
        pull = -0.2 * g * x * np.cos(angle) - 2 * 0.2 * x * v * w
        return [
            w,
            v,
            pull / (0.05 + 0.2 * x**2),
            x * w**2 - g * np.sin(angle) - 0.6 * v / 0.2 - 40.0 * (x - 0.15) / 0.2,
        ]

    t = np.linspace(0.0, 2.0, 81)
    expected = solve_ivp(rate, (0.0, 2.0), [0.0, 0.1, 8.0, 0.0], "DOP853", t, rtol=1e-13, atol=1e-14).y
    for inverted in (False, True):
        run = mb.simulate(disc(tilt=TILT, stiffness=40.0, inverted=inverted), 2.0, **TIGHT)
        found = run.values(["angle.q", "place.q[0]", "turn.f", "along.f"], t)
        assert np.abs(found.T - expected).max() < 1e-8
        assert run["hole.e[1]"](t) == pytest.approx(-0.2 * 9.81 * np.sin(TILT) * np.ones(81), abs=1e-8)
        assert run.energy().residual < 1e-9
    assert mb.causality(disc(tilt=TILT)).independent == 2


# -- what causality tells before the first run -------------------------------------------------------------------------


def momenta(system: System) -> list[str]:
    """States that are momenta."""
    return [name for name in system.state_names if ".p" in name]


@pytest.mark.parametrize(("scalar", "inverted"), FORMS)
def test_two_velocities_are_independent(scalar: bool, inverted: bool) -> None:
    """Two of the three γ', x0' and y0'."""
    found = mb.causality(disc(scalar=scalar, inverted=inverted))
    assert found.independent == 2
    assert "2 of 3 storage components independent" in found.report()


@pytest.mark.parametrize("inverted", [False, True])
def test_the_velocities_of_the_mass_are_the_states(inverted: bool) -> None:
    """With scalar bonds, as in Fig. 11: the disc follows from x0' and y0' through the hole."""
    model = disc(scalar=True, inverted=inverted)
    assert mb.causality(model).dependent == (("rotor", (0,)),)
    assert momenta(mb.compile(model)) == ["mass_x.p", "mass_y.p"]


def test_with_vector_bonds_one_relation_binds_three_momenta() -> None:
    """It is v_1y = x γ', which the hole's zero makes; angle and place are the other three of the order five."""
    assert mb.causality(disc()).dependent == (("mass", (0, 1)),)
    system = mb.compile(disc())
    assert momenta(system) == ["rotor.p", "mass.p[0]", "mass.p[1]"]
    assert mb.explain(system).order - 3 == 2
    run, t = mb.simulate(system, 1.0, **TIGHT), np.linspace(0.0, 1.0, 50)
    angle, place, rate, v_x, v_y = run.values(["angle.q", "place.q[0]", "turn.f", "velocity.f"], t).T
    assert np.abs(v_y * np.cos(angle) - v_x * np.sin(angle) - place * rate).max() < 1e-9


def test_in_space_no_place_on_the_way_round_is_singular() -> None:
    """With the slide as a state steps stay long over five turns, also where cos γ or sin γ vanishes."""
    system = mb.compile(disc(stiffness=40.0, tilt=TILT))
    assert [name for name in system.state_names if ".q" not in name] == ["rotor.p", "slider.u"]
    run = mb.simulate(system, 5.0)
    assert run.statistics.rejected < 10 and np.diff(run.t)[5:-1].min() > 1e-3


def test_the_double_loop_inside_the_transformers() -> None:
    """Drawn from the disc's axes to the world's, the four transformers of A01 hold a zero-order path of class 4.

    With both velocities of the mass given, each 0-junction of A01 drives one of its transformers backwards: v_1x needs
    v_1y for that, and v_1y needs v_1x. The loop is double, one of efforts and against it one of flows.
    """
    found = mb.causality(disc(scalar=True))
    (loop,) = found.of_class(4)
    assert loop.ends == () and loop.loop == "closed"
    transformers = {"across_x", "across_y", "straight_x", "straight_y"}
    assert set(loop.elements) == {*transformers, "into_x", "into_y", "out_of_x", "out_of_y"}
    assert {node.what for node in loop.nodes} == {"effort"} and len(loop.nodes) == 8
    steps = {(link.source, link.target) for link in found.signals.links}
    assert all((link.target.dual, link.source.dual) in steps for link in loop.links), "the loop of flows"
    assert "class 4, closed, in the junction structure: across_x" in found.report()
    assert [form.index for form in found.index] == [2, 1]
    assert "algebraic loops\n  across_x" in str(mb.explain(disc(scalar=True)))


def test_no_loop_after_inverting() -> None:
    """Drawn the other way round the transformers hold no loop, and nothing is left for Newton's method."""
    model = disc(scalar=True, inverted=True)
    found = mb.causality(model)
    assert found.of_class(4) == () and found.algebraic_loops == ()
    assert "algebraic loops\n  none" in str(mb.explain(model))
    assert "Newton" in str(mb.explain(disc(scalar=True)))
    assert "Newton" not in str(mb.explain(model))


def test_inverting_changes_no_motion() -> None:
    """To the tolerance of the runs, of each variable's size."""
    t = np.linspace(0.0, 1.0, 101)
    drawn, inverted = (mb.simulate(disc(scalar=True, inverted=k), 1.0, **TIGHT) for k in (False, True))
    for name in ("angle.q", "place.q", "turn.f", "along.f", "mass_x.p", "mass_y.p"):
        size = np.abs(drawn[name](t)).max()
        assert np.abs(drawn[name](t) - inverted[name](t)).max() < 1e-11 * size, name


# -- the same from the edge list with vector bonds, opened to scalar ones ----------------------------------------------


AS_IN_THE_PAPER = {"mass-1": "integral", "mass-2": "integral"}
"""Tiernego and Bos choose x0' and y0' of the mass as the two independent velocities (Fig. 11)."""
ENTRIES = {"A01-11", "A01-12", "A01-21", "A01-22"}


def test_fig_11_from_the_edge_list() -> None:
    """By hand: x0' and y0' are given, so each 0-junction behind A01 has one flow too many and sends one back.

    v1 = (v1x, v1y) then needs itself: the loop is x0' = a11 v1x + a12 v1y solved for one, y0' = a21 v1x + a22 v1y for
    the other. v1y and y' = 0 leave the turning to be read backwards through the lever's x, γ' = v1y/x; -y γ' passes
    forwards, and x' = v1x + y γ' is what is left. So the rotor follows, and two of three velocities are independent.
    """
    opened = disc().open(depth=3)
    found = mb.causality(opened, prefer=AS_IN_THE_PAPER)
    assert found.faults == () and found.conflicts == ()
    assert found.independent == 2 and found.dependent == (("rotor", (0,)),)
    (loop,) = found.of_class(4)
    assert loop.ends == () and loop.loop == "closed" and found.algebraic_loops == (loop,)
    assert set(loop.elements) == {*ENTRIES, "A01-in_1", "A01-in_2", "A01-out_1", "A01-out_2"}
    assert {node.what for node in loop.nodes} == {"effort"} and len(loop.nodes) == 8
    steps = {(link.source, link.target) for link in found.signals.links}
    assert all((link.target.dual, link.source.dual) in steps for link in loop.links), "the loop of flows"
    assert set(found.strokes.divided) - ENTRIES == {"lever-21"} and len(found.strokes.divided) == 3
    assert "passed against their one way, by dividing by the modulus\n  A01-1" in found.report()
    assert mb.causality(opened).of_class(4) == (), "the other choice, γ' and x', has none"


def test_the_loop_of_the_edge_list_is_gone_after_inverting_A01() -> None:
    opened = disc().open(depth=3)
    assert rewrite.sites(opened, "invert blocks") == ()
    done = rewrite.apply(opened, "invert blocks", prefer=AS_IN_THE_PAPER)
    assert [set(site.elements) for site in done.sites] == [ENTRIES]
    found = mb.causality(done.after, prefer=AS_IN_THE_PAPER)
    assert found.faults == () and found.conflicts == ()
    assert found.algebraic_loops == () and found.strokes.divided == ("lever-21",)
    assert found.independent == 2 and found.dependent == (("rotor", (0,)),)


@pytest.mark.parametrize("name", RUNS)
def test_with_and_without_the_loop_the_motion_is_the_same(name: str) -> None:
    stiffness, until = RUNS[name]
    opened = disc(stiffness=stiffness).open(depth=3)
    turned = rewrite.apply(opened, "invert blocks", prefer=AS_IN_THE_PAPER)
    data = table("A03a_disc_sliding_mass", name)
    for graph in (opened, turned.after, turned.model):
        system = mb.compile(graph, prefer=AS_IN_THE_PAPER)
        assert momenta(system) == ["mass-1.p", "mass-2.p", "rotor.p"]
        run = mb.simulate(system, until, **TIGHT)
        compare(run, data, checks("place.q[0]"))
        assert run.energy().residual < 1e-9


def test_inverting_by_rewriting() -> None:
    """The rewrite turns A01 of the graph with 2-bonds round: flows the other way, the same motion."""
    done = rewrite.apply(disc(), "invert transformers", rewrite.sites(disc(), "invert transformers")[0])
    assert done.sites[0].elements == ("A01",)
    data = table("A03a_disc_sliding_mass")
    run = mb.simulate(done.after, 1.0, **TIGHT)
    for name, column in (("angle.q", "gamma"), ("turn.f", "gamma_d"), ("along.f", "x_d")):
        assert np.abs(run[name](data["t"]) - data[column]).max() < 1e-8, name


def test_opening_the_loop_by_a_break_variable() -> None:
    """The other cure: the loop cut open, an unknown effort that keeps both ends at one flow; the same motion."""
    done = rewrite.apply(disc(scalar=True), "open cycles")
    assert mb.causality(done.after).of_class(4) == ()
    data, run = table("A03a_disc_sliding_mass"), mb.simulate(done.after, 1.0, **TIGHT)
    for name, column in (("angle.q", "gamma"), ("place.q", "x"), ("turn.f", "gamma_d"), ("along.f", "x_d")):
        assert np.abs(run[name](data["t"]) - data[column]).max() < 1e-8, name
