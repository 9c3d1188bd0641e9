"""What each mutant has to survive: the tests that know a sign when they see one, quickest first.

They run in a process of their own, a copy of one that has imported the package; the first failure ends it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import killers
import pytest
from hypothesis import settings
from mutants import SOURCE, Mutant
from tests.mutation.deciding import ROOMS, room_of

ROOT = Path(__file__).parents[2]
TESTS = (
    "tests/laws/test_signs_rotation.py",
    "tests/laws/test_signs_laws.py",
    "tests/laws/test_signs_elements.py",
    "tests/laws/test_signs_couplers.py",
    "tests/laws/test_signs_blocks.py",
    "tests/rewrite/test_carried.py",
    "tests/laws/test_elements.py",
    "tests/laws/test_junctions.py",
    "tests/laws/test_signs_library.py",
    "tests/laws/test_space_bodies.py",
    "tests/laws/test_space_forces.py",
    "tests/laws/test_space_sensors.py",
    "tests/laws/test_space_couplings.py",
    "tests/laws/test_signs_axis.py",
    "tests/laws/test_signs_electrical.py",
    "tests/laws/test_signs_fluid.py",
    "tests/laws/test_signs_heat.py",
    "tests/laws/test_storage_laws.py",
    "tests/laws/test_field_laws.py",
    "tests/laws/test_dissipation_laws.py",
    "tests/laws/test_switches.py",
    "tests/laws/test_diodes.py",
    "tests/laws/test_modes_in_machines.py",
    "tests/laws/test_partial_junctions.py",
    "tests/laws/test_dependent.py::test_other_numbers_at_run_time_keep_hidden_conditions_true",
    "tests/reference/test_chemical.py::test_diffusion_through_a_column",
    "tests/independent/test_serial.py::test_chain[3]",
    "tests/reference/test_trees.py::test_euler_top[auto]",
    "tests/reference/test_trees.py::test_heavy_top[auto]",
    "tests/depths/test_depths.py::test_depths_agree[3-heavy top]",
    "tests/laws/test_signs_soft.py",
    "tests/laws/test_joints.py::test_reactions_obey_newton_and_euler",
    "tests/laws/test_joints.py::test_a_cut_joint_reads_the_coordinates_of_the_tree",
    "tests/depths/test_depths.py::test_depths_agree[3-planar loop]",
    "tests/reference/test_slider_crank.py::test_slider_crank[gravity-isostatic-auto]",
    "tests/laws/test_energy.py::test_energy_balances[planar_loop-auto]",
    "tests/joints/test_cut_joints.py::test_a_spring_winds_up_over_full_turns[multiplier-space]",
    "tests/joints/test_cut_joints.py::test_wheels_in_mesh_turn_on_and_on[multiplier-7.0]",
    "tests/planar/test_signs.py",
    "tests/planar/test_pieces.py",
    "tests/planar/test_joints.py::test_reactions_obey_newton_and_euler",
    "tests/planar/test_bridge.py::test_half_and_half_is_the_whole[auto]",
    "tests/planar/test_bridge.py::test_what_presses_out_of_the_plane_is_told",
    "tests/planar/test_bridge.py::test_flows_inside_the_bridge_count_along_their_half_arrows",
    "tests/planar/test_wrapping.py",
    "tests/planar/test_in_space.py::test_stiff_springs_come_near",
    "tests/mechanics/test_along.py",
    "tests/mechanics/test_driven.py::test_a_start_that_is_not_its_path_is_told",
    "tests/mechanics/test_driven.py::test_starts_beside_paths_are_taken",
)
DECISIONS = tuple(name for room in ROOMS for name in room.tests)
"""Tests of the code that decides; its mutants are shown to no others."""
OPTIONS = (
    *("-x", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="),
    *("-m", "not slow"),
)
FAILED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
SECONDS = 200
"""Time of the processor after which a mutant counts as killed."""
BYTES = 8 * 2**30


class Served(importlib.machinery.SourceFileLoader):
    """Loads a module from a mutant's tree in the place of its file."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(SOURCE / mutant.file))
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.mutant.tree(), self.path, "exec", dont_inherit=True)


class Hook(importlib.abc.MetaPathFinder):
    """Finds the mutated module before anyone else does."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self.mutant.module:
            return None
        where = SOURCE / self.mutant.file
        return importlib.util.spec_from_file_location(fullname, where, loader=Served(self.mutant))


def put(mutant: Mutant) -> None:
    """Put a mutant into the package: its code into the function that is there, so that all who hold it run the mutant.

    Where it stands in no function (a default of a class), the package is forgotten, to be imported anew with it.
    """
    importlib.import_module("multibond.pipeline")
    held: Any = importlib.import_module(mutant.module)
    code: CodeType | None = compile(mutant.tree(), str(SOURCE / mutant.file), "exec", dont_inherit=True)
    for name in mutant.function.split("."):
        code, held = _inner(code, name), _plain(vars(held).get(name))
        if isinstance(held, FunctionType):
            break
    if isinstance(held, FunctionType) and code is not None and held.__code__.co_freevars == code.co_freevars:
        held.__code__ = code
        return
    for name in [name for name in sys.modules if name.partition(".")[0] == "multibond"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Hook(mutant))


def _inner(code: CodeType | None, name: str) -> CodeType | None:
    found = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name] if code else []
    return found[0] if len(found) == 1 else None


def _plain(held: Any) -> Any:
    """A function without what decorators put around it."""
    inner = next((getattr(held, k) for k in ("fget", "func", "__func__", "__wrapped__") if hasattr(held, k)), None)
    return held if isinstance(held, FunctionType | type) or inner is None else _plain(inner)


class FirstFailure:
    """Remembers the test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.name:
            self.name = f"import of {report.nodeid}"


def calm() -> None:
    """The same random cases every time, all of them, and no more processor or memory than a sound run could need."""
    os.environ["ROTATION"] = "all"
    for name in ("PART", "ORDER", "COSTS"):
        os.environ.pop(name, None)
    settings.register_profile("mutation", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutation")
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def rounds(mutant: Mutant | None, tests: Sequence[str]) -> list[list[str]]:
    """What killed this function's mutants before, what killed those of its file, then everything that knows it."""
    room = room_of(mutant.file) if mutant else None
    if room:
        tests = [name for name in room.tests if name in tests]
    elif mutant:
        tests = [name for name in tests if name in TESTS]
    likely = [killers.of_function(mutant), killers.of_file(mutant)] if mutant else []
    known = [[name for name in names if name.startswith(tuple(tests))] for names in likely]
    return [names for names in (*known, list(tests)) if names]


def run(mutant: Mutant | None, tests: Sequence[str] = TESTS, *, nearest: bool = False) -> str:
    """Run the battery against a mutant (or the package as it is); the name of the test that failed, or nothing.

    nearest: only what killed other mutants of its file, where there was anything. Only for a process of its own, which
    is a mutant ever after.
    """
    calm()
    os.chdir(ROOT)
    if mutant:
        put(mutant)
    watch, code = FirstFailure(), pytest.ExitCode.OK
    *known, everything = rounds(mutant, tests)
    for names in known if nearest and known else [*known, everything]:
        code = pytest.main([*OPTIONS, *names], plugins=[watch])
        if code in FAILED:
            break
    if code not in (*FAILED, pytest.ExitCode.OK) and not nearest:
        raise RuntimeError("the battery names a test that does not exist")
    return (watch.name or f"pytest ended with {code!r}") if code in FAILED else ""
