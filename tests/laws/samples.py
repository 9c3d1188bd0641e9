"""Random elements, for laws that must hold for every element there is."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np

import multibond as mb
from multibond.graph.component import Element, Parameter

SIZE = 3

SPECIAL = {
    "IC": lambda rng: mb.IC(
        "it", energy="0.5*q[0]**2*(1+p[1]**2)+q[1]*p[0]+p[0]**4", displacements=2, momenta=2, size=SIZE
    ),
    "Diode": lambda rng: mb.Diode("it", 0.0, *rng.uniform(0.5, 2.0, (2, SIZE)), mode=_modes(mb.Diode, rng)),
    "Switch": lambda rng: mb.Switch(
        "it", on_resistance=rng.uniform(0.5, 2.0, SIZE), off_conductance=1.5, mode=_modes(mb.Switch, rng)
    ),
    "Friction": lambda rng: mb.Friction("it", 0.0, viscous=rng.uniform(0.5, 2.0, SIZE), mode=_modes(mb.Friction, rng)),
    "Driver": lambda rng: mb.Driver("it", "[sin(t), 2*t, exp(-t)]", size=SIZE),
    "Turbulent": lambda rng: mb.Turbulent("it", rng.uniform(0.5, 2.0, SIZE), laminar=(0.0, 0.5, 1.0)),
    "Gas": lambda rng: mb.Gas("it", pressure=rng.uniform(0.5, 2.0), volume=5.0),
    "Stop": lambda rng: mb.Stop("it", lower=-1.0, upper=1.0, mode=_modes(mb.Stop, rng), size=SIZE),
}
"""Elements whose parameters have to fit together."""

LAWS = {
    "C by its effort": lambda rng: mb.C("it", effort=f"{_factor(rng)}*q + q**3", size=SIZE),
    "C by a coupled effort": lambda rng: mb.C("it", effort="[3*q[0] + q[1]*q[0], q[1] + 0.5*q[0]**2]", active=True),
    "C by its energy": lambda rng: mb.C("it", energy="q[0]**2 + q[1]**4 + sin(q[0])*q[2] + q[2]**2"),
    "C by an energy each": lambda rng: mb.C("it", energy=f"{_factor(rng)}*q**4", size=SIZE),
    "I by its flow": lambda rng: mb.I("it", flow=f"p + {_factor(rng)}*p**3", size=SIZE),
    "I by a coupled flow": lambda rng: mb.I("it", flow="[3*p[0] + p[1]*p[0], p[1] + 0.5*p[0]**2]", active=True),
    "I by its energy": lambda rng: mb.I("it", energy="p[0]**2 + p[1]**4 + sin(p[0])*p[2] + p[2]**2"),
    "R by its effort": lambda rng: mb.R("it", effort=f"f + {_factor(rng)}*f**3", size=SIZE),
    "R by its flow": lambda rng: mb.R("it", flow=f"tanh({_factor(rng)}*e)", size=SIZE),
    "R by a coupled effort": lambda rng: mb.R("it", effort="[f[0] + 2*f[1], f[1]**3 - 2*f[0]]"),
    "RS by its effort": lambda rng: mb.RS("it", effort=f"f + {_factor(rng)}*f**3", size=SIZE),
    "RS by its flow": lambda rng: mb.RS("it", flow=f"tanh({_factor(rng)}*e)", size=SIZE),
    "Diode of mixed modes": lambda rng: mb.Diode("it", 0.0, 0.3, 0.2, mode="on off on", size=SIZE),
    "ideal Switch": lambda rng: mb.Switch("it", mode="closed open closed", size=SIZE),
    "Friction of mixed modes": lambda rng: mb.Friction("it", 0.0, viscous=1.0, mode="stick forward", size=SIZE),
    "Stop of mixed modes": lambda rng: mb.Stop("it", lower=-1.0, upper=1.0, mode="lower free upper", size=SIZE),
    "Gyristor without losses": lambda rng: mb.Gyristor("it", _skew(rng)),
}
"""Elements whose law a formula gives, or whose components differ."""

POSITIVE = ("MR", "Gas", "HeatStore", "Radiation", "Solute", "Turbulent", "MassAction")
"""Elements some of whose values (an opening, a temperature, an amount) have no meaning below zero."""


def lowest(item: Element) -> float:
    """The lowest value at which an element's law has a meaning."""
    return 0.1 if type(item).__name__ in POSITIVE else -2.0


def _modes(cls: type[Any], rng: np.random.Generator) -> str:
    return str(rng.choice(cls.modes))


def _factor(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.5, 2.0))


def _skew(rng: np.random.Generator) -> np.ndarray:
    A = rng.standard_normal((SIZE, SIZE))
    return A - A.T


def sample(cls: type[Element], rng: np.random.Generator) -> Element:
    """An element of a class with random parameters: numbers, vectors or (definite) matrices as they may be."""
    if cls.__name__ in SPECIAL:
        return SPECIAL[cls.__name__](rng)
    values: dict[str, Any] = {}
    for entry in fields(cls):
        about = entry.metadata.get("parameter")
        if about is None or about.start or entry.name == "size":
            continue
        if about.numeric:
            values[entry.name] = _number(about, rng)
        elif about.structural and isinstance(entry.default, int) and about.shape == ():
            values[entry.name] = SIZE
        elif entry.default is MISSING:
            raise TypeError(f"{cls.__name__}.{entry.name}: say how to make a random one")
    return cls("it", size=SIZE, **values)


def _number(about: Parameter, rng: np.random.Generator) -> Any:
    """A value that is a ratio (effort per flow) or has a sign may be a matrix; efforts and flows are vectors."""
    if about.shape == ():
        return rng.uniform(0.5, 2.0)
    field = about.sign or "/" in about.unit
    kind = rng.integers(3 if field else 2) if about.shape is None else 1
    if kind == 0:
        return rng.uniform(0.5, 2.0)
    if kind == 1:
        return rng.uniform(0.5, 2.0, SIZE)
    A = rng.uniform(-1.0, 1.0, (SIZE, SIZE))
    return A @ A.T + 0.5 * np.eye(SIZE) if about.sign else A + 2.0 * np.eye(SIZE)
