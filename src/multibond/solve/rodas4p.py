"""Coefficients of Rodas4P, an L-stable, stiffly accurate Rosenbrock method of order 4 with embedded order 3.

Six stages where Rodas5P has eight, so that a start after an instant costs less: for switched circuits and friction.
Where stiff parts follow a given path (Prothero and Robinson's problem) its order falls to about three.

Source: G. Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, preprint 1741, TH
Darmstadt (1995); digits as in Hairer and Wanner, Solving ODEs II, rodas.f (RODASP). The form is that of `rosenbrock`.
"""

from __future__ import annotations

from multibond.solve.rosenbrock import Rosenbrock

_LAST = {0: -7.170454962423024, 1: -4.741636671481785, 2: -16.31002631330971, 3: -1.062004044111401}
RODAS4P = Rosenbrock(
    name="rodas4p",
    order=4,
    dense_order=3,
    gamma=0.25,
    c_time=(0.0, 0.75, 0.21, 0.63, 1.0, 1.0),
    d_time=(0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0),
    a=(
        {},
        {0: 3.0},
        {0: 1.831036793486759, 1: 0.4955183967433795},
        {0: 2.304376582692669, 1: -0.05249275245743001, 2: -1.176798761832782},
        _LAST,
        {**_LAST, 4: 1.0},
    ),
    b={**_LAST, 4: 1.0, 5: 1.0},
    c=(
        {},
        {0: -12.0},
        {0: -8.791795173947035, 1: -2.207865586973518},
        {0: 10.81793056857153, 1: 6.780270611428266, 2: 19.53485944642410},
        {0: 34.19095006749676, 1: 15.49671153725963, 2: 54.74760875964130, 3: 14.16005392148534},
        {
            0: 34.62605830930532,
            1: 15.30084976114473,
            2: 56.99955578662667,
            3: 18.40807009793095,
            4: -5.714285714285717,
        },
    ),
    h=(
        (25.09876703708589, 11.62013104361867, 28.49148307714626, -5.664021568594133, 0.0, 0.0),
        (1.638054557396973, -0.7373619806678748, 8.477918219238990, 15.99253148779520, -1.882352941176471, 0.0),
    ),
)
