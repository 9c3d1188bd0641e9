"""Boudon's pendulum and slider crank in their forms, the bar with two joints, disc and gyro; derivations in
docstrings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import multibond as mb
from multibond.examples import EXAMPLES, slider_crank

from .drawn import Drawn, check, drawn

ANGLE = 0.4
TURN = ((np.cos(ANGLE), -np.sin(ANGLE), 0.0), (np.sin(ANGLE), np.cos(ANGLE), 0.0), (0.0, 0.0, 1.0))
LEVER = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.0, -0.5, 0.0))
"""ω ↦ ω × r with r = (-0.5, 0, 0), from the centre of the bar to its hinge, in body axes."""


def pendulum(hold_rotation: list, hold_translation: list, bonds: str) -> Drawn:
    """Boudon et al., Fig. 18, at one position: body (w, v), hinge point k, and the joint's held directions.

    `z` is the free turn with its damper; rx, ry are held by what `turns` leads to, the hinge point by what k leads to.
    """
    elements = [mb.One("w"), mb.I("J", (1.0, 2.0, 3.0)), mb.EulerGyrator("ejs", (1.0, 2.0, 3.0)), mb.One("v")]
    elements += [mb.I("m", (1.0, 1.0, 1.0)), mb.Se("weight", (0.0, -9.81, 0.0)), mb.TF("lever", LEVER)]
    elements += [mb.TF("turn", TURN, inverse="transpose"), mb.Zero("k"), mb.DirectSum("turns", 2, 1), mb.One("z")]
    elements += [mb.R("damper", 1.0), *hold_rotation, *hold_translation]
    body = "w>ejs:ttt weight>v:hhh w>lever.a:ttt lever.b>turn.a:ttt turn.b>k:ttt z>damper:t"
    return drawn("pendulum", elements, f"{body} {bonds}")


def test_pendulum_with_zero_order_paths() -> None:
    """Sf 0 gives rx, ry and the hinge's velocity. Rule C2: the cross product passes flow from w only, so k hands it
    to v: all of m is dependent. Of J, x and y are dependent and z gives the flow of the free turn: the bonds of w are
    mixed (against C1, which is why vector bonds need strokes by component). Class 1 between J and m. The paper speaks
    of class 2 or 3 and of derivative causality at once; by its own definition the latter is class 1. Nothing is of
    class 4."""
    hold = [mb.Sf("turn_stop", (0.0, 0.0))], [mb.Sf("wall", (0.0, 0.0, 0.0))]
    graph = pendulum(
        *hold, "w>J:tth v>m:ttt turns.part_1>turn_stop:hh w>turns.whole:hht turns.part_2>z:t v>k:hhh k>wall:hhh"
    )
    report = mb.causality(graph.model)
    found = {(b.tail.element, b.head.element): b.name for b in report.graph.bonds}
    assert set(report.mixed) == {found["w", "J"], found["w", "turns"]}
    assert dict(report.dependent) == {"J": (0, 1), "m": (0, 1, 2)}
    assert [(p.number, p.ends) for p in report.zero_order_paths] == [(1, ("J", "m"))]
    assert [form.index for form in report.index] == [2, 1] and report.independent == 1
    for ends, letters in graph.strokes.items():
        assert [report.stroke(found[ends], k) == ends[1] for k in range(len(letters))] == [s == "h" for s in letters]


def test_pendulum_with_zero_order_paths_unfolded() -> None:
    """The same with scalar bonds: z of J meets x and y of m (a turn about z moves the bar in its plane), not z."""
    hold = [mb.Sf("turn_stop", (0.0, 0.0))], [mb.Sf("wall", (0.0, 0.0, 0.0))]
    graph = pendulum(*hold, "w>J v>m turns.part_1>turn_stop w>turns.whole turns.part_2>z v>k k>wall")
    report = mb.causality(graph.model, depth=3)
    assert {p.ends for p in report.of_class(1)} == {("J.3", "m.1"), ("J.3", "m.2")}
    assert {p.number for p in report.zero_order_paths} == {1} and not report.mixed
    assert [form.index for form in report.index] == [2, 1] and report.independent == 1


def test_pendulum_with_parasitic_elements() -> None:
    """C and R take what is left of the velocities at k and of rx, ry: every storage integral, explicit equations. Six
    components of J and m, five of the parasitic C."""
    rotation = [mb.One("a"), mb.C("ca", (1e-6, 1e-6)), mb.R("ra", (200.0, 200.0))]
    translation = [mb.One("b"), mb.C("cb", (1e-6, 1e-6, 1e-6)), mb.R("rb", (200.0, 200.0, 200.0))]
    bonds = "w>J:hhh v>m:hhh w>turns.whole:ttt turns.part_1>a:tt a>ca:tt a>ra:tt turns.part_2>z:t"
    graph = pendulum(rotation, translation, f"{bonds} v>k:ttt k>b:ttt b>cb:ttt b>rb:ttt")
    report = mb.causality(graph.model)
    assert not report.dependent and not report.zero_order_paths and not report.mixed
    assert [form.index for form in report.index] == [0, 0] and report.independent == 11


def test_pendulum_with_multipliers() -> None:
    """The constraints give efforts instead (MSe λ with flow = 0): all of J and m is integral and no path shows that
    five of the six are bound, as each path from λ back to it runs through an integration. The index is 2 all the
    same."""
    hold = [mb.Constraint("la", size=2)], [mb.Constraint("lb", size=3)]
    graph = pendulum(*hold, "w>J:hhh v>m:hhh w>turns.whole:ttt turns.part_1>la:tt turns.part_2>z:t v>k:ttt k>lb:ttt")
    report = mb.causality(graph.model, prefer={"la": "gives effort", "lb": "gives effort"})
    assert not report.dependent and not report.zero_order_paths and not report.strokes.missed
    assert [form.index for form in report.index] == [2, 1] and report.independent == 1


# -- the machines of the package ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "index", "late", "paths"),
    [
        ("auto", [2, 1], {"bar.inertia": (0, 1, 2), "bar.mass": (0, 1, 2)}, {1: 2}),
        ("zcp", [3, 2, 1], {"bar.inertia": (0,), "bar.mass": (0, 1, 2)}, {1: 1}),
        ("multiplier", [3, 2, 1], {"bar.inertia": (0,)}, {}),
        ("rc", [2, 1], {"bar.inertia": (0,)}, {}),
        ("minimal", [0, 0], {}, {}),
    ],
)
def test_pendulum_as_a_part(method: str, index: list[int], late: dict, paths: dict) -> None:
    """auto: the flow of the hinge is a state, mass and inertia follow it, a path of class 1 for each. Multipliers and
    R/C leave the body free (Boudon et al., Fig. 18): all momenta are states but that about the bar's own axis, which
    has no inertia, so that the motion of the free body gives this one flow. Sf 0 at the hinge's point makes the mass
    follow the inertia (class 1); for the two held turns C1 leaves it no place. Gaps of the hinge are held on positions:
    index 3. An open chain without redundancy: by the paper's conclusion its paths can be solved as they are."""
    report = mb.causality(EXAMPLES["pendulum"](), method=method)
    assert dict(report.dependent) == late
    assert Counter(p.number for p in report.zero_order_paths) == paths
    assert report.opened == (("hinge.hold_rotation",) if method == "zcp" else ())
    assert [form.index for form in report.index] == index
    assert (report.advice.method, report.advice.paper) == ("auto", "zcp")
    assert report.advice.chain.startswith("open chain, isostatic")


