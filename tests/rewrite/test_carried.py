"""Laws of what is carried over a transformer: against linear algebra, and whole motions against Lagrange and SciPy."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks
from multibond.elements.carried import (
    Beside,
    BreakVariable,
    Dependence,
    MatrixInverse,
    MatrixProduct,
    ModulatedGyristor,
    TransformedGyrator,
    TransportGyrator,
    VirtualInertia,
    VirtualStorage,
)
from multibond.elements.law import LawWriter
from multibond.expr import SX
from multibond.graph.component import Element

RNG = np.random.default_rng(42)
B = RNG.standard_normal((3, 2))
J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.0]])
RATE = RNG.standard_normal((3, 2))
E, F = RNG.standard_normal(2), RNG.standard_normal(2)


def written(
    item: Element, *, e: np.ndarray = E, f: np.ndarray = F, p: np.ndarray | None = None, **signals: np.ndarray
) -> LawWriter:
    """The law of an element at numbers."""
    states = {} if p is None else {"p": SX(p)}
    ports = {"port": SX(e)}, {"port": SX(f)}
    law = LawWriter(*ports, {k: SX(np.ravel(v)) for k, v in signals.items()}, states, {"port": True})
    item.law(law)
    return law


def number(value: SX, law: LawWriter, *rates: np.ndarray) -> np.ndarray:
    """An expression with numbers for the derivatives that the law asks for, in order."""
    for (_, symbol, _), rate in zip(law.derivatives, rates, strict=True):
        value = ca.substitute(value, symbol, SX(ca.vec(ca.DM(rate))))
    return np.asarray(ca.DM(ca.evalf(ca.densify(value)))).squeeze()


def plain(value: SX) -> np.ndarray:
    return np.asarray(ca.DM(ca.evalf(ca.densify(value)))).squeeze()


@pytest.mark.parametrize("transposed", [False, True])
def test_virtual_inertia_takes_flow(transposed: bool) -> None:
    """e = Bᵀ d(J B f)/dt with the momentum J B f, and the energy ½ (B f)ᵀ J (B f)."""
    item = VirtualInertia("it", J, 3, 2, transposed)
    law = written(item, modulus=B.T if transposed else B)
    ((momentum, _, name),) = law.derivatives
    np.testing.assert_allclose(plain(momentum), J @ B @ F)
    push = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(number(law.relations[0], law, push), E - B.T @ push)
    assert law.energy is not None and name == "p"
    assert float(plain(law.energy)) == pytest.approx(0.5 * (B @ F) @ J @ (B @ F))
    assert item.causality_at("port") == "gives effort" and item.states({}) == {"p": 3}


def test_virtual_inertia_gives_flow() -> None:
    """p = BᵀJB f and dp/dt = e + ḂᵀJB f."""
    item = VirtualInertia("it", J, 3, 2, independent=True)
    p = np.array([0.7, -0.4])
    law = written(item, modulus=B, p=p)
    v = np.linalg.solve(B.T @ J @ B, p)
    np.testing.assert_allclose(number(law.relations[0], law, RATE), F - v)
    np.testing.assert_allclose(number(law.rates["p"], law, RATE), E + RATE.T @ J @ B @ v)
    assert item.causality_at("port") == "gives flow" and item.states({}) == {"p": 2}


def test_virtual_storage_and_gyristor_are_the_virtual_inertia() -> None:
    """J' f' + ½ dJ'/dt f and ½ (BᵀJḂ - ḂᵀJB) f together are BᵀJ(B f' + Ḃ f); only the first stores."""
    grows, push = RATE.T @ J @ B + B.T @ J @ RATE, np.array([0.4, -0.9])
    momentum = B.T @ J @ B @ push + grows @ F
    storage = written(VirtualStorage("it", J, 3, 2), modulus=B)
    np.testing.assert_allclose(plain(storage.derivatives[0][0]), (B.T @ J @ B).T.ravel())
    np.testing.assert_allclose(plain(storage.derivatives[1][0]), B.T @ J @ B @ F)
    first = E - number(storage.relations[0], storage, grows, momentum)
    np.testing.assert_allclose(first, B.T @ J @ B @ push + 0.5 * grows @ F)
    gyristor = written(ModulatedGyristor("it", J, 3, 2), modulus=B)
    second = E - number(gyristor.relations[0], gyristor, RATE)
    assert second @ F == pytest.approx(0.0, abs=1e-13)
    np.testing.assert_allclose(first + second, B.T @ J @ (B @ push + RATE @ F))
    assert storage.energy is not None
    assert float(plain(storage.energy)) == pytest.approx(0.5 * (B @ F) @ J @ (B @ F))


def test_virtual_storage_gives_flow() -> None:
    """p = J' f and dp/dt = e + ½ dJ'/dt f."""
    grows, p = RATE.T @ J @ B + B.T @ J @ RATE, np.array([0.7, -0.4])
    law = written(VirtualStorage("it", J, 3, 2, independent=True), modulus=B, p=p)
    v = np.linalg.solve(B.T @ J @ B, p)
    np.testing.assert_allclose(number(law.relations[0], law, grows), F - v)
    np.testing.assert_allclose(number(law.rates["p"], law, grows), E + 0.5 * grows @ v)


def test_a_constant_modulus_needs_no_signal() -> None:
    item = VirtualInertia("it", J, 3, 2, modulus=B.ravel())
    np.testing.assert_allclose(plain(written(item).derivatives[0][0]), J @ B @ F)
    assert [p.name for p in item.ports()] == ["port", "modulus"]


def test_transformed_gyrator() -> None:
    """e = Bᵀ (ω × J ω) with ω = B f, which takes no power."""
    law = written(TransformedGyrator("it", J, 3, 2), modulus=B)
    w = B @ F
    torque = B.T @ np.cross(w, J @ w)
    np.testing.assert_allclose(plain(law.relations[0]), E - torque)
    assert torque @ F == pytest.approx(0.0, abs=1e-14)


def test_transport_gyrator() -> None:
    """A mass in a frame that turns at ω: e = m ω × v, for any attitude."""
    w, v, angle = np.array([0.3, -1.2, 0.7]), np.array([1.0, 0.4, -0.6]), 0.8
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    rate = R @ np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    law = written(TransportGyrator("it", 1.7, 3, 3), e=np.zeros(3), f=v, modulus=R)
    np.testing.assert_allclose(number(law.relations[0], law, rate), -1.7 * np.cross(w, v))


def outputs(item: Element, **signals: np.ndarray) -> np.ndarray:
    law = LawWriter({}, {}, {k: SX(np.ravel(v)) for k, v in signals.items()}, {}, {})
    item.law(law)
    (value,) = law.outputs.values()
    return plain(value)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_product(first: bool, second: bool) -> None:
    C = RNG.standard_normal((2, 4))
    item = MatrixProduct("it", 3, 2, 4, first, second)
    found = outputs(item, first=B.T if first else B, second=C.T if second else C)
    np.testing.assert_allclose(found, (B @ C).ravel())


def test_inverse_and_beside() -> None:
    np.testing.assert_allclose(outputs(MatrixInverse("it", 3), input=J), np.linalg.inv(J).ravel(), rtol=1e-12)
    np.testing.assert_allclose(outputs(Beside("it", 3, 2), input=B), np.hstack([np.eye(3), B]).ravel())
    np.testing.assert_allclose(outputs(Beside("it", 3, 2, True), input=B.T), np.hstack([np.eye(3), B]).ravel())


def test_dependence() -> None:
    """G M = 0 in the rows that are kept, and the independent velocities are themselves."""
    G = RNG.standard_normal((3, 5))
    G[2] = G[0] - 2 * G[1]
    item = Dependence("it", 3, 5, (0, 2), (1, 3))
    M = outputs(item, input=G).reshape(5, 3)
    np.testing.assert_allclose(G @ M, 0.0, atol=1e-12)
    np.testing.assert_allclose(M[[0, 2, 4]], np.eye(3))
    assert item.independent() == [0, 2, 4]


def test_break_variable_holds_its_flow() -> None:
    law = written(BreakVariable("it", size=2))
    assert set(law.held) == {0, 1} and BreakVariable("it").causality_at("port") == "gives effort"


# -- whole motions ---------------------------------------------------------------------------------------------------


def swung(*, wheel: float) -> mb.Model:
    """A mass on a curve, v = ((1 + a²) (-sin a), (1 + a²) cos a) a', felt at the angle a, with a torque on it."""
    model = mb.Model("swung")
    turn = model.add(mb.One("turn"))
    model.add(VirtualInertia("mass", (0.7, 1.1), 2, 1, independent=not wheel, start=0.0 if wheel else 1.2))
    model.bond(turn, "mass")
    model.bond(turn, mb.Dq("angle", start=0.3))
    model.bond(mb.Se("torque", "0.5*cos(t)"), turn)
    law = model.add(blocks.Function("curve", ["-(1 + u**2)*sin(u)", "(1 + u**2)*cos(u)"]))
    model.signal("angle.value", law.u)
    model.signal(law.y, "mass.modulus")
    if wheel:
        model.bond(turn, mb.I("wheel", wheel, start=0.6))
    return model


