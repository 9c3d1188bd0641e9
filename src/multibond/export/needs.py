"""Packages that only some results need: imported where used, and missed in a sentence that says what to install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from multibond.errors import Finding, MultibondError


class MissingPackage(MultibondError, ImportError):
    """A package that an optional feature needs is not installed."""


def need(module: str, what: str, extra: str = "results") -> ModuleType:
    """The module, imported now; `what` says in the error what it is needed for, `extra` by which name it comes."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError:
        raise MissingPackage(
            Finding(
                f"{what} needs the package {package!r}.",
                "It is not installed, as it is not needed for anything else.",
                f"Install it with: pip install 'multibond[{extra}]'",
            )
        ) from None
