"""Tables of kernels: loops and straight-line code give the same numbers."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from multibond.lower.emit import emit_model_function
from multibond.lower.jit import compile_ir
from multibond.lower.loop import KernelLoop, Program, Segment, Sweep, emit_looped, inline

from .native import call

BLOCK = 6
"""Doubles of one link in the workspace: angle, position (2), load (2), torque."""


def _outward() -> ca.Function:
    """Position of a link from that of its parent."""
    angle, parent, length = ca.SX.sym("angle"), ca.SX.sym("parent", 2), ca.SX.sym("length")
    return ca.Function("outward", [angle, parent, length], [parent + length * ca.vertcat(ca.cos(angle), ca.sin(angle))])


def _straight() -> ca.Function:
    """The same for a link without a joint."""
    parent, length = ca.SX.sym("parent", 2), ca.SX.sym("length")
    return ca.Function("straight", [parent, length], [parent + ca.vertcat(length, 0)])


def _inward() -> ca.Function:
    """Torque of a link, and the load it passes on to its parent."""
    position, load = ca.SX.sym("position", 2), ca.SX.sym("load", 2)
    return ca.Function("inward", [position, load], [load[0] * position[1], load + ca.vertcat(0.1, position[0])])


def _chain(links: int, parents: list[int]) -> Program:
    """Angles in x, lengths in p; out holds the torques and the load of the ground."""
    blocks = np.arange(1, links + 1) * BLOCK
    parent = (np.array(parents) + 1) * BLOCK
    lengths = (links + 1) * BLOCK + np.arange(links)
    jointed = [k for k in range(links) if k % 3]
    rigid = [k for k in range(links) if k % 3 == 0]
    outward = KernelLoop(_outward(), np.stack([blocks, parent + 1, lengths], 1)[jointed], blocks[jointed, None] + 1)
    straight = KernelLoop(_straight(), np.stack([parent + 1, lengths], 1)[rigid], blocks[rigid, None] + 1)
    order = [(int(k % 3 == 0), (rigid if k % 3 == 0 else jointed).index(k)) for k in range(links)]
    inward = KernelLoop(
        _inward(),
        np.stack([blocks + 1, blocks + 3], 1),
        np.stack([blocks + 5, parent + 3], 1),
        accumulate=(False, True),
        reverse=True,
    )
    return Program(
        size=(links + 1) * BLOCK + links,
        inputs=(
            *(Segment(1, int(block), 1, start=k) for k, block in enumerate(blocks)),
            Segment(2, int(lengths[0]), links),
        ),
        loops=(Sweep((outward, straight), np.array(order)), inward),
        outputs=(*(Segment(0, int(block) + 5, 1, start=k) for k, block in enumerate(blocks)), Segment(0, 3, 2, links)),
        zero=tuple((int(block) + 3, 2) for block in (0, *blocks)),
        constants=((1, (0.25, -0.5)),),
    )


def _reference(angles: np.ndarray, lengths: np.ndarray, parents: list[int]) -> np.ndarray:
    """The same chain in plain Python."""
    positions, loads, torques = {-1: np.array([0.25, -0.5])}, np.zeros((len(parents) + 1, 2)), np.zeros(len(parents))
    for k, parent in enumerate(parents):
        turn = 0.0 if k % 3 == 0 else angles[k]
        positions[k] = positions[parent] + lengths[k] * np.array([np.cos(turn), np.sin(turn)])
    for k in reversed(range(len(parents))):
        torques[k] = loads[k, 0] * positions[k][1]
        loads[parents[k]] += loads[k] + [0.1, positions[k][0]]
    return np.concatenate([torques, loads[-1]])


TREES = {
    "one link": [-1],
    "chain": list(range(-1, 11)),
    "star": [-1] * 9,
    "tree": [-1, 0, 0, 1, 1, 2, 2, 5, 0, 8, 8],
}


@pytest.mark.parametrize("name", TREES)
def test_loops_and_straight_line_code_agree(name: str) -> None:
    parents = TREES[name]
    links = len(parents)
    program = _chain(links, parents)
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", links), ca.SX.sym("p", links)
    straight = ca.Function("straight", [t, x, p], [inline(program, [t, x, p])])
    module = compile_ir(emit_looped(program, "looped") + emit_model_function(straight, "straight"), "light")
    rng = np.random.default_rng(5)
    work = np.zeros(program.size)
    for _ in range(3):
        angles, lengths = rng.uniform(-3, 3, links), rng.uniform(0.5, 2, links)
        looped, inlined = np.zeros(program.n_out), np.zeros(program.n_out)
        call(module, "looped", np.zeros(1), angles, lengths, looped, work)
        call(module, "straight", np.zeros(1), angles, lengths, inlined, work)
        np.testing.assert_allclose(looped, inlined, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(looped, _reference(angles, lengths, parents), rtol=1e-13, atol=1e-13)


def test_structural_zeros_vanish_from_straight_line_code() -> None:
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    product = ca.Function("product", [a, b], [a * b])
    program = Program(3, (Segment(1, 0, 1),), (KernelLoop(product, [[0, 1]], [[2]]),), (Segment(0, 2, 1),))
    assert inline(program, [ca.SX.sym("t"), ca.SX.sym("x"), ca.SX.sym("p")]).is_zero()


def test_a_kernel_may_write_where_it_reads() -> None:
    a, b = ca.SX.sym("a", 2), ca.SX.sym("b", 2)
    swap = ca.Function("swap", [a, b], [b, a + 1])
    program = Program(4, (Segment(1, 0, 4),), (KernelLoop(swap, [[0, 2]] * 3, [[0, 2]] * 3),), (Segment(0, 0, 4),))
    module = compile_ir(emit_looped(program, "f"), "light")
    out = np.zeros(4)
    call(module, "f", np.zeros(1), np.array([1.0, 2, 3, 4]), np.zeros(0), out, np.zeros(4))
    np.testing.assert_array_equal(out, _swapped())


def _swapped() -> list[float]:
    a, b = np.array([1.0, 2]), np.array([3.0, 4])
    for _ in range(3):
        a, b = b, a + 1
    return [*a, *b]


def test_tables_of_different_length_are_refused() -> None:
    a = ca.SX.sym("a")
    with pytest.raises(ValueError, match="do not fit together"):
        KernelLoop(ca.Function("f", [a], [a]), [[0], [1]], [[0]])
