"""A guess never becomes a number unseen: whoever takes it for one is told so, where it serves it goes on serving."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import ParameterError

G = mb.Guess


@cache
def pendulum() -> mb.Model:
    model = mb.Model("pendulum")
    for part in (sp.World(), sp.Revolute("hip", angle=G(0.3), damping=0.1), sp.Body("bob", 1.0, inertia=(1, 2, 3))):
        model.add(part)
    model.connect("world.frame", "hip.frame_a")
    model.connect("hip.frame_b", "bob.frame")
    return model


@cache
def system() -> Any:
    return mb.compile(pendulum())


@pytest.mark.parametrize(
    "call",
    [
        lambda: mb.sweep(pendulum(), "hip.angle", values=G([0.0, 0.5])),
        lambda: mb.sweep(pendulum(), "hip.angle", [G(0.0), 0.5]),
        lambda: system().state({"hip.angle": G(0.5)}),
        lambda: system().mass_matrix({"hip.angle": G(0.5)}),
        lambda: system().mass_matrix(G([0.5, 0.0])),
        lambda: system().derivative(G([0.5, 0.0])),
        lambda: system().derivative([G(0.5), 0.0]),
        lambda: system().step(G([0.5, 0.0]), None, 0.1),
        lambda: system().inverse_dynamics([0.5, 0.0], G([1.0])),
        lambda: np.asarray(G(0.5)),
        lambda: np.mean(G([0.5, 0.6])),
    ],
    ids=range(11),
)
def test_a_guess_is_no_number(call: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError, match=r"Guess\(.*\) is no number\.\n  It may be moved.*\n  Give its number"):
        call()


def test_a_guess_serves_where_it_means_something() -> None:
    assert mb.with_parameters(system(), {"hip.angle": G(0.5)}).x0[0] == 0.5
    assert mb.with_parameters(system(), {"hip.damping": G(0.5)}).x0[0] == 0.3
    assert G(0.3).value == 0.3
