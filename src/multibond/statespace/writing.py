"""A state space in LaTeX, as plain data and in words. Flows count power into their element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from multibond.errors import unknown_name
from multibond.expr import SX, column
from multibond.statespace.fields import EFFORT
from multibond.statespace.structure import Structure
from multibond.view.expressions import Names, entries, formulas
from multibond.view.formula import ZERO, Formula, Symbol
from multibond.view.latex import Letters, broken, latex
from multibond.view.laws import parameter_names
from multibond.view.tex import PAGE, escaped

if TYPE_CHECKING:
    from multibond.statespace.space import StateSpace

TITLES = {
    "X_i1": "independent motion", "X_i2": "dependent motion", "R": "resistances", "EJS": "Euler gyrators",
    "U1": "known sources", "U2": "constraint efforts", "reading": "readings",
}  # fmt: skip
EQUATIONS = {"i1": "9", "i2": "10", "L": "11", "E": "12", "C": "13"}
"""The paper's numbers of the rows of the junction structure."""

MOTION = r"""\dot X_{i_1} &= T_{i_1 i_1} X_{i_1} + T_{i_1 i_2} X_{i_2} + T_{i_1 u_1} U_1 + T_{i_1 u_2} U_2 \\
\dot X_{i_2} &= T_{i_2 i_1} X_{i_1} + T_{i_2 i_2} X_{i_2} + T_{i_2 u_1} U_1 + T_{i_2 u_2} U_2"""
DIRECT = r"U_2 &= -T_{LE}^{-1} \left(T_{C i_1} X_{i_1} + T_{C i_2} X_{i_2} + T_{C u_1} U_1\right)"
ONCE = r"U_2 &= -H_4^{-1} \left(H_1 X_{i_1} + H_2 X_{i_2} + H_3 U_1 + J_{C u_1} \dot U_1\right)"
AUXILIARIES = r"""P &= (1 - J_{LL} R)^{-1} \\
A_1 &= (1 - J_{EE} R_E - J_{EL} R P J_{LE} R_E)^{-1} \\
A_\bullet &= J_{E\bullet} + J_{EL} R P J_{L\bullet}, \quad
B_\bullet = P \left(J_{L\bullet} + J_{LE} R_E A_1 A_\bullet\right) \\
T_{k\bullet} &= J_{k\bullet} + J_{kL} R B_\bullet + J_{kE} R_E A_1 A_\bullet, \quad T_{LE} = T_{C u_2}"""
BOTH = r"""\begin{pmatrix} M^T T_{LE} \\ N^T H_4 \end{pmatrix} U_2 &= -\begin{pmatrix}
M^T \left(T_{C i_1} X_{i_1} + T_{C i_2} X_{i_2} + T_{C u_1} U_1\right) \\
N^T \left(H_1 X_{i_1} + H_2 X_{i_2} + H_3 U_1 + J_{C u_1} \dot U_1\right) \end{pmatrix}"""
RATES = r"""H_\bullet &= J_{C i} F T_{i\bullet} + \dot J_{C\bullet} + \dot J_{CL} R B_\bullet
+ \dot J_{CE} R_E A_1 A_\bullet"""


def summary(space: StateSpace) -> str:
    """The case, its conditions, and the size of the fields, in a few lines."""
    counts = [f"{title} {sum(e.field == name for e in space.fields)}" for name, title in TITLES.items()]
    lines = [f"state space of {space.name!r}: case ({space.case})" if space.case in ("14", "15") else
             f"state space of {space.name!r}: {space.case}", f"  {', '.join(counts)}"]  # fmt: skip
    return "\n".join([*lines, *(f"  {c.name}: {c.fact}" for c in space.conditions)])


def as_dict(space: StateSpace) -> dict[str, Any]:
    """Plain data: numbers as lists."""
    return {
        "name": space.name,
        "case": space.case,
        "states": list(space.state_names),
        "start": space.x0.tolist(),
        "fields": [vars(entry) for entry in space.fields],
        "conditions": [vars(condition) for condition in space.conditions],
        "matrices": {name: np.asarray(value).tolist() for name, value in space.matrices().items()},
    }


# -- LaTeX -------------------------------------------------------------------------------------------------------------


def document(space: StateSpace) -> str:
    """A LaTeX file: fields, junction structure row by row, state equations and constraint efforts."""
    s = space.structure
    rows = [(name, k) for name in EQUATIONS for k in space.rows[name]]
    outputs = column([SX.sym(name) for name in _outputs(s)])
    sums = column([s.J[int(k), :] @ outputs for _, k in rows])
    laws = column([s.F @ s.ground.X, _dissipated(s), _turned(s), s.U1])
    moved = ca.substitute(s.rates, s.ground.readings, s.J[s.index("read").tolist(), :] @ outputs)
    made = formulas(column([sums, laws, moved]), _names(space))
    cut = len(rows) + laws.numel()
    left = [Symbol(_input(s, int(k))) if name != "C" else ZERO for name, k in rows]
    letters = Letters([*_outputs(s), *(n.name for n in left if isinstance(n, Symbol)), *space.state_names])
    parts = [PAGE, rf"\section*{{{escaped(space.name)}}}", *_tables(space)]
    if made.terms:
        parts += [r"\section*{Shared terms}", _align([(Symbol(n), v) for n, v in made.terms], letters)]
    parts += [r"\section*{Fields}", _align(_field_laws(s, made.values[len(rows) : cut]), letters)]
    for name, number in EQUATIONS.items():
        own = [k for k, (n, _) in enumerate(rows) if n == name]
        if own:
            parts += [rf"\section*{{Junction structure ({number})}}",
                      _align([(left[k], made.values[k]) for k in own], letters)]  # fmt: skip
    if s.rates.numel():
        states = [Symbol(f"{name}'") for name in space.state_names[space.order.size :]]
        parts += [r"\section*{Displacements}", _align(list(zip(states, made.values[cut:], strict=True)), letters)]
    return "\n".join([*parts, r"\section*{State space}", _matrix_form(space.case), r"\end{document}"])


