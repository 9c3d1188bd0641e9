"""A bridge of four diodes charges a capacitor from the mains: ideal diodes, true modes.

Two diodes conduct while the mains are above the capacitor; then all four block, and the load empties the capacitor
until the next half wave lifts it again.
"""

from __future__ import annotations

import multibond as mb
from multibond import electrical as el


def rectifier(*, peak: float = 20.0, frequency: float = 50.0, load: float = 100.0) -> mb.Model:
    """Bridge, smoothing capacitor and load behind a source with a little resistance.

    peak of the source  [V]; frequency  [Hz]; load  [ohm].
    """
    model = mb.Model("rectifier")
    mains = model.add(el.VoltageSource("mains", f"{peak} * sin(2 * pi * {frequency} * t)"))
    wire, ground = model.add(el.Resistor("wire", 1.0)), model.add(el.Ground())
    smoothing, burden = model.add(el.Capacitor("smoothing", 1e-3, voltage=0.0)), model.add(el.Resistor("load", load))
    up, down = model.add(el.Diode("up")), model.add(el.Diode("down"))
    back_up, back_down = model.add(el.Diode("back_up")), model.add(el.Diode("back_down"))
    model.connect(mains.pin_p, wire.pin_p)
    model.connect(wire.pin_n, up.pin_p, down.pin_n)
    model.connect(mains.pin_n, back_up.pin_p, back_down.pin_n)
    model.connect(up.pin_n, back_up.pin_n, smoothing.pin_p, burden.pin_p)
    model.connect(down.pin_p, back_down.pin_p, smoothing.pin_n, burden.pin_n, ground.pin)
    return model
