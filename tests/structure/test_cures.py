"""Every kind of cure that a conflict is offered, carried out as its text says: the conflict is gone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.laws.random_graphs import model_of, random_plan

import multibond as mb
from multibond import rewrite
from multibond.elements import Constraint
from multibond.examples import EXAMPLES
from multibond.graph.graph import Bond, End
from multibond.pipeline import as_graph
from multibond.rewrite.edit import Edit
from multibond.structure.cures import Cure
from multibond.view.causality_report import CausalReport

from .drawn import drawn

TURN = ((0.8, -0.6), (0.6, 0.8))


# -- graphs with a conflict --------------------------------------------------------------------------------------------


def two_flows() -> mb.Model:
    """Two sources give the flow of v."""
    elements = [mb.Sf("drive", 1.0), mb.Sf("wall", 0.0), mb.One("v"), mb.R("r", 1.0)]
    return drawn("flows", elements, "drive>v wall>v v>r").model


def two_efforts() -> mb.Model:
    """Two sources give the effort of n."""
    elements = [mb.Se("one", 1.0), mb.Se("two", 2.0), mb.Zero("n"), mb.R("r", 1.0)]
    return drawn("efforts", elements, "one>n two>n n>r").model


def held() -> mb.Model:
    """A wall behind a transformer that passes flow one way; two masses before it, one of which can give way."""
    elements = [mb.I("m1", 1.0, start=2.0), mb.I("m2", 2.0, start=2.0), mb.One("v1"), mb.One("v2")]
    elements += [mb.DirectSum("both", 1, 1), mb.One("v", size=2), mb.TF("gap", [[1.0, -2.0]], "none")]
    elements += [mb.One("w"), mb.Sf("wall", 0.0), mb.Se("push", 1.0)]
    return drawn(
        "held", elements, "v1>m1 v2>m2 v1>both.part_1 v2>both.part_2 both.whole>v v>gap.a gap.b>w wall>w push>v1"
    ).model


def partly() -> mb.Model:
    """Only the first component of a vector bond is given twice."""
    elements = [mb.DirectSum("sum", 1, 1), mb.One("v"), mb.Sf("drive", 1.0), mb.R("r", 1.0), mb.One("a"), mb.One("b")]
    elements += [mb.Sf("wall", 0.0), mb.DirectSum("parts", 1, 1), mb.I("free", 1.0), mb.One("c"), mb.One("d")]
    bonds = (
        "drive>a a>sum.part_1 b>sum.part_2 b>r sum.whole>v v>parts.whole parts.part_1>c wall>c parts.part_2>d d>free"
    )
    return drawn("partly", elements, bonds).model


def backwards() -> mb.Model:
    """Flow comes from the outlet of a transformer that is said to pass it from its inlet only."""
    elements = [mb.Sf("drive", (1.0, 0.0)), mb.One("v"), mb.TF("A01", TURN, "none"), mb.Zero("n"), mb.R("r", 1.0)]
    return drawn("back", [*elements, mb.Se("u", (1.0, 1.0))], "drive>v v>A01.b n>A01.a u>n n>r").model


# -- carrying out ------------------------------------------------------------------------------------------------------


def end_of(name: str) -> End:
    """An end from "element" or "element.port"."""
    path, _, port = name.partition(".")
    return End(path, port or "any")


def with_parasitic(edit: Edit, tail: End, head: End, what: str, like: Bond, size: int) -> None:
    """A junction with a small storage and a resistor between two ends."""
    flow = what == "flow"
    edit.add("soft", (mb.Zero if flow else mb.One)("soft", size=size))
    edit.add("lossy", (mb.One if flow else mb.Zero)("lossy", size=size))
    edit.add("small", (mb.C if flow else mb.I)("small", 1e-3, size=size))
    edit.add("damping", mb.R("damping", 1.0, size=size))
    edit.bond(tail, end_of("soft"), like, size)
    edit.bond(end_of("soft"), head, like, size)
    edit.bond(end_of("soft"), end_of("lossy"), like, size)
    for name in ("small", "damping"):
        edit.bond(end_of("lossy"), End(name, "port"), like, size)


def opened(model: mb.Model, cure: Cure) -> tuple[Edit, Bond]:
    """The model's graph without the bond that a cure acts on."""
    edit = Edit(as_graph(model))
    bond = edit.bonds[cure.element]
    edit.unbond(bond)
    return edit, bond


def parasitic(model: mb.Model, cure: Cure, what: str) -> CausalReport:
    edit, bond = opened(model, cure)
    with_parasitic(edit, bond.tail, bond.head, what, bond, bond.size)
    return mb.causality(edit.graph())


