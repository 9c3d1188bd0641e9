"""From power to thickness: the scale of a power-flow drawing, and the round numbers that its legend shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from multibond.errors import Finding, ModelError

SCALES = ("root", "linear")
WIDEST = {"word": 18.0, "multibond": 14.0, "scalar": 10.0}
"""The greatest thickness by depth: parts stand far apart, scalar bonds close together."""
THIN = 1.6
"""The thickness of the weakest bond that is still in colour."""
LEAST = 1e-3
"""Bonds below this part of the full scale are thin and grey."""
PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}


@dataclass(frozen=True)
class Scale:
    """Thickness by power.

    full: the power of the greatest thickness  [W], zero where no bond carries any; widest: that thickness. root: the
    square root of power counts, so that weak bonds are seen beside strong ones; else power itself. least: the power
    below which a bond is thin and grey  [W].
    """

    full: float
    widest: float
    root: bool = True
    least: float = 0.0

    def faint(self, power: float) -> bool:
        """Whether a bond carries too little to be in colour."""
        return self.full <= 0.0 or abs(power) < self.least or power == 0.0

    def width(self, power: float) -> float:
        """The thickness of a bond in colour; what is beyond the full scale is as thick as it."""
        part = min(abs(power) / self.full, 1.0) if self.full > 0.0 else 0.0
        return max(self.widest * (math.sqrt(part) if self.root else part), THIN)

    def samples(self) -> tuple[float, ...]:
        """Powers for the legend: round numbers, strong to weak."""
        if self.full <= 0.0:
            return ()
        most = round_below(self.full)
        parts = (1.0, 0.1, 0.01) if self.root else (1.0, 0.5, 0.1)
        return tuple(most * part for part in parts if most * part >= self.least)


def scale_of(powers: Sequence[float], widest: float, kind: str, full: float | None, threshold: float) -> Scale:
    """The scale of a drawing whose bonds reach these powers at most  [W]; full and threshold as the user gave them."""
    if kind not in SCALES:
        raise ModelError(Finding(f"there is no scale {kind!r}.", "Scales: root, linear.", "Choose one of these."))
    if full is not None and not (math.isfinite(full) and full > 0.0):
        fact = "It is the power of the greatest thickness."
        raise ModelError(Finding(f"full cannot be {full!r}.", fact, "Give a positive number of watts."))
    if not 0.0 <= threshold < 1.0:
        fact = "It is the part of the full scale below which a bond is grey."
        raise ModelError(Finding(f"threshold cannot be {threshold!r}.", fact, "Give a number from 0 to below 1."))
    most = max(powers, default=0.0) if full is None else float(full)
    return Scale(most, widest, kind == "root", threshold * most)


def round_below(value: float) -> float:
    """The largest of 1, 2, 5, 10, 20, … (and 0.5, 0.2, …) that is not above a positive number."""
    decade = 10.0 ** math.floor(math.log10(value))
    steps = [step * decade for step in (1.0, 2.0, 5.0, 10.0)]
    return max((step for step in steps if step <= value * (1 + 1e-9)), default=decade)


def watts(power: float, digits: int = 3) -> str:
    """A power with its unit: "12.5 W", "3 kW", "-40 mW"."""
    if power == 0.0 or not math.isfinite(power):
        return f"{power:g} W"
    exponent = math.floor(math.log10(float(f"{abs(power):.{digits - 1}e}")) / 3) * 3
    exponent = min(max(exponent, min(PREFIXES)), max(PREFIXES))
    return f"{power / 10.0**exponent:.{digits}g} {PREFIXES[exponent]}W"
