"""Calling native functions from tests."""

from __future__ import annotations

import ctypes

import casadi as ca
import numpy as np

from multibond.lower.emit import emit
from multibond.lower.jit import Module, compile_ir


def call(module: Module, name: str, *arrays: np.ndarray) -> None:
    """Call a function that takes pointers only."""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(module.address(name))
    function(*(array.ctypes.data for array in arrays))


def evaluate(function: ca.Function, *arguments: np.ndarray) -> list[np.ndarray]:
    """Compile a CasADi function and evaluate it; the outputs come back as dense column-major vectors."""
    module = compile_ir(emit(function, "f"))
    outputs = [np.full(function.numel_out(k), np.nan) for k in range(function.n_out())]
    inputs = [np.asfortranarray(a, dtype=float).ravel(order="F").copy() for a in arguments]
    call(module, "f", *inputs, *outputs)
    return outputs
