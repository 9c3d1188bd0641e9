"""Elements with modes: diode, switch, dry friction, stop. In each mode the law is a plain one; guards lead from one to
the next, and where a mode change makes a flow or effort jump, one impulse solve finds the state after it.

Nothing is smoothed: a diode that conducts has no voltage, a clutch that holds has no slip. A vector element has one
mode for each component, written one after the other: "on off on".
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.graph.component import Number, Parameter, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.graph.start import start_vector


@component
class Moded(OnePort):
    """Base of one-ports with modes.

    mode: the mode (of each component) at the start; empty to find it from the start values.
    """

    mode: str = field(default="", kw_only=True, metadata={"parameter": Parameter(structural=True, shape="word")})

    power: ClassVar[str] = "lost"
    modes: ClassVar[tuple[str, ...]] = ()
    first: ClassVar[str] = ""
    """The mode that a search for the right one begins with."""

    def faults(self) -> list[Finding]:
        words, kind = self.mode.split(), type(self).__name__
        strange = [word for word in words if word not in (*self.modes, self.first)]
        if strange:
            fact = f"It knows {', '.join(self.modes)}."
            what = f"{kind} {self.name!r} has no mode {strange[0]!r}."
            return [Finding(what, fact, "Name one of these, or leave the mode out.", (self.name,))]
        if len(words) > (self.size_hint() or 1):
            fact = f"{len(words)} are given for {self.size_hint() or 1}."
            what = f"{kind} {self.name!r} has more modes than components."
            return [Finding(what, fact, "Give one mode, or one for each component.", (self.name,))]
        return []

    def size_hint(self) -> int | None:
        words = len(self.mode.split())
        return super().size_hint() or (words if words > 1 else None)

    def mode_of(self, component: int) -> str:
        """The mode of one component."""
        words = self.mode.split() or [self.first]
        return words[component] if component < len(words) else words[-1]

    def with_mode(self, component: int, mode: str, size: int) -> str:
        """The element's mode text with one component changed."""
        return " ".join(mode if k == component else self.mode_of(k) for k in range(size))

    def law(self, at: LawWriter) -> None:
        for k in range(at.size()):
            self.law_of(at, k, self.mode_of(k))

    def law_of(self, at: LawWriter, k: int, mode: str) -> None:
        """The law of component k in a mode, with the guards that end it."""
        raise TypeError(f"{type(self).__name__} states no law")

    def leave(self, at: LawWriter, k: int, mode: str, when: SX) -> None:
        """Component k goes over to another mode as soon as `when` is positive."""
        at.switch(self.with_mode(k, mode, at.size()), when)


@component
class Diode(Moded):
    """Lets flow pass inwards only: conducting e = 0 with f ≥ 0, blocking f = 0 with e ≤ 0.

    threshold: effort above which it conducts; on_resistance and off_conductance make it leak (zero: ideal); continuous
    where both lines meet.

    >>> Diode("rectifier")
    """

    threshold: Number = parameter(default=0.0, unit="effort", sign="not negative", shape=None)
    on_resistance: Number = parameter(default=0.0, unit="effort/flow", sign="not negative", shape=None)
    off_conductance: Number = parameter(default=0.0, unit="flow/effort", sign="not negative", shape=None)

    code: ClassVar[str] = "D"
    modes: ClassVar[tuple[str, ...]] = ("on", "off")
    first: ClassVar[str] = "off"

    def causality_at(self, port: str, component: int = 0) -> str:
        if self.mode_of(component) == "on":
            return "gives effort" if is_nothing(self.on_resistance, component) else "free"
        return "constraint" if is_nothing(self.off_conductance, component) else "free"

    def law_of(self, at: LawWriter, k: int, mode: str) -> None:
        n = at.size()
        e, f = at.e()[k], at.f()[k]
        threshold, leak = vector(self.threshold, n)[k], vector(self.off_conductance, n)[k]
        if mode == "on":
            at.zero(e - threshold - vector(self.on_resistance, n)[k] * (f - leak * threshold))
            self.leave(at, k, "off", leak * threshold - f)
        else:
            if is_nothing(self.off_conductance, k):
                at.hold(k)
            else:
                at.zero(f - leak * e)
            self.leave(at, k, "on", e - threshold)


