"""What the README shows runs, in order, in an empty folder; every example runs and balances its energy."""

import re
from pathlib import Path

import pytest
from tests.compiled import run_of

import multibond as mb
from multibond.examples import EXAMPLES

ROOT = Path(__file__).parents[2]


def test_code_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "hip.png").stat().st_size > 10_000
    assert "<canvas" in (tmp_path / "arm.html").read_text()
    coil = mb.simulate(names["m"], 3.0)["coil.f"](3.0)  # type: ignore[arg-type]
    assert abs(coil - 10.0) < 1e-6


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name: str) -> None:
    assert run_of(name, 0.5).energy().residual < 1e-8
    assert EXAMPLES[name].__doc__


def test_readme_shows_only_pictures_that_exist() -> None:
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / picture).exists()
