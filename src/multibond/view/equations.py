"""The equations of a model: what each element contributes, and the reduced system that is solved.

>>> told = equations(model)
>>> print(told)                  # everything, in the names that a run knows
>>> told.latex()                 # the reduced system in LaTeX; `told.document()` is a whole file

A state's rate carries a prime: `coil.p' = coil.e`. Shared terms are called w1, w2, … and stand before what uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import casadi as ca

from multibond.border import public
from multibond.equations.dae import Dae, Place
from multibond.equations.household import state_entries, state_names
from multibond.equations.reduce import Reduced
from multibond.equations.redundancy import row_name
from multibond.errors import unknown_name
from multibond.expr import SX, column, section
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.pipeline import stages
from multibond.view.expressions import Formulas, Names, entries, formulas, symbols_in
from multibond.view.formula import ZERO, Formula, Symbol
from multibond.view.latex import Letters, broken
from multibond.view.laws import Equation, Law, laws, parameter_names, parted, positive, short_side_first
from multibond.view.reductions import Remark, chosen_states, eliminations
from multibond.view.tex import PAGE, escaped

SOLVED = 1
"""Unknowns up to which they are written solved; more of them stand as the rows that determine them together."""


@public
@dataclass(frozen=True)
class Equations:
    """The equations of a model.

    laws: by element. terms: what the others share. rates: of the states. unknowns: what determines the forces and
    accelerations at an instant. constraints: by name what is held at zero. parameters: numbers by name.
    states, eliminated: why the states are states, and what became of the other variables; each with its elements.
    """

    name: str
    laws: tuple[Law, ...]
    terms: tuple[Equation, ...]
    rates: tuple[Equation, ...]
    unknowns: tuple[Equation, ...]
    constraints: tuple[tuple[str, Equation], ...]
    parameters: dict[str, float]
    states: tuple[Remark, ...] = ()
    eliminated: tuple[Remark, ...] = ()

    def text(self) -> str:
        """Everything as plain text; each line is an equation in the names that a run knows."""
        lines = [f"{self.name}: the elements"]
        for law in self.laws:
            lines += [f"  {law.path} ({law.type})", *(f"    {line}" for line in (*law.equations, *law.instants))]
        for title, block in self._blocks():
            lines += ["", title, *(f"  {label}{line}" for label, line in block)]
        for title, remarks in self._remarks():
            lines += ["", title, *(f"  {remark}" for remark in remarks)]
        numbers = [f"  {name} = {value:.12g}" for name, value in self.parameters.items()]
        return "\n".join([*lines, "", "parameters", *numbers] if numbers else lines)

    def latex(self) -> str:
        r"""The reduced system in LaTeX: an `aligned` block for mathematics mode."""
        letters, lines = Letters(self._names()), []
        for _, block in self._blocks():
            lines += [_aligned(line, letters) for _, line in block]
        return "\n".join([r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}"])

    def document(self) -> str:
        """A LaTeX file with everything, ready for `pdflatex`."""
        letters, parts = Letters(self._names()), [PAGE, rf"\section*{{{escaped(self.name)}: the elements}}"]
        for law in self.laws:
            if law.equations:
                parts += [
                    rf"\paragraph{{{escaped(law.path)}}} {escaped(law.type)}. {escaped(law.says)}",
                    _align(law.equations, letters),
                ]
        for title, block in self._blocks():
            parts += [rf"\section*{{{title.capitalize()}}}", _align([line for _, line in block], letters)]
        for title, remarks in self._remarks():
            items = [rf"\item[{escaped(remark.name)}] {escaped(remark.why)}" for remark in remarks]
            parts += [rf"\section*{{{title.capitalize()}}}", r"\begin{description}", *items, r"\end{description}"]
        return "\n".join([*parts, r"\end{document}", ""])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "model": self.name,
            "elements": {law.path: _plain_law(law) for law in self.laws},
            "terms": [str(line) for line in self.terms],
            "states": [str(line) for line in self.rates],
            "unknowns": [str(line) for line in self.unknowns],
            "constraints": {name: str(line) for name, line in self.constraints},
            "parameters": self.parameters,
            "state_reasons": [asdict(remark) for remark in self.states],
            "eliminated": [asdict(remark) for remark in self.eliminated],
        }

    def of(self, path: str) -> str:
        """All that is said about one element, or the elements of one part: laws, states, what was eliminated."""
        laws = [law for law in self.laws if law.path == path or law.path.startswith(f"{path}.")]
        if not laws:
            raise unknown_name("the list of elements", path, [law.path for law in self.laws])
        lines = []
        for law in laws:
            lines += [f"{law.path} ({law.type}): {law.says}" if law.says else f"{law.path} ({law.type})"]
            lines += [f"  {line}" for line in (*law.equations, *law.instants)]
            lines += [f"  {r}" for r in (*self.states, *self.eliminated) if law.path in r.paths[:1]]
        return "\n".join(lines)

    def _remarks(self) -> list[tuple[str, tuple[Remark, ...]]]:
        named = {"states, and why they are states": self.states, "what is no state, and why": self.eliminated}
        return [(title, remarks) for title, remarks in named.items() if remarks]

    def _blocks(self) -> Iterator[tuple[str, list[tuple[str, Equation]]]]:
        """The reduced system in the order of reading: titles and labelled lines."""
        blocks = {
            "shared terms": self.terms,
            "rates of the states": self.rates,
            "unknowns, found at every instant": self.unknowns,
        }
        for title, lines in blocks.items():
            if lines:
                yield title, [("", line) for line in lines]
        if self.constraints:
            yield "constraints", [(f"{name}:  ", line) for name, line in self.constraints]

    def _names(self) -> set[str]:
        every = [line for law in self.laws for line in law.equations]
        every += [line for _, block in self._blocks() for _, line in block]
        return {name for line in every for side in (line.left, line.right) for name in symbols_in(side)}

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Equations of {self.name!r}: {len(self.laws)} elements, {len(self.rates)} states"


def _plain_law(law: Law) -> dict[str, Any]:
    more = {"instants": list(law.instants)} if law.instants else {}
    more |= {"says": law.says} if law.says else {}
    return {"type": law.type, "equations": [str(line) for line in law.equations], **more}


def equations(model: Model | Graph, part: str | None = None, *, method: str = "auto") -> Equations:
    """The equations of a model, of all its elements or of one part's only; see `compile` for the method."""
    made = stages(model, method)
    chosen = laws(made.graph, made.tree, made.causality, part)
    if part is not None and not chosen:
        raise unknown_name("the model", part, {path.split(".")[0] for path in made.graph.elements})
    name = model.name if isinstance(model, Model) else "graph"
    whole = _reduced(name, chosen, made.reduced)
    return replace(whole, states=chosen_states(made.dae), eliminated=eliminations(made))


