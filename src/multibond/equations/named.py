"""What can be asked for by name inside a cell: efforts and flows at ports, power, states, signals."""

from __future__ import annotations

import casadi as ca

from multibond.elements.oneport import OnePort
from multibond.equations.cellclass import Walk
from multibond.equations.writing import signal_ports
from multibond.expr import SX, column


def named_values(walk: Walk) -> dict[str, SX]:
    """Everything that can be asked for by name: efforts and flows at ports, states, signals given."""
    values: dict[str, SX] = {}
    relative = walk.cell.relative
    for path in walk.cell.elements:
        values |= _port_values(walk, path)
        for port in signal_ports(walk.graph.elements[path]):
            hit = walk.graph.signal_at(path, port.name)
            giver = walk.givers.get(hit[0].name) if hit else None
            if hit and giver and (giver.element, giver.port) == (path, port.name):
                values[f"{relative(path)}.{port.name}"] = walk.sheet.signal[hit[0].name]
    for slot, symbol in walk.states:
        values[f"{relative(slot.element)}.{slot.name}"] = symbol
    for name, value in walk.sheet.unread.items():
        values[relative(name)] = value
    return values


def _port_values(walk: Walk, path: str) -> dict[str, SX]:
    item, name = walk.graph.elements[path], walk.cell.relative(path)
    values: dict[str, SX] = {}
    for bond in walk.graph.bonds_of(path):
        port = bond.end(path).port
        base = name if port in ("port", "any") else f"{name}.{port}"
        if item.causality != "zero":
            values[f"{base}.f"] = walk.sheet.flow[bond.name]
        if item.causality != "one":
            values[f"{base}.e"] = walk.sheet.effort[bond.name]
    if item.split:
        values |= _whole_ports(walk, path, values)
    if isinstance(item, OnePort) or item.power != "kept" or path in walk.sheet.energy:
        values[f"{name}.power"] = _power(walk, path)
    return values


def _whole_ports(walk: Walk, path: str, values: dict[str, SX]) -> dict[str, SX]:
    """The ports of a split element as the vectors they were."""
    name, lanes = walk.cell.relative(path), {}
    for bond in walk.graph.bonds_of(path):
        port, _, lane = bond.end(path).port.rpartition("_")
        if lane.isdigit():
            lanes.setdefault(port, []).append(int(lane))
    return {
        f"{name}.{v}" if port == "port" else f"{name}.{port}.{v}": column(
            [values[f"{name}.{port}_{k}.{v}"] for k in sorted(numbers)]
        )
        for port, numbers in lanes.items()
        for v in "ef"
    }


def _power(walk: Walk, path: str) -> SX:
    """Power of an element over all its ports: into storages and resistors, out of sources, whatever the arrows."""
    item, total = walk.graph.elements[path], SX(0)
    inward = item.inward if isinstance(item, OnePort) else item.power != "given"
    for bond in walk.graph.bonds_of(path):
        sign = 1 if bond.into(path) == inward else -1
        total += sign * ca.dot(walk.sheet.effort[bond.name], walk.sheet.flow[bond.name])
    return total
