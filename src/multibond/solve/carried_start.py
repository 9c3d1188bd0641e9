"""The start of a machine in another form: poses and momenta of free bodies from the coordinates of its joints."""

from __future__ import annotations

import numpy as np

from multibond.elements import FreeMotion, PlanarMotion
from multibond.equations.consistent import neutral
from multibond.equations.dae import Dae, Place, Whole
from multibond.equations.observe import Observer
from multibond.errors import UnknownName
from multibond.expr import SX, Function, column
from multibond.rotation import quaternion_of


class Source:
    """A state of one form, from which another reads by name."""

    def __init__(self, dae: Dae, whole: Whole, x: np.ndarray) -> None:
        self.dae, self.whole, self.x = dae, whole, x
        self.observer = Observer(dae, whole)

    def read(self, names: list[str]) -> np.ndarray:
        """Values of several names, one after the other."""
        return self._number([self.observer.expression(name) for name in names])

    def _number(self, expressions: list[SX]) -> np.ndarray:
        whole = self.whole
        function = Function("f", [whole.t, whole.x, whole.p], [column(expressions)])
        return np.asarray(function(0.0, self.x, self.dae.parameter_values)).ravel()

    def component(self, path: str, name: str, lanes: list[int]) -> np.ndarray:
        """Components of a storage's state; one that was unfolded is read from the vector that it comes from."""
        try:
            return self.read([f"{path}.{name}"])[lanes]
        except UnknownName:
            whole, _, number = path.rpartition(".")
            return self.read([f"{whole}.{name}"])[[int(number) - 1]]


def carry_over(source: Source, dae: Dae) -> np.ndarray:
    """The state of a form with free bodies that stands and moves as the source does."""
    x = neutral(dae)
    for place in dae.states:
        old = source.dae.place_of_state(place.path, place.name)
        if old is not None and old.size == place.size:
            x[place.start : place.stop] = source.x[old.start : old.stop]
        else:
            x[place.start : place.stop] = _value(source, dae, place)
    return x


def _value(source: Source, dae: Dae, place: Place) -> np.ndarray:
    lanes = list(place.lanes or range(place.size))
    if not isinstance(dae.graph.elements[place.path], FreeMotion):
        return source.component(place.path, place.name, lanes)
    if place.path in source.dae.graph.elements:
        return source.read([f"{place.path}.{'f' if place.name == 'u' else 'q'}"])[lanes]
    hit = dae.graph.signal_at(place.path, "position_b")
    assert hit is not None
    frame = hit[0].name.removesuffix(".position")
    if isinstance(dae.graph.elements[place.path], PlanarMotion):
        return _in_plane(source, frame, place)[lanes]
    if place.name == "u":
        return source.read([f"{frame}.rotation.f", f"{frame}.translation.f"])[lanes]
    pose = source.read([f"{frame}.attitude", f"{frame}.position"])
    return np.concatenate([quaternion_of(pose[:9].reshape(3, 3)), pose[9:12]])


def _in_plane(source: Source, frame: str, place: Place) -> np.ndarray:
    """Angle and place of a body in the plane, or how fast they change."""
    if place.name == "u":
        return source.read([f"{frame}.plane.f"])[[2, 0, 1]]
    return source.read([f"{frame}.angle", f"{frame}.position"])
