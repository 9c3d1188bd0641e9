"""Transfer functions by causal paths: by hand, and on random graphs against all laws as one dense system."""

from __future__ import annotations

import numpy as np
import pytest
from tests.laws.descriptor import singular
from tests.laws.random_graphs import model_of

import multibond as mb
from multibond.errors import ModelError, StructureError, UnknownName

from .machines import block, crane, drive, gear, ladder, tanks
from .numeric import Driven, linearised
from .plans import Case, random_case, redrawn, steered

FREQUENCIES = (0.3 + 1.1j, -2.0 + 0.2j, 5j)


def test_drive_in_symbols() -> None:
    """By hand: k / ((L s + R)(J s + d) + k²)."""
    h = mb.transfer(drive([1.0]), "battery", "rotor.f")
    assert str(h) == (
        "rotor.f / battery = motor.modulus/(coil.inertia*rotor.inertia*s**2 + s*(coil.inertia*friction.resistance + "
        "rotor.inertia*winding.resistance) + friction.resistance*winding.resistance + motor.modulus**2)"
    )
    assert h.latex() == (
        r"\frac{f_{\mathrm{rotor}}}{e_{\mathrm{battery}}} = \frac{n_{\mathrm{motor}}}{I_{\mathrm{coil}} \, "
        r"I_{\mathrm{rotor}} \, s^{2} + s \, \left(I_{\mathrm{coil}} \, R_{\mathrm{friction}} + I_{\mathrm{rotor}} \, "
        r"R_{\mathrm{winding}}\right) + R_{\mathrm{friction}} \, R_{\mathrm{winding}} + n_{\mathrm{motor}}^{2}}"
    )
    above, below = h.numbers
    L, R, J, d, k = 0.2, 1.2, 0.1, 0.05, 0.5
    np.testing.assert_allclose(above, [k])
    np.testing.assert_allclose(below, [L * J, L * d + R * J, R * d + k**2])
    assert h.relative_order == 2
    assert h(2j) == pytest.approx(k / ((L * 2j + R) * (J * 2j + d) + k**2), rel=1e-14)
    assert h(2j, {"rotor.inertia": 0.3}) == pytest.approx(k / ((L * 2j + R) * (0.3 * 2j + d) + k**2), rel=1e-14)
    np.testing.assert_allclose(np.sort(h.poles()), np.sort(np.roots(below)))


def test_drive_in_paths_and_loops() -> None:
    """Mason's rule by hand: one path through both storages; two loops of friction, one through the motor."""
    h = mb.transfer(drive([1.0]), "battery", "rotor.f")
    assert [str(way) for way in h.paths] == [
        "battery → coil.p → rotor.p → rotor.f: motor.modulus/(coil.inertia*rotor.inertia*s**2)"
    ]
    assert [str(way) for way in h.loops] == [
        "coil.p → coil.p: -winding.resistance/(coil.inertia*s)",
        "coil.p → rotor.p → coil.p: -motor.modulus**2/(coil.inertia*rotor.inertia*s**2)",
        "rotor.p → rotor.p: -friction.resistance/(rotor.inertia*s)",
    ]
    assert h.report().splitlines()[1:3] == ["paths", f"  {h.paths[0]}"]


def test_derivative_causality_adds_inertias() -> None:
    """Two inertias on a gear of ratio n are one: J1 + n² J2; the dependent one is a loop without an integration."""
    h = mb.transfer(gear([1.0]), "torque", "rotor.f", symbols=["rotor.inertia", "load.inertia", "box.modulus"])
    assert h.denominator[2].names() == {"rotor.inertia", "load.inertia", "box.modulus"}
    above, below = h.numbers
    J, n, d, C = 0.3 + 0.25**2 * 2.0, 0.25, 0.4, 0.5
    s = 0.7 + 1.3j
    assert np.polyval(above, s) / np.polyval(below, s) == pytest.approx(
        1 / (J * s + n**2 * (d + 1 / (C * s))), rel=1e-12
    )


def test_a_source_of_flow_has_its_own_sign() -> None:
    """The half-arrow of the pump points to the pump, yet it pumps into the tank: the gain at rest is the outlet."""
    h = mb.transfer(tanks([1.0]), "pump", "tank2.e")
    assert h(0) == pytest.approx(2.0, rel=1e-14)


