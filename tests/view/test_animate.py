"""Animations: one file, all the data, nothing from elsewhere."""

from __future__ import annotations

import html as entities
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import slider_crank as boudon
from multibond.view.animate import picture_times
from multibond.view.stage import LONGEST

from .models import pendulum, rlc, slider_crank, tethered


class Page(HTMLParser):
    """Collects the tags, their attributes and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input", "link", "br"):
            self.open.append(tag)
        self.ids.update(value for name, value in attrs if name == "id")
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


def data_of(html: str) -> dict:
    page = Page(html)
    assert page.open == [] and page.links == []
    return json.loads(page.scripts[0])


def test_one_file_with_controls_and_nothing_from_elsewhere():
    html = mb.simulate(pendulum(), 1.0).animate().html
    page = Page(html)
    shown = {"trails", "names", "frames", "forces", "constraints"}
    assert {"canvas", "play", "time", "speed", "clock", *shown} <= page.ids
    assert page.links == [] and not re.search(r"https?://|//cdn|import\s|fetch\(", html)


def test_pendulum_data():
    run = mb.simulate(pendulum(), 1.0)
    data = data_of(run.animate(fps=50).html)
    times = np.array(data["t"])
    frame = next(f for f in data["frames"] if f["name"] == "foot.frame")
    assert np.allclose(np.reshape(frame["p"], (-1, 3)), run["foot.position"](times), atol=1e-5)
    assert np.allclose(np.reshape(frame["R"], (-1, 9)), run["foot.attitude"](times), atol=1e-5)
    names = [f["name"] for f in data["frames"]]
    assert [[names[k] for k in rod["ends"]] for rod in data["rods"]] == [["hip.frame_b", "foot.frame"]]
    assert [(b["name"], b["mass"], names[b["frame"]]) for b in data["bodies"]] == [("foot", 1.0, "foot.frame")]
    assert [(j["name"], j["kind"], j["axis"]) for j in data["joints"]] == [("hip", "revolute", [0.0, 0.0, 1.0])]
    assert data["gravity"] == [0.0, -9.81, 0.0]


def test_slider_crank_bodies_have_their_centres():
    data = data_of(mb.simulate(slider_crank(), 0.2).animate().html)
    assert {b["name"]: b["centre"] for b in data["bodies"]} == {
        "crank": [0.1, 0, 0],
        "rod": [0.5, 0, 0],
        "piston": [0, 0, 0],
    }
    assert len(data["rods"]) == 2 and len(data["joints"]) == 4


def test_spring_is_shown():
    m = tethered()
    m.add(mb.spatial.Free("start", position=(1.5, 0.0, 0.0)))
    m.connect("anchor.frame", "start.frame_a")
    m.connect("start.frame_b", "stone.frame")
    data = data_of(mb.simulate(m, 0.1).animate().html)
    assert [spring["kind"] for spring in data["springs"]] == ["spring"]
    assert [shape["kind"] for shape in data["shapes"]].count("coil") == 1


def test_without_mechanics_the_states_run():
    data = data_of(mb.simulate(rlc(), 0.05).animate().html)
    assert data["kind"] == "curves"
    assert {c["name"] for c in data["curves"]} == {"cap.q", "coil.p"}
    assert all(len(c["y"]) == len(data["t"]) for c in data["curves"])


def test_title_is_text_and_the_file_is_written(tmp_path):
    run = mb.simulate(pendulum(), 0.1)
    html = run.animate(tmp_path / "a.html", title="</script><b>%DATA%").html
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == html
    assert data_of(html)["title"] == "</script><b>%DATA%"
    assert "<b>" not in html


def test_pictures():
    assert picture_times(0.0, 20.0, 30).size == 601
    assert picture_times(0.0, 1e4, 30).size == 3000
    assert picture_times(0.0, 0.01, 30)[-1] == 0.01
    with pytest.raises(ModelError, match="fps"):
        mb.simulate(rlc(), 0.01).animate(fps=0)


def test_a_page_has_loads_where_they_are_asked_for():
    run = mb.simulate(pendulum(), 1.0)
    assert data_of(run.animate().html)["loads"] == []
    data = data_of(run.animate(forces=True, constraints=True, speed=0.5).html)
    assert data["show"] == {
        "frames": False, "names": True, "trails": True, "forces": True, "constraints": True, "speed": 0.5,
    }  # fmt: skip
    times = np.array(data["t"])
    weight = next(x for x in data["loads"] if x["name"] == "foot")
    assert np.allclose(np.reshape(weight["v"], (-1, 3)), (0, -9.81, 0), atol=1e-4)
    hip = next(x for x in data["loads"] if (x["name"], x["kind"], x["role"]) == ("hip", "force", "constraint"))
    assert np.allclose(np.reshape(hip["v"], (-1, 3)), run["hip.reaction_force"](times), atol=1e-3)
    assert [row["kind"] for row in data["legend"]] == ["force", "force", "torque"]


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_the_longest_arrow_is_a_share_of_the_machine(factor):
    data = data_of(mb.simulate(pendulum(), 1.0).animate(forces=True, constraints=True, arrow_scale=factor).html)
    for kind in ("force", "torque"):
        longest = max(
            np.linalg.norm(np.reshape(x["v"], (-1, 3)), axis=1).max() for x in data["loads"] if x["kind"] == kind
        )
        assert longest * data["scales"][kind] == pytest.approx(factor * LONGEST * data["radius"], rel=1e-5)
    for row in data["legend"]:
        value, _, _, reach, _ = row["text"].partition(": ")[2].split()
        assert float(value) == row["value"] and float(reach) == pytest.approx(
            row["value"] * data["scales"][row["kind"]], rel=0.05
        )


def test_a_notebook_shows_the_page_within_its_own():
    animation = mb.simulate(pendulum(), 0.1).animate(frames=True)
    text = animation._repr_html_()
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*" sandbox="allow-scripts"></iframe>', text)
    assert entities.unescape(found[1]) == animation.html
    assert repr(animation) == "Animation of 'arm' from 0 s to 0.1 s"


@pytest.mark.slow
def test_a_run_in_minimal_coordinates_shows_the_machine_as_drawn():
    few, all_ = (mb.simulate(boudon(), 0.2, method=m).animate(constraints=True).html for m in ("minimal", "auto"))
    few, all_ = data_of(few), data_of(all_)
    assert [f["name"] for f in few["frames"]] == [f["name"] for f in all_["frames"]]
    for one, other in zip(few["frames"], all_["frames"], strict=True):
        np.testing.assert_allclose(one["p"], other["p"], atol=1e-5)
    assert [x["name"] for x in few["loads"]] == [x["name"] for x in all_["loads"]]
    for one, other in zip(few["loads"], all_["loads"], strict=True):
        np.testing.assert_allclose(one["v"], other["v"], atol=1e-3)
