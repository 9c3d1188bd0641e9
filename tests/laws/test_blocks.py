"""What holds for every block there is: it runs as its law says, in one or many components, and says what is wrong."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import multibond as mb
from multibond.elements import blocks as b
from multibond.elements.blocks.block import Block, Through
from multibond.errors import ParameterError
from multibond.graph.port import SignalPort
from multibond.view.multibonds import multibond_scene

from .block_samples import SAMPLES, law_at

TIMES = np.linspace(0.0, 1.0, 41)[1:]


def inlets(block: Block) -> list[SignalPort]:
    """The inputs."""
    return [p for p in block.ports() if isinstance(p, SignalPort) and p.direction == "in"]


def driven(block: Block) -> mb.Model:
    """The block with a sine at each of its inputs; they start apart and are not slow."""
    model = mb.Model("test")
    model.add(block)
    for k, port in enumerate(inlets(block)):
        source = model.add(b.Sine(port.name, 1.5 + 0.5 * k, 0.9 + 0.4 * k, phase=0.4 + k, size=port.size))
        model.signal(source.y, f"{block.name}.{port.name}")
    return model


def test_every_block_has_a_sample() -> None:
    assert set(SAMPLES) == set(b.ALL)


@pytest.mark.parametrize("cls", b.ALL, ids=lambda c: c.__name__)
def test_every_block_explains_itself(cls: type[Block]) -> None:
    text = inspect.getdoc(cls) or ""
    assert f'>>> {cls.__name__}("' in text
    assert cls.code
    assert len({c.code for c in b.ALL}) >= len(b.ALL) - 4


@pytest.mark.parametrize("cls", [c for c in b.ALL if "mode" not in c.parameters()], ids=lambda c: c.__name__)
def test_a_block_in_a_model_gives_what_its_law_says(cls: type[Block]) -> None:
    """Outputs of a run, against the law at the states and inputs of the same instant."""
    block = SAMPLES[cls]
    run = mb.simulate(driven(block), 1.0)
    outputs = [p.name for p in block.ports() if isinstance(p, SignalPort) and p.direction == "out"]
    for time in TIMES + 1e-3:
        if time <= 1.0:
            signals = {p.name: run[f"{p.name}.y"](time) for p in inlets(block)}
            states = {name: run[f"it.{name}"](time) for name in block.states({})}
            said = law_at(block, signals, states, float(time)).outputs
            for name in outputs:
                assert np.atleast_1d(run[f"it.{name}"](time)) == pytest.approx(said[name], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("cls", [c for c in b.ALL if issubclass(c, Through)], ids=lambda c: c.__name__)
def test_a_wide_block_is_many_narrow_ones(cls: type[Block]) -> None:
    rng = np.random.default_rng(5)
    narrow, wide = SAMPLES[cls].replace(size=None), SAMPLES[cls].replace(size=3)
    u = rng.uniform(-1.0, 1.0, 3)
    states = {name: rng.uniform(-1.0, 1.0, (size, 3)) for name, size in narrow.states({}).items()}
    whole = law_at(wide, {"u": u}, {name: value.ravel() for name, value in states.items()}, 0.7)
    for k in range(3):
        part = law_at(narrow, {"u": u[k]}, {name: value[:, k] for name, value in states.items()}, 0.7)
        assert part.y == pytest.approx(whole.y[k])
        for name, rate in part.rates.items():
            assert rate == pytest.approx(whole.rates[name].reshape(-1, 3)[:, k])


def test_numbers_change_without_compiling_again() -> None:
    model = mb.Model("test")
    source = model.add(b.Step("source"))
    plant = model.add(b.TransferFunction("plant", (2.0, 3.0), (0.5, 1.0, 4.0)))
    model.signal(source.y, plant.u)
    system = mb.compile(model)
    changed = mb.with_parameters(system, {"plant.denominator": (0.5, 2.0, 5.0), "source.height": -1.5})
    assert changed.code is system.code
    model.set("plant.denominator", (0.5, 2.0, 5.0))
    model.set("source.height", -1.5)
    assert mb.simulate(changed, 1.0)["plant.y"](TIMES) == pytest.approx(mb.simulate(model, 1.0)["plant.y"](TIMES))


def test_an_input_has_a_number_for_each_component() -> None:
    model = mb.Model("test")
    hand, tank = model.add(b.Input("hand", size=2)), model.add(b.Integrator("tank", size=2))
    model.signal(hand.y, tank.u)
    system = mb.compile(model)
    assert system.derivative(system.x0) == pytest.approx([0.0, 0.0])
    assert system.derivative(system.x0, (3.0, -4.0)) == pytest.approx([3.0, -4.0])
    assert system.step(system.x0, {"hand": (3.0, -4.0)}, 0.5) == pytest.approx([1.5, -2.0])


def test_ports_of_blocks_are_joined_by_name_or_by_reference() -> None:
    model = mb.Model("test")
    model.add(b.Constant("source", (1.0, 2.0)))
    gain = model.add(b.Gain("gain", 3.0))
    model.signal("source.y[1]", gain.u)
    total = model.add(b.Sum("total", "+-"))
    model.signal(gain.y, total.u_1)
    model.signal("source.y[0]", "total.u_2")
    model.signal(total.y, model.add(b.Integrator("tank")).u)
    assert mb.simulate(model, 2.0)["tank.y"](2.0) == pytest.approx(10.0)


@pytest.mark.parametrize("cls", b.ALL, ids=lambda c: c.__name__)
def test_every_block_is_drawn(cls: type[Block]) -> None:
    picture = str(mb.draw(driven(SAMPLES[cls])))
    assert "it" in picture and picture.count('class="signal"') >= len(inlets(SAMPLES[cls]))


def test_blocks_are_drawn_along_their_signals() -> None:
    model = mb.Model("loop")
    goal, error = model.add(b.Step("z_goal")), model.add(b.Sum("y_error", "+-"))
    gain, tank = model.add(b.Gain("x_gain", 2.0)), model.add(b.Integrator("a_tank"))
    model.signal(goal.y, error.u_1)
    model.signal(error.y, gain.u)
    model.signal(gain.y, tank.u)
    model.signal(tank.y, error.u_2)
    at = {node.name: node.box.x for node in multibond_scene(mb.expand(model), "loop").nodes}
    assert at["z_goal"] < at["y_error"] < at["x_gain"] < at["a_tank"]


def test_blocks_between_a_sensor_on_the_right_and_a_source_on_the_left_are_drawn_from_right_to_left() -> None:
    model = mb.Model("loop")
    v, force, speed = model.add(mb.One("v")), model.add(mb.MSe("force")), model.add(mb.Df("speed"))
    model.bond(force, v)
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, speed)
    first, second = model.add(b.Gain("first", -1.0)), model.add(b.FirstOrder("second", 0.1))
    model.signal(speed.value, first.u)
    model.signal(first.y, second.u)
    model.signal(second.y, force.effort)
    boxes = {node.name: node.box for node in multibond_scene(mb.expand(model), "loop").nodes}
    assert boxes["second"].x < boxes["first"].x
    assert boxes["first"].top > boxes["v"].bottom


WRONG = {
    "Limiter 'it': its limits exclude everything.": lambda: b.Limiter("it", 2.0, 1.0),
    "Integrator 'it': its values do not fit together.": lambda: b.Integrator("it", lower=(1.0, 2.0), upper=(3, 4, 5)),
    "Sum 'it': signs cannot be '+*'.": lambda: b.Sum("it", "+*"),
    "Product 'it': operations cannot be ''.": lambda: b.Product("it", ""),
    "TransferFunction 'it': it would have to differentiate its input.": lambda: b.TransferFunction("it", (1, 2), (1,)),
    "TransferFunction 'it': its order is not clear.": lambda: b.TransferFunction("it", (1,), (0, 1)),
    "TransferFunction 'it': it needs a list of coefficients.": lambda: b.TransferFunction("it", [[1, 2]], (1, 2)),
    "StateSpace 'it': its matrices do not fit together.": lambda: b.StateSpace("it", np.eye(2), (1, 2, 3), (1, 2)),
    "LowPass 'it': order cannot be 0.": lambda: b.LowPass("it", 1.0, 0),
    "Delay 'it': order cannot be 2.5.": lambda: b.Delay("it", 1.0, 2.5),
    "PID 'it': it cannot start so.": lambda: b.PID("it", 1.0, start=2.0),
    "Compare 'it': relation cannot be '='.": lambda: b.Compare("it", "="),
    "And 'it': inputs cannot be 0.": lambda: b.And("it", 0),
    "Relay 'it': mode cannot be 'red'.": lambda: b.Relay("it", mode="red"),
    "Pulse 'it': it overlaps its own next cycle.": lambda: b.Pulse("it", 1.0, 2.0, period=1.0),
    "SampleHold 'it': period is not one number.": lambda: b.SampleHold("it", (1.0, 2.0)),
    "SampleHold 'it': period cannot be 0.0.": lambda: b.SampleHold("it", 0.0),
    "DiscreteIntegrator 'it': method cannot be 'euler'.": lambda: b.DiscreteIntegrator("it", 1.0, "euler"),
    "SampledDelay 'it': samples cannot be 0.": lambda: b.SampledDelay("it", 1.0, 0),
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_is_wrong_is_said_in_three_lines(problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        WRONG[problem]()
    lines = str(caught.value).splitlines()
    assert lines[0] == problem
    assert len(lines) == 3 and all(line.endswith(".") for line in lines)
