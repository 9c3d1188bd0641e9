"""Every sign in the laws, and what becomes of the source when that one sign is flipped.

Beside the laws stands the code that decides about starts, the audit and reactions (see `deciding`).

A mutant is one change in the syntax tree of one module; no file is touched. Signs stand in four places:

* in arithmetic: `a + b`, `-a`, `a += b`, and the unwritten plus of a leading term, of a value that a law gives, of an
  entry of a vector and of what the geometry returns;
* in a choice between a value and its negative: `1 if ... else -1`, and in the comparison that decides it;
* in the order of two things: the factors of a cross product, tail and head of a half-arrow, a transposition;
* in a flag: `inward`, `transposed`.

Names written as f-strings (`f"out_{k + 1}"`) hold no sign and are left out, as are the functions in `NO_LAW`.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.deciding import ROOMS, Change, decisions, room_of

SOURCE = Path(__file__).parents[2] / "src" / "multibond"
LAWS = (
    "elements/blocks/*.py",
    "elements/carried.py",
    "elements/couplers.py",
    "elements/dissipation.py",
    "elements/fluid.py",
    "elements/frames.py",
    "elements/heat.py",
    "elements/kinematics.py",
    "elements/modulated.py",
    "elements/motions.py",
    "elements/turnings.py",
    "elements/oneport.py",
    "elements/planar.py",
    "elements/planes.py",
    "elements/reaction.py",
    "elements/sensors.py",
    "elements/storage.py",
    "elements/switches.py",
    "equations/assemble.py",
    "equations/writing.py",
    "expr.py",
    "graph/junctions.py",
    "library/**/*.py",
    "rewrite/parasitic.py",
    "rewrite/unfold.py",
    "rewrite/unfold_couplers.py",
    "rewrite/unfold_draft.py",
    "rotation.py",
)
"""Where laws are: elements, junctions, the builds of the library, and the graphs that stand for another graph."""

GEOMETRY = ("elements/motions.py", "elements/planes.py", "elements/turnings.py", "rotation.py", "expr.py")
"""Modules whose functions return values with a sign (elsewhere what is returned is an object)."""

ONLY = {
    "equations/assemble.py": frozenset({"_write_state_flow", "_write_frame_bonds", "_given_sign"}),
    "expr.py": frozenset({"square", "flat", "solve_linear"}),
}
"""Modules of which only some functions state a law (the others lay out tables or convert)."""

NO_LAW = frozenset(
    {"states", "two_way", "_shape", "observables", "_unique", "motion", "too_wide", "no_length", "_perpendicular"}
    | {"quaternion", "_cardan", "angle_count", "mixed"}
    | {"active", "asymmetric", "one_of", "_length", "_misfit", "size_hint", "is_nothing"}
)
"""Functions that count or name, besides those that find faults: their arithmetic is about sizes, limits and names."""

COUNTS = frozenset({"ports", "freedoms"})
"""Functions that only count: of these, the flags are flipped and nothing else."""

VANISHING = frozenset({"apart", "singular", "_turn_between"})
"""Functions of which only it counts where their values vanish: these have no sign as a whole, nor has an entry."""

GIVING = frozenset({"rate", "give", "stored", "assign"})
STACKING = frozenset({"column", "vertcat", "horzcat", "column_stack", "atan2"})
FLAGS = frozenset({"inward", "transposed"})


@dataclass(frozen=True)
class Mutant:
    """One flipped sign: module, place, what was flipped; `node` and `variant` find it again in a fresh tree."""

    file: str
    line: int
    function: str
    what: str
    before: str
    node: int
    variant: int
    neutral: bool = False
    """Whether it turns a half-arrow between two 1-junctions (see `between_ones`)."""

    @property
    def key(self) -> str:
        """What it is, whatever the line it stands in."""
        return f"{self.file} {self.function}: {self.what}: {self.before}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.what}: {self.before}"

    @property
    def module(self) -> str:
        """Dotted name of the module."""
        return "multibond." + self.file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    def tree(self) -> ast.Module:
        """The module's syntax tree with the sign flipped."""
        tree = ast.parse(source(self.file))
        target = list(ast.walk(tree))[self.node]
        parent = _parents(tree)
        changes = list(_changes(target, parent, _function(target, parent), self.file))
        return ast.fix_missing_locations(_Replace(target, changes[self.variant][1]).visit(tree))


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, change: Change) -> None:
        self.target, self.change = target, change

    def visit(self, node: ast.AST) -> ast.AST:
        return self.change(copy.deepcopy(node)) if node is self.target else self.generic_visit(node)


