"""The border between the user and the program: every public call passes it, and is answered in the program's words.

What the program itself refuses passes with a short traceback. Anything else becomes a `WrongArgument` where an argument
does not fit what the call says it takes, else an `InternalError`, which is our fault. What a user's own code raises on
the way (a law, a progress function) stays as it is. Calls from within the program are no border.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, cached_property, wraps
from inspect import isclass, isfunction
from types import FrameType, ModuleType, TracebackType
from typing import Any, TypeVar

from multibond.arguments import misfit
from multibond.errors import (
    Finding,
    InternalError,
    Interrupted,
    MultibondError,
    OutOfReach,
    ReadOnly,
    UnknownAttribute,
    UnknownName,
    unknown_name,
)

Item = TypeVar("Item")

PACKAGE = __name__.partition(".")[0]
SPECIAL = frozenset(
    [
        "__init__",
        "__call__",
        "__getitem__",
        "__contains__",
        "__iter__",
        "__len__",
        "__float__",
        "__array__",
        "__str__",
        "__repr__",
    ]
)
"""Special methods that are public calls; the others are Python's own business."""


def public(item: Item) -> Item:
    """A function, or a class with all its methods, as seen from outside.

    >>> @public
    ... def simulate(model, until): ...
    """
    if isclass(item):
        _guard_class(item)
        return item
    return _guarded(item, item.__name__) if isfunction(item) else item


def publish(module: str, names: Sequence[str]) -> None:
    """Put the border around the functions and classes that a module offers under these names, and around the module."""
    offering = sys.modules[module]
    for name in names:
        item = getattr(offering, name)
        if isinstance(item, ModuleType):
            publish(item.__name__, getattr(item, "__all__", ()))
        elif isfunction(item) and not hasattr(item, "__border__"):
            guarded = public(item)
            guarded.__module__ = module  # found there by what is pickled or sent to other processes
            setattr(offering, name, guarded)
        elif isclass(item) and _is_ours(item.__module__):
            for kind in item.__mro__[:-1]:
                public(kind)
    if "__getattr__" not in vars(offering):
        vars(offering)["__getattr__"] = _missing_from(offering, names)


