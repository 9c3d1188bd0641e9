"""The commands that look at models and write files, and the door they share."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

import multibond
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.cli import app
from multibond.examples import EXAMPLES
from multibond.graph.file import load, schema, to_data
from multibond.pipeline import simulate

from .typed import cold, command

MECHANICS = ("assemble", "equilibrium", "sweep", "robot", "linearise")
COMMANDS = (
    *("new", "check", "run", "draw", "causality", "equations", "explain", "export", "examples", "palette", "schema"),
    *MECHANICS,
    *("compare", "count", "advise"),
)

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


def test_check_with_a_change(pendulum: Path) -> None:
    assert command("check", pendulum, "--set", "bar.mass=2").exit_code == 0
    assert command("check", pendulum, "--set", "bar.mass=-2").exit_code == 1


def geared(finished: bool) -> multibond.Model:
    """A wheel on a gear within a model, and beside it a joint, whose flange may stay open."""
    drive, whole = multibond.Model("drive"), multibond.Model("whole")
    wheel, gear, load = (
        drive.add(part) for part in (ro.Inertia("wheel", 1.0), ro.Gear("gear", 3.0), ro.Inertia("load", 2.0))
    )
    drive.connect(wheel.flange, gear.flange_a)
    if finished:
        drive.connect(gear.flange_b, load.flange)
    else:
        drive.expose("out", load.flange)
    world, hinge, bar = whole.add(sp.World()), whole.add(sp.Revolute("hinge")), whole.add(sp.Body("bar", 1.0))
    whole.connect(world.frame, hinge.frame_a)
    whole.connect(hinge.frame_b, bar.frame)
    whole.add(drive)
    return whole


def test_check_notes_flanges_that_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "whole.mbg"
    for finished, notes in ((False, ["drive.gear.flange_b is connected to nothing"]), (True, [])):
        multibond.save(geared(finished), path)
        result, found = command("check", path), json.loads(command("check", path, "--json").stdout)
        assert (result.exit_code, result.stderr) == (0, "") and found["ok"]
        assert [line for line in result.stdout.splitlines() if "note" in line] == [f"note: {line}" for line in notes]
        assert found["notes"] == notes


def test_check_of_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.mbg"
    path.write_text("{")
    result = command("check", path)
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: 'broken.mbg' is not JSON.\n  Line 1, column 2: ")


# -- draw, equations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [None, 1, 2])
def test_draw(pendulum: Path, tmp_path: Path, depth: int | None) -> None:
    words = [] if depth is None else ["--depth", depth]
    printed = command("draw", pendulum, *words)
    assert printed.exit_code == 0, printed.output
    assert "<svg" in printed.stdout
    written = command("draw", pendulum, *words, "-o", tmp_path / "out.svg")
    assert written.stdout == f"wrote {tmp_path / 'out.svg'}\n"
    assert (tmp_path / "out.svg").read_text().strip() == printed.stdout.strip()
    assert json.loads(command("draw", pendulum, *words, "--json").stdout)["svg"].strip() == printed.stdout.strip()


def test_a_drawing_that_cannot_be_written_is_told(pendulum: Path, tmp_path: Path) -> None:
    result = command("draw", pendulum, "-o", tmp_path / "none" / "out.svg")
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: 'out.svg' cannot be written.\n  There is no folder ")


def test_equations(pendulum: Path, tmp_path: Path) -> None:
    assert "  hinge.angle' = hinge.speed\n" in command("equations", pendulum).stdout
    found = json.loads(command("equations", pendulum, "--json").stdout)
    assert found["ok"] and found["states"] == ["hinge.angle' = hinge.speed"]
    assert found["latex"].startswith(r"\begin{aligned}")
    assert command("equations", pendulum, "--latex").stdout.startswith(r"\documentclass")
    part = command("equations", pendulum, "--part", "bar", "-o", tmp_path / "bar.txt")
    assert part.exit_code == 0 and "  bar.mass (I)\n" in (tmp_path / "bar.txt").read_text()
    assert "  hinge.motion (" not in (tmp_path / "bar.txt").read_text()


# -- export ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".mbg", ".json", ".yaml", ".yml"])
@pytest.mark.parametrize("depth", [None, 2, 3])
def test_exported_models_run_the_same(pendulum: Path, tmp_path: Path, suffix: str, depth: int | None) -> None:
    words = [] if depth is None else ["--depth", depth]
    target = tmp_path / f"other{suffix}"
    result = command("export", pendulum, "--to", target, *words, "--set", "hinge.angle=0.4")
    assert result.stdout == f"wrote {target}\n", result.output
    model = EXAMPLES["pendulum"]()
    model.set("hinge.angle", 0.4)
    expected, found = simulate(model, 0.5), simulate(load(target), 0.5)
    assert found["hinge.angle"](0.5) == pytest.approx(expected["hinge.angle"](0.5), rel=1e-7)


@pytest.mark.parametrize(
    ("suffix", "first"), [(".svg", "<svg"), (".tex", r"\documentclass"), (".txt", "pendulum: the elements")]
)
def test_exported_pictures_and_equations(pendulum: Path, tmp_path: Path, suffix: str, first: str) -> None:
    found = json.loads(command("export", pendulum, "--to", tmp_path / f"out{suffix}", "--json").stdout)
    assert found["written"] == [str(tmp_path / f"out{suffix}")]
    assert first in (tmp_path / f"out{suffix}").read_text()[:300]


def test_exports_do_not_write_over_models(pendulum: Path) -> None:
    before = pendulum.read_text()
    result = command("export", pendulum, "--to", pendulum, "--depth", 2)
    assert result.exit_code == 1 and pendulum.read_text() == before
    assert result.stderr.endswith("Say --force to write over it.\n")
    assert command("export", pendulum, "--to", pendulum, "--depth", 2, "--force").exit_code == 0


@pytest.mark.parametrize("ending", [".csv", ".nc", ".parquet", ".mat", ".CSV"])
def test_exports_of_results_lead_to_the_command_that_writes_them(pendulum: Path, tmp_path: Path, ending: str) -> None:
    to = tmp_path / f"r{ending}"
    result = command("export", pendulum, "--to", to)
    assert result.exit_code == 2 and not to.exists()
    assert result.stderr.startswith(f"UnknownEnding: 'r{ending}' has no format of a model.\n")
    assert result.stderr.endswith(f"  Results are written by `multibond run {pendulum} -o {to}`.\n")


def test_exports_to_unknown_formats_are_told(pendulum: Path, tmp_path: Path) -> None:
    result = command("export", pendulum, "--to", tmp_path / "model.doc")
    assert result.exit_code == 2, "an unknown ending is wrong usage"
    told = "UnknownEnding: 'model.doc' has no known format.\n  The ending '.doc' is not known; "
    assert result.stderr.startswith(told)
    drawn = command("draw", pendulum, "-o", tmp_path / "model.pdf")
    assert drawn.exit_code == 2 and "known are .svg, .tex, .tikz." in drawn.stderr
    assert command("draw", pendulum, "-o", tmp_path / "model.pdf", "--format", "svg").exit_code == 0
    as_json = command("export", pendulum, "--to", tmp_path / "model.doc", "--json")
    assert as_json.exit_code == 2 and json.loads(as_json.stdout)["findings"][0]["error"] == "UnknownEnding"
    assert not (tmp_path / "model.doc").exists()


# -- new ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["swing", "swing.yaml", "swing.mbg", "swing.json"])
def test_a_new_model_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name) if "." in name else Path(f"{name}.yaml")
    assert command("new", name).stdout == f"wrote {path}\nnext: multibond run {path} --plot hinge.angle\n"
    found = json.loads(command("run", path, "--until", 1, "--json").stdout)
    assert found["ok"] and found["model"] == "swing" and "hinge.angle" in found["end"]


def test_all_new_models_are_the_same(tmp_path: Path) -> None:
    for suffix in (".yaml", ".mbg", ".py"):
        assert command("new", tmp_path / f"swing{suffix}").exit_code == 0
    written = runpy.run_path(str(tmp_path / "swing.py"))["model"]
    assert to_data(written) == to_data(load(tmp_path / "swing.mbg")) == to_data(load(tmp_path / "swing.yaml"))
    assert (tmp_path / "swing.yaml").read_text().count("#") > 8


def test_new_writes_over_nothing(tmp_path: Path) -> None:
    path = tmp_path / "swing.mbg"
    path.write_text("mine")
    assert command("new", path).exit_code == 1 and path.read_text() == "mine"
    assert json.loads(command("new", path, "--force", "--json").stdout)["written"] == [str(path)]
    assert load(path).name == "swing"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("1 2.yaml", "a model cannot be called '1 2'."),
        ("none/swing.yaml", "'swing.yaml' cannot be written."),
    ],
)
def test_new_with_an_impossible_name(tmp_path: Path, name: str, problem: str) -> None:
    result = command("new", tmp_path / name)
    assert result.exit_code == 1 and result.stderr.startswith(f"FileError: {problem}\n")


def test_new_with_an_unknown_ending(tmp_path: Path) -> None:
    result = command("new", tmp_path / "swing.doc")
    assert result.exit_code == 2 and result.stderr.startswith("UnknownEnding: 'swing.doc' has no known format.\n")


def test_a_python_file_is_not_opened(tmp_path: Path) -> None:
    command("new", tmp_path / "swing.py")
    result = command("run", tmp_path / "swing.py")
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: 'swing.py' is no model file.\n  Opening a model runs no code")


# -- examples, schema --------------------------------------------------------------------------------------------------


def test_examples_are_listed() -> None:
    lines = command("examples").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(EXAMPLES)
    assert list(json.loads(command("examples", "--json").stdout)["examples"]) == list(EXAMPLES)


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
    assert json.loads(command("schema").stdout) == json.loads(command("schema", "--json").stdout) == schema()


# -- the door ----------------------------------------------------------------------------------------------------------


def test_every_command_knows_json() -> None:
    assert {info.callback.__name__ for info in app.registered_commands if info.callback} == set(COMMANDS)
    for name in COMMANDS:
        assert "--json" in command(name, "--help").output


@pytest.mark.parametrize(
    "words",
    [
        ("fly",),
        ("run",),
        ("new",),
        ("export", "x.mbg"),
        ("run", "x.mbg", "--until", "soon"),
        ("run", "x.mbg", "--until", "-1"),
        ("run", "x.mbg", "--until", "nan"),
        ("run", "x.mbg", "--rtol", "0"),
        ("run", "x.mbg", "--points", "1"),
        ("run", "x.mbg", "--method", "magic"),
        ("run", "x.mbg", "--solver", "magic"),
        ("run", "x.mbg", "--set", "mass"),
        ("run", "x.mbg", "--set", "=2"),
        ("explain", "x.mbg", "--set", "mass="),
        ("draw", "x.mbg", "--depth", "4"),
        ("export", "x.mbg", "--to", "y.svg", "--depth", "0"),
    ],
)
def test_wrong_usage_ends_with_two(words: tuple[str, ...]) -> None:
    result = command(*words)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("name", ["check", "run", "draw", "equations", "explain"])
def test_a_missing_file_ends_with_one(name: str) -> None:
    result = command(name, "nothing.mbg", "--json")
    assert result.exit_code == 1
    assert result.stderr.startswith("FileError: there is no file 'nothing.mbg'.\n")
    found = json.loads(result.stdout)
    assert not found["ok"] and found["findings"][0]["problem"] == "there is no file 'nothing.mbg'."


def test_version() -> None:
    assert command("--version").stdout == f"multibond {multibond.__version__}\n"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["e"], {"equations", "equilibrium", "explain", "export", "examples"}),
        (["run", "x.mbg", "--method", "mul"], {"multiplier"}),
        (["run", "x.mbg", "--solver", "rod"], {"rodas4p", "rodas5p"}),
        (["examples", "slider"], {"slider_crank"}),
    ],
)
def test_the_shell_completes(typed: list[str], offered: set[str]) -> None:
    words = " ".join(["multibond", *typed])
    done = cold(_MULTIBOND_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(typed)))
    assert set(done.stdout.split()) == offered


def test_palette_tells_all_of_one_type() -> None:
    result = command("palette", "spatial.Revolute")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == ["spatial.Revolute", "  A hinge: b turns about `axis` against a."]
    assert "  frame_a: frame" in lines and "  flange: rotation" in lines
    assert '  axis: "z" if left out' in lines and "  damping  [N.m.s/rad]: 0.0 if left out" in lines
    both = json.loads(command("palette", "Revolute", "--json").stdout)["palette"]
    assert {entry["type"] for entry in both} == {"planar.Revolute", "spatial.Revolute"}
    missing = command("palette", "Revolut")
    assert missing.exit_code == 1 and "Nearest: 'Revolute'" in missing.stderr


def test_help_keeps_units(pendulum: Path) -> None:
    assert "First value, in rad or m." in " ".join(command("sweep", "--help").stdout.split())
    assert (
        "hinge.angle" in command("linearise", pendulum).stdout
        and ".motion." not in command("linearise", pendulum).stdout
    )
