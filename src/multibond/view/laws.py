"""Each element's law written out in the names of its variables, as `run[...]` knows them.

A relation that vanishes becomes an equation with its first term on the left; vectors whose components say the same are
written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import casadi as ca

from multibond.elements import FreeMotion
from multibond.elements.law import LawWriter
from multibond.equations.writing import sizes_at
from multibond.expr import SX, column, nonzeros
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Wires
from multibond.graph.port import PowerPort, SignalPort
from multibond.structure.causality import Causality
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree
from multibond.view import formula as fo
from multibond.view.expressions import Names, entries, formulas, renamed, symbols_in
from multibond.view.formula import Formula, Symbol, text


@dataclass(frozen=True)
class Equation:
    """left = right."""

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"{text(self.left)} = {text(self.right)}"


@dataclass(frozen=True)
class Law:
    """What one element contributes: its path, the name of its type, its equations, and what ends or renews them.

    instants: in words, when it goes over to another mode, and which states it renews at sample times. says: what kind
    of thing it is, in the words of its type.
    """

    path: str
    type: str
    equations: tuple[Equation, ...]
    instants: tuple[str, ...] = ()
    says: str = ""


def laws(graph: Graph, tree: Tree, causality: Causality, part: str | None = None) -> tuple[Law, ...]:
    """The law of every element, or of those inside one part, in order of path."""
    desk = _Desk(graph, tree, causality)
    wanted = [p for p in sorted(graph.elements) if part is None or p == part or p.startswith(f"{part}.")]
    return tuple(desk.write(path) for path in wanted)


def parameter_names(symbols: SX, path: str) -> list[str]:
    """A name for each entry of a parameter that is not structurally zero: `path`, `path[2]` or `path[0,1]`."""
    rows, columns = symbols.sparsity().get_triplet()
    if symbols.shape == (1, 1):
        return [path] * len(rows)
    if symbols.shape[1] == 1:
        return [f"{path}[{r}]" for r in rows]
    return [f"{path}[{r},{c}]" for r, c in zip(rows, columns, strict=True)]


class _Desk:
    """Writes elements of one graph; the names of parameters and of signals' givers are looked up once."""

    def __init__(self, graph: Graph, tree: Tree, causality: Causality) -> None:
        self.graph, self.tree, self.causality = graph, tree, causality
        self.givers = signal_givers(graph, tree)
        self.parameters = Names()
        for path, (symbols, _) in graph.parameters.items():
            self.parameters.put(parameter_names(symbols, path), nonzeros(symbols))

    def write(self, path: str) -> Law:
        """The law of one element."""
        item, bonds, names = self.graph.elements[path], self.graph.bonds_of(path), Names(self.parameters)
        e = {b.name: self._variable(names, path, b, "e") for b in bonds}
        f = {b.name: self._variable(names, path, b, "f") for b in bonds}
        if item.causality in ("one", "zero"):
            common, balanced = (f, e) if item.causality == "one" else (e, f)
            return _told(path, item, _vanish(_junction(path, bonds, common, balanced), names))
        if isinstance(item, Wires):
            lines = _vanish(_wires(path, item, bonds, e, f), names)
            readings = self._law(path, item, bonds, names, e, f) if _reads(item) else None
            return _told(path, item, lines + list(readings.equations if readings else ()))
        return self._law(path, item, bonds, names, e, f)

    def _law(
        self, path: str, item: Element, bonds: tuple[Bond, ...], names: Names, e: dict[str, SX], f: dict[str, SX]
    ) -> Law:
        sizes = sizes_at(path, bonds)
        states = {name: _symbol(names, f"{path}.{name}", size) for name, size in item.states(sizes).items()}
        clock = SX.sym("t")
        law = LawWriter(
            efforts={b.end(path).port: e[b.name] for b in bonds},
            flows={b.end(path).port: _sign(path, item, b) * f[b.name] for b in bonds},
            signals=self._signals(path, item, names),
            states=states,
            flow_given={b.end(path).port: not self.causality.gives_flow(b, path) for b in bonds},
            time=clock,
            role=self.tree.role.get(path, "cut" if isinstance(item, FreeMotion) else ""),
        )
        item.law(law)
        held = _name_derivatives(path, law, names)
        found = held + _vanish([*law.relations, *(law.f()[k] for k in law.held)], names)
        for state, rate in law.rates.items():
            if state not in law.updates:
                found += _given(f"{path}.{state}", rate, names, rate=True)
        given = {port: value for port, value in law.outputs.items() if value.numel()}
        read = {port: value for port, value in given.items() if self.graph.signal_at(path, port) is not None}
        for port, value in (read if read or found else given).items():
            found += _given(f"{path}.{port}", value, names)
        return _told(path, item, found, _instants(path, item, law, names))

    def _signals(self, path: str, item: Element, names: Names) -> dict[str, SX]:
        """Symbols for the signals that an element reads, under the name of the port that gives them."""
        found: dict[str, SX] = {}
        for port in item.ports():
            hit = self.graph.signal_at(path, port.name) if isinstance(port, SignalPort) else None
            if hit is not None:
                giver = self.givers.get(hit[0].name)
                name = f"{giver.element}.{giver.port}" if giver else hit[0].name
                value = _symbol(names, name, hit[0].size)
                found[port.name] = value if hit[1].select is None else value[list(hit[1].select)]
        return found

    def _variable(self, names: Names, path: str, bond: Bond, letter: str) -> SX:
        """The effort or flow of a bond as the element names it, or as the element across names it to a junction."""
        silent = {"e": "one", "f": "zero"}[letter]
        own = self.graph.elements[path].causality not in ("one", "zero")
        ends = [bond.end(path), bond.other(path)] if own else [bond.other(path), bond.end(path)]
        for end in ends:
            if self.graph.elements[end.element].causality != silent:
                base = end.element if end.port in ("port", "any") else f"{end.element}.{end.port}"
                return _symbol(names, f"{base}.{letter}", bond.size)
        return _symbol(names, f"{bond.name}.{letter}", bond.size)


