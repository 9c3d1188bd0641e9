"""Animations: one file, all the data, nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.view.animate import animate, picture_times

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
    html = animate(mb.simulate(pendulum(), 1.0))
    page = Page(html)
    assert {"canvas", "play", "time", "speed", "clock", "trails", "names"} <= page.ids
    assert page.links == [] and not re.search(r"https?://|//cdn|import\s|fetch\(", html)


def test_pendulum_data():
    run = mb.simulate(pendulum(), 1.0)
    data = data_of(animate(run, fps=50))
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
    data = data_of(animate(mb.simulate(slider_crank(), 0.2)))
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
    assert len(data_of(animate(mb.simulate(m, 0.1)))["springs"]) == 1


def test_without_mechanics_the_states_run():
    data = data_of(animate(mb.simulate(rlc(), 0.05)))
    assert data["kind"] == "curves"
    assert {c["name"] for c in data["curves"]} == {"cap.q", "coil.p"}
    assert all(len(c["y"]) == len(data["t"]) for c in data["curves"])


def test_title_is_text_and_the_file_is_written(tmp_path):
    run = mb.simulate(pendulum(), 0.1)
    html = animate(run, tmp_path / "a.html", title="</script><b>%DATA%")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == html
    assert data_of(html)["title"] == "</script><b>%DATA%"
    assert "<b>" not in html


def test_pictures():
    assert picture_times(0.0, 20.0, 30).size == 601
    assert picture_times(0.0, 1e4, 30).size == 3000
    assert picture_times(0.0, 0.01, 30)[-1] == 0.01
    with pytest.raises(ModelError, match="fps"):
        animate(mb.simulate(rlc(), 0.01), fps=0)
