"""The commands as a user types them: what they print, what they write, how they end."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import multibond
from multibond.cli import Method, Solver, _state_labels, app
from multibond.examples import EXAMPLES
from multibond.graph.file import load, save, schema
from multibond.pipeline import METHODS, compile, simulate
from multibond.solve.methods import METHODS as SOLVERS


def command(*words: object) -> Result:
    """Run a command within this process."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="multibond")


def cold(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    source = str(Path(multibond.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "multibond", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": source, **environment},
        check=False,
    )


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    """A model file."""
    path = tmp_path / "pendulum.mbg"
    save(EXAMPLES["pendulum"](), path)
    return path


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    """A model file whose hinge has a loose side, and whose rod leads nowhere."""
    from multibond import spatial as sp

    model = multibond.Model("loose")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge"))
    model.add(sp.Spring("spring", 10.0))
    model.connect(world.frame, hinge.frame_a)
    path = tmp_path / "loose.mbg"
    save(model, path)
    return path


def test_methods_and_solvers_are_those_of_the_library() -> None:
    assert [m.value for m in Method] == list(METHODS)
    assert {s.value for s in Solver} == {"auto", *SOLVERS}


# -- run ---------------------------------------------------------------------------------------------------------------


def test_run_prints_a_small_table(pendulum: Path) -> None:
    result = command("run", pendulum, "--until", 2)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    first, *rest = result.stdout.splitlines()
    assert first.startswith("pendulum: 2 s, ") and first.endswith("evaluations (auto, dop853)")
    assert any(line.startswith("hinge.angle") for line in rest)
    assert "no redundant constraint" in rest


def test_run_gives_json(pendulum: Path) -> None:
    found = json.loads(command("run", pendulum, "--until", 2, "--json").stdout)
    expected = simulate(EXAMPLES["pendulum"](), 2.0)
    assert found["ok"] and found["time"] == 2.0 and found["model"] == "pendulum"
    assert found["end"]["hinge.angle"] == expected["hinge.angle"](2.0)
    assert found["steps"] == expected.trajectory.statistics.accepted
    assert abs(found["energy_residual"]) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_run_with_every_method(pendulum: Path, method: str) -> None:
    result = command("run", pendulum, "--until", 0.05, "--method", method, "--rtol", 1e-6, "--json")
    assert json.loads(result.stdout)["method"] == method


@pytest.mark.parametrize("solver", SOLVERS)
def test_run_with_every_solver(pendulum: Path, solver: str) -> None:
    step = ["--step", "0.01"] if solver == "rk4" else []
    result = command("run", pendulum, "--until", 0.1, "--solver", solver, *step, "--json")
    assert json.loads(result.stdout)["solver"] == solver


@pytest.mark.parametrize("name", EXAMPLES)
def test_states_are_what_their_names_say(name: str) -> None:
    system = compile(EXAMPLES[name]())
    solution = simulate(system, 0.1)
    values = solution.values(_state_labels(system), solution.t[-1:])[0]
    assert values == pytest.approx(solution.trajectory.x[-1], rel=1e-12, abs=1e-12)


def test_run_writes_a_table_of_states(pendulum: Path, tmp_path: Path) -> None:
    table = tmp_path / "new" / "run.csv"
    result = command("run", pendulum, "--until", 1, "--out", table, "--points", 11)
    assert result.exit_code == 0 and f"wrote {table}" in result.stdout
    header, *rows = csv.reader(table.read_text().splitlines())
    assert header[0] == "time" and "hinge.angle" in header
    assert [float(row[0]) for row in rows] == pytest.approx([k / 10 for k in range(11)])


def test_run_writes_table_and_figure_into_a_folder(pendulum: Path, tmp_path: Path) -> None:
    words = ("--plot", "hinge.angle", "--plot", "hinge.reaction_force", "--out", tmp_path / "out", "--json")
    result = command("run", pendulum, "--until", 0.1, *words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["written"] == [str(tmp_path / "out" / "pendulum.csv"), str(tmp_path / "out" / "pendulum.png")]
    assert list(found["end"]) == ["hinge.angle", *(f"hinge.reaction_force[{k}]" for k in range(3))]
    assert (tmp_path / "out" / "pendulum.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out" / "pendulum.csv").read_text().startswith("time,hinge.angle,hinge.reaction_force[0]")


def test_run_writes_an_animation(pendulum: Path, tmp_path: Path) -> None:
    result = command("run", pendulum, "--until", 0.1, "--animate", tmp_path / "film.html")
    assert result.exit_code == 0, result.output
    assert "<html" in (tmp_path / "film.html").read_text().lower()


def test_run_refuses_an_unknown_variable_before_it_runs(pendulum: Path) -> None:
    result = command("run", pendulum, "--until", 1e9, "--plot", "hinge.angel")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("UnknownName: the model has no 'hinge.angel'.\n  Nearest: 'hinge.angle'")


def test_run_to_nowhere_ends_at_the_start(pendulum: Path) -> None:
    found = json.loads(command("run", pendulum, "--until", 0, "--json").stdout)
    assert found["ok"] and found["time"] == 0.0 and found["steps"] == 0


def test_run_that_stops_tells_why_and_keeps_what_it_has(tmp_path: Path) -> None:
    from multibond import I, Model, One, R

    model = Model("explosion")
    flow = model.add(One("flow"))
    model.bond(flow, I("mass", 1e-3, start=1.0))
    model.bond(flow, R("brake", 1e300))
    path = tmp_path / "explosion.mbg"
    save(model, path)
    result = command("run", path, "--out", tmp_path / "run.csv", "--json")
    assert result.exit_code == 1
    assert result.stderr.startswith("SimulationError: the run stopped at ")
    found = json.loads(result.stdout)
    assert not found["ok"] and found["findings"][0]["problem"].startswith("the run stopped at ")
    assert (tmp_path / "run.csv").exists()


# -- check -------------------------------------------------------------------------------------------------------------


def test_check_of_a_good_model(pendulum: Path) -> None:
    result = command("check", pendulum)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        result.stdout
        == "pendulum: no fault. 3 components, 2 states.\n  tree: hinge; cut: none\n  no redundant constraint\n"
    )
    assert json.loads(command("check", pendulum, "--json").stdout)["ok"]


def test_check_tells_all_faults(loose: Path) -> None:
    result = command("check", loose)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "ModelError: Revolute 'hinge' has a loose side.\n"
        "  Its frame_b is not connected.\n"
        "  Connect both frames.\n"
        "ModelError: Spring 'spring' is not connected.\n"
        "  Its frames frame_a, frame_b lead nowhere.\n"
        "  Connect it, or remove it.\n"
    )


def test_check_gives_findings_as_json(loose: Path) -> None:
    result = command("check", loose, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1 and not found["ok"]
    assert [finding["paths"] for finding in found["findings"]] == [["hinge"], ["spring"]]
    assert set(found["findings"][0]) == {"error", "problem", "fact", "cure", "paths"}


def test_check_of_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.mbg"
    path.write_text("{")
    result = command("check", path)
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: 'broken.mbg' is not JSON.\n  Line 1, column 2: ")


# -- draw, examples, schema --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [None, 1, 2])
def test_draw(pendulum: Path, tmp_path: Path, depth: int | None) -> None:
    words = [] if depth is None else ["--depth", depth]
    printed = command("draw", pendulum, *words)
    assert printed.exit_code == 0, printed.output
    assert "<svg" in printed.stdout
    written = command("draw", pendulum, *words, "-o", tmp_path / "out.svg")
    assert written.stdout == f"wrote {tmp_path / 'out.svg'}\n"
    assert (tmp_path / "out.svg").read_text().strip() == printed.stdout.strip()


def test_a_drawing_that_cannot_be_written_is_told(pendulum: Path, tmp_path: Path) -> None:
    result = command("draw", pendulum, "-o", tmp_path / "none" / "out.svg")
    assert result.exit_code == 1
    assert result.stderr.startswith("FileNotFoundError: ") and "Traceback" not in result.stderr


def test_examples_are_listed() -> None:
    lines = command("examples").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(EXAMPLES)
    assert list(json.loads(command("examples", "--json").stdout)) == list(EXAMPLES)


def test_examples_are_written(tmp_path: Path) -> None:
    assert command("examples", "rlc", "--to", tmp_path / "a").stdout == f"wrote {tmp_path / 'a' / 'rlc.mbg'}\n"
    assert load(tmp_path / "a" / "rlc.mbg").name == "rlc"
    assert command("examples", "--to", tmp_path / "b").exit_code == 0
    assert {path.stem for path in (tmp_path / "b").iterdir()} == set(EXAMPLES)


def test_examples_do_not_write_over_changes(tmp_path: Path) -> None:
    path = tmp_path / "rlc.mbg"
    path.write_text("mine")
    result = command("examples", "rlc", "--to", tmp_path)
    assert result.exit_code == 1 and path.read_text() == "mine"
    assert result.stderr.endswith("is there already.\n  It may hold changes.\n  Say --force to write over it.\n")
    assert command("examples", "rlc", "--to", tmp_path, "--force").exit_code == 0
    assert load(path).name == "rlc"


def test_unknown_examples() -> None:
    result = command("examples", "pendulm")
    assert result.exit_code == 1
    assert result.stderr.startswith("UnknownName: the list of examples has no 'pendulm'.\n  Nearest: 'pendulum'")


def test_schema_is_printed() -> None:
    assert json.loads(command("schema").stdout) == schema()


# -- the door ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("fly",),
        ("run",),
        ("run", "x.mbg", "--until", "soon"),
        ("run", "x.mbg", "--until", "-1"),
        ("run", "x.mbg", "--until", "nan"),
        ("run", "x.mbg", "--rtol", "0"),
        ("run", "x.mbg", "--method", "magic"),
        ("run", "x.mbg", "--solver", "magic"),
        ("draw", "x.mbg", "--depth", "4"),
    ],
)
def test_wrong_usage_ends_with_two(words: tuple[str, ...]) -> None:
    result = command(*words)
    assert (result.exit_code, result.stdout) == (2, "")


