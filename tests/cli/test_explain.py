"""`explain`: counts that can be known beforehand, and what it says of index, loops and cost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.compiled import example

import multibond as mb
from multibond.equations.consistent import manifold
from multibond.examples import EXAMPLES
from multibond.view.explain import explain

from .typed import command

COUNTS = {  # degrees of freedom of motion, order
    "rlc": (0, 2),
    "motor_pendulum": (1, 3),
    "pendulum": (1, 2),
    "euler_top": (6, 12),
    "heavy_top": (3, 6),
    "slider_crank": (1, 2),
    "planar_loop": (2, 4),
    "four_bar": (1, 2),
    "chain": (5, 10),
    "arm": (6, 12),
}


@pytest.mark.parametrize("name", COUNTS)
def test_freedoms_and_order(name: str) -> None:
    made = explain(EXAMPLES[name]())
    assert (made.freedoms, made.order) == COUNTS[name]
    assert made.name == name and str(made.order) in repr(made)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_order_is_the_dimension_of_the_consistent_states(name: str) -> None:
    """Against the rank of all conditions on the states, hidden ones too, at the start."""
    system = example(name)
    r = system.reduced
    shape = manifold(system.dae, r.whole, r.hidden_positions, r.hidden_flows)
    x, p = system.x0, system.parameters
    position = np.asarray(shape.position_conditions(0.0, x, p)[1])
    flow = np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, shape.flows] if shape.flows.size else np.zeros((0, 0))
    rank = sum(int(np.linalg.matrix_rank(m, tol=1e-7)) for m in (position, flow) if m.size)
    assert explain(system).order == system.n - rank


def series(*, dependent: bool) -> mb.Model:
    """Coils in series: the second has nothing of its own to say."""
    model = mb.Model("series")
    one = model.add(mb.One("current"))
    model.bond(mb.Se("battery", 1.0), one)
    model.bond(one, mb.I("first", 1.0))
    if dependent:
        model.bond(one, mb.I("second", 2.0))
    return model


def test_a_dependent_storage_and_what_it_follows() -> None:
    made = explain(series(dependent=True))
    assert [(d.path, d.components, d.set_by) for d in made.dependent] == [("second", (), ("first.p",))]
    assert "second: follows from first.p" in str(made)
    assert [form.index for form in made.index] == [2, 1]
    assert explain(series(dependent=False)).dependent == ()


def divider() -> mb.Model:
    """Two resistors between a source and a capacitor: which of them gives the effort is free, a loop remains."""
    model = mb.Model("divider")
    loop = model.add(mb.One("loop"))
    node = model.add(mb.Zero("node"))
    model.bond(mb.Se("battery", 1.0), loop)
    model.bond(loop, mb.R("upper", 1.0))
    model.bond(loop, node)
    model.bond(node, mb.R("lower", 2.0))
    return model


def test_an_algebraic_loop() -> None:
    made = explain(divider())
    assert sum(made.algebraic_loops.values()) == 1 and made.order == 0
    assert [form.index for form in made.index] == [1, 1]


def test_a_loop_that_only_newton_solves() -> None:
    model = mb.Model("curved")
    one = model.add(mb.One("current"))
    model.bond(mb.Se("source", 2.0), one)
    model.bond(one, mb.C("store", 1.0))
    model.bond(one, mb.R("brake", effort="f + 3*f**3"))
    made = explain(model)
    assert made.newton and made.algebraic_loops == {"brake": 1}
    assert "brake: found by Newton's method" in str(made)
    assert made.index[-1].checked and "Newton" in made.cost.form


def test_modes_are_named() -> None:
    model = mb.Model("rectifier")
    one = model.add(mb.One("current"))
    model.bond(mb.Se("source", "12*sin(2*t)"), one)
    model.bond(one, mb.I("coil", 1.0))
    model.bond(one, mb.R("wire", 1.0))
    model.bond(one, mb.Diode("valve"))
    assert explain(model).modes == {"valve": "off"}
    assert "valve: off" in str(explain(model))


def test_what_has_no_modes_names_none() -> None:
    """A direct sum has a `first` as well: the size of its first part."""
    made = explain(EXAMPLES["pendulum"]())
    assert made.modes == {} and "modes, as compiled" not in str(made)


def test_closed_loops_and_redundant_constraints() -> None:
    made = explain(EXAMPLES["slider_crank"]())
    (loop,) = made.kinematic_loops
    assert loop.cut == "C" and set(loop.joints) == {"O", "B", "C", "guide"}
    assert made.redundant == ("C rotation 0", "C rotation 1", "C translation 2")
    assert [(form.index, form.checked) for form in made.index] == [(3, False), (2, False), (1, True)]


def test_states_have_their_reason() -> None:
    made = explain(EXAMPLES["motor_pendulum"]())
    assert [(s.name, s.why) for s in made.states] == [
        ("hinge.angle", "coordinates of joint 'hinge', which carries the tree"),
        ("hinge.speed", "free flow of joint 'hinge'"),
        ("motor.coil.p", "I 'motor.coil' in integral causality"),
    ]


def test_the_solver_and_the_moved_start() -> None:
    stiff = explain(EXAMPLES["motor_pendulum"](), until=100.0)
    assert (stiff.solver, stiff.reason[:13]) == ("rodas5p", "a mode decays")
    assert "estimated dop853 " in stiff.reason and " steps of " in stiff.reason
    assert explain(EXAMPLES["motor_pendulum"](), until=0.1).solver == "dop853"
    assert any("set to" in line for line in explain(EXAMPLES["planar_loop"]()).remarks)


def test_a_swinging_mode_is_stated_and_makes_a_run_stiff() -> None:
    """Mass 1, spring 171,233, damper 494: λ = -247 ± 332 i, so 52.9 Hz, damping ratio 0.597, time constant 1/247 s."""
    made = explain(oscillator(171233.0, 494.0), until=10.0)
    (mode,) = made.eigenmodes
    assert (mode.real, mode.imag) == pytest.approx((-247.0, 332.0), rel=1e-6)
    assert (mode.frequency, mode.damping) == pytest.approx((332.0 / (2 * np.pi), 247.0 / np.hypot(247, 332)), rel=1e-6)
    assert mode.time_constant == pytest.approx(1 / 247.0, rel=1e-6)
    assert "swings at 52.8 Hz, falls with time constant 0.00405 s, damping ratio 0.597" in str(made)
    assert made.solver == "rodas5p" and "swinging at 332 rad/s" in made.reason
    assert made.to_dict()["eigenmodes"][0]["time_constant"] == mode.time_constant


def oscillator(stiffness: float, damping: float) -> mb.Model:
    """A mass of 1 kg that begins at 1 m/s between a spring and a damper."""
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0, start=1.0))
    model.bond(v, mb.C("spring", 1.0 / stiffness))
    model.bond(v, mb.R("damper", damping))
    return model


def test_modes_that_last_are_told_as_such() -> None:
    undamped, creeping = explain(oscillator(100.0, 0.0)), explain(oscillator(100.0, 1000.0))
    assert "swings at 1.59 Hz, not damped" in str(undamped) and undamped.to_dict()["eigenmodes"][0]["damping"] == 0
    assert [mode.damping for mode in creeping.eigenmodes] == [1.0, 1.0]
    assert creeping.eigenmodes[1].time_constant == pytest.approx(10.0, rel=1e-3)


def test_slow_modes_are_stated_beside_one_that_decays_ten_million_times_faster() -> None:
    """1.001 kg on a spring of 1 N/m, its two masses joined by 1e4 N.s/m and 1 N/m: 1 rad/s, 1e-4/s and 1e7/s."""
    model = mb.Model("two")
    near, far = model.add(mb.One("near")), model.add(mb.One("far"))
    model.bond(near, mb.I("a", 1.0, start=1.0))
    model.bond(near, mb.C("ground", 1.0))
    between, stretch = model.add(mb.Zero("between")), model.add(mb.One("stretch"))
    model.bond(near, between)
    model.bond(between, far)
    model.bond(far, mb.I("b", 1e-3))
    model.bond(between, stretch)
    model.bond(stretch, mb.C("spring", 1.0))
    model.bond(stretch, mb.R("damper", 1e4))
    rates = [mode.rate for mode in explain(model).eigenmodes]
    assert rates == pytest.approx([1e4 * (1 + 1e3), np.sqrt(1 / 1.001), 1e-4], rel=1e-3)


def test_the_cost_is_that_of_the_right_hand_side() -> None:
    """capacitor.q' = p/I and coil.p' = E - q/C - R p/I: p/I, q/C, a product and two differences."""
    cost = explain(EXAMPLES["rlc"]()).cost
    assert (cost.arithmetic, cost.functions) == (5, 0)
    assert explain(EXAMPLES["pendulum"]()).cost.functions == 2


def test_a_long_chain_runs_as_loops() -> None:
    from multibond.examples.chain import chain

    assert "loops over" in explain(chain(14)).cost.form


def test_methods() -> None:
    made = explain(EXAMPLES["pendulum"](), method="multiplier")
    assert made.method == "multiplier" and made.freedoms == 1 and made.index[0].index == 3


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "slider_crank.mbg"
    mb.save(EXAMPLES["slider_crank"](), path)
    printed = command("explain", path)
    assert printed.exit_code == 0, printed.output
    assert printed.stdout == f"{mb.explain(EXAMPLES['slider_crank']())}\n"
    found = json.loads(command("explain", path, "--json", "--set", "O.torque=1").stdout)
    assert found["ok"] and found["freedoms"] == 1 and found["kinematic_loops"][0]["cut"] == "C"
    assert found == json.loads(json.dumps(found)) and set(found["cost"]) == {"arithmetic", "functions", "form"}
