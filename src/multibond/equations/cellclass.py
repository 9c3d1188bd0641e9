"""What the assembly of a cell produces (`CellClass`), and what it works on (`Walk`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.equations.cells import Cell
from multibond.equations.timed import Timed
from multibond.equations.writing import Sheet
from multibond.expr import SX, column
from multibond.formula.value import Passing
from multibond.graph.graph import Graph, Reader
from multibond.structure.causality import Causality
from multibond.structure.tree import Tree


@dataclass(frozen=True)
class FrameSymbols:
    """A frame as a cell sees it: pose, flow, rate of flow, and the effort that other cells put on it."""

    attitude: SX
    position: SX
    flow: SX
    rate: SX
    effort: SX
    owns_rotation: bool
    owns_translation: bool
    owns_attitude: bool
    owns_position: bool

    @property
    def owns_anything(self) -> bool:
        """Whether the cell decides any part of the frame's motion."""
        return self.owns_rotation or self.owns_translation or self.owns_attitude or self.owns_position

    @property
    def pose(self) -> SX:
        """Attitude and position in one column."""
        return column([self.attitude, self.position])


@dataclass(frozen=True)
class Slot:
    """A stretch of a cell's states or unknowns: whose, which, how long, and of what kind."""

    element: str
    name: str
    size: int
    kind: str
    lanes: tuple[int, ...] = ()
    """Which components of the element's state these are, where they are not all."""


@dataclass(frozen=True)
class Angle:
    """A state that is an angle: whose, which component, where it lies; whether sines and cosines read it."""

    element: str
    component: int
    place: int
    turns: bool


@dataclass(frozen=True)
class Dependent:
    """A storage in derivative causality: the value of its state and the symbol that stands for its rate."""

    element: str
    state: str
    component: int
    value: SX
    rate: SX


@dataclass(frozen=True)
class Jumps:
    """What happens at instants: modes to switch to, kinks to stop at, held states to renew, storages that may jump.

    switches: element and mode, one for each row of `switch_when`; edges: element for each row of `edge_where`.
    updates: element, state and period for each row of `update_to`. stored: element, state and component for each row of
    `stored`, the state of a dependent storage; `impulse` are symbols added to the rates of these. timed: what decides
    the conditions that are known by time; where there are any, the clock's offset and rate are the last parameters.
    """

    switches: tuple[tuple[str, str], ...] = ()
    switch_when: SX = field(default_factory=lambda: SX(0, 1))
    edges: tuple[str, ...] = ()
    edge_where: SX = field(default_factory=lambda: SX(0, 1))
    updates: tuple[tuple[str, str, float], ...] = ()
    update_to: SX = field(default_factory=lambda: SX(0, 1))
    dependents: tuple[tuple[str, str, int], ...] = ()
    stored: SX = field(default_factory=lambda: SX(0, 1))
    impulse: SX = field(default_factory=lambda: SX(0, 1))
    timed: Timed = field(default_factory=Timed)


@dataclass(frozen=True)
class CellClass:
    """The equations of a class of cells, as expressions of its own symbols."""

    name: str
    time: SX
    x: SX
    p: SX
    y: SX
    frames: tuple[FrameSymbols, ...]
    states: tuple[Slot, ...]
    unknowns: tuple[Slot, ...]
    pose_out: tuple[SX, ...]
    flow_out: tuple[SX, ...]
    rate_out: tuple[SX, ...]
    effort_out: tuple[SX, ...]
    xdot: SX
    residual: SX
    held_flow: SX
    gap: SX
    imposed_gap: SX
    values: dict[str, SX]
    energy: dict[str, SX]
    jumps: Jumps = field(default_factory=Jumps)
    angles: tuple[Angle, ...] = ()
    """Its angles; the turns left out of them stand behind its parameters."""


@dataclass
class Walk:
    """Working data while one class is assembled."""

    graph: Graph
    tree: Tree
    causality: Causality
    givers: dict[str, Reader]
    cell: Cell
    sheet: Sheet
    time: SX
    frames: list[FrameSymbols]
    states: list[tuple[Slot, SX]] = field(default_factory=list)
    rates: dict[int, SX] = field(default_factory=dict)
    dependent: list[Dependent] = field(default_factory=list)
    derivatives: list[tuple[SX, SX]] = field(default_factory=list)
    balances: list[tuple[Slot, SX]] = field(default_factory=list)
    multipliers: list[tuple[Slot, SX, SX, SX]] = field(default_factory=list)
    imposed: list[SX] = field(default_factory=list)
    """Gaps behind flows that constraints impose while poses are integrated."""
    switches: list[tuple[str, str, SX]] = field(default_factory=list)
    edges: list[tuple[str, SX, Passing | None]] = field(default_factory=list)
    known: list[list[bool]] = field(default_factory=list)
    """For each component of each edge whether the time alone decides it; empty where none is."""
    timed: Timed = field(default_factory=Timed)
    clock: SX = field(default_factory=lambda: SX(0, 1))
    """Offset and rate of the clock at which conditions of the time are read, where there are any."""
    updates: list[tuple[str, str, SX, float]] = field(default_factory=list)
