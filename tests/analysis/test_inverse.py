"""Inversion: the input that makes an output follow what is given.

Shown in two ways. There: a plant runs with a known smooth input, its copy in the same model is inverted and has to
follow the plant's output, so the input it finds is the known one. And back: an output is given as a formula, the input
found is laid into the forward model as a smooth table, and its output has to be the formula.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import multibond as mb
from multibond.errors import ModelError, StartError, StructureError, UnknownName
from multibond.graph.port import PortRef
from multibond.view.multibonds import Seen, multibond_scene

from .machines import MACHINES, Machine, crane, drive, ladder, lift, rising
from .plans import random_case, with_source

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "modelica" / "PlanarMechanics.InvertedCraneCrab.csv"
KNOWN = (
    ("2*sin(1.7*t)*exp(-0.3*t)", lambda t: 2 * np.sin(1.7 * t) * np.exp(-0.3 * t)),
    ("cos(2*t) - 1", lambda t: np.cos(2 * t) - 1),
    ("0.8*sin(3*t)**2", lambda t: 0.8 * np.sin(3 * t) ** 2),
)
"""Inputs as text and as numbers."""
FLAT = [name for name in MACHINES if name not in ("arm", "lift")]
"""Machines without a world, of which two can stand in one model."""


def signal(name: str) -> PortRef:
    """An output as a signal of the model."""
    owner, _, word = (name if "." in name else f"{name}.value").rpartition(".")
    return PortRef(owner, word)


@pytest.mark.parametrize("name", FLAT)
def test_a_known_input_is_recovered(name: str) -> None:
    machine = MACHINES[name]
    known, zeros = KNOWN[: machine.components], [0.0] * machine.components
    twin = mb.Model("twin")
    twin.add(machine.build([formula for formula, _ in known]), name="plant")
    twin.add(machine.build(zeros), name="copy")
    given = {
        f"copy.{output}": signal(f"plant.{output}" + ("" if "." in output else ".value")) for output in machine.outputs
    }
    inverse = mb.invert(twin, given=given, unknown=[f"copy.{path}" for path in machine.inputs])
    times = np.linspace(0.0, machine.until, 41)
    found = inverse.input(inverse.simulate(machine.until), times).reshape(times.size, -1)
    error = np.abs(found - np.column_stack([value(times) for _, value in known])).max()
    print(name, "error", error)
    assert error < 1e-6
    assert inverse.differentiations == machine.order


def wanted(machine: Machine) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Smooth outputs for a machine, and their values at some times."""
    times = np.linspace(0.0, machine.until, 41)
    parts = [rising(machine.size, k) for k in range(machine.components)]
    texts = [text for text, _ in parts]
    each = texts if len(machine.outputs) == len(texts) else [texts]
    return dict(zip(machine.outputs, each, strict=True)), times, np.column_stack([value(times) for _, value in parts])


@pytest.mark.parametrize("name", MACHINES)
def test_the_input_found_brings_the_output_about(name: str) -> None:
    machine = MACHINES[name]
    given, times, outputs = wanted(machine)
    inverse = mb.invert(machine.build([0.0] * machine.components), given=given, unknown=machine.inputs)
    grid = np.linspace(0.0, machine.until, 801)
    found = inverse.input(inverse.simulate(machine.until), grid).reshape(grid.size, -1)
    forward = machine.build([mb.Table(grid, column, smooth=True)(mb.t) for column in found.T])
    run = mb.simulate(forward, machine.until)
    names = [output if "." in output else f"{output}.value" for output in machine.outputs]
    error = np.abs(run.values(names, times) - outputs).max()
    print(name, "error", error)
    assert error < 1e-6
    assert inverse.differentiations == machine.order


# -- the crane crab with its load above it -----------------------------------------------------------------------------

LAG, END = 0.1, 0.5
"""The angle is a ramp from -0.5 to 0 in half a second, through a lag of a tenth."""


