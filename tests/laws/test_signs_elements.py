"""Signs of sources, sensors and pose signals: which way is positive, against circuits and geometry done by hand."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond.elements import Anchor, Line, LinearMap, Motion, Shift
from multibond.elements.law import LawWriter
from multibond.equations.writing import port_sign
from multibond.expr import SX
from multibond.graph.component import Element
from multibond.solve.solution import Solution

RNG = np.random.default_rng(29)
R_WA, R_WB = (Rotation.from_rotvec(v).as_matrix() for v in ((0.4, -0.3, 0.9), (-0.6, 0.2, 0.5)))
P_A, P_B = np.array([0.3, -1.1, 0.7]), np.array([-0.8, 0.4, 1.9])

# -- sources and sensors ---------------------------------------------------------------------------------------------


def own_power(run: Solution, path: str) -> float:
    """Power at an element's port, counted in the port's own direction."""
    graph = run.system.dae.graph
    (bond,) = graph.bonds_of(path)
    return port_sign(path, graph.elements[path], bond) * float(run[f"{path}.e"](0.0)) * float(run[f"{path}.f"](0.0))


def loaded(source: Element, away: bool) -> Solution:
    """A source on a resistance and a coil, the half-arrow drawn away from the source or to it."""
    model = mb.Model("loaded")
    current = model.add(mb.One("current"))
    source = model.add(source)
    model.bond(*((source, current) if away else (current, source)))
    model.bond(current, mb.R("load", 3.0))
    return mb.simulate(model, 0.1)


@pytest.mark.parametrize("away", [True, False])
@pytest.mark.parametrize("source", [mb.Se("source", 6.0), mb.Sf("source", 2.0)], ids=["Se", "Sf"])
def test_a_source_pushes_along_its_half_arrow(source: Element, away: bool) -> None:
    """6 V drive 2 A through 3 ohm; drawn the other way round they drive -2 A, and so do 2 A drawn to the source."""
    run = loaded(source, away)
    assert run["load.f"](0.0) == pytest.approx(2.0 if away else -2.0)
    assert run["load.e"](0.0) == pytest.approx(6.0 if away else -6.0)


@pytest.mark.parametrize("source", [mb.Se("source", 6.0), mb.Sf("source", 2.0)], ids=["Se", "Sf"])
def test_sources_count_power_out_and_loads_power_in(source: Element) -> None:
    run = loaded(source, away=True)
    assert own_power(run, "source") == pytest.approx(12.0)
    assert own_power(run, "load") == pytest.approx(12.0)


def test_sensors_read_with_the_sign_of_the_bond() -> None:
    """A current of 2 A into a resistance of 3 ohm: 6 V; charge and flux grow with 2 and 6 a second."""
    model = mb.Model("sensed")
    current, voltage = model.add(mb.One("current")), model.add(mb.Zero("voltage"))
    model.bond(mb.Sf("source", 2.0), current)
    model.bond(current, voltage)
    model.bond(voltage, mb.R("load", 3.0))
    model.bond(current, mb.Df("flow"))
    model.bond(voltage, mb.De("effort"))
    model.bond(current, mb.Dq("charge", start=0.5))
    model.bond(voltage, mb.Dp("flux"))
    run = mb.simulate(model, 1.0)
    for name, value in {"flow": 2.0, "effort": 6.0, "charge": 0.5 + 2.0 * 0.4, "flux": 6.0 * 0.4}.items():
        assert run[f"{name}.value"](0.4) == pytest.approx(value), name


def test_a_sensor_of_momentum_begins_at_its_start() -> None:
    model = mb.Model("begun")
    voltage = model.add(mb.Zero("voltage"))
    model.bond(mb.Se("source", 2.0), voltage)
    model.bond(voltage, mb.R("load", 3.0))
    model.bond(voltage, mb.Dp("flux", start=-1.0))
    assert mb.simulate(model, 1.0)["flux.value"](0.5) == pytest.approx(0.0, abs=1e-9)


# -- pose signals ----------------------------------------------------------------------------------------------------


def outputs(
    item: Element, signals: dict[str, np.ndarray], role: str = "", **states: np.ndarray
) -> dict[str, np.ndarray]:
    """What an element makes of the signals that it reads."""
    flow = SX.zeros(item.motion.turns + item.motion.slides) if isinstance(item, Motion) else SX(0, 1)
    writer = LawWriter(
        {"port": flow}, {"port": flow}, {n: SX(v.ravel()) for n, v in signals.items()},
        {n: SX(v) for n, v in states.items()}, {"port": True}, role=role,
    )  # fmt: skip
    item.law(writer)
    return {name: np.array(ca.evalf(ca.densify(value))).ravel() for name, value in writer.outputs.items()}


def test_anchor_stands_where_it_is_put() -> None:
    found = outputs(Anchor("it", at=P_A), {})
    np.testing.assert_array_equal(found["position"], P_A)
    np.testing.assert_array_equal(found["attitude"], np.eye(3).ravel())


def test_shift_outwards_and_inwards() -> None:
    r = np.array([0.2, -0.5, 1.3])
    out = outputs(Shift("it", r), {"attitude_a": R_WA, "position_a": P_A}, "outward")
    np.testing.assert_allclose(out["position_b"], P_A + R_WA @ r)
    np.testing.assert_allclose(out["attitude_b"], R_WA.ravel())
    back = outputs(Shift("it", r), {"attitude_b": R_WA, "position_b": P_B}, "inward")
    np.testing.assert_allclose(back["position_a"], P_B - R_WA @ r)
    np.testing.assert_allclose(back["attitude_a"], R_WA.ravel())


def test_line_points_from_a_to_b() -> None:
    found = outputs(Line("it"), {"position_a": P_A, "position_b": P_B})
    length = np.linalg.norm(P_B - P_A)
    np.testing.assert_allclose(found["length"], length)
    np.testing.assert_allclose(found["direction"], (P_B - P_A) / length)


def test_linear_map_multiplies() -> None:
    M, x = RNG.standard_normal((2, 3)), RNG.standard_normal(3)
    found = outputs(LinearMap("it", M), {f"in_{k + 1}": x[k : k + 1] for k in range(3)})
    np.testing.assert_allclose([found["out_1"].item(), found["out_2"].item()], M @ x)


@pytest.mark.parametrize("role", ["outward", "inward", "cut"])
def test_a_free_motion_leads_the_pose_both_ways(role: str) -> None:
    """q holds the attitude of b in a and the place of b in a's axes; a cut reads them from both poses."""
    R_AB, p_AB = R_WA.T @ R_WB, R_WA.T @ (P_B - P_A)
    q = np.concatenate([np.roll(Rotation.from_matrix(R_AB).as_quat(canonical=True), 1), p_AB])
    a, b = {"attitude_a": R_WA, "position_a": P_A}, {"attitude_b": R_WB, "position_b": P_B}
    given = {"outward": a, "inward": b, "cut": a | b}[role]
    found = outputs(Motion("it", "xyz", "xyz"), given, role, **({} if role == "cut" else {"q": q}))
    for name, value in {"outward": b, "inward": a, "cut": {}}[role].items():
        np.testing.assert_allclose(found[name], value.ravel(), atol=1e-14)
    np.testing.assert_allclose(found["q"], q, atol=1e-14)
    np.testing.assert_allclose(found["turn"], R_AB.ravel(), atol=1e-14)
    w = RNG.standard_normal(3)
    np.testing.assert_allclose(found["lever"].reshape(3, 3) @ w, np.cross(w, p_AB), atol=1e-14)
    np.testing.assert_allclose(found["basis"], np.eye(3).ravel())


