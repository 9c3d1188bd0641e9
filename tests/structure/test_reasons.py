"""Every stroke can be asked for its reason, the steps replay the assignment, and a user's wishes go first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.laws.random_graphs import model_of, random_plan

import multibond as mb
from multibond.errors import ModelError, UnknownName
from multibond.examples import EXAMPLES
from multibond.view.causality_report import CausalReport

from .drawn import drawn


def circuit() -> mb.Model:
    """Se, R, I and C on one current."""
    elements = [mb.Se("battery", 1.0), mb.One("current"), mb.R("winding", 2.0), mb.I("coil", 0.5), mb.C("cap", 0.1)]
    return drawn("circuit", elements, "battery>current current>winding current>coil current>cap").model


def test_the_steps_of_a_circuit() -> None:
    """The source first, then storages by name, then what follows from them."""
    assert [str(step) for step in mb.causality(circuit()).steps] == [
        "1. bond 'battery->current': stroke at 'current', because Se 'battery' gives the effort.",
        "2. bond 'current->cap': stroke at 'current', because C 'cap' is in integral causality.",
        "3. bond 'current->coil': stroke at 'coil', because I 'coil' is in integral causality.",
        "4. bond 'current->winding': stroke at 'current', because 1-junction 'current' has its flow from 'coil'.",
    ]


def test_why_tells_the_chain_and_nothing_else() -> None:
    story = mb.causality(circuit()).why("winding")
    assert [step.number for step in story] == [3, 4] and story[-1].after == (3,) and story[-1].cause == "coil"
    assert mb.causality(circuit()).why("current->winding") == story


def test_free_choices_and_one_way_couplers_say_so() -> None:
    divider = drawn("divider", [mb.Se("u", 1.0), mb.One("i"), mb.Zero("n"), mb.R("r1", 1.0), mb.R("r2", 1.0)],
                    "u>i i>r1 i>n n>r2").model  # fmt: skip
    assert "may give either, and gives the effort (a free choice)" in str(mb.causality(divider).why("r1")[-1])
    told = [str(step) for step in mb.causality(EXAMPLES["pendulum"]()).steps]
    assert any("'bar.centre_lever' is not square or may vanish, so flow passes from a to b only" in s for s in told)
    assert any("the free flow of Motion 'hinge.motion' is a state" in s for s in told)
    assert any("Constraint 'hinge.hold_rotation' imposes the flow" in s for s in told)


def replays(report: CausalReport) -> None:
    """Each component has one step, each step follows from earlier ones, and says where the stroke stands."""
    lanes = [(step.bond, k) for step in report.steps for k in step.components]
    assert sorted(lanes) == sorted((b.name, k) for b in report.graph.bonds for k in range(b.size))
    for place, step in enumerate(report.steps):
        assert step.number == place + 1 and all(before < step.number for before in step.after)
        assert all(report.stroke(step.bond, k) == step.stroke for k in step.components)
        assert step.because and step.by in report.graph.elements


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_steps_of_the_examples(build: Callable[[], mb.Model]) -> None:
    replays(mb.causality(build()))


@pytest.mark.parametrize("seed", range(15))
def test_steps_of_random_graphs(seed: int) -> None:
    replays(mb.causality(model_of(random_plan(seed, sensed=True, most=30))))


# -- wishes ------------------------------------------------------------------------------------------------------------


def test_a_wish_goes_first() -> None:
    """l2 takes the flow although l1 comes first by name; the reason says that it was asked for."""
    model = drawn("coils", [mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.I("l2", 2.0)], "u>i i>l1 i>l2").model
    report = mb.causality(model, prefer={"l2": "integral"})
    assert dict(mb.causality(model).dependent) == {"l2": (0,)} and dict(report.dependent) == {"l1": (0,)}
    assert "is in integral causality, as asked for" in str(report.why("l2")[-1])


WISHES = [
    ({"coil": "derivative"}, "coil", False),
    ({"winding": "gives flow"}, "winding", True),
    ({"cap": "gives flow"}, "cap", True),
]


@pytest.mark.parametrize(("prefer", "path", "gives_flow"), WISHES)
def test_wishes_in_a_circuit(prefer: dict[str, str], path: str, gives_flow: bool) -> None:
    report = mb.causality(circuit(), prefer=prefer)
    bond = report.graph.bonds_of(path)[0]
    assert report.strokes.gives_flow(bond, path) == gives_flow and not report.strokes.missed


def test_a_wish_for_one_component() -> None:
    elements = [mb.One("v"), mb.I("a", (1.0, 1.0)), mb.I("b", (1.0, 1.0)), mb.Se("u", (1.0, 1.0))]
    model = drawn("pair", elements, "v>a v>b u>v").model
    report = mb.causality(model, prefer={"b[1]": "integral"})
    assert dict(report.dependent) == {"a": (1,), "b": (0,)} and set(report.mixed) == {"v->a", "v->b"}


def test_a_wish_that_cannot_be_had() -> None:
    """Sf gives the flow, so the mass cannot."""
    model = drawn("driven", [mb.Sf("drive", 1.0), mb.One("v"), mb.I("mass", 1.0)], "drive>v v>mass").model
    report = mb.causality(model, prefer={"mass": "integral"})
    (finding,) = report.strokes.missed
    assert finding.problem == "'mass' cannot be given the causality asked for."
    assert finding.paths == ("mass", "drive") and finding in report.faults


@pytest.mark.parametrize(
    ("prefer", "error"), [({"coyl": "integral"}, UnknownName), ({"winding": "integral"}, ModelError)]
)
def test_wishes_that_mean_nothing(prefer: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        mb.causality(circuit(), prefer=prefer)


RUNS = [
    ("coils", {"l2": "integral"}),
    ("coils", {"l1": "derivative"}),
    ("divider", {"r1": "gives flow"}),
    ("gear", {"rotor2": "integral"}),
]


@pytest.mark.parametrize(("name", "prefer"), RUNS)
def test_a_wish_changes_no_trajectory(name: str, prefer: dict[str, str]) -> None:
    """The causality is another, the machine is the same."""
    models = {
        "coils": ([mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.I("l2", 2.0), mb.R("r", 0.5)],
                  "u>i i>l1 i>l2 i>r"),
        "divider": ([mb.Se("u", 1.0), mb.One("i"), mb.Zero("n"), mb.R("r1", 1.0), mb.R("r2", 3.0), mb.One("j"),
                     mb.I("l2", 1.0)], "u>i i>r1 i>n n>r2 n>j j>l2"),
        "gear": ([mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.TF("tf", 3.0), mb.One("j"), mb.I("rotor2", 1.0),
                  mb.R("r", 0.3)], "u>i i>l1 i>tf.a tf.b>j j>rotor2 j>r"),
    }  # fmt: skip
    model = drawn(name, *models[name]).model
    plain, other = mb.simulate(model, 2.0), mb.simulate(mb.compile(model, prefer=prefer), 2.0)
    last = "rotor2.f" if name == "gear" else "l2.f"
    times = np.linspace(0.0, 2.0, 9)
    assert np.abs(plain.values([last], times)).max() > 0.1
    np.testing.assert_allclose(plain.values([last], times), other.values([last], times), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("prefer", [{"coil": "derivative"}, {"cap": "derivative"}, {"winding": "gives flow"}])
def test_derivative_causality_behind_a_resistor_is_a_state_all_the_same(prefer: dict[str, str]) -> None:
    """The resistor's flow depends on the coil's effort at once, so the coil's law is an equation for its rate: still
    two independent storages, an algebraic loop (index 1) and the same current."""
    report = mb.causality(circuit(), prefer=prefer)
    assert report.independent == 2 and [form.index for form in report.index] == [1, 1]
    plain, other = mb.simulate(circuit(), 1.0), mb.simulate(mb.compile(circuit(), prefer=prefer), 1.0)
    times = np.linspace(0.0, 1.0, 7)
    np.testing.assert_allclose(plain.values(["coil.f"], times), other.values(["coil.f"], times), rtol=1e-9, atol=1e-11)