def angle(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The angle given to the crane, its rate and its acceleration."""
    left = -LAG * (1 - np.exp(-END / LAG))
    up, down = np.exp(-t / LAG), left * np.exp(-(t - END) / LAG)
    first = t < END
    value = np.where(first, -END + t - LAG * (1 - up), down)
    return value, np.where(first, 1 - up, -down / LAG), np.where(first, up / LAG, down / LAG**2)


def inverted_crane() -> mb.Model:
    """The crane with the blocks that make its reference: as in PlanarMechanics' InvertedCraneCrab."""
    model = crane([0.0])
    ramp = model.add(mb.blocks.Ramp("ramp", slope=1.0, duration=END, offset=-0.5))
    lag = model.add(mb.blocks.FirstOrder("lag", time_constant=LAG, start=-0.5))
    model.signal(ramp.y, lag.u)
    return model


def crane_force(t: np.ndarray) -> np.ndarray:
    """The force in closed form: cart of 1 kg, load of 0.5 kg and 0.1 kg.m² on a rod of 1 m."""
    phi, rate, acceleration = angle(t)
    cart = (1.2 * acceleration - 9.81 * np.sin(phi)) / np.cos(phi)
    return 1.5 * cart - 0.5 * (acceleration * np.cos(phi) - rate**2 * np.sin(phi))


def test_inverted_crane_crab_in_closed_form() -> None:
    model = inverted_crane()
    inverse = mb.invert(model, given={"hinge.angle": PortRef("lag", "y")}, unknown="push")
    run = inverse.simulate(3.0)
    times = np.array([0.0, 0.05, 0.2, 0.45, 0.55, 0.7, 1.3, 2.9])
    assert np.abs(inverse.input(run, times) - crane_force(times)).max() < 1e-6
    assert np.abs(run.values(["hinge.angle"], times)[:, 0] - angle(times)[0]).max() < 1e-8
    assert inverse.differentiations == 2
    assert inverse.sought == ("push",)


def test_inverted_crane_crab_by_formula() -> None:
    """The same reference as a formula of time in two pieces."""
    left = -LAG * (1 - np.exp(-END / LAG))

    def given(t: Any) -> Any:
        before = -END + t - LAG * (1 - mb.exp(-t / LAG))
        return mb.where(t < END, before, left * mb.exp(-(t - END) / LAG))

    inverse = mb.invert(crane([0.0]), given={"hinge.angle": given}, unknown="push")
    times = np.array([0.0, 0.05, 0.2, 0.45, 0.55, 0.7, 1.3, 2.9])
    assert np.abs(inverse.input(inverse.simulate(3.0), times) - crane_force(times)).max() < 1e-6


CHECKPOINTS = {0.5: 1.064784, 1.0: 2.144764, 3.0: 6.030336}
"""Way of the cart in PlanarMechanics' InvertedCraneCrab, by time  [s]: [m]. A solver's result at its tolerance 1e-6."""


def crane_by_scipy(times: np.ndarray) -> np.ndarray:
    """Angle, its rate, way and speed of the cart, and force: inverse dynamics in minimal coordinates (s, φ).

    Lagrange: (m l² + J) φ'' - m l cos φ s'' - m g l sin φ = 0 gives s'', (M + m) s'' - m l (φ'' cos φ - φ'² sin φ) the
    force. The lag φ' = (ramp - φ)/T, and with it φ'', is integrated too; it kinks where the ramp ends.
    """
    M, m, length, J, g = 1.0, 0.5, 1.0, 0.1, 9.81

    def ramp(t: float, side: int) -> tuple[float, float]:
        return (-0.5 + t, 1.0) if side == 0 else (0.0, 0.0)

    def motion(t: float, z: np.ndarray, side: int) -> tuple[float, ...]:
        level, slope = ramp(t, side)
        rate = (level - z[0]) / LAG
        bend = (slope - rate) / LAG
        way = ((m * length**2 + J) * bend - m * g * length * np.sin(z[0])) / (m * length * np.cos(z[0]))
        force = (M + m) * way - m * length * (bend * np.cos(z[0]) - rate**2 * np.sin(z[0]))
        return rate, bend, way, force

    def rates(t: float, z: np.ndarray, side: int) -> list[float]:
        rate, _, way, _ = motion(t, z, side)
        return [rate, z[2], way]

    found, start = [], [-0.5, 0.0, 0.0]
    for side, (begin, end) in enumerate(((0.0, END), (END, 3.0))):
        own = times[(times >= begin) & (times < end) | ((times == end) & (side == 1))]
        part = solve_ivp(rates, (begin, end), start, "DOP853", args=(side,), dense_output=True, rtol=1e-13, atol=1e-14)
        for t, z in zip(own, part.sol(own).T if own.size else (), strict=True):
            rate, _, _, force = motion(t, z, side)
            found.append([z[0], rate, z[1], z[2], force])
        start = part.y[:, -1]
    return np.array(found)


def _moment(tau: float, t: float) -> float:
    """(t - τ) s''(τ), whose integral is the way from rest."""
    phi, _, bend = (float(v) for v in angle(np.array(tau)))
    return (t - tau) * (1.2 * bend - 9.81 * np.sin(phi)) / np.cos(phi)


def test_inverted_crane_crab_by_inverse_dynamics() -> None:
    """Whole trajectory to 1e-6, column by column, and the checkpoints of the way to the tolerance they were made with.

    The last of these is 3.7e-6 off: a quadrature of the closed form, s = ∫ (t - τ) s'' dτ, says so too.
    """
    inverse = mb.invert(inverted_crane(), given={"hinge.angle": PortRef("lag", "y")}, unknown="push")
    run, times = inverse.simulate(3.0), np.linspace(0.0, 3.0, 301)
    expected = crane_by_scipy(times)
    names = ["hinge.angle", "hinge.speed", "rail.position", "rail.speed"]
    errors = np.abs(run.values(names, times) - expected[:, :4]).max(axis=0)
    print("errors", dict(zip(names, errors, strict=True)))
    assert (errors < 1e-6).all()
    smooth = np.abs(times - END) > 1e-9  # the force leaps where the ramp ends
    assert np.abs(inverse.input(run, times) - expected[:, 4])[smooth].max() < 1e-6
    for time, way in CHECKPOINTS.items():
        assert run["rail.position"](time) == pytest.approx(way, rel=1e-6), time
        exact = (
            quad(_moment, 0.0, min(END, time), (time,), epsabs=1e-13)[0]
            + quad(_moment, min(END, time), time, (time,), epsabs=1e-13)[0]
        )
        assert run["rail.position"](time) == pytest.approx(exact, abs=1e-9), time


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference signals are not here")
def test_inverted_crane_crab_of_planar_mechanics() -> None:
    """Whole trajectory from OpenModelica, which is itself accurate to about 1e-5 (its own angle is 8e-7 off)."""
    inverse = mb.invert(inverted_crane(), given={"hinge.angle": PortRef("lag", "y")}, unknown="push")
    run = inverse.simulate(3.0)
    rows = np.genfromtxt(REFERENCE, delimiter=",", names=True)
    for name, column, most in (
        ("hinge.angle", "bodyphi", 1e-6), ("rail.position", "prismatics", 1e-5), ("rail.speed", "prismaticv", 2e-5)
    ):  # fmt: skip
        error = np.abs(run.values([name], rows["Time"])[:, 0] - rows[column]).max()
        print(name, "error", error)
        assert error < most


# -- what an inverse tells ---------------------------------------------------------------------------------------------


def test_bicausal_bonds_of_the_drive() -> None:
    """By hand: the speed is given (SeSf at the sensor), the battery is read (DeDf); power flows back through the motor.

    The strokes of coil and rotor stay: their bonds keep one effort and one flow each way, only turned round.
    """
    inverse = mb.invert(drive([0.0]), given={"rotor.f": "tanh(t)**3"}, unknown="battery")
    assert {bond.name: bond.giver for bond in inverse.bicausal} == {
        "battery": "current",
        "motor.a": "motor",
        "motor.b": "speed",
        "rotor.read_f": "rotor.read_f",
    }
    path = " → ".join(inverse.paths[0])
    assert path.startswith("battery.e → coil.e → coil.p → coil.f → motor.a.f → motor.b.e → rotor.e → rotor.p → rotor.f")
    assert "differentiated twice" in str(inverse) and "bicausal bond battery" in str(inverse)


def test_the_inverse_draws_itself_with_half_strokes() -> None:
    """Of every bicausal bond the flow's half stands at who gives both, the effort's at the other end.

    Coil and rotor are in derivative causality: their flows are known and differentiated.
    """
    inverse = mb.invert(drive([0.0]), given={"rotor.f": "tanh(t)**3"}, unknown="battery")
    assert inverse.strokes is not None and inverse.strokes.graph is not None
    assert dict(inverse.strokes.dependent) == {"coil": (0,), "rotor": (0,)}
    both = frozenset((b.bond, b.component) for b in inverse.bicausal)
    drawn = multibond_scene(Seen(inverse.strokes.graph, inverse.strokes, bicausal=both), "drive")
    ends = {b.name: (b.tail.element, b.head.element) for b in inverse.strokes.graph.bonds}
    givers = {b.bond: b.giver for b in inverse.bicausal}
    for bond in drawn.bonds:
        halves = {stroke.half: stroke.end for stroke in bond.shape.strokes}
        if bond.name in givers:
            assert set(halves) == {"effort", "flow"}
            assert ends[bond.name][halves["flow"] - 1] == givers[bond.name] != ends[bond.name][halves["effort"] - 1]
        else:
            assert set(halves) == {""}
    assert inverse.draw().startswith("<svg") and "tikzpicture" in inverse.draw(format="tikz")
    assert "bicausal" in inverse.draw() and "Df" not in inverse.draw(signals=False)


def test_samples_of_a_trajectory_may_be_given() -> None:
    plain = mb.simulate(drive(["2*sin(t)"]), 2.0)
    times = np.linspace(0.0, 2.0, 2001)
    inverse = mb.invert(
        drive([0.0]), given={"rotor.f": (times, plain.values(["rotor.f"], times)[:, 0])}, unknown="battery"
    )
    found = inverse.input(inverse.simulate(2.0), np.array([0.5, 1.0, 1.5]))
    assert np.abs(found - 2 * np.sin([0.5, 1.0, 1.5])).max() < 1e-4


def test_scalar_bonds_give_the_same_inverse() -> None:
    """Unfolded, the field has scalar ports and the force is three sources; what is found is the same."""
    model, texts = MACHINES["block"].build([0.0] * 3), [rising(1.0, k)[0] for k in range(3)]
    vector = mb.invert(model, given={"mass.f": texts}, unknown="force")
    given = {f"mass.port_{k + 1}.f": text for k, text in enumerate(texts)}
    scalar = mb.invert(model.open(depth=3), given=given, unknown=[f"force-{k + 1}" for k in range(3)])
    times = np.linspace(0.0, 1.0, 11)
    found = [inverse.input(inverse.simulate(1.0), times) for inverse in (vector, scalar)]
    assert np.abs(found[0] - found[1]).max() < 1e-8
    assert len(vector.bicausal) == len(scalar.bicausal) == 6
    assert vector.differentiations == scalar.differentiations == 3


@pytest.mark.parametrize("seed", [0, 1, 3, 6, 7, 8, 10, 12, 18, 22, 29, 30, 31, 34, 36, 38, 42, 45, 53, 57, 61])
def test_random_graphs_are_inverted_where_their_structure_allows(seed: int) -> None:
    """Scalar and vector graphs: the known input is recovered; without an effect the inversion is refused."""
    print("seed", seed)
    case = random_case(seed, most=11)
    source, (name, what) = case.inputs[0], case.outputs[0]
    size = next(spec.size for spec in case.plan.specs if spec.name == source)
    waves = [f"{1 + k} * sin({1 + 0.2 * k} * t)**2" for k in range(size)]
    twin = mb.Model("twin")
    twin.add(with_source(case, source, waves), name="plant")
    twin.add(with_source(case, source, [0.0] * size), name="copy")
    given = {f"copy.{name}.{what}": PortRef(f"plant.{name}", what)}
    told = mb.analyse(with_source(case, source, waves), inputs=source, outputs=f"{name}.{what}")
    if all(pair.order is None for pair in told.pairs):
        with pytest.raises(StructureError, match="No causal path"):
            mb.invert(twin, given=given, unknown=f"copy.{source}")
        return
    inverse = mb.invert(twin, given=given, unknown=f"copy.{source}")
    times = np.linspace(0.0, 1.0, 11)
    known = np.column_stack([(1 + k) * np.sin((1 + 0.2 * k) * times) ** 2 for k in range(size)])
    assert np.abs(inverse.input(inverse.simulate(1.0), times).reshape(known.shape) - known).max() < 1e-6
    if size == 1:
        assert inverse.differentiations == max(0, told.pairs[0].order or 0)


def test_refused_without_a_causal_path() -> None:
    model = drive([0.0])
    one = model.add(mb.One("lone"))
    model.bond(one, mb.I("load", 1.0))
    with pytest.raises(StructureError) as error:
        mb.invert(model, given={"load.f": "t"}, unknown="battery")
    assert "'battery' cannot be found.\n  No causal path leads from 'battery' to 'load.f'." in str(error.value)
    assert "'load.f' cannot be prescribed." in str(error.value)


def test_refused_where_paths_meet() -> None:
    """Two sources in one loop: both act through the same current."""
    model = ladder([0.0])
    model.bond(mb.Se("second", 1.0), "i0")
    with pytest.raises(StructureError, match="Only 1 causal path without a common variable leads"):
        mb.invert(model, given={"c0.e": "t", "c2.e": "t**2"}, unknown=("source", "second"))


def test_refused_where_not_square() -> None:
    with pytest.raises(StructureError, match="1 values are sought and 2 are given"):
        mb.invert(ladder([0.0]), given={"c0.e": "t", "c2.e": "t**2"}, unknown="source")


def test_refused_where_components_do_not_fit() -> None:
    with pytest.raises(ModelError, match=r"what is given for 'mass\.f' does not fit"):
        mb.invert(MACHINES["block"].build([0.0] * 3), given={"mass.f": ["t", "t"]}, unknown="force")


def test_names_that_are_not_there() -> None:
    with pytest.raises(UnknownName, match="batery"):
        mb.invert(drive([0.0]), given={"rotor.f": "t"}, unknown="batery")
    with pytest.raises(UnknownName, match=r"has no 'rotor\.w'"):
        mb.invert(drive([0.0]), given={"rotor.w": "t"}, unknown="battery")


def test_a_start_that_does_not_fit() -> None:
    with pytest.raises(StartError, match=r"does not start where what is given for 'hinge\.angle' does"):
        mb.invert(lift([0.0]), given={"hinge.angle": "0.3 + tanh(t)**4"}, unknown="source")


def test_nothing_to_invert() -> None:
    with pytest.raises(ModelError, match=r"nothing to invert.\n  No outputs are given"):
        mb.invert(drive([1.0]), given={}, unknown="battery")
    with pytest.raises(ModelError, match="No inputs are sought"):
        mb.invert(drive([1.0]), given={"rotor.f": "t"}, unknown=[])
