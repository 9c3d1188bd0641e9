"""multibond: multibond graphs for multibody and multi-domain systems."""

from multibond.elements import (
    GY,
    MGY,
    MTF,
    TF,
    C,
    Constraint,
    De,
    Df,
    DirectSum,
    Dp,
    Dq,
    EulerGyrator,
    I,
    One,
    R,
    Se,
    Sf,
    Zero,
)
from multibond.graph.check import check
from multibond.graph.component import Guess
from multibond.graph.expand import expand
from multibond.graph.file import save
from multibond.library import electrical, rotational, spatial
from multibond.pipeline import causality, compile, stages, with_parameters
from multibond.rewrite.parasitic import Parasitic
from multibond.units import deg
from multibond.view.draw import draw
from multibond.workbench import Model, Run, load, simulate

__version__ = "0.1.0"

__all__ = [
    "GY",
    "MGY",
    "MTF",
    "TF",
    "C",
    "Constraint",
    "De",
    "Df",
    "DirectSum",
    "Dp",
    "Dq",
    "EulerGyrator",
    "Guess",
    "I",
    "Model",
    "One",
    "Parasitic",
    "R",
    "Run",
    "Se",
    "Sf",
    "Zero",
    "causality",
    "check",
    "compile",
    "deg",
    "draw",
    "electrical",
    "expand",
    "load",
    "rotational",
    "save",
    "simulate",
    "spatial",
    "stages",
    "with_parameters",
]