@pytest.mark.parametrize("wheel", [0.0, 0.5])
def test_motion_is_that_of_lagrange(wheel: float) -> None:
    """J(a) a'' + ½ J'(a) a'² = torque, with J(a) = wheel + BᵀJB: found apart, in integral and derivative causality."""

    def inertia(a: float) -> float:
        return wheel + (1 + a**2) ** 2 * (0.7 * np.sin(a) ** 2 + 1.1 * np.cos(a) ** 2)

    def slope(a: float) -> float:
        spread = 0.7 * np.sin(a) ** 2 + 1.1 * np.cos(a) ** 2
        return 4 * a * (1 + a**2) * spread - (1 + a**2) ** 2 * 0.4 * np.sin(2 * a)

    def motion(t: float, x: np.ndarray) -> list[float]:
        return [x[1], (0.5 * np.cos(t) - 0.5 * slope(x[0]) * x[1] ** 2) / inertia(x[0])]

    first = [0.3, 0.6 / wheel if wheel else 1.2 / inertia(0.3)]
    exact = solve_ivp(motion, (0.0, 1.5), first, rtol=1e-11, atol=1e-12, method="DOP853")
    run = mb.simulate(swung(wheel=wheel), 1.5, rtol=1e-11)
    assert run["angle.q"](1.5) == pytest.approx(exact.y[0, -1], abs=1e-9)
    assert run["mass.f"](1.5) == pytest.approx(exact.y[1, -1], abs=1e-9)
    audit = run.energy()
    energies = [0.5 * inertia(a) * v**2 for a, v in (exact.y[:, 0], exact.y[:, -1])]
    assert audit.kinetic == pytest.approx(energies[1] - energies[0], abs=1e-9)
    assert audit.dissipated == 0.0 and audit.residual < 1e-9


