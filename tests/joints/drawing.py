"""A plan with numbers as a model, its parts added and connected in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

from .numbers import Numbers
from .plans import Plan


class Drawing:
    """Parts and connections of a model before they are put in, so that the order can be shuffled."""

    def __init__(self, plan: Plan, made: Numbers) -> None:
        self.plan, self.values = plan, made.values
        self.parts: list[Any] = []
        self.links: list[tuple[str, str]] = []
        self.frame = {0: "world.frame"} | {k: f"body{k}.frame" for k in range(1, plan.bodies + 1)}
        self._bodies()
        for edge in plan.edges:
            if not edge.whole:
                self.parts.append(edge.type.part(edge.name, **edge.type.fixed, **self._of(edge.name)))
                self._join(edge.name, edge.name, edge.a, edge.b)
        for name, i, j in plan.rods:
            self.parts.append(sp.SphericalSpherical(name, **self._of(name)))
            self._join(name, name, i, j)
        self._compound()

    def _of(self, name: str) -> dict[str, Any]:
        return {k.removeprefix(f"{name}."): v for k, v in self.values.items() if k.rpartition(".")[0] == name}

    def _bodies(self) -> None:
        room = pl if self.plan.plane else sp
        self.parts.append(room.World(**self._of("world")))
        self.parts += [room.Body(f"body{k}", **self._of(f"body{k}")) for k in range(1, self.plan.bodies + 1)]
        self.parts.append(room.Spring("spring", **self._of("spring")))
        self.links += [("world.frame", "spring.frame_a"), (f"body{self.plan.bodies}.frame", "spring.frame_b")]

    def _place(self, name: str, body: int) -> str:
        """A frame on a body; returns its name."""
        name = name.replace(".", "-")
        values = self._of(f"at_{name}")
        if not values:
            return self.frame[body]
        made = pl.Rod(f"at_{name}", **values) if self.plan.plane else sp.FixedRotation(f"at_{name}", "xyz", **values)
        self.parts.append(made)
        self.links.append((self.frame[body], f"at_{name}.frame_a"))
        return f"at_{name}.frame_b"

    def _join(self, part: str, name: str, a: int, b: int) -> None:
        self.links.append((self._place(name, a), f"{part}.frame_a"))
        self.links.append((self._place(f"{name}_tip", b), f"{part}.frame_b"))

    def _compound(self) -> None:
        """A rod with a Cardan joint and a ball, a gear, joints that move together."""
        edges = {edge.name: edge for edge in self.plan.edges}
        if self.plan.name == "UniversalSpherical":
            cross, ball = edges["it.universal"], edges["it.ball"]
            self.parts.append(sp.UniversalSpherical("it", **cross.type.fixed, **self._of("it")))
            self.links.append((self._place("it.universal", cross.a), "it.frame_a"))
            self.links.append((self._place("it.ball_tip", ball.b), "it.frame_b"))
            self.links.append((self.frame[cross.b], "it.frame_rod"))
        if self.plan.name == "Gear":
            first, second = edges["it.wheel_a"], edges["it.wheel_b"]
            axes = {"axis_a": first.type.fixed["axis"], "axis_b": second.type.fixed["axis"]}
            self.parts.append(sp.Gear("it", **axes, **self._of("it")))
            self.links.append((self._place("it.wheel_a", first.a), "it.bearing"))
            self.links += [(self.frame[first.b], "it.frame_a"), (self.frame[second.b], "it.frame_b")]
        for name, *joints in self.plan.couplings:
            self.parts.append(sp.Coupling(name, **self._of(name)))
            for k, joint in enumerate(joints, 1):
                self.links += [(f"{joint}.{end}", f"{name}.{end}_{k}") for end in ("flange", "coordinate")]

    def model(self, order: np.random.Generator | None = None, freed: str = "") -> mb.Model:
        """The model; with `order` parts and connections come shuffled, and connections either way round.

        freed: a joint that is to be cut by its own method.
        """
        model = mb.Model(self.plan.name)
        parts = [replace(part, method="multiplier") if part.name == freed else part for part in self.parts]
        links = self.links
        if order is not None:
            parts = [parts[k] for k in order.permutation(len(parts))]
            links = [links[k][:: 1 if "coordinate" in links[k][0] else int(order.choice([-1, 1]))]
                     for k in order.permutation(len(links))]  # fmt: skip
        for part in parts:
            model.add(part)
        for one, other in links:
            model.connect(one, other)
        return model