def test_a_slider_gives_its_gaps() -> None:
    """b a little off the x axis and turned a little: the gaps are its places along the held directions."""
    small = 1e-6 * np.array([1.0, -2.0, 3.0])
    turned = Rotation.from_rotvec(small).as_matrix()
    there = {"attitude_a": np.eye(3), "position_a": np.zeros(3), "attitude_b": turned}
    item = Motion("it", slides="x")
    found = outputs(item, there | {"position_b": np.array([2.0, 0.1, -0.2])}, "cut")
    held = item.motion.slide_basis()[:, 1:].T
    np.testing.assert_allclose(found["gap_rotation"], small, atol=1e-15)
    np.testing.assert_allclose(found["gap_translation"], held @ [2.0, 0.1, -0.2])


# -- sources that signals feed, and the size that a model gives ------------------------------------------------------


@pytest.mark.parametrize("away", [True, False])
@pytest.mark.parametrize("source", [mb.MSe("source", size=2), mb.MSf("source", size=2)], ids=["MSe", "MSf"])
def test_a_fed_source_pushes_along_its_half_arrow(source: Element, away: bool) -> None:
    """6 and -3 V (or A) that a signal gives, on 3 ohm; drawn to the source they count the other way."""
    model = mb.Model("fed")
    current = model.add(mb.One("current", size=2))
    source = model.add(source)
    model.bond(*((source, current) if away else (current, source)))
    model.bond(current, mb.R("load", 3.0))
    model.add(mb.blocks.Function("drive", "[6*exp(-t), -3]"))
    model.signal("drive.y", "source.effort" if isinstance(source, mb.MSe) else "source.flow")
    run = mb.simulate(model, 1.0)
    drive = np.array([6.0 * np.exp(-0.5), -3.0]) * (1 if away else -1)
    flow = drive / 3.0 if isinstance(source, mb.MSe) else drive
    np.testing.assert_allclose(run["load.f"](0.5), flow, atol=1e-12)
    np.testing.assert_allclose(run["load.e"](0.5), 3.0 * flow, atol=1e-12)
    assert run["source.power"](0.5) == pytest.approx(3.0 * flow @ flow)
    assert run.energy().supplied == pytest.approx(run.energy().dissipated)


