"""Causal paths: from a source to what it acts on, and what acts on nothing; the pairing of efforts and flows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.errors import UnknownName
from multibond.examples import EXAMPLES

from .drawn import drawn


def motor() -> mb.Model:
    """A motor on a shaft whose speed a governor holds at one end, with a brake there."""
    elements = [mb.Se("battery", 1.0), mb.One("current"), mb.I("coil", 0.1), mb.R("winding", 1.0), mb.GY("gy", 0.5)]
    elements += [mb.One("shaft"), mb.I("rotor", 1.0), mb.C("spring", 0.1), mb.Zero("torque"), mb.One("end")]
    elements += [mb.Sf("governor", 3.0), mb.R("brake", 1.0), mb.I("wheel", 2.0)]
    bonds = "battery>current current>coil current>winding current>gy.a gy.b>shaft shaft>rotor shaft>torque"
    return drawn("motor", elements, f"{bonds} torque>spring torque>end end>brake end>wheel governor>end").model


def test_path_from_source_to_speed() -> None:
    """battery → coil (∫) → gyrator → rotor (∫): two integrations, one way only."""
    (path,) = mb.paths(motor(), "battery", "rotor.f")
    assert path.elements == ("current", "coil", "gy", "shaft", "rotor") and path.order == 2
    assert path.bonds[0] == ("battery->current", 0) and path.bonds[-1] == ("shaft->rotor", 0)
    assert str(path) == "2 integrations: current → coil ∫ → current → gy → shaft → rotor ∫"


def test_several_paths_short_ones_first() -> None:
    """The governor acts on the rotor through the spring; also round the motor and back, which is longer."""
    found = mb.paths(motor(), "governor", "coil.f")
    assert [path.order for path in found] == sorted(path.order for path in found)
    assert found[0].elements == ("end", "torque", "spring", "shaft", "rotor", "gy", "current", "coil")


def test_what_acts_on_nothing() -> None:
    """Brake and wheel load the governor, which does not mind."""
    assert mb.irrelevant(motor(), "rotor.f") == ("brake", "wheel")
    assert mb.irrelevant(motor(), "governor.e") == ()


def test_irrelevant_elements_change_nothing_and_others_do() -> None:
    """The verdict against numbers: change each element's parameter and look at the rotor."""
    model = motor()
    idle = set(mb.irrelevant(model, "rotor.f"))
    values = {"coil.inertia": 0.2, "winding.resistance": 2.0, "gy.modulus": 0.7, "rotor.inertia": 2.0,
              "spring.compliance": 0.2, "brake.resistance": 5.0, "wheel.inertia": 7.0}  # fmt: skip
    plain = mb.simulate(model, 1.0)["rotor.f"](1.0)
    for name, value in values.items():
        model.set(name, value)
        other = mb.simulate(model, 1.0)["rotor.f"](1.0)
        model.undo()
        assert (abs(other - plain) < 1e-10) == (name.partition(".")[0] in idle), name


def test_the_gyro_loads_its_casing_only_with_two_components() -> None:
    """Tiernego & Bos: what the casing's drive has to give does not act on the tilt; the gyroscopic moment does."""
    gyro = EXAMPLES["rate_gyro"]()
    graph = mb.causality(gyro, depth=3)
    idle = set(mb.irrelevant(gyro, "spring.f", depth=3))
    assert {"inertia_gimbal.2", "inertia_gimbal.3"} <= idle
    assert "inertia_gimbal.1" not in idle and not any(path.startswith("damper") for path in idle)
    assert idle < set(graph.graph.elements)


def test_paths_run_through_signals() -> None:
    """A sensor, a gain and a controlled source: information acts where no bond leads."""
    model = mb.Model("controlled")
    one, other = model.add(mb.One("v")), model.add(mb.One("w"))
    model.bond(one, mb.I("mass", 1.0))
    model.bond(mb.Se("push", 1.0), one)
    sensor, gain, force = mb.Df("sensor"), mb.blocks.Gain("gain", 2.0), mb.MSe("force")
    model.bond(one, sensor)
    model.bond(force, other)
    model.bond(other, mb.I("follower", 1.0))
    model.add(gain)
    model.signal("sensor.value", "gain.u")
    model.signal("gain.y", "force.effort")
    (path,) = mb.paths(model, "push", "follower.f")
    assert path.elements == ("v", "mass", "sensor", "gain", "force", "w", "follower") and path.order == 2
    assert mb.paths(model, "follower", "mass.f") == ()
    assert mb.irrelevant(model, "mass.f") == ("follower", "force", "sensor")


def test_a_loop_that_signals_close() -> None:
    """r gives flow, a sensor reads it, a controlled source answers with an effort on the same junction: no storage in
    between, so it is a zero-order path; its ends are r, sensor, gain and source, so it counts as class 2."""
    model = mb.Model("feedback")
    one = model.add(mb.One("v"))
    model.bond(mb.Se("push", 1.0), one)
    model.bond(one, mb.R("r", 1.0))
    model.bond(one, mb.Df("sensor"))
    model.bond(mb.MSe("force"), one)
    model.add(mb.blocks.Gain("gain", -2.0))
    model.signal("sensor.value", "gain.u")
    model.signal("gain.y", "force.effort")
    (path,) = mb.causality(model).zero_order_paths
    assert path.number == 2 and set(path.ends) == {"r", "sensor", "gain", "force"}


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="rotr"):
        mb.paths(motor(), "battery", "rotr.f")


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_every_step_of_the_junction_structure_has_its_dual(build: Callable[[], mb.Model], depth: int) -> None:
    """Where a flow runs one way through an ideal element, the effort of the same bonds runs back."""
    links = {(k.source, k.target, k.element) for k in mb.causality(build(), depth=depth).signals.links if k.inner}
    assert links and all((target.dual, source.dual, element) in links for source, target, element in links)


def test_links_agree_with_the_compiled_system() -> None:
    """Structure against numbers: an entry of the Jacobian of an explicit system is zero where no path of one
    integration leads from what one storage gives to what the other takes."""
    model = motor()
    system, report = mb.compile(model), mb.causality(model)
    base = system.derivative(system.x0)
    slopes = np.array([system.derivative(system.x0 + step) - base for step in np.eye(system.n)]).T
    names = [name.partition(".")[0] for name in system.state_names]
    for i, target in enumerate(names):
        for j, source in enumerate(names):
            found = mb.paths(model, source, f"{target}.{'e' if target == 'spring' else 'f'}")
            direct = any(path.order == 1 for path in found)
            assert i == j or direct == (abs(slopes[i, j]) > 1e-12), (target, source)
    assert not report.zero_order_paths
