"""Write the tables of the README and of the pages anew, from the catalogue and the functions of formulas.

    python docs/tables.py

What stands between `<!-- name -->` and `<!-- end -->` is replaced; everything else is left as it is. A test says when
a table is stale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc, signature
from pathlib import Path
from types import ModuleType

from multibond.catalogue import APART, LIBRARIES, MODELICA
from multibond.elements import ALL
from multibond.formula import functions
from multibond.formula.operations import FUNCTIONS
from multibond.graph.component import Component
from multibond.view.specimen import specimen

ROOT = Path(__file__).parents[1]
SPELT = {"abs": "absolute"}
"""Functions that have another name in Python, where their own is taken."""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def words(names: Iterable[str]) -> str:
    """Names in one piece of code; nothing where there is none."""
    text = " ".join(names)
    return f"`{text}`" if text else ""


# -- parts -------------------------------------------------------------------------------------------------------------


def libraries() -> str:
    """The parts of each library, for the README."""
    rows = [(f"`{word}`", words(kind.__name__ for kind in room.ALL)) for word, room in LIBRARIES.items()]
    return table(("library", "parts"), [*rows, ("elements, as `mb.…`", words(kind.__name__ for kind in ALL))])


def parts() -> str:
    """Ports and variables of all parts, library by library."""
    return "\n\n".join(
        f"## {word}\n\n{table(('part', 'ports', 'variables'), _alike(room))}" for word, room in LIBRARIES.items()
    )


def _alike(room: ModuleType) -> Iterator[tuple[str, str, str]]:
    """A row for each set of ports and variables, with the parts that have it, in the order of the library."""
    rows: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for kind in room.ALL:
        rows.setdefault(_ends(kind), []).append(kind.__name__)
    return ((words(names), words(ports), words(variables)) for (ports, variables), names in rows.items())


def _ends(kind: type[Component]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of ports and variables of a component with as little as it needs."""
    item = specimen(kind)
    assert item is not None, f"{kind.__name__} cannot be guessed"
    told = item.observables() if hasattr(item, "observables") else {}  # elements have none: their ports tell
    return tuple(port.name for port in item.ports()), tuple(told)


# -- formulas ----------------------------------------------------------------------------------------------------------


def formulas() -> str:
    """The functions of formulas: in files, in Python, what they give."""
    return table(("in text", "in Python", "what it gives"), map(_function, FUNCTIONS))


def _function(name: str) -> tuple[str, str, str]:
    made: Callable[..., object] = getattr(functions, SPELT.get(name, name))
    arguments = ", ".join(signature(made).parameters)
    story = " ".join(cleandoc(made.__doc__ or "").partition("\n\n")[0].split())
    return f"`{name}({arguments})`", f"`mb.{SPELT.get(name, name)}`", story


# -- Modelica ----------------------------------------------------------------------------------------------------------


def modelica() -> str:
    """Names of Modelica, ours, and how these differ where they are no more than the nearest."""
    rows = ((f"`{name}`", ", ".join(f"`{o}`" for o in ours), APART.get(name, "")) for name, ours in MODELICA.items())
    return table(("in Modelica", "here", "what is different"), rows)


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"libraries": libraries},
    "docs/parts.md": {"parts": parts},
    "docs/formulas.md": {"functions": formulas},
    "docs/from_modelica.md": {"names": modelica},
}
"""By page the tables that it has."""


def renewed(page: str) -> str:
    """The text of a page with its tables as they should be."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, made in TABLES[page].items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(pattern, lambda m, made=made: f"{m[1]}\n{made()}\n\n{m[2]}", text, flags=re.DOTALL)
        assert count == 1, f"{page} has no place for {name}"
    return text


def main() -> None:
    """Write every page."""
    for page in TABLES:
        (ROOT / page).write_text(renewed(page), encoding="utf-8")


if __name__ == "__main__":
    main()