def _reduced(name: str, chosen: tuple[Law, ...], r: Reduced) -> Equations:
    dae, whole = r.dae, r.whole
    solved = r.solver is not None and not r.implicit and not r.has_core and dae.ny <= SOLVED
    unknowns = r.y if solved else _residual(r)
    labels, held = _constraints(r)
    parts = [whole.xdot, unknowns, held]
    turns = section(whole.p, dae.turns.start, dae.turns.stop)
    made = formulas(ca.substitute(column(parts), turns, SX.zeros(turns.numel())), _system_names(dae, r))
    rates, rows, holds = _split(made.values, [part.numel() for part in parts])
    left = _unknown_names(dae)
    return Equations(
        name,
        chosen,
        tuple(Equation(Symbol(term), value) for term, value in made.terms),
        tuple(_told(Equation(Symbol(f"{n}'"), v) for n, v in zip(state_entries(dae), rates, strict=True))),
        tuple(Equation(Symbol(n), v) for n, v in zip(left, rows, strict=True)) if solved else _rows(rows, made, left),
        tuple((label, Equation(ZERO, positive(v))) for label, v in zip(labels, holds, strict=True) if v != ZERO),
        _numbers(dae),
    )


def _residual(r: Reduced) -> SX:
    """The rows that determine the unknowns, without those of redundant constraints."""
    if r.solver is None:
        return r.whole.residual
    dropped = list(r.redundancy.dropped)
    rows = r.residual[[k for k in r.kept if k not in dropped]] if r.kept else SX(0, 1)
    return ca.substitute(rows, r.whole.y[dropped], SX.zeros(len(dropped))) if dropped else rows


