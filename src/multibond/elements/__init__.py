"""The laws. `ALL` is the list of every element: adding a class here puts it into palette, files, drawing and tests."""

from multibond.elements.couplers import GY, MGY, MTF, TF
from multibond.elements.kinematics import Anchor, Line, LinearMap, Motion, Shift
from multibond.elements.oneport import C, Constraint, EulerGyrator, I, R, Se, Sf
from multibond.elements.sensors import De, Df, Dp, Dq
from multibond.graph.junctions import DirectSum, One, Zero

ALL = (One, Zero, DirectSum, Se, Sf, R, C, I, TF, GY, MTF, MGY, EulerGyrator, Constraint, De, Df, Dp, Dq)
KINEMATIC = (Anchor, Shift, Line, LinearMap, Motion)

__all__ = [
    "ALL",
    "GY",
    "KINEMATIC",
    "MGY",
    "MTF",
    "TF",
    "Anchor",
    "C",
    "Constraint",
    "De",
    "Df",
    "DirectSum",
    "Dp",
    "Dq",
    "EulerGyrator",
    "I",
    "Line",
    "LinearMap",
    "Motion",
    "One",
    "R",
    "Se",
    "Sf",
    "Shift",
    "Zero",
]
