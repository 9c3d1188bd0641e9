"""Solids against sums over their points, frames fixed and turned against SciPy, points of bodies against rods."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
AROUND = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
VECTOR = np.array([0.3, 0.4, -0.2])
LENGTH = float(np.linalg.norm(VECTOR))


def moments(points: np.ndarray, masses: np.ndarray) -> tuple[float, np.ndarray]:
    """Mass and inertia of points about the origin."""
    squares = (points**2).sum(axis=1)
    tensor = (masses * squares).sum() * np.eye(3) - np.einsum("k,ki,kj->ij", masses, points, points)
    return float(masses.sum()), tensor


def grid(*ranges: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of a product of quadratures."""
    points = np.stack(np.meshgrid(*(r[0] for r in ranges), indexing="ij"), -1).reshape(-1, len(ranges))
    weights = np.prod(np.stack(np.meshgrid(*(r[1] for r in ranges), indexing="ij"), -1), -1).ravel()
    return points, weights


def interval(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    return 0.5 * (low + high) + 0.5 * (high - low) * NODES, 0.5 * (high - low) * WEIGHTS


def box(width: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Points of a full box along VECTOR, its width towards y."""
    first = VECTOR / LENGTH
    third = np.cross(first, [0, 1, 0])
    third /= np.linalg.norm(third)
    points, weights = grid(*(interval(-0.5 * edge, 0.5 * edge) for edge in (LENGTH, width, height)))
    return points @ np.array([first, np.cross(third, first), third]), weights


def tube(inner: float, outer: float) -> tuple[np.ndarray, np.ndarray]:
    first = VECTOR / LENGTH
    third = np.cross(first, [0, 1, 0])
    third /= np.linalg.norm(third)
    turn = (AROUND, np.full(AROUND.size, 2 * np.pi / AROUND.size))
    (s, r, a), weights = (v.T for v in grid(interval(-0.5 * LENGTH, 0.5 * LENGTH), interval(inner, outer), turn))
    points = np.column_stack([s, r * np.cos(a), r * np.sin(a)])
    return points @ np.array([first, np.cross(third, first), third]), weights * r


def ball(inner: float, outer: float) -> tuple[np.ndarray, np.ndarray]:
    turn = (AROUND, np.full(AROUND.size, 2 * np.pi / AROUND.size))
    (r, c, a), weights = (v.T for v in grid(interval(inner, outer), interval(-1.0, 1.0), turn))
    s = np.sqrt(1 - c**2)
    return np.column_stack([r * s * np.cos(a), r * s * np.sin(a), r * c]), weights * r**2


SOLIDS = {
    "box": (sp.Box("it", VECTOR, 0.1, 0.2, density=800.0), [(1, box(0.1, 0.2))]),
    "square box": (sp.Box("it", VECTOR, 0.1, density=800.0), [(1, box(0.1, 0.1))]),
    "hollow box": (
        sp.Box("it", VECTOR, 0.1, 0.2, inner_width=0.06, inner_height=0.1, density=800.0),
        [(1, box(0.1, 0.2)), (-1, box(0.06, 0.1))],
    ),
    "cylinder": (sp.Cylinder("it", VECTOR, 0.1, density=800.0), [(1, tube(0.0, 0.05))]),
    "tube": (sp.Cylinder("it", VECTOR, 0.1, 0.06, density=800.0), [(1, tube(0.03, 0.05))]),
    "ball": (sp.Sphere("it", 0.1, density=800.0), [(1, ball(0.0, 0.05))]),
    "hollow ball": (sp.Sphere("it", 0.1, 0.06, VECTOR, density=800.0), [(1, ball(0.03, 0.05))]),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_mass_and_inertia_of_a_solid(name: str) -> None:
    solid, parts = SOLIDS[name]
    found = [(sign, moments(points, 800.0 * weights)) for sign, (points, weights) in parts]
    mass, tensor = (sum(sign * value[k] for sign, value in found) for k in (0, 1))
    assert solid.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(solid.inertia, tensor, rtol=1e-10, atol=1e-12 * np.abs(tensor).max())


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_moves_like_a_body(name: str) -> None:
    """Hung at frame_a, with a mass at frame_b."""
    solid, _ = SOLIDS[name]
    reach = np.asarray(solid.vector)
    body = sp.Body("it", solid.mass, solid.inertia, 0.5 * reach, points=reach)
    ends = []
    for part, near, far in ((solid, "frame_a", "frame_b"), (body, "frame", "frame_1")):
        model = mb.Model("hung")
        world, joint = model.add(sp.World()), model.add(sp.Spherical("joint", angular_velocity=(1.0, 2.0, 3.0)))
        rod, part, tip = model.add(sp.Rod("rod", (0.1, 0, 0.2))), model.add(part), model.add(sp.PointMass("tip", 0.3))
        model.connect(world.frame, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, getattr(part, near))
        model.connect(tip.frame, getattr(part, far))
        run = mb.simulate(model, 0.5, rtol=1e-11)
        ends.append([run[n](0.5) for n in ("it.position", "it.velocity", "it.angular_velocity", "tip.position")])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_points_of_a_body_are_the_ends_of_rods() -> None:
    places = np.array([[0.5, -0.2, 0.3], [0.0, 0.4, 0.1]])
    plate = sp.Body("plate", 2.0, (0.3, 0.4, 0.5), (0.1, 0, 0), points=places)
    runs = []
    for rods in (False, True):
        model = mb.Model("plate")
        body = model.add(sp.Body("plate", 2.0, (0.3, 0.4, 0.5), (0.1, 0, 0)) if rods else plate)
        world, ball = model.add(sp.World()), model.add(sp.Spherical("ball", angular_velocity=(1.0, 2.0, 3.0)))
        model.connect(world.frame, ball.frame_a)
        model.connect(ball.frame_b, body.frame)
        for k, place in enumerate(places, 1):
            mass = model.add(sp.PointMass(f"mass{k}", float(k)))
            rod = model.add(sp.Rod(f"rod{k}", place)) if rods else None
            if rod is not None:
                model.connect(rod.frame_a, body.frame)
            model.connect(mass.frame, rod.frame_b if rod is not None else getattr(body, f"frame_{k}"))
        runs.append(mb.simulate(model, 0.5, rtol=1e-11))
    for name in ("mass1.position", "mass2.position", "plate.angular_velocity", "ball.reaction_force"):
        np.testing.assert_allclose(runs[0][name](0.5), runs[1][name](0.5), atol=1e-9)
    assert [p.name for p in sp.Body("one", 1.0, points=(1, 0, 0)).ports()] == ["frame", "frame_1"]


def test_a_fixed_frame_stands_where_it_is_told() -> None:
    model = mb.Model("fixed")
    model.add(sp.World())
    wall = model.add(sp.Fixed("wall", (0.3, -0.2, 0.5), axes="zxy", angles=(0.4, -0.7, 0.2)))
    slider, body = model.add(sp.Prismatic("slider", "x", 0.5, 0.0)), model.add(sp.PointMass("body", 2.0))
    model.connect(wall.frame, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    turn = Rotation.from_euler("ZXY", [0.4, -0.7, 0.2])
    along, run = turn.apply([1, 0, 0]), mb.simulate(model, 1.0, rtol=1e-10)
    s = 0.5 + 0.5 * along @ [0, -9.81, 0] * 0.6**2
    np.testing.assert_allclose(run["body.position"](0.6), np.array([0.3, -0.2, 0.5]) + s * along, atol=1e-9)
    np.testing.assert_allclose(run["wall.frame.attitude"](0.6), turn.as_matrix().ravel(), atol=1e-12)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_turned_link(backwards: bool) -> None:
    """Reached from frame_a or from frame_b: pose and velocity of the other frame."""
    turn, reach, spin = Rotation.from_euler("XZ", [0.5, -1.1]), np.array([0.3, 0.7, -0.4]), np.array([0.4, -0.8, 1.2])
    model = mb.Model("link")
    world, space = model.add(sp.World()), model.add(sp.Free("space", (0.1, 0.2, 0.3), angular_velocity=spin))
    link = model.add(sp.FixedRotation("link", axes="xz", angles=(0.5, -1.1), vector=reach))
    near, far = model.add(sp.Body("near", 2.0, (0.3, 0.4, 0.5))), model.add(sp.Body("far", 1.0, (0.1, 0.15, 0.2)))
    model.connect(world.frame, space.frame_a)
    ends = (link.frame_b, link.frame_a) if backwards else (link.frame_a, link.frame_b)
    model.connect(space.frame_b, near.frame, ends[0])
    model.connect(ends[1], far.frame)
    run = mb.simulate(model, 0.5, rtol=1e-11)
    R_AB, p_AB = turn.as_matrix(), reach
    if backwards:
        R_AB, p_AB = R_AB.T, -R_AB.T @ reach
    R = run["near.attitude"](0.4).reshape(3, 3)
    np.testing.assert_allclose(run["far.position"](0.4), run["near.position"](0.4) + R @ p_AB, atol=1e-12)
    np.testing.assert_allclose(run["far.attitude"](0.4), (R @ R_AB).ravel(), atol=1e-12)
    w = run["near.angular_velocity"](0.4)
    np.testing.assert_allclose(run["far.angular_velocity"](0.4), R_AB.T @ w, atol=1e-12)
    velocity = run["near.velocity"](0.4) + R @ np.cross(w, p_AB)
    np.testing.assert_allclose(run["far.velocity"](0.4), velocity, atol=1e-12)
    assert run.energy().residual < 1e-9


def test_gravity_towards_the_origin_pulls_on_centres_of_mass() -> None:
    """An eccentric body: its centre of mass flies as a point would."""
    ends = []
    for centre in ((0.0, 0.0, 0.0), (0.3, -0.2, 0.1)):
        model = mb.Model("comet")
        world, space = (
            model.add(sp.World(mu=2.0)),
            model.add(sp.Free("space", -np.array(centre) + (1.0, 0.5, 0), velocity=(0, 1, 0))),
        )
        body = model.add(sp.Body("body", 3.0, (0.1, 0.1, 0.1), centre))
        model.connect(world.frame, space.frame_a)
        model.connect(space.frame_b, body.frame)
        run = mb.simulate(model, 1.0, rtol=1e-11)
        place, pull = np.array([1.0, 0.5, 0.0]), (run["body.velocity"](1e-4) - [0, 1, 0]) / 1e-4
        np.testing.assert_allclose(pull, -2.0 * place / np.linalg.norm(place) ** 3, atol=1e-3)
        ends.append(run["body.position"](1.0))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
