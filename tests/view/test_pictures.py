"""The pictures in the documentation are those that the code draws today, and the page shows them all."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.rotation import tenth

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


def test_every_picture_of_the_pages_is_made_by_the_script() -> None:
    """But for one that is a look at the animation in a browser."""
    shown = {
        name for page in DOCS.glob("*.md") for name in re.findall(r"\]\(pictures/([\w.-]+)\)", page.read_text("utf-8"))
    }
    assert shown <= {*pictures.PICTURES, *pictures.FIGURES}
    there = {path.name for path in (DOCS / "pictures").iterdir()}
    assert there == {*pictures.PICTURES, *pictures.FIGURES, "slider_crank.png"}


@pytest.mark.slow
@pytest.mark.parametrize("name", tenth(list(pictures.FIGURES), of="figures"))
def test_a_figure_is_current(name: str, tmp_path: Path) -> None:
    """The same picture but for fonts and rounding: few pixels differ."""
    pictures.FIGURES[name](tmp_path / name)
    new, old = (plt.imread(path)[..., :3] for path in (tmp_path / name, DOCS / "pictures" / name))
    assert new.shape == old.shape
    assert (np.abs(new - old).max(axis=2) > 0.3).mean() < 0.02


@pytest.mark.parametrize("name", [name for name in pictures.TABLE_1 if "scalar" in name])
def test_scalar_forms_are_small_enough_to_be_read(name: str) -> None:
    """On a page of 900 points letters of 16 are not smaller than 7."""
    width = float(re.search(r'viewBox="\S+ \S+ (\S+) ', pictures.PICTURES[name]()).group(1))
    assert width <= 900 * 16 / 7


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
