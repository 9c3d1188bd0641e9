"""Files as they are written today, for `test_corpus.py`: what stands in the corpus is never written anew, only added.

    python tests/files/make_corpus.py

One file for each example, one for a nested machine, and two with every type of the catalogue, nearly all parameters
away from their defaults. Beside them `checkpoints.json`: what the examples' variables are at three times.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

import multibond as mb
from multibond.catalogue import CATALOGUE
from multibond.examples import EXAMPLES
from multibond.export.table import usual_names

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.files.samples import nested, samples

CORPUS = Path(__file__).parent / "corpus"
SECONDS = {"heat_plate": 50.0, "reaction": 20.0, "chain": 0.2, "robot": 0.2}
"""How long an example runs, where it is not half a second."""
MOST = 32
"""So many variables of an example are looked at."""


def every_type() -> mb.Model:
    """A component of every type, in as many forms as it takes to speak of every parameter; nothing is connected."""
    model = mb.Model("every_type")
    for name, kind in CATALOGUE.items():
        found = [*samples(kind), *samples(kind, guesses=True, matrices=True)]
        for k, item in enumerate(found):
            model.add(item.replace(name=f"{name.replace('.', '_')}_{k}"))
    return model


def checkpoints(model: mb.Model, until: float) -> dict[str, object]:
    """Values of usual variables at three times, and how large each gets."""
    run = mb.simulate(model, until)
    times, names = [0.0, 0.4 * until, until], usual_names(run)
    chosen = names[:: -(-len(names) // MOST)]
    values = {name: run.values([name], times).tolist() for name in chosen}
    return {"times": times, "size": {n: float(np.abs(run[n].values).max()) for n in chosen}, "values": values}


def as_text(known: dict[str, Any]) -> str:
    """The record as JSON with a line for each variable."""
    text = json.dumps(known, indent=1)
    return re.sub(r"\[[^\]\[{}]*(?:\[[^\]\[]*\][^\]\[]*)*\]", lambda m: " ".join(m[0].split()), text) + "\n"


def main() -> None:
    """Write what is missing."""
    CORPUS.mkdir(exist_ok=True)
    record = CORPUS / "checkpoints.json"
    known = json.loads(record.read_text()) if record.is_file() else {}
    for k, (name, build) in enumerate(EXAMPLES.items()):
        path = CORPUS / f"{name}.{'yaml' if k % 3 == 2 else 'mbg'}"
        if not path.exists():
            mb.save(build(), path)
            known[path.name] = checkpoints(mb.load(path), SECONDS.get(name, 0.5))
            print(path.name, len(known[path.name]["values"]))
    for path, model in (
        (CORPUS / "every_type.mbg", every_type),
        (CORPUS / "every_type.yaml", every_type),
        (CORPUS / "nested.mbg", nested),
    ):
        if not path.exists():
            mb.save(model(), path)
    record.write_text(as_text(known))


if __name__ == "__main__":
    main()
