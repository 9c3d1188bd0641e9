"""Graphs whose strokes, zero-order causal paths and index were derived by hand; each docstring has the derivation.

S means stroke, "loop" an algebraic loop. The index is that of the form as drawn, then of the form that is solved.
"""

from __future__ import annotations

import math

import multibond as mb

from .drawn import Drawn, check, drawn


def test_series_circuit() -> None:
    """Se and C give effort, I gives flow to the 1-junction, which hands it to R: three laws in a row, nothing
    closed."""
    graph = drawn("rlc", [mb.Se("u", 1.0), mb.One("i"), mb.R("r", 1.0), mb.I("l", 1.0), mb.C("c", 1.0)],
                  "u>i:h i>r:t i>l:h i>c:t")  # fmt: skip
    check(graph, index=(0, 0), independent=2)


def test_parallel_circuit() -> None:
    """The dual: C gives the effort of the 0-junction, which hands it to R and I; Sf and these give flow."""
    graph = drawn("parallel", [mb.Sf("s", 1.0), mb.Zero("n"), mb.R("r", 1.0), mb.I("l", 1.0), mb.C("c", 1.0)],
                  "s>n:t n>r:h n>l:h n>c:t")  # fmt: skip
    check(graph, index=(0, 0), independent=2)


def test_two_resistors() -> None:
    """r1 goes first and gives effort; then i has its flow from n, n its effort from i, r2 gives flow. r1 needs the flow
    that r2 gives, r2 the effort that r1 leaves: out along i>n as effort, back as flow. Class 2, index 1."""
    graph = drawn("divider", [mb.Se("u", 1.0), mb.One("i"), mb.Zero("n"), mb.R("r1", 1.0), mb.R("r2", 1.0)],
                  "u>i:h i>r1:t i>n:h n>r2:h")  # fmt: skip
    check(graph, classes={2: 1}, ends={2: {("r1", "r2")}}, index=(1, 1), independent=0)


def test_three_resistors() -> None:
    """As before with r3 beside r2: each of them closes a path with r1; between r2 and r3 there is none, as the effort
    of n comes from i and not from either."""
    elements = [mb.Se("u", 1.0), mb.One("i"), mb.Zero("n"), mb.R("r1", 1.0), mb.R("r2", 1.0), mb.R("r3", 2.0)]
    graph = drawn("ladder", elements, "u>i:h i>r1:t i>n:h n>r2:h n>r3:h")
    check(graph, classes={2: 2}, ends={2: {("r1", "r2"), ("r1", "r3")}}, index=(1, 1))


def test_resistor_that_a_storage_separates() -> None:
    """A C at n gives its effort, so r1 gives effort and r2 flow, each from a state: no path between them."""
    elements = [mb.Se("u", 1.0), mb.One("i"), mb.Zero("n"), mb.R("r1", 1.0), mb.R("r2", 1.0), mb.C("c", 1.0)]
    graph = drawn("low_pass", elements, "u>i:h i>r1:h i>n:t n>r2:h n>c:t")
    check(graph, index=(0, 0), independent=1)


def test_two_coils_in_series() -> None:
    """The first I takes the junction's flow; the second gets it and must differentiate: class 1, index 2."""
    graph = drawn("coils", [mb.Se("u", 1.0), mb.One("i"), mb.I("l1", 1.0), mb.I("l2", 2.0)], "u>i:h i>l1:h i>l2:t")
    check(graph, late={"l2": (0,)}, classes={1: 1}, ends={1: {("l1", "l2")}}, index=(2, 1), independent=1)


def test_two_capacitors_in_parallel() -> None:
    """The dual of two coils in series."""
    graph = drawn("caps", [mb.Sf("s", 1.0), mb.Zero("n"), mb.C("c1", 1.0), mb.C("c2", 2.0)], "s>n:t n>c1:t n>c2:h")
    check(graph, late={"c2": (0,)}, classes={1: 1}, ends={1: {("c1", "c2")}}, index=(2, 1), independent=1)


def test_two_rotors_on_a_gear() -> None:
    """rotor1 gives its speed to the gear, which hands it on: S at its inlet's far end, S at the gear on its outlet.
    rotor2 is dependent; r takes the same speed from a state, so it closes nothing."""
    elements = [mb.Se("drive", 1.0), mb.One("w1"), mb.I("rotor1", 1.0), mb.TF("gear", 3.0), mb.One("w2")]
    graph = drawn("gear", [*elements, mb.I("rotor2", 1.0), mb.R("r", 1.0)],
                  "drive>w1:h w1>rotor1:h w1>gear.a:t gear.b>w2:t w2>rotor2:t w2>r:t")  # fmt: skip
    check(graph, late={"rotor2": (0,)}, classes={1: 1}, ends={1: {("rotor1", "rotor2")}}, index=(2, 1), independent=1)