def multiplier(model: mb.Model, cure: Cure, what: str) -> CausalReport:
    (bond,) = mb.causality(model).graph.bonds_of(cure.element)
    assert what == "flow" and "Constraint" in cure.text
    model.remove(cure.element)
    model.bond(Constraint(cure.element, size=bond.size), bond.other(cure.element).element)
    return mb.causality(model)


def split(model: mb.Model, cure: Cure, what: str) -> CausalReport:
    twice = int(re.findall(r"component (\d+) alone", cure.text)[0]) + 1
    edit, bond = opened(model, cure)
    for name in ("before", "after"):
        edit.add(name, mb.DirectSum(name, *[1] * bond.size))
    edit.bond(bond.tail, end_of("before.whole"), bond)
    edit.bond(end_of("after.whole"), bond.head, bond)
    for k in range(1, bond.size + 1):
        ends = end_of(f"before.part_{k}"), end_of(f"after.part_{k}")
        if k == twice:
            with_parasitic(edit, *ends, what, bond, 1)
        else:
            edit.bond(*ends, bond, 1)
    return mb.causality(edit.graph())


def invert(model: mb.Model, cure: Cure, what: str) -> CausalReport:
    (site,) = [s for s in rewrite.sites(model, "invert transformers") if s.elements == (cure.element,)]
    return mb.causality(rewrite.apply(model, "invert transformers", site).after)


def wish(text: str) -> dict[str, str]:
    """The wish that a text names, word for word."""
    return dict(re.findall(r"prefer=\{'(.*?)': '(.*?)'\}", text))


CARRIED_OUT = {"parasitic": parasitic, "multiplier": multiplier, "split": split, "invert": invert}
CASES = [
    (two_flows, {"parasitic"}),
    (two_efforts, {"parasitic"}),
    (held, {"parasitic", "multiplier"}),
    (partly, {"parasitic", "split"}),
    (backwards, {"parasitic", "invert"}),
]


@pytest.mark.parametrize(("make", "kinds"), CASES, ids=[make.__name__ for make, _ in CASES])
def test_every_cure_that_is_offered_cures(make: Callable[[], mb.Model], kinds: set[str]) -> None:
    """The conflict that it is offered for is gone, what is left are other bonds' conflicts, and the machine runs."""
    report = mb.causality(make())
    offered = [(conflict, cure) for conflict in report.conflicts for cure in conflict.cures]
    assert {cure.kind for _, cure in offered} == kinds
    others = {conflict.bond for conflict in report.conflicts}
    for conflict, cure in offered:
        cured = CARRIED_OUT[cure.kind](make(), cure, conflict.what)
        assert {left.bond for left in cured.conflicts} <= others - {conflict.bond} and not cured.faults, cure


def test_cures_of_every_kind_are_among_them() -> None:
    assert set().union(*(kinds for _, kinds in CASES)) == set(CARRIED_OUT)


@pytest.mark.parametrize("seed", range(12))
def test_a_flip_is_offered_for_a_conflict_only_where_it_is_one_less(seed: int) -> None:
    """Strokes are complete where they can be whatever storages do, so such a wish is hardly ever to be found."""
    report = mb.causality(model_of(random_plan(seed, most=35)))
    for cure in [cure for conflict in report.conflicts for cure in conflict.cures if cure.kind == "flip"]:
        asked = mb.causality(model_of(random_plan(seed, most=35)), prefer=wish(cure.text))
        assert len(asked.conflicts) < len(report.conflicts) and not asked.strokes.missed


# -- flips of dependent storages ---------------------------------------------------------------------------------------


def two_coils() -> mb.Model:
    """Coils in series: one of them leads."""
    return drawn("coils", [mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.I("l2", 2.0)], "u>i i>l1 i>l2").model


@pytest.mark.parametrize("name", ["coils", *EXAMPLES])
def test_a_flip_that_is_offered_can_be_had(name: str) -> None:
    model = two_coils() if name == "coils" else EXAMPLES[name]()
    lines = [line for line in mb.causality(model).report().splitlines() if "flip:" in line]
    assert lines or name != "coils"
    for line in lines:
        ((path, word),) = wish(line).items()
        asked = mb.causality(model, prefer={path: word})
        assert not asked.strokes.missed and path not in dict(asked.dependent)


@pytest.mark.parametrize(("name", "path"), [("disc", "mass"), ("crane_crab", "frame"), ("rate_gyro", "inertia_rotor")])
def test_a_wish_that_was_refused_is_not_advised(name: str, path: str) -> None:
    report = mb.causality(EXAMPLES[name](), prefer={path: "integral"})
    assert report.strokes.missed and f"prefer={{{path!r}" not in report.report()