def block_latex(space: StateSpace, what: str) -> str:
    """One block of the junction structure as a matrix of formulas: "J_Ci1"."""
    found = re.fullmatch(r"J_(i1|i2|L|u1|u2|C|E)(i1|i2|L|u1|u2|E)", what)
    if found is None:
        blocks = [f"J_{a}{b}" for a in space.rows for b in space.rows if b != "C"]
        raise unknown_name("the junction structure", what, blocks)
    rows, columns = (space.rows[part].tolist() for part in found.groups())
    if not rows or not columns:
        return rf"{_head(found)} = \left(\right)"
    made = formulas(ca.vec(space.structure.J[rows, columns].T), _names(space))
    letters = Letters([*space.state_names])
    cells = [latex(value, letters) for value in made.values]
    lines = [" & ".join(cells[k : k + len(columns)]) for k in range(0, len(cells), len(columns))]
    terms = [rf"{letters(n)} = {latex(v, letters)}" for n, v in made.terms]
    inside = " \\\\\n".join(lines)
    block = "\n".join([rf"{_head(found)} = \begin{{pmatrix}}", inside, r"\end{pmatrix}"])
    return block + ("".join(f",\\quad {term}" for term in terms))


def _head(found: re.Match[str]) -> str:
    return "J_{" + " ".join(re.sub(r"(\d)", r"_\1", part) for part in found.groups()) + "}"


def _names(space: StateSpace) -> Names:
    names, s = Names(), space.structure
    stored = [""] * space.order.size
    for place, number in enumerate(space.order):
        stored[number] = space.state_names[place]
    names.put(stored, s.ground.X)
    names.put(space.state_names[space.order.size :], s.ground.q)
    graph = s.ground.released.graph
    table = [n for path in sorted(graph.parameters) for n in parameter_names(graph.parameters[path][0], path)]
    names.put(table, s.ground.p)
    return names


def _variable(structure: Structure, k: int, gives: bool) -> str:
    member, lane = structure.ports[k]
    letter = "e" if (structure.gives[k] == EFFORT) == gives else "f"
    return entries(f"{member.path}.{letter}", len(member.law.lanes))[lane]


def _outputs(structure: Structure) -> list[str]:
    return [_variable(structure, k, True) for k in range(structure.J.shape[1])]


def _input(structure: Structure, k: int) -> str:
    """What the junction structure gives to a port: for storages it is the rate of the state."""
    member, lane = structure.ports[k]
    if member.field != "i":
        return _variable(structure, k, False)
    (name,) = member.law.states
    return entries(f"{member.path}.{name}", len(member.law.lanes))[lane] + "'"


def _dissipated(structure: Structure) -> SX:
    return structure.R @ column([SX.sym(_input(structure, int(k))) for k in structure.index("L")])


def _turned(structure: Structure) -> SX:
    return structure.R_E @ column([SX.sym(_input(structure, int(k))) for k in structure.index("E")])


def _field_laws(structure: Structure, values: Sequence[Formula]) -> list[tuple[Formula, Formula]]:
    """Z = F X, D_out = R D_in, E_out = R_E E_in and the known sources."""
    ports = [int(k) for field in ("i", "L", "E", "u1") for k in structure.index(field)]
    return [(Symbol(_variable(structure, k, True)), value) for k, value in zip(ports, values, strict=True)]


def _tables(space: StateSpace) -> list[str]:
    parts = []
    for field, title in TITLES.items():
        own = [e for e in space.fields if e.field == field]
        if own:
            items = [rf"\item \texttt{{{escaped(p)}}}: {escaped(w)}" for p, w in _grouped(own)]
            head = re.sub(r"_i(\d)", r"_{i_\1}", re.sub(r"U(\d)", r"U_\1", field))
            parts += [rf"\section*{{${head}$: {title}}}", r"\begin{itemize}", *items, r"\end{itemize}"]
    return parts


def _grouped(own: Sequence[Any]) -> list[tuple[str, str]]:
    """Components of one element that lie in a field for the same reason are told together."""
    together: dict[tuple[str, str], list[int]] = {}
    for entry in own:
        together.setdefault((entry.path, entry.why), []).append(entry.component)
    return [(f"{path}{ks if len(ks) > 1 or ks != [0] else ''}", why) for (path, why), ks in together.items()]


def _matrix_form(case: str) -> str:
    efforts = {"14": [DIRECT], "15": [ONCE], "mixed": [BOTH]}.get(case, [])
    lines = [MOTION, *efforts, AUXILIARIES, *([RATES] if case in ("15", "mixed") else [])]
    notes = {
        "mixed": "Combinations $M$ of rows give efforts at once (14), those with $N^T T_{LE} = 0$ differentiated (15).",
        "unconstrained": "There are no constraint efforts.",
    }
    note = f"{notes.get(case, f'Case ({case}).')} Columns of states carry $F$; a dot is the rate along the motion."
    text = " \\\\\n".join(lines)
    return f"{note}\n\\begin{{align*}}\n{text}\n\\end{{align*}}"


def _align(lines: Sequence[tuple[Formula, Formula]], letters: Letters) -> str:
    rows = [f"{latex(left, letters)} &= " + " \\\\\n&\\quad ".join(broken(right, letters)) for left, right in lines]
    text = " \\\\\n".join(rows)
    return f"\\begin{{align*}}\n{text}\n\\end{{align*}}"
