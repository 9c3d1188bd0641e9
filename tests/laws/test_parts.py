"""Every part of every library: its own example builds it, it opens, draws and saves, and it shows what it names."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import multibond as mb
from multibond.catalogue import LIBRARIES
from multibond.graph.component import Component, Element, Part
from multibond.graph.graph import Graph
from multibond.graph.port import FramePort, PowerPort, SignalPort
from multibond.library.wrapping import Wrapper

SPACE = ("spatial", "planar")
DRAWN = [
    (library, kind)
    for word, library in LIBRARIES.items()
    for kind in library.ALL
    if issubclass(kind, Part) and word not in SPACE and not issubclass(kind, Wrapper)
]
"""The parts of one bond and the wiring; those of space and their wrappers need a world and have tests of their own."""


def examples(library: ModuleType, kind: type[Component]) -> list[Component]:
    """What the examples in a part's docstring make."""
    lines = re.findall(r">>> (.*)", kind.__doc__ or "")
    return [eval(line, {"mb": mb} | vars(library)) for line in lines]


@pytest.fixture(params=DRAWN, ids=lambda pair: f"{pair[0].__name__.rsplit('.', 1)[1]}.{pair[1].__name__}")
def parts(request: pytest.FixtureRequest) -> list[Component]:
    """The parts of one class."""
    library, kind = request.param
    found = examples(library, kind)
    assert found, f"{kind.__name__} shows no example"
    assert all(type(part) is kind for part in found)
    return found


def holding(part: Component) -> mb.Model:
    model = mb.Model("bench")
    model.add(part)
    return model


def test_ports_and_parameters_have_names_of_their_own(parts: list[Component]) -> None:
    """`part.heat` is a port or a value, never one in the place of the other."""
    for part in parts:
        ports = [port.name for port in part.ports()]
        assert not set(ports) & set(part.parameters())
        assert len(set(ports)) == len(ports) > 0
        assert all(getattr(part, name).port == name for name in ports)


def test_it_opens_and_draws(parts: list[Component]) -> None:
    for part in parts:
        model = holding(part)
        assert part.name in mb.draw(model)
        inside = model.open(part.name)
        assert len(inside.sheet.components) >= 1
        picture = mb.draw(inside)
        for item in inside.sheet.components.values():
            assert isinstance(item, Element)
        assert picture.startswith("<svg")


def test_it_is_saved(parts: list[Component], tmp_path: Path) -> None:
    for part in parts:
        model = holding(part)
        for number, one in enumerate((model, model.open(part.name))):
            path = tmp_path / f"{number}.mbg"
            mb.save(one, path)
            again = mb.load(path, strict=True)
            shown = [repr(item) for item in one.sheet.components.values()]
            assert [repr(item) for item in again.sheet.components.values()] == shown


def test_what_it_names_is_there(parts: list[Component]) -> None:
    """Household names lead to a port's effort or flow, a state or a signal of an inner element."""
    for part in parts:
        graph = mb.expand(holding(part))
        for alias, target in graph.aliases.items():
            assert alias.startswith(f"{part.name}."), alias
            assert _exists(graph, target), f"{alias} -> {target}"


def _exists(graph: Graph, target: str) -> bool:
    path, _, name = target.rpartition(".")
    if path in graph.elements:
        item = graph.elements[path]
        states = item.states({"port": 1, "a": 1, "b": 1})
        signals = [p.name for p in item.ports() if isinstance(p, SignalPort)]
        return name in (*states, *signals) or (name in "ef" and len(graph.bonds_of(path)) == 1)
    owner, _, port = path.rpartition(".")
    ports = [p.name for p in graph.elements[owner].ports() if isinstance(p, PowerPort)]
    return name in ("e", "f") and port in ports


def test_ports_of_one_bond_have_a_domain() -> None:
    """Only parts for raw graphs leave open what flows through them."""
    for library, kind in DRAWN:
        if library is LIBRARIES["wiring"]:
            continue
        for part in examples(library, kind):
            for port in part.ports():
                assert not isinstance(port, FramePort)
                assert not isinstance(port, PowerPort) or port.domain.name != "any"
