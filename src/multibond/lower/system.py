"""System: the reduced equations as machine code, with the names to find one's way in it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Self

import casadi as ca
import numpy as np

from multibond.arguments import Numbers
from multibond.border import public
from multibond.elements.blocks import Input
from multibond.equations.buffered import Buffered
from multibond.equations.consistent import sample_states
from multibond.equations.dae import Dae
from multibond.equations.kept import Kept
from multibond.equations.observe import Observer, observer_of
from multibond.equations.reduce import Reduced, usual_of, usual_positions
from multibond.equations.silent import silent_states
from multibond.expr import SX, Function, column, cse
from multibond.lower.calls import Call
from multibond.lower.emit import define, emit_model_function
from multibond.lower.given import inputs_of, state_of
from multibond.lower.implicit import settle_text, work_size, wrap
from multibond.lower.jit import Module, compile_ir
from multibond.lower.loop import emit_looped
from multibond.lower.origin import Origin
from multibond.lower.recipe import Change, Recipe, Renewal
from multibond.lower.sweep import TreeProgram
from multibond.report import Item, Rows, Shown

TOLD = 24
"""So many states are shown in a notebook."""
SETTLING, SETTLED, ROUNDING = 12, 1e-12, 1e-15
"""Newton steps onto constraints; errors that are small enough and that end them, in parts of the length."""
SAMPLES = 8
"""States by which to judge how large the hold of loops usually is."""
SMALLEST_PART = 2.0**-20
"""Unknowns that are not found after such a part of the way to a point do not exist there."""


@dataclass(frozen=True)
class Code:
    """Native functions of a system, each `void f(t, x, p, out, work)`."""

    module: Module
    names: tuple[str, ...]
    work_size: int = 0
    work_start: np.ndarray | None = None
    """What the workspace holds before the first call, where that matters (unknowns found by iteration)."""
    unknowns: np.ndarray | None = None
    """Where the right-hand side leaves the unknowns in its workspace, where it runs as sweeps."""

    def address(self, name: str) -> int | None:
        """Where a function lies, or None where the system has no such function."""
        return self.module.address(name) if name in self.names else None


@public
@dataclass(frozen=True)
class System(Shown):
    """A compiled model: derivative, start state, parameters, and every variable by name.

    parameters: run-time numbers in the order of `dae.parameter_places`, and behind them the whole turns that angles
    among the states leave out (none before a run). x0: consistent start state.
    """

    reduced: Reduced
    code: Code
    parameters: np.ndarray
    x0: np.ndarray
    length: float = 1.0
    method: str = "auto"
    report: tuple[str, ...] = ()
    recipe: Recipe = field(default=Recipe())
    stored: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    """What dependent storages are said to hold at the start, where a jump makes it true."""
    origin: Origin | None = field(default=None, compare=False)
    """The machine as drawn where this one is a rewriting of it: it knows the forces that this one has lost."""
    derivation: Change | Renewal | None = field(default=None, compare=False)
    """How it came from another system; from its recipe where there is none."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiling stands above this room: what makes the system once more is looked up when it is needed.
        revived = import_module("multibond.pipeline.reviving").revived
        kept = {name: getattr(self, name) for name in ("parameters", "x0", "length", "stored", "report")}
        kept["velocities"] = () if self.origin is None else self.origin.velocities
        return revived, (self.method, self.recipe, self.derivation, kept)

    def __copy__(self) -> Self:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Numbers of its own; equations and code never change."""
        return replace(self, parameters=self.parameters.copy(), x0=self.x0.copy(), stored=deepcopy(self.stored))

    @property
    def dae(self) -> Dae:
        """The equations by cell."""
        return self.reduced.dae

    @property
    def kept(self) -> Kept:
        """What is made of the equations, and so the same for all numbers: shared by the systems that have them."""
        return self.reduced.whole.kept

    @property
    def n(self) -> int:
        """Number of states."""
        return self.dae.nx

    @property
    def observer(self) -> Observer:
        """Names and their expressions."""
        return observer_of(self.dae, self.reduced.whole)

    @property
    def state_names(self) -> tuple[str, ...]:
        """One name for each state."""
        return self.kept.get("state names", self._state_names)

    def _state_names(self) -> tuple[str, ...]:
        names = []
        for place in self.dae.states:
            base = f"{place.path}.{place.name}"
            some = place.lanes or (range(place.size) if place.size > 1 else ())
            names += [f"{base}[{k}]" for k in some] or [base]
        return tuple(names)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The run-time inputs: paths of the model's `Input` blocks, in the order of the vector u."""
        return self.kept.get("inputs", lambda: tuple(path for path, _ in self.dae.graph.of_type(Input)))

    def with_inputs(self, u: Numbers) -> np.ndarray:
        """The parameters with given inputs: a mapping by name, or numbers in the order of `inputs`."""
        if u is None:
            return self.parameters
        places = {path: self.dae.parameter_places[f"{path}.value"] for path in self.inputs}
        values = self.parameters.copy()
        for path, numbers in inputs_of("the system", {path: place.size for path, place in places.items()}, u).items():
            values[places[path].start : places[path].stop] = numbers
        return values

    @property
    def silent(self) -> np.ndarray:
        """Which states belong to sensors that nothing reads; they must not decide how the others are integrated."""
        return self.kept.get("silent", lambda: silent_states(self.reduced))

    @cached_property
    def usual_sizes(self) -> np.ndarray:
        """For each state the size in which its absolute tolerance is counted: one, or what is usual in its domain.

        Where a state of a domain of small numbers starts with more than is usual, its start counts.
        """
        return np.maximum(self.kept.get("usual sizes", self._usual), np.minimum(1.0, np.abs(self.x0)))

    def _usual(self) -> np.ndarray:
        sizes, graph = np.ones(self.n), self.dae.graph
        for place in self.dae.states:
            bonds = graph.bonds_of(place.path) if place.kind == "storage" else ()
            if bonds:
                effort = graph.elements[place.path].causality_at(bonds[0].end(place.path).port) == "prefers flow"
                domain = bonds[0].domain
                sizes[place.start : place.stop] = domain.usual_effort if effort else domain.usual_flow
        return sizes

    def derivative(self, x: Numbers, u: Numbers = None, *, t: float = 0.0, out: np.ndarray | None = None) -> np.ndarray:
        """Rates of all states at a state, with run-time inputs u (as they are in the model where left out), at a time.

        x may be several states, one row each; out: an array that the rates are written into.

        >>> system.derivative(x, {"joystick": 0.3})
        """
        return self._rates(x, u, t, out)

    @cached_property
    def _rates(self) -> Call:
        return Call(self, self.code, "rhs", (self.n,), _plain_state)

    def _call(
        self, name: str, x: Numbers, t: float, length: int, p: np.ndarray, work: np.ndarray | None = None
    ) -> np.ndarray:
        out = np.empty(max(1, length))
        address = self.code.address(name)
        if address is None:
            raise LookupError(name)
        state = np.ascontiguousarray(x, dtype=float)
        clock = np.array([t], float)
        work = self.workspace() if work is None else work
        native = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(address)
        native(clock.ctypes.data, state.ctypes.data, p.ctypes.data, out.ctypes.data, work.ctypes.data)
        return out[:length]

    @cached_property
    def usual_hold(self) -> np.ndarray:
        """How large the holds of groups of loops usually are."""
        r = self.reduced
        if not r.hold.numel() or r.implicit:
            return np.zeros(0)
        if np.array_equal(self.parameters, self.dae.parameter_values):
            return r.usual_hold
        around = sample_states(self.dae, r.shape, self.x0, self.parameters, SAMPLES)
        around = usual_positions(self.dae, r.shape, self.x0, self.parameters, around, r.redundancy.rank)
        states = [self.x0, *around]
        return usual_of(np.array([self.hold(0.0, x) for x in states]))

    def hold(self, t: float, x: np.ndarray) -> np.ndarray:
        """How well the constraints of each group of loops hold at a state; zero where they depend on one another."""
        work = self.workspace()
        self._call("rhs", x, t, self.n, self.parameters, work)
        return work[: self.reduced.hold.numel()]

    def settled(self, t: float, x: np.ndarray) -> np.ndarray | None:
        """The nearest state that obeys all constraints, nearest as its inertia has it; None where there is none."""
        last = np.inf
        for _ in range(SETTLING if "position_step" in self.code.names else 0):
            out = self._call("position_step", x, t, self.n + 1, self.parameters)
            if not np.isfinite(out).all():
                return None
            if out[-1] <= ROUNDING or (out[-1] <= SETTLED and out[-1] >= 0.5 * last):
                last = out[-1]
                break
            x, last = out[:-1], out[-1]
        if "position_step" in self.code.names and last > SETTLED:
            return None
        if "velocity_step" in self.code.names:
            x = self._call("velocity_step", x, t, self.n, self.parameters)
        return x if np.isfinite(x).all() else None

    @property
    def work_size(self) -> int:
        """Length of the scratch memory that the native functions need."""
        return self.code.work_size

    def workspace(self) -> np.ndarray:
        """Fresh scratch memory for the native functions."""
        start = self.code.work_start
        return np.zeros(self.work_size) if start is None else start.copy()

    def unknowns(self, times: np.ndarray, x: np.ndarray, p: np.ndarray | None = None) -> np.ndarray:
        """All unknowns (joint accelerations, multipliers, variables of algebraic loops) at given states.

        times: n; x: n rows of states; p: parameters, n columns, where they are not those of the system. Returns n
        columns, which are NaN where Newton's method finds none. Of the forces that redundant constraints share, some
        are zero.
        """
        if p is None:
            p = np.repeat(self.parameters[:, None], times.size, axis=1)
        if self.code.unknowns is not None:
            return self._native_unknowns(times, x, p, "rhs", self.n, self.code.unknowns)
        if self.reduced.implicit:
            m = self.dae.ny
            return self._native_unknowns(times, x, p, "unknowns", m, self.n + np.arange(m))
        y = np.asarray(self._at_times("unknowns", self._unknowns, times.size)(times[None, :], x.T, p))
        if not self.reduced.kept:
            return y
        corrections = self._at_times("corrections", self._corrections, times.size)
        return y + np.asarray(corrections(times[None, :], x.T, y, p))

    def _at_times(self, name: str, function: Function, count: int) -> Function:
        """A function for so many times at once."""
        return self.kept.latest(("at times", name), count, lambda: function.map(count))

    @property
    def explicit(self) -> bool:
        """Whether the unknowns are one expression of the state: neither iterated nor found by sweeps."""
        return self.code.unknowns is None and not self.reduced.implicit

    def unknowns_at(self, time: float, x: np.ndarray) -> np.ndarray:
        """The unknowns at one state: to the last bit what `unknowns` gives, in less time."""
        if not self.explicit:
            return self.unknowns(np.array([time]), x[None, :])[:, 0]
        y = self._quick_unknowns(time, x, self.parameters)
        if not self.reduced.kept:
            return y
        return y + self._quick_corrections(time, x, y, self.parameters)

    @property
    def _quick_unknowns(self) -> Buffered:
        return self.kept.get("quick unknowns", lambda: Buffered(self._unknowns))

    @property
    def _quick_corrections(self) -> Buffered:
        return self.kept.get("quick corrections", lambda: Buffered(self._corrections))

    def _native_unknowns(
        self, times: np.ndarray, x: np.ndarray, p: np.ndarray, name: str, length: int, places: np.ndarray
    ) -> np.ndarray:
        """The unknowns as a native function leaves them in its workspace."""
        work, out = self.workspace(), np.zeros(max(1, length))
        native = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(self.code.module.address(name))
        numbers = p[:, 0].copy() if times.size else self.parameters

        def settles(point: np.ndarray) -> bool:
            at = point.ctypes.data
            native(at, at + point.itemsize, numbers.ctypes.data, out.ctypes.data, work.ctypes.data)
            return not np.isnan(out[0])

        points = np.hstack([np.asarray(times, float)[:, None], x])
        found, here = np.full((self.dae.ny, times.size), np.nan), points[0] if times.size else np.zeros(0)
        for k, point in enumerate(points):
            numbers[:] = p[:, k]
            if settles(point) or (self.reduced.implicit and approach(settles, here, point)):
                found[:, k], here = work[places], point
        return found

    @property
    def _unknowns(self) -> Function:
        r = self.reduced
        arguments = [r.whole.t, r.whole.x, r.whole.p]
        return self.kept.get("unknowns", lambda: Function("unknowns", arguments, [ca.densify(r.y)]))

    @property
    def _corrections(self) -> Function:
        """What the unknowns lack: a pivot that passes zero on the way costs digits, one more solution gives them."""
        r = self.reduced
        arguments = [r.whole.t, r.whole.x, r.whole.y, r.whole.p]
        return self.kept.get("corrections", lambda: Function("corrections", arguments, [ca.densify(r.newton_step)]))

    @property
    def stiff_code(self) -> Code:
        """Jacobian and time derivative of the right-hand side, compiled when first needed."""
        return self.kept.get("stiff code", self._stiff_code)

    def _stiff_code(self) -> Code:
        r = self.reduced
        parts = {"jacobian": slope(r, r.whole.x), "partial_t": slope(r, r.whole.t)}
        return compile_functions(r, parts)

    def description(self) -> list[Item]:
        """What it is, its states with their start, and what was found while compiling."""
        rows = [(name, f"{value:.6g}") for name, value in zip(self.state_names[:TOLD], self.x0, strict=False)]
        more = [f"… and {self.n - TOLD} more"] if self.n > TOLD else []
        table = [Rows(rows, ("state", "start"), right=(1,))] if rows else []
        return [repr(self), *table, *more, *self.report]

    def __repr__(self) -> str:
        name = getattr(self.recipe.model, "name", "")
        counts = f"{self.n} state{'s' if self.n != 1 else ''}, {self.dae.np_} parameters"
        return f"System{f' {name!r}' if name else ''}: {counts}, method {self.method!r}"


