"""Files on disk: whatever lies there, one clear error; whatever goes wrong while saving, the old file stays whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from multibond.errors import FileError
from multibond.examples import EXAMPLES
from multibond.graph import disk
from multibond.graph.file import load, save
from multibond.graph.model import Model

SUFFIXES = [".mbg", ".yaml"]


def refused(path: Path | str) -> str:
    """The text of the error that opening a path gives."""
    with pytest.raises(FileError) as caught:
        load(path)
    assert len(caught.value.findings) == 1
    return str(caught.value)


# -- reading -----------------------------------------------------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "leg.mbg").touch()
    assert refused(tmp_path / "arm.mbg") == (
        f"there is no file {str(tmp_path / 'arm.mbg')!r}.\n  Models there: leg.mbg.\n  Check the name and the folder."
    )
    assert "There is no model there." in refused(tmp_path / "none" / "arm.mbg")


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.mbg").mkdir()
    (tmp_path / "loop.mbg").symlink_to(tmp_path / "loop.mbg")
    (tmp_path / "nowhere.mbg").symlink_to(tmp_path / "none.mbg")
    os.mkfifo(tmp_path / "pipe.mbg")
    assert refused(tmp_path / "folder.mbg") == ("'folder.mbg' cannot be read.\n  It is a folder.\n  Name a model file.")
    assert "Too many levels of symbolic links" in refused(tmp_path / "loop.mbg")
    assert "there is no file" in refused(tmp_path / "nowhere.mbg")
    assert "It is no file that holds data." in refused(tmp_path / "pipe.mbg")
    assert "It is no file that holds data." in refused("/dev/zero")
    assert "Not a directory" in refused(tmp_path / "pipe.mbg" / "arm.mbg")
    assert "too long" in refused(tmp_path / ("a" * 300))
    refused("arm\0.mbg")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.mbg"
    save(EXAMPLES["rlc"](), path)
    path.chmod(0)
    if os.access(path, os.R_OK):  # permissions do not bind the superuser
        monkeypatch.setattr(disk, "open", _fails(PermissionError(13, "Permission denied")), raising=False)
    assert refused(path) == (
        "'arm.mbg' cannot be read.\n  Permission denied.\n  Check the name, the folder and its permissions."
    )


@pytest.mark.parametrize(("suffix", "limit"), [(".mbg", 20), (".yaml", 0.5)])
def test_a_file_that_is_too_large(suffix: str, limit: float, tmp_path: Path) -> None:
    path = tmp_path / f"arm{suffix}"
    with open(path, "wb") as file:
        file.truncate(100_000_000)
    assert refused(path) == (
        f"'arm{suffix}' is too large for a model.\n  It has 100 MB; the limit is {limit} MB.\n  Is it the right file?"
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_bytes_that_are_not_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"arm{suffix}"
    path.write_bytes(b'{"name": "\xff"}')
    assert refused(path) == (
        f"'arm{suffix}' is not text.\n  Byte 10 is no UTF-8.\n  Is it a model file? Save it as UTF-8."
    )
    path.write_bytes(bytes(range(256)) * 10)
    assert "is not text" in refused(path)
    path.write_bytes('{"format": "multibond"}'.encode("utf-16"))
    assert "Byte 0 is no UTF-8." in refused(path)
    path.write_bytes(b"")
    assert refused(path) == f"'arm{suffix}' is empty.\n  There is no text in it.\n  Is it the right file?"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_byte_order_mark_is_no_fault(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{suffix}"
    save(EXAMPLES["rlc"](), path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path).name == "rlc"


# -- writing -----------------------------------------------------------------------------------------------------------


def _fails(fault: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise fault

    return fail


def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which the first half of a file finds room."""

    class Full:
        def __init__(self, path: Path, mode: str) -> None:
            assert mode == "xb"
            self.path = path

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, content: bytes) -> None:
            self.path.write_bytes(content[: len(content) // 2])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk, "open", Full, raising=False)


STEPS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "disk full": _full_disk,
    "fsync": lambda patch: patch.setattr(disk.os, "fsync", _fails(OSError(5, "Input/output error"))),
    "chmod": lambda patch: patch.setattr(disk.os, "chmod", _fails(PermissionError(1, "Operation not permitted"))),
    "replace": lambda patch: patch.setattr(disk.os, "replace", _fails(OSError(28, "No space left on device"))),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("step", STEPS)
def test_a_failed_save_leaves_the_old_file_and_no_other(
    step: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"m{suffix}"
    save(EXAMPLES["pendulum"](), path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        STEPS[step](patch)
        with pytest.raises(FileError, match=rf"'m\{suffix}' cannot be written\."):
            save(EXAMPLES["rlc"](), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]
    save(EXAMPLES["rlc"](), path)
    assert load(path).name == "rlc"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupted_save_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.mbg"
    save(EXAMPLES["pendulum"](), path)
    before = path.read_bytes()
    monkeypatch.setattr(disk.os, step, _fails(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        save(EXAMPLES["rlc"](), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.mbg"]


def test_a_model_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m.mbg"
    save(EXAMPLES["pendulum"](), path)
    before = path.read_bytes()
    model = Model("m")
    model._name = "half a letter: \ud800"  # no model is given such a name; what it stands for is text no file can hold
    with pytest.raises(FileError, match="cannot be written"):
        save(model, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["m.mbg"]


def test_saving_keeps_permissions_and_follows_links(tmp_path: Path) -> None:
    path, link = tmp_path / "m.mbg", tmp_path / "link.mbg"
    save(EXAMPLES["pendulum"](), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(EXAMPLES["rlc"](), link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert load(path).name == load(link).name == "rlc"
    assert sorted(os.listdir(tmp_path)) == ["link.mbg", "m.mbg"]


def test_where_nothing_can_be_saved(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.mbg").mkdir()
    (tmp_path / "loop.mbg").symlink_to(tmp_path / "loop.mbg")
    for place in ("none/m.mbg", "file/m.mbg", "folder.mbg", "loop.mbg", "a" * 300, "m\0.mbg"):
        with pytest.raises(FileError):
            save(EXAMPLES["rlc"](), tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.mbg", "loop.mbg"]
    save(EXAMPLES["rlc"](), tmp_path / f"{'a' * 250}.mbg")


def test_a_large_model_is_not_written_as_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "LARGEST_YAML", 100)
    with pytest.raises(FileError, match=r"would be too large for a model\.\n.*\n  Save it as arm\.mbg\."):
        save(EXAMPLES["arm"](), tmp_path / "arm.yaml")
    assert not os.listdir(tmp_path)
