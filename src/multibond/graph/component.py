"""What a model is made of: components with parameters and ports.

`Element` holds a law, `Part` an arrangement of elements under a household name. Both are frozen values; a changed
parameter is a new value. A parameter is declared once, with its unit and what it may be, and serves the palette,
the file format, the checks and the symbolic twin.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np

from multibond.border import public
from multibond.errors import Finding, FormulaError, ParameterError, UnknownAttribute, unknown_name, with_article
from multibond.expr import SX
from multibond.formula import Formula, means_formula, read_formula
from multibond.formula.opening import literal
from multibond.graph.expressions import entries, names_in, number_of, read_text
from multibond.graph.port import Port, PortRef, PowerPort
from multibond.graph.sign import sign_fault
from multibond.graph.start import Guess as Guess
from multibond.graph.start import StartVector, is_mixed, read_mixed, start_vector
from multibond.graph.wrong_values import bad_formula, bad_value, no_such, shown
from multibond.rotation import AXES, unit_axis
from multibond.unit_text import means_quantity

Kind = TypeVar("Kind", bound="Component")
Number = Any  # float, sequence or array as the user types it; an SX in a symbolic twin


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be.

    sign: "positive", "not negative" or "not zero", where the value must be so; "count" for a whole number from 1 on.
    structural: part of the structure, so that a change needs a new compilation.
    live: expected to change at run time, so that even a zero stays a symbol (sources, drives).
    shape: () scalar, (3,) vector of three, None for any; "axis" for a direction, "axes" for several; "word" for text;
    "flag" for yes or no; "law" for a formula and nothing else; "laws" for one or several, None among them for none.
    start: a start value, which is no part of the equations.
    formula: names of the variables that a formula in its place may use; without names it takes numbers only.
    missing: what stands for an entry that is left out (None): an infinite number, which is no part of the equations.
    """

    unit: str = ""
    sign: Literal["", "positive", "not negative", "not zero", "count"] = ""
    structural: bool = False
    live: bool = False
    shape: tuple[int, ...] | str | None = ()
    start: bool = False
    optional: bool = False
    formula: tuple[str, ...] = ()
    missing: float | None = None

    @property
    def numeric(self) -> bool:
        """Whether the value is a run-time number."""
        return not (self.structural or self.start or isinstance(self.shape, str))


def parameter(*, default: Any = MISSING, kw_only: bool = False, **what: Any) -> Any:
    """Declare a parameter of a component class; see `Parameter` for what can be said of it.

    kw_only: it can be given by name only, so that a class derived from this one has its own parameters first.
    """
    about = Parameter(optional=default is None, **what)
    return field(default=default, kw_only=kw_only, metadata={"parameter": about})


@dataclass_transform(frozen_default=True, field_specifiers=(parameter, field))
def component(cls: type) -> type:
    """Class decorator: a component class is a frozen record compared by identity, and public."""
    made = dataclass(frozen=True, eq=False, repr=False)(cls)
    build = made.__init__

    @wraps(build)
    def build_or_tell(self: Component, *values: Any, **named: Any) -> None:
        named = made.today(named)
        for word in (word for word in named if word not in made.__dataclass_fields__):
            raise unknown_name(f"{made.__name__} {named.get('name', (*values, '')[0])!r}", word, made.parameters())
        build(self, *values, **named)

    made.__init__ = build_or_tell
    return public(made)