def _name_derivatives(path: str, law: LawWriter, names: Names) -> list[Equation]:
    """Name what a law differentiates with a dash; what it holds is said besides, under its own name."""
    found: list[Equation] = []
    for value, symbol, state in law.derivatives:
        parts = [f"{names.of(v)}'" if v.is_symbolic() else "derivative" for v in ca.vertsplit(value)]
        names.put(entries(f"{path}.{state}'", value.numel()) if state else parts, symbol)
        found += _given(f"{path}.{state}", value, names) if state else []
    return found


def _symbol(names: Names, name: str, size: int) -> SX:
    symbol = SX.sym(name, size)
    names.put(entries(name, size), symbol)
    return symbol


def mode_text(item: Element) -> str:
    """The mode that an element is in, or begins with; empty where it has none."""
    if "mode" not in item.parameters():
        return ""
    return str(vars(item)["mode"] or getattr(type(item), "first", ""))


def _sign(path: str, item: Element, bond: Bond) -> int:
    """+1 where the half-arrow agrees with the port's own direction."""
    port = next(p for p in item.ports() if isinstance(p, PowerPort) and p.name == bond.end(path).port)
    return 1 if bond.into(path) == port.inward else -1


def _junction(path: str, bonds: tuple[Bond, ...], common: dict[str, SX], balanced: dict[str, SX]) -> list[SX]:
    """What is common is equal, what is balanced adds up to zero along the half-arrows."""
    if not bonds:
        return []
    total = SX(bonds[0].size, 1)
    for bond in bonds:
        total = total + (1 if bond.into(path) else -1) * balanced[bond.name]
    return [common[bonds[0].name] - common[bond.name] for bond in bonds[1:]] + [total]


def _wires(path: str, item: Wires, bonds: tuple[Bond, ...], e: dict[str, SX], f: dict[str, SX]) -> list[SX]:
    """Each component is led on from one lane to another, with the same effort and flow."""
    at = {b.end(path).port: b for b in bonds}
    efforts, flows = [], []
    for (a, i), (b, j) in item.wires({name: bond.size for name, bond in at.items()}):
        sign = _sign(path, item, at[a]) * _sign(path, item, at[b])
        efforts.append(e[at[b].name][j] - e[at[a].name][i])
        flows.append(f[at[b].name][j] - sign * f[at[a].name][i])
    return [column(efforts), column(flows)]


def _reads(item: Element) -> bool:
    return any(isinstance(port, SignalPort) for port in item.ports())


