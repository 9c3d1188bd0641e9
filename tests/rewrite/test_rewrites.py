"""Every rewrite on every machine where it applies: all common variables to 1e-9, every column of energies.

The table says where each applies; a rewrite that finds more, or fewer, is noticed.
"""

from __future__ import annotations

import pytest
from tests.rotation import tenth

from multibond import errors, rewrite
from multibond.graph.graph import Graph
from multibond.structure.causality import assign
from multibond.structure.signals import signal_graph
from multibond.structure.tree import span
from multibond.structure.zcp import ZeroOrderPath, zero_order_paths

from .agreement import assert_same, run_of
from .machines import MACHINES, graph_of, reference

# fmt: off
APPLIES: dict[str, tuple[str, ...]] = {
    "merge junctions": (
        "motor pendulum", "pendulum", "euler top", "heavy top", "slider crank", "isostatic slider crank",
        "planar loop", "four bar", "controlled crane", "chain", "arm", "pendulum, unfolded", "euler top, unfolded",
        "heavy top, unfolded", "disc, unfolded", "rate gyro, unfolded", "motor pendulum, unfolded",
        "slider crank, unfolded", "four bar, unfolded", "crowded", "sliding swing",
    ),
    "drop through-junctions": (
        "hydraulic cylinder", "reaction", "motor pendulum", "pendulum", "euler top", "heavy top",
        "disc of scalar bonds", "slider crank", "isostatic slider crank", "planar loop", "four bar", "rectifier",
        "controlled crane", "chain", "arm", "pendulum, unfolded", "euler top, unfolded", "heavy top, unfolded",
        "disc, unfolded", "rate gyro, unfolded", "motor pendulum, unfolded", "slider crank, unfolded",
        "four bar, unfolded", "inertia alone behind a gear", "crowded", "crane crab", "sliding swing",
    ),
    "cancel bonds": (
        "to and fro",
    ),
    "drop trivial transformers": (
        "reaction", "motor pendulum", "pendulum", "euler top", "heavy top", "slider crank", "isostatic slider crank",
        "planar loop", "four bar", "controlled crane", "chain", "arm", "pendulum, unfolded", "euler top, unfolded",
        "heavy top, unfolded", "rate gyro, unfolded", "motor pendulum, unfolded", "slider crank, unfolded",
        "four bar, unfolded", "pendulum, minimal", "rlc, minimal", "slider crank, minimal", "sliding swing",
    ),
    "compose couplers": (
        "motor pendulum", "pendulum", "heavy top", "slider crank", "isostatic slider crank", "planar loop",
        "four bar", "controlled crane", "chain", "arm", "gear and gear", "gear and motor", "motor and gear",
        "motor and generator", "turning", "sliding swing",
    ),
    "invert transformers": (
        "hydraulic cylinder", "reaction", "motor pendulum", "pendulum", "euler top", "heavy top", "disc",
        "slider crank", "isostatic slider crank", "planar loop", "four bar", "controlled crane", "chain", "arm",
        "pendulum, unfolded", "slider crank, unfolded", "four bar, unfolded", "gear and gear", "gear and motor",
        "motor and gear", "inertia behind a gear", "inertia alone behind a gear", "inertia behind a rotation",
        "inertia behind a matrix", "turning", "spinning", "moving point", "sum behind a rotation",
        "sum behind a diagonal", "idle", "turning, carried", "moving point, carried", "sliding swing",
    ),
    "invert blocks": (
        "disc of scalar bonds", "euler top, unfolded",
    ),
    "combine storages": (
        "crowded",
    ),
    "combine resistors": (
        "crowded",
    ),
    "carry inertias": (
        "hydraulic cylinder", "disc", "inertia behind a gear", "inertia alone behind a gear",
        "inertia behind a rotation", "inertia behind a matrix", "inertia behind a wide matrix", "swinging",
        "swinging, drawn backwards", "turning", "spinning", "moving point", "crane crab",
    ),
    "carry gyrators": (
        "turning", "spinning", "turning, carried",
    ),
    "split gyristors": (
        "swinging, carried", "turning, carried", "moving point, carried", "pendulum, minimal", "heavy top, minimal",
        "rlc, minimal", "slider crank, minimal",
    ),
    "mass into its frame": (
        "disc", "moving point",
    ),
    "0-junction over transformer": (
        "reaction", "motor pendulum", "pendulum", "euler top", "heavy top", "rate gyro", "slider crank",
        "isostatic slider crank", "planar loop", "four bar", "controlled crane", "chain", "arm",
        "sum behind a rotation", "sum behind a diagonal", "idle",
        "sliding swing",
    ),
    "widen transformer": (
        "motor pendulum", "pendulum", "euler top", "heavy top", "disc", "rate gyro", "slider crank",
        "isostatic slider crank", "planar loop", "four bar", "controlled crane", "chain", "arm", "pendulum, unfolded",
        "heavy top, unfolded", "disc, unfolded", "motor pendulum, unfolded", "slider crank, unfolded",
        "four bar, unfolded", "sum behind a rotation", "sum behind a diagonal", "sum behind a wide matrix", "idle",
        "sliding swing",
    ),
    "eliminate zero sources": (
        "hydraulic cylinder", "motor pendulum", "pendulum", "euler top", "heavy top", "disc of scalar bonds",
        "slider crank", "isostatic slider crank", "planar loop", "four bar", "rectifier", "controlled crane", "chain",
        "arm", "pendulum, unfolded", "euler top, unfolded", "heavy top, unfolded", "disc, unfolded",
        "rate gyro, unfolded", "motor pendulum, unfolded", "slider crank, unfolded", "four bar, unfolded", "idle",
        "crane crab", "sliding swing",
    ),
    "open cycles": (
        "disc of scalar bonds",
    ),
}
# fmt: on
SLOW = ("slider crank", "four bar", "planar loop", "chain", "arm", "heat plate", "rectifier")
"""Their graphs have a hundred elements and more."""


