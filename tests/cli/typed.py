"""Commands as a user types them, within this process or in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

import multibond
from multibond.cli import app

SOURCE = str(Path(multibond.__file__).parents[1])


def command(*words: object) -> Result:
    """Run a command within this process."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="multibond")


def cold(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "multibond", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
        check=False,
    )