def _plain_state(system: System, x: Any, t: float) -> np.ndarray:
    return state_of(system.state_names, x)


def approach(settles: Callable[[np.ndarray], bool], here: np.ndarray, there: np.ndarray) -> bool:
    """Go to a point by small steps from one where the unknowns are known; false where they get lost on the way."""
    if not settles(here):
        return False
    done, part = 0.0, 0.5
    while done < 1.0 and part >= SMALLEST_PART:
        further = min(1.0, done + part)
        good = settles(here + further * (there - here) if further < 1.0 else there)
        done, part = (further, 2.0 * part) if good else (done, 0.5 * part)
    return done >= 1.0


def right_hand_side(r: Reduced) -> SX:
    """xdot(t, x, p) with the unknowns filled in."""
    return cse(ca.densify(filled(r, r.whole.xdot)))


def filled(r: Reduced, expression: SX) -> SX:
    """An expression with the unknowns filled in where a formula gives them."""
    return expression if r.implicit or not r.y.numel() else ca.substitute(expression, r.whole.y, r.y)


def slope(r: Reduced, of: SX) -> SX:
    """Derivative of the right-hand side."""
    return total_derivative(r, ca.densify(r.whole.xdot), of)


def total_derivative(r: Reduced, expression: SX, of: SX) -> SX:
    """Derivative of an expression of time, states and unknowns, through the unknowns.

    Constraint forces are solved for once more with the derivative of their equations on the right-hand side, by the
    theorem of implicit functions; where there are none, the formula of the unknowns is differentiated as it stands.
    """
    if not r.implicit and not r.has_core:
        return ca.jacobian(filled(r, expression), of)
    direct = ca.jacobian(expression, of)
    if not of.numel() or not ca.depends_on(expression, r.whole.y):
        return direct
    assert r.solver is not None
    keep, residual = list(r.kept), r.residual[list(r.kept)]
    inner = [r.solver.solve(-ca.densify(column_of)) for column_of in ca.horzsplit(ca.jacobian(residual, of))]
    return filled(r, direct + ca.jacobian(expression, r.whole.y[keep]) @ ca.horzcat(*inner))


