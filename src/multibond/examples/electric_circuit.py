"""Two nodes with a capacitor between them, drawn twice: with scalar bonds, and as one 0-junction of 2-bonds.

In the scalar graph the coupling capacitor depends on the two others; with vector bonds the three become one C-field,
and nothing depends on anything. Both give the same voltages: the left node goes to 15 V, the right one back to zero.
(Zimmer and Cellier's first example of MultiBondLib.)
"""

from __future__ import annotations

import multibond as mb

CURRENT = 0.5
RESISTANCES = (30.0, 75.0)
CAPACITANCES = (0.02, 0.05)
COUPLING = 0.025


def electric_circuit(*, vector: bool = True) -> mb.Model:
    """A current of 0.5 A into the left of two nodes, all capacitors empty; vector: drawn with 2-bonds.

    The voltages are `capacitor.e` (two components), or `left.e` and `right.e`.
    """
    return _vector() if vector else _scalar()


def _vector() -> mb.Model:
    model = mb.Model("electric_circuit", size=2)
    nodes = model.add(mb.Zero("nodes"))
    (left, right), c = CAPACITANCES, COUPLING
    model.bond(mb.Sf("source", (CURRENT, 0.0)), nodes)
    model.bond(nodes, mb.R("resistor", RESISTANCES))
    model.bond(nodes, mb.C("capacitor", ((left + c, -c), (-c, right + c))))
    return model


def _scalar() -> mb.Model:
    model = mb.Model("electric_circuit")
    left, right = model.add(mb.Zero("left_node")), model.add(mb.Zero("right_node"))
    between = model.add(mb.One("between"))
    model.bond(mb.Sf("source", CURRENT), left)
    for name, node, resistance, capacitance in zip(
        ("left", "right"), (left, right), RESISTANCES, CAPACITANCES, strict=True
    ):
        model.bond(node, mb.R(f"{name}_resistor", resistance))
        model.bond(node, mb.C(name, capacitance))
    model.bond(left, between)
    model.bond(between, right)
    model.bond(between, mb.C("coupling", COUPLING))
    return model
