"""The list of all methods, and their compiled form."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from multibond.errors import Finding, ParameterError
from multibond.lower.jit import Module, compile_ir
from multibond.solve import rosenbrock
from multibond.solve.dense import dense_text
from multibond.solve.driver import driver_text
from multibond.solve.events import events_text
from multibond.solve.explicit import step_text
from multibond.solve.holding import MOST_LOOKS, holding_text
from multibond.solve.projection import projection_text
from multibond.solve.rodas4p import RODAS4P
from multibond.solve.rodas5p import RODAS5P
from multibond.solve.rosenbrock import Rosenbrock
from multibond.solve.tableau import DOP853, DOPRI5, EULER, HEUN, RK4, Tableau
from multibond.solve.traits import Traits


@dataclass(frozen=True)
class Method:
    """What a method needs and offers; `text` is its IR without the parts common to all."""

    name: str
    order: int
    dense_order: int
    stages: int
    coefficients: int
    text: Callable[[], str] = field(repr=False)
    watched: tuple[tuple[float, int], ...] = ()
    """Fractions of a step at which the model is evaluated, with the rows of the results, in order of time."""
    fixed: bool = False
    implicit: bool = False
    traits: Traits = field(default=Traits())


def _explicit(table: Tableau) -> Method:
    """An explicit Runge-Kutta method from its tableau."""

    def text() -> str:
        driver = driver_text(
            table.order,
            table.beta,
            table.largest_growth,
            table.stages,
            table.all_stages,
            end_known=table.error_uses_end,
        )
        return step_text(table) + driver

    count = table.stages
    extra = {s: count + 1 + k for k, s in enumerate(table.extra_c)}
    watched = _in_order({**{s: k for k, s in enumerate(table.c[:count])}, **extra, 0.0: 0, 1.0: count})
    return Method(
        table.name, table.order, table.dense_order, table.all_stages, table.coefficients, text, watched,
        fixed=not table.error, traits=table.traits,
    )  # fmt: skip


def _in_order(rows: dict[float, int]) -> tuple[tuple[float, int], ...]:
    return tuple(sorted(rows.items()))


def _rosenbrock(table: Rosenbrock) -> Method:
    """An implicit method, for stiff models, from its coefficients."""

    def text() -> str:
        driver = driver_text(table.order, 0.0, 6.0, table.end_stage, rows, end_known=False)
        return rosenbrock.step_text(table) + driver

    rows = table.end_stage + 1
    watched = _in_order({**{s: k for k, s in enumerate(table.c_time)}, 0.0: 0, 1.0: table.end_stage})
    return Method(
        table.name, table.order, table.dense_order, rows, table.coefficients, text, watched, implicit=True,
        traits=table.traits,
    )  # fmt: skip


def listed(table: Tableau | Rosenbrock) -> Method:
    """A method from its coefficients."""
    return _explicit(table) if isinstance(table, Tableau) else _rosenbrock(table)


METHODS: dict[str, Method] = {
    table.name: listed(table)
    for table in (
        DOP853,
        DOPRI5,
        RK4,
        HEUN,
        EULER,
        RODAS5P,
        RODAS4P,
    )
}
"""All methods by name; each is one file of coefficients and one line here."""

DEFAULT = next(name for name, method in METHODS.items() if method.traits.cost and not method.implicit)
"""The explicit method that is taken where nothing asks for another one."""
STIFF = next(name for name, method in METHODS.items() if method.traits.cost and method.implicit)
"""The implicit method that is taken for stiff models."""


@dataclass(frozen=True)
class Integrator:
    """A compiled method. `start` and `advance` take the context; `interpolate` also times, their number, the result."""

    name: str
    stages: int
    coefficients: int
    fixed: bool
    implicit: bool
    looks: int
    start: Callable[[int], int]
    advance: Callable[[int], int]
    interpolate: Callable[[int, int, int, int], int]
    _module: Module = field(repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return integrator, (self.name,)


def integrator_text(method: Method) -> str:
    """The whole IR of an integrator; it does not depend on the model."""
    return (
        projection_text()
        + dense_text(method.coefficients)
        + events_text()
        + holding_text(method.watched)
        + method.text()
    )


@cache
def integrator(name: str) -> Integrator:
    """Compile a method, once in a process."""
    if name not in METHODS:
        raise ParameterError(
            Finding(f"there is no method '{name}'.", f"Known are {', '.join(METHODS)}.", "Choose one of these.")
        )
    method = METHODS[name]
    module = compile_ir(integrator_text(method), "light")
    one = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    four = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    return Integrator(
        name,
        method.stages,
        method.coefficients,
        method.fixed,
        method.implicit,
        len(method.watched) + MOST_LOOKS + 1,
        one(module.address("start")),
        one(module.address("advance")),
        four(module.address("interpolate")),
        module,
    )
