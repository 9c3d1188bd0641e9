"""What a notebook shows: reports, systems and runs as HTML, pictures once, names to complete."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond.examples import EXAMPLES
from multibond.report import Report, Rows, Shown, Titled, as_html, as_text
from multibond.view.drawn import SvgText, TikzText
from multibond.view.framed import PageText
from multibond.view.progress import shown

VOID = ("br", "img")


class Balance(HTMLParser):
    """Whether every tag is closed, and what stands between them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def words_of(html: str) -> str:
    """The text of a page that is well formed."""
    page = Balance()
    page.feed(html)
    assert not page.open
    return " ".join(" ".join(page.text).split())


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.simulate(EXAMPLES["pendulum"](), 0.5)


crank, circuit = EXAMPLES["four_bar"], EXAMPLES["rlc"]
REPORTS: dict[str, Callable[[], Any]] = {
    "explain": lambda: mb.explain(crank()),
    "causality": lambda: mb.causality(crank()),
    "count": lambda: mb.count(crank()),
    "advise": lambda: mb.advise(crank()),
    "equilibrium": lambda: mb.equilibrium(EXAMPLES["pendulum"]()),
    "assemble": lambda: mb.assemble(crank()),
    "analyse": lambda: mb.analyse(circuit()),
    "activity": lambda: mb.activity(mb.simulate(circuit(), 0.1)),
    "energy": lambda: mb.simulate(circuit(), 0.1).energy(),
    "audit": lambda: mb.simulate(circuit(), 0.1).audit(),
    "accuracy": lambda: mb.simulate(circuit(), 0.1).accuracy(),
    "check": lambda: mb.check(crank()),
    "compare": lambda: mb.compare(circuit(), 0.1, methods=("auto",), depths=(2,)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_says_the_same_as_text_and_as_html(name: str) -> None:
    found = REPORTS[name]()
    assert isinstance(found, Report)
    assert words_of(found._repr_html_()).split() == str(found).split()


def test_a_sweep_and_a_system_show_themselves() -> None:
    model = crank()
    swept = mb.sweep(model, "O.angle", np.linspace(1.0, 1.4, 30))
    told = words_of(swept._repr_html_())
    assert told.startswith("O.angle at 30 values, 12 of them") and "D.angle" in told and "1.4" in told
    system = mb.compile(model)
    assert isinstance(system, Shown) and str(system) == repr(system)
    assert repr(system) in words_of(system._repr_html_()) and "O.angle" not in repr(system)


def test_a_run_tells_where_it_begins_and_ends(run: mb.Run) -> None:
    told = words_of(run._repr_html_())
    assert told.startswith("Run of 'pendulum' to 0.5 s, dop853") and "hinge.angle" in told
    assert f"{run['hinge.angle'](0.5):.6g}" in told and "rad" in told
    assert repr(run).startswith("Solution to 0.5 s")


def test_a_transfer_function_is_a_formula() -> None:
    found = mb.transfer(
        circuit(), "battery" if "battery" in [c.name for c in circuit().components] else "source", "coil.f"
    )
    assert found._repr_latex_().startswith("$\\displaystyle ") and found.latex() in found._repr_latex_()


def test_text_is_escaped_and_tables_are_set() -> None:
    items = ["a < b", Titled("t & u", ["  x", Rows([["1", "22"], ["333", "4"]], ["p", "q"], right=(1,), least=(5,))])]
    assert as_text(items) == "a < b\nt & u\n    x\n  p       q\n  1      22\n  333     4"
    html = as_html(items)
    assert "a &lt; b" in html and "t &amp; u" in html and '<td style="text-align: right">22</td>' in html


def test_a_plot_is_its_own_picture_and_no_other(run: mb.Run) -> None:
    figure = run.plot("hinge.angle")
    bundle = figure._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG") and set(bundle) == {"image/png", "text/plain"}
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or figure not in [pyplot.figure(n) for n in pyplot.get_fignums()]


def test_a_bar_comes_by_itself_only_where_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    assert type(shown(1.0, None)).__name__ == "Bar" and type(shown(1.0, True)).__name__ == "Bar"
    with shown(1.0, False) as nothing, shown(1.0, told.append) as own:
        assert nothing is None and own == told.append
    monkeypatch.setenv("NO_COLOR", "1")
    with shown(1.0, None) as nothing:
        assert nothing is None


def test_tab_offers_ports_and_names() -> None:
    model = EXAMPLES["pendulum"]()
    hinge = model["hinge"]
    offered = [name for name in dir(hinge) if not name.startswith("_")]
    assert {"frame_a", "frame_b", "flange", "damping", "name"} <= set(offered)
    assert not {"build", "law", "observables", "surroundings", "faults", "states", "lanes"} & set(offered)
    assert all(hasattr(hinge, name) for name in offered)
    assert model._ipython_key_completions_() == [c.name for c in model.components]


def test_tab_offers_the_variables_of_a_run(run: mb.Run) -> None:
    assert run._ipython_key_completions_()[:1] == [run.names[0]] and "hinge.angle" in run._ipython_key_completions_()


def _run_shown() -> mb.Run:
    return mb.simulate(EXAMPLES["rlc"](), 0.1)


DRAWN: dict[str, Callable[[str], str]] = {
    "model": lambda form: mb.draw(crank(), format=form),
    "opened": lambda form: mb.draw(crank(), depth=3, format=form),
    "causality": lambda form: mb.causality(crank()).draw(format=form),
    "steps": lambda form: mb.causality(crank()).draw(step=3, format=form),
    "inverse": lambda form: mb.invert(circuit(), given={"coil.f": "tanh(t)**3"}, unknown="battery").draw(format=form),
    "power": lambda form: _run_shown().power_flow(average=True).text(form),
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_text_of_a_drawing_shows_itself(name: str) -> None:
    text = DRAWN[name]("svg")
    assert isinstance(text, SvgText) and isinstance(text, str)
    assert text._repr_svg_() == text and text.startswith("<svg")
    told: list[str] = []
    latex = DRAWN[name]("tikz")
    assert isinstance(latex, TikzText) and isinstance(latex, str)
    latex._repr_pretty_(type("Printer", (), {"text": staticmethod(told.append)}), False)
    assert told == [latex] and not hasattr(latex, "_repr_svg_")


def test_a_page_shows_itself_in_a_frame_of_its_own() -> None:
    page = mb.causality(crank()).play()
    assert isinstance(page, PageText) and isinstance(page, str) and page._repr_html_().startswith("<iframe srcdoc=")
