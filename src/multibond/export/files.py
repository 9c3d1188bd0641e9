"""Runs as files: NetCDF, Parquet, CSV and trajectory files as Modelica tools write them, by the ending of the name."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from multibond.export import beside
from multibond.export.needs import need
from multibond.export.place import Anywhere, put, require_place, unknown_ending
from multibond.export.record import Record
from multibond.export.table import Table

TIME = "time"


def dataset(table: Table, record: Record) -> Any:
    """The table as an `xarray.Dataset`: a variable each with its unit, vectors with a dimension of their own."""
    xarray = need("xarray", "a run as a labelled array")
    variables = {}
    for column in table.columns:
        dimensions = (TIME,) if column.size == 1 else (TIME, f"component_{column.size}")
        about = {"long_name": column.kind} | ({"units": column.unit} if column.unit else {})
        variables[column.name] = (dimensions, column.values, about)
    clock = (TIME, table.times, {"long_name": "time", "units": "s"})
    return xarray.Dataset(variables, coords={TIME: clock}, attrs=_attributes(record))


def _attributes(record: Record) -> dict[str, str]:
    """The record in one piece for programs, and its main facts for people."""
    return {
        "title": record.model,
        "source": f"multibond {record.versions['multibond']}",
        "model_hash": record.model_hash or "",
        "solver": record.solver,
        "method": record.method,
        "record": record.to_json(),
    }


def write_netcdf(path: Path, table: Table, record: Record) -> None:
    """NetCDF-4 through h5netcdf, or NetCDF-3 through scipy where h5py is missing; the record is an attribute."""
    made = dataset(table, record)
    if find_spec("h5py") is not None:
        need("h5netcdf", "a NetCDF file")
        return made.to_netcdf(path, engine="h5netcdf")
    need("scipy.io", "a NetCDF file")
    made.to_netcdf(path, engine="scipy", format="NETCDF3_64BIT")


def write_parquet(path: Path, table: Table, record: Record) -> None:
    """Parquet; units are metadata of the columns, the record is the metadata `multibond`."""
    arrow, parquet = need("pyarrow", "a Parquet file"), need("pyarrow.parquet", "a Parquet file")
    names, units = _header(table)
    fields = [
        arrow.field(name, arrow.float64(), metadata={"unit": unit}) for name, unit in zip(names, units, strict=True)
    ]
    schema = arrow.schema(fields, metadata={"multibond": record.to_json()})
    arrays = [table.times, *(column.values for column in table.flat)]
    parquet.write_table(arrow.table([arrow.array(a) for a in arrays], schema=schema), path)


def write_csv(path: Path, table: Table, record: Record) -> None:
    """A header with the names, then a row each time, to the last digit."""
    names, _ = _header(table)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(np.column_stack([table.times, *(column.values for column in table.flat)]).tolist())


def _header(table: Table) -> tuple[list[str], list[str]]:
    return [TIME, *(column.name for column in table.flat)], ["s", *(column.unit for column in table.flat)]


def write_trajectory(path: Path, table: Table, record: Record) -> None:
    """A Dymola-style trajectory: MATLAB 4 matrices, transposed; parameters in data_1, variables in data_2.

    Row 1 of `dataInfo` says which matrix (0 for the abscissa), row 2 which row of it, row 3 linear interpolation (0),
    row 4 nothing known outside the run (-1).
    """
    matlab = need("scipy.io", "a trajectory file (.mat)")
    constants = list(_constants(record))
    names = ["Time", *(name for name, _ in constants), *(column.name for column in table.flat)]
    texts = ["time [s]", *("parameter" for _ in constants), *(_described(c.kind, c.unit) for c in table.flat)]
    rows = [(0, 1), *((1, k + 2) for k in range(len(constants))), *((2, k + 2) for k in range(len(table.flat)))]
    ends = table.times[[0, -1]]
    matrices = {
        "Aclass": _lines(["Atrajectory", "1.1", "", "binTrans"]),
        "name": _letters(names),
        "description": _letters(texts),
        "dataInfo": np.array([(matrix, row, 0, -1) for matrix, row in rows], np.int32).T,
        "data_1": np.array([ends, *([value, value] for _, value in constants)], float),
        "data_2": np.array([table.times, *(column.values for column in table.flat)], float),
    }
    matlab.savemat(path, matrices, format="4")


def _constants(record: Record) -> list[tuple[str, float]]:
    """The run-time parameters, entry by entry."""
    found = []
    for name, value in record.parameters.items():
        array = np.asarray(value, float)
        for index in np.ndindex(array.shape):
            found.append((f"{name}[{','.join(map(str, index))}]" if index else name, float(array[index])))
    return found


def _described(kind: str, unit: str) -> str:
    return f"{kind} [{unit}]" if unit else kind


def _lines(texts: list[str]) -> np.ndarray:
    """Texts of equal length, one a row of the matrix. Bytes of UTF-8, as the format knows only single bytes."""
    raw = [text.encode() for text in texts]
    width = max(len(text) for text in raw)
    return np.array([text.ljust(width).decode("latin-1") for text in raw])


def _letters(texts: list[str]) -> np.ndarray:
    """Texts as the columns of the matrix, as `binTrans` wants them."""
    return np.array(["".join(row) for row in zip(*_lines(texts), strict=True)])


WRITERS: dict[str, Callable[[Path, Table, Record], None]] = {
    ".nc": write_netcdf,
    ".parquet": write_parquet,
    ".csv": write_csv,
    ".mat": write_trajectory,
}
"""Which function writes which ending."""


def require_format(path: Anywhere) -> Path:
    """The path, or an error where its ending is no known format or its folder is missing."""
    target = Path(path)
    if target.suffix.lower() not in WRITERS:
        raise unknown_ending(target, tuple(WRITERS))
    return require_place(target)


def write(path: Anywhere, table: Table, record: Record) -> list[Path]:
    """Write a table by its ending; returns the files: a record that the format has no room for is one of its own."""
    target = require_format(path)

    def fill(draft: Path) -> None:
        WRITERS[target.suffix.lower()](draft, table, record)

    if target.suffix.lower() not in (".csv", ".mat"):
        return [put(target, fill)]
    names, units = _header(table)
    about = {"record": record.to_dict(), "units": dict(zip(names, units, strict=True))}

    def announce(draft: Path) -> None:
        about["data_sha256"] = beside.hash_of(draft)
        beside.announce(target, about)

    return [put(target, fill, announce), beside.settle(target, about)]