def test_a_carried_inertia_takes_its_share_of_a_jump() -> None:
    """A wheel with a mass behind a lever runs into a stop; beside it one wheel with the inertia of both."""
    model = mb.Model("bounce")
    turn = model.add(mb.One("turn"))
    model.add(VirtualInertia("mass", 1.5, 1, 1, modulus=2.0))
    model.bond(turn, "mass")
    model.bond(turn, mb.I("wheel", 0.5, start=0.5))
    model.bond(turn, mb.Dq("angle"))
    model.bond(turn, mb.C("spring", 0.25))
    model.add(mb.Stop("wall", upper=0.2, restitution=0.8))
    model.bond(turn, "wall")
    model.signal("angle.value", "wall.displacement")
    plain_model = mb.Model("plain")
    one = plain_model.add(mb.One("turn"))
    plain_model.bond(one, mb.I("wheel", 6.5, start=6.5))
    plain_model.bond(one, mb.Dq("angle"))
    plain_model.bond(one, mb.C("spring", 0.25))
    plain_model.add(mb.Stop("wall", upper=0.2, restitution=0.8))
    plain_model.bond(one, "wall")
    plain_model.signal("angle.value", "wall.displacement")
    ours, theirs = mb.simulate(model, 1.0, rtol=1e-11), mb.simulate(plain_model, 1.0, rtol=1e-11)
    times = np.linspace(0.0, 1.0, 21)
    np.testing.assert_allclose(ours["angle.q"](times), theirs["angle.q"](times), atol=1e-9)
    assert len(ours.pieces) == len(theirs.pieces) >= 2
    assert ours.energy().jumps == pytest.approx(theirs.energy().jumps, abs=1e-9)
    assert ours.energy().jumps > 0.1
