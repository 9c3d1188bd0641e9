"""A newcomer's element and part: written in about fifteen lines, they get all that the house's own ones have."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import errors
from multibond import rotational as ro
from multibond.graph.inert import Inert
from multibond.own import Port, PowerPort

from . import user_types
from .user_types import CubicDamper, Flywheel, LossyGear

TIMES = np.linspace(0.0, 3.0, 31)


def braked(size: int = 1) -> mb.Model:
    """Masses of 2 that the user's damper stops."""
    model = mb.Model("braked")
    v = model.add(mb.One("v", size=size))
    start, cubic = (3.0, -2.0, 1.0)[:size], 0.5
    model.bond(v, mb.I("mass", 2.0, start=start))
    model.bond(v, CubicDamper("damper", 0.4, cubic))
    return model


def geared(size: int = 1) -> mb.Model:
    """Motor torques through the user's gears on wheels."""
    model = mb.Model("geared", size=size)
    a, b = model.add(mb.One("fast")), model.add(mb.One("slow"))
    gear = model.add(LossyGear("gear", 0.25 if size == 1 else (0.25, 0.5), drag=0.3))
    model.bond(mb.Se("motor", 2.0), a)
    model.bond(a, mb.I("rotor", 0.5))
    model.bond(a, gear.a)
    model.bond(gear.b, b)
    model.bond(b, mb.I("wheel", 8.0))
    return model


def turning() -> mb.Model:
    """The user's part, on a spring of the library."""
    model = mb.Model("turning")
    wheel = model.add(Flywheel("wheel", 2.0, oil=0.4, thick=0.1, speed=3.0))
    spring, wall = model.add(ro.Spring("spring", 8.0)), model.add(ro.Fixed("wall"))
    model.connect(wheel.flange, spring.flange_b)
    model.connect(spring.flange_a, wall.flange)
    return model


def speeds(size: int) -> np.ndarray:
    """2 v' = -0.4 v - c v³, by SciPy."""
    c = np.full(size, 0.5)
    start = np.array([1.5, -1.0, 0.5])[:size]
    found = solve_ivp(lambda t, v: -(0.4 * v + c * v**3) / 2.0, (0.0, 3.0), start, t_eval=TIMES, rtol=1e-11, atol=1e-13)
    return found.y.T


MODELS = {
    "one-port": braked,
    "vector one-port": lambda: braked(3),
    "two-port": geared,
    "vector two-port": lambda: geared(2),
    "part": turning,
}
WATCHED = {
    "one-port": "mass.f",
    "vector one-port": "mass.f",
    "two-port": "rotor.f",
    "vector two-port": "rotor.f",
    "part": "wheel.speed",
}


def code_lines(cls: type) -> int:
    """Lines of a class that hold code: no docstring, no blank line."""
    text = inspect.getsource(cls)
    inside = text.split('"""')
    return sum(1 for line in (inside[0] + inside[2]).splitlines() if line.strip())


@pytest.mark.parametrize("cls", [CubicDamper, LossyGear, Flywheel])
def test_it_takes_about_fifteen_lines(cls: type) -> None:
    assert code_lines(cls) <= 17


