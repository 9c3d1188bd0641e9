"""What the pages in docs/ show runs, page by page, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: Path) -> list[str]:
    """The Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


PAGES = sorted(page.name for page in DOCS.glob("*.md") if blocks(page))


def shown(name: str) -> dict[str, object]:
    """The names that a page leaves behind."""
    names: dict[str, object] = {}
    for block in blocks(DOCS / name):
        exec(compile(block, name, "exec"), names)
    return names


@pytest.mark.parametrize("name", PAGES)
def test_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = shown(name)
    if name == "joints.md":
        np.testing.assert_allclose(names["led"]["joint.angles"](1.0), (0.1 * np.sin(1.0), 0.2), atol=1e-9)  # type: ignore[index]
        np.testing.assert_allclose(names["stopped"]["joint.angles"](2.0), (0.1, -0.1), atol=1e-9)  # type: ignore[index]


def test_there_are_pages_with_code() -> None:
    assert {"joints.md", "start.md", "robotics.md", "planar.md"} <= set(PAGES)
