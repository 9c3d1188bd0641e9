"""Trees of links as a program of class kernels: tables that `lower.loop` runs as loops or writes as one expression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.equations.dae import Dae
from multibond.equations.links import Link, LinkKernels, find_links, kernels
from multibond.lower.program import KernelLoop, Program, Segment, Sweep


@dataclass(frozen=True)
class TreeProgram:
    """The derivative of a tree as a program, and where the unknowns are left in the workspace."""

    program: Program
    unknowns: np.ndarray


class _Workspace:
    """Hands out places."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, length: int) -> int:
        start = self.size
        self.size += length
        return start


def tree_program(dae: Dae) -> TreeProgram | None:
    """Tables for the three sweeps, or None where the system is no tree of links."""
    links = find_links(dae)
    if links is None:
        return None
    made: dict[tuple[object, ...], int] = {}
    sets: list[LinkKernels] = []
    for link in links:
        if link.key not in made:
            made[link.key] = len(sets)
            sets.append(kernels(dae, link))
    return _tables(dae, links, [made[link.key] for link in links], sets)


@dataclass
class _Place:
    """Where one link's vectors lie."""

    x: int
    p: int
    carry: int
    kept: int
    y: int
    explicit: int


def _tables(dae: Dae, links: tuple[Link, ...], kind: list[int], sets: list[LinkKernels]) -> TreeProgram:
    work = _Workspace()
    time = work.take(1)
    count = len(dae.graph.frames)
    pose, flow = [work.take(12) for _ in range(count)], [work.take(6) for _ in range(count)]
    P, s = [work.take(21) for _ in range(count)], [work.take(6) for _ in range(count)]
    a = [work.take(6) for _ in range(count)]
    nowhere = {"pose": work.take(12), "flow": work.take(6), "P": work.take(21), "s": work.take(6), "a": work.take(6)}
    inputs, outputs = [Segment(0, time, 1)], []
    places: list[_Place] = []
    y_index = np.zeros(dae.ny, int)
    for link, k in zip(links, kind, strict=True):
        place = _allocate(dae, link, sets[k], work, inputs, outputs, y_index)
        places.append(place)
    rows_out, rows_in, rows_on = ([[] for _ in sets] for _ in range(3))
    order: list[tuple[int, int]] = []
    for link, k, at in zip(links, kind, places, strict=True):
        has = link.inlet >= 0
        inlet = {
            n: (table[link.inlet] if has else nowhere[n])
            for n, table in zip(("pose", "flow", "P", "s", "a"), (pose, flow, P, s, a), strict=True)
        }
        outs = link.outlets
        order.append((k, len(rows_out[k])))
        rows_out[k].append(
            (
                [time, at.x, at.p, inlet["pose"], inlet["flow"]],
                [*(pose[f] for f in outs), *(flow[f] for f in outs), at.carry, at.explicit],
            )
        )
        rows_in[k].append(
            ([at.p, at.carry, *(P[f] for f in outs), *(s[f] for f in outs)], [inlet["P"], inlet["s"], at.kept])
        )
        rows_on[k].append(([at.p, at.carry, at.kept, inlet["a"]], [at.y, *(a[f] for f in outs)]))
    forward = np.array(order)
    sweeps = (
        _sweep([s_.outward for s_ in sets], rows_out, forward, ()),
        _sweep([s_.inward for s_ in sets], rows_in, forward[::-1], (True, True, False)),
        _sweep([s_.onward for s_ in sets], rows_on, forward, ()),
    )
    zero = ((min(P), 21 * count), (min(s), 6 * count)) if count else ()
    program = Program(work.size, tuple(_merge(inputs)), sweeps, tuple(_merge(outputs)), zero)
    return TreeProgram(program, y_index)


def _allocate(
    dae: Dae,
    link: Link,
    made: LinkKernels,
    work: _Workspace,
    inputs: list[Segment],
    outputs: list[Segment],
    y_index: np.ndarray,
) -> _Place:
    rows = [dae.rows[k] for k in link.rows]
    x = work.take(sum(dae.classes[r.kind].x.numel() for r in rows))
    p = work.take(sum(r.p.size for r in rows))
    place = _Place(x, p, work.take(made.outward.numel_out(2 * len(link.outlets))), work.take(made.inward.numel_out(2)),
                   work.take(made.onward.numel_out(0)), work.take(len(made.explicit)))  # fmt: skip
    state_of = []
    at_x, at_p, at_y = x, p, place.y
    for row in rows:
        kind = dae.classes[row.kind]
        if kind.x.numel():
            inputs.append(Segment(1, at_x, kind.x.numel(), row.x))
        state_of += list(range(row.x, row.x + kind.x.numel()))
        for k, index in enumerate(row.p):
            inputs.append(Segment(2, at_p + k, 1, int(index)))
        y_index[row.y : row.y + kind.y.numel()] = range(at_y, at_y + kind.y.numel())
        at_x, at_p, at_y = at_x + kind.x.numel(), at_p + row.p.size, at_y + kind.y.numel()
    outputs += [Segment(0, place.explicit + k, 1, state_of[i]) for k, i in enumerate(made.explicit)]
    outputs += [Segment(0, place.y + k, 1, state_of[i]) for k, i in enumerate(made.rates)]
    return place


def _sweep(functions: list, rows: list[list], order: np.ndarray, accumulate: tuple[bool, ...]) -> Sweep:
    loops = tuple(
        KernelLoop(f, np.array([r for r, _ in table]), np.array([w for _, w in table]), accumulate)
        for f, table in zip(functions, rows, strict=True)
    )
    return Sweep(loops, order)


def _merge(segments: list[Segment]) -> list[Segment]:
    """Join copies that lie side by side."""
    out: list[Segment] = []
    for s in segments:
        last = out[-1] if out else None
        if (
            last
            and last.argument == s.argument
            and last.offset + last.length == s.offset
            and last.start + last.length == s.start
        ):
            out[-1] = Segment(last.argument, last.offset, last.length + s.length, last.start)
        else:
            out.append(s)
    return out
