"""Runs as files: what is read back is what was computed, with its units and its record."""

from __future__ import annotations

import csv
import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.compiled import run_of

import multibond as mb
from multibond import spatial as sp
from multibond.errors import FileError, ModelError, UnknownName
from multibond.examples import EXAMPLES
from multibond.export.files import WRITERS
from multibond.export.needs import MissingPackage
from multibond.export.record import model_hash

NAMES = ["hinge.angle", "hinge.speed", "hinge.reaction_force"]
FLAT = ["hinge.angle", "hinge.speed", *(f"hinge.reaction_force[{k}]" for k in range(3))]
UNITS = ["rad", "rad/s", "N", "N", "N"]
TIMES = np.linspace(0.0, 1.0, 7)


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.simulate(EXAMPLES["pendulum"](), 1.0, events={"hinge.angle": 0.0})


@pytest.fixture(scope="module")
def expected(run: mb.Run) -> np.ndarray:
    return np.column_stack([run["hinge.angle"](TIMES), run["hinge.speed"](TIMES), run["hinge.reaction_force"](TIMES)])


# -- formats -----------------------------------------------------------------------------------------------------------


def test_netcdf(run: mb.Run, expected: np.ndarray, tmp_path: Path) -> None:
    import xarray

    assert run.save(tmp_path / "run.nc", NAMES, TIMES) == tmp_path / "run.nc"
    with xarray.open_dataset(tmp_path / "run.nc") as found:
        assert set(found.data_vars) == set(NAMES)
        assert found["time"].values.tolist() == TIMES.tolist() and found["time"].attrs["units"] == "s"
        assert found["hinge.reaction_force"].dims == ("time", "component_3")
        assert np.array_equal(found["hinge.reaction_force"].values, expected[:, 2:])
        assert np.array_equal(found["hinge.angle"].values, expected[:, 0])
        assert found["hinge.speed"].attrs == {"long_name": "angular velocity", "units": "rad/s"}
        assert json.loads(found.attrs["record"]) == run.record.to_dict()
        assert found.attrs["model_hash"] == run.record.model_hash


def test_parquet(run: mb.Run, expected: np.ndarray, tmp_path: Path) -> None:
    import pyarrow.parquet

    run.save(tmp_path / "run.parquet", NAMES, TIMES)
    found = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert found.column_names == ["time", *FLAT]
    assert np.array_equal(np.column_stack([found[name].to_numpy() for name in FLAT]), expected)
    assert [field.metadata[b"unit"].decode() for field in found.schema] == ["s", *UNITS]
    assert json.loads(found.schema.metadata[b"multibond"]) == run.record.to_dict()


def test_csv(run: mb.Run, expected: np.ndarray, tmp_path: Path) -> None:
    run.save(tmp_path / "run.csv", NAMES, TIMES)
    header, *rows = csv.reader((tmp_path / "run.csv").read_text().splitlines())
    assert header == ["time", *FLAT]
    assert np.array_equal(np.array(rows, float), np.column_stack([TIMES, expected]))
    beside = json.loads((tmp_path / "run.csv.json").read_text())
    units = dict(zip(["time", *FLAT], ["s", *UNITS], strict=True))
    data = hashlib.sha256((tmp_path / "run.csv").read_bytes()).hexdigest()
    assert beside == {"record": run.record.to_dict(), "units": units, "data_sha256": data}
    assert mb.read_record(tmp_path / "run.csv") == beside


