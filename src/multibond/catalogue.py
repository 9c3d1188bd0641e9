"""The catalogue: every element and part by the name it has in files, "R" or "spatial.Revolute".

A new class enters it by standing in the list `ALL` of its room; a new library by one line in `LIBRARIES`. Classes of
one's own are put beside it with `with_types`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from multibond import elements
from multibond.errors import Finding, ModelError
from multibond.graph.component import Component
from multibond.graph.naming import merged, named
from multibond.library import (
    acoustic,
    chemical,
    electrical,
    hydraulic,
    planar,
    rotational,
    spatial,
    thermal,
    translational,
    wiring,
)

LIBRARIES = MappingProxyType(
    {
        "acoustic": acoustic,
        "blocks": elements.blocks,
        "chemical": chemical,
        "electrical": electrical,
        "hydraulic": hydraulic,
        "planar": planar,
        "rotational": rotational,
        "spatial": spatial,
        "thermal": thermal,
        "translational": translational,
        "wiring": wiring,
    }
)
"""The libraries of parts by the word that stands before the dot."""

CATALOGUE: Mapping[str, type[Component]] = MappingProxyType(
    {kind.__name__: kind for kind in (*elements.ALL, *elements.KINEMATIC)}
    | {f"{word}.{kind.__name__}": kind for word, library in LIBRARIES.items() for kind in library.ALL}
)
"""Every type by its name: elements plain, parts with their library. The kinematic elements stand in opened graphs."""

MODELICA: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "FixedTranslation": ("spatial.Rod", "planar.Rod"),
        "BodyShape": ("spatial.Body", "planar.Body"),
        "BodyBox": ("spatial.Box",),
        "BodyCylinder": ("spatial.Cylinder",),
        "RollingWheel": ("spatial.Body",),
        "FreeMotion": ("spatial.Free",),
        "FreeMotionScalarInit": ("spatial.Free",),
        "RevolutePlanarLoopConstraint": ("spatial.Revolute",),
        "ActuatedRevolute": ("spatial.Revolute",),
        "ActuatedPrismatic": ("spatial.Prismatic",),
        "GearConstraint": ("spatial.Gear",),
        "BevelGear1D": ("rotational.Gear", "spatial.Gear"),
        "Rotor1D": ("rotational.Inertia", "spatial.Revolute", "spatial.Body"),
        "Mounting1D": ("spatial.Revolute",),
        "JointSSR": ("spatial.SphericalSpherical", "spatial.Revolute"),
        "JointUSR": ("spatial.UniversalSpherical", "spatial.Revolute"),
        "JointRRR": ("spatial.Revolute",),
        "JointRRP": ("spatial.Revolute", "spatial.Prismatic"),
        "JointSSP": ("spatial.SphericalSpherical", "spatial.Prismatic"),
        "JointUPS": ("spatial.Universal", "spatial.Prismatic", "spatial.Spherical"),
        "JointUSP": ("spatial.UniversalSpherical", "spatial.Prismatic"),
        "LineForceWithMass": ("spatial.SpringWithMass", "spatial.LineForce"),
        "LineForceWithTwoMasses": ("spatial.LineForce",),
        "SpringDamperParallel": ("spatial.SpringDamper",),
        "WorldForceAndTorque": ("spatial.WorldForce", "spatial.WorldTorque"),
        "ForceAndTorque": ("spatial.Force", "spatial.Torque"),
        "AbsolutePosition": ("spatial.PoseSensor",),
        "AbsoluteAngles": ("spatial.PoseSensor",),
        "AbsoluteSensor": ("spatial.PoseSensor", "spatial.VelocitySensor"),
        "AbsoluteVelocity": ("spatial.VelocitySensor",),
        "AbsoluteAngularVelocity": ("spatial.VelocitySensor",),
        "RelativeSensor": ("spatial.RelativePoseSensor", "spatial.RelativeVelocitySensor"),
        "RelativePosition": ("spatial.RelativePoseSensor",),
        "RelativeAngles": ("spatial.RelativePoseSensor",),
        "RelativeVelocity": ("spatial.RelativeVelocitySensor",),
        "Distance": ("spatial.DistanceSensor",),
        "CutForce": ("spatial.CutSensor",),
        "CutTorque": ("spatial.CutSensor",),
        "CutForceAndTorque": ("spatial.CutSensor",),
        "IdealGear": ("rotational.Gear",),
        "IdealPlanetary": ("rotational.Planetary",),
        "IdealGearR2T": ("translational.Rack",),
        "IdealRollingWheel": ("translational.Rack",),
        "BearingFriction": ("rotational.Friction",),
        "OneWayClutch": ("rotational.Freewheel",),
        "ElastoBacklash": ("rotational.Backlash",),
        "Position": ("rotational.Speed", "translational.Velocity"),
        "TorqueSource": ("rotational.Torque", "spatial.Torque"),
        "ConstantTorque": ("rotational.Torque",),
        "ConstantSpeed": ("rotational.Speed",),
        "ConstantForce": ("translational.Force",),
        "SlidingMass": ("translational.Mass",),
        "MassWithStopAndFriction": ("translational.Mass", "translational.Stop", "translational.Friction"),
        "ElastoGap": ("translational.Stop",),
        "SupportFriction": ("translational.Friction",),
        "MultiSensor": ("rotational.TorqueSensor", "translational.ForceSensor"),
        "ConstantVoltage": ("electrical.VoltageSource",),
        "SineVoltage": ("electrical.VoltageSource",),
        "SignalVoltage": ("electrical.VoltageSource",),
        "ConstantCurrent": ("electrical.CurrentSource",),
        "SignalCurrent": ("electrical.CurrentSource",),
        "IdealDiode": ("electrical.Diode",),
        "IdealOpeningSwitch": ("electrical.Switch",),
        "IdealClosingSwitch": ("electrical.Switch",),
        "IdealTransformer": ("electrical.Transformer",),
        "IdealOpAmp": ("electrical.OpAmp",),
        "RotationalEMF": ("electrical.DCMotor",),
        "EMF": ("electrical.DCMotor",),
        "VoltageSensor": ("electrical.Voltmeter",),
        "CurrentSensor": ("electrical.Ammeter",),
        "HeatCapacitor": ("thermal.HeatCapacity",),
        "ThermalConductor": ("thermal.Conductor",),
        "ThermalResistor": ("thermal.Conductor",),
        "BodyRadiation": ("thermal.Radiation",),
        "PrescribedHeatFlow": ("thermal.HeatSource",),
        "FixedHeatFlow": ("thermal.HeatSource",),
        "PrescribedTemperature": ("thermal.FixedTemperature",),
        "LimPID": ("blocks.PID",),
        "Add": ("blocks.Sum",),
        "Feedback": ("blocks.Sum",),
        "LimIntegrator": ("blocks.Integrator",),
        "FixedDelay": ("blocks.Delay",),
        "Hysteresis": ("blocks.Relay",),
        "CombiTimeTable": ("blocks.Lookup",),
        "CombiTable1Ds": ("blocks.Lookup",),
        "CombiTable2Ds": ("blocks.Lookup2",),
        "ZeroOrderHold": ("blocks.SampleHold",),
        "UnitDelay": ("blocks.SampledDelay",),
        "J0": ("Zero",),
        "J1": ("One",),
        "mTF": ("MTF",),
        "mGY": ("MGY",),
        "mSe": ("MSe",),
        "mSf": ("MSf",),
        "mR": ("MR",),
        "mC": ("IC",),
        "mI": ("IC",),
    }
)
"""Names of types in the libraries of Modelica, bond graphs among them, and what they are here, or what is nearest."""

APART: Mapping[str, str] = MappingProxyType(
    {
        "BevelGear1D": "spatial.Gear gives the torque that its bearing takes; rotational.Gear has none.",
        "Rotor1D": "A Revolute with a Body has its gyroscopic torque; an Inertia at a flange has none.",
        "Mounting1D": "There is no such part: what drives a joint's flange turns b against a, and a has its reaction.",
        "mC": "There is no compliance that a signal changes; IC holds an energy of displacement and momentum.",
        "mI": "There is no inertia that a signal changes; IC holds an energy of displacement and momentum.",
    }
)
"""How what is nearest differs from types of Modelica that have no counterpart."""


def elsewhere(word: str) -> tuple[str, ...]:
    """Types that do here what a type of Modelica does, by its name with or without packages; in any case of letters.

    >>> elsewhere("Modelica.Mechanics.MultiBody.Parts.FixedTranslation")
    ('spatial.Rod', 'planar.Rod')
    """
    short = word.rpartition(".")[2].lower()
    return next((ours for name, ours in MODELICA.items() if name.lower() == short), ())


def apart(word: str) -> str:
    """How the nearest differs from a type of Modelica that has no counterpart here; nothing where it has one."""
    short = word.rpartition(".")[2].lower()
    return next((said for name, said in APART.items() if name.lower() == short), "")


def with_types(*given: Any) -> Mapping[str, type[Component]]:
    """The catalogue and what is given besides: modules, classes, mappings from names to classes, lists of these.

    >>> with_types(my_parts)["my_parts.Motor"]
    """
    return MappingProxyType(merged(CATALOGUE, named(given))) if any(one is not None for one in given) else CATALOGUE


def import_types(word: str) -> ModuleType:
    """The module of a user's own types, by its name or by the path of its file; this runs its code.

    >>> import_types("my_parts.py")
    """
    path = Path(word)
    try:
        if path.suffix == ".py":
            return _module_at(path)
        try:
            return import_module(word)
        except ModuleNotFoundError as fault:
            if fault.name != word or not path.with_name(f"{path.name}.py").is_file():
                raise
            return _module_at(path.with_name(f"{path.name}.py"))
    except Exception as fault:  # the module is the user's: whatever goes wrong in it is told in one sentence
        fact = f"{type(fault).__name__}: {str(fault).rstrip('.')}."
        cure = "Give a module that Python finds, or the path of its file."
        raise ModelError(Finding(f"the types of {word!r} cannot be taken.", fact, cure)) from fault


def _module_at(path: Path) -> ModuleType:
    """The module in a file. It stands under a name that cannot take the place of another module."""
    name = f"types_of.{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