def test_gyrator_makes_a_capacitor_dependent() -> None:
    """The coil's flow enters the gyrator, which gives the effort of the 0-junction; the C there can only follow. A
    gyrator has S at both ends or at none: here at none. Class 1 between unlike storages."""
    elements = [mb.Se("u", 1.0), mb.One("i"), mb.I("a_coil", 1.0), mb.GY("gy", 2.0), mb.Zero("n"), mb.C("b_cap", 1.0)]
    graph = drawn("dependent_c", elements, "u>i:h i>a_coil:h i>gy.a:t gy.b>n:h n>b_cap:h")
    check(graph, late={"b_cap": (0,)}, classes={1: 1}, ends={1: {("a_coil", "b_cap")}}, index=(2, 1), independent=1)


def test_gyrator_between_unlike_needs() -> None:
    """With the C on a 1-junction the gyrator's effort and its own meet there, and only the gyrator's flow is missing:
    S at both ends. Then i would have two flows: I and gyrator. So the coil keeps its flow, S at none, and the C's
    1-junction would have no flow: a conflict unless an R gives it."""
    elements = [mb.Se("u", 1.0), mb.One("i"), mb.I("a_coil", 1.0), mb.GY("gy", 2.0), mb.One("j"), mb.C("b_cap", 1.0)]
    graph = drawn("motor", [*elements, mb.R("r", 1.0)], "u>i:h i>a_coil:h i>gy.a:t gy.b>j:h j>b_cap:t j>r:h")
    check(graph, index=(0, 0), independent=2)


def test_storage_on_a_source() -> None:
    """Sf gives the speed of the mass, which is derivative; what it follows is given, so no path closes. The reaction is
    an input's derivative, so the index is 2 as drawn; with the source's derivative a formula remains, index 0."""
    graph = drawn("driven", [mb.Sf("drive", mb.sin(mb.t)), mb.One("v"), mb.I("mass", 1.0), mb.R("r", 1.0)],
                  "drive>v:t v>mass:t v>r:t")  # fmt: skip
    check(graph, late={"mass": (0,)}, index=(2, 0), independent=0)


def test_field_in_both_causalities() -> None:
    """A coupled pair of coils: Sf drives the second (derivative), the first is integral. f1 = (p1 - M f2)/L1 depends on
    f2 at once, and e2 on e1: algebraic steps across the field, but none closes. The bond is mixed."""
    elements = [mb.Se("u", 1.0), mb.One("i1"), mb.Sf("s", mb.sin(mb.t)), mb.One("i2"), mb.DirectSum("sum", 1, 1)]
    elements += [mb.I("coils", ((2.0, 1.0), (1.0, 3.0))), mb.R("r", 1.0)]
    graph = drawn("transformer", elements,
                  "u>i1:h i1>r:t i1>sum.part_1:h s>i2:t i2>sum.part_2:t sum.whole>coils:ht")  # fmt: skip
    report = check(graph, late={"coils": (1,)}, index=(2, 0), independent=1)
    assert report.mixed == ("sum->coils",)
    orders = {(k.source.what, k.source.component, k.target.what, k.target.component): k.order
              for k in report.signals.links_in("coils")}  # fmt: skip
    assert orders == {
        ("effort", 0, "flow", 0): -1,
        ("flow", 1, "flow", 0): 0,
        ("effort", 0, "effort", 1): 0,
        ("flow", 1, "effort", 1): 1,
    }


# -- round a mesh ------------------------------------------------------------------------------------------------------


def test_mesh_of_transformer_and_gyrator() -> None:
    """Two 1-junctions joined by TF and GY. If r gave effort, a would need flow from TF or GY. From GY: then b has it
    too, hands it to TF, and TF gives a a second one. From TF: b must have it from GY, which then gives a one as well.
    So r gives flow: a → TF → b → GY turns it into an effort at a → r. One port, round the mesh: class 3. (Its gain and
    that of the way round the other side cancel, as GY and TF lose nothing; the path is there all the same.)"""
    elements = [mb.Se("u", 1.0), mb.One("a"), mb.One("b"), mb.TF("tf", 2.0), mb.GY("gy", 3.0), mb.R("r", 1.0)]
    graph = drawn("mesh", elements, "u>a:h a>r:h a>tf.a:t tf.b>b:t a>gy.a:t gy.b>b:h")
    report = check(graph, classes={3: 1}, ends={3: {("r",)}}, index=(1, 1))
    assert not report.of_class(3)[0].flat