def _told(path: str, item: Element, lines: list[Equation], instants: list[str] | None = None) -> Law:
    says = (type(item).__doc__ or "").strip().splitlines()
    return Law(path, type(item).__name__, tuple(dict.fromkeys(lines)), tuple(instants or ()), says[0] if says else "")


def _instants(path: str, item: Element, law: LawWriter, names: Names) -> list[str]:
    """When modes change and samples are taken, in words."""
    own = f"mode {mode_text(item)!r} " if law.switches else ""
    found = [f"{own}until {text(_written(when, names)[0])} > 0, then {mode!r}" for mode, when in law.switches]
    for state, (value, every) in law.updates.items():
        found += [f"every {every:g} s: {line}" for line in _given(f"{path}.{state}", value, names)]
    return found


# -- equations ---------------------------------------------------------------------------------------------------------


def _vanish(relations: Iterable[SX], names: Names) -> list[Equation]:
    """Equations from relations that vanish."""
    return [
        line for relation in relations for line in gathered([solved_for_first(v) for v in _written(relation, names)])
    ]


def _given(name: str, value: SX, names: Names, *, rate: bool = False) -> list[Equation]:
    """What a signal or a rate is."""
    left = [f"{entry}'" if rate else entry for entry in entries(name, value.numel())]
    return gathered([Equation(Symbol(n), v) for n, v in zip(left, _written(value, names), strict=True)])


def _written(expression: SX, names: Names) -> list[Formula]:
    """Every entry on its own: what a law shares is short, so nothing is named apart."""
    return [formulas(entry, names).values[0] for entry in ca.vertsplit(ca.densify(expression))]


def solved_for_first(value: Formula) -> Equation:
    """value = 0 with the first term on the left, its sign made positive."""
    return parted(value, lambda term: False)


def parted(value: Formula, wanted: Callable[[Formula], bool]) -> Equation:
    """value = 0 with the wanted terms on the left, or the first one where none is wanted; it begins without a sign."""
    terms = value.terms if isinstance(value, fo.Sum) else (value,)
    left = [term for term in terms if wanted(term)] or [terms[0]]
    right = [fo.negative(term) for term in terms if not any(term is own for own in left)]
    if isinstance(left[0], fo.Product) and left[0].coefficient < 0:
        left, right = [fo.negative(term) for term in left], [fo.negative(term) for term in right]
    return Equation(_total(left), _total(right))


def short_side_first(line: Equation) -> Equation:
    """The same equation with its shorter side on the left."""
    return Equation(line.right, line.left) if 2 * len(text(line.right)) < len(text(line.left)) else line


def positive(value: Formula) -> Formula:
    """The value or its negative, whichever begins without a sign; both vanish together."""
    first = value.terms[0] if isinstance(value, fo.Sum) else value
    return fo.negative(value) if isinstance(first, fo.Product) and first.coefficient < 0 else value


def _total(terms: Iterable[Formula]) -> Formula:
    total: Formula = fo.ZERO
    for term in terms:
        total = fo.add(total, term)
    return total


def gathered(lines: list[Equation]) -> list[Equation]:
    """Components that say the same as one equation of vectors; others as they are. Equations 0 = 0 are left out."""
    lines = [line for line in lines if line.left != line.right]
    if len(lines) < 2 or not (_by_component(lines[0].left) and _by_component(lines[0].right)):
        return lines
    first = str(lines[0])
    if "[0]" not in first or any(str(line) != first.replace("[0]", f"[{k}]") for k, line in enumerate(lines)):
        return lines
    return [
        Equation(*(renamed(side, lambda name: name.replace("[0]", "")) for side in (lines[0].left, lines[0].right)))
    ]


def _by_component(a: Formula) -> bool:
    """Whether a formula reads the same for vectors: sums of vectors times scalars."""
    if isinstance(a, Symbol | fo.Number):
        return True
    if isinstance(a, fo.Sum):
        return all(_by_component(term) and _has_vector(term) for term in a.terms)
    if isinstance(a, fo.Product):
        vectors = [(base, exponent) for base, exponent in a.factors if _has_vector(base)]
        return len(vectors) <= 1 and all(_by_component(base) and exponent == 1.0 for base, exponent in vectors)
    return not _has_vector(a)


def _has_vector(a: Formula) -> bool:
    return any("[" in name for name in symbols_in(a))
