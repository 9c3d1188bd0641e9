"""Which laws of storages and resistances count as passive: the energy has a floor, or falls steadily at most."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ParameterError

WITH_A_FLOOR = {
    "hardening": "q**2 + q**4",
    "softening": "log(1 + q**2)",
    "softer still": "1 - exp(-q**2)",
    "bistable": "q**4 - 100*q**2",
    "pendulum": "1 - cos(q)",
    "saturating": "sqrt(1 + q**2)",
    "slack": "maximum(q - 0.5, 0)**2",
    "point masses": "-1/(0.01 + abs(q))",
}
STEADY = {"weight": "-9.81*q", "kinked": "-abs(q)", "weight on a soft spring": "sqrt(1 + q**2) - 3*q"}
BOTTOMLESS = {
    "repelling": "-q**2",
    "softening Duffing": "0.5*q**2 - 0.25*q**4",
    "one side": "where(q > 0, q**2, -q**2)",
    "cubic": "q**2 + 0.1*q**3",
    "exponential": "-cosh(q)",
    "three halves": "-abs(q)**1.5",
}


def slope(energy: str) -> str:
    """The law of an energy, as text: tried as `effort` and `flow` too."""
    return {"-q**2": "-2*q", "-9.81*q": "-9.81", "1 - cos(q)": "sin(q)", "q**4 - 100*q**2": "4*q**3 - 200*q"}[energy]


@pytest.mark.parametrize("energy", [*WITH_A_FLOOR.values(), *STEADY.values()])
def test_energies_that_are_taken(energy: str) -> None:
    mb.C("it", energy=energy)
    mb.I("it", energy=energy.replace("q", "p").replace("sprt", "sqrt"))
    mb.C("it", energy=energy, size=3)


@pytest.mark.parametrize("energy", BOTTOMLESS.values())
def test_energies_that_are_not(energy: str) -> None:
    for kind, law in ((mb.C, energy), (mb.I, energy.replace("q", "p"))):
        with pytest.raises(ParameterError, match="falls without end"):
            kind("it", energy=law)
        assert kind("it", energy=law, active=True).active
        with pytest.raises(ParameterError, match="falls without end"):
            kind("it", energy=law, size=2)


@pytest.mark.parametrize("energy", ["1 - cos(q)", "q**4 - 100*q**2", "-9.81*q"])
def test_laws_are_judged_by_the_energy_behind_them(energy: str) -> None:
    mb.C("it", effort=slope(energy))
    mb.I("it", flow=slope(energy).replace("q", "p"))
    with pytest.raises(ParameterError, match="falls without end"):
        mb.C("it", effort=slope("-q**2"))


def test_fields_are_tried_across_their_components_too() -> None:
    """q0² + q1² + 3 q0 q1 rises along both axes and falls between them."""
    mb.C("it", energy="q[0]**2 + q[1]**2 + 1.9*q[0]*q[1]")
    with pytest.raises(ParameterError, match="falls without end"):
        mb.C("it", energy="q[0]**2 + q[1]**2 + 3*q[0]*q[1]")


def test_both_sorts_of_energy_are_tried_alone() -> None:
    """A gap that may close bounds the displacement of a solenoid: together they may go where no machine goes."""
    mb.IC("it", energy="0.5*p**2*(1 + q)")
    for energy in ("p**2 - q**2", "q**2 - p**2"):
        with pytest.raises(ParameterError, match="falls without end"):
            mb.IC("it", energy=energy)
        mb.IC("it", energy=energy, active=True)


def test_waves_are_never_mistaken_for_a_fall() -> None:
    rng = np.random.default_rng(3)
    for k, phase in zip(rng.uniform(0.01, 50.0, 300), rng.uniform(0.0, 6.3, 300), strict=True):
        mb.C("it", effort=f"sin({k}*q + {phase})")


def test_an_active_spring_runs_and_is_kept_in_files(tmp_path) -> None:
    """q'' = q from 0.1: a hyperbolic cosine."""
    model = mb.Model("toppling")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, mb.C("tip", effort="-q", start=0.1, active=True))
    mb.save(model, tmp_path / "toppling.mbg")
    run = mb.simulate(mb.load(tmp_path / "toppling.mbg"), 2.0, rtol=1e-11)
    t = np.linspace(0.0, 2.0, 21)
    np.testing.assert_allclose(run["tip.q"](t), 0.1 * np.cosh(t), atol=1e-9)
    assert run.energy().residual < 1e-10


@pytest.mark.parametrize("scale", [1e-5, 1.0, 5e3, 3e5])
def test_resistances_are_tried_over_twelve_decades(scale: float) -> None:
    """Passive up to the scale, active beyond, or the other way round."""
    for law in (f"f*(1 - (f/{scale})**2)", f"f*(1 - {scale}/(abs(f) + 1e-9))"):
        with pytest.raises(ParameterError, match="gives power"):
            mb.R("it", effort=law)
    mb.R("it", effort=f"f*(1 + (f/{scale})**2)")
