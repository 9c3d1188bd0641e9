"""What the strokes are free in: the choices in their order, and three ways to make them.

By search, which takes back the latest choice that can go the other way; by numbers, asking after each choice whether
the junction structure can still be completed; leniently, where what cannot be kept is given from both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from multibond.errors import CausalityError, Finding
from multibond.graph.graph import Bond
from multibond.structure.floats import follows, massless
from multibond.structure.neighbours import ends_key
from multibond.structure.propagate import Assignment
from multibond.structure.solvable import Structure
from multibond.structure.wishes import wanted

MOST_TRIES = 500
"""After so many conflicts among free choices the first one stands."""


@dataclass
class Choice:
    """A component that may go either way, and the way it should go first."""

    bond: Bond
    element: str
    component: int
    gives_flow: bool
    free: bool = False


@dataclass
class _Decision:
    """A choice made: where the trail and the list of choices stood, and whether it is the second way already."""

    choice: Choice
    mark: int
    index: int
    second: bool = False


Decide = Callable[[Assignment, list[Choice]], list[str]]
"""Makes the choices in order; returns the bonds of those that were free."""
LEVELS = (("prefers flow", "prefers effort"), ("motion",), ("massless",), ("wants effort", "wants flow"), ("free",))
"""Storages in integral causality, free bodies where no inertia moves them, then inertias of zero behind those, then
laws that are explicit one way only, then linear resistors."""


def all_choices(state: Assignment, paths: list[str]) -> list[Choice]:
    """All components that may go either way, in the order in which they are decided."""
    levels: list[list[Choice]] = [[] for _ in LEVELS]
    floats = any(follows(item) for item in state.graph.elements.values())
    for path in paths:
        for i, (bond, k) in enumerate((b, k) for b in state.graph.bonds_of(path) for k in range(b.size)):
            word = state.word(path, bond, k)
            flow = word in ("prefers flow", "wants flow", "motion")
            if floats and massless(state.graph, path, i):
                word = "massless"
            for level, words in zip(levels, LEVELS, strict=True):
                if word in words:
                    level.append(Choice(bond, path, k, flow))
    bonds = sorted(state.graph.bonds, key=lambda b: (*ends_key(state.graph, b), b.name))
    rest = [Choice(b, b.tail.element, k, True, True) for b in bonds for k in range(b.size)]
    return [choice for level in levels for choice in level] + rest


def wished(state: Assignment, wishes: Mapping[str, str]) -> list[Choice]:
    """What the user wants, which is decided first."""
    return [Choice(bond, path, k, flow) for bond, path, k, flow in wanted(state.graph, wishes)]


def decide_by_search(state: Assignment, choices: list[Choice]) -> list[str]:
    """Make the choices in order; a conflict takes back the latest one that can go the other way."""
    made: list[_Decision] = []
    first: CausalityError | None = None
    index = tries = 0
    while index < len(choices):
        choice = choices[index]
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            index += 1
            continue
        decision = _Decision(choice, len(state.trail), index)
        while not _attempt(state, decision):
            tries += 1
            first = first or state.conflict
            while decision.second:
                if not made or tries > MOST_TRIES:
                    raise first if first is not None else AssertionError
                decision = made.pop()
            state.back_to(decision.mark)
            decision = _Decision(decision.choice, decision.mark, decision.index, second=True)
        made.append(decision)
        index = decision.index + 1
    return [d.choice.bond.name for d in made if d.choice.free]


def decide_by_numbers(state: Assignment, choices: list[Choice]) -> list[str]:
    """Make the choices in order, each in the first way after which the junction structure can still be completed.

    What is given from outside stays independent, if it is so at the beginning.
    """
    structure, free = Structure(state.graph), []
    if not structure.completable(state):
        raise _hopeless(state)
    bound = not structure.independent(state)
    for index, choice in enumerate(choices):
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            continue
        for second in (False, True):
            mark = len(state.trail)
            if _attempt(state, _Decision(choice, mark, index, second)):
                if structure.completable(state) and (bound or structure.independent(state)):
                    break
                state.back_to(mark)
        else:
            raise _hopeless(state)
        free += [choice.bond.name] if choice.free else []
    return free


def _hopeless(state: Assignment) -> CausalityError:
    """What is said where no choice is left; the search by strokes has said more already."""
    told = Finding("the strokes cannot be completed.", "What is given contradicts itself.", "Remove a source.")
    return state.conflict or CausalityError(told)


def decide_leniently(state: Assignment, choices: list[Choice]) -> list[str]:
    """Make the choices in order; what leads to a conflict both ways is given from both ends."""
    free: list[str] = []
    for index, choice in enumerate(choices):
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            continue
        mark, state.lenient = len(state.trail), False
        done = any(_attempt(state, _Decision(choice, mark, index, second)) for second in (False, True))
        state.lenient = True
        if not done and not _attempt(state, _Decision(choice, mark, index)):
            raise state.conflict or AssertionError
        free += [choice.bond.name] if choice.free else []
    return free


def _attempt(state: Assignment, decision: _Decision) -> bool:
    """Carry a decision out; false where it leads to a conflict."""
    choice = decision.choice
    try:
        state.put(choice.bond, choice.element, choice.component, choice.gives_flow != decision.second, choice.element)
        state.propagate()
    except CausalityError as error:
        state.conflict = error
        state.back_to(decision.mark)
        return False
    return True