def test_mesh_of_transformer_and_gyrator_dual() -> None:
    """The same with 0-junctions and Sf: r gives effort, which goes round and comes back as flow."""
    elements = [mb.Sf("s", 1.0), mb.Zero("a"), mb.Zero("b"), mb.TF("tf", 2.0), mb.GY("gy", 3.0), mb.R("r", 1.0)]
    graph = drawn("dual_mesh", elements, "s>a:t a>r:t a>tf.a:h tf.b>b:h a>gy.a:h gy.b>b:t")
    check(graph, classes={3: 1}, ends={3: {("r",)}}, index=(1, 1))


def test_ring_of_gyrators() -> None:
    """Three 1-junctions, a gyrator between each two, an R at each. rx gives effort, ry too; x has its flow then from a
    gyrator; gxy goes first and gives flow at x and y. So gyz and gzx take flow there, and at z: rz must give it.
    Class 2: rx, ry (through gxy); rx, rz (gxy, gyz); ry, rz (gxy, gzx). Class 3: rz → gyz → gxy → gzx → rz."""
    elements = [mb.Se("u", 1.0), mb.One("x"), mb.One("y"), mb.One("z"), mb.R("rx", 1.0), mb.R("ry", 1.0)]
    elements += [mb.R("rz", 1.0), mb.GY("gxy", 1.0), mb.GY("gyz", 2.0), mb.GY("gzx", 3.0)]
    graph = drawn(
        "ring", elements, "u>x:h x>rx:t y>ry:t z>rz:h x>gxy.a:h gxy.b>y:t y>gyz.a:t gyz.b>z:h z>gzx.a:t gzx.b>x:h"
    )
    pairs = {("rx", "ry"), ("rx", "rz"), ("ry", "rz")}
    check(graph, classes={2: 3, 3: 1}, ends={2: pairs, 3: {("rz",)}}, index=(1, 1))


def test_ring_of_gyrators_on_inertias() -> None:
    """With an I at each junction all three flows are states and enter the gyrators: the Euler equations, explicit."""
    elements = [mb.One(n) for n in "xyz"] + [mb.I(f"j{n}", 1.0) for n in "xyz"]
    elements += [mb.GY("gxy", 1.0), mb.GY("gyz", 2.0), mb.GY("gzx", 3.0)]
    graph = drawn("euler", elements, "x>jx:h y>jy:h z>jz:h x>gxy.a:t gxy.b>y:h y>gyz.a:t gyz.b>z:h z>gzx.a:t gzx.b>x:h")
    check(graph, index=(0, 0), independent=3)


def rotation(angle: float, *, inverted: bool = False) -> tuple[list, str]:
    """The turn of (a1, a2) into (b1, b2) with four transformers: from 1-junctions to 0-junctions, or the other way."""
    c, s = math.cos(angle), math.sin(angle)
    moduli = {"t11": c, "t12": -s, "t21": s, "t22": c}
    one, zero = ("b", "a") if inverted else ("a", "b")
    elements = [mb.One(f"{one}{k}") for k in "12"] + [mb.Zero(f"{zero}{k}") for k in "12"]
    elements += [mb.TF(name, value) for name, value in moduli.items()]
    if inverted:
        return elements, "a1>t11.b t11.a>b1 a1>t21.b t21.a>b2 a2>t12.b t12.a>b1 a2>t22.b t22.a>b2"
    return elements, "a1>t11.a t11.b>b1 a1>t21.a t21.b>b2 a2>t12.a t12.b>b1 a2>t22.a t22.b>b2"


def turned(*, inverted: bool) -> list:
    """Two masses behind a turn, two dampers before it."""
    elements, bonds = rotation(0.6, inverted=inverted)
    elements += [mb.One("v1"), mb.One("v2"), mb.I("m1", 1.0), mb.I("m2", 1.0), mb.R("r1", 1.0), mb.R("r2", 2.0)]
    elements += [mb.One("w1"), mb.One("w2"), mb.Se("u", 1.0)]
    return [drawn("turn", elements, f"{bonds} b1>v1 b2>v2 v1>m1:h v2>m2:h w1>a1 w2>a2 w1>r1:t w2>r2:t u>w1:h")]


