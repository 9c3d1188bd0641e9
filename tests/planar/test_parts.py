"""Planar parts in the house: files, depths, animation, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond.errors import ModelError, MultibondError, ParameterError
from multibond.graph.component import Component

from .machines import MACHINES, free_body

# -- household -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", pl.ALL, ids=lambda kind: kind.__name__)
def test_examples_of_the_docstrings_are_saved(kind: type[Component], tmp_path: Path) -> None:
    for line in re.findall(r">>> (.*)", kind.__doc__ or ""):
        part = eval(line, {"mb": mb} | vars(pl))
        assert type(part) is kind
        model = mb.Model("one")
        model.add(part)
        mb.save(model, tmp_path / "one.yaml")
        assert repr(mb.load(tmp_path / "one.yaml", strict=True)[part.name]) == repr(part)
        assert part.name in mb.draw(model)
    assert not {p.name for p in kind("it", *_needed(kind)).ports()} & set(kind.parameters())


def _needed(kind: type[Component]) -> list[object]:
    return {"Body": [1.0], "PointMass": [1.0], "Spring": [1.0], "Damper": [1.0]}.get(
        kind.__name__, [(1.0, 0.0)] if kind.__name__ in ("Rod", "Lever", "Telescope") else []
    )


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("depth", [2, 3])
def test_depths_and_files_agree(name: str, depth: int, tmp_path: Path) -> None:
    build, until, _ = MACHINES[name]
    model, t = build(pl), np.linspace(0.0, 0.5 * until, 11)
    opened = model.open(depth=depth)
    mb.save(opened, tmp_path / "opened.mbg")
    runs = [mb.simulate(m, 0.5 * until, rtol=1e-11) for m in (model, opened, mb.load(tmp_path / "opened.mbg"))]
    joints = [p for p in runs[0].system.dae.graph.elements if p.endswith(".motion")]
    for path in joints:
        wanted = runs[0][f"{path}.q"](t)
        for run in runs[1:]:
            np.testing.assert_allclose(run[f"{path.replace('.', '-')}.q"](t), wanted, atol=1e-9, err_msg=path)


def test_the_animation_shows_the_plane_at_the_height_zero(tmp_path: Path) -> None:
    run = mb.simulate(free_body(pl), 0.5)
    run.animate(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'\{"title".*?\}(?=;|</script>|\n)', text, re.S)[0])
    frames = {frame["name"]: frame for frame in data["frames"]}
    assert data["gravity"] == [0.0, -9.81, 0.0]
    p, R = (np.array(frames["body.frame"][k]).reshape(-1, n) for k, n in (("p", 3), ("R", 9)))
    angle = run["body.angle"](np.array(data["t"]))
    np.testing.assert_allclose(p[:, :2], run["body.position"](np.array(data["t"])), atol=1e-4)
    np.testing.assert_allclose(p[:, 2], 0.0)
    np.testing.assert_allclose(
        R[:, [0, 1, 3, 4, 8]],
        np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle), 0 * angle + 1], 1),
        atol=1e-4,
    )
    assert {rod["name"] for rod in data["rods"]} == {"rod"} and len(data["springs"]) == 1
    assert data["bodies"][0]["centre"] == [0.0, 0.0, 0.0]


# -- what is refused -------------------------------------------------------------------------------------------------


def test_planes_and_space_do_not_mix_without_a_bridge() -> None:
    model = mb.Model("mixed")
    world, hinge = model.add(pl.World()), model.add(mb.spatial.Revolute("hinge"))
    with pytest.raises(MultibondError, match=r"'world.frame' is a planar frame; 'hinge.frame_a' is a mechanical frame"):
        model.connect(world.frame, hinge.frame_a)


def test_axes_stay_in_the_plane() -> None:
    with pytest.raises(ParameterError, match="an axis leads out of the plane"):
        pl.Prismatic("rail", (1.0, 0.0, 1.0))
    with pytest.raises(ParameterError, match="not perpendicular"):
        pl.Joint("table", slides=[(1.0, 0.0), (1.0, 1.0)])


def test_there_is_one_world() -> None:
    model = mb.Model("two")
    model.add(pl.World())
    model.add(pl.World("other"))
    with pytest.raises(ModelError, match="second World"):
        mb.compile(model)


def test_bodies_need_a_world() -> None:
    model = mb.Model("lost")
    model.add(pl.Body("stone", 1.0))
    with pytest.raises(ModelError, match="Add a planar World"):
        mb.compile(model)
