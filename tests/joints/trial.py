"""A random mechanism compiled once by every method, from parts in ever another order, and run with many numbers.

Start states are written by hand from the numbers: coordinates and speeds of joints, poses and momenta of free bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import multibond as mb
from multibond.lower.recipe import Recipe
from multibond.pipeline import rebuilt
from multibond.pipeline.changing import keeps_rank
from multibond.solve.reading import evaluate
from multibond.solve.solution import Solution

from .drawing import Drawing
from .geometry import HOME, Pose, rank
from .numbers import FLAT, Numbers, conditions, draw, relative, speeds
from .plans import Plan

EXACT = ("auto", "multiplier", "zcp", "minimal")
UNTIL = 0.3
T = np.linspace(0.0, UNTIL, 13)
CLEAR = 0.05
"""Velocities that minimal coordinates chose for other numbers and that depend more on one another are chosen anew."""
Values = dict[str, np.ndarray]


@dataclass(frozen=True)
class Trial:
    """A plan, compiled for its first numbers."""

    plan: Plan
    seed: int

    @cached_property
    def drawing(self) -> Drawing:
        """Parts and connections with the first numbers."""
        return Drawing(self.plan, draw(self.plan, 100 * self.seed))

    @cached_property
    def systems(self) -> dict[str, Any]:
        """By method the system, and under "cut" the one with loops cut elsewhere; each from another order of parts."""
        orders = [np.random.default_rng([self.seed, k]) for k in range(len(EXACT) + 1)]
        models = [self.drawing.model(order) for order in orders]
        made = {m: mb.compile(model, m, form="line") for m, model in zip(EXACT, models, strict=False)}
        if not any(edge.closing for edge in self.plan.edges):  # a rod closes the loop: a joint beside it is let go
            freed = self.plan.edges[-1].name
            return made | {"cut": mb.compile(self.drawing.model(orders[-1], freed), form="line")}
        return made | {"cut": mb.compile(models[-1], form="line", cuts=[self.other_cut(made["auto"])])}

    def other_cut(self, system: Any) -> str:
        """A joint of a loop that is no cut now: "it" if it can be, else the first."""
        cuts = {path.removesuffix(".motion") for path in system.dae.tree.cuts}
        loop = [e.name for e in self.plan.edges if e.name not in cuts and e.name != "branch"]
        return next((name for name in loop if name.startswith("it")), loop[0])

    def _independent(self, made: Numbers) -> float:
        """Smallest singular value of the chosen velocities over all motions that the conditions allow."""
        rows = conditions(self.plan, made, made.bodies, made.q)
        kept = np.linalg.svd(rows)[2][rank(rows)[0] :].T
        if self.plan.plane:
            whole = np.zeros((6 * self.plan.bodies, kept.shape[1]))
            whole[[6 * k + c for k in range(self.plan.bodies) for c in FLAT]] = kept
            kept = whole
        found = []
        for name in self.systems["minimal"].origin.velocities:
            path, _, lane = name.partition("[")
            edge = next(e for e in self.plan.edges if e.name == path)
            u = speeds(edge.type.kind, made.q[edge.name], relative(self.plan, made, edge, made.bodies)[2])
            found.append(u[int(lane.rstrip("]") or 0)] @ kept)
        sizes = np.linalg.svd(np.array(found), compute_uv=False)
        return float(sizes[-1] / sizes[0])

    # -- other numbers -------------------------------------------------------------------------------------------------

    def runs(self, made: Numbers, rtol: float = 1e-12) -> dict[str, Solution]:
        """Runs with other numbers, by method."""
        systems = {m: replace(s, parameters=parameters(s, made)) for m, s in self.systems.items()}
        known = self._states_by_hand(systems["auto"], made)
        if self._independent(made) < CLEAR:
            systems["minimal"] = mb.compile(Drawing(self.plan, made).model(), "minimal", form="line")
        found = {}
        for m, s in systems.items():
            x0 = self._settled(s, known) if m == "minimal" else started(s, known)
            origin = s.origin and replace(s.origin, make=lambda modes: systems["auto"])
            found[m] = fitting(replace(self._begun(s, made), x0=x0, origin=origin, recipe=Recipe()))
        return {m: mb.simulate(s, UNTIL, solver="dop853", rtol=rtol, atol=rtol / 10).check() for m, s in found.items()}

    def _begun(self, system: Any, made: Numbers) -> Any:
        """The system with start values of these numbers, by which the angles of cut joints are counted."""
        dae = system.dae
        given = {f"{e.name}.motion": {"q": made.q[e.name], "u": made.u[e.name]} for e in self.plan.edges}
        graph = dae.graph.with_(starts=dae.graph.starts | {k: v for k, v in given.items() if k in dae.graph.elements})
        return replace(system, reduced=replace(system.reduced, dae=replace(dae, graph=graph)))

    def _states_by_hand(self, plain: Any, made: Numbers) -> Values:
        """Coordinates and speeds of all joints; what free bodies hold is read from the machine that stands so."""
        known = {f"{e.name}.motion.q": made.q[e.name] for e in self.plan.edges}
        known |= {f"{e.name}.motion.u": made.u[e.name] for e in self.plan.edges}
        known |= {f"{e.name}.motion.turns": made.q[e.name][: e.type.kind.count] for e in self.plan.edges}
        names, function = self._momenta
        values = np.asarray(function(0.0, started(plain, known), np.zeros(plain.dae.ny), plain.parameters)).ravel()
        for name, size in names:
            known[name], values = values[:size], values[size:]
        for k in range(1, self.plan.bodies + 1):
            pose = made.bodies[k]
            angle = np.arctan2(pose.R[1, 0], pose.R[0, 0])
            flat_pose = np.array([angle, *pose.p[:2]])
            known[f"body{k}.free.motion.q"] = flat_pose if self.plan.plane else np.array([*quaternion(pose.R), *pose.p])
        return known

    @cached_property
    def _momenta(self) -> tuple[list[tuple[str, int]], Callable[..., Any]]:
        """Momenta of all inertias as a function of the plain machine's state."""
        plain = self.systems["auto"]
        paths = [path for path, _ in plain.dae.graph.of_type(mb.I)]
        names = [(f"{path}.p", plain.observer.expression(f"{path}.p").numel()) for path in paths]
        return names, plain.observer.function([name for name, _ in names])

    def _settled(self, system: Any, known: Values) -> np.ndarray:
        """The start in minimal coordinates: momenta, in which speeds are linear, that give every joint its speed."""
        names, function = self._speeds if system.code is self.systems["minimal"].code else self._speeds_of(system)
        u = np.concatenate([known[name.removesuffix("f") + "u"] for name in names])
        momenta = [k for s in system.dae.states if s.kind != "position" for k in s.range]
        x = started(
            system, known | {f"{s.path}.{s.name}": np.zeros(s.size) for s in system.dae.states if s.name == "p"}
        )
        unit = np.vstack([x, x + np.eye(x.size)[momenta]])
        rows = [np.asarray(function(0.0, x, np.zeros(system.dae.ny), system.parameters)).ravel() for x in unit]
        x[momenta] = np.linalg.lstsq((np.array(rows[1:]) - rows[0]).T, u - rows[0], rcond=None)[0]
        return x

    @cached_property
    def _speeds(self) -> tuple[list[str], Callable[..., Any]]:
        return self._speeds_of(self.systems["minimal"])

    def _speeds_of(self, system: Any) -> tuple[list[str], Callable[..., Any]]:
        names = [f"{e.name}.motion.f" for e in self.plan.edges if e.type.kind.freedoms]
        names = [name for name in names if name in system.observer.names]
        return names, system.observer.function(names)

    # -- what is compared ----------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> list[str]:
        """Motion of bodies and joints, then reactions."""
        bodies = [f"body{k}" for k in range(1, self.plan.bodies + 1)]
        words = ("velocity", "frame.angle") if self.plan.plane else ("velocity", "angular_velocity", "frame.attitude")
        motion = [f"{body}.{what}" for body in bodies for what in ("frame.position", *words)]
        free = [e.name for e in self.plan.edges if e.type.kind.freedoms]
        motion += [f"{name}.{what}" for name in free for what in ("coordinates", "speeds")]
        force = [f"{e.name}.reaction_{what}" for e in self.plan.edges for what in ("force", "torque")]
        return motion + force + [f"{name}.force" for name, _, _ in self.plan.rods]

    def read(self, run: Solution, method: str) -> Values:
        """All that is compared, one row a time; quaternions with a positive first component."""
        found = {}
        for names, values in self._values(run, method):
            for name in names:
                size = self._sizes[name]
                found[name], values = values[:, :size], values[:, size:]
        for edge in self.plan.edges:
            if edge.type.kind.count == 3 and not edge.type.kind.quaternion:  # two sets of angles: the run knows which
                found[f"{edge.name}.coordinates"] = run.values([f"{edge.name}.coordinates"], T)
            if edge.type.kind.quaternion:
                q = found[f"{edge.name}.coordinates"]
                q[:, :4] *= np.where(q[:, :1] < 0, -1.0, 1.0)
        return found

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {name: self.systems["auto"].observer.expression(name).numel() for name in self.names}

    def _values(self, run: Solution, method: str) -> list[tuple[list[str], np.ndarray]]:
        """Values by what knows the names: forces in minimal coordinates come from the machine as drawn."""
        if any(piece.system.code is not self.systems[method].code for piece in run.pieces) and method == "minimal":
            return [(self.names, run.values(self.names, T))]
        names, function = self._readers[method]
        found = [(names, evaluate(run.system, function, T, run.states(T)))]
        if method == "minimal":
            names, function = self._readers["origin"]
            origin, x = run.original(run.pieces[0], T)
            found.append((names, evaluate(origin, function, T, x)))
        return found

    @cached_property
    def _readers(self) -> dict[str, tuple[list[str], Callable[..., Any]]]:
        lean = [name for name in self.names if self.systems["minimal"].observer.knows(name)]
        split = dict.fromkeys(self.systems, self.names) | {"minimal": lean}
        made = {m: (names, self.systems[m].observer.function(names)) for m, names in split.items()}
        rest = [name for name in self.names if name not in lean]
        return made | {"origin": (rest, self.systems["auto"].observer.function(rest))}

    def pose(self, values: Values, body: int, k: int) -> Pose:
        """Where a body's frame is at the k-th time."""
        if not body:
            return HOME
        p = values[f"body{body}.frame.position"][k]
        if self.plan.plane:
            angle = values[f"body{body}.frame.angle"][k, 0]
            c, s = np.cos(angle), np.sin(angle)
            return Pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([*p, 0.0]))
        return Pose(values[f"body{body}.frame.attitude"][k].reshape(3, 3), p)

    def twist(self, made: Numbers, values: Values, k: int) -> np.ndarray:
        """Twists of all bodies at the k-th time, in the world's axes; velocities are told at the centres of mass."""
        found = []
        for body in range(1, self.plan.bodies + 1):
            R, v = self.pose(values, body, k).R, values[f"body{body}.velocity"][k]
            centre = np.resize(made.values[f"body{body}.centre"], 3) * ([1, 1, 0] if self.plan.plane else 1)
            w = np.array([0, 0, v[2]]) if self.plan.plane else R @ values[f"body{body}.angular_velocity"][k]
            v = np.array([*v[:2], 0]) if self.plan.plane else v
            found += [w, v - np.cross(w, R @ centre)]
        return np.concatenate(found)


