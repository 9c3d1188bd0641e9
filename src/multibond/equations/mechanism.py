"""The balances of a mechanism's joints: M(q) u' + h(t, q, u) + L λ = τ, as functions of (t, x, y, p).

Rows are the free motions of the joints that carry the tree. The balance of such a motion says what its drives must
give; constraints of cut joints add their rows C u' + c = 0 and their forces λ. Variables of algebraic loops are
eliminated where numbers are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from multibond.elements import FreeMotion, Se
from multibond.equations.dae import Dae, Whole
from multibond.equations.observe import Observer, observer_of
from multibond.equations.reduce import Reduced
from multibond.errors import unknown_name
from multibond.expr import SX, Function, column, square
from multibond.graph.origin import DRIVE


@dataclass(frozen=True)
class Mechanism:
    """Joints, their places among states and unknowns, and functions of (t, x, y, p)."""

    r: Reduced

    @property
    def dae(self) -> Dae:
        """The equations by cell."""
        return self.r.dae

    @property
    def whole(self) -> Whole:
        """The equations as expressions."""
        return self.r.whole

    @cached_property
    def observer(self) -> Observer:
        """Names and their expressions."""
        return observer_of(self.dae, self.whole)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """All joints that can move; in a plain graph also the flows that are states like those of joints."""
        moving = [path for path, item in motions(self.dae).items() if item.motion.freedoms]
        flows = [place.path for place in self.dae.states if place.kind == "flow" and place.path not in moving]
        return tuple(self.dae.graph.joint(path) for path in (*moving, *flows))

    def motion(self, joint: str) -> str:
        """The path of a joint's motion."""
        if joint not in self.joints:
            raise unknown_name("the mechanism", joint, self.joints, offer="Name joints.")
        return self._paths.get(joint, joint)

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {self.dae.graph.joint(path): path for path in motions(self.dae)}

    @cached_property
    def powered(self) -> dict[str, list[str]]:
        """Joints that have drives of their own, and the sources that these are, component by component."""
        graph, found = self.dae.graph, {}
        for path, _ in graph.of_type(Se):
            if graph.origin(path).role == DRIVE:
                found.setdefault(graph.owner(path), []).append(path)
        return {joint: paths for joint, paths in found.items() if joint in self.joints}

    @cached_property
    def free(self) -> list[tuple[str, int, int]]:
        """Free motions of the tree: name, index of the speed among the states, of its rate among the unknowns."""
        found = []
        for place in self.dae.unknowns:
            state = self.dae.place_of_state(place.path, place.name)
            if place.kind == "rate" and state is not None and state.kind == "flow":
                names = lane_names(self.dae.graph.joint(place.path), place.size)
                found += list(zip(names, state.range, place.range, strict=True))
        return sorted(found, key=lambda free: free[1])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The free motions of the tree, by joint."""
        return tuple(name for name, _, _ in self.free)

    @cached_property
    def speeds(self) -> list[int]:
        """Their speeds among the states."""
        return [x for _, x, _ in self.free]

    @cached_property
    def rates(self) -> list[int]:
        """Their rates among the unknowns."""
        return [y for _, _, y in self.free]

    @cached_property
    def forces(self) -> list[int]:
        """Constraint forces among the unknowns, without redundant ones."""
        held = {k for u in self.dae.unknowns if u.kind == "multiplier" for k in u.range}
        return [k for k in self.r.kept if k in held]

    @cached_property
    def others(self) -> list[int]:
        """Unknowns that are neither rates of joints nor constraint forces."""
        known = {*self.rates, *(k for u in self.dae.unknowns if u.kind == "multiplier" for k in u.range)}
        return [k for k in range(self.dae.ny) if k not in known]

    @property
    def arguments(self) -> list[SX]:
        """The arguments of all functions."""
        w = self.whole
        return [w.t, w.x, w.y, w.p]

    @cached_property
    def balance(self) -> Function:
        """All residuals and their slopes with respect to all unknowns, column after column; no drives of joints."""
        R = ca.densify(self.balances)
        return Function("balance", self.arguments, [column([R, ca.vec(ca.densify(ca.jacobian(R, self.whole.y)))])])

    @cached_property
    def leading(self) -> list[int]:
        """The parameters on which it depends how the speeds of loops follow from one another."""
        C = ca.jacobian(self.balances[self.forces], self.whole.y[self.rates])
        return sorted({int(k) for k in Function("C", self.arguments, [C]).jac_sparsity(0, 3).get_triplet()[1]})

    @cached_property
    def balances(self) -> SX:
        """The residuals with every joint's own drive taken away."""
        R = ca.vertsplit(self.whole.residual) if self.dae.ny else []
        effort, S = self._drives()
        added = S.T @ effort if effort.numel() else SX(len(self.rates), 1)
        for k, row in enumerate(self.rates):
            R[row] = R[row] + added[k]
        return column(R)

    def _drives(self) -> tuple[SX, SX]:
        """Efforts of the joints' own drives, and the slopes of the speeds they act on."""
        effort = column([self.observer.expression(f"{path}.e") for paths in self.powered.values() for path in paths])
        return effort, self.slopes(column([self.speed(j) for j in self.powered]))

    def speed(self, joint: str) -> SX:
        """The free flow of a joint."""
        return self.observer.expression(f"{self.motion(joint)}.f")

    def slopes(self, flow: SX) -> SX:
        """Derivatives of a flow with respect to the speeds of the tree's free motions."""
        return ca.densify(ca.jacobian(flow, self.whole.x[self.speeds] if self.speeds else SX(0, 1)))

    @cached_property
    def drives(self) -> SX:
        """Efforts of the joints' own drives, one for each free motion of the tree."""
        effort, S = self._drives()
        return S.T @ effort if effort.numel() else SX.zeros(len(self.rates))

    def actuation(self, joints: tuple[str, ...]) -> SX:
        """How the speeds of joints follow from the speeds of the tree, one row for each freedom."""
        return self.slopes(column([self.speed(j) for j in joints]))

    @cached_property
    def accelerations(self) -> SX:
        """Rates of the free flows of all joints."""
        return ca.densify(self.rate_of(column([self.speed(j) for j in self.joints])))

    def rate_of(self, expression: SX) -> SX:
        """The rate of an expression of time and states."""
        w = self.whole
        return ca.jtimes(expression, w.x, w.xdot) + ca.jacobian(expression, w.t)

    def frame(self, name: str) -> tuple[SX, SX, SX]:
        """Of a frame: velocity (angular, linear; world axes), its slopes, and its rate without accelerations."""
        exact = f"{name}.rotation.f" in self.observer.names
        base = name if exact else name.removesuffix(".rotation").removesuffix(".translation")
        known = self.frames
        if f"{base}.rotation.f" not in self.observer.names:
            raise unknown_name("the mechanism", name, known, offer="Name frames of parts, such as tool.frame.")
        R = square(self.observer.expression(f"{base}.attitude"))
        turning, going = (
            self.observer.expression(f"{base}.rotation.f"),
            self.observer.expression(f"{base}.translation.f"),
        )
        velocity = ca.densify(column([R @ turning, going]))
        w = self.whole
        still = ca.substitute(self.rate_of(velocity), w.y, SX.zeros(w.y.numel())) if w.y.numel() else velocity * 0
        return velocity, self.slopes(velocity), ca.densify(still)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames."""
        ending = ".rotation.f"
        both = {n.removesuffix(ending) for n in self.observer.names if n.endswith(ending)}
        return tuple(sorted(n for n in both if f"{n}.attitude" in self.observer.names))


def motions(dae: Dae) -> dict[str, FreeMotion]:
    """Motions of all joints in the order of the machine, in which every named result stands.

    First those of the tree as their states lie, from the world outwards; then those that are cuts or cannot move.
    """
    carried = (place.path for place in dae.states)
    items = dict(dae.graph.of_type(FreeMotion))
    return {path: items[path] for path in dict.fromkeys((*carried, *items)) if path in items}


def reacting(dae: Dae) -> list[str]:
    """Joints whose reactions have names, in the order of the machine."""
    joints = (dae.graph.joint(path) for path in motions(dae))
    return [joint for joint in joints if f"{joint}.reaction_force" in dae.graph.aliases]


def lane_names(joint: str, size: int) -> list[str]:
    """A name for each freedom of a joint: `hip`, or `ball[0]`, `ball[1]`, …"""
    return [joint] if size == 1 else [f"{joint}[{k}]" for k in range(size)]
