"""A form with free bodies takes its start from the form with joints, also where its storages have other components."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import multibond as mb
from multibond.solve.carried_start import Source, carry_over


def test_components_are_read_where_a_storage_has_fewer_of_them_as_states() -> None:
    """Of three springs in one element the form asks for the second and third."""
    model = mb.Model("springs", size=3)
    v = model.add(mb.One("v"))
    model.bond(v, mb.C("springs", 0.5, start=(0.1, 0.2, 0.3)))
    model.bond(v, mb.I("masses", 2.0, start=(1.0, 2.0, 3.0)))
    made = mb.stages(model)
    source = Source(made.dae, made.reduced.whole, made.start.x)
    np.testing.assert_array_equal(carry_over(source, made.dae), made.start.x)
    fewer, at = [], 0
    for place in made.dae.states:
        lanes = (1, 2) if place.path == "springs" else ()
        size = len(lanes) or place.size
        fewer.append(replace(place, start=at, size=size, lanes=lanes))
        at += size
    found = carry_over(source, replace(made.dae, states=tuple(fewer)))
    told = {place.path: found[place.start : place.stop].tolist() for place in fewer}
    assert told == {"springs": [0.2, 0.3], "masses": [1.0, 2.0, 3.0]}
