"""Sensors read without taking power; signals modulate; components can be led on their own."""

import numpy as np

import multibond as mb


def oscillator() -> tuple[mb.Model, object]:
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 2.0, start=2.0))
    model.bond(v, mb.C("spring", 0.125))
    return model, v


def test_sensors_read_what_they_stand_for() -> None:
    model, v = oscillator()
    node = model.add(mb.Zero("node"))
    model.bond(v, node)
    model.bond(node, mb.C("soft", 1e-3))
    for name, at, sensor in (("Df", v, mb.Df), ("Dq", v, mb.Dq), ("De", node, mb.De), ("Dp", node, mb.Dp)):
        model.bond(at, sensor(name))
    run = mb.simulate(model, 3.0)
    times = np.linspace(0, 3, 31)
    assert np.array_equal(run["Df.value"](times), run["mass.f"](times))
    assert np.array_equal(run["De.value"](times), run["soft.e"](times))
    assert np.abs(run["Dq.value"](times) - run["spring.q"](times)).max() < 1e-10
    momentum = run["mass.p"](times) - 2.0
    impulse = -run["Dp.value"](times)
    spring = run["mass.p"](times) - 2.0 - impulse
    work = np.array([_integral(run, "spring.e", t) for t in times])
    assert np.abs(spring + work).max() < 1e-8
    assert np.abs(momentum).max() > 1


def _integral(run: mb.Run, name: str, until: float) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(60)
    return float(run[name](0.5 * until * (nodes + 1)) @ weights * 0.5 * until) if until else 0.0


def test_attaching_a_sensor_changes_nothing() -> None:
    plain, _ = oscillator()
    watched, v = oscillator()
    watched.bond(v, mb.Df("speed"))
    times = np.linspace(0, 5, 51)
    a, b = mb.simulate(plain, 5.0)["mass.p"](times), mb.simulate(watched, 5.0)["mass.p"](times)
    assert np.array_equal(a, b)


def test_modulated_transformer_follows_its_signal() -> None:
    """A mass on a crank-like lever: f_b = q f_a with q the displacement of the drive; against SciPy."""
    from scipy.integrate import solve_ivp

    model = mb.Model("lever")
    a, b = model.add(mb.One("a")), model.add(mb.One("b"))
    model.bond(a, mb.I("flywheel", 3.0, start=3.0))
    sensor = model.add(mb.Dq("angle", start=0.5))
    model.bond(a, sensor)
    lever = model.add(mb.MTF("lever"))
    model.bond(a, lever)
    model.bond(lever, b)
    model.bond(b, mb.I("load", 2.0))
    model.signal(sensor.value, lever.modulus)
    run = mb.simulate(model, 2.0, rtol=1e-11)

    def rates(_t: float, x: np.ndarray) -> list[float]:
        q, w = x
        return [w, -2.0 * q * w * w / (3.0 + 2.0 * q * q)]

    start = 3.0 / 3.0
    reference = solve_ivp(rates, (0, 2), [0.5, start], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    times = np.linspace(0, 2, 21)
    assert np.abs(run["angle.value"](times) - reference.sol(times)[0]).max() < 1e-9


def test_gyrator_ring_from_modulated_gyrators_is_the_euler_gyrator() -> None:
    J = np.array([1.0, 2.0, 3.0])
    vector = mb.Model("top", size=3)
    w = vector.add(mb.One("w"))
    vector.bond(w, mb.I("rotor", J, start=J * (1.0, 0.2, 0.6)))
    vector.bond(w, mb.EulerGyrator("gyroscopic", J))
    times = np.linspace(0, 5, 26)
    whole = mb.simulate(vector, 5.0)["rotor.f"](times)
    scalar = mb.simulate(vector.open(depth=3), 5.0)
    for k in range(3):
        assert np.abs(scalar[f"rotor-{k + 1}.f"](times) - whole[:, k]).max() < 1e-10
