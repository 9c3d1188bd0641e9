"""How many components each bond has: from ports, parameters, junctions, and at last the model's default."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from multibond.errors import Finding, WiringError
from multibond.graph.component import Element
from multibond.graph.graph import Bond
from multibond.graph.port import PowerPort
from multibond.units import ANY, Domain

Value = TypeVar("Value")

MOST = 100_000
"""Components that all bonds of a machine may have together."""


def settle_sizes(
    elements: dict[str, Element], bonds: tuple[Bond, ...], default: Mapping[str, int]
) -> tuple[dict[str, Element], tuple[Bond, ...]]:
    """Give every bond its size and domain, and every element of open size the size of its bonds.

    default: by prefix of paths, the size of bonds that nothing else fixes; the longest prefix counts.
    """
    sizes: dict[int, tuple[int, str]] = {k: (b.size, b.name) for k, b in enumerate(bonds) if b.size}
    domains: dict[int, Domain] = {k: b.domain for k, b in enumerate(bonds) if b.domain is not ANY}
    groups = _equal_groups(elements, bonds)
    findings: list[Finding] = []
    for k, bond in enumerate(bonds):
        for end in (bond.tail, bond.head):
            port = _port(elements[end.element], end.port)
            if port.domain is not ANY:
                domains.setdefault(k, port.domain)
            if port.size is not None:
                _agree(sizes, k, port.size, end.element, findings)
    for group in groups:
        known = [(sizes[k], k) for k in group if k in sizes]
        for k in group:
            if known:
                _agree(sizes, k, known[0][0][0], known[0][0][1], findings)
    _spread(groups, sizes, domains)
    for k, bond in enumerate(bonds):
        if k not in sizes:
            sizes[k] = (_default(bond, default), "")
            if len(default) > 1:
                _spread(groups, sizes, domains)
    if findings:
        raise WiringError(*findings)
    _require_few(bonds, sizes)
    settled = tuple(replace(b, size=sizes[k][0], domain=domains.get(k, ANY)) for k, b in enumerate(bonds))
    first = {end.element: b.size for b in reversed(settled) for end in (b.tail, b.head)}
    return {path: _sized(e, first.get(path)) for path, e in elements.items()}, settled


def _require_few(bonds: tuple[Bond, ...], sizes: Mapping[int, tuple[int, str]]) -> None:
    """Refuse what would need more memory than there is."""
    if sum(size for size, _ in sizes.values()) <= MOST:
        return
    k, (size, _) = max(sizes.items(), key=lambda item: item[1][0])
    ends = (bonds[k].tail.element, bonds[k].head.element)
    told = size if size < 10**12 else "more than a million million"
    fact = f"The bond between {ends[0]!r} and {ends[1]!r} has {told}; all together may have {MOST}."
    raise WiringError(Finding("the bonds have too many components.", fact, "Give smaller sizes.", ends))


def _default(bond: Bond, default: Mapping[str, int]) -> int:
    """The size that the innermost model around a bond gives it."""
    ends = (bond.tail.element, bond.head.element)
    return default[max((p for p in default if any(e.startswith(p) for e in ends)), key=len)]


def _port(item: Element, name: str) -> PowerPort:
    return next(p for p in item.ports() if isinstance(p, PowerPort) and p.name == name)


def _equal_groups(elements: dict[str, Element], bonds: tuple[Bond, ...]) -> list[list[int]]:
    """Bonds that must have one size: those of a junction, and those of a coupler whose modulus fixes no shape."""
    at: dict[str, list[int]] = {}
    for k, bond in enumerate(bonds):
        for end in (bond.tail, bond.head):
            at.setdefault(end.element, []).append(k)
    groups = []
    for path, own in sorted(at.items()):
        ports = [p for p in elements[path].ports() if isinstance(p, PowerPort)]
        if all(p.size is None for p in ports) or elements[path].causality in ("one", "zero"):
            groups.append(own)
    return groups


def _spread(groups: list[list[int]], sizes: dict[int, tuple[int, str]], domains: dict[int, Domain]) -> None:
    """Pass sizes and domains on through junctions until nothing changes."""
    changed = True
    while changed:
        changed = False
        for group in groups:
            changed |= _share(group, sizes) | _share(group, domains)


def _share(group: list[int], table: dict[int, Value]) -> bool:
    """Give what one bond of a group has to all of them; whether that told anything new."""
    known = [table[k] for k in group if k in table]
    untold = [k for k in group if k not in table] if known else []
    for k in untold:
        table[k] = known[0]
    return bool(untold)


def _agree(sizes: dict[int, tuple[int, str]], k: int, size: int, owner: str, findings: list[Finding]) -> None:
    have = sizes.setdefault(k, (size, owner))
    if have[0] != size:
        findings.append(
            Finding(
                f"{owner!r} does not fit {have[1]!r}.",
                f"{owner!r} has {size} component{'s' if size > 1 else ''}; {have[1]!r} has {have[0]}.",
                "Give both the same size, or join them through a DirectSum or a transformer.",
                (owner, have[1]),
            )
        )


def _sized(item: Element, size: int | None) -> Element:
    """The element with its size filled in."""
    if item.size is not None or size is None or any(p.size for p in item.ports() if isinstance(p, PowerPort)):
        return item
    twin = copy.copy(item)
    object.__setattr__(twin, "size", size)
    return twin
