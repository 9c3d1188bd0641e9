"""One model read at depths 1, 2 and 3, from Python and from file: the same trajectory."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond.examples import (
    arm,
    chain,
    euler_top,
    heavy_top,
    motor_pendulum,
    pendulum,
    planar_loop,
    rlc,
    slider_crank,
)

MACHINES: dict[str, tuple[Callable[[], mb.Model], float]] = {
    "rlc": (rlc, 2.0),
    "rlc of 3": (lambda: rlc(size=3), 2.0),
    "motor pendulum": (motor_pendulum, 2.0),
    "pendulum": (pendulum, 3.0),
    "euler top": (euler_top, 5.0),
    "heavy top": (heavy_top, 0.5),
    "slider crank": (slider_crank, 2.0),
    "slider crank, isostatic": (lambda: slider_crank(joints="isostatic"), 2.0),
    "planar loop": (planar_loop, 2.0),
    "chain of 2": (lambda: chain(2), 1.0),
    "arm": (arm, 0.5),
}
LONG = {"chain of 20": (lambda: chain(20), 0.2)}


def trajectory(model: mb.Model, until: float) -> tuple[mb.Run, np.ndarray]:
    run = mb.simulate(model, until, rtol=1e-11)
    return run, run.states(np.linspace(0.0, until, 41))


def flat_names(run: mb.Run) -> list[str]:
    """One name for each state, alike at every depth: dots and component numbers as dashes."""
    names = []
    for place in run.system.dae.states:
        path = place.path.replace(".", "-")
        if place.kind == "storage" and place.size > 1:
            names += [f"{path}-{k + 1}-{place.name}" for k in range(place.size)]
        elif place.size > 1:
            names += [f"{path}-{place.name}-{k}" for k in range(place.size)]
        else:
            names.append(f"{path}-{place.name}")
    return names


def agree(first: tuple[mb.Run, np.ndarray], second: tuple[mb.Run, np.ndarray], tolerance: float = 1e-9) -> None:
    """Component by component, by name, relative to the largest value of that component (at least one)."""
    names, others = flat_names(first[0]), flat_names(second[0])
    assert sorted(names) == sorted(others)
    for k, name in enumerate(names):
        a, b = first[1][:, k], second[1][:, others.index(name)]
        scale = max(1.0, float(np.abs(a).max()))
        assert np.abs(a - b).max() <= tolerance * scale, name


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [2, 3])
def test_depths_agree(name: str, depth: int) -> None:
    build, until = MACHINES[name]
    model = build()
    agree(trajectory(model, until), trajectory(model.open(depth=depth), until))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2, 3])
def test_long_chain_at_every_depth(depth: int) -> None:
    build, until = LONG["chain of 20"]
    model = build()
    agree(trajectory(model, until), trajectory(model.open(depth=depth), until))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_file_and_python_agree(name: str, depth: int, tmp_path: Path) -> None:
    build, until = MACHINES[name]
    model = build() if depth == 1 else build().open(depth=depth)
    path = tmp_path / "machine.mbg"
    mb.save(model, path)
    agree(trajectory(model, until / 4), trajectory(mb.load(path), until / 4), tolerance=0.0 if depth == 1 else 1e-9)


def test_scalar_graph_has_no_vector_bond() -> None:
    from multibond.workbench import at_depth

    graph = at_depth(slider_crank(), 3)
    assert all(bond.size == 1 for bond in graph.bonds)


def test_vector_graph_keeps_vectors() -> None:
    from multibond.workbench import at_depth

    graph = at_depth(slider_crank(), 2)
    assert sum(bond.size == 3 for bond in graph.bonds) > 50