def marked(rule: str, name: str) -> object:
    slow = any(word in name for word in SLOW)
    return pytest.param(rule, name, marks=[pytest.mark.slow] if slow else [], id=f"{rule}-{name}")


PAIRS = [marked(rule, name) for rule, names in APPLIES.items() for name in tenth(names, of=rule)]
"""Of every rewrite some machines, in turn."""


def test_there_are_many_pairs() -> None:
    assert sum(map(len, APPLIES.values())) >= 40
    assert set(APPLIES) == set(rewrite.ALL)
    assert all(APPLIES.values())


@pytest.mark.parametrize("name", [n for n in MACHINES if "unfolded" not in n and n not in ("chain", "arm")])
def test_rewrites_apply_where_the_table_says(name: str) -> None:
    found = {rule for rule in rewrite.ALL if rewrite.sites(graph_of(name), rule)}
    assert found == {rule for rule, names in APPLIES.items() if name in names}


@pytest.mark.parametrize(("rule", "name"), PAIRS)
def test_behaviour_and_energies_stay(rule: str, name: str) -> None:
    """At all sites, one after the other."""
    done = rewrite.apply(graph_of(name), rule)
    assert done.sites and done.undo() is graph_of(name)
    assert set(done.after.elements) != set(graph_of(name).elements) or done.after.bonds != graph_of(name).bonds
    assert_same(reference(name), run_of(done.after, MACHINES[name][1]), least=8)


@pytest.mark.parametrize("rule", APPLIES)
def test_one_site_alone(rule: str) -> None:
    """At the last site of the first machine only."""
    name = APPLIES[rule][0]
    site = rewrite.sites(graph_of(name), rule)[-1]
    done = rewrite.apply(graph_of(name), rule, site)
    assert done.sites == (site,)
    assert_same(reference(name), run_of(done.after, MACHINES[name][1]), least=8)


SIMPLER = [n for n in MACHINES if not any(word in n for word in SLOW)]


