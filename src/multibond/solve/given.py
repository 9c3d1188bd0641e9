"""What is given for the start, component by component: in the state where it is one, as conditions where it is none.

What is fixed is exact, what is guessed is wished for, what is free follows; a joint at a cut has no state, so that what
is given there is a condition, or a wish, on the coordinates and speeds that its frames make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.elements import IC, C, FreeMotion, I
from multibond.elements.kinematics import TURNS
from multibond.elements.motions import MotionKind
from multibond.elements.storage import energy_of, inverse_of, law_at
from multibond.equations.consistent import neutral
from multibond.equations.dae import Dae, Place, Whole
from multibond.equations.observe import Observer
from multibond.equations.writing import port_sign
from multibond.expr import SX, Function, column, matrix
from multibond.graph.start import FIXED, FREE, GUESSED, StartVector


@dataclass(frozen=True)
class Wish:
    """A given acceleration: whose, the flow it is the rate of, and its numbers."""

    joint: str
    flow: SX
    number: np.ndarray


@dataclass
class Given:
    """What the user gave, and where what was not given begins.

    x, kinds: the state, each number free, guessed or fixed. positions, flows: fixed values that are no states, as
    conditions; guessed_positions, guessed_flows: guesses that are none; other_positions, other_flows: coordinates and
    speeds at cuts that are not given. accelerations, guessed_accelerations: rates of flows.
    """

    x: np.ndarray
    kinds: np.ndarray
    positions: list[SX] = field(default_factory=list)
    flows: list[SX] = field(default_factory=list)
    guessed_positions: list[SX] = field(default_factory=list)
    guessed_flows: list[SX] = field(default_factory=list)
    other_positions: list[SX] = field(default_factory=list)
    other_flows: list[SX] = field(default_factory=list)
    accelerations: list[Wish] = field(default_factory=list)
    guessed_accelerations: list[Wish] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    loose: bool = False
    stored: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)

    @property
    def fixed(self) -> np.ndarray:
        """Which states are exact."""
        return self.kinds == FIXED

    def put(self, place: Place, value: StartVector, components: Sequence[int]) -> None:
        """Give the components of an element's state that are states."""
        index = [place.start + k for k in range(place.size)]
        known = value.take(components)
        given = ~known.free
        self.x[np.array(index, int)[given]] = known.values[given]
        self.kinds[index] = known.kinds


def collect(dae: Dae, whole: Whole, p: np.ndarray, loose: bool) -> Given:
    """What the user gave for the start."""
    given = Given(neutral(dae), np.zeros(dae.nx, int), loose=loose)
    taking = _Taking(given, Observer(dae, whole), p)
    for path, item in dae.graph.of_type(FreeMotion):
        assert isinstance(item, FreeMotion)
        taking.joint(path, item)
    for path, values in sorted(dae.graph.starts.items()):
        if not isinstance(dae.graph.elements[path], FreeMotion):
            for name, value in values.items():
                taking.storage(path, name, value)
    return given


def household_name(dae: Dae, path: str, name: str) -> str:
    """What the user calls a start value: `O.angle` for the coordinate of joint O."""
    if name == "state":
        return f"{path}.start"
    if name == "a":
        return f"{dae.graph.joint(path)}.acceleration"
    target = f"{path}.{'f' if name in ('u', 'flow') else name}"
    plain = ("coordinates", "speeds")
    found = [a for a, t in dae.graph.aliases.items() if t == target and not a.endswith(plain)]
    spoken = {"q": "coordinates", "u": "speeds"}.get(name, name)
    return min(found, default=f"{dae.graph.joint(path)}.{spoken}")