@component
class Switch(Moded):
    """Closed e = 0, open f = 0, as `control` says, a formula of the time t, or the signal `input`: closed above 0.5.

    on_resistance and off_conductance make it leak (zero: ideal). Without control and input it stays in its mode.

    >>> Switch("relay", control=lambda t: mb.sin(t))
    """

    control: Number = parameter(default=None, shape="law", formula=("t",))
    on_resistance: Number = parameter(default=0.0, unit="effort/flow", sign="not negative", shape=None)
    off_conductance: Number = parameter(default=0.0, unit="flow/effort", sign="not negative", shape=None)

    code: ClassVar[str] = "Sw"
    modes: ClassVar[tuple[str, ...]] = ("closed", "open")
    first: ClassVar[str] = "open"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("input", self.size_hint() or 1, "in", optional=True))

    def causality_at(self, port: str, component: int = 0) -> str:
        if self.mode_of(component) == "closed":
            return "gives effort" if is_nothing(self.on_resistance, component) else "free"
        return "constraint" if is_nothing(self.off_conductance, component) else "free"

    def law_of(self, at: LawWriter, k: int, mode: str) -> None:
        n = at.size()
        e, f = at.e()[k], at.f()[k]
        if mode == "closed":
            at.zero(e - vector(self.on_resistance, n)[k] * f)
        elif is_nothing(self.off_conductance, k):
            at.hold(k)
        else:
            at.zero(f - vector(self.off_conductance, n)[k] * e)
        control = self._control(at, k)
        if control is not None:
            other = "open" if mode == "closed" else "closed"
            self.leave(at, k, other, 0.5 - control if mode == "closed" else control - 0.5)

    def _control(self, at: LawWriter, k: int) -> SX | None:
        if "input" in at.signals:
            return at.signal("input")[k]
        return None if self.control is None else at.value(self.control, at.size())[k]


@component
class Friction(Moded):
    """Dry friction with true stick: sticking f = 0 while |e| ≤ static; sliding e = ±(coulomb + …) + viscous f.

    coulomb: effort while sliding; static: the most it holds while sticking (the same where it is not given), falling to
    coulomb within `stribeck` (a flow; zero: at once); viscous: proportional part  [effort/flow].
    normal: optional signal that multiplies coulomb and static (normal force, clutch pressure); never below zero.

    >>> Friction("shoe", coulomb=2.0, static=3.0)
    """

    coulomb: Number = parameter(unit="effort", sign="not negative", shape=None)
    static: Number = parameter(default=None, unit="effort", sign="not negative", shape=None)
    stribeck: Number = parameter(default=0.0, unit="flow", sign="not negative", shape=None)
    viscous: Number = parameter(default=0.0, unit="effort/flow", sign="not negative", shape=None)

    code: ClassVar[str] = "Rf"
    modes: ClassVar[tuple[str, ...]] = ("stick", "forward", "backward")
    first: ClassVar[str] = "forward"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("normal", self.size_hint() or 1, "in", optional=True))

    def causality_at(self, port: str, component: int = 0) -> str:
        return "constraint" if self.mode_of(component) == "stick" else "wants effort"

    def law_of(self, at: LawWriter, k: int, mode: str) -> None:
        e, f = at.e()[k], at.f()[k]
        sliding, sticking = self._limits(at, k, f)
        if mode == "stick":
            at.hold(k)
            self.leave(at, k, "forward", e - sticking)
            self.leave(at, k, "backward", -e - sticking)
        else:
            sign = 1.0 if mode == "forward" else -1.0
            at.zero(e - sign * sliding - vector(self.viscous, at.size())[k] * f)
            self.leave(at, k, "stick", -sign * f)

    def _limits(self, at: LawWriter, k: int, f: SX) -> tuple[SX, SX]:
        """What it takes to slide at a flow, and the most that it holds."""
        n = at.size()
        coulomb = vector(self.coulomb, n)[k]
        static = coulomb if self.static is None else vector(self.static, n)[k]
        press = ca.fmax(at.signal("normal")[k], 0.0) if "normal" in at.signals else SX(1)
        rise = SX(0) if is_nothing(self.stribeck, k) else ca.exp(-((f / vector(self.stribeck, n)[k]) ** 2))
        return press * (coulomb + (static - coulomb) * rise), press * static

    def faults(self) -> list[Finding]:
        found = super().faults()
        if self.static is not None and not isinstance(self.static, SX) and (self.static < self.coulomb).any():
            fact = f"static is {self.static.tolist()}, coulomb is {self.coulomb.tolist()}."
            what = f"Friction {self.name!r} holds less than it takes to slide."
            found.append(Finding(what, fact, "Give static ≥ coulomb.", (self.name,)))
        return found