@pytest.mark.parametrize("name", SIMPLER)
def test_simplified(name: str) -> None:
    done = rewrite.simplify(graph_of(name))
    assert len(done.after.elements) <= len(graph_of(name).elements)
    assert not any(rewrite.sites(done.after, rule.name) for rule in rewrite.SHRINKING)
    assert_same(reference(name), run_of(done.after, MACHINES[name][1]), least=4)


def test_rotor_of_the_rate_gyro_is_carried_to_its_gimbal() -> None:
    """Tiernego & Bos, section VII: the 0-junction over A(β) first, then inertia and gyrator over it."""
    now = graph_of("rate gyro")
    site = next(s for s in rewrite.sites(now, "0-junction over transformer") if "A_rotor" in s.elements)
    now = rewrite.apply(now, "0-junction over transformer", site).after
    for rule in ("carry inertias", "carry gyrators"):
        (site,) = rewrite.sites(now, rule)
        now = rewrite.apply(now, rule, site).after
    assert {"inertia_rotor_carried", "gyroscopic_rotor_carried"} <= set(now.elements)
    assert "rotor" not in now.elements
    assert_same(reference("rate gyro"), run_of(now, MACHINES["rate gyro"][1]), least=30)


def test_opening_leaves_no_cycle() -> None:
    done = rewrite.apply(graph_of("disc of scalar bonds"), "open cycles")
    assert len(done.sites) == 1
    assert not rewrite.sites(done.after, "open cycles")


def test_inverting_the_rotation_of_the_disc_removes_the_loop() -> None:
    """Tiernego & Bos, Fig. 11: a double algebraic loop inside the transformers, eliminated by inverting A01."""
    drawn = graph_of("disc of scalar bonds")
    turned = rewrite.apply(drawn, "invert blocks").after
    assert [z.number for z in paths_of(drawn)].count(4) >= 1
    assert [z.number for z in paths_of(turned)].count(4) == 0
    made = rewrite.minimal(turned)
    assert len(made.independent) == 2
    assert_same(reference("disc of scalar bonds"), run_of(made.graph, MACHINES["disc of scalar bonds"][1]), least=10)


def paths_of(graph: Graph) -> tuple[ZeroOrderPath, ...]:
    tree = span(graph)
    strokes = assign(graph, tree)
    return zero_order_paths(graph, strokes, signal_graph(graph, tree, strokes))


def test_a_rewriting_says_what_it_did() -> None:
    done = rewrite.apply(graph_of("to and fro"), "cancel bonds")
    assert str(done).startswith("cancel bonds: one, zero")
    assert str(done).endswith(f"({len(done.before.elements)} elements before, {len(done.after.elements)} after)")


def test_an_unknown_rewrite_is_named() -> None:
    with pytest.raises(errors.UnknownName, match="merge junctions"):
        rewrite.sites(graph_of("rlc"), "merge junction")


def test_sites_of_others_are_refused() -> None:
    """Of another rewrite, of another model, or where it no longer applies; so are wishes that cannot count."""
    (site,) = rewrite.sites(graph_of("to and fro"), "cancel bonds")
    with pytest.raises(
        errors.ModelError, match=r"'merge junctions' cannot be done .*\n  It is a site of 'cancel bonds'"
    ):
        rewrite.apply(graph_of("to and fro"), "merge junctions", site)
    with pytest.raises(errors.ModelError, match=r"It does not apply there in this graph.\n  Take a site from rewrite"):
        rewrite.apply(graph_of("rlc"), "cancel bonds", site)
    with pytest.raises(errors.ModelError, match="takes no wishes for strokes"):
        rewrite.sites(graph_of("rlc"), "merge junctions", prefer={"coil": "derivative"})


@pytest.mark.parametrize("level", [0, 3, "2"])
def test_there_are_two_levels_of_minimal_coordinates(level: int) -> None:
    with pytest.raises(errors.ModelError, match="there is no level"):
        rewrite.minimal(graph_of("rlc"), level=level)
