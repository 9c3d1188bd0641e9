"""Systems that cannot be solved, in the user's words: what is set twice, what nothing decides or balances."""

from __future__ import annotations

import numpy as np

from multibond.elements import Se
from multibond.elements.blocks import Block
from multibond.equations.dae import Dae
from multibond.errors import CausalityError, Finding, MultibondError, StructureError
from multibond.graph.junctions import Zero
from multibond.units import ELECTRICAL

SIGNAL_CURE = "Change a gain of the loop, or put an Integrator, a FirstOrder or a SampledDelay into it."

GROUND_CURE = "Give the circuit a Ground: voltages are counted from it, and every circuit needs one of its own."

SMALL = 1e-9
"""A matrix with a singular value below this fraction of its largest counts as singular."""


def contradiction(dae: Dae, rows: list[int]) -> MultibondError:
    """An equation without any unknown that does not hold; rows: the equations it was combined from."""
    told = _conflicts(dae, rows)
    if told:
        return CausalityError(*told)
    names = _names(dae, rows)
    listed = ", ".join(repr(n) for n in names)
    if _in_loops(dae, rows):
        fact = "Going round it the laws demand of the sources what they do not give, whatever passes through it."
        cure = "Remove one of the sources, or put an R, a C or an I into the loop."
        if of_signals(dae, names):
            fact = "Going round it a signal comes back as it was, with something added that it cannot contain."
            cure = SIGNAL_CURE
        return StructureError(Finding(f"the loop through {listed} has no solution.", fact, cure, names))
    fact = "The freedom has no inertia, no damper and no spring, and an effort acts on it."
    cure = "Give what moves there a mass or an inertia, attach a damper or spring, or remove the effort."
    return StructureError(Finding(f"nothing balances the effort at {listed}.", fact, cure, names))


def undecided(dae: Dae, rows: list[int], unknowns: list[int]) -> MultibondError | None:
    """Equations that say nothing and unknowns that nothing decides; None where these are motions, which may rest."""
    told = _conflicts(dae, rows)
    if told:
        return CausalityError(*told)
    if not _in_loops(dae, unknowns):
        return None
    names = _mesh(dae, unknowns)
    fact = "Going round it every value comes back as it was, so what passes through it is not determined."
    cure = "Remove one of the parallel bonds, put an element into the mesh, or change a gain of the loop."
    listed = ", ".join(repr(n) for n in names) or "the graph"
    if of_signals(dae, names):
        return StructureError(Finding(f"the loop through {listed} decides nothing.", fact, SIGNAL_CURE, names))
    if _without_ground(dae, names):
        fact = f"All voltages about {listed} may rise together, so that nothing tells any of them."
        return StructureError(Finding("a circuit has no ground.", fact, GROUND_CURE, names))
    return StructureError(Finding(f"a mesh through {listed} decides nothing.", fact, cure, names))


def not_determined(dae: Dae, samples: np.ndarray, keep: list[int]) -> MultibondError:
    """Unknowns that are not determined; samples: the matrix of their equations at the start and at other places."""
    samples = samples[np.isfinite(samples).all(axis=(1, 2))]
    u, s, _ = np.linalg.svd(samples)
    least = s[:, -1] / np.maximum(s[:, 0], 1e-300)
    worst = int(np.argmin(least))
    rows = [keep[k] for k in np.flatnonzero(np.abs(u[worst, :, -1]) > 0.1)]
    told = _conflicts(dae, rows)
    if told:
        return CausalityError(*told)
    names = _names(dae, rows)
    listed = ", ".join(repr(n) for n in names)
    forces = all(kind == "multiplier" for _, _, kind in _places(dae, rows))
    if not _in_loops(dae, rows) and (forces or least.max() > SMALL > least[0]):
        return StructureError(singular_start(_joints(dae, rows)))
    if not _in_loops(dae, rows):
        least_one = abs(s[worst, -1])
        fact = f"No inertia, damper or spring acts on a combination of them (smallest singular value {least_one:.1e})."
        cure = (
            "Give the parts that move there a mass or an inertia, or start away from a position where bars are in line."
        )
        return StructureError(Finding(f"the motion of {listed} is not determined.", fact, cure, names))
    if least.max() > SMALL > least[0]:
        fact = "A slope of their laws vanishes there, so that a small change would have no answer."
        cure = (
            "Start elsewhere, give the law the other way round (its flow for its effort), or put a C or an I beside it."
        )
        return StructureError(Finding(f"the loop through {listed} is not determined at the start.", fact, cure, names))
    fact = f"Their laws determine no single value (smallest singular value {s[worst, -1]:.1e})."
    cure = SIGNAL_CURE if of_signals(dae, names) else "Check these laws, or put a C or an I into the loop."
    return StructureError(Finding(f"the loop through {listed} is not determined.", fact, cure, names))


