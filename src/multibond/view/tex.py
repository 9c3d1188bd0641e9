"""Text as LaTeX takes it: plain ASCII, with mathematics for Greek letters, raised signs, dots and relations."""

from __future__ import annotations

import unicodedata
from functools import cache

PAGE = "\n".join(
    [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{amsmath,amssymb}",
        r"\usepackage[margin=2cm,landscape]{geometry}",
        r"\allowdisplaybreaks",
        r"\begin{document}",
    ]
)
"""How a document of equations begins."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "#": r"\#", "&": r"\&", "%": r"\%", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "∫": r"$\int$", "·": r"$\cdot$", "→": r"$\to$", "–": "--",
    "−": "$-$", "×": r"$\times$", "±": r"$\pm$", "⟨": r"$\langle$", "⟩": r"$\rangle$", "∂": r"$\partial$",
    "√": r"$\surd$", "≤": r"$\le$", "≥": r"$\ge$", "≠": r"$\ne$", "≈": r"$\approx$", "∞": r"$\infty$",
    "…": r"\ldots{}", "’": "'", "°": r"$^\circ$", "∈": r"$\in$", "Σ": r"$\Sigma$", "⊕": r"$\oplus$", "\u2044": "/",
    "⇌": r"$\rightleftharpoons$",
}  # fmt: skip
_ACCENTS = {
    "0307": r"$\dot{{{}}}$",
    "0308": r"\"{{{}}}",
    "0301": r"\'{{{}}}",
    "0300": r"\`{{{}}}",
    "0303": r"$\tilde{{{}}}$",
}


def escaped(text: str) -> str:
    """Text as LaTeX takes it.

    >>> escaped("m_1 ω²")
    'm\\_1 $\\omega$$^{2}$'
    """
    return "".join(map(_letter, text))


@cache
def _letter(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c.isascii():
        return c
    kind, _, rest = unicodedata.decomposition(c).partition(" ")
    if kind in ("<super>", "<sub>"):
        inside = "".join(_letter(chr(int(code, 16))) for code in rest.split()).replace("$", "")
        return f"$^{{{inside}}}$" if kind == "<super>" else f"$_{{{inside}}}$"
    if kind == "<fraction>":
        return "".join(_letter(chr(int(code, 16))) for code in rest.split())
    if rest in _ACCENTS:
        return _ACCENTS[rest].format(_letter(chr(int(kind, 16))))
    return _greek(c)


def _greek(c: str) -> str:
    """A Greek letter by its name; a mark over the letter before is left out, anything else is a question mark."""
    words = unicodedata.name(c, "").split()
    if words[:1] == ["GREEK"] and len(words) == 4:
        name = words[3].replace("LAMDA", "LAMBDA")
        return rf"$\{name.lower() if words[1] == 'SMALL' else name.capitalize()}$"
    return "" if unicodedata.combining(c) else "?"
