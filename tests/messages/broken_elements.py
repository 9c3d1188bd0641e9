"""Elements with one value wrong each: laws, modes, limits, sizes, numbers."""

from __future__ import annotations

import numpy as np

import multibond as mb
from multibond import errors
from multibond.elements import HeatStore, Solute

from .broken import broken

PARAMETER = errors.ParameterError

# -- laws ------------------------------------------------------------------------------------------------------------


@broken(PARAMETER, "R 'spark' gives power", "active=True")
def active_resistance() -> object:
    return mb.R("spark", effort=lambda f: f**3 - f)


@broken(PARAMETER, "RS 'spark' gives power", "active=True")
def active_resistance_with_heat() -> object:
    return mb.RS("spark", flow=lambda e: -e)


@broken(PARAMETER, "R 'valve' gives power", "active=True")
def resistance_active_far_out() -> object:
    return mb.R("valve", effort="f*(1 - f/5000)")


@broken(PARAMETER, "C 'spring' falls without end q 2e+06", "active=True")
def energy_without_a_floor() -> object:
    return mb.C("spring", energy="-q**2")


@broken(PARAMETER, "C 'field' falls without end q", "active=True")
def field_without_a_floor() -> object:
    return mb.C("field", effort="[q[0] + 3*q[1], 3*q[0] + q[1]]")


@broken(PARAMETER, "I 'coil' falls without end p", "active=True")
def flow_against_the_momentum() -> object:
    return mb.I("coil", flow="-p")


@broken(PARAMETER, "IC 'plate' falls without end q", "active=True")
def field_of_both_without_a_floor() -> object:
    return mb.IC("plate", energy="p**2 - q**2")


@broken(PARAMETER, "C 'spring' q[5] components 0 1", "components of q")
def law_of_too_few_components() -> object:
    return mb.C("spring", effort="[q[0], q[5]]")


@broken(PARAMETER, "R 'brake' f[5] component 0 only", "components of f")
def one_law_of_another_component() -> object:
    return mb.R("brake", effort="3*f[5]")


@broken(PARAMETER, "IC 'plate' q[1] component 0 only", "components of q")
def energy_of_too_few_components() -> object:
    return mb.IC("plate", energy="p**2 + q[1]**2")


@broken(PARAMETER, "Free 'float' position 3 velocity", "velocity")
def free_body_with_short_vectors() -> object:
    return mb.spatial.Free("float", position=0.5, velocity=(1.0, 2.0))


@broken(PARAMETER, "C 'turning' [0][1] [1][0]", "symmetric")
def law_without_an_energy() -> object:
    return mb.C("turning", effort="[q[1], -q[0]]")


@broken(PARAMETER, "I 'turning' inertia symmetric", "inertia")
def lopsided_inertia() -> object:
    return mb.I("turning", [[1.0, 2.0], [0.0, 1.0]])


@broken(PARAMETER, "C 'spring' compliance effort", "one way")
def two_laws_at_once() -> object:
    return mb.C("spring", 0.1, effort=lambda q: 10 * q)


@broken(PARAMETER, "R 'brake' resistance effort flow", "one way")
def no_law_at_all() -> object:
    return mb.R("brake")


@broken(PARAMETER, "Gyristor 'turn' 2 3", "n by n")
def gyristor_that_is_not_square() -> object:
    return mb.Gyristor("turn", np.ones((2, 3)))


@broken(PARAMETER, "TF 'gear' inverse 'maybe' transpose", "one of these")
def inverse_of_no_kind() -> object:
    return mb.TF("gear", 2.0, inverse="maybe")


@broken(PARAMETER, "I 'coil' inertia number text", "inertia")
def formula_where_a_number_is_needed() -> object:
    return mb.I("coil", "2 * t")


@broken(PARAMETER, "C 'spring' effort formula q", "effort")
def number_where_a_law_is_needed() -> object:
    return mb.C("spring", effort=3.0)


@broken(errors.FormulaError, "Se 'mains' effort 'x' t", "formula")
def formula_of_an_unknown_variable() -> object:
    return mb.Se("mains", "sin(x)")


@broken(errors.FormulaError, "C 'spring' effort", "formula")
def law_that_is_no_formula() -> object:
    return mb.C("spring", effort="2 * q +")


