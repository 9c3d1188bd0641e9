"""The environment chooses which processor code is made for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RUN = """
import multibond as mb
from multibond.examples import slider_crank
from multibond.lower.jit import _processor
print(_processor()[0], float(mb.simulate(slider_crank(), 0.2, rtol=1e-10)["guide.position"](0.2)))
"""


def run(wish: str) -> subprocess.CompletedProcess[str]:
    """A run in a process of its own: what code is made for is chosen once in a process."""
    environment = os.environ | {"MULTIBOND_CPU": wish}
    return subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=False)


def test_plain_and_native_instructions_give_one_motion() -> None:
    told = {wish: run(wish).stdout.split() for wish in ("native", "generic")}
    assert told["generic"][0] == "generic" != told["native"][0]
    assert float(told["generic"][1]) == pytest.approx(float(told["native"][1]), rel=1e-9)


def test_another_word_is_refused() -> None:
    assert (
        run("fast")
        .stderr.rstrip()
        .endswith(
            "MULTIBOND_CPU cannot be 'fast'.\n"
            "  It says which processor code is made for: native, this one, or generic, the plainest of its family.\n"
            "  Set it to one of these, or leave it out."
        )
    )