def singular_start(joints: tuple[str, ...]) -> Finding:
    """A mechanism that starts where its constraints lose their hold."""
    fact = "Bars or axes are in line there, and more than one motion is possible from it."
    cure = "Start a little beside it, on the side to which it shall move."
    listed = ", ".join(repr(joint) for joint in joints)
    return Finding(f"the loop through {listed} starts in a singular position.", fact, cure, joints)


def no_slope(dae: Dae, rows: list[int]) -> MultibondError:
    """Equations with an infinite slope at the start."""
    names = _names(dae, rows)
    listed = ", ".join(repr(n) for n in names)
    fact = "A law there has an infinite slope (as a square root at zero), so that the loop cannot be solved from it."
    cure = (
        "Start elsewhere, give the law the other way round (its flow for its effort), or make it smooth at that place."
    )
    return StructureError(Finding(f"the loop through {listed} has no finite slope at the start.", fact, cure, names))


def _places(dae: Dae, rows: list[int]) -> list[tuple[str, str, str]]:
    wanted = set(rows)
    return [(u.path, u.name, u.kind) for u in dae.unknowns if wanted.intersection(u.range)]


def _names(dae: Dae, rows: list[int]) -> tuple[str, ...]:
    """The elements behind equations; joints by their own name, components of other unknowns with their number."""
    found = []
    for k in rows:
        place = next(u for u in dae.unknowns if k in u.range)
        joint = place.name == "u" or place.kind == "multiplier"
        lane = f"[{k - place.start}]" if place.size > 1 else ""
        plain = f"{dae.graph.joint(place.path)}{lane}" if place.name == "u" else dae.unknown_name(k)
        found.append(plain if joint else place.path)
    return tuple(dict.fromkeys(name for name in found if name))


def _joints(dae: Dae, rows: list[int]) -> tuple[str, ...]:
    """The joints behind equations: of their constraints, and of their motions."""
    places = _places(dae, rows)
    told = (dae.graph.owner(p) if kind == "multiplier" else dae.graph.joint(p) for p, _, kind in places)
    return tuple(dict.fromkeys(told))


def of_signals(dae: Dae, names: tuple[str, ...]) -> bool:
    """Whether a loop is one of blocks, which no bond graph element can mend."""
    return bool(names) and all(isinstance(dae.graph.elements.get(name), Block) for name in names)


def _without_ground(dae: Dae, names: tuple[str, ...]) -> bool:
    """Whether these are part of a circuit in which no node has its voltage given, as a Ground does."""
    elements, seen, queue = dae.graph.elements, set(names), list(names)
    if not names or any(bond.domain != ELECTRICAL for name in names for bond in dae.graph.bonds_of(name)):
        return False
    while queue:
        path = queue.pop()
        wires = [bond for bond in dae.graph.bonds_of(path) if bond.domain == ELECTRICAL]
        others = [bond.other(path).element for bond in wires]
        if isinstance(elements[path], Zero) and any(isinstance(elements[other], Se) for other in others):
            return False
        queue += [other for other in others if other not in seen]
        seen.update(others)
    return True


def _in_loops(dae: Dae, rows: list[int]) -> bool:
    return any(kind == "loop" for _, _, kind in _places(dae, rows))


def _mesh(dae: Dae, unknowns: list[int]) -> tuple[str, ...]:
    """The elements of a mesh: those whose causality was free, or those behind its unknowns."""
    bonds = dae.causality.arbitrary or tuple(path for path, _, kind in _places(dae, unknowns) if kind == "loop")
    return tuple(dict.fromkeys(end for name in bonds for end in name.split("#")[0].split("->") if end))


def _conflicts(dae: Dae, rows: list[int]) -> tuple[Finding, ...]:
    """What was set from both ends in these equations."""
    tails = {path for path, name, _ in _places(dae, rows) if name == "twice"}
    named = {bond.name: bond.tail.element for path in tails for bond in dae.graph.bonds_of(path)}
    found = [finding for (bond, _), finding in dae.causality.conflicts.items() if named.get(bond) in tails]
    return tuple(dict.fromkeys(found))
