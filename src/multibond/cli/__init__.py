"""The command line: `multibond new`, `check`, `run`, `draw`, `causality`, `equations`, `explain`, `compare` and others.

Exit codes: 0 well, 1 a fault of the model or the run (told in three lines on stderr), 2 wrong usage. With --json an
answer or a fault is one JSON object on standard output, and nothing else is. `NO_COLOR` switches colours off.
Whatever a command does not need is not imported: a run from a file should be done before one gets impatient.
"""

from __future__ import annotations

import typer

from multibond.cli.causal import causality
from multibond.cli.files import examples, export, new, schema
from multibond.cli.looking import check, draw, equations, explain
from multibond.cli.methods import advise, compare, count
from multibond.cli.options import Version
from multibond.cli.running import run

app = typer.Typer(
    name="multibond",
    help="Multibond graphs: simulate, check, draw and explain machines from model files.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (new, check, run, draw, causality, equations, explain, compare, count, advise, export, examples, schema):
    app.command()(command)


@app.callback()
def _options(version: Version = False) -> None:
    """Multibond graphs: simulate, check, draw and explain machines from model files."""


def main() -> None:
    """Entry point of the command `multibond`."""
    app(prog_name="multibond")


__all__ = ["app", "main"]
