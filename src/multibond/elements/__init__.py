"""The laws. `ALL` is the list of every element: adding a class here puts it into palette, files, drawing and tests."""

from multibond.elements import blocks, carried, frames, planar
from multibond.elements.couplers import GY, MGY, MTF, TF
from multibond.elements.dissipation import RS, G, Gyristor, R
from multibond.elements.fluid import Gas, Turbulent
from multibond.elements.frames import Da, Elastic, Gravitation, Reading, Relative, Resolve
from multibond.elements.heat import Conduction, HeatFlow, HeatStore, Radiation
from multibond.elements.kinematics import (
    Anchor,
    FixedPose,
    FreeMotion,
    GivenPose,
    Line,
    LinearMap,
    Motion,
    RigidLink,
    Shift,
)
from multibond.elements.modulated import MR
from multibond.elements.oneport import Constraint, Driver, EulerGyrator, MSe, MSf, Se, Sf
from multibond.elements.planar import (
    Embedding,
    GivenPlanarPose,
    PlanarAnchor,
    PlanarArm,
    PlanarLine,
    PlanarMotion,
    PlanarShift,
)
from multibond.elements.reaction import MassAction, Solute
from multibond.elements.sensors import De, Df, Dp, Dq
from multibond.elements.storage import IC, C, I
from multibond.elements.switches import Diode, Friction, Stop, Switch
from multibond.graph.junctions import DirectSum, One, Permutation, PowerSensor, Zero

ALL = (
    *(One, Zero, DirectSum, Permutation, Se, Sf, Driver, MSe, MSf, R, G, RS, Conduction, Gyristor, C, I, IC),
    *(TF, GY, MTF, MGY, EulerGyrator, Constraint, Diode, Switch, Friction, Stop, De, Df, Dp, Dq, PowerSensor),
    *(MR, Turbulent, Gas, HeatStore, HeatFlow, Radiation, Solute, MassAction),
)
KINEMATIC = (Anchor, GivenPose, Shift, Line, LinearMap, Motion, *frames.ALL, *planar.ALL, *carried.ALL)

__all__ = [
    "ALL",
    "GY",
    "IC",
    "KINEMATIC",
    "MGY",
    "MR",
    "MTF",
    "RS",
    "TF",
    "Anchor",
    "C",
    "Conduction",
    "Constraint",
    "Da",
    "De",
    "Df",
    "Diode",
    "DirectSum",
    "Dp",
    "Dq",
    "Driver",
    "Elastic",
    "Embedding",
    "EulerGyrator",
    "FixedPose",
    "FreeMotion",
    "Friction",
    "G",
    "Gas",
    "GivenPlanarPose",
    "GivenPose",
    "Gravitation",
    "Gyristor",
    "HeatFlow",
    "HeatStore",
    "I",
    "Line",
    "LinearMap",
    "MSe",
    "MSf",
    "MassAction",
    "Motion",
    "One",
    "Permutation",
    "PlanarAnchor",
    "PlanarArm",
    "PlanarLine",
    "PlanarMotion",
    "PlanarShift",
    "PowerSensor",
    "R",
    "Radiation",
    "Reading",
    "Relative",
    "Resolve",
    "RigidLink",
    "Se",
    "Sf",
    "Shift",
    "Solute",
    "Stop",
    "Switch",
    "Turbulent",
    "Zero",
    "blocks",
    "carried",
    "frames",
    "planar",
]
