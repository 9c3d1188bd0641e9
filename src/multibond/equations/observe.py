"""Everything by name: efforts, flows, states, signals, frames, also what was eliminated.

Names are paths: `hip.motion.q`, `coil.e`, `turn.a.f`; parts add household names (`hip.angle`). An index picks a
component: `hip.reaction_force[1]`. Values are expressions of time, states, unknowns and parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from multibond.equations.cellclass import CellClass
from multibond.equations.dae import Dae, Row, Whole
from multibond.errors import UnknownName, offered, unknown_name
from multibond.expr import SX, Function, column, entries, section
from multibond.graph.compound import components, followed, is_compound, split_index, variables
from multibond.structure.givers import signal_givers

FRAME_VARIABLES = ("attitude", "position", "rotation.f", "translation.f", "rotation.e", "translation.e")


@dataclass(frozen=True)
class Observer:
    """Looks up names in a system and writes their expressions."""

    dae: Dae
    whole: Whole

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name, household names first."""
        inner = [row.cell.prefix + name for row in self.dae.rows for name in self.dae.classes[row.kind].values]
        frames = [f"{f.name}.{v}" for f in self.dae.graph.frames for v in FRAME_VARIABLES[:4]]
        planes = [name for f in self.dae.graph.planes for name in (f.position, f.angle)]
        household = [name for name in self.dae.graph.aliases if self.knows(name)]
        return (*household, *inner, *frames, *planes)

    @cached_property
    def _signals(self) -> dict[str, str]:
        """What gives each signal, by the signal's name and by every port at it: so the poses of frames are found."""
        givers = signal_givers(self.dae.graph, self.dae.tree)
        by_name = {name: f"{end.element}.{end.port}" for name, end in givers.items()}
        whole = [(s.name, e) for s in self.dae.graph.signals for e in s.ends if e.select is None]
        return {f"{e.element}.{e.port}": by_name[name] for name, e in whole if name in by_name} | by_name

    @cached_property
    def _cells(self) -> dict[str, tuple[Row, str]]:
        return {
            row.cell.prefix + name: (row, name) for row in self.dae.rows for name in self.dae.classes[row.kind].values
        }

    @cached_property
    def _frames(self) -> dict[str, tuple[int, str]]:
        table: dict[str, tuple[int, str]] = {}
        for k, frame in enumerate(self.dae.graph.frames):
            table[frame.attitude] = (k, "attitude")
            table[frame.position] = (k, "position")
            table[f"{frame.rotation}.f"] = (k, "rotation.f")
            table[f"{frame.translation}.f"] = (k, "translation.f")
        return table

    def expression(self, name: str) -> SX:
        """The value of a name, as an expression."""
        base, index = split_index(name)
        target = resolve(self.dae, base)
        if not self._has(target):
            raise self._unknown(base)
        value = self._compound(target) if is_compound(target) else self._variable(target)
        if index is None:
            return value
        if index >= value.numel():
            raise unknown_name(
                f"{base!r} with {value.numel()} components", name, [f"{base}[{k}]" for k in range(value.numel())]
            )
        return value[index]

    def knows(self, name: str) -> bool:
        """Whether there is such a name."""
        return self._has(resolve(self.dae, split_index(name)[0]))

    def _has(self, target: str) -> bool:
        if not is_compound(target):
            return self._is_variable(split_index(target)[0])
        return all(self._is_variable(split_index(part)[0]) for part in variables(target))

    def _is_variable(self, name: str) -> bool:
        return name in self._cells or name in self._frames or self._signals.get(name) in self._cells

    def _variable(self, name: str) -> SX:
        if name in self._cells:
            return self._in_cell(*self._cells[name])
        if name in self._frames:
            return self._at_frame(*self._frames[name])
        base, index = split_index(name)
        return self._in_cell(*self._cells[self._signals[name]]) if index is None else self._variable(base)[index]

    def _compound(self, target: str) -> SX:
        """The components of what was a vector, one below the other."""
        sums = components(target)
        return column([sum((sign * self._variable(name) for sign, name in terms), SX(1, 1)) for terms in sums])

    def function(self, names: list[str]) -> Function:
        """(t, x, y, p) → the values of all names, one below the other."""
        whole = self.whole
        return Function("observe", [whole.t, whole.x, whole.y, whole.p], [column([self.expression(n) for n in names])])

    def _in_cell(self, row: Row, name: str) -> SX:
        kind = self.dae.classes[row.kind]
        call = Function("v", class_inputs(kind), [kind.values[name]])
        return call.call(cell_arguments(self.dae, self.whole, row))[0]

    def _at_frame(self, k: int, what: str) -> SX:
        pose, flow, _ = self.whole.frames[k]
        return {"attitude": pose[:9], "position": pose[9:], "rotation.f": flow[:3], "translation.f": flow[3:]}[what]

    def _unknown(self, name: str) -> UnknownName:
        return unknown_name("the model", name, self.names, offer=offered(name, self.names))


def resolve(dae: Dae, name: str) -> str:
    """Follow household names to the variable they stand for."""
    return followed(dae.graph.aliases, name)


def class_inputs(kind: CellClass) -> list[SX]:
    """What the cells of a class are given: time, states, parameters, unknowns, frames."""
    frames = kind.frames
    motion = [*(f.pose for f in frames), *(f.flow for f in frames), *(f.rate for f in frames)]
    return [kind.time, kind.x, kind.p, kind.y, *motion, *(f.effort for f in frames)]


def cell_arguments(dae: Dae, whole: Whole, row: Row) -> list[SX]:
    """What a cell is given, in the whole system's symbols."""
    kind = dae.classes[row.kind]
    frames = [whole.frames[k] for k in row.frames]
    efforts = [whole.efforts[k] for k in row.frames]
    return [
        whole.t,
        section(whole.x, row.x, row.x + kind.x.numel()),
        entries(whole.p, row.p),
        section(whole.y, row.y, row.y + kind.y.numel()),
        *(f[0] for f in frames),
        *(f[1] for f in frames),
        *(f[2] for f in frames),
        *efforts,
    ]