def model_function(r: Reduced, expression: SX, further: SX | None = None) -> Function:
    """An expression as a function of (t, x, p), or of (t, (x, y), p) where the unknowns are implicit.

    further: symbols that follow the state, such as wanted accelerations.
    """
    state = r.state if further is None else column([r.state, further])
    return Function("f", [r.whole.t, state, r.whole.p], [ca.densify(expression)])


def position_step(r: Reduced, length: float) -> SX | None:
    """One Newton step onto the position conditions, and the error before it; None where there is nothing to hold."""
    x, dae = r.whole.x, r.dae
    quaternions = r.shape.quaternions
    holonomic = not r.position_errors.is_zero()
    if not holonomic and not quaternions.size:
        return None
    new = ca.vertsplit(x)
    errors = [SX(0)]
    if holonomic:
        assert r.solver is not None
        move = r.solver.solve(-r.position_errors)
        moved = x + _apply_rates(r, move)
        new = ca.vertsplit(moved)
        errors += [ca.fabs(g) / length for g in ca.vertsplit(column([r.whole.gap, r.hidden_positions]))]
    for start in quaternions.tolist():
        norm = ca.norm_2(column(new[start : start + 4]))
        errors.append(ca.fabs(ca.sumsqr(x[start : start + 4]) - 1))
        for k in range(start, start + 4):
            new[k] = new[k] / norm
    worst = errors[0]
    for error in errors[1:]:
        worst = ca.fmax(worst, error)
    assert dae.nx == len(new)
    return column([*new, worst])


