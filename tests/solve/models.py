"""Small models for the integrators, built from CasADi expressions."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import casadi as ca
from numpy.typing import ArrayLike

from multibond.lower.emit import emit_model_function
from multibond.lower.jit import compile_ir
from multibond.solve import contract
from multibond.solve.contract import Integrated, NativeModel, Steps, Watch

T, P = ca.SX.sym("t"), ca.SX.sym("p", 1)


def build(x: ca.SX, rhs: ca.SX, **functions: ca.SX) -> NativeModel:
    """A native model with its derivatives; further functions by their name in the contract."""
    wanted = {
        "rhs": rhs,
        "jacobian": ca.densify(ca.jacobian(rhs, x)),
        "partial_t": ca.densify(ca.jacobian(rhs, T)),
        **functions,
    }
    texts = [emit_model_function(ca.Function(name, [T, x, P], [e]), name) for name, e in wanted.items()]
    module = compile_ir("".join(texts))
    addresses = {name: module.address(name) for name in wanted}
    guards = functions["guards"].numel() if "guards" in functions else 0
    return NativeModel(n=x.numel(), n_guards=guards, keep=module, **addresses)


def integrate(model: NativeModel, t0: float, t1: float, x0: ArrayLike, p: ArrayLike = (), **options: Any) -> Integrated:
    """A run; options are those of `Steps` and `Watch`, by name."""
    watched = {field.name: options.pop(field.name) for field in fields(Watch) if field.name in options}
    return contract.integrate(model, t0, t1, x0, p, Steps(**options), Watch(**watched))


def states(count: int) -> ca.SX:
    """Symbols for the states."""
    return ca.SX.sym("x", count)


@cache
def oscillator() -> NativeModel:
    """x'' = -p x; the guards are position, speed, and position - 0.5."""
    x = states(2)
    return build(x, ca.vertcat(x[1], -P * x[0]), guards=ca.vertcat(x[0], x[1], x[0] - 0.5))


@cache
def kepler() -> NativeModel:
    """Two bodies with unit gravitation: position (2), velocity (2)."""
    x = states(4)
    return build(x, ca.vertcat(x[2:], -x[:2] / ca.norm_2(x[:2]) ** 3))


@cache
def driven() -> NativeModel:
    """A smooth problem that depends on time and is not linear."""
    x = states(2)
    return build(x, ca.vertcat(x[1], -x[0] + ca.cos(2 * T) * x[0] ** 2 + 0.3 * ca.sin(T)))


@cache
def van_der_pol() -> NativeModel:
    """x'' = p (1 - x^2) x' - x, stiff for large p."""
    x = states(2)
    return build(x, ca.vertcat(x[1], P * (1 - x[0] ** 2) * x[1] - x[0]))


@cache
def robertson() -> NativeModel:
    """Chemical kinetics with rates from 0.04 to 3e7 (Robertson 1966)."""
    x = states(3)
    slow, fast, middle = 0.04 * x[0], 3e7 * x[1] ** 2, 1e4 * x[1] * x[2]
    return build(x, ca.vertcat(-slow + middle, slow - middle - fast, fast))


@cache
def ball() -> NativeModel:
    """A falling ball: height [m], speed [m/s]; the guard is the height."""
    x = states(2)
    return build(x, ca.vertcat(x[1], -9.81), guards=x[0])


@cache
def pendulum() -> NativeModel:
    """A pendulum of 1 m in Cartesian coordinates, index reduced: position (2), velocity (2)."""
    x = states(4)
    r, v, g = x[:2], x[2:], ca.vertcat(0, -9.81)
    force = (ca.dot(v, v) + ca.dot(r, g)) / ca.dot(r, r)
    length_error = ca.dot(r, r) - 1
    position = ca.vertcat(r * (1 - length_error / (2 * ca.dot(r, r))), v, ca.fabs(length_error))
    velocity = ca.vertcat(r, v - r * ca.dot(r, v) / ca.dot(r, r))
    return build(
        x, ca.vertcat(v, g - r * force), position_step=position, velocity_step=velocity, guards=ca.vertcat(x[0])
    )
