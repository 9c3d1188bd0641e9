"""The whole way of what a user writes, in one test each: an element of fifteen lines, and a part.

Defined, shown in the palette, saved, reopened, drawn, written as LaTeX, unfolded, tested for its power, compiled,
simulated against SciPy; then the same file without its module: an inert box that saves back byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import errors
from multibond import rotational as ro
from multibond.graph.inert import Inert
from multibond.own import (
    ROTATION,
    ClassVar,
    Inside,
    LawWriter,
    Number,
    OnePort,
    Part,
    Port,
    PowerPort,
    component,
    parameter,
    vector,
)

TIMES = np.linspace(0.0, 2.0, 41)


@component
class Sticky(OnePort):
    """A film of oil: e = thickness f + grip tanh(f / soft), power into the element is positive.

    thickness  [effort/flow]; grip  [effort]; soft  [flow]
    """

    thickness: Number = parameter(unit="effort/flow", sign="not negative", shape=None)
    grip: Number = parameter(default=0.0, unit="effort", sign="not negative", shape=None)
    soft: Number = parameter(default=0.1, unit="flow", sign="positive")

    code: ClassVar[str] = "Rf"
    power: ClassVar[str] = "lost"

    def law(self, at: LawWriter) -> None:
        f, n = at.f(), at.size()
        slip = vector(self.grip, n) * mb.tanh(f / self.soft)
        at.zero(at.e() - vector(self.thickness, n) * f - slip)


@component
class Reel(Part):
    """A reel in a film of oil. inertia  [kg.m²]; oil  [N.m.s/rad]; grip  [N.m]; speed at the start  [rad/s]."""

    inertia: Number = parameter(default=1.0, unit="kg.m^2", sign="positive")
    oil: Number = parameter(default=0.1, unit="N.m.s/rad", sign="not negative")
    grip: Number = parameter(default=0.0, unit="N.m", sign="not negative")
    speed: Number = parameter(default=0.0, unit="rad/s", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("flange", 1, ROTATION),)

    def build(self, inside: Inside) -> None:
        wheel, film = inside.add(mb.I("wheel", self.inertia, size=1)), Sticky("film", self.oil, self.grip, size=1)
        inside.bond(inside.own("flange"), wheel)
        inside.bond(inside.own("flange"), inside.add(film))
        inside.start(wheel, flow=self.speed)

    def observables(self) -> dict[str, str]:
        return {"speed": "wheel.f"}


def braked() -> mb.Model:
    """Two masses of 2, each in a film of its own."""
    model = mb.Model("braked", size=2)
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 2.0, start=(3.0, -2.0)))
    model.bond(v, Sticky("film", 0.4, (0.5, 0.2)))
    return model


def wound() -> mb.Model:
    """The reel on a spring."""
    model = mb.Model("wound")
    reel = model.add(Reel("reel", 2.0, oil=0.4, grip=0.5, speed=1.5))
    spring, wall = model.add(ro.Spring("spring", 8.0)), model.add(ro.Fixed("wall"))
    model.connect(reel.flange, spring.flange_b)
    model.connect(spring.flange_a, wall.flange)
    return model


def film(v: Any, grip: Any) -> Any:
    """The law by hand."""
    return 0.4 * v + grip * np.tanh(v / 0.1)


def by_scipy(rate: Any, start: list[float]) -> np.ndarray:
    return solve_ivp(rate, (0.0, 2.0), start, "DOP853", TIMES, rtol=1e-12, atol=1e-13).y.T


def test_an_element_goes_the_whole_way(tmp_path: Path) -> None:
    path, again = tmp_path / "braked.mbg", tmp_path / "again.mbg"
    grip = np.array([0.5, 0.2])
    exact = by_scipy(lambda t, v: -film(v, grip) / 2.0, [1.5, -1.0])

    entry = mb.palette(Sticky)[-1]
    assert entry["type"].endswith(".Sticky") and entry["code"] == "Rf" and entry["values"] == {"thickness": 1.0}
    assert [p["name"] for p in entry["parameters"]][:3] == ["thickness", "grip", "soft"]
    assert [p["name"] for p in entry["ports"]] == ["port"] and ">Rf<" in entry["icon"]
    mb.save(braked(), path)
    model = mb.load(path, types=Sticky)
    assert repr(model.components[2]) == "Sticky('film', thickness=0.4, grip=[0.5, 0.2])"
    assert ">Rf<" in mb.draw(model, kind="causal") and "Rf" in mb.draw(model, format="tikz")
    told = mb.equations(model)
    assert r"\tanh" in told.latex() and "tanh" in str(told) and told.document().startswith("\\documentclass")
    graph = mb.expand(model.open(depth=3))
    assert [type(graph.elements[f"film-{k}"]) for k in (1, 2)] == [Sticky, Sticky]
    assert {bond.size for bond in graph.bonds} == {1}
    mb.check_power(model.components[2])
    whole = mb.simulate(model, 2.0, rtol=1e-11)
    scalar = mb.simulate(model.open(depth=3), 2.0, rtol=1e-11)
    unfolded = np.column_stack([scalar[f"mass-{k}.f"](TIMES) for k in (1, 2)])
    print("worst error", np.abs(whole["mass.f"](TIMES) - exact).max(), np.abs(unfolded - exact).max())
    np.testing.assert_allclose(whole["mass.f"](TIMES), exact, atol=1e-9)
    np.testing.assert_allclose(unfolded, exact, atol=1e-9)
    assert whole.energy().residual < 1e-10
    stays_inert(path, again, "film")


def test_a_part_goes_the_whole_way(tmp_path: Path) -> None:
    path, again = tmp_path / "wound.mbg", tmp_path / "again.mbg"
    exact = by_scipy(lambda t, s: [s[1], (-8.0 * s[0] - film(s[1], 0.5)) / 2.0], [0.0, 1.5])

    own = [Sticky, Reel]
    entry = next(e for e in mb.palette(own) if e["type"].endswith(".Reel"))
    assert entry["kind"] == "part" and [(p["name"], p["domain"]) for p in entry["ports"]] == [("flange", "rotation")]
    assert ">Reel<" in entry["icon"]
    mb.save(wound(), path)
    model = mb.load(path, types=own)
    assert repr(model.components[0]) == "Reel('reel', inertia=2.0, oil=0.4, grip=0.5, speed=1.5)"
    assert ">Reel<" in mb.draw(model) and ">Rf<" in mb.draw(model, depth=2)
    told = mb.equations(model, "reel")
    assert r"\tanh" in told.latex() and "reel.film" in str(told)
    graph = mb.expand(model)
    assert type(graph.elements["reel.film"]) is Sticky
    mb.check_power(Sticky("film", 0.4, 0.5))
    whole, scalar = mb.simulate(model, 2.0, rtol=1e-11), mb.simulate(model.open(depth=3), 2.0, rtol=1e-11)
    print("worst error", np.abs(whole["reel.speed"](TIMES) - exact[:, 1]).max())
    np.testing.assert_allclose(whole["reel.speed"](TIMES), exact[:, 1], atol=1e-9)
    np.testing.assert_allclose(scalar["reel-wheel.f"](TIMES), exact[:, 1], atol=1e-9)
    lost = film(exact[:, 1], 0.5) * exact[:, 1]
    np.testing.assert_allclose(whole["reel.film.power"](TIMES), lost, atol=1e-8)
    assert lost.min() >= 0 and whole.energy().residual < 1e-9
    stays_inert(path, again, "reel")


def stays_inert(path: Path, again: Path, name: str) -> None:
    """Without its module the file opens with a box, which is drawn, cannot be run, and saves back byte for byte."""
    found = mb.load(path)
    box = next(item for item in found.components if item.name == name)
    assert isinstance(box, Inert)
    assert mb.draw(found, kind="word").startswith("<svg")
    with pytest.raises(errors.ModelError, match=f"'{name}' is of an unknown type"):
        mb.compile(found)
    mb.save(found, again)
    assert again.read_bytes() == path.read_bytes()
