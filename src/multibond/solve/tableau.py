"""Coefficients of the Runge-Kutta methods, apart from the code that uses them."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.solve import dop853
from multibond.solve.traits import Cost, Traits

Row = dict[int, float]
"""Coefficients by stage; what is zero is left out."""


def row(*values: float) -> Row:
    """A row from all its values."""
    return {k: value for k, value in enumerate(values) if value}


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method with an error estimate and a dense output.

    Stage i is f(t + c_i h, x + h sum_j a_ij k_j); the step is x + h sum b_i k_i. The derivative at the end of the step
    counts as one stage more. `error` has no row (fixed step), one row (RMS norm) or two rows (Hairer's combination of
    the orders 5 and 3). Dense output: value and slope at both ends give a cubic; each row of `dense` gives one
    further coefficient h sum d_i k_i, over the stages, the end, and the `extra` stages.
    """

    name: str
    order: int
    c: tuple[float, ...]
    a: tuple[Row, ...]
    b: Row
    error: tuple[Row, ...]
    error_uses_end: bool
    extra_c: tuple[float, ...]
    extra_a: tuple[Row, ...]
    dense: tuple[Row, ...]
    beta: float
    largest_growth: float
    dense_order: int
    traits: Traits = field(default=Traits())

    @property
    def stages(self) -> int:
        """Stages of the step without the derivative at its end."""
        return len(self.c)

    @property
    def all_stages(self) -> int:
        """Rows of memory needed for derivatives."""
        return self.stages + 1 + len(self.extra_c)

    @property
    def coefficients(self) -> int:
        """Vectors stored for the dense output of one step."""
        return 3 + len(self.dense)


def _fixed(name: str, order: int, c: tuple[float, ...], a: tuple[Row, ...], b: Row, border: float) -> Tableau:
    """A method of fixed steps: no error estimate, a cubic as dense output."""
    traits = Traits(border=border, reach=border)
    return Tableau(name, order, c, a, b, (), False, (), (), (), 0.0, 1.0, dense_order=order - 1, traits=traits)


EULER = _fixed("euler", 1, (0.0,), (row(),), row(1.0), border=2.0)
HEUN = _fixed("heun", 2, (0.0, 1.0), (row(), row(1.0)), row(0.5, 0.5), border=2.0)
RK4 = _fixed(
    "rk4",
    4,
    (0.0, 0.5, 0.5, 1.0),
    (row(), row(0.5), row(0.0, 0.5), row(0.0, 0.0, 1.0)),
    row(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    border=2.7,
)

# Dormand and Prince (1980); dense output by Shampine (1986) in the form of Hairer, Norsett, Wanner, Solving ODEs I.
DOPRI5 = Tableau(
    name="dopri5",
    order=5,
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
    a=(
        row(),
        row(1 / 5),
        row(3 / 40, 9 / 40),
        row(44 / 45, -56 / 15, 32 / 9),
        row(19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        row(9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    b=row(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    error=(row(-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),),
    error_uses_end=True,
    extra_c=(),
    extra_a=(),
    dense=(
        row(
            -12715105075 / 11282082432,
            0.0,
            87487479700 / 32700410799,
            -10690763975 / 1880347072,
            701980252875 / 199316789632,
            -1453857185 / 822651844,
            69997945 / 29380423,
        ),
    ),
    beta=0.04,
    largest_growth=10.0,
    dense_order=4,
    traits=Traits(border=3.3, reach=1.6, margin=0.1),
)

DOP853 = Tableau(
    name="dop853",
    order=8,
    c=dop853.C,
    a=dop853.A,
    b=dop853.B,
    error=(dop853.ERROR_5, dop853.ERROR_3),
    error_uses_end=False,
    extra_c=dop853.EXTRA_C,
    extra_a=dop853.EXTRA_A,
    dense=dop853.DENSE,
    beta=0.04,
    largest_growth=6.0,
    dense_order=7,
    traits=Traits(border=6.2, reach=3.0, margin=0.1, cost=Cost(per_radian=1.5, evaluations=15.0, own=220.0)),
)
