"""Random passive graphs: junctions in a tree with now and then a mesh, couplers between them, one-ports on them."""

import numpy as np

import multibond as mb


def random_graph(seed: int) -> mb.Model:
    """A graph of 1 to 3 components; sources are few, so that most graphs are free of conflicts."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))
    model = mb.Model(f"graph{seed}", size=size)
    count = int(rng.integers(2, 9))
    junctions = [model.add((mb.One if rng.random() < 0.5 else mb.Zero)(f"j{k}", size=size)) for k in range(count)]
    for k in range(1, count):
        _join(model, rng, junctions[int(rng.integers(0, k))], junctions[k], k, size)
    if count > 3 and rng.random() < 0.3:
        a, b = rng.choice(count, 2, replace=False)
        _join(model, rng, junctions[a], junctions[b], count, size)
    for k, junction in enumerate(junctions):
        for i in range(int(rng.integers(1, 4))):
            element = _one_port(rng, f"e{k}_{i}", size)
            model.bond(*((junction, element) if rng.random() < 0.5 else (element, junction)))
    return model


def _join(model: mb.Model, rng: np.random.Generator, a: object, b: object, k: int, size: int) -> None:
    a, b = (a, b) if rng.random() < 0.5 else (b, a)
    kind = rng.random()
    if kind < 0.35:
        model.bond(a, b)
        return
    if kind < 0.7:
        full = size > 1 and rng.random() < 0.5
        modulus = np.linalg.qr(rng.standard_normal((size, size)))[0] if full else float(rng.uniform(0.5, 2))
        coupler = mb.TF(f"tf{k}", modulus, inverse="transpose" if full else "auto", size=size)
    else:
        coupler = mb.GY(f"gy{k}", float(rng.uniform(0.5, 2)), size=size)
    model.add(coupler)
    model.bond(a, coupler)
    model.bond(coupler, b)


def _one_port(rng: np.random.Generator, name: str, size: int) -> object:
    kind = rng.random()
    if kind >= 0.9:
        source = rng.standard_normal(size)
        return mb.Se(name, source, size=size) if kind < 0.95 else mb.Sf(name, source, size=size)
    law = mb.R if kind < 0.4 else mb.C if kind < 0.65 else mb.I
    return law(name, _value(rng, size), size=size)


def _value(rng: np.random.Generator, size: int) -> object:
    """A number, a diagonal or a full symmetric positive matrix."""
    form = rng.random() if size > 1 else 0.0
    if form < 0.4:
        return float(rng.uniform(0.5, 2))
    if form < 0.7:
        return rng.uniform(0.5, 2, size)
    root = rng.standard_normal((size, size))
    return root @ root.T + size * 0.3 * np.eye(size)
