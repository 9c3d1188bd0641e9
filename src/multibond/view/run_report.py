"""A run in a notebook: how it went, and where its states, by their household names, begin and end."""

from __future__ import annotations

from multibond.report import Item, Rows
from multibond.solve.solution import Solution
from multibond.view.plot import state_names
from multibond.view.quantities import Quantities

MOST = 24
"""So many variables are listed."""


def run_items(run: Solution) -> list[Item]:
    """The description of a run."""
    work, name = run.statistics, run.system.recipe.name
    head = f"Run{f' of {name!r}' if name else ''} to {run.t[-1]:g} s, {run.trajectory.method}"
    steps = f"{work.accepted} steps, {work.rejected} rejected, {work.evaluations} evaluations"
    ended = [run.status.sentence] if run.status.failed else []
    what = {"changes of mode": len(run.changes), "hits on stops": len(run.hits), "events": len(run.events)}
    happened = ", ".join(f"{count} {word}" for word, count in what.items() if count)
    return [head, steps, *ended, *([happened] if happened else []), *_table(run)]


def _table(run: Solution) -> list[Item]:
    names, ends, rows = state_names(run), run.t[[0, -1]], []
    quantities = Quantities(run)
    for name in names[:MOST]:
        values = run.values([name], ends)
        for k in range(values.shape[1]):
            label = name if values.shape[1] == 1 else f"{name}[{k}]"
            rows.append((label, f"{values[0, k]:.6g}", f"{values[1, k]:.6g}", quantities.of(name)[1]))
    heads = ("variable", f"at {ends[0]:g} s", f"at {ends[1]:g} s", "unit")
    more = f"… and others: run.names has {len(run.names)}"
    return [*([Rows(rows, heads, right=(1, 2))] if rows else []), more]