def test_wrong_combinations_are_told_without_traceback(pendulum: Path) -> None:
    result = command("run", pendulum, "--solver", "rk4")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr and "step" in result.stderr


def test_missing_file_ends_with_one() -> None:
    result = command("run", "nothing.mbg")
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: there is no file 'nothing.mbg'.\n")


def test_version() -> None:
    assert command("--version").stdout == f"multibond {multibond.__version__}\n"


def test_as_a_process(pendulum: Path) -> None:
    done = cold("run", pendulum, "--until", "1", NO_COLOR="1", FORCE_COLOR="1")
    assert done.returncode == 0 and done.stderr == ""
    assert "\x1b[3" not in done.stdout
    failed = cold("run", pendulum.with_name("none.mbg"), NO_COLOR="1")
    assert failed.returncode == 1 and failed.stdout == ""
    assert failed.stderr == (
        f"FileError: there is no file {str(pendulum.with_name('none.mbg'))!r}.\n"
        "  Models there: pendulum.mbg.\n"
        "  Check the name and the folder.\n"
    )


def test_a_run_imports_nothing_it_does_not_need(pendulum: Path) -> None:
    code = (
        "import sys, runpy\n"
        f"sys.argv = ['multibond', 'run', {str(pendulum)!r}, '--until', '1']\n"
        "try:\n    runpy.run_module('multibond', run_name='__main__')\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "print(sorted({'matplotlib', 'scipy', 'pandas', 'xarray'} & set(sys.modules)))\n"
    )
    source = str(Path(multibond.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
