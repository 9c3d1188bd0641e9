"""The causal graph as a block diagram: integrators, gains, sums, and boxes for laws that are none of these.

Causality turns every bond into two signals that run against each other: the flow from the end with the stroke, the
effort from the other. A 1-junction hands one flow on and adds efforts; a 0-junction the other way round; an I in
integral causality is an integrator and a gain 1/I. What modulates an element is one more input of its blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from multibond.elements import GY, MGY, MTF, TF, C, G, I, R
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph, Reader
from multibond.graph.port import PowerPort
from multibond.structure.causality import Causality
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree

Variable = tuple[str, str]
"""The effort or flow of a bond: its name and "e" or "f"; a momentum "p" or displacement "q"; a signal "s"."""


@dataclass(frozen=True)
class Block:
    """One block.

    kind: "integrator", "derivative", "gain", "sum", "source", "law". symbol: what is written in it; path: the element
    it belongs to. inputs: what it reads, each with a sign; outputs: what it gives. size: of the signals.
    """

    name: str
    kind: str
    symbol: str
    path: str
    inputs: tuple[tuple[Variable, int], ...] = ()
    outputs: tuple[Variable, ...] = ()
    size: int = 1


@dataclass(frozen=True)
class Wiring:
    """From the output of a block to an input of another: the variable that is given, the input's place and sign."""

    tail: str
    head: str
    variable: Variable
    place: int
    sign: int
    size: int = 1


@dataclass(frozen=True)
class Blocks:
    """A block diagram."""

    blocks: tuple[Block, ...]
    wires: tuple[Wiring, ...]


def causal_blocks(graph: Graph, strokes: Causality, tree: Tree | None = None) -> Blocks:
    """The block diagram of a graph whose bonds each have one causality for all components.

    tree: tells who computes each signal; without it signals are left out.
    """
    desk = _Desk(graph, strokes, signal_givers(graph, tree) if tree is not None else {})
    blocks = [desk.modulated(block) for path in sorted(graph.elements) for block in desk.blocks(path)]
    at = {variable: block for block in blocks for variable in block.outputs}
    wires = []
    for block in blocks:
        for place, (variable, sign) in enumerate(block.inputs):
            given = desk.source(variable)
            if given in at:
                wires.append(Wiring(at[given].name, block.name, given, place, sign, desk.size(variable)))
    return Blocks(tuple(blocks), tuple(wires))


