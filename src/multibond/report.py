"""What tells itself: in a terminal as text, in a notebook as HTML, both from one description.

A description is a list of lines, tables and titled lists of these.

>>> class Count(Report):
...     def description(self): return "four_bar", Titled("joints", ("O", "A")), Rows([["coordinates", "24"]])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

INDENT = "  "


@dataclass(frozen=True)
class Rows:
    """A table of texts. right: columns set to the right; least: least widths of columns; gap: what parts them."""

    rows: Sequence[Sequence[str]]
    heads: Sequence[str] = ()
    right: Sequence[int] = ()
    least: Sequence[int] = ()
    gap: str = INDENT


@dataclass(frozen=True)
class Titled:
    """A title, and what stands below it."""

    title: str
    items: Sequence[Item]


Item = str | Rows | Titled
"""One line, a table, or a titled list; a line may begin with blanks, which set it in."""


class Shown:
    """What shows itself in a notebook; `description` says what is to be told."""

    def description(self) -> Sequence[Item]:
        """Lines, tables and titled lists."""
        raise TypeError(f"{type(self).__name__} has no description")

    def _repr_html_(self) -> str:
        return as_html(self.description())


class Report(Shown):
    """What is also printed as text."""

    def __str__(self) -> str:
        return as_text(self.description())


def as_text(items: Sequence[Item]) -> str:
    """A description as lines."""
    return "\n".join(_lines(items))


def _lines(items: Sequence[Item]) -> list[str]:
    found: list[str] = []
    for item in items:
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Rows):
            found += _aligned(item)
        else:
            found += [item.title, *(INDENT + line for line in _lines(item.items))]
    return found


def _aligned(table: Rows) -> list[str]:
    rows = [*([table.heads] if table.heads else []), *table.rows]
    least = dict(enumerate(table.least))
    widths = [max(least.get(k, 0), *(len(row[k]) for row in rows)) for k in range(len(rows[0]) if rows else 0)]
    sides = [str.rjust if k in table.right else str.ljust for k in range(len(widths))]
    return [
        table.gap.join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()
        for row in rows
    ]


def as_html(items: Sequence[Item]) -> str:
    """A description as HTML that takes the letters and colours of the page it stands on."""
    return f'<div style="text-align: left">{"".join(_html(item) for item in items)}</div>'


def _html(item: Item) -> str:
    if isinstance(item, str):
        return "".join(f'<div style="white-space: pre-wrap">{escape(line)}</div>' for line in item.split("\n"))
    if isinstance(item, Rows):
        head = f"<thead>{_row(item.heads, item.right, 'th')}</thead>" if item.heads else ""
        body = "".join(_row(row, item.right, "td") for row in item.rows)
        return f'<table style="margin: 0.3em 0">{head}<tbody>{body}</tbody></table>'
    inner = "".join(_html(part) for part in item.items)
    return f'<div><b>{escape(item.title)}</b></div><div style="margin-left: 1.5em">{inner}</div>'


def _row(cells: Sequence[str], right: Sequence[int], tag: str) -> str:
    sides = ["right" if k in right else "left" for k in range(len(cells))]
    parts = (f'<{tag} style="text-align: {side}">{escape(c)}</{tag}>' for c, side in zip(cells, sides, strict=True))
    return f"<tr>{''.join(parts)}</tr>"
