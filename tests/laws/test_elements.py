"""Laws of nature over every element there is: nothing but a source brings power, nothing but a resistance loses it."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multibond as mb
from multibond.elements import ALL
from multibond.elements.balance import cases
from multibond.errors import ParameterError
from multibond.graph.component import Element
from multibond.graph.junctions import Wires

from .samples import LAWS, lowest, sample

SOURCES = (mb.Se, mb.Sf)
LAWFUL = [cls for cls in ALL if cls.law is not Element.law and not issubclass(cls, Wires)]
"""Junctions and wires have no law of their own; `test_junctions` has them."""
PROMISING = [cls for cls in LAWFUL if cls.power in ("kept", "lost")]

name_of = attrgetter("__name__")
seeds = st.integers(0, 2**32 - 1)


def orthogonal(rng: np.random.Generator) -> np.ndarray:
    """A random rotation or reflection."""
    return np.linalg.qr(rng.standard_normal((3, 3)))[0]


@pytest.mark.parametrize("cls", PROMISING, ids=name_of)
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_power_is_stored_or_passed_on(cls: type[Element], seed: int) -> None:
    item = sample(cls, np.random.default_rng(seed))
    mb.check_power(item, low=lowest(item), trials=3, seed=seed)


@pytest.mark.parametrize("name", LAWS)
@settings(max_examples=3, deadline=None)
@given(seed=seeds)
def test_elements_with_laws_keep_their_word(name: str, seed: int) -> None:
    item = LAWS[name](np.random.default_rng(seed))
    low = 0.1 if isinstance(item, mb.RS) else -2.0
    mb.check_power(item, low=low, trials=5, seed=seed)


def test_a_constraint_and_a_skew_gyristor_do_no_work() -> None:
    """Elements that promise nothing, where they are known to be idle all the same."""
    rng = np.random.default_rng(3)
    for item in (mb.Constraint("it", size=3), LAWS["Gyristor without losses"](rng)):
        plain = [case for case in cases(item) if not case.law.signals]
        assert plain
        for case in plain:
            power, _ = case.balance(rng, -2.0, 2.0)
            assert abs(power) < 1e-12


@pytest.mark.parametrize("cls", SOURCES, ids=name_of)
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_a_source_gives_its_value_whatever_the_load(cls: type[Element], seed: int) -> None:
    rng = np.random.default_rng(seed)
    item = sample(cls, rng)
    (case,) = cases(item)
    for _ in range(3):
        (found,) = case.numbers([case.wanted], rng, -2.0, 2.0)
        np.testing.assert_allclose(found.ravel(), np.broadcast_to(item.effort if cls is mb.Se else item.flow, 3))


SPECIAL = {
    "TF number": lambda rng: mb.TF("it", rng.uniform(0.5, 2.0), size=3),
    "TF diagonal": lambda rng: mb.TF("it", rng.uniform(0.5, 2.0, 3)),
    "TF with a zero": lambda rng: mb.TF("it", (1.0, 0.0, 2.0)),
    "TF rotation": lambda rng: mb.TF("it", orthogonal(rng), inverse="transpose"),
    "TF tall": lambda rng: mb.TF("it", rng.standard_normal((3, 2))),
    "TF wide": lambda rng: mb.TF("it", rng.standard_normal((1, 3))),
    "TF projection": lambda rng: mb.TF("it", np.outer(orthogonal(rng)[0], orthogonal(rng)[0])),
    "MTF transposed": lambda rng: mb.MTF("it", 3, 2, transposed=True),
    "MTF row": lambda rng: mb.MTF("it", 1, 3),
    "GY tall": lambda rng: mb.GY("it", rng.standard_normal((3, 2))),
    "MGY wide": lambda rng: mb.MGY("it", 2, 3),
}


@pytest.mark.parametrize("name", SPECIAL)
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_couplers_of_every_shape_conserve_power(name: str, seed: int) -> None:
    mb.check_power(SPECIAL[name](np.random.default_rng(seed)), trials=3, seed=seed)


def test_a_two_way_transformer_has_two_causalities() -> None:
    rng = np.random.default_rng(1)
    assert len(list(cases(SPECIAL["TF rotation"](rng)))) == 2
    assert len(list(cases(SPECIAL["TF tall"](rng)))) == 1


# -- the check itself ------------------------------------------------------------------------------------------------


class Generous(mb.R):
    """A resistance with the wrong sign."""

    def law(self, at: object) -> None:
        at.zero(at.e() + self.resistance * at.f())  # type: ignore[attr-defined]


class Leaky(mb.TF):
    """A transformer that passes on half of the effort."""

    def law(self, at: object) -> None:
        at.zero(at.f("b") - at.f("a"))  # type: ignore[attr-defined]
        at.zero(at.e("a") - 2 * at.e("b"))  # type: ignore[attr-defined]


class Silent(mb.R):
    """A resistance that says nothing."""

    def law(self, at: object) -> None:
        at.zero(at.e() - at.e())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("item", "says"),
    [(Generous("brake", 2.0), "makes power"), (Leaky("gear", 1.0), "power, against"), (Silent("brake", 2.0), "admits")],
)
def test_a_broken_word_is_noticed(item: Element, says: str) -> None:
    with pytest.raises(ParameterError, match=says) as caught:
        mb.check_power(item)
    assert item.name in str(caught.value)


@pytest.mark.parametrize("cls", ALL, ids=name_of)
def test_no_port_hides_behind_a_parameter(cls: type[Element]) -> None:
    """`brake.input` must be the port: a parameter of the same name would stand in its way."""
    item = sample(cls, np.random.default_rng(0)) if cls is not mb.Permutation else mb.Permutation("it", (1, 0))
    assert not {port.name for port in item.ports()} & set(cls.parameters())


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (mb.R("brake", 2.0), "R('brake', resistance=2.0)"),
        (mb.I("mass", (1.0, 2.0), start=(0.0, 3.0)), "I('mass', inertia=[1.0, 2.0], start=[0.0, 3.0])"),
        (mb.C("spring", effort="2*q"), "C('spring', effort=Formula('2*q'))"),
        (mb.Diode("valve", mode="on", size=2), "Diode('valve', size=2, mode='on')"),
        (mb.One("v"), "One('v')"),
    ],
)
def test_an_element_shows_what_was_said_of_it(item: Element, text: str) -> None:
    assert repr(item) == text
