"""How long the text of a formula may be."""

from __future__ import annotations

import re

from multibond.errors import FormulaError
from multibond.formula import faults

LONGEST = 10_000
"""Characters a formula may have, besides its lists of numbers."""

LONGEST_LISTS = 10_000_000
"""Characters a formula may have with its lists of numbers (the data of tables)."""

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
NUMBERS = rf"\[\s*{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*\]"
"""A list of plain numbers, as a regular expression."""


def require_short(text: str) -> None:
    """Raise where a text is too long to be read."""
    if len(text) <= LONGEST:
        return
    bare = len(re.sub(NUMBERS, "", text)) if len(text) <= LONGEST_LISTS else len(text)
    if bare > LONGEST:
        raise FormulaError(faults.too_long(bare, LONGEST))