@component
class Stop(Moded):
    """A limit of travel: free (e = 0) between `lower` and `upper`, held (f = 0) at either as long as it is pressed.

    lower, upper: displacements (leave one out for none)  [flow·s]; start: displacement at the start, zero if left out.
    restitution: flow after a hit, as a fraction of the one before, reversed (0: it stays, 1: nothing is lost).
    displacement: optional signal that is limited, and says the start; without it the element integrates its own flow.

    >>> Stop("bumper", upper=0.2, restitution=0.8)
    """

    lower: Number = parameter(default=None, unit="flow.s")
    upper: Number = parameter(default=None, unit="flow.s")
    restitution: Number = parameter(default=0.0, sign="not negative")
    start: Number = parameter(default=None, unit="flow.s", start=True, shape=None)

    code: ClassVar[str] = "St"
    modes: ClassVar[tuple[str, ...]] = ("free", "lower", "upper")
    first: ClassVar[str] = "free"

    def faults(self) -> list[Finding]:
        found, name = super().faults(), self.name
        if self.lower is None and self.upper is None:
            fact = "Both lower and upper are left out."
            found.append(Finding(f"Stop {name!r} limits nothing.", fact, "Give one of them.", (name,)))
        numbers = not any(isinstance(v, SX) for v in (self.lower, self.upper, self.restitution))
        if numbers and self.lower is not None and self.upper is not None and self.lower >= self.upper:
            fact = f"lower is {float(self.lower):g}, upper is {float(self.upper):g}."
            found.append(Finding(f"Stop {name!r} leaves no way to move.", fact, "Give lower < upper.", (name,)))
        low, high = (-np.inf if self.lower is None else self.lower), (np.inf if self.upper is None else self.upper)
        start = np.zeros(0) if self.start is None else start_vector(self.start).values
        if numbers and low < high and ((start < low) | (start > high)).any():
            fact = f"Its start is {start.tolist()}, its way is from {float(low):g} to {float(high):g}."
            found.append(Finding(f"Stop {name!r} starts beyond its limits.", fact, "Start between them.", (name,)))
        if numbers and self.restitution > 1:
            fact = f"restitution is {float(self.restitution):g}."
            found.append(Finding(f"Stop {name!r} would give energy.", fact, "Give a number from 0 to 1.", (name,)))
        return found

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("displacement", self.size_hint() or 1, "in", optional=True))

    def causality_at(self, port: str, component: int = 0) -> str:
        return "gives effort" if self.mode_of(component) == "free" else "constraint"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        if "displacement" not in at.signals:
            at.rate("q", at.f())
        super().law(at)

    def law_of(self, at: LawWriter, k: int, mode: str) -> None:
        q = at.signal("displacement")[k] if "displacement" in at.signals else at.state("q")[k]
        e = at.e()[k]
        if mode == "free":
            at.zero(e)
            if self.upper is not None:
                self.leave(at, k, "upper", q - SX(self.upper))
            if self.lower is not None:
                self.leave(at, k, "lower", SX(self.lower) - q)
        else:
            at.hold(k, self._gap(q, mode) if "displacement" in at.signals else None)
            self.leave(at, k, "free", -e if mode == "upper" else e)

    def _gap(self, q: SX, mode: str) -> SX | None:
        """How far it is from the limit that holds it, so that a long hold does not drift from there."""
        limit = self.upper if mode == "upper" else self.lower
        return None if limit is None else q - SX(limit)


def is_nothing(value: Number, k: int) -> bool:
    """Whether component k of a parameter is an exact zero, which is structure."""
    value = vector(value, k + 1)
    return not value.sparsity().has_nz(k if value.numel() > 1 else 0, 0)
