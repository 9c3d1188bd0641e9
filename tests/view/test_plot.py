"""Plots: the right lines in the right axes."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import UnknownName
from multibond.view.plot import plot
from multibond.view.quantities import Quantities

from .models import motor, pendulum, rlc


@pytest.fixture(scope="module")
def swing():
    return mb.simulate(pendulum(), 1.0)


def test_one_axes_for_each_kind_and_one_line_for_each_component(swing):
    figure = plot(swing, "hip.angle", "hip.speed", "hip.reaction_force", "foot.velocity", title="arm")
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "angle [rad]",
        "angular velocity [rad/s]",
        "force [N]",
        "velocity [m/s]",
    ]
    assert [len(ax.lines) for ax in figure.axes] == [1, 1, 3, 3]
    labels = [text.get_text() for text in figure.axes[2].get_legend().get_texts()]
    assert labels == ["hip.reaction_force[0]", "hip.reaction_force[1]", "hip.reaction_force[2]"]


def test_values_are_those_of_the_run(swing):
    times = np.linspace(0.0, 1.0, 7)
    line = plot(swing, "hip.angle", t=times).axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), times)
    assert np.allclose(line.get_ydata(), swing["hip.angle"](times))


def test_component_by_index(swing):
    assert len(plot(swing, "foot.position[1]").axes[0].lines) == 1


def test_states_without_names():
    figure = plot(mb.simulate(rlc(), 0.01))
    assert sum(len(ax.lines) for ax in figure.axes) == 2


def test_states_have_their_household_names(swing):
    labels = [line.get_label() for ax in plot(swing).axes for line in ax.lines]
    assert labels == ["hip.angle", "hip.speed"]


def test_units_of_other_domains():
    of = Quantities(mb.simulate(motor(), 0.01)).of
    assert of("motor.current") == ("current", "A")
    assert of("motor.speed") == ("angular velocity", "rad/s")
    assert of("motor.coil.p") == ("flux", "V.s")
    assert of("motor.coil.power") == ("power", "W")


def test_saves_a_file(swing, tmp_path):
    for ending in ("png", "svg"):
        plot(swing, "hip.angle", path=tmp_path / f"hip.{ending}")
        assert (tmp_path / f"hip.{ending}").stat().st_size > 1000


def test_unknown_name(swing):
    with pytest.raises(UnknownName):
        plot(swing, "hip.angel")


def test_solution_plots_itself(swing):
    assert len(swing.plot("hip.angle").axes) == 1