class _Desk:
    """Writes the blocks of one graph."""

    def __init__(self, graph: Graph, strokes: Causality, givers: Mapping[str, Reader]) -> None:
        self.graph, self.strokes, self.givers = graph, strokes, givers
        self.bonds = {b.name: b for b in graph.bonds}
        self.signals = {s.name: s for s in graph.signals if s.name in givers}

    def size(self, variable: Variable) -> int:
        """The number of components of a variable."""
        name, letter = variable
        return self.signals[name].size if letter == "s" else self.bonds[name].size

    def read(self, path: str) -> tuple[Variable, ...]:
        """The signals that an element reads."""
        here = [(s.name, end) for s in self.signals.values() for end in s.ends if end.element == path]
        return tuple(dict.fromkeys((name, "s") for name, end in here if self.givers[name] != end))

    def given(self, path: str) -> tuple[Variable, ...]:
        """The signals that an element computes."""
        return tuple((name, "s") for name, end in self.givers.items() if end.element == path and name in self.signals)

    def modulated(self, block: Block) -> Block:
        """A gain or source with the signals that its element reads as further inputs."""
        if block.kind not in ("gain", "source") or self.graph.elements[block.path].causality in ("one", "zero"):
            return block
        return replace(block, inputs=(*block.inputs, *((variable, 1) for variable in self.read(block.path))))

    def gives(self, bond: Bond, path: str, letter: str) -> bool:
        """Whether an element gives this variable of a bond."""
        return self.strokes.gives_flow(bond, path) == (letter == "f")

    def source(self, variable: Variable) -> Variable:
        """The variable that a block gives and that junctions hand on as this one."""
        if variable[1] in ("p", "q", "s"):
            return variable
        for _ in range(len(self.bonds) + 1):
            bond, letter = self.bonds[variable[0]], variable[1]
            giver = next(p for p in (bond.tail.element, bond.head.element) if self.gives(bond, p, letter))
            word = self.graph.elements[giver].causality
            if word in ("one", "zero") and letter == _COMMON[word]:
                variable = (self.strong(giver, letter).name, letter)
            elif word in ("one", "zero") and self._straight(giver):
                variable = (next(b for b in self.graph.bonds_of(giver) if b is not bond).name, letter)
            else:
                return variable
        return variable

    def _straight(self, path: str) -> bool:
        """Whether a junction only hands on: two bonds, one half-arrow in and one out."""
        bonds = self.graph.bonds_of(path)
        return len(bonds) == 2 and bonds[0].into(path) != bonds[1].into(path)

    def strong(self, path: str, letter: str) -> Bond:
        """The bond on which a junction receives what all its bonds have in common."""
        return next(b for b in self.graph.bonds_of(path) if not self.gives(b, path, letter))

    def blocks(self, path: str) -> Iterator[Block]:
        """The blocks of one element."""
        item, bonds = self.graph.elements[path], self.graph.bonds_of(path)
        if not bonds:
            yield from self._calculation(path, item)
        elif item.causality in ("one", "zero"):
            yield from self._sum(path, item)
        elif isinstance(item, I | C) and len(bonds) == 1:
            yield from self._storage(path, item, bonds[0])
        elif isinstance(item, R | G) and len(bonds) == 1:
            yield self._gain(path, path, _resistor(item, self.gives(bonds[0], path, "f")), bonds[0], bonds[0])
        elif isinstance(item, TF | MTF | GY | MGY) and len(bonds) == 2:
            yield from self._coupler(path, item)
        else:
            yield self._law(path, item, bonds)

    def _calculation(self, path: str, item: Element) -> Iterator[Block]:
        """A block that was drawn as one; what neither reads nor gives a signal is left out."""
        inputs, outputs = tuple((v, 1) for v in self.read(path)), self.given(path)
        if inputs or outputs:
            size = max(self.size(v) for v in (*(v for v, _ in inputs), *outputs))
            yield Block(
                path, "law" if inputs else "source", item.code or type(item).__name__, path, inputs, outputs, size
            )

    def _sum(self, path: str, item: Element) -> Iterator[Block]:
        common = _COMMON[item.causality]
        other = "e" if common == "f" else "f"
        bonds = self.graph.bonds_of(path)
        if len(bonds) < 2 or self._straight(path):
            return
        strong = self.strong(path, common)
        own = 1 if strong.into(path) else -1
        inputs = tuple(((b.name, other), -own * (1 if b.into(path) else -1)) for b in bonds if b.name != strong.name)
        lone = len(inputs) == 1
        symbol = ("1" if inputs[0][1] > 0 else "−1") if lone else "Σ"
        signs = tuple((v, 1) for v, _ in inputs) if lone else inputs
        yield Block(path, "gain" if lone else "sum", symbol, path, signs, ((strong.name, other),), strong.size)

    def _storage(self, path: str, item: I | C, bond: Bond) -> Iterator[Block]:
        """Integral: ∫ then 1/I; derivative: I then d/dt. What is integrated is the effort of an I, the flow of a C."""
        sign = self._sign(path, bond)
        moved, kept, letter = ("e", "f", "I") if isinstance(item, I) else ("f", "e", "C")
        content: Variable = (bond.name, "p" if letter == "I" else "q")
        before, after = (sign, 1) if moved == "f" else (1, sign)
        if self.gives(bond, path, kept):
            inverse = f"1/{letter}" if bond.size == 1 else f"{letter}⁻¹"
            yield Block(f"{path}.∫", "integrator", "∫", path, (((bond.name, moved), before),), (content,), bond.size)
            yield Block(path, "gain", inverse, path, ((content, after),), ((bond.name, kept),), bond.size)
        else:
            yield Block(path, "gain", letter, path, (((bond.name, kept), after),), (content,), bond.size)
            yield Block(f"{path}.d", "derivative", "d/dt", path, ((content, before),), ((bond.name, moved),), bond.size)

    def _gain(self, name: str, path: str, symbol: str, read: Bond, given: Bond) -> Block:
        """From what is read on one bond to what is given on another, or on the same one."""
        ends = (read.name, self._letter(path, read, False)), (given.name, self._letter(path, given, True))
        signs = [self._sign(path, b) for b, (_, letter) in zip((read, given), ends, strict=True) if letter == "f"]
        sign = -1 if signs.count(-1) % 2 else 1
        return Block(name, "gain", symbol, path, ((ends[0], sign),), (ends[1],), given.size)

    def _letter(self, path: str, bond: Bond, given: bool) -> str:
        return "f" if self.gives(bond, path, "f") == given else "e"

    def _coupler(self, path: str, item: Element) -> Iterator[Block]:
        """Two gains: one for what goes from port a to b, one for what comes back."""
        at = {b.end(path).port: b for b in self.graph.bonds_of(path)}
        a, b = at["a"], at["b"]
        turned = self.gives(b, path, "f")
        if item.causality == "gyrator":
            there, back = ("G⁻¹", "G⁻ᵀ") if turned else ("Gᵀ", "G")
        else:
            there, back = ("B", "Bᵀ") if turned else ("B⁻ᵀ", "B⁻¹")
        yield self._gain(f"{path} → b", path, there, a, b)
        yield self._gain(f"{path} → a", path, back, b, a)

    def _law(self, path: str, item: Element, bonds: tuple[Bond, ...]) -> Block:
        given = tuple((b.name, self._letter(path, b, True)) for b in bonds)
        read = [(b.name, self._letter(path, b, False)) for b in bonds]
        signs = [self._sign(path, b) if letter == "f" else 1 for b, (_, letter) in zip(bonds, read, strict=True)]
        source, size = item.code in _SOURCES, max(b.size for b in bonds)
        inputs = () if source else tuple(zip(read, signs, strict=True))
        if source:
            return Block(path, "source", item.code, path, inputs, given, size)
        inputs += tuple((variable, 1) for variable in self.read(path))
        return Block(path, "law", item.code, path, inputs, (*given, *self.given(path)), size)

    def _sign(self, path: str, bond: Bond) -> int:
        """+1 where the half-arrow has the direction of the element's own port: laws are written for that direction."""
        item = self.graph.elements[path]
        port = next(p for p in item.ports() if isinstance(p, PowerPort) and p.name == bond.end(path).port)
        return 1 if bond.into(path) == port.inward else -1


def _resistor(item: R | G, gives_flow: bool) -> str:
    """The gain of a resistor that gives the flow, or the effort."""
    own = "R" if isinstance(item, R) else "G"
    return own if gives_flow == (own == "G") else f"1/{own}"


_COMMON = {"one": "f", "zero": "e"}
_SOURCES = ("Se", "Sf", "MSe", "MSf")