# -- modes and limits ------------------------------------------------------------------------------------------------


@broken(PARAMETER, "Diode 'valve' 'conducting' on off", "one of these")
def unknown_mode() -> object:
    return mb.Diode("valve", mode="conducting")


@broken(PARAMETER, "Friction 'shoe' 3 2", "each component")
def more_modes_than_components() -> object:
    return mb.Friction("shoe", 1.0, mode="stick forward stick", size=2)


@broken(errors.WiringError, "'shoe' 3 'v' 1", "same size")
def modes_for_components_that_are_not_there() -> object:
    model = mb.Model("brake")
    model.bond(model.add(mb.One("v", size=1)), mb.Friction("shoe", 1.0, mode="stick forward stick"))
    return mb.compile(model)


@broken(PARAMETER, "Stop 'bumper' lower upper", "one of them")
def stop_that_limits_nothing() -> object:
    return mb.Stop("bumper")


@broken(PARAMETER, "Stop 'bumper' 1 0.5", "lower < upper")
def stop_without_a_way() -> object:
    return mb.Stop("bumper", lower=1.0, upper=0.5)


@broken(PARAMETER, "Stop 'bumper' 2.0 -1 1", "between")
def stop_that_begins_beyond_its_limits() -> object:
    return mb.Stop("bumper", lower=-1.0, upper=1.0, start=2.0)


@broken(PARAMETER, "Stop 'bumper' restitution 1.5", "0 to 1")
def stop_that_gives_energy() -> object:
    return mb.Stop("bumper", lower=0.0, restitution=1.5)


@broken(PARAMETER, "Friction 'shoe' static 1.0 coulomb 2.0", "static ≥ coulomb")
def friction_that_holds_less_than_it_slides() -> object:
    return mb.Friction("shoe", coulomb=2.0, static=1.0)


# -- numbers and sizes -----------------------------------------------------------------------------------------------


@broken(PARAMETER, "R 'brake' resistance nan finite", "resistance")
def resistance_of_no_number() -> object:
    return mb.R("brake", float("nan"))


@broken(PARAMETER, "Friction 'shoe' coulomb -2", "coulomb")
def negative_friction() -> object:
    return mb.Friction("shoe", -2.0)


@broken(PARAMETER, "HeatStore 'block' temperature -3 positive", "temperature")
def colder_than_nothing() -> object:
    return HeatStore("block", 100.0, temperature=-3.0)


@broken(PARAMETER, "Solute 'A' 0 mol", "trace")
def species_of_which_there_is_nothing() -> object:
    return Solute("A", start=0.0)


@broken(PARAMETER, "I 'mass' size 2.5 whole", "size")
def broken_number_of_components() -> object:
    return mb.I("mass", 1.0, size=2.5)


@broken(PARAMETER, "DirectSum 'frame' first 0 whole", "first")
def sum_of_nothing() -> object:
    return mb.DirectSum("frame", 0, 3)


@broken(PARAMETER, "Friction 'shoe' coulomb 2 viscous 3", "each component")
def values_of_different_lengths() -> object:
    return mb.Friction("shoe", coulomb=(1.0, 2.0), viscous=(1.0, 2.0, 3.0))


@broken(PARAMETER, "I 'mass' inertia 2 start 3", "each component")
def start_of_another_length() -> object:
    return mb.I("mass", (1.0, 2.0), start=(1.0, 2.0, 3.0))


@broken(PARAMETER, "C 'spring' effort 2 size 3", "each component")
def law_of_another_length() -> object:
    return mb.C("spring", effort="[q[0], q[1]]", size=3)


@broken(PARAMETER, "Permutation 'wires' 0, 2", "once")
def order_that_leaves_one_out() -> object:
    return mb.Permutation("wires", (0, 2))


@broken(PARAMETER, "'left.wheel' an I", "another name")
def name_with_a_dot() -> object:
    return mb.I("left.wheel", 1.0)


@broken(PARAMETER, "2.0 an R", "another name")
def forgotten_name() -> object:
    return mb.R(2.0)  # type: ignore[arg-type]


@broken(errors.ModelError, "'top' 0", "1, 2, 3")
def model_of_no_size() -> object:
    return mb.Model("top", size=0)
