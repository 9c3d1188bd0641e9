"""Rewritten graphs are graphs like any other: they can be saved, opened, drawn and read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond import rewrite
from multibond.examples import disc
from multibond.graph.collect import collect
from multibond.graph.graph import Graph

from .machines import MACHINES, graph_of

CASES = {
    "minimal slider crank": ("slider crank", "minimal"),
    "minimal top": ("heavy top", "minimal"),
    "virtual inertia": ("swinging", "carry inertias"),
    "virtual inertia with a start": ("moving point", "carry inertias"),
    "transformed gyrator": ("turning", "carry gyrators"),
    "transport gyrator": ("moving point", "mass into its frame"),
    "break variable": ("disc of scalar bonds", "open cycles"),
    "product": ("turning", "compose couplers"),
    "wider transformer": ("pendulum", "widen transformer"),
    "inverse": ("rate gyro", "0-junction over transformer"),
}


def rewritten(case: str) -> tuple[Graph, float]:
    name, rule = CASES[case]
    graph = graph_of(name)
    made = rewrite.minimal(graph).graph if rule == "minimal" else rewrite.apply(graph, rule).after
    return made, MACHINES[name][1]


@pytest.mark.parametrize("case", CASES)
def test_saved_and_opened(case: str, tmp_path: Path) -> None:
    graph, until = rewritten(case)
    mb.save(collect(graph, "rewritten"), tmp_path / "rewritten.mbg")
    first, second = (mb.simulate(g, until, rtol=1e-11) for g in (graph, mb.load(tmp_path / "rewritten.mbg")))
    times = np.linspace(0.0, until, 11)
    np.testing.assert_allclose(second.states(times), first.states(times), rtol=1e-10, atol=1e-10)


def test_what_becomes_of_a_model_is_a_model(tmp_path: Path) -> None:
    """It has the model's name, is saved, drawn, opened and run; a graph is saved as it is."""
    done = rewrite.apply(disc(), "invert transformers")
    model = done.model
    assert isinstance(model, mb.Model) and model.name == "disc"
    assert mb.draw(model).startswith("<svg") and model.open(depth=3).sheet.number_of("mass-2") is not None
    mb.save(model, tmp_path / "model.mbg")
    mb.save(done.after, tmp_path / "graph.yaml")
    runs = [mb.simulate(m, 0.2) for m in (disc(), model, *map(mb.load, sorted(tmp_path.iterdir())))]
    for run in runs[1:]:
        assert run["angle.q"](0.2) == pytest.approx(runs[0]["angle.q"](0.2), abs=1e-9)
    assert mb.load(tmp_path / "graph.yaml").name == "graph"
    assert rewrite.simplify(disc()).model.name == "disc"
    assert rewrite.apply(done.after, "invert transformers").model.name == "rewritten"


@pytest.mark.parametrize("case", CASES)
def test_equations_are_written(case: str) -> None:
    graph, _ = rewritten(case)
    text = str(mb.equations(graph))
    assert "derivative_" not in text


def test_equations_of_a_virtual_inertia() -> None:
    text = str(mb.equations(rewritten("virtual inertia")[0]))
    assert "mass_carried.p[0] = mass.inertia[0]*lever_law.y[0]*mass_carried.f" in text
    assert "mass_carried.e = lever_law.y[0]*mass_carried.p'[0] + lever_law.y[1]*mass_carried.p'[1]" in text


def test_equations_of_a_transport_gyrator() -> None:
    text = str(mb.equations(rewritten("transport gyrator")[0]))
    assert "A_law.y[0]*A_law.y[1]'" in text


@pytest.mark.parametrize("case", ["minimal top", "virtual inertia", "break variable"])
def test_drawn(case: str) -> None:
    assert mb.draw(rewritten(case)[0]).startswith("<svg")


def test_parameters_stay_changeable() -> None:
    """The symbols of parameters go over into what is carried."""
    heavy = mb.with_parameters(mb.compile(rewrite.minimal(graph_of("pendulum")).graph), {"bar.mass": 2.0})
    first = mb.simulate(heavy, 0.5, rtol=1e-11)
    second = mb.simulate(mb.with_parameters(mb.compile(graph_of("pendulum")), {"bar.mass": 2.0}), 0.5, rtol=1e-11)
    assert first["hinge.angle"](0.5) == pytest.approx(second["hinge.angle"](0.5), abs=1e-10)
    assert abs(first["hinge.angle"](0.5)) > 1e-3
