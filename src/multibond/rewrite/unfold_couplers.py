"""Couplers as scalar bonds: a transformer or gyrator for each entry of a modulus, and a ring for the Euler gyrator.

A matrix transformer has two forms, chosen by its causality (Boudon et al., Fig. 11): flow-in-flow-out with 1-junctions
at the input a and 0-junctions at the output b, and effort-in-effort-out with 0-junctions at the input, 1-junctions at
the output and the transposed moduli, which for a rotation are those of the inverse. A diagonal one falls apart. The
moduli of the ring are the angular momentum.
"""

from __future__ import annotations

from typing import Any, TypeVar

from multibond.elements import GY, MGY, MTF, TF, Df, EulerGyrator, LinearMap, One, Zero
from multibond.elements.couplers import modulus_matrix
from multibond.errors import Finding, WiringError
from multibond.expr import SX, matrix
from multibond.graph.graph import Bond, End, Reader, Signal
from multibond.rewrite.unfold_draft import Draft
from multibond.rewrite.unfold_mixed import entries, inverted

Scalar = TypeVar("Scalar", TF, GY)


def _forward(draft: Draft, path: str) -> bool:
    inlet = next(b for b in draft.old.bonds_of(path) if b.end(path).port == "a")
    return not draft.causality.gives_flow(inlet, path)


def unfold_transformer(draft: Draft, path: str, item: TF | MTF) -> None:
    """A transformer of several components, in the form that its modulus and its causality allow."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    if isinstance(item, TF) and item.two_way() == "divide":
        _unfold_diagonal(draft, path, item, at)
    elif isinstance(item, TF) and any(inverted(draft.old, draft.causality, path)):
        _unfold_mixed(draft, path, item, {"a": "in", "b": "out"})
    elif item.two_way() == "lever":
        _unfold_lever(draft, path, item, at)
    else:
        _unfold_matrix(draft, path, item, at)


def _unfold_diagonal(draft: Draft, path: str, item: TF, at: dict[str, Bond]) -> None:
    """A scalar transformer for each component, drawn with its inlet where the flow comes from."""
    modulus = matrix(item.modulus, at["a"].size)
    for k in range(at["a"].size):
        forward = not draft.causality.gives_flow(at["a"], path, k)
        value = SX(modulus[k, k]) if forward else 1 / SX(modulus[k, k])
        name = draft.add(f"{path}.{k + 1}{k + 1}", _scalar_tf(item.name, value, "auto"))
        for port, own in (("a", "a"), ("b", "b")) if forward else (("a", "b"), ("b", "a")):
            draft.lane[path, port, k] = End(name, own)


def _unfold_matrix(draft: Draft, path: str, item: TF | MTF, at: dict[str, Bond]) -> None:
    """Junctions at input a and output b, and between them a scalar transformer for each entry.

    Each is drawn with its own inlet where the flow comes from: at the input, or in the effort-in form at the output.
    """
    forward = _forward(draft, path)
    into, out = ("a", "b") if forward else ("b", "a")
    for port, word in (("a", "in"), ("b", "out")):
        kind = One if port == into else Zero
        for k in range(at[port].size):
            draft.lane[path, port, k] = End(draft.add(f"{path}.{word}_{k + 1}", kind(item.name, size=1)), "any")
    for (row, column), value in _entries(item, at, forward).items():
        name = f"{path}.{row + 1}{column + 1}"
        if isinstance(value, int):
            draft.add(name, MTF(item.name, 1, 1))
            draft.read(draft.old.signal_at(path, "modulus"), name, "modulus", value)
        else:
            draft.add(name, _scalar_tf(item.name, value))
        one, zero = draft.lane[path, into, column], draft.lane[path, out, row]
        draft.through(one, End(name, "a"), at[into], path)
        draft.through(zero, End(name, "b"), at[out], path)


def _unfold_mixed(draft: Draft, path: str, item: TF | GY, words: dict[str, str]) -> None:
    """A matrix coupler whose components go both ways: solved for what is given, then as above."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    for port, word in words.items():
        for k in range(at[port].size):
            kind = Zero if draft.causality.gives_flow(at[port], path, k) else One
            draft.lane[path, port, k] = End(draft.add(f"{path}.{word}_{k + 1}", kind(item.name, size=1)), "any")
    for kind, (out, i), (into, j), value in entries(draft.old, path, item, inverted(draft.old, draft.causality, path)):
        name = f"{path}.{out}{i + 1}_{into}{j + 1}"
        ports = {(into, j): "a", (out, i): "b"} if kind == "TF" else {(out, i): out, (into, j): into}
        draft.add(name, _scalar_tf(item.name, value) if kind == "TF" else _scalar_gy(item.name, value))
        for (port, k), own in ports.items():
            draft.through(draft.lane[path, port, k], End(name, own), at[port], path)


def _unfold_lever(draft: Draft, path: str, item: TF | MTF, at: dict[str, Bond]) -> None:
    """A 1-junction for what turns, a 0-junction for each component that it moves, a transformer between them."""
    if not at["a"].into(path) or at["b"].into(path):
        fact = "Its scalar graph is drawn for power in at a and out at b."
        raise WiringError(
            Finding(f"a half-arrow of {path!r} is turned round.", fact, "Bond a to it, and it to b.", (path,))
        )
    last = at["a"].size - 1
    turning = End(draft.add(f"{path}.{last + 1}", One(item.name, size=1)), "any")
    for k in range(last):
        moved = End(draft.add(f"{path}.{k + 1}", Zero(item.name, size=1)), "any")
        draft.lane[path, "a", k] = draft.lane[path, "b", k] = moved
        arm = draft.add(f"{path}.{k + 1}{last + 1}", MTF(item.name, 1, 1))
        draft.read(draft.old.signal_at(path, "modulus"), arm, "modulus", _place(item, k, last))
        draft.bond(turning, End(arm, "a"), at["a"])
        draft.bond(End(arm, "b"), moved, at["b"])
    draft.lane[path, "a", last] = draft.lane[path, "b", last] = turning


