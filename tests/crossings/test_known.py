"""What is left out of the array is refused by name, or is a fault that is waited for."""

from __future__ import annotations

import pytest

from multibond.errors import MultibondError

from .alarm import SHORT, limited
from .features import ALL, GROUPS, MECHANISMS, Case, own, possible
from .known import FAULTS, MEANINGLESS, REFUSED, Apart
from .trying import errors_of


def case_of(machine: str, features: frozenset[str]) -> Case:
    """The plain case with some features."""
    plain = {"method": "method auto", "depth": "depth 1", "solver": "solver dop853"}
    more = {name for group, name in plain.items() if not features & set(GROUPS[group])}
    return Case(machine, features | more | own(machine))


@pytest.mark.parametrize("apart", REFUSED, ids=lambda apart: ", ".join(sorted(apart.features)))
def test_refused_by_name(apart: Apart) -> None:
    with limited(SHORT), pytest.raises(MultibondError, match=apart.words):
        errors_of(case_of(apart.machine, apart.features))


@pytest.mark.parametrize(
    "apart",
    [
        pytest.param(
            a, id=f"{a.machine}: {', '.join(sorted(a.features))}", marks=pytest.mark.xfail(strict=True, reason=a.reason)
        )
        for a in FAULTS
    ],
)
def test_not_right_yet(apart: Apart) -> None:
    with limited(SHORT):
        assert not [error for error in errors_of(case_of(apart.machine, apart.features)) if error.wrong]


def test_what_is_left_out_is_named_and_can_be_had() -> None:
    for apart in (*REFUSED, *FAULTS):
        assert apart.features <= possible(apart.machine) | own(apart.machine), apart
        assert set(apart.machines) <= set(MECHANISMS) and apart.reason
    for features, reason in MEANINGLESS.items():
        assert features <= set(ALL) and len(features) in (2, 3) and reason