def test_the_page_on_adding_an_element_is_true() -> None:
    """The class in CONTRIBUTING.md is the one that is tested here."""
    page = Path(__file__).parents[2].joinpath("CONTRIBUTING.md").read_text()
    block = page.partition("## Add an element")[2].partition("```python\n")[2].partition("```")[0]
    shown = block[block.index("@component") :].strip().splitlines()
    written = inspect.getsource(CubicDamper).strip().splitlines()
    assert [line for line in shown if ">>>" not in line and line] == [line for line in written if line]
    names: dict[str, object] = {}
    exec(compile(block, "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    mb.check_power(names["CubicDamper"]("it", 0.4, 0.2))  # type: ignore[operator]


# -- what it gets ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3])
def test_it_runs(size: int) -> None:
    run = mb.simulate(braked(size), 3.0, rtol=1e-11)
    np.testing.assert_allclose(run["mass.f"](TIMES).reshape(31, -1), speeds(size), atol=1e-9)
    assert run.energy().residual < 1e-10
    assert run.energy().dissipated == pytest.approx(-run.energy().kinetic)


def test_a_two_port_runs_and_its_losses_are_audited() -> None:
    """(0.5 + 8 / 16) ω' = 2 - 0.3 ω from rest; the gear loses 0.3 ω²."""
    run = mb.simulate(geared(), 3.0, rtol=1e-11)
    expected = (2.0 / 0.3) * (1.0 - np.exp(-0.3 * TIMES))
    np.testing.assert_allclose(run["rotor.f"](TIMES), expected, atol=1e-9)
    np.testing.assert_allclose(run["wheel.f"](TIMES), 0.25 * expected, atol=1e-9)
    assert run["gear.power"](2.0) == pytest.approx(0.3 * float(run["rotor.f"](2.0)) ** 2)
    energy = run.energy()
    assert energy.dissipated > 1.0
    assert energy.residual < 1e-10


def test_a_part_runs_under_its_own_names() -> None:
    """2 ω' = -8 θ - 0.4 ω - 0.1 ω³."""
    run = mb.simulate(turning(), 3.0, rtol=1e-11)
    found = solve_ivp(
        lambda t, s: [s[1], (-8 * s[0] - 0.4 * s[1] - 0.1 * s[1] ** 3) / 2], (0.0, 3.0), [0.0, 3.0],
        t_eval=TIMES, rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    np.testing.assert_allclose(run["wheel.speed"](TIMES), found.y[1], atol=1e-8)
    np.testing.assert_allclose(run["wheel.drag"](TIMES), 0.4 * found.y[1] + 0.1 * found.y[1] ** 3, atol=1e-8)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("item", [CubicDamper("it", (0.4, 0.3, 0.2), 0.5), LossyGear("it", 0.25, drag=0.3)])
def test_its_power_is_tested_like_that_of_every_element(item: mb.Element) -> None:
    mb.check_power(item)


def test_a_wrong_sign_is_told() -> None:
    class Wrong(CubicDamper):
        def law(self, at: object) -> None:
            at.zero(at.e() + self.linear * at.f())  # type: ignore[attr-defined]

    with pytest.raises(errors.ParameterError, match=r"Wrong 'it' makes power, against its word 'lost'"):
        mb.check_power(Wrong("it", 0.4))


@pytest.mark.parametrize("name", MODELS)
def test_it_is_saved_and_opened_again(name: str, tmp_path: Path) -> None:
    path = tmp_path / "own.mbg"
    mb.save(MODELS[name](), path)
    again = mb.load(path, types=[CubicDamper, LossyGear, Flywheel])
    first, second = (mb.simulate(m, 1.0)[WATCHED[name]](TIMES[:10]) for m in (MODELS[name](), again))
    np.testing.assert_array_equal(first, second)
    assert mb.load(path, types=user_types).components[0].name == again.components[0].name


@pytest.mark.parametrize("name", MODELS)
def test_without_its_module_it_is_kept_as_it_is(name: str, tmp_path: Path) -> None:
    path, again = tmp_path / "own.mbg", tmp_path / "again.mbg"
    mb.save(MODELS[name](), path)
    found = mb.load(path)
    assert any(isinstance(item, Inert) for item in found.components)
    mb.save(found, again)
    assert again.read_bytes() == path.read_bytes()
    with pytest.raises(errors.ModelError, match="types=user_types"):
        mb.simulate(found, 1.0)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_drawn(name: str) -> None:
    model = MODELS[name]()
    for text in (mb.draw(model), mb.draw(model.open(depth=2)), mb.draw(model.open(depth=3))):
        assert text.startswith("<svg")
    code = "TFR" if "two-port" in name else "R3"
    assert f">{code}<" in mb.draw(model.open(depth=2))


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_it_runs_at_every_depth(name: str, depth: int) -> None:
    model = MODELS[name]()
    opened = mb.simulate(model.open(depth=depth), 1.0, rtol=1e-11)
    whole = mb.simulate(model, 1.0, rtol=1e-11)[WATCHED[name]](TIMES[:10])
    graph = opened.system.dae.graph
    if name == "vector one-port" and depth == 3:
        found = np.column_stack([opened[f"mass-{k}.f"](TIMES[:10]) for k in (1, 2, 3)])
        assert [type(graph.elements[f"damper-{k}"]) for k in (1, 2, 3)] == 3 * [CubicDamper]
    elif name == "vector two-port" and depth == 3:
        found = np.column_stack([opened[f"rotor-{k}.f"](TIMES[:10]) for k in (1, 2)])
        assert {bond.size for bond in graph.bonds} == {1} and graph.elements["gear"].split
    else:
        found = opened["wheel-wheel.f" if name == "part" else WATCHED[name]](TIMES[:10])
    np.testing.assert_allclose(found, whole, atol=1e-9)


@pytest.mark.parametrize("name", ["one-port", "two-port", "part"])
def test_its_equations_are_written(name: str) -> None:
    told = mb.equations(MODELS[name]())
    assert "damper" in str(told) or "gear" in str(told) or "wheel" in str(told)
    assert told.latex()


def test_a_two_port_that_draws_no_scalar_ports_is_told() -> None:
    class Stiff(LossyGear):
        def ports(self) -> tuple[Port, ...]:
            return (PowerPort("a", 2), PowerPort("b", 2, inward=False))

    model = geared(2)
    model.remove("gear")
    gear = model.add(Stiff("gear", 0.5))
    model.bond("fast", gear.a)
    model.bond(gear.b, "slow")
    assert mb.simulate(model, 0.1)
    with pytest.raises(errors.WiringError, match=r"Stiff 'gear' cannot be unfolded.*\n.*'a'.*\n.*self\.lanes"):
        model.open(depth=3)


def test_wrong_values_are_refused_like_those_of_every_element() -> None:
    with pytest.raises(errors.ParameterError, match=r"CubicDamper 'd': linear cannot be -1.0"):
        CubicDamper("d", -1.0)
    with pytest.raises(errors.ParameterError, match=r"LossyGear 'g': drag cannot be nan"):
        LossyGear("g", 2.0, drag=float("nan"))
