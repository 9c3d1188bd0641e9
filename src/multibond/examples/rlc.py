"""A coil, a capacitor and a resistor in series with a battery: the first bond graph of every course.

One 1-junction carries the current; what hangs on it shares the voltage of the battery. Drawn with vector bonds the
same four elements are three circuits at once, one swinging, one on the border, one creeping.
"""

from __future__ import annotations

from collections.abc import Sequence

import multibond as mb

Values = float | Sequence[float]

VOLTAGES = (10.0, 5.0, -3.0)
RESISTANCES = (1.0, 4.0, 25.0)
INDUCTANCES = (0.5, 0.4, 0.2)
CAPACITANCES = (0.02, 0.1, 0.05)
"""Chosen so that the damping ratio R/2 · √(C/L) is 0.1, 1 and 6.25."""


def rlc(
    *,
    size: int = 1,
    voltage: Values | None = None,
    resistance: Values | None = None,
    inductance: Values | None = None,
    capacitance: Values | None = None,
) -> mb.Model:
    """A series circuit of `size` components, without current and charge at the start.

    voltage  [V], resistance  [ohm], inductance  [H], capacitance  [F]: one number, or one for each component; where
    nothing is said, the first `size` of the values above.
    """
    model = mb.Model("rlc", size=size)
    current = model.add(mb.One("current"))
    model.bond(mb.Se("battery", _first(voltage, VOLTAGES, size)), current)
    model.bond(current, mb.R("resistor", _first(resistance, RESISTANCES, size)))
    model.bond(current, mb.I("coil", _first(inductance, INDUCTANCES, size)))
    model.bond(current, mb.C("capacitor", _first(capacitance, CAPACITANCES, size)))
    return model


def _first(given: Values | None, usual: tuple[float, ...], size: int) -> Values:
    if given is not None:
        return given
    return usual[0] if size == 1 else usual[:size]
