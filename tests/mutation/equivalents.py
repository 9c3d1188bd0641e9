"""Mutants that are the same law written otherwise: none of them can be told from the original, and why."""

from __future__ import annotations

EQUIVALENT: dict[str, str] = {}
