"""Draws a graph in minimal coordinates: one 1-junction of all velocities, everything else joined to it."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import Constraint, EulerGyrator, I
from multibond.elements.carried import TransformedGyrator, VirtualInertia
from multibond.expr import flat, matrix
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.junctions import DirectSum, One
from multibond.rewrite.carry import momentum_of
from multibond.rewrite.edit import with_values
from multibond.rewrite.flows import STRUCTURE
from multibond.rewrite.kinematics import Kinematics
from multibond.rewrite.moduli import Modulus, product, transformer

JUNCTION = "velocities"


class Drawing:
    """leads: the virtual inertia is regular and gives all velocities; M: None at level 1, where loops stay loops.

    momentum: of the virtual inertia at the start, where inertias have given ones.
    """

    def __init__(self, work: Kinematics, M: Modulus | None, leads: bool, momentum: np.ndarray | None) -> None:
        self.work, self.edit, self.M, self.leads, self.momentum = work, work.edit, M, leads, momentum
        self.size = work.size if M is None else M.columns
        self.like = Bond("", End("", ""), End("", ""), self.size)
        self.carried = [(p, b) for p, b in work.ends if self._is_carried(p, b)]

    def _is_carried(self, path: str, bond: Bond) -> bool:
        item = self.work.graph.elements[path]
        if not isinstance(item, I) or item.inertia is None:
            return False
        return self.leads or not (self.work.is_base(path, bond) or momentum_of(self.work.graph, path) is not None)

    def graph(self) -> Graph:
        """The graph."""
        edit, old = self.edit, self.work.graph
        for path, item in old.elements.items():
            if isinstance(item, STRUCTURE):
                edit.drop(path)
        edit.bonds.clear()
        edit.add(JUNCTION, One(JUNCTION, size=self.size))
        self._inertia()
        for path, bond in self.work.ends:
            self._element(path, bond)
        self._givers()
        self._starts()
        return edit.graph().with_(frames=())

    def _element(self, path: str, bond: Bond) -> None:
        item = self.work.graph.elements[path]
        still = not self.work.takes_flow(path, bond) and not self.work.is_base(path, bond)
        dropped = isinstance(item, Constraint) and (self.M is not None or path not in self.work.cuts)
        if (path, bond) in self.carried or still or dropped:
            self._drop(path)
        elif isinstance(item, EulerGyrator) and bond.into(path) and not item.split:
            self._gyrator(path, bond, item)
        elif not self._stays(path, bond):
            self._through(path, bond)

    def _drop(self, path: str) -> None:
        if path in self.edit.elements:
            self.edit.drop(path)

    def _stays(self, path: str, bond: Bond) -> bool:
        """Whether an element keeps a velocity of its own, led to it by the direct sum."""
        return self.work.is_base(path, bond) and self.M is None

    def _over(self, path: str, bond: Bond) -> Modulus:
        """The matrix from the junction to an element."""
        T = self.work.T[path, bond.end(path).port]
        return T if self.M is None else product(self.edit, T, self.M, f"{path}_M")

    # -- what is carried -----------------------------------------------------------------------------------------------

    def _inertia(self) -> None:
        """One virtual inertia for all: their matrices one below the other."""
        if not self.carried:
            return
        rows = sum(bond.size for _, bond in self.carried)
        over = [self._over(path, bond) for path, bond in self.carried]
        B = self.work.flows.combined(self.work.stack(self.carried, over), rows, "inertias", self.size)
        items: list[Any] = [self.work.graph.elements[path] for path, _ in self.carried]
        J = ca.diagcat(*(matrix(i.inertia, b.size) for i, (_, b) in zip(items, self.carried, strict=True)))
        twin = VirtualInertia("inertia", 1.0, rows, self.size, B.transposed, independent=self.leads)
        place = self._attach("inertia", with_values(twin, inertia=J), B)
        if self.leads and self.momentum is not None:
            self.edit.starts[place] = {"state": self.momentum}

    def _gyrator(self, path: str, bond: Bond, item: EulerGyrator) -> None:
        B = self._over(path, bond)
        self.edit.drop(path)
        twin = TransformedGyrator(item.name, 1.0, 3, self.size, B.transposed)
        self._attach(f"{path}_carried", with_values(twin, inertia=item.inertia), B)

    def _attach(self, path: str, item: Any, B: Modulus) -> str:
        place = self.edit.free(path)
        value = None if B.value is None else ca.densify(flat(B.value))
        self.edit.add(place, with_values(item, name=place.rsplit(".", 1)[-1], modulus=value))
        self.edit.bond(End(JUNCTION, "any"), End(place, "port"), self.like)
        if B.value is None:
            self.edit.read(B.signal, place, "modulus", B.select)
        return place

    # -- what is joined ------------------------------------------------------------------------------------------------

    def _through(self, path: str, bond: Bond) -> None:
        """Join an element by a transformer of its own; the half-arrow goes through."""
        port = bond.end(path).port
        name = self.edit.free(f"{path}_T" if port == "port" else f"{path}_{port}_T")
        transformer(self.edit, name, self._over(path, bond))
        own, one = bond.end(path), End(JUNCTION, "any")
        if bond.into(path):
            self.edit.bond(one, End(name, "a"), bond, self.size)
            self.edit.bond(End(name, "b"), own, bond)
        else:
            self.edit.bond(End(name, "a"), one, bond, self.size)
            self.edit.bond(own, End(name, "b"), bond)

    def _givers(self) -> None:
        """Lead each velocity to the element that has it; one whose inertia was carried ends at a 1-junction."""
        order = [(p, b) for p, b in self.work.ends if self.work.is_base(p, b)] if self.M is None else []
        if len(order) == 1:
            self._lead(*order[0], End(JUNCTION, "any"))
        elif order:
            sizes = [bond.size for _, bond in order]
            split = self.edit.free("split")
            self.edit.add(split, DirectSum(split, sizes[0], sizes[1], more=tuple(sizes[2:])))
            self.edit.bond(End(JUNCTION, "any"), End(split, "whole"), self.like)
            for k, (path, bond) in enumerate(order):
                self._lead(path, bond, End(split, f"part_{k + 1}"))

    def _lead(self, path: str, bond: Bond, place: End) -> None:
        if path in self.edit.elements:
            self.edit.bond(*((place, bond.end(path)) if bond.into(path) else (bond.end(path), place)), bond)
        elif place.element != JUNCTION:
            self.edit.bond(place, End(self.edit.add(f"{path}_velocity", One("velocity", size=bond.size)), "any"), bond)

    def _starts(self) -> None:
        """Joints begin where the loops are closed."""
        for name, q in self.work.positions.items() if self.M is not None and self.work.cuts else ():
            path = name.removesuffix(".q")
            if not q.size:  # a weld
                continue
            self.edit.starts[path] = {**self.edit.starts.get(path, {}), "q": q}
