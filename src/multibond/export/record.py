"""The record of a run: what is needed to do it again and to see that it is the same.

The same model run the same way gives the same record, to the last character: it holds no time of day and no path.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.border import public
from multibond.errors import FileError
from multibond.graph.collect import collect
from multibond.graph.file import to_data
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System

if TYPE_CHECKING:
    from multibond.solve.solution import Solution

PACKAGES = ("multibond", "casadi", "llvmlite", "numpy")
"""What a trajectory depends on."""


@public
@dataclass(frozen=True)
class Settings:
    """How a run was asked for: end time  [s], tolerances, fixed step  [s], what was watched for."""

    until: float = 0.0
    solver: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float | None = None
    events: tuple[str, ...] = ()


@public
@dataclass(frozen=True)
class Record:
    """What was run, with what, how, and how it went.

    model_hash: SHA-256 of the model's data, whatever the order in which its parts were added; None where the model has
    types that no file knows. reason: why the solver was taken. statistics: steps and evaluations. events: what crossed
    its level, and when  [s]. changes: when  [s] which element went over to which mode.
    """

    model: str
    model_hash: str | None
    parameters: dict[str, Any]
    versions: dict[str, str]
    settings: Settings
    method: str
    solver: str
    reason: str
    end: float
    status: str
    statistics: dict[str, int]
    events: tuple[tuple[str, float], ...] = ()
    changes: tuple[tuple[float, str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return json.loads(self.to_json())

    def to_json(self) -> str:
        """The record as JSON text, keys in order."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, default=float)

    def __str__(self) -> str:
        asked = self.settings
        work = ", ".join(f"{count} {word}" for word, count in self.statistics.items())
        step = f", step {asked.step:g} s" if asked.step else ""
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return "\n".join(
            [
                f"model     {self.model} ({(self.model_hash or 'no hash')[:16]})",
                f"run       to {self.end:g} s of {asked.until:g} s: {self.status}",
                f"method    {self.method}, solver {self.solver} ({self.reason})",
                f"accuracy  rtol {asked.rtol:g}, atol {asked.atol:g}{step}",
                f"work      {work}",
                f"with      {packages}",
            ]
        )


def record_of(run: Solution, settings: Settings) -> Record:
    """The record of a run."""
    system: System = run.system
    source = system.recipe.model
    return Record(
        getattr(source, "name", "graph"),
        model_hash(source),
        run_parameters(system),
        versions(),
        settings,
        system.method,
        run.trajectory.method,
        run.reason,
        float(run.t[-1]),
        run.status.sentence,
        {name: int(count) for name, count in asdict(run.statistics).items()},
        tuple((event.name, float(event.time)) for event in run.events),
        tuple((float(change.time), change.path, change.mode) for change in run.changes),
    )


def versions() -> dict[str, str]:
    """Python and the packages that a trajectory depends on."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def run_parameters(system: System) -> dict[str, Any]:
    """The run-time numbers by name: scalars as numbers, others as lists."""
    found: dict[str, Any] = {}
    for path, place in system.dae.parameter_places.items():
        if path in system.dae.graph.opened:
            continue  # it stands in the model's formula
        symbols, value = system.dae.graph.parameters[path]
        full = np.array(value, float)
        rows, columns = symbols.sparsity().get_triplet()
        full[rows, columns] = system.parameters[place.start : place.stop]
        found[path] = full.item() if full.size == 1 else (full[:, 0] if full.shape[1] == 1 else full).tolist()
    return found


# -- the hash ----------------------------------------------------------------------------------------------------------


def model_hash(source: Model | Graph | None) -> str | None:
    """SHA-256 of a model's canonical data; None where it cannot be written as data."""
    if source is None:
        return None
    try:
        data = to_data(collect(source, "graph") if isinstance(source, Graph) else source)
    except FileError:
        return None
    text = json.dumps(canonical(data), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(data: dict[str, Any]) -> dict[str, Any]:
    """A model's data without its looks, lists in an order that does not depend on how the model was put together."""
    kept = {key: value for key, value in data.items() if key != "layout"}
    if "components" in kept:
        parts = [canonical(item) for item in kept["components"]]
        kept["components"] = sorted(parts, key=lambda item: str(item.get("name")))
    for key in ("connections", "equalities"):
        if key in kept:
            kept[key] = sorted(sorted(ends) for ends in kept[key])
    if "signals" in kept:
        kept["signals"] = sorted([ends[0], *sorted(ends[1:])] for ends in kept["signals"])
    if "bonds" in kept:
        kept["bonds"] = sorted(kept["bonds"], key=lambda bond: json.dumps(bond, sort_keys=True))
    return kept
