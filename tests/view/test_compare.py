"""The tables: methods side by side, freedoms stage by stage, advice."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import EXAMPLES, pendulum, slider_crank
from multibond.view.comparison import Comparison


@functools.cache
def table() -> Comparison:
    return mb.compare(pendulum(), 0.2, methods=("auto", "rc"), depths=(2,))


def test_the_table_reads_as_text() -> None:
    lines = str(table()).splitlines()
    assert lines[0].startswith("pendulum, 0.2 s, rtol 1e-09")
    assert lines[1].split()[:6] == ["bonds", "method", "compile", "s", "run", "s"]
    assert lines[1].split()[-6:] == ["evaluations", "operations", "bytes", "error", "reactions", "energy"]
    assert [line.split()[:2] for line in lines[2:4]] == [["vector", "auto"], ["vector", "rc"]]


def test_parasitic_elements_are_listed_apart() -> None:
    soft = table()["rc", 2]
    assert {path.rpartition(".")[2] for path in soft.parasitic} == {"parasitic_c", "parasitic_r"}
    assert table()["auto", 2].parasitic == () and table()["auto", 2].exact
    assert any("parasitic, apart" in line for line in table().remarks)


def test_the_peak_of_the_springs_is_explained() -> None:
    """Fig. 21: the fastest of the modes that k, c and the bar's mass make; they begin without load.

    Along the bar the hinge's spring only meets the mass: ω = √(k/m), fading with 2 m / c.
    """
    mode = table()["rc", 2].mode
    assert mode is not None
    along = np.sqrt(1e7 / 1.0 - (200.0 / 2) ** 2) / (2 * np.pi)
    assert mode.frequency >= along * 0.999 and mode.fading >= 2 * 1.0 / 200.0 * 0.999
    errors, times = np.array(table()["rc", 2].errors), table().times
    assert times[np.argmax(errors)] < 0.05 and errors[-1] < 0.2 * errors.max()
    assert "at the start the error peaks at" in table().remarks[-2] and "Hz" in table().remarks[-1]


def test_plain_data(tmp_path: Path) -> None:
    facts = json.loads(json.dumps(table().to_dict()))
    assert [cell["method"] for cell in facts["cells"]] == ["auto", "rc"]
    assert facts["cells"][0]["exact"] and not facts["cells"][1]["exact"] and "errors" not in facts["cells"][0]
    figure = table().plot(tmp_path / "errors.svg")
    assert (tmp_path / "errors.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert [line.get_label() for line in figure.axes[0].lines] == ["auto, vector", "rc, vector"]
    np.testing.assert_allclose(figure.axes[0].lines[1].get_ydata()[1:], table()["rc", 2].errors[1:])


def test_an_impossible_cell_says_why() -> None:
    made = mb.compare(EXAMPLES["rate_gyro"](), 0.05, methods=("auto", "minimal"), depths=(2,))
    cell = made["minimal", 2]
    assert "no one direction of flow" in cell.reason and cell.error is None and not cell.exact
    assert "–" in str(made) and any(line.startswith("vector minimal: ") for line in made.remarks)


def test_what_there_is_not_is_told() -> None:
    with pytest.raises(ModelError, match="no method 'magic'"):
        mb.compare(pendulum(), 0.1, methods=("magic",))
    with pytest.raises(ModelError, match=r"no cell \('zcp', 2\)"):
        table()["zcp", 2]
    with pytest.raises(ModelError, match="no depth 4"):
        mb.compile(pendulum(), depth=4)


# -- Tables 2 to 4 -----------------------------------------------------------------------------------------------------

STAGES = {
    "hyperstatic": [("O", 6, 5, 1), ("B", 6, 5, 1), ("C", 6, 5, 1), ("guide", 3, 5, -2)],
    "isostatic": [("O", 6, 5, 1), ("B", 6, 4, 2), ("C", 6, 3, 3), ("guide", 6, 5, 1)],
}
BALANCE = {"hyperstatic": (18, 20, -2, 1, 3), "isostatic": (18, 17, 1, 1, 0)}


@pytest.mark.parametrize("joints", STAGES)
def test_stages_of_the_slider_crank(joints: str) -> None:
    """Boudon et al. (2017), Tables 2, 3 and 4."""
    made = mb.count(slider_crank(joints=joints))
    assert [(s.joint, s.relative, s.constraints, s.after) for s in made.stages] == STAGES[joints]
    assert made.stages[-1].closes == ("O", "B", "C") and made.stages[-1].between == ("piston", "world")
    balance = (made.coordinates, made.constraints, made.naive, made.mobility, made.redundant)
    assert balance == BALANCE[joints] and len(made.repeated) == made.redundant
    assert json.loads(json.dumps(made.to_dict()))["mobility"] == 1
    assert "1 + 1 + 1 = 3" in str(made) or joints == "isostatic"


@pytest.mark.parametrize(
    ("name", "bodies", "mobility", "redundant"),
    [("pendulum", 1, 1, 0), ("four_bar", 3, 1, 3), ("planar_loop", 4, 2, 3), ("arm", 6, 6, 0), ("euler_top", 1, 6, 0)],
)
def test_counts_of_other_machines(name: str, bodies: int, mobility: int, redundant: int) -> None:
    made = mb.count(EXAMPLES[name]())
    assert (len(made.bodies), made.mobility, made.redundant) == (bodies, mobility, redundant)
    assert made.redundant == made.mobility - made.naive


def test_a_circuit_has_nothing_to_count() -> None:
    assert str(mb.count(EXAMPLES["rlc"]())).endswith("no joints: nothing to count")


def test_what_does_not_close_is_counted_where_it_stands() -> None:
    model = slider_crank()
    model.set("guide.position", 3.0)
    made = mb.count(model)
    assert not made.assembled and "do not close" in str(made)


def test_advice_prints_itself() -> None:
    told = str(mb.advise(slider_crank()))
    assert told.startswith("auto (closed chain, hyperstatic") and "by the paper's guidelines: rc" in told