def test_turn_against_its_masses() -> None:
    """Both masses give flow to 0-junctions, so each of these must hand it to one of its transformers: t11 towards a1,
    t22 towards a2 (or the crossed pair). a1 then feeds t21 and a2 feeds t12: a1 → t21 → b2 → t22 → a2 → t12 → b1 → t11
    → a1 closes without an end. The efforts run the other way round: a double loop, one path of class 4 and its dual."""
    (graph,) = turned(inverted=False)
    report = check(graph, classes={4: 1}, index=(1, 1), independent=2)
    (path,) = report.of_class(4)
    assert set(path.elements) == {"a1", "a2", "b1", "b2", "t11", "t12", "t21", "t22"} and len(path.links) == 8
    assert {node.what for node in path.nodes} in ({"flow"}, {"effort"})


def test_turn_with_its_masses() -> None:
    """Inverted (1-junctions at the masses, transposed moduli) the flows run through, and the loop is gone."""
    (graph,) = turned(inverted=True)
    check(graph, index=(0, 0), independent=2)


def test_disc_with_sliding_mass() -> None:
    """Tiernego & Bos, Figs 9 to 11, at x, y = 0.3, 0.2: w → (-y; x) → a, rel x → r, rel y → Sf 0. mx and my go first
    and give both velocities. Were the rotor integral as well, w and Sf would fix a2; a2 would feed t12, t22; b1 and
    b2 would both have to hand on to a1: twice. So the rotor is dependent: two independent velocities of three
    storages. r gives effort; a1, a2 are fed by the turn: the double loop. Class 1: mx, rotor and my, rotor."""
    for inverted in (False, True):
        elements, bonds = rotation(0.6, inverted=inverted)
        elements += [
            mb.One("w"),
            mb.I("rotor", 1.0),
            mb.TF("py", -0.2),
            mb.TF("px", 0.3),
            mb.One("rel"),
            mb.R("r", 1.0),
        ]
        elements += [
            mb.Sf("slot", 0.0),
            mb.One("v1"),
            mb.One("v2"),
            mb.I("mx", 1.0),
            mb.I("my", 1.0),
            mb.Se("g", -9.81),
        ]
        elements += [mb.Zero("s1"), mb.Zero("s2")]
        wires = "w>rotor:t w>py.a px.b>s2 w>px.a py.b>s1 rel>r:t rel>s1 slot>s2:t s1>a1 s2>a2"
        wires += " b1>v1 b2>v2 v1>mx:h v2>my:h g>v2:h"
        graph = drawn("disc", elements, f"{bonds} {wires}")
        loops = {} if inverted else {4: 1}
        check(graph, late={"rotor": (0,)}, classes={1: 2, **loops}, index=(2, 1), independent=2,
              ends={1: {("mx", "rotor"), ("my", "rotor")}})  # fmt: skip


def gain(modulus: float, elements: list, bonds: str) -> Drawn:
    """a and n are joined by a bond and by a TF whose arrow points back, so that f_n = f_a - m f_a."""
    whole = [mb.One("a"), mb.Zero("n"), mb.TF("tf", modulus), mb.R("r", 1.0), *elements]
    return drawn("gain", whole, f"r>a:h a>n:t n>tf.b:t tf.a>a:t {bonds}")


def test_loop_gain() -> None:
    """Sf gives f_n, r effort, so a needs its flow from n, by the bond or the TF; the tie goes to the tail of a>n, which
    gives flow. n hands f_n + f_a to tf, which hands it to a: n → tf → a → n closes with gain 1/m. Class 4, index 1."""
    check(gain(0.5, [mb.Sf("s", 1.0)], "s>n:t"), classes={4: 1}, index=(1, 1))


def test_singular_loop_gain() -> None:
    """With m = 1 nothing flows whatever f_a is, against what Sf demands. The strokes are the same, so structure cannot
    see it; the numbers can, and the graph is refused by name."""
    report = check(gain(1.0, [mb.Sf("s", 1.0)], "s>n:t"), classes={4: 1}, index=())
    assert {"n", "a"} <= set(report.faults[0].paths)


def test_singular_loop_gain_holds_a_mass() -> None:
    """With m = 1 and a mass in the place of Sf the loop holds it at rest: a condition on a state, so the index is 2,
    not 1 as class 4 suggests."""
    elements = [mb.One("v"), mb.I("mass", 1.0), mb.Se("u", 1.0)]
    graph = gain(1.0, elements, "n>v:h v>mass:h u>v:h")
    check(graph, classes={4: 1}, index=(2, 1))
