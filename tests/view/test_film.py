"""Films: the right pictures at the right times, in GIF and MP4, and nothing that moves leaves them."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import heavy_top
from multibond.export.film import durations, palette_of
from multibond.export.needs import MissingPackage
from multibond.view.camera import SIDES
from multibond.view.showing import Showing
from multibond.view.stage import LOAD_COLOURS, stage_of

from .loaded import planar_crank
from .models import pendulum, rlc

SMALL = (320, 240)


@cache
def swing() -> mb.Run:
    return mb.simulate(pendulum(), 1.0)


def colour(text: str) -> np.ndarray:
    return np.array([int(text[k : k + 2], 16) for k in (1, 3, 5)])


def has(picture: Image.Image, text: str) -> bool:
    """Whether a colour is in a picture, smoothed edges aside."""
    return bool((np.abs(np.asarray(picture.convert("RGB"), int) - colour(text)).max(axis=2) < 12).sum() > 20)


# -- GIF ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fps", "speed", "count"), [(20, 1.0, 21), (25, 0.5, 51), (10, 2.0, 6)])
def test_a_gif_has_its_pictures_and_its_pace(tmp_path: Path, fps: float, speed: float, count: int) -> None:
    swing().animate(tmp_path / "a.gif", fps=fps, speed=speed, size=SMALL)
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.n_frames, film.size, film.info["loop"]) == (count, SMALL, 0)
        pauses = [picture.info["duration"] for picture in ImageSequence.Iterator(film)]
    assert pauses == [1000 / fps] * count


def test_pauses_are_hundredths_of_a_second_and_keep_the_pace() -> None:
    found = durations(301, 30.0)
    assert set(found) == {30, 40} and abs(sum(found[:300]) - 10_000) <= 10


def test_the_pictures_of_a_gif_are_those_of_the_run(tmp_path: Path) -> None:
    """Each is nearest to the picture painted for its own time, but for the palette."""
    animation = swing().animate(tmp_path / "a.gif", fps=10, size=SMALL)
    wanted = [np.asarray(animation.film(10).picture(k), int) for k in range(11)]
    with Image.open(tmp_path / "a.gif") as film:
        for k, picture in enumerate(ImageSequence.Iterator(film)):
            apart = [np.abs(np.asarray(picture.convert("RGB"), int) - one).mean() for one in wanted]
            assert np.argmin(apart) == k and apart[k] < 0.5


def test_a_palette_keeps_what_is_common_and_maps_the_rest_to_the_nearest() -> None:
    rng = np.random.default_rng(3)
    odd = rng.integers(0, 256, (5000, 3)).astype(np.uint8)
    pixels = np.concatenate([np.full((9000, 3), 255, np.uint8), np.tile(np.uint8([200, 16, 46]), (7000, 1)), odd])
    colours, table = palette_of(pixels)
    cells = (pixels.astype(int) >> 3) @ [1024, 32, 1]
    found = colours[table[cells]].astype(int)
    assert (found[:9000] >= 254).all() and np.abs(found[9000:16000] - [200, 16, 46]).max() <= 1
    best = np.abs(odd[:, None].astype(int) - colours[None].astype(int)).max(axis=2).min(axis=1)
    assert (np.abs(found[16000:] - odd).max(axis=1) <= best + 40).all()


def test_too_quick_a_gif_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        swing().animate(tmp_path / "a.gif", fps=60)
    assert str(caught.value) == (
        "fps cannot be 60 in a GIF.\n"
        "  Browsers play a GIF of more than 50 pictures a second slowly.\n"
        "  Give fewer, or write an .mp4 file."
    )
    assert not list(tmp_path.iterdir())


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def test_an_mp4_can_be_played(tmp_path: Path) -> None:
    animation = swing().animate(tmp_path / "a.mp4", fps=20, size=(321, 241), forces=True)
    assert imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))[0] == 21
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "a.mp4"))
    told = next(reader)
    assert told["size"] == SMALL and told["fps"] == 20.0 and told["codec"] == "h264"
    pictures = [np.frombuffer(data, np.uint8).reshape(240, 320, 3).astype(int) for data in reader]
    assert len(pictures) == 21
    for k, picture in enumerate(pictures):
        wanted = np.asarray(animation.film(20).picture(k), int)[:240, :320] if k % 10 == 0 else picture
        assert picture.std() > 10 and np.abs(picture - wanted).mean() < 2.0
    assert np.abs(pictures[0] - pictures[-1]).mean() > 1.0


def test_without_the_encoder_the_cure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingPackage) as caught:
        swing().animate(tmp_path / "a.mp4")
    assert str(caught.value) == (
        "a film in MP4 needs the package 'imageio_ffmpeg'.\n"
        "  It is not installed, as it is not needed for anything else.\n"
        "  Install it with: pip install 'multibond[video]'"
    )
    swing().animate(tmp_path / "a.gif", fps=2, size=SMALL)


# -- pictures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [*SIDES, (120.0, -35.0)])
@pytest.mark.parametrize("build", [heavy_top, pendulum, planar_crank])
def test_the_whole_motion_is_in_the_picture(build, view) -> None:
    from multibond.view.painter import StagePainter

    run, wanted = mb.simulate(build(), 0.6), Showing(view=view, forces=True, constraints=True)
    stage = stage_of(run, np.linspace(0.0, 0.6, 61), wanted)
    paper = StagePainter(stage, wanted, "").paper
    machine = stage.machine
    points = [machine.positions.reshape(-1, 3), *(machine.place(b.frame, b.centre) for b in machine.bodies)]
    points += [machine.place(x.on, x.point) + stage.scales[x.kind] * x.values for x in stage.loads]
    at = paper.put(np.concatenate(points))[:, :2]
    margin = 30.0
    assert (at > margin).all() and (at < np.array(wanted.size) - margin).all()
    assert (np.ptp(at, axis=0) > 0.5 * np.array([600, 400])).any()  # and it fills it


def test_a_body_is_painted_where_it_is() -> None:
    run = swing()
    film = run.animate(names=False, trails=False, view="front").film(4)
    for k, time in enumerate(film.times):
        x, y = film.painter.paper.put(run["foot.position"](time))[:2]
        picture = np.asarray(film.picture(k), int)
        assert np.abs(picture[round(y) + 6, round(x) + 6] - colour("#0072b2")).max() < 12
        assert (picture[round(y) + 40, round(x) + 40] == 255).all()


def test_in_front_view_the_paper_is_the_plane_of_the_pendulum() -> None:
    """x to the right, y up; a picture at twice the height is twice as large but for its margins."""
    animation = swing().animate(view="front")
    paper = animation.film(4).painter.paper
    origin, right, up = (paper.put(np.array(p)) for p in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0)))
    scale = origin[3]
    np.testing.assert_allclose(right[:2] - origin[:2], [0.1 * scale, 0.0], atol=1e-9)
    np.testing.assert_allclose(up[:2] - origin[:2], [0.0, -0.1 * scale], atol=1e-9)


@pytest.mark.parametrize("role", LOAD_COLOURS)
def test_arrows_are_painted_on_request(role: str) -> None:
    option = {"force": "forces", "constraint": "constraints"}[role]
    assert not has(swing().animate().picture(0.3), LOAD_COLOURS[role])
    assert has(swing().animate(**{option: True}).picture(0.3), LOAD_COLOURS[role])


def test_frames_are_painted_on_request() -> None:
    """Their axes of three colours: more of each than the world's alone."""
    plain, framed = (np.asarray(swing().animate(frames=f).picture(0.3), int) for f in (False, True))
    for text in ("#c0392b", "#1e8449", "#2255bb"):
        few, many = ((np.abs(p - colour(text)).max(axis=2) < 20).sum() for p in (plain, framed))
        assert many > few + 10


def test_curves_run_in_films_too(tmp_path: Path) -> None:
    run = mb.simulate(rlc(), 0.05)
    animation = run.animate(tmp_path / "a.gif", fps=4, size=SMALL)
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 21  # five seconds, as the run is short
    early, late = (np.asarray(animation.film(4).picture(k), int) for k in (2, 18))
    assert early[:, 200:].std() < late[:, 200:].std()