def velocity_step(r: Reduced) -> SX | None:
    """The state with its flows put onto the flow conditions; None where there is none."""
    if r.flow_errors.is_zero() or r.solver is None:
        return None
    impulse = r.solver.solve(-r.flow_errors)
    return r.whole.x + ca.jtimes(r.whole.xdot, r.whole.y[list(r.kept)], ca.densify(impulse))


def _apply_rates(r: Reduced, move: SX) -> SX:
    """What a small motion `move` along the unknown rates changes in the positions."""
    dae, change = r.dae, [SX(0)] * r.dae.nx
    by_index = dict(zip(r.kept, ca.vertsplit(move), strict=True))
    flows: dict[int, SX] = {}
    for place in dae.unknowns:
        state = dae.place_of_state(place.path, place.name) if place.kind == "rate" else None
        if state is not None:
            for k, s in zip(place.range, state.range, strict=True):
                flows[s] = by_index.get(k, SX(0))
    index = [k for s in dae.states if s.kind == "position" for k in s.range]
    old = list(flows)
    moving = ca.substitute(r.whole.xdot[index], r.whole.x[old], ca.densify(column([flows[k] for k in old])))
    driven = ca.substitute(r.whole.xdot[index], r.whole.x[old], SX.zeros(len(old)))
    for i, k in enumerate(index):
        change[k] = moving[i] - driven[i]
    return column(change)


