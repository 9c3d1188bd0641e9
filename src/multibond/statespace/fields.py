"""The fields of a state space: storages, resistances, Euler gyrators, known sources, constraint efforts, readings.

Which field an element belongs to is read from its law, not from its class, so that elements of one's own find theirs.
A field needs a linear law; an element without one is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from multibond.elements import Constraint, EulerGyrator
from multibond.errors import Finding, with_article
from multibond.expr import SX, column
from multibond.statespace.laws import Law, Speech
from multibond.statespace.release import Released

EFFORT, FLOW = "effort", "flow"
OTHERWISE = "Linearise it, leave it out, or use compile(), which takes any law."
EMPTY = "Give every component a value, or use compile(), which takes zeros."


@dataclass(frozen=True)
class Member:
    """An element in a field.

    field: "i" (storage), "L" (resistance), "u1" (known source), "u2" (constraint effort), "E" (Euler gyrator), "read".
    gives: for each lane what the element gives, or None where either will do.
    matrix: storage: F with z = F x. Resistance: (M_e, M_f) side by side with M_e e + M_f f = 0. Else empty.
    value: known source: what it gives, power counted into it.
    """

    law: Law
    field: str
    gives: tuple[str | None, ...]
    why: str
    matrix: SX
    value: SX

    @property
    def path(self) -> str:
        """Where the element is."""
        return self.law.path


def sort_elements(speech: Speech, released: Released) -> tuple[list[Member], list[Finding]]:
    """Every element that carries power in its field, and what is wrong with those that fit none."""
    members: list[Member] = []
    findings: list[Finding] = []
    for law in speech.laws.values():
        if not law.lanes or law.item.causality in ("transformer", "gyrator"):
            continue
        found = _sort(speech, released, law)
        if isinstance(found, Member):
            members.append(found)
        else:
            findings.append(found)
    return members, findings


def _sort(speech: Speech, released: Released, law: Law) -> Member | Finding:
    n, writer = len(law.lanes), law.writer
    if writer.switches or writer.updates:
        return _refusal(law, "Its law has modes or samples.", "fields linear")
    if isinstance(law.item, Constraint):
        return _constraint(released, law, n)
    if isinstance(law.item, EulerGyrator):
        why = "turns power round within one body: e = -(Jω)× ω, skew in the momentum"
        return Member(law, "E", (EFFORT,) * n, why, SX(0, 0), SX(0, 1))
    if writer.held:
        return _refusal(law, "It holds a flow as only a Constraint may.", "fields linear")
    relations = speech.put(column(writer.relations))
    state = column(list(law.states.values()))
    if state.numel() and ca.depends_on(relations, state):
        return _storage(speech, law, relations, state)
    return _algebraic(law, relations)


def _constraint(released: Released, law: Law, n: int) -> Member:
    if released.holds(law.path):
        why = "its joint is kept, so it gives the flow zero"
        return Member(law, "u1", (FLOW,) * n, why, SX(0, 0), SX.zeros(n))
    return Member(law, "u2", (EFFORT,) * n, "unknown constraint effort at the 0-junction of a relative flow",
                  SX(0, 0), SX(0, 1))  # fmt: skip


def _storage(speech: Speech, law: Law, relations: SX, state: SX) -> Member | Finding:
    """A storage with z = F x and dx/dt = the other variable of its port."""
    rates = column([law.writer.rates.get(name, SX.zeros(s.numel())) for name, s in law.states.items()])
    inertial = (rates - law.e).is_zero() if rates.numel() == law.e.numel() else False
    compliant = (rates - law.f).is_zero() if rates.numel() == law.f.numel() else False
    if not (inertial or compliant):
        return _refusal(law, "It stores two kinds of energy at once, or through a law of its own.", "fields linear")
    z = law.f if inertial else law.e
    slope, by_state = ca.jacobian(relations, z), ca.jacobian(relations, state)
    rest = ca.substitute(relations, column([z, state]), SX.zeros(2 * z.numel()))
    linear = rest.is_zero() and speech.is_constant(slope) and speech.is_constant(by_state)
    if not linear or slope.shape[0] != slope.shape[1]:
        return _refusal(law, "Its law is not z = F x with a constant F.", "fields linear, F constant")
    if ca.sprank(slope.sparsity()) < slope.shape[0]:
        return _refusal(law, "It stores nothing in some component, so F does not exist.", "F exists", EMPTY)
    kind = "momentum" if inertial else "displacement"
    why = f"stores {kind} in integral causality: gives {FLOW if inertial else EFFORT}"
    gives = (FLOW if inertial else EFFORT,) * z.numel()
    return Member(law, "i", gives, why, -divided(slope, by_state), SX(0, 1))


def divided(slope: SX, right: SX) -> SX:
    """slope⁻¹ right; a diagonal is divided entry by entry."""
    if slope.sparsity() == ca.Sparsity.diag(slope.shape[0]):
        return ca.diag(1 / ca.diag(slope)) @ right
    return ca.inv(ca.densify(slope)) @ right


def _algebraic(law: Law, relations: SX) -> Member | Finding:
    n, both = len(law.lanes), column([law.e, law.f])
    by_e, by_f = ca.jacobian(relations, law.e), ca.jacobian(relations, law.f)
    rest = ca.substitute(relations, both, SX.zeros(2 * n))
    if relations.numel() != n or ca.depends_on(ca.horzcat(by_e, by_f), both):
        return _refusal(law, "Its effort is not proportional to its flow.", "fields linear")
    source = law.item.power == "given"
    for given, own, other in ((EFFORT, by_e, by_f), (FLOW, by_f, by_e)):
        if other.nnz() == 0 or other.is_zero():
            value = -divided(own, rest)
            if not source and rest.is_zero():
                return Member(law, "read", (given,) * n, f"only reads: its {given} is zero", SX(0, 0), SX.zeros(n))
            why = f"gives an {given} that is known" if given == EFFORT else f"gives a {given} that is known"
            return Member(law, "u1", (given,) * n, why, SX(0, 0), value)
    if not rest.is_zero():
        return _refusal(law, "Its law is a source and a resistance in one.", "fields linear")
    why = "takes power: D_out = R D_in"
    return Member(law, "L", (None,) * n, why, ca.horzcat(by_e, by_f), SX(0, 1))


def _refusal(law: Law, fact: str, condition: str, cure: str = OTHERWISE) -> Finding:
    kind = with_article(type(law.item).__name__)
    return Finding(
        f"{law.path!r}, {kind}, fits no field of a state space.",
        f"{fact} Condition: {condition}.",
        cure,
        (law.path,),
    )
