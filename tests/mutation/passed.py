"""What hunts have gone over: of every function its text when all its mutants died. Those of others are hunted first.

`python tests/mutation/run.py --record` writes the functions whose mutants are dead into the table (passed.json).
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mutants import Mutant, source

TABLE = Path(__file__).with_name("passed.json")


@functools.cache
def digests(file: str) -> dict[str, str]:
    """By qualified name a digest of each function and class of a file, comments and line breaks left aside."""
    found: dict[str, str] = {}

    def enter(node: ast.AST, above: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{above}.{child.name}" if above else child.name
                found[name] = found.get(name, "") + _digest(ast.dump(child))
                enter(child, name)
            else:
                enter(child, above)

    tree = ast.parse(source(file))
    enter(tree, "")
    return {"": _digest(ast.dump(tree)), **found}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def table() -> dict[str, dict[str, str]]:
    """By file, then function: its digest when all its mutants last died."""
    return json.loads(TABLE.read_text())["functions"] if TABLE.exists() else {}


def changed(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Mutants of functions that were not hunted as they are now."""
    known = table()
    return [m for m in mutants if known.get(m.file, {}).get(m.function) != digests(m.file)[m.function]]


def record(dead: Sequence[Mutant], everything: Sequence[Mutant]) -> None:
    """Write down the functions of which every mutant is dead; of others the table keeps what it said."""
    gone, known = set(dead), table()
    functions: dict[str, dict[str, str]] = {}
    for m in everything:
        digest = digests(m.file)[m.function]
        now = digest if m in gone else known.get(m.file, {}).get(m.function, "")
        entry = functions.setdefault(m.file, {})
        entry[m.function] = now if entry.get(m.function, now) == now else ""
    kept = {file: {name: digest for name, digest in of.items() if digest} for file, of in functions.items()}
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TABLE.parent, capture_output=True, text=True, check=False)
    entry = {"commit": told.stdout.strip(), "functions": {file: of for file, of in kept.items() if of}}
    TABLE.write_text(json.dumps(entry, indent=1, sort_keys=True) + "\n")