def answered(
    fault: Exception | Interrupted, call: Any, name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> Exception | Interrupted:
    """The program's own error for what a public call raised; `fault` itself where it is one, or the user's."""
    if isinstance(fault, MultibondError | MemoryError | Interrupted) or _is_users(fault.__traceback__):
        return fault
    return misfit(call, name, given, named) or named_by_system(fault) or internal_error(fault, name)


def named_by_system(fault: Exception) -> MultibondError | None:
    """What the computer's own system refused (a file, a folder), in our words."""
    if not isinstance(fault, OSError) or fault.filename is None:
        return None
    cure = "Name another place, or see to it that this one may be used."
    return OutOfReach(Finding(f"{str(fault.filename)!r} cannot be used.", f"{fault.strerror}.", cure))


def internal_error(fault: BaseException, name: str) -> InternalError:
    """The error that says it is our fault, with where it happened."""
    frames = [frame for frame, _, _ in _frames(fault.__traceback__) if _is_ours(_module(frame))]
    line = [f"{_module(frame)}, line {line}" for frame, line, _ in _frames(fault.__traceback__) if frame in frames[-1:]]
    said = " ".join(str(fault).split())
    fact = f"{type(fault).__name__}{f': {said[:200]}' if said else ''}{f' (in {line[-1]})' if line else ''}."
    cure = "It is our fault, not yours: please report it, with the lines that lead to it."
    error = InternalError(Finding(f"the program itself failed in {name}.", fact, cure))
    error.__cause__ = fault
    return error


def _guarded(call: Callable[..., Any], name: str, depth: int = 1) -> Callable[..., Any]:
    """depth: how many frames above it the caller stands."""

    @wraps(call)
    def border(*given: Any, **named: Any) -> Any:
        try:
            value = call(*given, **named)
            if type(value) not in _PLAIN and not _is_ours(_module(sys._getframe(depth))):
                _hand_out(value)
            return value
        except (Exception, Interrupted) as fault:
            if _is_ours(_module(sys._getframe(depth))):
                raise
            answer = answered(fault, call, _spoken(name, given), given, named)
            if answer is fault and not isinstance(fault, MultibondError | Interrupted):
                raise
            if answer is fault:
                answer.__traceback__ = _users_part(fault.__traceback__)
        try:
            raise answer
        finally:
            del answer

    vars(border)["__border__"] = True
    return border


_PLAIN: set[type] = set()
"""Types of what has been handed out, which need no second look; no lists, whose items may be anything."""


def _hand_out(value: Any) -> None:
    """What a public call gives back is public too: records of ours, and those that they hold."""
    for item in value[:1] if isinstance(value, tuple | list) else (value,):
        kind = type(item)
        if "__border__" not in vars(kind) and is_dataclass(kind) and _is_ours(kind.__module__):
            _guard_class(kind)
            for held in fields(kind):
                _hand_out(vars(item).get(held.name))
    if not isinstance(value, tuple | list):
        _PLAIN.add(type(value))


def _spoken(name: str, given: tuple[Any, ...]) -> str:
    """How a call is spoken of: a method by the class of what it was called on, an index in brackets."""
    owner, dot, method = name.rpartition(".")
    if not dot:
        return name
    kind = type(given[0]).__name__ if given and not isclass(given[0]) else owner
    return {"__getitem__": f"{kind}[…]", "__call__": f"{kind}(…)"}.get(method, f"{kind}.{method}")


def _guard_class(kind: type) -> None:
    """Put the border around what a class itself defines; what it inherits is its parents' business."""
    if "__border__" in vars(kind):
        return
    type.__setattr__(kind, "__border__", True)
    for name, held in list(vars(kind).items()):
        if name.startswith("_") and name not in SPECIAL and not name.startswith("_repr_"):
            continue
        guarded = _guarded_member(held, kind.__name__ if name == "__init__" else f"{kind.__name__}.{name}")
        if guarded is not held:
            type.__setattr__(kind, name, guarded)
            if isinstance(guarded, cached_property):
                guarded.__set_name__(kind, name)
    if not any("__getattr__" in vars(parent) for parent in kind.__mro__):
        type.__setattr__(kind, "__getattr__", _no_attribute)
    if "__getitem__" in vars(kind) and not hasattr(kind, "__setitem__"):
        type.__setattr__(kind, "__setitem__", _read_only_item)
        type.__setattr__(kind, "__delitem__", _read_only_item)
    if "__getitem__" in vars(kind) and not hasattr(kind, "__iter__"):  # or Python would count: [0], [1], ...
        type.__setattr__(kind, "__iter__", _names_of if hasattr(kind, "names") else None)
        if not hasattr(kind, "__contains__"):
            type.__setattr__(kind, "__contains__", _answers)
    params = (vars(parent).get("__dataclass_params__") for parent in kind.__mro__)
    if any(each is not None and each.frozen for each in params):
        type.__setattr__(kind, "__setattr__", _read_only)
        type.__setattr__(kind, "__delattr__", _read_only)


def _guarded_member(held: Any, name: str) -> Any:
    if isfunction(held):
        return held if hasattr(held, "__border__") else _guarded(held, name)
    if isinstance(held, classmethod | staticmethod):
        return type(held)(_guarded(held.__func__, name))
    if isinstance(held, cached_property):
        return cached_property(_guarded(held.func, name, depth=2))  # functools stands between
    if isinstance(held, property) and held.fget is not None:
        return property(_guarded(held.fget, name), held.fset and _guarded(held.fset, name), held.fdel)
    return held


# -- names that are not there, values that do not change ---------------------------------------------------------------


def offers_of(item: Any) -> list[str]:
    """What can stand after the dot of a value."""
    return [name for name in dir(item) if not name.startswith("_")]


def _no_attribute(self: Any, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    if hasattr(type(self), name):  # it is there, and its own reading failed
        raise InternalError(
            Finding(
                f"the program itself failed in {type(self).__name__}.{name}.",
                "Reading it asked for an attribute that does not exist.",
                "It is our fault, not yours: please report it, with the lines that lead to it.",
            )
        )
    read = getattr(type(self), "how_to_read", None)
    offer = read(self, name) if read is not None else ""
    raise as_attribute(unknown_name(_article(type(self).__name__), name, offers_of(self), offer=offer), self)


def as_attribute(error: UnknownName, owner: Any) -> UnknownAttribute:
    """The same for a name after a dot, which `hasattr` and `getattr` with a default understand."""
    found = UnknownAttribute(*error.findings)
    found.obj = owner
    return found


def _missing_from(module: ModuleType, names: Sequence[str]) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        place = module.__name__.rpartition(".")[2]
        raise as_attribute(unknown_name(place, name, names or offers_of(module)), module)

    missing.__module__ = __name__
    return missing


def _names_of(self: Any) -> Iterator[str]:
    """What can stand in the brackets of a value."""
    return iter(self.names)


def _answers(self: Any, name: Any) -> bool:
    """Whether a name may stand in the brackets of a value."""
    try:
        self[name]
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _read_only_item(self: Any, name: Any, *value: Any) -> None:
    owner, cure = _who(self, name)
    problem = f"{owner} does not change in brackets: [{name!r}] cannot be set."
    raise ReadOnly(Finding(problem, "Brackets read, and nothing else.", cure))


def _read_only(self: Any, name: str, *value: Any) -> None:
    owner, cure = _who(self, name)
    raise ReadOnly(Finding(f"{owner} does not change: {name} cannot be set.", "It is a value, like a number.", cure))


def _who(self: Any, name: Any) -> tuple[str, str]:
    """How a value is called that is not to be changed, and how one gets another one."""
    kind = type(self).__name__
    change = getattr(type(self), "how_to_change", None)
    cure = change(self, name) if change is not None else "Make a new one from what it was made of."
    named = getattr(self, "name", None)
    return f"{kind} {named!r}" if isinstance(named, str) else _article(kind), cure


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


# -- whose frames ------------------------------------------------------------------------------------------------------


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int, TracebackType]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno, trace
        trace = trace.tb_next


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


@cache
def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def _is_of_others(frame: FrameType) -> bool:
    """Whether a frame belongs to Python itself or to an installed library."""
    if _module(frame).partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
        return True
    file = str(frame.f_globals.get("__file__") or frame.f_code.co_filename)
    return any(place in file for place in ("site-packages", "dist-packages"))


def _is_users(trace: TracebackType | None) -> bool:
    """Whether the last frame that is not a library's is the user's, called by us."""
    frames = [frame for frame, _, _ in _frames(trace) if _is_ours(_module(frame)) or not _is_of_others(frame)]
    return bool(frames) and not _is_ours(_module(frames[-1]))


def _users_part(trace: TracebackType | None) -> TracebackType | None:
    """A traceback with the frames of the user's own code alone."""
    kept = [t for frame, _, t in _frames(trace) if not _is_ours(_module(frame)) and not _is_of_others(frame)]
    made: TracebackType | None = None
    for t in reversed(kept):
        made = TracebackType(made, t.tb_frame, t.tb_lasti, t.tb_lineno)
    return made
