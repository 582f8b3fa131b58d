from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from annotator.formats.whole_files import whole_file, write_whole


@pytest.mark.parametrize("lasting", [False, True])
def test_a_file_that_cannot_be_written_whole_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lasting: bool
) -> None:
    file = tmp_path / ("ä" * 100 + ".png")
    write_whole(file, b"first", lasting=lasting)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_whole(file, b"second", lasting=lasting)
    assert error.value.filename == str(file)
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    assert file.read_bytes() == b"first"


def test_a_written_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.png", b"")
    (tmp_path / "b.png").write_bytes(b"")
    assert (tmp_path / "a.png").stat().st_mode == (tmp_path / "b.png").stat().st_mode


def test_an_error_on_the_way_leaves_nothing_and_keeps_its_own_name(tmp_path: Path) -> None:
    def write_half() -> None:
        with whole_file(tmp_path / "new" / "a.jsonl") as file:
            file.write(b"half")
            (tmp_path / "elsewhere").read_bytes()

    with pytest.raises(FileNotFoundError) as error:
        write_half()
    assert error.value.filename == str(tmp_path / "elsewhere")
    assert list((tmp_path / "new").iterdir()) == []
