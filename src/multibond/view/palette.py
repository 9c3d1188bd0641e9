"""Colours and letters of drawings; the colours are told apart by the colour-blind too (after Okabe and Ito, 2008)."""

from __future__ import annotations

INK, FAINT, SOFT, PAPER = "#1a1a1a", "#8a8a8a", "#5c5c5c", "#ffffff"
GROUP, FRAME, BORDER, GROUP_TITLE = "#fcfcfd", "#f1f4f9", "#9aa3b2", "#5b6472"
PILL = "#e9ecf2"
DERIVATIVE, CONFLICT, HIGHLIGHT = "#e67300", "#d00000", "#ffd84d"
ALONG, AGAINST, IDLE = "#f5a800", "#4aa8f0", "#b4b9c2"
"""Power with the half-arrow, power against it, hardly any power."""
COLOURS = {
    "rotation": "#0072b2",
    "translation": "#008060",
    "electrical": "#7800e4",
    "thermal": "#6e2800",
    "hydraulic": "#50aac8",
    "acoustic": "#000050",
    "chemical": "#a08a00",
}
LETTERS = {
    "rotation": ("τ", "ω"),
    "translation": ("F", "v"),
    "electrical": ("u", "i"),
    "thermal": ("T", "Ṡ"),
    "hydraulic": ("p", "Q"),
    "acoustic": ("p", "Q"),
    "chemical": ("μ", "ṅ"),
}
"""Effort and flow of each domain; e and f elsewhere."""


def colour_of(domain: str) -> str:
    """The colour of a domain's bonds."""
    return COLOURS.get(domain, INK)
