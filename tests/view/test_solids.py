"""Solids in pictures: the panels close, look outwards and have the solid's size; who is drawn hangs on no name."""

from __future__ import annotations

import numpy as np
import pytest
from tests.laws.renaming import Lump, cylinders

import multibond as mb
from multibond import spatial as sp
from multibond.graph.origin import Form
from multibond.view.brush import facing
from multibond.view.machine import machine_of
from multibond.view.solids import extent, panels

BOX = Form("box", (0.4, 0.2, 0.1), (0.1, 0.05), (0.0, 1.0, 0.0))
CYLINDER = Form("cylinder", (0.0, -0.5, 0.2), (0.08,))
VOLUMES = {"box": np.linalg.norm(BOX.along) * 0.1 * 0.05, "cylinder": np.linalg.norm(CYLINDER.along) * np.pi * 0.04**2}


@pytest.mark.parametrize("form", [BOX, CYLINDER], ids=lambda form: form.kind)
def test_panels_enclose_the_volume(form: Form) -> None:
    """The divergence theorem: a third of the sum of centre · area is the volume, positive where all look outwards."""
    total, rest = 0.0, np.zeros(3)
    for corners in panels(form):
        area = 0.5 * np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
        total, rest = total + corners.mean(axis=0) @ area / 3, rest + area
    ratio = 1.0 if form.kind == "box" else np.sin(2 * np.pi / 24) * 24 / (2 * np.pi)
    np.testing.assert_allclose(total, ratio * VOLUMES[form.kind], rtol=1e-12)
    np.testing.assert_allclose(rest, 0.0, atol=1e-15)


def test_a_panel_is_seen_from_its_front() -> None:
    square = np.array([(0, 0, 0, 10), (10, 0, 0, 10), (10, -10, 0, 10), (0, -10, 0, 10)], float)
    assert facing(square) == pytest.approx(1.0)
    assert facing(square[::-1]) == pytest.approx(-1.0)
    tilted = square.copy()
    tilted[2:, 2] = -1.0
    assert facing(tilted) == pytest.approx(np.sqrt(0.5))


def test_sphere_reaches_as_far_as_it_is_large() -> None:
    np.testing.assert_allclose(np.abs(extent(Form("sphere", (0, 0, 0), (0.3,)))).max(axis=0), 0.15)


def drawn(names: tuple[str, ...] = ("c1", "c2", "ball")) -> dict[str, Form | None]:
    model = cylinders()
    for old, new in zip(("c1", "c2", "ball"), names, strict=True):
        model.rename(old, new) if old != new else None
    machine = machine_of(mb.simulate(model, 0.01), np.zeros(1))
    assert machine is not None
    return {body.name: body.form for body in machine.bodies}


@pytest.mark.parametrize("names", [("c1", "c2", "ball"), ("zz", "motion", "a0")])
def test_solids_are_drawn_as_they_are(names: tuple[str, ...]) -> None:
    found = drawn(names)
    assert found[names[0]] == Form("cylinder", (0.5, 0.0, 0.0), (0.08,))
    assert found[names[1]] == Form("box", (0.4, 0.2, 0.0), (0.1, 0.05), (0.0, 1.0, 0.0))
    assert found[names[2]] == Form("sphere", (0.0, 0.0, 0.0), (0.15,))


def test_sizes_are_those_of_the_run() -> None:
    model = cylinders()
    model.set("c1.diameter", 0.2)
    machine = machine_of(mb.simulate(model, 0.01), np.zeros(1))
    assert machine is not None
    assert next(b.form for b in machine.bodies if b.name == "c1") == Form("cylinder", (0.5, 0.0, 0.0), (0.2,))


def test_pages_and_films_have_the_panels() -> None:
    animation = mb.simulate(cylinders(), 0.05).animate(names=False, trails=False)
    assert '"kind":"panel"' in animation.html.replace(" ", "")
    picture = np.asarray(animation.film(10).picture(0)).reshape(-1, 3)
    shades = {tuple(pixel) for pixel in picture.tolist()}
    assert len(shades) > 40  # the sides of a cylinder differ in light


def test_a_users_body_is_drawn_whatever_its_inertia_is_called() -> None:
    model = mb.Model("m")
    world, joint = model.add(sp.World()), model.add(sp.Revolute("gravity", "z"))
    rod, lump = model.add(sp.Rod("rod", (0.3, 0, 0))), model.add(Lump("mass", 2.0))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, lump.place)
    machine = machine_of(mb.simulate(model, 0.01), np.zeros(1))
    assert machine is not None
    assert [(body.name, body.mass) for body in machine.bodies] == [("mass", 2.0)]
    np.testing.assert_allclose(machine.place(machine.bodies[0].frame)[0], (0.3, 0, 0), atol=1e-12)
    np.testing.assert_array_equal(machine.gravity, (0.0, -9.81, 0.0))