def _place(item: TF | MTF, row: int, last: int) -> int:
    """Where the entry of a row in the last column stands in the signal."""
    size = last + 1
    return last * size + row if isinstance(item, MTF) and item.transposed else row * size + last


def _scalar_tf(name: str, value: SX, inverse: str = "none") -> TF:
    return _with_modulus(TF(name, 1.0, inverse=inverse), value)


def _scalar_gy(name: str, value: SX) -> GY:
    return _with_modulus(GY(name, 1.0), value)


def _with_modulus(plain: Scalar, value: SX) -> Scalar:
    """A scalar coupler that was just made, given its modulus: a number, or an expression of parameters."""
    number = plain.replace(modulus=float(value)).modulus if value.is_constant() else value
    object.__setattr__(plain, "modulus", number)
    return plain


def _entries(item: TF | MTF, at: dict[str, Bond], forward: bool) -> dict[tuple[int, int], Any]:
    """Moduli by (row of the outlet, column of the inlet): expressions, or positions in the signal."""
    if isinstance(item, TF):
        table: dict[tuple[int, int], Any] = _written(item, at)
    else:
        rows, columns = at["b"].size, at["a"].size
        places = [(i, j) for i in range(rows) for j in range(columns)]
        table = {(i, j): j * rows + i if item.transposed else i * columns + j for i, j in places}
    return table if forward else {(j, i): value for (i, j), value in table.items()}


def _written(item: TF | GY, at: dict[str, Bond]) -> dict[tuple[int, int], SX]:
    """Entries of a constant modulus by row and column, without those that are always zero."""
    modulus = modulus_matrix(item, at["a"].size)
    return {(i, j): SX(modulus[i, j]) for i, j in zip(*modulus.sparsity().get_triplet(), strict=True)}


def unfold_gyrator(draft: Draft, path: str, item: GY | MGY) -> None:
    """A gyrator of several components: 1-junctions at both ports, and a scalar gyrator for each entry."""
    at = {b.end(path).port: b for b in draft.old.bonds_of(path)}
    rows, columns = at["a"].size, at["b"].size
    if isinstance(item, GY) and any(inverted(draft.old, draft.causality, path)):
        return _unfold_mixed(draft, path, item, {"a": "a", "b": "b"})
    for port, size in (("a", rows), ("b", columns)):
        for k in range(size):
            draft.lane[path, port, k] = End(draft.add(f"{path}.{port}_{k + 1}", One(item.name, size=1)), "any")
    if isinstance(item, MGY):
        moduli: dict[tuple[int, int], Any] = {(i, j): i * columns + j for i in range(rows) for j in range(columns)}
    else:
        moduli = _written(item, at)
    for (i, j), value in moduli.items():
        name = f"{path}.{i + 1}{j + 1}"
        if isinstance(value, int):
            draft.add(name, MGY(item.name, 1, 1))
            draft.read(draft.old.signal_at(path, "modulus"), name, "modulus", value)
        else:
            draft.add(name, _scalar_gy(item.name, value))
        draft.through(draft.lane[path, "a", i], End(name, "a"), at["a"], path)
        draft.through(draft.lane[path, "b", j], End(name, "b"), at["b"], path)


def unfold_ring(draft: Draft, path: str, item: EulerGyrator) -> None:
    """Ring of three gyrators: between y and z with modulus h_x, z and x with h_y, x and y with h_z; h = J ω."""
    bond = draft.old.bonds_of(path)[0]
    tensor = LinearMap("momentum", (1.0, 1.0, 1.0))
    object.__setattr__(tensor, "matrix", item.inertia)
    momentum = draft.add(f"{path}.momentum", tensor)
    if not bond.into(path):
        raise WiringError(
            Finding(
                f"the half-arrow of {path!r} points away from it.",
                "Its ring of gyrators is drawn for power into the gyroscopic element.",
                f"Bond the junction to {path!r}, not the other way round.",
                (path,),
            )
        )
    for k in range(3):
        junction = draft.add(f"{path}.{k + 1}", One(item.name, size=1))
        draft.lane[path, "port", k] = End(junction, "any")
        sensor = draft.add(f"{path}.w_{k + 1}", Df(f"w_{k + 1}", size=1))
        draft.bond(End(junction, "any"), End(sensor, "port"), bond)
        draft.signals.append(Signal(f"{sensor}.value", 1, (Reader(sensor, "value"), Reader(momentum, f"in_{k + 1}"))))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        gyrator = draft.add(f"{path}.h_{k + 1}", MGY(f"h_{k + 1}", 1, 1))
        draft.bond(draft.lane[path, "port", i], End(gyrator, "a"), bond)
        draft.bond(End(gyrator, "b"), draft.lane[path, "port", j], bond)
        draft.signals.append(
            Signal(f"{momentum}.out_{k + 1}", 1, (Reader(momentum, f"out_{k + 1}"), Reader(gyrator, "modulus")))
        )