def test_no_effect_is_zero() -> None:
    model = drive([1.0])
    one = model.add(mb.One("lone"))
    model.bond(one, mb.I("load", 1.0))
    h = mb.transfer(model, "battery", "load.f")
    assert str(h) == "load.f / battery = 0" and h.relative_order is None and h(1j) == 0
    assert h.latex().endswith("= 0")


def test_fields_bring_terms_of_their_own() -> None:
    h = mb.transfer(block([1.0] * 3), "force[0]", "mass.f[2]")
    assert h.terms and str(h).splitlines()[0].startswith("w1 = 1/(")
    plain = mb.transfer(block([1.0] * 3), "force[0]", "mass.f[2]", symbols=False)
    assert not plain.parameters
    assert h(0.4 + 2j) == pytest.approx(plain(0.4 + 2j), rel=1e-10)


def test_refusals() -> None:
    with pytest.raises(ModelError, match="'force' has 3 components"):
        mb.transfer(block([1.0] * 3), "force", "mass.f[0]")
    with pytest.raises(StructureError, match="the graph is not linear"):
        mb.transfer(crane([0.0]), "push", "rail.speed")
    with pytest.raises(UnknownName, match=r"has no 'r9\.resistance'"):
        mb.transfer(ladder([1.0]), "source", "c2.e", symbols=["r9.resistance"])
    with pytest.raises(UnknownName):
        mb.transfer(ladder([1.0]), "source", "c2.e")(1j, {"r9.resistance": 1.0})


def test_too_long_to_be_written_out() -> None:
    """Six storages that all act on one another have too many loops for anyone to read."""
    m = mb.Model("dense", size=6)
    v = m.add(mb.One("v"))
    full = (np.eye(6) + 0.1 * np.arange(36).reshape(6, 6) / 36).round(3)
    m.bond(mb.Se("force", [1.0] * 6), v)
    m.bond(v, mb.I("mass", (full + full.T) / 2))
    m.bond(v, mb.R("friction", (full @ full.T).round(3)))
    m.bond(v, mb.C("spring", (full.T @ full).round(3)))
    with pytest.raises(StructureError, match=r"too long to be written out.\n  .*\n  Keep only some parameters"):
        mb.transfer(m, "force[0]", "mass.f[5]")


# -- random graphs ----------------------------------------------------------------------------------------------------


def ends(case: Case) -> tuple[str, str]:
    """The first component of the first input and output."""
    sizes = {spec.name: spec.size for spec in case.plan.specs}
    (source, (name, what)) = case.inputs[0], case.outputs[0]
    output = f"{name}.{what}"
    return source if sizes[source] == 1 else f"{source}[0]", output if sizes[name] == 1 else f"{output}[0]"


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_graphs_at_random_parameters(first: int) -> None:
    """The symbols of one graph, filled with the numbers of another of the same form, against all laws of that one."""
    done = long = 0
    for seed in range(first, first + 10):
        print("seed", seed)
        case = random_case(seed, most=11)
        other = redrawn(case, seed + 1000)
        if singular(case.plan) or singular(other.plan):
            continue
        laws, (source, output) = Driven(other.plan, other.inputs), ends(case)
        row = laws.reading(*case.outputs[0], 0)[None, :]
        try:
            h = mb.transfer(model_of(case.plan), source, output)
        except StructureError as refused:
            assert "too long" in str(refused)
            long += 1
            continue
        numbers = mb.transfer(model_of(other.plan), source, output).parameters
        for s in FREQUENCIES:
            exact = laws.transfer(row, s)[0, 0]
            assert abs(h(s, numbers) - exact) < 1e-8 * max(1.0, abs(exact))
        done += 1
    print("compared", done, "too long", long)
    assert done >= 5


@pytest.mark.slow
def test_random_graphs_against_the_compiled_system() -> None:
    compared = 0
    for seed in range(40):
        print("seed", seed)
        case = random_case(seed, most=11)
        if singular(case.plan):
            continue
        source, output = ends(case)
        try:
            h = mb.transfer(model_of(case.plan), source, output, symbols=False)
            A, B, C, D = linearised(steered(case), [f"{name}-in" for name in case.inputs], [output])
        except StructureError:
            continue
        for s in FREQUENCIES:
            exact = (C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D)[0, 0]
            assert abs(h(s) - exact) < 1e-8 * max(1.0, abs(exact))
        compared += 1
    print("compared", compared)
    assert compared >= 20
