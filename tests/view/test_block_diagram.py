"""Block diagrams: walked through with numbers they give the rates of the compiled system; on paper nothing overlaps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError, UnknownName
from multibond.examples import EXAMPLES
from multibond.rewrite.floating import join_floating
from multibond.structure.causality import assign
from multibond.structure.givers import signal_givers
from multibond.structure.tree import span
from multibond.view.block_diagram import _Sheet
from multibond.view.causal_blocks import Block, Blocks, causal_blocks
from multibond.view.draw import draw, drawing_of
from multibond.view.marks import Line

from .paper import clashes, everything, texts


def rlc(turned: bool = False) -> mb.Model:
    """A series circuit and a parallel one, the half-arrows of some elements turned round."""
    m = mb.Model("rlc")
    i, u = m.add(mb.One("i")), m.add(mb.Zero("u"))
    m.bond(mb.Se("battery", 12.0), i)
    m.bond(*((mb.R("winding", 1.2), i) if turned else (i, mb.R("winding", 1.2))))
    m.bond(*((mb.I("coil", 2.0), i) if turned else (i, mb.I("coil", 2.0))))
    m.bond(i, u)
    m.bond(*((mb.C("cap", 0.5), u) if turned else (u, mb.C("cap", 0.5))))
    m.bond(u, mb.R("leak", 3.0))
    return m


def geared(turned: bool = False) -> mb.Model:
    """A motor: gyrator, gear, inertia, damper."""
    m = mb.Model("geared")
    i, w, v = m.add(mb.One("i")), m.add(mb.One("w")), m.add(mb.One("v"))
    motor, gear = m.add(mb.GY("motor", 0.7)), m.add(mb.TF("gear", 3.0))
    m.bond(mb.Se("battery", 5.0), i)
    m.bond(i, mb.I("coil", 0.3))
    m.bond(i, motor.a)
    m.bond(*((w, motor.b) if turned else (motor.b, w)))
    m.bond(w, mb.R("bearing", 0.2))
    m.bond(w, mb.I("rotor", 0.9))
    m.bond(w, gear.a)
    m.bond(gear.b, v)
    m.bond(v, mb.C("spring", 0.4))
    m.bond(v, mb.R("drag", 1.1))
    return m


def vectors() -> mb.Model:
    """A mass in the plane on a spring."""
    m = mb.Model("plane", size=2)
    v = m.add(mb.One("v"))
    m.bond(mb.Se("push", (1.0, 2.0)), v)
    m.bond(v, mb.I("mass", (2.0, 4.0)))
    m.bond(v, mb.C("spring", (0.5, 0.25)))
    return m


MODELS = {
    "rlc": rlc(), "rlc turned": rlc(True), "geared": geared(), "geared turned": geared(True), "vectors": vectors(),
}  # fmt: skip


def diagram(model: mb.Model) -> Blocks:
    graph = mb.expand(model)
    return causal_blocks(graph, assign(graph, span(graph)))


def numbers(model: mb.Model) -> dict[str, np.ndarray]:
    """The one number of each element, by path."""
    words = {"I": "inertia", "C": "compliance", "R": "resistance", "TF": "modulus", "GY": "modulus", "Se": "effort"}
    kinds = [(item, words[type(item).__name__]) for item in model.components if type(item).__name__ in words]
    return {item.name: np.atleast_1d(np.asarray(getattr(item, word), float)) for item, word in kinds}


def walk(model: mb.Model, states: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What enters each integrator, with every block computed from what its wires bring."""
    made, own = diagram(model), numbers(model)
    known = {b.outputs[0]: states[b.path] for b in made.blocks if b.kind == "integrator"}
    for _ in range(len(made.blocks) + 1):
        for block in made.blocks:
            wires = sorted((w for w in made.wires if w.head == block.name), key=lambda w: w.place)
            if block.kind != "integrator" and all(w.variable in known for w in wires):
                inputs = [w.sign * known[w.variable] for w in wires]
                known[block.outputs[0]] = value(block, own.get(block.path, np.ones(1)), inputs)
    feeds = {w.head: w.sign * known[w.variable] for w in made.wires}
    return {b.path: feeds[b.name] for b in made.blocks if b.kind == "integrator"}


def value(block: Block, number: np.ndarray, inputs: list[np.ndarray]) -> np.ndarray:
    """What one block gives."""
    if block.kind == "sum":
        return sum(inputs, np.zeros(block.size))
    if block.kind == "source":
        return number
    if block.symbol in ("1/R", "1/I", "1/C", "I⁻¹", "C⁻¹", "G⁻¹", "B⁻¹", "G⁻ᵀ", "B⁻ᵀ"):
        return inputs[0] / number
    assert block.symbol in ("R", "I", "C", "B", "Bᵀ", "G", "Gᵀ", "−1"), block.symbol
    return inputs[0] * (-1 if block.symbol == "−1" else number)


@pytest.mark.parametrize("name", MODELS)
def test_walked_through_with_numbers_it_gives_the_rates_of_the_system(name: str) -> None:
    model = MODELS[name]
    system, rng = mb.compile(model), np.random.default_rng(7)
    x = rng.normal(size=system.n)
    places = {p.path: x[p.start : p.stop] for p in system.dae.states}
    fed, rates = walk(model, places), np.asarray(system.derivative(x))
    assert set(fed) == set(places)
    for place in system.dae.states:
        assert np.allclose(fed[place.path], rates[place.start : place.stop], rtol=0, atol=1e-12), place.path


