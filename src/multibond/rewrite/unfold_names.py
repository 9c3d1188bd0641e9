"""Household names of an unfolded graph: a vector becomes its components, in their order.

The effort at a 1-junction and the flow at a 0-junction belong to one bond alone: they are sums of what its others have.
"""

from __future__ import annotations

from multibond.graph.compound import Terms, components, is_compound, split_index, written
from multibond.graph.graph import Bond, End
from multibond.rewrite.unfold_draft import Draft

FAR = 6
"""So many junctions are passed in search of a variable."""
SHARED = {"one": "f", "zero": "e"}
"""What all bonds of a junction have in common."""


class LaneNames:
    """Writes what variables of the vector graph have become."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.at = draft, dict[str, list[Bond]]()
        for bond in draft.bonds:
            for end in (bond.tail, bond.head):
                self.at.setdefault(end.element, []).append(bond)

    def all(self) -> dict[str, str]:
        """Every household name that still means something."""
        old = self.draft.old
        signals = {signal.name for signal in old.signals}
        found = {}
        for alias, target in old.aliases.items():
            kept = target in old.aliases or target in signals
            new = target if kept else self._target(*split_index(target))
            if new is not None:
                found[alias] = new
        return found

    def _target(self, base: str, index: int | None) -> str | None:
        """A variable, or a component of it."""
        target = self._variable(base)
        if target is None or index is None:
            return target
        return written([components(target)[index]]) if is_compound(target) else f"{target}[{index}]"

    def _variable(self, target: str) -> str | None:
        """A variable of an element or of one of its ports; one that was not unfolded is the same as ever."""
        place, _, word = target.rpartition(".")
        owner, _, port = place.rpartition(".")
        if place in self.draft.elements or owner in self.draft.elements:
            return target
        if place in self.draft.old.elements:
            return self._components(place, word) or self._port(place, "port", word)
        return self._port(owner, port, word) if owner in self.draft.old.elements else None

    def _components(self, path: str, word: str) -> str | None:
        """Of an element that has become one for each component."""
        lanes = [name for k in range(self._size(path)) if (name := f"{path}.{k + 1}") in self.draft.elements]
        if not lanes or len(lanes) < self._size(path):
            return None
        terms = [(1, f"{lane}.{word}") for lane in lanes]
        return written([terms] if word == "power" else [[term] for term in terms])

    def _size(self, path: str) -> int:
        return max((bond.size for bond in self.draft.old.bonds_of(path)), default=0)

    def _port(self, path: str, port: str, word: str) -> str | None:
        """Of a port whose element has become several."""
        old = next((b for b in self.draft.old.bonds_of(path) if b.end(path).port == port), None)
        if old is None or word not in ("e", "f"):
            return None
        sums = [self._nearest(self.draft.lanes[old.name, k], word) for k in range(old.size)]
        return None if None in sums else written([terms for terms in sums if terms is not None])

    def _nearest(self, bond: Bond, word: str) -> Terms | None:
        """The effort or flow of a scalar bond, by the nearest variables that have names."""
        tried = (self._sum(bond, word, (), far) for far in range(FAR))
        return next((terms for terms in tried if terms is not None), None)

    def _sum(self, bond: Bond, word: str, passed: tuple[Bond, ...], far: int) -> Terms | None:
        """By variables that are at most so many junctions away."""
        for end in (bond.tail, bond.head):
            kind = self.draft.elements[end.element].causality
            if SHARED.get(kind, word) == word:
                return [(1, _named(end, word))]
        if len(passed) == far:
            return None
        both = [self._balance(end.element, bond, word, passed, far) for end in (bond.tail, bond.head)]
        return min((terms for terms in both if terms is not None), key=len, default=None)

    def _balance(self, junction: str, bond: Bond, word: str, passed: tuple[Bond, ...], far: int) -> Terms | None:
        """By what the other bonds of a junction have: with the half-arrows' signs all add up to zero."""
        total: Terms = []
        for other in self.at[junction]:
            if other is bond:
                continue
            part = None if any(other is b for b in passed) else self._sum(other, word, (*passed, bond), far)
            if part is None:
                return None
            sign = 1 if other.into(junction) != bond.into(junction) else -1
            total += [(sign * own, name) for own, name in part]
        return total


def _named(end: End, word: str) -> str:
    return f"{end.element}.{word}" if end.port in ("port", "any") else f"{end}.{word}"