@component
class Component:
    """Base of elements and parts: a name, parameters, ports."""

    name: str

    code: ClassVar[str] = ""
    former: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Names that parameters had before, and the ones that they have now: {"old": "new"}."""
    expressions: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Parameters that are expressions of shared parameters of a model, by name, as they were given."""
    __dataclass_fields__: ClassVar[dict[str, Any]]
    _origin: ClassVar[object]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_origin", object())
        findings: list[Finding] = []
        expressions: dict[str, Any] = {}
        formulas = 0
        if not isinstance(self.name, str) or not self.name or not all(c.isalnum() or c in "_-" for c in self.name):
            findings.append(
                Finding(
                    f"{self.name!r} cannot be the name of {with_article(type(self).__name__)}.",
                    "Names are made of letters, digits, '_' and '-'; the dot separates levels.",
                    "Choose another name.",
                )
            )
        for name, about in self.parameters().items():
            try:
                given = _typed(getattr(self, name), about)
                number = _clean(number_of(given), about)
                if number is None and given is not None and not about.optional:
                    raise ValueError("at least one component must be given")
                object.__setattr__(self, name, number)
                given = given if names_in(given) else getattr(self, name)
                if names_in(given):
                    expressions[name] = _expression(given, getattr(self, name), about)
            except FormulaError as fault:
                findings += [bad_formula(self, name, finding) for finding in fault.findings]
                formulas += len(fault.findings)
            except (TypeError, ValueError, KeyError, OverflowError) as fault:
                findings.append(bad_value(self, name, about, str(fault)))
        object.__setattr__(self, "expressions", expressions)
        findings.extend(_settled(self).faults() if not findings else [])
        if findings:
            raise (FormulaError if formulas == len(findings) else ParameterError)(*findings)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The declared parameters by name, those first that need no keyword."""
        declared = sorted(cls.__dataclass_fields__.values(), key=lambda f: f.kw_only is True)
        return {f.name: f.metadata["parameter"] for f in declared if "parameter" in f.metadata}

    @classmethod
    def today(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values by the names that parameters have now; a former name is understood, and said."""
        for old in (name for name in given if name in cls.former):
            said = f"{cls.__name__}: {old!r} is called {cls.former[old]!r} now; the old name goes on being understood."
            warnings.warn(said, FutureWarning, stacklevel=3)
        return {cls.former.get(name, name): value for name, value in given.items()}

    def faults(self) -> list[Finding]:
        """What the class itself finds wrong with its values; overridden where a law needs it."""
        return []

    def oversights(self) -> list[str]:
        """What is no fault of its values but hardly meant, in sentences that begin with a parameter's name."""
        return []

    def ports(self) -> tuple[Port, ...]:
        """The ports, by name."""
        return ()

    def replace(self, **changes: Any) -> Self:
        """The same component with some values changed."""
        changes = self.today(changes)
        for name in changes:
            if name != "name" and name not in self.parameters():
                raise unknown_name(f"{type(self).__name__} {self.name!r}", name, self.parameters())
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return self.lends_origin(type(self)(**(kept | dict(self.expressions) | changes)))

    def lends_origin(self, twin: Kind) -> Kind:
        """The twin as what this component has become: ports named by way of this one are ports of the twin."""
        object.__setattr__(twin, "_origin", self._origin)
        return twin

    def how_to_change(self, name: str) -> str:
        """How one gets this component with another value."""
        if name in self.parameters():
            return (
                f"In a model: model.set('{self.name}.{name}', …); alone: .replace({name}=…), which returns another one."
            )
        return f"It has the parameters {', '.join(self.parameters()) or 'none'}."

    def __getattr__(self, name: str) -> PortRef:
        if not name.startswith("_"):
            ports = self.ports()
            if any(port.name == name for port in ports):
                return PortRef(self.name, name, self._origin)
            if name in self.former:
                return getattr(self, self.former[name])
            raise UnknownAttribute(no_such(self, name, [port.name for port in ports]))
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        """What a user asks a component for; how it is built is no part of it."""
        return [
            *(port.name for port in self.ports() if port.name.isidentifier()),
            *self.parameters(),
            "name",
            "replace",
        ]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """As it was pickled or copied; arrays stay what nobody writes to, which pickle forgets."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)

    def __repr__(self) -> str:
        told = {k: getattr(self, k) for k in self.parameters() if not _is_default(self, k)} | dict(self.expressions)
        values = "".join(f", {name}={shown(value)}" for name, value in told.items())
        return f"{type(self).__name__}({self.name!r}{values})"


def with_mode(item: Kind, mode: str) -> Kind:
    """The component in another mode; its other values, symbols included, stay."""
    twin = copy.copy(item)
    object.__setattr__(twin, "mode", mode)
    return twin


def _settled(item: Kind) -> Kind:
    """The component as its class knows it: guessed parameters at their guesses, formulas with numbers."""
    known: dict[str, Any] = {}
    for name, about in item.parameters().items():
        value = getattr(item, name)
        if about.numeric and isinstance(value, StartVector):
            known[name] = value.values
        elif isinstance(value, Formula) and value.live:
            known[name] = literal(value)
    twin = copy.copy(item) if known else item
    for name, value in known.items():
        object.__setattr__(twin, name, value)
    return twin


def _typed(value: Any, about: Parameter) -> Any:
    """The value with numbers for texts that are a number with its unit."""
    if about.shape in ("word", "flag", "axis", "axes", "law", "laws") or not means_text(value):
        return value
    try:
        return read_text(value, about.unit)
    except ValueError:
        if about.formula and not any(means_quantity(entry) for entry in entries(value) if isinstance(entry, str)):
            return value
        raise


def means_text(value: Any) -> bool:
    """Whether a value is, or holds, a text."""
    return any(isinstance(entry, str) for entry in entries(value))


def _expression(given: Any, value: Any, about: Parameter) -> Any:
    """The expression behind a value; that of a law is the law itself."""
    if about.shape in ("word", "flag"):
        raise ValueError("it takes no parameters of a model")
    double = sorted(names_in(given) & set(about.formula))
    if double:
        raise ValueError(f"{double[0]!r} is a variable of the law and a parameter of the model; rename the parameter")
    return value if isinstance(value, Formula | tuple) else given


def _clean(value: Any, about: Parameter) -> Any:
    """The value as it is kept: read-only arrays for numbers, unit vectors for axes."""
    if isinstance(value, SX) or (value is None and about.optional):
        return value
    if about.start:
        return _start(value)
    if isinstance(value, StartVector) or (is_mixed(value) and about.shape not in ("axes", "laws")):
        return _sought(value, about)
    if about.shape == "word":
        return str(value)
    if about.shape == "flag":
        return bool(value)
    if about.shape == "axis":
        return _axis(value)
    if about.shape == "axes":
        return _axes(value)
    if about.shape == "laws":
        return _laws(value, about)
    if means_formula(value):
        return _formula(value, about)
    if about.shape == "law":
        raise ValueError(f"it needs a formula of {', '.join(about.formula)}")
    return _numbers(value, about)


def _numbers(value: Any, about: Parameter) -> Any:
    """Numbers as they are kept, where they are what the parameter may be."""
    array = _frozen_array(value, about.missing)
    if about.missing is not None and np.all(array == about.missing):
        return None
    if about.shape is not None and array.shape != about.shape:
        raise ValueError(f"it needs {'one number' if about.shape == () else f'{about.shape[0]} numbers'}")
    if wrong := sign_fault(array, about.sign):
        raise ValueError(wrong)
    return array


def _start(value: Any) -> Any:
    """A start value: numbers, a Guess, or a list in which some components are guessed or left out."""
    if isinstance(value, StartVector):
        return value
    return read_mixed(value) if is_mixed(value) else _frozen_array(value)


def _sought(value: Any, about: Parameter) -> Any:
    """A parameter that is guessed as a whole or in part; what only leaves entries out is numbers."""
    if not any(isinstance(entry, StartVector) for entry in (value if is_mixed(value) else [value])):
        return _numbers(value, about)
    if not about.numeric:
        raise ValueError("it cannot be guessed; start values can, and numbers that may change in a run")
    found = read_mixed(value, about.missing) if is_mixed(value) else value
    _numbers(start_vector(found).values, about)
    return found


def _formula(value: Any, about: Parameter) -> Formula:
    if not about.formula:
        raise ValueError("it takes numbers, and no formula")
    formula = read_formula(value, about.formula)
    if about.shape not in (None, "law") and formula.shape != about.shape:
        raise ValueError(f"it needs {'one formula' if about.shape == () else f'a list of {about.shape[0]} formulas'}")
    return formula


def _laws(value: Any, about: Parameter) -> tuple[Formula | None, ...] | None:
    """Formulas one by one, None where there is none; nothing at all where all are left out."""
    items = list(value) if isinstance(value, list | tuple | np.ndarray) else None
    if items is not None and all(item is None for item in items):
        return None
    if items is None and not means_formula(value):
        raise ValueError(f"it needs formulas of {', '.join(about.formula)}")
    formula = read_formula(value if items is None else [0.0 if i is None else i for i in items], about.formula)
    if items is None:
        return tuple(formula) if formula.shape else (formula,)
    return tuple(None if item is None else part for item, part in zip(items, formula, strict=True))


def _axis(value: Any) -> np.ndarray:
    if isinstance(value, str) and value.lstrip("+-") not in AXES:
        raise ValueError("an axis is 'x', 'y', 'z' or three numbers")
    array = unit_axis(value)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ValueError("an axis is 'x', 'y', 'z' or three numbers, not all zero")
    array.flags.writeable = False
    return array


def _axes(value: Any) -> np.ndarray:
    """Axes as rows: "xz", ["x", (0, 1, 1)], or none at all."""
    if isinstance(value, np.ndarray) and not value.flags.writeable and value.shape[1:] == (3,):
        return value
    array = np.array([_axis(axis) for axis in value]).reshape(-1, 3)
    if len(array) > 3:
        raise ValueError("there are at most three axes")
    array.flags.writeable = False
    return array


def _frozen_array(value: Any, missing: float | None = None) -> np.ndarray:
    if isinstance(value, str):
        raise ValueError("it must be a number, not text")
    if missing is not None and isinstance(value, list | tuple):
        value = [missing if entry is None else entry for entry in value]
    array = as_numbers(value)
    if not (np.isfinite(array) | (array == missing)).all():
        raise ValueError("it must be finite")
    if array.ndim > 2:
        raise ValueError("it must be a number, a vector or a matrix")
    array.flags.writeable = False
    return array


def as_numbers(value: Any) -> np.ndarray:
    """Numbers as an array; what is none, or in rows of different lengths, is told in plain words."""
    try:
        return np.array(value, float)
    except TypeError:
        raise ValueError("it must be a number, or numbers in rows") from None
    except ValueError:
        raise ValueError("its rows must be of one length, and all of numbers") from None


def _is_default(item: Component, name: str) -> bool:
    """Whether a parameter has the value that it has where nothing is said."""
    value, default = getattr(item, name), item.__dataclass_fields__[name].default
    if value is None or isinstance(value, SX | Formula | StartVector) or default is MISSING or default is None:
        return value is None
    return bool(np.array_equal(value, default)) if isinstance(value, np.ndarray) else value == default


@component
class Element(Component):
    """A law between the efforts and flows of its ports.

    size: number of components of its bonds where the ports do not fix it; None to take it from what is connected.
    split: vector ports are drawn as that many scalar ports, `port_1` and so on (a field in a scalar graph).
    """

    size: int | None = field(
        default=None, kw_only=True, metadata={"parameter": Parameter(structural=True, optional=True, sign="count")}
    )
    split: bool = field(default=False, kw_only=True, metadata={"parameter": Parameter(structural=True, shape="flag")})

    causality: ClassVar[str] = "free"
    """How the element may take part in causality; `structure.causality` has a rule for each word."""
    power: ClassVar[str] = "kept"
    """What becomes of power: "kept" (stored or passed on), "lost", "given" (a source), or "any"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None:
            object.__setattr__(self, "size", int(self.size))

    def causality_at(self, port: str, component: int = 0) -> str:
        """The word for one component of one port, where the ports or the modes of an element differ."""
        return self.causality

    def lanes(self, *ports: PowerPort) -> tuple[PowerPort, ...]:
        """Power ports as they are drawn: whole, or as scalar ports where the element is split."""
        if not self.split:
            return ports
        return tuple(
            replace(port, name=f"{port.name}_{k + 1}", size=1) for port in ports for k in range(port.size or 1)
        )

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        """Names and lengths of the states, given the sizes of the ports."""
        return {}

    def turning_states(self, sizes: dict[str, int]) -> dict[str, int]:
        """Which states may be angles that go round and round: how many of their first components."""
        return {}

    def law(self, at: Any) -> None:
        """State the law to a `LawWriter`; junctions have none of their own."""
        raise TypeError(f"{type(self).__name__} states no law")

    def start_values(self) -> dict[str, Any]:
        """Start values by state, where given and not zero."""
        start = getattr(self, "start", None) if "start" in self.parameters() else None
        return {} if start is None or not start_vector(start).values.any() else {"state": start}

    def size_hint(self) -> int | None:
        """The number of components that the parameters themselves ask for."""
        hints = [int(self.size)] if self.size is not None else []
        for name, about in self.parameters().items():
            value = getattr(self, name)
            if isinstance(value, Formula):
                hints += [value.components] if value.components > 1 else []
            elif about.shape is None and about.numeric and value is not None:
                rows = value.shape[0] if len(value.shape) and value.shape != (1, 1) else 1
                hints += [rows] if rows > 1 else []
        return hints[0] if hints else None


@component
class Part(Component):
    """An arrangement of elements with a household name, drawn in its `build`."""

    def build(self, inside: Any) -> None:
        """Add elements and bonds; `inside` also gives access to the part's own ports."""
        raise TypeError(f"{type(self).__name__} has no build")

    def observables(self) -> dict[str, str]:
        """Household names of quantities inside: alias -> path of an inner variable."""
        return {}

    def surroundings(self) -> dict[str, Any]:
        """What the part tells all others, such as gravity."""
        return {}