def test_storages_in_derivative_causality_differentiate() -> None:
    m = mb.Model("driven")
    v = m.add(mb.One("v"))
    m.bond(mb.Sf("drive", 1.0), v)
    m.bond(v, mb.I("mass", 2.0))
    m.bond(v, mb.R("drag", 2.0))
    kinds = {b.path: b.kind for b in diagram(m).blocks if b.kind in ("integrator", "derivative")}
    assert kinds == {"mass": "derivative"}


def test_junctions_that_only_hand_on_make_no_block() -> None:
    m = mb.Model("through")
    a, b = m.add(mb.One("a")), m.add(mb.Zero("b"))
    m.bond(mb.Se("push", 1.0), a)
    m.bond(a, b)
    m.bond(b, mb.R("drag", 2.0))
    assert [block.path for block in diagram(m).blocks] == ["drag", "push"]


@pytest.mark.parametrize(
    "name", ["rlc", "disc", "pendulum", "motor_pendulum", "rate_gyro", "slider_crank", "crane_crab"]
)
def test_nothing_overlaps_on_paper(name: str) -> None:
    drawing = drawing_of(EXAMPLES[name](), kind="block")
    assert clashes([(t, b) for t, b in texts(drawing.marks) if t != "−"]) == []


@pytest.mark.parametrize("name", ["rlc", "disc", "motor_pendulum"])
def test_wires_run_level_and_upright_around_blocks(name: str) -> None:
    placed = _Sheet(diagram(EXAMPLES[name]())).placed()
    boxes = {block.name: box for block, box in placed.blocks}
    assert clashes(list(boxes.items())) == []
    for wire, way in placed.wires:
        assert abs(way[0][0] - boxes[wire.tail].right) < 1e-9 and way[-1][0] == boxes[wire.head].left - 1.0
        for a, b in pairwise(way):
            assert a[0] == b[0] or abs(a[1] - b[1]) < 0.05
            hit = [n for n, box in boxes.items() if box.grown(-0.5).hit_by(a, b)]
            assert hit == [], (wire, hit)


def test_mixed_causality_is_drawn_with_scalar_signals() -> None:
    text = draw(EXAMPLES["rate_gyro"](), kind="block")
    assert 'class="block integrator"' in text and "inertia_gimbal" in text


# -- signals and options -----------------------------------------------------------------------------------------------


def signal_wires(model: mb.Model) -> set[tuple[str, str]]:
    """Who gives a signal, and the block that reads it."""
    graph = mb.expand(model)
    tree = span(graph)
    made = causal_blocks(graph, assign(graph, tree), tree)
    return {(w.tail, w.head) for w in made.wires if w.variable[1] == "s"}


def test_what_modulates_is_wired_to_both_gains_of_a_transformer() -> None:
    assert signal_wires(EXAMPLES["disc"]()) == {
        ("angle", "A01_modulus"), ("place", "lever_modulus"),
        ("A01_modulus", "A01 → a"), ("A01_modulus", "A01 → b"),
        ("lever_modulus", "lever → a"), ("lever_modulus", "lever → b"),
    }  # fmt: skip
    marks = drawing_of(EXAMPLES["disc"](), kind="block").marks
    lines = [m for m in everything(marks) if isinstance(m, Line) and m.ink.dash]
    assert len(lines) == 6
    assert not [m for m in everything(drawing_of(EXAMPLES["disc"](), kind="block", signals=False).marks)
                if isinstance(m, Line) and m.ink.dash]  # fmt: skip


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_every_signal_that_modulates_an_element_is_wired(name: str) -> None:
    """Each reader of a signal has a wire from who computes it, looked up in the graph itself."""
    graph = join_floating(mb.expand(EXAMPLES[name]()))
    tree = span(graph)
    made = causal_blocks(graph, assign(graph, tree), tree)
    there = {(w.tail.partition(" → ")[0], w.head.partition(" → ")[0]) for w in made.wires if w.variable[1] == "s"}
    for signal, giver in signal_givers(graph, tree).items():
        ends = next(s.ends for s in graph.signals if s.name == signal)
        for end in ends:
            if end != giver and graph.elements[end.element].causality not in ("one", "zero"):
                assert (giver.element, end.element) in there, (signal, end)


def test_options_of_block_diagrams_are_kept_or_refused() -> None:
    model = EXAMPLES["pendulum"]()
    plain = draw(model, kind="block")
    assert draw(model, kind="block", depth=3) != plain
    assert "hold_translation" in plain and "parasitic_c" in draw(model, kind="block", method="rc")
    lit = draw(model, kind="block", highlight=["bar.mass"])
    assert lit.count("#ffd84d") == plain.count("#ffd84d") + 2, "the gain and its d/dt"
    path = mb.paths(EXAMPLES["rlc"](), "battery", "capacitor.e")[0]
    assert "#ffd84d" in draw(EXAMPLES["rlc"](), kind="block", highlight=path)
    for wrong in ({"depth": 1}, {"method": "magic"}, {"variables": True}, {"causal": False}):
        with pytest.raises(ModelError):
            draw(model, kind="block", **wrong)
    with pytest.raises(UnknownName):
        draw(model, kind="block", highlight=["nobody"])
