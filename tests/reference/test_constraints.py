"""How well constraints are kept: exactly by default, and as well as the springs are stiff by the method "rc"."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from tests.compiled import run_of
from tests.rotation import tenth

import multibond as mb
from multibond import spatial as sp
from multibond.examples import EXAMPLES, four_bar, planar_loop, slider_crank
from multibond.solve.solution import Solution

from . import machines
from .table import table

CHUNK = 100_000


def worst_gap(run: Solution, between: int) -> float:
    """The largest displacement at the cut joints, at so many points inside every step  [m or rad]."""
    system, whole = run.system, run.system.reduced.whole
    gap = ca.Function("gap", [whole.t, whole.x, whole.p], [ca.mmax(ca.fabs(whole.gap))])
    inside = np.linspace(0.0, 1.0, between, endpoint=False)
    times = (run.t[:-1, None] + np.diff(run.t)[:, None] * inside).ravel()
    worst = 0.0
    for first in range(0, times.size, CHUNK):
        t = times[first : first + CHUNK]
        p = np.repeat(system.parameters[:, None], t.size, axis=1)
        found = np.asarray(gap.map(t.size)(t[None, :], run.states(t).T, p))
        assert np.isfinite(found).all()
        worst = max(worst, float(found.max()))
    return worst


LOOPS: dict[str, Callable[[], mb.Model]] = {
    "A02, hyperstatic": slider_crank,
    "A02, isostatic": lambda: slider_crank(joints="isostatic"),
    "A05g": four_bar,
    "A05h": machines.four_bar_in_space,
    "A05h, hinges": lambda: machines.four_bar_in_space("hinges"),
    "A05i": machines.rssr,
    "A05i, rod": lambda: machines.rssr("rod"),
}


def arm(length: float, angle: np.ndarray) -> np.ndarray:
    """The end of an arm in a plane, one row a time."""
    return length * np.column_stack([np.cos(angle), np.sin(angle)])


def slider_apart(angle: np.ndarray, place: np.ndarray) -> np.ndarray:
    """How much the rod of the slider crank is too long."""
    return np.linalg.norm(np.column_stack([place, 0 * place]) - arm(0.2, angle), axis=1) - 1.0


def four_bar_apart(crank: np.ndarray, rocker: np.ndarray) -> np.ndarray:
    """How much the coupler is too long."""
    return np.linalg.norm(arm(0.7, rocker) - arm(0.3, crank) + (1.0, 0.0), axis=1) - 0.9


def fourbar1_apart(crank: np.ndarray, place: np.ndarray, turn: np.ndarray, lift: np.ndarray) -> np.ndarray:
    """How far the ends of crank and bar are apart."""
    (c, s), (a, b), (e, f) = ((np.cos(q), np.sin(q)) for q in (crank, turn, lift))
    tip = np.column_stack([0 * c, 0.5 * c - 0.1 * s, 0.5 * s + 0.1 * c])
    x, y, z = -e - 0.3 * f, 0.3 * e - f, 0.1
    end = np.column_stack([1.2 + place + a * x + b * z, 0.2 + y, -b * x + a * z])
    return np.linalg.norm(end - tip, axis=1)


def rssr_apart(crank: np.ndarray, rocker: np.ndarray) -> np.ndarray:
    """How much the coupler is too long."""
    B, C = arm(0.2, crank), arm(0.5, rocker)
    reach = np.column_stack([0.3 - B[:, 0], 0.9 + C[:, 0] - B[:, 1], C[:, 1]])
    return np.linalg.norm(reach, axis=1) - 0.95588526513372


CLOSURES: dict[str, tuple[Callable[..., np.ndarray], list[str]]] = {
    "A02": (slider_apart, ["O.angle", "guide.position"]),
    "A05g": (four_bar_apart, ["O.angle", "D.angle"]),
    "A05h": (fourbar1_apart, ["j1.angle", "j2.position", "rev.angle", "rev1.angle"]),
    "A05i": (rssr_apart, ["crank_joint.angle", "rocker_joint.angle"]),
}
"""By reference how far the loop gapes, from its coordinates by plain geometry, and which these are."""


def worst_closure(run: Solution, name: str) -> float:
    """The largest gap by geometry, at ten points in every step  [m]."""
    apart, paths = CLOSURES[name.partition(",")[0]]
    t = np.interp(np.arange(10 * (run.t.size - 1)) / 10, np.arange(run.t.size), run.t)
    return float(np.abs(apart(*run.values(paths, t).T)).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", tenth(list(LOOPS), of="loops for 100 seconds"))
def test_a_loop_stays_together_for_100_seconds(name: str) -> None:
    """Default settings, 20 points in every step: 1e-9 of the mechanism's length, 1e-8 of the energy turned over."""
    run = mb.simulate(LOOPS[name](), 100.0).check()
    worst, energy = worst_gap(run, 20) / run.system.length, run.energy()
    print(f"{len(run.t)} steps, worst gap {worst:.1e} of the length {run.system.length:.3g} m")
    closure = worst_closure(run, name) / run.system.length
    print(f"by geometry {closure:.1e} of the length")
    print(f"energy off by {energy.imbalance:.1e} J, {energy.residual:.1e} of the {energy.turnover:.4g} J turned over")
    assert worst <= 1e-9 and closure <= 1e-9
    assert energy.residual <= 1e-8


