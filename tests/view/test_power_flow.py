"""Power on drawings: thickness, direction, stills, means, the page and its numbers."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError, ParameterError, UnknownEnding
from multibond.examples import EXAMPLES
from multibond.view.palette import AGAINST, ALONG, IDLE
from multibond.view.power_flow import PowerFlow
from multibond.view.power_scale import LEAST, THIN, WIDEST, Scale, round_below, scale_of, watts

from .models import pendulum, rlc
from .test_animate import Page

U, R, L, C = 12.0, 1.2, 2e-3, 1e-3
END = 0.02
WIDE = WIDEST["multibond"]


def closed_form(t: np.ndarray) -> dict[str, np.ndarray]:
    """Power on the bonds of `rlc` from rest: i = U/(ωL) e^(-at) sin ωt, with a = R/2L and ω² = 1/LC - a²."""
    a = R / (2 * L)
    w = math.sqrt(1 / (L * C) - a * a)
    i = U / (w * L) * np.exp(-a * t) * np.sin(w * t)
    u = U - U * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    lost = R * i * i
    return {
        "battery->current": U * i, "current->winding": lost, "current->cap": u * i,
        "current->coil": U * i - lost - u * i,
    }  # fmt: skip


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.simulate(rlc(), END, rtol=1e-11)


def data_of(html: str) -> dict:
    page = Page(html)
    assert page.open == [] and page.links == []
    return json.loads(page.scripts[0])


def bands(svg: str) -> dict[str, dict[str, str]]:
    """By the name of a bond the attributes of its band on a still."""
    found = {}
    for name, path in re.findall(r'<g class="power" data-name="([^"]*)"><title>[^<]*</title><path ([^/]*)/></g>', svg):
        found[name.replace("&gt;", ">")] = dict(re.findall(r'([\w-]+)="([^"]*)"', path))
    return found


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_the_page_holds_the_closed_form(run: mb.Run) -> None:
    data = data_of(run.power_flow().text())
    times, expected = np.array(data["t"]), closed_form(np.array(data["t"]))
    assert times[0] == 0.0 and times[-1] == END and times.size >= 200
    assert {bond["name"] for bond in data["bonds"]} == set(expected)
    full = max(np.abs(p).max() for p in expected.values())
    for bond in data["bonds"]:
        p, e, f = (np.array(bond[key]) for key in "pef")
        assert np.allclose(p, expected[bond["name"]], rtol=0, atol=2e-6 * full)
        assert np.allclose(p, e * f, rtol=2e-5, atol=1e-6 * full)
    assert data["scale"]["full"] == pytest.approx(full, rel=1e-3)


def test_power_into_the_junction_sums_to_zero_on_the_page(run: mb.Run) -> None:
    data = data_of(run.power_flow().text())
    power = {bond["name"]: np.array(bond["p"]) for bond in data["bonds"]}
    net = power.pop("battery->current") - sum(power.values())
    assert np.abs(net).max() < 1e-5 * data["scale"]["full"]


def test_a_storage_gives_back_what_it_took() -> None:
    """Without loss the power of the capacitor changes its sign every quarter of a period, and its mean vanishes."""
    m = mb.Model("swing")
    one = m.add(mb.One("current"))
    m.bond(one, mb.I("coil", 0.5))
    m.bond(one, mb.C("cap", 0.02, start=0.1))
    period = 2 * math.pi * math.sqrt(0.5 * 0.02)
    swing = mb.simulate(m, period, rtol=1e-11)
    flow = swing.power_flow()
    w = 2 * math.pi / period
    expected = -(0.1**2) / 0.02 * w * np.sin(w * flow.t) * np.cos(w * flow.t)
    assert np.allclose(flow.powers["current->cap"], expected, atol=1e-7)
    assert np.allclose(flow.powers["current->coil"], -expected, atol=1e-7)
    signs = np.sign(expected[np.abs(expected) > 1e-6])
    assert np.count_nonzero(np.diff(signs)) == 3
    for eighth, colours in ((1, (AGAINST, ALONG)), (3, (ALONG, AGAINST)), (5, (AGAINST, ALONG)), (7, (ALONG, AGAINST))):
        shown = bands(swing.power_flow(at=eighth * period / 8).text())
        assert (shown["current->cap"]["stroke"], shown["current->coil"]["stroke"]) == colours
    mean = swing.power_flow(average=True).powers
    assert max(abs(p) for p in mean.values()) < 1e-9 * np.abs(expected).max()


def test_the_mean_is_energy_over_time(run: mb.Run) -> None:
    """Stored energies from their own closed forms at the end, the loss as what is left."""
    t = np.array([END])
    power = closed_form(t)
    current, volts = power["battery->current"][0] / U, power["current->cap"][0] / (power["battery->current"][0] / U)
    mean = run.power_flow(average=True).powers
    assert mean["current->coil"] * END == pytest.approx(0.5 * L * current**2, rel=1e-6)
    assert mean["current->cap"] * END == pytest.approx(0.5 * C * volts**2, rel=1e-6)
    assert mean["battery->current"] * END == pytest.approx(U * C * volts, rel=1e-6)
    assert mean["battery->current"] == pytest.approx(sum(p for n, p in mean.items() if n[0] == "c"), rel=1e-9)


# -- looks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["root", "linear"])
@pytest.mark.parametrize("at", [0.0007, 0.003, 0.0081, 0.0142])
def test_thickness_follows_power(run: mb.Run, kind: str, at: float) -> None:
    powers = {name: float(p[0]) for name, p in closed_form(np.array([at])).items()}
    over = closed_form(np.linspace(0.0, END, 20001))
    full = max(np.abs(p).max() for p in over.values())
    shown = bands(run.power_flow(at=at, scale=kind, threshold=0.0).text())
    assert set(shown) == set(powers)
    for name, power in powers.items():
        part = abs(power) / full
        width = max(WIDE * (math.sqrt(part) if kind == "root" else part), THIN)
        assert float(shown[name]["stroke-width"]) == pytest.approx(width, abs=0.02), name
        assert shown[name]["stroke"] == (ALONG if power > 0 else AGAINST), name


def test_what_carries_hardly_anything_is_grey_and_has_no_arrow(run: mb.Run) -> None:
    svg = run.power_flow(at=0.0007, threshold=0.5).text()
    weak = {n for n, p in closed_form(np.array([0.0007])).items() if abs(p[0]) < 0.5 * run.power_flow().scale.full}
    assert weak and {name for name, band in bands(svg).items() if band["stroke"] == IDLE} == weak
    for name in weak:
        escaped = name.replace(">", "&gt;")
        assert f'<g class="course" data-name="{escaped}"></g>' in svg
        line = re.search(f'<g class="bond" data-name="{escaped}">(.*?)</g>', svg).group(1)  # type: ignore[union-attr]
        assert set(re.findall('stroke="(#[0-9a-f]{6})"', line)) == {IDLE}


def test_arrow_heads_point_where_power_goes(run: mb.Run) -> None:
    """The coil hangs on a level bond: its power turns round within the run."""
    times = (0.0007, 0.004)
    assert np.prod(closed_form(np.array(times))["current->coil"]) < 0
    for at in times:
        power = closed_form(np.array([at]))["current->coil"][0]
        svg = run.power_flow(at=at).text()
        head = re.search(r'<g class="course" data-name="current-&gt;coil"><path class="head" d="([^"]*)"', svg)
        assert head is not None
        ax, bx, _ = map(float, re.findall(r"([-\d.]+),[-\d.]+", head.group(1)))
        tail, tip = re.findall(r"([-\d.]+),[-\d.]+", bands(svg)["current->coil"]["d"])
        assert (bx - ax) * (float(tip) - float(tail)) * power > 0


def test_the_legend_tells_watts_at_a_thickness(run: mb.Run) -> None:
    scale = run.power_flow().scale
    svg = run.power_flow(at=0.001).text()
    samples = re.findall(r'<g class="sample" data-name="([^"]*)"><path class="band"[^>]*stroke-width="([\d.]+)"', svg)
    assert len(samples) == 3
    for power, width in samples:
        assert float(width) == pytest.approx(scale.width(float(power)), abs=0.01)
        assert f">{watts(float(power))}<" in svg
    assert f">less than {watts(LEAST * scale.full)}<" in svg and ">power at 0.001 s<" in svg


def test_round_numbers() -> None:
    assert [round_below(x) for x in (1.0, 1.99, 2.0, 4.9, 5.0, 99.0, 0.03)] == [1.0, 1.0, 2.0, 2.0, 5.0, 50.0, 0.02]
    told = [watts(x) for x in (0.0, 12.5, -0.04, 3000.0, 999.99, 2.5e-7, 1e12)]
    assert told == ["0 W", "12.5 W", "-40 mW", "3 kW", "1 kW", "250 nW", "1e+03 GW"]


def test_the_scale_ends_at_its_full_power() -> None:
    scale = Scale(100.0, 14.0, True, 0.1)
    assert [scale.width(p) for p in (100.0, -25.0, 1000.0, 1e-9)] == [14.0, 7.0, 14.0, THIN]
    assert [scale.faint(p) for p in (0.0, 0.09, -0.11)] == [True, True, False]
    assert scale_of([3.0, 5.0], 14.0, "linear", 20.0, 0.1) == Scale(20.0, 14.0, False, 2.0)


def test_no_power_is_no_rounding_made_large() -> None:
    """A free top turns for ever: its gyroscopic torques do no work, and what is left is rounding."""
    top = mb.simulate(EXAMPLES["euler_top"](), 0.5)
    flow = top.power_flow(depth=2)
    assert flow.scale.full == 0.0 and max(np.abs(p).max() for p in flow.powers.values()) < 1e-12
    assert {band["stroke"] for band in bands(top.power_flow(depth=2, at=0.3).text()).values()} == {IDLE}


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_file_with_controls_and_nothing_from_elsewhere(depth: int) -> None:
    flow = mb.simulate(pendulum(), 0.5, rtol=1e-6).power_flow(depth=depth)
    html, data = flow.text(), data_of(flow.text())
    page = Page(html)
    assert {"play", "time", "clock", "speed", "scale", "fit", "tip"} <= page.ids
    outside = html.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|//cdn|import\s|fetch\(|url\(", outside)
    kinds = {kind: html.count(f'<g class="{kind}"') for kind in ("power", "course")}
    assert kinds == {"power": len(data["bonds"]), "course": len(data["bonds"])}
    names = re.findall(r'<g class="power" data-name="([^"]*)"', html)
    assert [name.replace("&gt;", ">") for name in names] == [bond["name"] for bond in data["bonds"]]
    sizes = {bond["size"] for bond in data["bonds"]}
    assert sizes == {1: {6}, 2: {1, 2, 3}, 3: {1}}[depth]
    for bond in data["bonds"]:
        assert len(bond["e"]) == len(bond["f"]) == bond["size"] * len(data["t"])
        assert sum(piece[0] for piece in bond["pieces"]) == bond["size"] and bond["places"]


def test_frames_tell_torque_and_force() -> None:
    data = data_of(mb.simulate(pendulum(), 0.2, rtol=1e-6).power_flow().text())
    assert data["bonds"][0]["pieces"] == [
        [3, "torque", "N.m", "angular velocity", "rad/s"],
        [3, "force", "N", "velocity", "m/s"],
    ]
    assert not any(bond["arrow"] for bond in data["bonds"])


def test_wires_tell_where_power_goes() -> None:
    """The sinking bob turns the hinge, whose damper takes what it loses: power from foot to hip on the average."""
    m = mb.simulate(pendulum(), 0.3, rtol=1e-8)
    mean = m.power_flow(average=True)
    names = ["foot.frame – leg.frame_b", "hip.frame_b – leg.frame_a", "hip.frame_a – world.frame"]
    assert set(mean.powers) == set(names)
    loss = -m["hip.damper.power"](np.linspace(0.0, 0.3, 3001)).mean()
    assert mean.powers[names[1]] == pytest.approx(loss, rel=1e-3) and loss < 0
    told = dict(re.findall(r"<title>(\S+ – \S+): ([^<]*)</title>", mean.text()))
    assert told[names[0]] == f"{watts(-loss)} to leg.frame_b"
    assert told[names[1]] == f"{watts(-loss)} to hip.frame_b"
    assert told[names[2]] == "0 W"


def test_in_a_notebook(run: mb.Run) -> None:
    film, still = run.power_flow(), run.power_flow(at=0.001)
    frame = film._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and frame.endswith("</iframe>")
    assert frame.count('"') == 2 * 3  # nothing of the page escapes from its attribute
    assert still._repr_html_() == still.text("svg") and still.text().startswith("<svg")
    assert isinstance(film, PowerFlow) and "4 bonds" in repr(film)


def test_files_by_their_ending(run: mb.Run, tmp_path: Path) -> None:
    run.power_flow(tmp_path / "flow.html")
    run.power_flow(tmp_path / "flow.svg", at=0.001)
    run.power_flow(tmp_path / "flow.tex", average=True)
    heads = {path.name: path.read_text(encoding="utf-8").lstrip()[:14] for path in tmp_path.iterdir()}
    assert heads == {"flow.html": "<!DOCTYPE html", "flow.svg": '<svg xmlns="ht', "flow.tex": "% rlc\n\\documen"}


def test_options_of_the_drawing_reach_it(run: mb.Run) -> None:
    plain, causal = (run.power_flow(at=0.001, causal=causal, variables=causal).text() for causal in (False, True))
    assert 'class="stroke"' not in plain and 'class="stroke"' in causal and ">e<" in causal
    assert "#ffd84d" in run.power_flow(at=0.001, highlight=["coil"]).text()


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at": 0.1, "average": True}, "power cannot be drawn at a time and on the average."),
        ({"scale": "log"}, "there is no scale 'log'."),
        ({"full": -1.0}, "full cannot be -1.0."),
        ({"threshold": 1.0}, "threshold cannot be 1.0."),
        ({"kind": "block"}, "there is no power on a drawing of kind 'block'."),
        ({"depth": 4}, "there is no drawing of depth 4."),
        ({"simple": True}, "power is drawn without 'simple'."),
    ],
)
def test_wrong_requests(run: mb.Run, options: dict, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        run.power_flow(**options)
    lines = str(caught.value).split("\n")
    assert lines[0] == words and len(lines) == 3


def test_wrong_times_and_places(run: mb.Run, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="not known at 5 s"):
        run.power_flow(at=5.0)
    with pytest.raises(ModelError, match="a run is no svg picture"):
        run.power_flow(tmp_path / "flow.svg")
    with pytest.raises(ModelError, match="a still is no page"):
        run.power_flow(tmp_path / "flow.html", at=0.001)
    with pytest.raises(UnknownEnding, match=r"\.html, \.htm, \.svg"):
        run.power_flow(tmp_path / "flow.png")
    with pytest.raises(ModelError, match="the run has no length"):
        mb.simulate(rlc(), 0.0).power_flow()
    assert not list(tmp_path.iterdir())


def test_blocks_alone_carry_no_power() -> None:
    m = mb.Model("signals")
    wave, total = m.add(mb.blocks.Sine("wave", 1.0, 1.0)), m.add(mb.blocks.Integrator("total"))
    m.signal(wave.y, total.u)
    with pytest.raises(ModelError, match="no bond whose power"):
        mb.simulate(m, 1.0).power_flow()
