"""Files that were written once open for ever: what stands in `corpus/` is never changed; it loads, saves and runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.graph.file import from_data, to_data
from multibond.graph.inert import Inert

from .samples import content

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(p.name for p in CORPUS.iterdir() if p.suffix in (".mbg", ".yaml"))
RECORD = json.loads((CORPUS / "checkpoints.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FILES)
def test_an_old_file_opens_and_what_is_saved_anew_is_the_same_model(name: str, tmp_path: Path) -> None:
    model = mb.load(CORPUS / name, strict=True)
    assert not [item for item in model.components if isinstance(item, Inert)]
    assert content(from_data(to_data(model))) == content(model)
    for suffix in (".mbg", ".yaml"):
        mb.save(model, tmp_path / f"again{suffix}")
        assert content(mb.load(tmp_path / f"again{suffix}")) == content(model)


def test_both_files_of_every_type_hold_the_same() -> None:
    one, other = (mb.load(CORPUS / f"every_type{suffix}") for suffix in (".mbg", ".yaml"))
    assert len(list(one.components)) > 400 and content(one) == content(other)


@pytest.mark.slow
@pytest.mark.parametrize("name", tenth(list(RECORD), of="motions of old files"))
def test_an_old_file_moves_as_it_did(name: str) -> None:
    known = RECORD[name]
    run = mb.simulate(mb.load(CORPUS / name), known["times"][-1])
    for variable, before in known["values"].items():
        found, scale = run.values([variable], known["times"]), max(known["size"][variable], 1e-3)
        np.testing.assert_allclose(found, np.array(before), rtol=0, atol=1e-6 * scale, err_msg=variable)
