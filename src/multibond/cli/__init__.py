"""The command line: `multibond new`, `check`, `run`, `draw`, `causality`, `equations`, `robot`, `export` and others.

Exit codes: 0 well, 1 a fault of the model or the run (told in three lines on stderr), 2 wrong usage, 130 after Ctrl-C
(one line). With --json an
answer or a fault is one JSON object on standard output, and nothing else is. With `NO_COLOR` set nothing but plain text
comes out. An ending of a file to be written that stands for no format is wrong usage.
Whatever a command does not need is not imported: a run from a file should be done before one gets impatient.
"""

from __future__ import annotations

import typer

from multibond.cli.causal import causality
from multibond.cli.files import examples, export, new, palette, schema
from multibond.cli.looking import check, draw, equations, explain
from multibond.cli.mechanical import assemble, equilibrium, sweep
from multibond.cli.methods import advise, compare, count
from multibond.cli.options import Version
from multibond.cli.robotics import linearise, robot
from multibond.cli.running import run
from multibond.view.terminal import plain

app = typer.Typer(
    name="multibond",
    help="Multibond graphs: simulate, check, draw and explain machines from model files.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None if plain() else "rich",
    epilog="Exit codes: 0 well; 1 a fault of the model or the run; 2 wrong usage, also an unknown file ending after "
    "--to, -o or --animate; 130 after Ctrl-C. NO_COLOR=1 gives plain text.",
)
METHODS = (compare, count, advise)
MECHANICS = (assemble, equilibrium, sweep, robot, linearise)
LOOKING = (draw, causality, equations, explain)
for command in (new, check, run, *LOOKING, *METHODS, *MECHANICS, export, examples, palette, schema):
    app.command()(command)


@app.callback()
def _options(version: Version = False) -> None:
    """Multibond graphs: simulate, check, draw and explain machines from model files."""


def main() -> None:
    """Entry point of the command `multibond`."""
    try:
        app(prog_name="multibond")
    except KeyboardInterrupt:  # before or after what a command does, which tells more
        typer.echo("interrupted", err=True)
        raise SystemExit(130) from None


__all__ = ["app", "main"]
