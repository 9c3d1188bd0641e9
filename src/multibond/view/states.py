"""Why there is a state, in words."""

from __future__ import annotations

from multibond.equations.dae import Dae, Place


def why_state(dae: Dae, place: Place) -> str:
    """Why a stretch of the state vector is there."""
    owner = dae.graph.joint(place.path)
    element = dae.graph.elements.get(place.path)
    kind = type(element).__name__ if element is not None else "element"
    return {
        "position": f"coordinates of joint {owner!r}, which carries the tree",
        "flow": f"free flow of joint {owner!r}",
        "storage": f"{kind} {place.path!r} in integral causality",
    }.get(place.kind, place.kind)
