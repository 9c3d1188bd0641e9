"""A hot plate in a cold frame: n by n cells that lead heat to one another and out through the edges.

Each cell stores entropy; conductors take it from the hot side and give more of it to the cold one. Although these laws
are curved, the temperatures obey the plain linear heat equation, and the energy balances to the last digit.
"""

from __future__ import annotations

import multibond as mb
from multibond import thermal as th
from multibond.graph.component import Part


def heat_plate(
    *, cells: int = 8, conductance: float = 4.0, capacity: float = 400.0, plate: float = 353.15, frame: float = 293.15
) -> mb.Model:
    """A square plate whose edges are kept at the temperature of the frame.

    cells: number along a side; conductance: conductivity times thickness  [W/K]; capacity: that of the whole plate
    [J/K]; plate, frame: temperatures at the start  [K].
    """
    model = mb.Model("heat_plate")
    edge = model.add(th.FixedTemperature("frame", frame))
    places = [(i, j) for i in range(cells) for j in range(cells)]
    body = {at: model.add(th.HeatCapacity("cell_{}_{}".format(*at), capacity / cells**2, plate)) for at in places}
    for i, j in places:
        for name, at in {"east": (i + 1, j), "north": (i, j + 1)}.items():
            if at in body:
                _join(model, th.Conductor(f"{name}_{i}_{j}", conductance), body[i, j], body[at])
    last = cells - 1
    for k in range(cells):
        for name, at in {"west": (0, k), "east": (last, k), "south": (k, 0), "north": (k, last)}.items():
            _join(model, th.Conductor(f"{name}_edge_{k}", 2 * conductance), body[at], edge)
    return model


def _join(model: mb.Model, path: th.Conductor, warm: th.HeatCapacity, cold: Part) -> None:
    model.add(path)
    model.connect(warm.port, path.port_a)
    model.connect(path.port_b, cold.port)
