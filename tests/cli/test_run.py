"""`multibond run`: what it prints, what it writes, how it ends."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.compiled import example, run_of
from tests.rotation import tenth

from multibond import save
from multibond.equations.household import state_entries
from multibond.examples import EXAMPLES
from multibond.pipeline import simulate
from multibond.rewrite.method import METHODS
from multibond.solve.methods import METHODS as SOLVERS

from .typed import SOURCE, cold, command


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has no place of its own is written to a folder of the test."""
    monkeypatch.chdir(tmp_path)


def test_it_prints_a_small_table(pendulum: Path) -> None:
    result = command("run", pendulum, "--until", 2)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    first, *rest = result.stdout.splitlines()
    assert first.startswith("pendulum: 2 s, ") and first.endswith("evaluations (auto, dop853)")
    assert any(line.startswith("hinge.angle") and line.rstrip().endswith("rad") for line in rest)
    assert "no redundant constraint" in rest


def test_components_are_printed_in_plain_brackets(tmp_path: Path) -> None:
    path = tmp_path / "top.mbg"
    save(EXAMPLES["heavy_top"](), path)
    result = command("run", path, "--until", 0.1)
    assert "[0]" in result.stdout and "\\" not in result.stdout, result.output


def test_it_gives_json(pendulum: Path) -> None:
    result = command("run", pendulum, "--until", 2, "--json")
    found = json.loads(result.stdout)
    expected = simulate(EXAMPLES["pendulum"](), 2.0)
    assert found["ok"] and found["findings"] == [] and found["time"] == 2.0 and found["model"] == "pendulum"
    assert found["end"]["hinge.angle"] == expected["hinge.angle"](2.0)
    assert found["units"]["hinge.angle"] == "rad"
    assert found["steps"] == found["record"]["statistics"]["accepted"] == expected.t.size - 1
    assert abs(found["energy_residual"]) < 1e-6


def test_it_tells_of_hits_on_stops(pendulum: Path) -> None:
    """A rebound at -0.2 rad gives back half of the speed."""
    stopped = ("run", pendulum, "--until", 1, "--set", "hinge.lower=-0.2", "--set", "hinge.restitution=0.5")
    found = json.loads(command(*stopped, "--json").stdout)["hits"]
    assert found and found[0]["path"] == "hinge.stop" and found[0]["side"] == "lower"
    assert found[0]["after"] == pytest.approx(-0.5 * found[0]["before"])
    last = f"{len(found)} hits on stops, the last at {found[-1]['time']:.6g} s on hinge.stop"
    assert last in command(*stopped).stdout.splitlines()


@pytest.mark.parametrize("method", METHODS)
def test_every_method(pendulum: Path, method: str) -> None:
    result = command("run", pendulum, "--until", 0.05, "--method", method, "--rtol", 1e-6, "--json")
    assert json.loads(result.stdout)["method"] == method


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver(pendulum: Path, solver: str) -> None:
    step = ["--step", "0.01"] if SOLVERS[solver].fixed else []
    result = command("run", pendulum, "--until", 0.1, "--solver", solver, *step, "--json")
    assert json.loads(result.stdout)["solver"] == solver


@pytest.mark.parametrize("name", EXAMPLES)
def test_states_are_what_their_names_say(name: str) -> None:
    system, solution = example(name), run_of(name, 0.2)
    values = solution.values(state_entries(system.dae), solution.t[-1:])[0]
    assert values == pytest.approx(solution.states(solution.t[-1:])[0], rel=1e-12, abs=1e-12)


# -- changes -----------------------------------------------------------------------------------------------------------


def test_parameters_are_changed(pendulum: Path) -> None:
    words = ("--set", "hinge.damping=0.2", "--set", "bar.centre=0.4,0,0", "--set", "hinge.angle=0.1")
    found = json.loads(command("run", pendulum, "--until", 1, *words, "--json").stdout)
    model = EXAMPLES["pendulum"]()
    for path, value in {"hinge.damping": 0.2, "bar.centre": (0.4, 0, 0), "hinge.angle": 0.1}.items():
        model.set(path, value)
    assert found["end"]["hinge.angle"] == simulate(model, 1.0)["hinge.angle"](1.0)
    assert found["record"]["parameters"]["hinge.damping"] == 0.2


def test_words_and_guesses_are_values_too(pendulum: Path) -> None:
    words = ("--set", "hinge.axis=x", "--set", 'hinge.angle={"guess": 0.3}')
    result = command("run", pendulum, "--until", 0.1, *words, "--json")
    assert result.exit_code == 0, result.output


