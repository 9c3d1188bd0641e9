"""Options of animations: what is not possible is told before anything is computed."""

from __future__ import annotations

import pytest

import multibond as mb
from multibond.errors import FileError, ModelError, UnknownEnding, UnknownName
from multibond.view.showing import Showing

from .models import rlc


@pytest.mark.parametrize(
    ("option", "value", "fact"),
    [
        ("fps", 0, "It is the number of pictures a second."),
        ("fps", float("nan"), "It is the number of pictures a second."),
        ("speed", -1.0, "It is the time of the run that passes in a second of the film."),
        ("arrow_scale", "long", "It is a factor on the length of the arrows."),
        ("forces", "yes", "It is shown or it is not."),
        ("frames", 1, "It is shown or it is not."),
        ("view", "above", "It is 'auto', 'front', 'side', 'top', 'oblique', or two angles."),
        ("view", (1.0, 2.0, 3.0), "It is 'auto', 'front', 'side', 'top', 'oblique', or two angles."),
        ("size", (10, 10), "It is width and height in pixels, from 64 to 4096 each."),
        ("size", 500, "It is width and height in pixels, from 64 to 4096 each."),
    ],
)
def test_an_impossible_value_is_told(option: str, value: object, fact: str) -> None:
    with pytest.raises(ModelError) as caught:
        mb.simulate(rlc(), 0.01).animate(**{option: value})
    problem, told, _ = str(caught.value).split("\n")
    assert problem == f"{option} cannot be {value!r}." and told.strip() == fact


def test_all_impossible_values_are_told_together() -> None:
    with pytest.raises(ModelError) as caught:
        Showing(fps=-1, speed=0, view="up")
    assert [str(finding).split()[0] for finding in caught.value.findings] == ["fps", "speed", "view"]


def test_an_unknown_option_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        mb.simulate(rlc(), 0.01).animate(force=True)
    assert "an animation has no 'force'.\n  Nearest: 'forces'" in str(caught.value)


def test_an_unknown_ending_is_told(tmp_path) -> None:
    with pytest.raises(UnknownEnding) as caught:
        mb.simulate(rlc(), 0.01).animate(tmp_path / "film.avi")
    assert str(caught.value) == (
        "'film.avi' has no known format.\n"
        "  The ending '.avi' is not known; known are .html, .gif, .mp4.\n"
        "  Choose one of these endings."
    )
    with pytest.raises(FileError, match="There is no folder"):
        mb.simulate(rlc(), 0.01).animate(tmp_path / "none" / "film.gif")


@pytest.mark.parametrize(
    ("seconds", "pace"), [(10.0, 1.0), (1.0, 1.0), (60.0, 1.0), (0.5, 0.1), (100.0, 20.0), (0.0, 1.0)]
)
def test_short_and_long_runs_take_five_seconds(seconds: float, pace: float) -> None:
    assert Showing().pace(seconds) == pace
    assert Showing(speed=3.0).pace(seconds) == 3.0
