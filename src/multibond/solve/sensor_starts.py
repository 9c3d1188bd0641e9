"""Sensors at the flange of a joint that begin elsewhere than the joint does.

A Dq integrates a flow from its own start and knows nothing of coordinates; a controller that reads it then settles at a
wrong place. A start that differs may be meant (an encoder that counts from where it is), so it is said, not refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from multibond.elements import Dq, FreeMotion, One
from multibond.equations.writing import port_sign
from multibond.graph.graph import Graph
from multibond.lower.system import System
from multibond.solve.reading import evaluate

SAME = 1e-5
"""Starts that differ by less than this, as a part of their size or of one, agree: so many digits are told."""
ELSEWHERE = "at the start, its joint"


def sensors_elsewhere(system: System, drawn: Graph) -> tuple[str, ...]:
    """A line for each sensor of a displacement that reads something else than the coordinate of its joint.

    drawn: the graph as it was drawn, in which sensors hang at the junctions of joints whatever the method.
    """
    return tuple(line for row in _pairs(drawn) if (line := _line(system, *row)))


def _pairs(graph: Graph) -> Iterator[tuple[str, str, int]]:
    """Sensors and the motions whose flow they integrate; with the sign that their half-arrows give it."""
    for path, item in graph.of_type(Dq):
        for motion in _motions_at(graph, path):
            joint = graph.elements[motion]
            assert isinstance(joint, FreeMotion)
            plain = joint.motion.coordinates == joint.motion.freedoms and not joint.motion.mixed
            signs = [port_sign(p, e, graph.bonds_of(p)[0]) for p, e in ((path, item), (motion, joint))]
            if plain and graph.bonds_of(path)[0].size == joint.motion.freedoms:
                yield path, motion, signs[0] * signs[1]


def _motions_at(graph: Graph, path: str) -> list[str]:
    """Motions of joints at the 1-junctions, joined to one another, at which an element is: all have its flow."""
    seen, ahead, found = {path}, [path], []
    while ahead:
        near = {bond.other(here).element for here in [ahead.pop()] for bond in graph.bonds_of(here)} - seen
        seen |= near
        found += [p for p in near if isinstance(graph.elements[p], FreeMotion)]
        ahead += [p for p in near if isinstance(graph.elements[p], One)]
    return sorted(found)[:1]


def _line(system: System, sensor: str, motion: str, sign: int) -> str:
    """What to say of a sensor and the joint that it hangs at; nothing where both begin alike."""
    names = [f"{sensor}.value", f"{motion}.q"]
    item = system.dae.graph.elements.get(motion)
    if not isinstance(item, FreeMotion) or not all(system.observer.knows(name) for name in names):
        return ""
    values = evaluate(system, system.observer.function(names), np.zeros(1), system.x0[None, :])[0]
    reads, stands = values[: values.size // 2], sign * values[values.size // 2 :]
    apart, turns = reads - stands, np.arange(stands.size) < item.motion.turns
    if system.dae.tree.role.get(motion) == "cut":  # where full turns are not counted
        apart = np.where(turns, np.arctan2(np.sin(apart), np.cos(apart)), apart)
    k = int(np.abs(apart).argmax())
    if abs(apart[k]) <= SAME * max(1.0, abs(stands[k])):
        return ""
    name, joint = system.dae.graph.owner(sensor), system.dae.graph.joint(motion)
    cure = f"read {joint}.coordinate, or give the sensor start={_written(stands)}"
    unit = "rad" if turns[k] else "m"
    return f"{name}: it reads {reads[k]:.6g} {ELSEWHERE} {joint!r} stands at {sign * stands[k]:.6g} {unit}; {cure}"


def _written(values: np.ndarray) -> str:
    texts = [f"{value:.6g}" for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