CRANK = {
    (joints, method): found
    for joints in ("hyperstatic", "isostatic")
    for method, found in {
        "auto": ({1: 7}, [3, 2, 1]),
        "zcp": ({1: 5}, [3, 2, 1]),
        "multiplier": ({}, [3, 2, 1]),
        "rc": ({}, [0, 0]),
        "minimal": ({}, [0, 0]),
    }.items()
}
"""Paths by class, and the index of each form of the equations."""


@pytest.mark.parametrize(("joints", "method"), CRANK)
def test_slider_crank_in_its_forms(joints: str, method: str) -> None:
    """auto: C is cut. O moves crank (mass, inertia) and rod (both), B moves the rod (both), the guide the piston's
    mass: 4 + 2 + 1 = 7 paths; the piston does not turn, so its inertia follows no state. zcp: Sf 0 at O, B and C hands
    velocities on from the crank's inertia (to its mass, the rod's and the piston's) and from the rod's (to its own and
    the piston's): 3 + 2. With free bodies all storages are integral. The loop's gap makes the index 3 for positions, 2
    for flows; with C and R it is gone, and with it every unknown: explicit equations. By the paper: hyperstatic → R/C,
    isostatic closed chain → multipliers."""
    paths, index = CRANK[joints, method]
    report = mb.causality(slider_crank(joints=joints), method=method)
    assert Counter(p.number for p in report.zero_order_paths) == paths
    assert bool(report.dependent) == (method in ("auto", "zcp"))
    assert [form.index for form in report.index] == index
    words = "hyperstatic (3 conditions too many)" if joints == "hyperstatic" else "isostatic"
    assert report.advice.chain.startswith(f"closed chain, {words}, ")
    assert report.advice.paper == ("rc" if joints == "hyperstatic" else "multiplier")


def levers(*entries: tuple[str, str, str, float]) -> tuple[list, str]:
    """Transformers from turns to points: name, turn, point, arm."""
    bonds = " ".join(f"{turn}>{name}.a {name}.b>{point}" for name, turn, point, _ in entries)
    return [mb.TF(name, arm) for name, _, _, arm in entries], bonds


