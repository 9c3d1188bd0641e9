"""Laws of nature over every element there is: nothing but a source brings power, nothing but a resistance loses it."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multibond as mb
from multibond.elements import ALL
from multibond.graph.component import Element
from multibond.graph.junctions import Wires

from .samples import Case, cases, sample

SOURCES = (mb.Se, mb.Sf)
LAWFUL = [cls for cls in ALL if cls.law is not Element.law and not issubclass(cls, Wires)]
"""Junctions and wires have no law of their own; `test_junctions` has them."""

name_of = attrgetter("__name__")
seeds = st.integers(0, 2**32 - 1)


def orthogonal(rng: np.random.Generator) -> np.ndarray:
    """A random rotation or reflection."""
    return np.linalg.qr(rng.standard_normal((3, 3)))[0]


def check_power(case: Case, rng: np.random.Generator) -> None:
    """Power in = rate of the stored energy + loss; the loss is positive in resistances and zero elsewhere."""
    power, change = (float(v.item()) for v in case.numbers([case.power(), case.change_of_energy()], rng))
    size = 1e-10 * max(1.0, abs(power), abs(change))
    if case.item.power == "lost":
        assert power >= -size
    else:
        assert power == pytest.approx(change, abs=size)


@pytest.mark.parametrize("cls", [c for c in LAWFUL if c.power in ("kept", "lost") or c is mb.Constraint], ids=name_of)
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_power_is_stored_or_passed_on(cls: type[Element], seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = list(cases(sample(cls, rng)))
    assert found, f"{cls.__name__} admits no causality"
    for case in found:
        check_power(case, rng)


@pytest.mark.parametrize("cls", SOURCES, ids=name_of)
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_a_source_gives_its_value_whatever_the_load(cls: type[Element], seed: int) -> None:
    rng = np.random.default_rng(seed)
    item = sample(cls, rng)
    (case,) = cases(item)
    for _ in range(3):
        (found,) = case.numbers([case.wanted], rng)
        np.testing.assert_allclose(found.ravel(), np.broadcast_to(item.effort if cls is mb.Se else item.flow, 3))


SPECIAL = {
    "TF number": lambda rng: mb.TF("it", rng.uniform(0.5, 2.0), size=3),
    "TF diagonal": lambda rng: mb.TF("it", rng.uniform(0.5, 2.0, 3)),
    "TF with a zero": lambda rng: mb.TF("it", (1.0, 0.0, 2.0)),
    "TF rotation": lambda rng: mb.TF("it", orthogonal(rng), inverse="transpose"),
    "TF tall": lambda rng: mb.TF("it", rng.standard_normal((3, 2))),
    "TF wide": lambda rng: mb.TF("it", rng.standard_normal((1, 3))),
    "MTF transposed": lambda rng: mb.MTF("it", 3, 2, transposed=True),
    "MTF row": lambda rng: mb.MTF("it", 1, 3),
    "GY tall": lambda rng: mb.GY("it", rng.standard_normal((3, 2))),
    "MGY wide": lambda rng: mb.MGY("it", 2, 3),
}


@pytest.mark.parametrize("name", SPECIAL)
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_couplers_of_every_shape_conserve_power(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = list(cases(SPECIAL[name](rng)))
    assert found
    for case in found:
        check_power(case, rng)


def test_a_two_way_transformer_has_two_causalities() -> None:
    rng = np.random.default_rng(1)
    assert len(list(cases(SPECIAL["TF rotation"](rng)))) == 2
    assert len(list(cases(SPECIAL["TF tall"](rng)))) == 1