@dataclass(frozen=True)
class _Taking:
    """Takes up start values one by one."""

    given: Given
    observer: Observer
    p: np.ndarray

    @property
    def dae(self) -> Dae:
        """The system."""
        return self.observer.dae

    # -- joints --------------------------------------------------------------------------------------------------------

    def joint(self, path: str, item: FreeMotion) -> None:
        """Coordinates, speeds and accelerations of a joint."""
        kind, starts = item.motion, self.dae.graph.starts.get(path, {})
        if kind.coordinates:
            self._coordinates(path, item, starts.get("q", StartVector(np.zeros(kind.coordinates), FREE)))
        if kind.freedoms:
            self._speeds(path, starts.get("u", StartVector(0.0, FREE)).spread(kind.freedoms))
        if "a" in starts:
            value = starts["a"].spread(kind.freedoms)
            self._accelerate(path, value.values, value.fixed, self.given.accelerations)
            self._accelerate(path, value.values, value.guessed, self.given.guessed_accelerations)
        for name, value in starts.items():
            self._name(path, name, value)

    def _coordinates(self, path: str, item: FreeMotion, value: StartVector) -> None:
        kind = item.motion
        value = attitude(kind, value.spread(kind.coordinates))
        turns, place = self.dae.place_of_state(path, TURNS), self.dae.place_of_state(path, "q")
        if turns is not None:
            self.given.x[turns.start : turns.stop] = value.values[: turns.size]
        if place is not None:
            self.given.put(place, value, place.lanes or range(kind.coordinates))
            self._lead(place, item)
            return
        read, given = self.observer.expression(f"{path}.q"), self.given
        for which, rows in (
            (value.fixed, given.positions),
            (value.guessed, given.guessed_positions),
            (value.free, given.other_positions),
        ):
            if which.any():
                rows.append(kind.apart(read, value.values, which))

    def _lead(self, place: Place, item: FreeMotion) -> None:
        """Coordinates that have a path begin where it does; at a cut the gap to it says so."""
        if item.led_lanes:
            at = [place.start + k for k in item.led_lanes]
            path = self.dae.plain(item, self.p).path
            self.given.x[at] = np.ravel(np.asarray(path.evaluate({"t": 0.0}), float))
            self.given.kinds[at] = FIXED

    def _speeds(self, path: str, value: StartVector) -> None:
        place = self.dae.place_of_state(path, "u")
        states = np.zeros(value.size, bool)
        if place is not None:
            states[list(place.lanes or range(value.size))] = True
            self.given.put(place, value, place.lanes or range(value.size))
        if not states.all():
            rows = self.observer.expression(f"{path}.f") - SX(value.values)
            self._flow_rows(rows, value, ~states)
            self.given.other_flows.append(rows[np.flatnonzero(value.free & ~states).tolist()])

    def _accelerate(self, path: str, values: np.ndarray, which: np.ndarray, wishes: list[Wish]) -> None:
        index = np.flatnonzero(which).tolist()
        if index:
            flow = self.observer.expression(f"{path}.f")[index]
            wishes.append(Wish(self.observer.dae.graph.joint(path), flow, values[index]))

    def _flow_rows(self, rows: SX, value: StartVector, which: np.ndarray) -> None:
        """Rows that vanish where flows are as given: conditions of what is fixed, wishes of what is guessed."""
        for kind, found in ((FIXED, self.given.flows), (GUESSED, self.given.guessed_flows)):
            index = np.flatnonzero(which & (value.kinds == kind)).tolist()
            if index:
                found.append(rows[index])

    def _name(self, path: str, name: str, value: StartVector) -> None:
        if value.fixed.any():
            self.given.names.append(household_name(self.dae, path, name))

    # -- storages ------------------------------------------------------------------------------------------------------

    def storage(self, path: str, name: str, value: StartVector) -> None:
        """Start of a storage: its state, or its flow or effort; of a dependent one a condition, or what it holds."""
        element = self.dae.plain(self.dae.graph.elements[path], self.p)
        states = element.states({"port": sum(b.size for b in self.dae.graph.bonds_of(path))})
        state = name if name in states else next(iter(states))
        size = states[state]
        value = value.spread(size) if value.size == 1 else value
        self._name(path, name, value)
        place = self.dae.place_of_state(path, state)
        dependent = np.ones(size, bool)
        if name in ("flow", "effort") and isinstance(element, I | C):
            held = self._held(element, value.values)
            if place is not None and not place.lanes and ca.depends_on(held, self.observer.whole.p):
                self._flow_rows(self.observer.expression(f"{path}.{state}") - held, value, dependent)
                value = StartVector(value.values, FREE)
            value = StartVector(self._number(held), value.kinds)
        if place is not None:
            self.given.put(place, value, place.lanes or range(size))
            dependent[list(place.lanes or range(size))] = False
        if place is not None and not place.lanes:
            return
        if self.given.loose:
            self.given.stored[path, state] = value.values
        elif isinstance(element, I | C):
            rows = self._dependent(path, element, value.values)
            self._flow_rows(rows, value, np.ones(size, bool))
        elif isinstance(element, IC):
            self._flow_rows(self._dependent_field(path, element, state, value.values), value, dependent)
        elif not ca.depends_on(held := self.observer.expression(f"{path}.{state}"), self.observer.whole.y):
            self._flow_rows(held - SX(np.array(value.values)), value, dependent)

    def _dependent(self, path: str, element: I | C, number: np.ndarray) -> SX:
        """What a dependent storage is said to hold, as a condition on the flow or effort that others give it."""
        bond = self.dae.graph.bonds_of(path)[0]
        if isinstance(element, I):
            law, given = element.inertia, port_sign(path, element, bond) * self.observer.expression(f"{path}.f")
        else:
            law, given = element.compliance, self.observer.expression(f"{path}.e")
        if law is None:
            return given - SX(law_at(element, number))
        return self._law(matrix(law, number.size)) @ given - SX(np.array(number))

    def _dependent_field(self, path: str, element: IC, state: str, number: np.ndarray) -> SX:
        """What a dependent side of a field is said to hold, as a condition on what others give to its ports."""
        held = {name: self.observer.expression(f"{path}.{name}") for name in ("q", "p")}
        side, what = ("c", "e") if state == "q" else ("i", "f")
        given = []
        for bond in self.dae.graph.bonds_of(path):
            port = bond.end(path).port
            if port.startswith(side):
                sign = port_sign(path, element, bond) if what == "f" else 1.0
                given.append(sign * self.observer.expression(f"{path}.{port}.{what}"))
        symbol = SX.sym(state, number.size)
        slope = ca.gradient(energy_of(element.energy, **held | {state: symbol}), symbol)
        return column(given) - ca.substitute(slope, symbol, SX(number))

    def _held(self, element: I | C, number: np.ndarray) -> SX:
        """The state of a storage with a given flow or effort."""
        law = element.inertia if isinstance(element, I) else element.compliance
        return SX(inverse_of(element, number)) if law is None else self._law(matrix(law, number.size)) @ SX(number)

    def _law(self, law: SX) -> SX:
        """Parameters of a law as numbers; where some are sought, as those of the system."""
        if not self.dae.graph.sought:
            return SX(self.dae.number(law, self.p))
        return self.dae.with_parameters(law, self.observer.whole.p)

    def _number(self, value: SX) -> np.ndarray:
        return np.asarray(Function("n", [self.observer.whole.p], [ca.densify(value)])(self.p)).reshape(-1)


def attitude(kind: MotionKind, value: StartVector) -> StartVector:
    """Quaternions are given up to their length; where only some of the numbers are fixed, the others have the rest."""
    if not kind.quaternion:
        return value
    q, loose = value.values.copy(), ~value.fixed[:4]
    if not loose.any() or (loose.all() and np.any(q[:4])):
        q[:4] /= np.linalg.norm(q[:4])
        return StartVector(q, value.kinds)
    rest = np.sqrt(max(0.0, 1.0 - float(np.square(q[:4][~loose]).sum())))
    if not q[:4][loose].any():
        q[:4][loose] = [1.0, *[0.0] * (loose.sum() - 1)] if loose[0] else 1.0
    q[:4][loose] *= rest / np.linalg.norm(q[:4][loose])
    return StartVector(q, value.kinds)