def test_slider_crank_with_zero_order_paths() -> None:
    """In its plane, scalar bonds, Sf 0 at every joint (Boudon et al.: "classes 1 and 4"). Crank (w1, x1, y1) pinned at
    o, rod (w2, x2, y2) at b, piston x3 at c, which also holds y. J1 is integral: o gives x1, y1, b's velocity follows.
    At by and cy then y2 + d w2 and y2 + e w2 are known: neither J2 nor m2y can be integral (cy would have three flows),
    and by → w2 → cy → y2 → by closes in the junction structure: class 4. All six others follow J1: class 1."""
    elements = [mb.One(n) for n in ("w1", "x1", "y1", "w2", "x2", "y2", "x3")]
    elements += [mb.Zero(n) for n in ("ox", "oy", "bx", "by", "cx", "cy")]
    elements += [mb.I(n, 1.0) for n in ("J1", "m1x", "m1y", "J2", "m2x", "m2y", "m3")]
    elements += [mb.Sf(f"s{n}", 0.0) for n in ("ox", "oy", "bx", "by", "cx", "cy")] + [mb.Se("torque", 10.0)]
    arms, lever_bonds = levers(
        ("l1", "w1", "ox", 0.06), ("l2", "w1", "oy", -0.08), ("l3", "w1", "bx", -0.06), ("l4", "w1", "by", 0.08),
        ("l5", "w2", "bx", -0.05), ("l6", "w2", "by", -0.49), ("l7", "w2", "cx", 0.05), ("l8", "w2", "cy", 0.48),
    )  # fmt: skip
    bodies = "w1>J1:h x1>m1x:t y1>m1y:t w2>J2:t x2>m2x:t y2>m2y:t x3>m3:t torque>w1:h"
    points = "x1>ox y1>oy x1>bx y1>by bx>x2 by>y2 x2>cx y2>cy cx>x3"
    holds = " ".join(f"{n}>s{n}:h" for n in ("ox", "oy", "bx", "by", "cx", "cy"))
    graph = drawn("slider_crank", [*elements, *arms], f"{bodies} {points} {holds} {lever_bonds}")
    others = ("J2", "m1x", "m1y", "m2x", "m2y", "m3")
    report = check(graph, late=dict.fromkeys(others, (0,)), classes={1: 6, 4: 1}, index=(2, 1), independent=1,
                   ends={1: {("J1", other) for other in others}})  # fmt: skip
    assert {"by", "cy", "w2", "y2"} <= set(report.of_class(4)[0].elements)


def bar(hold: list, bonds: str) -> Drawn:
    """A bar with a hinge at each end (Boudon et al., Fig. 10, after Ersal): its centre v, its turn w, points p and
    q."""
    elements = [mb.One("w"), mb.I("J", 1.0), mb.One("v"), mb.I("m", (1.0, 1.0)), mb.Zero("p"), mb.Zero("q")]
    elements += [mb.TF("to_p", ((0.0,), (-0.5,))), mb.TF("to_q", ((0.0,), (0.5,))), *hold]
    return drawn("bar", elements, f"w>J v>m w>to_p.a to_p.b>p w>to_q.a to_q.b>q v>p v>q {bonds}")


def test_bar_with_two_joints() -> None:
    """The walls give four flows where v and w are three, and along the bar, where the levers have no arm, v has its
    flow from both: a conflict, which has both walls among its culprits and offers parasitics and multipliers."""
    graph = bar([mb.Sf("wall_p", (0.0, 0.0)), mb.Sf("wall_q", (0.0, 0.0))], "p>wall_p:hh q>wall_q:hh")
    report = mb.causality(graph.model)
    assert report.conflicts
    culprits = {path for conflict in report.conflicts for path in conflict.culprits}
    assert culprits & {"wall_p", "wall_q"}
    kinds = {cure.kind for conflict in report.conflicts for cure in conflict.cures}
    assert {"parasitic", "multiplier"} <= kinds
    assert "multiplier:" in report.report()


def test_bar_with_one_soft_joint() -> None:
    """With C and R at q the conflict is gone: v follows from p and w, w is given by J. Class 1: J, m. One state of J,
    two of C."""
    hold = [mb.Sf("wall_p", (0.0, 0.0)), mb.One("s"), mb.C("c", (0.1, 0.2)), mb.R("r", (1.0, 1.0))]
    graph = bar(hold, "p>wall_p:hh q>s:tt s>c:tt s>r:tt")
    check(graph, late={"m": (0, 1)}, classes={1: 1}, ends={1: {("J", "m")}}, index=(2, 1), independent=3)


def test_disc_and_gyro() -> None:
    """Disc: two independent velocities. Gyro: the casing gives y and z of the gimbal's rate and the drive that of the
    rotor, so of seven storage components the tilt's momentum and the spring are independent; the rotor follows."""
    disc, gyro = (mb.causality(EXAMPLES[name]()) for name in ("disc", "rate_gyro"))
    assert disc.independent == 2
    assert gyro.independent == 2
    assert dict(gyro.dependent) == {"inertia_gimbal": (1, 2), "inertia_rotor": (0, 1, 2)}
    assert [p.ends for p in gyro.of_class(1)] == [("inertia_gimbal", "inertia_rotor")]
    assert gyro.index[0].index == disc.index[0].index == 2
