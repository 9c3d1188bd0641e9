"""Who takes part in the forward-dynamics comparison.

A contestant can be asked for its accelerations in every state, and for a timer: a function from a number of calls,
cycling through the states, to nanoseconds per call.
"""

import ctypes
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

import numpy as np
from adapter import Native
from mechanisms import GRAVITY, Link, columns, mjcf

BUILD = Path(__file__).parent / "build"
TYPES = {"p": ctypes.c_void_p, "i": ctypes.c_int, "l": ctypes.c_long}


def load(library: str, function: str, arguments: str, result: type = ctypes.c_double) -> Callable:
    """A C function; `arguments` has a letter each: p pointer, i int, l long."""
    loaded = getattr(ctypes.CDLL(str(BUILD / library)), function)
    loaded.argtypes, loaded.restype = [TYPES[letter] for letter in arguments], result
    return loaded


def pointers(*arrays: np.ndarray) -> list[ctypes.c_void_p]:
    """Where the arrays are; the caller keeps them alive."""
    return [ctypes.c_void_p(array.ctypes.data) for array in arrays]


class Contestant(ABC):
    """A way to compute accelerations, torques zero; `states` is the number of states it cycles through."""

    states: int

    @abstractmethod
    def run(self, calls: int, first: int, count: int) -> float:
        """Call it, cycling through `count` states from `first` on; nanoseconds per call."""

    @abstractmethod
    def last(self) -> np.ndarray:
        """The accelerations of the last call, in the order of the links."""

    def timer(self, calls: int) -> float:
        return self.run(calls, 0, self.states)

    def accelerations(self) -> np.ndarray:
        """One row for each state."""
        rows = []
        for state in range(self.states):
            self.run(1, state, 1)
            rows.append(self.last())
        return np.array(rows)


class Pinocchio(Contestant):
    """Pinocchio's articulated-body algorithm, in its local or its world convention."""

    def __init__(self, links: list[Link], angles: np.ndarray, speeds: np.ndarray, world: bool):
        self.states, self.world = len(angles), int(world)
        self.inputs = (angles, speeds, np.zeros_like(angles))
        self.acceleration = np.zeros(len(links))
        data = (*columns(links), np.array(GRAVITY))
        new = load("libpeers.so", "pinocchio_new", "ippppppp", ctypes.c_void_p)
        self.handle = new(len(links), *pointers(*data))
        self.aba = load("libpeers.so", "pinocchio_aba", "pilipppp")

    def run(self, calls: int, first: int, count: int) -> float:
        rows = (array[first:] for array in self.inputs)
        return self.aba(self.handle, self.world, calls, count, *pointers(*rows, self.acceleration))

    def last(self) -> np.ndarray:
        return self.acceleration.copy()


class MuJoCo(Contestant):
    """MuJoCo's mj_forward without contacts, limits or actuators."""

    def __init__(self, links: list[Link], angles: np.ndarray, speeds: np.ndarray):
        self.states = len(angles)
        self.inputs = (angles, speeds)
        self.acceleration = np.zeros(len(links))
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(mjcf(links))
            file.flush()
            self.handle = load("libmujocopeer.so", "mujoco_new", "p", ctypes.c_void_p)(file.name.encode())
        self.forward = load("libmujocopeer.so", "mujoco_forward", "plippp")

    def run(self, calls: int, first: int, count: int) -> float:
        rows = (array[first:] for array in self.inputs)
        return self.forward(self.handle, calls, count, *pointers(*rows, self.acceleration))

    def last(self) -> np.ndarray:
        return self.acceleration.copy()


class Ours(Contestant):
    """The compiled derivative that the adapter hands out; it also returns the speeds, and reads its parameters."""

    def __init__(self, native: Native, angles: np.ndarray, speeds: np.ndarray):
        self.states, self.native = len(angles), native
        self.x = np.zeros((len(angles), native.states))
        self.x[:, native.angle], self.x[:, native.speed] = angles, speeds
        self.xdot = np.zeros(native.states)
        self.time = load("libharness.so", "time_derivative", "pliipppp")

    def run(self, calls: int, first: int, count: int) -> float:
        arrays = (self.x[first:], self.native.parameters, self.xdot, self.native.work)
        return self.time(self.native.address, calls, count, self.native.states, *pointers(*arrays))

    def last(self) -> np.ndarray:
        return self.xdot[self.native.speed]