def everything(model: mb.Model) -> mb.Model:
    """One of each element whose size is open, on two junctions of unsaid size with a transformer between them."""
    flow, effort = model.add(mb.One("flow")), model.add(mb.Zero("effort"))
    for item in (mb.I("mass", 2.0), mb.R("loss", 1.0), mb.C("spring", 0.5), mb.Df("speed"), mb.Dq("way")):
        model.bond(flow, item)
    model.bond(mb.Se("push", 1.0), flow)
    gear, meter = model.add(mb.TF("gear", 2.0)), model.add(mb.PowerSensor("meter"))
    model.bond(flow, gear.a)
    model.bond(gear.b, meter.a)
    model.bond(meter.b, effort)
    for item in (mb.G("leak", 1.0), mb.C("tank", 1.0), mb.De("level"), mb.Dp("sum")):
        model.bond(effort, item)
    return model


def sizes(model: mb.Model) -> set[int]:
    return {bond.size for bond in mb.expand(model).bonds}


@pytest.mark.parametrize("size", [None, 1, 3])
def test_a_model_sizes_what_is_inside(size: int | None) -> None:
    """All that is not told otherwise has the model's size, and each component behaves as the scalar model does."""
    model, scalar = everything(mb.Model("sized", size=size)), everything(mb.Model("scalar"))
    assert sizes(model) == {size or 1}
    run, plain = mb.simulate(model, 1.0), mb.simulate(scalar, 1.0)
    for name in ("mass.f", "spring.q", "tank.e", "speed.value", "way.value", "level.value", "sum.value", "meter.flow"):
        found = np.atleast_1d(run[name](0.7))
        np.testing.assert_allclose(found, np.full(size or 1, plain[name](0.7)), rtol=1e-9, atol=1e-12)
    assert run["meter.power"](0.7) == pytest.approx((size or 1) * plain["meter.power"](0.7))


def test_what_is_told_its_size_keeps_it() -> None:
    model = everything(mb.Model("sized", size=3))
    small, pair = model.add(mb.One("small", size=1)), model.add(mb.One("pair"))
    model.bond(small, mb.R("alone", 1.0))
    model.bond(mb.Se("one", 2.0), small)
    model.bond(pair, mb.R("two", (1.0, 2.0)))
    model.bond(mb.Se("both", 6.0), pair)
    assert sizes(model) == {1, 2, 3}
    run = mb.simulate(model, 0.1)
    assert float(run["alone.f"](0.0)) == 2.0
    np.testing.assert_array_equal(run["two.f"](0.0), [6.0, 3.0])


def test_models_within_models_have_their_own_size() -> None:
    inner, outer = everything(mb.Model("inner", size=3)), everything(mb.Model("outer", size=2))
    outer.add(inner)
    deep = mb.Model("deep")
    deep.add(outer)
    everything(deep)
    found = {bond.name: bond.size for bond in mb.expand(deep).bonds}
    assert {found[n] for n in found if n.startswith("outer.inner.")} == {3}
    assert {found[n] for n in found if n.startswith("outer.") and ".inner." not in n} == {2}
    assert {found[n] for n in found if not n.startswith("outer.")} == {1}
