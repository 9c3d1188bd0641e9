"""Algebraic loops: linear ones solved, others by Newton's method, and those without an answer told by element."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import multibond as mb
from multibond.errors import MultibondError

TIMES = np.linspace(0.0, 2.0, 21)


def ladder(laws: list[dict[str, str]]) -> mb.Model:
    """A capacitor discharged through a ladder: a law in series, a law across, a law at the end."""
    model = mb.Model("ladder")
    node, end = model.add(mb.Zero("node")), model.add(mb.Zero("end"))
    i = model.add(mb.One("i"))
    model.bond(mb.C("store", 0.7, start=1.4), node)
    model.bond(node, mb.R("across", **laws[0]))
    model.bond(node, i)
    model.bond(i, mb.R("series", **laws[1]))
    model.bond(i, end)
    model.bond(end, mb.R("last", **laws[2]))
    return model


LAWS = {
    "efforts": [{"effort": "f + f**3"}, {"effort": "2*f + sinh(f)"}, {"effort": "0.5*f + f**5"}],
    "flows": [{"flow": "e + e**3"}, {"flow": "tanh(e)"}, {"flow": "0.3*e + e*abs(e)"}],
    "mixed": [{"flow": "0.1*e**3"}, {"effort": "exp(f) - exp(-f)"}, {"flow": "e**3 + 0.2*e"}],
}


@pytest.mark.parametrize("solver", ["dop853", "rodas5p"])
@pytest.mark.parametrize("name", LAWS)
def test_loops_that_are_not_linear(name: str, solver: str) -> None:
    laws = LAWS[name]
    functions = {**{f: getattr(np, f) for f in ("sinh", "tanh", "exp")}, "abs": np.abs}

    def relation(law: dict[str, str], e: float, f: float) -> float:
        ((kind, text),) = law.items()
        value = eval(text, {"__builtins__": {}}, {**functions, "e": e, "f": f})
        return e - value if kind == "effort" else f - value

    def current(voltage: float) -> float:
        """The current out of the store, with all laws at once."""

        def faults(z):
            across, i, drop, end = z
            return [
                relation(laws[0], voltage, across),
                relation(laws[1], drop, i),
                relation(laws[2], end, i),
                voltage - drop - end,
            ]

        z = fsolve(faults, [voltage, 0.3 * voltage, 0.5 * voltage, 0.5 * voltage], xtol=1e-13)
        assert np.abs(faults(z)).max() < 1e-11
        return z[0] + z[1]

    wanted = solve_ivp(lambda t, q: [-current(q[0] / 0.7)], (0, 2), [1.4], "DOP853", TIMES, rtol=1e-10, atol=1e-12).y[0]
    run = mb.simulate(ladder(laws), 2.0, solver=solver, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run["store.q"](TIMES), wanted, atol=1e-8)
    assert run.energy().residual < 1e-8


def test_a_mesh_of_unit_gain_with_something_in_it() -> None:
    """Two paths of transformers between the same junctions: what passes each is settled by the resistors in them."""
    model = mb.Model("mesh")
    a, b = model.add(mb.Zero("a")), model.add(mb.Zero("b"))
    model.bond(mb.C("store", 1.0, start=2.0), a)
    for k, resistance in enumerate((1.0, 3.0)):
        path = model.add(mb.One(f"path{k}"))
        model.bond(a, path)
        model.bond(path, mb.R(f"r{k}", resistance))
        model.bond(path, b)
    model.bond(b, mb.R("load", 0.5))
    run = mb.simulate(model, 1.0, rtol=1e-11, atol=1e-13)
    whole = 0.75 + 0.5
    np.testing.assert_allclose(run["store.e"](1.0), 2.0 * np.exp(-1.0 / whole), atol=1e-9)
    np.testing.assert_allclose(run["r0.f"](0.5), 3 * run["r1.f"](0.5), rtol=1e-10)


def test_a_loop_without_a_solution_is_told_by_its_elements() -> None:
    model = mb.Model("impossible")
    i = model.add(mb.One("i"))
    model.bond(mb.Se("battery", 5.0), i)
    model.bond(i, mb.R("saturating", effort="tanh(f)"))
    model.bond(i, mb.R("diode", effort="exp(-f**2)*f"))
    with pytest.raises(MultibondError, match="no solution") as told:
        mb.compile(model)
    assert {"saturating", "diode"} & set(told.value.paths)


def test_parallel_wires_that_decide_nothing_are_named() -> None:
    """Two bare paths between the same junctions: how a flow divides among them nobody says."""
    model = mb.Model("twice")
    a, b = model.add(mb.Zero("a")), model.add(mb.Zero("b"))
    model.bond(mb.C("store", 1.0, start=2.0), a)
    for k in range(2):
        path = model.add(mb.One(f"path{k}"))
        model.bond(a, path)
        model.bond(path, b)
    model.bond(b, mb.R("load", 0.5))
    try:
        run = mb.simulate(model, 1.0)
    except MultibondError as told:
        assert {"path0", "path1", "a", "b"} & set(told.paths)
    else:
        np.testing.assert_allclose(run["load.f"](0.5), 2 * run["store.e"](0.5), rtol=1e-9)


def test_a_resistor_of_exactly_zero_is_a_short_circuit() -> None:
    """12 V behind 3 ohm on a shorted capacitor: it stays empty, and 4 A go through the short."""
    model = mb.Model("short")
    i, node = model.add(mb.One("i")), model.add(mb.Zero("node"))
    model.bond(mb.Se("battery", 12.0), i)
    model.bond(i, mb.R("inner", 3.0))
    model.bond(i, node)
    model.bond(node, mb.C("store", 0.5))
    model.bond(node, mb.R("short", 0.0))
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["short.f"](TIMES / 2), 4.0, rtol=1e-12)
    np.testing.assert_allclose(run["store.q"](TIMES / 2), 0.0, atol=1e-15)
