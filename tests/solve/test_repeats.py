"""Systems with other numbers: what a fresh compilation gives, without opening the model or compiling anything again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from tests.compiled import example

import multibond as mb
from multibond.errors import MultibondError
from multibond.examples import EXAMPLES, arm, chain, four_bar, slider_crank
from multibond.graph import expand as opening
from multibond.graph.model import Model
from multibond.lower import jit
from multibond.lower.system import System

QUICK = tuple(name for name in EXAMPLES if name != "robot")


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """How often machine code is made, and how often a whole model is opened."""
    count = {"compiled": 0, "opened": 0}

    def counting(what: str, call: Any) -> Any:
        def wrapped(*given: Any, **named: Any) -> Any:
            count[what] += 1
            return call(*given, **named)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(jit.llvm, "create_mcjit_compiler", counting("compiled", jit.llvm.create_mcjit_compiler))
        patch.setattr(opening, "_opened", counting("opened", opening._opened))
        yield count


def numbers_of(system: System, rng: np.random.Generator) -> dict[str, Any]:
    """Other numbers for some parameters of a system's components, a few per cent away; zeros stay."""
    model = system.recipe.model
    assert isinstance(model, Model)
    found: dict[str, Any] = {}
    for item in model.sheet.components.values():
        for name in item.parameters():
            path = f"{item.name}.{name}"
            if path not in system.dae.graph.parameters or name in item.expressions or rng.random() < 0.5:
                continue
            value = getattr(item, name)
            if isinstance(value, float | int | np.ndarray) and np.any(value):
                found[path] = np.asarray(value, float) * (1.0 + 0.03 * rng.uniform(-1, 1))
    return found


def fresh(system: System, changes: Mapping[str, Any]) -> System:
    """The same compiled from its model."""
    model = system.recipe.model
    assert isinstance(model, Model)
    changed = Model(model.name, size=model.size)
    changed.sheet = model.sheet
    for path, value in changes.items():
        changed.set(path, value)
    return mb.compile(changed)


def require_same(one: System, other: System, *, rtol: float = 1e-9) -> None:
    """Starts, rates, what is told, and how a short run goes."""
    assert one.state_names == other.state_names
    np.testing.assert_allclose(one.parameters, other.parameters, rtol=1e-15)
    np.testing.assert_allclose(one.x0, other.x0, rtol=rtol, atol=1e-10)
    rates = other.derivative(other.x0)
    size = max(1.0, float(np.abs(rates).max(initial=0.0)))
    np.testing.assert_allclose(one.derivative(other.x0), rates, rtol=1e-8, atol=1e-9 * size)
    assert sorted(one.report) == sorted(other.report)
    assert one.stored.keys() == other.stored.keys()


@pytest.mark.parametrize("name", QUICK)
def test_other_numbers_give_what_a_fresh_compilation_gives(name: str) -> None:
    """Random sets one after the other, each on the system before, for every example."""
    system, rng = example(name), np.random.default_rng([len(name), *name.encode()])
    for _ in range(3):
        changes = numbers_of(system, rng)
        try:
            expected = fresh(system, changes)
        except MultibondError as error:  # such numbers do not go together: a loop that does not close
            with pytest.raises(type(error)) as raised:
                mb.with_parameters(system, changes)
            assert str(raised.value) == str(error)
            continue
        system = mb.with_parameters(system, changes)
        require_same(system, expected)


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "arm", "pendulum", "motor_pendulum", "rlc", "crane_crab"])
def test_other_starts_give_what_a_fresh_compilation_gives(name: str) -> None:
    """Coordinates and speeds that were given are given otherwise, one at a time and then as they were."""
    system = example(name)
    model = system.recipe.model
    starts = [
        (f"{item.name}.{key}", getattr(item, key))
        for item in model.sheet.components.values()
        for key, about in item.parameters().items()
        if about.start and isinstance(getattr(item, key), float | int) and key not in item.expressions
    ]
    for path, value in starts[:6]:
        changes = {path: float(value) + 0.02}
        changed = mb.with_parameters(system, changes)
        assert changed.code is system.code
        require_same(changed, fresh(system, changes))
        require_same(mb.with_parameters(changed, {path: value}), system)


STRUCTURE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("slider_crank", {"guide.damping": 0.0}, {"guide.damping": 3.0}),
    ("slider_crank", {"O.damping": 0.4}, {"O.damping": 0.0}),
    ("slider_crank", {"crank.mass": 0.0}, {"crank.mass": 1.5}),
    ("four_bar", {"coupler.inertia": (0.05, 0.1, 0.12)}, {"coupler.inertia": (0.0, 0.1, 0.1)}),
    ("arm", {"rod2.vector": (0.1, -0.1197, 0.425)}, {"rod2.vector": (0.0, -0.1197, 0.425)}),
    ("arm", {"joint1.axis": "x"}, {"joint1.axis": "y"}),
    ("pendulum", {"hip.angle": 0.4}, {"hip.angle": 0.2}),
]


