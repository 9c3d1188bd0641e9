"""The list of all methods, and their compiled form."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from multibond.errors import Finding, ParameterError
from multibond.lower.jit import Module, compile_ir
from multibond.solve import rodas5p, rosenbrock
from multibond.solve.dense import dense_text
from multibond.solve.driver import driver_text
from multibond.solve.events import events_text
from multibond.solve.explicit import step_text
from multibond.solve.holding import MOST_LOOKS, holding_text
from multibond.solve.projection import projection_text
from multibond.solve.tableau import DOP853, DOPRI5, EULER, HEUN, RK4, Tableau


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


def _explicit(tableau: Tableau, dense_order: int) -> Method:
    """A method from its tableau."""

    def text() -> str:
        driver = driver_text(
            tableau.order, tableau.beta, tableau.largest_growth, tableau.stages, end_known=tableau.error_uses_end
        )
        return step_text(tableau) + driver

    fixed, count = not tableau.error, tableau.stages
    extra = {s: count + 1 + k for k, s in enumerate(tableau.extra_c)}
    watched = _in_order({**{s: k for k, s in enumerate(tableau.c[:count])}, **extra, 0.0: 0, 1.0: count})
    return Method(
        tableau.name, tableau.order, dense_order, tableau.all_stages, tableau.coefficients, text, watched, fixed
    )


def _in_order(rows: dict[float, int]) -> tuple[tuple[float, int], ...]:
    return tuple(sorted(rows.items()))


def _rodas5p() -> Method:
    """The implicit method for stiff models."""

    def text() -> str:
        driver = driver_text(rodas5p.ORDER, 0.0, 6.0, rosenbrock.END_STAGE, end_known=False)
        return rosenbrock.step_text() + driver

    watched = _in_order({**{s: k for k, s in enumerate(rodas5p.C_TIME)}, 0.0: 0, 1.0: rosenbrock.END_STAGE})
    return Method("rodas5p", rodas5p.ORDER, 4, rosenbrock.ROWS, rodas5p.COEFFICIENTS, text, watched, implicit=True)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _explicit(DOP853, dense_order=7),
        _explicit(DOPRI5, dense_order=4),
        _explicit(RK4, dense_order=3),
        _explicit(HEUN, dense_order=1),
        _explicit(EULER, dense_order=0),
        _rodas5p(),
    )
}
"""All methods by name; the first is the default."""


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
