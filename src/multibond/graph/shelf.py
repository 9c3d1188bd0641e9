"""Library parts: models that stand in files of their own and are used in others, many times if one likes.

A path in a file is meant from the folder of that file and leads to the folder of the opened file or below, never out of
it. A file is read once, however often it is used; one that contains itself is refused by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from multibond.errors import FileError, Finding
from multibond.graph.data import from_data
from multibond.graph.disk import SUFFIXES, missing, read_data
from multibond.graph.model import Library, Model, Sheet, Submodel
from multibond.graph.naming import Types
from multibond.graph.place import DEEPEST, short, shown, too_deep

MOST_COMPONENTS = 1_000_000
"""Components of a model with all its library parts written out: a few small files could ask for all memory there is."""


@dataclass(frozen=True)
class Shelf:
    """Opens model files.

    root: the folder that holds all of them. chain: the files that are being read, outermost first.
    books: what has been read by path; None where its faults have been told.
    """

    root: Path
    types: Types
    chain: tuple[Path, ...] = ()
    books: dict[Path, Library | None] = field(default_factory=dict)

    def model(self, path: Path) -> Model:
        """The model in a file, which remembers where it comes from."""
        real = Path(os.path.realpath(path))
        inside = replace(self, chain=(*self.chain, real))
        model = from_data(read_data(path), self.types, inside.opener(real.parent))
        model.library = library_of(model, real)
        if model.library.count > MOST_COMPONENTS:
            raise FileError(_too_many(path.name, model.library.count))
        return model

    def opener(self, folder: Path) -> Callable[[str, str], Library | None]:
        """Opens library parts for a file in a folder."""
        return lambda reference, user: self.library(reference, user, folder)

    def library(self, reference: str, user: str, folder: Path) -> Library | None:
        """The library part at a path in a file, for a component; None where its faults have been told before."""
        path = self._path(reference, user, folder)
        if path in self.chain:
            raise FileError(_circle([*self.chain[self.chain.index(path) :], path], user))
        if len(self.chain) > DEEPEST:
            raise FileError(replace(too_deep(), paths=(user,)))
        if path not in self.books:
            name = path.relative_to(self.root).as_posix()
            if not os.path.lexists(path):
                problem = f"component {shown(user)} stands in {shown(name)}, which is not there."
                raise FileError(replace(missing(path), problem=problem, paths=(user,)))
            self.books[path] = None
            try:
                self.books[path] = self.model(path).library
            except FileError as error:
                raise FileError(*(_inside(f, name, user) for f in error.findings)) from None
        return self.books[path]

    def _path(self, reference: str, user: str, folder: Path) -> Path:
        given = PurePosixPath(reference)
        odd = "\\" in reference or ":" in reference or not reference.isprintable()
        if not odd and given.parts and not given.is_absolute() and ".." not in given.parts:
            path = Path(os.path.realpath(folder / given))
            if path.is_relative_to(self.root) and path.suffix.lower() in SUFFIXES:
                return path
        problem = f"component {shown(user)} cannot be taken from {short(reference)}."
        fact = f"A library part is a file ({', '.join(SUFFIXES)}) in the folder of the opened model or below it."
        raise FileError(Finding(problem, fact, "Give a path such as 'parts/leg.mbg'.", (user,)))


def _inside(finding: Finding, name: str, user: str) -> Finding:
    """The fault of a library part, with its file and the component that uses it; the innermost file is named."""
    told = finding.problem.startswith(("in '", 'in "'))
    paths = tuple(f"{user}.{path}" for path in finding.paths) or (user,)
    return replace(finding, problem=finding.problem if told else f"in {shown(name)}: {finding.problem}", paths=paths)


def library_of(model: Model, path: Path) -> Library:
    """A model as the content of a file."""
    height, count = measure(model.sheet)
    return Library(path, model.sheet, model.size, height=height, count=count)


def measure(sheet: Sheet) -> tuple[int, int]:
    """How many levels of models, and how many components, stand in a sheet with all library parts written out."""
    height, count = 0, len(sheet.components)
    for item in sheet.components.values():
        if isinstance(item, Submodel):
            book = item.library
            below = measure(item.sheet) if book is None else (book.height, book.count)
            height, count = max(height, below[0]), count + below[1]
    return height + 1, count


def _circle(files: list[Path], user: str) -> Finding:
    names = " → ".join(path.name for path in files)
    cure = "Take one of these files out of the other."
    return Finding(f"{files[0].name!r} contains itself in component {shown(user)}.", f"{names}.", cure, (user,))


def _too_many(name: str, count: int) -> Finding:
    fact = f"With all library parts it has {float(count):.3g} components; the limit is {MOST_COMPONENTS:.0e}."
    return Finding(f"{name!r} is too large for a model.", fact, "Use fewer parts within parts.")
