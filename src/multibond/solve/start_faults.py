"""What to say of a start that cannot be had: loops that do not close, speeds that contradict, nothing in balance."""

from __future__ import annotations

import numpy as np

from multibond.elements import Driver, MSf, Sf
from multibond.equations.dae import Dae, Whole
from multibond.equations.reduce import Reduced
from multibond.errors import Finding
from multibond.expr import SX
from multibond.formula import Formula
from multibond.solve.given import Given
from multibond.solve.open_loops import nearest_position, widest_gap


def _loop_joints(dae: Dae) -> list[str]:
    return sorted({dae.graph.joint(path) for path in (*dae.tree.cuts, *dae.tree.order)})


def cannot_meet(dae: Dae, whole: Whole, given: Given, x: np.ndarray, p: np.ndarray) -> Finding:
    """The fault of joints that do not meet, told in the nearest position."""
    x = nearest_position(dae, whole, given.positions, [given.x, x], p, given.fixed)
    gap, joints = widest_gap(dae, whole, x, p), _loop_joints(dae)
    told = f" with {', '.join(given.names)} as given" if given.names else ""
    left = f"The nearest position{told} leaves a gap of {gap}" if gap else f"There is no position{told}"
    return Finding(
        f"the machine cannot be assembled: joint {gap.joint!r} does not close."
        if gap
        else "the given positions contradict one another.",
        f"{left}; the loop: {', '.join(joints)}.",
        "Check the lengths and axes of the loop, or give fewer start values (a Guess may be moved).",
        tuple(joints),
    )


def no_balance(r: Reduced) -> Finding:
    """Massless parts move at once to where efforts balance; here there is no such place."""
    joints = tuple(dict.fromkeys(r.dae.graph.joint(r.dae.unknown_place(k).path) for k in r.mended))
    fact = "They have no inertia there, and with the start values as given the efforts balance in no position."
    cure = "Give what moves there a mass or an inertia, attach a damper or spring, or remove the effort."
    return Finding(f"nothing balances the efforts at {', '.join(map(repr, joints))}.", fact, cure, joints)


def cannot_move(dae: Dae, given: Given, error: float) -> Finding:
    """The fault of speeds, or of storages, that contradict."""
    joints, names = _loop_joints(dae), ", ".join(given.names) or "these"
    if not joints:
        fact = f"With {names} as given, storages that share a flow or an effort disagree by {error:.3g}."
        cure = "Give fewer start values; the others follow from them."
        paths = tuple(name.rpartition(".")[0] for name in given.names)
        return Finding("the given start values contradict one another.", fact, cure, paths)
    driven = _speed_sources(dae)
    told = [f"with {names} as given"] if given.names or not driven else []
    told += [f"driven by {', '.join(map(repr, driven))}"] if driven else []
    opening = ", ".join(told)
    fact = f"{opening[:1].upper()}{opening[1:]}, the constraints are violated by {error:.3g} (m/s or rad/s)."
    cure = f"Give fewer speeds{' or drives' if driven else ''}; the others follow from them."
    return Finding("the given speeds contradict one another.", fact, cure, tuple(joints))


def _speed_sources(dae: Dae) -> list[str]:
    """What fixes a speed from outside: sources at flanges, and joints with a path of their own."""

    def moves(item: object) -> bool:
        flow = item.flow if isinstance(item, Sf) else None
        return flow is None or isinstance(flow, Formula) or not SX(flow).is_zero()

    sources = [path for path, item in dae.graph.of_type((Sf, MSf)) if moves(item)]
    paths = dict.fromkeys(dae.graph.owner(path) for path, _ in dae.graph.of_type(Driver))
    return [*(dae.graph.owner(path) for path in sources), *paths]
