"""Parts of space with one value wrong each, and lines that have lost their direction."""

from __future__ import annotations

import multibond as mb
from multibond import errors
from multibond import spatial as sp

from .broken import broken

PARAMETER = errors.ParameterError


@broken(PARAMETER, "World 'world' two kinds of gravity", "mu")
def world_with_two_kinds_of_gravity() -> object:
    return sp.World(gravity=(0, 0, -9.81), mu=1.0)


@broken(PARAMETER, "Fixed 'wall' 2 axes 1 angle", "one angle for each axis")
def fixed_with_too_few_angles() -> object:
    return sp.Fixed("wall", axes="xy", angles=0.3)


@broken(PARAMETER, "FixedRotation 'elbow' 1 axes 2 angles", "one angle for each axis")
def link_with_too_many_angles() -> object:
    return sp.FixedRotation("elbow", axes="z", angles=(0.3, 0.1))


@broken(PARAMETER, "Box 'bar' no direction zero", "frame_b")
def box_without_length() -> object:
    return sp.Box("bar", (0, 0, 0), width=0.1)


@broken(PARAMETER, "Box 'bar' no width along", "across")
def box_without_width() -> object:
    return sp.Box("bar", (0, 1, 0), width=0.1)


@broken(PARAMETER, "Box 'bar' inner_width 0.2 width 0.1", "inner_width < width")
def box_with_too_wide_a_hole() -> object:
    return sp.Box("bar", (1, 0, 0), width=0.1, height=0.1, inner_width=0.2, inner_height=0.05)


@broken(PARAMETER, "Cylinder 'tube' inner_diameter 0.1 diameter 0.1", "inner_diameter < diameter")
def tube_without_wall() -> object:
    return sp.Cylinder("tube", (1, 0, 0), diameter=0.1, inner_diameter=0.1)


@broken(PARAMETER, "Body 'plate' points three coordinates", "rows of three")
def body_with_flat_points() -> object:
    return sp.Body("plate", 1.0, points=((1, 0), (0, 1)))


@broken(PARAMETER, "SphericalSpherical 'rod' method 'glue'", "Choose one of these")
def rod_with_an_unknown_method() -> object:
    return sp.SphericalSpherical("rod", 1.0, method="glue")


@broken(PARAMETER, "UniversalSpherical 'rod' axes perpendicular", "perpendicular")
def rod_with_skew_axes() -> object:
    return sp.UniversalSpherical("rod", (1, 0, 0), axis="z", second_axis=(0, 1, 1))


@broken(PARAMETER, "Force 'push' resolved 'nowhere' 'frame_a'", "Choose one of these")
def force_in_no_axes() -> object:
    return sp.Force("push", (1, 0, 0), resolved="nowhere")


@broken(PARAMETER, "CutSensor 'cell' resolved 'frame_a' 'world'", "Choose one of these")
def sensor_in_no_axes() -> object:
    return sp.CutSensor("cell", "frame_a")


@broken(PARAMETER, "sequence 'camera' no angles", "three axes")
def sensor_of_two_angles() -> object:
    return sp.PoseSensor("camera", "xy")


@broken(PARAMETER, "Bushing 'mount' stiffness three directions", "one value or three")
def bushing_of_two_directions() -> object:
    return sp.Bushing("mount", stiffness=(1.0, 2.0))


@broken(errors.SimulationError, "0 s 'strut' no length no direction", "error's `run`")
def line_without_length() -> object:
    model = mb.Model("met")
    world, space = model.add(sp.World()), model.add(sp.FreeTranslation("space", (0, 0, 0), (1, 0, 0)))
    body, strut = model.add(sp.PointMass("body", 1.0)), model.add(sp.Spring("strut", 8.0, rest=0.5))
    model.connect(world.frame, space.frame_a, strut.frame_a)
    model.connect(space.frame_b, body.frame, strut.frame_b)
    return mb.simulate(model, 1.0).check()


@broken(errors.ModelError, "Spring 'strut' loose side frame_b", "both frames")
def spring_with_a_loose_end() -> object:
    model = mb.Model("loose")
    world, strut = model.add(sp.World()), model.add(sp.Spring("strut", 8.0))
    model.connect(world.frame, strut.frame_a)
    return mb.compile(model)