@pytest.mark.parametrize(("name", "there", "back"), STRUCTURE)
def test_structure_that_changes_is_noticed(name: str, there: dict[str, Any], back: dict[str, Any]) -> None:
    """A number that becomes zero or ceases to be, an axis: there and back again, as fresh compilations."""
    system = example(name)
    known = {c.name: c for c in system.recipe.model.sheet.components.values()}
    there, back = ({p: v for p, v in each.items() if p.partition(".")[0] in known} for each in (there, back))
    for changes in (there, back):
        changed = mb.with_parameters(system, changes)
        require_same(changed, fresh(system, changes))
        system = changed


REPEATS: list[tuple[str, Any, dict[str, Any], str]] = [
    ("slider crank", slider_crank, {"crank.mass": 1.1, "rod.mass": 0.9, "piston.mass": 1.2}, "guide.position"),
    ("slider crank", slider_crank, {"rod_rod.vector": (1.01, 0, 0), "rod.mass": 0.9, "O.torque": 9.0}, "O.angle"),
    ("slider crank", slider_crank, {"O.speed": 0.3, "O.angle": 0.1, "guide.damping": 4.0}, "guide.speed"),
    ("four-bar", four_bar, {"crank.mass": 0.7, "coupler.mass": 1.9, "O.speed": 7.0}, "D.angle"),
    ("arm", arm, {"link1.mass": 8.0, "link2.mass": 2.0, "rod3.vector": (0, 0, 0.4)}, "joint5.angle"),
    ("double pendulum", lambda: chain(2), {"link0.mass": 1.1, "link1.mass": 0.9, "joint0.angle": 0.2}, "joint1.angle"),
]


@pytest.mark.parametrize(("name", "make", "changes", "read"), REPEATS, ids=[row[0] for row in REPEATS])
def test_second_runs_compile_nothing(
    name: str, make: Any, changes: dict[str, Any], read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the model opened: with other numbers, another solver, crossings, and robotics calls."""
    system, times = mb.compile(make()), np.linspace(0.0, 0.3, 11)

    def once(factor: float) -> list[np.ndarray]:
        given = {path: np.asarray(value, float) * factor for path, value in changes.items()}
        other = mb.with_parameters(system, given)
        found = [mb.simulate(other, 0.3, rtol=1e-6)[read](times)]
        found.append(mb.simulate(other, 0.3, rtol=1e-6, solver="rodas5p", events={read: 0.1})[read](times))
        found += [np.asarray(call(other.x0)) for call in (other.bias, other.mass_matrix, other.accelerations)]
        return [*found, np.asarray(other.jacobians(other.x0).A)]

    once(1.0)
    with counted(monkeypatch) as count:
        once(1.01)
        once(0.99)
    assert count == {"compiled": 0, "opened": 0}, name


def test_what_is_kept_belongs_to_the_equations() -> None:
    """Systems with other numbers share it, in any order of use; one of another structure has its own."""
    first = mb.compile(slider_crank())
    second = mb.with_parameters(first, {"crank.mass": 1.5})
    third = mb.with_parameters(second, {"O.damping": 0.7})
    again = mb.compile(slider_crank())
    assert first.kept is second.kept and second.kept is not third.kept and again.kept is not first.kept
    heavy = mb.compile(slider_crank_of(1.5))
    np.testing.assert_allclose(second.mass_matrix(), heavy.mass_matrix(), rtol=1e-13)
    np.testing.assert_allclose(first.mass_matrix(), again.mass_matrix(), rtol=1e-15)


def slider_crank_of(mass: float) -> mb.Model:
    """The slider crank with another mass of its crank."""
    model = slider_crank()
    model.set("crank.mass", mass)
    return model


def test_a_start_that_lengths_decide_is_found_anew() -> None:
    """The same masses with other lengths, and the other way round: no start of other numbers is taken."""
    system = mb.compile(four_bar())
    long = {"coupler_rod.vector": (0.95, 0.0, 0.0)}
    for changes in ({"crank.mass": 0.7}, long, {"crank.mass": 0.8}, {}, long | {"crank.mass": 0.6}):
        changed = mb.with_parameters(system, changes)
        np.testing.assert_allclose(changed.x0, fresh(system, changes).x0, rtol=0, atol=1e-11)
    assert np.abs(mb.with_parameters(system, long).x0 - system.x0).max() > 1e-3


def test_threads_may_change_and_run_one_system() -> None:
    """Each thread has numbers and runs of its own; every result is that of a single thread."""
    system, times = mb.compile(slider_crank()), np.linspace(0.0, 1.0, 21)

    def once(mass: float) -> np.ndarray:
        changed = mb.with_parameters(system, {"crank.mass": mass, "O.angle": 0.01 * mass})
        return np.append(mb.simulate(changed, 1.0, rtol=1e-8)["O.angle"](times), changed.bias())

    masses = np.linspace(0.5, 2.0, 12)
    right = [once(mass) for mass in masses]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(once, np.tile(masses, 3)))
    for value, expected in zip(found, right * 3, strict=True):
        np.testing.assert_array_equal(value, expected)
