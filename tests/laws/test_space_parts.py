"""Every part of space: its own examples build it, it opens, draws and saves, and it shows what it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import MultibondError
from multibond.graph.component import Component, Element
from multibond.graph.port import FramePort, SignalPort

from .test_parts import examples

PARTS = [kind for kind in sp.ALL if kind not in sp.PRESETS]


@pytest.fixture(params=PARTS, ids=lambda kind: kind.__name__)
def parts(request: pytest.FixtureRequest) -> list[Component]:
    found = examples(sp, request.param)
    assert found, f"{request.param.__name__} shows no example"
    assert all(type(part) is request.param for part in found)
    return found


ELSEWHERE = (sp.Coupling, sp.SphericalSpherical, sp.UniversalSpherical, sp.Attraction, sp.GravityPool)
"""These need joints or distances that fit: tests of their own read their names."""
RIGID = (sp.Fixed, sp.Rod, sp.FixedRotation, sp.CutSensor, sp.Body, sp.Box, sp.Cylinder, sp.Sphere, sp.Joint, sp.Gear)
"""Parts whose frames do not move freely against one another."""


def bench(part: Component) -> mb.Model:
    """The part with a body at each of its frames, floating freely, and something at each signal that it waits for."""
    model = mb.Model("bench")
    model.add(part)
    if isinstance(part, sp.World):
        return model
    model.add(sp.World("ground"))
    for k, port in enumerate(part.ports()):
        if isinstance(port, FramePort):
            _body(model, part, port.name, None if isinstance(part, RIGID) else 0.8 * k)
        elif isinstance(port, SignalPort) and port.direction == "in" and not port.optional:
            value = (0.1,) * port.size if port.size > 1 else 0.1
            model.signal(model.add(mb.blocks.Constant(f"given_{port.name}", value)).y, getattr(part, port.name))
    return model


def _body(model: mb.Model, part: Component, port: str, place: float | None) -> None:
    body = model.add(sp.Body(f"body_{port}", 1.0, (0.1, 0.1, 0.1)))
    model.connect(body.frame, getattr(part, port))
    if place is not None:
        space = model.add(sp.Free(f"space_{port}", position=(place, 0.1, 0.2)))
        model.connect("ground.frame", space.frame_a)
        model.connect(space.frame_b, body.frame)


def test_ports_and_parameters_have_names_of_their_own(parts: list[Component]) -> None:
    for part in parts:
        ports = [port.name for port in part.ports()]
        assert not set(ports) & set(part.parameters())
        assert len(set(ports)) == len(ports) > 0
        assert all(getattr(part, name).port == name for name in ports)


def test_it_opens_draws_and_is_saved(parts: list[Component], tmp_path: Path) -> None:
    for part in parts:
        model = bench(part)
        inside = model.open(part.name)
        assert all(isinstance(item, Element) for item in inside.sheet.components.values())
        for number, one in enumerate((model, inside)):
            assert mb.draw(one).startswith("<svg")
            path = tmp_path / f"{number}.mbg"
            mb.save(one, path)
            again = mb.load(path, strict=True)
            shown = [repr(item) for item in one.sheet.components.values()]
            assert [repr(item) for item in again.sheet.components.values()] == shown


def test_what_it_names_can_be_read(parts: list[Component]) -> None:
    """Household names lead to a variable of the run."""
    for part in parts:
        if isinstance(part, ELSEWHERE):
            continue
        run = mb.simulate(bench(part), 1e-3)
        for name in part.observables():
            assert run[f"{part.name}.{name}"](0.0) is not None


def test_signals_that_a_sensor_gives_can_be_led_on_and_read() -> None:
    for kind in sp.sensors.ALL:
        for part in examples(sp, kind):
            outlets = {p.name for p in part.ports() if isinstance(p, SignalPort) and p.direction == "out"}
            assert outlets == set(part.observables())
            model = bench(part)
            for name in outlets:
                size = next(p.size for p in part.ports() if p.name == name)
                block = model.add(mb.blocks.Gain(f"double_{name}", (2.0,) * size if size > 1 else 2.0))
                model.signal(getattr(part, name), block.u)
            run = mb.simulate(model, 1e-3)
            for name in outlets:
                shown, led = run[f"{part.name}.{name}"](0.0), run[f"double_{name}.y"](0.0)
                assert led == pytest.approx(2 * shown, abs=1e-12)


def test_joints_without_example_are_tested_elsewhere() -> None:
    """The presets are in `test_joints`, each with all of its parameters."""
    assert set(PARTS) | set(sp.PRESETS) == set(sp.ALL)
    with pytest.raises(MultibondError):
        sp.Revolute("it", axis=(0, 0, 0))
