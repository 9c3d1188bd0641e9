"""Why the reduced system has the states it has, and what became of the other variables: who gives them, and why.

Every remark names the elements it speaks of, so that a drawing can show them.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibond.elements import Constraint, FreeMotion
from multibond.equations.dae import Dae
from multibond.equations.household import state_names
from multibond.graph.graph import Bond
from multibond.pipeline import Stages
from multibond.view.states import why_state


@dataclass(frozen=True)
class Remark:
    """A variable or stretch of them, what is said about it, and the elements concerned."""

    name: str
    why: str
    paths: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


def chosen_states(dae: Dae) -> tuple[Remark, ...]:
    """The states by name, each with the reason."""
    named = state_names(dae)
    return tuple(Remark(named[p.path, p.name], why_state(dae, p), (p.path,)) for p in dae.states)


def eliminations(made: Stages) -> tuple[Remark, ...]:
    """What is no state and no unknown, and why: common variables, dependent storages, held flows, repeated rows."""
    found = [remark for path in sorted(made.graph.elements) for remark in _element(made, path)]
    loops = [
        Remark(f"{u.path}.{u.name}".strip("."), "in an algebraic loop, found anew at every instant", (u.path,))
        for u in made.dae.unknowns
        if u.kind == "loop"
    ]
    repeated = [Remark(name, "says what other constraints say already") for name in made.reduced.redundancy.names]
    return tuple(dict.fromkeys(found + loops + repeated))


def _element(made: Stages, path: str) -> list[Remark]:
    item, strokes = made.graph.elements[path], made.causality
    late = dict(strokes.dependent).get(path)
    if item.causality in ("one", "zero"):
        return _common(made, path, "f" if item.causality == "one" else "e")
    if late is not None:
        return [_dependent(made, path, late)]
    if isinstance(item, Constraint):
        return [_held(made, path)]
    return []


def _common(made: Stages, path: str, letter: str) -> list[Remark]:
    """Who gives the variable that all bonds of a junction share, component by component."""
    bonds, found = made.graph.bonds_of(path), {}
    for k in range(bonds[0].size if bonds else 0):
        for bond in bonds:
            if made.causality.gives_flow(bond, path, k) != (letter == "f"):
                found.setdefault(bond.name, (bond, []))[1].append(k)
    size = bonds[0].size if bonds else 0
    return [_shared(made, path, letter, bond, lanes, size) for bond, lanes in found.values() if len(bonds) > 1]


def _shared(made: Stages, path: str, letter: str, bond: Bond, lanes: list[int], size: int) -> Remark:
    giver = bond.other(path)
    some = "" if len(lanes) == size else "[" + ", ".join(str(k) for k in lanes) + "]"
    silent = made.graph.elements[giver.element].causality == {"e": "one", "f": "zero"}[letter]
    owner = giver.element if giver.port in ("port", "any") else f"{giver.element}.{giver.port}"
    why = f"is {bond.name if silent else owner}.{letter}{some}, {_gives(made, giver.element)}"
    return Remark(f"{path}.{letter}{some}", why, (path, giver.element))


def _gives(made: Stages, path: str) -> str:
    """How an element comes to give something."""
    item = made.graph.elements[path]
    if isinstance(item, FreeMotion):
        return "the free flow of a joint, which is a state"
    if isinstance(item, Constraint):
        return "held at zero by a joint"
    if item.causality in ("gives effort", "gives flow"):
        return f"given by {item.code} {path!r}"
    if item.causality.startswith("prefers"):
        return f"told by the state of {item.code} {path!r}, in integral causality"
    return f"handed on or computed by {item.code} {path!r}"


def _dependent(made: Stages, path: str, lanes: tuple[int, ...]) -> Remark:
    item = made.graph.elements[path]
    size = sum(b.size for b in made.graph.bonds_of(path))
    some = "" if len(lanes) == size else "[" + ", ".join(str(k) for k in lanes) + "]"
    state = next(iter(item.states({"port": size})), "p")
    what = "flow" if item.causality == "prefers flow" else "effort"
    bond = made.graph.bonds_of(path)[0]
    cause = made.causality.reason.get((bond.name, 0), "")
    led = f", led there by {cause!r}" if cause and cause != path else ""
    return Remark(
        f"{path}.{state}{some}", f"follows from its {what}, which others set{led}: derivative causality", (path,)
    )


def _held(made: Stages, path: str) -> Remark:
    bonds = made.graph.bonds_of(path)
    gives = all(made.causality.gives_flow(b, path, k) for b in bonds for k in range(b.size))
    if gives:
        return Remark(
            f"{path}.f", "zero by the choice of coordinates; its effort is the reaction, found afterwards", (path,)
        )
    return Remark(f"{path}.e", "unknown, found such that the flow stays zero", (path,))