def compile_functions(r: Reduced, expressions: Mapping[str, SX], further: SX | None = None) -> Code:
    """Emit and compile several model functions as one module; implicit unknowns are settled before each."""
    functions = {name: model_function(r, expression, further) for name, expression in expressions.items()}
    if not r.implicit:
        text = "\n".join(_model_text(r, f, name) for name, f in functions.items())
        return Code(compile_ir(text), tuple(functions), r.hold.numel())
    n, m = r.dae.nx, r.dae.ny
    parts = [emit_model_function(model_function(r, cse(r.newton_step)), "newton_step"), settle_text(n, m)]
    for name, f in functions.items():
        parts += [emit_model_function(f, f"{name}_settled"), wrap(name, n, m, silent=not f.numel_out())]
    start = np.concatenate([np.zeros(n), r.y_start, np.zeros(2 * m)])
    return Code(compile_ir("\n".join(parts), "light"), tuple(functions), work_size(n, m), start)


def _model_text(r: Reduced, function: Function, name: str) -> str:
    """A model function; the right-hand side leaves the holds of groups of loops in its workspace."""
    if name != "rhs" or not r.hold.numel():
        return emit_model_function(function, name)
    arguments = [r.whole.t, r.state, r.whole.p]
    rates = function.call(arguments)[0]
    both = ca.vertsplit(cse(column([rates, r.hold])), [0, rates.numel(), rates.numel() + r.hold.numel()])
    inputs = ["%t", "%x", "%p"]
    return define(Function("rhs", arguments, both), name, inputs, ["%out", "%work"], [*inputs, "%out", "%work"])


def lower(r: Reduced, length: float) -> Code:
    """Machine code for the right-hand side and the projection, as one straight line each."""
    unknowns = {"unknowns": r.y} if r.implicit else {}
    return compile_functions(r, {"rhs": right_hand_side(r), **_projections(r, length), **unknowns})


def lower_tree(r: Reduced, tree: TreeProgram, length: float) -> Code:
    """Machine code with the right-hand side as loops of class kernels."""
    text = "\n".join(emit_model_function(model_function(r, e), name) for name, e in _projections(r, length).items())
    names = ("rhs", *_projections(r, length))
    module = compile_ir(emit_looped(tree.program, "rhs") + text, "light")
    return Code(module, names, tree.program.size, unknowns=tree.unknowns)


def _projections(r: Reduced, length: float) -> dict[str, SX]:
    functions = {}
    step = position_step(r, length)
    if step is not None:
        functions["position_step"] = cse(step)
    speed = velocity_step(r)
    if speed is not None:
        functions["velocity_step"] = cse(speed)
    return functions