def own_energy(run: Solution, bodies: dict[str, sp.Body | sp.Cylinder], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energy and height of bodies from their positions and velocities alone  [J]."""
    kinetic, height, down = np.zeros(t.size), np.zeros(t.size), run.system.recipe.model["world"].gravity
    for name, body in bodies.items():
        tensor = np.asarray(body.inertia, float)
        J = np.diag(tensor) if tensor.ndim == 1 else tensor
        v, w = run[f"{name}.velocity"](t), run[f"{name}.angular_velocity"](t)
        kinetic += 0.5 * float(body.mass) * (v**2).sum(axis=1) + 0.5 * np.einsum("ki,ij,kj->k", w, J, w)
        height -= float(body.mass) * run[f"{name}.position"](t) @ down
    return kinetic, height


@pytest.mark.slow
@pytest.mark.parametrize("name", ["A05g", "A05h", "A05i"])
def test_the_energy_of_a_loop_without_losses(name: str) -> None:
    """Kinetic energy and height, taken from the bodies and not from the audit, over 100 s.

    At default settings, against the largest kinetic energy: a measure that does not grow with the run.
    """
    model = LOOPS[name]()
    run = mb.simulate(model, 100.0).check()
    bodies = {part.name: part for part in model.components if isinstance(part, sp.Body | sp.Cylinder)}
    kinetic, height = own_energy(run, bodies, run.t)
    total = kinetic + height
    drift = np.abs(total - total[0]).max() / kinetic.max()
    print(f"{name}: the energy of {total[0]:.4g} J drifts by {drift:.1e} of the largest kinetic energy")
    assert len(bodies) == 3 and drift <= 1e-8
    assert run.energy().kinetic == pytest.approx(kinetic[-1] - kinetic[0], abs=1e-9 * kinetic.max())


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("machine", [slider_crank, four_bar, planar_loop])
def test_loops_stay_together(machine: Callable[[], mb.Model], method: str) -> None:
    run = mb.simulate(machine(), 2.0, method=method).check()
    worst = worst_gap(run, 20) / run.system.length
    print(f"{len(run.t)} steps, worst gap {worst:.1e} of the length")
    assert worst <= 1e-9


def softened(stiffness: float, damping: float) -> mb.Parasitic:
    """The same stiffness and damping for turns and slides."""
    return mb.Parasitic(stiffness, damping, turning_stiffness=stiffness, turning_damping=damping)


@pytest.mark.slow
def test_soft_joints_converge_with_their_stiffness() -> None:
    """The piston is wrong by an amount that falls as 1/k.

    The damping grows with √k, so that the shock of the start has died out long before 1 s; from there on we measure.
    """
    data = table("A02_slidercrank", "reference_main")
    late = data["t"] >= 1.0
    stiffness = np.array([1e5, 1e6, 1e7, 1e8, 1e9])
    errors = []
    for k in stiffness:
        run = mb.simulate(
            slider_crank(), 2.0, method="rc", parasitic=softened(k, 0.2 * np.sqrt(k)),
            solver="rodas5p", rtol=1e-9, atol=1e-11,
        ).check()  # fmt: skip
        errors.append(np.abs(run["guide.position"](data["t"][late]) - data["x_piston"][late]).max())
        print(f"k = {k:.0e}: error {errors[-1]:.4e} m, times k {errors[-1] * k:.1f} N, {len(run.t)} steps")
    slopes = -np.diff(np.log10(errors)) / np.diff(np.log10(stiffness))
    np.testing.assert_allclose(slopes, 1.0, atol=0.1)


def test_soft_joints_have_no_redundancy() -> None:
    """Springs share a load that rigid joints leave open, so every reaction is determined."""
    system = mb.compile(slider_crank(), "rc")
    assert not system.reduced.redundancy.dropped
    assert mb.simulate(system, 1e-3, solver="rodas5p").ambiguous == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_runs(name: str) -> None:
    run = run_of(name, 0.2).check()
    assert run.t[-1] == 0.2
    assert np.isfinite(run.states(run.t)).all()