def _rows(rows: Sequence[Formula], made: Formulas, unknowns: list[str]) -> tuple[Equation, ...]:
    """The rows that determine the unknowns, terms with unknowns on the left."""
    moving = set(unknowns)
    for term, value in made.terms:
        if symbols_in(value) & moving:
            moving.add(term)
    lines = [parted(row, lambda term: bool(symbols_in(term) & moving)) for row in rows if row != ZERO]
    return tuple(short_side_first(line) if line.right != ZERO else line for line in lines)


def _told(lines: Iterator[Equation]) -> list[Equation]:
    """Without those that only repeat the unknown's own name."""
    return [line for line in lines if line.left != line.right]


def _constraints(r: Reduced) -> tuple[list[str], SX]:
    """Names and expressions of what is held at zero: positions where there are any, else flows; hidden ones too."""
    dae, whole = r.dae, r.whole
    rows = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    level = whole.gap if whole.gap.numel() == len(rows) else whole.held_flow
    labels = [f"{row_name(dae, k)}{' (redundant)' if k in r.redundancy.dropped else ''}" for k in rows]
    hidden = column([r.hidden_positions, r.hidden_flows])
    labels += [f"hidden {k + 1}" for k in range(hidden.numel())]
    return labels, column([level, hidden])


def _system_names(dae: Dae, r: Reduced) -> Names:
    names = Names()
    names.put(state_entries(dae), r.whole.x)
    names.put(_unknown_names(dae), r.whole.y)
    table = [n for path in dae.parameter_places for n in parameter_names(dae.graph.parameters[path][0], path)]
    names.put(table, section(r.whole.p, 0, dae.np_))
    return names


def _unknown_names(dae: Dae) -> list[str]:
    named = state_names(dae)

    def name(place: Place) -> list[str]:
        if place.kind == "rate":
            state, own = dae.place_of_state(place.path, place.name), named[place.path, place.name]
            lanes = state.lanes if state is not None and state.size == place.size else ()
            return [f"{own}[{k}]'" for k in lanes] or [f"{n}'" for n in entries(own, place.size)]
        return entries(f"{place.path}.{place.name}".lstrip("."), place.size)

    found = [n for place in dae.unknowns for n in name(place)]
    doubled = {n for n in found if found.count(n) > 1}
    return [f"{n}[{found[:k].count(n)}]" if n in doubled else n for k, n in enumerate(found)]


def _numbers(dae: Dae) -> dict[str, float]:
    table = [n for path in dae.parameter_places for n in parameter_names(dae.graph.parameters[path][0], path)]
    return dict(zip(table, dae.parameter_values[: dae.np_].tolist(), strict=True))


def _split(values: Sequence[Formula], sizes: list[int]) -> list[Sequence[Formula]]:
    found, start = [], 0
    for size in sizes:
        found.append(values[start : start + size])
        start += size
    return found


# -- LaTeX -------------------------------------------------------------------------------------------------------------


def _aligned(line: Equation, letters: Letters) -> str:
    left, right = " ".join(broken(line.left, letters)), broken(line.right, letters)
    return f"{left} &= " + " \\\\\n&\\quad ".join(right)


def _align(lines: Sequence[Equation], letters: Letters) -> str:
    rows = " \\\\\n".join(_aligned(line, letters) for line in lines)
    return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"