def test_an_unknown_parameter_is_told(pendulum: Path) -> None:
    result = command("run", pendulum, "--set", "hinge.dumping=1", "--json")
    (finding,) = json.loads(result.stdout)["findings"]
    assert result.exit_code == 1
    assert (finding["error"], finding["problem"]) == ("UnknownName", "Revolute 'hinge' has no 'dumping'.")
    assert finding["fact"].startswith("Nearest: 'damping'")


def test_an_impossible_value_is_told(pendulum: Path) -> None:
    result = command("run", pendulum, "--set", "bar.mass=-1")
    assert result.exit_code == 1 and result.stderr.startswith("ParameterError: Body 'bar': mass cannot be -1")


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".nc", ".parquet", ".csv", ".mat"])
def test_results_are_written(pendulum: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"run{suffix}"
    result = command("run", pendulum, "--until", 0.2, "--output", target)
    assert result.exit_code == 0, result.output
    assert f"wrote {target}" in result.stdout.splitlines() and target.stat().st_size > 100


def test_a_table_at_equal_times(pendulum: Path, tmp_path: Path) -> None:
    words = ("--output", tmp_path / "run.csv", "--points", 11, "--variable", "hinge.reaction_force")
    assert command("run", pendulum, "--until", 1, *words).exit_code == 0
    header, *rows = csv.reader((tmp_path / "run.csv").read_text().splitlines())
    assert header == ["time", *(f"hinge.reaction_force[{k}]" for k in range(3))]
    assert [float(row[0]) for row in rows] == pytest.approx([k / 10 for k in range(11)])


def test_several_files_and_figures(pendulum: Path, tmp_path: Path) -> None:
    files = [tmp_path / "run.csv", tmp_path / "run.parquet"]
    words = [word for path in files for word in ("-o", path)]
    words += ["--plot", "hinge.angle", "--plot", "hinge.speed", "--figure", tmp_path / "run.svg", "--json"]
    found = json.loads(command("run", pendulum, "--until", 0.1, *words).stdout)
    written = [tmp_path / name for name in ("run.csv", "run.csv.json", "run.parquet", "run.svg")]
    assert found["written"] == [str(path) for path in written]
    assert all(path.stat().st_size > 100 for path in written)
    assert list(found["end"]) == ["hinge.angle", "hinge.speed"]


def test_a_figure_has_the_name_of_the_model_file(pendulum: Path) -> None:
    assert "wrote pendulum.png" in command("run", pendulum, "--until", 0.1, "--plot", "hinge.angle").stdout
    assert Path("pendulum.png").read_bytes().startswith(b"\x89PNG")


def test_an_animation(pendulum: Path, tmp_path: Path) -> None:
    result = command("run", pendulum, "--until", 0.1, "--animate", tmp_path / "film.html")
    assert result.exit_code == 0, result.output
    assert "<html" in (tmp_path / "film.html").read_text().lower()


def test_a_film_with_arrows(pendulum: Path, tmp_path: Path) -> None:
    words = [
        "--frames",
        "--forces",
        "--constraints",
        "--fps",
        10,
        "--speed",
        0.1,
        "--view",
        "30,20",
        "--arrow-scale",
        2,
    ]
    result = command("run", pendulum, "--until", 0.1, "--animate", tmp_path / "film.gif", *words)
    assert result.exit_code == 0, result.output
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 11


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--animate", "film.avi"], "UnknownEnding: 'film.avi' has no known format.\n"),
        (["--forces", "--view", "top"], "--forces, --view tells how an animation looks"),
        (["--animate", "film.gif", "--view", "up"], "it must be one of auto, front, side, top, oblique"),
        (["--animate", "film.gif", "--fps", 0], "it must be a positive number"),
    ],
)
def test_wrong_usage_of_an_animation_is_told(pendulum: Path, words: list[Any], problem: str) -> None:
    result = command("run", pendulum, "--until", 1e9, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    plain = " ".join(result.stderr.replace("│", " ").split())
    assert " ".join(problem.split()) in plain


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--output", "none/run.nc"], "FileError: 'run.nc' cannot be written.\n  There is no folder 'none'."),
        (["--animate", "none/film.html"], "FileError: 'film.html' cannot be written.\n"),
        (["--plot", "hinge.angle", "--figure", "none/a.png"], "FileError: 'a.png' cannot be written.\n"),
        (["--plot", "hinge.angel"], "UnknownName: the model has no 'hinge.angel'.\n  Nearest: 'hinge.angle'"),
        (["--variable", "hinge.angel"], "UnknownName: the model has no 'hinge.angel'.\n"),
    ],
)
def test_what_cannot_be_done_is_told_before_the_run(pendulum: Path, words: list[str], problem: str) -> None:
    result = command("run", pendulum, "--until", 1e9, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(problem)


def test_an_unknown_ending_of_the_results_is_wrong_usage(pendulum: Path) -> None:
    result = command("run", pendulum, "--until", 1e9, "--output", "run.xls")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("UnknownEnding: 'run.xls' has no known format.\n")
    assert "2 wrong usage, also an unknown file ending" in " ".join(cold("--help", NO_COLOR="1").stdout.split())


# -- ends --------------------------------------------------------------------------------------------------------------


def test_a_run_to_nowhere_ends_at_the_start(pendulum: Path) -> None:
    found = json.loads(command("run", pendulum, "--until", 0, "--json").stdout)
    assert found["ok"] and found["time"] == 0.0 and found["steps"] == 0


def test_a_run_that_stops_tells_where_and_keeps_what_it_has(explosion: Path, tmp_path: Path) -> None:
    result = command("run", explosion, "--output", tmp_path / "run.csv", "--json")
    assert result.exit_code == 1
    assert result.stderr.startswith("SimulationError: the run stopped at ")
    found = json.loads(result.stdout)
    (finding,) = found["findings"]
    assert not found["ok"] and finding["problem"].startswith("the run stopped at ")
    assert "'mass.p'" in finding["problem"] and finding["paths"] == ["mass"] and found["status"] in finding["fact"]
    assert found["written"][0] == str(tmp_path / "run.csv") and found["record"]["status"] == found["status"]
    header, *rows = csv.reader((tmp_path / "run.csv").read_text().splitlines())
    assert header == ["time", "mass.p"] and float(rows[0][1]) == 1.0


def test_a_run_that_stops_prints_the_sentence(explosion: Path) -> None:
    result = command("run", explosion)
    assert result.exit_code == 1 and "explosion: " in result.stdout
    assert result.stderr.startswith("SimulationError: the run stopped at ") and "'mass.p'" in result.stderr


def test_wrong_combinations_are_told_without_traceback(pendulum: Path) -> None:
    result = command("run", pendulum, "--solver", "rk4")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr and "step" in result.stderr


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


def on_a_terminal(*words: object, **environment: str) -> str:
    """What a command writes to a terminal."""
    mine, its = pty.openpty()
    env = {**os.environ, "PYTHONPATH": SOURCE, "TERM": "xterm-256color", **environment}
    with subprocess.Popen([sys.executable, "-m", "multibond", *map(str, words)], stdout=its, stderr=its, env=env):
        os.close(its)
        pieces = []
        while True:
            try:
                pieces.append(os.read(mine, 65536))
            except OSError:  # nobody writes any more
                break
            if not pieces[-1]:
                break
    os.close(mine)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("words", tenth(["--until 1", "--until -1", "--output run.xls", "--help"], of="terminals"))
def test_without_colours_a_terminal_gets_plain_text(pendulum: Path, words: str) -> None:
    """With NO_COLOR not one escape code, bold ones included; without it there are some."""
    plain = on_a_terminal("run", pendulum, *words.split(), NO_COLOR="1")
    assert plain.strip() and "\x1b" not in plain
    assert "\x1b[" in on_a_terminal("run", pendulum, *words.split(), NO_COLOR="")


def test_json_faults_have_colours_nowhere(pendulum: Path) -> None:
    done = cold("run", pendulum.with_name("none.mbg"), "--json", FORCE_COLOR="1")
    assert done.returncode == 1 and json.loads(done.stdout)["findings"][0]["error"] == "FileError"


def test_a_run_imports_nothing_it_does_not_need(pendulum: Path) -> None:
    import subprocess
    import sys

    from .typed import SOURCE

    code = (
        "import sys, runpy\n"
        f"sys.argv = ['multibond', 'run', {str(pendulum)!r}, '--until', '1']\n"
        "try:\n    runpy.run_module('multibond', run_name='__main__')\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "print(sorted({'matplotlib', 'scipy', 'pandas', 'xarray', 'pyarrow', 'rich.progress'} & set(sys.modules)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
