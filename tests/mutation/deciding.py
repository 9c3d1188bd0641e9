"""Code that decides: where a machine starts, whether a run adds up, which of several reactions is told.

No law stands here, so other things are changed than in laws: the sign in a sum, a minus, and every comparison, which is
turned into its opposite. Each room has tests of its own that have to notice.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = Callable[[ast.AST], ast.AST]


@dataclass(frozen=True)
class Room:
    """Files that decide about one thing, and the tests that know it, quickest first."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


STARTS = Room(
    (
        "solve/accelerate.py",
        "solve/branches.py",
        "solve/carried_start.py",
        "solve/given.py",
        "solve/initial.py",
        "solve/sought.py",
        "solve/turning_together.py",
    ),
    (
        "tests/solve/test_start.py",
        "tests/solve/test_branches.py",
        "tests/solve/test_mixed_start.py",
        "tests/solve/test_carried_start.py",
        "tests/mechanics/test_forms.py",
        "tests/laws/test_storage_laws.py::test_a_dependent_gas_must_agree_with_the_level_at_the_start",
        "tests/mechanics/test_massless.py::test_springs_in_series_at_a_massless_point",
        "tests/messages/test_errors.py::test_error_names_the_parts_and_a_cure[torque_on_a_linkage_without_mass]",
    ),
)
AUDIT = Room(
    (
        "solve/account.py",
        "solve/audit.py",
        "solve/continuity.py",
        "solve/gaps.py",
        "solve/momentum.py",
    ),
    ("tests/solve/test_account.py", "tests/laws/test_energy.py::test_energy_balances[planar_loop-auto]"),
)
REACTIONS = Room(
    ("solve/balances.py", "solve/mechanics.py", "solve/reactions.py"),
    (
        "tests/solve/test_shared_forces.py",
        "tests/solve/test_robotics.py",
        "tests/laws/test_joints.py::test_reactions_obey_newton_and_euler[Revolute-auto]",
    ),
)
ROOMS = (STARTS, AUDIT, REACTIONS)

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
POINTS = frozenset({"_begins", "_reach"})
"""Functions that spread points to search from: which these are decides how soon something is found, not what is."""
TEXTS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)
"""What is joined by a plus rather than added."""


def room_of(file: str) -> Room | None:
    """The room in which a file decides; none for a file of laws."""
    return next((room for room in ROOMS if file in room.files), None)


def decisions(node: ast.AST, above: list[ast.AST]) -> Iterator[tuple[str, Change]]:
    """What can be changed at one node, with a name for each."""
    if _place_in_a_list(node, above) or any(isinstance(n, ast.JoinedStr) for n in above):
        return
    if any(isinstance(n, ast.FunctionDef) and n.name in POINTS for n in above):
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        if not any(isinstance(side, TEXTS) for side in (node.left, node.right)):
            yield "other sign", _other_operation
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        if not isinstance(node.value, TEXTS):
            yield "other sign", _other_operation
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "minus dropped", lambda minus: minus.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPPOSITE:
        yield "comparison turned", _opposite


def _place_in_a_list(node: ast.AST, above: list[ast.AST]) -> bool:
    """Whether a number only says which entry is meant: `x[-1]`, `x[a + 1 : b]`."""
    chain = [node, *above]
    return any(isinstance(up, ast.Subscript) and up.slice is down for down, up in zip(chain, above, strict=False))


def _other_operation(node: ast.AST) -> ast.AST:
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()  # type: ignore[attr-defined]
    return node


def _opposite(node: ast.AST) -> ast.AST:
    node.ops = [OPPOSITE[type(node.ops[0])]()]  # type: ignore[attr-defined]
    return node
