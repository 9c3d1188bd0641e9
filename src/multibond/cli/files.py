"""Commands that write files: new, export, examples; schema, which describes them; palette, which lists all types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.answers import print_json, say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, Depth, File, Force, Set, With
from multibond.errors import FileError, Finding, UnknownEnding, unknown_name

if TYPE_CHECKING:
    from multibond.graph.model import Model as Builder
    from multibond.workbench import Model


def new(
    name: Annotated[str, typer.Argument(help="A file: NAME.yaml, NAME.mbg or NAME.py; .yaml without an ending.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a small model to begin with."""
    with told(as_json):
        from multibond.cli.starters import write_starter

        path = Path(name) if Path(name).suffix else Path(f"{name}.yaml")
        _require_free([path], force)
        write_starter(path)
        command = f"python {path}" if path.suffix == ".py" else f"multibond run {path} --plot hinge.angle"
        say(as_json, {"written": [str(path)], "next": command}, f"wrote {path}", f"next: {command}")


def export(
    file: File,
    to: Annotated[Path, typer.Option(metavar="PATH", help="Target: .mbg, .json, .yaml, .svg, .tex or .txt.")],
    depth: Depth = None,
    changes: Set = None,
    modules: With = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Convert a model: another file format, a drawing, its equations; --depth opens it first."""
    with told(as_json):
        from multibond.export.place import require_place

        kinds = {".svg": _drawing, ".tex": _latex, ".txt": _text}
        models = (".mbg", ".json", ".yaml", ".yml")
        suffix = require_place(to).suffix.lower()
        if suffix not in (*kinds, *models):
            raise _no_target(file, to, (*models, *kinds))
        model = opened(file, changes, modules)
        if suffix in models:
            _require_free([to], force)
            _save(model, to, depth)
        else:
            from multibond.export.place import put_text

            put_text(to, kinds[suffix](model, depth))
        say(as_json, {"written": [str(to)]}, f"wrote {to}")


def _no_target(file: Path, to: Path, known: tuple[str, ...]) -> FileError:
    """The error for an ending that no model is written to; a table of results is written by another command."""
    from multibond.export.files import WRITERS
    from multibond.export.place import unknown_ending

    if to.suffix.lower() not in WRITERS:
        return unknown_ending(to, known)
    fact = f"The ending {to.suffix!r} is one of results; known for models are {', '.join(known)}."
    cure = f"Results are written by `multibond run {file} -o {to}`."
    return UnknownEnding(Finding(f"{to.name!r} has no format of a model.", fact, cure))


def _drawing(model: Model, depth: int | None) -> str:
    from multibond.view.draw import draw

    return draw(model, depth=depth)


def _latex(model: Model, depth: int | None) -> str:
    from multibond.view.equations import equations

    return equations(_deep(model, depth)).document()


def _text(model: Model, depth: int | None) -> str:
    from multibond.view.equations import equations

    return f"{equations(_deep(model, depth))}\n"


def _save(model: Model, to: Path, depth: int | None) -> None:
    from multibond.graph.file import save

    save(_deep(model, depth), to)


def _deep(model: Model, depth: int | None) -> Model:
    """The model opened to a depth; depth 1 is the model itself."""
    return model if depth in (None, 1) else model.open(depth=depth)


def _example_names() -> list[str]:
    from multibond.examples import EXAMPLES

    return list(EXAMPLES)


def examples(
    name: Annotated[
        str | None,
        typer.Argument(help="Which example; without it all.", show_default=False, autocompletion=_example_names),
    ] = None,
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder to write to.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """List the examples, or write one or all of them as model files."""
    with told(as_json):
        from multibond.examples import EXAMPLES

        if name is not None and name not in EXAMPLES:
            raise unknown_name("the list of examples", name, EXAMPLES, offer="`multibond examples` lists them all.")
        if name is None and to is None:
            return _list_examples(EXAMPLES, as_json)
        chosen = {name: EXAMPLES[name]} if name is not None else EXAMPLES
        written = _write_examples(chosen, to or Path(), force)
        say(as_json, {"written": written}, *(f"wrote {path}" for path in written))


def schema(modules: With = None, as_json: AsJson = False) -> None:
    """Print the JSON Schema of model files, with every type and its parameters."""
    with told(as_json):
        from multibond.catalogue import import_types
        from multibond.graph.file import schema as schema_of_files

        print_json(schema_of_files([import_types(word) for word in modules or ()] or None))


def palette(
    name: Annotated[
        str | None, typer.Argument(metavar="[TYPE]", help="Tell all of one type, such as Revolute.")
    ] = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """List every type with its group, letters and story; of one type, and with --json, ports and parameters too."""
    with told(as_json):
        from multibond.catalogue import import_types
        from multibond.view.entries import named_entries, spoken
        from multibond.view.entries import palette as palette_of

        found = palette_of([import_types(word) for word in modules or ()] or None)
        chosen = found if name is None else named_entries(found, name)
        if as_json:
            return say(True, {"palette": chosen})
        if name is not None:
            return typer.echo("\n\n".join(spoken(entry) for entry in chosen))
        _list_types(found)


def _list_types(found: list[dict[str, Any]]) -> None:
    widths = [max(len(entry[key]) for entry in found) for key in ("type", "code")]
    for group in dict.fromkeys(entry["group"] for entry in found):
        typer.echo(f"{group}:")
        for entry in found:
            if entry["group"] == group:
                row = f"  {entry['type']:{widths[0]}}  {entry['code']:{widths[1]}}  {entry['story']}"
                typer.echo(row.rstrip())


def _list_examples(known: Mapping[str, Callable[[], Builder]], as_json: bool) -> None:
    stories = {name: (make.__doc__ or "").strip().split("\n")[0] for name, make in known.items()}
    if as_json:
        return say(True, {"examples": stories})
    width = max(map(len, stories), default=0)
    for name, story in stories.items():
        typer.echo(f"{name:{width}}  {story}")


def _write_examples(chosen: Mapping[str, Callable[[], Builder]], folder: Path, force: bool) -> list[str]:
    from multibond.graph.file import SUFFIX, save

    paths = {name: folder / f"{name}{SUFFIX}" for name in chosen}
    _require_free(list(paths.values()), force)
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in chosen.items():
        save(make(), paths[name])
    return [str(path) for path in paths.values()]


def _require_free(paths: list[Path], force: bool) -> None:
    """Refuse to write over files unless that is asked for."""
    if there := [path for path in paths if path.exists() and not force]:
        cure = "Say --force to write over it."
        raise FileError(*(Finding(f"{str(p)!r} is there already.", "It may hold changes.", cure) for p in there))