def enumerate_mutants() -> list[Mutant]:
    """All mutants, file by file, in the order of the lines."""
    laws = {path.relative_to(SOURCE).as_posix() for pattern in LAWS for path in SOURCE.glob(pattern)}
    files = [*sorted(laws), *(file for room in ROOMS for file in room.files)]
    return [m for file in files for m in sorted(_of_file(file), key=lambda m: (m.line, m.node, m.variant))]


@functools.cache
def source(file: str) -> str:
    """The text of a module, read once, so that an edit under way does not move the places of the mutants."""
    return (SOURCE / file).read_text()


def _of_file(file: str) -> Iterator[Mutant]:
    tree = ast.parse(source(file))
    parent = _parents(tree)
    for k, node in enumerate(ast.walk(tree)):
        function = _function(node, parent)
        for variant, (what, _) in enumerate(_changes(node, parent, function, file)):
            neutral = what == "arrow reversed" and between_ones(node, parent)
            yield Mutant(file, getattr(node, "lineno", 0), function, what, _text(node), k, variant, neutral)


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _above(node: ast.AST, parent: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while node in parent:
        node = parent[node]
        yield node


def _function(node: ast.AST, parent: dict[ast.AST, ast.AST]) -> str:
    """Qualified name of the function or class in which a node stands."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return ".".join(reversed([n.name for n in _above(node, parent) if isinstance(n, kinds)]))


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else f"{text[:60]} ... {text[-25:]}"


# -- what can be flipped ---------------------------------------------------------------------------------------------


def _changes(node: ast.AST, parent: dict[ast.AST, ast.AST], function: str, file: str) -> Iterator[tuple[str, Change]]:
    """The flips at one node, with a name for each."""
    if room_of(file):
        yield from decisions(node, list(_above(node, parent)))
        return
    name = function.rsplit(".", 1)[-1]
    if name in NO_LAW or name.endswith(("fault", "faults")) or name not in ONLY.get(file, {name}):
        return
    yield from _flags(node)
    if name in COUNTS or any(isinstance(n, ast.JoinedStr) for n in _above(node, parent)):
        return
    yield from _arithmetic(node, parent, vanishing=name in VANISHING)
    yield from _choices(node)
    yield from _order(node)
    if isinstance(node, ast.Return) and node.value is not None and file in GEOMETRY and name not in VANISHING:
        yield from _returned(node)


def negative(node: ast.expr) -> ast.expr:
    """The negative of an expression."""
    return node.operand if _is_minus(node) else ast.UnaryOp(ast.USub(), node)  # type: ignore[attr-defined]


def _is_minus(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _arithmetic(node: ast.AST, parent: dict[ast.AST, ast.AST], *, vanishing: bool) -> Iterator[tuple[str, Change]]:
    if _is_sum(node):
        yield "other sign", _other_operation
        if not _is_sum(node.left) and not _called(parent[node], {"zero"}):  # type: ignore[attr-defined]
            yield "leading sign", _negate_left
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield "other sign", _other_operation
    elif _is_minus(node) and not _is_sign_choice(parent[node]):
        yield "minus dropped", negative  # type: ignore[misc]
    elif _called(node, GIVING) and not _is_zero(node.args[-1]):  # type: ignore[attr-defined]
        yield "value negated", lambda call: _negate_entry(call.args, len(call.args) - 1, call)  # type: ignore[attr-defined]
    elif _called(node, STACKING) and not vanishing:
        entries = _entries(node)
        for k, entry in enumerate(entries):
            if not isinstance(entry, ast.Starred | ast.ListComp | ast.UnaryOp) and not _is_zero(entry):
                yield f"entry {k} negated", lambda call, k=k: _negate_entry(_entries(call), k, call)


def _choices(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if _is_sign_choice(node):
        yield "branches swapped", _swap_branches
        yield "always the first", lambda choice: choice.body  # type: ignore[attr-defined]
        yield "always the second", lambda choice: choice.orelse  # type: ignore[attr-defined]
    elif isinstance(node, ast.Compare) and any(_called(n, {"into"}) for n in ast.walk(node)):
        yield "comparison reversed", lambda compare: ast.UnaryOp(ast.Not(), compare)  # type: ignore[arg-type]


def _order(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if _called(node, {"cross"}) and len(node.args) >= 2:  # type: ignore[attr-defined]
        yield "factors swapped", lambda call: _swap_arguments(call, 0, 1)
    elif _called(node, {"bond"}) and len(node.args) >= 2:  # type: ignore[attr-defined]
        yield "arrow reversed", lambda call: _swap_arguments(call, 0, 1)
    elif _called(node, {"Bond"}):
        yield "arrow reversed", lambda call: _swap_arguments(call, 1, 2)
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield "transposition dropped", lambda attribute: attribute.value  # type: ignore[attr-defined]


def _flags(node: ast.AST) -> Iterator[tuple[str, Change]]:
    named = node.arg if isinstance(node, ast.keyword) else getattr(getattr(node, "target", None), "id", None)
    value = getattr(node, "value", None)
    if named in FLAGS and isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield "flag flipped", _flip_flag
    elif isinstance(node, ast.If | ast.IfExp) and getattr(node.test, "attr", None) in FLAGS:
        yield "flag flipped", _flip_test


def _returned(node: ast.Return) -> Iterator[tuple[str, Change]]:
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for k, value in enumerate(values):
        if not _is_zero(value) and not _is_minus(value):
            yield f"returned value {k} negated", lambda node, k=k: _negate_returned(node, k)


# -- recognising -----------------------------------------------------------------------------------------------------


def _called(node: ast.AST, names: set[str] | frozenset[str]) -> bool:
    """Whether a node is a call of a function or method of one of these names."""
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in names


def _is_sign_choice(node: ast.AST) -> bool:
    """`a if ... else -a`, in either order."""
    if not isinstance(node, ast.IfExp):
        return False
    return ast.dump(node.body) in (ast.dump(negative(node.orelse)), ast.dump(ast.UnaryOp(ast.USub(), node.orelse)))


def _is_zero(node: ast.AST) -> bool:
    """`SX(3, 1)`, an empty matrix, or `SX(0)`: nothing that has a sign."""
    if not _called(node, {"SX"}):
        return False
    return len(node.args) == 2 or ast.unparse(node.args[0]) == "0"  # type: ignore[attr-defined]


def _entries(call: ast.AST) -> list[ast.expr]:
    """What a call stacks: its arguments, or the entries of the list that it is given."""
    args = call.args  # type: ignore[attr-defined]
    return args[0].elts if len(args) == 1 and isinstance(args[0], ast.List) else args


def between_ones(call: ast.AST, parent: dict[ast.AST, ast.AST]) -> bool:
    """Whether a bond of a build joins two 1-junctions: elements added as `One`, members of frames, flanges.

    Such a half-arrow is free. Both junctions share the flow, and the bond's effort, which has no name of its own,
    stands in two balances, once with each sign: drawn the other way it is the negative of what it was, nothing else.
    """
    function = next((n for n in _above(call, parent) if isinstance(n, ast.FunctionDef)), None)
    if function is None or getattr(call.func, "attr", "") != "bond":  # type: ignore[attr-defined]
        return False
    ones = {
        node.targets[0].id  # type: ignore[attr-defined]
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _called(node.value, {"add"}) and _called(node.value.args[0], {"One"})
    }
    return all(_is_one(end, ones) for end in call.args[:2])  # type: ignore[attr-defined]


OWN = ("flange", "'bond'", "'rotation'", "'translation'")
"""Ports of parts that are 1-junctions, by name."""


def _is_one(end: ast.expr, ones: set[str]) -> bool:
    if isinstance(end, ast.Name):
        return end.id in ones
    if isinstance(end, ast.Attribute):
        return end.attr in ("rotation", "translation", "plane")
    return _called(end, {"own"}) and any(word in ast.unparse(end) for word in OWN)


# -- flipping --------------------------------------------------------------------------------------------------------


def _other_operation(node: ast.AST) -> ast.AST:
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()  # type: ignore[attr-defined]
    return node


def _negate_left(node: ast.AST) -> ast.AST:
    node.left = negative(node.left)  # type: ignore[attr-defined]
    return node


def _negate_entry(entries: list[ast.expr], k: int, whole: ast.AST) -> ast.AST:
    entries[k] = negative(entries[k])
    return whole


def _negate_returned(node: ast.AST, k: int) -> ast.AST:
    value = node.value  # type: ignore[attr-defined]
    if isinstance(value, ast.Tuple):
        value.elts[k] = negative(value.elts[k])
    else:
        node.value = negative(value)  # type: ignore[attr-defined]
    return node


def _swap_arguments(call: ast.AST, i: int, j: int) -> ast.AST:
    args = call.args  # type: ignore[attr-defined]
    args[i], args[j] = args[j], args[i]
    return call


def _swap_branches(choice: ast.AST) -> ast.AST:
    choice.body, choice.orelse = choice.orelse, choice.body  # type: ignore[attr-defined]
    return choice


def _flip_flag(node: ast.AST) -> ast.AST:
    node.value = ast.Constant(not node.value.value)  # type: ignore[attr-defined]
    return node


def _flip_test(node: ast.AST) -> ast.AST:
    node.test = ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    return node