def fitting(system: Any) -> Any:
    """The system, with the rank of its constraints for its numbers where that is another."""
    return system if keeps_rank(system) else rebuilt(system, {}, [system.dae.energy_variables(system.x0)])


def flat(plan: Plan, twists: np.ndarray) -> np.ndarray:
    """Of all velocities those that the plan has."""
    return twists[[6 * k + c for k in range(plan.bodies) for c in FLAT]] if plan.plane else twists


def quaternion(R: np.ndarray) -> np.ndarray:
    """A unit quaternion of an attitude: the vector that its Davenport matrix stretches most."""
    x, y, z = R.T
    K = np.zeros((4, 4))
    K[0, 0], K[1:, 1:] = np.trace(R), R + R.T - np.trace(R) * np.eye(3)
    K[0, 1:] = K[1:, 0] = [y[2] - z[1], z[0] - x[2], x[1] - y[0]]
    return np.linalg.eigh(K)[1][:, -1]


def started(system: Any, known: Values) -> np.ndarray:
    """The state of a system whose parts are known by name."""
    x = np.zeros(system.n)
    for place in system.dae.states:
        value = known[f"{place.path}.{place.name}"]
        x[place.start : place.stop] = value[list(place.lanes)] if place.lanes else value
    return x


def parameters(system: Any, made: Numbers) -> np.ndarray:
    """The run-time numbers of a system, by their paths."""
    values = system.parameters.copy()
    for path, place in system.dae.parameter_places.items():
        if path in made.values:
            symbols, old = system.dae.graph.parameters[path]
            number = np.asarray(made.values[path], float)
            number = np.broadcast_to(number if number.ndim == 2 else number.reshape(-1, 1), old.shape)
            places = zip(*symbols.sparsity().get_triplet(), strict=True)
            values[place.start : place.stop] = [number[i, j] for i, j in places]
    return values
