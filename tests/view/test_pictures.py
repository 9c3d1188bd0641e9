"""The pictures in the documentation are those that the code draws today, and the page shows them all."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
assert _spec is not None and _spec.loader is not None
pictures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pictures)

CASES = [
    pytest.param(name, marks=[pytest.mark.slow] if name in pictures.LARGE else [], id=name)
    for name in pictures.PICTURES
]


@pytest.mark.parametrize("name", CASES)
def test_a_picture_is_current(name: str) -> None:
    """Where this fails after a change that is meant, `make pictures` draws them anew: then look at them."""
    assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == pictures.PICTURES[name]()


def test_the_page_shows_every_picture_and_no_other() -> None:
    shown = set(re.findall(r"\]\(pictures/([\w.-]+)\)", (DOCS / "drawings.md").read_text(encoding="utf-8")))
    drawn = {name for name in pictures.PICTURES if name.endswith(".svg")}
    assert shown <= drawn and drawn - shown == {"pendulum-multibond.svg"}


def test_all_seven_forms_are_there() -> None:
    """Boudon et al. (2017), Table 1."""
    assert set(pictures.TABLE_1) == {
        "pendulum-vector-zcp.svg",
        "pendulum-vector-rc.svg",
        "pendulum-vector-multiplier.svg",
        "pendulum-scalar-minimal.svg",
        "pendulum-scalar-zcp.svg",
        "pendulum-scalar-rc.svg",
        "pendulum-scalar-multiplier.svg",
    }