def read_trajectory(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Variables and descriptions, found as readers of such files do: through `dataInfo`."""
    from scipy.io import loadmat

    raw: dict[str, Any] = loadmat(path, chars_as_strings=False)
    kind = ["".join(row).strip() for row in raw["Aclass"]]
    assert kind == ["Atrajectory", "1.1", "", "binTrans"]
    names, texts = (["".join(column).strip() for column in raw[key].T] for key in ("name", "description"))
    assert len(names) == raw["dataInfo"].shape[1] == len(texts)
    values = {}
    for name, (matrix, row, interpolation, outside) in zip(names, raw["dataInfo"].T, strict=True):
        assert (interpolation, outside) == (0, -1)
        data = raw[f"data_{matrix}"] if matrix else raw["data_2"]
        values[name.encode("latin-1").decode()] = np.sign(row) * data[abs(row) - 1]
    return values, dict(zip(names, texts, strict=True))


def test_trajectory_file(run: mb.Run, expected: np.ndarray, tmp_path: Path) -> None:
    run.save(tmp_path / "run.mat", NAMES, TIMES)
    values, texts = read_trajectory(tmp_path / "run.mat")
    assert next(iter(values)) == "Time" and texts["Time"] == "time [s]"
    assert np.array_equal(values["Time"], TIMES)
    assert np.array_equal(np.column_stack([values[name] for name in FLAT]), expected)
    assert texts["hinge.speed"] == "angular velocity [rad/s]"
    assert values["bar.mass"].tolist() == [1.0, 1.0] and texts["bar.mass"] == "parameter"
    assert values["bar.centre[0]"].tolist() == [0.5, 0.5]
    assert json.loads((tmp_path / "run.mat.json").read_text())["record"] == run.record.to_dict()


def test_trajectory_file_is_laid_out_as_the_format_says(run: mb.Run, tmp_path: Path) -> None:
    """The six matrices in their order, by the twenty bytes before each: text is type 51, int32 is 20, double is 0."""
    run.save(tmp_path / "run.mat", NAMES, TIMES)
    raw, found, at = (tmp_path / "run.mat").read_bytes(), [], 0
    while at < len(raw):
        kind, rows, columns, imaginary, length = np.frombuffer(raw[at : at + 20], "<i4")
        name = raw[at + 20 : at + 20 + length].rstrip(b"\0").decode()
        found.append((name, int(kind), int(rows), int(columns), int(imaginary)))
        at += 20 + length + {0: 8, 20: 4, 51: 1}[int(kind)] * rows * columns
    count = found[1][3]
    assert [entry[:2] for entry in found] == [
        ("Aclass", 51), ("name", 51), ("description", 51), ("dataInfo", 20), ("data_1", 0), ("data_2", 0),
    ]  # fmt: skip
    assert found[0][2:] == (4, 11, 0) and found[3][2:] == (4, count, 0) and found[5][2:] == (6, 7, 0)


def test_names_beyond_ascii_survive_in_a_trajectory_file(tmp_path: Path) -> None:
    model = mb.Model("ωmega")
    one = model.add(mb.One("strom"))
    model.bond(mb.Se("quelle", 1.0), one)
    model.bond(one, mb.I("spüle", 1.0))
    mb.simulate(model, 0.1).save(tmp_path / "run.mat", ["spüle.f"])
    assert "spüle.f" in read_trajectory(tmp_path / "run.mat")[0]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("suffix", WRITERS)
def test_every_example_can_be_saved(name: str, suffix: str, tmp_path: Path) -> None:
    target = run_of(name, 0.05).save(tmp_path / f"run{suffix}")
    assert target.stat().st_size > 100


# -- what is in them ---------------------------------------------------------------------------------------------------


def test_default_names_are_states_and_household_names(run: mb.Run) -> None:
    found = run.to_xarray()
    assert set(found.data_vars) == {
        "hinge.angle", "hinge.speed", "hinge.reaction_force", "hinge.reaction_torque", "bar.angular_velocity",
        "bar.attitude", "bar.momentum", "bar.position", "bar.velocity",
    }  # fmt: skip
    assert np.array_equal(found["time"].values, run.t)


def test_elements_alone_give_their_states() -> None:
    assert set(mb.simulate(EXAMPLES["rlc"](), 0.1).to_xarray().data_vars) == {"capacitor.q", "coil.p"}


def test_times_by_number_and_one_name(run: mb.Run) -> None:
    found = run.to_xarray("hinge.angle", 11)
    assert found["time"].values.tolist() == pytest.approx([k / 10 for k in range(11)])
    assert found["hinge.angle"].values.tolist() == run["hinge.angle"](found["time"].values).tolist()


def test_one_component_of_a_vector(run: mb.Run) -> None:
    found = run.to_xarray(["hinge.reaction_force[1]"], TIMES)
    assert found["hinge.reaction_force[1]"].dims == ("time",)


def test_only_what_is_asked_for_is_computed(run: mb.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = mb.Run.values

    def watched(self: mb.Run, names: list[str], times: Any) -> np.ndarray:
        asked.extend(names)
        return original(self, names, times)

    monkeypatch.setattr(mb.Run, "values", watched)
    run.to_xarray(["hinge.angle"], TIMES)
    assert asked == ["hinge.angle"]


# -- the record --------------------------------------------------------------------------------------------------------


def test_the_record_tells_how_the_run_was_made(run: mb.Run) -> None:
    import casadi
    import llvmlite

    record = run.record
    assert (record.model, record.method, record.solver) == ("pendulum", "auto", "dop853")
    assert record.versions["casadi"] == casadi.__version__ and record.versions["llvmlite"] == llvmlite.__version__
    assert record.versions["numpy"] == np.__version__ and record.versions["multibond"] == mb.__version__
    assert (record.settings.until, record.settings.rtol, record.settings.atol) == (1.0, 1e-9, 1e-12)
    assert record.statistics["accepted"] == run.t.size - 1
    assert record.reason == run.reason and record.end == 1.0
    assert [name for name, _ in record.events] == ["hinge.angle"] * len(run.events)
    assert record.parameters["bar.mass"] == 1.0 and record.parameters["bar.centre"] == [0.5, 0.0, 0.0]
    assert "dop853" in str(record) and record.model_hash and record.model_hash[:16] in str(record)


def test_the_same_model_has_the_same_record(run: mb.Run) -> None:
    again = mb.simulate(EXAMPLES["pendulum"](), 1.0, events={"hinge.angle": 0.0})
    assert again.record == run.record and again.record.to_json() == run.record.to_json()


def arm(*, backwards: bool = False, mass: float = 1.0, angle: float = 0.3, joints: int = 2) -> mb.Model:
    """A chain whose parts can be added and connected in either order."""
    model = mb.Model("arm")
    parts: list[Any] = [sp.World()]
    joins = []
    last = "world.frame"
    for k in range(joints):
        parts += [sp.Revolute(f"hinge{k}", angle=angle), sp.Body(f"body{k}", mass=mass, inertia=(0.1, 0.1, 0.1))]
        parts += [sp.Rod(f"rod{k}", (0.0, -0.5, 0.0))]
        joins += [(last, f"hinge{k}.frame_a"), (f"hinge{k}.frame_b", f"body{k}.frame", f"rod{k}.frame_a")]
        last = f"rod{k}.frame_b"
    for part in reversed(parts) if backwards else parts:
        model.add(part)
    for join in reversed(joins) if backwards else joins:
        model.connect(*(reversed(join) if backwards else join))
    return model


def test_the_hash_does_not_depend_on_the_order_of_adding() -> None:
    assert model_hash(arm()) == model_hash(arm(backwards=True))


def test_the_hash_does_not_depend_on_the_drawing() -> None:
    placed = arm()
    placed.place("world", 3.0, 4.0)
    assert model_hash(placed) == model_hash(arm())


@pytest.mark.parametrize("change", [{"mass": 1.0 + 1e-15}, {"angle": 0.30000001}, {"joints": 3}])
def test_a_changed_model_has_another_hash(change: dict[str, Any]) -> None:
    assert model_hash(arm(**change)) != model_hash(arm())


def test_bonds_have_a_direction_in_the_hash() -> None:
    def circuit(*, turned: bool) -> mb.Model:
        model = mb.Model("circuit")
        one = model.add(mb.One("current"))
        model.bond(mb.Se("battery", 1.0), one)
        coil = model.add(mb.I("coil", 1.0))
        model.bond(*((coil, one) if turned else (one, coil)))
        return model

    assert model_hash(circuit(turned=False)) != model_hash(circuit(turned=True))


def test_changed_parameters_show_in_the_record() -> None:
    system = mb.compile(EXAMPLES["pendulum"]())
    heavy = mb.with_parameters(system, {"bar.mass": 2.0})
    before, after = mb.simulate(system, 0.1).record, mb.simulate(heavy, 0.1).record
    assert after.parameters["bar.mass"] == 2.0 and after.model_hash != before.model_hash


def test_a_saved_and_opened_model_has_the_same_hash(tmp_path: Path) -> None:
    mb.save(arm(), tmp_path / "arm.mbg")
    assert model_hash(mb.load(tmp_path / "arm.mbg")) == model_hash(arm())


def test_changes_of_mode_are_recorded(tmp_path: Path) -> None:
    """A rectifier: the diode conducts at once and blocks when its current has died away, before the next half wave."""
    model = mb.Model("rectifier")
    one = model.add(mb.One("current"))
    model.bond(mb.Se("source", "12*sin(2*t)"), one)
    for element in (mb.I("coil", 1.0), mb.R("wire", 1.0), mb.Diode("valve")):
        model.bond(one, element)
    run = mb.simulate(model, 5.0)
    assert [(path, mode) for _, path, mode in run.record.changes] == [("valve", m) for m in ("on", "off", "on")]
    assert run.record.changes[2][0] == pytest.approx(np.pi, abs=1e-9)
    for suffix in WRITERS:
        run.save(tmp_path / f"run{suffix}", ["coil.f", "valve.e"], 101)
    current = read_trajectory(tmp_path / "run.mat")[0]["coil.f"]
    assert current.min() > -1e-9 and current.max() > 1.0


def test_graphs_have_a_hash_too() -> None:
    graph = mb.expand(EXAMPLES["rlc"]())
    record = mb.simulate(graph, 0.1).record
    assert record.model_hash is not None and record.model_hash == model_hash(mb.expand(EXAMPLES["rlc"]()))


# -- faults ------------------------------------------------------------------------------------------------------------


def test_unknown_endings_are_told_before_anything_is_computed(run: mb.Run, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        run.save(tmp_path / "run.xls")
    assert str(caught.value) == (
        "'run.xls' has no known format.\n"
        "  The ending '.xls' is not known; known are .nc, .parquet, .csv, .mat.\n"
        "  Choose one of these endings."
    )


@pytest.mark.parametrize("write", ["save", "plot", "animate"])
def test_a_missing_folder_is_told(run: mb.Run, tmp_path: Path, write: str) -> None:
    target = tmp_path / "none" / {"save": "run.csv", "plot": "run.png", "animate": "run.html"}[write]
    with pytest.raises(FileError) as caught:
        getattr(run, write)(**{"path": target})
    assert str(caught.value) == (
        f"{target.name!r} cannot be written.\n"
        f"  There is no folder {str(target.parent)!r}.\n"
        "  Make the folder, or name another."
    )


@pytest.mark.parametrize("write", ["save", "plot", "animate"])
def test_a_folder_in_the_way_is_told(run: mb.Run, tmp_path: Path, write: str) -> None:
    (tmp_path / "run.csv").mkdir()
    with pytest.raises(FileError, match="It is a folder"):
        getattr(run, write)(path=tmp_path / "run.csv")


def test_a_figure_in_an_unknown_format_is_told(run: mb.Run, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"The ending '\.xyz' is not known; known are .*\.png"):
        run.plot("hinge.angle", path=tmp_path / "run.xyz")


def test_all_unknown_names_are_told_together(run: mb.Run) -> None:
    with pytest.raises(UnknownName) as caught:
        run.to_xarray(["hinge.angel", "hinge.angle", "bar.mess"])
    assert [finding.paths for finding in caught.value.findings] == [("hinge.angel",), ("bar.mess",)]


def test_a_table_needs_two_times(run: mb.Run) -> None:
    with pytest.raises(ModelError, match="a table cannot have 1 times"):
        run.to_xarray("hinge.angle", 1)


@pytest.mark.parametrize(
    ("suffix", "package"), [(".nc", "xarray"), (".parquet", "pyarrow"), (".mat", "scipy")]
)  # fmt: skip
def test_a_missing_package_is_told(
    run: mb.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, package: str
) -> None:
    original = importlib.import_module

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr("multibond.export.needs.import_module", without)
    with pytest.raises(MissingPackage) as caught:
        run.save(tmp_path / f"run{suffix}", ["hinge.angle"])
    assert f"needs the package {package!r}" in str(caught.value)
    assert str(caught.value).endswith("Install it with: pip install 'multibond[results]'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_failed_write_leaves_the_old_file(
    run: mb.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    target = tmp_path / f"run{suffix}"
    target.write_text("old")

    def full(path: Path, *_: Any) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(WRITERS, suffix, full)
    with pytest.raises(FileError, match="No space left on device"):
        run.save(target, ["hinge.angle"])
    assert target.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == [target.name]


def test_files_are_written_over_and_keep_their_permissions(run: mb.Run, tmp_path: Path) -> None:
    target = tmp_path / "run.csv"
    target.write_text("old")
    target.chmod(0o640)
    run.save(target, ["hinge.angle"])
    assert target.read_text().startswith("time,hinge.angle\n") and target.stat().st_mode & 0o777 == 0o640


def test_a_run_itself_imports_no_extra_package(tmp_path: Path) -> None:
    code = (
        "import sys, multibond as mb\nfrom multibond.examples import EXAMPLES\n"
        "mb.simulate(EXAMPLES['rlc'](), 0.1).save(sys.argv[1])\n"
        "print(sorted({'xarray', 'pyarrow', 'h5netcdf', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "run.csv")]
    environment = {**os.environ, "PYTHONPATH": str(Path(mb.__file__).parents[1])}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"
